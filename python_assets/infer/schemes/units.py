"""The units that groups lie in: names inside gender, prompts inside a topic, repeats.

Belongs here: which units there are, and their weights. How groups of them are compared is unit_contrast.py.

Source: inference.md 2.7.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.design.design import MIN_UNITS_FOR_SCOPE
from python_assets.infer.draws.exchange import Floats, Ints, Slots
from python_assets.infer.formulas.two_way import MIN_PROMPTS
from python_assets.infer.tables import SIMILAR_PROMPTS, SIMILAR_UNITS, SIMILAR_UNITS_AND_PROMPTS, THESE_PROMPTS

MIN_UNITS_OF_GROUP = 4
UNIT_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class Units:
    """The units of a set of columns, sorted by stratum; each lies in one group.

    name: code of each unit. cell: positions of the values, shape (units, prompts), -1 where a unit has
    none; one prompt where each unit has its own, or is a response. stratum, group: of each unit, strata
    from 0 without gaps. root_of_stratum: strata of one root prompt weigh as one. n_own_prompts: of units
    that have their own; None where prompts are shared. root_of_unit: where units are responses to the same
    prompt. weight: of each unit in its cell, where they do not count alike; in each cell it adds up to the effective
    number of its units, (sum w)^2 / sum w^2. n_groups: of the grouping. n_present: groups with any value.
    """

    name: Ints
    cell: Ints
    stratum: Ints
    group: Ints
    root_of_stratum: Ints
    n_groups: int
    n_present: int
    n_own_prompts: Ints | None = None
    root_of_unit: Ints | None = None
    weight: Floats | None = None
    owner: Ints | None = None

    @property
    def n_drawn(self) -> int:
        """How many units were drawn; those that are groups of one are one."""
        return len(np.unique(self.name if self.owner is None else self.owner))

    @property
    def is_replicate(self) -> bool:
        """Whether units are responses to the same prompt."""
        return self.root_of_unit is not None

    @cached_property
    def _cells(self) -> tuple[Ints, Ints, Ints]:
        code = self.stratum * self.n_groups + self.group
        return np.unique(code, return_inverse=True, return_counts=True)

    @property
    def units_of_cell(self) -> Ints:
        """Units of each cell, a cell being a group in a stratum."""
        return self._cells[2]

    @cached_property
    def size_of_cell(self) -> Floats:
        """Effective number of units of each cell: their number where they count alike.

        Source: Kish 1965, Survey Sampling, 11.7.
        """
        return np.bincount(self._cells[1], self.weight).astype(np.float64)

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
        return Slots(self.stratum, self._cells[1], len(self._cells[0]), self.weight)

    def sums_of_cells(self, z: Floats) -> Floats:
        """Weighted sums over the units of each cell, shape (units, columns) to (cells, columns)."""
        sums = np.zeros((len(self._cells[0]), z.shape[1]))
        np.add.at(sums, self._cells[1], z if self.weight is None else z * self.weight[:, None])
        return sums

    @property
    def n_prompts(self) -> int:
        """Prompts that all units share; 1 where each has its own."""
        return int(self.cell.shape[1])

    @property
    def is_two_way(self) -> bool:
        """Whether the error is that of units and prompts both."""
        return self.n_prompts >= MIN_PROMPTS

    @cached_property
    def groups(self) -> Ints:
        """Groups with a value."""
        return np.unique(self.group)

    @cached_property
    def is_complete(self) -> NDArray[np.bool_]:
        """Whether each stratum holds every group with a value."""
        return cast(NDArray[np.bool_], np.bincount(self.stratum_of_cell) == self.n_present)

    @cached_property
    def level(self) -> Floats:
        """Weight of each cell in its group's mean over complete strata, shape (groups present, cells)."""
        is_group = self.group_of_cell == self.groups[:, None]
        is_used = is_group & self.is_complete[self.stratum_of_cell]
        return cast(Floats, is_used * self.weight_of_strata(np.atleast_2d(self.is_complete))[:, self.stratum_of_cell])

    def weight_of_strata(self, is_used: NDArray[np.bool_]) -> Floats:
        """Weights of the used strata: root prompts count alike, and strata in them; shape (rows, strata)."""
        is_of_root = self.root_of_stratum[:, None] == np.arange(self.root_of_stratum.max() + 1)
        per_root = is_used @ is_of_root.astype(float)
        n_roots = np.maximum((per_root > 0).sum(axis=1, keepdims=True), 1)
        return cast(Floats, is_used / (np.maximum(per_root, 1)[:, self.root_of_stratum] * n_roots))

    def n_root_prompts_of(self, is_unit: NDArray[np.bool_]) -> Ints:
        """Root prompts behind some of the units, shape (rows, units) to (rows,)."""
        if self.root_of_unit is not None:
            return np.array([len(np.unique(self.root_of_unit[row])) for row in is_unit], dtype=np.intp)
        if self.n_own_prompts is not None:
            return is_unit @ self.n_own_prompts
        return np.full(len(is_unit), self.n_prompts)

    @property
    def method(self) -> str:
        """What every method text says about the design."""
        if self.is_replicate:
            return ""
        prompts = f" and {self.n_prompts} prompts" if self.is_two_way else ""
        in_groups = "units nested in groups" if self.owner is None else "units nested in part of the factors"
        words = f", {in_groups}, {self.n_drawn} units{prompts}"
        return words if self.is_complete.all() else f"{words}, incomplete strata"

    def table(self, x: Floats) -> Floats:
        """Values by unit and prompt, centred in their stratum and prompt; shape (units, prompts, columns).

        A value that is missing is what unit and prompt make without it, so that means of units and prompts
        are those of what is there.

        Args:
            x: shape (cells, columns).
        """
        there = self.cell >= 0
        z: Floats = np.where(there[:, :, None], x[self.cell], np.nan)
        first = np.searchsorted(self.stratum, np.arange(self.stratum[-1] + 1))
        z = np.nan_to_num(z - np.nan_to_num(z[first])[self.stratum])  # exactly 0 where all are equal
        if there.all():
            size = np.bincount(self.stratum)[:, None, None]
            return z - (np.add.reduceat(z, first, axis=0) / size)[self.stratum]
        z = np.where(there[:, :, None], z - self._prompt_effects(z, there)[self.stratum], 0)
        unit_mean: Floats = z.sum(axis=1, keepdims=True) / np.maximum(there.sum(axis=1), 1)[:, None, None]
        return np.where(there[:, :, None], z, unit_mean)

    def _prompt_effects(self, z: Floats, there: NDArray[np.bool_]) -> Floats:
        """What each prompt adds in each stratum, groups left out of account; shape (strata, prompts, columns).

        A prompt that mostly one side answered is as high as this side is, and centred on it would pull the
        difference towards 0. So each group is taken off first, by the mean of its prompts that all groups of the
        stratum answered; what is left of each group on a prompt counts alike.

        Args:
            z: values, 0 where missing, shape (units, prompts, columns).
            there: which are not.
        """
        row, n_cells, stratum = self.slots.row, self.slots.n_rows, self.stratum_of_cell
        total, n = np.zeros((n_cells, *z.shape[1:])), np.zeros((n_cells, self.n_prompts))
        np.add.at(total, row, z)
        np.add.at(n, row, there)
        mean, is_held = total / np.maximum(n, 1)[:, :, None], (n > 0)[:, :, None]
        in_stratum = (np.arange(stratum[-1] + 1)[:, None] == stratum).astype(float)
        n_held = np.tensordot(in_stratum, is_held, 1)
        is_shared = (n_held == in_stratum.sum(axis=1)[:, None, None])[stratum]
        group_mean = (mean * is_shared).sum(axis=1, keepdims=True) / np.maximum(is_shared.sum(axis=1, keepdims=True), 1)
        return np.tensordot(in_stratum, (mean - group_mean) * is_held, 1) / np.maximum(n_held, 1)


def unit_scopes(n_units: Ints, n_prompts: int, *, has_own_prompts: bool) -> NDArray[np.object_]:
    """What each row can speak about.

    Args:
        n_units: of the smaller side.
        n_prompts: that units share.
        has_own_prompts: whether no two units share any, so that prompts are as many as units or more.

    Source: inference.md 2.7.
    """
    if has_own_prompts:
        wide = SIMILAR_PROMPTS
    else:
        wide = SIMILAR_UNITS_AND_PROMPTS if n_prompts >= MIN_PROMPTS else SIMILAR_UNITS
    return np.where(n_units >= MIN_UNITS_FOR_SCOPE, wide, THESE_PROMPTS).astype(object)
