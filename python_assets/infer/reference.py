"""What a group is compared with: the rest, the grand mean, one level, or every other group.

Belongs here: which rows a comparison has. What the rows compare is block_sides.py and pairs.py.
"""

from typing import NamedTuple

import numpy as np

from python_assets.infer.permutation import Ints
from python_assets.study.base import Against


class Reference(NamedTuple):
    """What the groups of one grouping are compared with.

    level: position of the reference group, for Against.LEVEL alone.
    """

    against: Against = Against.REST
    level: int | None = None

    @property
    def is_pairwise(self) -> bool:
        """Whether each row compares two groups, on the blocks that hold both."""
        return self.against in (Against.LEVEL, Against.ALL_PAIRS)

    def rows(self, n_groups: int) -> tuple[Ints, Ints]:
        """Position of the group of each row and of what it is compared with, -1 where that is no group.

        A reference level has no row of its own; all pairs are the ordered ones, by group and then by other.
        """
        groups = np.arange(n_groups)
        if self.against is Against.LEVEL:
            groups = groups[groups != self.level]
            return groups, np.full(len(groups), self.level, dtype=np.intp)
        if self.against is Against.ALL_PAIRS:
            group, other = np.nonzero(~np.eye(n_groups, dtype=bool))
            return group, other
        return groups, np.full(n_groups, -1, dtype=np.intp)

    def names(self, group_ids: list[str]) -> list[tuple[str, str]]:
        """Group and reference of each row, in words."""
        group, other = self.rows(len(group_ids))
        return [
            (group_ids[g], group_ids[o] if o >= 0 else str(self.against))
            for g, o in zip(group, other, strict=True)
        ]
