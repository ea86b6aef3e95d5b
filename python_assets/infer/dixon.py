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


def dixon_ratios(values: Floats, axis: int, nothing: Floats | float = 0.0) -> tuple[Floats, Floats]:
    """Dixon's Q of the lowest and of the highest value along an axis.

    Args:
        values: finite numbers, or NaN, which makes the ratio NaN.
        axis: the groups.
        nothing: the largest range that is rounding, of a shape that broadcasts to what is left.

    Returns:
        Both ratios, 0 to 1, of the shape that is left; NaN for fewer than 3 or more than 30 groups and where
        the range that the gap is held against is nothing.

    Source: SAGED C.5, with r10 from 3 groups on (metrics.md 2); Rorabacher 1991.
    """
    n = values.shape[axis]
    if not FEWEST <= n <= MOST:
        undefined = np.full(np.delete(values.shape, axis), np.nan)
        return undefined, undefined
    gap, n_left_out = VARIANTS[max(size for size in VARIANTS if size <= n)]
    places = [0, gap, n_left_out, n - 1 - n_left_out, n - 1 - gap, n - 1]
    ordered = np.partition(values, sorted(set(places)), axis=axis)
    lowest, above, low_end, high_end, below, highest = (np.take(ordered, place, axis) for place in places)
    gaps, spans = (above - lowest, highest - below), (high_end - lowest, highest - low_end)
    low, high = (_ratio(gap, span, nothing) for gap, span in zip(gaps, spans, strict=True))
    return low, high


def _ratio(gap: Floats, span: Floats, nothing: Floats | float) -> Floats:
    return np.divide(gap, span, out=np.full(np.shape(gap), np.nan), where=span > nothing)
