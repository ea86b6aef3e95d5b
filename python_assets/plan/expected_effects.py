"""Which difference a number of root prompts can show, from what the values are expected to be like.

Belongs here: formulas. What they are applied to is power.py; how many root prompts a difference needs is n_needed of
infer.formulas.verdict, whose inverse stands here.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from python_assets.infer.draws.exchange import Floats
from python_assets.infer.formulas.verdict import POWER
from python_assets.study.base import Against

PILOT_RANGE = (0.1, 0.9)


class Spread(NamedTuple):
    """What the values of a grouping are expected to be like.

    sd: of single responses. correlation: of the values of two groups on the same prompt; where is_nested, so
    that each unit has one group only, of two responses of one unit. n_groups: of the grouping. n_responses:
    of one group on one root prompt or unit.
    """

    sd: float
    correlation: float
    n_groups: int
    n_responses: float
    is_nested: bool = False


def sd_of_difference(spread: Spread, against: Against) -> float:
    """Standard deviation of the difference of a group over root prompts.

    On the same prompt, group minus the mean of K - 1 others has variance (1 + 1 / (K - 1)) sd^2 (1 - rho);
    minus the mean of all K groups (1 - 1 / K) times, minus one other group 2 times; m responses of a group
    divide it by m. Where each unit has one group, nothing is shared between groups: the mean of a unit has
    variance sd^2 (rho + (1 - rho) / m), as its responses are alike, and a share of 1 / K of all units makes
    up the group.

    Args:
        spread: sd of rates is sqrt(p (1 - p)).
        against: what the group is compared with.

    Returns:
        In the unit of the responses; sd / sqrt(n) over all n root prompts is the standard error.

    Source: inference.md section 1, D of group minus rest; the design effect 1 + (m - 1) rho of clusters is
    that of Kish, Survey Sampling, 1965.
    """
    n_groups, rho, m = spread.n_groups, spread.correlation, spread.n_responses
    factors = {Against.REST: n_groups / (n_groups - 1), Against.GRAND_MEAN: (n_groups - 1) / n_groups}
    of_unit = n_groups * (rho + (1 - rho) / m) if spread.is_nested else (1 - rho) / m
    return float(np.sqrt(spread.sd**2 * factors.get(against, 2.0) * of_unit))


def sd_of_change(spread: Spread, *, of_mean: bool) -> float:
    """Standard deviation of a change between two generations over root prompts, or units.

    Two answers to one prompt are as alike as the correlation says, whoever gives them: what a prompt, or a
    unit of one group, does to both generations is in neither change.

    Args:
        spread: sd of rates is sqrt(p (1 - p)).
        of_mean: of the mean of all groups; else of a group minus the others.

    Returns:
        In the unit of the responses; sd / sqrt(n) over all n root prompts is the standard error.

    Source: inference.md 8, d_rg and m_r, of independent answers given the prompt.
    """
    n_groups, is_nested = spread.n_groups, spread.is_nested
    of_cell = 2 * spread.sd**2 * (1 - spread.correlation) / spread.n_responses
    if of_mean:
        return float(np.sqrt(of_cell / (1 if is_nested else n_groups)))
    return float(np.sqrt(of_cell * n_groups / (n_groups - 1) * (n_groups if is_nested else 1)))


def minimum_detectable_effect(
    sd: Floats, n: Floats, *, alpha: float, n_tests: Floats | int = 1, power: Floats | float = POWER
) -> Floats:
    """Smallest difference that n root prompts show with the power: the inverse of n_needed without margin.

    Args:
        sd: standard deviation of the difference over root prompts.
        n: root prompts.
        alpha: error rate, two-sided.
        n_tests: tests that alpha is shared by: groups times questions, as far as they count.
        power: chance to show it.

    Returns:
        In the unit of sd; NaN where n is too small for any difference to be shown.

    Source: inference.md 2.5, solved for the difference.
    """
    z = stats.norm.isf(alpha / 2 / np.asarray(n_tests))
    left = np.asarray(n) - z**2 / 2
    root = np.sqrt(np.where(left > 0, left, np.nan))
    return (z + stats.norm.ppf(power)) * np.asarray(sd) / root


def sd_range(sd: Floats, n: Floats) -> tuple[Floats, Floats]:
    """The 10th and 90th percentile of the true sd after n root prompts of a pilot, by chi-square.

    Args:
        sd: standard deviation of the pilot.
        n: its root prompts, at least 2.
    """
    df = np.asarray(n) - 1
    low, high = (np.asarray(sd) * np.sqrt(df / stats.chi2.isf(share, df)) for share in PILOT_RANGE)
    return low, high
