"""tests/python_assets/infer/test_bootstrap.py - mirrors python_assets/infer/bootstrap.py."""

import numpy as np
import pytest
from scipy import stats

from python_assets.infer.design.design import Frame
from python_assets.infer.statistics.bootstrap import bootstrap_intervals, order_limits, weighted_quantiles
from tests.python_assets.infer.statistics.test_compare_statistics import ASKED, NONLINEAR, REFERENCE, values_of


def intervals(x, b=None, name="variance", *, replicates=1, root_of_block=None, n=2_000, seed=1, alpha=0.05):
    """Of a table (blocks, groups[, columns])."""
    n_blocks, n_groups = x.shape[:2]
    roots = np.arange(n_blocks) if root_of_block is None else root_of_block
    frame = Frame(np.repeat(np.arange(n_blocks), n_groups), np.tile(np.arange(n_groups), n_blocks), roots, n_groups)
    values = values_of(x, b, replicates)
    return bootstrap_intervals(frame, values, ASKED[name], alpha=alpha, n_bootstrap=n, seed=seed)


VECTORISED = {
    "variance": lambda x, b, axis: np.var(x, ddof=1, axis=axis),
    "standard_deviation": lambda x, b, axis: np.std(x, ddof=1, axis=axis),
    "skewness": lambda x, b, axis: stats.skew(x, bias=False, axis=axis),
    "kurtosis": lambda x, b, axis: stats.kurtosis(x, bias=False, axis=axis),
    "correlation": lambda x, b, axis: stats.pearsonr(x, b, axis=axis).statistic,
}


@pytest.mark.parametrize("name", list(VECTORISED))
def test_limits_are_those_of_scipy(name):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 2))
    b = x + rng.normal(size=x.shape)
    found = intervals(x, b, name, n=20_000)
    for group in range(2):
        pair = (x[:, group], b[:, group])
        reference = stats.bootstrap(
            pair, VECTORISED[name], paired=True, n_resamples=20_000, method="percentile", rng=rng
        )
        drawn = reference.bootstrap_distribution
        for limit, share in ((found.ci_low, 0.025), (found.ci_high, 0.975)):
            # the limit lies at the right place of scipy's resamples, by the error of 20,000 of each
            assert (drawn <= limit[0, group]).mean() == pytest.approx(share, abs=0.006)


def test_divergence_is_resampled_in_pairs_with_edges_that_stay():
    rng = np.random.default_rng(2)
    x, b = rng.normal(size=(30, 1)), rng.normal(size=(30, 1))
    edges = np.linspace(min(x.min(), b.min()), max(x.max(), b.max()), 11)
    picked = rng.integers(0, 30, size=(4_000, 30))
    drawn = [stats.entropy(*(np.histogram(z[rows], edges)[0] + 0.5 for z in (x[:, 0], b[:, 0]))) for rows in picked]
    found = intervals(x, b, "kl_divergence", n=20_000)
    assert (drawn <= found.ci_low[0, 0]).mean() == pytest.approx(0.025, abs=0.01)
    assert (drawn <= found.ci_high[0, 0]).mean() == pytest.approx(0.975, abs=0.01)


@pytest.mark.parametrize(("n", "low"), [(10, 2), (15, 4), (20, 6), (25, 8), (30, 10), (40, 14), (50, 18), (100, 40)])
def test_order_statistics_of_a_median_are_those_of_the_sign_test_table(n, low):
    # Geigy Scientific Tables, confidence limits of the median, 95 %
    assert order_limits(np.arange(1, n + 1), 0.05).tolist() == [low, n + 1 - low]


@pytest.mark.parametrize("n", [10, 31])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_order_statistics_are_the_closest_that_cover(n, alpha):
    low, high = order_limits(np.arange(n), alpha)
    assert stats.binom.cdf(high, n, 0.5) - stats.binom.cdf(low, n, 0.5) >= 1 - alpha
    assert 2 * stats.binom.cdf(low + 1, n, 0.5) > alpha


def test_median_of_one_value_a_root_prompt_takes_order_statistics():
    x = np.random.default_rng(3).normal(size=(20, 3))
    x[4, 1] = np.nan
    found = intervals(x, name="median")
    for group in range(3):
        ordered = np.sort(x[~np.isnan(x[:, group]), group])
        assert [found.ci_low[0, group], found.ci_high[0, group]] == order_limits(ordered, 0.05).tolist()
    assert found.n_root_prompts.tolist() == [[20, 19, 20]]


def test_no_order_statistics_are_sure_enough_for_a_tiny_alpha():
    found = intervals(np.random.default_rng(4).normal(size=(10, 2)), name="median", alpha=1e-3)
    assert np.isnan(found.ci_low).all()


def test_what_rests_on_the_largest_value_has_no_interval():
    x = np.random.default_rng(8).normal(size=(40, 2))
    found = intervals(x, name="range", n=200)
    assert np.isnan([found.ci_low, found.ci_high]).all()
    assert (found.reason == "interval_not_validated").all()
    assert (intervals(x[:5], name="range", n=200).reason == "too_few_root_prompts").all()


def test_weighted_quantiles_are_those_of_repeated_values():
    rng = np.random.default_rng(5)
    ordered, weights = np.sort(rng.normal(size=9)), rng.integers(0, 4, size=(50, 9)).astype(np.int32)
    for asked in (ASKED["median"], ASKED["percentile"], ASKED["quantile_range"], ASKED["range"]):
        of = REFERENCE[asked.statistic]
        expected = [of(np.repeat(ordered, row), None) for row in weights]
        assert weighted_quantiles(ordered, weights, asked.levels) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["median", "variance", "quantile_range", "mode", "spearman", "kendall"])
def test_all_rows_of_a_root_prompt_are_drawn_together(name):
    rng = np.random.default_rng(6)
    x = np.repeat(rng.normal(size=(12, 1)), 3, axis=0) + 0.1 * rng.normal(size=(36, 1))
    roots = np.repeat(np.arange(12), 3)
    b = x + 0.5 * rng.normal(size=x.shape)
    found = intervals(x, b, name, root_of_block=roots, replicates=2, n=20_000)
    values = values_of(x, b, replicates=2)
    rows, bases = values.x.reshape(12, 6), values.baseline.reshape(12, 6)
    picks = [rng.integers(0, 12, 12) for _ in range(4_000)]
    drawn = [REFERENCE[name](rows[pick].ravel(), bases[pick].ravel()) for pick in picks]
    assert found.n_root_prompts[0, 0] == 12
    for limit, share in ((found.ci_low, 0.025), (found.ci_high, 0.975)):
        below, upto = np.mean(drawn < limit[0, 0] - 1e-9), np.mean(drawn <= limit[0, 0] + 1e-9)
        assert below - 0.01 <= share <= upto + 0.01


def test_a_missing_root_prompt_is_never_drawn():
    x = np.random.default_rng(7).normal(size=(14, 2, 3))
    x[3, 0, 1] = x[:3, 1, 2] = np.nan
    moved = x.copy()
    moved[:, 0, 1] = np.append(np.delete(x[:, 0, 1], 3), np.nan)
    found, other = intervals(x), intervals(moved)
    assert found.n_root_prompts.tolist() == [[14, 14], [13, 14], [14, 11]]
    assert other.ci_low == pytest.approx(found.ci_low, rel=1e-9)
    assert other.ci_high == pytest.approx(found.ci_high, rel=1e-9)


def test_under_ten_root_prompts_there_is_no_interval():
    x = np.random.default_rng(8).normal(size=(10, 3))
    x[0, 1] = np.nan
    x[:, 2] = np.nan
    for name in NONLINEAR:
        found = intervals(x, x, name)
        if name == "function":  # it has none anywhere
            assert found.reason[0].tolist() == ["interval_not_validated"] * 2 + ["no_values"]
            assert np.isnan([found.ci_low, found.ci_high]).all()
            continue
        assert found.reason[0, 1:].tolist() == ["too_few_root_prompts", "no_values"]
        assert np.isnan(found.ci_low[0, 1:]).all()
        assert found.n_root_prompts.tolist() == [[10, 9, 0]]


def test_resample_without_a_value_leaves_no_interval():
    x = np.zeros((12, 2))
    x[0, 0] = 1  # left out of a third of the resamples, which then have no skewness
    x[:, 1] = np.random.default_rng(9).normal(size=12)
    found = intervals(x, name="skewness")
    assert found.reason[0].tolist() == ["undefined_statistic", None]
    assert np.isnan(found.ci_high[0, 0])
    assert np.isfinite(found.ci_high[0, 1])


@pytest.mark.parametrize("name", ["variance", "median"])
def test_a_group_of_equal_values_has_no_interval_beside_one_that_varies(name):
    x = np.random.default_rng(9).normal(size=(12, 2, 2))
    x[:, 0, 1] = 0.3
    found = intervals(x, name=name)
    assert found.reason.tolist() == [[None, None], ["no_variation", None]]
    for limit in (found.ci_low, found.ci_high):
        assert np.isnan(limit).tolist() == [[False, False], [True, False]]


def test_equal_values_beside_a_baseline_that_varies_have_an_interval():
    found = intervals(np.full((12, 1), 0.3), np.random.default_rng(9).random((12, 1)), "kl_divergence")
    assert found.reason.tolist() == [[None]]
    assert found.ci_low[0, 0] < found.ci_high[0, 0]


def test_the_seed_decides():
    x = np.random.default_rng(10).normal(size=(15, 2))
    one, again, other = (intervals(x, name="kurtosis", seed=seed) for seed in (1, 1, 2))
    assert one.ci_low.tolist() == again.ci_low.tolist() != other.ci_low.tolist()


@pytest.mark.parametrize("name", ["median", "correlation", "spearman", "kendall", "percentile"])
def test_interval_of_75_root_prompts_covers(name):
    rng = np.random.default_rng(11)
    n_columns = 120 if name in ("spearman", "kendall") else 400
    x = rng.normal(size=(75, 1, n_columns))
    b = 0.6 * x + 0.8 * rng.normal(size=x.shape)
    truth = {
        "median": 0.0,
        "correlation": 0.6,
        "spearman": 6 / np.pi * np.arcsin(0.3),  # of the bivariate normal
        "kendall": 2 / np.pi * np.arcsin(0.6),
        "percentile": stats.norm.ppf(0.9),
    }[name]
    found = intervals(x, b, name, n=400)
    covered = ((found.ci_low <= truth) & (truth <= found.ci_high)).sum()
    assert covered >= stats.binom.ppf(0.001, n_columns, 0.93)
