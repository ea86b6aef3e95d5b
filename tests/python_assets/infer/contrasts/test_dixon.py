"""tests/python_assets/infer/test_dixon.py - mirrors python_assets/infer/dixon.py."""

import csv
from pathlib import Path

import numpy as np
import pytest

from python_assets.infer.contrasts.index import dixon_ratios

SEED = Path(__file__).parents[4] / "dbt_models" / "seeds" / "dixon_critical_values.csv"


def by_hand(values):
    """As SAGED C.5 prints the variants, on sorted values counted from 1."""
    x = dict(enumerate(sorted(values), start=1))
    n = len(x)
    above, far = (2, n) if n < 8 else (2, n - 1) if n < 11 else (3, n - 1) if n < 14 else (3, n - 2)
    low = (x[above] - x[1]) / (x[far] - x[1])
    high = (x[n] - x[n + 1 - above]) / (x[n] - x[n + 1 - far])
    return low, high


@pytest.mark.parametrize("n", range(3, 31))
def test_ratios_are_those_of_the_document(n):
    values = np.random.default_rng(n).normal(size=(n, 4))
    low, high = dixon_ratios(values, 0)
    for column in range(4):
        assert (low[column], high[column]) == pytest.approx(by_hand(values[:, column]))


def test_a_mirror_swaps_the_ends():
    values = np.random.default_rng(1).normal(size=(5, 12))
    low, high = dixon_ratios(values, 1)
    assert dixon_ratios(-values, 1) == (pytest.approx(high), pytest.approx(low))


def test_unit_and_offset_change_nothing():
    values = np.random.default_rng(2).normal(size=20)
    low, high = dixon_ratios(values, 0)
    assert np.array(dixon_ratios(7 - 3 * values, 0)) == pytest.approx(np.array([high, low]))


@pytest.mark.parametrize("n", [1, 2, 31, 60])
def test_too_few_and_too_many_groups_have_no_ratio(n):
    low, high = dixon_ratios(np.arange(2.0 * n).reshape(2, n), 1)
    assert low.shape == high.shape == (2,)
    assert np.isnan([low, high]).all()


def test_equal_groups_have_no_ratio():
    assert np.isnan(dixon_ratios(np.full((3, 5), 0.1), 1)).all()
    # r22 leaves out the two at the far end, and all others are equal
    lone = np.zeros(15)
    lone[:2] = 1
    assert np.isnan(dixon_ratios(lone, 0)[0])


@pytest.mark.parametrize("n", [3, 7, 10, 13, 21, 30])
def test_normal_groups_pass_the_critical_value_as_often_as_it_says(n):
    with SEED.open() as file:
        critical = {int(row["n_groups"]): float(row["critical_value"]) for row in csv.DictReader(file)}
    low, high = dixon_ratios(np.random.default_rng(3).normal(size=(n, 40_000)), 0)
    # two-sided: either end may be the suspect one, and the test is of the one further out
    past = np.maximum(low, high) > critical[n]
    assert past.mean() == pytest.approx(0.05, abs=0.006)


def test_groups_that_differ_by_rounding_have_no_ratio():
    values = 0.3 + np.array([0, 1, 3, 2]) * 5.5e-17
    assert np.isnan(dixon_ratios(values, 0, 1e-9)).all()
    assert not np.isnan(dixon_ratios(values * 1e12, 0, 1e-9)).any()
