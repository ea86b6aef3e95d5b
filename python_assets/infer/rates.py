"""Differences of rates in blocks: cluster score z, MOVER intervals, and the same on logits.

Belongs here: contrasts of outcomes of 0 and 1. What all contrasts share is contrasts.py.
"""

from typing import NamedTuple

import numpy as np

from python_assets.infer import interval
from python_assets.infer.contrasts import (
    Contrasts,
    Estimate,
    Extremes,
    Tested,
    assemble,
    is_permuted,
    margin_p,
    ratio,
)
from python_assets.infer.interval import Interval, RatePair
from python_assets.infer.permutation import Draws, Floats, Ints, noise_floor
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.sides import Counts, Moments, Sides, over_units

APPROXIMATE_BELOW = 10  # root prompts under which logit MOVER was found short (inference.md 3.2)


class RateNull(NamedTuple):
    """What the draws say: p values, and rates and differences under every draw (columns, rows, draws)."""

    tested: Tested
    own: Floats
    other: Floats
    difference: Floats


def rate_null(sides: Sides, y: Floats, draws: Draws, alpha: float) -> RateNull:
    """Permute the cluster score z.

    Args:
        sides: what the rows compare.
        y: cell rates, shape (cells, columns).
        draws: the arrangements.
        alpha: which rows have a permutation p depends on it.
    """
    n, inverse_other = _units(sides), sides.inverse_other[:, None]
    extremes = Extremes(np.abs(score_z(sides.moments(y), n, inverse_other)), is_permuted(sides, alpha))
    own, other, difference = (np.empty((y.shape[1], len(n), draws.n)) for _ in range(3))

    def work(moments: Moments, columns: slice, batch: slice) -> Counts:
        a, c = moments.a / n, moments.c / n
        for store, drawn in ((own, a), (other, c), (difference, a - c)):
            store[columns, :, batch] = drawn.transpose(2, 1, 0)
        return extremes.count(np.abs(score_z(moments, n, inverse_other)), columns)

    tested = extremes.tested(sides.over_moments(y, draws, work), draws)
    return RateNull(tested, own, other, difference)


def _units(sides: Sides) -> Ints:
    """Units of each row, 1 where there are none, shape (rows, 1)."""
    return np.maximum(sides.is_present.sum(axis=1), 1)[:, None]


def score_z(moments: Moments, n: Ints, inverse_other: Floats) -> Floats:
    """Cluster score z of the difference of two rates.

    Args:
        moments: sums over units.
        n: number of units.
        inverse_other: 1 / number of groups on the other side.

    Returns:
        z; 0 without difference and +-1e6 without error.

    Source: inference.md 2.2.
    """
    a, c, v_a, v_c, rho = _two_rates(moments, n)
    spread = moments.pooled * (1 - moments.pooled)
    v_a = _under_null(v_a, a, spread, 1 / n)
    v_c = _under_null(v_c, c, spread, inverse_other / n)
    variance = np.maximum(v_a + v_c - 2 * rho * np.sqrt(v_a * v_c), 0)
    with np.errstate(invalid="ignore"):
        return ratio(a - c, np.sqrt(variance), np.asarray(1.0))


def _two_rates(moments: Moments, n: Ints) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Rates, variances of the two means over units, and their correlation (0 where one is constant)."""
    a, c = moments.a / n, moments.c / n
    divisor = n * np.maximum(n - 1, 1)
    v_a, v_c = _cleared(moments.aa - n * a * a) / divisor, _cleared(moments.cc - n * c * c) / divisor
    product = v_a * v_c
    covariance = (moments.ac - n * a * c) / divisor
    rho = np.divide(covariance, np.sqrt(product), out=np.zeros_like(product), where=product > 0)
    return a, c, v_a, v_c, np.clip(rho, -1, 1)


def _cleared(squares: Floats) -> Floats:
    return np.where(squares < 1e-12, 0, squares)


def _under_null(variance: Floats, p: Floats, spread: Floats, inverse_n: Floats) -> Floats:
    own = p * (1 - p)
    is_inside = own > 1e-12
    scaled = np.divide(variance, own, out=np.zeros_like(variance), where=is_inside)
    return np.where(is_inside, scaled, inverse_n) * spread


def rate_pair(sides: Sides, y: Floats) -> tuple[RatePair, Floats]:
    """Rates of both sides with their effective sizes, and the score z, shape (columns, rows)."""
    n, inverse_other, moments = _units(sides), sides.inverse_other[:, None], sides.moments(y)
    a, c, v_a, v_c, rho = _two_rates(moments, n)
    z = score_z(moments, n, inverse_other)
    inverse_a = interval.inverse_effective_n(a, v_a, 1 / n)
    inverse_c = interval.inverse_effective_n(c, v_c, inverse_other / n)
    is_held = np.where(sides.is_present.sum(axis=1, keepdims=True) > 0, 1.0, np.nan)
    return RatePair._make((part * is_held).T for part in (a, inverse_a, c, inverse_c, rho)), z.T


def rate_differences(sides: Sides, y: Floats, null: RateNull, *, alpha: float, margin: Floats) -> Contrasts:
    """Rate of a group minus that of what it is compared with, prompt by prompt.

    Args and Returns as mean_differences, null being of rate_null; its differences are used up.

    Source: inference.md section 1, row 3.
    """
    pair, z = rate_pair(sides, y)
    n = sides.is_present.sum(axis=1).astype(float)
    _, sd = over_units(sides.differences(y), sides.is_present)
    limits = interval.mover(pair, interval.t_quantile(n, alpha))
    estimate = Estimate(pair.p1 - pair.p2, sd / np.sqrt(np.maximum(n, 1)), z, n - 1 + 0 * z, limits)
    levels = margin_p(estimate, lambda c: interval.mover(pair, c), margin)
    floor = noise_floor(np.abs(null.difference, out=null.difference))
    method = ("permuted cluster score z", "score t", "MOVER interval")
    return assemble(sides, estimate, null.tested, floor, levels, (alpha, method))


def log_disparities(sides: Sides, y: Floats, null: RateNull, *, alpha: float, margin: Floats) -> Contrasts:
    """Logit of the rate of a group minus that of what it is compared with.

    Args and Returns as mean_differences, null being of rate_null; its rates are used up. NaN where a rate is
    0 or 1, with the interval's finite side.

    Source: inference.md section 1, row 3, and 2.4.
    """
    pair, z = rate_pair(sides, y)
    n = sides.is_present.sum(axis=1).astype(float)
    bounded = interval.mover_logit(pair, interval.t_quantile(n, alpha))
    limits = Interval(*(np.where(np.isfinite(side), side, np.nan) for side in bounded))
    value = interval.logit_difference(pair.p1, pair.p2)
    estimate = Estimate(value, logit_error(pair), z, n - 1 + 0 * z, limits)
    levels = margin_p(estimate, lambda c: interval.mover_logit(pair, c), margin)
    names = ("permuted cluster score z", "score t", "logit MOVER interval")
    floor = logit_floor(null.own, null.other)
    result = assemble(sides, estimate, null.tested, floor, levels, (alpha, names))
    method = result.method.copy()
    is_few = np.broadcast_to(n < APPROXIMATE_BELOW, method.shape) & method.astype(bool)
    method[is_few] += ", approximate interval"
    return mark_unbounded(result._replace(method=method))


def logit_error(pair: RatePair) -> Floats:
    """Delta-method error of a difference of logits; NaN where a rate is 0 or 1."""
    undefined = interval.degenerate(pair.p1) | interval.degenerate(pair.p2) | np.isnan(pair.p1)
    inner = [np.where(undefined, 0.5, p) for p in (pair.p1, pair.p2)]
    a, c = (
        np.sqrt(n / (p * (1 - p))) for n, p in zip((pair.inverse_n1, pair.inverse_n2), inner, strict=True)
    )
    variance = np.maximum(a**2 + c**2 - 2 * pair.correlation * a * c, 0)
    return np.where(undefined, np.nan, np.sqrt(variance))


def logit_floor(own: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Noise floor of |log disparity| from permuted rates, which are used up; infinity counts as largest."""
    np.clip(own, 0, 1, out=own)
    np.clip(other, 0, 1, out=other)
    odds = own * (1 - other)  # one logarithm of the odds ratio costs a quarter of two logits
    np.subtract(1, own, out=own)
    own *= other
    with np.errstate(divide="ignore", invalid="ignore"):
        np.divide(odds, own, out=odds)
        np.log(odds, out=odds)
    return noise_floor(np.abs(odds, out=odds))


def mark_unbounded(contrasts: Contrasts) -> Contrasts:
    """Name the rows that have a p but a side of the interval at infinity."""
    missing = np.isnan(contrasts.ci_low) | np.isnan(contrasts.ci_high)
    is_unbounded = missing & ~np.isnan(contrasts.p_value)
    return contrasts._replace(
        reason=first_of([is_unbounded, ~is_unbounded], [InferenceReason.UNBOUNDED, contrasts.reason])
    )
