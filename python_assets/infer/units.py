"""Groups nested in units, such as names of people inside gender and race: what is shuffled and compared.

Belongs here: the shape of a grouping in which no unit holds two groups. Labels are shuffled among the units
of a stratum, and a unit keeps all its values. What is computed from it is nested.py.

Source: inference.md section 1, row 'groups nested in units'.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from python_assets.infer.design import MIN_COMPLETE_SHARE, Frame
from python_assets.infer.permutation import Floats, Ints, Slots
from python_assets.infer.reference import Reference
from python_assets.study.base import Against

MIN_UNITS_OF_GROUP = 4
MIN_UNITS_FOR_SCOPE = 5


@dataclass(frozen=True)
class Units:
    """The units that a set of columns has values of, sorted by stratum; each lies in one group.

    unit: positions in the frame. stratum, group: of each unit, strata from 0 without gaps. n_groups: of the
    grouping. n_present: groups with any value.
    """

    unit: Ints
    stratum: Ints
    group: Ints
    n_groups: int
    n_present: int

    @cached_property
    def _cells(self) -> tuple[Ints, Ints, Ints]:
        code = self.stratum * self.n_groups + self.group
        return np.unique(code, return_inverse=True, return_counts=True)

    @property
    def units_of_cell(self) -> Ints:
        """Units of each cell, a cell being a group in a stratum."""
        return self._cells[2]

    @property
    def stratum_of_cell(self) -> Ints:
        """Stratum of each cell."""
        return self._cells[0] // self.n_groups

    @property
    def group_of_cell(self) -> Ints:
        """Group of each cell."""
        return self._cells[0] % self.n_groups

    @property
    def slots(self) -> Slots:
        """Places that add to the sum of their cell."""
        return Slots(self.stratum, self._cells[1], len(self._cells[0]))

    @property
    def df(self) -> int:
        """Degrees of freedom of the spread of units in their cells."""
        return len(self.unit) - len(self._cells[0])

    @cached_property
    def groups(self) -> Ints:
        """Groups with a value."""
        return np.unique(self.group)

    @cached_property
    def is_complete(self) -> NDArray[np.bool_]:
        """Whether each stratum holds every group with a value."""
        return np.bincount(self.stratum_of_cell) == self.n_present

    @cached_property
    def level(self) -> Floats:
        """Weight of each cell in its group's mean over complete strata, shape (groups present, cells)."""
        counts = (self.group_of_cell == self.groups[:, None]) & self.is_complete[self.stratum_of_cell]
        return counts / max(int(self.is_complete.sum()), 1)

    @property
    def n_units_of_group(self) -> Ints:
        """Units in complete strata of each group with a value."""
        return (self.level > 0) @ self.units_of_cell

    @property
    def n_complete(self) -> int:
        """Units in complete strata."""
        return int(self.is_complete[self.stratum].sum())

    @property
    def is_enough(self) -> bool:
        """Whether so many units are in complete strata that the others can be left out of indices."""
        return self.n_complete >= MIN_COMPLETE_SHARE * len(self.unit)

    @property
    def method(self) -> str:
        """What every method text says about the design."""
        words = f"units nested in groups, {len(self.unit)} units"
        return words if self.is_complete.all() else f"{words}, incomplete strata"

    def centred(self, x: Floats) -> tuple[Floats, Floats]:
        """Values minus the mean of their stratum, exactly 0 where all are equal, and those means."""
        first = np.searchsorted(self.stratum, np.arange(self.stratum[-1] + 1))
        rest = x - x[first][self.stratum]
        shift = np.add.reduceat(rest, first, axis=0) / np.bincount(self.stratum)[:, None]
        return rest - shift[self.stratum], x[first] + shift


def nested_units(frame: Frame, stratum_of_unit: Ints, present: NDArray[np.bool_]) -> Units:
    """The present units of a nested grouping.

    Args:
        frame: one cell a unit.
        stratum_of_unit: of each cell of the frame.
        present: whether each has a value.
    """
    unit = np.flatnonzero(present)
    unit = unit[np.argsort(stratum_of_unit[unit], kind="stable")]
    stratum = np.unique(stratum_of_unit[unit], return_inverse=True)[1]
    group = frame.group[unit]
    return Units(unit, stratum, group, frame.n_groups, len(np.unique(group)))


class Weights(NamedTuple):
    """What each row of contrasts compares: a group with others, in the strata that hold both.

    own, other: weight of each cell, shape (rows, cells); strata count alike. n_own, n_other: units of each
    side, shape (rows,). smallest_p: that shuffling can give, shape (rows,). n_tests: rows that are not the
    mirror of another one.
    """

    own: Floats
    other: Floats
    n_own: Ints
    n_other: Ints
    smallest_p: Floats
    n_tests: int

    @property
    def n_fewest(self) -> Ints:
        """Units of the smaller side."""
        return np.minimum(self.n_own, self.n_other)


def weights_of(units: Units, reference: Reference) -> Weights:
    """Find the cells that each row of a reference compares."""
    group, other = reference.rows(units.n_groups)
    in_stratum = (units.stratum_of_cell[:, None] == np.arange(len(units.is_complete))).astype(float)
    is_own = units.group_of_cell == group[:, None]
    is_other = units.group_of_cell == other[:, None] if reference.is_pairwise else ~is_own
    n_own, n_other = ((side * units.units_of_cell) @ in_stratum for side in (is_own, is_other))
    shared = (n_own > 0) & (n_other > 0)
    is_compared = is_own | is_other if reference.against is Against.GRAND_MEAN else is_other
    n_groups = np.maximum(is_compared @ in_stratum, 1)
    weight = (shared / np.maximum(shared.sum(axis=1, keepdims=True), 1))[:, units.stratum_of_cell]
    return Weights(
        own=is_own * weight,
        other=is_compared * weight / n_groups[:, units.stratum_of_cell],
        n_own=(n_own * shared).sum(axis=1).astype(np.intp),
        n_other=(n_other * shared).sum(axis=1).astype(np.intp),
        smallest_p=_smallest_p(np.bincount(units.stratum), n_own, n_other, is_other @ in_stratum, shared),
        n_tests=_n_tests(reference, int(shared.any(axis=1).sum())),
    )


def _n_tests(reference: Reference, n_rows: int) -> int:
    if reference.against is Against.ALL_PAIRS:
        return n_rows // 2
    return 1 if n_rows == 2 and not reference.is_pairwise else n_rows


def _smallest_p(
    n: Ints, n_own: Floats, n_other: Floats, n_others: Floats, shared: NDArray[np.bool_]
) -> Floats:
    """1 / the ways to choose both sides in each stratum, doubled where exchanging them changes only the sign.

    n: units of each stratum. n_own, n_other: units of both sides, shape (rows, strata). n_others: groups of
    the other side. shared: whether the stratum holds both.
    """
    log_ways = gammaln(n + 1) - gammaln(n_own + 1) - gammaln(n_other + 1) - gammaln(n - n_own - n_other + 1)
    is_mirrored = (((n_own == n_other) & (n_others == 1)) | ~shared).all(axis=1)
    return np.minimum((1 + is_mirrored) * np.exp(-(log_ways * shared).sum(axis=1)), 1)
