"""tests/python_assets/infer/test_nonlinear.py - mirrors python_assets/infer/nonlinear.py."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from python_assets.infer.design.cells import StatisticSpec, Values
from python_assets.infer.design.custom_functions import CustomFunction
from python_assets.infer.draws.exchange import given_draws
from python_assets.infer.statistics.compare_statistics import compare_statistic, is_shuffled
from tests.python_assets.infer.statistics.test_statistics import REFERENCE as ADDITIVE
from tests.python_assets.infer.statistics.test_statistics import STATISTICS as OF_SUMS


def mode(x, b):
    bins, counts = np.unique(np.floor(x / 0.2), return_counts=True)
    return (bins[counts.argmax()] + 0.5) * 0.2


def own(name):
    return CustomFunction(f"own_statistics:{name}", Path(__file__).parent)


IN_THE_UNIT = ("range", "standard_deviation", "max", "min", "mean")
IN_UNITS = ("mean", "median", "range", "percentile", "quantile_range", "function")
REFERENCE = {
    **ADDITIVE,
    "median": lambda x, b: np.median(x),
    "range": lambda x, b: np.ptp(x),
    "percentile": lambda x, b: np.quantile(x, 0.9),
    "quantile_range": lambda x, b: np.subtract(*np.quantile(x, [0.75, 0.25])),
    "mode": mode,
    "spearman": lambda x, b: stats.spearmanr(x, b).statistic,
    "kendall": lambda x, b: stats.kendalltau(x, b).statistic,
    "function": lambda x, b: np.abs(x - np.median(x)).mean(),
}
ASKED = {
    **OF_SUMS,
    "median": StatisticSpec("median"),
    "range": StatisticSpec("range"),
    "percentile": StatisticSpec("percentile", level_low=0.9),
    "quantile_range": StatisticSpec("quantile_range", level_low=0.25, level_high=0.75),
    "mode": StatisticSpec("mode", bin_width=0.2),
    "spearman": StatisticSpec("correlation", is_paired=True, method="spearman"),
    "kendall": StatisticSpec("correlation", is_paired=True, method="kendall"),
    "function": StatisticSpec("spread", "function=own_statistics:spread", function=own("spread")),
}
NONLINEAR = list(ASKED)
SHUFFLED = [name for name, asked in ASKED.items() if is_shuffled(asked)]
COLUMNS = 80  # more than any piece of columns
NULL = ("value", "null_median", "null_q95")


def values_of(x, b=None, replicates=1):
    """From tables (blocks, groups[, columns]), NaN where absent, to rows; replicates are noise about them."""
    x = x[:, :, None] if x.ndim == 2 else x
    b = np.zeros_like(x) if b is None else b.reshape(x.shape)
    n_blocks, n_groups, n_columns = x.shape
    flat = np.repeat(x.reshape(-1, n_columns)[:, None], replicates, axis=1)
    flat = flat + 0.5 * np.random.default_rng(0).normal(size=flat.shape) * (replicates > 1)
    base = np.repeat(b.reshape(-1, n_columns)[:, None], replicates, axis=1)
    column, cell, row = np.nonzero(~np.isnan(flat.transpose(2, 0, 1)))
    rows = flat[cell, row, column], base[cell, row, column]
    both = [[values[column == c] for c in range(n_columns)] for values in rows]
    low, high = (
        np.array([find(np.concatenate(pair)) for pair in zip(*both, strict=True)]) for find in (np.min, np.max)
    )
    columns = pd.DataFrame({"measure_id": [f"m{c}" for c in range(n_columns)]})
    return Values(columns, n_blocks * n_groups, column, cell, *rows, low, high)


def compare(scheme, values, name):
    return compare_statistic(scheme, values, np.arange(len(values.columns)), ASKED[name])


def by_hand(scheme, values, name):
    """Group values under every arrangement, shape (arrangements, groups)."""
    design, column = scheme.design, 0
    rows = [np.flatnonzero((values.column == column) & (values.cell == cell)) for cell in design.cell]

    def of(cells):
        chosen = np.concatenate([rows[cell] for cell in cells])
        reference = REFERENCE[name]
        if name != "kl_divergence":
            return reference(values.x[chosen], values.baseline[chosen])
        edges = np.linspace(values.low[column], values.high[column], 11)
        p, q = (np.histogram(z[chosen], edges)[0] + 0.5 for z in (values.x, values.baseline))
        return stats.entropy(p, q)

    found = []
    for source in scheme.draws.sources(slice(0, scheme.draws.n)):
        group = np.empty(len(source), dtype=int)
        group[source] = design.group
        found.append([of(np.flatnonzero(group == g)) for g in range(design.frame.n_groups)])
    return np.array(found)


def minus_others(own):
    """Each group minus the mean of the others, shape (..., groups)."""
    n_others = own.shape[-1] - 1
    return own - (own.sum(axis=-1, keepdims=True) - own) / n_others


def spread(groups, name):
    sd, level = groups.std(axis=1, ddof=1), groups.mean(axis=1)
    divisor = np.where(sd > 1e-12, sd, np.inf)
    return {
        "range": np.ptp(groups, axis=1),
        "standard_deviation": sd,
        "max_z": (groups.max(axis=1) - level) / divisor,
        "max_abs_z": np.abs(groups - level[:, None]).max(axis=1) / divisor,
    }[name]


@pytest.mark.parametrize("name", SHUFFLED)
def test_indices_are_those_of_every_arrangement(build, name):
    rng = np.random.default_rng(1)
    x = rng.exponential(size=(4, 3))
    b = x + rng.normal(size=x.shape)
    scheme, _ = build(x)
    values = values_of(x, b)
    found = compare(scheme, values, name).indices
    groups = by_hand(scheme, values, name)
    for metric in ("range", "standard_deviation", "max_z", "max_abs_z"):
        permuted, test = spread(groups, metric), found[metric]
        assert test.value[0] == pytest.approx(permuted[0], rel=1e-9)
        assert test.p_value[0] == pytest.approx((permuted >= permuted[0] - 1e-9).mean(), abs=1e-12), metric
        assert test.null_median[0] == pytest.approx(np.median(permuted))
        assert test.null_q95[0] == pytest.approx(np.quantile(permuted, 0.95))
    assert found["max"].value[0] == pytest.approx(groups[0].max())
    assert found["min"].value[0] == pytest.approx(groups[0].min())


def test_p_of_a_variance_is_that_of_scipy(build):
    x = np.random.default_rng(2).normal(size=(4, 3))

    def range_of_variances(*groups):
        return np.ptp([np.var(group, ddof=1) for group in groups])

    exact = stats.permutation_test(
        tuple(x.T), range_of_variances, permutation_type="samples", alternative="greater", n_resamples=np.inf
    )
    test = compare(build(x)[0], values_of(x), "variance").indices["range"]
    assert test.value[0] == pytest.approx(exact.statistic)
    assert test.p_value[0] == pytest.approx(exact.pvalue, abs=1e-12)


@pytest.mark.parametrize("name", SHUFFLED)
@pytest.mark.parametrize("replicates", [1, 3])
def test_differences_from_the_mean_of_the_others_are_those_of_each_arrangement(build, name, replicates):
    rng = np.random.default_rng(3)
    x = rng.exponential(size=(9, 4))
    x[0, 1] = x[3, 2] = x[4, 0] = x[4, 2] = np.nan
    scheme, _ = build(x, n_permutations=150)
    random = scheme.draws.sources(slice(0, 150))
    scheme = scheme._replace(draws=given_draws(np.concatenate([[np.arange(random.shape[1])], random])))
    values = values_of(x, x + rng.normal(size=x.shape), replicates)
    test = compare(scheme, values, name).contrasts[f"{ASKED[name].statistic}_difference"]
    own = by_hand(scheme, values, name)
    difference = minus_others(own)
    size = np.abs(difference)
    assert test.value[0] == pytest.approx(difference[0], rel=1e-9)
    assert test.p_value[0] == pytest.approx((size >= size[0] - 1e-9).mean(axis=0), abs=1e-12)
    assert test.null_q95[0] == pytest.approx(np.quantile(size, 0.95, axis=0), rel=1e-9)
    sd = own.std(axis=1, ddof=1)
    assert test.p_hypothesis[0] == pytest.approx([(sd >= sd[0] - 1e-9).mean()] * 4, abs=1e-12)
    order = np.argsort(-size[0])
    largest = np.maximum.accumulate(size[:, order[::-1]], axis=1)[:, ::-1]
    p_maxt = np.maximum.accumulate((largest >= size[0, order] - 1e-9).mean(axis=0))
    assert test.p_maxt[0][order] == pytest.approx(p_maxt, abs=1e-12)
    assert set(test.reason[0]) == {"interval_not_validated"}
    of_file = f" ({ASKED[name].function.version})" if name == "function" else ""
    assert set(test.method[0]) == {f"permuted statistic, tests equal distributions{of_file}, incomplete blocks"}
    assert np.isnan([test.ci_low, test.ci_high, test.std_error]).all()


@pytest.mark.parametrize("name", [name for name in SHUFFLED if name != "mode"])  # its bins stay
def test_unit_and_offset_of_a_measure_change_no_p(build, name):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(12, 3))
    b = x + rng.normal(size=x.shape)
    power = {"variance": 2}.get(name, int(name in (*IN_UNITS, "standard_deviation")))
    scheme, _ = build(x, n_permutations=199)
    one, other = (compare(scheme, values_of(factor * x, factor * b), name) for factor in (1, 1e5))
    moved = compare(scheme, values_of(x + 1e4, b + 1e4), name)
    for metric, test in one.indices.items():
        scaled = 1e5**power if metric in IN_THE_UNIT else 1
        assert other.indices[metric].p_value == pytest.approx(test.p_value, nan_ok=True)
        for field in NULL:
            expected = scaled * getattr(test, field)
            assert getattr(other.indices[metric], field) == pytest.approx(expected, rel=1e-9, nan_ok=True)
    assert moved.indices["range"].p_value == one.indices["range"].p_value
    contrast, far = (done.contrasts[f"{ASKED[name].statistic}_difference"] for done in (one, moved))
    assert far.p_value.tolist() == contrast.p_value.tolist()
    assert far.value == pytest.approx(contrast.value, rel=1e-6, abs=1e-9)


def test_indices_of_incomplete_blocks_are_of_every_row(build):
    x = np.random.default_rng(5).normal(size=(10, 3))
    x[[0, 7, 8], [1, 1, 2]] = np.nan
    test = compare(build(x, n_permutations=99)[0], values_of(x), "variance").indices["range"]
    assert test.value[0] == pytest.approx(np.ptp(np.nanvar(x, axis=0, ddof=1)))
    assert np.isfinite(test.p_value[0])


def test_groups_that_no_shared_prompt_connects_have_no_index(build):
    x = np.random.default_rng(6).normal(size=(12, 4))
    x[:6, 2:], x[6:, :2] = np.nan, np.nan
    done = compare(build(x, n_permutations=99)[0], values_of(x), "median")
    assert {test.reason[0] for test in done.indices.values()} == {"not_connected"}


def test_a_shift_of_one_group_gives_the_others_no_difference_of_variance(build):
    """Against their pooled rows it would: -.42 of a true 0 (inference.md 2.1)."""
    x = np.random.default_rng(12).normal(size=(40, 4, 60))
    x[:, 0] += 3
    value = compare(build(x, n_permutations=9)[0], values_of(x), "variance").contrasts["variance_difference"].value
    assert value.mean(axis=0) == pytest.approx(0, abs=0.12)


def test_kendalls_tau_is_not_shuffled():
    assert not is_shuffled(ASKED["kendall"])
    assert [name for name in NONLINEAR if name != "kendall"] == SHUFFLED


def test_group_without_a_value_leaves_the_others_to_be_compared(build):
    x = np.random.default_rng(7).normal(size=(8, 3))
    x[:, 1] = np.nan
    done = compare(build(x, n_permutations=99)[0], values_of(x), "variance")
    variances = x[:, [0, 2]].var(axis=0, ddof=1)
    assert done.indices["range"].value[0] == pytest.approx(np.ptp(variances))
    contrast = done.contrasts["variance_difference"]
    assert contrast.reason[0].tolist() == ["interval_not_validated", "no_shared_block", "interval_not_validated"]
    assert np.isnan(contrast.value[0, 1])
    assert contrast.value[0, 0] == pytest.approx(-contrast.value[0, 2])


def test_group_of_equal_values_has_no_shape(build):
    x = np.random.default_rng(8).normal(size=(8, 3))
    x[:, 1] = 2.0
    done = compare(build(x, n_permutations=99)[0], values_of(x), "skewness")
    for metric in ("range", "max_abs_z", "min_max_ratio"):
        test = done.indices[metric]
        assert test.reason[0] == "undefined_statistic"
        assert np.isnan([test.value[0], test.p_value[0], test.null_median[0], test.null_q95[0]]).all()
    contrast = done.contrasts["skewness_difference"]
    assert set(contrast.reason[0]) == {"undefined_statistic"}  # the question is of all groups
    assert np.isnan([contrast.p_value, contrast.p_maxt, contrast.p_hypothesis, contrast.null_q95]).all()
    skewness = stats.skew(x[:, [0, 2]], axis=0, bias=False)
    assert contrast.value[0, [0, 2]] == pytest.approx(skewness - skewness[::-1])
    assert np.isnan(contrast.value[0, 1])


def test_draws_that_leave_a_statistic_undefined_count_as_extreme(build):
    x = np.zeros((6, 2))
    x[0] = x[1] = [1, 0]
    x[2] = [0, 1]
    scheme, _ = build(x)
    groups = by_hand(scheme, values_of(x), "variance")
    is_constant = (groups == 0).any(axis=1)
    assert 0 < is_constant.mean() < 1
    test = compare(scheme, values_of(x), "skewness").indices["range"]
    shape = [[stats.skew(z, bias=False) if np.ptp(z) else np.nan for z in pair] for pair in arrangements(scheme, x)]
    permuted = np.ptp(shape, axis=1)
    expected = (is_constant | (permuted >= permuted[0] - 1e-9)).mean()
    assert test.p_value[0] == pytest.approx(expected, abs=1e-12)


def arrangements(scheme, x):
    """Both groups under every arrangement."""
    flat, group = x.ravel(), scheme.design.group
    return [[flat[source[group == g]] for g in range(2)] for source in scheme.draws.sources(slice(0, scheme.draws.n))]


@pytest.mark.parametrize("name", SHUFFLED)
def test_equal_values_have_no_range_or_no_statistic(build, name):
    x = np.full((8, 3), 0.1)
    test = compare(build(x, n_permutations=99)[0], values_of(x, x), name).indices["range"]
    if name in ("skewness", "kurtosis", "correlation", "spearman", "kendall"):
        assert test.reason[0] == "undefined_statistic"
    else:
        assert (test.value[0], test.p_value[0], test.reason[0]) == (0, 1, "interval_not_validated")


def test_few_root_prompts_have_a_value_and_no_p(build):
    x = np.random.default_rng(9).normal(size=(2, 3))
    contrast = compare(build(x)[0], values_of(x), "variance").contrasts["variance_difference"]
    assert set(contrast.reason[0]) == {"too_few_root_prompts"}
    assert np.isnan([contrast.p_value, contrast.null_median, contrast.p_maxt]).all()
    assert not np.isnan(contrast.value).any()


def test_columns_are_computed_alike_in_any_company(build):
    x = np.random.default_rng(10).normal(size=(6, 3, COLUMNS + 3))
    scheme, _ = build(x[:, :, 0], n_permutations=49)
    for name in ("variance", "kl_divergence", "median"):
        everything = values_of(x, x**2)
        done = compare(scheme, everything, name)
        for column in (0, 40, COLUMNS + 2):
            alone = compare_statistic(scheme, everything, np.array([column]), ASKED[name])
            for metric, test in done.indices.items():
                for field in (*NULL, "p_value"):
                    number = getattr(alone.indices[metric], field)[0]
                    assert getattr(test, field)[column] == pytest.approx(number, rel=1e-12, nan_ok=True)
            key = f"{name}_difference"
            assert done.contrasts[key].p_maxt[column].tolist() == alone.contrasts[key].p_maxt[0].tolist()


@pytest.mark.parametrize("name", ["variance", "correlation", "kl_divergence", "median", "mode", "quantile_range"])
def test_false_positive_rate_is_nominal(build, name):
    rng = np.random.default_rng(11)
    prompt, n = 0.8 * rng.normal(size=(10, 1, 400)), 400
    x, b = (prompt + 0.6 * rng.normal(size=(10, 4, n)) for _ in range(2))
    scheme, _ = build(x[:, :, 0], n_permutations=199)
    done = compare(scheme, values_of(x, b), name)
    low, high = stats.binom.interval(0.999, n, 0.05)
    assert low <= (done.indices["standard_deviation"].p_value <= 0.05).sum() <= high
    contrast = done.contrasts[f"{ASKED[name].statistic}_difference"]
    assert low <= (contrast.p_value[:, 0] <= 0.05).sum() <= high
    assert (contrast.p_maxt.min(axis=1) <= 0.05).sum() <= high


def test_numpys_mean_as_a_function_is_the_mean(build):
    """Value, difference, noise floor and every p of the built-in, which adds up sums of cells instead."""
    x = 1e3 + np.random.default_rng(13).normal(size=(9, 4, 5))
    x[0, 1] = x[3, 2] = np.nan
    scheme, _ = build(x[:, :, 0], n_permutations=299)
    values, columns = values_of(x, replicates=2), np.arange(5)
    built_in = compare_statistic(scheme, values, columns, StatisticSpec("mean", normalise="before"))
    spec = StatisticSpec("average", function=own("average"))
    done = compare_statistic(scheme, values, columns, spec)
    pairs = [(done.contrasts["average_difference"], built_in.contrasts["mean_difference"])]
    pairs += [(done.indices[metric], test) for metric, test in built_in.indices.items()]
    for test, expected in pairs:
        for field in NULL:
            assert getattr(test, field) == pytest.approx(getattr(expected, field), rel=1e-9, abs=1e-10, nan_ok=True)
        for field in ("p_value", "p_maxt", "p_hypothesis", "n_draws", "reason"):
            np.testing.assert_array_equal(getattr(test, field), getattr(expected, field))


def test_a_function_of_any_size_has_the_p_of_its_differences(build):
    x = np.random.default_rng(14).normal(size=(4, 3))
    scheme, _ = build(x)

    class Scaled:
        version = "scaled"

        def __init__(self, factor, offset):
            self.factor, self.offset = factor, offset

        def of_rows(self, rows):
            return self.offset + self.factor * np.nanmean(rows, axis=-1)

    exact = minus_others(np.array([arranged_means(x, source) for source in all_sources(scheme)]))
    expected = (np.abs(exact) >= np.abs(exact[0]) - 1e-9).mean(axis=0)
    for factor, offset in [(1, 0), (1e-12, 0), (1e12, 0), (1, 1e6), (-1e-9, 0)]:
        spec = StatisticSpec("scaled", function=Scaled(factor, offset))
        test = compare_statistic(scheme, values_of(x), np.arange(1), spec).contrasts["scaled_difference"]
        assert test.p_value[0] == pytest.approx(expected, abs=1e-12), (factor, offset)
        assert test.value[0] == pytest.approx(factor * exact[0], rel=1e-6)


def all_sources(scheme):
    return scheme.draws.sources(slice(0, scheme.draws.n))


def arranged_means(x, source):
    group = np.empty(x.size, dtype=int)
    group[source] = np.tile(np.arange(x.shape[1]), len(x))
    return [x.ravel()[group == g].mean() for g in range(x.shape[1])]


def test_draws_that_a_function_fails_on_count_as_extreme(build):
    x = np.random.default_rng(15).normal(size=(4, 3))
    x[0, 0] = 5.0  # the group that holds it has no value, under every arrangement
    done = compare_statistic(build(x)[0], values_of(x), np.arange(1), StatisticSpec("picky", function=own("picky")))
    contrast = done.contrasts["picky_difference"]
    assert set(contrast.reason[0]) == {"undefined_statistic"}
    assert np.isnan([contrast.p_value, contrast.p_hypothesis]).all()
    means = x[:, 1:].mean(axis=0)
    assert contrast.value[0, 1:] == pytest.approx(means - means[::-1])
    assert np.isnan(contrast.value[0, 0])


def test_draws_that_a_function_of_some_values_fails_on_count_as_extreme(build):
    x = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [1.0, 0]])

    class Some:
        version = "some"

        def of_rows(self, rows):
            mean = np.nanmean(rows, axis=-1)
            return np.where(mean == 1, np.nan, mean)

    scheme, _ = build(x)
    test = compare_statistic(scheme, values_of(x), np.arange(1), StatisticSpec("some", function=Some()))
    means = np.array([arranged_means(x, source) for source in all_sources(scheme)])
    sizes = np.where((means == 1).any(axis=1), np.inf, np.abs(means[:, 0] - means[:, 1]))
    expected = (sizes >= np.abs(means[0, 0] - means[0, 1]) - 1e-9).mean()
    assert (means == 1).any()
    assert test.contrasts["some_difference"].p_value[0] == pytest.approx([expected] * 2, abs=1e-12)
