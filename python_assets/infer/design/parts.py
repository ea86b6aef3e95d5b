"""What is left of a block's cells once the parts of their grouping are taken off.

Belongs here: the projection of one block. What is summed over root prompts is schemes/residuals.py.

Source: inference.md 6.10.
"""

from typing import Final

import numpy as np

from python_assets.infer.draws.exchange import Floats, Ints

FEWEST: Final = 5  # root prompts of a question
NOTHING_LEFT: Final = 1e-9  # of a cell, where its parts hold it: rounding


def interaction_of(parts: Ints) -> Floats:
    """M = I - X X^+ of the cells of a block: X has a column for the block and one for each group of each part.

    Args:
        parts: level of each part that each present cell lies in, shape (parts, cells).

    Returns:
        Shape (cells, cells); exactly 0 for cells that a part holds alone.
    """
    n_cells = parts.shape[1]
    indicators = [parts[index][:, None] == np.unique(parts[index]) for index in range(len(parts))]
    x = np.hstack([np.ones((n_cells, 1)), *indicators]).astype(np.float64)
    left: Floats = np.eye(n_cells) - x @ np.linalg.pinv(x)
    is_stratum = np.diag(left) < NOTHING_LEFT
    left[is_stratum] = 0
    left[:, is_stratum] = 0
    return left
