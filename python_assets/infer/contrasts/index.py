"""Numbers that sum up how far the groups of a grouping lie apart, and what shuffling gives them.

Belongs here: indices of group means or rates. All of them follow from the largest, the
smallest and the standard deviation of the group values.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.draws.exchange import TIE, Draws, Floats, in_threads, noise_floor, p_values, pieces
from python_assets.infer.result import InferenceReason, Result
from python_assets.infer.schemes.inversion import Inverted


class DrawSpread(NamedTuple):
    """Group values of many draws: level, and largest, smallest and sd (n - 1) of the deviations from it.

    dixon_low, dixon_high: Dixon's Q of the lowest and the highest, NaN where undefined. scale: standard
    deviation of cells in their block; 1e-9 of it is nothing.
    """

    level: Floats
    high: Floats
    low: Floats
    sd: Floats
    dixon_low: Floats
    dixon_high: Floats
    scale: Floats
    n_groups: int


def _never(spread: DrawSpread) -> NDArray[np.bool_]:
    return np.zeros(spread.high.shape, dtype=bool)


def _as_it_is(number: Floats, _: DrawSpread) -> Floats:
    return number


class Index(NamedTuple):
    """How an index is computed.

    of: the number, larger for groups further apart. reason: why the interval is NULL, None where inversion
    gives one. is_undefined: where the value is NULL, with reason_undefined. printed: from the number to the
    published value, and back where there is an interval. ends: where only the outermost groups count, so that
    many at either end come out further apart than one: from the number, the level of rates (infinite for
    means) and the share of groups at the upper end to both ends, as deviations from the level.
    """

    of: Callable[[DrawSpread], Floats]
    reason: InferenceReason | None
    is_undefined: Callable[[DrawSpread], NDArray[np.bool_]] = _never
    reason_undefined: InferenceReason | None = None
    printed: Callable[[Floats, DrawSpread], Floats] = _as_it_is
    ends: Callable[[float, float, float], tuple[float, float]] | None = None


def _over_sd(size: Floats, spread: DrawSpread) -> Floats:
    return np.divide(size, spread.sd, out=np.zeros_like(size), where=~_no_spread(spread))


def _relative_range(spread: DrawSpread) -> Floats:
    """Range over the extreme on the side of the level: 1 - min / max for positive values."""
    extreme = np.where(spread.level < 0, -spread.level - spread.low, spread.level + spread.high)
    span = spread.high - spread.low
    is_endless = np.isinf(extreme)  # an arrangement without a value, which counts as extreme
    return np.divide(span, extreme, out=np.where(is_endless, span, 0.0), where=(extreme > 0) & ~is_endless)


def _no_ratio(spread: DrawSpread) -> NDArray[np.bool_]:
    """Both ends 0 but for rounding, or of different signs; a smallest value of 0 alone gives the ratio 0."""
    high, low, nothing = spread.level + spread.high, spread.level + spread.low, TIE * spread.scale
    is_zero_to_positive = (np.abs(low) <= nothing) & (high > nothing)
    return (np.maximum(np.abs(high), np.abs(low)) <= nothing) | ((high * low <= 0) & ~is_zero_to_positive)


def _as_ratio(relative: Floats, spread: DrawSpread) -> Floats:
    complement = 1 - relative
    is_defined = complement > TIE
    inverse = np.divide(1.0, complement, out=np.full_like(complement, np.nan), where=is_defined)
    positive = np.where(complement >= -TIE, np.maximum(complement, 0), np.nan)
    return np.where(spread.level < 0, inverse, positive)


def _no_spread(spread: DrawSpread) -> NDArray[np.bool_]:
    return spread.sd <= TIE * spread.scale


def _ends_of_range(number: float, level: float, upper: float) -> tuple[float, float]:
    """Ends that many apart around the level, moved where a rate would leave 0 and 1."""
    low = -number * upper
    if np.isfinite(level):
        low = min(max(low, -level), 1 - level - number)
    return low, low + number


def _ends_of_ratio(number: float, level: float, upper: float) -> tuple[float, float]:
    """Ends whose ratio is 1 - number, with the level as mean unless the upper one would pass 1."""
    high = min(level / (upper + (1 - upper) * (1 - number)), 1.0)
    return high * (1 - number) - level, high - level


INDICES: dict[str, Index] = {
    "range": Index(lambda s: s.high - s.low, None, ends=_ends_of_range),
    "standard_deviation": Index(lambda s: s.sd, None),
    "max_z": Index(lambda s: _over_sd(s.high, s), InferenceReason.SCALE_FREE, _no_spread, InferenceReason.NO_SPREAD),
    "max_abs_z": Index(
        lambda s: _over_sd(np.maximum(s.high, -s.low), s),
        InferenceReason.SCALE_FREE,
        _no_spread,
        InferenceReason.NO_SPREAD,
    ),
    "min_max_ratio": Index(
        _relative_range, InferenceReason.SCALE_FREE, _no_ratio, InferenceReason.RATIO_UNDEFINED, _as_ratio
    ),
    "dixon_low": Index(
        lambda s: np.nan_to_num(s.dixon_low),
        InferenceReason.SCALE_FREE,
        lambda s: np.isnan(s.dixon_low),
        InferenceReason.DIXON_UNDEFINED,
    ),
    "dixon_high": Index(
        lambda s: np.nan_to_num(s.dixon_high),
        InferenceReason.SCALE_FREE,
        lambda s: np.isnan(s.dixon_high),
        InferenceReason.DIXON_UNDEFINED,
    ),
}
RATE_INDICES: dict[str, Index] = {
    "impact_ratio": Index(
        _relative_range,
        None,
        lambda s: s.level + s.high <= TIE,
        InferenceReason.NO_SELECTIONS,
        lambda d, _: 1 - d,
        ends=_ends_of_ratio,
    )
}
OF_THREE_GROUPS: Final = ("max_z", "max_abs_z")  # of two groups they are the constant .707 (inference.md 2.1)
BELOW_FOUR_FIFTHS: Final = "impact_ratio_below_four_fifths"
FOUR_FIFTHS: Final = 0.8
DESCRIPTIVE: dict[str, Callable[[DrawSpread], Floats]] = {
    "max": lambda s: s.level + s.high,
    "min": lambda s: s.level + s.low,
    "mean": lambda s: s.level,
}


def spread_of(deviation: Floats, level: Floats, scale: Floats, axis: int, *, with_dixon: bool = True) -> DrawSpread:
    """Sum up group values over an axis.

    Args:
        deviation: group values minus their mean, or minus anything that is the same for all groups.
        level: their mean, of a shape that broadcasts to the one that is left.
        scale: of the cells, likewise.
        axis: the groups, 0 or 1.
        with_dixon: whether Dixon's Q, which sorts the groups, is wanted.
    """
    n_groups = deviation.shape[axis]

    def summed(piece: Floats, nothing: Floats) -> tuple[Floats, ...]:
        squares = np.einsum("ig...,ig...->i..." if axis else "g...,g...->...", piece, piece)
        squares -= piece.sum(axis=axis) ** 2 / n_groups
        sd = np.sqrt(np.maximum(squares, 0) / (n_groups - 1))
        dixon = dixon_ratios(piece, axis, nothing) if with_dixon else (_NOT_WANTED, _NOT_WANTED)
        return piece.max(axis=axis), piece.min(axis=axis), sd, *dixon

    if axis:
        shape = (5, *np.delete(deviation.shape, axis))
        fields, nothing = np.empty(shape), np.broadcast_to(TIE * scale, shape[1:])

        def work(piece: slice) -> None:
            for row, field in enumerate(summed(deviation[piece], nothing[piece])):
                fields[row, piece] = field

        in_threads(work, list(pieces(len(deviation), 1)))
        high, low, sd, dixon_low, dixon_high = fields
    else:
        high, low, sd, dixon_low, dixon_high = summed(deviation, TIE * scale)
    return DrawSpread(
        level=level,
        high=high,
        low=low,
        sd=sd,
        dixon_low=dixon_low,
        dixon_high=dixon_high,
        scale=np.asarray(scale),
        n_groups=n_groups,
    )


_NOT_WANTED: Final = np.asarray(np.nan)


def index_tests(
    wanted: dict[str, Index],
    observed: DrawSpread,
    null: DrawSpread,
    draws: Draws,
    inverted: dict[str, Inverted] | None = None,
    *,
    no_interval: InferenceReason = InferenceReason.TOO_FEW_FOR_INTERVAL,
) -> dict[str, Result]:
    """The wanted indices, and those that only describe.

    Args:
        wanted: by metric.
        observed: shape (columns,).
        null: shape (columns, draws).
        draws: the arrangements.
        inverted: intervals by metric; None where there are none.
        no_interval: the reason of None.
    """
    shape = observed.level.shape
    if observed.n_groups == 2:
        wanted = {name: index for name, index in wanted.items() if name not in OF_THREE_GROUPS}
    missing = Inverted(*np.full((5, *shape), np.nan))
    intervals = inverted or {}
    tests = {
        name: index_test(
            index if name in intervals else index._replace(reason=index.reason or no_interval),
            observed,
            null,
            draws,
            intervals.get(name, missing),
        )
        for name, index in wanted.items()
    }
    tests |= {
        name: Result.of(shape, value=of(observed), reason=InferenceReason.DESCRIPTIVE)
        for name, of in DESCRIPTIVE.items()
    }
    if observed.n_groups == 2:
        tests |= dict.fromkeys(OF_THREE_GROUPS, Result.of(shape, reason=InferenceReason.SCALE_FREE))
    return tests


def index_test(index: Index, observed: DrawSpread, null: DrawSpread, draws: Draws, interval: Inverted) -> Result:
    """Compare an index with its values under every draw, one-sided.

    Args:
        index: what to compute.
        observed: shape (columns,).
        null: shape (columns, draws); a draw whose sd is NaN has no value, and counts as extreme.
        draws: the arrangements.
        interval: of the number of the index, not of what is printed.

    Returns:
        Value, null, p and interval; NaN with the reason where the index is not defined.

    Source: inference.md section 1, rows 4, 5 and 7.
    """
    value, permuted = index.of(observed), np.where(np.isnan(null.sd), np.inf, index.of(null))
    p = p_values((permuted >= (value - tie_of(index, observed.scale))[:, None]).sum(axis=1), draws)
    numbers = (value, *noise_floor(permuted.copy()), interval.corrected, interval.low, interval.high)
    value, median, q95, corrected, *ends = (index.printed(number, observed) for number in numbers)
    undefined = index.is_undefined(observed) | np.isnan(value)
    return Result.of(
        value.shape,
        value=value,
        null_median=median,
        null_q95=q95,
        p_value=p,
        is_permuted=True,
        value_corrected=corrected,
        ci_low=np.minimum(*ends),
        ci_high=np.maximum(*ends),
        p_margin=interval.p_margin,
        p_equivalence=interval.p_equivalence,
        reason=index.reason,
    ).refused(undefined, index.reason_undefined)


def tie_of(index: Index, scale: Floats) -> Floats:
    """Size below which a difference of the index is none, for cells of this scale."""
    return TIE * (scale if index.of in _IN_UNITS else np.ones_like(scale))


_IN_UNITS = (INDICES["range"].of, INDICES["standard_deviation"].of)
FEWEST_FOR_DIXON: Final = 3
MOST_FOR_DIXON: Final = 30


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
    if not FEWEST_FOR_DIXON <= n <= MOST_FOR_DIXON:
        undefined = np.full(np.delete(values.shape, axis), np.nan)
        return undefined, undefined
    gap, n_left_out = VARIANTS[max(size for size in VARIANTS if size <= n)]
    places = [0, gap, n_left_out, n - 1 - n_left_out, n - 1 - gap, n - 1]
    ordered = np.partition(values, sorted(set(places)), axis=axis)
    lowest, above, low_end, high_end, below, highest = (np.take(ordered, position, axis) for position in places)
    gaps, spans = (above - lowest, highest - below), (high_end - lowest, highest - low_end)
    low, high = (_dixon_ratio(gap, span, nothing) for gap, span in zip(gaps, spans, strict=True))
    return low, high


def _dixon_ratio(gap: Floats, span: Floats, nothing: Floats | float) -> Floats:
    return cast(Floats, np.divide(gap, span, out=np.full(np.shape(gap), np.nan), where=span > nothing))
