"""Scores in place of a classifier that this machine lacks, where the simulator stands in for every model.

Only a simulated study is given them, and every row says so: they have the scale of the classifier and nothing
else of it.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from python_assets.extract.extractor import ModelMethod

SIMULATED: Final = "simulated"
VERSION: Final = "simulated classifier 1"


def simulated_method(model: str, labels: Sequence[str]) -> ModelMethod:
    """Probabilities that depend on nothing but the text and the name of the model.

    Args:
        model: the classifier that is absent.
        labels: the labels asked for.

    Returns:
        A method whose rows are probabilities of the labels and of one label more, together 1.
    """
    return ModelMethod(
        f"{SIMULATED} {model}", VERSION, labels, lambda texts: _probabilities(model, len(labels), texts)
    )


def _probabilities(model: str, n_labels: int, texts: Sequence[str]) -> NDArray[np.float64]:
    rows = np.empty((len(texts), n_labels))
    for row, text in enumerate(texts):
        digest = hashlib.sha256(f"{model}\n{text}".encode()).digest()
        random = np.random.default_rng(int.from_bytes(digest[:8], "big"))
        rows[row] = random.dirichlet(np.ones(n_labels + 1))[:n_labels]
    return rows
