"""Shuffles within blocks: the draws, the matrix that applies them, p values and noise floors.

Belongs here: what every permuted statistic shares. Which statistic is permuted is decided in means.py,
rates.py, indices.py and others. A batch of draws is one sparse matrix W: its row (draw, sum) holds a
one for each cell that the draw puts in a place of that sum, so that W @ Z permutes all columns of Z at once.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

TIE = 1e-9  # permuted and observed values closer than this are ties
CELLS_PER_BATCH = 200_000  # of all draws of a batch together: a few megabytes, so that a batch stays in cache
COLUMNS_PER_PRODUCT = 32
VALUES_PER_THREAD = 100_000  # of a null: for fewer, to start a thread takes longer than to sort them
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Result = TypeVar("Result")


class Slots(NamedTuple):
    """The places that cells are shuffled over.

    block: block of each place, not decreasing; a draw never crosses it.
    row: the sum that each place adds to.
    n_rows: number of sums.
    """

    block: Ints
    row: Ints
    n_rows: int


class Draws(Protocol):
    """A sequence of arrangements, in batches."""

    n: int
    is_complete: bool

    def batches(self) -> list[slice]:
        """Cut 0..n into batches."""

    def sources(self, batch: slice) -> Ints:
        """Say which cell lies in each place, shape (draws of the batch, places)."""


class GivenDraws:
    """Arrangements given one by one, for instance all there are; p is then the share of them."""

    is_complete = True

    def __init__(self, sources: Ints) -> None:
        """Take the arrangements, shape (n, places)."""
        self._sources = sources
        self.n = len(sources)

    def batches(self) -> list[slice]:
        """Cut 0..n into batches."""
        return _batches(self.n, self._sources.shape[1])

    def sources(self, batch: slice) -> Ints:
        """Say which cell lies in each place."""
        return self._sources[batch]


class RandomDraws:
    """Random arrangements within blocks; the order of random keys, drawn once for all cells of a frame."""

    is_complete = False

    def __init__(self, seed: int, n: int, block: Ints, cell: Ints, n_frame: int) -> None:
        """Say what is drawn.

        Args:
            seed: of the frame; the same for every presence pattern of it.
            n: number of draws, B.
            block: block of each present cell, not decreasing.
            cell: position of each present cell in the frame.
            n_frame: number of cells of the frame.
        """
        self.n = n
        self._seed, self._cell, self._n_frame = seed, cell, n_frame
        self._block = block

    @cached_property
    def _position(self) -> tuple[Ints, Ints, tuple[int, int]]:
        sizes = np.bincount(self._block)
        first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        width = int(sizes.max())
        padded = self._block * width + np.arange(len(self._block)) - first[self._block]
        return first, padded, (len(sizes), width)

    def batches(self) -> list[slice]:
        """Cut 0..n into batches."""
        return _batches(self.n, self._n_frame)

    def sources(self, batch: slice) -> Ints:
        """Say which cell lies in each place."""
        first, padded, (n_blocks, width) = self._position
        n = batch.stop - batch.start
        keys = np.random.default_rng([self._seed, batch.start]).random((n, self._n_frame))
        is_full = len(self._cell) == self._n_frame == n_blocks * width
        table = keys if is_full else np.full((n, n_blocks * width), np.inf)
        if not is_full:  # an absent cell comes last and is cut off
            table[:, padded] = keys[:, self._cell]
        order = table.reshape(n, n_blocks, width).argsort(axis=2)
        order += first[:, None]
        order = order.reshape(n, -1)
        return order if is_full else order[:, padded]


def stable_seed(*parts: object) -> int:
    """Hash the parts to a seed that no process, order or hash seed changes."""
    return int.from_bytes(sha256("\x1f".join(map(str, parts)).encode()).digest()[:8], "big")


def each_batch(slots: Slots, draws: Draws, work: Callable[[sparse.csr_array, slice], Result]) -> list[Result]:
    """Call work with the matrix of each batch of draws, in threads; the results come in the order of draws.

    Args:
        slots: the places and the sums they add to.
        draws: the arrangements.
        work: gets W, of (draws of the batch * slots.n_rows) rows and one column a cell, and the batch.
    """
    by_row = np.argsort(slots.row, kind="stable")
    ends = np.cumsum(np.bincount(slots.row, minlength=slots.n_rows))
    ones = np.ones(max(b.stop - b.start for b in draws.batches()) * len(by_row))

    def one(batch: slice) -> Result:
        indices = draws.sources(batch).astype(np.int32)[:, by_row]
        starts = len(by_row) * np.arange(len(indices))
        pointers = np.concatenate([[0], (starts[:, None] + ends).ravel()]).astype(np.int32)
        shape = (len(indices) * slots.n_rows, len(by_row))
        return work(sparse.csr_array((ones[: indices.size], indices.ravel(), pointers), shape=shape), batch)

    return in_threads(one, draws.batches())


def in_threads(work: Callable[[slice], Result], pieces: list[slice]) -> list[Result]:
    """Do the pieces of work on every core; the results come in the order of the pieces."""
    if len(pieces) == 1:
        return [work(pieces[0])]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, pieces))


def pieces(n: int, size: int) -> Iterator[slice]:
    """Cut 0..n into slices of at most size."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def permuted_means(slots: Slots, draws: Draws, weighted: Floats) -> Floats:
    """Sums of weighted cell values under every draw.

    Args:
        slots: one row a group.
        draws: the arrangements.
        weighted: shape (cells, columns); weights that add up to 1 in each group make the sums means.

    Returns:
        Shape (columns, groups, draws).
    """
    null = np.empty((weighted.shape[1], slots.n_rows, draws.n))

    def work(w: sparse.csr_array, batch: slice) -> None:
        for part in pieces(weighted.shape[1], COLUMNS_PER_PRODUCT):
            sums = (w @ np.ascontiguousarray(weighted[:, part])).reshape(
                -1, slots.n_rows, part.stop - part.start
            )
            null[part, :, batch] = sums.transpose(2, 1, 0)

    each_batch(slots, draws, work)
    return null


def p_values(n_as_extreme: NDArray[np.integer], draws: Draws) -> Floats:
    """Share of draws as extreme as the observation; random draws count the observation as one more.

    Source: Phipson and Smyth 2010, (b + 1) / (B + 1); inference.md section 4 for complete enumeration.
    """
    if draws.is_complete:
        return n_as_extreme / draws.n
    return (n_as_extreme + 1) / (draws.n + 1)


def noise_floor(null: Floats) -> tuple[Floats, Floats]:
    """Median and 95 % quantile along the last axis, by linear interpolation.

    Args:
        null: shape (..., draws), reordered along the last axis. Infinite or NaN counts as largest.

    Returns:
        Two arrays of shape null.shape[:-1]; NaN where the quantile is not finite.
    """
    n = null.shape[-1]
    places = [(n - 1) * share for share in (0.5, 0.95)]
    kth = sorted({min(int(place) + step, n - 1) for place in places for step in (0, 1)})
    rows = null.reshape(-1, n)
    step = max(-(-len(rows) // (os.cpu_count() or 1)), VALUES_PER_THREAD // n, 1)
    in_threads(lambda part: rows[part].partition(kth, axis=1), list(pieces(len(rows), step)))
    median, q95 = (_interpolate(null, place) for place in places)
    return median, q95


def _interpolate(partitioned: Floats, place: float) -> Floats:
    lower = int(place)
    upper = min(lower + 1, partitioned.shape[-1] - 1)
    low, high = partitioned[..., lower], partitioned[..., upper]
    with np.errstate(invalid="ignore"):
        value = low + (place - lower) * (high - low) if place > lower else low.copy()
    return np.where(np.isfinite(value), value, np.nan)


def _batches(n: int, n_cells: int) -> list[slice]:
    return list(pieces(n, max(1, min(256, CELLS_PER_BATCH // max(n_cells, 1)))))
