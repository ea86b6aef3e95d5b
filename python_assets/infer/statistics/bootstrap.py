"""Intervals of a statistic of one group that is no mean: root prompts resampled, or order statistics.

Belongs here: the intervals of summary_statistics that metrics.md 6.2 prescribes. Indices get none from here:
a bootstrap of them covers next to nothing (inference.md 3.3).
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from python_assets.infer.design.cells import OF_QUANTILES, Sample, StatisticSpec, Values, are_equal_in_groups
from python_assets.infer.design.design import Frame, presence_patterns
from python_assets.infer.draws.exchange import Floats, Ints, in_threads, pieces
from python_assets.infer.result import InferenceReason, Result, first_of, joined
from python_assets.infer.statistics.quantiles import Levels
from python_assets.infer.statistics.row_statistics import RowStatistic, pairs_of, row_statistic, tau
from python_assets.infer.statistics.statistics import SUMS_PER_PRODUCT, Statistic, Sums, additive_statistic

MIN_ROOT_PROMPTS: Final = 10
COLUMNS_AT_ONCE = 256
WORDS: Final = (
    InferenceReason.NO_VALUES,
    InferenceReason.INTERVAL_NOT_VALIDATED,
    InferenceReason.TOO_FEW_ROOT_PROMPTS,
    InferenceReason.INTERVAL_NOT_VALIDATED,
    InferenceReason.UNDEFINED_STATISTIC,
    InferenceReason.NO_VARIATION,
)


class _Resampled(NamedTuple):
    """Uniform numbers, shape (draws, root prompts); a group takes as many of them as it has root prompts."""

    uniform: Floats

    def picks(self, n: int) -> Ints:
        """Which of n root prompts are drawn, shape (draws, n)."""
        return (self.uniform[:, :n] * n).astype(np.intp)

    def weights(self, n: int) -> NDArray[np.int32]:
        """How often each of n root prompts is drawn, shape (draws, n)."""
        picked = self.picks(n) + n * np.arange(len(self.uniform))[:, None]
        return np.bincount(picked.ravel(), minlength=picked.size).reshape(picked.shape).astype(np.int32)


def bootstrap_intervals(
    frame: Frame, values: Values, spec: StatisticSpec, *, alpha: float, n_bootstrap: int, seed: int
) -> Result:
    """Interval of a statistic in every group.

    Args:
        frame: cells of one slice and grouping.
        values: the rows of cells.of_statistic.
        spec: the statistic.
        alpha: intervals are 1 - alpha.
        n_bootstrap: number of resamples.
        seed: of the slice and grouping.

    Returns:
        Rows of shape (columns, groups): percentile limits over resamples of the root prompts that hold the group; for
        the median of one value a root prompt the order statistics that cover with 1 - alpha at least. NaN under 10 root
        prompts, where a resample has no value, of the smallest and largest value: no resample goes beyond them; and of
        functions of the study's own: whether resamples tell how far they err is known of none; and where the values of
        a group are equal, for every resample is alike.

    Source: metrics.md 6.2; Efron 1979; Conover 1999, section 3.2; Bickel and Freedman 1981, section 6.
    """
    n_roots = int(frame.root_of_block.max()) + 1
    resampled = _Resampled(np.random.default_rng(seed).random((n_bootstrap, n_roots)))
    root_and_group = frame.root_of_block[frame.block] * frame.n_groups + frame.group

    def part_of(columns: slice) -> Result:
        members = np.arange(columns.start, columns.stop)
        sample = values.sample(members, root_and_group, n_roots * frame.n_groups)
        counts = sample.total().reshape(n_roots, -1).astype(np.intp)
        shape = (frame.n_groups, len(members))
        low, high = (side.reshape(shape).T for side in _limits(spec, sample, counts, resampled, alpha))
        n = (counts > 0).sum(axis=0).reshape(shape).T
        is_own, is_extreme = (np.full(n.shape, never) for never in (spec.function is not None, spec.is_extreme))
        cell, column = sample.cell_and_column
        pair = column * frame.n_groups + cell % frame.n_groups
        both = np.stack([sample.x, sample.baseline if spec.is_paired else sample.x], axis=1)
        is_constant = are_equal_in_groups(both, pair, n.size).all(axis=1).reshape(n.shape)
        why = [n == 0, is_own, n < MIN_ROOT_PROMPTS, is_extreme, np.isnan(low), is_constant]
        low, high = (np.where(is_constant, np.nan, side) for side in (low, high))
        return Result.of(n.shape, ci_low=low, ci_high=high, n_root_prompts=n, reason=first_of(why, WORDS))

    return joined([part_of(columns) for columns in pieces(len(values.columns), COLUMNS_AT_ONCE)])


def _limits(spec: StatisticSpec, sample: Sample, counts: Ints, resampled: _Resampled, alpha: float) -> Floats:
    """Limits of a statistic, shape (2, pairs of group and column)."""
    if spec.is_extreme or spec.function is not None:
        return np.full((2, counts.shape[1]), np.nan)
    if spec.statistic not in OF_QUANTILES and (sums_statistic := additive_statistic(spec)):
        return _percentile_limits(sums_statistic, sample, counts, resampled, alpha)
    rows_statistic = row_statistic(spec)

    def of_group(rows: _GroupRows) -> Floats:
        if spec.statistic == "median" and len(rows.x) == rows.root.max() + 1:  # one value a root prompt
            return order_limits(rows.x, alpha)
        if spec.statistic in OF_QUANTILES:
            weights = resampled.weights(rows.root.max() + 1)[:, rows.root]
            drawn = weighted_quantiles(rows.x, weights, spec.levels)
        else:
            drawn = _drawn_rows(rows_statistic, rows, resampled) if rows_statistic else _drawn_taus(rows, resampled)
        return _quantiles(drawn, alpha)

    return _each_group(of_group, sample, counts)


def _percentile_limits(
    statistic: Statistic, sample: Sample, counts: Ints, resampled: _Resampled, alpha: float
) -> Floats:
    """Limits of a statistic of sums, shape (2, pairs of group and column)."""
    sums = statistic.cell_sums(sample)
    sums = sums.reshape(len(sums), *counts.shape)
    limits = np.full((2, counts.shape[1]), np.nan)
    for present, pairs in presence_patterns(np.where(counts > 0, 0.0, np.nan)):
        roots = np.flatnonzero(present)
        if len(roots) < MIN_ROOT_PROMPTS:
            continue
        weights = resampled.weights(len(roots)).astype(sums.dtype)
        limits[:, pairs] = _limits_of(statistic, sums[:, roots][:, :, pairs], weights, alpha)
    unit = np.tile(sample.unit, counts.shape[1] // sample.shape[1])
    return limits * unit**statistic.power


def _limits_of(statistic: Statistic, sums: Sums, weights: Sums, alpha: float) -> Floats:
    """Limits over resamples of the same root prompts; sums of shape (sums, root prompts, pairs)."""

    def work(chunk: slice) -> Floats:
        by_root = np.ascontiguousarray(sums[:, :, chunk].transpose(1, 0, 2))
        drawn = (weights @ by_root.reshape(len(by_root), -1)).reshape(-1, *by_root.shape[1:])
        return _quantiles(statistic.of(drawn.transpose(1, 0, 2)), alpha)

    width = max(SUMS_PER_PRODUCT // len(sums), 1)
    return np.concatenate(in_threads(work, list(pieces(sums.shape[2], width))), axis=1)


def _quantiles(drawn: Floats, alpha: float) -> Floats:
    return np.quantile(drawn, [alpha / 2, 1 - alpha / 2], axis=0)


class _GroupRows(NamedTuple):
    """The rows of one group and column in order of x: x, baseline and the root prompt of each, from 0."""

    x: Floats
    baseline: Floats
    root: Ints


def _drawn_rows(statistic: RowStatistic, rows: _GroupRows, resampled: _Resampled) -> Floats:
    """The statistic of every resample, shape (draws,)."""
    n_roots = rows.root.max() + 1
    order = np.argsort(rows.root, kind="stable")
    root = rows.root[order]
    within = np.arange(len(root)) - np.searchsorted(root, root)
    tables = np.full((2, n_roots, within.max() + 1), np.nan)
    tables[0, root, within], tables[1, root, within] = rows.x[order], rows.baseline[order]
    picks = resampled.picks(n_roots)
    return statistic.of(*(table[picks].reshape(len(picks), -1) for table in tables))


def _drawn_taus(rows: _GroupRows, resampled: _Resampled) -> Floats:
    """Kendall's tau of every resample, shape (draws,); a row that is drawn twice ties with itself."""
    weights = resampled.weights(rows.root.max() + 1)[:, rows.root].astype(np.float32)
    n = len(rows.x)
    signs = (pairs[:n, :n].astype(np.float32) for pairs in pairs_of(rows.x, rows.baseline))
    return tau(*(np.einsum("di,di->d", weights @ one, weights, dtype=np.float64) for one in signs))


def _each_group(of_group: Callable[[_GroupRows], Floats], sample: Sample, counts: Ints) -> Floats:
    """Limits of every pair of group and column with enough root prompts, shape (2, pairs)."""
    limits = np.full((2, counts.shape[1]), np.nan)
    root, pair = np.divmod(sample.place, counts.shape[1])
    order = np.lexsort((sample.x, pair))
    x, baseline, root = sample.x[order], sample.baseline[order], root[order]
    ends = np.cumsum(np.bincount(pair, minlength=counts.shape[1]))
    is_enough = np.flatnonzero((counts > 0).sum(axis=0) >= MIN_ROOT_PROMPTS)

    def work(chunk: slice) -> None:
        for one in is_enough[chunk]:
            rows = slice(ends[one] - counts[:, one].sum(), ends[one])
            position = np.cumsum(counts[:, one] > 0) - 1
            limits[:, one] = of_group(_GroupRows(x[rows], baseline[rows], position[root[rows]]))

    in_threads(work, list(pieces(len(is_enough), 64)))
    return limits


def order_limits(ordered: Floats, alpha: float) -> Floats:
    """Interval of a median between two of the ordered values; NaN where no two of them are sure enough.

    Args:
        ordered: independent values, ascending.
        alpha: the interval covers with 1 - alpha at least, whatever the distribution.

    Source: Conover 1999, section 3.2: P(X_(k) > median) = P(Binomial(n, 1/2) < k).
    """
    k = int(stats.binom.ppf(alpha / 2, len(ordered), 0.5))
    return np.array([ordered[k - 1], ordered[-k]] if k else [np.nan, np.nan])


def weighted_quantiles(ordered: Floats, weights: NDArray[np.int32], levels: Levels) -> Floats:
    """Signed sum of quantiles of ordered values, each taken as often as its weight says, shape (draws,)."""
    reached = np.cumsum(weights, axis=1, dtype=np.int32)
    n = reached[:, -1]
    total = np.zeros(len(weights))
    for level, sign in levels:
        position = level * (n - 1)
        below = np.floor(position).astype(np.int32)
        low, high = ((reached <= k[:, None]).sum(axis=1) for k in (below, np.minimum(below + 1, n - 1)))
        total += sign * (ordered[low] + (ordered[high] - ordered[low]) * (position - below))
    return total
