"""What changed between two generations, against enumeration in plain loops."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from python_assets.infer.changes.swapped import dispersion_change, mean_changes, paired, t_test
from python_assets.infer.design.design import Frame
from python_assets.infer.draws.flips import Flips


def frame_of(n_roots, n_groups):
    return Frame(
        np.repeat(np.arange(n_roots), n_groups), np.tile(np.arange(n_groups), n_roots), np.arange(n_roots), n_groups
    )


def pair_of(own, other):
    """Both generations from tables (root prompts, groups)."""
    return paired(frame_of(*own.shape), np.stack([own, other]).reshape(2, -1, 1))


def changes_of(d, signs, fewest=2):
    """Of changes of shape (root prompts, rows), as one generation against nothing."""
    return mean_changes(np.stack([d, 0 * d]), signs, 0.05, fewest=fewest).result


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
    found = mean_changes(pair.differences, Flips(0, 2**8, 8), 0.05).result
    alone, stepped, hypothesis = by_enumeration(own, other)
    assert found.p_value == pytest.approx(alone)
    assert found.p_maxt == pytest.approx(stepped)
    assert found.p_hypothesis == pytest.approx([hypothesis] * n_groups)


def test_random_swaps_come_near_the_enumeration():
    rng = np.random.default_rng(5)
    own, other = rng.normal(size=(2, 10, 3))
    own[:, 1] += 0.8
    x = pair_of(own, other).differences
    exact = mean_changes(x, Flips(0, 2**10, 10), 0.05).result
    drawn = mean_changes(x, Flips(3, 1_023, 10), 0.05).result
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.02)
    assert drawn.p_hypothesis == pytest.approx(exact.p_hypothesis, abs=0.02)


def test_the_same_root_prompts_are_swapped_wherever_they_stand():
    everywhere = np.concatenate(list(Flips(1, 500, 40).batches()))
    units = np.arange(3, 32, 2)  # more than are turned round in every way
    some = np.concatenate(list(Flips(1, 500, 40, units).batches()))
    assert (some == everywhere[:, units]).all()
    assert abs(everywhere.mean()) < 0.02


def test_a_change_of_the_deviation_metric_is_the_golden_case_of_two_models(golden):
    case = golden["models_dm"]
    d = np.array(case["dm_by_prompt_a"]) - np.array(case["dm_by_prompt_b"])
    found = changes_of(d[:, None], Flips(0, 2**6, 6))
    assert found.value[0] == pytest.approx(case["value"], abs=1e-9)
    half = stats.t.isf(0.025, len(d) - 1) * found.std_error[0]  # the golden interval is of t alone
    assert [case["ci_low"], case["ci_high"]] == pytest.approx([d.mean() - half, d.mean() + half], abs=1e-9)
    assert found.p_value[0] == found.p_hypothesis[0] == pytest.approx(case["p_exact_sign_flip"], abs=1e-9)


def test_up_to_five_root_prompts_p_is_of_a_t_distribution():
    rng = np.random.default_rng(2)
    d = rng.normal(1, 1, size=(5, 3))
    found = changes_of(d, Flips(0, 2**5, 5))
    p = [stats.ttest_1samp(column, 0).pvalue for column in d.T]
    assert not found.is_permuted.any()
    assert found.p_value == pytest.approx(p)
    assert found.p_hypothesis == pytest.approx([min(3 * min(p), 1)] * 3)


def test_a_group_that_meets_no_other_has_no_difference_and_missing_cells_are_left_out():
    own = np.array([[1.0, 2, np.nan], [2, 4, 6], [np.nan, 5, np.nan]])
    other = np.array([[0.0, 0, 3], [1, 1, 1], [0, 0, 0]])
    pair = pair_of(own, other)
    d = pair.differences[0] - pair.differences[1]
    assert d[0] == pytest.approx([-1, 1, np.nan], nan_ok=True)  # of two groups, each is the other turned round
    assert d[1] == pytest.approx([(1 - 3) * 1.5, 0, (5 - 3) * 1.5])
    assert np.isnan(d[2]).all()
    assert pair.means[0, 2] == pytest.approx([np.nan, 5, np.nan], nan_ok=True)
    assert pair.n_dropped == 0


def test_root_prompts_that_one_system_alone_answered_are_dropped_and_counted():
    own, other = np.ones((4, 2)), np.ones((4, 2))
    own[3], other[2] = np.nan, np.nan
    pair = pair_of(own, other)
    assert (pair.units.tolist(), pair.n_dropped, pair.share_dropped) == ([0, 1], 2, 0.5)


def test_identical_answers_have_a_p_of_one():
    found = changes_of(np.zeros((20, 3)), Flips(1, 999, 20))
    assert (found.p_hypothesis == 1).all()
    assert (found.p_value == 1).all()
    assert (found.ci_low == 0).all()


def test_a_constant_change_is_as_extreme_as_can_be():
    found = changes_of(np.full((12, 1), 0.3), Flips(0, 2**12, 12))
    assert found.p_hypothesis == pytest.approx([2 / 2**12])


def test_dispersion_is_the_mean_product_of_root_prompts_that_differ():
    rng = np.random.default_rng(8)
    own, other = rng.normal(size=(2, 9, 4))
    own[:, 0] += 2
    pair = pair_of(own, other)
    own_d, other_d = pair.differences
    found, (value_a,), _ = dispersion_change(pair.differences, 0.05)

    def square(d):
        n, k = d.shape
        products = [(d[r] * d[s]).sum() for r in range(n) for s in range(n) if r != s]
        return np.mean(products) / (k - 1)

    def jackknifed(r):
        kept = [at for at in range(9) if at != r]
        return square(own_d[kept]) - square(other_d[kept])

    assert value_a == pytest.approx(square(own_d))
    assert found.value[0] == pytest.approx(square(own_d) - square(other_d))
    parts = np.array([jackknifed(r) for r in range(9)])
    se = np.sqrt(8 / 9 * ((parts - parts.mean()) ** 2).sum())
    half = stats.t.isf(0.025, 8) * se
    expected = [found.value[0] - half, found.value[0] + half]
    assert [found.ci_low[0], found.ci_high[0]] == pytest.approx(expected)


def test_few_prompts_that_change_by_the_same_amount_have_no_p():
    rng = np.random.default_rng(51)
    d = np.column_stack([np.full(5, 0.2), rng.normal(size=5), np.zeros(5)])
    found = changes_of(d, Flips(1, 99, 5))
    assert found.reason[0] == "no_error"
    assert np.isnan([found.p_value[0], found.p_maxt[0], found.ci_low[0], found.p_equivalence[0]]).all()
    assert found.value[0] == pytest.approx(0.2)
    p = 2 * stats.t.sf(abs(t_of(d[:, 1:2])[0]), 4)
    assert found.p_value[1:].tolist() == pytest.approx([p, 1.0])
    assert found.p_hypothesis[0] == pytest.approx(min(2 * p, 1))  # of the two that have one
    alone = changes_of(d[:, :1], Flips(1, 99, 5))
    assert np.isnan(alone.p_hypothesis[0])


def test_six_prompts_that_change_by_the_same_amount_have_that_of_their_swaps():
    found = changes_of(np.full((6, 1), 0.2), Flips(1, 999, 6))
    assert found.p_value[0] == pytest.approx(2 / 64)


def test_a_number_without_error_has_no_p_unless_it_is_nothing():
    assert t_test(0.2, 0.0, 5, 0.05) == {"value": 0.2, "reason": "no_error"}
    assert t_test(0.0, 0.0, 5, 0.05)["p_value"] == 1
