"""tests/python_assets/infer/test_studies.py - error rates of whole studies, as of bench/bench_studies.py."""

import numpy as np
import pytest

from bench.bench_studies import ALPHA, DESIGNS, Studies, calls, simulated_studies
from bench.grid import designs

pytestmark = pytest.mark.run


def most(share, n):
    """A share of n studies that is within two standard errors of what is promised."""
    return share + 2 * np.sqrt(share * (1 - share) / n)


@pytest.mark.parametrize(
    ("name", "n", "promised"),
    [
        ("1 generation x 3 measures, 21 groups", 400, ALPHA),
        ("the same, 3 groups", 400, ALPHA),
        ("the same, 2 % of cells missing", 40, ALPHA),
        ("the same, one group of three times the spread", 400, 0.075),
        ("40 generations x 2 measures", 40, ALPHA),
    ],
)
def test_a_study_without_bias_seldom_has_a_finding(name, n, promised):
    found = simulated_studies(DESIGNS[name], n, n_permutations=1_999, seed=11)
    assert found.any_false.mean() <= most(promised, n)


def test_of_the_called_questions_few_are_false_and_most_true_ones_are_called():
    studies = Studies(44, effects=(-5, -4, 3.5), n_true=4)
    found = simulated_studies(studies, 20, n_permutations=1_999, seed=5)
    assert found.power.mean() >= 0.85
    assert found.false_share.mean() <= most(ALPHA, 80)


@pytest.mark.parametrize("condition", dict.fromkeys(design.condition for design in designs()))
def test_under_no_condition_of_the_grid_is_a_question_called_too_often(condition):
    """Pooled over all sizes; data sets that lack other cells have draws of their own, so there are fewer."""
    of_condition = [design for design in designs() if design.condition == condition]
    n = 25 if of_condition[0].missing else 150
    rng = np.random.default_rng(3)
    shares = [calls(design.cells(rng, n), n_permutations=199, seed=1) for design in of_condition]
    question, group = np.mean(shares, axis=0)
    assert question <= most(ALPHA, n * len(shares)) + 0.005  # one group wide and skewed: .06 in the design
    assert group <= question
