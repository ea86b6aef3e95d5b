"""Differences of means of any scheme: studentised permutation p and t intervals.

Belongs here: contrasts whose statistic is a t, of means everywhere and of rates outside blocks. What all
contrasts share is contrasts.py; rates in blocks are rates.py.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from python_assets.infer import interval
from python_assets.infer.contrasts import Contrasts, Estimate, Extremes, Tested, assemble, margin_p
from python_assets.infer.interval import Interval
from python_assets.infer.permutation import TIE, Draws, Floats, p_values
from python_assets.infer.sides import Counts, Sides, ratio


class MeanNull(NamedTuple):
    """What the draws say: p values, and the differences under every draw (columns, rows, draws)."""

    tested: Tested
    values: Floats


def t_of(sides: Sides, x: Floats) -> Floats:
    """T of each row, shape (rows, columns)."""
    differences = sides.differences(x)
    return ratio(differences.value, differences.std_error, sides.scale(x))


def mean_null(
    sides: Sides,
    x: Floats,
    draws: Draws,
    *,
    n_together: int = 1,
    beside: tuple[Floats, Floats] | None = None,
) -> MeanNull:
    """Permute the mean difference and its t.

    Args:
        sides: what the rows compare.
        x: values, shape (cells, columns).
        draws: the arrangements.
        n_together: columns that are one question.
        beside: what Extremes.tested takes beside the largest t.
    """
    extremes = Extremes(np.nan_to_num(np.abs(t_of(sides, x))), sides.in_question, draws, n_together)
    values = np.empty((x.shape[1], len(sides.n_units), draws.n))

    def work(value: Floats, size: Floats, columns: slice, batch: slice) -> Counts:
        values[columns, :, batch] = value.transpose(2, 1, 0)
        return extremes.count(size, columns, batch)

    return MeanNull(extremes.tested(sides.over_ts(x, draws, work), beside), values)


def one_sided_p(sides: Sides, x: Floats, draws: Draws, row: int, sign: float) -> float:
    """Share of draws in which t of a row lies as far on one side, of one column (cells, 1)."""
    least = sign * t_of(sides, x)[row, 0] - TIE

    def work(value: Floats, size: Floats, columns: slice, batch: slice) -> Counts:
        del columns, batch
        t = sign * np.copysign(size[:, row], value[:, row])
        return np.asarray((t >= least).sum(axis=0))

    return float(p_values(sides.over_ts(x, draws, work), draws)[0])


def mean_differences(
    sides: Sides, x: Floats, tested: Tested, *, alpha: float, margin: Floats, n_together: int = 1
) -> Contrasts:
    """Mean of a group minus that of what it is compared with.

    Args:
        sides: what the rows compare.
        x: values, shape (cells, columns).
        tested: of mean_null on x.
        alpha: intervals are 1 - alpha.
        margin: of each column, NaN where none is declared.
        n_together: columns that are one question.

    Returns:
        NaN and a reason for a row that compares nothing, or too few units.

    Source: inference.md section 1, rows 1 and 2; 2.7.
    """
    estimate = mean_estimate(sides, x, alpha)

    def limits(c: Floats) -> Interval:
        return interval.around(estimate.value, estimate.std_error, c)

    levels = margin_p(estimate, limits, margin)
    return assemble(sides, estimate, tested, levels, alpha=alpha, names=sides.names, n_together=n_together)


def mean_estimate(sides: Sides, x: Floats, alpha: float) -> Estimate:
    """Mean difference with its t interval.

    Source: inference.md section 1 and 3.2.
    """
    value, std_error, df = (part.T for part in sides.differences(x))
    t = ratio(value, std_error, sides.scale(x)[:, None])
    quantile = stats.t.isf(alpha / 2, np.where(df > 0, df, np.nan))
    return Estimate(value, std_error, t, df, interval.around(value, std_error, quantile))
