"""tests/python_assets/infer/test_interval.py - mirrors python_assets/infer/interval.py."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from python_assets.infer.formulas.interval import (
    Interval,
    RatePair,
    inverse_effective_n,
    margin_levels,
    mover,
    mover_logit,
    wilson,
)


def pair(*values):
    return RatePair._make(np.array([value], dtype=float) for value in values)


@pytest.mark.parametrize(("count", "n"), [(0, 7), (3, 7), (7, 7), (40, 200)])
def test_wilson_is_that_of_statsmodels(count, n):
    low, high = wilson(np.array(count / n), np.array(1 / n), stats.norm.isf(0.025))
    expected = proportion_confint(count, n, method="wilson")
    assert (float(low), float(high)) == pytest.approx(expected, abs=1e-12)


def test_wilson_of_a_rate_of_zero_starts_at_exactly_zero():
    low, _ = wilson(np.array(0.0), np.array(1 / 3), np.array(4.3))
    assert low == 0


def test_a_known_rate_has_no_width():
    assert wilson(np.array(0.4), np.array(0.0), np.array(2.0)) == (0.4, 0.4)


def test_effective_n_of_independent_rows_is_their_number():
    y = (np.random.default_rng(1).random(100_000) < 0.3).astype(float)
    inverse = inverse_effective_n(np.array([y.mean()]), np.array([y.var(ddof=1) / len(y)]), np.array(1.0))
    assert 1 / inverse[0] == pytest.approx(len(y), rel=1e-4)


def test_perfectly_correlated_even_rates_have_no_error():
    low, high = mover(pair(0.5, 0.05, 0.5, 0.05, 1.0), 2.0)
    assert high[0] - low[0] == pytest.approx(0, abs=1e-7)
    low, high = mover(pair(0.5, 0.05, 0.5, 0.05, 0.0), 2.0)
    one = wilson(np.array(0.5), np.array(0.05), np.array(2.0))
    assert high[0] - low[0] == pytest.approx(np.sqrt(2) * (one.high - one.low))


def test_mover_is_antisymmetric():
    one = mover(pair(0.7, 0.1, 0.2, 0.02, 0.3), 2.0)
    two = mover(pair(0.2, 0.02, 0.7, 0.1, 0.3), 2.0)
    assert (one.low[0], one.high[0]) == pytest.approx((-two.high[0], -two.low[0]))


def test_logit_interval_is_infinite_where_a_rate_is_zero():
    low, high = mover_logit(pair(0.0, 0.1, 0.4, 0.02, 0.0), 2.0)
    assert low[0] == -np.inf
    assert np.isfinite(high[0])


@pytest.mark.parametrize("value", [-0.9, -0.3, 0.0, 0.25, 0.31, 1.4])
def test_margin_levels_of_a_symmetric_interval_are_tails_of_t(value):
    estimate, std_error, margin, df = np.array([value]), 0.2, np.array([0.3]), np.array([11.0])
    p_margin, p_equivalence = margin_levels(
        estimate, lambda c: Interval(estimate - c * std_error, estimate + c * std_error), df, margin
    )
    t = (abs(value) - 0.3) / std_error
    assert p_margin[0] == pytest.approx(stats.t.sf(t, 11), abs=1e-10)
    assert p_equivalence[0] == pytest.approx(stats.t.sf(-t, 11), abs=1e-10)


def test_a_rate_that_rounding_took_past_its_bounds_is_at_them():
    for rate, bound in ((-1e-17, 0), (1 + 2.3e-16, 1)):
        sides = wilson(np.array([rate]), np.array([0.1]), np.array(0.0))
        assert np.concatenate(sides) == pytest.approx([bound, bound], abs=1e-15)
