"""Errors of coefficients over clusters: leave one cluster out, degrees of freedom, and tests by them.

Belongs here: CRV3, the degrees of freedom of Bell, McCaffrey, Imbens and Kolesar, t of a coefficient and the
joint test of several. Tests by permuted clusters are cluster_scores.py.

Source: inference.md 11; Bell and McCaffrey 2002; Imbens and Kolesar 2016; MacKinnon, Nielsen and Webb 2023.
"""

from typing import NamedTuple

import numpy as np
from scipy import linalg, stats

from python_assets.infer.logistic import Counts, Fit
from python_assets.infer.permutation import Floats, Ints


class Errors(NamedTuple):
    """Covariance of coefficients, shape (terms, terms), and degrees of freedom, shape (terms,); NaN: none."""

    covariance: Floats
    df: Floats

    @property
    def std_error(self) -> Floats:
        """Standard errors, shape (terms,)."""
        return np.sqrt(np.diag(self.covariance))


def cluster_errors(counts: Counts, fit: Fit, without: Floats) -> Errors:
    """CRV3 and its degrees of freedom.

    Args:
        counts: the rows.
        fit: of all of them.
        without: coefficients without each cluster, shape (clusters, terms).

    Returns:
        NaN where a coefficient cannot be had without some cluster.
    """
    n = counts.n_clusters
    difference = without - fit.coefficients
    covariance = (n - 1) / n * difference.T @ difference
    return Errors(covariance, _degrees_of_freedom(counts, fit))


def cluster_sums(values: Floats, cluster: Ints, n_clusters: int) -> Floats:
    """Sums over the rows of each cluster, shape (clusters, ...)."""
    found = np.zeros((n_clusters, *values.shape[1:]))
    np.add.at(found, cluster, values)
    return found


def _degrees_of_freedom(counts: Counts, fit: Fit) -> Floats:
    """Satterthwaite's, under responses that are as alike in their cluster as these are.

    A coefficient's error is the sum over clusters of squared influences s_g, linear in the residuals; with P
    their covariance under the model df = tr(P)^2 / tr(P^2).
    """
    p, n_clusters = fit.probability, counts.n_clusters
    weight = counts.n * p * (1 - p)
    information = _informations(counts, weight)
    bread = linalg.pinvh(information.sum(axis=0))
    ends = cluster_sums(counts.x * weight[:, None], counts.cluster, n_clusters)  # of a random intercept
    spread = _spread(counts, p, weight)
    noise = information + spread * np.einsum("gi,gj->gij", ends, ends)
    # h_g = (information without g)^-1 c, a column for each coefficient c
    without = np.stack([linalg.pinvh(information.sum(axis=0) - own) for own in information])
    found = np.full(counts.x.shape[1], np.nan)
    middle = noise.sum(axis=0)
    for term in range(counts.x.shape[1]):
        h = without[:, :, term]
        own = np.einsum("gij,gj->gi", information, h) @ bread
        of_noise = np.einsum("gij,gj->gi", noise, h)
        found[term] = _satterthwaite(np.einsum("gi,gi->g", h, of_noise), own, of_noise, middle)
    return found


def _satterthwaite(diagonal: Floats, own: Floats, of_noise: Floats, middle: Floats) -> float:
    """tr(P)^2 / tr(P^2) of P = diag - own noise' - noise own' + own middle own', without writing P out."""
    sides = np.hstack([of_noise, own])
    zero, one = np.zeros_like(middle), np.eye(len(middle))
    core = np.block([[zero, -one], [-one, middle]])
    outer = ((sides @ core) * sides).sum(axis=1)
    product = core @ (sides.T @ sides)
    squares = (diagonal**2).sum() + 2 * (diagonal * outer).sum() + (product * product.T).sum()
    return float((diagonal.sum() + outer.sum()) ** 2 / squares) if squares > 0 else np.nan


def _informations(counts: Counts, weight: Floats) -> Floats:
    """Information of each cluster, shape (clusters, terms, terms)."""
    return np.stack(
        [
            (counts.x[rows] * weight[rows, None]).T @ counts.x[rows]
            for rows in (counts.cluster == cluster for cluster in range(counts.n_clusters))
        ]
    )


def _spread(counts: Counts, probability: Floats, weight: Floats) -> float:
    """Variance of the clusters' log odds by moments: what residuals exceed binomial noise by, 0 at least."""
    residual = cluster_sums(counts.k - counts.n * probability, counts.cluster, counts.n_clusters)
    size = cluster_sums(weight, counts.cluster, counts.n_clusters)
    return float(max((residual**2 - size).sum() / (size**2).sum(), 0.0))


def t_p(coefficient: Floats, std_error: Floats, df: Floats) -> Floats:
    """Two-sided p of t; NaN where there is no error."""
    t = np.abs(np.divide(coefficient, std_error, out=np.full_like(coefficient, np.nan), where=std_error > 0))
    return 2 * stats.t.sf(t, df)


def joint_p(coefficients: Floats, errors: Errors, columns: Ints) -> float:
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
