"""tests/python_assets/infer/test_replicates.py - mirrors python_assets/infer/replicates.py."""

import itertools

import numpy as np
import pytest
from scipy import stats

from python_assets.infer.permutation import GivenDraws, RandomDraws
from python_assets.infer.replicates import Replicates, compare_replicated_means, compare_replicated_rates


def one_prompt(*groups, n_permutations=None):
    """Rows of a single prompt, by group; all arrangements of two groups where no number of draws is given."""
    x = np.concatenate(groups)
    group = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    rows = Replicates(np.zeros(len(x), dtype=int), group, np.zeros(1, dtype=int), len(groups))
    if n_permutations is not None:
        return rows, x[:, None], RandomDraws(1, n_permutations, rows.block, np.arange(len(x)), len(x))
    places = np.arange(len(x))
    chosen = itertools.combinations(places, len(groups[0]))
    draws = np.array([[*first, *np.setdiff1d(places, first)] for first in chosen])
    return rows, x[:, None], GivenDraws(draws)


def test_golden_single_prompt(golden):
    case = golden["single_prompt_replicates"]
    x, group = np.array(case["x"]), np.array(case["group"])
    rows, values, draws = one_prompt(x[group == 1], x[group == 0])
    result = compare_replicated_means(rows, values, draws, 0.05).contrasts["mean_difference"]
    assert draws.n == case["arrangements"]
    assert result.value[0, 0] / result.std_error[0, 0] == pytest.approx(case["t"], abs=1e-9)
    assert result.p_value[0, 0] == pytest.approx(case["p_exact"], abs=1e-9)
    assert result.scope[0, 0] == "these prompts only"


def test_interval_is_that_of_welch():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=9), 2 * rng.normal(size=5)
    result = compare_replicated_means(*one_prompt(a, b), 0.05).contrasts["mean_difference"]
    expected = stats.ttest_ind(a, b, equal_var=False).confidence_interval()
    assert (result.ci_low[0, 0], result.ci_high[0, 0]) == pytest.approx(tuple(expected), abs=1e-10)


def test_p_is_that_of_scipy_over_all_arrangements():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=5), 1 + rng.normal(size=4)
    exact = stats.permutation_test(
        (a, b), lambda x, y: abs(stats.ttest_ind(x, y, equal_var=False).statistic), alternative="greater"
    )
    result = compare_replicated_means(*one_prompt(a, b), 0.05).contrasts["mean_difference"]
    assert result.p_value[0, 0] == pytest.approx(exact.pvalue, abs=1e-12)


def test_too_few_rows_fall_back_on_welch():
    a, b = np.array([1.0, 2.0]), np.array([4.0, 6.0])
    result = compare_replicated_means(*one_prompt(a, b), 0.05).contrasts["mean_difference"]
    assert result.reason[0, 0] == "p_floor"
    assert result.p_value[0, 0] == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)


def test_difference_of_several_prompts_is_the_mean_of_theirs():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(3, 2, 4)) + 10 * np.arange(3)[:, None, None]
    rows = Replicates(np.repeat(np.arange(3), 8), np.tile(np.repeat([0, 1], 4), 3), np.arange(3), 2)
    draws = RandomDraws(1, 499, rows.block, np.arange(24), 24)
    result = compare_replicated_means(rows, x.reshape(-1, 1), draws, 0.05).contrasts["mean_difference"]
    assert result.value[0, 0] == pytest.approx((x[:, 0] - x[:, 1]).mean())
    variance = x.var(axis=2, ddof=1).sum() / 4 / 9
    assert result.std_error[0, 0] == pytest.approx(np.sqrt(variance))
    assert result.n_root_prompts[0].tolist() == [3, 3]


def test_indices_come_from_the_same_shuffles():
    rng = np.random.default_rng(4)
    groups = [rng.normal(size=6) + shift for shift in (0.0, 0.0, 3.0)]
    indices = compare_replicated_means(*one_prompt(*groups, n_permutations=999), 0.05).indices
    assert indices["range"].value[0] == pytest.approx(np.ptp([g.mean() for g in groups]))
    assert indices["range"].p_value[0] < 0.01
    assert indices["max"].value[0] == pytest.approx(max(g.mean() for g in groups))


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_equal_replicates_have_p_1(rate):
    result = compare_replicated_rates(*one_prompt(np.full(5, rate), np.full(5, rate)), 0.05)
    assert (result.contrasts["risk_difference"].p_value == 1).all()
    assert (result.contrasts["risk_difference"].value == 0).all()
    assert (result.contrasts["log_disparity"].reason == "unbounded").all()


def test_rates_without_any_spread_still_have_an_interval():
    risk = compare_replicated_rates(*one_prompt(np.ones(6), np.zeros(6)), 0.05).contrasts["risk_difference"]
    assert risk.p_value[0, 0] == pytest.approx(2 / 924)
    assert 0 < risk.ci_low[0, 0] < 1


def test_false_positive_rate_is_nominal_for_these_prompts():
    x = np.random.default_rng(5).exponential(size=(20, 1_000))
    rows = Replicates(np.zeros(20, dtype=int), np.repeat([0, 1], 10), np.zeros(1, dtype=int), 2)
    draws = RandomDraws(1, 499, rows.block, np.arange(20), 20)
    p = compare_replicated_means(rows, x, draws, 0.05).contrasts["mean_difference"].p_value[:, 0]
    low, high = stats.binom.interval(0.999, 1_000, 0.05)
    assert low <= (p <= 0.05).sum() <= high
