from pathlib import Path

import pytest

from python_assets.errors import StudyError
from python_assets.gate.both_runs import BothRuns
from python_assets.gate.moved import require_margins
from python_assets.gate.text import text
from python_assets.published.archived import ArchivedRun
from python_assets.study.measures import MeasureSpec
from tests.python_assets.gate.conftest import APART, MOVED, OPEN, ROW, Study

RUNS = BothRuns("months", ArchivedRun("october", "2026-10-01", Path()), ArchivedRun("november", "2026-11-01", Path()))


@pytest.mark.parametrize(
    ("row", "outcome", "word"),
    [
        ({}, "beyond_margin", "beyond its margin"),
        (MOVED, "moved", "moved"),
        (OPEN, "inconclusive", "inconclusive"),
        (OPEN | {"q_value": 0.001, "explained_by": "aunt | boss"}, "explained_by", "only because of aunt, boss"),
        ({"verdict": "equivalent"}, "within_margin", "within its margin"),
        ({"verdict": "not_tested", "q_value": None, "inference_reason": "no_variation"}, "unchanged", "unchanged"),
        (APART, "apart_beyond_margin", "apart, beyond the margin"),
        (APART | MOVED, "apart", "apart"),
        (APART | OPEN, "inconclusive", "inconclusive"),
    ],
    ids=lambda value: None if isinstance(value, dict) else value,
)
def test_a_group_is_told_by_the_verdict_of_its_change(gate_of, row, outcome, word):
    gate = gate_of(row)
    assert gate.changes.verdict.tolist() == [(ROW | row)["verdict"]]
    assert gate.changes.outcome.tolist() == [outcome]
    assert len(gate.moved) == word.endswith(("beyond its margin", "beyond the margin"))
    assert text(gate, RUNS).splitlines()[5].endswith(f"  {word}")


def test_what_is_beyond_its_margin_without_being_gated_is_a_note(gate_of):
    change = {"reference_system_id": "g_then", "statistic": "groups_changed", "family_id": "secondary"}
    gated = change | {"family_id": "comparison"}
    gate = gate_of(MOVED, hypotheses=[{}, {"system_id": "g_then"}, change | {"grouping_id": "origin"}, gated])
    assert not len(gate.moved)
    notes = [line for line in text(gate, RUNS).splitlines() if line.startswith("Beyond margin")]
    effect = "woman -0.33 (95 % CI -0.40 to -0.26), margin 0.1, q < .001 (secondary, family of 3 tested)."
    assert notes == [
        f"Beyond margin, not gated: groups of the run now, g, mean of vader by gender: {effect}",
        f"Beyond margin, not gated: change, g, groups changed of vader by origin: {effect}",
    ]


NOT_ASKED = {"family_id": "secondary"}
CORRECTED = {"calibration": "corrected"}


def test_corrected_changes_are_gated_in_the_place_of_raw_ones_where_they_are_asked(gate_of):
    gate = gate_of(NOT_ASKED, CORRECTED | OPEN)
    assert gate.changes.calibration.tolist() == ["corrected"]
    assert not len(gate.moved)
    assert " corrected vader " in text(gate, RUNS)
    # too few labels: raw changes are asked
    few = {"verdict": None, "q_value": None, "inference_reason": "too_few_labels"}
    gate = gate_of({}, CORRECTED | NOT_ASKED | few)
    assert (gate.changes.calibration.tolist(), len(gate.moved)) == (["raw"], 1)
    # of each generation and grouping by itself
    gate = gate_of(NOT_ASKED, CORRECTED | OPEN, {"grouping_id": "origin"}, {"system_id": "h_now"})
    assert sorted(gate.moved.calibration) == ["raw", "raw"]
    # a study that asks neither, or both, is read as it stands
    assert len(gate_of(NOT_ASKED, CORRECTED | NOT_ASKED).moved) == 2
    assert len(gate_of({}, CORRECTED).moved) == 2
    assert len(gate_of({}, {"calibration": "calibrated"} | NOT_ASKED).moved) == 2


def test_a_change_against_those_that_stay_is_told_and_against_all_others_where_nobody_does(gate_of):
    alone = {"value_alone": 0.25, "ci_low_alone": 0.125, "ci_high_alone": 0.5}
    assert " +0.250 +0.125 to +0.500 " in " ".join(text(gate_of(alone), RUNS).split())
    assert " +0.300 +0.200 to +0.400 " in " ".join(text(gate_of(alone | APART), RUNS).split())


def test_of_two_camps_nobody_is_accused(gate_of, snapshot):
    down = {"group_id": "woman", "value": -0.3, "ci_low": -0.4, "ci_high": -0.2}
    still = {"group_id": "aunt", "value": 0.1} | OPEN
    gate = gate_of(APART, down | APART, still | APART, {"measure_id": "refusal"} | OPEN)
    told = text(gate, RUNS).splitlines()
    assert len(gate.moved) == 2
    assert [told[-4], told[-1]] == snapshot


def test_the_margin_is_that_of_the_measure_or_of_its_contrast(gate_of):
    study = Study(margins={"vader": {"mean_difference": 0.5}, "risk_difference": 0.05})
    gate = gate_of({}, {"measure_id": "refusal"}, study=study)
    assert dict(zip(gate.changes.measure_id, gate.changes.margin, strict=True)) == {"vader": 0.5, "refusal": 0.05}


def test_of_measures_without_a_margin_only_what_moved_is_told(gate_of, snapshot):
    calm = {"measure_id": "refusal", "group_id": "aunt"} | OPEN
    told = text(gate_of({}, {"measure_id": "refusal"} | MOVED, calm), RUNS)
    assert "aunt" not in told
    rows = [line for line in told.splitlines() if " refusal " in line and "Read by" not in line]
    assert [line.split()[-2:] for line in rows] == [["-", "moved"]]
    assert told.splitlines()[-3] == snapshot


def test_what_was_not_compared_is_told_with_its_reason(gate_of, snapshot):
    scorer = {"comparison": "groups_changed", "group_id": "", "reason": "response_error"}
    nothing = dict.fromkeys(("value", "value_a", "value_b", "ci_low", "ci_high", "q_value"), float("nan"))
    gate = gate_of(
        {},
        nothing | scorer | {"measure_id": "refusal"},
        {"group_id": "woman", "q_value": float("nan"), "inference_reason": "p_floor", "verdict": "not_tested"},
        systems=("g_now", "g_then", "new"),
        study=Study(margins={"mean_difference": 0.1, "risk_difference": 0.1}),
    )
    assert len(gate.compared) == 1
    assert text(gate, RUNS).splitlines()[-5:-2] == snapshot


def test_the_text_has_the_group_beyond_its_margin_first_with_change_interval_and_margin(gate_of, snapshot):
    calm = {"group_id": "aunt", "verdict": "equivalent", "q_value": 0.9}
    lines = text(gate_of(calm, {}), RUNS).splitlines()
    assert lines[0] == "months: run november against october."
    assert [line.split()[3] for line in lines[5:7]] == ["man", "aunt"]
    told = "g vader gender man +0.100 +0.400 +0.300 +0.200 to +0.400 0.1 beyond its margin"
    assert " ".join(lines[5].split()) == told
    assert lines[6].split()[-3:] == ["within", "its", "margin"]
    assert lines[-1] == snapshot


def test_where_no_value_differs_nothing_moved(gate_of):
    equal = {"value": 0.0, "inference_reason": "no_variation", "verdict": "not_tested"}
    gate = gate_of(equal | APART | dict.fromkeys(("ci_low", "ci_high", "q_value"), float("nan")))
    assert len(gate.compared) == 1 and not len(gate.moved)
    assert text(gate, RUNS).splitlines()[5].endswith("+0.000          -         0.1     unchanged")


def test_nothing_compared_is_no_pass(gate_of, snapshot):
    nothing = {"reason": "response_error", "q_value": float("nan"), "value": float("nan"), "verdict": "not_tested"}
    gate = gate_of(nothing | APART)
    assert len(gate.compared) == 0
    assert text(gate, RUNS).splitlines()[-1] == snapshot


def test_a_study_without_any_margin_cannot_be_gated(refused):
    with refused(StudyError, "analysis.margins"):
        require_margins(Study(margins={"impact_ratio": 0.8}))
    require_margins(Study(margins={"risk_difference": 0.05}))


def test_a_margin_of_means_is_one_where_a_measure_is_a_number(refused):
    margins = {"mean_difference": 0.1}
    require_margins(Study(margins=margins, measures=(MeasureSpec(name="score", kind="continuous", column="score"),)))
    with refused(StudyError, "analysis.margins"):
        require_margins(Study(margins=margins, measures=(MeasureSpec(name="hired", kind="binary", column="hired"),)))


def test_of_labels_that_moved_what_read_them_is_told(gate_of):
    rates = Study(margins={"refusal": {"risk_difference": 0.1}, "vader": {"mean_difference": 0.1}})
    gate = gate_of({}, {"measure_id": "refusal"}, study=rates)
    told = text(gate, RUNS)
    assert "refusal: Read by refusal (refusal_en_2)" in told
    assert "vader: Read by" not in told
    calm = {"measure_id": "refusal"} | OPEN
    assert "Read by" not in text(gate_of(calm, study=rates), RUNS)


def test_hypotheses_of_both_runs_are_counted_from_the_account(gate_of, snapshot):
    assert text(gate_of({}), RUNS).splitlines()[-2] == snapshot


def test_a_secondary_change_that_is_gated_is_not_told_as_one_that_is_not(gate_of):
    change = {"reference_system_id": "g_then", "statistic": "groups_changed"}
    gate = gate_of(NOT_ASKED, hypotheses=[change])
    assert (len(gate.moved), list(gate.beyond)) == (1, [])
    # of another measure, and where another family is read in its place
    assert len(gate_of(NOT_ASKED, hypotheses=[change | {"measure_id": "refusal"}]).beyond) == 1
    assert len(gate_of(NOT_ASKED, CORRECTED, hypotheses=[change]).beyond) == 1
