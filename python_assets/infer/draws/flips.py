"""Units turned round: the sign that each root prompt, or unit, has in each draw, and t of sums under them.

Belongs here: the draws, and the arithmetic of a mean over root prompts whose signs turn. Which rows are tested by it
is told where they are.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.draws.exchange import Counted, Floats, Ints, pieces

SIGNS_PER_BATCH: Final = 4_000_000
MOST_ENUMERATED: Final = 13  # units whose 8,192 ways to turn them round are all taken, at every stage
ROUNDING: Final = 1e-12


class Flips(Counted):
    """Signs of some units: every way to turn up to MOST_ENUMERATED of them round, or n random ones of more.

    Random signs are drawn of all units of a study, so that those of some are the same wherever they stand.
    """

    def __init__(self, seed: int, n: int, n_units: int, units: Ints | None = None, n_first: int | None = None) -> None:
        """Say what is drawn.

        Args:
            seed: of the study.
            n: number of draws, where not every way is taken.
            n_units: units of the study.
            units: positions of those that are wanted; all of them where None.
            n_first: of a first stage; None where all are drawn at once.
        """
        self._seed, self._n_units, self._n_first = seed, n_units, n_first
        self._units = np.arange(n_units) if units is None else units
        self.is_complete = len(self._units) <= MOST_ENUMERATED
        self.n = 2 ** len(self._units) if self.is_complete else n

    @cached_property
    def stages(self) -> list["Flips"]:
        """The first of them, where there is a first stage, and all."""
        if self.is_complete or self._n_first is None or self._n_first >= self.n:
            return [self]
        return [Flips(self._seed, self._n_first, self._n_units, self._units), self]

    def batches(self) -> Iterator[Floats]:
        """Yield signs 1 and -1, shape (draws of the batch, units); one batch alone is kept."""
        batch_slices = list(pieces(self.n, max(1, SIGNS_PER_BATCH // max(self._n_units, 1))))
        if self.is_complete or len(batch_slices) == 1:
            yield self._all
        else:
            yield from map(self._drawn, batch_slices)

    @cached_property
    def _all(self) -> Floats:
        if self.is_complete:
            return np.array(list(product((1.0, -1.0), repeat=len(self._units))))
        return self._drawn(slice(0, self.n))

    def _drawn(self, part: slice) -> Floats:
        drawn = np.random.default_rng([self._seed, part.start])
        signs = drawn.integers(0, 2, (part.stop - part.start, self._n_units), dtype=np.int8)
        return np.asarray(1 - 2 * signs[:, self._units], dtype=np.float64)


def t_of_sums(total: Floats, squares: Floats, n: Ints) -> tuple[Floats, Floats]:
    """T and standard error of means over root prompts, from sums over them; turning signs leaves the squares alone.

    Args:
        total: sums of the values, shape (..., rows).
        squares: sums of their squares, shape (rows,).
        n: root prompts of each row, shape (rows,).
    """
    n = np.maximum(n, 1)
    mean = total / n
    is_zero = np.abs(mean) <= ROUNDING * np.sqrt(squares)
    return studentised(mean, squares - n * mean**2, squares, n, is_zero)


def studentised(
    value: Floats, spread: Floats, squares: Floats, n: Ints, is_zero: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """T and standard error of means over n root prompts, or of what the delta method takes for them.

    spread and squares are the sums of squares around the means and around 0; a spread far below squares is rounding.
    Without a spread t is 0 where the mean is_zero, and +-1e6 elsewhere.
    """
    std_error = np.where(spread > ROUNDING * squares, spread, 0.0)
    np.sqrt(std_error, out=std_error)
    std_error /= np.sqrt(np.maximum(n - 1, 1) * n)
    has_error = std_error > 0
    if has_error.all():
        return np.divide(value, std_error), std_error
    constant = np.where(is_zero, 0.0, np.copysign(1e6, value))
    return np.divide(value, std_error, out=constant, where=has_error), std_error
