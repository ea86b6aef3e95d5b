"""Score tests under permutation: whole clusters, or cells inside a block, change places.

Belongs here: what is exchanged, how many arrangements there are, the drop in deviance as its score
approximates it, and the studentised score of each level. The model without the factor is the same under every
draw, so that nothing is fitted again.

Source: inference.md 11, 2.2; Rao 1948.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.special import gammaln

from python_assets.infer.cluster_errors import cluster_sums
from python_assets.infer.logistic import Counts, Fit
from python_assets.infer.permutation import TIE, Floats, Ints

VALUES_AT_ONCE: Final = 4_000_000


class Exchange(NamedTuple):
    """Units that change places inside strata, with their level of one factor.

    unit: of each row. stratum, level: of each unit; the reference is level 0.
    """

    unit: Ints
    stratum: Ints
    level: Ints
    n_levels: int

    @property
    def log_arrangements(self) -> float:
        """Logarithm of the number of arrangements that differ."""
        of_each = np.zeros((int(self.stratum.max()) + 1, self.n_levels))
        np.add.at(of_each, (self.stratum, self.level), 1)
        return float((gammaln(of_each.sum(axis=1) + 1) - gammaln(of_each + 1).sum(axis=1)).sum())

    def batches(self, n_draws: int, seed: int, size: int) -> Iterator[Ints]:
        """Yield the levels of the units as they are, then under draws, shape (draws of the batch, units)."""
        yield self.level[None]
        rng = np.random.default_rng(seed)
        at = np.argsort(self.stratum, kind="stable")
        for first in range(0, n_draws, size):
            n = min(size, n_draws - first)
            order = (self.stratum[at] + rng.random((n, len(at)))).argsort(axis=1)
            found = np.empty((n, len(at)), dtype=np.intp)
            found[:, at] = self.level[at][order]
            yield found


class LevelScores(NamedTuple):
    """P of all tested levels together, and of each level but the reference, shape (levels - 1,)."""

    p_joint: float
    p_level: Floats


class _Score:
    """The score of a factor in the model without it, summed over the units that change places."""

    def __init__(self, counts: Counts, null: Fit, exchange: Exchange) -> None:
        n_units = len(exchange.level)
        residual = counts.k - counts.n * null.probability
        weight = counts.n * null.probability * (1 - null.probability)
        columns = counts.x * weight[:, None]
        self.n_levels = exchange.n_levels
        self.bread = linalg.pinvh(counts.x.T @ columns)
        self.residual = cluster_sums(residual, exchange.unit, n_units)
        self.of_columns = cluster_sums(counts.x * residual[:, None], exchange.unit, n_units)
        self.weighted = np.column_stack(
            [
                self.residual,
                cluster_sums(weight, exchange.unit, n_units),
                cluster_sums(columns, exchange.unit, n_units),
            ]
        )

    def sums(self, levels: Ints) -> tuple[Floats, Floats, Floats]:
        """Score, weight and weighted columns of each level, shape (draws, levels[, columns])."""
        n, n_units = levels.shape
        row = (np.arange(n)[:, None] * self.n_levels + levels).ravel()
        place = (row, np.tile(np.arange(n_units), n))
        matrix = sparse.csr_array((np.ones(n * n_units), place), shape=(n * self.n_levels, n_units))
        found = (matrix @ self.weighted).reshape(n, self.n_levels, -1)
        columns = found[:, :, 2:]
        score = found[:, :, 0] - columns @ (self.bread @ self.of_columns.sum(axis=0))
        return score, found[:, :, 1], columns


def permuted_drop(counts: Counts, null: Fit, exchange: Exchange, *, n_draws: int, seed: int) -> float:
    """P of the drop in deviance that a factor makes, by the score that approximates it.

    Args:
        counts: rows with the columns of all other factors.
        null: their fit.
        exchange: what changes places.
        n_draws: B.
        seed: of the draws.

    Returns:
        (b + 1) / (B + 1).
    """
    score = _Score(counts, null, exchange)
    values = max(4 * len(exchange.level), exchange.n_levels * (exchange.n_levels + counts.x.shape[1]))
    size = max(VALUES_AT_ONCE // values, 1)
    parts = [_drops(score, levels) for levels in exchange.batches(n_draws, seed, size)]
    return float(_p(np.concatenate(parts)[:, None])[0])


def _drops(score: _Score, levels: Ints) -> Floats:
    """Score' (information given the other columns)^-1 score, shape (draws,)."""
    s, weight, columns = (one[:, 1:] for one in score.sums(levels))
    information = weight[:, :, None] * np.eye(s.shape[1])
    information = information - columns @ score.bread @ columns.transpose(0, 2, 1)
    # a draw may make levels alike that the data tell apart: its score says nothing there
    inverse = np.linalg.pinv(information, hermitian=True, rcond=1e-10)
    return np.einsum("bq,bqr,br->b", s, inverse, s)


def permuted_levels(
    counts: Counts, null: Fit, exchange: Exchange, tested: NDArray[np.bool_], *, n_draws: int, seed: int
) -> LevelScores:
    """Test each level of a factor against its reference; arguments as permuted_drop.

    Args:
        counts: rows, whose clusters are the units that change places.
        null: the fit without the factor.
        exchange: whole clusters.
        tested: which levels but the reference take part in p_joint, by the sum of their squared t.
        n_draws: B.
        seed: of the draws.
    """
    score = _Score(counts, null, exchange)
    size = max(VALUES_AT_ONCE // (len(exchange.level) * exchange.n_levels), 1)
    t2 = np.concatenate([_squared_t(score, levels) for levels in exchange.batches(n_draws, seed, size)])
    return LevelScores(float(_p(t2[:, tested].sum(axis=1, keepdims=True))[0]), _p(t2))


def _squared_t(score: _Score, levels: Ints) -> Floats:
    """Of each level against the reference, over clusters: squared t, shape (draws, levels - 1)."""
    _, weight, columns = score.sums(levels)
    adjusted = columns @ score.bread
    information = weight - np.einsum("blc,blc->bl", adjusted, columns)
    own = (levels[:, :, None] == np.arange(score.n_levels)) * score.residual[:, None]
    influence = (own - score.of_columns @ adjusted.transpose(0, 2, 1)) / information[:, None, :]
    difference = influence[:, :, 1:] - influence[:, :, :1]
    squares = (difference**2).sum(axis=1)
    return np.divide(difference.sum(axis=1) ** 2, squares, out=np.zeros_like(squares), where=squares > 0)


def _p(statistics: Floats) -> Floats:
    """(b + 1) / (B + 1) of each column; the first row was observed."""
    least = statistics[0] - TIE * np.maximum(np.abs(statistics[0]), 1)
    return (statistics >= least).mean(axis=0)
