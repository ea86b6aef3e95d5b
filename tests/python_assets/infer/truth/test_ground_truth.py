"""Labels of a model against real shares: sizes, null, and how often a true truth is refused."""

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import jensenshannon

from bench.bench_ground_truth import DESIGNS, p_values
from python_assets.infer.truth.ground_truth import Answers, against_truth, divergence, shares_against_truth
from tests.promises import fewest, most

PROMISED = 0.067  # the largest of docs/statistics.md
N_DRAWS, N_SETS = 1_999, fewest(PROMISED)


def rng():
    return np.random.default_rng(7)


def outcome(n, share, *clusters, n_draws=N_DRAWS):
    n = np.asarray(n, dtype=float)
    answers = Answers(n, clusters or [np.arange(len(n))])
    return against_truth(answers, np.asarray(share), n_draws=n_draws, rng=rng())


def responses(counts):
    """A cluster each response, of counts by category and group."""
    counts = np.asarray(counts)
    cells = np.eye(counts.size).reshape(-1, *counts.shape)
    return np.repeat(cells, counts.ravel(), axis=0)


def test_divergence_is_the_square_of_scipys_distance_and_finite_with_zeros():
    p, q = np.array([[0.2, 0.3, 0.5], [0, 1, 0]]), np.array([[0.6, 0.4, 0], [0.5, 0, 0.5]])
    assert divergence(p, q) == pytest.approx(jensenshannon(p, q, axis=1) ** 2)
    assert divergence(p, q)[1] == pytest.approx(np.log(2))


def test_sizes_are_the_means_over_categories_and_over_answers():
    counts, share = np.array([[10, 30], [20, 0]]), np.array([[0.5, 0.5], [0.25, 0.75]])
    found = outcome(responses(counts), share).sizes
    of_category = jensenshannon(counts / counts.sum(1, keepdims=True), share, axis=1) ** 2
    assert found["jsd_truth_unweighted"].value == pytest.approx(of_category.mean())
    assert found["jsd_truth_weighted"].value == pytest.approx((40 * of_category[0] + 20 * of_category[1]) / 60)


def test_of_independent_responses_p_is_that_of_chi_square():
    counts, share = np.array([[60, 40], [45, 75]]), np.array([[0.5, 0.5], [0.45, 0.55]])
    expected = counts.sum(1, keepdims=True) * share
    # each response alone is worth (n - 1)/n
    chi_square = ((counts - expected) ** 2 / expected).sum() * 219 / 220
    found = outcome(responses(counts), share, n_draws=20_000)
    assert found.n_effective == pytest.approx(219)
    assert found.p_value == pytest.approx(stats.chi2.sf(chi_square, 2), abs=0.02)
    assert not found.is_corrected


def test_repeats_that_say_the_same_are_worth_one():
    rows = responses([[20, 12], [9, 19]])
    once, five = outcome(rows, [[0.5, 0.5], [0.4, 0.6]]), outcome(5 * rows, [[0.5, 0.5], [0.4, 0.6]])
    assert five.n_effective == pytest.approx(once.n_effective)
    assert five.p_value == once.p_value
    for field in ("value", "null_median", "null_q95", "p_value"):
        both = (getattr(one.sizes["jsd_truth_weighted"], field) for one in (five, once))
        assert next(both) == pytest.approx(next(both))


def test_of_few_units_p_is_at_least_that_of_the_spread_between_them():
    # one category, two groups: chi-square over its eigenvalue is the square of a t of R - 1 df
    n = np.array([[[4, 1]], [[5, 0]], [[2, 3]], [[5, 0]], [[3, 2]], [[4, 1]]])
    excess = n[:, 0, 0] - 0.5 * n.sum(axis=(1, 2))
    residual = n[:, 0, 0] - n[:, 0, 0].mean() / 5 * n.sum(axis=(1, 2))
    t = excess.sum() / np.sqrt((residual**2).sum() * 6 / 5)
    found = outcome(n, [[0.5, 0.5]])
    corrected = 2 * stats.t.sf(abs(t), 5)
    assert found.is_corrected
    assert found.p_value >= corrected - 1e-9
    # noise of independent answers alone would be surer than the spread of six units
    assert found.p_value == pytest.approx(max(corrected, found.p_value))
    assert outcome(np.repeat(n, 5, axis=0), [[0.5, 0.5]]).is_corrected is False


def test_units_crossed_with_prompts_are_drawn_both_ways():
    n = np.zeros((36, 1, 2))
    n[:, 0, 0] = np.tile([1, 1, 1, 0, 1, 1], 6)  # what is said hangs on the prompt alone
    n[:, 0, 1] = 1 - n[:, 0, 0]
    unit, prompt = np.repeat(np.arange(6), 6), np.tile(np.arange(6), 6)
    by_unit, by_prompt = outcome(n, [[0.5, 0.5]], unit), outcome(n, [[0.5, 0.5]], prompt)
    both = outcome(n, [[0.5, 0.5]], unit, prompt)
    assert by_unit.n_effective == 36
    assert both.n_effective == pytest.approx(by_prompt.n_effective)
    assert by_prompt.n_effective == pytest.approx(5)


def test_the_order_of_units_and_categories_changes_no_size():
    n, share = responses([[20, 12], [9, 19], [3, 3]]), np.array([[0.5, 0.5], [0.4, 0.6], [0.2, 0.8]])
    shuffled = np.random.default_rng(1).permutation(n)
    for other in (outcome(shuffled, share), outcome(n[:, [2, 0, 1]], share[[2, 0, 1]])):
        for name, size in outcome(n, share).sizes.items():
            assert other.sizes[name].value == pytest.approx(size.value)


def test_categories_that_expect_less_than_one_unit_are_merged():
    counts = [[30, 30], [1, 2], [2, 1], [40, 20]]
    share = [[0.5, 0.5], [0.3, 0.7], [0.3, 0.7], [0.6, 0.4]]
    found = outcome(responses(counts), share)
    assert found.merged.tolist() == [1, 2]
    assert found.p_value <= 1


def test_a_share_of_zero_leaves_chi_square_and_divergence_finite():
    counts, share = [[30, 30], [25, 5]], [[0.5, 0.5], [1.0, 0.0]]
    found = outcome(responses(counts), share)
    assert found.merged.tolist() == [0, 1]
    assert 0 < found.p_value <= 1
    assert all(np.isfinite(size.value) for size in found.sizes.values())
    # what cannot happen was seen: no draw is as far
    assert found.sizes["jsd_truth_weighted"].p_value < 0.01


def test_too_few_expected_units_have_sizes_and_no_p():
    found = outcome(responses([[6, 1]]), [[1.0, 0.0]])
    assert np.isnan(found.p_value)
    assert found.sizes["jsd_truth_weighted"].value > 0
    assert found.merged.size == 0


def test_categories_of_one_group_each_count_their_units_once():
    n = np.zeros((8, 2, 2))
    n[:4, 0, 0] = n[4:, 1, 1] = 5
    found = outcome(n, [[0.5, 0.5], [0.5, 0.5]])
    assert found.n_effective == 8
    assert 0 < found.p_value < 0.05


def test_marginal_shares_are_held_against_their_own_noise():
    counts = np.array([[30, 20, 50]])
    answers = Answers(responses(counts), [np.arange(100)])
    found = shares_against_truth([(answers, np.array([0.3, 0.2, 0.5]))], n_draws=N_DRAWS, rng=rng())
    assert found.value == pytest.approx(0)
    assert found.p_value == 1
    far = shares_against_truth([(answers, np.array([0.6, 0.2, 0.2]))], n_draws=N_DRAWS, rng=rng())
    assert far.value == pytest.approx(jensenshannon([0.3, 0.2, 0.5], [0.6, 0.2, 0.2]) ** 2)
    assert far.p_value < 0.01
    both = shares_against_truth(
        [(answers, np.array([0.3, 0.2, 0.5])), (answers, np.array([0.6, 0.2, 0.2]))], n_draws=N_DRAWS, rng=rng()
    )
    assert both.value == pytest.approx(far.value / 2)


@pytest.mark.run
@pytest.mark.parametrize("design", DESIGNS, ids=[design.name for design in DESIGNS])
def test_a_truth_that_holds_is_refused_in_no_more_than_alpha(design):
    generator = np.random.default_rng(3)
    used = np.array([p_values(design, generator)[2] for _ in range(N_SETS)])
    assert (used <= 0.05).sum() <= most(N_SETS, PROMISED)


def test_a_truth_that_does_not_hold_is_refused():
    n = responses([[60, 20], [20, 60]])
    assert outcome(n, [[0.5, 0.5], [0.5, 0.5]]).p_value < 0.01
