"""Each group against the other groups on the same prompts: value, error, interval, p and noise floor.

Belongs here: what every contrast shares, and differences of means in blocks. Rates are rates.py, replicates
of a single prompt replicates.py; q and verdicts are multiplicity.py and verdict.py.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from python_assets.infer import interval
from python_assets.infer.design import MIN_UNITS, Design, Unit, floor_is_too_high, scopes
from python_assets.infer.interval import Interval
from python_assets.infer.permutation import (
    COLUMNS_PER_PRODUCT,
    TIE,
    Draws,
    Floats,
    Ints,
    Slots,
    each_batch,
    noise_floor,
    p_values,
    pieces,
)
from python_assets.infer.reasons import InferenceReason, first_of

LARGEST_T = 1e6  # stands for a difference without any error
Objects = NDArray[np.object_]


class Contrasts(NamedTuple):
    """One number a column and group, shape (columns, groups); NaN where NULL.

    sd: of the differences over root prompts, for planning; NaN where something else is the unit. p_margin,
    p_equivalence: unadjusted. is_permuted: whether p comes from draws. reason, method, scope: texts, reason
    None where nothing is missing.
    """

    value: Floats
    std_error: Floats
    ci_low: Floats
    ci_high: Floats
    null_median: Floats
    null_q95: Floats
    p_value: Floats
    p_maxt: Floats
    sd: Floats
    p_margin: Floats
    p_equivalence: Floats
    is_permuted: NDArray[np.bool_]
    n_root_prompts: Ints
    reason: Objects
    method: Objects
    scope: Objects


class Estimate(NamedTuple):
    """What the data alone say, shape (columns, groups): value, error, test statistic, its df and interval."""

    value: Floats
    std_error: Floats
    statistic: Floats
    df: Floats
    limits: Interval


class Null(NamedTuple):
    """How many draws are as extreme, shape (columns, groups), and their values (columns, groups, draws)."""

    n_as_extreme: NDArray[np.int64]
    values: Floats


def deviations(design: Design, x: Floats) -> Floats:
    """Each cell minus the mean of the other cells of its block.

    Args:
        design: the cells.
        x: shape (cells, columns).

    Source: inference.md section 1, D = (x - block mean) k / (k - 1).
    """
    size = design.block_size[:, None]
    return design.centred(x) * (size / (size - 1))[design.block]


def mean_null(design: Design, d: Floats, draws: Draws) -> Null:
    """Permute the mean deviation and its t.

    |t| rises with u = (sum D)^2 / sum D^2, which needs no difference of squares, so u is compared.

    Args:
        design: the cells.
        d: deviations, shape (cells, columns).
        draws: the arrangements.
    """
    n_groups, n = design.frame.n_groups, np.maximum(design.units_of_group, 1)[:, None]
    least = (_share_explained(*_unit_sums(design, d)) * (1 - TIE)).T  # (groups, columns)
    values = np.empty((d.shape[1], n_groups, draws.n))
    parts = [(part, _factors(design, d[:, part])) for part in pieces(d.shape[1], COLUMNS_PER_PRODUCT)]

    def work(w: sparse.csr_array, batch: slice) -> NDArray[np.int64]:
        n_as_extreme = np.zeros((n_groups, d.shape[1]), dtype=np.int64)
        for part, factors in parts:
            total, squares = _sums(design, w, factors)
            n_as_extreme[:, part] = (_share_explained(total, squares) >= least[:, part]).sum(axis=0)
            values[part, :, batch] = (total / n).transpose(2, 1, 0)
        return n_as_extreme

    n_as_extreme = np.sum(each_batch(slots_of(design), draws, work), axis=0)
    return Null(n_as_extreme.T, values)


def slots_of(design: Design) -> Slots:
    """Places by group, or by group and unit where a unit has several blocks."""
    return design.group_slots if design.is_single else design.unit_slots


def _factors(design: Design, d: Floats) -> Floats:
    """What W is multiplied by: D and D^2, or D alone where it is averaged before it is squared."""
    return np.hstack([d, d * d]) if design.is_single else np.ascontiguousarray(d)


def _sums(design: Design, w: sparse.csr_array, factors: Floats) -> tuple[Floats, Floats]:
    """Sums over units of D and D^2 under each draw, shape (draws, groups, columns)."""
    if design.is_single:
        both = (w @ factors).reshape(-1, design.frame.n_groups, factors.shape[1])
        return both[:, :, : factors.shape[1] // 2], both[:, :, factors.shape[1] // 2 :]
    by_unit = per_unit(design, w, factors)
    return by_unit.sum(axis=2), np.einsum("bgrf,bgrf->bgf", by_unit, by_unit)


def per_unit(design: Design, w: sparse.csr_array, z: Floats) -> Floats:
    """Means over the blocks of each unit under each draw, shape (draws, groups, units, columns)."""
    counts = np.maximum(design.n_blocks_of_group_and_unit, 1)[:, :, None]
    sums = (w @ np.ascontiguousarray(z)).reshape(-1, design.frame.n_groups, design.n_units, z.shape[1])
    sums /= counts
    return sums


def _share_explained(total: Floats, squares: Floats) -> Floats:
    return np.divide(total * total, squares, out=np.zeros(total.shape), where=squares > 0)


def _unit_sums(design: Design, d: Floats) -> tuple[Floats, Floats]:
    """Sums over units of the observed D and D^2, shape (columns, groups)."""
    by_unit = unit_means(design, d)
    return by_unit.sum(axis=1).T, (by_unit**2).sum(axis=1).T


def unit_means(design: Design, z: Floats) -> Floats:
    """Means of each group in each unit, 0 where absent, shape (groups, units, columns)."""
    return (design.by_unit @ z).reshape(design.frame.n_groups, design.n_units, -1)


def mean_and_sd(design: Design, z: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation (n - 1) of unit means, shape (columns, groups); NaN where none."""
    by_unit = unit_means(design, z)
    n = design.units_of_group[:, None].astype(float)
    present = (design.n_blocks_of_group_and_unit > 0)[:, :, None]
    mean = np.divide(by_unit.sum(axis=1), n, out=np.full((len(n), z.shape[1]), np.nan), where=n > 0)
    squares = (np.where(present, by_unit - mean[:, None], 0) ** 2).sum(axis=1)
    variance = np.divide(squares, n - 1, out=np.full_like(mean, np.nan), where=n > 1)
    return mean.T, np.sqrt(variance).T


def ratio(value: Floats, std_error: Floats, scale: Floats) -> Floats:
    """Value over its error; without error 0 for no difference and LARGEST_T for any.

    Args:
        value: differences.
        std_error: their errors.
        scale: size below TIE of which a number counts as 0.
    """
    no_error = std_error <= TIE * scale
    t = np.divide(value, std_error, out=np.zeros_like(value), where=~no_error)
    return np.where(no_error, np.where(np.abs(value) <= TIE * scale, 0, np.copysign(LARGEST_T, value)), t)


def mean_estimate(design: Design, d: Floats, alpha: float) -> Estimate:
    """Mean deviation with its cluster t interval over units.

    Source: inference.md section 1 and 3.2.
    """
    mean, sd = mean_and_sd(design, d)
    n = design.units_of_group.astype(float)
    std_error = sd / np.sqrt(np.maximum(n, 1))
    scale = np.sqrt((d**2).mean(axis=0))[:, None]
    limits = interval.around(mean, std_error, interval.t_quantile(n, alpha))
    return Estimate(mean, std_error, ratio(mean, std_error, scale), n - 1 + 0 * mean, limits)


def mean_differences(
    design: Design, x: Floats, null: Null, draws: Draws, *, alpha: float, margin: Floats
) -> Contrasts:
    """Group mean minus the mean of the other groups, prompt by prompt.

    Args:
        design: the cells.
        x: cell means, shape (cells, columns).
        null: of mean_null on the deviations of x; its values are used up.
        draws: what null was drawn with.
        alpha: intervals are 1 - alpha.
        margin: of each column, NaN where none is declared.

    Returns:
        NaN and a reason for a group without another group beside it, or in fewer than 3 units.

    Source: inference.md section 1, rows 1 and 2.
    """
    estimate = mean_estimate(design, deviations(design, x), alpha)

    def limits(c: Floats) -> Interval:
        return interval.around(estimate.value, estimate.std_error, c)

    levels = margin_p(estimate, limits, margin)
    floor = noise_floor(np.abs(null.values, out=null.values))
    method = ("permuted t", "cluster t", "cluster t interval")
    return assemble(design, estimate, (null.n_as_extreme, draws), floor, levels, (alpha, method))


def margin_p(
    estimate: Estimate, limits: Callable[[Floats], Interval], margin: Floats
) -> tuple[Floats, Floats]:
    """One-sided p of the margin, only for the columns that have one."""
    if np.isnan(margin).all():
        return np.full_like(estimate.value, np.nan), np.full_like(estimate.value, np.nan)
    return interval.margin_levels(
        estimate.value, limits, estimate.df, np.broadcast_to(margin[:, None], estimate.value.shape)
    )


def assemble(
    design: Design,
    estimate: Estimate,
    draws: tuple[NDArray[np.int64], Draws],
    floor: tuple[Floats, Floats],
    levels: tuple[Floats, Floats],
    options: tuple[float, tuple[str, str, str]],
) -> Contrasts:
    """Put the parts together, with the fallback where no permutation p could reach alpha.

    Args:
        design: the cells.
        estimate: what the data say.
        draws: number of draws as extreme, and the draws.
        floor: median and 95 % quantile of the null.
        levels: p of being past the margin and within it.
        options: alpha, and the names of permutation p, fallback p and interval.
    """
    alpha, names = options
    is_floored = floor_is_too_high(design.smallest_p(), len(design.groups), alpha)
    p_t = 2 * stats.t.sf(np.abs(estimate.statistic), np.maximum(estimate.df, 1))
    p = np.where(is_floored, p_t, p_values(*draws))
    method = _methods(design, names, is_floored)
    n, roots, shape = design.units_of_group, design.roots_of_group, estimate.value.shape
    enough = np.where(n >= MIN_UNITS, 1.0, np.nan)
    sd = estimate.std_error * np.sqrt(n) * (1 if design.unit is Unit.ROOT_PROMPT else np.nan)
    return Contrasts(
        value=estimate.value,
        std_error=estimate.std_error * enough,
        ci_low=estimate.limits.low * enough,
        ci_high=estimate.limits.high * enough,
        null_median=floor[0] * enough,
        null_q95=floor[1] * enough,
        p_value=p * enough,
        p_maxt=np.full(shape, np.nan),
        sd=sd * enough,
        p_margin=levels[0] * enough,
        p_equivalence=levels[1] * enough,
        is_permuted=np.broadcast_to(~is_floored, shape),
        n_root_prompts=np.broadcast_to(roots, shape),
        reason=np.broadcast_to(_reasons(design, is_floored), shape),
        method=np.broadcast_to(first_of([n >= MIN_UNITS], [method]), shape),
        scope=np.broadcast_to(first_of([n >= MIN_UNITS], [scopes(roots, design.unit)]), shape),
    )


def _methods(design: Design, names: tuple[str, str, str], is_floored: NDArray[np.bool_]) -> Objects:
    permuted, fallback, interval_name = names
    words = [
        f"{fallback} (smallest permutation p {low:.3g})" if floored else permuted
        for low, floored in zip(design.smallest_p(), is_floored, strict=True)
    ]
    return np.array([f"{word}, {interval_name}{design.method}" for word in words], dtype=object)


def _reasons(design: Design, is_floored: NDArray[np.bool_]) -> Objects:
    few = InferenceReason.TOO_FEW_ROOT_PROMPTS
    n = design.units_of_group
    choices = [n == 0, n < MIN_UNITS, is_floored]
    return first_of(choices, [InferenceReason.NO_SHARED_BLOCK, few, InferenceReason.P_FLOOR])


def without_inference(shape: tuple[int, int], reason: Objects) -> Contrasts:
    """Rows of nothing but a reason, shape (columns, groups)."""
    nothing = np.full(shape, np.nan)
    texts = np.full(shape, None, dtype=object)
    return Contrasts(
        value=nothing,
        std_error=nothing,
        ci_low=nothing,
        ci_high=nothing,
        null_median=nothing,
        null_q95=nothing,
        p_value=nothing,
        p_maxt=nothing,
        sd=nothing,
        p_margin=nothing,
        p_equivalence=nothing,
        is_permuted=np.zeros(shape, dtype=bool),
        n_root_prompts=np.zeros(shape, dtype=np.intp),
        reason=np.broadcast_to(reason, shape),
        method=texts,
        scope=texts,
    )
