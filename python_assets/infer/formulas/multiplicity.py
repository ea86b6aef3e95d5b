"""Adjusting p values: within a question over its groups, and over the questions of a set.

Belongs here: the adjustments, on arrays. Which questions are one set is hypotheses.py.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.draws.exchange import TIE, Counted, Floats, in_threads, p_values, pieces


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
        position = (self._order[:, columns] * n_columns + np.arange(n_columns)).ravel()
        largest = permuted.reshape(n, -1)[:, position].reshape(permuted.shape)
        largest[:, self._untested[:, columns]] = -np.inf
        for row in range(n_rows - 2, -1, -1):
            np.maximum(largest[:, row], largest[:, row + 1], out=largest[:, row])
        reached = (largest >= self._least[:, columns]).sum(axis=0)
        return np.take_along_axis(reached, self._rank[:, columns], axis=0)

    def p_values(self, n_as_extreme: NDArray[np.integer], draws: Counted) -> Floats:
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


def min_p(observed: Floats, drawn: Floats, draws: Counted) -> Floats:
    """P of the smaller of the p values of several statistics, all under the same draws.

    Args:
        observed: shape (statistics, columns), larger for groups further apart.
        drawn: the same under every draw, shape (statistics, columns, draws).
        draws: the arrangements; unless these are all there are, the observed one is one more.

    Returns:
        Shape (columns,).

    Source: inference.md 6.3.
    """
    extra = 0 if draws.is_complete else 1
    p = np.empty(observed.shape[1])

    def work(piece: slice) -> None:
        for column in range(piece.start, piece.stop):
            # rounding makes ties of arrangements that differ in the order of their sums alone
            tables = np.column_stack([observed[:, column], drawn[:, column]]).round(9)
            smallest = np.min([_shares(table, extra) for table in tables], axis=0)
            p[column] = ((smallest[1:] <= smallest[0] + 1e-12).sum() + extra) / (len(smallest) - 1 + extra)

    in_threads(work, list(pieces(len(p), 8)))
    return p


def _shares(table: Floats, extra: int) -> Floats:
    """Share of tables that are as large as each; the first, which was observed, counts extra times."""
    ordered = np.sort(table[1:])
    n_as_large: NDArray[np.intp] = len(ordered) - np.searchsorted(ordered, table) + extra * (table[0] >= table)
    return n_as_large / (len(ordered) + extra)


def holm(p: Floats, n_tests: NDArray[np.integer] | int | None = None) -> Floats:
    """Holm's adjusted p along the last axis; NaN is no member and stays NaN.

    Args:
        p: shape (..., members).
        n_tests: members that count, where some are mirrors of others; all of them where None.

    Source: Holm 1979.
    """
    order = np.argsort(p, axis=-1, kind="stable")  # NaN last
    ordered = np.take_along_axis(p, order, axis=-1)
    n = (~np.isnan(p)).sum(axis=-1, keepdims=True) if n_tests is None else np.asarray(n_tests)[..., None]
    left = np.maximum(n - np.arange(p.shape[-1]), 1)
    adjusted = np.minimum(np.fmax.accumulate(ordered * left, axis=-1), 1)
    adjusted[np.isnan(ordered)] = np.nan
    return np.take_along_axis(adjusted, np.argsort(order, axis=-1), axis=-1)


def benjamini_hochberg(p: Floats) -> Floats:
    """Adjusted p values, q, that bound the share of false discoveries.

    Args:
        p: p values of one set; NaN is no member and stays NaN.

    Source: Benjamini and Hochberg 1995.
    """
    from scipy.stats import false_discovery_control  # a plan, which adjusts nothing, reads this file too

    q, is_member = np.full(p.shape, np.nan), ~np.isnan(p)
    if is_member.any():
        q[is_member] = false_discovery_control(p[is_member])
    return q


class HypothesisLevels(NamedTuple):
    """q of every question of a set, and of the groups of each."""

    of_hypothesis: Floats
    of_group: Floats


def hypothesis_levels(p_hypothesis: Floats, p_group: Floats, hypothesis: NDArray[np.intp]) -> HypothesisLevels:
    """Q of the questions of one set, and of their groups.

    Args:
        p_hypothesis: p of each question; NaN is no member.
        p_group: p of each group, stepped down inside its question.
        hypothesis: position of the question of each group.

    Returns:
        q_c = Benjamini-Hochberg over the F questions; q_cg = max(q_c, min over s of F max(p_cg, p_(s)) / s),
        p_(s) the sorted p of the questions.

    Source: inference.md 6.4; Benjamini and Bogomolov 2014.
    """
    q = benjamini_hochberg(p_hypothesis)
    ordered = np.sort(p_hypothesis[~np.isnan(p_hypothesis)])
    return HypothesisLevels(q, group_levels(p_group, q[hypothesis], ordered))


def group_levels(p_group: Floats, q_hypothesis: Floats | float, ordered: Floats) -> Floats:
    """Q of groups from their p, the q of their question and the sorted p of all questions of the set."""
    n = len(ordered)
    if not n:
        return np.full(np.shape(p_group), np.nan)
    # past the questions with p up to p_cg the minimum is over p_(s) / s; up to them it is p_cg / s, least
    # at the last
    later = np.append(np.minimum.accumulate((ordered / np.arange(1, n + 1))[::-1])[::-1], np.inf)
    n_smaller = np.searchsorted(ordered, p_group, side="right")
    first = np.divide(p_group, n_smaller, out=np.full(np.shape(p_group), np.inf), where=n_smaller > 0)
    q_group = np.maximum(np.minimum(n * np.minimum(first, later[n_smaller]), 1), q_hypothesis)
    return np.where(np.isnan(p_group), np.nan, q_group)
