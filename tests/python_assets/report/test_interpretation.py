"""Why bands and verdicts disagree, and where the document is silent."""

import pytest

from python_assets.report.interpretation import interpretation_sentence, interpretation_sentences

ROW = {
    "study_id": "s", "slice_id": "all", "system_id": "g", "measure_id": "m", "grouping_id": "f",
    "verdict": "different", "q_value": 0.01, "n_hypotheses": 12, "effect_name": "cramers_v",
    "effect": 0.5, "null_q95": 0.2, "band": "red", "p_document": 0.001, "p_band": "red",
}  # fmt: skip
OPEN = ROW | {"verdict": "inconclusive", "q_value": 0.4}
SILENT = "The document names no action for a V of 0.10 to 0.40."


def test_nothing_is_said_where_band_and_verdict_agree():
    assert interpretation_sentence(ROW) == ""
    equal = {"verdict": "equivalent", "effect": 0.02, "band": "green", "p_document": 0.6}
    assert interpretation_sentence(ROW | equal | {"p_band": "green"}) == ""


def test_red_without_any_bias_names_what_chance_gives(snapshot):
    sentence = interpretation_sentence(OPEN | {"null_q95": 0.55, "p_document": 0.2, "p_band": "green"})
    assert sentence == snapshot


def test_past_chance_but_not_significant_is_told_by_the_hypotheses(snapshot):
    assert interpretation_sentence(OPEN | {"p_document": 0.2}) == snapshot


def test_each_disagreement_has_its_sentence(snapshot):
    changes = [
        {"verdict": "not_tested"},
        {"effect": 0.05, "band": "green"},
        {"verdict": "equivalent", "p_document": None},
        {"verdict": "inconclusive", "effect": 0.05, "band": "green", "p_document": 0.4},
    ]
    assert [interpretation_sentence(ROW | change) for change in changes] == snapshot


def test_the_p_of_the_document_is_said_to_be_of_rows(snapshot):
    row = OPEN | {"effect": 0.05, "band": "green"}
    shown = interpretation_sentence(ROW | {"p_document": 0.3, "p_band": "green"})
    assert [interpretation_sentence(row), shown] == snapshot


@pytest.mark.parametrize(("effect", "is_silent"), [(0.09, False), (0.1, True), (0.4, True), (0.41, False)])
def test_between_its_thresholds_the_document_is_silent(effect, is_silent):
    assert interpretation_sentence(ROW | {"effect": effect, "band": "red"}).endswith(SILENT) is is_silent


def test_of_scores_the_document_names_no_action(snapshot):
    score = ROW | {"effect_name": "dbi", "effect": -2.5, "p_band": None}
    assert interpretation_sentence(score) == snapshot
    assert interpretation_sentence(score | {"effect": None, "band": None}) == ""


def test_sentences_are_a_table_by_hypothesis():
    table = interpretation_sentences([ROW, OPEN | {"measure_id": "other"}])
    assert table.column_names == [
        "study_id", "slice_id", "system_id", "measure_id", "grouping_id", "sentence",
    ]  # fmt: skip
    assert table.column("measure_id").to_pylist() == ["m", "other"]
