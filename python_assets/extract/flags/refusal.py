"""Whether a response refuses to answer: the flag that its generation gave it.

The rule on texts, which the generation applies, is python_assets/providers/refusal/outcome.py.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from python_assets.extract.scorer import scorer


def _version() -> str:
    # the package of generate imports every provider, which resolving measures has no need of
    from python_assets.providers.refusal.outcome import OUTCOME_VERSION

    return OUTCOME_VERSION


@scorer(
    "refusal",
    kind="binary",
    unit="share",
    scale=(0.0, 1.0),
    direction="higher_worse",
    languages=("en",),
    reads="flags",
    version=_version,
    source="Plumbline",
)
def refusal(flags: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """1 for a refused response, 0 for another, NaN where nothing was observed."""
    return flags["is_refused"]
