"""Intervals of pooled rates and of their log disparities, from sums over units."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import logit

from bench.bench_subgroups import coverage, designs, made_up, unit_sums
from python_assets.infer.formulas import interval
from python_assets.infer.subgroups.subgroups import subgroup_intervals

COVERED_SETS = 2_000


def of_one(n, k, m, h, alpha=0.05):
    return subgroup_intervals(unit_sums(_sets(n, k), _sets(m, h)), alpha).iloc[0]


def _sets(n, k):
    return np.array([n]), np.array([k])


def test_in_equal_units_the_interval_is_wilson_at_the_cluster_size():
    k = np.array([0, 1, 1, 3, 2, 0])
    found = of_one(np.full(6, 4), k, np.full(6, 4), np.array([1, 2, 2, 3, 4, 1]))
    p = k.sum() / 24
    n_eff = p * (1 - p) / (np.var(k / 4, ddof=1) / 6)
    t = stats.t.isf(0.025, 5)
    centre, half = p + t**2 / (2 * n_eff), t * np.sqrt(p * (1 - p) / n_eff + (t / (2 * n_eff)) ** 2)
    scale = 1 + t**2 / n_eff
    assert [found.ci_low, found.ci_high] == pytest.approx([(centre - half) / scale, (centre + half) / scale])


def test_in_equal_units_the_log_disparity_has_the_interval_of_paired_rates():
    k, h = np.array([0, 1, 1, 3, 2, 0]), np.array([1, 2, 2, 3, 4, 1])
    found = of_one(np.full(6, 4), k, np.full(6, 4), h)
    rates = [k.sum() / 24, h.sum() / 24]
    sizes = [
        interval.inverse_effective_n(np.array(p), np.var(x / 4, ddof=1) / 6, np.array(1 / 6))
        for p, x in zip(rates, (k, h), strict=True)
    ]
    pair = interval.RatePair(np.array(rates[0]), sizes[0], np.array(rates[1]), sizes[1], np.corrcoef(k, h)[0, 1])
    expected = interval.mover_logit(pair, stats.t.isf(0.025, 5))
    assert [found.log_disparity_ci_low, found.log_disparity_ci_high] == pytest.approx([*expected])
    assert expected.low < logit(rates[0]) - logit(rates[1]) < expected.high


def test_units_that_answer_more_count_more():
    n, k = np.array([1, 1, 1, 40]), np.array([1, 1, 0, 10])
    found = of_one(n, k, np.full(4, 4), np.array([1, 2, 3, 1]))
    rate = k.sum() / n.sum()
    variance = 4 / 3 * ((k - rate * n) ** 2).sum() / n.sum() ** 2
    expected = interval.wilson(np.array(rate), variance / (rate * (1 - rate)), stats.t.isf(0.025, 3))
    assert [found.ci_low, found.ci_high] == pytest.approx([*expected])


@pytest.mark.parametrize("design", ["crossed", "crossed, by chance", "nested"])
@pytest.mark.parametrize("rates", [(0.2, 0.2), (0.1, 0.3), (0.5, 0.7)])
def test_intervals_cover_what_they_promise(design, rates):
    rng = np.random.default_rng(3)
    sizes = dict(designs(24, COVERED_SETS, rng))[design]
    found = subgroup_intervals(unit_sums(*made_up(sizes, rates, 1.0, rng)), 0.05)
    least = stats.binom.ppf(0.001, COVERED_SETS, 0.94) / COVERED_SETS  # .94: the worst cells at 12 units or more
    assert coverage(found, "ci", rates[0]) >= least
    assert coverage(found, "log_disparity_ci", logit(rates[0]) - logit(rates[1])) >= least
    assert found.log_disparity_ci_low.notna().mean() > 0.95


def test_a_rate_of_0_or_1_has_an_interval_and_no_log_disparity():
    never = of_one([4, 4, 4], [0, 0, 0], [4, 4, 4], [1, 2, 3])
    assert never.ci_low == 0
    assert 0 < never.ci_high < 1
    always = of_one([4, 4, 4], [4, 4, 4], [4, 4, 4], [1, 2, 3])
    assert always.ci_high == 1
    for row in (never, always):
        assert np.isnan([row.log_disparity_ci_low, row.log_disparity_ci_high]).all()
        assert row.inference_reason == "unbounded"


def test_few_units_and_none_have_a_reason():
    few = of_one([4, 4, 0], [1, 2, 0], [4, 4, 4], [1, 2, 3])
    nobody = of_one([0, 0, 0], [0, 0, 0], [4, 4, 4], [1, 2, 3])
    few_others = of_one([4, 4, 4], [1, 2, 1], [4, 4, 0], [1, 2, 0])
    assert np.isnan([few.ci_low, few.log_disparity_ci_low, nobody.ci_low]).all()
    assert (few.inference_reason, nobody.inference_reason) == ("too_few_root_prompts", "no_values")
    assert few_others.ci_low < 1 / 3 < few_others.ci_high
    assert np.isnan(few_others.log_disparity_ci_low)
    assert few_others.inference_reason == "too_few_root_prompts"


def test_units_that_all_have_one_rate_leave_an_interval_of_some_width():
    found = of_one([2, 2, 2, 2], [1, 1, 1, 1], [4, 4, 4, 4], [1, 2, 3, 2])
    assert found.ci_high - found.ci_low > 0.5


def test_a_slice_of_several_kinds_of_units_has_no_interval():
    sums = unit_sums(_sets(np.full(6, 4), np.arange(6) % 3), _sets(np.full(6, 4), np.arange(6) % 2 + 1))
    (slice_id,) = sums.slice_id
    found = subgroup_intervals(sums, 0.05, [slice_id]).iloc[0]
    assert found.inference_reason == "mixed_units"
    assert found[["ci_low", "ci_high", "log_disparity_ci_low", "log_disparity_ci_high"]].isna().all()
    assert subgroup_intervals(sums, 0.05).iloc[0].inference_reason is None
