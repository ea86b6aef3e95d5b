from itertools import combinations, count, permutations, product

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from scipy.special import expit

from python_assets.infer.regressions.clusters import (
    ClusterErrors,
    Exchange,
    _satterthwaite,
    cluster_errors,
    joint_p,
    permuted_drop,
    permuted_levels,
    t_p,
)
from python_assets.infer.regressions.logistic import Counts, fit_logistic, left_out
from tests.promises import seldom

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
    every = [abs(t_of(counts, np.isin(np.arange(9), chosen).astype(int))) for chosen in combinations(range(9), 4)]
    exact = np.mean(np.array(every) >= seen - 1e-9)
    assert found.p_value[0] == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / N_DRAWS))
    assert found.p_hypothesis[0] == found.p_value[0]


def test_the_drop_in_deviance_has_the_p_of_every_arrangement_inside_blocks():
    """By weighted least squares of each level on the other columns, cluster by cluster."""
    rng = np.random.default_rng(7)
    block, level = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
    n = np.full(9, 20.0)
    k = rng.binomial(20, expit(rng.normal(size=3)[block] + 0.5 * (level == 2))).astype(float)
    x = np.column_stack([np.ones(9), *(block == one for one in range(1, 3))]).astype(float)
    counts = Counts(x, n, k, block)
    exchange = Exchange(np.arange(9), block, level, 3)
    found = permuted_drop(counts, fit_logistic(counts), exchange, n_draws=N_DRAWS, seed=1)
    p = sm.GLM(np.column_stack([k, n - k]), x, family=sm.families.Binomial()).fit(tol=1e-12).fittedvalues

    def size(levels):
        total = 0
        for one in range(3):
            indicator = (levels == one).astype(float)
            adjusted = sm.WLS(indicator, x, weights=n * p * (1 - p)).fit().resid
            of_block = np.bincount(block, adjusted * (k - n * p))
            total += of_block.sum() ** 2 / (of_block**2).sum()
        return total

    every = [size(np.concatenate(orders)) for orders in product(permutations(range(3)), repeat=3)]
    exact = np.mean(np.array(every) >= size(level) - 1e-9)
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / N_DRAWS))


@pytest.mark.run
def test_clusters_that_spread_more_under_one_level_make_no_effect_of_it():
    """15 clusters of sd .3 and 5 of sd 1.5 in log odds, none moved."""
    rng, level = np.random.default_rng(5), np.repeat([0, 1], [15, 5])

    def is_significant(study):
        rate = expit(rng.normal(size=20) * np.where(level, 1.5, 0.3))
        counts = Counts(np.ones((20, 1)), np.full(20, 40.0), rng.binomial(40, rate).astype(float), np.arange(20))
        exchange = Exchange(np.arange(20), np.zeros(20, dtype=int), level, 2)
        permuted = permuted_drop(counts, fit_logistic(counts), exchange, n_draws=199, seed=study)
        whole = counts._replace(x=np.column_stack([np.ones(20), level]).astype(float))
        fit = fit_logistic(whole)
        by_t = joint_p(fit.coefficients, cluster_errors(whole, fit, left_out(whole, fit)), np.array([1]))
        return max(permuted, by_t) <= 0.05

    assert seldom(map(is_significant, count()))


def test_strata_keep_their_units():
    stratum, level = np.array([0, 1, 0, 1, 0, 1]), np.array([0, 1, 1, 0, 0, 1])
    exchange = Exchange(np.arange(6), stratum, level, 2)
    drawn = np.concatenate(list(exchange.levels(500, 3, 100)))
    assert (drawn[:, stratum == 0].sum(axis=1) == 1).all() and (drawn[:, stratum == 1].sum(axis=1) == 2).all()
    assert np.exp(exchange.log_arrangements) == pytest.approx(9)
    # every place of the single 1 in the first stratum comes up alike often
    shares = drawn[1:, stratum == 0].mean(axis=0)
    np.testing.assert_allclose(shares, 1 / 3, atol=0.09)


def balanced(n_with=6, n_without=6, size=40, seed=2):
    """Clusters of one size, half of which have the level; each with a rate of its own."""
    rng = np.random.default_rng(seed)
    level = np.repeat([1.0, 0.0], [n_with, n_without])
    rate = rng.beta(8, 8, n_with + n_without)
    n = np.full(len(level), float(size))
    x = np.column_stack([np.ones(len(level)), level])
    return Counts(x, n, rng.binomial(size, rate).astype(float), np.arange(len(level)))


def test_the_error_is_the_jackknife_over_clusters():
    counts = balanced()
    fit = fit_logistic(counts)
    errors = cluster_errors(counts, fit, left_out(counts, fit))

    def log_odds_ratio(kept):
        odds = []
        for level in (1.0, 0.0):
            rows = kept & (counts.x[:, 1] == level)
            odds.append(counts.k[rows].sum() / (counts.n - counts.k)[rows].sum())
        return np.log(odds[0] / odds[1])

    everyone = np.ones(12, dtype=bool)
    whole = log_odds_ratio(everyone)
    squares = [(log_odds_ratio(counts.cluster != one) - whole) ** 2 for one in range(12)]
    assert errors.std_error[1] == pytest.approx(np.sqrt(11 / 12 * sum(squares)), rel=1e-6)


def test_degrees_of_freedom_of_two_equal_halves_are_those_of_two_samples():
    # clusters of one size and rates near 1/2: the linear case, where n - 2 is exact
    counts = balanced(size=400)._replace(k=np.full(12, 200.0))
    fit = fit_logistic(counts)
    errors = cluster_errors(counts, fit, left_out(counts, fit))
    assert errors.df[1] == pytest.approx(10, rel=1e-6)


def test_degrees_of_freedom_follow_the_rarer_side():
    counts = balanced(n_with=3, n_without=30, size=400)
    fit = fit_logistic(counts)
    errors = cluster_errors(counts, fit, left_out(counts, fit))
    assert 2 < errors.df[1] < 4


def test_the_traces_are_those_of_the_matrix_written_out():
    rng = np.random.default_rng(5)
    own, of_noise, root = rng.normal(size=(7, 3)), rng.normal(size=(7, 3)), rng.normal(size=(3, 3))
    diagonal, middle = rng.uniform(1, 2, 7), root @ root.T
    written = np.diag(diagonal) - own @ of_noise.T - of_noise @ own.T + own @ middle @ own.T
    expected = np.trace(written) ** 2 / np.trace(written @ written)
    assert _satterthwaite(diagonal, own, of_noise, middle) == pytest.approx(expected, rel=1e-12)


def test_one_coefficient_together_has_the_p_of_its_t():
    counts = balanced()
    fit = fit_logistic(counts)
    errors = cluster_errors(counts, fit, left_out(counts, fit))
    alone = t_p(fit.coefficients, errors.std_error, errors.df)[1]
    assert joint_p(fit.coefficients, errors, np.array([1])) == pytest.approx(alone, rel=1e-9)


def test_several_together_are_hotellings_t2():
    errors = ClusterErrors(np.diag([1.0, 4.0]), np.array([12.0, 10.0]))
    b = np.array([2.0, -2.0])
    t2, q, df = 4 + 1, 2, 10
    expected = stats.f.sf(t2 * (df - q + 1) / (df * q), q, df - q + 1)
    assert joint_p(b, errors, np.array([0, 1])) == pytest.approx(expected)


def test_there_is_no_joint_p_of_more_coefficients_than_degrees_of_freedom():
    errors = ClusterErrors(np.eye(4), np.full(4, 2.5))
    assert np.isnan(joint_p(np.ones(4), errors, np.arange(4)))
