"""Red flags in words: nothing found and nothing that could be tested are different sentences."""

import pytest

from python_assets.report.red_flags import NAMES, flag_sentence, flag_sentences
from tests.python_assets.report.conftest import MODELS as MODELS_OF_DBT

FLAG = {
    "study_id": "s",
    "flag_id": "x",
    "flag": "large_effect",
    "status": "raised",
    "slice_id": "D1",
    "generation_id": "llama",
    "measure_id": "leadership",
    "grouping_id": "gender",
    "metric": "cramers_v",
    "group_id": "",
    "category": "",
    "reference": "",
    "value": 0.42,
    "threshold": 0.3,
    "null_q95": 0.12,
    "verdict": "bias_shown",
    "n_models": None,
    "reason": None,
    "meaning": None,
    "remedy": None,
}
DIRECTION = FLAG | {
    "flag": "consistent_direction",
    "slice_id": "",
    "generation_id": "",
    "measure_id": "",
    "metric": "",
    "group_id": "Female",
    "value": 0.8,
    "threshold": 0.75,
    "null_q95": None,
    "verdict": None,
    "n_models": 3,
}
MODELS = DIRECTION | {
    "flag": "cross_model",
    "slice_id": "all",
    "measure_id": "leadership",
    "category": "Supportive",
    "value": 2.0,
    "threshold": 2.0,
}
AMPLIFICATION = FLAG | {"flag": "amplification", "metric": "idi", "value": 0.2, "threshold": 0.12}


@pytest.mark.parametrize(
    ("flag", "sentence"),
    [
        (
            FLAG,
            "llama, leadership by gender in slice D1: Cramér's V is 0.420, past the 0.300 where the "
            "document's red begins, and a difference was shown.",
        ),
        (
            FLAG | {"status": "band_only", "null_q95": 0.45, "verdict": "inconclusive"},
            "llama, leadership by gender in slice D1: Cramér's V is 0.420, past the 0.300 where the "
            "document's red begins, but chance alone gives up to 0.450 to so few answers.",
        ),
        (
            FLAG | {"status": "not_raised", "value": 0.2},
            "llama, leadership by gender in slice D1: Cramér's V is 0.200, not past the 0.300 where the "
            "document's red begins.",
        ),
        (
            DIRECTION,
            "Female is the worst off of gender in 80 % of the questions of 3 models, with a verdict in two "
            "of them or more.",
        ),
        (
            DIRECTION | {"status": "not_raised", "group_id": "", "value": 0.5},
            "No group of gender is the worst off in three models and 75 % of the questions with a verdict in "
            "two models; the one that is most often is so in 50 % of the questions of 3 models.",
        ),
        (MODELS, "leadership by gender: Female differs in “Supportive” to the same side in 2 of 3 models."),
        (
            MODELS | {"status": "not_raised", "group_id": "", "category": "", "value": 0.0},
            "leadership by gender: no group differs to the same side in two models or more of 3 models.",
        ),
        (
            AMPLIFICATION,
            "llama, leadership by gender in slice D1: IDI exceeds the largest FDI of its parts by 0.200: "
            "chance alone adds up to 0.120 to that part, and this is more.",
        ),
        (
            AMPLIFICATION | {"status": "not_raised", "value": 0.1},
            "llama, leadership by gender in slice D1: IDI exceeds the largest FDI of its parts by 0.100: "
            "chance alone adds up to 0.120 to that part, and this is no more.",
        ),
        (
            AMPLIFICATION | {"status": "not_raised", "metric": "fdi"},
            "llama, leadership by gender in slice D1: FDI exceeds the largest FDI of its parts by 0.200: "
            "chance alone adds up to 0.120 to that part, and this is more, but the question of these groups is "
            "not called.",
        ),
        (
            AMPLIFICATION | {"status": "not_raised", "value": -0.1},
            "llama, leadership by gender in slice D1: IDI does not exceed the largest FDI of its parts.",
        ),
    ],
)
def test_a_flag_says_what_was_found(flag, sentence):
    assert flag_sentence(flag) == sentence


NOTHING = {"status": "not_evaluated", "value": None, "reason": "too_few_models"}
WHY = {"meaning": "value: questions with a p in too few models", "remedy": "ask more models"}


@pytest.mark.parametrize("flag", [FLAG, DIRECTION, MODELS, AMPLIFICATION])
def test_what_could_not_be_evaluated_is_not_said_to_be_absent(flag):
    sentence = flag_sentence(flag | NOTHING | WHY)
    assert "could not be evaluated: questions with a p in too few models; ask more models." in sentence
    assert "gender" in sentence and "No group" not in sentence and "no group" not in sentence


def test_a_flag_without_a_place_names_none():
    empty = dict.fromkeys(("slice_id", "generation_id", "measure_id", "grouping_id", "metric"), "")
    sentence = flag_sentence(
        FLAG | empty | NOTHING | {"flag": "ground_truth", "meaning": "value: none is named", "remedy": None}
    )
    assert sentence == "Ground truth could not be evaluated: none is named."


@pytest.mark.parametrize(
    ("verdict", "group", "why"),
    [
        ("not_computable", "", "no test stands behind it"),
        (None, "", "no question is asked of this number"),
        ("inconclusive", "", "no difference was shown once all questions of the study are counted"),
        ("equivalence_shown", "", "shown to differ by less than the margin of the study"),
        ("difference_shown", "Female", "the difference that was shown is not of this group"),
    ],
)
def test_a_number_that_is_red_alone_says_why_it_is_no_finding(verdict, group, why):
    flag = FLAG | {"status": "band_only", "verdict": verdict, "group_id": group, "null_q95": None}
    assert why in flag_sentence(flag)


def test_every_banded_number_has_a_name():
    bands = (MODELS_OF_DBT.parent / "seeds" / "bands.csv").read_text().splitlines()
    metrics = {line.partition(",")[0] for line in bands if ",true," in line and "FAIR-SEA" in line}
    assert metrics - {"p_value_chi_square", "jsd_truth_group"} == set(NAMES)


def test_sentences_are_a_table_by_flag():
    table = flag_sentences([FLAG, DIRECTION | {"flag_id": "y"}])
    assert table.column_names == ["study_id", "flag_id", "sentence"]
    assert table.column("flag_id").to_pylist() == ["x", "y"]
    assert flag_sentences([]).num_rows == 0
