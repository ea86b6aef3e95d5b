"""Which difference a number of root prompts can show, and which split of calls shows most, from what values are like.

Belongs here: formulas. What they are applied to is power.py; how many root prompts a difference needs is n_needed of
infer.formulas.verdict, whose inverse stands here.

Source: inference.md 2.8.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from python_assets.infer.draws.exchange import Floats
from python_assets.infer.formulas.verdict import POWER
from python_assets.study.base import Against

PILOT_RANGE: Final = (0.1, 0.9)
DEFAULT_SHARE: Final = 0.1
_ROUNDING: Final = 1e-12
_FEWEST_ROOT_PROMPTS: Final = 5  # of a pilot that tells the interaction


class Spread(NamedTuple):
    """What the values of a grouping are expected to be like.

    sd: of single responses. correlation: of the values of two groups on the same prompt, the share of the root
    prompt in sd^2; where is_nested, so that each unit has one group only, of two responses of one unit. n_groups:
    of the grouping. n_responses: of one group on one root prompt or unit. interaction: the share of root prompt x
    group, which no further response averages away; of units it is in the correlation. sd_of_group: of the group that
    differs, where it is not that of the others. left: of a crossing that is asked what cells add to its parts, the
    share of a cell's own variance that the parts leave.
    """

    sd: float
    correlation: float
    n_groups: int
    n_responses: float
    is_nested: bool = False
    prompt_by_group_share: float = 0.0
    sd_of_group: float | None = None
    left: float | None = None

    @property
    def lasting(self) -> float:
        """The share of sd^2 in a difference between groups that further responses do not average away."""
        return self.correlation if self.is_nested else self.prompt_by_group_share

    @property
    def rest(self) -> float:
        """The share that they do."""
        return max(1 - self.correlation - (0 if self.is_nested else self.prompt_by_group_share), 0.0)

    @property
    def of_cell(self) -> float:
        """Variance of the mean of the responses of a cell, without what all groups share, in sd^2."""
        return self.lasting + self.rest / self.n_responses


def spread_of_wordings(spread: Spread, n_beside: int) -> Spread:
    """The spread of groups over wordings, which are the units; each text stands in one of them.

    A wording is taken to move no group: what a text does to a group is averaged over the texts of a wording, and each
    has n_beside answers of the group.

    Args:
        spread: over texts, with all answers of a group in one wording.
        n_beside: answers of a group to one text.
    """
    rest = spread.prompt_by_group_share * n_beside + spread.rest
    return spread._replace(correlation=1 - rest, prompt_by_group_share=0.0)


def spread_of_rate(rate: float, effect: float, spread: Spread) -> Spread:
    """The spread of a rate, with the largest that the group can have which differs by the effect.

    Args:
        rate: of the other groups, inside (0, 1).
        effect: difference of rates, to either side.
        spread: its shares, groups and responses; sd is put in.
    """
    p = np.array([rate, rate + effect, rate - effect])
    p = p[(p > 0) & (p < 1)]
    return spread._replace(sd=float(np.sqrt(rate * (1 - rate))), sd_of_group=float(np.sqrt((p * (1 - p)).max())))


def sd_of_difference(spread: Spread, against: Against) -> float:
    """Standard deviation of the difference of a group over root prompts.

    A response has variance sd^2 (rho + i + rest): root prompt, root prompt x group, and what m responses of a group
    divide by m. On the same prompt, group minus the mean of K - 1 others has variance (1 + 1 / (K - 1)) sd^2
    (i + rest / m); minus the mean of all K groups (1 - 1 / K) times, minus one other group 2 times. Of a cell whose
    parts leave a share of it, what it has beyond them has 1 / left times: (K - 1) / K is left of a group by the mean of
    all alone, and of a cell of a x b (a - 1)(b - 1) / (a b). Where each unit
    has one group, nothing is shared between groups: the mean of a unit has variance sd^2 (rho + (1 - rho) / m), as
    its responses are alike, and a share of 1 / K of all units makes up the group.

    Args:
        spread: what values are like; sd of rates is sqrt(p (1 - p)).
        against: what the group is compared with.

    Returns:
        In the unit of the responses; sd / sqrt(n) over all n root prompts is the standard error.

    Source: inference.md 2.8 and 6.10; the design effect 1 + (m - 1) rho of clusters is that of Kish, Survey Sampling,
    1965.
    """
    n_groups = spread.n_groups
    others = spread.sd**2
    group = others if spread.sd_of_group is None else spread.sd_of_group**2
    left = (n_groups - 1) / n_groups if spread.left is None else spread.left
    rest = group + others * (1 - left) / left
    variances = {Against.REST: rest, Against.GRAND_MEAN: rest * left**2}
    n_unit_groups = n_groups if spread.is_nested else 1
    return float(np.sqrt(variances.get(against, group + others) * n_unit_groups * spread.of_cell))


def sd_of_change(spread: Spread, *, of_mean: bool) -> float:
    """Standard deviation of a change between two generations over root prompts, or units.

    What a prompt, or a unit of one group, does to both generations is in neither change. What it does to one group
    alone is not taken to be the same in both, so that planning errs to the side of more root prompts; of units it is
    part of what the unit does.

    Args:
        spread: what values are like; sd of rates is sqrt(p (1 - p)).
        of_mean: of the mean of all groups; else of a group minus the others.

    Returns:
        In the unit of the responses; sd / sqrt(n) over all n root prompts is the standard error.

    Source: inference.md 2.8, and 8 for d_rg and m_r.
    """
    if spread.is_nested:  # what is lasting in a unit does the same to both
        scale, group = np.sqrt(1 - spread.correlation), spread.sd if spread.sd_of_group is None else spread.sd_of_group
        spread = spread._replace(correlation=0.0, sd=spread.sd * scale, sd_of_group=group * scale)
    if not of_mean:
        return float(np.sqrt(2) * sd_of_difference(spread, Against.REST))
    group = spread.sd if spread.sd_of_group is None else spread.sd_of_group
    n_groups = 1 if spread.is_nested else spread.n_groups
    return float(np.sqrt((spread.sd**2 + group**2) * spread.of_cell / n_groups))


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
    from scipy.special import ndtri  # scipy is slow to import, and a plan without power needs none of it

    z = -ndtri(alpha / 2 / np.asarray(n_tests))
    left = np.asarray(n) - z**2 / 2
    root = np.sqrt(np.where(left > 0, left, np.nan))
    return (z + ndtri(power)) * np.asarray(sd) / root


def minimum_detectable_rate(sd_at: Callable[[float], float], detects_of_sd: float, rate: float) -> float:
    """Smallest difference of rates that is shown, where the spread depends on the difference.

    Args:
        sd_at: standard deviation of the difference over root prompts, by the difference.
        detects_of_sd: minimum_detectable_effect of an sd of 1; NaN is passed on.
        rate: of the other groups.

    Returns:
        NaN where none that leaves the group's rate inside (0, 1) is shown.
    """
    from scipy.optimize import brentq

    largest = max(rate, 1 - rate)
    if not detects_of_sd * sd_at(largest) <= largest:
        return np.nan
    # the difference in units of its own error grows with it, so that there is one root
    return float(brentq(lambda effect: effect - detects_of_sd * sd_at(effect), 0, largest, xtol=1e-12))


def optimal_n_responses(lasting: float, rest: float, prompt_cost: float) -> float:
    """Responses of a group to a root prompt, no whole number, that show most for the money: of best_n_responses."""
    return float(np.sqrt(rest / lasting * prompt_cost))


def best_n_responses(lasting: float, rest: float, prompt_cost: float, step: float = 1) -> float:
    """Responses of a group to a root prompt that show most for the money.

    A root prompt costs, for each group, prompt_cost + m calls, and tells lasting + rest / m: the best m is
    sqrt(rest / lasting x prompt_cost), or the better of the two whole steps beside it.

    Args:
        lasting: share of root prompt x group in the variance of a response.
        rest: share that responses average.
        prompt_cost: of one more root prompt for one group, in calls.
        step: responses that come together: prompts of a group on a root prompt.

    Returns:
        At least one step; NaN where no number is best: nothing lasts, and prompts cost something.

    Source: inference.md 2.8.
    """
    if lasting == 0 and rest > 0 and prompt_cost > 0:
        return np.nan
    optimum = optimal_n_responses(lasting, rest, prompt_cost) if lasting > 0 else 0.0
    steps = np.maximum([np.floor(optimum / step), np.ceil(optimum / step)], 1) * step
    return float(steps[np.argmin((lasting + rest / steps) * (prompt_cost + steps))])


def variance_allowed(n: float, effect: float, *, alpha: float, n_tests: int = 1, power: float = POWER) -> float:
    """Variance of a difference over root prompts at which n of them show it with the power; 0 where none do.

    Source: inference.md 2.5, solved for the variance.
    """
    from scipy.special import ndtri

    z = -ndtri(alpha / 2 / n_tests)
    return float(max(n - z**2 / 2, 0) * (effect / (z + ndtri(power))) ** 2)


def responses_needed(lasting: float, rest: float, allowed: float) -> float:
    """Responses of a group to a root prompt at which lasting + rest / m is allowed; NaN where it never is.

    Args:
        lasting: share of root prompt x group.
        rest: share that responses average.
        allowed: of variance_allowed, in the unit of both.

    Source: inference.md 2.8.
    """
    if allowed <= lasting:
        return np.nan
    return float(max(np.ceil(rest / (allowed - lasting)), 1))


class Pilot(NamedTuple):
    """What a pilot's cells say of one measure in one grouping: variances, in the squared unit of its responses.

    mean_square: of cells, root prompt x group, with the means of root prompts and of groups off. within: of
    responses to the same prompt, NaN where it has one each. n_responses: of a cell, so many as its mean rests on.
    root_prompt: variance of root prompts. n_root_prompts: those that hold all n_groups.
    """

    mean_square: float
    within: float
    n_responses: float
    root_prompt: float
    n_root_prompts: int
    n_groups: int

    @property
    def df(self) -> int:
        """Degrees of freedom of the mean square."""
        return (self.n_root_prompts - 1) * (self.n_groups - 1)

    @property
    def total(self) -> float:
        """Variance of a response."""
        if np.isnan(self.within):
            return self.root_prompt + self.mean_square
        return self.root_prompt + self.within + self._of_cells

    @property
    def _of_cells(self) -> float:
        """Variance of root prompt x group; 0 where rounding alone leaves any."""
        error = self.within / self.n_responses
        return self.mean_square - error if self.mean_square > error * (1 + _ROUNDING) else 0.0

    @property
    def tells_interaction(self) -> bool:
        """Whether it has repeats, and root prompts enough."""
        return not np.isnan(self.within) and self.n_root_prompts >= _FEWEST_ROOT_PROMPTS

    @property
    def prompt_by_group_share(self) -> float:
        """The share of root prompt x group; the default where the pilot does not tell it."""
        if self.tells_interaction:
            return self._of_cells / self.total
        known = self.mean_square if np.isnan(self.within) else self.total - self.root_prompt
        return min(DEFAULT_SHARE, known / self.total)


def pilot_of_cells(values: Floats) -> Pilot:
    """The variances of complete cells.

    Args:
        values: shape (root prompts, groups, responses).

    Source: inference.md 2.8; expected mean squares of the two-way layout.
    """
    n_root_prompts, n_groups, n_responses = values.shape
    cells = values.mean(axis=2)
    interaction = cells - cells.mean(axis=1, keepdims=True) - cells.mean(axis=0) + cells.mean()
    mean_square = float((interaction**2).sum() / ((n_root_prompts - 1) * (n_groups - 1)))
    prompt_variance = float(cells.mean(axis=1).var(ddof=1))
    within = float(values.var(axis=2, ddof=1).mean()) if n_responses > 1 else np.nan
    root_prompt = max(prompt_variance - mean_square / n_groups, 0.0)
    return Pilot(mean_square, within, n_responses, root_prompt, n_root_prompts, n_groups)


def spread_of_pilot(pilot: Pilot, n_groups: int, n_responses: float, mean_square: float | None = None) -> Spread:
    """The spread that a pilot gives a design of other groups and responses.

    Args:
        pilot: its variances.
        n_groups: of the design.
        n_responses: of a group on a root prompt of the design.
        mean_square: in the place of the pilot's own, for a range.
    """
    if mean_square is not None:
        pilot = pilot._replace(mean_square=mean_square)
    share = pilot.root_prompt / pilot.total
    return Spread(
        float(np.sqrt(pilot.total)), share, n_groups, n_responses, prompt_by_group_share=pilot.prompt_by_group_share
    )


def mean_square_range(pilot: Pilot) -> tuple[float, float]:
    """The 10th and 90th percentile of the true mean square, by chi-square."""
    from scipy.special import chdtri

    low, high = (pilot.mean_square * pilot.df / chdtri(pilot.df, share) for share in PILOT_RANGE)
    return float(low), float(high)


def sd_range(sd: Floats, n: Floats) -> tuple[Floats, Floats]:
    """The 10th and 90th percentile of the true sd after n root prompts of a pilot, by chi-square.

    Args:
        sd: standard deviation of the pilot.
        n: its root prompts, at least 2.
    """
    from scipy.special import chdtri

    df = np.asarray(n) - 1
    low, high = (np.asarray(sd) * np.sqrt(df / chdtri(df, share)) for share in PILOT_RANGE)
    return low, high
