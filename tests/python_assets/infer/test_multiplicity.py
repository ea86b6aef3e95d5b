"""tests/python_assets/infer/test_multiplicity.py - mirrors python_assets/infer/multiplicity.py."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from python_assets.infer.multiplicity import (
    StepDown,
    benjamini_hochberg,
    benjamini_yekutieli,
    n_at_floor_needed,
    yekutieli_is_reachable,
)
from python_assets.infer.permutation import GivenDraws
from tests.python_assets.infer import written_out


@pytest.mark.parametrize("n", [1, 2, 21, 500])
@pytest.mark.parametrize(
    ("ours", "theirs"), [(benjamini_hochberg, "fdr_bh"), (benjamini_yekutieli, "fdr_by")]
)
def test_q_is_that_of_statsmodels(n, ours, theirs):
    p = np.random.default_rng(n).random(n) ** 3
    p[n // 2] = p[0]  # a tie
    assert ours(p) == pytest.approx(multipletests(p, method=theirs)[1], abs=1e-12)


def test_a_row_without_p_is_no_member():
    p = np.array([0.01, np.nan, 0.04])
    assert benjamini_hochberg(p)[[0, 2]] == pytest.approx([0.02, 0.04])
    assert np.isnan(benjamini_hochberg(p)[1])
    assert np.isnan(benjamini_yekutieli(np.array([np.nan]))).all()


@pytest.mark.parametrize(("n", "least"), [(21, 419), (93, 1_859), (500, 9_999)])
def test_draws_that_a_family_needs(n, least):  # inference.md 3.4
    assert n_at_floor_needed(n, least, 0.05) == 1
    assert n_at_floor_needed(n, least - 1, 0.05) == 2
    p = np.ones(n)
    p[:2] = 1 / least
    assert benjamini_hochberg(p)[0] <= 0.05 < n / least


@pytest.mark.parametrize(("n", "least"), [(21, 1_531), (93, 9_514), (500, 67_928)])
def test_draws_that_yekutieli_needs(n, least):  # inference.md 3.4
    assert yekutieli_is_reachable(n, least, 0.05)
    assert not yekutieli_is_reachable(n, least - 1, 0.05)


# Step-down maxT, column by column.


def stepped(observed, permuted):
    step_down = StepDown(observed)
    draws = GivenDraws(np.zeros((len(permuted), 1), dtype=int))
    halves = [step_down.count(half) for half in np.array_split(permuted, 2)]
    return step_down.p_values(sum(halves), draws)


def test_step_down_is_its_definition():
    rng = np.random.default_rng(1)
    observed, permuted = np.abs(rng.normal(size=(6, 5))), np.abs(rng.normal(size=(300, 6, 5)))
    observed[2, 3] = observed[4, 3]
    p = stepped(observed, permuted)
    for column in range(5):
        _, count = written_out.step_down(observed[:, column], permuted[:, :, column])
        assert p[:, column] == pytest.approx(count / 300, abs=1e-12)


def test_step_down_of_a_row_that_is_not_tested_leaves_it_out():
    rng = np.random.default_rng(2)
    observed, permuted = np.abs(rng.normal(size=(4, 3))), np.abs(rng.normal(size=(200, 4, 3)))
    observed[1, 0], permuted[:, 1, 0] = np.nan, 100
    p = stepped(observed, permuted)
    others = [0, 2, 3]
    assert np.isnan(p[1, 0])
    assert p[others, 0] == pytest.approx(stepped(observed[others], permuted[:, others])[:, 0])
    assert np.isnan(stepped(np.full((2, 1), np.nan), permuted[:, :2, :1])).all()


def test_step_down_of_one_row_is_its_own_p_and_of_several_is_not_below_theirs():
    rng = np.random.default_rng(3)
    observed, permuted = np.abs(rng.normal(size=(5, 4))), np.abs(rng.normal(size=(200, 5, 4)))
    own = (permuted >= observed).mean(axis=0)
    assert stepped(observed[:1], permuted[:, :1]) == pytest.approx(own[:1])
    p = stepped(observed, permuted)
    assert (p >= own).all()
    assert (p <= (permuted.max(axis=1, keepdims=True) >= observed).mean(axis=0)).all()


def test_pieces_of_columns_are_counted_as_all_together():
    rng = np.random.default_rng(4)
    observed, permuted = np.abs(rng.normal(size=(3, 4))), np.abs(rng.normal(size=(50, 3, 4)))
    step_down = StepDown(observed)
    parts = [step_down.count(permuted[:, :, part], part) for part in (slice(0, 1), slice(1, 4))]
    assert (np.hstack(parts) == step_down.count(permuted)).all()
