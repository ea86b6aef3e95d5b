"""Two groups against each other on the blocks that hold both: a reference level, or all pairs.

Belongs here: the two sides of a pair. Labels are shuffled among all groups of a block, also those that are no
part of the pair; what is computed from the sides is means.py and rates.py.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.design.design import Design
from python_assets.infer.draws.exchange import Draws, Floats, Ints, in_threads, pieces
from python_assets.infer.options import Reference
from python_assets.infer.schemes.differences import (
    Counts,
    Moments,
    OfBlocks,
    OfMoments,
    OfTs,
    Sums,
    moments_over_units,
    size_of_t,
)
from python_assets.study.base import Against

COLUMNS_PER_GATHER = 8  # so that both sides of a pair stay in cache
Summed = TypeVar("Summed", Sums, Moments)


class _Pair(NamedTuple):
    """Places of both sides, sorted by unit; first place, number of places and code of each unit."""

    own: Ints | slice
    other: Ints | slice
    first: Ints
    n_blocks: Ints
    unit: Ints
    n_root_prompts: int
    log_arrangements: float


@dataclass(frozen=True)
class PairContrast(OfBlocks):
    """The groups of pairs on their shared blocks; one row a pair.

    group, other: positions of the groups of each row.
    """

    design: Design
    group: Ints
    other: Ints
    is_one_of_all = False

    @cached_property
    def _order(self) -> Ints:
        """Cells by group, then unit: the places of a group lie side by side."""
        block = self.design.block
        return np.lexsort((block, self.design.unit_of_block[block], self.design.group))

    @cached_property
    def _pairs(self) -> list[_Pair]:
        block = self.design.block[self._order]
        cell_of = np.full((self.design.frame.n_groups, len(self.design.block_size)), -1)
        cell_of[self.design.group[self._order], block] = np.arange(len(block))
        return [self._pair(cell_of[g], cell_of[h]) for g, h in zip(self.group, self.other, strict=True)]

    def _pair(self, own: Ints, other: Ints) -> _Pair:
        """Take the blocks that hold both; own and other are places by block, -1 where absent."""
        blocks = np.flatnonzero((own >= 0) & (other >= 0))
        blocks = blocks[np.argsort(own[blocks])]
        unit, first, n_blocks = np.unique(self.design.unit_of_block[blocks], return_index=True, return_counts=True)
        size = self.design.block_size[blocks]
        return _Pair(
            own=_as_slice(own[blocks]),
            other=_as_slice(other[blocks]),
            first=first,
            n_blocks=n_blocks,
            unit=unit,
            n_root_prompts=len(np.unique(self.design.counted_of_block[blocks])),
            log_arrangements=float(np.log(size * (size - 1.0)).sum()),
        )

    @cached_property
    def is_present(self) -> NDArray[np.bool_]:  # type: ignore[override]
        """Whether each unit holds both groups in one block, shape (pairs, units)."""
        present = np.zeros((len(self.group), self.design.n_units), dtype=bool)
        for row, pair in enumerate(self._pairs):
            present[row, pair.unit] = True
        return present

    @property
    def counted(self) -> tuple[Ints, Floats, int]:
        """Of each pair with a shared block.

        Which cells of a block the two get is all that the statistic sees, and exchanging them all mirrors it.
        """
        n_root_prompts = np.array([pair.n_root_prompts for pair in self._pairs], dtype=np.intp)
        logs = np.array([pair.log_arrangements for pair in self._pairs])
        return n_root_prompts, np.minimum(2 * np.exp(-logs), 1), int(self.is_present.any(axis=1).sum())

    @property
    def inverse_other(self) -> Floats:
        """One group stands on the other side."""
        return np.ones(len(self.group))

    def by_unit(self, x: Floats) -> Floats:
        """Difference of both groups by unit."""
        this_group, other = self.rates(x)
        return this_group - other

    def rates(self, y: Floats) -> tuple[Floats, Floats]:
        """Means of both groups over the shared blocks of each unit."""
        places = y[self._order]
        shape = (len(self.group), self.design.n_units, y.shape[1])
        this_group, other = np.zeros(shape), np.zeros(shape)
        for row, pair in enumerate(self._pairs):
            this_group[row, pair.unit] = _by_unit(pair, places[pair.own])
            other[row, pair.unit] = _by_unit(pair, places[pair.other])
        return this_group, other

    def both_sides(self, x: Floats) -> tuple[Floats, Floats]:
        """The two groups."""
        return self.rates(x)

    def moments(self, y: Floats) -> Moments:
        """Moments of both groups."""
        return Moments(*(moment[0] for moment in self._each_pair(y[self._order][:, None], _moments)))

    def over_ts(self, x: Floats, draws: Draws, work: OfTs) -> Counts:
        """Do the work on the differences under every draw."""
        n = np.maximum(self.rows.n_units, 1)[:, None]

        def of_places(z: Floats, chunk: slice, batch: slice) -> Counts:
            sums = self._each_pair(z, _sums)
            return work(sums.total / n, size_of_t(sums, n), chunk, batch)

        return self._over_draws(x, draws, of_places, COLUMNS_PER_GATHER)

    def over_moments(self, y: Floats, draws: Draws, work: OfMoments, n_together: int = 1) -> Counts:
        """Do the work on the moments under every draw; n_together columns are never cut apart."""
        width = max(COLUMNS_PER_GATHER // n_together, 1) * n_together
        return self._over_draws(
            y, draws, lambda z, chunk, batch: work(self._each_pair(z, _moments), chunk, batch), width
        )

    def _over_draws(
        self, z: Floats, draws: Draws, work: Callable[[Floats, slice, slice], Counts], width: int
    ) -> Counts:
        chunks = [(chunk, np.ascontiguousarray(z[:, chunk])) for chunk in pieces(z.shape[1], width)]

        def one(batch: slice) -> Counts:
            sources = np.ascontiguousarray(draws.sources(batch)[:, self._order].T)
            return np.concatenate([work(cells[sources], chunk, batch) for chunk, cells in chunks], axis=-1)

        return cast(Counts, np.sum(in_threads(one, draws.batches), axis=0))

    def _each_pair(self, places: Floats, of: Callable[[_Pair, Floats], Summed]) -> Summed:
        """Sums of each pair, shape (draws, pairs, columns), from cells in places (places, draws, columns)."""
        rows = [of(pair, places) for pair in self._pairs]
        return type(rows[0])(*(np.stack(field, axis=1) for field in zip(*rows, strict=True)))


def _as_slice(places: Ints) -> Ints | slice:
    """Places that follow one another as a slice, which is not copied."""
    if len(places) and (np.diff(places) == 1).all():
        return slice(int(places[0]), int(places[-1]) + 1)
    return places


def _by_unit(pair: _Pair, z: Floats) -> Floats:
    """Means over the blocks of each unit along the first axis."""
    if len(pair.first) == len(z):
        return z
    return np.add.reduceat(z, pair.first, axis=0) / pair.n_blocks.reshape(-1, *[1] * (z.ndim - 1))


def _sums(pair: _Pair, places: Floats) -> Sums:
    d = _by_unit(pair, places[pair.own] - places[pair.other])
    return Sums(d.sum(axis=0), np.einsum("rbf,rbf->bf", d, d))


def _moments(pair: _Pair, places: Floats) -> Moments:
    a, c = _by_unit(pair, places[pair.own]), _by_unit(pair, places[pair.other])
    moments = moments_over_units(a, c, 0, np.zeros(()))
    return moments._replace(pooled=(moments.a + moments.c) / (2 * max(len(a), 1)))


def pair_contrast(design: Design, reference: Reference) -> PairContrast:
    """The pairs of a reference; of all pairs only one of each two that mirror each other."""
    return PairContrast(design, *one_way(reference, design.frame.n_groups))


def one_way(reference: Reference, n_groups: int) -> tuple[Ints, Ints]:
    """Positions of both groups of each pair; of all pairs only those whose group comes first."""
    group, other = reference.rows(n_groups)
    if reference.against is Against.ALL_PAIRS:
        return group[group < other], other[group < other]
    return group, other
