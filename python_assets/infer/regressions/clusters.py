"""What whole clusters say of a regression: levels that change places between them, errors without each of them.

Belongs here: the score tests under permutation, what is exchanged in them, and CRV3 errors with their degrees of
freedom. The model without a factor is the same under every draw, so that nothing is fitted again.

Source: inference.md 11, 2.2; Rao 1948.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse, stats
from scipy.special import gammaln

from python_assets.infer.draws.exchange import TIE, Floats, Ints, exchanged
from python_assets.infer.regressions.logistic import Counts, Fit
from python_assets.infer.result import Result

VALUES_AT_ONCE: Final = 4_000_000


def cluster_sums(values: Floats, cluster: Ints, n_clusters: int) -> Floats:
    """Sums over the rows of each cluster, shape (clusters, ...)."""
    sums = np.zeros((n_clusters, *values.shape[1:]))
    np.add.at(sums, cluster, values)
    return sums


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
        n_units = np.zeros((int(self.stratum.max()) + 1, self.n_levels))
        np.add.at(n_units, (self.stratum, self.level), 1)
        return float((gammaln(n_units.sum(axis=1) + 1) - gammaln(n_units + 1).sum(axis=1)).sum())

    def levels(self, n_draws: int, seed: int, size: int) -> Iterator[Ints]:
        """Yield the levels of the units as they are, then under draws, shape (draws of the batch, units)."""
        yield self.level[None]
        yield from exchanged(self.level, self.stratum, n=n_draws, seed=seed, size=max(size, 1))


class _Score:
    """The score of a factor in the model without it, summed over the units that change places."""

    def __init__(self, counts: Counts, null: Fit, exchange: Exchange) -> None:
        residual = counts.k - counts.n * null.probability
        weight = counts.n * null.probability * (1 - null.probability)
        columns = counts.x * weight[:, None]
        self.n_levels = exchange.n_levels
        self.bread = linalg.pinvh(counts.x.T @ columns)
        row_terms = np.column_stack([residual, counts.x * residual[:, None], weight, columns])
        sums, n_columns = cluster_sums(row_terms, exchange.unit, len(exchange.level)), counts.x.shape[1]
        self.residual, self.of_columns = sums[:, 0], sums[:, 1 : 1 + n_columns]
        self.weighted = np.ascontiguousarray(sums[:, 1 + n_columns :])

    def sums(self, levels: Ints) -> tuple[Floats, Floats]:
        """Weight and weighted columns of each level, shape (draws, levels[, columns])."""
        n, n_units = levels.shape
        row = (np.arange(n)[:, None] * self.n_levels + levels).ravel()
        at = (row, np.tile(np.arange(n_units), n))
        matrix = sparse.csr_array((np.ones(n * n_units), at), shape=(n * self.n_levels, n_units))
        by_level = (matrix @ self.weighted).reshape(n, self.n_levels, -1)
        return by_level[:, :, 0], by_level[:, :, 1:]

    def influences(self, levels: Ints, adjusted: Floats) -> Floats:
        """What each unit adds to the score of each level, shape (draws, units, levels).

        Args:
            levels: of the units, shape (draws, units).
            adjusted: weighted columns of each level times bread, shape (draws, levels, columns).
        """
        residual_of_level = (levels[:, :, None] == np.arange(self.n_levels)) * self.residual[:, None]
        return cast(Floats, residual_of_level - self.of_columns @ adjusted.transpose(0, 2, 1))


def permuted_drop(counts: Counts, null: Fit, exchange: Exchange, *, n_draws: int, seed: int) -> float:
    """P of the drop in deviance that a factor makes, by scores of its levels that are studentised over clusters.

    The drop itself is called in .19 of studies without effect where 15 and 5 clusters have levels and the 5 spread five
    times as much, for its draws spread alike on both sides; studentised in .10, and in .05 by the larger of this p
    and that of t over clusters, which factor_tests takes.

    Args:
        counts: rows with the columns of all other factors.
        null: their fit.
        exchange: what changes places.
        n_draws: B.
        seed: of the draws.

    Returns:
        (b + 1) / (B + 1) of the sum over levels of squared score over its squared error, of clusters.
    """
    score = _Score(counts, null, exchange)
    clusters = np.unique(counts.cluster, return_inverse=True)[1][np.unique(exchange.unit, return_index=True)[1]]
    values = len(exchange.level) * exchange.n_levels + exchange.n_levels * counts.x.shape[1]
    draws = exchange.levels(n_draws, seed, VALUES_AT_ONCE // values)
    return float(_p(np.concatenate([_sizes(score, levels, clusters) for levels in draws])[:, None])[0])


def _sizes(score: _Score, levels: Ints, cluster: Ints) -> Floats:
    """Sum over all levels of squared t, each level against the others; shape (draws,).

    Args:
        score: of the factor.
        levels: of the units, shape (draws, units).
        cluster: of each unit; what a cluster has of several levels is one influence.
    """
    _, columns = score.sums(levels)
    influence = score.influences(levels, columns @ score.bread)
    n = int(cluster.max()) + 1
    if n < len(cluster):
        order = np.argsort(cluster, kind="stable")
        influence = np.add.reduceat(influence[:, order], np.searchsorted(cluster[order], np.arange(n)), axis=1)
    total, squares = influence.sum(axis=1), (influence**2).sum(axis=1)
    # a draw may make levels alike that the data tell apart: its score says nothing there
    t2 = np.divide(total**2, squares, out=np.zeros_like(squares), where=squares > TIE)
    return cast(Floats, t2.sum(axis=1))


def permuted_levels(
    counts: Counts, null: Fit, exchange: Exchange, tested: NDArray[np.bool_], *, n_draws: int, seed: int
) -> Result:
    """P of each level but the reference, against it, and p_hypothesis; arguments as permuted_drop.

    What changes places are whole clusters. tested: the levels but the reference that take part in p_hypothesis, by the
    sum of their squared t.
    """
    score = _Score(counts, null, exchange)
    draws = exchange.levels(n_draws, seed, VALUES_AT_ONCE // (len(exchange.level) * exchange.n_levels))
    t2 = np.concatenate([_squared_t(score, levels) for levels in draws])
    together = _p(t2[:, tested].sum(axis=1, keepdims=True))
    return Result.of((exchange.n_levels - 1,), p_value=_p(t2), p_hypothesis=together)


def _squared_t(score: _Score, levels: Ints) -> Floats:
    """Of each level against the reference, over clusters: squared t, shape (draws, levels - 1)."""
    weight, columns = score.sums(levels)
    adjusted = columns @ score.bread
    information = weight - np.einsum("blc,blc->bl", adjusted, columns)
    influence = score.influences(levels, adjusted) / information[:, None, :]
    difference = influence[:, :, 1:] - influence[:, :, :1]
    squares = (difference**2).sum(axis=1)
    return cast(Floats, np.divide(difference.sum(axis=1) ** 2, squares, out=np.zeros_like(squares), where=squares > 0))


def _p(statistics: Floats) -> Floats:
    """(b + 1) / (B + 1) of each column; the first row was observed."""
    return cast(Floats, (statistics >= statistics[0] - TIE * np.maximum(np.abs(statistics[0]), 1)).mean(axis=0))


class ClusterErrors(NamedTuple):
    """Covariance of coefficients, shape (terms, terms), and degrees of freedom, shape (terms,); NaN: none."""

    covariance: Floats
    df: Floats

    @property
    def std_error(self) -> Floats:
        """Standard errors, shape (terms,)."""
        return np.sqrt(np.diag(self.covariance))


def cluster_errors(counts: Counts, fit: Fit, without: Floats) -> ClusterErrors:
    """CRV3 errors, with Satterthwaite's degrees of freedom under responses as alike in their cluster as these are.

    A coefficient's error is the sum over clusters of squared influences s_g, linear in the residuals; with P their
    covariance under the model df = tr(P)^2 / tr(P^2).

    Args:
        counts: the rows.
        fit: of all of them.
        without: coefficients without each cluster, shape (clusters, terms).

    Returns:
        NaN where a coefficient cannot be had without some cluster.
    """
    n, p = counts.n_clusters, fit.probability
    difference = without - fit.coefficients
    weight = counts.n * p * (1 - p)
    is_in_cluster = [counts.cluster == cluster for cluster in range(n)]
    information = np.stack([(counts.x[rows] * weight[rows, None]).T @ counts.x[rows] for rows in is_in_cluster])
    # variance of the clusters' log odds by moments: what residuals exceed binomial noise by, 0 at least
    residual, size = (cluster_sums(one, counts.cluster, n) for one in (counts.k - counts.n * p, weight))
    spread = max((residual**2 - size).sum() / (size**2).sum(), 0.0)
    ends = cluster_sums(counts.x * weight[:, None], counts.cluster, n)  # of a random intercept
    noise = information + spread * np.einsum("gi,gj->gij", ends, ends)
    bread = linalg.pinvh(information.sum(axis=0))
    # h_g = (information without g)^-1 c, a column for each coefficient c
    bread_without = np.stack([linalg.pinvh(information.sum(axis=0) - cluster_term) for cluster_term in information])
    df = np.full(counts.x.shape[1], np.nan)
    for term in range(len(df)):
        h = bread_without[:, :, term]
        cluster_term = np.einsum("gij,gj->gi", information, h) @ bread
        noise_influence = np.einsum("gij,gj->gi", noise, h)
        df[term] = _satterthwaite(
            np.einsum("gi,gi->g", h, noise_influence), cluster_term, noise_influence, noise.sum(axis=0)
        )
    return ClusterErrors((n - 1) / n * difference.T @ difference, df)


def _satterthwaite(diagonal: Floats, own: Floats, of_noise: Floats, middle: Floats) -> float:
    """tr(P)^2 / tr(P^2) of P = diag - own noise' - noise own' + own middle own', without writing P out."""
    factors = np.hstack([of_noise, own])
    zero, one = np.zeros_like(middle), np.eye(len(middle))
    core = np.block([[zero, -one], [-one, middle]])
    outer = ((factors @ core) * factors).sum(axis=1)
    product = core @ (factors.T @ factors)
    squares = (diagonal**2).sum() + 2 * (diagonal * outer).sum() + (product * product.T).sum()
    return float((diagonal.sum() + outer.sum()) ** 2 / squares) if squares > 0 else np.nan


def t_p(coefficient: Floats, std_error: Floats, df: Floats) -> Floats:
    """Two-sided p of t; NaN where there is no error."""
    t = np.abs(np.divide(coefficient, std_error, out=np.full_like(coefficient, np.nan), where=std_error > 0))
    return cast(Floats, 2 * stats.t.sf(t, df))


def joint_p(coefficients: Floats, errors: ClusterErrors, columns: Ints) -> float:
    """P that none of some coefficients differs from 0; NaN where degrees of freedom are too few for them.

    Hotelling's T2 with the fewest degrees of freedom of any of them.
    """
    q, df = len(columns), float(np.min(errors.df[columns], initial=np.inf))
    covariance = errors.covariance[np.ix_(columns, columns)]
    if not q or not df - q + 1 >= 1 or not np.isfinite(covariance).all():
        return np.nan
    b = coefficients[columns]
    t2 = float(b @ linalg.pinvh(covariance) @ b)
    return float(stats.f.sf(t2 * (df - q + 1) / (df * q), q, df - q + 1))
