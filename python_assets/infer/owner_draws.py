"""Shuffles of units that own several groups: whole units change places, and groups change places within them.

Belongs here: the draws of a grouping that is nested in units in part, such as gender x nationality where each
name has one gender and is asked with every nationality. Without any difference both shuffles leave the data
as likely as they were, so that what they make of the groups is noise. They tell noise floors alone: a p
would be of gender and nationality at once (inference.md 2.7).
"""

import numpy as np
from scipy import sparse

from python_assets.infer.permutation import Ints, Slots, batches_of


class OwnerDraws:
    """Random arrangements of the groups of units; groups of one unit stand next to each other."""

    is_complete = False

    def __init__(self, seed: int, n: int, stratum: Ints, owner: Ints) -> None:
        """Say what is drawn.

        Args:
            seed: of the slice and grouping.
            n: number of draws, B.
            stratum: of each place, not decreasing; no draw crosses it.
            owner: the unit of each place, not decreasing in a stratum.
        """
        self.n, self._seed = n, seed
        is_first = np.r_[True, (np.diff(owner) != 0) | (np.diff(stratum) != 0)]
        self._owner = np.cumsum(is_first) - 1
        self._first = np.flatnonzero(is_first)
        self._place_in_owner = np.arange(len(owner)) - self._first[self._owner]
        # units of a stratum change places where they own equally many groups
        sizes = np.bincount(self._owner)
        alike = np.unique(np.stack([stratum[self._first], sizes]), axis=1, return_inverse=True)[1]
        self._alike = alike.ravel()
        self._by_kind = np.argsort(self._alike, kind="stable")

    def batches(self) -> list[slice]:
        """Cut 0..n into batches."""
        return batches_of(self.n, len(self._owner))

    def sources(self, batch: slice) -> Ints:
        """Say which group of which unit lies in each place, shape (draws of the batch, places)."""
        rng = np.random.default_rng([self._seed, batch.start])
        n = batch.stop - batch.start
        # keys of a kind, and of a unit, lie between its number and the next: sorting never mixes two of them
        kinds = self._alike[self._by_kind] + rng.random((n, len(self._by_kind)))
        owner = np.empty((n, len(self._by_kind)), dtype=np.intp)
        owner[:, self._by_kind] = self._by_kind[kinds.argsort(axis=1)]
        within = (self._owner + rng.random((n, len(self._owner)))).argsort(axis=1)
        taken = self._first[owner][:, self._owner] + self._place_in_owner
        return np.take_along_axis(within, taken, axis=1)

    def matrices(self, slots: Slots) -> dict[int, sparse.csr_array] | None:
        """Nothing is kept."""
        del slots
        return None
