from itertools import product

import numpy as np
import pytest

from python_assets.embeddings.kmeans import cluster_vectors, kmeans

CENTRES = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
SIZES = (5, 20, 10)


def _made(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points about three centres, and the centre of each."""
    own = np.repeat(np.arange(3), SIZES)
    draw = np.random.default_rng(seed)
    order = draw.permutation(len(own))
    return (CENTRES[own] + draw.normal(size=(len(own), 2)))[order], own[order]


def test_planted_groups_are_found_and_ordered_by_size():
    vectors, planted = _made(1)
    rank_of_centre = np.array([2, 0, 1])
    assert np.array_equal(kmeans(vectors, 3, seed=1), rank_of_centre[planted])


def test_the_groups_leave_no_vector_nearer_to_the_mean_of_another():
    vectors = np.random.default_rng(2).normal(size=(200, 5)).astype(np.float32)
    labels = kmeans(vectors, 4, seed=3)
    means = np.stack([vectors[labels == j].mean(axis=0) for j in range(4)])
    nearest = np.linalg.norm(vectors[:, None] - means[None], axis=2).argmin(axis=1)
    assert (nearest == labels).mean() > 0.99
    assert list(np.bincount(labels)) == sorted(np.bincount(labels), reverse=True)


@pytest.mark.parametrize("seed", range(5))
def test_no_other_grouping_has_less_spread(seed: int):
    vectors = np.random.default_rng(seed).normal(size=(9, 3))

    def spread(labels: np.ndarray) -> float:
        return sum(((own - own.mean(axis=0)) ** 2).sum() for own in (vectors[labels], vectors[~labels]))

    every = [np.array([False, *ones]) for ones in product((False, True), repeat=8)][1:]
    assert spread(kmeans(vectors, 2, seed=seed) == 1) == pytest.approx(min(map(spread, every)), rel=1e-12)


def test_the_same_seed_gives_the_same_groups():
    vectors = np.random.default_rng(4).normal(size=(300, 20))
    assert np.array_equal(kmeans(vectors, 3, seed=2**70), kmeans(vectors, 3, seed=2**70))


@pytest.mark.parametrize(("n", "expected"), [(1, [0]), (2, [0, 1])])
def test_fewer_vectors_than_groups_are_groups_of_their_own(n: int, expected: list[int]):
    assert kmeans(np.eye(5)[:n], 3, seed=1).tolist() == expected


def test_vectors_that_are_equal_are_one_group():
    assert kmeans(np.ones((6, 4)), 3, seed=1).tolist() == [0] * 6
    twice = np.array([[0.0], [1.0], [1.0], [0.0], [1.0]])
    assert kmeans(twice, 3, seed=1).tolist() == [1, 0, 0, 1, 0]


def test_the_vector_of_a_group_is_what_its_way_says():
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [2.0, 3.0]])
    labels = np.array([0, 0, 0, 1])
    name = np.array([1.0, 0.0])
    assert cluster_vectors(vectors, labels, "average", name).tolist() == [[0, 1 / 3], [2, 3]]
    assert cluster_vectors(vectors, labels, "maximum", name).tolist() == [[1, 1], [2, 3]]
    # cosines to the name 1, 0 and -1, which has no weight
    assert cluster_vectors(vectors, labels, "weighted_average", name).tolist() == [[1, 0], [2, 3]]


@pytest.mark.parametrize("name", [[0.0, -1.0], [np.nan, np.nan]])
def test_weights_that_are_all_nought_weigh_alike(name: list[float]):
    vectors = np.array([[1.0, 2.0], [1.0, 4.0]])
    found = cluster_vectors(vectors, np.array([0, 0]), "weighted_average", np.array(name))
    assert found.tolist() == [[1.0, 3.0]]
