"""Which exchange scheme the columns of a slice and grouping are tested by.

Belongs here: choosing by the shape of the data, and laying it out. Groups that meet on the same prompts are
compared in blocks; groups that never do, by the units that lie in each; a few prompts, by their replicates.
Nothing after this knows which one it was, but where a formula holds in blocks alone.

Source: inference.md 1, 2.6, 2.7 and 7.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from python_assets.infer.design.cells import CellRows, Cells, Labelled
from python_assets.infer.design.design import Design, Frame, Unit, choose_unit, presence_patterns, shared
from python_assets.infer.draws.exchange import Draws, Floats, Ints, Shuffles, owner_draws, shuffles_of, stable_seed
from python_assets.infer.draws.flips import Flips
from python_assets.infer.options import Options, Reference
from python_assets.infer.result import Bools, InferenceReason
from python_assets.infer.schemes.block_contrast import BlockContrast
from python_assets.infer.schemes.group_means import BlockMeans, UnitMeans
from python_assets.infer.schemes.inversion import MIN_UNITS_FOR_INTERVAL, Resamples, resamples_of
from python_assets.infer.schemes.labelled_contrast import LabelledContrast
from python_assets.infer.schemes.pair_contrast import PairContrast, pair_contrast
from python_assets.infer.schemes.unit_contrast import UnitContrast
from python_assets.infer.schemes.units import Units

_FEWEST_FOR_FLIPS = 4  # root prompts
Contrast = BlockContrast | PairContrast | UnitContrast
GroupMeans = BlockMeans | UnitMeans


class Blocks(NamedTuple):
    """Groups that meet in blocks: cells change places in their block, and errors are over its root prompts.

    n_groups_with_value: also groups that meet no other one. resamples: of the units, None where they are
    too few. n_first: draws of a first stage, None where there is one stage alone. flip_seed: of signs of root prompts.
    alpha_of_draws: of Options; alpha where None.
    parts: those that the question of a crossing is beyond, as Cells has them. labelled: of columns that people's labels
    make.
    """

    design: Design
    n_groups_with_value: int
    draws: Draws
    alpha: float
    resamples: Resamples | None = None
    reference: Reference = Reference()
    n_first: int | None = None
    flip_seed: int = 0
    alpha_of_draws: float | None = None
    parts: Ints | None = None
    labelled: Labelled | None = None

    @property
    def n_groups(self) -> int:
        """Groups of the grouping."""
        return self.design.frame.n_groups

    @property
    def contrast(self) -> BlockContrast | PairContrast:
        """The rows of a contrast; of all pairs one of each two that mirror each other."""
        if self.reference.is_pairwise:
            return pair_contrast(self.design, self.reference)
        if self.labelled is not None:
            return LabelledContrast(self.design, self.reference.against, self.labelled)
        return BlockContrast(self.design, self.reference.against)

    @property
    def means(self) -> BlockMeans:
        """The means of all groups."""
        return BlockMeans(self.design, self.n_groups_with_value, self.resamples)

    def signs(self, n: int, is_stratum: Bools) -> Flips | None:
        """Signs of its root prompts; None where they tell nothing that shuffling does not, or too little.

        Args:
            n: number of draws.
            is_stratum: which units hold what is tested.

        Source: inference.md 6.3: of two groups a shuffle is a flip.
        """
        design = self.design
        if design.unit is not Unit.ROOT_PROMPT or len(design.groups) < 3 or is_stratum.sum() < _FEWEST_FOR_FLIPS:
            return None
        return Flips(self.flip_seed, n, int(design.frame.root_of_block.max()) + 1, design.roots[is_stratum])


class InUnits(NamedTuple):
    """Groups of units that each lie in one: units change places in their stratum, with all their values.

    parts: as of Blocks.
    """

    units: Units
    draws: Draws
    alpha: float
    reference: Reference = Reference()
    n_first: int | None = None
    alpha_of_draws: float | None = None
    parts: Ints | None = None

    @property
    def n_groups(self) -> int:
        """Groups of the grouping."""
        return self.units.n_groups

    @property
    def contrast(self) -> UnitContrast:
        """The rows of a contrast; of all pairs one of each two that mirror each other."""
        return UnitContrast(self.units, self.reference)

    @property
    def means(self) -> UnitMeans:
        """The means of all groups."""
        return UnitMeans(self.units)


def stages(scheme: Blocks | InUnits) -> list[Draws]:
    """The draws of each stage: those of the first one, where there is one, and all."""
    first = scheme.draws if scheme.n_first is None else scheme.draws.first(scheme.n_first)
    return [scheme.draws] if first is scheme.draws else [first, scheme.draws]


class Chosen(NamedTuple):
    """Columns of one scheme, or why they have none; take: values of some columns, as the scheme has them."""

    columns: Ints
    scheme: Blocks | InUnits | InferenceReason
    take: Callable[[Ints], Floats]


def choose_schemes(cells: Cells, rows: Callable[[], CellRows], options: Options) -> Iterator[Chosen]:
    """Yield the columns of a slice and grouping with the scheme of each presence pattern.

    Args:
        cells: the cells.
        rows: reads the single responses, where the prompts are too few.
        options: what is asked for.
    """
    for chosen in _schemes(cells, rows, options):
        if isinstance(chosen.scheme, InferenceReason) and not cells.labels:
            yield chosen
            continue
        refused = cells.refused[chosen.columns]
        for reason in dict.fromkeys(refused):
            columns = chosen.columns[refused == reason]
            for members, labelled in _by_labels(cells, columns):
                scheme = chosen.scheme if reason is None or isinstance(chosen.scheme, InferenceReason) else reason
                yield chosen._replace(columns=members, scheme=_of_labels(scheme, labelled, cells))


def _by_labels(cells: Cells, columns: Ints) -> Iterator[tuple[Ints, Labelled | None]]:
    """Columns that share what is known of their labels."""
    labels = cells.labelled(columns) if cells.labels else [None] * len(columns)
    keys = [None if one is None else (one.kind, one.n_root_prompts) for one in labels]
    for key in dict.fromkeys(keys):
        places = np.array([index for index, column_key in enumerate(keys) if column_key == key])
        yield columns[places], labels[places[0]]


def _of_labels(
    scheme: Blocks | InUnits | InferenceReason, labelled: Labelled | None, cells: Cells
) -> Blocks | InUnits | InferenceReason:
    """The scheme of columns that people's labels make, which are compared in blocks alone, crossings as they are."""
    if isinstance(scheme, InferenceReason):
        return scheme if labelled is None or labelled.reason is None else labelled.reason
    if labelled is None:
        return scheme._replace(parts=cells.asks_of_parts)
    return scheme._replace(labelled=labelled) if isinstance(scheme, Blocks) else InferenceReason.SCHEME_NOT_AVAILABLE


def _schemes(cells: Cells, rows: Callable[[], CellRows], options: Options) -> Iterator[Chosen]:
    if cells.refusal is not None:
        yield Chosen(np.arange(len(cells.columns)), cells.refusal, lambda members: cells.x[:, members])
    elif cells.stratum_of_cell is not None:
        yield from in_units(cells, options)
    else:
        yield from _in_blocks(cells, rows, options)


def _unit_seed(cells: Cells, options: Options, unit: Unit) -> int:
    return stable_seed(options.seed, cells.slice_id, cells.grouping_id, unit)


def orders_in_blocks(cells: Cells, options: Options, unit: Unit) -> Shuffles:
    """The orders of the cells of a slice and grouping in their blocks, drawn once for every hypothesis."""
    frame = cells.frame
    return shuffles_of(_unit_seed(cells, options, unit), options.n_permutations, frame.block, frame.moved_with)


def _in_blocks(cells: Cells, rows: Callable[[], CellRows], options: Options) -> Iterator[Chosen]:
    """Columns of groups that meet in blocks; all presence patterns share the orders of the frame."""
    frame, replicated = cells.frame, list[int]()
    flip_seed = stable_seed(options.seed, cells.slice_id, cells.grouping_id, "root prompts turned round")
    resamples = cache(
        lambda unit, n_units: resamples_of(_unit_seed(cells, options, unit), options.n_permutations, n_units)
    )
    for present, columns in presence_patterns(cells.x):
        cell, n_with_value = shared(frame, present), len(np.unique(frame.group[present]))

        def take(members: Ints, cell: Ints = cell) -> Floats:
            return cells.x[np.ix_(cell, members)]

        for members, unit in units_of_columns(cells, cell, columns):
            if unit is Unit.REPLICATE:
                replicated += members.tolist()
            elif isinstance(unit, InferenceReason):
                yield Chosen(members, _why_not(frame, present, cell, unit), take)
            else:
                design = Design(frame, cell, unit)
                is_enough = design.units_of_group[design.groups].min() >= MIN_UNITS_FOR_INTERVAL
                drawn = resamples(unit, design.n_units if is_enough else 0)
                scheme = Blocks(
                    design,
                    n_with_value,
                    orders_in_blocks(cells, options, unit).of(cell),
                    options.alpha,
                    drawn,
                    n_first=options.n_first,
                    alpha_of_draws=options.alpha_of_draws,
                    flip_seed=flip_seed,
                )
                yield Chosen(members, scheme, take)
    if replicated:
        yield from _of_replicates(cells, rows(), np.array(sorted(replicated)), options)


def units_of_columns(cells: Cells, cell: Ints, columns: Ints) -> Iterator[tuple[Ints, Unit | InferenceReason]]:
    """Choose the unit of the columns of one presence pattern; they differ only in having replicates.

    Answers of several models to several prompts, which a cell of models averages, are no replicates.
    """
    blocks = np.unique(cells.frame.block[cell])
    n_roots = len(np.unique(cells.frame.root_of_block[blocks]))
    moves_whole = cells.frame.is_of_wordings
    counts = np.minimum(cells.n_responses[np.ix_(cell, columns)], 1 if cells.is_of_models else np.inf)
    fewest, most = counts.min(axis=0, initial=np.inf), counts.max(axis=0, initial=0)
    kinds = np.where((fewest >= 2) & (len(cell) > 0), 2, most >= 2)  # replicates in all cells, in some, in none
    for kind in (2, 1, 0):
        members = columns[kinds == kind]
        if len(members):
            unit = choose_unit(n_roots, len(blocks), 2 if kind == 2 else 1, moves_whole_units=moves_whole)
            if unit is InferenceReason.TOO_FEW_ROOT_PROMPTS and kind and not moves_whole:
                unit = InferenceReason.TOO_FEW_REPLICATES
            yield members, unit


def _why_not(frame: Frame, present: NDArray[np.bool_], cell: Ints, reason: InferenceReason) -> InferenceReason:
    if len(np.unique(frame.group[present])) < 2:
        return InferenceReason.ONE_GROUP
    return reason if len(cell) else InferenceReason.NO_SHARED_BLOCK


def _of_replicates(cells: Cells, rows: CellRows, columns: Ints, options: Options) -> Iterator[Chosen]:
    def take(members: Ints) -> Floats:
        return rows.x[:, members]

    shuffles = Shuffles(_unit_seed(cells, options, Unit.REPLICATE), options.n_permutations, rows.frame.block)
    for present, places in presence_patterns(rows.x[:, columns]):
        units = replicates(rows.frame, present, rows.prompt)
        if units is None:
            yield Chosen(columns[places], InferenceReason.TOO_FEW_REPLICATES, take)
            continue
        draws = shuffles.of(units.cell[:, 0])
        yield Chosen(
            columns[places],
            InUnits(units, draws, options.alpha, n_first=options.n_first, alpha_of_draws=options.alpha_of_draws),
            take,
        )


def replicates(frame: Frame, present: NDArray[np.bool_], prompt: Ints | None = None) -> Units | None:
    """The present responses of blocks with two groups or more as units; None where a cell has one alone.

    Args:
        frame: of all responses.
        present: whether each has a value.
        prompt: of each; a cell has one prompt where None.
    """
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
        weight=None
        if prompt is None
        else _weight_by_prompt(frame.block[row] * frame.n_groups + frame.group[row], prompt[row]),
    )
    return units if units.units_of_cell.min() >= 2 else None


def _weight_by_prompt(cell: Ints, prompt: Ints) -> Floats | None:
    """Weights of responses with which the prompts of a cell count alike; None where they have equally many.

    They add up to the effective number of responses of their cell, as Units has them.
    """
    n = np.bincount(prompt)[prompt]
    _, code = np.unique(cell, return_inverse=True)
    fewest = np.full(code.max() + 1, n.max())
    np.minimum.at(fewest, code, n)
    if (n == fewest[code]).all():
        return None
    weight = 1 / n
    scale = np.bincount(code, weight) / np.bincount(code, weight**2)
    scaled: Floats = weight * scale[code]
    return scaled


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
            draws = owner_draws(seed, options.n_permutations, units.stratum, units.owner)
        yield Chosen(
            columns,
            InUnits(units, draws, options.alpha, n_first=options.n_first, alpha_of_draws=options.alpha_of_draws),
            take,
        )


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
    rank = np.empty(len(names), dtype=np.intp)
    rank[order] = np.arange(len(names))
    return UnitsInOrder(
        name=names[order],
        stratum=np.unique(stratum[order], return_inverse=True)[1],
        group=cells.frame.group[cell][first][order],
        place=rank[position],
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
    column_of_groups = np.unique(np.stack([column, units.group[units.place]]), axis=1)[0]
    return cell[np.bincount(column_of_groups)[column] >= 2], False


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
