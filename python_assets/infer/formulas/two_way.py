"""Error of the mean of units that share prompts, such as names in one group: of units and prompts both.

Belongs here: formulas over one complete table. Differences of groups of units have their error in unit_contrast.py.

Source: inference.md 2.11.
"""

from typing import NamedTuple

import numpy as np

from python_assets.infer.draws.exchange import Floats
from python_assets.infer.result import Bools

MIN_UNITS_OF_MEAN = 5
MIN_PROMPTS = 5  # fewer tell nothing about other prompts


class MeanError(NamedTuple):
    """Standard error of the mean of each column, and its degrees of freedom."""

    std_error: Floats
    df: Floats


def mean_error(x: Floats) -> MeanError:
    """Error of the mean of a table: of units and prompts, of units alone below MIN_PROMPTS prompts.

    Args:
        x: shape (units, prompts, columns), without a gap, of two units at least.

    Source: inference.md 2.11. The variance of unit means holds that of prompts inside units once more, as that of
    prompt means does: it is taken off, and no sum is less than either.
    """
    n_units, n_prompts = x.shape[:2]
    by_unit, by_prompt = x.mean(axis=1), x.mean(axis=0)
    unit_var = by_unit.var(axis=0, ddof=1) / n_units
    if n_prompts < MIN_PROMPTS:
        return MeanError(np.sqrt(unit_var), np.full(unit_var.shape, n_units - 1.0))
    prompt_var = by_prompt.var(axis=0, ddof=1) / n_prompts
    residual = x - by_unit[:, None] - by_prompt + x.mean(axis=(0, 1))
    df_residual = (n_units - 1) * (n_prompts - 1)
    residual_var = (residual**2).sum(axis=(0, 1)) / df_residual / (n_units * n_prompts)
    variance = np.maximum(unit_var + prompt_var - residual_var, np.maximum(unit_var, prompt_var))
    below = prompt_var**2 / (n_prompts - 1) + unit_var**2 / (n_units - 1)
    df = np.divide(variance**2, below, out=np.full(below.shape, n_units - 1.0), where=below > 0)
    return MeanError(np.sqrt(variance), df)


def complete_part(is_there: Bools) -> tuple[Bools, Bools]:
    """Units that answered every prompt, and prompts that every unit answered; all of both where there is no gap.

    Args:
        is_there: whether a unit has a value on a prompt, shape (units, prompts).
    """
    return np.asarray(is_there.all(axis=1)), np.asarray(is_there.all(axis=0))
