"""Which scheme each column of a slice and grouping gets: root prompts, blocks, replicates, or none.

Belongs here: the choice of inference.md 2.6, presence pattern by presence pattern. The rows that come of it
are made in rows.py; adjusting for multiplicity is run.py.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.infer.cells import Cells, Rows
from python_assets.infer.comparison import (
    Compared,
    Task,
    compare_categories,
    compare_means,
    compare_rates,
    compare_selections,
)
from python_assets.infer.design import (
    THESE_PROMPTS_ONLY,
    Design,
    Frame,
    Unit,
    choose_unit,
    presence_patterns,
    scopes,
    shared,
)
from python_assets.infer.indices import complete_blocks
from python_assets.infer.permutation import Draws, Floats, Ints, RandomDraws, stable_seed
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.replicates import (
    Replicates,
    compare_replicated_means,
    compare_replicated_rates,
)
from python_assets.infer.rows import Margins, Sheet, compared_rows, margins_of, refused_rows

Tables = Iterator[tuple[str, pd.DataFrame]]
IN_BLOCKS: dict[str, Callable[[Task, Floats, dict[str, Floats]], Compared]] = {
    "continuous": compare_means,
    "binary": compare_rates,
    "categorical": compare_categories,
    "selection": compare_selections,
}
WITH_REPLICATES: dict[str, Callable[[Replicates, Floats, Draws, float], Compared]] = {
    "continuous": compare_replicated_means,
    "binary": compare_replicated_rates,
    "categorical": compare_replicated_rates,
    "selection": compare_replicated_rates,
}


class Options(NamedTuple):
    """What is asked for.

    seed: of the study. n_permutations: B. alpha: error rate. margins: by name, or by measure and name.
    """

    seed: int
    n_permutations: int
    alpha: float
    margins: Margins


def compare_groups(cells: Cells, read_rows: Callable[[], Rows], options: Options) -> Tables:
    """Yield rows of contrasts and disparities of one slice and grouping.

    Args:
        cells: the cells.
        read_rows: called only where replicates have to stand in for prompts.
        options: what is asked for.
    """
    if cells.has_several_prompts:
        everything = np.arange(len(cells.columns))
        yield from refused_rows(
            Sheet(cells, everything, options.margins), InferenceReason.SCHEME_NOT_AVAILABLE
        )
        return
    replicated: list[int] = []
    for present, columns in presence_patterns(cells.x):
        cell = shared(cells.frame, present)
        for members, unit in _units(cells, cell, columns):
            if unit is Unit.REPLICATE:
                replicated += members.tolist()
            elif isinstance(unit, Unit):
                yield from _compare_in_blocks(
                    cells, Design(cells.frame, cell, unit), members, present, options
                )
            else:
                reason = _why_not(cells.frame, present, cell, unit)
                yield from refused_rows(Sheet(cells, members, options.margins), reason)
    if replicated:
        yield from _compare_replicates(cells, read_rows(), np.array(sorted(replicated)), options)


def _units(cells: Cells, cell: Ints, columns: Ints) -> Iterator[tuple[Ints, Unit | InferenceReason]]:
    """Choose the unit of the columns of one presence pattern; they differ only in having replicates."""
    blocks = np.unique(cells.frame.block[cell])
    n_roots = len(np.unique(cells.frame.root_of_block[blocks]))
    counts = cells.n_responses[np.ix_(cell, columns)]
    fewest = counts.min(axis=0) if len(cell) else np.zeros(len(columns))
    for has_replicates in (True, False):
        members = columns[(fewest >= 2) == has_replicates]
        if len(members):
            unit = choose_unit(n_roots, len(blocks), 2 if has_replicates else 1)
            yield members, _named(unit, counts.max(initial=0))


def _named(unit: Unit | InferenceReason, most_responses: float) -> Unit | InferenceReason:
    if unit is InferenceReason.TOO_FEW_ROOT_PROMPTS and most_responses >= 2:
        return InferenceReason.TOO_FEW_REPLICATES
    return unit


def _why_not(
    frame: Frame, present: NDArray[np.bool_], cell: Ints, reason: InferenceReason
) -> InferenceReason:
    if len(np.unique(frame.group[present])) < 2:
        return InferenceReason.ONE_GROUP
    return reason if len(cell) else InferenceReason.SCHEME_NOT_AVAILABLE


def _roles(cells: Cells, columns: Ints) -> Iterator[tuple[str, Ints]]:
    roles = cells.roles[columns]
    for role in IN_BLOCKS:
        if (roles == role).any():
            yield role, columns[roles == role]


def _compare_in_blocks(
    cells: Cells, design: Design, columns: Ints, present: NDArray[np.bool_], options: Options
) -> Tables:
    seed = stable_seed(options.seed, cells.slice_id, cells.grouping_id, design.unit)
    draws = RandomDraws(seed, options.n_permutations, design.block, design.cell, len(cells.frame.block))
    blocks = complete_blocks(design, len(np.unique(cells.frame.block[present])))
    task = Task(design, blocks, draws, options.alpha)
    scope = scopes(np.array([blocks.n_root_prompts]), design.unit)[0]
    for role, members in _roles(cells, columns):
        x = cells.x[np.ix_(design.cell, members)]
        compared = IN_BLOCKS[role](task, x, margins_of(cells, members, options.margins))
        sheet = Sheet(cells, members, options.margins, blocks.n_root_prompts, blocks.method, scope)
        yield from compared_rows(sheet, compared)


def _compare_replicates(cells: Cells, rows: Rows, columns: Ints, options: Options) -> Tables:
    seed = stable_seed(options.seed, cells.slice_id, cells.grouping_id, Unit.REPLICATE)
    for present, places in presence_patterns(rows.x[:, columns]):
        row, replicates = _replicates(rows.frame, present)
        if not len(row) or replicates.n_rows_of_cell.min() < 2:
            sheet = Sheet(cells, columns[places], options.margins)
            yield from refused_rows(sheet, InferenceReason.TOO_FEW_REPLICATES)
            continue
        draws = RandomDraws(seed, options.n_permutations, replicates.block, row, len(present))
        n_roots = len(np.unique(replicates.root_of_block[replicates.is_complete]))
        for role, members in _roles(cells, columns[places]):
            compared = WITH_REPLICATES[role](replicates, rows.x[np.ix_(row, members)], draws, options.alpha)
            method = "permuted replicates within blocks"
            sheet = Sheet(cells, members, options.margins, n_roots, method, THESE_PROMPTS_ONLY)
            yield from compared_rows(sheet, compared)


def _replicates(frame: Frame, present: NDArray[np.bool_]) -> tuple[Ints, Replicates]:
    """The present rows of blocks with two groups or more, and their positions."""
    row = np.flatnonzero(present)
    codes = np.unique(frame.block[row] * frame.n_groups + frame.group[row])
    n_groups = np.bincount(codes // frame.n_groups, minlength=len(frame.root_of_block))
    row = row[n_groups[frame.block[row]] >= 2]
    blocks, block = np.unique(frame.block[row], return_inverse=True)
    root = np.unique(frame.root_of_block[blocks], return_inverse=True)[1]
    return row, Replicates(block, frame.group[row], root, frame.n_groups)
