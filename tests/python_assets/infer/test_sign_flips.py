from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.linalg import helmert

from python_assets.infer.sign_flips import BY_F, BY_FLIPS, BY_SQUARES, flip_test


def table(n, q, shift=0.0, seed=1):
    return np.random.default_rng(seed).normal(size=(n, q)) + shift


def t2(contrasts):
    mean, covariance = contrasts.mean(axis=0), np.atleast_2d(np.cov(contrasts, rowvar=False))
    return len(contrasts) * mean @ np.linalg.solve(covariance, mean)


def exact(contrasts, statistic):
    """Share of all arrangements of signs whose statistic is as large; seed-free."""
    every = [
        statistic(np.array(signs)[:, None] * contrasts) for signs in product([1, -1], repeat=len(contrasts))
    ]
    return np.mean(np.array(every) >= statistic(contrasts) - 1e-9)


@pytest.mark.parametrize(("n", "q", "shift"), [(8, 2, 0.0), (9, 3, 0.6), (7, 1, 0.4)])
def test_p_is_that_of_every_arrangement_of_signs(n, q, shift):
    contrasts = table(n, q, shift)
    found = flip_test(contrasts, n_draws=9_999, seed=1)
    assert found.method == BY_FLIPS
    assert found.p == pytest.approx(exact(contrasts, t2), abs=1e-12)


def test_of_one_contrast_it_is_the_flipped_t():
    contrasts = table(10, 1, 0.5)
    t = abs(stats.ttest_1samp(contrasts[:, 0], 0).statistic)
    found = flip_test(contrasts, n_draws=9_999, seed=1)
    p = exact(contrasts, lambda x: abs(stats.ttest_1samp(x[:, 0], 0).statistic))
    assert t > 0 and found.p == pytest.approx(p)


def test_random_flips_come_near_to_all():
    contrasts = table(12, 2, 0.3)
    p = exact(contrasts, t2)
    found = flip_test(contrasts, n_draws=3_999, seed=3)
    assert found.p == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 3_999))


def test_many_contrasts_take_the_sum_of_squared_t():
    contrasts = table(7, 6, 0.5)
    found = flip_test(contrasts, n_draws=9_999, seed=1)
    assert found.method == BY_SQUARES

    def squares(x):
        return sum(stats.ttest_1samp(column, 0).statistic ** 2 for column in x.T)

    assert found.p == pytest.approx(exact(contrasts, squares), abs=1e-12)


def test_few_prompts_take_the_distribution_of_t2_and_too_few_have_no_p():
    contrasts = table(5, 2, 1.0)
    found = flip_test(contrasts, n_draws=999, seed=1)
    assert found.method == BY_F
    assert found.p == pytest.approx(stats.f.sf(t2(contrasts) * 3 / (2 * 4), 2, 3))
    assert np.isnan(flip_test(table(2, 2), n_draws=99, seed=1).p)


def test_contrasts_that_are_all_0_have_no_p():
    assert np.isnan(flip_test(np.zeros((9, 2)), n_draws=99, seed=1).p)


def test_nothing_is_found_more_often_than_alpha():
    rng = np.random.default_rng(8)
    n_sets = 400
    for n_prompts in (6, 12):
        # exponential cells, one three times as wide
        cells = (rng.exponential(size=(n_sets, n_prompts, 4)) - 1) * [3, 1, 1, 1]
        contrasts = cells @ helmert(4).T
        p = np.array([flip_test(one, n_draws=199, seed=s).p for s, one in enumerate(contrasts)])
        assert (p <= 0.05).mean() <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / n_sets)
