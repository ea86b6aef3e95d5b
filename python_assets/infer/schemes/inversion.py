"""Two-noise inversion: interval and corrected value of an index that noise can only push up.

Belongs here: the procedure, for any number computed from the profile of group means. What the numbers are is
index.py and profiles.py. A percentile interval of such an index leaves the truth out: the resampled groups
lie further apart than the observed ones, which lie further apart than the true ones. So the observed
differences are shrunk and stretched by a factor s, noise is added, and the interval holds the s that could
have given what was observed.

Source: inference.md 2.3.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np
from scipy import optimize, sparse, special

from python_assets.infer.draws.exchange import TIE, Floats, Ints
from python_assets.infer.result import Bools

GRID = np.array([*np.arange(16) / 10, 1.75, 2, 2.5, 3, 4, 6])
N_NOISE = 2_000
MIN_UNITS_FOR_INTERVAL = 5
FEWEST_DIFFERENT = 10  # units that show a difference, for their noise to stand for that of all units
Numbers = Callable[[float | Floats, Floats], Floats]


class Resamples(NamedTuple):
    """Weights of units in resampled means, (draws, units), rows adding up to 1; all there are or some."""

    weights: sparse.csr_array
    is_complete: bool


class Noise(NamedTuple):
    """Deviations of a profile that are only noise, shape (..., draws); all there are or some."""

    values: Floats
    is_complete: bool


class Rare(NamedTuple):
    """What differences between groups make of numbers of rates or shares, where few units show any.

    n_units, n_different: all units, and those that show a difference. largest: difference of a unit, 1 where
    none is seen. slope, power: a number is at most slope * (share of units with a difference) ** power, shape
    (numbers,). of_one: the number where one group differs from all others in every unit, and in proportion
    where it does in some; NaN where it is not in proportion.
    """

    n_units: int
    n_different: int
    largest: float
    slope: Floats
    power: Floats
    of_one: Floats


class Inverted(NamedTuple):
    """Interval, median-unbiased value and p of the margin of one number, in its own units."""

    low: Floats
    high: Floats
    corrected: Floats
    p_margin: Floats
    p_equivalence: Floats


@lru_cache(maxsize=4)  # patterns of presence have the same ones
def random_resamples(seed: int, n: int, n_units: int) -> Resamples:
    """Draw units with replacement, n times."""
    counts = np.random.default_rng(seed).multinomial(n_units, np.full(n_units, 1 / n_units), size=n)
    return Resamples(sparse.csr_array(counts / n_units), False)


def all_resamples(n_units: int) -> Resamples:
    """Every way to draw as many units with replacement; for a handful of units."""
    drawn = np.indices((n_units,) * n_units).reshape(n_units, -1).T
    counts = (drawn[:, :, None] == np.arange(n_units)).sum(axis=1)
    return Resamples(sparse.csr_array(counts / n_units), True)


def resamples_of(seed: int, n_permutations: int, n_units: int) -> Resamples | None:
    """Resamples for a design, None where units are too few for an interval.

    Five units of two groups have 32 arrangements, so that the 20 that inversion needs are always there.

    Source: inference.md section 1, row of standard deviation and range.
    """
    if n_units < MIN_UNITS_FOR_INTERVAL:
        return None
    return random_resamples(seed, min(n_permutations, N_NOISE), n_units)


def rare_differences(by_unit: Floats, slope: Floats, power: Floats, of_one: Floats) -> Rare:
    """Count the units that show differences; by_unit of shape (units, groups, ...), NaN where absent."""
    apart = np.nanmax(by_unit, axis=1) - np.nanmin(by_unit, axis=1)
    largest_by_unit = apart.reshape(len(by_unit), -1).max(axis=1)
    n_different, largest = int((largest_by_unit > TIE).sum()), float(largest_by_unit.max())
    return Rare(len(by_unit), n_different, largest if n_different else 1.0, slope, power, of_one)


class Stretchable(NamedTuple):
    """The numbers of one profile of group means, and what noise may have made of them.

    numbers: of s, one or one a draw, and noise (..., draws): the numbers, shape (numbers, draws), of the mean profile
    plus s times the observed deviations from it plus noise. s = 1 without noise is the observation. noises: permuted,
    then resampled. ties: differences of each number that are none, shape (numbers,). margins: of each number, shape
    (numbers,), NaN where none is declared. rare: of rates and shares; None for values that have no limits.
    """

    numbers: Numbers
    noises: tuple[Noise, Noise]
    ties: Floats
    margins: Floats
    rare: Rare | None = None


def invert(profiles: Sequence[Stretchable], alpha: float) -> list[Inverted]:
    """Interval, corrected value and p of the margin of several numbers of each profile.

    Args:
        profiles: with the same numbers, and as many draws.
        alpha: the interval is 1 - alpha.

    Returns:
        Of each profile, fields of shape (numbers,). The interval spans those of both noises; 0 is no difference at
        all.
    """
    truth = np.stack([numbers(GRID, _still(noises)) for numbers, noises, *_ in profiles])
    value = np.stack([numbers(1.0, _still(noises))[:, 0] for numbers, noises, *_ in profiles])
    truth[..., 0] = 0 * value
    ties = np.stack([profile.ties for profile in profiles])
    low, high, corrected = zip(
        *(_limits(Stretched(profiles, which), truth, value, ties, alpha) for which in (0, 1)), strict=True
    )
    limits = np.stack([np.minimum(*low), np.maximum(*high), corrected[0]])
    return [_with_margins(profile, limits[:, at], value[at], alpha) for at, profile in enumerate(profiles)]


def _still(noises: tuple[Noise, Noise]) -> Floats:
    return np.zeros_like(noises[0].values[..., :1])


def _with_margins(profile: Stretchable, limits: Floats, value: Floats, alpha: float) -> Inverted:
    """The limits and the corrected values of one profile, shape (3, numbers), with p of its margins."""
    levels = np.full((2, len(value)), np.nan)
    for which in np.flatnonzero(~np.isnan(profile.margins + value)).tolist():
        levels[:, which] = _margin_levels(profile, which)
    low, high, corrected = limits
    inverted = Inverted(low, high, corrected, *levels)
    return inverted if profile.rare is None else _with_rare(inverted, profile.rare, value, profile.margins, alpha)


def _with_rare(inverted: Inverted, rare: Rare, value: Floats, margins: Floats, alpha: float) -> Inverted:
    """Keep a few units from standing for a small difference that is only a rare one.

    Noise is no larger than what was seen, and nothing where no unit shows a difference. But differences in a
    share of units that is as large as the margin needs would show in no more of n units than they did with
    the probability of a binomial, which p is at least. Where none was seen, that is (1 - share)^n, and the
    interval ends where it falls to alpha / 2. Where ten units or more differ, the noise is that of the units.
    """
    if rare.n_different >= FEWEST_DIFFERENT:
        return inverted
    n, share = (np.full(len(value), float(rare.n_units)), np.clip(margins / rare.slope, 0, 1) ** (1 / rare.power))
    seen, high = np.full(len(value), float(rare.n_different)), inverted.high
    if rare.n_different:
        is_counted = ~np.isnan(rare.of_one)
        n = np.where(is_counted, n / rare.largest, n)
        share = np.where(is_counted, np.clip(margins / rare.of_one, 0, 1), share)
        seen = np.where(is_counted, n * np.clip(value / rare.of_one, 0, 1), seen)
    else:
        high = np.maximum(high, rare.slope * (1 - (alpha / 2) ** (1 / n)) ** rare.power)
    as_few = special.betainc(np.maximum(n - seen, TIE), seen + 1, 1 - share)
    p = np.fmax(inverted.p_equivalence, np.minimum(2 * as_few, 1))
    return inverted._replace(high=high, p_equivalence=np.where(np.isnan(inverted.p_equivalence), np.nan, p))


class Stretched:
    """Numbers of profiles whose differences are stretched along GRID: each place only once it is asked for."""

    def __init__(self, profiles: Sequence[Stretchable], which: int) -> None:
        """Take what invert takes, and which of the noises."""
        self._profiles = [(profile.numbers, profile.noises[which].values) for profile in profiles]
        self._n_found = np.zeros(len(profiles), dtype=np.intp)
        shape = (len(profiles[0].ties), self._profiles[0][1].shape[-1])
        self._found = np.empty((len(profiles), len(GRID), *shape))

    def at(self, place: int, which: Ints) -> Floats:
        """The numbers of some profiles under every draw at a place of the grid, shape (profiles, numbers, draws)."""
        for profile in which[self._n_found[which] <= place].tolist():
            numbers, noise = self._profiles[profile]
            for missing in range(self._n_found[profile], place + 1):
                self._found[profile, missing] = numbers(float(GRID[missing]), noise)
            self._n_found[profile] = place + 1
        return cast(Floats, self._found[which, place])

    def found(self, places: Ints) -> Floats:
        """The same at a place of each number of each profile that was asked for before: places (profiles, numbers)."""
        which, number = np.indices(places.shape)
        return cast(Floats, self._found[which, places, number])


def _limits(
    stretched: Stretched, truth: Floats, value: Floats, ties: Floats, alpha: float
) -> tuple[Floats, Floats, Floats]:
    """Lower and upper limit and corrected value under one noise, shape (profiles, numbers)."""
    low = _reached(stretched, 1 - alpha / 2, truth, value - ties)
    high = np.maximum(_reached(stretched, alpha / 2, truth, value + ties), value)
    # without any observed difference nothing can be stretched, and the noise alone is the limit
    is_none = value <= ties
    if is_none.any():
        high[is_none] = _quantile(stretched.found(np.zeros(value.shape, dtype=np.intp))[is_none], 1 - alpha / 2)
    return low, high, _reached(stretched, 0.5, truth, value)


def _reached(stretched: Stretched, share: float, truth: Floats, value: Floats) -> Floats:
    """The truth where a quantile that never falls in s first reaches the value; the last one where it never does.

    Args:
        stretched: the draws.
        share: of them below the quantile.
        truth: of each number along the grid, shape (profiles, numbers, grid).
        value: shape (profiles, numbers).
    """
    n_below, is_below = np.zeros(value.shape, dtype=np.intp), np.ones(value.shape, dtype=bool)
    for grid_index in range(len(GRID)):
        is_open = np.flatnonzero(is_below.any(axis=1))
        if not len(is_open):
            break
        is_below[is_open] &= _is_below(stretched.at(grid_index, is_open), share, value[is_open])
        n_below += is_below
    before, after = np.maximum(n_below - 1, 0), np.minimum(n_below, len(GRID) - 1)
    lower, upper = (_quantile(stretched.found(places), share) for places in (before, after))
    for grid_index in range(before.max()):  # where an earlier quantile is larger, it has not fallen since
        later = np.flatnonzero((before > grid_index).any(axis=1))
        rows = stretched.at(grid_index, later)
        is_larger = (before[later] > grid_index) & ~_is_below(rows, share, lower[later])
        if is_larger.any():
            which, number = np.nonzero(is_larger)
            lower[later[which], number] = np.maximum(lower[later[which], number], _quantile(rows[is_larger], share))
    step = upper - lower
    fraction = np.divide(value - lower, step, out=np.zeros(value.shape), where=step > 0)
    start, end = (np.take_along_axis(truth, places[..., None], -1)[..., 0] for places in (before, after))
    return start + fraction * (end - start)


def _is_below(rows: Floats, share: float, value: Floats) -> Bools:
    """Whether the quantile of each row lies below its value: sorted only where counting does not tell."""
    n_less, lower = np.count_nonzero(rows < value[..., None], axis=-1), int(share * (rows.shape[-1] - 1))
    is_less = n_less > lower + 1
    is_open = n_less == lower + 1
    if is_open.any():
        is_less[is_open] = _quantile(rows[is_open], share) < value[is_open]
    return cast(Bools, is_less)


def _quantile(rows: Floats, share: float) -> Floats:
    """Quantile of each row by linear interpolation; the rows are reordered."""
    position = share * (rows.shape[-1] - 1)
    lower = int(position)
    upper = min(lower + 1, rows.shape[-1] - 1)
    rows.partition((lower, upper), axis=-1)
    return cast(Floats, rows[..., lower] + (position - lower) * (rows[..., upper] - rows[..., lower]))


def _margin_levels(profile: Stretchable, which: int) -> tuple[float, float]:
    """How likely a number at its margin comes out as large as observed, and as small.

    The differences are stretched until the number equals the margin. Past the longest stretch nothing can be
    past the margin; without any difference the noise alone has to stay within it. Twice the one-sided share,
    so that p falls to alpha where the interval leaves the margin: half of it would be too often past the
    margin of a range that one of many groups makes (.10 to .12 at alpha .05, 21 groups).

    Source: inference.md 2.5, index bands.
    """
    numbers, noises, still = profile.numbers, profile.noises, _still(profile.noises)
    margin, tie = float(profile.margins[which]), float(profile.ties[which])

    def truth(s: float) -> float:
        return float(numbers(s, still)[which, 0])

    value = truth(1.0)
    if value <= tie:
        return 1.0, two_sided_p([numbers(0.0, noise.values)[which] >= margin for noise in noises], noises)
    s = _stretch(truth, margin, tie)
    at_margin = [numbers(s, noise.values)[which] for noise in noises]
    above = two_sided_p([number >= value - tie for number in at_margin], noises)
    below = two_sided_p([number <= value + tie for number in at_margin], noises)
    return (1.0 if truth(s) < margin - tie else above), below


def _stretch(truth: Callable[[float], float], margin: float, tie: float) -> float:
    """The s that brings the number to its margin, or the longest where none does."""
    longest = float(GRID[-1])
    if truth(longest) <= margin:
        return longest
    return 0.0 if margin <= tie else float(optimize.brentq(lambda s: truth(s) - margin, 0, longest))


def two_sided_p(is_as_extreme: Sequence[Bools], noises: Sequence[Noise]) -> float:
    """Twice the share of draws that are as extreme, under the noise that has most of them."""
    shares = [_share(which, noise) for which, noise in zip(is_as_extreme, noises, strict=True)]
    return min(1.0, 2 * max(shares))


def _share(is_as_extreme: Bools, noise: Noise) -> float:
    """Share of draws; random ones count the observation as one more."""
    extra = 0 if noise.is_complete else 1
    return float((is_as_extreme.sum() + extra) / (len(is_as_extreme) + extra))
