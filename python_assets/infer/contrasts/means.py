"""Differences of means of any scheme: studentised permutation p and t intervals.

Belongs here: contrasts whose statistic is a t, of means everywhere and of rates outside blocks. What all
contrasts share is contrasts.py; rates in blocks are rates.py.
"""

from functools import partial

import numpy as np

from python_assets.infer.contrasts.contrast import Estimate, Extremes, Null, Tested, assemble, levels_at
from python_assets.infer.draws.exchange import Draws, Floats
from python_assets.infer.formulas import skewed
from python_assets.infer.formulas.interval import Interval
from python_assets.infer.result import InferenceReason, Result
from python_assets.infer.schemes.choose import Contrast
from python_assets.infer.schemes.differences import Counts, ratio


def t_of(contrast: Contrast, x: Floats) -> Floats:
    """T of each row, shape (rows, columns)."""
    differences = contrast.differences(x)
    return ratio(differences.value, differences.std_error, contrast.scale(x))


def mean_null(contrast: Contrast, x: Floats, draws: Draws, *, n_together: int = 1) -> Null:
    """Permute the mean difference and its t.

    Args:
        contrast: what the rows compare.
        x: values, shape (cells, columns).
        draws: the arrangements.
        n_together: columns that are one question.
    """
    extremes = Extremes(np.nan_to_num(np.abs(t_of(contrast, x))), contrast.rows.in_hypothesis, draws, n_together)
    values = np.empty((x.shape[1], len(contrast.rows.n_units), draws.n))

    def work(value: Floats, size: Floats, columns: slice, batch: slice) -> Counts:
        values[columns, :, batch] = value.transpose(2, 1, 0)
        return extremes.count(size, columns, batch)

    return Null(extremes.tested(contrast.over_ts(x, draws, work)), values)


def shuffled_levels(contrast: Contrast, x: Floats, draws: Draws, *, n_together: int = 1) -> Tested:
    """The p values of mean_null alone, without noise floors."""
    observed = np.nan_to_num(np.abs(t_of(contrast, x)))
    extremes = Extremes(observed, contrast.rows.in_hypothesis, draws, n_together, has_floors=False)
    return extremes.tested(contrast.over_ts(x, draws, lambda _, size, *piece: extremes.count(size, *piece)))


def mean_differences(
    contrast: Contrast, x: Floats, tested: Tested, *, alpha: float, margin: Floats, n_together: int = 1
) -> Result:
    """Mean of a group minus that of what it is compared with.

    Args:
        contrast: what the rows compare.
        x: values, shape (cells, columns).
        tested: of mean_null on x.
        alpha: intervals are 1 - alpha.
        margin: of each column, NaN where none is declared.
        n_together: columns that are one question.

    Returns:
        NaN and a reason for a row that compares nothing, or too few units.

    Source: inference.md section 1, rows 1 and 2; 2.7.
    """
    estimate = mean_estimate(contrast, x, alpha)
    levels = mean_levels(estimate, margin)
    result = assemble(
        contrast.rows, estimate, tested, levels, alpha=alpha, names=contrast.rows.names, n_together=n_together
    )
    is_open = ~result.reason.astype(bool) | (result.reason == InferenceReason.P_FLOOR)
    return result.refused(is_open & contrast.is_rarely_apart(x), InferenceReason.APPROXIMATE, ())


def mean_levels(estimate: Estimate, margin: Floats) -> tuple[Floats, Floats]:
    """One-sided p of the margins of means."""
    return levels_at(margin, estimate.value.shape, partial(skewed.margin_p, estimate.mean))


def mean_estimate(contrast: Contrast, x: Floats, alpha: float) -> Estimate:
    """Mean difference with its interval.

    Source: inference.md section 1, 2.9 and 3.2.
    """
    value, std_error, df = (field.T for field in contrast.differences(x))
    t = ratio(value, std_error, contrast.scale(x)[:, None])
    nothing = np.full_like(value, np.nan)
    estimate = Estimate(value, std_error, t, df, Interval(nothing, nothing), *contrast.skewness(x))
    return estimate._replace(limits=skewed.limits(estimate.mean, alpha))
