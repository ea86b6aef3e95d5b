"""Groups that meet in blocks: each against the rest of its blocks, or against the mean of all.

Belongs here: the rows of such a contrast, observed and under draws. Pairs of groups are pairs.py.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from python_assets.infer.design.design import Design
from python_assets.infer.draws.exchange import COLUMNS_PER_PRODUCT, Draws, Floats, Ints, Slots, each_batch, pieces
from python_assets.infer.schemes.differences import (
    Counts,
    Moments,
    OfBlocks,
    OfMoments,
    OfTs,
    Sums,
    moments_over_units,
    size_of_t,
    unit_means,
)
from python_assets.study.base import Against


@dataclass(frozen=True)
class BlockContrast(OfBlocks):
    """Each group against the other groups of its blocks, or against the mean of all; one row a group.

    Source: inference.md section 1, D = (x - block mean) k / (k - 1); 2.1 for the order of steps.
    """

    design: Design
    against: Against = Against.REST

    @property
    def is_present(self) -> NDArray[np.bool_]:  # type: ignore[override]
        """Whether each unit holds the group, shape (groups, units)."""
        return self.design.n_blocks_of_group_and_unit > 0

    @property
    def counted(self) -> tuple[Ints, Floats, int]:
        """Of each group; two groups mirror each other."""
        n = len(self.design.groups)
        return self.design.roots_of_group, self.design.smallest_p(), 1 if n == 2 else n

    @property
    def inverse_other(self) -> Floats:
        """Mean of 1 / number of groups on the other side: 1 / (K - 1) or 1 / K in complete blocks."""
        mean: Floats = unit_means(self.design, 1 / self._n_others[self.design.block][:, None])[:, :, 0].sum(axis=1)
        return mean / np.maximum(self.rows.n_units, 1)

    @property
    def _n_others(self) -> Floats:
        """Groups on the other side in each block."""
        return self.design.block_size.astype(float) - (self.against is Against.REST)

    def deviations(self, x: Floats) -> Floats:
        """Each cell minus the other side of its block; shapes (cells, columns)."""
        factor = self.design.block_size / self._n_others
        return self.design.centred(x) * factor[self.design.block][:, None]

    def _others(self, y: Floats) -> Floats:
        """Mean of the other side of each cell."""
        sums = self.design.block_sums(y)[self.design.block]
        own_side = y if self.against is Against.REST else 0
        return (sums - own_side) / self._n_others[self.design.block][:, None]

    def by_unit(self, x: Floats) -> Floats:
        """Deviations by group and unit."""
        return unit_means(self.design, self.deviations(x))

    def rates(self, y: Floats) -> tuple[Floats, Floats]:
        """Rates of the group and of the other side, by group and unit."""
        return unit_means(self.design, y), unit_means(self.design, self._others(y))

    def both_sides(self, x: Floats) -> tuple[Floats, Floats]:
        """The group and all others, also where it is compared with the mean of all."""
        return BlockContrast(self.design).rates(x)

    def moments(self, y: Floats) -> Moments:
        """Moments by group."""
        a, c = self.rates(y)
        return moments_over_units(a, c, 1, self._pooled(y))

    def _pooled(self, y: Floats) -> Floats:
        """Mean of all cells of the blocks that hold each group: no shuffle changes it; NaN where none."""
        holds = self.design.holds.astype(np.float64)
        n_cells = (holds @ self.design.block_size)[:, None]
        total = holds @ self.design.block_sums(y)
        return np.divide(total, n_cells, out=np.full_like(total, np.nan), where=n_cells > 0)

    def over_ts(self, x: Floats, draws: Draws, work: OfTs) -> Counts:
        """Do the work on the deviations under every draw."""
        d, n = self.deviations(x), np.maximum(self.rows.n_units, 1)[:, None]
        chunks = [(chunk, self._factors(d[:, chunk])) for chunk in pieces(d.shape[1], COLUMNS_PER_PRODUCT)]

        def of_part(w: sparse.csr_array, chunk: slice, z: Floats, batch: slice) -> Counts:
            sums = self._sums(w, z)
            return work(sums.total / n, self.sizes(sums, n), chunk, batch)

        def one(w: sparse.csr_array, batch: slice) -> Counts:
            return np.concatenate([of_part(w, chunk, z, batch) for chunk, z in chunks], axis=-1)

        return cast(Counts, np.sum(each_batch(self._slots, draws, one), axis=0))

    def sizes(self, sums: Sums, n: Ints) -> Floats:
        """|t| of each row under each draw."""
        return size_of_t(sums, n)

    def over_moments(self, y: Floats, draws: Draws, work: OfMoments, n_together: int = 1) -> Counts:
        """Do the work on the moments under every draw; n_together columns are never cut apart."""
        pooled = self._pooled(y)
        width = max(COLUMNS_PER_PRODUCT // 2 // n_together, 1) * n_together
        chunks = [(chunk, self._moments_of(y[:, chunk])) for chunk in pieces(y.shape[1], width)]

        def one(w: sparse.csr_array, batch: slice) -> Counts:
            done = [work(of(w)._replace(pooled=pooled[:, chunk]), chunk, batch) for chunk, of in chunks]
            return np.concatenate(done, axis=-1)

        return cast(Counts, np.sum(each_batch(self._slots, draws, one), axis=0))

    @property
    def _slots(self) -> Slots:
        """Places by group, or by group and unit where a unit has several blocks."""
        return self.design.group_slots if self.design.is_single else self.design.unit_slots

    def _factors(self, d: Floats) -> Floats:
        """What W is multiplied by: D and D^2, or D alone where it is averaged before it is squared."""
        return np.hstack([d, d * d]) if self.design.is_single else np.ascontiguousarray(d)

    def _sums(self, w: sparse.csr_array, factors: Floats) -> Sums:
        if self.design.is_single:
            return Sums(*self._products(w, factors, factors.shape[1] // 2))
        by_unit = self._by_unit(w, factors)
        return Sums(by_unit.sum(axis=2), np.einsum("bgrf,bgrf->bgf", by_unit, by_unit))

    def _moments_of(self, y: Floats) -> Callable[[sparse.csr_array], Moments]:
        """Moments as a function of W, by as few products as the design allows; pooled is left at 0."""
        if self.design.is_single and self.design.is_complete:
            return self._moments_of_complete(y)
        c = self._others(y)
        if not self.design.is_single:
            return lambda w: moments_over_units(self._by_unit(w, y), self._by_unit(w, c), 2, np.zeros(()))
        factors = np.hstack([y, c, y * y, c * c, y * c])
        return lambda w: Moments._make([*self._products(w, factors, y.shape[1]), np.zeros(())])

    def _moments_of_complete(self, y: Floats) -> Callable[[sparse.csr_array], Moments]:
        """The other side is (block sum - own) / n, own counting where it is no part of the other side."""
        sums, n = self.design.block_sums(y), self._n_others[0]
        counts_self, s, ss = float(self.against is Against.REST), sums.sum(axis=0), (sums * sums).sum(axis=0)
        is_binary = bool((y * y == y).all())
        factors = np.hstack([y, y * sums[self.design.block], *([] if is_binary else [y * y])])

        def of(w: sparse.csr_array) -> Moments:
            a, a_s, *squares = self._products(w, factors, y.shape[1])
            aa = a if is_binary else squares[0]
            cc = (ss - counts_self * (2 * a_s - aa)) / n**2
            return Moments(a, (s - counts_self * a) / n, aa, cc, (a_s - counts_self * aa) / n, np.zeros(()))

        return of

    def _products(self, w: sparse.csr_array, factors: Floats, width: int) -> list[Floats]:
        """Sums by draw and group of each stack of columns."""
        shape = (-1, self.design.frame.n_groups, width)
        if width == 1:  # scipy multiplies vectors one by one faster than two or three of them side by side
            return [(w @ np.ascontiguousarray(factor)).reshape(shape) for factor in factors.T]
        sums = (w @ factors).reshape(*shape[:-1], factors.shape[1])
        return np.split(sums, factors.shape[1] // width, axis=2)

    def _by_unit(self, w: sparse.csr_array, z: Floats) -> Floats:
        """Means over the blocks of each unit under each draw, shape (draws, groups, units, columns)."""
        counts = self.design.n_blocks_of_group_and_unit
        sums: Floats = (w @ np.ascontiguousarray(z)).reshape(-1, *counts.shape, z.shape[1])
        sums /= np.maximum(counts, 1)[:, :, None]
        return sums
