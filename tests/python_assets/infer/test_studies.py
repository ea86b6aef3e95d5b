"""tests/python_assets/infer/test_studies.py - error rates of whole studies, as of bench/bench_studies.py."""

from itertools import count

import numpy as np
import pytest

from bench.bench_studies import ALPHA, DESIGNS, Studies, calls, simulated_studies
from bench.grid import designs
from tests.promises import fewest, seldom, share

pytestmark = pytest.mark.run


@pytest.mark.parametrize(
    ("name", "promised"),
    [
        ("1 generation x 3 measures, 21 groups", ALPHA),
        ("the same, 3 groups", ALPHA),
        ("the same, 2 % of cells missing", ALPHA),
        ("the same, one group of three times the spread", 0.075),
        ("40 generations x 2 measures", ALPHA),
    ],
)
def test_a_study_without_bias_seldom_has_a_finding(name, promised):
    studies = (simulated_studies(DESIGNS[name], 40, n_permutations=1_999, seed=seed) for seed in count())
    assert seldom((is_false for found in studies for is_false in found.any_false), promised)


def test_of_the_significant_hypotheses_few_are_false_and_most_true_ones_are_significant():
    studies = Studies(44, effects=(-5, -4, 3.5), n_true=4)
    found = simulated_studies(studies, 20, n_permutations=1_999, seed=5)
    assert found.power.mean() >= 0.85
    assert found.false_share.mean() <= ALPHA + 3.09 * found.false_share.std() / np.sqrt(20)


@pytest.mark.parametrize("condition", dict.fromkeys(design.condition for design in designs()))
def test_under_no_condition_of_the_grid_is_a_hypothesis_significant_too_often(condition):
    """Pooled over all sizes."""
    of_condition = [design for design in designs() if design.condition == condition]
    promised = 0.055  # one group wide and skewed: .06 in the design
    rng, n = np.random.default_rng(3), -(-fewest(promised) // len(of_condition))
    shares = [calls(design.cells(rng, n), n_permutations=199, seed=1) for design in of_condition]
    hypothesis, group = np.mean(shares, axis=0)
    assert hypothesis <= share(n * len(shares), promised)
    assert group <= hypothesis
