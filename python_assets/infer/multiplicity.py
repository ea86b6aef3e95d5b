"""Adjusting p values for the number of questions asked.

Belongs here: the adjustments. Which rows are one family is run.py's.
"""

import math

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.permutation import TIE, Draws, Floats, p_values


class StepDown:
    """Step-down maxT: p values that bound the chance of any false finding among the rows of a column.

    A row's statistic is held against the largest one, under each draw, of itself and of the rows observed to
    be smaller.

    Source: Westfall and Young 1993, algorithm 4.1; inference.md 3.4.
    """

    def __init__(self, observed: Floats) -> None:
        """Order the rows.

        Args:
            observed: size of the statistic of each row, shape (rows, columns); NaN where it is not tested.
        """
        is_tested = ~np.isnan(observed)
        self._order = np.argsort(np.where(is_tested, -observed, np.inf), axis=0, kind="stable")
        self._rank = np.argsort(self._order, axis=0)
        self._untested = np.take_along_axis(~is_tested, self._order, axis=0)
        self._least = np.take_along_axis(observed, self._order, axis=0) - TIE

    def count(self, permuted: Floats, columns: slice = slice(None)) -> NDArray[np.int64]:
        """Count the draws of a batch whose successive maximum is as large as the observed statistic.

        Args:
            permuted: size of the statistic under each draw, shape (draws, rows, columns of the piece).
            columns: the piece.

        Returns:
            Shape (rows, columns of the piece); counts of batches add up.
        """
        n, n_rows, n_columns = permuted.shape
        place = (self._order[:, columns] * n_columns + np.arange(n_columns)).ravel()
        largest = permuted.reshape(n, -1)[:, place].reshape(permuted.shape)
        largest[:, self._untested[:, columns]] = -np.inf
        for row in range(n_rows - 2, -1, -1):
            np.maximum(largest[:, row], largest[:, row + 1], out=largest[:, row])
        reached = (largest >= self._least[:, columns]).sum(axis=0)
        return np.take_along_axis(reached, self._rank[:, columns], axis=0)

    def p_values(self, n_as_extreme: NDArray[np.integer], draws: Draws) -> Floats:
        """Turn counts over all draws into p that never fall from a larger statistic to a smaller one.

        Args:
            n_as_extreme: sum of count over the batches, shape (rows, columns).
            draws: what they were counted over.

        Returns:
            Shape (rows, columns); NaN where not tested.
        """
        p = np.take_along_axis(p_values(n_as_extreme, draws), self._order, axis=0)
        p = np.where(self._untested, np.nan, np.maximum.accumulate(p, axis=0))
        return np.take_along_axis(p, self._rank, axis=0)


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
