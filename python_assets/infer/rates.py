"""Differences of rates in blocks: cluster score z, MOVER intervals, and the same on logits.

Belongs here: contrasts of outcomes of 0 and 1. What all contrasts share is contrasts.py.

Score and MOVER do not hold for a mean that the group is a part of. In a block of k groups, a rate minus the
mean is (k - 1) / k times the rate minus that of the rest, so a grand mean takes its inference from the rest.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from python_assets.infer import interval
from python_assets.infer.block_sides import BlockSides
from python_assets.infer.contrasts import Contrasts, Estimate, Extremes, Tested, assemble, margin_p
from python_assets.infer.interval import Interval, Limits, RatePair
from python_assets.infer.means import mean_differences, mean_estimate
from python_assets.infer.pairs import PairSides
from python_assets.infer.permutation import TIE, Draws, Floats, Ints
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.sides import Counts, Moments, over_units, ratio
from python_assets.infer.unit_sides import UnitSides
from python_assets.study.base import Against

APPROXIMATE_BELOW = 10  # root prompts under which logit MOVER was found short (inference.md 3.2)
FEW_EVENTS = 5  # of a side, under which it was too (inference.md 5)
Paired = BlockSides | PairSides
NAMES = ("permuted cluster score z", "score t", "MOVER interval")


class RateNull(NamedTuple):
    """What the draws say: p values, and the differences under every draw (columns, rows, draws)."""

    tested: Tested
    difference: Floats


def rate_null(
    sides: Paired,
    y: Floats,
    draws: Draws,
    *,
    n_together: int = 1,
    beside: tuple[Floats, Floats] | None = None,
) -> RateNull:
    """Permute the cluster score z.

    Args:
        sides: what the rows compare.
        y: cell rates, shape (cells, columns).
        draws: the arrangements.
        n_together: columns that are one question.
        beside: what Extremes.tested takes beside the largest z.
    """
    scored = _scored(sides)
    n, inverse_other = _units(scored), scored.inverse_other[:, None]
    observed = np.nan_to_num(np.abs(score_z(scored.moments(y), n, inverse_other)))
    extremes = Extremes(observed, scored.in_question, draws, n_together)
    difference = np.empty((y.shape[1], len(n), draws.n))

    def work(moments: Moments, columns: slice, batch: slice) -> Counts:
        difference[columns, :, batch] = ((moments.a - moments.c) / n).transpose(2, 1, 0)
        return extremes.count(np.abs(score_z(moments, n, inverse_other)), columns, batch)

    counts = scored.over_moments(y, draws, work, n_together)
    return RateNull(extremes.tested(counts, beside), difference)


def _is_grand_mean(sides: Paired) -> bool:
    return isinstance(sides, BlockSides) and sides.against is Against.GRAND_MEAN


def _scored(sides: Paired) -> Paired:
    """The sides whose rates are measured on different responses."""
    return BlockSides(sides.design) if _is_grand_mean(sides) else sides


def _units(sides: Paired) -> Ints:
    """Units of each row, 1 where there are none, shape (rows, 1)."""
    return np.maximum(sides.n_units, 1)[:, None]


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


def rate_pair(sides: Paired, y: Floats) -> tuple[RatePair, Floats]:
    """Rates of both sides with their effective sizes, and the score z, shape (columns, rows)."""
    n, inverse_other, moments = _units(sides), sides.inverse_other[:, None], sides.moments(y)
    a, c, v_a, v_c, rho = _two_rates(moments, n)
    z = score_z(moments, n, inverse_other)
    inverse_a = interval.inverse_effective_n(a, v_a, 1 / n)
    inverse_c = interval.inverse_effective_n(c, v_c, inverse_other / n)
    # a correlation of 1 rests on one or two root prompts with all events; it would make the interval vanish
    rho = np.where(rho > 1 - TIE, 0, rho)
    is_held = np.where(sides.is_held[:, None], 1.0, np.nan)
    return RatePair._make((part * is_held).T for part in (a, inverse_a, c, inverse_c, rho)), z.T


def _rates(sides: Paired, y: Floats) -> tuple[RatePair, RatePair, Floats]:
    """Rates of both sides, the rates that the score is of, and the score z."""
    own, z = rate_pair(sides, y)
    return (own, *rate_pair(_scored(sides), y)) if _is_grand_mean(sides) else (own, own, z)


def rate_differences(
    sides: Paired, y: Floats, tested: Tested, *, alpha: float, margin: Floats, n_together: int = 1
) -> Contrasts:
    """Rate of a group minus that of what it is compared with, prompt by prompt.

    Args and Returns as mean_differences, tested being of rate_null.

    Source: inference.md section 1, row 3.
    """
    own, scored, z = _rates(sides, y)
    n = sides.n_units.astype(float)
    _, sd = over_units(sides.by_unit(y), sides.is_present)
    std_error, value = sd / np.sqrt(np.maximum(n, 1)), own.p1 - own.p2
    limits = mover_of(scored, value, 1 - sides.inverse_other if _is_grand_mean(sides) else None)
    estimate = Estimate(value, std_error, z, n - 1 + 0 * z, limits(interval.t_quantile(n, alpha)))
    levels = margin_p(estimate, limits, margin)
    return assemble(sides, estimate, tested, levels, alpha=alpha, names=NAMES, n_together=n_together)


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


def log_disparities(sides: Paired, y: Floats, tested: Tested, *, alpha: float, margin: Floats) -> Contrasts:
    """Logit of the rate of a group minus that of what it is compared with.

    Args and Returns as mean_differences, tested being of rate_null. NaN where a rate is 0 or 1, with the
    interval's finite side. No interval against a grand mean: none is known to hold there.

    Source: inference.md section 1, row 3, and 2.4.
    """
    pair, _, z = _rates(sides, y)
    n = sides.n_units.astype(float)
    estimate = logit_estimate(pair, z, n - 1 + 0 * z, interval.t_quantile(n, alpha))
    levels = margin_p(estimate, lambda c: interval.mover_logit(pair, c), margin)
    names = (*NAMES[:2], "no interval" if _is_grand_mean(sides) else "logit MOVER interval")
    result = assemble(sides, estimate, tested, levels, alpha=alpha, names=names)
    if _is_grand_mean(sides):
        return without_interval(result)
    n_fewest = n * np.minimum(*(np.minimum(p, 1 - p) for p in (pair.p1, pair.p2)))
    return mark_approximate(mark_unbounded(result), (n < APPROXIMATE_BELOW) | (n_fewest < FEW_EVENTS))


def unit_rate_differences(
    sides: UnitSides, y: Floats, tested: Tested, *, alpha: float, margin: Floats, n_together: int = 1
) -> Contrasts:
    """Rate of a group minus that of what it is compared with, over units of one group each.

    Args and Returns as mean_differences. The t of 2.7 where the error is of units and prompts both;
    elsewhere MOVER joins the intervals of both sides, each with the spread of its own units.
    """
    if sides.units.is_two_way:
        return mean_differences(sides, y, tested, alpha=alpha, margin=margin, n_together=n_together)
    estimate = mean_estimate(sides, y, alpha)
    limits = _unit_limits(sides, y, estimate.value)
    estimate = estimate._replace(limits=limits(stats.t.isf(alpha / 2, estimate.df)))
    names = (*sides.names[:2], NAMES[2])
    levels = margin_p(estimate, limits, margin)
    return assemble(sides, estimate, tested, levels, alpha=alpha, names=names, n_together=n_together)


def _unit_limits(sides: UnitSides, y: Floats, value: Floats) -> Limits:
    """Interval of the difference of two rates; against a grand mean, that of the rest shrunk."""
    if sides.reference.against is not Against.GRAND_MEAN:
        return mover_of(sides.rate_pair(y), value, None)
    share = 1 - ((sides.weights.own > 0) * sides.weights.other).sum(axis=1)
    return mover_of(UnitSides(sides.units).rate_pair(y), value, share)


def unit_log_disparities(sides: UnitSides, y: Floats, tested: Tested, *, alpha: float) -> Contrasts:
    """Logit of the rate of a group minus that of what it is compared with, over units of one group each.

    Only repeats of the same prompts have an interval, and it is approximate (inference.md 3.2).
    """
    estimate, pair = mean_estimate(sides, y, alpha), sides.rate_pair(y)
    quantile = stats.t.isf(alpha / 2, estimate.df)
    estimate = logit_estimate(pair, estimate.statistic, estimate.df, quantile)
    is_validated = sides.units.is_replicate and sides.reference.against is not Against.GRAND_MEAN
    nothing = np.full_like(estimate.value, np.nan)
    names = (*sides.names[:2], "logit MOVER interval" if is_validated else "no interval")
    result = assemble(sides, estimate, tested, (nothing, nothing), alpha=alpha, names=names)
    if not is_validated:
        return without_interval(result)
    return mark_approximate(mark_unbounded(result), np.ones(1, dtype=bool))


def logit_estimate(pair: RatePair, statistic: Floats, df: Floats, quantile: Floats) -> Estimate:
    """Difference of two logits with the finite sides of its MOVER interval."""
    bounded = interval.mover_logit(pair, quantile)
    limits = Interval(*(np.where(np.isfinite(side), side, np.nan) for side in bounded))
    value = interval.logit_difference(pair.p1, pair.p2)
    return Estimate(value, logit_error(pair), statistic, df, limits)


def mark_approximate(contrasts: Contrasts, is_few: np.ndarray) -> Contrasts:
    """Say in the method where an interval was found short."""
    method = contrasts.method.copy()
    is_few = np.broadcast_to(is_few, method.shape) & method.astype(bool)
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
