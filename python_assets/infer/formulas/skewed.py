"""Means over root prompts whose values may be skewed: interval and one-sided p, by t and by Hall, the outer of both.

Belongs here: formulas over arrays of any shape. Where t is wanted alone, as where the error is of units and prompts
both, a mean has no skewness. Rates have intervals of their own in interval.py.

Source: inference.md 2.9; Hall 1992 for the transformation, in a form without a threshold where there is no skewness.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from python_assets.infer.draws.exchange import TIE, Floats
from python_assets.infer.formulas.interval import Interval

FEWEST_VALUES = 3
FREQUENT = 2 / 3  # share of the cells that have the most frequent value, from which on intervals are marked
FEWEST_APART = 3  # root prompts in which both sides differ from it, where they are not
_FARTHEST = 1e6  # standard errors; a cube of it is still a number


class Mean(NamedTuple):
    """Means with their errors, arrays of one shape; NaN where there is none.

    df: units less 1. skewness: G of the values of the units of each mean. skewness_of_hypothesis: mean of it over the
    rows of the same comparison of the question. Both NaN where they are not used.
    """

    value: Floats
    std_error: Floats
    df: Floats
    skewness: Floats | float = np.nan
    skewness_of_hypothesis: Floats | float = np.nan

    @property
    def slants(self) -> Iterator[Floats]:
        """G over the root of the units, of t (0) and of every skewness that is used; NaN where a row has none."""
        yield np.zeros_like(self.value)
        for skewness in (self.skewness, self.skewness_of_hypothesis):
            if not np.isnan(skewness).all():
                yield skewness / np.sqrt(np.maximum(self.df + 1, 1))


def skewness(values: Floats, is_present: NDArray[np.bool_], axis: int) -> Floats:
    """Bias-corrected skewness along an axis; 0 where all values are equal, NaN below FEWEST_VALUES.

    Args:
        values: of units; what stands where none is present does not count.
        is_present: whether there is one; broadcasts to the values.
        axis: that units lie along.
    """
    is_present = np.broadcast_to(is_present, values.shape)
    n = is_present.sum(axis=axis)
    count = np.expand_dims(np.maximum(n, 1), axis)
    inside = np.where(is_present, values, 0.0)
    deviations = np.where(is_present, inside - inside.sum(axis=axis, keepdims=True) / count, 0.0)
    # of the size of 1, so that no cube is lost in rounding
    largest = np.abs(deviations).max(axis=axis, keepdims=True, initial=0.0)
    np.divide(deviations, largest, out=deviations, where=largest > 0)
    squares = np.einsum("...i,...i->...", *2 * (np.moveaxis(deviations, axis, -1),))
    cubes = np.einsum("...i,...i,...i->...", *3 * (np.moveaxis(deviations, axis, -1),))
    plain = np.divide(cubes, squares**1.5, out=np.zeros_like(cubes), where=squares > 0)
    return np.where(n >= FEWEST_VALUES, n * np.sqrt(np.maximum(n - 1, 0)) / np.maximum(n - 2, 1) * plain, np.nan)


def mean_skewness(row_skewness: Floats, in_hypothesis: NDArray[np.bool_]) -> Floats:
    """Mean over the rows of the question along the last axis, as large an array; rows without any do not count."""
    is_row = in_hypothesis & ~np.isnan(row_skewness)
    n, total = is_row.sum(axis=-1, keepdims=True), np.where(is_row, row_skewness, 0.0).sum(axis=-1, keepdims=True)
    mean = np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)
    return np.broadcast_to(mean, row_skewness.shape)


def apart_from_frequent(x: Floats) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Cells that differ from the value that FREQUENT of the cells of their column have.

    Args:
        x: shape (cells, columns); NaN is no cell.

    Returns:
        Shape (cells, columns that have such a value), and which columns these are.
    """
    if not len(x):
        return np.zeros((0, 0), dtype=bool), np.zeros(0, dtype=np.intp)
    n = (~np.isnan(x)).sum(axis=0)
    # what most cells have is what the one in the middle has; NaN is last
    middle = np.sort(x, axis=0)[np.maximum(n - 1, 0) // 2, np.arange(x.shape[1])]
    apart = np.abs(x - middle) > TIE * np.nanmax(np.abs(x), axis=0, initial=0.0)
    columns = np.flatnonzero((n > 0) & ((n - apart.sum(axis=0)) >= FREQUENT * n - TIE))
    return apart[:, columns], columns


def is_rarely_apart(x: Floats) -> NDArray[np.bool_]:
    """Whether fewer than FEWEST_APART cells of a column differ from the value that FREQUENT of them have.

    Args:
        x: of apart_from_frequent.
    """
    apart, columns = apart_from_frequent(x)
    rarely = np.zeros(x.shape[1], dtype=bool)
    rarely[columns] = apart.sum(axis=0) < FEWEST_APART
    return rarely


def limits(mean: Mean, alpha: Floats | float) -> Interval:
    """The outer limits of every slant, at level 1 - alpha."""
    quantile = stats.t.isf(np.asarray(alpha) / 2, np.where(mean.df > 0, mean.df, np.nan))
    low, high = (np.full(np.shape(mean.value), np.nan) for _ in range(2))
    for slant in mean.slants:
        low = np.fmin(low, mean.value - mean.std_error * _straightened(quantile, slant))
        high = np.fmax(high, mean.value - mean.std_error * _straightened(-quantile, slant))
    return Interval(low, high)


def margin_p(mean: Mean, margin: Floats) -> tuple[Floats, Floats]:
    """One-sided p that a mean lies past its margin on the side of its value, and that it lies inside both ends.

    Args:
        mean: estimates; NaN gives NaN.
        margin: not negative, in the unit of value; NaN gives NaN.
    """
    upper, lower = _errors_from(mean, margin), _errors_from(mean, -margin)
    p_margin = np.where(mean.value > 0, _largest_p(mean, upper, stats.t.sf), _largest_p(mean, lower, stats.t.cdf))
    p_equivalence = np.maximum(_largest_p(mean, upper, stats.t.cdf), _largest_p(mean, lower, stats.t.sf))
    return p_margin, p_equivalence


def _errors_from(mean: Mean, bound: Floats) -> Floats:
    """By how many standard errors each mean lies above a bound."""
    distance = mean.value - bound
    is_told = mean.std_error * _FARTHEST > np.abs(distance)
    far = np.where(np.isnan(distance + mean.std_error), np.nan, np.sign(distance) * _FARTHEST)
    return np.divide(distance, mean.std_error, out=far, where=is_told)


def _largest_p(mean: Mean, errors: Floats, tail: stats.rv_continuous) -> Floats:
    """The largest tail probability of every slant."""
    p = np.full(errors.shape, np.nan)
    for slant in mean.slants:
        p = np.fmax(p, tail(_slanted(errors, slant), np.where(mean.df > 0, mean.df, np.nan)))
    return p


def _slanted(errors: Floats, slant: Floats) -> Floats:
    """Hall's transformation, which grows with the errors whatever the slant."""
    slanted: Floats = errors + slant * errors**2 / 3 + slant**2 * errors**3 / 27 + slant / 6
    return slanted


def _straightened(quantile: Floats, slant: Floats) -> Floats:
    """The errors that _slanted makes a quantile of."""
    moved = quantile - slant / 6
    root = np.cbrt(1 + slant * moved)
    straightened: Floats = 3 * moved / (root**2 + root + 1)
    return straightened
