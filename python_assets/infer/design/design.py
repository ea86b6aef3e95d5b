"""The shape of a comparison: cells, blocks, units, and what follows from them before any value is seen.

Belongs here: which unit a standard error is over, how many arrangements there are, the words of scope and
method. A block is a root prompt with the levels of all prompt factors outside the grouping; labels are
shuffled in it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.draws.exchange import Floats, Ints, Slots
from python_assets.infer.result import InferenceReason
from python_assets.infer.tables import SIMILAR_PROMPTS, SIMILAR_UNITS, SIMILAR_UNITS_AND_PROMPTS, THESE_PROMPTS

if TYPE_CHECKING:  # a plan reads this file too
    from scipy import sparse

MIN_BLOCKS = 5
MIN_UNITS = 3
MIN_UNITS_OF_HYPOTHESIS = 5  # fewer units of a group take no part in the question where other groups have them
MIN_UNITS_FOR_SCOPE = 5


class Unit(StrEnum):
    """What is independent of what."""

    ROOT_PROMPT = "root prompt"
    BLOCK = "block"
    REPLICATE = "replicate"


class Frame(NamedTuple):
    """All cells of one slice and grouping, sorted by block and group.

    block, group: codes of each cell. root_of_block: root prompt of each block, or the unit that the study
    declares in its place. n_groups: of the grouping. has_own_prompts: whether no two of them share a root
    prompt. root_prompt_of_block: where units are wordings with root prompts of their own; None elsewhere.
    """

    block: Ints
    group: Ints
    root_of_block: Ints
    n_groups: int
    has_own_prompts: bool = True
    root_prompt_of_block: Ints | None = None

    @property
    def is_of_wordings(self) -> bool:
        """Whether units are wordings with root prompts of their own, which are shuffled whole."""
        return self.root_prompt_of_block is not None

    @property
    def moved_with(self) -> Ints | None:
        """Of each cell the number of its group in its unit, where units are shuffled whole; None elsewhere."""
        return self.root_of_block[self.block] * self.n_groups + self.group if self.is_of_wordings else None


@dataclass(frozen=True)
class Design:
    """The cells that a set of columns has values in, and the unit of inference.

    frame: what the cells are taken from.
    cell: positions in the frame, ascending; only blocks of two groups or more.
    unit: root prompt or block.
    """

    frame: Frame
    cell: Ints
    unit: Unit

    @cached_property
    def _blocks(self) -> tuple[Ints, Ints]:
        return np.unique(self.frame.block[self.cell], return_inverse=True)

    @property
    def block(self) -> Ints:
        """Block of each cell, from 0 without gaps."""
        return self._blocks[1]

    @cached_property
    def group(self) -> Ints:
        """Group of each cell."""
        return self.frame.group[self.cell]

    @cached_property
    def block_size(self) -> Ints:
        """Groups present in each block."""
        return np.bincount(self.block)

    @cached_property
    def _roots(self) -> tuple[Ints, Ints]:
        return np.unique(self.frame.root_of_block[self._blocks[0]], return_inverse=True)

    @property
    def roots(self) -> Ints:
        """The root prompts, as the frame has them."""
        return self._roots[0]

    @property
    def root_of_block(self) -> Ints:
        """Root prompt of each block, from 0 without gaps."""
        return self._roots[1]

    @cached_property
    def counted_of_block(self) -> Ints:
        """What is counted as the root prompt of each block: of wordings the root prompts that stand in them."""
        root_prompts = self.frame.root_prompt_of_block
        if root_prompts is None:
            return self.root_of_block
        return np.unique(root_prompts[self._blocks[0]], return_inverse=True)[1]

    @property
    def n_root_prompts(self) -> int:
        """Root prompts of all groups."""
        return int(self.counted_of_block.max(initial=-1)) + 1

    @cached_property
    def unit_of_block(self) -> Ints:
        """Unit of each block: its root prompt, or itself."""
        return self.root_of_block if self.unit is Unit.ROOT_PROMPT else np.arange(len(self.block_size))

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.unit_of_block.max()) + 1

    @property
    def is_single(self) -> bool:
        """Whether no unit has more than one block."""
        return self.n_units == len(self.unit_of_block)

    @property
    def is_complete(self) -> bool:
        """Whether all groups with a value are in every block."""
        return bool((self.block_size == len(self.groups)).all())

    @cached_property
    def groups(self) -> Ints:
        """Groups with a value in some block of the design."""
        return np.unique(self.group)

    @cached_property
    def n_blocks_of_group_and_unit(self) -> Floats:
        """Shape (groups, units)."""
        counts = np.zeros((self.frame.n_groups, self.n_units))
        np.add.at(counts, (self.group, self.unit_of_block[self.block]), 1)
        return counts

    @cached_property
    def holds(self) -> NDArray[np.bool_]:
        """Whether each block holds each group, shape (groups, blocks)."""
        is_present = np.zeros((self.frame.n_groups, len(self.block_size)), dtype=bool)
        is_present[self.group, self.block] = True
        return is_present

    @property
    def units_of_group(self) -> Ints:
        """Units that hold each group, shape (groups,)."""
        return cast(Ints, (self.n_blocks_of_group_and_unit > 0).sum(axis=1))

    @cached_property
    def roots_of_group(self) -> Ints:
        """Root prompts that hold each group, shape (groups,)."""
        pairs = np.unique(np.stack([self.group, self.counted_of_block[self.block]]), axis=1)
        return np.bincount(pairs[0], minlength=self.frame.n_groups)

    @cached_property
    def group_slots(self) -> Slots:
        """Places that add to the sum of their group."""
        return Slots(self.block, self.group, self.frame.n_groups)

    @cached_property
    def unit_slots(self) -> Slots:
        """Places that add to the sum of their group in their unit."""
        row = self.group * self.n_units + self.unit_of_block[self.block]
        return Slots(self.block, row, self.frame.n_groups * self.n_units)

    @cached_property
    def by_unit(self) -> "sparse.csr_array":
        """Matrix that averages the cells of each group over the blocks of each unit."""
        from scipy import sparse

        row = self.unit_slots.row
        weight = 1 / self.n_blocks_of_group_and_unit.ravel()[row]
        shape = (self.unit_slots.n_rows, len(row))
        return sparse.csr_array((weight, (row, np.arange(len(row)))), shape=shape)

    def block_sums(self, x: Floats) -> Floats:
        """Sums over the cells of each block, shape (blocks, columns)."""
        return np.add.reduceat(x, np.searchsorted(self.block, np.arange(len(self.block_size))), axis=0)

    def centred(self, x: Floats) -> Floats:
        """Cells minus the mean of their block; exactly 0 where the cells of a block are equal."""
        first = np.searchsorted(self.block, np.arange(len(self.block_size)))
        x = x - x[first][self.block]
        return x - (self.block_sums(x) / self.block_size[:, None])[self.block]

    def smallest_p(self) -> Floats:
        """Smallest p that shuffling can give each group, shape (groups,).

        Source: inference.md section 1. Which cell of a block the group gets is all that its statistic sees.
        Where every block is a pair, exchanging all pairs gives the same |statistic|.
        """
        cells = self.n_blocks_of_group_and_unit > 0 if self.frame.is_of_wordings else self.holds
        size = cells.sum(axis=0)
        log_arrangements = cells @ np.log(size)
        only_pairs = cells @ (size != 2) == 0
        return cast(Floats, np.minimum((1 + only_pairs) * np.exp(-log_arrangements), 1))

    def scopes(self, n_units: Ints) -> NDArray[np.object_]:
        """What rows over so many units can speak about."""
        has_own = self.frame.has_own_prompts
        return scopes(n_units, self.unit, has_own_prompts=has_own, is_of_wordings=self.frame.is_of_wordings)

    @property
    def method(self) -> str:
        """What every method text says about the design."""
        words = [] if self.is_complete else ["incomplete blocks"]
        if self.unit is Unit.BLOCK:
            words.append(f"{len(self.block_size)} blocks as units")
        return "".join(f", {word}" for word in words)


def choose_unit(
    n_root_prompts: int, n_blocks: int, fewest_replicates: int, *, moves_whole_units: bool = False
) -> Unit | InferenceReason:
    """Choose what is independent, or say why nothing is.

    Args:
        n_root_prompts: root prompts with at least one block of two groups or more.
        n_blocks: such blocks.
        fewest_replicates: responses in the cell of such a block that has fewest.
        moves_whole_units: whether groups are shuffled in all blocks of a unit at once, so that errors are over units
            however few they are: a unit moves all of its blocks and replicates alike.

    Source: inference.md 2.6. It leaves open what 3 or 4 root prompts without replicates are: they stand for
    themselves, as its golden cases of 4 blocks do.
    """
    if moves_whole_units:
        n_blocks, fewest_replicates = 0, 1
    for unit, n in ((Unit.ROOT_PROMPT, n_root_prompts), (Unit.BLOCK, n_blocks)):
        if n >= MIN_BLOCKS:
            return unit
    if fewest_replicates >= 2:
        return Unit.REPLICATE
    for unit, n in ((Unit.ROOT_PROMPT, n_root_prompts), (Unit.BLOCK, n_blocks)):
        if n >= MIN_UNITS:
            return unit
    return InferenceReason.TOO_FEW_ROOT_PROMPTS


def shared(frame: Frame, present: NDArray[np.bool_]) -> Ints:
    """Positions of the present cells that have another group beside them in their block."""
    cell = np.flatnonzero(present)
    size = np.bincount(frame.block[cell], minlength=len(frame.root_of_block))
    return cell[size[frame.block[cell]] >= 2]


def presence_patterns(x: Floats) -> Iterator[tuple[NDArray[np.bool_], Ints]]:
    """Yield each pattern of present cells and the columns that have it, in the order of the first column.

    Args:
        x: shape (cells, columns), NaN where absent.
    """
    present = ~np.isnan(x)
    columns: dict[bytes, list[int]] = {}
    for column, bits in enumerate(np.packbits(present, axis=0).T):
        columns.setdefault(bits.tobytes(), []).append(column)
    for members in columns.values():
        yield present[:, members[0]], np.array(members)


def scopes(n_units: Ints, unit: Unit, *, has_own_prompts: bool, is_of_wordings: bool = False) -> NDArray[np.object_]:
    """What each row of blocks can speak about: prompts or units like these, or these prompts only.

    Args:
        n_units: root prompts, or the declared units in their place.
        unit: what errors are over.
        has_own_prompts: whether no two of them share any; of shared prompts the error says nothing.
        is_of_wordings: whether they are wordings with root prompts of their own, so that the error is of both.

    Source: inference.md 2.7.
    """
    wide = (n_units >= MIN_UNITS_FOR_SCOPE) & (unit is Unit.ROOT_PROMPT)
    wide_scope = SIMILAR_UNITS_AND_PROMPTS if is_of_wordings else SIMILAR_PROMPTS
    like_these = wide_scope if has_own_prompts else SIMILAR_UNITS
    return np.where(wide, like_these, THESE_PROMPTS).astype(object)
