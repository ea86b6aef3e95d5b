"""Too few prompts, with replicates: rows are shuffled over the groups of a prompt and Welch's t is permuted.

Belongs here: contrasts and indices whose unit is a replicate. What they find holds for these prompts only.

Source: inference.md section 1, row 'one root prompt, repeats only'.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse, stats

from python_assets.infer import interval
from python_assets.infer.comparison import Compared, in_pieces, with_all_rows
from python_assets.infer.contrasts import Contrasts, Estimate, Extremes, Tested, ratio, without_inference
from python_assets.infer.design import MIN_COMPLETE_SHARE, THESE_PROMPTS_ONLY
from python_assets.infer.indices import (
    INDICES,
    RATE_INDICES,
    Index,
    IndexTest,
    Spread,
    index_tests,
    spread_of,
)
from python_assets.infer.interval import Interval, Limits, RatePair
from python_assets.infer.permutation import Draws, Floats, each_batch, noise_floor
from python_assets.infer.rates import logit_error, logit_floor, mark_unbounded, mover_of, without_interval
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.reference import Reference
from python_assets.infer.replicates import Replicates, Weights, weights_of
from python_assets.infer.sides import Counts
from python_assets.study.base import Against


class CellMoments(NamedTuple):
    """Mean of each cell and variance of that mean, shape (draws, cells, columns)."""

    mean: Floats
    variance: Floats


class ReplicateNull(NamedTuple):
    """What the draws say: p values, and means under every draw (columns, rows or groups, draws)."""

    tested: Tested
    own: Floats
    other: Floats
    level: Floats


def cell_moments(rows: Replicates, total: Floats, squares: Floats) -> CellMoments:
    """Moments from sums over the rows of each cell."""
    n = rows.n_rows_of_cell[:, None]
    left = squares - total**2 / n
    return CellMoments(total / n, np.where(left > 1e-12 * squares, left, 0) / (n * (n - 1)))


def welch_t(weights: Weights, moments: CellMoments, scale: Floats) -> Floats:
    """Difference of both sides over its error, shape (draws, rows, columns)."""
    std_error = np.sqrt(weights.difference**2 @ moments.variance)
    return ratio(weights.difference @ moments.mean, std_error, scale)


def replicate_null(
    rows: Replicates, weights: Weights, x: Floats, draws: Draws, alpha: float
) -> ReplicateNull:
    """Permute Welch's t, the means behind it, and the group means over complete blocks."""
    scale = _scale(rows, x)
    is_tested = weights.is_present & ~weights.is_floored(alpha)
    extremes = Extremes(np.abs(welch_t(weights, _observed(rows, x), scale)), is_tested)
    shape = (x.shape[1], len(weights.own), draws.n)
    own, other = np.empty(shape), np.empty(shape)
    level = np.empty((x.shape[1], len(rows.groups), draws.n))

    def work(w: sparse.csr_array, batch: slice) -> Counts:
        sums = (w @ np.hstack([x, x * x])).reshape(-1, rows.slots.n_rows, 2 * x.shape[1])
        moments = cell_moments(rows, *np.split(sums, 2, axis=2))
        for store, side in ((own, weights.own), (other, weights.other), (level, rows.level)):
            store[:, :, batch] = (side @ moments.mean).transpose(2, 1, 0)
        return extremes.count(np.abs(welch_t(weights, moments, scale)), slice(None))

    counts = np.sum(each_batch(rows.slots, draws, work), axis=0)
    return ReplicateNull(extremes.tested(counts, draws), own, other, level)


def _observed(rows: Replicates, x: Floats) -> CellMoments:
    sums = np.zeros((rows.slots.n_rows, x.shape[1]))
    squares = sums.copy()
    np.add.at(sums, rows.slots.row, x)
    np.add.at(squares, rows.slots.row, x * x)
    return cell_moments(rows, sums, squares)


def _scale(rows: Replicates, x: Floats) -> Floats:
    return np.sqrt((_centred(rows, x) ** 2).mean(axis=0))


def _centred(rows: Replicates, x: Floats) -> Floats:
    first = np.searchsorted(rows.block, np.arange(len(rows.root_of_block)))
    x = x - x[first][rows.block]
    return x - (np.add.reduceat(x, first, axis=0) / np.bincount(rows.block)[:, None])[rows.block]


class ReplicateTask(NamedTuple):
    """What all columns of a presence pattern share.

    rows: block and group of each. draws: the arrangements of the rows. alpha: intervals have 1 - alpha.
    reference: what groups are compared with.
    """

    rows: Replicates
    draws: Draws
    alpha: float
    reference: Reference = Reference()


def compare_replicated_means(task: ReplicateTask, x: Floats) -> Compared:
    """Contrasts and indices of group means.

    Args:
        task: rows and draws.
        x: shape (rows, columns).
    """
    weights = weights_of(task.rows, task.reference)

    def part(columns: slice) -> Compared:
        rows, raw = task.rows, x[:, columns]
        centred = _centred(rows, raw)
        null = replicate_null(rows, weights, centred, task.draws, task.alpha)
        moments, scale = _observed(rows, centred), _scale(rows, raw)
        indices = _indices(rows, _observed(rows, raw), null, INDICES, (scale, task.draws), moments)
        value, std_error, df = _difference(rows, weights, moments)
        contrast = _contrast(
            weights,
            Estimate(
                value,
                std_error,
                ratio(value, std_error, scale[:, None]),
                df,
                interval.around(value, std_error, stats.t.isf(task.alpha / 2, df)),
            ),
            noise_floor(np.abs(null.own - null.other)),
            (null.tested, task.alpha, "Welch t interval"),
        )
        return Compared({"mean_difference": contrast}, indices)

    return _in_pieces(task, weights, x.shape[1], part)


def compare_replicated_rates(task: ReplicateTask, y: Floats) -> Compared:
    """Contrasts and indices of rates; arguments as compare_replicated_means, y of 0 and 1."""
    weights = weights_of(task.rows, task.reference)

    def part(columns: slice) -> Compared:
        rows, rates = task.rows, y[:, columns]
        null = replicate_null(rows, weights, rates, task.draws, task.alpha)
        moments, scale = _observed(rows, rates), _scale(rows, rates)
        wanted = INDICES | RATE_INDICES
        indices = _indices(rows, moments, null, wanted, (scale, task.draws), moments)
        return Compared(_rate_contrasts(task, weights, null, moments, scale), indices)

    return _in_pieces(task, weights, y.shape[1], part)


def _in_pieces(
    task: ReplicateTask, weights: Weights, n_columns: int, part: Callable[[slice], Compared]
) -> Compared:
    compared = in_pieces(task, n_columns, 4 * len(weights.own), part)
    return with_all_rows(task.reference, task.rows.n_groups, compared)


def _rate_contrasts(
    task: ReplicateTask, weights: Weights, null: ReplicateNull, moments: CellMoments, scale: Floats
) -> dict[str, Contrasts]:
    value, std_error, df = _difference(task.rows, weights, moments)
    t = ratio(value, std_error, scale[:, None])
    quantile = stats.t.isf(task.alpha / 2, _residual_df(task.rows, weights))
    limits = _mover(task, weights, moments, value)
    risk = _contrast(
        weights,
        Estimate(value, std_error, t, df, limits(quantile)),
        noise_floor(np.abs(null.own - null.other)),
        (null.tested, task.alpha, "MOVER interval"),
    )
    pair = _rate_pair(task.rows, weights, moments)
    log = Estimate(
        interval.logit_difference(pair.p1, pair.p2),
        logit_error(pair),
        t,
        df,
        interval.mover_logit(pair, quantile),
    )
    return {"risk_difference": risk, "log_disparity": _log_disparity(task, weights, null, log)}


def _log_disparity(
    task: ReplicateTask, weights: Weights, null: ReplicateNull, estimate: Estimate
) -> Contrasts:
    is_validated = task.reference.against is not Against.GRAND_MEAN
    name = "logit MOVER interval, approximate interval" if is_validated else "no interval"
    finite = Interval(*(np.where(np.isfinite(side), side, np.nan) for side in estimate.limits))
    floor = logit_floor(null.own, null.other)
    result = _contrast(weights, estimate._replace(limits=finite), floor, (null.tested, task.alpha, name))
    return mark_unbounded(result) if is_validated else without_interval(result)


def _mover(task: ReplicateTask, weights: Weights, moments: CellMoments, value: Floats) -> Limits:
    """Interval of the difference of two rates; against a grand mean, that of the rest shrunk."""
    if task.reference.against is not Against.GRAND_MEAN:
        return mover_of(_rate_pair(task.rows, weights, moments), value, None)
    rest = weights_of(task.rows, Reference())
    share = 1 - ((weights.own > 0) * weights.other).sum(axis=1)
    return mover_of(_rate_pair(task.rows, rest, moments), value, share)


def _difference(rows: Replicates, weights: Weights, moments: CellMoments) -> tuple[Floats, Floats, Floats]:
    """Difference, its error and Welch-Satterthwaite degrees of freedom, shape (columns, rows)."""
    parts = (weights.difference**2)[:, :, None] * moments.variance
    variance = parts.sum(axis=1)
    below = (parts**2 / (rows.n_rows_of_cell - 1)[:, None]).sum(axis=1)
    residual = _residual_df(rows, weights).T + 0 * variance
    df = np.divide(variance**2, below, out=residual, where=below > 0)
    return (weights.difference @ moments.mean).T, np.sqrt(variance).T, df.T


def _residual_df(rows: Replicates, weights: Weights) -> Floats:
    """Rows minus cells of the cells that each row uses, shape (1, rows)."""
    is_used = (weights.own + weights.other) > 0
    return np.maximum(is_used @ (rows.n_rows_of_cell - 1.0), 1)[None]


def _rate_pair(rows: Replicates, weights: Weights, moments: CellMoments) -> RatePair:
    """Both rates, NaN without a shared block; correlated where the group is a part of the other side."""
    parts, variances = [], []
    is_held = np.where(weights.is_present, 1.0, np.nan)
    for side in (weights.own, weights.other):
        p, variance = side @ moments.mean, side**2 @ moments.variance
        inverse = (side**2 @ (1 / rows.n_rows_of_cell))[:, None]
        parts += [p.T * is_held, interval.inverse_effective_n(p, variance, inverse).T * is_held]
        variances.append(variance)
    product = variances[0] * variances[1]
    covariance = (weights.own * weights.other) @ moments.variance
    rho = np.divide(covariance, np.sqrt(product), out=np.zeros_like(product), where=product > 0)
    return RatePair._make([*parts, np.clip(rho, -1, 1).T])


def _contrast(
    weights: Weights,
    estimate: Estimate,
    floor: tuple[Floats, Floats],
    options: tuple[Tested, float, str],
) -> Contrasts:
    """Put the parts together; options are p of draws, alpha and the name of the interval."""
    tested, alpha, interval_name = options
    is_floored, present, shape = weights.is_floored(alpha), weights.is_present, estimate.value.shape
    p_t = 2 * stats.t.sf(np.abs(estimate.statistic), estimate.df)
    words = np.where(
        is_floored,
        [f"Welch t (smallest permutation p {low:.3g})" for low in weights.smallest_p],
        "permuted Welch t",
    )
    method = np.array([f"{word} of replicates, {interval_name}" for word in words], dtype=object)
    here = np.where(present, 1.0, np.nan)
    missing = [InferenceReason.NO_SHARED_BLOCK, InferenceReason.P_FLOOR]
    nothing = without_inference(shape, first_of([~present, is_floored], missing))
    return nothing._replace(
        value=estimate.value * here,
        std_error=estimate.std_error * here,
        ci_low=estimate.limits.low * here,
        ci_high=estimate.limits.high * here,
        null_median=floor[0] * here,
        null_q95=floor[1] * here,
        p_value=np.where(is_floored, p_t, tested.p_value) * here,
        p_maxt=tested.p_maxt,
        is_permuted=np.broadcast_to(~is_floored & present, shape),
        n_root_prompts=np.broadcast_to(weights.n_root_prompts, shape),
        method=np.broadcast_to(first_of([present], [method]), shape),
        scope=np.broadcast_to(first_of([present], [THESE_PROMPTS_ONLY]), shape),
    )


def _indices(
    rows: Replicates,
    raw: CellMoments,
    null: ReplicateNull,
    wanted: dict[str, Index],
    scale_and_draws: tuple[Floats, Draws],
    centred: CellMoments,
) -> dict[str, IndexTest]:
    """Indices of the group means over complete blocks; null and centred moments are of the same values."""
    if rows.is_complete.mean() < MIN_COMPLETE_SHARE:
        return {}
    scale, draws = scale_and_draws
    shift = (rows.level @ raw.mean).mean(axis=0) - (rows.level @ centred.mean).mean(axis=0)
    observed = _spread(rows.level @ centred.mean, shift, scale, 0)
    permuted = _spread(null.level, shift[:, None], scale[:, None], 1)
    return index_tests(wanted, observed, permuted, draws)


def _spread(means: Floats, shift: Floats, scale: Floats, axis: int) -> Spread:
    level = means.mean(axis=axis, keepdims=True)
    return spread_of(means - level, np.squeeze(level, axis) + shift, scale, axis)
