"""Which exchange scheme the columns of a slice and grouping are tested by, and the rows that come of it.

Belongs here: choosing by the shape of the data. Groups that meet on the same prompts are compared in blocks;
groups that never do, by the units that lie in each; a few prompts, by their replicates.

Source: inference.md section 1 and 2.6.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.asked import Asked
from python_assets.infer.by_role import Scheme, Sources, Tables, compare_columns, refuse_columns
from python_assets.infer.cells import Cells, Rows, Values
from python_assets.infer.comparison import (
    Compared,
    Task,
    compare_categories,
    compare_differences,
    compare_means,
    compare_rates,
    compare_selections,
)
from python_assets.infer.contrasts import Contrasts
from python_assets.infer.design import (
    PROMPTS_LIKE_THESE,
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
from python_assets.infer.inversion import resamples_of
from python_assets.infer.nested import NestedTask, compare_nested_means, compare_nested_rates
from python_assets.infer.nested_profiles import compare_nested_profiles
from python_assets.infer.nonlinear import METHOD, NONLINEAR_PERMUTATIONS, compare_statistic
from python_assets.infer.permutation import Floats, Ints, RandomDraws, stable_seed
from python_assets.infer.profiles import compare_profiles
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.reference import Reference
from python_assets.infer.replicates import Replicates
from python_assets.infer.rows import Margins, Sheet, compared_rows, refused_rows
from python_assets.infer.units import MIN_UNITS_FOR_SCOPE, Units, nested_units
from python_assets.infer.welch import ReplicateTask, compare_replicated_means, compare_replicated_rates
from python_assets.study.base import Against

IN_BLOCKS: dict[str, Callable[[Task, Floats, dict[str, Floats]], Compared]] = {
    "continuous": compare_means,
    "binary": compare_rates,
    "categorical": compare_categories,
    "selection": compare_selections,
    "precision": compare_selections,
    "differences": compare_differences,
}
WITH_REPLICATES: dict[str, Callable[[ReplicateTask, Floats], Compared]] = {
    "continuous": compare_replicated_means,
    "binary": compare_replicated_rates,
    "categorical": compare_replicated_rates,
    "selection": compare_replicated_rates,
    "precision": compare_replicated_rates,
    "differences": compare_replicated_means,
}


class Options(NamedTuple):
    """What is asked for.

    seed: of the study. n_permutations: B. n_bootstrap: resamples of root prompts. alpha: error rate. margins:
    by name, or by measure and name. references: by grouping, with the group it is. asked: contrasts beyond
    those of every measure.
    """

    seed: int
    n_permutations: int
    n_bootstrap: int
    alpha: float
    margins: Margins
    references: Mapping[str, tuple[Against, str | None]]
    asked: tuple[str, ...]

    def reference(self, cells: Cells) -> Reference | None:
        """What the groups are compared with; None where that group has no prompt in the slice."""
        against, group_id = self.references.get(cells.grouping_id, (Against.REST, None))
        if group_id is None:
            return Reference(against)
        if group_id not in cells.group_ids:
            return None
        return Reference(against, cells.group_ids.index(group_id))

    def sheet(self, cells: Cells, columns: Ints) -> Sheet:
        """Rows of some columns, without what comes of comparing them."""
        n_draws = self.n_permutations
        return Sheet(cells, columns, self.margins, self.reference(cells), self.asked, n_draws)


def compare_groups(cells: Cells, sources: Sources, options: Options) -> Tables:
    """Yield rows of contrasts and disparities of the means and rates of one slice and grouping."""
    if cells.has_several_prompts:
        everything = options.sheet(cells, np.arange(len(cells.columns)))
        yield from refuse_columns(everything, InferenceReason.SEVERAL_PROMPTS)
    elif cells.stratum_of_cell is not None:
        yield from _compare_units(cells, cells.stratum_of_cell, sources, options)
    else:
        yield from _compare_blocks(cells, sources, options)


def compare_statistics(cells: Cells, values: Values, asked: Asked, options: Options) -> Tables:
    """Yield rows of a statistic that is no mean.

    Args:
        cells: those that the statistic has values in, cells.of_statistic.
        values: the rows.
        asked: the statistic.
        options: what every statistic is computed with.
    """
    options = options._replace(
        n_permutations=min(options.n_permutations, NONLINEAR_PERMUTATIONS),
        asked=options.asked if asked.has_contrast else (),
    )
    if cells.has_several_prompts or cells.stratum_of_cell is not None:
        several, none = InferenceReason.SEVERAL_PROMPTS, InferenceReason.SCHEME_NOT_AVAILABLE
        yield from refused_rows(
            options.sheet(cells, np.arange(len(cells.columns))),
            several if cells.has_several_prompts else none,
        )
        return
    for present, columns in presence_patterns(cells.x):
        cell = shared(cells.frame, present)
        for members, unit in _units(cells, cell, columns):
            if isinstance(unit, Unit) and unit is not Unit.REPLICATE:
                design = Design(cells.frame, cell, unit)
                yield from _compare_statistic(
                    cells=cells,
                    values=values,
                    asked=asked,
                    design=design,
                    columns=members,
                    present=present,
                    options=options,
                )
            else:
                none = InferenceReason.SCHEME_NOT_AVAILABLE
                reason = none if isinstance(unit, Unit) else _why_not(cells.frame, present, cell, unit)
                yield from refused_rows(options.sheet(cells, members), reason)


def _compare_statistic(
    cells: Cells,
    values: Values,
    asked: Asked,
    design: Design,
    columns: Ints,
    present: NDArray[np.bool_],
    options: Options,
) -> Tables:
    task = _task(cells, design, present, options, Reference())
    sheet = _with_design(options.sheet(cells, columns), task)
    compared = compare_statistic(task, values, columns, asked, with_contrast=bool(sheet.contrasts))
    yield from compared_rows(sheet._replace(method=f"{METHOD}, {task.blocks.method}"), compared)


def _compare_blocks(cells: Cells, sources: Sources, options: Options) -> Tables:
    replicated: list[int] = []
    for present, columns in presence_patterns(cells.x):
        cell = shared(cells.frame, present)
        for members, unit in _units(cells, cell, columns):
            if unit is Unit.REPLICATE:
                replicated += members.tolist()
            elif isinstance(unit, Unit):
                design = Design(cells.frame, cell, unit)
                yield from _compare_in_blocks(cells, sources, design, members, present, options)
            else:
                reason = _why_not(cells.frame, present, cell, unit)
                yield from refuse_columns(options.sheet(cells, members), reason)
    if replicated:
        yield from _compare_replicates(cells, sources, np.array(sorted(replicated)), options)


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
    return reason if len(cell) else InferenceReason.NO_SHARED_BLOCK


def _task(
    cells: Cells, design: Design, present: NDArray[np.bool_], options: Options, reference: Reference
) -> Task:
    seed = stable_seed(options.seed, cells.slice_id, cells.grouping_id, design.unit)
    draws = RandomDraws(seed, options.n_permutations, design.block, design.cell, len(cells.frame.block))
    n_blocks, n_groups = (len(np.unique(of[present])) for of in (cells.frame.block, cells.frame.group))
    blocks = complete_blocks(design, n_blocks, n_groups)
    resamples = resamples_of(seed, options.n_permutations, blocks.n_units)
    return Task(design, blocks, draws, options.alpha, resamples, reference)


def _with_design(sheet: Sheet, task: Task) -> Sheet:
    scope = scopes(np.array([task.blocks.n_root_prompts]), task.design.unit)[0]
    return sheet._replace(n_root_prompts=task.blocks.n_root_prompts, method=task.blocks.method, scope=scope)


def _compare_in_blocks(
    cells: Cells,
    sources: Sources,
    design: Design,
    columns: Ints,
    present: NDArray[np.bool_],
    options: Options,
) -> Tables:
    task = _task(cells, design, present, options, Reference())

    def compare(role: str, x: Floats, margins: dict[str, Floats], reference: Reference) -> Compared:
        return IN_BLOCKS[role](task._replace(reference=reference), x, margins)

    scheme = Scheme(
        take=lambda members: cells.x[np.ix_(design.cell, members)],
        compare=compare,
        profiles=lambda y, margins: compare_profiles(task, y, margins),
    )
    yield from compare_columns(_with_design(options.sheet(cells, columns), task), scheme, sources)


def _compare_replicates(cells: Cells, sources: Sources, columns: Ints, options: Options) -> Tables:
    rows = sources.rows()
    seed = stable_seed(options.seed, cells.slice_id, cells.grouping_id, Unit.REPLICATE)
    for present, places in presence_patterns(rows.x[:, columns]):
        sheet = options.sheet(cells, columns[places])
        row, replicates = _replicates(rows.frame, present)
        if not len(row) or replicates.n_rows_of_cell.min() < 2:
            yield from refuse_columns(sheet, InferenceReason.TOO_FEW_REPLICATES)
            continue
        draws = RandomDraws(seed, options.n_permutations, replicates.block, row, len(present))
        scheme = _of_replicates(rows, row, ReplicateTask(replicates, draws, options.alpha))
        sheet = sheet._replace(
            n_root_prompts=len(np.unique(replicates.root_of_block[replicates.is_complete])),
            method="permuted replicates within blocks",
            scope=THESE_PROMPTS_ONLY,
        )
        yield from compare_columns(sheet, scheme, sources)


def _of_replicates(rows: Rows, row: Ints, task: ReplicateTask) -> Scheme:
    """Rows of each block are shuffled over its groups; for profiles, each row is a unit of its own."""
    replicates = task.rows
    units = Units(row, replicates.block, replicates.group, replicates.n_groups, replicates.n_present)

    def compare(role: str, x: Floats, margins: dict[str, Floats], reference: Reference) -> Compared:
        del margins  # nothing that holds for these prompts only is held against a margin
        return WITH_REPLICATES[role](task._replace(reference=reference), x)

    def profiles(y: Floats, margins: dict[str, Floats]) -> Compared:
        del margins
        compared = compare_nested_profiles(NestedTask(units, task.draws, task.alpha), y, min_units=2)
        return compared._replace(contrasts={name: narrow(one) for name, one in compared.contrasts.items()})

    def narrow(contrasts: Contrasts) -> Contrasts:
        scope = first_of([contrasts.scope.astype(bool)], [THESE_PROMPTS_ONLY])
        n_roots = np.broadcast_to(replicates.n_root_prompts, contrasts.value.shape)
        return contrasts._replace(scope=scope, n_root_prompts=n_roots)

    return Scheme(lambda members: rows.x[np.ix_(row, members)], compare, profiles)


def _replicates(frame: Frame, present: NDArray[np.bool_]) -> tuple[Ints, Replicates]:
    """The present rows of blocks with two groups or more, and their positions."""
    row = np.flatnonzero(present)
    codes = np.unique(frame.block[row] * frame.n_groups + frame.group[row])
    n_groups = np.bincount(codes // frame.n_groups, minlength=len(frame.root_of_block))
    row = row[n_groups[frame.block[row]] >= 2]
    blocks, block = np.unique(frame.block[row], return_inverse=True)
    root = np.unique(frame.root_of_block[blocks], return_inverse=True)[1]
    return row, Replicates(
        block, frame.group[row], root, frame.n_groups, len(np.unique(frame.group[present]))
    )


def _compare_units(cells: Cells, strata: Ints, sources: Sources, options: Options) -> Tables:
    seed = stable_seed(options.seed, cells.slice_id, cells.grouping_id, "unit in group")
    for present, columns in presence_patterns(cells.x):
        units = nested_units(cells.frame, strata, present)
        sheet = options.sheet(cells, columns)
        if len(units.groups) < 2:
            yield from refuse_columns(sheet, InferenceReason.ONE_GROUP)
            continue
        draws = RandomDraws(seed, options.n_permutations, units.stratum, units.unit, len(present))
        fewest = np.bincount(units.group, minlength=units.n_groups)[units.groups].min()
        sheet = sheet._replace(
            n_root_prompts=units.n_complete,
            method=f"permuted units, {units.method}",
            scope=PROMPTS_LIKE_THESE if fewest >= MIN_UNITS_FOR_SCOPE else THESE_PROMPTS_ONLY,
        )
        scheme = _of_units(cells, units, NestedTask(units, draws, options.alpha))
        yield from compare_columns(sheet, scheme, sources)


def _of_units(cells: Cells, units: Units, task: NestedTask) -> Scheme:
    def compare(role: str, x: Floats, margins: dict[str, Floats], reference: Reference) -> Compared:
        is_mean = role in ("continuous", "differences")
        of_role = compare_nested_means if is_mean else compare_nested_rates
        return of_role(task._replace(reference=reference), x, margins)

    return Scheme(
        take=lambda members: cells.x[np.ix_(units.unit, members)],
        compare=compare,
        profiles=lambda y, _: compare_nested_profiles(task, y),
    )
