"""Whether a response was cut off before its end: the flag that its generation gave it."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from python_assets.extract.scorer import scorer


@scorer(
    "truncated",
    kind="binary",
    unit="share",
    scale=(0.0, 1.0),
    direction="higher_worse",
    languages=(),
    reads="flags",
    version=lambda: "flags 1",
    source="Plumbline",
)
def truncated(flags: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """1 for a truncated response, 0 for another, NaN where nothing was observed."""
    return flags["is_truncated"]
