"""Units exchanged within strata: the draws, the matrix that applies them, p values and noise floors.

Belongs here: what every permuted statistic shares. Which statistic that is, is decided where it is tested. A batch of
draws is one sparse matrix W: its row (draw, sum) holds a one, or the weight of the place, for each cell that the draw
puts in a place of that sum, so that W @ Z permutes all columns of Z at once.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from python_assets.warehouse.threads import n_threads

if TYPE_CHECKING:  # a plan, which draws nothing, reads this file too, and scipy takes .2 s to import
    from scipy import sparse

SAME_SIZE = 1e-12  # values closer than this, as a share of the larger, are one size
TIE = 1e-9  # permuted and observed values closer than this are ties
KEPT_BYTES = 400_000_000  # of orders
CELLS_PER_BATCH = 200_000  # of all draws of a batch together: a few megabytes, so that a batch stays in cache
COLUMNS_PER_PRODUCT = 32
VALUES_PER_THREAD = 100_000  # of a null: for fewer, to start a thread takes longer than to sort them
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Result = TypeVar("Result")


def comparable_sizes(values: Floats) -> Floats:
    """Absolute values to 12 digits, so that those that differ by rounding alone are equal."""
    mantissa, exponent = np.frexp(np.abs(values))
    return cast(Floats, np.ldexp(mantissa.round(12), exponent))


class Slots(NamedTuple):
    """The places that cells are shuffled over.

    block: block of each place, not decreasing; a draw never crosses it.
    row: the sum that each place adds to.
    n_rows: number of sums.
    weight: of each place in its sum; 1 where None.
    """

    block: Ints
    row: Ints
    n_rows: int
    weight: Floats | None = None


class Counted:
    """How many draws there are, and whether these are all arrangements: p is then the share of them."""

    n: int
    is_complete: bool


class _Matrices:
    """Matrices of batches by their start, over the last slots that were asked for."""

    def __init__(self) -> None:
        self.slots: Slots | None = None
        self.of_batch: dict[int, sparse.csr_array] = {}


class Draws(Counted):
    """A sequence of arrangements: which cell lies in each place under each of them, batch by batch."""

    def __init__(
        self,
        n: int,
        n_places: int,
        source: Callable[[slice], NDArray[np.integer]],
        *,
        batches: list[slice] | None = None,
        is_complete: bool = False,
        matrices: _Matrices | None = None,
    ) -> None:
        """Say what is drawn.

        Args:
            n: number of arrangements.
            n_places: that cells lie in.
            source: of a batch the cell in each place, shape (draws of the batch, places).
            batches: of draws; those that keep the places in cache where None.
            is_complete: whether these are all the arrangements there are; p is then the share of them.
            matrices: shared with those that these are the first of.
        """
        self.n, self.is_complete, self.sources = n, is_complete, source
        self.batches = batches_of(n, n_places) if batches is None else batches
        self._n_places = n_places
        self._matrices = matrices or _Matrices()
        self._keeps = 4 * n * n_places <= KEPT_BYTES

    def first(self, n: int) -> "Draws":
        """The first n of them, the same ones; all where there are no more, or where these are all arrangements."""
        if self.is_complete or n >= self.n:
            return self
        batches = [slice(batch.start, min(batch.stop, n)) for batch in self.batches if batch.start < n]
        return Draws(n, self._n_places, self.sources, batches=batches, matrices=self._matrices)

    def matrices(self, slots: Slots) -> dict[int, "sparse.csr_array"] | None:
        """Where the matrix of each batch is kept, by its start; None where memory is too small for them.

        Of the last slots: the null of contrasts and that of indices are over the same ones, at every stage.
        """
        if slots is not self._matrices.slots:
            self._matrices.slots, self._matrices.of_batch = slots, {}
        return self._matrices.of_batch if self._keeps else None


class Shuffles:
    """Random orders within the strata of some cells, drawn once for all presence patterns of them."""

    def __init__(self, seed: int, n: int, stratum: Ints, moved_with: Ints | None = None) -> None:
        """Say what is drawn.

        Args:
            seed: of the cells.
            n: number of draws, B.
            stratum: of each cell, not decreasing; no draw crosses it.
            moved_with: of each cell a number from 0; strata whose cells have the same numbers are in the same order in
                every draw. Each cell by itself where None.
        """
        self.n, self._seed, self._moved_with = n, seed, moved_with
        sizes = np.bincount(stratum)
        self._n_cells, self._width, self._n_strata = len(stratum), int(sizes.max(initial=0)), len(sizes)
        first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
        self._padded = stratum * self._width + np.arange(len(stratum)) - first[stratum]
        self._first = first[stratum].astype(np.int32)
        # which cell of its stratum stands in each place, in as few bytes as hold it
        self._kind = np.min_scalar_type(max(self._width - 1, 0))
        self._kept: dict[int, NDArray[np.unsignedinteger]] = {}
        self._keeps = n * self._n_cells * self._kind.itemsize <= KEPT_BYTES

    def of(self, cell: Ints) -> Draws:
        """The draws of some of the cells, positions ascending: the orders of all, with the others left out."""
        number = np.full(self._n_cells, -1, dtype=np.int32)
        number[cell] = np.arange(len(cell), dtype=np.int32)

        def source(batch: slice) -> NDArray[np.integer]:
            order = self.order(batch)
            if len(cell) == self._n_cells:
                return order
            chosen = number.take(order, mode="clip")
            return chosen[chosen >= 0].reshape(len(chosen), -1)

        # batches are those of all cells: each is a stream of random numbers of its own
        return Draws(self.n, len(cell), source, batches=batches_of(self.n, self._n_cells))

    def order(self, batch: slice) -> NDArray[np.signedinteger]:
        """Say which cell lies in each place, shape (draws of the batch, cells)."""
        orders, n = self._kept.get(batch.start), batch.stop - batch.start
        if orders is None or len(orders) < n:  # a first stage may have ended inside the batch
            orders = self._drawn(batch)
            if self._keeps:
                self._kept[batch.start] = orders
        return orders[:n] + self._first

    def _drawn(self, batch: slice) -> NDArray[np.unsignedinteger]:
        n = batch.stop - batch.start
        n_moved = self._n_cells if self._moved_with is None else int(self._moved_with.max(initial=-1)) + 1
        keys = np.random.default_rng([self._seed, batch.start]).random((n, n_moved))
        keys = keys if self._moved_with is None else keys[:, self._moved_with]
        is_full = self._n_cells == self._n_strata * self._width
        table = keys if is_full else np.full((n, self._n_strata * self._width), np.inf)
        if not is_full:  # what pads a stratum comes last and is cut off
            table[:, self._padded] = keys
        order = _order_of(table.reshape(n, self._n_strata, self._width)).astype(self._kind)
        return order.reshape(n, -1) if is_full else order.reshape(n, -1)[:, self._padded]


def shuffles_of(seed: int, n: int, stratum: Ints, moved_with: Ints | None = None) -> Shuffles:
    """Shuffles of these arguments; the last ones stay, since groups and what changed of them have the same orders."""
    moved = None if moved_with is None else moved_with.astype(np.intp).tobytes()
    return _kept_shuffles(seed, n, stratum.astype(np.intp).tobytes(), moved)


@lru_cache(maxsize=2)
def _kept_shuffles(seed: int, n: int, stratum: bytes, moved_with: bytes | None) -> Shuffles:
    moved = None if moved_with is None else np.frombuffer(moved_with, dtype=np.intp)
    return Shuffles(seed, n, np.frombuffer(stratum, dtype=np.intp), moved)


def _order_of(keys: Floats) -> NDArray[np.int64]:
    """The positions that sort positive keys along the last axis; keys are overwritten.

    A position takes the place of the last bits of its key, which sorts twice as fast as argsort. Keys are equal in all
    other bits once in 1e13 pairs.
    """
    bits = keys.view(np.int64)
    last = (1 << max(keys.shape[-1] - 1, 0).bit_length()) - 1
    bits &= ~last
    bits |= np.arange(keys.shape[-1])
    bits.sort(axis=-1)
    bits &= last
    return bits


def given_draws(sources: Ints) -> Draws:
    """Arrangements given one by one, shape (n, places): all that there are."""
    return Draws(len(sources), sources.shape[1], lambda batch: sources[batch], is_complete=True)


def exchanged(values: Ints, stratum: Ints, *, n: int, seed: int, size: int) -> Iterator[Ints]:
    """Yield values of units that change places within strata, shape (draws of the batch, units).

    Args:
        values: of each unit.
        stratum: of each unit, from 0 without gaps.
        n: number of draws, B.
        seed: of the draws.
        size: draws of a batch.
    """
    at = np.argsort(stratum, kind="stable")
    shuffles = Shuffles(seed, n, stratum[at])
    for batch in pieces(n, size):
        moved = np.empty((batch.stop - batch.start, len(at)), dtype=values.dtype)
        moved[:, at] = values[at][shuffles.order(batch)]
        yield moved


def owner_draws(seed: int, n: int, stratum: Ints, owner: Ints) -> Draws:
    """Shuffles of units that own several groups: whole units change places, and groups within them.

    In a grouping that is nested in units in part, such as gender x nationality where each name has one gender
    and is asked with every nationality, both leave the data as likely as they were where nothing differs. They
    tell noise floors alone: a p would be of gender and nationality at once (inference.md 2.7).

    Args:
        seed: of the slice and grouping.
        n: number of draws, B.
        stratum: of each place, not decreasing; no draw crosses it.
        owner: the unit of each place, not decreasing in a stratum.
    """
    is_first = np.r_[True, (np.diff(owner) != 0) | (np.diff(stratum) != 0)]
    unit, first = np.cumsum(is_first) - 1, np.flatnonzero(is_first)
    position = np.arange(len(owner)) - first[unit]
    # units of a stratum change places where they own equally many groups
    kind = np.unique(np.stack([stratum[first], np.bincount(unit)]), axis=1, return_inverse=True)[1].ravel()
    at = np.argsort(kind, kind="stable")
    unit_shuffles, group_shuffles = Shuffles(stable_seed(seed, "units"), n, kind[at]), Shuffles(seed, n, unit)

    def source(batch: slice) -> Ints:
        moved = np.empty((batch.stop - batch.start, len(at)), dtype=np.intp)
        moved[:, at] = at[unit_shuffles.order(batch)]
        return np.take_along_axis(group_shuffles.order(batch).astype(np.intp), first[moved][:, unit] + position, axis=1)

    return Draws(n, len(owner), source)


def goes_on(p_hypothesis: Floats, alpha: float) -> NDArray[np.bool_]:
    """Whether more draws follow those of a first stage: only a p near alpha needs them."""
    return p_hypothesis <= max(0.1, 2 * alpha) + 1e-12


def stable_seed(*parts: object) -> int:
    """Hash the parts to a seed that no process, order or hash seed changes."""
    return int.from_bytes(sha256("\x1f".join(map(str, parts)).encode()).digest()[:8], "big")


def each_batch(slots: Slots, draws: Draws, work: Callable[["sparse.csr_array", slice], Result]) -> list[Result]:
    """Call work with the matrix of each batch of draws, in threads; the results come in the order of draws.

    Args:
        slots: the places and the sums they add to.
        draws: the arrangements.
        work: gets W, of (draws of the batch * slots.n_rows) rows and one column a cell, and the batch.
    """
    from scipy import sparse

    by_row = np.argsort(slots.row, kind="stable")
    ends = np.cumsum(np.bincount(slots.row, minlength=slots.n_rows))
    weight = np.ones(len(by_row)) if slots.weight is None else slots.weight[by_row]
    weights = np.tile(weight, max(b.stop - b.start for b in draws.batches))
    kept = draws.matrices(slots)

    def matrix(batch: slice) -> "sparse.csr_array":
        indices = draws.sources(batch).astype(np.int32, copy=False).take(by_row, axis=1)
        starts = len(by_row) * np.arange(len(indices))
        pointers = np.concatenate([[0], (starts[:, None] + ends).ravel()]).astype(np.int32)
        shape = (len(indices) * slots.n_rows, len(by_row))
        return sparse.csr_array((weights[: indices.size], indices.ravel(), pointers), shape=shape)

    def one(batch: slice) -> Result:
        if kept is None:
            return work(matrix(batch), batch)
        n_rows, batch_matrix = (batch.stop - batch.start) * slots.n_rows, kept.get(batch.start)
        if batch_matrix is None or batch_matrix.shape[0] < n_rows:  # a first stage may have ended inside the batch
            batch_matrix = kept[batch.start] = matrix(batch)
        return work(batch_matrix if batch_matrix.shape[0] == n_rows else batch_matrix[:n_rows], batch)

    return in_threads(one, draws.batches)


def in_threads(work: Callable[[slice], Result], pieces: list[slice]) -> list[Result]:
    """Do the pieces of work in threads; the results come in the order of the pieces."""
    if len(pieces) == 1 or n_threads() == 1:
        return [work(piece) for piece in pieces]
    with ThreadPoolExecutor(n_threads()) as pool:
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

    def work(w: "sparse.csr_array", batch: slice) -> None:
        for piece in pieces(weighted.shape[1], COLUMNS_PER_PRODUCT):
            sums = (w @ np.ascontiguousarray(weighted[:, piece])).reshape(-1, slots.n_rows, piece.stop - piece.start)
            null[piece, :, batch] = sums.transpose(2, 1, 0)

    each_batch(slots, draws, work)
    return null


def p_values(n_as_extreme: NDArray[np.integer], draws: Counted) -> Floats:
    """Share of draws as extreme as the observation; random draws count the observation as one more.

    Source: Phipson and Smyth 2010, (b + 1) / (B + 1); inference.md section 4 for complete enumeration.
    """
    return n_as_extreme / draws.n if draws.is_complete else (n_as_extreme + 1) / (draws.n + 1)


def noise_floor(null: Floats) -> tuple[Floats, Floats]:
    """Median and 95 % quantile along the last axis, by linear interpolation.

    Args:
        null: shape (..., draws), reordered along the last axis. Infinite or NaN counts as largest.

    Returns:
        Two arrays of shape null.shape[:-1]; NaN where the quantile is not finite.
    """
    n = null.shape[-1]
    places = [(n - 1) * share for share in (0.5, 0.95)]
    kth = sorted({min(int(position) + step, n - 1) for position in places for step in (0, 1)})
    rows = null.reshape(-1, n)
    step = max(-(-len(rows) // n_threads()), VALUES_PER_THREAD // n, 1)
    in_threads(lambda piece: rows[piece].partition(kth, axis=1), list(pieces(len(rows), step)))
    median, q95 = (_interpolate(null, position) for position in places)
    return median, q95


def _interpolate(partitioned: Floats, place: float) -> Floats:
    lower = int(place)
    upper = min(lower + 1, partitioned.shape[-1] - 1)
    low, high = partitioned[..., lower], partitioned[..., upper]
    with np.errstate(invalid="ignore"):
        value = low + (place - lower) * (high - low) if place > lower else low.copy()
    return np.where(np.isfinite(value), value, np.nan)


def batches_of(n: int, n_cells: int) -> list[slice]:
    """Cut n draws of so many cells into batches that stay in cache."""
    return list(pieces(n, max(1, min(256, CELLS_PER_BATCH // max(n_cells, 1)))))
