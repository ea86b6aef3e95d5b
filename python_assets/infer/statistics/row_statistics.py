"""Statistics that need the rows of a group together: the binned mode, correlations of ranks, the study's own functions.

Belongs here: each of them over rows, and over the rows that a group gets under every arrangement. Kendall's
tau, counted from pairs of rows, is only resampled (bootstrap.py).
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from python_assets.infer.design.cells import Sample, StatisticSpec
from python_assets.infer.design.design import Design
from python_assets.infer.draws.exchange import Floats, Ints

EDGE: Final = 1e-9  # a value this near below the edge of a bin is in the next, as in SQL
Masks = NDArray[np.bool_]


class RowStatistic(NamedTuple):
    """How a statistic is computed from rows.

    of: from x and baseline, shape (..., rows), NaN where there is no row, to shape (...), NaN where
    undefined. power: of the unit of x that the statistic has; None where nobody knows.
    """

    of: Callable[[Floats, Floats], Floats]
    power: int | None


def row_statistic(spec: StatisticSpec) -> RowStatistic | None:
    """The statistic of rows that is asked for; None where it is none, or Kendall's tau."""
    if (function := spec.function) is not None:
        return RowStatistic(lambda x, _: function.of_rows(x), power=None)
    if spec.statistic == "mode":
        return RowStatistic(lambda x, _: binned_mode(x, spec.bin_width), power=1)
    if spec.method == "spearman":
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
    position = np.arange(bins.shape[-1])
    is_new = np.ones(bins.shape, dtype=bool)
    is_new[..., 1:] = bins[..., 1:] != bins[..., :-1]
    run = position - np.maximum.accumulate(np.where(is_new, position, 0), axis=-1)
    run[np.isnan(bins)] = -1
    fullest = run.argmax(axis=-1)[..., None]
    return np.take_along_axis((bins + 0.5) * width, fullest, -1)[..., 0]


def spearman(x: Floats, b: Floats) -> Floats:
    """Pearson's correlation of average ranks, shape (..., rows) to (...); NaN where one has no spread."""
    is_row = ~np.isnan(x)
    n = is_row.sum(axis=-1)
    x_ranks, b_ranks = (_centred_ranks(values, is_row) for values in (x, b))
    together, alone, b_alone = (
        np.einsum("...i,...i->...", *pair) for pair in ((x_ranks, b_ranks), (x_ranks, x_ranks), (b_ranks, b_ranks))
    )
    below = np.sqrt(alone * b_alone)
    rho: Floats = np.clip(np.divide(together, below, out=np.full(n.shape, np.nan), where=(n > 1) & (below > 0)), -1, 1)
    return rho


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
    return cast(Floats, np.divide(both, below, out=np.full(np.shape(below), np.nan), where=below > 0))


class GroupRows:
    """A statistic of the rows of each group under every arrangement."""

    def __init__(self, design: Design, sample: Sample, statistic: RowStatistic, unit: Floats) -> None:
        """Lay out the rows by cell once.

        Args:
            design: the cells.
            sample: their rows.
            statistic: of the rows.
            unit: what the statistic of each column is counted in.
        """
        self._design, self._statistic, self._unit = design, statistic, unit
        self._x, self._b = (sample.table(values, np.nan) for values in (sample.x, sample.baseline))

    def own(self, w: sparse.csr_array) -> Iterator[tuple[slice, Floats]]:
        """Yield the statistic column by column, shape (draws, groups, 1), NaN where undefined."""
        places = places_of(self._design)
        sources = w.indices.reshape(-1, len(self._design.cell))
        for column in range(len(self._x)):
            statistics = np.full((len(sources), len(places), 1), np.nan)
            for group, group_cells in enumerate(places):
                cells = sources[:, group_cells]
                if cells.shape[1]:
                    x, b = (table[column][cells].reshape(len(cells), -1) for table in (self._x, self._b))
                    statistics[:, group, 0] = self._statistic.of(x, b)
            yield slice(column, column + 1), statistics / self._unit[column]


def places_of(design: Design) -> list[Ints]:
    """The places of each group, in the order of group_slots."""
    group = np.sort(design.group)
    return [np.flatnonzero(group == one) for one in range(design.frame.n_groups)]
