"""Everything that is computed on the columns of one presence pattern, in pieces that fit in memory.

Belongs here: which null serves which contrasts and indices. The statistics themselves are contrasts.py,
rates.py and indices.py.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from python_assets.infer.contrasts import Contrasts, deviations, mean_differences, mean_null
from python_assets.infer.design import Design
from python_assets.infer.indices import (
    INDICES,
    RATE_INDICES,
    CompleteBlocks,
    Index,
    IndexTest,
    Spread,
    centred,
    index_tests,
    null_spread,
    spread_of,
)
from python_assets.infer.permutation import Draws, Floats, permuted_means, pieces
from python_assets.infer.rates import log_disparities, rate_differences, rate_null

NULL_BYTES = 600_000_000  # of the permuted values that are held at once
Rows = TypeVar("Rows", bound=tuple[Any, ...])


class Compared(NamedTuple):
    """Contrasts by name and index tests by metric, of the same columns."""

    contrasts: dict[str, Contrasts]
    indices: dict[str, IndexTest]


class Task(NamedTuple):
    """What all columns of a presence pattern share.

    design: its cells. blocks: those that indices are computed on. draws: the arrangements. alpha: intervals
    have 1 - alpha.
    """

    design: Design
    blocks: CompleteBlocks
    draws: Draws
    alpha: float


def compare_means(task: Task, x: Floats, margins: dict[str, Floats]) -> Compared:
    """Contrasts and indices of group means.

    Args:
        task: cells and draws.
        x: cell means, shape (cells, columns).
        margins: of each column by contrast, NaN where none is declared.
    """

    def part(columns: slice) -> Compared:
        null = mean_null(task.design, deviations(task.design, x[:, columns]), task.draws)
        indices = _mean_indices(task, x[:, columns], null.values)
        contrast = mean_differences(
            task.design,
            x[:, columns],
            null,
            task.draws,
            alpha=task.alpha,
            margin=margins["mean_difference"][columns],
        )
        return Compared({"mean_difference": contrast}, indices)

    return _in_pieces(task, x.shape[1], 1, part)


def compare_rates(task: Task, y: Floats, margins: dict[str, Floats]) -> Compared:
    """Contrasts and indices of rates; arguments as compare_means."""

    def part(columns: slice) -> Compared:
        design, draws, alpha = task.design, task.draws, task.alpha
        rates = y[:, columns]
        null = rate_null(design, rates, draws)
        indices = rate_indices(task, rates)
        risk = rate_differences(
            design, rates, null, draws, alpha=alpha, margin=margins["risk_difference"][columns]
        )
        log = log_disparities(
            design, rates, null, draws, alpha=alpha, margin=margins["log_disparity"][columns]
        )
        return Compared({"risk_difference": risk, "log_disparity": log}, indices)

    return _in_pieces(task, y.shape[1], 4, part)


def compare_categories(task: Task, y: Floats, margins: dict[str, Floats]) -> Compared:
    """Contrasts of the shares of a category; arguments as compare_means."""

    def part(columns: slice) -> Compared:
        null = rate_null(task.design, y[:, columns], task.draws)
        margin = margins["risk_difference"][columns]
        risk = rate_differences(task.design, y[:, columns], null, task.draws, alpha=task.alpha, margin=margin)
        return Compared({"risk_difference": risk}, {})

    return _in_pieces(task, y.shape[1], 4, part)


def compare_selections(task: Task, y: Floats, margins: dict[str, Floats]) -> Compared:
    """Indices of selection rates; arguments as compare_means, but no contrast is computed."""
    del margins
    return _in_pieces(task, y.shape[1], 1, lambda columns: Compared({}, rate_indices(task, y[:, columns])))


def rate_indices(task: Task, y: Floats) -> dict[str, IndexTest]:
    """Indices of rates from the permuted rates of the groups."""
    return _indices(task, y, INDICES | RATE_INDICES, None)


def _mean_indices(task: Task, x: Floats, mean_d: Floats) -> dict[str, IndexTest]:
    """Indices of means; in complete blocks a permuted mean is the permuted D times (K - 1) / K."""
    n_groups = len(task.design.groups)
    is_shared = task.design.is_complete and task.blocks.n_complete == task.blocks.n_blocks
    return _indices(task, x, INDICES, (mean_d, (n_groups - 1) / n_groups) if is_shared else None)


def _indices(
    task: Task, x: Floats, wanted: dict[str, Index], known: tuple[Floats, float] | None
) -> dict[str, IndexTest]:
    """Indices from a null that is known but for a factor, or from one drawn here."""
    if not task.blocks.is_enough:
        return {}
    weighted, level = centred(task.design, task.blocks, x)
    null, factor = known or (permuted_means(task.design.group_slots, task.draws, weighted), 1.0)
    scale = np.sqrt((task.design.centred(x) ** 2).mean(axis=0))
    permuted = null_spread(null, level, scale, task.blocks.groups, factor)
    observed = observed_spread(task.design, weighted, level, scale)
    return index_tests(wanted, observed, permuted, task.draws)


def observed_spread(design: Design, weighted: Floats, level: Floats, scale: Floats) -> Spread:
    """Sum up the observed group values; weighted and level as centred returns them."""
    sums = np.zeros((design.frame.n_groups, weighted.shape[1]))
    np.add.at(sums, design.group, weighted)
    return spread_of(sums[design.groups], level, scale, 0)


def _in_pieces(task: Task, n_columns: int, copies: int, part: Callable[[slice], Compared]) -> Compared:
    per_column = 8 * task.draws.n * task.design.frame.n_groups * copies
    done = [part(columns) for columns in pieces(n_columns, max(1, NULL_BYTES // per_column))]
    return Compared(
        {name: joined([one.contrasts[name] for one in done]) for name in done[0].contrasts},
        {name: joined([one.indices[name] for one in done]) for name in done[0].indices},
    )


def joined(parts: Sequence[Rows]) -> Rows:
    """Put the arrays of equal fields one after the other along the columns."""
    return type(parts[0])(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
