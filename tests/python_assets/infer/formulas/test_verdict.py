"""tests/python_assets/infer/test_verdict.py - mirrors python_assets/infer/verdict.py."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from python_assets.infer.formulas.multiplicity import benjamini_hochberg
from python_assets.infer.formulas.verdict import index_verdicts, n_needed, verdicts


def verdict(q, q_margin=np.nan, q_equivalence=np.nan, is_wide=True):
    numbers = (np.array([number]) for number in (q, q_margin, q_equivalence))
    return verdicts(*numbers, is_wide=np.array([is_wide]), alpha=0.05)[0]


@pytest.mark.parametrize(
    ("numbers", "word"),
    [
        ((0.001, 0.01, 1.0), "beyond_margin"),
        ((0.001, 0.9, 0.01), "equivalent"),
        ((0.001, 0.2, 0.9), "different"),
        ((0.2, 0.2, 0.9), "inconclusive"),
        ((0.001, np.nan, np.nan), "different"),
        ((0.2, np.nan, np.nan), "inconclusive"),
        ((np.nan, np.nan, np.nan), "not_tested"),
        ((0.05, np.nan, np.nan), "different"),
    ],
)
def test_words(numbers, word):
    assert verdict(*numbers) == word


def test_these_prompts_only_are_never_worth_more_than_a_difference():
    assert verdict(0.001, 0.001, 1.0, is_wide=False) == "different"
    assert verdict(0.5, 1.0, 0.001, is_wide=False) == "inconclusive"


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
    words = verdicts(q, q_margin, q_equivalence, is_wide=np.ones(5, dtype=bool), alpha=0.05)
    assert words.tolist() == case["verdict"]
    needed = n_needed(d, se * np.sqrt(case["R"]), np.full(5, margin), alpha=0.05)
    assert needed.tolist() == case["n_needed_m1"]


def test_past_the_margin_needs_a_difference_first():
    q, settled = np.array([0.06]), np.array([0.001])
    found = verdicts(q, settled, np.array([np.nan]), is_wide=np.array([True]), alpha=0.05)
    assert found.tolist() == ["inconclusive"]


def test_a_rate_needs_its_interval_off_no_difference_besides():
    numbers = [np.array([number]) for number in (0.001, 0.001, np.nan)]
    wide, off = np.array([True]), np.array([False])
    assert verdicts(*numbers, is_wide=wide, is_off=off, alpha=0.05).tolist() == ["inconclusive"]
    assert verdicts(*numbers, is_wide=wide, is_off=~off, alpha=0.05).tolist() == ["beyond_margin"]
    inside = [np.array([number]) for number in (0.001, 1.0, 0.001)]  # equivalence asks for no difference
    assert verdicts(*inside, is_wide=wide, is_off=off, alpha=0.05).tolist() == ["equivalent"]


def index_word(**numbers):
    row = {"metric": "range", "q_value": 0.001, "p_value": 0.001, "value": 1.0, "null_q95": 0.5}
    row |= {"ci_low": 0.6, "ci_high": 1.4, "margin": np.nan, "scope": "similar prompts", "inference_reason": None}
    return index_verdicts(pd.DataFrame([row | numbers]), 0.05)[0]


@pytest.mark.parametrize(
    ("numbers", "word"),
    [
        ({}, "different"),
        ({"null_q95": 1.1}, "inconclusive"),
        ({"q_value": 0.2}, "inconclusive"),
        ({"margin": 0.5}, "beyond_margin"),
        ({"margin": 0.7}, "different"),
        ({"margin": 1.5}, "equivalent"),
        ({"margin": 1.5, "q_value": 0.2}, "equivalent"),
        ({"margin": 0.5, "scope": "these prompts"}, "different"),
        ({"p_value": np.nan}, "not_tested"),
        ({"p_value": np.nan, "inference_reason": "told_by_parts"}, "different"),
        ({"p_value": np.nan, "inference_reason": "told_by_parts", "q_value": 0.2}, "inconclusive"),
        ({"metric": "impact_ratio", "value": 0.5, "null_q95": 0.7}, "different"),
        ({"metric": "impact_ratio", "value": 0.8, "null_q95": 0.7}, "inconclusive"),
        ({"metric": "impact_ratio", "value": 0.5, "null_q95": 0.7, "ci_high": 0.75, "margin": 0.8}, "beyond_margin"),
    ],
)
def test_words_of_an_index_follow_its_hypothesis_its_floor_and_its_interval(numbers, word):
    assert index_word(**numbers) == word
