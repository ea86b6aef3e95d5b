"""tests/python_assets/plan/test_expected_effects.py - mirrors python_assets/plan/expected_effects.py, and n_needed."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from bench.bench_power import CROSSINGS, Design, found_beyond_margin, found_of_crossing, found_of_rates, found_of_scores
from python_assets.infer.formulas.verdict import N_NEEDED_CAP, n_needed
from python_assets.plan.expected_effects import (
    Pilot,
    Spread,
    best_n_responses,
    mean_square_range,
    minimum_detectable_effect,
    minimum_detectable_rate,
    optimal_n_responses,
    pilot_of_cells,
    responses_needed,
    sd_of_change,
    sd_of_difference,
    sd_range,
    spread_of_pilot,
    spread_of_rate,
    variance_allowed,
)
from python_assets.study.base import Against

NO_MARGIN = np.array(np.nan)
GOLDEN = json.loads(Path(__file__).with_name("power_golden.json").read_text(encoding="utf-8"))
CLOSE = {"rel": 1e-9, "abs": 1e-12}


def needed(effect, sd, **options):
    return int(n_needed(np.array(effect), np.array(sd), NO_MARGIN, alpha=0.05, **options))


def spread_of(case, **options):
    shares = {name: case[name] for name in ("correlation", "n_groups", "n_responses", "prompt_by_group_share")}
    return Spread(sd=1.0, **shares, **options)


@pytest.mark.parametrize("case", GOLDEN["contrasts"])
def test_golden_contrasts(case):
    spread = spread_of(case)
    sd = sd_of_difference(spread, Against.REST)
    assert sd == pytest.approx(case["sd_of_difference"], **CLOSE)
    assert sd_of_change(spread, of_mean=False) == pytest.approx(case["sd_of_change"], **CLOSE)
    n_comparisons = 1 if case["n_groups"] == 2 else case["n_groups"]
    assert n_comparisons * case["n_hypotheses"] == case["n_tests"]
    assert needed(case["effect"], sd, n_tests=case["n_tests"]) == case["n_needed"]


@pytest.mark.parametrize("case", GOLDEN["rates"])
def test_golden_rates(case):
    spread = spread_of_rate(case["rate"], case["effect"], spread_of(case))
    assert spread.sd_of_group**2 == pytest.approx(case["variance_of_group"], **CLOSE)
    sd = sd_of_difference(spread, Against.REST)
    assert sd == pytest.approx(case["sd_of_difference"], **CLOSE)
    assert needed(case["effect"], sd, n_tests=case["n_groups"]) == case["n_needed"]


@pytest.mark.parametrize("case", GOLDEN["best_m"])
def test_golden_best_numbers_of_responses(case):
    parts = case["prompt_by_group_share"], case["rest"], case["cost_of_prompt_in_calls"]
    assert optimal_n_responses(*parts) == pytest.approx(case["best_m"], **CLOSE)
    assert best_n_responses(*parts) == case["rounded"]


@pytest.mark.parametrize("case", GOLDEN["replicates_for_given_prompts"])
def test_golden_responses_for_given_root_prompts(case):
    n_groups = case["n_groups"]
    allowed = variance_allowed(case["n_root_prompts"], case["effect"], alpha=0.05, n_tests=n_groups)
    allowed /= n_groups / (n_groups - 1)
    assert allowed == pytest.approx(case["variance_allowed"], **CLOSE)
    found = responses_needed(case["prompt_by_group_share"], case["rest"], allowed)
    assert (None if np.isnan(found) else found) == case["n_responses_needed"]
    assert np.isnan(found) == (case["reason"] == "more_prompts_needed")


def test_golden_pilot():
    case = GOLDEN["pilot"]
    pilot = pilot_of_cells(np.array(case["values_prompt_group_answer"]))
    assert pilot.mean_square == pytest.approx(case["ms_of_cell_residuals"], **CLOSE)
    assert pilot.within == pytest.approx(case["within"], **CLOSE)
    assert pilot.root_prompt == pytest.approx(case["prompt"], **CLOSE)
    _, high = mean_square_range(pilot)
    for mean_square, end in ((None, ""), (high, "_90")):
        spread = spread_of_pilot(pilot, 3, 10, mean_square)
        assert spread.prompt_by_group_share * spread.sd**2 == pytest.approx(
            case[f"prompt_by_group_share{end}"], **CLOSE
        )
        sd = sd_of_difference(spread, Against.REST)
        assert sd == pytest.approx(case[f"sd_of_difference{end}_at_m_10"], **CLOSE)


def test_rounding_is_no_interaction():
    assert Pilot(0.3 / 3 * (1 + 1e-15), 0.3, 3, 0.5, 8, 2).prompt_by_group_share == 0
    assert Pilot(0.3 / 3 * (1 + 1e-6), 0.3, 3, 0.5, 8, 2).prompt_by_group_share > 0


def test_the_range_of_a_pilot_is_that_of_the_mean_square_in_four_of_five():
    rng = np.random.default_rng(8)
    cells = rng.normal(size=(4_000, 6, 3))
    own = cells - cells.mean(axis=2, keepdims=True) - cells.mean(axis=1, keepdims=True)
    own += cells.mean(axis=(1, 2), keepdims=True)
    squares = (own**2).sum(axis=(1, 2)) / 10
    ranges = [mean_square_range(Pilot(float(one), np.nan, 1, 1.0, 6, 3)) for one in squares[:1_000]]
    covered = np.mean([low <= 1 <= high for low, high in ranges])
    assert covered == pytest.approx(0.8, abs=0.04)


@pytest.mark.parametrize(("lasting", "rest", "cost", "step"), [(0.1, 0.4, 5, 1), (0.05, 0.6, 30, 3), (0.2, 0.1, 2, 2)])
def test_no_number_of_responses_shows_more_for_the_money_than_the_best(lasting, rest, cost, step):
    steps = np.arange(1, 200) * step
    price = (lasting + rest / steps) * (cost + steps)
    assert best_n_responses(lasting, rest, cost, step) == steps[price.argmin()]


def test_where_nothing_lasts_answers_are_worth_as_much_as_prompts():
    assert best_n_responses(0.0, 0.5, 0.0) == 1
    assert np.isnan(best_n_responses(0.0, 0.5, 3.0))
    assert best_n_responses(0.5, 0.0, 3.0) == 1
    assert best_n_responses(0.0, 0.0, 3.0) == 1


def test_the_responses_needed_are_the_fewest_that_find_the_effect():
    n, effect, spread = 40, 0.25, Spread(1.0, 0.5, 5, 1, prompt_by_group_share=0.05)
    allowed = variance_allowed(n, effect, alpha=0.05, n_tests=5) / 1.25
    m = responses_needed(spread.prompt_by_group_share, spread.rest, allowed)
    assert m > 1
    sds = [sd_of_difference(spread._replace(n_responses=one), Against.REST) for one in (m, m - 1)]
    assert needed(effect, sds[0], n_tests=5) <= n < needed(effect, sds[1], n_tests=5)


def test_a_detectable_rate_is_the_one_that_needs_the_root_prompts_there_are():
    spread = Spread(0.0, 0.3, 5, 5, prompt_by_group_share=0.1)
    of_one = float(minimum_detectable_effect(np.array(1.0), np.array(60), alpha=0.05, n_tests=5))

    def sd_at(effect):
        return sd_of_difference(spread_of_rate(0.2, effect, spread), Against.REST)

    found = minimum_detectable_rate(sd_at, of_one, 0.2)
    assert needed(found * (1 + 1e-9), sd_at(found), n_tests=5) == 60
    assert np.isnan(minimum_detectable_rate(sd_at, 100 * of_one, 0.2))
    assert np.isnan(minimum_detectable_rate(sd_at, np.nan, 0.2))


@pytest.mark.parametrize(("a", "b"), [(2, 2), (2, 3), (3, 7)])
@pytest.mark.parametrize("is_nested", [False, True])
def test_a_cell_beyond_its_parts_has_the_variance_of_its_weights(a, b, is_nested):
    # the cell less the others of its row and of its column, and more the rest
    weights = np.full((a, b), 1 / ((a - 1) * (b - 1)))
    weights[0], weights[:, 0], weights[0, 0] = -1 / (b - 1), -1 / (a - 1), 1
    left = (a - 1) * (b - 1) / (a * b)
    spread = Spread(0.4, 0.3, a * b, 5, is_nested, 0.0 if is_nested else 0.1, sd_of_group=0.6, left=left)
    variances = np.full((a, b), 0.4**2)
    variances[0, 0] = 0.6**2
    of_cell = (0.3 + 0.7 / 5) * a * b if is_nested else 0.1 + 0.6 / 5  # a unit lies in one cell
    sd = np.sqrt((weights**2 * variances).sum() * of_cell)
    assert sd_of_difference(spread, Against.REST) == pytest.approx(sd, **CLOSE)
    if not is_nested:
        assert sd_of_change(spread, of_mean=False) == pytest.approx(np.sqrt(2) * sd, **CLOSE)


@pytest.mark.run
@pytest.mark.parametrize(
    "design",
    [Design(2, 0.1, 10, 0.3, 1), Design(5, 0.2, 5, 0.3, 1), Design(8, 0.05, 20, 0.15, 1), Design(21, 0.1, 5, 0.3, 40)],
)
def test_what_is_planned_is_found(design):
    assert 0.74 <= found_of_scores(design, n_sets=600, seed=3) <= 0.88


@pytest.mark.run
@pytest.mark.parametrize(("n_rows", "n_columns", "n_responses", "effect"), CROSSINGS)
def test_what_is_planned_of_a_crossing_is_found(n_rows, n_columns, n_responses, effect):
    assert 0.74 <= found_of_crossing(n_rows, n_columns, n_responses, effect, n_sets=600, seed=3) <= 0.88


@pytest.mark.run
def test_what_is_planned_of_rates_is_found():
    assert 0.74 <= found_of_rates(0.2, 0.15, n_groups=5, n_responses=5, n_sets=400, seed=3) <= 0.93


@pytest.mark.run
@pytest.mark.parametrize(("effect", "n_root_prompts"), [(1.65, 12), (1.15, 20), (0.86, 35)])
def test_what_is_planned_beyond_a_margin_is_found(effect, n_root_prompts):
    n, share = found_beyond_margin(effect, "normal", 2_000, seed=3)
    assert n == n_root_prompts
    assert 0.75 <= share <= 0.88


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
