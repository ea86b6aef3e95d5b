import numpy as np
import pytest
import statsmodels.api as sm
from firthmodels import FirthLogisticRegression
from scipy.special import expit

from python_assets.infer.regressions.logistic import (
    Counts,
    deviance,
    fit_firth,
    fit_logistic,
    infinite_columns,
    left_out,
    takes_too_long,
)


def counts(seed=1, n_rows=60, n_clusters=12):
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(n_rows), rng.integers(0, 2, (n_rows, 2))]).astype(float)
    n = rng.integers(1, 9, n_rows).astype(float)
    k = rng.binomial(n.astype(int), expit(x @ [-0.5, 0.8, 0.2])).astype(float)
    return Counts(x, n, k, np.arange(n_rows) % n_clusters)


def responses(given):
    """Each response by itself: columns and outcome."""
    ones = np.repeat(np.arange(len(given.n)), given.k.astype(int))
    zeros = np.repeat(np.arange(len(given.n)), (given.n - given.k).astype(int))
    rows = np.concatenate([ones, zeros])
    return given.x[rows], np.repeat([1.0, 0.0], [len(ones), len(zeros)]), given.cluster[rows]


def test_counts_give_the_fit_and_deviance_of_single_responses():
    given = counts()
    x, y, _ = responses(given)
    other = sm.Logit(y, x).fit(disp=0, tol=1e-12)
    fit = fit_logistic(given)
    np.testing.assert_allclose(fit.coefficients, other.params, rtol=1e-8)
    np.testing.assert_allclose(fit.std_error, other.bse, rtol=1e-8)
    assert deviance(given, fit.probability) == pytest.approx(-2 * other.llf, rel=1e-10)
    assert fit.is_converged


def separated():
    given = counts()
    x = np.column_stack([given.x, np.zeros(len(given.n))])
    x[:10, 3], k = 1, given.k.copy()
    k[:10] = 0
    return given._replace(x=x, k=k)


def test_a_level_without_an_event_is_found_infinite_and_the_others_are_not():
    assert infinite_columns(separated()).tolist() == [False, False, False, True]
    assert not infinite_columns(counts()).any()


def test_firth_of_counts_is_that_of_single_responses_and_finite_where_a_level_separates():
    given = separated()
    x, y, _ = responses(given)
    other = FirthLogisticRegression(fit_intercept=False, gtol=1e-9, xtol=1e-9, backend="numpy").fit(x, y)
    fit = fit_firth(given)
    np.testing.assert_allclose(fit.coefficients, other.coef_, atol=1e-6)
    assert fit.is_firth and fit.is_converged and fit.coefficients[3] < -1


def test_firth_of_a_two_by_two_table_adds_half_to_each_count():
    # saturated model: Firth's penalty is Jeffreys' prior, which adds 1/2 to each cell (Firth 1993, section 3)
    given = Counts(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([10.0, 8.0]), np.array([3.0, 0.0]), np.arange(2))
    expected = np.log(3.5 / 7.5), np.log(0.5 / 8.5) - np.log(3.5 / 7.5)
    np.testing.assert_allclose(fit_firth(given).coefficients, expected, rtol=1e-6)


def test_probabilities_of_firths_intercept_add_up_to_the_events():
    given = separated()
    fit = fit_firth(given)
    log_odds = given.x @ fit.coefficients + fit.intercept - fit.coefficients[0]
    assert (given.n * expit(log_odds)).sum() == pytest.approx(given.k.sum(), rel=1e-8)


def test_starting_from_a_fit_changes_nothing_of_where_it_ends():
    given = counts()
    for fit in (fit_logistic, fit_firth):
        far = fit(given, np.array([0.5, -0.5, 0.3])).coefficients
        np.testing.assert_allclose(far, fit(given).coefficients, atol=1e-6)


def test_coefficients_without_a_cluster_are_those_of_the_other_clusters():
    given = counts()
    x, y, cluster = responses(given)
    found = left_out(given, fit_logistic(given))
    for one in (0, 7):
        other = sm.Logit(y[cluster != one], x[cluster != one]).fit(disp=0, tol=1e-12).params
        np.testing.assert_allclose(found[one], other, rtol=1e-7)


def test_what_only_one_cluster_has_is_nothing_without_it():
    given = counts()
    given = given._replace(x=np.column_stack([given.x, given.cluster == 3]).astype(float))
    found = left_out(given, fit_logistic(given))
    assert np.isnan(found[3]).tolist() == [False, False, False, True]
    assert np.isfinite(np.delete(found, 3, axis=0)).all()


def test_a_level_that_is_separated_without_a_cluster_is_nothing_without_it():
    given = counts(n_clusters=12)
    level = np.isin(given.cluster, [0, 1, 2]).astype(float)
    k = np.where((level == 1) & (given.cluster != 0), 0, np.minimum(given.k, given.n))
    k[given.cluster == 0] = given.n[given.cluster == 0] // 2
    given = given._replace(x=np.column_stack([given.x[:, :1], level]), k=k)
    found = left_out(given, fit_logistic(given))
    assert np.isnan(found[0, 1]) and np.isfinite(found[1:, 1]).all()


def test_leaving_out_clusters_is_refused_by_their_number_and_size():
    few = counts()
    assert not takes_too_long(few)
    many = Counts(np.ones((40_000, 60)), np.ones(40_000), np.ones(40_000), np.arange(40_000))
    assert takes_too_long(many)
