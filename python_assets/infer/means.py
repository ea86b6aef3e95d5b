"""Differences of means in blocks: studentised permutation p and cluster t intervals.

Belongs here: contrasts of continuous measures. What all contrasts share is contrasts.py.
"""

from typing import NamedTuple

import numpy as np

from python_assets.infer import interval
from python_assets.infer.contrasts import (
    Contrasts,
    Estimate,
    Extremes,
    Tested,
    assemble,
    is_permuted,
    margin_p,
    ratio,
)
from python_assets.infer.interval import Interval
from python_assets.infer.permutation import Draws, Floats, Ints, noise_floor
from python_assets.infer.sides import Counts, Sides, Sums, over_units


class MeanNull(NamedTuple):
    """What the draws say: p values, and the differences under every draw (columns, rows, draws)."""

    tested: Tested
    values: Floats


def mean_null(sides: Sides, x: Floats, draws: Draws, alpha: float) -> MeanNull:
    """Permute the mean difference and its t.

    Args:
        sides: what the rows compare.
        x: cell means, shape (cells, columns).
        draws: the arrangements.
        alpha: which rows have a permutation p depends on it.
    """
    n = np.maximum(sides.is_present.sum(axis=1), 1)[:, None]
    by_unit = sides.differences(x)
    observed = size_of_t(Sums(by_unit.sum(axis=1), (by_unit**2).sum(axis=1)), n)
    extremes = Extremes(observed, is_permuted(sides, alpha))
    values = np.empty((x.shape[1], len(n), draws.n))

    def work(sums: Sums, columns: slice, batch: slice) -> Counts:
        values[columns, :, batch] = (sums.total / n).transpose(2, 1, 0)
        return extremes.count(size_of_t(sums, n), columns)

    return MeanNull(extremes.tested(sides.over_differences(x, draws, work), draws), values)


def size_of_t(sums: Sums, n: Ints) -> Floats:
    """A number from 0 to 1 that rises with |t|, t^2 / (t^2 + c), the same c for all rows.

    It is (sum D)^2 / (n sum D^2) for a row in as many units as any, so that no squares are subtracted.

    Args:
        sums: shape (..., rows, columns).
        n: units of each row, shape (rows, 1).

    Returns:
        0 where all differences are 0.
    """
    explained = n * sums.squares
    np.divide(sums.total**2, explained, out=explained, where=explained > 0)
    if (n == n.max()).all():
        return explained
    t_squared = explained * np.maximum(n - 1, 1)
    left = np.maximum(1 - explained, 0) * np.maximum(n.max() - 1, 1)
    return t_squared / (t_squared + left)


def mean_differences(sides: Sides, x: Floats, null: MeanNull, *, alpha: float, margin: Floats) -> Contrasts:
    """Mean of a group minus that of what it is compared with, prompt by prompt.

    Args:
        sides: what the rows compare.
        x: cell means, shape (cells, columns).
        null: of mean_null on x; its values are used up.
        alpha: intervals are 1 - alpha.
        margin: of each column, NaN where none is declared.

    Returns:
        NaN and a reason for a row without a block of both sides, or with fewer than 3 units.

    Source: inference.md section 1, rows 1 and 2.
    """
    estimate = mean_estimate(sides, x, alpha)

    def limits(c: Floats) -> Interval:
        return interval.around(estimate.value, estimate.std_error, c)

    levels = margin_p(estimate, limits, margin)
    floor = noise_floor(np.abs(null.values, out=null.values))
    method = ("permuted t", "cluster t", "cluster t interval")
    return assemble(sides, estimate, null.tested, floor, levels, (alpha, method))


def mean_estimate(sides: Sides, x: Floats, alpha: float) -> Estimate:
    """Mean difference with its cluster t interval over units.

    Source: inference.md section 1 and 3.2.
    """
    mean, sd = over_units(sides.differences(x), sides.is_present)
    n = sides.is_present.sum(axis=1).astype(float)
    std_error = sd / np.sqrt(np.maximum(n, 1))
    scale = np.sqrt((sides.design.centred(x) ** 2).mean(axis=0))[:, None]
    limits = interval.around(mean, std_error, interval.t_quantile(n, alpha))
    return Estimate(mean, std_error, ratio(mean, std_error, scale), n - 1 + 0 * mean, limits)
