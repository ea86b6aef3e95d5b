"""Means of skewed values, against a golden file, scipy and the formulas' own inverse."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from python_assets.infer.formulas.skewed import Mean, is_rarely_apart, limits, margin_p, skewness

CASES = json.loads(Path(__file__).with_name("skew_intervals_golden.json").read_text())["cases"]


def mean_of(case):
    """The means of a golden case from its cells, each group less the others on its root prompts."""
    x = np.array(case["x"], dtype=float)
    n = (~np.isnan(x)).sum(axis=1, keepdims=True)
    d = (x - np.nanmean(x, axis=1, keepdims=True)) * n / (n - 1)
    d[(n < 2).ravel()] = np.nan
    is_present = ~np.isnan(d)
    n = is_present.sum(axis=0)
    of_row = skewness(d, is_present, 0)
    of_hypothesis = np.full(len(n), of_row.mean())
    return Mean(np.nanmean(d, axis=0), np.nanstd(d, axis=0, ddof=1) / np.sqrt(n), n - 1.0, of_row, of_hypothesis)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("name", CASES)
def test_golden_intervals_and_p(name):
    case, mean = CASES[name], mean_of(CASES[name])
    p_margin, p_equivalence = margin_p(mean, np.full(len(mean.value), case["margin"]))
    interval = limits(mean, 0.05)
    found = {
        **{field: getattr(mean, field) for field in ("value", "std_error", "skewness")},
        **{"skewness_of_question": mean.skewness_of_hypothesis, "ci_low": interval.low, "ci_high": interval.high},
        **{"p_margin": p_margin, "p_equivalence": p_equivalence},
    }
    for field, values in found.items():
        assert values == pytest.approx([row[field] for row in case["rows"]], abs=1e-9), field
    selected = limits(mean, 0.01)
    for side in ("low", "high"):
        expected = [row[f"ci_{side}"] for row in case["selected_at_alpha_01"]]
        assert getattr(selected, side) == pytest.approx(expected, abs=1e-9)


def test_skewness_is_that_of_scipy():
    x = np.random.default_rng(1).exponential(size=(4, 9))
    assert skewness(x, np.ones(9, dtype=bool), 1) == pytest.approx(stats.skew(x, axis=1, bias=False), abs=1e-12)
    with_gaps = np.where(np.arange(9) < 5, x, 1e300)
    expected = stats.skew(x[:, :5], axis=1, bias=False)
    assert skewness(with_gaps, np.arange(9) < 5, 1) == pytest.approx(expected, abs=1e-12)


def test_two_values_have_no_skewness_and_equal_ones_none_at_all():
    x = np.array([[1.0, 2.0, 0.0], [3.0, 3.0, 3.0]])
    assert np.isnan(skewness(x, np.array([True, True, False]), 1)[0])
    assert skewness(x, np.ones(3, dtype=bool), 1)[1] == 0


@pytest.mark.parametrize("n", [3, 5, 12])
def test_one_value_apart_is_as_skewed_as_can_be(n):
    x = np.zeros((1, n))
    x[0, 0] = 1e-200
    assert skewness(x, np.ones(n, dtype=bool), 1) == pytest.approx(np.sqrt(n), abs=1e-9)  # a slant of 1


def test_without_skewness_all_is_of_t():
    x = np.random.default_rng(2).normal(size=12)
    mean = Mean(np.array([x.mean()]), np.array([stats.sem(x)]), np.array([11.0]))
    assert np.ravel(limits(mean, 0.05)) == pytest.approx(tuple(stats.ttest_1samp(x, 0).confidence_interval()))
    greater, less = (
        stats.ttest_1samp(x, bound, alternative=of).pvalue for bound, of in ((-0.3, "greater"), (0.3, "less"))
    )
    p_margin, p_equivalence = margin_p(mean, np.array([0.3]))
    assert p_equivalence == pytest.approx(max(greater, less))
    side = (
        stats.ttest_1samp(x, 0.3, alternative="greater")
        if x.mean() > 0
        else stats.ttest_1samp(x, -0.3, alternative="less")
    )
    assert p_margin == pytest.approx(side.pvalue)


@pytest.mark.parametrize("slant", [-1.0, -0.3, 1e-9, 0.4, 1.0])
@pytest.mark.parametrize("sign", [-1, 1])
def test_the_p_of_a_bound_is_half_of_alpha_where_the_interval_ends(slant, sign):
    df = np.array([9.0])
    skewed = Mean(np.array([sign * 50.0]), np.array([0.7]), df, slant * np.sqrt(df + 1))
    near, far = sorted(np.abs(np.ravel(limits(skewed, 0.1))))
    assert margin_p(skewed, np.array([near]))[0] == pytest.approx(0.05, abs=1e-9)
    assert margin_p(skewed, np.array([far]))[1] == pytest.approx(0.05, abs=1e-9)


@pytest.mark.parametrize("margin", [0.0, 0.5])
def test_means_without_error_lie_on_one_side_of_a_bound(margin):
    value = np.array([0.0, 0.5, 2.0])
    mean = Mean(value, np.zeros(3), np.full(3, 4.0), np.zeros(3), np.full(3, 0.8))
    p_margin, p_equivalence = margin_p(mean, np.full(3, margin))
    assert np.ravel(limits(mean, 0.05)) == pytest.approx(np.tile(value, 2))
    assert (p_margin[2], p_equivalence[2]) == pytest.approx((0, 1), abs=1e-9)
    if margin:
        assert (p_margin[0], p_equivalence[0]) == pytest.approx((1, 0), abs=1e-9)
    else:
        assert p_equivalence[0] >= 0.5  # on the margin, not inside it


def test_what_is_not_there_stays_so():
    nothing = Mean(np.array([np.nan, 1.0]), np.array([1.0, np.nan]), np.array([4.0, 0.0]), np.array([0.5, np.nan]), 0.2)
    assert np.isnan(limits(nothing, 0.05)).all()
    assert np.isnan(margin_p(nothing, np.array([0.1, 0.1]))).all()


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_differences_without_bound_claim_nothing():
    endless = Mean(np.array([np.inf, -np.inf]), np.array([np.nan, np.inf]), np.full(2, 5.0), np.full(2, 0.3))
    p_margin, p_equivalence = margin_p(endless, np.array([0.1, 0.1]))
    assert not (p_margin <= 0.05).any() and not (p_equivalence <= 0.05).any()
    low, high = limits(endless, 0.05)
    assert not (low > 0).any() and not (high < 0).any()


def test_without_any_cell_no_column_has_a_frequent_value():
    assert is_rarely_apart(np.zeros((0, 2))).tolist() == [False, False]
