"""What each cell of a crossing has beyond its declared parts, root prompt by root prompt, or over units of its own.

Belongs here: residuals and weights. How they are tested is contrasts/interaction.py.

Source: inference.md 6.10.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from python_assets.infer.design.design import Frame
from python_assets.infer.design.parts import interaction_of
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.draws.flips import ROUNDING
from python_assets.infer.schemes.unit_contrast import UnitContrast


class Residuals(NamedTuple):
    """Cells of root prompts less what the parts make of them, of a crossing whose cells meet in blocks.

    root: position of each root prompt that tells anything. own: e of inference.md 6.10, shape (root prompts, cells,
    columns). weight: m, shape (root prompts, cells); 0 where a root prompt tells nothing of a cell.
    """

    root: Ints
    own: Floats
    weight: Floats

    @property
    def n(self) -> Ints:
        """Root prompts that tell something of each cell."""
        return np.asarray((self.weight > 0).sum(axis=0))


def residuals(frame: Frame, cell: Ints, x: Floats, parts: Ints) -> Residuals:
    """Take off what the parts make of the cells of each block, and average the blocks of each root prompt.

    Args:
        frame: of all cells.
        cell: positions of those that are present, ascending.
        x: their values, shape (cells, columns).
        parts: as Cells.asks_of_parts has them.
    """
    n_groups, n_columns = frame.n_groups, x.shape[1]
    blocks, block = np.unique(frame.block[cell], return_inverse=True)
    holds = np.zeros((len(blocks), n_groups), dtype=bool)
    holds[block, frame.group[cell]] = True
    # taken off first, so that equal cells of a block leave exactly nothing
    first = np.searchsorted(block, np.arange(len(blocks)))
    table = np.zeros((len(blocks), n_groups, n_columns))
    table[block, frame.group[cell]] = x - x[first][block]
    left_over, weight = np.zeros(table.shape), np.zeros(holds.shape)
    patterns, pattern_of_block = np.unique(holds, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        present, members = np.flatnonzero(pattern), np.flatnonzero(pattern_of_block.ravel() == number)
        left = interaction_of(parts[:, present])
        left_over[np.ix_(members, present)] = np.einsum("gh,bhf->bgf", left, table[np.ix_(members, present)])
        weight[np.ix_(members, present)] = np.diag(left)
    # cells that the parts make up to the last bits leave nothing, else their rounding would be held against itself
    left_over[np.abs(left_over) <= ROUNDING * np.abs(table).max(axis=(0, 1), initial=0)] = 0
    roots, root = np.unique(frame.root_of_block[blocks], return_inverse=True)
    n_blocks = np.bincount(root).astype(float)
    own_of_root, weight_of_root = np.zeros((len(roots), *left_over.shape[1:])), np.zeros((len(roots), n_groups))
    np.add.at(own_of_root, root, left_over)
    np.add.at(weight_of_root, root, weight)
    tells = weight_of_root.any(axis=1)
    return Residuals(
        roots[tells], (own_of_root / n_blocks[:, None, None])[tells], (weight_of_root / n_blocks[:, None])[tells]
    )


@dataclass(frozen=True, kw_only=True)
class UnitResiduals(UnitContrast):
    """The same over units that lie in one cell each: a row a cell, with the errors of inference.md 2.7.

    parts: as Cells.asks_of_parts has them.
    """

    parts: Ints

    @cached_property
    def difference(self) -> Floats:
        """Weight of each cell, a cell being a group in a stratum; 0 where the parts hold the group."""
        units, group = self.units, self.units.group_of_cell
        stratum_weights = units.weight_of_strata(np.ones((1, len(units.is_complete)), dtype=bool))[0]
        weights, total = np.zeros((units.n_groups, len(group))), np.zeros(units.n_groups)
        for stratum, stratum_weight in enumerate(stratum_weights):
            at = np.flatnonzero(units.stratum_of_cell == stratum)
            left = stratum_weight * interaction_of(self.parts[:, group[at]])
            weights[np.ix_(group[at], at)] = left
            total[group[at]] += np.diag(left)
        shares: Floats = np.divide(weights, total[:, None], out=np.zeros_like(weights), where=total[:, None] > 0)
        return shares

    @property
    def units_of_groups(self) -> Ints:
        """Units of each group."""
        return np.bincount(self.units.group, minlength=self.units.n_groups)
