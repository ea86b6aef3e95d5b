"""Red flags in words: nothing found and nothing that could be tested are different sentences."""

from python_assets.report.red_flags import NAMES, flag_sentence, flag_sentences
from tests.python_assets.report.conftest import MODELS as MODELS_OF_DBT

FLAG = {
    "study_id": "s",
    "flag_id": "x",
    "flag": "large_effect",
    "status": "raised",
    "slice_id": "D1",
    "system_id": "llama",
    "measure_id": "leadership",
    "grouping_id": "gender",
    "metric": "cramers_v",
    "group_id": "",
    "category": "",
    "reference": "",
    "value": 0.42,
    "threshold": 0.3,
    "null_q95": 0.12,
    "verdict": "beyond_margin",
    "n_models": None,
    "reason": None,
    "meaning": None,
    "remedy": None,
}
DIRECTION = FLAG | {
    "flag": "consistent_direction",
    "slice_id": "",
    "system_id": "",
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


def test_a_flag_says_what_was_found(snapshot):
    lowered = {"status": "not_raised"}
    flags = [
        FLAG,
        FLAG | {"status": "band_only", "null_q95": 0.45, "verdict": "inconclusive"},
        FLAG | lowered | {"value": 0.2},
        DIRECTION,
        DIRECTION | lowered | {"group_id": "", "value": 0.5},
        MODELS,
        MODELS | lowered | {"group_id": "", "category": "", "value": 0.0},
        AMPLIFICATION,
        AMPLIFICATION | lowered | {"value": 0.1},
        AMPLIFICATION | lowered | {"metric": "fdi"},
        AMPLIFICATION | lowered | {"value": -0.1},
    ]
    assert [flag_sentence(flag) for flag in flags] == snapshot


NOTHING = {"status": "not_evaluated", "value": None, "reason": "too_few_models"}
WHY = {"meaning": "value: questions with a p in too few models", "remedy": "ask more models"}


def test_what_could_not_be_evaluated_is_not_said_to_be_absent(snapshot):
    sentences = [flag_sentence(flag | NOTHING | WHY) for flag in (FLAG, DIRECTION, MODELS, AMPLIFICATION)]
    assert sentences == snapshot
    assert "o group" not in "".join(sentences)


def test_a_flag_without_a_place_names_none(snapshot):
    empty = dict.fromkeys(("slice_id", "system_id", "measure_id", "grouping_id", "metric"), "")
    sentence = flag_sentence(
        FLAG | empty | NOTHING | {"flag": "ground_truth", "meaning": "value: none is named", "remedy": None}
    )
    assert sentence == snapshot


def test_a_number_that_is_red_alone_says_why_it_is_no_finding(snapshot):
    red = FLAG | {"status": "band_only", "group_id": "", "null_q95": None}
    verdicts = ("not_tested", None, "inconclusive", "equivalent")
    flags = [*(red | {"verdict": verdict} for verdict in verdicts), red | {"group_id": "Female"}]
    assert [flag_sentence(flag) for flag in flags] == snapshot


def test_every_banded_number_has_a_name():
    bands = (MODELS_OF_DBT.parent / "seeds" / "bands.csv").read_text().splitlines()
    metrics = {line.partition(",")[0] for line in bands if ",true," in line and "FAIR-SEA" in line}
    assert metrics - {"p_value_chi_square", "jsd_truth_group"} == set(NAMES)


def test_sentences_are_a_table_by_flag():
    table = flag_sentences([FLAG, DIRECTION | {"flag_id": "y"}])
    assert table.column_names == ["study_id", "flag_id", "sentence"]
    assert table.column("flag_id").to_pylist() == ["x", "y"]
    assert flag_sentences([]).num_rows == 0
