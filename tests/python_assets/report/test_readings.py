"""What is said of how labels are read: the sentence beside a difference between models, and the section."""

from python_assets.assemble.pair_questions import PAIR_QUESTIONS
from python_assets.report.readings import FAULTS, read_by, reader_of

ROW = {
    "measure_id": "refusal",
    "model_family": "gpt",
    "kind": "binary",
    "scorer": "refusal",
    "label_set": "",
    "model": None,
    "scorer_version": "refusal_en_2",
    "recall_low": 0.96,
    "recall_high": 0.9621,
    "is_current": True,
    "reason": None,
}
UNKNOWN = ROW | {"recall_low": None, "recall_high": None, "is_current": None}


def test_the_sentence_says_what_read_it_and_what_is_known_of_each_family(snapshot):
    mistral = ROW | {"model_family": "mistral", "recall_low": 0.22, "recall_high": 0.538}
    told = read_by([UNKNOWN | {"model_family": "claude"}, ROW, mistral, UNKNOWN | {"model_family": "other"}])
    assert told == snapshot


def test_what_was_tried_on_no_family_is_said(snapshot):
    assert read_by([UNKNOWN]) == snapshot
    family = {"reason": "family_not_validated"}
    assert read_by([UNKNOWN | family]) == read_by([UNKNOWN])


def test_figures_of_an_older_version_are_said_to_be(snapshot):
    assert read_by([ROW | {"is_current": False}]) == snapshot


def test_what_is_not_known_is_said_and_numbers_are_no_labels(snapshot):
    rows = [
        {"scorer": "judge", "model": "llama3", "reason": "judge_not_measured", "scorer_version": "judge 1"},
        {"scorer": "column", "reason": "read_by_import", "scorer_version": "column 1"},
        {"scorer": "choices", "reason": "not_validated"},
        {"reason": "nothing_read"},
        {"kind": "continuous"},
    ]
    assert [read_by([UNKNOWN | row]) for row in rows] == snapshot


def test_without_rows_nothing_is_said():
    assert read_by([]) == ""


def test_a_reader_is_named_with_its_labels_and_the_start_of_a_long_version():
    row = ROW | {"scorer": "prototypes", "label_set": "fair_sea_leadership", "scorer_version": "p" * 90}
    assert reader_of(row) == f"prototypes fair_sea_leadership ({'p' * 40} … (90 characters))"


FIGURES = {
    "measure_id": "refusal",
    "scorer": "refusal",
    "scorer_version": "refusal_en_2",
    "label_set": "",
    "material": "real answers",
    "source": "XSTest",
    "labelled_by": "two people",
    "language": "en",
    "model_family": "",
    "topic": "",
    "is_current": True,
    "is_training": False,
    "n": 1237,
    "n_positive": 704,
    "recall": 0.831,
    "recall_low": 0.8,
    "recall_high": 0.86,
    "precision": 0.983,
    "precision_low": 0.97,
    "precision_high": 0.99,
}
NOTHING = {
    "label_set": "",
    "material": "",
    "source": "",
    "labelled_by": "",
    "language": "",
    "model_family": "",
    "topic": "",
}
VADER = NOTHING | {"measure_id": "vader", "scorer": "vader", "scorer_version": "vader 1"}


def test_the_section_has_the_study_s_families_phrasings_last_and_what_was_not_shown(report, snapshot):
    page = report(
        scorers=[
            FIGURES | {"source": "Our phrasings", "material": "phrasings of our own", "is_training": True, "n": 60},
            FIGURES,
            FIGURES | {"model_family": "gpt", "n": 440, "is_current": False},
            FIGURES | {"model_family": "llama", "n": 395},
            FIGURES | {"topic": "privacy", "n": 190},
            VADER | {"reason": "not_validated"},
            VADER | {"measure_id": "empty", "scorer": "empty", "reason": "nothing_read"},
        ],
        systems=[
            {"system_id": "biased", "provider": "openai", "model": "gpt-4", "model_family": "gpt"}
            | {
                "system_prompt": "",
                "decoding_json": "{}",
                "is_simulated": False,
                "is_baseline": False,
                "is_engine": False,
            }
        ],
    )
    told = " ".join(page.sections["scorers"].split())
    assert "refusal (refusal_en_2)" in told
    assert told.index("1,237") < told.index("440") < told.index("Our phrasings")
    assert "83.1 % [80 %, 86 %]" in told
    assert "395" not in told and "190" not in told and "empty" not in told
    assert "of an older version" in told and "which flatters" in told
    assert [row for row in page.sections["scorers"].splitlines() if row.startswith("vadervader")] == snapshot


def test_without_a_measure_that_reads_the_section_says_so(report, snapshot):
    assert report().blocks["scorers"][1] == snapshot


JUDGED = {"system_id": "critic", "n_pairs": 4, "n_unusable": 0, "n_named": 0}


def test_what_the_judge_of_branches_found_stands_beside_the_scorers(report, snapshot):
    page = report(
        pair_judges=[
            JUDGED | {"fault": "none", "n_pairs": 8, "n_refused": 1, "n_unusable": 2},
            JUDGED | {"fault": "sounds_natural", "n_refused": 2, "n_named": 1},
            JUDGED | {"fault": "same_meaning", "n_refused": 3, "n_named": 3},
        ]
    )
    told = " ".join(page.sections["scorers"].split())
    assert page.blocks["scorers"][3] == snapshot
    # what is wrong, pairs, refused, refused for that, no usable reply; bad pairs in the order of the questions
    rows = ["it asks something else 4 3 3 0", "nobody would write it so 4 2 1 0", "nothing: a good pair 8 1 – 2"]
    places = [told.replace(" ", "").index(row.replace(" ", "")) for row in rows]
    assert places == sorted(places)


def test_every_hypothesis_about_a_pair_has_words():
    assert list(FAULTS) == [*PAIR_QUESTIONS, "none"]


def test_without_a_judge_nothing_is_said_of_one(report):
    assert "judge of branches" not in report().text
