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
            {
                "portability": "other_name",
                "portability_words": "Goethe",
                "dropped_reason": "other_name",
            },
        ]
    )
]


def test_the_funnel_has_every_step_with_its_share_of_the_one_before(report):
    text = "".join(report(prompt_funnel=FUNNEL, sentences=SENTENCES).sections["quality"].split())
    assert "sentences200–kept10050%roots5050%portable2040%branched20100%" in text
    assert "donotcarryovertootherlevels:1othername(suchasGoethe)." in text


def test_without_sentences_there_is_no_funnel(report):
    assert "From sentences to prompts" not in report().sections["quality"]
