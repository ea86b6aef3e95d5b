"""Differences of rates in blocks: cluster score z, MOVER intervals, and the same on logits.

Belongs here: contrasts of outcomes of 0 and 1. What all contrasts share is contrasts.py.

Score and MOVER do not hold for a mean that the group is a part of. In a block of k groups, a rate minus the
mean is (k - 1) / k times the rate minus that of the rest, so a grand mean takes its inference from the rest.
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
from python_assets.infer.interval import Interval, Limits, RatePair
from python_assets.infer.permutation import TIE, Draws, Floats, Ints, noise_floor
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.sides import BlockSides, Counts, Moments, Sides, over_units
from python_assets.study.base import Against

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
    if not _is_grand_mean(sides):
        return _permuted(sides, y, draws, alpha)
    tested = _permuted(_scored(sides), y, draws, alpha).tested
    return _permuted(sides, y, draws, alpha)._replace(tested=tested)


def _is_grand_mean(sides: Sides) -> bool:
    return isinstance(sides, BlockSides) and sides.against is Against.GRAND_MEAN


def _scored(sides: Sides) -> Sides:
    """The sides whose rates are measured on different responses."""
    return BlockSides(sides.design) if _is_grand_mean(sides) else sides


def _permuted(sides: Sides, y: Floats, draws: Draws, alpha: float) -> RateNull:
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
    # a correlation of 1 rests on one or two root prompts with all events; it would make the interval vanish
    rho = np.where(rho > 1 - TIE, 0, rho)
    is_held = np.where(sides.is_present.sum(axis=1, keepdims=True) > 0, 1.0, np.nan)
    return RatePair._make((part * is_held).T for part in (a, inverse_a, c, inverse_c, rho)), z.T


def _rates(sides: Sides, y: Floats) -> tuple[RatePair, RatePair, Floats]:
    """Rates of both sides, the rates that the score is of, and the score z."""
    own, z = rate_pair(sides, y)
    return (own, *rate_pair(_scored(sides), y)) if _is_grand_mean(sides) else (own, own, z)


def rate_differences(sides: Sides, y: Floats, null: RateNull, *, alpha: float, margin: Floats) -> Contrasts:
    """Rate of a group minus that of what it is compared with, prompt by prompt.

    Args and Returns as mean_differences, null being of rate_null; its differences are used up.

    Source: inference.md section 1, row 3.
    """
    own, scored, z = _rates(sides, y)
    n = sides.is_present.sum(axis=1).astype(float)
    _, sd = over_units(sides.differences(y), sides.is_present)
    std_error, value = sd / np.sqrt(np.maximum(n, 1)), own.p1 - own.p2
    limits = mover_of(scored, value, 1 - sides.inverse_other if _is_grand_mean(sides) else None)
    estimate = Estimate(value, std_error, z, n - 1 + 0 * z, limits(interval.t_quantile(n, alpha)))
    levels = margin_p(estimate, limits, margin)
    floor = noise_floor(np.abs(null.difference, out=null.difference))
    method = ("permuted cluster score z", "score t", "MOVER interval")
    return assemble(sides, estimate, null.tested, floor, levels, (alpha, method))


def mover_of(pair: RatePair, value: Floats, share: Floats | None) -> Limits:
    """Interval of a difference, from the rates of a group and of the rest where it is a grand mean's.

    Args:
        pair: both rates, measured on different responses.
        value: the difference.
        share: of the difference from the rest that is left against a grand mean; None for other differences.
    """
    if share is None:
        return lambda quantile: interval.mover(pair, quantile)

    def limits(quantile: Floats) -> Interval:
        sides = interval.mover(pair, quantile)
        return Interval(*(value + share * (side - (pair.p1 - pair.p2)) for side in sides))

    return limits


def log_disparities(sides: Sides, y: Floats, null: RateNull, *, alpha: float, margin: Floats) -> Contrasts:
    """Logit of the rate of a group minus that of what it is compared with.

    Args and Returns as mean_differences, null being of rate_null; its rates are used up. NaN where a rate is
    0 or 1, with the interval's finite side. No interval against a grand mean: none is known to hold there.

    Source: inference.md section 1, row 3, and 2.4.
    """
    pair, _, z = _rates(sides, y)
    n = sides.is_present.sum(axis=1).astype(float)
    bounded = interval.mover_logit(pair, interval.t_quantile(n, alpha))
    limits = Interval(*(np.where(np.isfinite(side), side, np.nan) for side in bounded))
    value = interval.logit_difference(pair.p1, pair.p2)
    estimate = Estimate(value, logit_error(pair), z, n - 1 + 0 * z, limits)
    levels = margin_p(estimate, lambda c: interval.mover_logit(pair, c), margin)
    is_validated = not _is_grand_mean(sides)
    names = ("permuted cluster score z", "score t", "logit MOVER interval" if is_validated else "no interval")
    floor = logit_floor(null.own, null.other)
    result = assemble(sides, estimate, null.tested, floor, levels, (alpha, names))
    return _mark_approximate(mark_unbounded(result), n) if is_validated else without_interval(result)


def _mark_approximate(contrasts: Contrasts, n: Floats) -> Contrasts:
    method = contrasts.method.copy()
    is_few = np.broadcast_to(n < APPROXIMATE_BELOW, method.shape) & method.astype(bool)
    method[is_few] += ", approximate interval"
    return contrasts._replace(method=method)


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


def without_interval(contrasts: Contrasts) -> Contrasts:
    """Leave out the interval of a log disparity, and all that follows from it, and say why."""
    nothing, has_reason = np.full_like(contrasts.value, np.nan), contrasts.reason.astype(bool)
    is_unbounded = np.isnan(contrasts.value) & ~np.isnan(contrasts.p_value)
    reason = first_of(
        [is_unbounded, has_reason, ~has_reason],
        [InferenceReason.UNBOUNDED, contrasts.reason, InferenceReason.INTERVAL_NOT_VALIDATED],
    )
    return contrasts._replace(
        ci_low=nothing, ci_high=nothing, p_margin=nothing, p_equivalence=nothing, reason=reason
    )
