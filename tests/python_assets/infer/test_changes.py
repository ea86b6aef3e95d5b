"""What changed between two generations, against enumeration in plain loops."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from python_assets.infer.changes import (
    AllSigns,
    RandomSigns,
    change,
    dispersion_change,
    paired,
)
from python_assets.infer.design import Frame
from python_assets.infer.subgroup_changes import Counts, deviation_metric_row, swapped_distance_p


def frame_of(n_roots, n_groups):
    return Frame(
        np.repeat(np.arange(n_roots), n_groups),
        np.tile(np.arange(n_groups), n_roots),
        np.arange(n_roots),
        n_groups,
    )


def pair_of(own, other):
    """Both generations from tables (root prompts, groups)."""
    return paired(frame_of(*own.shape), own.ravel(), other.ravel())


def t_of(d):
    return d.mean(axis=0) / (d.std(axis=0, ddof=1) / np.sqrt(len(d)))


def by_enumeration(own, other):
    """p of each group alone, stepped down, and of the question, swapping whole root prompts in every way.

    D is computed anew from the swapped answers: no sign is turned here.
    """

    def sizes(a, b):
        k = a.shape[1]
        d = (a - a.mean(axis=1, keepdims=True) - b + b.mean(axis=1, keepdims=True)) * k / (k - 1)
        return np.abs(t_of(d))

    seen = sizes(own, other)
    drawn = []
    for swaps in product([False, True], repeat=len(own)):
        swapped = np.array(swaps)[:, None]
        drawn.append(sizes(np.where(swapped, other, own), np.where(swapped, own, other)))
    drawn = np.array(drawn)
    alone = (drawn >= seen - 1e-9).mean(axis=0)
    order = np.argsort(-seen)
    stepped, largest = np.empty(len(seen)), 0.0
    for at, group in enumerate(order):
        of_rest = drawn[:, order[at:]].max(axis=1)
        largest = max(largest, (of_rest >= seen[group] - 1e-9).mean())
        stepped[group] = largest

    def ranks(values, value):
        return (values >= value - 1e-9).mean()

    tops, squares = drawn.max(axis=1), (drawn**2).sum(axis=1)
    m = min(ranks(tops, seen.max()), ranks(squares, (seen**2).sum()))
    of_draws = [min(ranks(tops, a), ranks(squares, b)) for a, b in zip(tops, squares, strict=True)]
    return alone, stepped, np.mean(np.array(of_draws) <= m + 1e-12)


@pytest.mark.parametrize("n_groups", [2, 4])
def test_p_of_moved_groups_is_that_of_every_swap_of_whole_root_prompts(n_groups):
    rng = np.random.default_rng(n_groups)
    own, other = rng.normal(size=(2, 8, n_groups))
    own[:, 0] += 1
    pair = pair_of(own, other)
    found = change(pair.own_d - pair.other_d, AllSigns(8), 0.05)
    alone, stepped, question = by_enumeration(own, other)
    assert found.p_value == pytest.approx(alone)
    assert found.p_maxt == pytest.approx(stepped)
    assert found.p_question == pytest.approx(question)


def test_random_swaps_come_near_the_enumeration():
    rng = np.random.default_rng(5)
    own, other = rng.normal(size=(2, 10, 3))
    own[:, 1] += 0.8
    d = (pair := pair_of(own, other)).own_d - pair.other_d
    exact = change(d, AllSigns(10), 0.05)
    drawn = change(d, RandomSigns(3, 9_999, 10, np.arange(10)), 0.05)
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.02)
    assert drawn.p_question == pytest.approx(exact.p_question, abs=0.02)


def test_the_same_root_prompts_are_swapped_wherever_they_stand():
    everywhere = np.concatenate(list(RandomSigns(1, 500, 40, np.arange(40)).batches()))
    some = np.concatenate(list(RandomSigns(1, 500, 40, np.array([3, 17])).batches()))
    assert (some == everywhere[:, [3, 17]]).all()
    assert abs(everywhere.mean()) < 0.02


def test_a_change_of_the_deviation_metric_is_the_golden_case_of_two_models(golden):
    case = golden["models_dm"]
    d = np.array(case["dm_by_prompt_a"]) - np.array(case["dm_by_prompt_b"])
    found = change(d[:, None], AllSigns(6), 0.05)
    assert found.value[0] == pytest.approx(case["value"], abs=1e-9)
    assert [found.ci_low[0], found.ci_high[0]] == pytest.approx([case["ci_low"], case["ci_high"]], abs=1e-9)
    assert found.p_value[0] == found.p_question == pytest.approx(case["p_exact_sign_flip"], abs=1e-9)


def test_up_to_five_root_prompts_p_is_of_a_t_distribution():
    rng = np.random.default_rng(2)
    d = rng.normal(1, 1, size=(5, 3))
    found = change(d, AllSigns(5), 0.05)
    p = [stats.ttest_1samp(column, 0).pvalue for column in d.T]
    assert not found.is_permuted
    assert found.p_value == pytest.approx(p)
    assert found.p_question == pytest.approx(min(3 * min(p), 1))


def test_a_group_that_meets_no_other_has_no_difference_and_missing_cells_are_left_out():
    own = np.array([[1.0, 2, np.nan], [2, 4, 6], [np.nan, 5, np.nan]])
    other = np.array([[0.0, 0, 3], [1, 1, 1], [0, 0, 0]])
    pair = pair_of(own, other)
    d = pair.own_d - pair.other_d
    assert d[0] == pytest.approx(
        [-1, 1, np.nan], nan_ok=True
    )  # of two groups, each is the other turned round
    assert d[1] == pytest.approx([(1 - 3) * 1.5, 0, (5 - 3) * 1.5])
    assert np.isnan(d[2]).all()
    assert pair.own[2] == pytest.approx([np.nan, 5, np.nan], nan_ok=True)
    assert pair.n_dropped == 0


def test_root_prompts_that_one_generation_alone_answered_are_dropped_and_counted():
    own, other = np.ones((4, 2)), np.ones((4, 2))
    own[3], other[2] = np.nan, np.nan
    pair = pair_of(own, other)
    assert (pair.units.tolist(), pair.n_dropped, pair.share_dropped) == ([0, 1], 2, 0.5)


def test_identical_answers_have_a_p_of_one():
    found = change(np.zeros((20, 3)), RandomSigns(1, 999, 20, np.arange(20)), 0.05)
    assert found.p_question == 1
    assert (found.p_value == 1).all()
    assert (found.ci_low == 0).all()


def test_a_constant_change_is_as_extreme_as_can_be():
    found = change(np.full((12, 1), 0.3), AllSigns(12), 0.05)
    assert found.p_question == pytest.approx(2 / 2**12)


def test_dispersion_is_the_mean_product_of_root_prompts_that_differ():
    rng = np.random.default_rng(8)
    own, other = rng.normal(size=(2, 9, 4))
    own[:, 0] += 2
    pair = pair_of(own, other)
    found = dispersion_change(pair, 0.05)

    def square(d):
        n, k = d.shape
        products = [(d[r] * d[s]).sum() for r in range(n) for s in range(n) if r != s]
        return np.mean(products) / (k - 1)

    def jackknifed(r):
        kept = [at for at in range(9) if at != r]
        return square(pair.own_d[kept]) - square(pair.other_d[kept])

    assert found.value_own == pytest.approx(square(pair.own_d))
    assert found.value == pytest.approx(square(pair.own_d) - square(pair.other_d))
    parts = np.array([jackknifed(r) for r in range(9)])
    se = np.sqrt(8 / 9 * ((parts - parts.mean()) ** 2).sum())
    half = stats.t.isf(0.025, 8) * se
    assert [found.ci_low, found.ci_high] == pytest.approx([found.value - half, found.value + half])


def test_the_change_of_the_deviation_metric_in_equal_units_is_a_t_test_of_units():
    rng = np.random.default_rng(4)
    n = np.full((12, 3), 5.0)
    own, other = (Counts(n, rng.binomial(5, p, size=(12, 3)).astype(float)) for p in (0.5, 0.3))
    row = deviation_metric_row(own, other, ideal=0.0, alpha=0.05)
    of_units = (own.k / 5).mean(axis=1) - (other.k / 5).mean(axis=1)
    expected = stats.ttest_1samp(of_units, 0)
    limits = expected.confidence_interval()
    assert row["value"] == pytest.approx(of_units.mean())
    assert row["p_value"] == pytest.approx(expected.pvalue)
    assert [row["ci_low"], row["ci_high"]] == pytest.approx([limits.low, limits.high])


def test_a_deviation_metric_with_another_ideal_is_never_subtracted():
    counts = Counts(np.full((6, 2), 4.0), np.ones((6, 2)))
    row = deviation_metric_row(counts, counts, ideal=0.25, alpha=0.05)
    assert row["reason"] == "change_of_extremes_not_validated"
    assert "value" not in row
    assert row["value_a"] == row["value_b"] == 0


def test_the_distance_of_subgroup_rates_is_tested_by_every_swap_of_whole_units():
    rng = np.random.default_rng(6)
    n = np.full((6, 4), 3.0)
    own, other = (Counts(n, rng.binomial(3, p, size=(6, 4)).astype(float)) for p in (0.2, 0.7))
    seen = stats.ks_2samp(own.k.sum(axis=0) / 18, other.k.sum(axis=0) / 18).statistic
    n_as_far = 0
    for swaps in product([False, True], repeat=6):
        swapped = np.array(swaps)[:, None]
        a, b = np.where(swapped, other.k, own.k), np.where(swapped, own.k, other.k)
        n_as_far += stats.ks_2samp(a.sum(axis=0) / 18, b.sum(axis=0) / 18).statistic >= seen - 1e-9
    assert swapped_distance_p(own, other, AllSigns(6)) == pytest.approx(n_as_far / 64)
