"""Adjusting p values for the number of questions asked.

Belongs here: the adjustments. Which rows are one family is run.py's.
"""

import math

import numpy as np

from python_assets.infer.permutation import Floats


def benjamini_hochberg(p: Floats) -> Floats:
    """Adjusted p values, q, that bound the share of false discoveries.

    Args:
        p: p values of one family; NaN is no member and stays NaN.

    Source: Benjamini and Hochberg 1995.
    """
    return _step_up(p, 1.0)


def benjamini_yekutieli(p: Floats) -> Floats:
    """As benjamini_hochberg, under any dependence.

    Source: Benjamini and Yekutieli 2001.
    """
    return _step_up(p, harmonic(int((~np.isnan(p)).sum())))


def harmonic(n: int) -> float:
    """1 + 1/2 + ... + 1/n."""
    return float((1 / np.arange(1, n + 1)).sum())


def _step_up(p: Floats, factor: float) -> Floats:
    q = np.full(p.shape, np.nan)
    member = np.flatnonzero(~np.isnan(p))
    order = member[np.argsort(p[member], kind="stable")]
    scaled = p[order] * factor * len(order) / np.arange(1, len(order) + 1)
    q[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1)
    return q


def n_at_floor_needed(n_family: int, n_permutations: int, alpha: float) -> int:
    """How many of a family must be at the smallest permutation p for their q to reach alpha.

    Source: inference.md 3.4; 1 where n_permutations >= n_family / alpha - 1.
    """
    return max(1, math.ceil(n_family / (alpha * (n_permutations + 1)) - 1e-9))


def yekutieli_is_reachable(n_family: int, n_permutations: int, alpha: float) -> bool:
    """Whether a single smallest permutation p could bring q of benjamini_yekutieli down to alpha.

    Source: inference.md 3.4.
    """
    return n_permutations >= n_family * harmonic(n_family) / alpha - 1 - 1e-9
