from itertools import combinations, permutations, product

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.special import expit

from python_assets.infer.cluster_scores import Exchange, permuted_drop, permuted_levels
from python_assets.infer.logistic import Counts, deviance, fit_logistic

N_DRAWS = 4_999


def clusters(seed=4, n=9, n_with=4):
    rng = np.random.default_rng(seed)
    size = rng.integers(10, 30, n).astype(float)
    k = rng.binomial(size.astype(int), expit(rng.normal(size=n))).astype(float)
    return Counts(np.ones((n, 1)), size, k, np.arange(n)), (np.arange(n) < n_with).astype(int)


def t_of(counts, level):
    """Two means of rates pooled over clusters, with the error of residuals from the rate of all."""
    rate = counts.k.sum() / counts.n.sum()
    influence = np.zeros(len(level))
    for side, sign in ((1, 1), (0, -1)):
        own = level == side
        # score of the level beside an intercept: residuals, less the share that the intercept takes
        weight = counts.n * rate * (1 - rate)
        share = weight[own].sum() / weight.sum()
        residual = counts.k - counts.n * rate
        information = weight[own].sum() * (1 - share)
        influence += sign * (own * residual - share * residual) / information
    return influence.sum() / np.sqrt((influence**2).sum())


def test_a_level_of_whole_clusters_has_the_p_of_every_arrangement():
    counts, level = clusters()
    found = permuted_levels(
        counts,
        fit_logistic(counts),
        Exchange(counts.cluster, np.zeros(9, dtype=int), level, 2),
        np.array([True]),
        n_draws=N_DRAWS,
        seed=1,
    )
    seen = abs(t_of(counts, level))
    every = [
        abs(t_of(counts, np.isin(np.arange(9), chosen).astype(int))) for chosen in combinations(range(9), 4)
    ]
    exact = np.mean(np.array(every) >= seen - 1e-9)
    assert found.p_level[0] == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / N_DRAWS))
    assert found.p_joint == found.p_level[0]


def test_the_drop_in_deviance_has_the_p_of_every_arrangement_inside_blocks():
    rng = np.random.default_rng(7)
    block, level = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
    n = np.full(9, 20.0)
    k = rng.binomial(20, expit(rng.normal(size=3)[block] + 0.5 * (level == 2))).astype(float)
    x = np.column_stack([np.ones(9), *(block == one for one in range(1, 3))]).astype(float)
    counts = Counts(x, n, k, block)
    exchange = Exchange(np.arange(9), block, level, 3)
    found = permuted_drop(counts, fit_logistic(counts), exchange, n_draws=N_DRAWS, seed=1)
    other = sm.GLM(np.column_stack([k, n - k]), x, family=sm.families.Binomial()).fit(tol=1e-12)

    def score(levels):
        return other.score_test(exog_extra=np.column_stack([levels == 1, levels == 2]).astype(float))[0]

    every = [score(np.concatenate(orders)) for orders in product(permutations(range(3)), repeat=3)]
    exact = np.mean(np.array(every) >= score(level) - 1e-9)
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / N_DRAWS))
    with_levels = fit_logistic(counts._replace(x=np.column_stack([x, level == 1, level == 2]).astype(float)))
    drop = deviance(counts, fit_logistic(counts).probability) - deviance(counts, with_levels.probability)
    assert score(level) == pytest.approx(drop, rel=0.05)  # what the statistic stands for


def test_strata_keep_their_units():
    stratum, level = np.array([0, 1, 0, 1, 0, 1]), np.array([0, 1, 1, 0, 0, 1])
    exchange = Exchange(np.arange(6), stratum, level, 2)
    drawn = np.concatenate(list(exchange.batches(500, 3, 100)))
    assert (drawn[:, stratum == 0].sum(axis=1) == 1).all() and (drawn[:, stratum == 1].sum(axis=1) == 2).all()
    assert np.exp(exchange.log_arrangements) == pytest.approx(9)
    # every place of the single 1 in the first stratum comes up alike often
    shares = drawn[1:, stratum == 0].mean(axis=0)
    np.testing.assert_allclose(shares, 1 / 3, atol=0.09)
