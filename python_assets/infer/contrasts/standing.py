"""Which cells of a crossing stand: those that differ from what their parts make of them when larger ones are taken out.

Belongs here: the rounds. One cell that differs pulls the cells of its rows and columns after it, so that some other one
is called in .46 to 1.00 of sets; taken out first, in .04 to .10. What a round is computed from is told by who asks.

Source: inference.md 6.10.
"""

from collections.abc import Callable, Collection
from typing import NamedTuple

import numpy as np

from python_assets.infer.contrasts.beyond_parts import alike
from python_assets.infer.draws.exchange import TIE, Floats
from python_assets.infer.result import Bools, Result


class Standing(NamedTuple):
    """Cells in the order in which they were taken out, each with its round, and what is left in the end.

    A round has rows of shape (labels, cells), NaN where a cell is out.
    """

    cells: list[int]
    rounds: list[Result]
    last: Result


def standing_cells(test: Callable[[Collection[int]], Result], is_called: Callable[[Floats], Bools]) -> Standing:
    """Take out the called cell with the largest value, and ask again, until none is called.

    By value, not by t: an innocent cell that spreads little beside a guilty one that spreads much has the larger t.

    Args:
        test: what cells have beyond their parts with some taken for absent in all blocks.
        is_called: whether rows of some p are called, at the level of the whole set.

    Returns:
        Cells that say the same are one statement, the first of which is named; where they are all that is left it is
        the last one.
    """
    cells, rounds = list[int](), list[Result]()
    found = test(cells)
    while True:
        called = is_called(found.p_maxt) & ~np.isnan(found.p_maxt)
        if not called.any():
            break
        size = np.where(called, np.abs(found.value), -np.inf)
        is_largest = (size >= size.max() * (1 - TIE)).any(axis=0)
        cells.append(int(is_largest.argmax()))
        rounds.append(found)
        is_tested = ~np.isnan(found.p_maxt)
        if not alike(found.value[is_tested], found.studentised[is_tested]).any():
            break
        found = test(cells)
    return Standing(cells, rounds, found)
