"""Which groups moved between two generations: those that stand when the groups that moved most are taken out.

Belongs here: the rounds, whatever a round is tested by. Against the rest one group that moved moves all others: of 3
groups, one of them changed, some other is called in .60 of pairs. Only most of the groups can say who stayed: where
half of them stand or more there are two camps, and nobody is told to have moved alone.

Source: inference.md 8.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

import numpy as np

from python_assets.infer.draws.exchange import SAME_SIZE, Floats, Ints
from python_assets.infer.result import Bools, Result

FEWEST_ROOT_PROMPTS: Final = 6  # of a pair of which groups are taken out; not simulated under 8 with 4 groups
FEWEST_GROUPS: Final = 3


class Rounds(NamedTuple):
    """Changes of the groups that are left against each other, by rows, where some are out; NaN of those.

    tested: with value, studentised and p_maxt, under the same draws whoever is left. tested_again: the same with the
    larger p of a second test, which is made only where the first one is significant. sized: with value, interval and
    p_equivalence. farthest_first: whether each round looks at the group with the largest change; else, of units of one
    group each, at the significant one with the largest t.
    """

    tested: Callable[[Collection[int]], Result]
    tested_again: Callable[[Result, Collection[int]], Result]
    sized: Callable[[Collection[int]], Result]
    farthest_first: bool


class Moved(NamedTuple):
    """Who moved: groups that stand in the order they were taken out, and the rows that show it.

    alone: changes against the others of those that stay; None where no majority stays.
    """

    groups: list[int]
    differs_on_its_own: Bools
    alone: Result | None


def who_moved(
    rounds: Rounds,
    group: Ints,
    names: Sequence[str],
    is_significant: Callable[[Floats], Bools],
    stays: Bools | bool = False,
    first: Result | None = None,
) -> Moved:
    """Take out the groups that moved, the one that moved farthest first, while it is significant.

    Args:
        rounds: of a significant hypothesis with three tested groups or more.
        group: position of the group of each row; rows of a group are its labels.
        names: of the groups: of two that moved as far the first by name is looked at.
        is_significant: whether rows of some p are significant in the whole family.
        stays: rows that an earlier look called, which they stay in the first round.
        first: the round of all groups by both tests; tested where None.

    Returns:
        Both of the last two groups differ on their own where one of them is significant: they are compared with
        nothing but each other.
    """

    def farthest_of(tested: Result, significant: Bools) -> int:
        is_looked_at = ~np.isnan(tested.p_maxt) if rounds.farthest_first else significant
        size = np.where(is_looked_at, np.abs(tested.value if rounds.farthest_first else tested.studentised), -np.inf)
        as_far = np.unique(group[size >= size.max() * (1 - SAME_SIZE)])
        return int(min(as_far.tolist(), key=names.__getitem__))

    def next_round() -> tuple[Result, Bools]:
        tested = rounds.tested(groups)
        significant = is_significant(tested.p_maxt) & ~np.isnan(tested.p_maxt)
        if significant.any() and significant[group == farthest_of(tested, significant)].any():
            tested = rounds.tested_again(tested, groups)
            significant = is_significant(tested.p_maxt) & ~np.isnan(tested.p_maxt)
        return tested, significant

    groups: list[int] = []
    differs_on_its_own = np.zeros(len(group), dtype=bool)
    tested = rounds.tested_again(rounds.tested(groups), groups) if first is None else first
    significant = (is_significant(tested.p_maxt) | stays) & ~np.isnan(tested.p_maxt)
    n_tested = len(np.unique(group[~np.isnan(tested.p_maxt)]))
    while significant.any():
        left = np.unique(group[~np.isnan(tested.p_maxt)])
        if len(left) == 2:
            groups += left.tolist()
            differs_on_its_own |= significant & np.isin(group, left)
            break
        farthest = farthest_of(tested, significant)
        if not significant[group == farthest].any():
            break
        groups.append(farthest)
        differs_on_its_own |= significant & (group == farthest)
        tested, significant = next_round()
    has_majority = n_tested - len(groups) > n_tested / 2
    return Moved(groups, differs_on_its_own, _alone(rounds, groups, group) if has_majority else None)


def _alone(rounds: Rounds, stand: list[int], group: Ints) -> Result:
    """Every group against the others of those that stay."""
    alone = rounds.sized(stand)
    for one in stand:
        against_others = rounds.sized([other for other in stand if other != one])
        is_own = group == one
        alone = Result(*(np.where(is_own, new, old) for new, old in zip(against_others, alone, strict=True)))
    return alone
