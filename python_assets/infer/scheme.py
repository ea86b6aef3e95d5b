"""Which exchange scheme the columns of a slice and grouping are tested by.

Belongs here: choosing by the shape of the data, and laying it out. Groups that meet on the same prompts are
compared in blocks; groups that never do, by the units that lie in each; a few prompts, by their replicates.
Nothing after this knows which one it was, but where a formula holds in blocks alone.

Source: inference.md 1, 2.6, 2.7 and 7.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from python_assets.infer.block_sides import BlockSides
from python_assets.infer.cells import Cells, Rows
from python_assets.infer.design import (
    Design,
    Frame,
    Unit,
    choose_unit,
    presence_patterns,
    shared,
)
from python_assets.infer.group_means import BlockMeans, UnitMeans
from python_assets.infer.inversion import MIN_UNITS_FOR_INTERVAL, Resamples, resamples_of
from python_assets.infer.owner_draws import OwnerDraws
from python_assets.infer.pairs import PairSides, pair_sides
from python_assets.infer.permutation import Draws, Floats, Ints, Shuffles, stable_seed
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.reference import Reference
from python_assets.infer.unit_sides import UnitSides
from python_assets.infer.units import Units
from python_assets.study.base import Against


class Settings(Protocol):
    """What a study declares of its draws."""

    @property
    def seed(self) -> int:
        """Seed of every draw."""

    @property
    def n_permutations(self) -> int:
        """Number of draws, B."""

    @property
    def n_bootstrap(self) -> int:
        """Number of resamples of the root prompts."""

    @property
    def alpha(self) -> float:
        """Error rate of tests, intervals and verdicts."""


class Options(NamedTuple):
    """What is asked for.

    seed: of the study. n_permutations: B. n_bootstrap: resamples of root prompts. alpha: error rate. margins:
    by name, or by measure and name. references: by grouping, with the group it is. contrasts: beyond those of
    every measure. n_nonlinear: B of statistics that are no means, each of whose draws is worth twenty.
    """

    seed: int
    n_permutations: int
    n_bootstrap: int
    alpha: float
    margins: Mapping[str, float | Mapping[str, float]]
    references: Mapping[str, tuple[Against, str | None]]
    contrasts: tuple[str, ...]
    n_nonlinear: int = 1_999

    @property
    def n_draws_nonlinear(self) -> int:
        """B of statistics that are no means, where fewer are asked for."""
        return min(self.n_permutations, self.n_nonlinear)

    def reference(self, cells: Cells) -> Reference | None:
        """What the groups are compared with; None where that group has no prompt in the slice."""
        against, group_id = self.references.get(cells.grouping_id, (Against.REST, None))
        if group_id is None:
            return Reference(against)
        if group_id not in cells.group_ids:
            return None
        return Reference(against, cells.group_ids.index(group_id))


class Blocks(NamedTuple):
    """Groups that meet in blocks: cells change places in their block, and errors are over its root prompts.

    n_groups_with_value: also groups that meet no other one. resamples: of the units, None where they are
    too few.
    """

    design: Design
    n_groups_with_value: int
    draws: Draws
    alpha: float
    resamples: Resamples | None = None
    reference: Reference = Reference()

    @property
    def n_groups(self) -> int:
        """Groups of the grouping."""
        return self.design.frame.n_groups

    @property
    def sides(self) -> BlockSides | PairSides:
        """The rows of a contrast; of all pairs one of each two that mirror each other."""
        if self.reference.is_pairwise:
            return pair_sides(self.design, self.reference)
        return BlockSides(self.design, self.reference.against)

    @property
    def means(self) -> BlockMeans:
        """The means of all groups."""
        return BlockMeans(self.design, self.n_groups_with_value, self.resamples)


class InUnits(NamedTuple):
    """Groups of units that each lie in one: units change places in their stratum, with all their values."""

    units: Units
    draws: Draws
    alpha: float
    reference: Reference = Reference()

    @property
    def n_groups(self) -> int:
        """Groups of the grouping."""
        return self.units.n_groups

    @property
    def sides(self) -> UnitSides:
        """The rows of a contrast; of all pairs one of each two that mirror each other."""
        return UnitSides(self.units, self.reference)

    @property
    def means(self) -> UnitMeans:
        """The means of all groups."""
        return UnitMeans(self.units)


class Chosen(NamedTuple):
    """Columns of one scheme, or why they have none; take: values of some columns, as the scheme has them."""

    columns: Ints
    scheme: Blocks | InUnits | InferenceReason
    take: Callable[[Ints], Floats]


def choose_schemes(cells: Cells, rows: Callable[[], Rows], options: Options) -> Iterator[Chosen]:
    """Yield the columns of a slice and grouping with the scheme of each presence pattern.

    Args:
        cells: the cells.
        rows: reads the single responses, where the prompts are too few.
        options: what is asked for.
    """
    everything = np.arange(len(cells.columns))
    if cells.refusal is not None:
        yield Chosen(everything, cells.refusal, lambda members: cells.x[:, members])
    elif cells.stratum_of_cell is not None:
        yield from in_units(cells, options)
    else:
        replicated: list[int] = []
        frame = BlockFrame(cells, options)
        for present, columns in presence_patterns(cells.x):
            cell = shared(cells.frame, present)
            for members, unit in _units(cells, cell, columns):
                if unit is Unit.REPLICATE:
                    replicated += members.tolist()
                else:
                    yield _in_blocks(frame, present, cell, members, unit)
        if replicated:
            yield from _of_replicates(cells, rows(), np.array(sorted(replicated)), options)


class BlockFrame:
    """The cells of a slice and grouping, whose orders all presence patterns share."""

    def __init__(self, cells: Cells, options: Options) -> None:
        """Draw nothing yet."""
        self.cells, self._options = cells, options
        self._seeds = {
            unit: stable_seed(options.seed, cells.slice_id, cells.grouping_id, unit) for unit in Unit
        }
        self._shuffles: dict[Unit, Shuffles] = {}
        self._resamples: dict[tuple[Unit, int], Resamples | None] = {}

    def scheme(self, cell: Ints, unit: Unit, present: NDArray[np.bool_]) -> Blocks:
        """Lay out the shared cells of a presence pattern in blocks."""
        frame, options = self.cells.frame, self._options
        if unit not in self._shuffles:
            self._shuffles[unit] = Shuffles(self._seeds[unit], options.n_permutations, frame.block)
        design = Design(frame, cell, unit)
        fewest = int(design.units_of_group[design.groups].min())
        n_units = design.n_units if fewest >= MIN_UNITS_FOR_INTERVAL else 0
        if (unit, n_units) not in self._resamples:
            drawn = resamples_of(self._seeds[unit], options.n_permutations, n_units)
            self._resamples[unit, n_units] = drawn
        return Blocks(
            design,
            len(np.unique(frame.group[present])),
            self._shuffles[unit].of(cell),
            options.alpha,
            self._resamples[unit, n_units],
        )


def _in_blocks(
    frame: BlockFrame, present: NDArray[np.bool_], cell: Ints, columns: Ints, unit: Unit | InferenceReason
) -> Chosen:
    """The columns of one presence pattern in blocks, or why not; cell: its shared cells."""

    def take(members: Ints) -> Floats:
        return frame.cells.x[np.ix_(cell, members)]

    if isinstance(unit, Unit):
        return Chosen(columns, frame.scheme(cell, unit, present), take)
    return Chosen(columns, _why_not(frame.cells.frame, present, cell, unit), take)


def _units(cells: Cells, cell: Ints, columns: Ints) -> Iterator[tuple[Ints, Unit | InferenceReason]]:
    """Choose the unit of the columns of one presence pattern; they differ only in having replicates.

    Answers of several models to several prompts, which a cell of models averages, are no replicates.
    """
    blocks = np.unique(cells.frame.block[cell])
    n_roots = len(np.unique(cells.frame.root_of_block[blocks]))
    counts = np.minimum(cells.n_responses[np.ix_(cell, columns)], 1 if cells.is_of_models else np.inf)
    fewest = counts.min(axis=0) if len(cell) else np.zeros(len(columns))
    for has_replicates in (True, False):
        members = columns[(fewest >= 2) == has_replicates]
        if len(members):
            unit = choose_unit(n_roots, len(blocks), 2 if has_replicates else 1)
            if unit is InferenceReason.TOO_FEW_ROOT_PROMPTS and counts.max(initial=0) >= 2:
                unit = InferenceReason.TOO_FEW_REPLICATES
            yield members, unit


def _why_not(
    frame: Frame, present: NDArray[np.bool_], cell: Ints, reason: InferenceReason
) -> InferenceReason:
    if len(np.unique(frame.group[present])) < 2:
        return InferenceReason.ONE_GROUP
    return reason if len(cell) else InferenceReason.NO_SHARED_BLOCK


def _of_replicates(cells: Cells, rows: Rows, columns: Ints, options: Options) -> Iterator[Chosen]:
    seed = stable_seed(options.seed, cells.slice_id, cells.grouping_id, Unit.REPLICATE)

    def take(members: Ints) -> Floats:
        return rows.x[:, members]

    shuffles = Shuffles(seed, options.n_permutations, rows.frame.block)
    for present, places in presence_patterns(rows.x[:, columns]):
        units = replicates(rows.frame, present)
        if units is None:
            yield Chosen(columns[places], InferenceReason.TOO_FEW_REPLICATES, take)
            continue
        draws = shuffles.of(units.cell[:, 0])
        yield Chosen(columns[places], InUnits(units, draws, options.alpha), take)


def replicates(frame: Frame, present: NDArray[np.bool_]) -> Units | None:
    """The present responses of blocks with two groups or more as units; None where a cell has one alone."""
    row = np.flatnonzero(present)
    codes = np.unique(frame.block[row] * frame.n_groups + frame.group[row])
    n_groups = np.bincount(codes // frame.n_groups, minlength=len(frame.root_of_block))
    row = row[n_groups[frame.block[row]] >= 2]
    if not len(row):
        return None
    blocks, block = np.unique(frame.block[row], return_inverse=True)
    root = np.unique(frame.root_of_block[blocks], return_inverse=True)[1]
    units = Units(
        name=row,
        cell=row[:, None],
        stratum=block,
        group=frame.group[row],
        root_of_stratum=root,
        n_groups=frame.n_groups,
        n_present=len(np.unique(frame.group[present])),
        root_of_unit=root[block],
    )
    return units if units.units_of_cell.min() >= 2 else None


def in_units(cells: Cells, options: Options) -> Iterator[Chosen]:
    """Yield the columns of a grouping that is nested in units, or in part, as choose_schemes does."""
    seed = stable_seed(options.seed, cells.slice_id, cells.grouping_id, "unit in group")
    everyone = units_in_order(cells, np.arange(len(cells.x)))
    shuffles = Shuffles(seed, options.n_permutations, everyone.stratum)
    for present, columns in presence_patterns(cells.x):
        cell, has_own = compared_cells(cells, present)
        if len(np.unique(cells.frame.group[cell])) < 2:
            reason = _why_not(cells.frame, present, cell, InferenceReason.ONE_GROUP)
            yield Chosen(columns, reason, lambda members: cells.x[:, members])
            continue
        units, mean = nested_units(cells, present, cell, has_own=has_own)

        def take(members: Ints, mean: sparse.csr_array | None = mean) -> Floats:
            x = cells.x[:, members]
            return x if mean is None else mean @ np.nan_to_num(x)

        draws: Draws = shuffles.of(np.flatnonzero(np.isin(everyone.name, units.name)))
        if units.owner is not None:
            draws = OwnerDraws(seed, options.n_permutations, units.stratum, units.owner)
        yield Chosen(columns, InUnits(units, draws, options.alpha), take)


class UnitsInOrder(NamedTuple):
    """Units by stratum: name, stratum (without gaps) and group of each; place: of the unit of each cell."""

    name: Ints
    stratum: Ints
    group: Ints
    place: Ints


def units_in_order(cells: Cells, cell: Ints) -> UnitsInOrder:
    """The units of some cells of a grouping that is nested in units, or in part: then units by group."""
    if cells.stratum_of_cell is None:
        raise ValueError("the grouping is not nested in units")
    names, first, position = np.unique(cells.unit_of_cell[cell], return_index=True, return_inverse=True)
    stratum = cells.stratum_of_cell[cell][first]
    order = np.argsort(stratum, kind="stable")
    place = np.empty(len(names), dtype=np.intp)
    place[order] = np.arange(len(names))
    return UnitsInOrder(
        name=names[order],
        stratum=np.unique(stratum[order], return_inverse=True)[1],
        group=cells.frame.group[cell][first][order],
        place=place[position],
    )


def compared_cells(cells: Cells, present: NDArray[np.bool_]) -> tuple[Ints, bool]:
    """Cells that the units of a nested grouping are compared on, and whether each unit has its own prompts.

    A prompt that units of one group alone answered would be centred on that group, and pull its difference
    towards 0: it is left out, but where no prompt is shared, so that none is centred.
    """
    cell = np.flatnonzero(present)
    units, prompt = units_in_order(cells, cell), cells.root_prompt_of_cell[cell]
    if len(np.unique(prompt)) == len(np.unique(np.stack([units.place, prompt]), axis=1).T):
        return cell, True
    at = np.stack([units.stratum[units.place], prompt])
    _, column = np.unique(at, axis=1, return_inverse=True)
    held = np.unique(np.stack([column, units.group[units.place]]), axis=1)[0]
    return cell[np.bincount(held)[column] >= 2], False


def nested_units(
    cells: Cells, present: NDArray[np.bool_], cell: Ints, *, has_own: bool
) -> tuple[Units, sparse.csr_array | None]:
    """The units of a nested grouping with a value, and what averages units with prompts of their own.

    Args:
        cells: one cell a unit and root prompt.
        present: whether each has a value.
        cell: of compared_cells, of two groups at least.
        has_own: of compared_cells.
    """
    units = units_in_order(cells, cell)
    n_units, n_strata = len(units.name), int(units.stratum.max()) + 1
    prompts, column = np.unique(cells.root_prompt_of_cell[cell], return_inverse=True)
    if has_own:
        n_own = np.bincount(units.place)
        shape = (n_units, len(present))
        mean_of_own = sparse.csr_array((1 / n_own[units.place], (units.place, cell)), shape=shape)
        table = np.arange(n_units)[:, None]
    else:
        table, mean_of_own = np.full((n_units, len(prompts)), -1), None
        table[units.place, column] = cell
    return Units(
        name=units.name,
        cell=table,
        stratum=units.stratum,
        group=units.group,
        root_of_stratum=np.arange(n_strata),
        n_groups=cells.frame.n_groups,
        n_present=len(np.unique(cells.frame.group[present])),
        n_own_prompts=n_own if has_own else None,
        owner=units.name // cells.frame.n_groups if cells.is_partly_nested else None,
    ), mean_of_own
