"""How far the opening of a response is a refusal, by a linear model of its tokens.

Logistic regression on TF-IDF of runs and pairs of tokens (tokens.py), trained by bench/train_refusals.py on answers
that people or a judge labelled (docs/sources.md). The package holds tokens and numbers only.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from python_assets.errors import ProviderError
from python_assets.providers.refusal.tokens import features

# What the file of weights must say that it is: weights of another version would be told as these.
WEIGHTS_VERSION: Final = "refusal_en_4"
WEIGHTS: Final = Path(__file__).with_name("weights.npz")


class RefusalWeights(NamedTuple):
    """The model: where each feature stands, its inverse document frequency, and what it says.

    position: features, n of them. idf, coefficients: shape (n,). intercept: shape (). threshold: shape (), the log
    odds from which a response may refuse.
    """

    position: Mapping[str, int]
    idf: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    intercept: NDArray[np.float64]
    threshold: NDArray[np.float64]


def score(tokens: Sequence[str]) -> float:
    """How far a response is beyond the threshold of a refusal, in log odds.

    Args:
        tokens: of the response.

    Raises:
        ProviderError: the package's file of weights is damaged or of another version.
    """
    weights = packaged_weights(WEIGHTS)
    return log_odds(weights, tokens) - float(weights.threshold)


def log_odds(weights: RefusalWeights, tokens: Sequence[str]) -> float:
    """The decision function of a response, in log odds."""
    positions = map(weights.position.get, features(tokens))
    counts = Counter(position for position in positions if position is not None)
    if not counts:
        return float(weights.intercept)
    at = np.fromiter(counts.keys(), dtype=np.intp, count=len(counts))
    tf = 1 + np.log(np.fromiter(counts.values(), dtype=np.float64, count=len(counts)))
    weight = tf * weights.idf[at]
    return float(weights.coefficients[at] @ weight / np.sqrt(weight @ weight) + weights.intercept)


@cache
def packaged_weights(path: Path) -> RefusalWeights:
    """Read a file of weights.

    Raises:
        ProviderError: it is absent, damaged or of another version than VERSION.
    """
    remedy = "install Plumbline again, or train the weights anew: python -m bench.train_refusals"
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            version, arrays_by_name = str(file["version"]), {name: file[name] for name in file.files}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise ProviderError(
            path, f"{type(error).__name__}: {error}", "the weights of the refusal model", remedy
        ) from error
    if version != WEIGHTS_VERSION:
        raise ProviderError(path, f"weights of version {version}", WEIGHTS_VERSION, remedy)
    names = bytes(arrays_by_name["features"]).decode().split("\n")
    arrays = (arrays_by_name[name].astype(np.float64) for name in RefusalWeights._fields[1:])
    return RefusalWeights({feature: at for at, feature in enumerate(names)}, *arrays)


def save_weights(path: Path, kept_features: Sequence[str], *arrays: NDArray[np.float64]) -> None:
    """Write a file of weights; arrays: the fields of RefusalWeights behind position, in its order."""
    kept: dict[str, Any] = {
        name: one.astype(np.float32) for name, one in zip(RefusalWeights._fields[1:], arrays, strict=True)
    }
    text = np.frombuffer("\n".join(kept_features).encode(), dtype=np.uint8)
    np.savez_compressed(path, version=np.array(WEIGHTS_VERSION), features=text, **kept)
