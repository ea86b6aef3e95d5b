"""Which difference a design with negative controls finds.

Belongs here: formulas. What they are applied to is power.py; the test itself is infer's.

Source: inference.md 14. A hypothesis is found where its permuted p and the p of its controls are both
small, so the power is that of both tests: F of groups over the residual of cells, and F of groups over what wording
and chance do to controls, which is a noncentral F with types - 1 degrees of freedom below.
"""

from typing import NamedTuple

import numpy as np

_N_POINTS = 400  # quantiles of the groups' variance, over which the chance of both tests is averaged
_FLOOR_QUANTILE = 0.05  # of what chance alone leaves between controls
_LARGEST = 1e6  # effect in errors of a group's mean


class ControlledDesign(NamedTuple):
    """A grouping and its controls.

    n_groups, n_root_prompts: groups, and root prompts that hold them. df: of controls: their types less one. cell_sd:
    of the mean of a cell, without what all groups of its root prompt share. wording_sd: of what any words do to all
    prompts. alpha: of the hypothesis.
    """

    n_groups: int
    n_root_prompts: int
    df: int
    cell_sd: float
    wording_sd: float
    alpha: float


def power_with_controls(design: ControlledDesign, effect: float) -> float:
    """Chance to find one group that differs from all others by an effect, which are alike.

    Args:
        design: groups and controls; root prompts and df at least 2 and 1.
        effect: in the unit of its sds.

    Source: inference.md 14; the variance of the groups' means is noncentral chi-square with n_groups - 1
    degrees of freedom, that of controls and that of cells are chi-square, all independent. The permuted p is the
    smaller of two statistics where there are three groups or more, and is taken as F at half its alpha.
    """
    from scipy.special import chdtr, chdtri, chndtrix, fdtri

    df_groups = design.n_groups - 1
    df_cells = (design.n_root_prompts - 1) * df_groups
    error = design.cell_sd**2 / design.n_root_prompts
    variance = design.wording_sd**2 + error
    quantiles = (np.arange(_N_POINTS) + 0.5) / _N_POINTS
    noncentrality = effect**2 * df_groups / design.n_groups / variance
    between = chndtrix(quantiles, df_groups, noncentrality) / df_groups
    permuted_alpha = design.alpha / (1 if df_groups == 1 else 2)
    controls = between / fdtri(df_groups, design.df, 1 - design.alpha) * design.df
    cells = between * variance / error / fdtri(df_groups, df_cells, 1 - permuted_alpha) * df_cells
    floor = chdtri(design.df, 1 - _FLOOR_QUANTILE) * error / variance
    return float(np.mean(chdtr(design.df, controls) * (controls > floor) * chdtr(df_cells, cells)))


def detectable_with_controls(design: ControlledDesign, power: float) -> float:
    """Smallest difference of one group that is found with the power; NaN where none is.

    Args:
        design: groups and controls.
        power: chance to find it.
    """
    from scipy.optimize import brentq

    if design.n_groups < 2 or design.n_root_prompts < 2 or design.df < 1 or not design.cell_sd > 0:
        return np.nan
    scale = float(np.hypot(design.cell_sd / np.sqrt(design.n_root_prompts), design.wording_sd))
    most = 1.0
    while power_with_controls(design, most * scale) < power:
        most *= 2
        if most > _LARGEST:
            return np.nan
    return float(brentq(lambda effect: power_with_controls(design, effect * scale) - power, 0, most, xtol=1e-6) * scale)
