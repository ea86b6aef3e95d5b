"""How often corrected values are called where truth is alike and the instrument is not; short of bench_labels."""

import numpy as np
import pytest

from bench.bench_labels import ALPHA, Made, Pair, drawn, labels_of, of_looks, of_pair, p_of_question

pytestmark = pytest.mark.run


def most(n_sets):
    """The largest share of sets that alpha and two standard errors allow."""
    return ALPHA + 2 * np.sqrt(ALPHA * (1 - ALPHA) / n_sets)


def test_equal_refusals_that_are_found_unequally_are_no_change_of_corrected_rates():
    n_sets = 200
    found = of_pair(Pair(75, 5, 20, (0.2, 0.2), (0.95, 0.55)), n_sets, n_permutations=199, seed=1)
    assert found.raw_mean >= 0.6
    assert found.mean <= most(n_sets)
    assert found.covered >= 1 - most(n_sets)
    assert max(found.moved, found.stands) <= most(n_sets)


def test_a_change_of_truth_is_found_in_corrected_rates():
    assert of_pair(Pair(75, 5, 20, (0.2, 0.35), (0.95, 0.95)), 40, n_permutations=199, seed=2).mean >= 0.8


@pytest.mark.parametrize("design", [Made(75, 5, 20, 0.2, specificity=0.8), Made(40, 5, 20, None, specificity=0.8)])
def test_a_group_that_is_read_otherwise_is_not_called_by_corrected_values(design):
    n_sets, rng = 200, np.random.default_rng(3)
    p = []
    for number in range(n_sets):
        y, m, _ = drawn(design, rng)
        p.append(p_of_question(design, m, labels_of(y, design.r), number, n_permutations=199))
    raw, corrected = np.mean(np.array(p) <= ALPHA, axis=0)
    assert raw >= 3 * ALPHA
    assert corrected <= most(n_sets)


def test_three_looks_at_corrected_values_call_no_more_than_one():
    n_sets = 60
    found = of_looks(Made(75, 3, 10, 0.2, specificity=0.8), n_sets, n_permutations=1_999, seed=4)
    assert found.corrected <= most(n_sets)
