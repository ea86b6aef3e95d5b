"""Dixon's Q of the lowest and of the highest group, in the variant that its number of groups calls for.

Belongs here: the ratio alone. Its critical values are those of the seed dixon_critical_values.
"""

from typing import Final, NamedTuple

import numpy as np

from python_assets.infer.permutation import Floats

FEWEST: Final = 3
MOST: Final = 30


class Variant(NamedTuple):
    """What a ratio is of: the gap to the gap-th neighbour over the range less so many at the far end."""

    gap: int
    n_left_out: int


# from so many groups on: r10, r11, r21, r22
VARIANTS: Final = {3: Variant(1, 0), 8: Variant(1, 1), 11: Variant(2, 1), 14: Variant(2, 2)}


def dixon_ratios(values: Floats, axis: int) -> tuple[Floats, Floats]:
    """Dixon's Q of the lowest and of the highest value along an axis.

    Args:
        values: finite numbers, or NaN, which makes the ratio NaN.
        axis: the groups.

    Returns:
        Both ratios, 0 to 1, of the shape that is left; NaN for fewer than 3 or more than 30 groups and where
        the range that the gap is held against is 0.

    Source: SAGED C.5, with r10 from 3 groups on (metrics.md 2); Rorabacher 1991.
    """
    n = values.shape[axis]
    if not FEWEST <= n <= MOST:
        nothing = np.full(np.delete(values.shape, axis), np.nan)
        return nothing, nothing
    gap, n_left_out = VARIANTS[max(size for size in VARIANTS if size <= n)]
    places = [0, gap, n_left_out, n - 1 - n_left_out, n - 1 - gap, n - 1]
    ordered = np.partition(values, sorted(set(places)), axis=axis)
    lowest, above, low_end, high_end, below, highest = (np.take(ordered, place, axis) for place in places)
    return _ratio(above - lowest, high_end - lowest), _ratio(highest - below, highest - low_end)


def _ratio(gap: Floats, span: Floats) -> Floats:
    return np.divide(gap, span, out=np.full(np.shape(gap), np.nan), where=span > 0)
