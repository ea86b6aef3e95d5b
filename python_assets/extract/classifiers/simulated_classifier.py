"""Scores in place of a classifier that this machine lacks, where the simulator stands in for every model.

Only a simulated study is given them, and every row says so: they have the scale of the classifier and nothing
else of it.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from python_assets.extract.scorer import ModelMethod

_SIMULATED: Final = "simulated"
_VERSION: Final = "simulated classifier 2"
_BYTES: Final = 8


def simulated_method(model: str, labels: Sequence[str]) -> ModelMethod:
    """Probabilities that depend on nothing but the text and the name of the model.

    Args:
        model: the classifier that is absent.
        labels: the labels asked for.

    Returns:
        A method whose rows are probabilities of the labels and of one label more, together 1.
    """
    return ModelMethod(
        f"{_SIMULATED} {model}", _VERSION, labels, lambda texts: _probabilities(model, len(labels), texts)
    )


def _probabilities(model: str, n_labels: int, texts: Sequence[str]) -> NDArray[np.float64]:
    """Uniform over the probabilities of n_labels + 1 labels: exponential numbers over their sum."""
    n_bytes = _BYTES * (n_labels + 1)
    digests = b"".join(hashlib.shake_128(f"{model}\n{text}".encode()).digest(n_bytes) for text in texts)
    whole = np.frombuffer(digests, dtype=">u8").reshape(len(texts), n_labels + 1)
    exponential = -np.log((whole + 0.5) / 2.0**64)
    return exponential[:, :n_labels] / exponential.sum(axis=1, keepdims=True)
