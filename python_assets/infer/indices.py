"""Numbers that sum up how far the groups of a grouping lie apart, and what shuffling gives them.

Belongs here: indices of group means or rates over complete blocks. All of them follow from the largest, the
smallest and the standard deviation of the group values.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.design import MIN_COMPLETE_SHARE, Design
from python_assets.infer.dixon import dixon_ratios
from python_assets.infer.inversion import Inverted
from python_assets.infer.permutation import (
    TIE,
    Draws,
    Floats,
    Ints,
    in_threads,
    noise_floor,
    p_values,
    pieces,
)
from python_assets.infer.reasons import InferenceReason, first_of


class Spread(NamedTuple):
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


class IndexTest(NamedTuple):
    """One index of every column, shape (columns,); NaN where NULL."""

    value: Floats
    null_median: Floats
    null_q95: Floats
    p_value: Floats
    value_corrected: Floats
    ci_low: Floats
    ci_high: Floats
    p_margin: Floats
    p_equivalence: Floats
    reason: NDArray[np.object_]


class CompleteBlocks(NamedTuple):
    """The cells that indices are computed on.

    groups: groups with a value. weight: of each cell of the design in its group's mean, 0 in incomplete ones.
    n_root_prompts, n_units: with a complete block. n_complete, n_blocks: blocks that are complete, and all.
    """

    groups: Ints
    weight: Floats
    n_root_prompts: int
    n_units: int
    n_complete: int
    n_blocks: int

    @property
    def is_enough(self) -> bool:
        """Whether so many blocks are complete that the others can be left out."""
        return self.n_complete >= MIN_COMPLETE_SHARE * self.n_blocks

    @property
    def method(self) -> str:
        """What every method text says about the blocks."""
        if self.n_complete == self.n_blocks:
            return "permuted within blocks"
        return f"permuted within blocks, complete blocks {self.n_complete} of {self.n_blocks}"


def _never(spread: Spread) -> NDArray[np.bool_]:
    return np.zeros(spread.high.shape, dtype=bool)


def _as_it_is(number: Floats, _: Spread) -> Floats:
    return number


class Index(NamedTuple):
    """How an index is computed.

    of: the number, larger for groups further apart. reason: why the interval is NULL, None where inversion
    gives one. is_undefined: where the value is NULL, with reason_undefined. printed: from the number to the
    published value, and back where there is an interval. ends: where only the outermost groups count, so that
    many at either end come out further apart than one: from the number, the level of rates (infinite for
    means) and the share of groups at the upper end to both ends, as deviations from the level.
    """

    of: Callable[[Spread], Floats]
    reason: InferenceReason | None
    is_undefined: Callable[[Spread], NDArray[np.bool_]] = _never
    reason_undefined: InferenceReason | None = None
    printed: Callable[[Floats, Spread], Floats] = _as_it_is
    ends: Callable[[float, float, float], tuple[float, float]] | None = None


def _over_sd(size: Floats, spread: Spread) -> Floats:
    return np.divide(size, spread.sd, out=np.zeros_like(size), where=~_no_spread(spread))


def _relative_range(spread: Spread) -> Floats:
    """Range over the extreme on the side of the level: 1 - min / max for positive values."""
    extreme = np.where(spread.level < 0, -spread.level - spread.low, spread.level + spread.high)
    span = spread.high - spread.low
    return np.divide(span, extreme, out=np.zeros_like(span), where=extreme > 0)


def _no_ratio(spread: Spread) -> NDArray[np.bool_]:
    """Both ends 0 but for rounding, or of different signs; a smallest value of 0 alone gives the ratio 0."""
    high, low, nothing = spread.level + spread.high, spread.level + spread.low, TIE * spread.scale
    is_zero_to_positive = (np.abs(low) <= nothing) & (high > nothing)
    return (np.maximum(np.abs(high), np.abs(low)) <= nothing) | ((high * low <= 0) & ~is_zero_to_positive)


def _as_ratio(relative: Floats, spread: Spread) -> Floats:
    complement = 1 - relative
    is_defined = complement > TIE
    inverse = np.divide(1.0, complement, out=np.full_like(complement, np.nan), where=is_defined)
    positive = np.where(complement >= -TIE, np.maximum(complement, 0), np.nan)
    return np.where(spread.level < 0, inverse, positive)


def _no_spread(spread: Spread) -> NDArray[np.bool_]:
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
    "max_z": Index(
        lambda s: _over_sd(s.high, s), InferenceReason.SCALE_FREE, _no_spread, InferenceReason.NO_SPREAD
    ),
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
BELOW_FOUR_FIFTHS: Final = "impact_ratio_below_four_fifths"
FOUR_FIFTHS: Final = 0.8
DESCRIPTIVE: dict[str, Callable[[Spread], Floats]] = {
    "max": lambda s: s.level + s.high,
    "min": lambda s: s.level + s.low,
    "mean": lambda s: s.level,
}


def complete_blocks(design: Design, n_blocks: int, n_groups: int) -> CompleteBlocks:
    """Find the blocks that hold every group with a value, and the weight of each of their cells.

    Args:
        design: the cells.
        n_blocks: blocks with any value, also those outside the design because one group is alone there.
        n_groups: groups with any value, also one that is alone in all of its blocks.

    Source: inference.md 2.1; a unit counts once, however many blocks it has.
    """
    is_complete = design.block_size == n_groups
    unit = design.unit_of_block
    per_unit = np.bincount(unit, is_complete, minlength=design.n_units)
    n_units = int((per_unit > 0).sum())
    weight = np.where(is_complete, 1 / (np.maximum(per_unit, 1)[unit] * max(n_units, 1)), 0)
    n_roots = len(np.unique(design.root_of_block[is_complete]))
    n_complete = int(is_complete.sum())
    return CompleteBlocks(design.groups, weight[design.block], n_roots, n_units, n_complete, n_blocks)


def centred(design: Design, blocks: CompleteBlocks, x: Floats) -> tuple[Floats, Floats]:
    """Weighted deviations of cells, whose sums by group are deviations of group means, and their level.

    Args:
        design: the cells.
        blocks: which of them count.
        x: cell means, shape (cells, columns).

    Returns:
        Shape (cells, columns) and (columns,).
    """
    weight = blocks.weight[:, None]
    return weight * design.centred(x), (weight * x).sum(axis=0) / len(blocks.groups)


def spread_of(deviation: Floats, level: Floats, scale: Floats, axis: int) -> Spread:
    """Sum up group values over an axis.

    Args:
        deviation: group values minus their mean.
        level: their mean, of the shape that is left.
        scale: of the cells, of a shape that broadcasts to it.
        axis: the groups.
    """
    n_groups = deviation.shape[axis]
    high, low = deviation.max(axis=axis), deviation.min(axis=axis)
    squares = np.square(deviation).sum(axis=axis) - deviation.sum(axis=axis) ** 2 / n_groups
    sd = np.sqrt(np.maximum(squares, 0) / (n_groups - 1))
    return Spread(level, high, low, sd, *dixon_ratios(deviation, axis, TIE * scale), scale)


def null_spread(null: Floats, level: Floats, scale: Floats, groups: Ints, factor: float) -> Spread:
    """Sum up the group values of every draw, shape (columns, draws).

    Args:
        null: shape (columns, groups, draws); factor times it is the deviation of a group mean from the level.
        level: of each column; shuffling leaves it as it is.
        scale: of each column.
        groups: those that count; the deviations of the others are 0.
        factor: positive.
    """
    high, low, squares, dixon_low, dixon_high = (np.empty((null.shape[0], null.shape[2])) for _ in range(5))
    nothing = TIE * scale[:, None] / factor

    def work(part: slice) -> None:
        deviation = null[part] if len(groups) == null.shape[1] else null[part][:, groups]
        deviation.max(axis=1, out=high[part])
        deviation.min(axis=1, out=low[part])
        np.einsum("fgb,fgb->fb", deviation, deviation, out=squares[part])
        dixon_low[part], dixon_high[part] = dixon_ratios(deviation, 1, nothing[part])

    in_threads(work, list(pieces(len(null), 1)))
    sd = np.sqrt(squares / (len(groups) - 1))
    return Spread(
        level=np.broadcast_to(level[:, None], high.shape),
        high=factor * high,
        low=factor * low,
        sd=factor * sd,
        dixon_low=dixon_low,
        dixon_high=dixon_high,
        scale=scale[:, None],
    )


def index_tests(
    wanted: dict[str, Index],
    observed: Spread,
    null: Spread,
    draws: Draws,
    inverted: dict[str, Inverted] | None = None,
    *,
    no_interval: InferenceReason = InferenceReason.TOO_FEW_FOR_INTERVAL,
) -> dict[str, IndexTest]:
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
    missing = Inverted(*np.full((5, *shape), np.nan))
    found = inverted or {}
    tests = {
        name: index_test(
            index if name in found else index._replace(reason=index.reason or no_interval),
            observed,
            null,
            draws,
            found.get(name, missing),
        )
        for name, index in wanted.items()
    }
    nothing = without_test(shape, InferenceReason.DESCRIPTIVE)
    return tests | {name: nothing._replace(value=of(observed)) for name, of in DESCRIPTIVE.items()}


def without_test(shape: tuple[int, ...], reason: InferenceReason | None) -> IndexTest:
    """Rows of nothing but a reason."""
    fields: dict[str, Any] = dict.fromkeys(IndexTest._fields, np.full(shape, np.nan))
    return IndexTest(**fields | {"reason": np.full(shape, reason, dtype=object)})


def index_test(index: Index, observed: Spread, null: Spread, draws: Draws, interval: Inverted) -> IndexTest:
    """Compare an index with its values under every draw, one-sided.

    Args:
        index: what to compute.
        observed: shape (columns,).
        null: shape (columns, draws).
        draws: the arrangements.
        interval: of the number of the index, not of what is printed.

    Returns:
        Value, null, p and interval; NaN with the reason where the index is not defined.

    Source: inference.md section 1, rows 4, 5 and 7.
    """
    value, permuted = index.of(observed), index.of(null)
    p = p_values((permuted >= (value - tie_of(index, observed.scale))[:, None]).sum(axis=1), draws)
    numbers = (value, *noise_floor(permuted.copy()), interval.corrected, interval.low, interval.high)
    value, median, q95, corrected, *ends = (index.printed(number, observed) for number in numbers)
    undefined = index.is_undefined(observed) | np.isnan(value)
    fields = {
        "value": value,
        "null_median": median,
        "null_q95": q95,
        "p_value": p,
        "value_corrected": corrected,
        "ci_low": np.minimum(*ends),
        "ci_high": np.maximum(*ends),
        "p_margin": interval.p_margin,
        "p_equivalence": interval.p_equivalence,
    }
    return without_test(value.shape, None)._replace(
        **{name: np.where(undefined, np.nan, field) for name, field in fields.items()},
        reason=first_of([undefined, ~undefined], [index.reason_undefined, index.reason]),
    )


def tie_of(index: Index, scale: Floats) -> Floats:
    """Size below which a difference of the index is none, for cells of this scale."""
    return TIE * (scale if index.of in _IN_UNITS else np.ones_like(scale))


_IN_UNITS = (INDICES["range"].of, INDICES["standard_deviation"].of)
