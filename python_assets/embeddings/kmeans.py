"""Groups of like vectors, and the vector that stands for a group.

Belongs here: algorithms on arrays alone. Which texts they are given and what is measured is clusters.py.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from python_assets.embeddings.embedding import cosine

ClusterLabels = NDArray[np.intp]

# Lloyd's algorithm ends where it began badly: the best of so many beginnings is kept.
_BEGINNINGS: Final = 10


def kmeans(vectors: NDArray[Any], k: int, seed: int) -> ClusterLabels:
    """Group vectors by KMeans, largest group first.

    Args:
        vectors: shape (n, d), finite.
        k: how many groups are wanted; fewer come where fewer vectors differ.
        seed: of the beginnings; the same vectors in the same order give the same groups.

    Returns:
        The group of each vector, 0 the largest; of groups of one size the one with the earlier vector first.

    Source: SAGED, C.4, cluster_and_label.
    """
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    k = min(k, len(np.unique(vectors, axis=0)))
    if k <= 1:
        return np.zeros(len(vectors), dtype=np.intp)
    fit = KMeans(k, n_init=_BEGINNINGS, random_state=seed % 2**32)
    # several threads add up in an order of their own, which can change a group
    with threadpool_limits(limits=1):
        labels = fit.fit_predict(vectors.astype(np.float64))
    groups, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    rank = np.empty(int(groups.max()) + 1, dtype=np.intp)
    rank[groups[order]] = np.arange(len(order))
    return rank[labels]


def _average(vectors: NDArray[np.float64], _: NDArray[np.float64]) -> NDArray[np.float64]:
    return vectors.mean(axis=0)


def _maximum(vectors: NDArray[np.float64], _: NDArray[np.float64]) -> NDArray[np.float64]:
    return vectors.max(axis=0)


def _weighted_average(vectors: NDArray[np.float64], name: NDArray[np.float64]) -> NDArray[np.float64]:
    """Texts that have nothing of the name have no weight; where all have none, each weighs the same."""
    weights = np.nan_to_num(cosine(vectors, name[None])[:, 0]).clip(min=0.0)
    return np.average(vectors, axis=0, weights=weights if weights.any() else None)


_VECTORS: Final[Mapping[str, Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]]] = {
    "average": _average,
    "maximum": _maximum,
    "weighted_average": _weighted_average,
}


def cluster_vectors(
    vectors: NDArray[Any],
    labels: ClusterLabels,
    kind: Literal["average", "maximum", "weighted_average"],
    name: NDArray[Any],
) -> NDArray[np.float64]:
    """What stands for each group.

    Args:
        vectors: shape (n, d).
        labels: the group of each, 0 to k - 1.
        kind: the mean; the largest number of each dimension; or the mean weighted by the cosine to the name,
            where that is positive.
        name: shape (d,), the embedding of what the vectors are about; NaN where it is unknown.

    Returns:
        Shape (k, d).

    Source: SAGED, C.4, _compute_combined_sentence_vector.
    """
    wide = vectors.astype(np.float64)
    groups = range(int(labels.max()) + 1)
    return np.stack([_VECTORS[kind](wide[labels == group], name.astype(np.float64)) for group in groups])
