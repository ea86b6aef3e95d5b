"""How far a response is from the baseline text of its prompt, between sentence embeddings."""

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from python_assets.extract.embedding import MODEL, MODEL_SHA256
from python_assets.extract.extractor import extractor

Vectors = NDArray[Any]


def _cosine(responses: Vectors, baselines: Vectors) -> NDArray[np.float64]:
    products = np.einsum("ij,ij->i", responses, baselines)
    norms = np.linalg.norm(responses, axis=1) * np.linalg.norm(baselines, axis=1)
    # rounding puts the distance of a text from itself a little under 0
    return np.clip(1.0 - products / norms, 0.0, 2.0)


def _l1(responses: Vectors, baselines: Vectors) -> NDArray[np.float64]:
    return np.abs(responses - baselines).sum(axis=1)


def _l2(responses: Vectors, baselines: Vectors) -> NDArray[np.float64]:
    return np.linalg.norm(responses - baselines, axis=1)


METRICS: Final[dict[str, Callable[[Vectors, Vectors], NDArray[np.float64]]]] = {
    "cosine": _cosine,
    "l1": _l1,
    "l2": _l2,
}


@extractor(
    "baseline_distance",
    kind="continuous",
    unit="distance",
    scale=(0.0, None),
    direction="none",
    languages=("en",),
    reads="embeddings",
    version=lambda: (
        f"baseline_distance 1, {MODEL} {MODEL_SHA256[:16]}, "
        f"sentence-transformers {version('sentence-transformers')}"
    ),
    source="SAGED, C.4 embedding_distance",
    parameters={"metric": tuple(METRICS)},
    model=MODEL,
    model_revision=MODEL_SHA256,
)
def baseline_distance(
    responses: Vectors, baselines: Vectors, parameters: Mapping[str, str]
) -> NDArray[np.float64]:
    """Distance of each response from the baseline text of its prompt.

    Args:
        responses: one embedding a pair, shape (n, d); the model's embeddings have length 1.
        baselines: the embeddings of the baseline texts, same shape.
        parameters: metric is 'cosine' (1 - cosine, 0 to 2), 'l1' (sum of absolute differences) or 'l2'
            (Euclidean).

    Returns:
        n distances.

    Source: SAGED, C.4, embedding_distance.
    """
    return METRICS[parameters["metric"]](responses.astype(np.float64), baselines.astype(np.float64))
