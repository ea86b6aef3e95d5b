"""Differences of rates in blocks: cluster score z, MOVER intervals, and the same on logits.

Belongs here: contrasts of outcomes of 0 and 1. What all contrasts share is contrasts.py.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from python_assets.infer import interval
from python_assets.infer.contrasts import (
    Contrasts,
    Estimate,
    assemble,
    deviations,
    margin_p,
    mean_and_sd,
    per_unit,
    ratio,
    slots_of,
    unit_means,
)
from python_assets.infer.design import Design
from python_assets.infer.interval import Interval, RatePair
from python_assets.infer.permutation import (
    COLUMNS_PER_PRODUCT,
    TIE,
    Draws,
    Floats,
    Ints,
    each_batch,
    noise_floor,
    pieces,
)
from python_assets.infer.reasons import InferenceReason, first_of

APPROXIMATE_BELOW = 10  # root prompts under which logit MOVER was found short (inference.md 3.2)


class RateNull(NamedTuple):
    """As Null, with the rates of the group and of the rest under every draw."""

    n_as_extreme: NDArray[np.int64]
    group: Floats
    rest: Floats


class Moments(NamedTuple):
    """Sums over units of a, c, a^2, c^2 and a c: a the rate of a group in a unit, c that of the rest."""

    a: Floats
    c: Floats
    aa: Floats
    cc: Floats
    ac: Floats


def rest_of_block(design: Design, x: Floats) -> Floats:
    """Mean of the other cells of each cell's block."""
    size = design.block_size[design.block][:, None]
    return (design.block_sums(x)[design.block] - x) / (size - 1)


def rate_null(design: Design, y: Floats, draws: Draws) -> RateNull:
    """Permute the cluster score z.

    Args:
        design: the cells.
        y: cell rates, shape (cells, columns).
        draws: the arrangements.
    """
    n_groups, n = design.frame.n_groups, np.maximum(design.units_of_group, 1)[:, None]
    rest = rest_of_block(design, y)
    pooled, inverse_rest = pooled_rates(design, y), _inverse_rest(design)[:, None]
    least = np.abs(score_z(_observed_moments(design, y, rest), n, pooled, inverse_rest)) - TIE
    group_null, rest_null = (np.empty((y.shape[1], n_groups, draws.n)) for _ in range(2))

    def work(w: sparse.csr_array, batch: slice) -> NDArray[np.int64]:
        n_as_extreme = np.zeros((n_groups, y.shape[1]), dtype=np.int64)
        for part in pieces(y.shape[1], COLUMNS_PER_PRODUCT // 2):
            moments = _moments(design, w, y[:, part], rest[:, part])
            z = score_z(moments, n, pooled[:, part], inverse_rest)
            n_as_extreme[:, part] = (np.abs(z) >= least[:, part]).sum(axis=0)
            group_null[part, :, batch] = (moments.a / n).transpose(2, 1, 0)
            rest_null[part, :, batch] = (moments.c / n).transpose(2, 1, 0)
        return n_as_extreme

    n_as_extreme = np.sum(each_batch(slots_of(design), draws, work), axis=0)
    return RateNull(n_as_extreme.T, group_null, rest_null)


def pooled_rates(design: Design, y: Floats) -> Floats:
    """Mean of all cells of the blocks that hold each group, shape (groups, columns); NaN where none."""
    holds = np.zeros((design.frame.n_groups, len(design.block_size)))
    holds[design.group, design.block] = 1
    n_cells = (holds @ design.block_size)[:, None]
    total = holds @ design.block_sums(y)
    return np.divide(total, n_cells, out=np.full_like(total, np.nan), where=n_cells > 0)


def _inverse_rest(design: Design) -> Floats:
    """Mean over units of 1 / number of other groups, shape (groups,): 1 / (K - 1) in complete blocks."""
    inverse = 1 / (design.block_size[design.block] - 1.0)
    total = (design.by_unit @ inverse).reshape(design.frame.n_groups, design.n_units).sum(axis=1)
    return total / np.maximum(design.units_of_group, 1)


def _observed_moments(design: Design, y: Floats, rest: Floats) -> Moments:
    a, c = unit_means(design, y), unit_means(design, rest)
    return Moments._make(z.sum(axis=1) for z in (a, c, a * a, c * c, a * c))


def _moments(design: Design, w: sparse.csr_array, y: Floats, rest: Floats) -> Moments:
    """Moments under each draw, shape (draws, groups, columns)."""
    if design.is_single:
        sums = w @ np.hstack([y, rest, y * y, rest * rest, y * rest])
        return Moments._make(np.split(sums.reshape(-1, design.frame.n_groups, 5 * y.shape[1]), 5, axis=2))
    a, c = per_unit(design, w, y), per_unit(design, w, rest)
    return Moments(
        a.sum(axis=2),
        c.sum(axis=2),
        *(np.einsum("bgrf,bgrf->bgf", i, j) for i, j in ((a, a), (c, c), (a, c))),
    )


def score_z(moments: Moments, n: Ints, pooled: Floats, inverse_rest: Floats) -> Floats:
    """Cluster score z of the difference of two rates.

    Args:
        moments: sums over units.
        n: number of units.
        pooled: rate of both together.
        inverse_rest: 1 / number of other groups.

    Returns:
        z; 0 without difference and +-1e6 without error.

    Source: inference.md 2.2.
    """
    a, c, v_a, v_c, rho = _two_rates(moments, n)
    spread = pooled * (1 - pooled)
    v_a = _under_null(v_a, a, spread, 1 / n)
    v_c = _under_null(v_c, c, spread, inverse_rest / n)
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


def rate_pair(design: Design, y: Floats) -> tuple[RatePair, Floats]:
    """Rates of group and rest with their effective sizes, and the score z, shape (columns, groups)."""
    n = np.maximum(design.units_of_group, 1)[:, None]
    moments = _observed_moments(design, y, rest_of_block(design, y))
    a, c, v_a, v_c, rho = _two_rates(moments, n)
    inverse_rest = _inverse_rest(design)[:, None]
    z = score_z(moments, n, pooled_rates(design, y), inverse_rest)
    inverse_a = interval.inverse_effective_n(a, v_a, 1 / n)
    inverse_c = interval.inverse_effective_n(c, v_c, inverse_rest / n)
    is_held = np.where(design.units_of_group[:, None] > 0, 1.0, np.nan)
    return RatePair._make((part * is_held).T for part in (a, inverse_a, c, inverse_c, rho)), z.T


def rate_differences(
    design: Design, y: Floats, null: RateNull, draws: Draws, *, alpha: float, margin: Floats
) -> Contrasts:
    """Rate of a group minus the mean rate of the other groups, prompt by prompt.

    Args and Returns as mean_differences, null being of rate_null; its values are kept.

    Source: inference.md section 1, row 3.
    """
    pair, z = rate_pair(design, y)
    n = design.units_of_group.astype(float)
    _, sd = mean_and_sd(design, deviations(design, y))
    limits = interval.mover(pair, interval.t_quantile(n, alpha))
    estimate = Estimate(pair.p1 - pair.p2, sd / np.sqrt(np.maximum(n, 1)), z, n - 1 + 0 * z, limits)
    levels = margin_p(estimate, lambda c: interval.mover(pair, c), margin)
    floor = noise_floor(np.abs(null.group - null.rest))
    method = ("permuted cluster score z", "score t", "MOVER interval")
    return assemble(design, estimate, (null.n_as_extreme, draws), floor, levels, (alpha, method))


def log_disparities(
    design: Design, y: Floats, null: RateNull, draws: Draws, *, alpha: float, margin: Floats
) -> Contrasts:
    """Logit of the rate of a group minus logit of the mean rate of the other groups.

    Args and Returns as mean_differences, null being of rate_null; its values are used up. NaN where a rate is
    0 or 1, with the interval's finite side.

    Source: inference.md section 1, row 3, and 2.4.
    """
    pair, z = rate_pair(design, y)
    n = design.units_of_group.astype(float)
    bounded = interval.mover_logit(pair, interval.t_quantile(n, alpha))
    limits = Interval(*(np.where(np.isfinite(side), side, np.nan) for side in bounded))
    value = interval.logit_difference(pair.p1, pair.p2)
    estimate = Estimate(value, logit_error(pair), z, n - 1 + 0 * z, limits)
    levels = margin_p(estimate, lambda c: interval.mover_logit(pair, c), margin)
    method = ("permuted cluster score z", "score t", "logit MOVER interval")
    result = assemble(
        design, estimate, (null.n_as_extreme, draws), logit_floor(null), levels, (alpha, method)
    )
    method_text = result.method.copy()
    is_few = (design.units_of_group < APPROXIMATE_BELOW) & method_text.astype(bool)
    method_text[is_few] += ", approximate interval"
    return mark_unbounded(result._replace(method=method_text))


def logit_error(pair: RatePair) -> Floats:
    """Delta-method error of a difference of logits; NaN where a rate is 0 or 1."""
    undefined = interval.degenerate(pair.p1) | interval.degenerate(pair.p2) | np.isnan(pair.p1)
    inner = [np.where(undefined, 0.5, p) for p in (pair.p1, pair.p2)]
    a, c = (
        np.sqrt(n / (p * (1 - p))) for n, p in zip((pair.inverse_n1, pair.inverse_n2), inner, strict=True)
    )
    variance = np.maximum(a**2 + c**2 - 2 * pair.correlation * a * c, 0)
    return np.where(undefined, np.nan, np.sqrt(variance))


def logit_floor(null: RateNull) -> tuple[Floats, Floats]:
    """Noise floor of |log disparity|; an infinite one counts as largest."""
    with np.errstate(invalid="ignore"):
        difference = interval.logit(np.clip(null.group, 0, 1)) - interval.logit(np.clip(null.rest, 0, 1))
    return noise_floor(np.abs(difference, out=difference))


def mark_unbounded(contrasts: Contrasts) -> Contrasts:
    """Name the rows that have a p but a side of the interval at infinity."""
    missing = np.isnan(contrasts.ci_low) | np.isnan(contrasts.ci_high)
    is_unbounded = missing & ~np.isnan(contrasts.p_value)
    return contrasts._replace(
        reason=first_of([is_unbounded, ~is_unbounded], [InferenceReason.UNBOUNDED, contrasts.reason])
    )
