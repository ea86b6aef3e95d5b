"""The declared groupings that are parts of a crossing, and what is left of a block's cells once they are told.

Belongs here: which groupings these are, and the projection of one block. What is summed over root prompts is
schemes/residuals.py.

Source: inference.md 6.10.
"""

from collections.abc import Iterable
from typing import Final

import numpy as np

from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.study.base import LEVEL_SEPARATOR

NOTHING_LEFT: Final = 1e-9  # of a cell, where its parts hold it: rounding


def parts_of(grouping_id: str, declared: Iterable[str]) -> list[str]:
    """The declared groupings by some of the factors of a grouping, and by no other."""
    factors = set(grouping_id.split(LEVEL_SEPARATOR))
    return [other for other in declared if set(other.split(LEVEL_SEPARATOR)) < factors]


def beyond_parts_of(parts: Ints) -> Floats:
    """M = I - X X^+ of the cells of a block: X has a column for the block and one for each group of each part.

    Args:
        parts: level of each part that each present cell lies in, shape (parts, cells).

    Returns:
        Shape (cells, cells); exactly 0 for cells that a part holds alone.
    """
    n_cells = parts.shape[1]
    indicators = [parts[place][:, None] == np.unique(parts[place]) for place in range(len(parts))]
    x = np.hstack([np.ones((n_cells, 1)), *indicators]).astype(np.float64)
    left: Floats = np.eye(n_cells) - x @ np.linalg.pinv(x)
    is_held = np.diag(left) < NOTHING_LEFT
    left[is_held] = 0
    left[:, is_held] = 0
    return left
