"""Means of groups adjusted for blocks that lack some: the normal equations of additive least squares.

Belongs here: the equations of cells on block and group. Which cells these are, and what is made of the means, is
schemes/group_means.py and formulas/negative_controls.py.

Source: inference.md 2.1.
"""

from typing import Final

import numpy as np

from python_assets.infer.draws.exchange import Floats, Ints

SINGULAR: Final = 1e-10  # an eigenvalue below this share of the largest is 0: rounding gives the constant up to 3e-15


def adjustment(group: Ints, block: Ints, weight: Floats, n_groups: int) -> Floats:
    """Matrix of the normal equations of group effects beside block effects, averaged over blocks.

    Args:
        group: of each cell; every group 0 to n_groups - 1 stands somewhere.
        block: of each cell.
        weight: of each block.
        n_groups: groups.

    Returns:
        Shape (groups, groups), of rank groups - 1 where shared blocks connect all groups.
    """
    holds = np.zeros((len(weight), n_groups))
    holds[block, group] = 1
    share: Floats = holds / holds.sum(axis=1, keepdims=True)
    return np.diag(weight @ holds) - (holds * weight[:, None]).T @ share


def is_connected(equations: Floats) -> bool:
    """Whether shared blocks connect all groups."""
    return len(equations) < 2 or bool(np.linalg.eigvalsh(equations)[1] > 1e-9)
