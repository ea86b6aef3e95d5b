"""Differences of rates in blocks: cluster score z, MOVER intervals, and the same on logits.

Belongs here: contrasts of outcomes of 0 and 1. What all contrasts share is contrasts.py.

Score and MOVER do not hold for a mean that the group is a part of. In a block of k groups, a rate minus the
mean is (k - 1) / k times the rate minus that of the rest, so a grand mean takes its inference from the rest.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import stats

from python_assets.infer.contrasts.contrast import Estimate, Extremes, Null, Tested, assemble, levels_at
from python_assets.infer.contrasts.means import mean_estimate, mean_null
from python_assets.infer.draws.exchange import TIE, Draws, Floats, Ints
from python_assets.infer.formulas import interval, skewed
from python_assets.infer.formulas.interval import Interval, Limits, RatePair
from python_assets.infer.result import INTERVAL, InferenceReason, Result, first_of
from python_assets.infer.schemes.block_contrast import BlockContrast
from python_assets.infer.schemes.choose import Contrast
from python_assets.infer.schemes.differences import Counts, Moments, over_units, ratio
from python_assets.infer.schemes.pair_contrast import PairContrast
from python_assets.infer.schemes.unit_contrast import UnitContrast
from python_assets.study.base import Against

APPROXIMATE_BELOW = 10  # root prompts under which logit MOVER was found short (inference.md 3.2)
FEW_EVENTS = 5  # of a side, under which it was too (inference.md 5)
Paired = BlockContrast | PairContrast
OfMargin = Callable[[Floats], tuple[Floats, Floats]]
"""From margins to the p of lying past them and of lying inside."""
_NAMES = ("permuted cluster score z", "score t", "MOVER interval")


def rate_null(contrast: Contrast, y: Floats, draws: Draws, *, n_together: int = 1) -> Null:
    """Permute the cluster score z.

    Args:
        contrast: what the rows compare.
        y: cell rates, shape (cells, columns).
        draws: the arrangements.
        n_together: columns that are one question.
    """
    if isinstance(contrast, UnitContrast):  # rates over units of one group each have the t of means
        return mean_null(contrast, y, draws, n_together=n_together)
    scored = BlockContrast(contrast.design) if _is_grand_mean(contrast) else contrast
    n, inverse_other = scored.rows.n_units.clip(min=1)[:, None], scored.inverse_other[:, None]
    observed = np.nan_to_num(np.abs(score_z(scored.moments(y), n, inverse_other)))
    extremes = Extremes(observed, scored.rows.in_hypothesis, draws, n_together)
    difference = np.empty((y.shape[1], len(n), draws.n))

    def work(moments: Moments, columns: slice, batch: slice) -> Counts:
        difference[columns, :, batch] = ((moments.a - moments.c) / n).transpose(2, 1, 0)
        return extremes.count(np.abs(score_z(moments, n, inverse_other)), columns, batch)

    counts = scored.over_moments(y, draws, work, n_together)
    return Null(extremes.tested(counts), difference)


def _is_grand_mean(contrast: Paired) -> bool:
    return isinstance(contrast, BlockContrast) and contrast.against is Against.GRAND_MEAN


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
    binomial_variance = p * (1 - p)
    is_inside = binomial_variance > 1e-12
    scaled = np.divide(variance, binomial_variance, out=np.zeros_like(variance), where=is_inside)
    return np.where(is_inside, scaled, inverse_n) * spread


def rate_pair(contrast: Paired, y: Floats) -> tuple[RatePair, Floats]:
    """Rates of both sides with their effective sizes, and the score z, shape (columns, rows)."""
    n, inverse_other = contrast.rows.n_units.clip(min=1)[:, None], contrast.inverse_other[:, None]
    moments = contrast.moments(y)
    a, c, v_a, v_c, rho = _two_rates(moments, n)
    z = score_z(moments, n, inverse_other)
    inverse_a = interval.inverse_effective_n(a, v_a, 1 / n)
    inverse_c = interval.inverse_effective_n(c, v_c, inverse_other / n)
    # a correlation of 1 rests on one or two root prompts with all events; it would make the interval vanish
    rho = np.where(rho > 1 - TIE, 0, rho)
    is_compared = np.where(contrast.rows.is_compared[:, None], 1.0, np.nan)
    return RatePair._make((field * is_compared).T for field in (a, inverse_a, c, inverse_c, rho)), z.T


def _rates(contrast: Paired, y: Floats) -> tuple[RatePair, RatePair, Floats]:
    """Rates of both sides, the rates that the score is of, and the score z."""
    pair, z = rate_pair(contrast, y)
    return (pair, *rate_pair(BlockContrast(contrast.design), y)) if _is_grand_mean(contrast) else (pair, pair, z)


def rate_differences(
    contrast: Contrast, y: Floats, tested: Tested, *, alpha: float, margin: Floats, n_together: int = 1
) -> Result:
    """Rate of a group minus that of what it is compared with, prompt by prompt.

    Args and Returns as mean_differences, tested being of rate_null. Over units of one group each it has the t of 2.7
    where the error is of units and prompts both; elsewhere MOVER joins the intervals of both contrast, each with the
    spread of its own units.

    Source: inference.md section 1, row 3, and 2.7.
    """
    estimate, at_margin, names = rate_estimate(contrast, y, alpha)
    levels = levels_at(margin, estimate.value.shape, at_margin)
    return assemble(contrast.rows, estimate, tested, levels, alpha=alpha, names=names, n_together=n_together)


def rate_estimate(contrast: Contrast, y: Floats, alpha: float) -> tuple[Estimate, OfMargin, tuple[str, str, str]]:
    """Difference of rates with its interval, the p of a margin, and the names of assemble."""
    if isinstance(contrast, UnitContrast):
        estimate = mean_estimate(contrast, y, alpha)
        if contrast.units.is_two_way:
            return estimate, partial(skewed.margin_p, estimate.mean), contrast.rows.names
        names, limits = (*contrast.rows.names[:2], _NAMES[2]), _unit_limits(contrast, y, estimate.value)
        estimate = estimate._replace(limits=limits(stats.t.isf(alpha / 2, estimate.df)))
        return estimate, partial(interval.margin_levels, estimate.value, limits, estimate.df), names
    pair, scored, z = _rates(contrast, y)
    n = contrast.rows.n_units.astype(float)
    _, sd = over_units(contrast.by_unit(y), contrast.is_present)
    value = pair.p1 - pair.p2
    limits = mover_of(scored, value, 1 - contrast.inverse_other if _is_grand_mean(contrast) else None)
    std_error = sd / np.sqrt(np.maximum(n, 1))
    estimate = Estimate(value, std_error, z, n - 1 + 0 * z, limits(interval.t_quantile(n, alpha)))
    return estimate, partial(interval.margin_levels, value, limits, estimate.df), _NAMES


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
        return Interval(*(value + share * (side - (pair.p1 - pair.p2)) for side in interval.mover(pair, quantile)))

    return limits


def log_disparities(contrast: Contrast, y: Floats, tested: Tested, *, alpha: float, margin: Floats) -> Result:
    """Logit of the rate of a group minus that of what it is compared with.

    Args and Returns as mean_differences, tested being of rate_null. NaN where a rate is 0 or 1, with the interval's
    finite side. No interval against a grand mean, nor over units that are no repeats of the same prompts: none is known
    to hold there. No margin is tested over units.

    Source: inference.md section 1, row 3, 2.4 and 3.2.
    """
    if isinstance(contrast, UnitContrast):
        unit_estimate, pair = mean_estimate(contrast, y, alpha), contrast.rate_pair(y)
        statistic, df, quantile = unit_estimate.statistic, unit_estimate.df, stats.t.isf(alpha / 2, unit_estimate.df)
        has_interval = contrast.units.is_replicate and contrast.reference.against is not Against.GRAND_MEAN
        margin, is_short = np.full_like(margin, np.nan), np.ones(1, dtype=bool)
    else:
        pair, _, statistic = _rates(contrast, y)
        n = contrast.rows.n_units.astype(float)
        df, quantile, has_interval = n - 1 + 0 * statistic, interval.t_quantile(n, alpha), not _is_grand_mean(contrast)
        n_fewest = n * np.minimum(*(np.minimum(p, 1 - p) for p in (pair.p1, pair.p2)))
        is_short = (n < APPROXIMATE_BELOW) | (n_fewest < FEW_EVENTS)
    estimate = logit_estimate(pair, statistic, df, quantile)
    at_margin = partial(interval.margin_levels, estimate.value, partial(interval.mover_logit, pair), df)
    levels = levels_at(margin, estimate.value.shape, at_margin)
    p_names = contrast.rows.names if isinstance(contrast, UnitContrast) else _NAMES
    names = (*p_names[:2], "logit MOVER interval" if has_interval else "no interval")
    result = assemble(contrast.rows, estimate, tested, levels, alpha=alpha, names=names)
    if not has_interval:
        is_unbounded = np.isnan(result.value) & ~np.isnan(result.p_value)
        otherwise = InferenceReason.INTERVAL_NOT_VALIDATED
        reason = first_of([is_unbounded, ~result.reason.astype(bool)], [InferenceReason.UNBOUNDED, otherwise])
        return result.refused(np.ones(1, dtype=bool), np.where(reason.astype(bool), reason, result.reason), INTERVAL)
    is_unbounded = (np.isnan(result.ci_low) | np.isnan(result.ci_high)) & ~np.isnan(result.p_value)
    is_told = np.broadcast_to(is_short, result.method.shape) & result.method.astype(bool)
    method = result.method.copy()
    method[is_told] += ", approximate interval"
    return result.refused(is_unbounded, InferenceReason.UNBOUNDED, ())._replace(method=method)


def _unit_limits(contrast: UnitContrast, y: Floats, value: Floats) -> Limits:
    """Interval of the difference of two rates; against a grand mean, that of the rest shrunk."""
    if contrast.reference.against is not Against.GRAND_MEAN:
        return mover_of(contrast.rate_pair(y), value, None)
    share = 1 - ((contrast.weights.own > 0) * contrast.weights.other).sum(axis=1)
    return mover_of(UnitContrast(contrast.units).rate_pair(y), value, share)


def logit_estimate(pair: RatePair, statistic: Floats, df: Floats, quantile: Floats) -> Estimate:
    """Difference of two logits with the finite sides of its MOVER interval."""
    bounded = interval.mover_logit(pair, quantile)
    limits = Interval(*(np.where(np.isfinite(side), side, np.nan) for side in bounded))
    value = interval.logit_difference(pair.p1, pair.p2)
    return Estimate(value, logit_error(pair), statistic, df, limits)


def logit_error(pair: RatePair) -> Floats:
    """Delta-method error of a difference of logits; NaN where a rate is 0 or 1."""
    undefined = interval.degenerate(pair.p1) | interval.degenerate(pair.p2) | np.isnan(pair.p1)
    inner = [np.where(undefined, 0.5, p) for p in (pair.p1, pair.p2)]
    a, c = (np.sqrt(n / (p * (1 - p))) for n, p in zip((pair.inverse_n1, pair.inverse_n2), inner, strict=True))
    variance = np.maximum(a**2 + c**2 - 2 * pair.correlation * a * c, 0)
    return np.where(undefined, np.nan, np.sqrt(variance))
