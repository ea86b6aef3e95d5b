"""tests/python_assets/infer/test_statistics.py - mirrors python_assets/infer/statistics.py."""

import numpy as np
import pytest
from scipy import stats

from python_assets.infer.design.cells import Sample, StatisticSpec
from python_assets.infer.statistics.statistics import additive_statistic

N_BINS, SMOOTHING = 10, 0.5


def kl_divergence(x, b):
    edges = np.linspace(min(x.min(), b.min()), max(x.max(), b.max()), N_BINS + 1)
    p, q = (np.histogram(values, edges)[0] + SMOOTHING for values in (x, b))
    return stats.entropy(p, q)


STATISTICS = {
    "correlation": StatisticSpec("correlation", is_paired=True, method="pearson"),
    "kl_divergence": StatisticSpec("kl_divergence", is_paired=True, n_bins=N_BINS, smoothing=SMOOTHING),
    **{name: StatisticSpec(name) for name in ("mean", "variance", "standard_deviation", "skewness", "kurtosis")},
}
REFERENCE = {
    "mean": lambda x, b: np.mean(x),
    "variance": lambda x, b: np.var(x, ddof=1),
    "standard_deviation": lambda x, b: np.std(x, ddof=1),
    "skewness": lambda x, b: stats.skew(x, bias=False),
    "kurtosis": lambda x, b: stats.kurtosis(x, bias=False),
    "correlation": lambda x, b: stats.pearsonr(x, b).statistic,
    "kl_divergence": kl_divergence,
}


def sample(x, b, n_cells=1):
    """Columns (rows, columns), their rows dealt out to the cells in turn."""
    n_rows, n_columns = x.shape
    cell = np.arange(n_rows) % n_cells
    place = (cell[:, None] * n_columns + np.arange(n_columns)).T.ravel()
    both = np.concatenate([x, b])
    return Sample(place, (n_cells, n_columns), x.T.ravel(), b.T.ravel(), both.min(axis=0), both.max(axis=0))


def value(name, rows):
    statistic = additive_statistic(STATISTICS[name])
    return statistic.of(statistic.cell_sums(rows).sum(axis=1)) * rows.unit**statistic.power


def values(x, b=None):
    rows = sample(x, x if b is None else b, n_cells=3)
    return {name: value(name, rows) for name in STATISTICS}


@pytest.mark.parametrize("name", list(STATISTICS))
def test_sums_of_cells_give_the_value_of_scipy(name):
    rng = np.random.default_rng(1)
    x = rng.exponential(size=(40, 3)) * [1, 1e-6, 1e6] + [0, 5, -3e7]
    b = x + rng.normal(size=x.shape) * [1, 1e-6, 1e6]
    expected = [REFERENCE[name](x[:, c], b[:, c]) for c in range(3)]
    # the third column has 10 digits left behind its mean, in scipy as here
    assert value(name, sample(x, b, 4)) == pytest.approx(expected, rel=1e-9)


def test_group_far_from_the_others_keeps_its_digits():
    rng = np.random.default_rng(2)
    near, far = rng.normal(size=50), 30 + rng.normal(size=50)
    x = np.concatenate([near, far])
    rows = Sample(np.repeat([0, 1], 50), (2, 1), x, x, np.array([x.min()]), np.array([x.max()]))
    for name in ("variance", "skewness", "kurtosis"):
        statistic = additive_statistic(STATISTICS[name])
        found = statistic.of(statistic.cell_sums(rows)) * rows.unit**statistic.power
        assert found[1, 0] == pytest.approx(REFERENCE[name](far, far), rel=1e-9)


def test_rows_of_cells_may_come_in_any_number():
    x = np.random.default_rng(3).normal(size=(7, 1))
    for name, reference in REFERENCE.items():
        assert value(name, sample(x, -x, 3))[0] == pytest.approx(reference(x[:, 0], -x[:, 0])), name


def test_equal_values_have_no_shape_and_no_correlation():
    found = values(np.full((6, 1), 0.1))
    assert (found["variance"][0], found["standard_deviation"][0]) == (0, 0)
    assert np.isnan([found[name][0] for name in ("skewness", "kurtosis", "correlation")]).all()
    assert found["kl_divergence"][0] == 0


@pytest.mark.parametrize(
    ("n", "undefined"),
    [
        (1, {"variance", "standard_deviation", "skewness", "kurtosis", "correlation"}),
        (2, {"skewness", "kurtosis"}),
        (3, {"kurtosis"}),
        (4, set()),
    ],
)
def test_few_values_leave_a_statistic_undefined(n, undefined):
    rng = np.random.default_rng(4)
    found = values(rng.normal(size=(n, 1)), rng.normal(size=(n, 1)))
    assert {name for name, number in found.items() if np.isnan(number[0])} == undefined


def test_no_row_is_no_value():
    rows = sample(np.ones((2, 1)), np.ones((2, 1)), n_cells=3)
    for name, asked in STATISTICS.items():
        statistic = additive_statistic(asked)
        assert np.isnan(statistic.of(statistic.cell_sums(rows))[2, 0]), name


def test_largest_value_falls_in_the_last_bin():
    x = np.linspace(0, 1, 11)[:, None]
    counts = additive_statistic(STATISTICS["kl_divergence"]).cell_sums(sample(x, x))[:N_BINS, 0, 0]
    assert counts.tolist() == np.histogram(x, N_BINS)[0].tolist()


def test_correlation_stays_within_one():
    x = np.random.default_rng(5).normal(size=(30, 20))
    found = values(x, 1e6 * x + 1)["correlation"]
    assert (found <= 1).all()
    assert found == pytest.approx(np.ones(20))


def test_smoothing_by_more_than_there_are_rows_still_gives_a_divergence():
    x, b = np.random.default_rng(9).normal(size=(2, 12, 1))
    rows = sample(x, b)
    heavy = additive_statistic(STATISTICS["kl_divergence"]._replace(smoothing=100.0))
    sums = heavy.cell_sums(rows).sum(axis=1).astype(float)
    expected = stats.entropy(sums[:N_BINS, 0] + 100, sums[N_BINS:, 0] + 100)
    assert heavy.of(sums)[0] == pytest.approx(expected)
    assert np.isnan(heavy.of(np.zeros_like(sums))[0])
