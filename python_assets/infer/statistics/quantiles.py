"""Quantiles of shuffled rows, by their ranks: the median, ranges between two of them.

Belongs here: what the order of rows gives and no sum over them.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from python_assets.infer.design.cells import Sample
from python_assets.infer.design.design import Design
from python_assets.infer.draws.exchange import Floats, Ints, pieces

NO_ROW: Final = np.int32(2**31 - 1)  # sorts last
COLUMNS_PER_SORT = 8
Levels = Sequence[tuple[float, int]]


class Ranked(NamedTuple):
    """Rows by rank within their column.

    rank: of each row of a cell, from 0, NO_ROW where the cell has fewer, shape (columns, cells, rows of a
    cell). ordered: values by rank, shape (columns, rows). n: rows of each cell, shape (columns, cells).
    """

    rank: NDArray[np.int32]
    ordered: Floats
    n: Ints


def ranked(sample: Sample) -> Ranked:
    """Rank the rows of a sample within their column; ties in any order."""
    n_cells, n_columns = sample.shape
    cell, column = np.divmod(sample.place, n_columns)
    order = np.lexsort((sample.x, column))
    first_of_column = np.searchsorted(column, np.arange(n_columns))
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order)) - first_of_column[column]
    key = column * n_cells + cell
    n = np.bincount(key, minlength=n_cells * n_columns).reshape(n_columns, n_cells)
    ordered = np.zeros((n_columns, max(n.sum(axis=1).max(initial=0), 1)))
    ordered[column, rank] = sample.x
    return Ranked(sample.table(rank, NO_ROW), ordered, n)


class GroupQuantiles:
    """Quantiles of each group under every arrangement."""

    def __init__(self, design: Design, sample: Sample, levels: Levels) -> None:
        """Rank the rows once.

        Args:
            design: the cells.
            sample: their rows.
            levels: quantiles with their signs, which are added up.
        """
        self._levels = levels
        self._n_groups, self._n_columns = design.frame.n_groups, sample.shape[1]
        self._ends = np.cumsum(np.bincount(design.group, minlength=self._n_groups))
        self._ranked = ranked(sample)
        self._unit = sample.unit

    def own(self, w: sparse.csr_array) -> Iterator[tuple[slice, Floats]]:
        """Yield them for columns by columns, shape (draws, groups, columns), in units of their sd."""
        sources = w.indices.reshape(-1, self._ends[-1])  # the cells of each draw, group by group
        for chunk in pieces(self._n_columns, COLUMNS_PER_SORT):
            quantiles = np.empty((len(sources), self._n_groups, chunk.stop - chunk.start))
            start = 0
            for group, end in enumerate(self._ends):
                quantiles[:, group] = _of_places(self._ranked, chunk, sources[:, start:end], self._levels)
                start = end
            yield chunk, quantiles / self._unit[chunk]


def _of_places(rows: Ranked, part: slice, sources: Ints, levels: Levels) -> Floats:
    """Signed sum of quantiles of the rows of the source cells, interpolated linearly; shape (draws, columns).

    NaN where there is no row.
    """
    if not sources.shape[1]:
        return np.full((len(sources), part.stop - part.start), np.nan)
    ranks = rows.rank[part][:, sources]
    ranks = np.sort(ranks.reshape(*ranks.shape[:2], -1), axis=2)
    ordered, n = rows.ordered[part], rows.n[part][:, sources].sum(axis=2)
    column = np.arange(len(ordered))[:, None]

    def at(k: Ints) -> Floats:
        inside = np.clip(k, 0, np.maximum(n - 1, 0))
        rank = np.take_along_axis(ranks, inside[..., None], 2)[..., 0]
        return cast(Floats, ordered[column, np.minimum(rank, ordered.shape[1] - 1)])

    total = np.zeros(n.shape)
    for level, sign in levels:
        position = level * np.maximum(n - 1, 0)
        below = np.floor(position).astype(np.intp)
        low, high = at(below), at(below + 1)
        total += sign * (low + (high - low) * (position - below))
    return np.where(n > 0, total, np.nan).T
