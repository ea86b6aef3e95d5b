"""From sentences to prompts, as the section on data quality tells it."""

FUNNEL = [
    {"step": step, "step_position": position, "n_sentences": n}
    for position, (step, n) in enumerate(
        [("sentences", 200), ("kept", 100), ("roots", 50), ("portable", 20), ("branched", 20)], start=1
    )
]
SENTENCES = [
    {"sentence_id": f"s{n}", "document_id": "d", "sentence_text": "A.", **outcome}
    for n, outcome in enumerate(
        [
            {"portability": "portable"},
            {"portability": "other_name", "portability_words": "Goethe", "dropped_reason": "other_name"},
        ]
    )
]


def test_the_funnel_has_every_step_with_its_share_of_the_one_before(report):
    text = "".join(report(prompt_funnel=FUNNEL, sentences=SENTENCES).sections["quality"].split())
    assert "sentences200–kept10050%roots5050%portable2040%branched20100%" in text
    assert "donotcarryovertootherlevels:1othername(suchasGoethe)." in text


def test_without_sentences_there_is_no_funnel(report):
    assert "From sentences to prompts" not in report().sections["quality"]


def refused(n):
    return [
        {
            "stage": "assemble",
            "rule": "refused_by_judge",
            "record_key": f"a.txt#{at:02} > Chad",
            "detail": f"shown 'Rome {at}' with 'N'Djamena {at}' and replied 'No'",
        }
        for at in range(n)
    ]


def test_records_set_aside_are_told_one_by_one_with_what_was_wrong(report):
    text = " ".join(report(quarantined_records=refused(2)).sections["quality"].split())
    assert "assemblerefused by judge2" in text
    assert "All of them" in text
    for at in range(2):
        assert f"a.txt#{at:02} > Chad shown 'Rome {at}' with 'N'Djamena {at}' and replied 'No'" in text


def test_of_many_records_set_aside_the_first_are_told_and_how_to_see_the_rest(report):
    text = report(quarantined_records=refused(21)).sections["quality"]
    assert "The first 20 of them" in text
    assert "a.txt#19 > Chad" in text
    assert "a.txt#20 > Chad" not in text
    assert "select * from quarantined_records where study_id = 'small'" in text
