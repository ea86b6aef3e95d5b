"""Everything that is computed on the columns of one presence pattern, in pieces that fit in memory.

Belongs here: which null serves which contrasts and indices. The statistics themselves are means.py, rates.py
and indices.py.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from python_assets.infer.contrasts import Contrasts
from python_assets.infer.design import Design
from python_assets.infer.index_intervals import Sample, below_four_fifths, inverted_indices, unit_values
from python_assets.infer.indices import (
    BELOW_FOUR_FIFTHS,
    INDICES,
    RATE_INDICES,
    CompleteBlocks,
    IndexTest,
    Spread,
    centred,
    index_tests,
    null_spread,
    spread_of,
)
from python_assets.infer.inversion import Resamples, n_permuted
from python_assets.infer.means import mean_differences, mean_null
from python_assets.infer.pairs import pair_sides, with_mirrors
from python_assets.infer.permutation import Draws, Floats, permuted_means, pieces
from python_assets.infer.rates import log_disparities, rate_differences, rate_null
from python_assets.infer.reference import Reference
from python_assets.infer.sides import BlockSides, Sides
from python_assets.study.base import Against

NULL_BYTES = 600_000_000  # of the permuted values that are held at once
_OF_RATES = {"risk_difference": rate_differences, "log_disparity": log_disparities}
Rows = TypeVar("Rows", bound=tuple[Any, ...])


class Compared(NamedTuple):
    """Contrasts by name and index tests by metric, of the same columns."""

    contrasts: dict[str, Contrasts]
    indices: dict[str, IndexTest]


class Task(NamedTuple):
    """What all columns of a presence pattern share.

    design: its cells. blocks: those that indices are computed on. draws: the arrangements. alpha: intervals
    have 1 - alpha. resamples: of the units with a complete block; None where they are too few for an interval
    of an index. reference: what groups are compared with.
    """

    design: Design
    blocks: CompleteBlocks
    draws: Draws
    alpha: float
    resamples: Resamples | None = None
    reference: Reference = Reference()

    @property
    def sides(self) -> Sides:
        """What the rows of its contrasts compare; of all pairs, one of each two that mirror each other."""
        if self.reference.is_pairwise:
            return pair_sides(self.design, self.reference)
        return BlockSides(self.design, self.reference.against)


def compare_means(task: Task, x: Floats, margins: dict[str, Floats]) -> Compared:
    """Contrasts and indices of group means.

    Args:
        task: cells and draws.
        x: cell means, shape (cells, columns).
        margins: of each column by contrast, NaN where none is declared.
    """
    sides = task.sides

    def part(columns: slice) -> Compared:
        means, of_columns = x[:, columns], _of(columns, margins)
        null = mean_null(sides, means, task.draws, task.alpha)
        indices = _indices(task, means, of_columns, _known(task, null.values), is_rate=False)
        margin = of_columns["mean_difference"]
        contrast = mean_differences(sides, means, null, alpha=task.alpha, margin=margin)
        return Compared({"mean_difference": contrast}, indices)

    compared = in_pieces(task, x.shape[1], len(sides.is_present), part)
    return with_all_rows(task.reference, task.design.frame.n_groups, compared)


def compare_differences(task: Task, x: Floats, margins: dict[str, Floats]) -> Compared:
    """Contrasts of group means without indices; arguments as compare_means."""
    return compare_means(task._replace(blocks=task.blocks._replace(n_complete=0)), x, margins)


def compare_rates(task: Task, y: Floats, margins: dict[str, Floats]) -> Compared:
    """Contrasts and indices of rates; arguments as compare_means."""
    sides = task.sides

    def part(columns: slice) -> Compared:
        rates, of_columns = y[:, columns], _of(columns, margins)
        null = rate_null(sides, rates, task.draws, task.alpha)
        indices = _indices(task, rates, of_columns, _known(task, null.difference), is_rate=True)
        contrasts = {
            name: contrast(sides, rates, null, alpha=task.alpha, margin=of_columns[name])
            for name, contrast in _OF_RATES.items()
        }
        return Compared(contrasts, indices)

    compared = in_pieces(task, y.shape[1], 4 * len(sides.is_present), part)
    return with_all_rows(task.reference, task.design.frame.n_groups, compared)


def compare_categories(task: Task, y: Floats, margins: dict[str, Floats]) -> Compared:
    """Contrasts of the shares of a category; arguments as compare_means."""
    sides = task.sides

    def part(columns: slice) -> Compared:
        shares, margin = y[:, columns], margins["risk_difference"][columns]
        null = rate_null(sides, shares, task.draws, task.alpha)
        risk = rate_differences(sides, shares, null, alpha=task.alpha, margin=margin)
        return Compared({"risk_difference": risk}, {})

    compared = in_pieces(task, y.shape[1], 4 * len(sides.is_present), part)
    return with_all_rows(task.reference, task.design.frame.n_groups, compared)


def compare_selections(task: Task, y: Floats, margins: dict[str, Floats]) -> Compared:
    """Indices of selection rates; arguments as compare_means, but no contrast is computed."""

    def part(columns: slice) -> Compared:
        of_columns = _of(columns, margins)
        return Compared({}, _indices(task, y[:, columns], of_columns, None, is_rate=True))

    return in_pieces(task, y.shape[1], task.design.frame.n_groups, part)


def _known(task: Task, differences: Floats) -> tuple[Floats, float] | None:
    """In complete blocks a permuted mean is the permuted difference from the rest times (K - 1) / K."""
    n_groups = len(task.design.groups)
    is_whole = task.design.is_complete and task.blocks.n_complete == task.blocks.n_blocks
    is_known = is_whole and task.reference.against is Against.REST
    return (differences, (n_groups - 1) / n_groups) if is_known else None


def _indices(
    task: Task,
    x: Floats,
    margins: dict[str, Floats],
    known: tuple[Floats, float] | None,
    *,
    is_rate: bool,
) -> dict[str, IndexTest]:
    """Indices from a null that is known but for a factor, or from one drawn here."""
    if not task.blocks.is_enough:
        return {}
    wanted = INDICES | RATE_INDICES if is_rate else INDICES
    weighted, level = centred(task.design, task.blocks, x)
    null, factor = known or (permuted_means(task.design.group_slots, task.draws, weighted), 1.0)
    scale = np.sqrt((task.design.centred(x) ** 2).mean(axis=0))
    permuted = null_spread(null, level, scale, task.blocks.groups, factor)
    observed = observed_spread(task.design, weighted, level, scale)
    inverted, beside = None, dict[str, IndexTest]()
    if task.resamples is not None:
        of_units = unit_values(task.design, task.blocks, x - level if is_rate else task.design.centred(x))
        used = null[:, :, : n_permuted(task.draws)]
        sample = Sample(
            groups=task.blocks.groups,
            by_unit=of_units,
            permuted=used,
            factor=factor,
            has_all_draws=task.draws.is_complete,
            level=level,
            scale=scale,
            is_rate=is_rate,
        )
        inverted = inverted_indices(wanted, sample, observed, task.resamples, margins, task.alpha)
        if is_rate:
            beside[BELOW_FOUR_FIFTHS] = below_four_fifths(of_units, level, task.resamples)
    return index_tests(wanted, observed, permuted, task.draws, inverted) | beside


def _of(columns: slice, margins: dict[str, Floats]) -> dict[str, Floats]:
    return {name: margin[columns] for name, margin in margins.items()}


def observed_spread(design: Design, weighted: Floats, level: Floats, scale: Floats) -> Spread:
    """Sum up the observed group values; weighted and level as centred returns them."""
    sums = np.zeros((design.frame.n_groups, weighted.shape[1]))
    np.add.at(sums, design.group, weighted)
    return spread_of(sums[design.groups], level, scale, 0)


def with_all_rows(reference: Reference, n_groups: int, compared: Compared) -> Compared:
    """The rows of Reference.rows, where all pairs have been computed one way round."""
    if reference.against is not Against.ALL_PAIRS:
        return compared
    contrasts = {name: with_mirrors(one, n_groups) for name, one in compared.contrasts.items()}
    return compared._replace(contrasts=contrasts)


class Drawn(Protocol):
    """A task of any scheme."""

    @property
    def draws(self) -> Draws:
        """The arrangements."""


def in_pieces(task: Drawn, n_columns: int, n_values: int, part: Callable[[slice], Compared]) -> Compared:
    """Compare a few columns at a time; n_values numbers are held for each of them under each draw."""
    per_column = 8 * task.draws.n * max(n_values, 1)
    done = [part(columns) for columns in pieces(n_columns, max(1, NULL_BYTES // per_column))]
    return Compared(
        {name: joined([one.contrasts[name] for one in done]) for name in done[0].contrasts},
        {name: joined([one.indices[name] for one in done]) for name in done[0].indices},
    )


def joined(parts: Sequence[Rows]) -> Rows:
    """Put the arrays of equal fields one after the other along the columns."""
    return type(parts[0])(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
