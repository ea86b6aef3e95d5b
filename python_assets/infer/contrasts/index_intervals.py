"""Intervals of the indices of group values: range, standard deviation and impact ratio, column by column.

Belongs here: the group values that are stretched and the noise around them. The procedure is inversion.py,
the indices are index.py.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from python_assets.infer.contrasts.index import FOUR_FIFTHS, DrawSpread, Index, spread_of, tie_of
from python_assets.infer.draws.exchange import TIE, Floats, in_threads, pieces
from python_assets.infer.result import InferenceReason, Result
from python_assets.infer.schemes.group_means import BlockMeans, GroupValues
from python_assets.infer.schemes.inversion import (
    N_NOISE,
    Inverted,
    Noise,
    Rare,
    Stretchable,
    invert,
    rare_differences,
    two_sided_p,
)

COLUMNS_PER_PIECE = 8


class IndexSample(NamedTuple):
    """One column: group values minus their level, and what they may be but for noise.

    deviation: shape (groups,). by_unit: of each unit, shape (units, groups), NaN where absent. noises: group values
    under each draw, permuted, then resampled, shape (groups, draws). level: mean of the groups. scale: of cells in
    their block. is_rate: whether values lie between 0 and 1.
    """

    deviation: Floats
    by_unit: Floats
    noises: tuple[Noise, Noise]
    level: float
    scale: float
    is_rate: bool


def inverted_indices(
    wanted: dict[str, Index],
    *,
    means: BlockMeans,
    by_unit: Floats,
    seen: GroupValues,
    permuted: Floats,
    has_all_draws: bool,
    margins: dict[str, Floats],
    alpha: float,
    is_rate: bool,
) -> dict[str, Inverted]:
    """Intervals of the numbers behind the indices that have one.

    Args:
        wanted: by metric; those with a reason have no interval.
        means: the groups.
        by_unit: of means.by_unit.
        seen: of means.observed.
        permuted: of means.null, shape (columns, groups, draws).
        has_all_draws: whether these are all arrangements.
        margins: of each column by metric, as printed; absent or NaN where none is declared.
        alpha: intervals are 1 - alpha.
        is_rate: whether values lie between 0 and 1.

    Returns:
        By metric, fields of shape (columns,).
    """
    indices = {name: index for name, index in wanted.items() if index.reason is None}
    none, n_columns = np.full(len(seen.level), np.nan), len(seen.level)
    observed = spread_of(seen.deviation, seen.level, seen.scale, 0)
    thresholds = np.stack([index.printed(margins.get(name, none), observed) for name, index in indices.items()], axis=1)
    used = permuted if has_all_draws else permuted[:, :, :N_NOISE]
    all_resamples = means.resamples is not None and means.resamples.is_complete

    def work(piece: slice) -> list[Inverted]:
        noise = means.noise(by_unit[:, :, piece], seen.deviation[:, piece], with_level=is_rate)
        samples = [
            IndexSample(
                seen.deviation[:, column],
                by_unit[:, :-1, column] + (by_unit[:, -1:, column] if is_rate else 0),
                (Noise(used[column], has_all_draws), Noise(noise[:, column - piece.start], all_resamples)),
                float(seen.level[column]),
                float(seen.scale[column]),
                is_rate,
            )
            for column in range(piece.start, piece.stop)
        ]
        return _invert_samples(indices, samples, thresholds[piece], alpha)

    inverted_pieces = in_threads(work, list(pieces(n_columns, COLUMNS_PER_PIECE)))
    fields = np.array([column for piece in inverted_pieces for column in piece])  # (columns, fields, indices)
    return {name: Inverted(*fields[:, :, which].T) for which, name in enumerate(indices)}


def below_four_fifths(means: BlockMeans, by_unit: Floats, seen: GroupValues) -> Result:
    """The share of resampled units in which the impact ratio lies below four fifths.

    Args:
        means: the groups.
        by_unit: of means.by_unit.
        seen: of means.observed.

    Returns:
        The share as value, NaN where no group has any selection; resamples without one do not count.

    Source: SAGED 4.2, which names the rule; the probability is over root prompts like these.
    """
    share = np.full(len(seen.level), np.nan)
    n_units = len(by_unit)

    def work(piece: slice) -> None:
        # a resample as it is, not stretched to the noise of a new sample
        noise = means.noise(by_unit[:, :, piece], seen.deviation[:, piece], with_level=True)
        noise *= np.sqrt((n_units - 1) / n_units)
        rates = noise + (seen.deviation[:, piece] + seen.level[piece])[:, :, None]
        highest = rates.max(axis=0)
        has_any = highest > TIE
        n_below = (has_any & (rates.min(axis=0) < FOUR_FIFTHS * highest - TIE)).sum(axis=1)
        n = has_any.sum(axis=1)
        np.divide(n_below, n, out=share[piece], where=n > 0)

    in_threads(work, list(pieces(len(share), COLUMNS_PER_PIECE)))
    return Result.of(share.shape, value=share, reason=InferenceReason.DESCRIPTIVE)


def _invert_samples(
    named: dict[str, Index], samples: Sequence[IndexSample], margins: Floats, alpha: float
) -> list[Inverted]:
    """Invert the indices of columns side by side; margins of shape (columns, indices)."""
    indices, spreads = list(named.values()), [_StretchedMeans(sample) for sample in samples]
    profiles = [_stretchable(named, *column_inputs) for column_inputs in zip(samples, spreads, margins, strict=True)]
    return [
        _with_either_end(indices, sample, spread, profile, inverted)
        for sample, spread, profile, inverted in zip(samples, spreads, profiles, invert(profiles, alpha), strict=True)
    ]


def _stretchable(
    named: dict[str, Index], sample: IndexSample, spread: "_StretchedMeans", margins: Floats
) -> Stretchable:
    indices, highest = list(named.values()), sample.level + sample.deviation.max()

    def numbers(s: float | Floats, noise: Floats) -> Floats:
        seen = spread.at(s, noise)
        return np.stack([index.of(seen) for index in indices])

    ties = np.array([tie_of(index, np.asarray(sample.scale)) for index in indices])
    rare = _rare_differences(list(named), sample.by_unit, highest) if sample.is_rate else None
    return Stretchable(numbers, sample.noises, ties, margins, rare)


def _with_either_end(
    indices: Sequence[Index], sample: IndexSample, spread: "_StretchedMeans", profile: Stretchable, inverted: Inverted
) -> Inverted:
    """Limits within those of rates, and p of margins for groups at either end too."""
    if sample.is_rate:
        inverted = inverted._replace(high=np.minimum(inverted.high, 1))
    for which, index in enumerate(indices):
        if index.ends and inverted.p_margin[which] < 1:
            level = sample.level if sample.is_rate else np.inf
            ends = _at_either_end(index.ends, sample.deviation[:, None], profile.margins[which], level)
            least = index.of(spread.of(sample.deviation[:, None])) - profile.ties[which]
            past = [index.of(spread.of(ends + noise.values)) >= least for noise in sample.noises]
            inverted.p_margin[which] = max(inverted.p_margin[which], two_sided_p(past, sample.noises))
    return inverted


class _StretchedMeans:
    """How far group means lie apart with their differences stretched by s and noise added.

    The standard deviation follows from sums of the differences and of the noise, which are the same for every s. Rates
    are cut off at 0 and 1, and where that changes any its standard deviation is worked out anew.
    """

    def __init__(self, sample: IndexSample) -> None:
        """Take a column."""
        self._deviation, self._observed = sample.deviation, sample.deviation[:, None]
        self._level, self._scale = np.asarray(sample.level), np.asarray(sample.scale)
        self._own = sample.deviation.sum(), sample.deviation @ sample.deviation
        self._of_noise: dict[int, tuple[Floats, Floats, Floats, Floats]] = {}  # by its id, which is its own while kept
        self._ends = (-sample.level, 1 - sample.level) if sample.is_rate else (-np.inf, np.inf)

    def at(self, s: float | Floats, noise: Floats) -> DrawSpread:
        """Of one s, or one a draw, and noise of shape (groups, draws)."""
        if id(noise) not in self._of_noise:
            squares = np.einsum("gd,gd->d", noise, noise)
            self._of_noise[id(noise)] = noise, noise.sum(axis=0), squares, self._deviation @ noise
        (own_sum, own_squares), (_, total, squares, product) = self._own, self._of_noise[id(noise)]
        square_sums = s * s * own_squares + 2 * s * product + squares - (s * own_sum + total) ** 2 / len(noise)
        sd, values = np.sqrt(np.maximum(square_sums, 0) / (len(noise) - 1)), s * self._observed + noise
        high, low, (lowest, highest) = values.max(axis=0), values.min(axis=0), self._ends
        cut = np.flatnonzero((high > highest) | (low < lowest))
        if len(cut):
            sd[cut] = self.of(values[:, cut]).sd
            high, low = high.clip(lowest, highest), low.clip(lowest, highest)
        none = np.asarray(np.nan)
        return DrawSpread(
            level=self._level,
            high=high,
            low=low,
            sd=sd,
            dixon_low=none,
            dixon_high=none,
            scale=self._scale,
            n_groups=len(values),
        )

    def of(self, values: Floats) -> DrawSpread:
        """Of group values, shape (groups, draws)."""
        return spread_of(values.clip(*self._ends), self._level, self._scale, 0, with_dixon=False)


def _rare_differences(names: list[str], by_unit: Floats, highest: float) -> Rare:
    """What the indices of rates can be where few units show a difference.

    A standard deviation is largest where it is between two halves of the groups; 1 - impact ratio is the
    range over the largest rate.
    """
    n_groups = by_unit.shape[1]
    halves = (n_groups // 2) * (n_groups - n_groups // 2)
    slopes = {
        "range": 1.0,
        "standard_deviation": np.sqrt(halves / (n_groups * (n_groups - 1))),
        "impact_ratio": 1 / max(highest, TIE),
    }
    single_slopes = slopes | {"standard_deviation": 1 / np.sqrt(n_groups)}
    slope, one = (np.array([of[name] for name in names]) for of in (slopes, single_slopes))
    return rare_differences(by_unit, slope, np.ones(len(names)), one)


def _at_either_end(
    ends: Callable[[float, float, float], tuple[float, float]], observed: Floats, margin: float, level: float
) -> Floats:
    """Groups exactly at a margin, half of them at either end, in the order that was observed; (groups, 1).

    Of all groups with this index, these come out furthest apart. What was seen, stretched to the margin, does
    so less often: it has one group at either end, or takes the noise of the others for differences.
    """
    is_upper = observed[:, 0].argsort(kind="stable").argsort() >= len(observed) / 2
    low, high = ends(margin, level, float(is_upper.mean()))
    return np.where(is_upper, high, low)[:, None]
