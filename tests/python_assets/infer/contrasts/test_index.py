"""tests/python_assets/infer/test_indices.py - mirrors python_assets/infer/indices.py."""

import numpy as np
import pytest
from scipy import stats

from python_assets.infer.contrasts.compare import compare_values
from python_assets.infer.contrasts.index import INDICES, RATE_INDICES


def means(scheme, x):
    return compare_values(scheme, x, {"mean_difference": np.full(x.shape[1], np.nan)}, is_rate=False).indices


def rates(scheme, y):
    margins = {"risk_difference": np.full(y.shape[1], np.nan)}
    return compare_values(scheme, y, margins, with_log=False, is_rate=True).indices


STATISTICS = {
    "range": lambda *groups: np.ptp([g.mean() for g in groups]),
    "standard_deviation": lambda *groups: np.std([g.mean() for g in groups], ddof=1),
    "max_abs_z": lambda *groups: np.abs(stats.zscore([g.mean() for g in groups], ddof=1)).max(),
    "max_z": lambda *groups: stats.zscore([g.mean() for g in groups], ddof=1).max(),
    "min_max_ratio": lambda *groups: 1 - min(g.mean() for g in groups) / max(g.mean() for g in groups),
}


@pytest.mark.parametrize("metric", list(STATISTICS))
def test_p_is_that_of_scipy_over_all_arrangements(build, metric):
    x = 3 + np.random.default_rng(1).normal(size=(4, 3))
    exact = stats.permutation_test(
        tuple(x.T), STATISTICS[metric], permutation_type="samples", alternative="greater", n_resamples=np.inf
    )
    test = means(*build(x))[metric]
    assert test.p_value[0] == pytest.approx(exact.pvalue, abs=1e-12)
    value, median = exact.statistic, np.median(exact.null_distribution)
    if metric == "min_max_ratio":
        value, median = 1 - value, 1 - median
    assert test.value[0] == pytest.approx(value)
    assert test.null_median[0] == pytest.approx(median)


def test_rates_stay_between_0_and_1_where_the_adjustment_for_missing_cells_adds(build):
    # the second group links the others: 1 above the first, 1 below the third
    y = np.array([[0.0, 1.0, np.nan]] * 6 + [[np.nan, 0.0, 1.0]] * 6)
    y[0, 0] = 0.5
    adjusted = means(*build(y, n_permutations=99))
    assert adjusted["max"].value[0] > 1 and adjusted["min"].value[0] < 0
    found = rates(*build(y, n_permutations=99))
    assert found["max"].value[0] <= 1 and found["min"].value[0] >= 0
    assert found["range"].value[0] == pytest.approx(found["max"].value[0] - found["min"].value[0])
    assert found["impact_ratio"].value[0] >= 0


def test_ratio_of_negative_means_is_that_of_their_sizes(build):
    x = 3 + np.random.default_rng(2).normal(size=(5, 3))
    positive, negative = means(*build(x))["min_max_ratio"], means(*build(-x))["min_max_ratio"]
    assert negative.value[0] == pytest.approx(1 / positive.value[0])
    assert negative.null_q95[0] == pytest.approx(1 / positive.null_q95[0])
    assert negative.p_value[0] == positive.p_value[0]


def test_ratio_across_signs_is_undefined(build):
    x = np.random.default_rng(3).normal(size=(6, 3)) + [-2, 0, 2]
    test = means(*build(x, n_permutations=99))["min_max_ratio"]
    assert test.reason[0] == "ratio_undefined"
    assert np.isnan([test.value[0], test.p_value[0], test.null_q95[0]]).all()


def test_offset_of_a_root_prompt_changes_no_spread(build):
    x = np.random.default_rng(4).normal(size=(8, 4))
    a, b = (means(*build(z, n_permutations=499)) for z in (x, x + 1e6 * np.arange(8)[:, None]))
    for metric in ("range", "standard_deviation", "max_abs_z"):
        assert a[metric].p_value[0] == b[metric].p_value[0]
        assert b[metric].null_q95[0] == pytest.approx(a[metric].null_q95[0], abs=1e-6)


def test_one_missing_cell_leaves_every_index_its_p(build):
    x = np.random.default_rng(6).normal(size=(10, 3))
    x[4, 1] = np.nan
    tests = means(*build(x, n_permutations=99))
    for metric in ("range", "standard_deviation", "max_z", "max_abs_z"):
        assert np.isfinite(tests[metric].p_value).all()
    assert build(x, n_permutations=99)[0].means.method == "permuted within blocks, incomplete blocks"


def test_a_group_without_any_value_leaves_the_others(build):
    x = np.random.default_rng(7).normal(size=(8, 3))
    x[:, 1] = np.nan
    test = means(*build(x, n_permutations=99))["range"]
    assert test.value[0] == pytest.approx(abs(x[:, 0].mean() - x[:, 2].mean()))


def test_groups_that_no_shared_prompt_connects_have_no_index(build):
    alone = np.random.default_rng(7).normal(size=(12, 3))
    alone[:10, 2], alone[10:, :2] = np.nan, np.nan
    two_panels = np.random.default_rng(7).normal(size=(12, 4))
    two_panels[:6, 2:], two_panels[6:, :2] = np.nan, np.nan
    for x in (alone, two_panels):
        for tests in (means(*build(x, n_permutations=99)), rates(*build(np.sign(x), n_permutations=99))):
            for test in tests.values():
                assert test.reason[0] == "not_connected"
                assert np.isnan([test.value[0], test.p_value[0], test.null_q95[0], test.ci_low[0]]).all()
    assert set(rates(*build(np.sign(alone), n_permutations=9))) >= {*INDICES, *RATE_INDICES}


@pytest.mark.parametrize("is_rate", [False, True])
def test_z_of_two_groups_is_a_constant_and_has_no_p(build, is_rate):
    x = np.random.default_rng(12).normal(size=(8, 2))
    tests = (rates if is_rate else means)(*build(1.0 * (x > 0) if is_rate else x, n_permutations=99))
    for metric in ("max_z", "max_abs_z"):
        assert tests[metric].reason[0] == "scale_free"
        for field in ("value", "p_value", "null_median", "null_q95", "ci_low"):
            assert np.isnan(getattr(tests[metric], field)).all()
    assert np.isfinite(tests["range"].p_value).all()


def test_root_prompts_count_alike_however_many_blocks_they_have(build):
    x = np.random.default_rng(8).normal(size=(9, 3))
    root = np.array([0, 0, 0, 1, 1, 2, 3, 4, 5])
    test = means(*build(x, n_permutations=99, root_of_block=root))["range"]
    by_root = np.array([x[root == r].mean(axis=0) for r in range(6)])
    assert test.value[0] == pytest.approx(np.ptp(by_root.mean(axis=0)))


def test_impact_ratio_is_printed_as_a_ratio(build):
    y = (np.random.default_rng(9).random((12, 3)) < [0.9, 0.5, 0.5]).astype(float)
    test = rates(*build(y, n_permutations=999))["impact_ratio"]
    assert test.value[0] == pytest.approx(y.mean(axis=0).min() / y.mean(axis=0).max())
    assert test.null_q95[0] < test.null_median[0] < 1


def test_no_selection_is_a_reason(build):
    test = rates(*build(np.zeros((8, 3)), n_permutations=99))["impact_ratio"]
    assert test.reason[0] == "no_selections"
    assert np.isnan([test.value[0], test.p_value[0]]).all()


def test_equal_values_have_no_range_and_no_z(build):
    tests = means(*build(np.full((8, 3), 0.1), n_permutations=99))
    assert (tests["range"].value[0], tests["range"].p_value[0]) == (0, 1)
    assert tests["max_abs_z"].reason[0] == "no_spread"


def test_descriptive_indices_have_a_value_and_no_p(build):
    x = np.random.default_rng(10).normal(size=(8, 3))
    tests = means(*build(x, n_permutations=9))
    assert tests["max"].value[0] == pytest.approx(x.mean(axis=0).max())
    assert tests["min"].value[0] == pytest.approx(x.mean(axis=0).min())
    assert np.isnan(tests["mean"].p_value).all()
    assert tests["mean"].reason[0] == "descriptive"


def test_false_positive_rate_of_the_range_is_nominal(build):
    x = np.random.default_rng(11).normal(size=(8, 4, 1_000))
    p = means(*build(x, n_permutations=499))["range"].p_value
    low, high = stats.binom.interval(0.999, 1_000, 0.05)
    assert low <= (p <= 0.05).sum() <= high
