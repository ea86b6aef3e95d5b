"""tests/python_assets/infer/test_multiplicity.py - mirrors python_assets/infer/multiplicity.py."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from python_assets.infer.draws.exchange import Shuffles, given_draws
from python_assets.infer.formulas.multiplicity import (
    StepDown,
    benjamini_hochberg,
    group_levels,
    holm,
    hypothesis_levels,
    min_p,
)
from tests.python_assets.infer import written_out


@pytest.mark.parametrize("n", [1, 2, 21, 500])
@pytest.mark.parametrize(("ours", "theirs"), [(benjamini_hochberg, "fdr_bh"), (holm, "holm")])
def test_adjusted_p_are_those_of_statsmodels(n, ours, theirs):
    p = np.random.default_rng(n).random(n) ** 3
    p[n // 2] = p[0]  # a tie
    assert ours(p) == pytest.approx(multipletests(p, method=theirs)[1], abs=1e-12)


def test_a_row_without_p_is_no_member():
    p = np.array([0.01, np.nan, 0.04])
    assert benjamini_hochberg(p)[[0, 2]] == pytest.approx([0.02, 0.04])
    assert np.isnan(benjamini_hochberg(p)[1])
    assert holm(p)[[0, 2]] == pytest.approx([0.02, 0.04])
    assert np.isnan(holm(p)[1])
    assert np.isnan([benjamini_hochberg(np.array([np.nan])), holm(np.array([np.nan]))]).all()


def test_holm_is_of_each_row_alone_and_counts_no_mirrors():
    rng = np.random.default_rng(5)
    p = rng.random((4, 6)) ** 3
    p[1, 2] = p[3, 0] = np.nan
    for row, adjusted in zip(p, holm(p), strict=True):
        has_p = ~np.isnan(row)
        assert adjusted[has_p] == pytest.approx(multipletests(row[has_p], method="holm")[1], abs=1e-12)
    assert holm(np.array([0.02, 0.02]), 1) == pytest.approx([0.02, 0.02])


# Levels of questions and of their groups, inference.md 6.4.


def levels_written_out(p_hypothesis, p_group):
    """q of a group, its minimum written out over all numbers of called questions."""
    n = len(p_hypothesis)
    q, ordered = multipletests(p_hypothesis, method="fdr_bh")[1], np.sort(p_hypothesis)
    return q, [
        [max(q[c], min(1, min(n * max(p, ordered[s - 1]) / s for s in range(1, n + 1)))) for p in of_hypothesis]
        for c, of_hypothesis in enumerate(p_group)
    ]


@pytest.mark.parametrize("n", [1, 2, 40])
def test_levels_of_hypotheses_and_groups_are_those_written_out(n):
    rng = np.random.default_rng(n)
    p_group = [rng.random(rng.integers(1, 6)) ** rng.integers(1, 9) for _ in range(n)]
    p_hypothesis = np.array([p.min() * rng.uniform(0.5, 1) for p in p_group])
    hypothesis = np.repeat(np.arange(n), [len(p) for p in p_group])
    found = hypothesis_levels(p_hypothesis, np.concatenate(p_group), hypothesis)
    q, of_group = levels_written_out(p_hypothesis, p_group)
    assert found.of_hypothesis == pytest.approx(q, abs=1e-12)
    assert found.of_group == pytest.approx(np.concatenate(of_group), abs=1e-12)


def test_a_group_is_significant_only_in_a_significant_hypothesis_and_alone_at_its_own_level():
    found = hypothesis_levels(np.array([0.2, 0.001]), np.array([0.01, 0.2, 0.001]), np.array([0, 0, 1]))
    assert found.of_group[0] == pytest.approx(0.2)  # its question is not called
    lonely = hypothesis_levels(np.array([0.04]), np.array([0.04, 0.05]), np.array([0, 0]))
    assert lonely.of_group == pytest.approx([0.04, 0.05])


def test_a_hypothesis_without_p_is_no_member_of_its_set():
    p = np.array([0.01, np.nan, 0.04])
    found = hypothesis_levels(p, np.array([0.01, np.nan, 0.02, 0.04]), np.array([0, 1, 1, 2]))
    assert found.of_hypothesis[[0, 2]] == pytest.approx([0.02, 0.04])
    assert np.isnan(found.of_hypothesis[1])
    assert np.isnan(found.of_group).tolist() == [False, True, True, False]
    assert np.isnan(group_levels(np.array([0.1]), np.nan, np.array([]))).all()


@pytest.mark.parametrize(("n", "n_draws"), [(25, 999), (250, 9_999)])
def test_floor_of_a_lonely_hypothesis(n, n_draws):  # inference.md 6.5: 2 / (B + 1) where one statistic tops all
    p = np.ones(n)
    p[0] = 2 / (n_draws + 1)
    assert benjamini_hochberg(p)[0] == pytest.approx(0.05)
    assert benjamini_hochberg(np.append(p, 1.0))[0] > 0.05


# Smaller of the p of two statistics, inference.md 6.3.


def test_smaller_p_is_its_definition_over_all_tables():
    rng = np.random.default_rng(7)
    drawn = rng.normal(size=(2, 5, 300)).round(1)
    drawn[1] += drawn[0]
    observed = drawn[:, :, 3] + [[0.5], [0.0]]
    draws = Shuffles(1, 300, np.zeros(2, dtype=int)).of(np.arange(2))
    p, of_all = min_p(observed, drawn, draws), min_p(drawn[:, :, 3], drawn, given_draws(np.zeros((300, 1))))
    for column in range(5):
        tables = np.column_stack([observed[:, column], drawn[:, column]])
        smaller = (tables[:, None] >= tables[:, :, None] - 1e-9).mean(axis=2).min(axis=0)
        assert p[column] == pytest.approx((smaller <= smaller[0] + 1e-12).mean(), abs=1e-12)
        inside = drawn[:, column]
        smaller = (inside[:, None] >= inside[:, :, None] - 1e-9).mean(axis=2).min(axis=0)
        assert of_all[column] == pytest.approx((smaller <= smaller[3] + 1e-12).mean(), abs=1e-12)


def test_smaller_p_has_the_floor_of_two_draws_where_one_statistic_tops_all():
    drawn = np.random.default_rng(8).normal(size=(2, 1, 99))
    draws = Shuffles(1, 99, np.zeros(2, dtype=int)).of(np.arange(2))
    both = min_p(np.full((2, 1), 9.0), drawn, draws)
    one = min_p(np.array([[9.0], [-9.0]]), drawn, draws)
    assert both[0] == pytest.approx(1 / 100)
    assert one[0] == pytest.approx(2 / 100)  # the draw that tops the other has no larger p


def test_smaller_p_is_uniform_where_nothing_differs():
    rng = np.random.default_rng(9)
    n = 2_000
    tables = rng.normal(size=(2, n, 100))
    tables[1] = np.sqrt(0.5) * (tables[0] + tables[1])
    draws = Shuffles(1, 99, np.zeros(2, dtype=int)).of(np.arange(2))
    p = min_p(tables[:, :, 0], tables[:, :, 1:], draws)
    low, high = stats.binom.interval(0.999, n, 0.05)
    assert low - 0.015 * n <= (p <= 0.05).sum() <= high  # ties of both p make it smaller at times


# Step-down maxT, column by column.


def stepped(observed, permuted):
    step_down = StepDown(observed)
    draws = given_draws(np.zeros((len(permuted), 1), dtype=int))
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
