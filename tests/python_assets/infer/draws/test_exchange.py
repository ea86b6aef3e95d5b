"""tests/python_assets/infer/test_permutation.py - mirrors python_assets/infer/permutation.py."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from python_assets.infer.draws import exchange as permutation
from python_assets.infer.draws.exchange import (
    Shuffles,
    Slots,
    given_draws,
    noise_floor,
    p_values,
    permuted_means,
    stable_seed,
)


def random_draws(block, n=2_000, seed=3):
    return Shuffles(seed, n, np.array(block)).of(np.arange(len(block)))


def sources(draws):
    return np.concatenate([draws.sources(batch) for batch in draws.batches])


def test_a_draw_is_a_shuffle_inside_every_block():
    block = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
    drawn = sources(random_draws(block, n=300))
    assert (np.sort(drawn, axis=1) == np.arange(9)).all()
    assert (block[drawn] == block).all()


def test_every_arrangement_of_a_block_is_as_likely():
    drawn = sources(random_draws([0, 0, 0], n=12_000))
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 0.001


def test_blocks_are_shuffled_independently():
    drawn = sources(random_draws([0, 0, 1, 1], n=12_000))
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert stats.chisquare(counts).pvalue > 0.001
    assert len(counts) == 4


@pytest.mark.parametrize("absent", [[1], [0, 4], [2, 3, 7], []])
def test_draws_of_some_cells_are_the_full_order_with_the_others_left_out(absent):
    block = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2])
    shuffles = Shuffles(5, 50, block)
    cell = np.setdiff1d(np.arange(9), absent)
    full, part = sources(shuffles.of(np.arange(9))), sources(shuffles.of(cell))
    for whole, some in zip(full, part, strict=True):
        assert cell[some].tolist() == [place for place in whole if place not in absent]


def test_draws_of_some_cells_stay_shuffles_inside_their_blocks_each_as_likely():
    block, cell = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 2, 3, 4, 5])
    drawn = sources(Shuffles(6, 12_000, block).of(cell))
    assert (block[cell][drawn] == block[cell]).all()
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 2 * 6
    assert stats.chisquare(counts).pvalue > 0.001


def test_draws_are_the_same_whether_they_are_kept_or_drawn_again(monkeypatch):
    block, cell = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 3, 4])
    kept = sources(Shuffles(7, 300, block).of(cell))
    monkeypatch.setattr(permutation, "KEPT_BYTES", 0)
    shuffles = Shuffles(7, 300, block)
    again = [sources(shuffles.of(cell)) for _ in range(2)]
    assert (kept == again).all()


def test_more_draws_begin_with_the_same_draws():
    short, long = (sources(random_draws([0, 0, 1, 1, 1], n=n)) for n in (700, 1_500))
    assert (short[:512] == long[:512]).all()


def test_number_of_cores_changes_nothing(monkeypatch):
    z = np.random.default_rng(1).normal(size=(6, 40))
    block, group = np.repeat(np.arange(3), 2), np.tile([0, 1], 3)
    nulls = []
    for cores in (1, 3):
        monkeypatch.setenv("OMP_NUM_THREADS", str(cores))
        nulls.append(permuted_means(Slots(block, group, 2), random_draws(block), z))
    assert (nulls[0] == nulls[1]).all()


def test_permuted_sums_are_those_of_the_rearranged_values():
    z = np.arange(12.0).reshape(6, 2)
    given = np.array([[0, 1, 2, 3, 4, 5], [1, 0, 2, 3, 5, 4]])
    slots = Slots(np.repeat(np.arange(3), 2), np.tile([0, 1], 3), 2)
    null = permuted_means(slots, given_draws(given), z)
    for draw, source in enumerate(given):
        assert (null[:, :, draw] == z[source].reshape(3, 2, 2).sum(axis=0).T).all()


def test_seed_does_not_depend_on_the_process():
    code = "from python_assets.infer.draws.exchange import stable_seed; print(stable_seed(7, 'all', 'gender'))"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(output) == stable_seed(7, "all", "gender")
    assert stable_seed("ab", "c") != stable_seed("a", "bc")


@pytest.mark.parametrize("n", [1, 2, 20, 99, 1_296, 9_999])
def test_noise_floor_is_the_linear_quantile_of_numpy(n):
    sample = np.random.default_rng(n).normal(size=(5, n))
    median, q95 = noise_floor(sample.copy())
    assert median == pytest.approx(np.median(sample, axis=1), abs=1e-14)
    assert q95 == pytest.approx(np.quantile(sample, 0.95, axis=1), abs=1e-14)


def test_infinite_draws_count_as_largest():
    sample = np.array([[0.0] * 96 + [np.inf] * 4, [0.0] * 90 + [np.inf] * 10])
    median, q95 = noise_floor(sample)
    assert (median == 0).all()
    assert q95[0] == 0
    assert np.isnan(q95[1])


def test_random_draws_count_the_observation_and_enumeration_does_not():
    assert p_values(np.array([0, 99]), random_draws([0, 0], n=99)).tolist() == [0.01, 1.0]
    assert p_values(np.array([1]), given_draws(np.zeros((4, 2), dtype=int))).tolist() == [0.25]


def test_blocks_whose_cells_move_together_are_in_one_order_in_every_draw():
    block, moved_with = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
    moved_with[6:] += 3  # the last two blocks are of another unit
    order = Shuffles(5, 200, block, moved_with).order(slice(0, 200)).reshape(200, 4, 3) - np.arange(0, 12, 3)[:, None]
    assert (order[:, 0] == order[:, 1]).all()
    assert (order[:, 2] == order[:, 3]).all()
    assert (order[:, 0] != order[:, 2]).any()
    assert len(np.unique(order[:, 0], axis=0)) == 6
