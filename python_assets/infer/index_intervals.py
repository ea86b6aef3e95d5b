"""Intervals of the indices of group values: range, standard deviation and impact ratio, column by column.

Belongs here: the group values that are stretched and the noise around them. The procedure is inversion.py,
the indices are indices.py.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from python_assets.infer.design import Design
from python_assets.infer.indices import (
    FOUR_FIFTHS,
    CompleteBlocks,
    Index,
    IndexTest,
    Spread,
    spread_of,
    tie_of,
    without_test,
)
from python_assets.infer.inversion import (
    Inverted,
    Noise,
    Rare,
    Resamples,
    invert,
    rare_differences,
    resampled,
    two_sided_p,
)
from python_assets.infer.permutation import TIE, Floats, Ints, in_threads, pieces
from python_assets.infer.reasons import InferenceReason

COLUMNS_PER_PIECE = 8


class Sample(NamedTuple):
    """Group values minus the level of their column, over complete blocks.

    groups: that count. by_unit: of each unit, shape (units, groups that count, columns). permuted: factor
    times it are the group means under each draw, shape (columns, groups, draws). has_all_draws: whether these
    are all arrangements. level: mean of the groups. scale: of cells in their block. is_rate: whether values
    lie between 0 and 1.
    """

    groups: Ints
    by_unit: Floats
    permuted: Floats
    factor: float
    has_all_draws: bool
    level: Floats
    scale: Floats
    is_rate: bool


def unit_values(design: Design, blocks: CompleteBlocks, x: Floats) -> Floats:
    """Means of each group over the complete blocks of each unit.

    Args:
        design: the cells.
        blocks: which of them count.
        x: shape (cells, columns).

    Returns:
        Shape (units with a complete block, groups, columns).
    """
    cell = np.flatnonzero(blocks.weight)
    unit = np.unique(design.unit_of_block[design.block[cell]], return_inverse=True)[1]
    row = unit * len(blocks.groups) + np.searchsorted(blocks.groups, design.group[cell])
    shape = (blocks.n_units * len(blocks.groups), len(x))
    mean = sparse.csr_array((blocks.weight[cell] * blocks.n_units, (row, cell)), shape=shape)
    return (mean @ x).reshape(blocks.n_units, len(blocks.groups), -1)


def inverted_indices(
    wanted: dict[str, Index],
    sample: Sample,
    observed: Spread,
    resamples: Resamples,
    margins: dict[str, Floats],
    alpha: float,
) -> dict[str, Inverted]:
    """Intervals of the numbers behind the indices that have one.

    Args:
        wanted: by metric; those with a reason have no interval.
        sample: group values of units, and under each draw.
        observed: group values, shape (columns,).
        resamples: of the units.
        margins: of each column by metric, as printed; absent or NaN where none is declared.
        alpha: intervals are 1 - alpha.

    Returns:
        By metric, fields of shape (columns,).
    """
    indices = {name: index for name, index in wanted.items() if index.reason is None}
    none = np.full(len(sample.level), np.nan)
    of_columns = np.stack(
        [index.printed(margins.get(name, none), observed) for name, index in indices.items()], axis=1
    )

    def work(part: slice) -> list[Inverted]:
        noise = resampled(resamples, sample.by_unit[:, :, part].transpose(0, 2, 1))
        return [
            _invert_column(
                indices,
                sample,
                column,
                Noise(noise[column - part.start], resamples.is_complete),
                of_columns[column],
                alpha,
            )
            for column in range(part.start, part.stop)
        ]

    parts = in_threads(work, list(pieces(len(sample.level), COLUMNS_PER_PIECE)))
    fields = np.array([column for part in parts for column in part])  # (columns, fields, indices)
    return {name: Inverted(*fields[:, :, which].T) for which, name in enumerate(indices)}


def below_four_fifths(by_unit: Floats, level: Floats, resamples: Resamples) -> IndexTest:
    """The share of resampled units in which the impact ratio lies below four fifths.

    Args:
        by_unit: rates minus the level of their column, shape (units, groups that count, columns).
        level: shape (columns,).
        resamples: of the units.

    Returns:
        The share as value, NaN where no group has any selection; resamples without one do not count.

    Source: SAGED 4.2, which names the rule; the probability is over root prompts like these.
    """
    share = np.full(len(level), np.nan)

    def work(part: slice) -> None:
        of_units = by_unit[:, :, part]
        drawn = resamples.weights @ of_units.reshape(len(of_units), -1)
        rates = drawn.reshape(-1, *of_units.shape[1:]) + level[part]
        highest = rates.max(axis=1)
        has_any = highest > TIE
        n_below = (has_any & (rates.min(axis=1) < FOUR_FIFTHS * highest - TIE)).sum(axis=0)
        n = has_any.sum(axis=0)
        np.divide(n_below, n, out=share[part], where=n > 0)

    in_threads(work, list(pieces(len(level), COLUMNS_PER_PIECE)))
    return without_test(share.shape, InferenceReason.DESCRIPTIVE)._replace(value=share)


def _invert_column(
    named: dict[str, Index], sample: Sample, column: int, noise: Noise, margins: Floats, alpha: float
) -> Inverted:
    level, scale, indices = sample.level[column], sample.scale[column], list(named.values())
    observed = sample.by_unit[:, :, column].mean(axis=0)[:, None]

    def spread(values: Floats) -> Spread:
        if sample.is_rate:
            np.clip(values, -level, 1 - level, out=values)
        return spread_of(values, level, scale, 0)

    def numbers(s: float, noise: Floats) -> Floats:
        seen = spread(s * observed + noise)
        return np.stack([index.of(seen) for index in indices])

    noises = (Noise(sample.factor * sample.permuted[column, sample.groups], sample.has_all_draws), noise)
    ties = np.array([tie_of(index, scale) for index in indices])
    rare = _rare_differences(list(named), sample.by_unit[:, :, column], level) if sample.is_rate else None
    inverted = invert(numbers, noises, ties, margins, alpha, rare)
    if sample.is_rate:
        inverted = inverted._replace(high=np.minimum(inverted.high, 1))
    for which, index in enumerate(indices):
        if index.ends and inverted.p_margin[which] < 1:
            ends = _at_either_end(index.ends, observed, margins[which], level if sample.is_rate else np.inf)
            least = index.of(spread(observed.copy())) - ties[which]
            past = [index.of(spread(ends + noise.values)) >= least for noise in noises]
            inverted.p_margin[which] = max(inverted.p_margin[which], two_sided_p(past, noises))
    return inverted


def _rare_differences(names: list[str], by_unit: Floats, level: float) -> Rare:
    """What the indices of rates can be where few units show a difference.

    A standard deviation is largest where it is between two halves of the groups; 1 - impact ratio is the
    range over the largest rate.
    """
    n_groups = by_unit.shape[1]
    halves = (n_groups // 2) * (n_groups - n_groups // 2)
    slopes = {
        "range": 1.0,
        "standard_deviation": np.sqrt(halves / (n_groups * (n_groups - 1))),
        "impact_ratio": 1 / max(level + by_unit.mean(axis=0).max(), TIE),
    }
    of_one = slopes | {"standard_deviation": 1 / np.sqrt(n_groups)}
    slope, one = (np.array([of[name] for name in names]) for of in (slopes, of_one))
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
