"""Two generations by the rates of their subgroups, against scipy and plain loops."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from python_assets.infer.changes.change_rows import joined_rows
from python_assets.infer.changes.subgroup_rates import (
    DeviationCounts,
    deviation_metric_change,
    distance_rows,
    kolmogorov_smirnov,
    swapped_distance_p,
)
from python_assets.infer.draws.flips import Flips


def test_kolmogorov_and_smirnov_are_scipy_s_with_both_shares():
    rng = np.random.default_rng(5)
    a, b = np.sort(rng.integers(0, 20, 40) / 20), np.sort(rng.integers(4, 24, 30) / 24)
    found = kolmogorov_smirnov(a, b)
    for method, p in (("exact", found.p_value_exact), ("asymp", found.p_value_asymptotic)):
        expected = stats.ks_2samp(a, b, method=method)
        assert (found.value, p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
    assert abs(found.value_a - found.value_b) == pytest.approx(found.value)


def test_equal_rates_lie_no_distance_apart():
    rates = np.array([0.1, 0.1, 0.4])
    assert kolmogorov_smirnov(rates, rates)[:1] == (0.0,)
    assert kolmogorov_smirnov(rates, rates).p_value_exact == 1


def test_one_subgroup_each_has_an_exact_p_and_no_asymptotic_one():
    found = kolmogorov_smirnov(np.array([0.1]), np.array([0.9]))
    assert (found.value, found.p_value_exact) == (1, 1)
    assert np.isnan(found.p_value_asymptotic)


def test_more_subgroups_than_an_exact_p_is_feasible_for_have_the_asymptotic_one():
    rng = np.random.default_rng(6)
    found = kolmogorov_smirnov(np.sort(rng.random(10_001)), np.sort(rng.random(10_001)))
    assert np.isnan(found.p_value_exact)
    assert 0 < found.p_value_asymptotic <= 1


def test_pairs_are_of_systems_that_answer_and_an_empty_one_has_a_reason():
    rows = pd.DataFrame(
        [
            {"system_id": name, "group_id": group, "n_responses": n, "n_deviating": k}
            for name, n, k in (("a", 4, 1), ("b", 4, 3), ("silent", 0, 0), ("baseline", 4, 2))
            for group in ("é", "ü")
        ]
    )
    found = joined_rows(distance_rows(rows, None, None, {})).set_index(["system_id", "reference_system_id"])
    assert list(found.index) == [("a", "b"), ("a", "silent"), ("b", "silent")]
    assert found.loc[("a", "b")].value == 1
    assert pd.isna(found.loc[("a", "b")].reason)
    assert found.loc[("a", "silent")].reason == "no_values"
    assert found.loc[("a", "silent")][["value", "p_value_exact"]].isna().all()


def test_the_change_of_the_deviation_metric_in_equal_units_is_a_t_test_of_units():
    rng = np.random.default_rng(4)
    n = np.full((12, 3), 5.0)
    own, other = (DeviationCounts(n, rng.binomial(5, p, size=(12, 3)).astype(float)) for p in (0.5, 0.3))
    found = deviation_metric_change(own, other, ideal=0.0, alpha=0.05).result
    of_units = (own.k / 5).mean(axis=1) - (other.k / 5).mean(axis=1)
    expected = stats.ttest_1samp(of_units, 0)
    limits = expected.confidence_interval()
    assert found.value[0] == pytest.approx(of_units.mean())
    assert found.p_value[0] == pytest.approx(expected.pvalue)
    assert [found.ci_low[0], found.ci_high[0]] == pytest.approx([limits.low, limits.high])


def test_a_deviation_metric_with_another_ideal_is_never_subtracted():
    counts = DeviationCounts(np.full((6, 2), 4.0), np.ones((6, 2)))
    found, value_a, value_b = deviation_metric_change(counts, counts, ideal=0.25, alpha=0.05)
    assert found.reason[0] == "change_of_extremes_not_validated"
    assert np.isnan(found.value[0])
    assert value_a[0] == value_b[0] == 0


def test_the_distance_of_subgroup_rates_is_tested_by_every_swap_of_whole_units():
    rng = np.random.default_rng(6)
    n = np.full((6, 4), 3.0)
    own, other = (DeviationCounts(n, rng.binomial(3, p, size=(6, 4)).astype(float)) for p in (0.2, 0.7))
    seen = stats.ks_2samp(own.k.sum(axis=0) / 18, other.k.sum(axis=0) / 18).statistic
    n_as_far = 0
    for swaps in product([False, True], repeat=6):
        swapped = np.array(swaps)[:, None]
        a, b = np.where(swapped, other.k, own.k), np.where(swapped, own.k, other.k)
        n_as_far += stats.ks_2samp(a.sum(axis=0) / 18, b.sum(axis=0) / 18).statistic >= seen - 1e-9
    assert swapped_distance_p(own, other, Flips(0, 2**6, 6)) == pytest.approx(n_as_far / 64)
