"""The verdict of a row and of a hypothesis, against golden rows, and how many root prompts would settle an open one."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from python_assets.infer.formulas.multiplicity import benjamini_hochberg
from python_assets.infer.formulas.verdict import (
    RowNumbers,
    headlines,
    hypothesis_verdicts,
    is_off,
    n_needed,
    numbers_of_metrics,
    q_of_metrics,
    row_verdicts,
)

GOLDEN = json.loads(Path(__file__).with_name("verdicts_golden.json").read_text())
ROWS = {row["name"]: row for row in GOLDEN["rows"]}
HYPOTHESES = GOLDEN["hypotheses"]
# rows that the golden hypotheses describe instead of naming them
OPEN = ROWS["inconclusive"]
DESCRIBED = {
    "metric across its margin, q .7": {**ROWS["metric across its margin"], "q": 0.7, "p": 0.7},
    **{
        f"group, no margin, q {q}": {**OPEN, "q": float(q), **dict.fromkeys(("margin", "q_equivalence"))}
        for q in (".6", ".8", ".9")
    },
}


def judged(row):
    """The verdict, the significance and the reason of a golden row."""
    number = {name: np.nan if value is None else value for name, value in row.items()}
    if row["kind"] == "metric":
        ratio = row.get("metric") == "impact_ratio"
        floor = number["value"] + (0.1 if ratio == number["floor_passed"] else -0.1)
        frame = pd.DataFrame(
            [
                {
                    "metric": number["metric"],
                    "q_hypothesis": number["q"],
                    "p_value": number["p"],
                    "value": number["value"],
                    "null_q95": floor,
                    "control_floor": np.nan,
                    "q_permuted": np.nan,
                    "ci_low": number["low"],
                    "ci_high": number["high"],
                    "margin": number["margin"],
                    "scope": "similar prompts",
                    "inference_reason": None,
                }
            ]
        )
        found = row_verdicts(numbers_of_metrics(frame), GOLDEN["alpha"])
    else:
        numbers = (np.array([number[name]], dtype=float) for name in ("q", "low", "high", "q_margin", "q_equivalence"))
        explained, q_permuted = np.array(["explained_by" in row]), np.array([row.get("q_permuted", np.nan)])
        found = row_verdicts(RowNumbers(*numbers, explained=explained, q_permuted=q_permuted), GOLDEN["alpha"])
    return found.verdict[0], bool(found.is_significant[0]), found.reason[0]


@pytest.mark.parametrize("name", ROWS)
def test_golden_rows(name):
    row = ROWS[name]
    verdict, is_significant, reason = judged(row)
    assert (verdict, is_significant) == (row["verdict"], row["significant"])
    assert reason == (None if verdict == "not_tested" else row.get("reason"))


@pytest.mark.parametrize("case", HYPOTHESES, ids=lambda case: case["name"])
def test_golden_hypotheses(case):
    rows = [(ROWS | DESCRIBED)[name] for name in case["rows"]]
    told = [judged(row) for row in rows]
    frame = pd.DataFrame(
        {
            "hypothesis": 0,
            "is_group": [row["kind"] == "group" for row in rows],
            "has_value": True,
            "margin": [row["margin"] for row in rows],
            "value": [row["value"] for row in rows],
            "verdict": [verdict for verdict, *_ in told],
            "is_significant": [significant for _, significant, _ in told],
        }
    )
    # of two groups there is one contrast
    is_single = case["name"].startswith("two groups")
    q = np.nan if case["q"] is None else case["q"]
    is_significant = q <= GOLDEN["alpha"] and (not is_single or any(significant for _, significant, _ in told))
    hypotheses = pd.DataFrame(
        {"p_value": [np.nan if case["p"] is None else case["p"]], "is_significant": [is_significant]}
    )
    assert hypothesis_verdicts(hypotheses, frame).tolist() == [case["verdict"]]
    assert is_significant == (case["outcome"] == "significant")
    assert (case["verdict"] == "equivalent" and not is_significant) == (case["outcome"] == "equivalent")
    (headline,) = headlines(hypotheses.assign(verdict=case["verdict"]), frame)
    assert (None if headline < 0 else case["rows"][headline]) == case["headline"]


def test_a_group_heads_a_hypothesis_before_a_metric_however_large():
    rows = {"hypothesis": [0, 0, 0], "is_group": [False, True, True], "value": [0.9, 0.1, -0.2]}
    frame = pd.DataFrame(rows | {"has_value": True, "verdict": "different", "is_significant": True})
    assert headlines(pd.DataFrame({"verdict": ["different"]}), frame).tolist() == [2]


def verdict(q, q_margin=np.nan, q_equivalence=np.nan, low=np.nan, high=np.nan, is_wide=True):
    numbers = (np.array([number]) for number in (q, low, high, q_margin, q_equivalence))
    return row_verdicts(RowNumbers(*numbers, is_wide=np.array([is_wide])), 0.05).verdict[0]


def test_a_q_of_alpha_is_significant():
    assert verdict(0.05) == "different"


def test_an_interval_that_is_not_there_holds_nothing_and_one_side_is_enough():
    nan = np.nan
    low, high = np.array([nan, 0.1, nan, -0.1, nan, 0.0]), np.array([nan, nan, -0.1, nan, 0.1, 0.2])
    assert is_off(low, high).tolist() == [True, True, True, False, False, False]


def test_these_prompts_only_are_never_worth_more_than_a_difference():
    assert verdict(0.001, 0.001, 1.0, is_wide=False) == "different"
    assert verdict(0.5, 1.0, 0.001, is_wide=False) == "inconclusive"


def test_a_farther_group_that_is_open_leaves_nearer_ones_open():
    one = (np.array([number]) for number in (0.001, 0.1, 0.3, np.nan, np.nan))
    found = row_verdicts(RowNumbers(*one, is_settled=np.array([False])), 0.05)
    assert (found.verdict[0], found.reason[0], found.is_significant[0]) == ("inconclusive", None, False)


def test_golden_family(golden):
    case = golden["verdicts"]
    d, se, margin, df = np.array(case["d"]), np.array(case["se"]), case["margin"], case["R"] - 1
    p = 2 * stats.t.sf(np.abs(d) / se, df)
    assert p == pytest.approx(case["p"], rel=1e-9)
    q = benjamini_hochberg(p)
    assert q == pytest.approx(case["q"], rel=1e-9)
    q_margin = benjamini_hochberg(np.array(case["p_margin"]))
    q_equivalence = benjamini_hochberg(np.array(case["p_equivalence"]))
    assert q_margin == pytest.approx(case["q_margin"], rel=1e-9)
    assert q_equivalence == pytest.approx(case["q_equivalence"], rel=1e-9)
    half = stats.t.isf(0.025, df) * se
    found = row_verdicts(RowNumbers(q, d - half, d + half, q_margin, q_equivalence), 0.05)
    assert found.verdict.tolist() == case["verdict"]
    needed = n_needed(d, se * np.sqrt(case["R"]), np.full(5, margin), alpha=0.05)
    # below 60 root prompts 3 more than by the interval of t alone
    assert needed.tolist() == [n + 3 * (n < 60) for n in case["n_needed_m1"]]


def index_word(**numbers):
    row = {"metric": "range", "q_hypothesis": 0.001, "p_value": 0.001, "value": 1.0, "null_q95": 0.5}
    row |= {"ci_low": 0.6, "ci_high": 1.4, "margin": np.nan, "scope": "similar prompts", "inference_reason": None}
    row |= {"control_floor": np.nan, "q_permuted": np.nan}
    return row_verdicts(numbers_of_metrics(pd.DataFrame([row | numbers])), 0.05).verdict[0]


@pytest.mark.parametrize(
    ("numbers", "word"),
    [
        ({}, "different"),
        ({"null_q95": 1.1}, "inconclusive"),
        ({"control_floor": 1.1}, "inconclusive"),
        ({"q_hypothesis": 0.2}, "inconclusive"),
        ({"margin": 0.5}, "beyond_margin"),
        ({"margin": 0.7}, "different"),
        ({"margin": 1.5}, "equivalent"),
        ({"margin": 1.5, "q_hypothesis": 0.2}, "equivalent"),
        ({"margin": 0.5, "scope": "these prompts"}, "different"),
        ({"p_value": np.nan}, "inconclusive"),
        ({"p_value": np.nan, "ci_low": np.nan, "ci_high": np.nan}, "not_tested"),
        ({"ci_low": 0.0}, "inconclusive"),
        ({"p_value": 0.3}, "inconclusive"),
        ({"p_value": np.nan, "inference_reason": "told_by_parts"}, "different"),
        ({"p_value": np.nan, "inference_reason": "told_by_parts", "q_hypothesis": 0.2}, "inconclusive"),
        ({"value": np.nan, "ci_low": np.nan, "ci_high": np.nan, "inference_reason": "told_by_parts"}, "not_tested"),
        ({"metric": "impact_ratio", "value": 0.5, "null_q95": 0.7, "ci_high": 0.95}, "different"),
        ({"metric": "impact_ratio", "value": 0.5, "null_q95": 0.7, "ci_high": 1.0}, "inconclusive"),
        ({"metric": "impact_ratio", "value": 0.8, "null_q95": 0.7}, "inconclusive"),
        ({"metric": "impact_ratio", "value": 0.5, "null_q95": 0.7, "ci_high": 0.75, "margin": 0.8}, "beyond_margin"),
    ],
)
def test_words_of_an_index_follow_its_hypothesis_its_floor_and_its_interval(numbers, word):
    assert index_word(**numbers) == word


@pytest.mark.parametrize(
    "row", json.loads(Path(__file__).with_name("words_golden.json").read_text())["rows_of_disparities"]
)
def test_golden_q_of_metrics(row):
    p, q, expected = (np.nan if row[name] is None else row[name] for name in ("p_value", "question_q_value", "q_value"))
    found = q_of_metrics(pd.DataFrame([{"q_hypothesis": q, "p_value": p, "inference_reason": None}]))
    assert found == pytest.approx([expected], nan_ok=True)
