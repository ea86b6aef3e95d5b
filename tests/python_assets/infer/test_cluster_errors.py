import numpy as np
import pytest
from scipy import stats

from python_assets.infer.cluster_errors import Errors, _satterthwaite, cluster_errors, joint_p, t_p
from python_assets.infer.logistic import Counts, fit_logistic, left_out


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
    errors = Errors(np.diag([1.0, 4.0]), np.array([12.0, 10.0]))
    b = np.array([2.0, -2.0])
    t2, q, df = 4 + 1, 2, 10
    expected = stats.f.sf(t2 * (df - q + 1) / (df * q), q, df - q + 1)
    assert joint_p(b, errors, np.array([0, 1])) == pytest.approx(expected)


def test_there_is_no_joint_p_of_more_coefficients_than_degrees_of_freedom():
    errors = Errors(np.eye(4), np.full(4, 2.5))
    assert np.isnan(joint_p(np.ones(4), errors, np.arange(4)))
