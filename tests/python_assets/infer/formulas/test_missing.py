"""tests/python_assets/infer/formulas/test_missing.py - mirrors python_assets/infer/formulas/missing.py."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from python_assets.infer.formulas.interval import Interval, around
from python_assets.infer.formulas.missing import (
    Ends,
    SystemSide,
    filled,
    filled_changes,
    observed_limits,
    p_with_missing,
    prompt_means,
    tipping_shift,
)
from python_assets.infer.formulas.verdict import P_WITH_MISSING, verdicts_with_missing

GOLDEN = json.loads((Path(__file__).parent / "missing_golden.json").read_text())


def test_golden_limits_within_what_was_observed():
    case = GOLDEN["continuous"]
    table = np.array(case["values"], dtype=float)
    x, root = table.reshape(-1, 1), np.repeat(np.arange(len(table)), table.shape[1])
    means = prompt_means(x, root)
    expected = np.repeat(case["observed"]["prompt_mean"], table.shape[1])
    np.testing.assert_allclose(means[:, 0], expected, atol=1e-12)
    for limit, quantile in zip(observed_limits(x, means), case["observed"]["deviation_q05_q95"], strict=True):
        np.testing.assert_allclose(limit[:, 0] - expected, quantile, atol=1e-12)


@pytest.mark.parametrize(
    ("case", "n_comparisons", "df"),
    [(GOLDEN["continuous"]["scale_0_1"], 3, 9), (GOLDEN["continuous"]["observed"], 3, 9), (GOLDEN["binary"], 4, 9)],
)
def test_golden_p_and_shift(case, n_comparisons, df):
    ends = Ends(*(np.array(case[name]) for name in ("low", "se_low", "high", "se_high")))
    assert p_with_missing(ends, np.array(df), n_comparisons) == pytest.approx(case["p_with_missing"], abs=1e-9)
    n_held = round((1 - case["share_missing"]) * 10)
    limits = around(np.array(case["value"]), np.array(case["std_error"]), stats.t.isf(0.025, n_held - 1))
    shift = tipping_shift(limits, case["share_missing"])
    assert shift == pytest.approx(case["tipping_shift"], abs=1e-9)


def test_golden_change_of_cells_that_one_side_answered():
    case = GOLDEN["change"]
    a, b = (np.array(case[side], dtype=float) for side in "ab")
    low, high = filled_changes(
        *(SystemSide(x, np.isnan(x).astype(float), *map(np.array, case["scale"])) for x in (a, b))
    )
    for own, others, end in ((low, high, "low"), (high, low, "high")):
        d = own[:, case["group"]] - np.delete(others, case["group"], axis=1).mean(axis=1)
        assert d.mean() == pytest.approx(case[end], abs=1e-9)
        assert stats.sem(d) == pytest.approx(case[f"se_{end}"], abs=1e-9)


def test_a_cell_that_neither_side_answered_has_no_change():
    a, b, is_whole = np.array([np.nan, np.nan, 1]), np.array([np.nan, 2.0, 3]), np.zeros(3)
    sides = (
        SystemSide(a, np.array([1, 1, 0.0]), is_whole, is_whole + 5),
        SystemSide(b, np.array([1, 0, 0.0]), is_whole, is_whole),
    )
    np.testing.assert_array_equal(filled_changes(*sides), [[np.nan, -2, -2], [np.nan, 3, -2]])


def test_a_cell_of_which_a_part_is_missing_moves_by_that_part():
    ends = np.array([0.0]), np.array([10.0])
    own = SystemSide(np.array([4.0]), np.array([0.25]), *ends)
    other = SystemSide(np.array([4.0]), np.array([0.5]), *ends)
    np.testing.assert_array_equal(filled_changes(own, other), [[3 - 7], [5.5 - 2]])


def test_a_cell_is_filled_by_the_share_that_is_missing():
    x, share = np.array([2.0, 2.0, np.nan]), np.array([0, 0.25, 1])
    np.testing.assert_array_equal(filled(x, share, np.array([9.0, 6.0, 6.0])), [2, 3, 6])


def ends(low, high, error=0.1):
    return Ends(*(np.array([one], dtype=float) for one in (low, error, high, error)))


def test_ends_on_both_sides_of_0_say_nothing():
    assert p_with_missing(ends(-2, 3), np.array([20.0]), 5) == 1
    assert p_with_missing(ends(0, 3), np.array([20.0]), 5) == 1
    assert p_with_missing(ends(2, 3), np.array([20.0]), 5) < 1e-10


def test_differences_without_error():
    assert p_with_missing(ends(2, 3, 0), np.array([9.0]), 5) == 0
    assert p_with_missing(ends(0, 0, 0), np.array([9.0]), 5) == 1


def test_a_shift_is_of_groups_that_something_of_is_missing():
    limits = Interval(np.array([0.8, 0.8, -0.3, -3.0]), np.array([1.2, 1.2, 0.1, -0.5]))
    found = tipping_shift(limits, np.array([0.0, 0.1, 0.1, 0.1]))
    np.testing.assert_allclose(found, [np.nan, 8, 0, 5])


@pytest.mark.parametrize(
    ("verdict", "low", "high", "p", "expected"),
    [
        ("beyond_margin", 0.11, 0.4, 0.01, "beyond_margin"),
        ("beyond_margin", -0.4, -0.11, 0.01, "beyond_margin"),
        ("beyond_margin", 0.09, 0.4, 0.01, "different"),
        ("beyond_margin", 0.11, 0.4, 0.06, "inconclusive"),
        ("different", 0.2, 0.4, 0.01, "different"),
        ("different", -0.1, 0.4, 0.2, "inconclusive"),
        ("different", -0.1, 0.4, 0.01, "inconclusive"),  # p says one thing, the interval another
        ("equivalent", -0.05, 0.09, 0.8, "equivalent"),
        ("equivalent", -0.05, 0.11, 0.001, "inconclusive"),
        ("inconclusive", 0.2, 0.4, 0.001, "inconclusive"),
        ("inconclusive", -0.01, 0.01, 1, "inconclusive"),
        ("not_tested", -0.01, 0.01, 0.5, None),
        (None, -0.01, 0.01, 0.5, None),
        ("beyond_margin", np.nan, np.nan, np.nan, None),
    ],
)
def test_a_verdict_is_only_ever_taken_away(verdict, low, high, p, expected):
    rows = {"verdict": [verdict], "margin": 0.1, "ci_low_missing": low, "ci_high_missing": high, P_WITH_MISSING: p}
    assert verdicts_with_missing(pd.DataFrame(rows), 0.05).tolist() == [expected]


def test_without_a_margin_nothing_lies_past_it_or_inside():
    rows = {"verdict": ["different", "equivalent"], "ci_low_missing": 0.2, "ci_high_missing": 0.3}
    found = verdicts_with_missing(pd.DataFrame(rows | {"margin": np.nan, P_WITH_MISSING: 0.01}), 0.05)
    assert found.tolist() == ["different", "inconclusive"]
