"""What is missing may be what matters: differences with every missing answer at either end of what it can have been.

Belongs here: limits and p of a difference whose missing answers are filled twice. Which cells are missing, and
what filled tables differ by, are groups/missing_answers.py and changes/missing_changes.py.

Source: inference.md 9.5; Manski 2003 for bounds, of which the union of both intervals is taken.
"""

from typing import Final, NamedTuple

import numpy as np
from scipy import sparse, stats

from python_assets.infer.draws.exchange import TIE, Floats, Ints
from python_assets.infer.formulas import interval
from python_assets.infer.result import Bools

OBSERVED_LIMITS: Final = (0.05, 0.95)  # quantiles of what cells differ from the mean of their root prompt


class Ends(NamedTuple):
    """Differences of the two filled tables, and their errors, arrays of one shape."""

    low: Floats
    se_low: Floats
    high: Floats
    se_high: Floats


def prompt_means(x: Floats, root: Ints) -> Floats:
    """Mean of the present cells of the root prompt of each cell, shape (cells, columns), NaN where there is none.

    Args:
        x: cell means, NaN where absent, shape (cells, columns).
        root: of each cell, shape (cells,).
    """
    present = ~np.isnan(x)
    root_matrix = sparse.csr_array((np.ones(len(root)), (root, np.arange(len(root)))))
    n, total = root_matrix @ present.astype(float), root_matrix @ np.where(present, x, 0.0)
    means: Floats = np.divide(total, n, out=np.full_like(total, np.nan), where=n > 0)
    return means[root]


def observed_limits(x: Floats, means: Floats) -> tuple[Floats, Floats]:
    """What a missing answer can have been: the mean of its root prompt and how far present cells lie from theirs.

    Args:
        x: cell means, NaN where absent, shape (cells, columns).
        means: of prompt_means.

    Returns:
        Lower and upper limit of each cell, NaN where nobody answered its root prompt.
    """
    low, high = np.nanquantile(x - means, OBSERVED_LIMITS, axis=0)
    return means + low, means + high


def limits_of(x: Floats, means: Floats, is_rate: Bools, scale: tuple[Floats, Floats] | None) -> tuple[Floats, Floats]:
    """Lower and upper limit of the missing answers of each cell: 0 and 1 of rates, else a scale, else observed_limits.

    Args:
        x: cell means, NaN where absent, shape (cells, columns).
        means: of prompt_means.
        is_rate: of each column.
        scale: ends of the scale of each column, NaN where none is declared; None where scales are not to be used.
    """
    ends = np.stack([np.zeros(x.shape[1]), np.ones(x.shape[1])])
    if scale is not None:
        has_scale = ~is_rate & ~np.isnan(scale).any(axis=0)
        ends = np.where(has_scale, scale, ends)
        is_rate = is_rate | has_scale
    low, high = (np.tile(end, (len(x), 1)) for end in ends)
    if not is_rate.all():
        low[:, ~is_rate], high[:, ~is_rate] = observed_limits(x[:, ~is_rate], means[:, ~is_rate])
    return low, high


def filled(x: Floats, share: Floats, limit: Floats) -> Floats:
    """Cells of which a share of the answers is missing and lies at a limit: (1 - share) x + share limit.

    Args:
        x: cell means of the present answers, NaN where there is none.
        share: 1 where there is none.
        limit: NaN where nothing can be filled; such a cell is no part of anything.
    """
    filled_means: Floats = (1 - share) * np.nan_to_num(x) + share * np.nan_to_num(limit)
    return filled_means


class SystemSide(NamedTuple):
    """One of two generations: cell means, NaN where absent, and the share of each cell that is missing.

    share: 1 where x is NaN. low, high: limits of its missing answers, which broadcast to the cells.
    """

    x: Floats
    share: Floats
    low: Floats
    high: Floats


def filled_changes(a: SystemSide, b: SystemSide) -> tuple[Floats, Floats]:
    """Changes a - b of cells that one side answered, the missing answers of both at their limits.

    Returns:
        The smallest and the largest change; NaN of cells that neither side answered. The low difference of a group has
        its own smallest and the largest of the others.
    """
    is_open = np.isnan(a.x) & np.isnan(b.x)
    smallest = filled(a.x, a.share, a.low) - filled(b.x, b.share, b.high)
    largest = filled(a.x, a.share, a.high) - filled(b.x, b.share, b.low)
    return np.where(is_open, np.nan, smallest), np.where(is_open, np.nan, largest)


def interval_with_missing(ends: Ends, df: Floats, alpha: float) -> interval.Interval:
    """From the lower limit of the low difference to the upper limit of the high one, of level 1 - alpha."""
    quantile = interval.t_quantile(df + 1, alpha)
    return interval.Interval(ends.low - quantile * ends.se_low, ends.high + quantile * ends.se_high)


def p_with_missing(ends: Ends, df: Floats, n_comparisons: Floats | int) -> Floats:
    """The larger p of both ends, by Bonferroni over the comparisons of the question; 1 where their signs differ.

    Args:
        ends: of the rows.
        df: degrees of freedom of both.
        n_comparisons: distinct ones of the question of each row.
    """

    def p(value: Floats, std_error: Floats) -> Floats:
        is_exact = std_error <= TIE * np.abs(value)  # every root prompt says the same
        t = np.divide(value, std_error, out=np.full_like(value, np.inf), where=~is_exact)
        return np.where(value == 0, 1.0, 2 * stats.t.sf(np.abs(t), df))

    larger = np.maximum(p(ends.low, ends.se_low), p(ends.high, ends.se_high))
    is_split = np.sign(ends.low) * np.sign(ends.high) <= 0
    return np.where(np.isnan(larger), np.nan, np.where(is_split, 1.0, np.minimum(1.0, n_comparisons * larger)))


def tipping_shift(limits: interval.Interval, share: Floats) -> Floats:
    """By how much the missing answers of a group must differ from its others for its interval to reach 0.

    Args:
        limits: of the difference, in the unit of the measure.
        share: of the answers of the group that are missing; of a change, those of both sides together.

    Returns:
        At least 0, in the unit of the limits; NaN where nothing of the group is missing.
    """
    left = np.maximum(np.maximum(limits.low, -limits.high), 0.0)
    return np.divide(left, share, out=np.full_like(left, np.nan), where=share > 0)
