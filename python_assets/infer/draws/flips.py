"""Units turned round: the sign that each root prompt, or unit, has in each draw.

Belongs here: the draws. What is summed under them is told where it is tested.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import product
from typing import Final

import numpy as np

from python_assets.infer.draws.exchange import Counted, Floats, Ints, pieces

SIGNS_PER_BATCH: Final = 4_000_000


class Flips(Counted):
    """Signs of some units: every way to turn them round, or n random ones where there are more.

    Random signs are drawn of all units of a study, so that those of some are the same wherever they stand.
    """

    def __init__(self, seed: int, n: int, n_units: int, units: Ints | None = None) -> None:
        """Say what is drawn.

        Args:
            seed: of the study.
            n: number of draws.
            n_units: units of the study.
            units: positions of those that are wanted; all of them where None.
        """
        self._seed, self._n_units = seed, n_units
        self._units = np.arange(n_units) if units is None else units
        self.is_complete = 2 ** min(len(self._units), 63) <= n
        self.n = 2 ** len(self._units) if self.is_complete else n

    def batches(self) -> Iterator[Floats]:
        """Yield signs 1 and -1, shape (draws of the batch, units); one batch alone is kept."""
        parts = list(pieces(self.n, max(1, SIGNS_PER_BATCH // max(self._n_units, 1))))
        if self.is_complete or len(parts) == 1:
            yield self._all
        else:
            yield from map(self._drawn, parts)

    @cached_property
    def _all(self) -> Floats:
        if self.is_complete:
            return np.array(list(product((1.0, -1.0), repeat=len(self._units))))
        return self._drawn(slice(0, self.n))

    def _drawn(self, part: slice) -> Floats:
        drawn = np.random.default_rng([self._seed, part.start])
        signs = drawn.integers(0, 2, (part.stop - part.start, self._n_units), dtype=np.int8)
        return np.asarray(1 - 2 * signs[:, self._units], dtype=np.float64)
