"""Too few prompts, with replicates: rows are shuffled over the groups of a prompt and Welch's t is permuted.

Belongs here: the scheme whose unit is a replicate. What it finds holds for these prompts only.

Source: inference.md section 1, row 'one root prompt, repeats only'; with several prompts, rows stay in their
block and the difference is averaged over blocks.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from python_assets.infer import interval
from python_assets.infer.comparison import Compared
from python_assets.infer.contrasts import Contrasts, ratio, without_inference
from python_assets.infer.design import MIN_COMPLETE_SHARE, THESE_PROMPTS_ONLY, floor_is_too_high, log_choices
from python_assets.infer.indices import (
    INDICES,
    RATE_INDICES,
    Index,
    IndexTest,
    Spread,
    index_tests,
    spread_of,
)
from python_assets.infer.interval import Interval, RatePair
from python_assets.infer.permutation import TIE, Draws, Floats, Ints, Slots, each_batch, noise_floor, p_values
from python_assets.infer.rates import RateNull, logit_error, logit_floor, mark_unbounded
from python_assets.infer.reasons import InferenceReason, first_of


@dataclass(frozen=True)
class Replicates:
    """Rows of a few prompts, sorted by block; two groups or more in a block, two rows or more in a cell.

    block, group: of each row, blocks from 0 without gaps. root_of_block: root prompt of each block.
    """

    block: Ints
    group: Ints
    root_of_block: Ints
    n_groups: int

    @cached_property
    def _cells(self) -> tuple[Ints, Ints, Ints]:
        return np.unique(self.block * self.n_groups + self.group, return_inverse=True, return_counts=True)

    @property
    def n_rows_of_cell(self) -> Ints:
        """Rows of each cell."""
        return self._cells[2]

    @property
    def block_of_cell(self) -> Ints:
        """Block of each cell."""
        return self._cells[0] // self.n_groups

    @property
    def group_of_cell(self) -> Ints:
        """Group of each cell."""
        return self._cells[0] % self.n_groups

    @property
    def slots(self) -> Slots:
        """Places that add to the sum of their cell."""
        return Slots(self.block, self._cells[1], len(self._cells[0]))

    @cached_property
    def groups(self) -> Ints:
        """Groups with a value."""
        return np.unique(self.group)

    @cached_property
    def own(self) -> Floats:
        """Weight of each cell in its group's mean, shape (groups, cells); root prompts count alike."""
        return _weights(self, np.ones(len(self.root_of_block), dtype=bool))

    @cached_property
    def rest(self) -> Floats:
        """Weight of each cell in the mean of the other groups of the same blocks, shape (groups, cells)."""
        of_block = self.own @ (self.block_of_cell[:, None] == np.arange(len(self.root_of_block)))
        others = np.bincount(self.block_of_cell) - 1
        is_other = self.group_of_cell != np.arange(self.n_groups)[:, None]
        return is_other * (of_block / others)[:, self.block_of_cell]

    @cached_property
    def is_complete(self) -> NDArray[np.bool_]:
        """Whether each block holds every group with a value."""
        return np.bincount(self.block_of_cell) == len(self.groups)

    @cached_property
    def level(self) -> Floats:
        """As own over complete blocks, shape (groups with a value, cells)."""
        return _weights(self, self.is_complete)[self.groups]

    @cached_property
    def n_root_prompts(self) -> Ints:
        """Root prompts of each group, shape (groups,)."""
        pairs = np.unique(np.stack([self.group, self.root_of_block[self.block]]), axis=1)
        return np.bincount(pairs[0], minlength=self.n_groups)

    def smallest_p(self) -> Floats:
        """Smallest p that shuffling can give each group, as Design.smallest_p."""
        n_block, cell_block = np.bincount(self.block), self.block_of_cell
        choices = log_choices(n_block[cell_block], self.n_rows_of_cell)
        logs = np.bincount(self.group_of_cell, choices, minlength=self.n_groups)
        mirrors = (np.bincount(cell_block)[cell_block] == 2) & (
            2 * self.n_rows_of_cell == n_block[cell_block]
        )
        only = np.bincount(self.group_of_cell, ~mirrors, minlength=self.n_groups) == 0
        return np.minimum((1 + only) * np.exp(-logs), 1)


def _weights(rows: Replicates, counts: NDArray[np.bool_]) -> Floats:
    """Weight of each cell in its group's mean over root prompts of means over the blocks that count."""
    root = rows.root_of_block[rows.block_of_cell]
    is_cell = (rows.group_of_cell == np.arange(rows.n_groups)[:, None]) & counts[rows.block_of_cell]
    per_root = is_cell @ (root[:, None] == np.arange(root.max() + 1)).astype(float)
    n_roots = np.maximum((per_root > 0).sum(axis=1), 1)
    return is_cell / (np.maximum(per_root, 1)[:, root] * n_roots[:, None])


class CellMoments(NamedTuple):
    """Mean of each cell and variance of that mean, shape (draws, cells, columns)."""

    mean: Floats
    variance: Floats


class ReplicateNull(NamedTuple):
    """What the draws say: shape (columns, groups) and (columns, groups or cells, draws)."""

    n_as_extreme: NDArray[np.int64]
    group: Floats
    rest: Floats
    level: Floats


def cell_moments(rows: Replicates, total: Floats, squares: Floats) -> CellMoments:
    """Moments from sums over the rows of each cell."""
    n = rows.n_rows_of_cell[:, None]
    left = squares - total**2 / n
    return CellMoments(total / n, np.where(left > 1e-12 * squares, left, 0) / (n * (n - 1)))


def welch_t(rows: Replicates, moments: CellMoments, scale: Floats) -> Floats:
    """Difference of a group and the others over its error, shape (draws, groups, columns)."""
    weights = rows.own - rows.rest
    std_error = np.sqrt(weights**2 @ moments.variance)
    return ratio(weights @ moments.mean, std_error, scale)


def replicate_null(rows: Replicates, x: Floats, draws: Draws) -> ReplicateNull:
    """Permute Welch's t, the means behind it, and the group means over complete blocks."""
    scale = _scale(rows, x)
    least = np.abs(welch_t(rows, _observed(rows, x), scale)) - TIE
    shape = (x.shape[1], rows.n_groups, draws.n)
    group, rest = np.empty(shape), np.empty(shape)
    level = np.empty((x.shape[1], len(rows.groups), draws.n))

    def work(w: object, batch: slice) -> NDArray[np.int64]:
        sums = (w @ np.hstack([x, x * x])).reshape(-1, rows.slots.n_rows, 2 * x.shape[1])
        moments = cell_moments(rows, *np.split(sums, 2, axis=2))
        for store, weights in ((group, rows.own), (rest, rows.rest), (level, rows.level)):
            store[:, :, batch] = (weights @ moments.mean).transpose(2, 1, 0)
        return (np.abs(welch_t(rows, moments, scale)) >= least).sum(axis=0)

    return ReplicateNull(np.sum(each_batch(rows.slots, draws, work), axis=0).T, group, rest, level)


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


def compare_replicated_means(rows: Replicates, x: Floats, draws: Draws, alpha: float) -> Compared:
    """Contrasts and indices of group means.

    Args:
        rows: block and group of each row.
        x: shape (rows, columns).
        draws: arrangements of the rows.
        alpha: intervals are 1 - alpha.
    """
    centred = _centred(rows, x)
    null = replicate_null(rows, centred, draws)
    moments = _observed(rows, centred)
    indices = _indices(rows, _observed(rows, x), null, INDICES, (_scale(rows, x), draws), moments)
    value, std_error, df = _difference(rows, moments)
    quantile = stats.t.isf(alpha / 2, df)
    contrast = _contrast(
        rows,
        (value, std_error, ratio(value, std_error, _scale(rows, x)[:, None]), df),
        interval.around(value, std_error, quantile),
        noise_floor(np.abs(null.group - null.rest)),
        (null.n_as_extreme, draws, alpha, "Welch t interval"),
    )
    return Compared({"mean_difference": contrast}, indices)


def compare_replicated_rates(rows: Replicates, y: Floats, draws: Draws, alpha: float) -> Compared:
    """Contrasts and indices of rates; arguments as compare_replicated_means, y of 0 and 1."""
    null, moments = replicate_null(rows, y, draws), _observed(rows, y)
    indices = _indices(rows, moments, null, INDICES | RATE_INDICES, (_scale(rows, y), draws), moments)
    value, std_error, df = _difference(rows, moments)
    tested = (ratio(value, std_error, _scale(rows, y)[:, None]), df)
    pair, quantile = _rate_pair(rows, moments), stats.t.isf(alpha / 2, _residual_df(rows))
    risk = _contrast(
        rows,
        (value, std_error, *tested),
        interval.mover(pair, quantile),
        noise_floor(np.abs(null.group - null.rest)),
        (null.n_as_extreme, draws, alpha, "MOVER interval"),
    )
    log_value = interval.logit_difference(pair.p1, pair.p2)
    bounded = interval.mover_logit(pair, quantile)
    log = _contrast(
        rows,
        (log_value, logit_error(pair), *tested),
        Interval(*(np.where(np.isfinite(side), side, np.nan) for side in bounded)),
        logit_floor(RateNull(null.n_as_extreme, null.group, null.rest)),
        (null.n_as_extreme, draws, alpha, "logit MOVER interval, approximate interval"),
    )
    return Compared({"risk_difference": risk, "log_disparity": mark_unbounded(log)}, indices)


def _difference(rows: Replicates, moments: CellMoments) -> tuple[Floats, Floats, Floats]:
    """Difference, its error and Welch-Satterthwaite degrees of freedom, shape (columns, groups)."""
    weights = rows.own - rows.rest
    parts = (weights**2)[:, :, None] * moments.variance
    variance = parts.sum(axis=1)
    below = (parts**2 / (rows.n_rows_of_cell - 1)[:, None]).sum(axis=1)
    df = np.divide(variance**2, below, out=_residual_df(rows).T + 0 * variance, where=below > 0)
    return (weights @ moments.mean).T, np.sqrt(variance).T, df.T


def _residual_df(rows: Replicates) -> Floats:
    """Rows minus cells of the blocks of each group, shape (1, groups)."""
    is_used = (rows.own + rows.rest) > 0
    return np.maximum(is_used @ (rows.n_rows_of_cell - 1.0), 1)[None]


def _rate_pair(rows: Replicates, moments: CellMoments) -> RatePair:
    parts = []
    for weights in (rows.own, rows.rest):
        p, variance = weights @ moments.mean, weights**2 @ moments.variance
        inverse = (weights**2 @ (1 / rows.n_rows_of_cell))[:, None]
        parts += [p.T, interval.inverse_effective_n(p, variance, inverse).T]
    return RatePair._make([*parts, np.zeros_like(parts[0])])


def _contrast(
    rows: Replicates,
    estimate: tuple[Floats, Floats, Floats, Floats],
    limits: Interval,
    floor: tuple[Floats, Floats],
    options: tuple[NDArray[np.int64], Draws, float, str],
) -> Contrasts:
    """Put the parts together; estimate is value, error, t and degrees of freedom."""
    value, std_error, t, df = estimate
    n_as_extreme, draws, alpha, interval_name = options
    smallest = rows.smallest_p()
    is_floored = floor_is_too_high(smallest, len(rows.groups), alpha)
    p = np.where(is_floored, 2 * stats.t.sf(np.abs(t), df), p_values(n_as_extreme, draws))
    words = np.where(
        is_floored, [f"Welch t (smallest permutation p {low:.3g})" for low in smallest], "permuted Welch t"
    )
    method = np.array([f"{word} of replicates, {interval_name}" for word in words], dtype=object)
    present = np.isin(np.arange(rows.n_groups), rows.groups)
    here = np.where(present, 1.0, np.nan)
    nothing = without_inference(value.shape, first_of([~present], [InferenceReason.NO_SHARED_BLOCK]))
    return nothing._replace(
        value=value * here,
        std_error=std_error * here,
        ci_low=limits.low * here,
        ci_high=limits.high * here,
        null_median=floor[0] * here,
        null_q95=floor[1] * here,
        p_value=p * here,
        is_permuted=np.broadcast_to(~is_floored & present, value.shape),
        n_root_prompts=np.broadcast_to(rows.n_root_prompts, value.shape),
        reason=np.broadcast_to(
            first_of([~present, is_floored], [InferenceReason.NO_SHARED_BLOCK, InferenceReason.P_FLOOR]),
            value.shape,
        ),
        method=np.broadcast_to(first_of([present], [method]), value.shape),
        scope=np.broadcast_to(first_of([present], [THESE_PROMPTS_ONLY]), value.shape),
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
