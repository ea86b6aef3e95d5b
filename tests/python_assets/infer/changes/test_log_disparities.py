"""What changed in log disparities, against enumeration in plain loops."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from bench.bench_log_disparity_changes import RATES, found
from python_assets.infer.changes.log_disparities import log_disparity_changes
from python_assets.infer.draws.flips import Flips
from tests.promises import fewest, share
from tests.python_assets.infer.changes.test_infer_changes import compared, of
from tests.python_assets.infer.changes.test_swapped import pair_of


def rates_of(x, group):
    """On each root prompt the group, and the mean of the others."""
    return x[:, group], np.delete(x, group, axis=1).mean(axis=1)


def logit(p):
    return np.log(p / (1 - p))


def by_hand(own, other, group):
    """Value and delta error from the covariance of four means; None where a rate is 0 or 1."""
    sides = np.array([*rates_of(own, group), *rates_of(other, group)])
    p = sides.mean(axis=1)
    if (np.abs(p - 0.5) > 0.5 - 1e-12).any():
        return None
    gradient = np.array([1, -1, -1, 1]) / (p * (1 - p))
    value = logit(p[0]) - logit(p[1]) - logit(p[2]) + logit(p[3])
    return value, np.sqrt(gradient @ np.cov(sides) @ gradient / sides.shape[1])


def by_enumeration(own, other, group):
    """Share of all swaps of whole root prompts whose value over its error is as large."""
    value, error = by_hand(own, other, group)
    n_as_large = 0
    for swaps in product([False, True], repeat=len(own)):
        swapped = np.array(swaps)[:, None]
        drawn = by_hand(np.where(swapped, other, own), np.where(swapped, own, other), group)
        n_as_large += drawn is None or abs(drawn[0] / drawn[1]) >= abs(value / error) - 1e-9
    return n_as_large / 2 ** len(own)


def made(n_roots=8, n_groups=3, seed=7):
    """Rates of repeats, so that none is 0 or 1."""
    rng = np.random.default_rng(seed)
    return rng.binomial(4, 0.5, size=(2, n_roots, n_groups)) / 4


@pytest.mark.parametrize("n_groups", [2, 4])
def test_p_and_interval_are_those_of_every_swap_and_of_the_delta_method(n_groups):
    own, other = made(n_groups=n_groups)
    change = log_disparity_changes(pair_of(own, other), Flips(0, 2**8, 8), 0.05).result
    for group in range(n_groups):
        value, error = by_hand(own, other, group)
        half = stats.t.isf(0.025, 7) * error
        assert change.value[group] == pytest.approx(value)
        assert change.ci_low[group] == pytest.approx(value - half)
        assert change.ci_high[group] == pytest.approx(value + half)
        assert change.p_value[group] == pytest.approx(by_enumeration(own, other, group))


def test_a_small_case_by_hand():
    # of four root prompts the first group deviates in 3 and the second in 2; in the other model in 1 and in 2
    own = np.array([[1, 1], [1, 1], [1, 0], [0, 0]])
    other = np.array([[1, 1], [0, 1], [0, 0], [0, 0]])
    pair = pair_of(own.astype(float), other.astype(float))
    change, value_a, value_b = log_disparity_changes(pair, Flips(0, 2**4, 4), 0.05)
    # log odds 3 less log odds 1, against log odds 1/3 less log odds 1
    assert value_a == pytest.approx([np.log(3), -np.log(3)])
    assert value_b == pytest.approx([-np.log(3), np.log(3)])
    assert change.value == pytest.approx([2 * np.log(3), -2 * np.log(3)])
    # swaps of the two root prompts that differ: both kept or both swapped give the largest t, 8 of 16; one
    # swapped alone leaves no change at all
    assert change.p_value == pytest.approx([0.5, 0.5])


def test_a_swap_that_brings_a_rate_to_0_counts_as_a_large_one():
    own = np.array([[1.0, 0, 1], [0, 1, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 0, 0]])
    other = np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 1], [0, 0, 1], [0, 1, 0]])
    change = log_disparity_changes(pair_of(own, other), Flips(0, 2**6, 6), 0.05).result
    swapped = np.array([1, 0, 0, 0, 0, 0])[:, None] == 1  # one model then never says yes of the first group
    assert by_hand(np.where(swapped, other, own), np.where(swapped, own, other), 0) is None
    assert change.p_value[0] == pytest.approx(by_enumeration(own, other, 0))
    assert change.p_value[0] >= 0.5


def test_random_swaps_come_near_to_all_and_equal_answers_have_a_p_of_one():
    own, other = made(n_roots=10, seed=3)
    every = log_disparity_changes(pair_of(own, other), Flips(0, 2**10, 10), 0.05).result
    drawn = log_disparity_changes(pair_of(own, other), Flips(1, 1_023, 10), 0.05).result
    assert drawn.p_value == pytest.approx(every.p_value, abs=0.02)
    same = log_disparity_changes(pair_of(own, own), Flips(1, 99, 10), 0.05).result
    assert (same.p_value == 1).all()
    assert (same.ci_low == 0).all()


def binary(study, own, other):
    study.add("biased", other, kind="binary", system_id="old")
    return study.add("biased", own, kind="binary", system_id="new")


def test_rows_tell_the_change_of_each_group_without_a_hypothesis_of_their_own(study):
    rng = np.random.default_rng(2)
    own, other = (rng.random((2, 40, 3)) < np.array([0.4, 0.5, 0.6])).astype(float)
    rows = of(compared(binary(study, own, other)), "log_disparity_change").set_index("group_id")
    value, error = by_hand(own, other, 1)
    assert rows.value["g1"] == pytest.approx(value)
    assert rows.value_a["g1"] - rows.value_b["g1"] == pytest.approx(value)
    assert rows.ci_high["g1"] == pytest.approx(value + stats.t.isf(0.025, 39) * error)
    assert rows.p_value.between(0, 1).all()
    assert rows[["q_value", "verdict", "family_id", "reason", "inference_reason"]].isna().all(axis=None)


def test_a_rate_of_0_has_no_odds_to_change_and_measures_on_a_scale_have_none(study):
    rng = np.random.default_rng(2)
    own, other = (rng.random((2, 40, 3)) < 0.5).astype(float)
    other[:, 0] = 0
    binary(study, own, other)
    study.add("score", own, system_id="old").add("score", other, system_id="new")
    rows = of(compared(study), "log_disparity_change").set_index("group_id")
    assert set(rows.measure_id) == {"biased"}
    assert rows.loc["g0", ["reason", "inference_reason"]].tolist() == ["rate_zero_or_one", "unbounded"]
    assert rows.loc["g0", ["value", "value_b", "p_value", "ci_low"]].isna().all()
    assert rows.loc[["g1", "g2"], ["value", "p_value", "ci_low"]].notna().all(axis=None)
    assert np.isfinite(rows.value_a["g0"])


@pytest.mark.parametrize(("n", "reason"), [(5, "too_few_root_prompts"), (9, "approximate"), (10, None)])
def test_few_root_prompts_have_no_p_and_up_to_nine_an_approximate_one(study, n, reason):
    rng = np.random.default_rng(4)
    own, other = rng.random((2, n, 3, 4)) < 0.5
    rows = of(compared(binary(study, own, other)), "log_disparity_change")
    assert rows.value.notna().all()
    assert set(rows.inference_reason.fillna("")) == {reason or ""}
    assert rows.p_value.notna().all() == rows.ci_low.notna().all() == (n > 5)


@pytest.mark.run
@pytest.mark.parametrize("name", [name for name in RATES if name != "one group moved"])
def test_no_change_is_found_more_often_than_alpha_and_intervals_hold_the_truth(name):
    own, other = (np.array(rates) for rates in RATES[name])
    for n_roots in (10, 30):
        shares = found(own, other, n_roots, fewest(), seed=n_roots)
        assert shares.significant <= share(fewest())
        assert shares.covered >= 1 - share(fewest())
