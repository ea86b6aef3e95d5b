"""How often corrected values are called where truth is alike and the instrument is not; short of bench_labels."""

from itertools import count

import numpy as np
import pytest

from bench.bench_labels import ALPHA, Made, Pair, drawn, labels_of, of_looks, of_pair, p_of_hypothesis
from tests.promises import fewest, seldom, share

pytestmark = pytest.mark.run


def test_equal_refusals_that_are_found_unequally_are_no_change_of_corrected_rates():
    n_sets = fewest()
    found = of_pair(Pair(75, 5, 20, (0.2, 0.2), (0.95, 0.55)), n_sets, n_permutations=199, seed=1)
    assert found.raw_mean >= 0.6
    assert found.mean <= share(n_sets)
    assert found.covered >= 1 - share(n_sets)
    assert max(found.moved, found.differs_on_its_own) <= share(n_sets)


def test_a_change_of_truth_is_found_in_corrected_rates():
    assert of_pair(Pair(75, 5, 20, (0.2, 0.35), (0.95, 0.95)), 40, n_permutations=199, seed=2).mean >= 0.8


@pytest.mark.parametrize("design", [Made(75, 5, 20, 0.2, specificity=0.8), Made(40, 5, 20, None, specificity=0.8)])
def test_a_group_that_is_read_otherwise_is_not_significant_by_corrected_values(design):
    rng, significant_raw = np.random.default_rng(3), []

    def significant():
        for number in count():
            y, m, _ = drawn(design, rng)
            raw, corrected = p_of_hypothesis(design, m, labels_of(y, design.r), number, n_permutations=199)
            significant_raw.append(raw <= ALPHA)
            yield corrected <= ALPHA

    assert seldom(significant())
    assert np.mean(significant_raw) >= 3 * ALPHA


def test_three_looks_at_corrected_values_call_no_more_than_one():
    design = Made(75, 3, 10, 0.2, specificity=0.8)
    assert seldom(of_looks(design, 1, n_permutations=1_999, seed=seed).corrected for seed in count())
