"""tests/python_assets/plan/test_expected_effects.py - mirrors python_assets/plan/expected_effects.py, and n_needed."""

import numpy as np
import pytest
from scipy import stats

from python_assets.infer.formulas.verdict import N_NEEDED_CAP, n_needed
from python_assets.plan.expected_effects import Spread, minimum_detectable_effect, sd_of_difference, sd_range
from python_assets.study.base import Against

NO_MARGIN = np.array(np.nan)


def needed(effect, sd, **options):
    return int(n_needed(np.array(effect), np.array(sd), NO_MARGIN, alpha=0.05, **options))


def test_n_needed_is_capped_next_to_the_margin():
    found = n_needed(np.array([0.3, 0.2999]), np.array([1.0, 1.0]), np.array([0.3, 0.3]), alpha=0.05)
    assert found.tolist() == [N_NEEDED_CAP + 1] * 2


def test_n_needed_of_nothing_known_is_nothing():
    found = n_needed(np.array([np.nan, 0.1]), np.array([1.0, np.nan]), np.full(2, np.nan), alpha=0.05)
    assert np.isnan(found).all()


@pytest.mark.parametrize("power", [0.8, 0.9])
@pytest.mark.parametrize("n_tests", [1, 21])
def test_n_needed_has_the_power_it_says_by_the_noncentral_t(n_tests, power):
    n = needed(0.5, 1.0, n_tests=n_tests, power=power)
    df = n - 1
    achieved = stats.nct.sf(stats.t.isf(0.025 / n_tests, df), df, 0.5 * np.sqrt(n))
    assert achieved == pytest.approx(power, abs=0.02)


@pytest.mark.parametrize(("n_groups", "effect"), [(2, 0.3), (5, 0.4), (21, 0.6)])
def test_a_simulated_study_of_the_size_needed_finds_the_effect_in_four_of_five(n_groups, effect):
    rng = np.random.default_rng(n_groups)
    sd, correlation, n_responses = 1.0, 0.5, 2
    spread = Spread(sd, correlation, n_groups, n_responses)
    n = needed(effect, sd_of_difference(spread, Against.REST))
    prompt = rng.normal(0, np.sqrt(correlation / n_responses), (4_000, n, 1))
    x = prompt + rng.normal(0, np.sqrt((1 - correlation) / n_responses), (4_000, n, n_groups))
    d = x[:, :, 0] + effect - x[:, :, 1:].mean(axis=2)
    share = (stats.ttest_1samp(d, 0, axis=1).pvalue <= 0.05).mean()
    assert 0.75 <= share <= 0.85


@pytest.mark.parametrize(
    ("n_groups", "correlation", "n_responses", "effect"), [(2, 0.6, 5, 0.6), (2, 0.0, 4, 0.4), (4, 0.3, 10, 0.6)]
)
def test_a_simulated_study_of_units_of_one_group_finds_the_effect_in_four_of_five(
    n_groups, correlation, n_responses, effect
):
    rng = np.random.default_rng(n_groups)
    spread = Spread(1.0, correlation, n_groups, n_responses, is_nested=True)
    n_of_group = round(needed(effect, sd_of_difference(spread, Against.REST)) / n_groups)
    shape = (4_000, n_groups, n_of_group, n_responses)
    unit = rng.normal(0, np.sqrt(correlation), (*shape[:3], 1))
    x = (unit + rng.normal(0, np.sqrt(1 - correlation), shape)).mean(axis=3)
    x[:, 0] += effect
    means, df = x.mean(axis=2), n_groups * (n_of_group - 1)
    error = np.sqrt(x.var(axis=2, ddof=1).mean(axis=1) / n_of_group * n_groups / (n_groups - 1))
    p = 2 * stats.t.sf(np.abs(means[:, 0] - means[:, 1:].mean(axis=1)) / error, df)
    assert 0.75 <= (p <= 0.05).mean() <= 0.85


@pytest.mark.parametrize("against", [Against.REST, Against.GRAND_MEAN, Against.LEVEL])
@pytest.mark.parametrize("is_nested", [False, True])
def test_sd_of_difference_is_that_of_simulated_differences(against, is_nested):
    rng = np.random.default_rng(3)
    n_groups, n_units, n_sets = 4, 12, 40_000
    shared, own = 2 * np.sqrt(0.7), 2 * np.sqrt(0.3 / 3)  # 3 responses
    if is_nested:  # n_units / n_groups units of each group; responses of a unit are alike
        units = (n_sets, n_groups, n_units // n_groups)
        means = (rng.normal(0, shared, units) + rng.normal(0, own, units)).mean(axis=2)
    else:
        prompt = rng.normal(0, shared, (n_sets, n_units, 1))
        means = (prompt + rng.normal(0, own, (n_sets, n_units, n_groups))).mean(axis=1)
    other = {
        Against.REST: means[:, 1:].mean(axis=1),
        Against.GRAND_MEAN: means.mean(axis=1),
        Against.LEVEL: means[:, 1],
    }[against]
    expected = (means[:, 0] - other).std() * np.sqrt(n_units)
    found = sd_of_difference(Spread(2.0, 0.7, n_groups, 3, is_nested), against)
    assert found == pytest.approx(expected, rel=0.02)


def test_the_detectable_effect_is_the_one_that_needs_the_root_prompts_there_are():
    for n, n_tests in ((30, 1), (75, 21)):
        effect = minimum_detectable_effect(np.array(0.7), np.array(n), alpha=0.05, n_tests=n_tests)
        assert needed(effect * (1 + 1e-9), 0.7, n_tests=n_tests) == n


def test_too_few_root_prompts_detect_nothing():
    assert np.isnan(minimum_detectable_effect(np.array(1.0), np.array(4), alpha=0.05, n_tests=21))
    assert np.isnan(minimum_detectable_effect(np.array(1.0), np.array(0), alpha=0.05))


def test_the_range_of_a_pilot_covers_the_sd_in_four_of_five():
    rng = np.random.default_rng(1)
    sd = rng.normal(0, 2, (20_000, 10)).std(axis=1, ddof=1)
    low, high = sd_range(sd, np.full(len(sd), 10))
    assert ((low <= 2) & (high >= 2)).mean() == pytest.approx(0.8, abs=0.01)
