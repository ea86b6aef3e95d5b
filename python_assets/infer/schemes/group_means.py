"""The means of all groups side by side, observed, shuffled and resampled: what indices are computed from.

Belongs here: group means adjusted for the blocks that each group stands in. Where every block holds every
group they are plain means; elsewhere they are the groups of the additive least squares of cells on block
and group, so that a group that stands in high blocks alone is not high for it.

Source: inference.md 2.1.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from python_assets.infer.design.design import Design
from python_assets.infer.draws.exchange import Draws, Floats, Ints, each_batch, permuted_means
from python_assets.infer.formulas.adjusted import SINGULAR, adjustment, is_connected
from python_assets.infer.result import InferenceReason
from python_assets.infer.schemes.inversion import Resamples
from python_assets.infer.schemes.unit_contrast import UnitContrast
from python_assets.infer.schemes.units import MIN_UNITS_OF_GROUP, Units
from python_assets.infer.tables import GENERAL_SCOPES, THESE_PROMPTS

SOLVED_AT_ONCE = 8_000_000  # numbers of the systems of equations of resamples


class GroupValues(NamedTuple):
    """Means of groups minus their level, (groups, columns); the level; the spread of what is shuffled."""

    deviation: Floats
    level: Floats
    scale: Floats


@dataclass(frozen=True)
class BlockMeans:
    """Means over blocks; root prompts weigh alike, and blocks in them.

    design: the cells. n_groups_with_value: also groups that meet no other one. resamples: of the units.
    """

    design: Design
    n_groups_with_value: int
    resamples: Resamples | None

    no_p = None
    no_interval = InferenceReason.TOO_FEW_FOR_INTERVAL

    @property
    def groups(self) -> Ints:
        """Groups that meet another one."""
        return self.design.groups

    @property
    def missing(self) -> InferenceReason | None:
        """Groups without a common scale."""
        apart = len(self.groups) < self.n_groups_with_value or not is_connected(self._equations)
        return InferenceReason.NOT_CONNECTED if apart else None

    @property
    def n_root_prompts(self) -> int:
        """Root prompts with a block of two groups."""
        return self.design.n_root_prompts

    @property
    def n_clusters(self) -> int:
        """Root prompts with a block of two groups, or the units in their place."""
        return int(self.design.root_of_block.max()) + 1

    @property
    def n_units(self) -> int:
        """Root prompts, or the blocks that take their place."""
        return self.design.n_units

    @property
    def scope(self) -> str:
        """What the indices speak about."""
        return str(self.design.scopes(np.array([self.n_clusters]))[0])

    @property
    def method(self) -> str:
        """What was shuffled."""
        return f"permuted within blocks{self.design.method}"

    @cached_property
    def _group(self) -> Ints:
        """Group of each cell, without gaps."""
        return np.searchsorted(self.groups, self.design.group)

    @cached_property
    def _weight(self) -> Floats:
        """Weight of each block among those of its unit."""
        unit = self.design.unit_of_block
        return 1 / np.bincount(unit)[unit]

    @cached_property
    def _equations(self) -> Floats:
        weight = self._weight / self.design.n_units
        return adjustment(self._group, self.design.block, weight, len(self.groups))

    def _solved(self, sums: Floats) -> Floats:
        """Deviations from sums of centred cells, which in complete blocks they are."""
        if self.design.is_complete:
            return sums
        return np.asarray(np.linalg.pinv(self._equations, rcond=SINGULAR, hermitian=True)) @ sums

    def _weighted(self, x: Floats) -> Floats:
        weight = self._weight[self.design.block] / self.design.n_units
        return weight[:, None] * self.design.centred(x)

    def observed(self, x: Floats) -> GroupValues:
        """Adjusted means of the cells."""
        sums = np.zeros((len(self.groups), x.shape[1]))
        np.add.at(sums, self._group, self._weighted(x))
        level = (self._weight / self.design.n_units) @ (self.design.block_sums(x) / self.design.block_size[:, None])
        return GroupValues(self._solved(sums), level, np.sqrt((self.design.centred(x) ** 2).mean(axis=0)))

    def null(self, x: Floats, draws: Draws) -> Floats:
        """Adjusted means of shuffled cells: the means of blocks stay as they are."""
        sums = permuted_means(self.design.group_slots, draws, self._weighted(x))
        return self._solved(sums if len(self.groups) == sums.shape[1] else sums[:, self.groups])

    def null_of_differences(self, differences: Floats) -> Floats | None:
        """The same from differences from the rest under each draw, which only complete blocks have."""
        if not self.design.is_complete or len(self.groups) != differences.shape[1]:
            return None
        return differences * ((len(self.groups) - 1) / len(self.groups))

    def by_unit(self, x: Floats) -> Floats:
        """Sums of centred cells of each unit; then the level of the unit as one group more."""
        n_units, n_groups = self.design.n_units, len(self.groups)
        unit = self.design.unit_of_block[self.design.block]
        row = unit * n_groups + self._group
        weight = self._weight[self.design.block]
        sums = sparse.csr_array(
            (weight, (row, np.arange(len(row)))), shape=(n_units * n_groups, len(row))
        ) @ self.design.centred(x)
        table = np.full((n_units, n_groups + 1, x.shape[1]), np.nan)
        table[:, :-1][self._is_present] = sums[self._is_present.ravel()]
        means = self.design.block_sums(x) / self.design.block_size[:, None]
        unit_weights = sparse.csr_array(
            (self._weight, (self.design.unit_of_block, np.arange(len(means)))), shape=(n_units, len(means))
        )
        table[:, -1] = unit_weights @ means
        return table

    @cached_property
    def _is_present(self) -> NDArray[np.bool_]:
        """Whether each unit holds each group, shape (units, groups)."""
        return self.design.n_blocks_of_group_and_unit[self.groups].T > 0

    @cached_property
    def _drawn(self) -> tuple[sparse.csr_array, Floats | None]:
        """Resamples that hold all groups, and the equations of each, flat; None in complete blocks."""
        if self.resamples is None:
            raise ValueError("too few units to resample")
        weights, design, n_groups = self.resamples.weights, self.design, len(self.groups)
        if design.is_complete:
            return weights, None
        holds_all = ((weights @ self._is_present.astype(float)) > 0).all(axis=1)
        weights = weights[np.flatnonzero(holds_all)]
        holds = design.holds[self.groups].T.astype(float)  # (blocks, groups)
        block_equations = -holds[:, :, None] * holds[:, None, :] / design.block_size[:, None, None]
        block_equations[:, np.arange(n_groups), np.arange(n_groups)] += holds
        unit_and_block, shape = (design.unit_of_block, np.arange(len(holds))), (design.n_units, len(holds))
        unit_equations = sparse.csr_array((self._weight, unit_and_block), shape=shape) @ block_equations.reshape(
            len(holds), -1
        )
        return weights, weights @ unit_equations

    def noise(self, by_unit: Floats, observed: Floats, *, with_level: bool) -> Floats:
        """Adjusted means of resampled units, as far from the observed ones as a new sample would be.

        Args:
            by_unit: of by_unit, for some columns.
            observed: deviations of these columns, shape (groups, columns).
            with_level: whether the level is resampled too, as it is of rates.
        """
        weights, equations = self._drawn
        n_units, n_groups = len(by_unit), len(self.groups)
        drawn = weights @ np.nan_to_num(by_unit).reshape(n_units, -1)
        drawn = drawn.reshape(len(drawn), n_groups + 1, -1)
        means = drawn[:, :-1] if equations is None else _solved(equations, drawn[:, :-1])
        if with_level:
            means = means + (drawn[:, -1:] - by_unit[:, -1].mean(axis=0))
        spread = np.sqrt(n_units / (n_units - 1))
        # draws side by side: every s of an inversion goes through them
        return np.ascontiguousarray(np.moveaxis((means - observed) * spread, 0, -1))


def _solved(equations: Floats, sums: Floats) -> Floats:
    """Deviations of each resample from its sums (draws, groups, columns)."""
    n_groups = sums.shape[1]
    matrices = equations.reshape(-1, n_groups, n_groups) + 1 / n_groups
    step = max(SOLVED_AT_ONCE // n_groups**2, 1)
    try:
        solutions = [
            np.linalg.solve(matrices[start : start + step], sums[start : start + step])
            for start in range(0, len(sums), step)
        ]
    except np.linalg.LinAlgError:  # a resample that no shared block connects
        solutions = [np.linalg.pinv(matrices, rcond=SINGULAR) @ sums]
    return np.concatenate(solutions)


@dataclass(frozen=True)
class UnitMeans:
    """Means of groups that lie in units of their own; strata weigh alike. Their indices have no interval."""

    units: Units

    resamples = None
    no_interval = InferenceReason.INTERVAL_NOT_VALIDATED

    @property
    def groups(self) -> Ints:
        """Groups with a value."""
        return self.units.groups

    @property
    def missing(self) -> InferenceReason | None:
        """Groups that share no chain of strata."""
        apart = len(self.groups) < self.units.n_present or not is_connected(self._equations)
        return InferenceReason.NOT_CONNECTED if apart else None

    @property
    def no_p(self) -> InferenceReason | None:
        """Too few units of some group; where a grouping is nested in part, its noise floor stays."""
        if self.units.is_replicate or self.units.owner is not None:
            return None
        fewest = np.bincount(self._group, self.units.units_of_cell).min()
        return InferenceReason.TOO_FEW_UNITS if fewest < MIN_UNITS_OF_GROUP else None

    @property
    def n_root_prompts(self) -> int:
        """Root prompts of all units."""
        return int(self.units.n_root_prompts_of(np.ones((1, len(self.units.group)), dtype=bool))[0])

    @property
    def n_clusters(self) -> int:
        """Root prompts of all units."""
        return self.n_root_prompts

    @property
    def n_units(self) -> int:
        """Units of all groups; of repeats the root prompts."""
        return self.n_root_prompts if self.units.is_replicate else self.units.n_drawn

    @property
    def scope(self) -> str:
        """The narrowest scope of any group."""
        scopes = UnitContrast(self.units).rows.scope[self.groups]
        return str(min(scopes, key=lambda scope: (scope != THESE_PROMPTS, scope in GENERAL_SCOPES)))

    @property
    def method(self) -> str:
        """What was shuffled."""
        if self.units.is_replicate:
            return "permuted replicates within blocks"
        return f"permuted units{self.units.method}"

    @cached_property
    def _group(self) -> Ints:
        return np.searchsorted(self.groups, self.units.group_of_cell)

    @cached_property
    def _stratum_weight(self) -> Floats:
        return cast(Floats, self.units.weight_of_strata(np.ones((1, len(self.units.is_complete)), dtype=bool))[0])

    @cached_property
    def _equations(self) -> Floats:
        return adjustment(self._group, self.units.stratum_of_cell, self._stratum_weight, len(self.groups))

    @cached_property
    def _map(self) -> Floats:
        """From means of cells to deviations of groups, shape (groups, cells)."""
        stratum = self.units.stratum_of_cell
        is_group = (self._group == np.arange(len(self.groups))[:, None]) * self._stratum_weight[stratum]
        same = (stratum[:, None] == stratum) / np.bincount(stratum)[stratum]
        return cast(
            Floats, np.linalg.pinv(self._equations, rcond=SINGULAR, hermitian=True) @ (is_group - is_group @ same)
        )

    def observed(self, x: Floats) -> GroupValues:
        """Adjusted means of the cells; deviations are of values centred by prompt, as shuffled ones are."""
        contrast, units = UnitContrast(self.units), self.units
        centred = units.sums_of_cells(units.table(x).mean(axis=1))
        stratum = units.stratum_of_cell
        share = self._stratum_weight[stratum] / np.bincount(stratum)[stratum]
        deviation = (self._map / units.size_of_cell) @ centred
        return GroupValues(deviation, share @ contrast.cell_means(x), contrast.scale(x))

    def null(self, x: Floats, draws: Draws) -> Floats:
        """Adjusted means of shuffled units."""
        z, slots = self.units.table(x).mean(axis=1), self.units.slots
        by_cell = self._map / self.units.size_of_cell
        means = np.empty((x.shape[1], len(self.groups), draws.n))

        def one(w: sparse.csr_array, batch: slice) -> None:
            sums = (w @ z).reshape(-1, slots.n_rows, x.shape[1])
            means[:, :, batch] = np.einsum("gc,bcf->fgb", by_cell, sums)

        each_batch(slots, draws, one)
        return means
