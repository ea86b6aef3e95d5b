"""Statistics that need the rows of a group together: the binned mode and correlations of ranks.

Belongs here: each of them over rows, and over the rows that a group gets under every arrangement. Kendall's
tau is counted from pairs of rows.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from python_assets.infer.asked import Asked
from python_assets.infer.design import Design
from python_assets.infer.permutation import Floats, Ints, pieces
from python_assets.infer.statistics import Sample

EDGE: Final = 1e-9  # a value this near below the edge of a bin is in the next, as in SQL
PAIRS_AT_ONCE: Final = 20_000_000
Masks = NDArray[np.bool_]


class RowStatistic(NamedTuple):
    """How a statistic is computed from rows.

    of: from x and baseline, shape (..., rows), NaN where there is no row, to shape (...), NaN where
    undefined. power: of the unit of x that the statistic has.
    """

    of: Callable[[Floats, Floats], Floats]
    power: int


def row_statistic(asked: Asked) -> RowStatistic | None:
    """The statistic of rows that is asked for; None where it is none, or Kendall's tau."""
    if asked.statistic == "mode":
        return RowStatistic(lambda x, _: binned_mode(x, asked.bin_width), power=1)
    if asked.method == "spearman":
        return RowStatistic(spearman, power=0)
    return None


def binned_mode(x: Floats, width: float) -> Floats:
    """Mid-point of the fullest bin, the lowest of several.

    Args:
        x: shape (..., rows), NaN where there is no row.
        width: of the bins, which are anchored at 0.

    Source: metrics.md 2, mode.
    """
    bins = np.sort(np.floor(x / width + EDGE), axis=-1)
    place = np.arange(bins.shape[-1])
    is_new = np.ones(bins.shape, dtype=bool)
    is_new[..., 1:] = bins[..., 1:] != bins[..., :-1]
    run = place - np.maximum.accumulate(np.where(is_new, place, 0), axis=-1)
    run[np.isnan(bins)] = -1
    fullest = run.argmax(axis=-1)[..., None]
    return np.take_along_axis((bins + 0.5) * width, fullest, -1)[..., 0]


def spearman(x: Floats, b: Floats) -> Floats:
    """Pearson's correlation of average ranks, shape (..., rows) to (...); NaN where one has no spread."""
    is_row = ~np.isnan(x)
    n = is_row.sum(axis=-1)
    of_x, of_b = (_centred_ranks(values, is_row) for values in (x, b))
    together, alone, beside = (
        np.einsum("...i,...i->...", *pair) for pair in ((of_x, of_b), (of_x, of_x), (of_b, of_b))
    )
    below = np.sqrt(alone * beside)
    is_defined = (n > 1) & (below > 0)
    return np.clip(np.divide(together, below, out=np.full(n.shape, np.nan), where=is_defined), -1, 1)


def _centred_ranks(values: Floats, is_row: Masks) -> Floats:
    # what is no row ranks behind every row, and then counts for nothing
    ranks = stats.rankdata(np.where(is_row, values, np.inf), axis=-1)
    middle = (is_row.sum(axis=-1, keepdims=True) + 1) / 2
    return np.where(is_row, ranks - middle, 0.0)


class Pairs(NamedTuple):
    """Signs of the differences of every two rows, shape (rows + 1, rows + 1); the last row is no row.

    both: sign in x times sign in b. x, b: whether they differ.
    """

    both: NDArray[np.int8]
    x: NDArray[np.int8]
    b: NDArray[np.int8]


def pairs_of(x: Floats, b: Floats) -> Pairs:
    """Compare every two rows."""
    signs = [np.sign(values[:, None] - values).astype(np.int8) for values in (x, b)]
    padded = [np.pad(one, (0, 1)) for one in (signs[0] * signs[1], *map(np.abs, signs))]
    return Pairs(*padded)


def tau(both: Floats, x: Floats, b: Floats) -> Floats:
    """Kendall's tau-b from sums over the pairs of a group; NaN where one has no spread."""
    below = np.sqrt(np.asarray(x, dtype=np.float64) * b)
    return np.divide(both, below, out=np.full(np.shape(below), np.nan), where=below > 0)


class GroupRows:
    """A statistic of the rows of each group under every arrangement."""

    def __init__(self, design: Design, sample: Sample, statistic: RowStatistic) -> None:
        """Lay out the rows by cell once; the cells of the sample are those of the design."""
        self._design, self._statistic = design, statistic
        self._unit = sample.unit**statistic.power
        self._x, self._b = (_by_cell(sample, values) for values in (sample.x, sample.baseline))

    def own(self, w: sparse.csr_array) -> Iterator[tuple[slice, Floats]]:
        """Yield the statistic column by column, shape (draws, groups, 1), NaN where undefined."""
        places = places_of(self._design)
        sources = w.indices.reshape(-1, len(self._design.cell))
        for column in range(len(self._x)):
            found = np.full((len(sources), len(places), 1), np.nan)
            for group, of_group in enumerate(places):
                cells = sources[:, of_group]
                if cells.shape[1]:
                    x, b = (table[column][cells].reshape(len(cells), -1) for table in (self._x, self._b))
                    found[:, group, 0] = self._statistic.of(x, b)
            yield slice(column, column + 1), found / self._unit[column]


class GroupTaus:
    """Kendall's tau of each group under every arrangement."""

    def __init__(self, design: Design, sample: Sample) -> None:
        """Number the rows of every cell once."""
        self._design, self._sample = design, sample
        self._rows = _by_cell(sample, _number_in_column(sample))

    def own(self, w: sparse.csr_array) -> Iterator[tuple[slice, Floats]]:
        """Yield it column by column, shape (draws, groups, 1), NaN where undefined."""
        sources = w.indices.reshape(-1, len(self._design.cell))
        places = places_of(self._design)
        for column, table in enumerate(self._rows):
            is_own = self._sample.column == column
            pairs = pairs_of(self._sample.x[is_own], self._sample.baseline[is_own])
            n_rows = int(is_own.sum())
            rows = np.where(np.isnan(table), n_rows, table).astype(np.intp)
            sums = np.empty((3, len(sources), len(places)))
            for group, of_group in enumerate(places):
                chosen = rows[sources[:, of_group]].reshape(len(sources), -1)
                for which, signs in enumerate(pairs):
                    sums[which, :, group] = _over_pairs(signs, chosen)
            yield slice(column, column + 1), tau(*sums)[..., None]


def _over_pairs(signs: NDArray[np.int8], chosen: Ints) -> Floats:
    """Sums over the pairs of the chosen rows, shape (draws,)."""
    total = np.empty(len(chosen))
    for part in pieces(len(chosen), max(1, PAIRS_AT_ONCE // max(chosen.shape[1] ** 2, 1))):
        rows = chosen[part]
        total[part] = signs[rows[:, :, None], rows[:, None, :]].sum(axis=(1, 2), dtype=np.int64)
    return total


def places_of(design: Design) -> list[Ints]:
    """The places of each group, in the order of group_slots."""
    group = np.sort(design.group)
    return [np.flatnonzero(group == one) for one in range(design.frame.n_groups)]


def _number_in_column(sample: Sample) -> Floats:
    """The position of every row among those of its column; the rows are sorted by column."""
    first = np.searchsorted(sample.column, np.arange(sample.shape[1]))
    return (np.arange(len(sample.x)) - first[sample.column]).astype(np.float64)


def _by_cell(sample: Sample, values: Floats) -> Floats:
    """Values by column and cell, NaN where a cell has fewer, shape (columns, cells, rows of a cell)."""
    n_cells, n_columns = sample.shape
    cell, column = np.divmod(sample.place, n_columns)
    key = column * n_cells + cell
    order = np.argsort(key, kind="stable")
    within = np.arange(len(key)) - np.searchsorted(key[order], key[order])
    table = np.full((n_columns, n_cells, int(within.max(initial=0)) + 1), np.nan)
    table[column[order], cell[order], within] = values[order]
    return table
