"""The shape of a few prompts with replicates: rows in blocks, and the weights of cells that are compared.

Belongs here: what follows from prompts and groups before any value is seen. What is computed is welch.py.

Source: inference.md section 1, row 'one root prompt, repeats only'; with several prompts, rows stay in their
block and the difference is averaged over blocks.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.design import log_choices
from python_assets.infer.pairs import one_way
from python_assets.infer.permutation import Floats, Ints, Slots
from python_assets.infer.reference import Reference
from python_assets.study.base import Against


@dataclass(frozen=True)
class Replicates:
    """Rows of a few prompts, sorted by block; two groups or more in a block, two rows or more in a cell.

    block, group: of each row, blocks from 0 without gaps. root_of_block: root prompt of each block.
    n_present: groups with a value, also one that is alone in all of its blocks.
    """

    block: Ints
    group: Ints
    root_of_block: Ints
    n_groups: int
    n_present: int

    @cached_property
    def _cells(self) -> tuple[Ints, Ints, Ints]:
        return np.unique(self.block * self.n_groups + self.group, return_inverse=True, return_counts=True)

    @property
    def n_rows_of_cell(self) -> Ints:
        """Rows of each cell."""
        return self._cells[2]

    @property
    def block_of_cell(self) -> Ints:
        """Block of each cell."""
        return self._cells[0] // self.n_groups

    @property
    def group_of_cell(self) -> Ints:
        """Group of each cell."""
        return self._cells[0] % self.n_groups

    @property
    def slots(self) -> Slots:
        """Places that add to the sum of their cell."""
        return Slots(self.block, self._cells[1], len(self._cells[0]))

    @cached_property
    def groups(self) -> Ints:
        """Groups with a value beside another one."""
        return np.unique(self.group)

    @cached_property
    def is_complete(self) -> NDArray[np.bool_]:
        """Whether each block holds every group with a value."""
        return np.bincount(self.block_of_cell) == self.n_present

    @cached_property
    def level(self) -> Floats:
        """Weight of each cell in its group's mean over complete blocks, shape (len(groups), cells)."""
        is_group = self.group_of_cell == self.groups[:, None]
        return self.weights(is_group & self.is_complete[self.block_of_cell])

    @cached_property
    def n_root_prompts(self) -> Ints:
        """Root prompts of each group, shape (groups,)."""
        pairs = np.unique(np.stack([self.group, self.root_of_block[self.block]]), axis=1)
        return np.bincount(pairs[0], minlength=self.n_groups)

    def smallest_p(self) -> Floats:
        """Smallest p that shuffling can give each group, as Design.smallest_p."""
        n_block, cell_block = np.bincount(self.block), self.block_of_cell
        choices = log_choices(n_block[cell_block], self.n_rows_of_cell)
        logs = np.bincount(self.group_of_cell, choices, minlength=self.n_groups)
        mirrors = (np.bincount(cell_block)[cell_block] == 2) & (
            2 * self.n_rows_of_cell == n_block[cell_block]
        )
        only = np.bincount(self.group_of_cell, ~mirrors, minlength=self.n_groups) == 0
        return np.minimum((1 + only) * np.exp(-logs), 1)

    def weights(self, is_used: NDArray[np.bool_]) -> Floats:
        """Weight of each cell in the mean of the used ones; root prompts count alike, and blocks in them.

        Args:
            is_used: shape (rows, cells).
        """
        root = self.root_of_block[self.block_of_cell]
        per_root = is_used @ (root[:, None] == np.arange(root.max() + 1)).astype(float)
        n_roots = np.maximum((per_root > 0).sum(axis=1), 1)
        return is_used / (np.maximum(per_root, 1)[:, root] * n_roots[:, None])


class Weights(NamedTuple):
    """What each row compares, by the weight of each cell on both sides, shape (rows, cells).

    is_present: whether a block holds both. n_root_prompts: with such a block. smallest_p: that shuffling can
    give. n_tests: rows that are not the mirror of another one.
    """

    own: Floats
    other: Floats
    is_present: NDArray[np.bool_]
    n_root_prompts: Ints
    smallest_p: Floats
    n_tests: int

    @property
    def difference(self) -> Floats:
        """Weights of own minus other side."""
        return self.own - self.other

    def is_floored(self, alpha: float) -> NDArray[np.bool_]:
        """Whether no arrangement could bring a row below alpha among the tests of its column."""
        return self.smallest_p > alpha / max(self.n_tests, 1)


def weights_of(rows: Replicates, reference: Reference) -> Weights:
    """Weights of a reference; of all pairs only one of each two that mirror each other."""
    if reference.is_pairwise:
        return _of_pairs(rows, *one_way(reference, rows.n_groups))
    own = rows.weights(rows.group_of_cell == np.arange(rows.n_groups)[:, None])
    of_block = own @ (rows.block_of_cell[:, None] == np.arange(len(rows.root_of_block)))
    is_rest = reference.against is Against.REST
    share = (of_block / (np.bincount(rows.block_of_cell) - is_rest))[:, rows.block_of_cell]
    is_other = (rows.group_of_cell != np.arange(rows.n_groups)[:, None]) | (not is_rest)
    return Weights(
        own,
        share * is_other,
        np.isin(np.arange(rows.n_groups), rows.groups),
        rows.n_root_prompts,
        rows.smallest_p(),
        1 if len(rows.groups) == 2 else len(rows.groups),
    )


def _of_pairs(rows: Replicates, group: Ints, other: Ints) -> Weights:
    n_rows = np.zeros((rows.n_groups, len(rows.root_of_block)), dtype=np.intp)
    n_rows[rows.group_of_cell, rows.block_of_cell] = rows.n_rows_of_cell
    n_own, n_other, n_block = n_rows[group], n_rows[other], n_rows.sum(axis=0)
    is_shared = (n_own > 0) & (n_other > 0)
    in_shared = is_shared[:, rows.block_of_cell]
    choices = log_choices(n_block, n_own) + log_choices(n_block - n_own, n_other)
    is_mirrored = (~is_shared | (n_own == n_other)).all(axis=1)
    smallest = (1 + is_mirrored) * np.exp(-np.where(is_shared, choices, 0).sum(axis=1))
    roots = rows.root_of_block[:, None] == np.arange(rows.root_of_block.max() + 1)
    return Weights(
        rows.weights((rows.group_of_cell == group[:, None]) & in_shared),
        rows.weights((rows.group_of_cell == other[:, None]) & in_shared),
        is_shared.sum(axis=1) > 0,
        (is_shared @ roots).sum(axis=1),
        np.minimum(smallest, 1),
        int((is_shared.sum(axis=1) > 0).sum()),
    )
