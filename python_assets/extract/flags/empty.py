"""Whether a response holds nothing but blanks: the flag that its generation gave it."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from python_assets.extract.scorer import scorer


@scorer(
    "empty",
    kind="binary",
    unit="share",
    scale=(0.0, 1.0),
    direction="higher_worse",
    languages=(),
    reads="flags",
    version=lambda: "flags 1",
    source="Plumbline",
)
def empty(flags: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """1 for an empty response, 0 for another, NaN where nothing was observed."""
    return flags["is_empty"]
