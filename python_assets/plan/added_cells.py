"""Which prompts would make a design whole: the cells that close most gaps, or that tell two factors apart.

Belongs here: choosing cells by what is empty. Which sets of factors are counted is coverage_sets.py; writing
the prompts is the user's.
"""

import csv
import io
from collections.abc import Sequence
from typing import Final, NamedTuple

import duckdb
import numpy as np
from numpy.typing import NDArray

from python_assets.plan.coverage_sets import Condition, coverage_factors, coverage_sets
from python_assets.plan.design_tables import design_tables
from python_assets.plan.group_models import build_models
from python_assets.plan.requested import IN_MEMORY, assemble_offline
from python_assets.study.study import Study
from python_assets.warehouse import paths
from python_assets.warehouse.build import open_build, rows_of, write_stage

# so many of the best beginnings of a cell are continued: all of them, if all factors but the largest have no
# more combinations, and then no better cell exists
N_KEPT: Final = 200
_NO_LEVEL: Final = -1

Cells = NDArray[np.int64]
"""Cells by row, factors by column: the place of each level, _NO_LEVEL where a prompt has none."""


class AddedCell(NamedTuple):
    """A prompt to add, by its levels, and what it is good for.

    n_gaps_closed: sets of factors of which it is the first prompt in its cell. tells_apart: pairs of factors
    that were aliased or nested and no longer are.
    """

    levels: tuple[str, ...]
    n_gaps_closed: int
    tells_apart: tuple[str, ...]


class FactorPair(NamedTuple):
    """Two factors by column: the levels of the first tell those of the second; both ways if aliased."""

    first: int
    second: int
    is_aliased: bool


class PromptDesign(NamedTuple):
    """What the prompts of a study cover: factors with their levels, and one row of cells a prompt.

    sets: the sets of factors that gaps are counted in, by columns. pairs: factors that cannot be told apart.
    conditions: cells that are impossible.
    """

    factors: list[str]
    levels: list[list[str]]
    cells: Cells
    sets: list[tuple[int, ...]]
    pairs: list[FactorPair]
    conditions: Sequence[Condition]


def cells_to_add(study: Study, n_cells: int) -> list[AddedCell]:
    """The prompts to add to a study, the best first; each is chosen as if those before it were there.

    Args:
        study: read and found valid; nothing is fetched and nobody is asked.
        n_cells: how many; fewer are returned where fewer leave no gap.

    Raises:
        SourceError: a source or table cannot be read, or was not fetched yet.
    """
    with open_build(IN_MEMORY) as connection:
        assemble_offline(study, connection, paths.home())
        write_stage(connection, study.study_id, "design", design_tables(study, connection))
        return chosen_cells(read_design(study, connection), n_cells)


def as_csv(study: Study, cells: Sequence[AddedCell]) -> str:
    """One line a cell: a column a factor, what it closes, and what it tells apart."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow([*coverage_factors(study), "n_gaps_closed", "tells_apart"])
    writer.writerows([*cell.levels, cell.n_gaps_closed, "; ".join(cell.tells_apart)] for cell in cells)
    return lines.getvalue()


def read_design(study: Study, connection: duckdb.DuckDBPyConnection) -> PromptDesign:
    """The design of a build file whose prompts and design are written.

    Args:
        study: the study.
        connection: its build file.
    """
    factors = coverage_factors(study)
    column = {factor: position for position, factor in enumerate(factors)}
    level_rows = rows_of(connection, "from raw.factor_levels order by factor, level_position", [])
    levels = [[row["level"] for row in level_rows if row["factor"] == factor] for factor in factors]
    build_models(connection, ("factor_aliasing",))
    related = rows_of(connection, "from marts.factor_aliasing where relation in ('aliased', 'nested')", [])
    return PromptDesign(
        factors=factors,
        levels=levels,
        cells=_cells(connection, factors),
        sets=[
            tuple(column[factor] for factor in chosen) for chosen in coverage_sets(study) if set(chosen) <= set(factors)
        ],
        pairs=[
            FactorPair(column[row["factor_a"]], column[row["factor_b"]], row["relation"] == "aliased")
            for row in related
            if row["factor_a"] in column and row["factor_b"] in column
        ],
        conditions=study.analysis.coverage.conditions,
    )


def _cells(connection: duckdb.DuckDBPyConnection, factors: list[str]) -> Cells:
    query = """
        select prompt_position, list_position($factors, factor) - 1 as place, level_position
        from raw.prompt_factors
        join raw.factor_levels using (study_id, factor, level)
        join (
            select prompt_id, row_number() over () - 1 as prompt_position
            from raw.prompts where negative_control is null
        ) using (prompt_id)
        where list_contains($factors, factor)
    """
    entries = connection.execute(query, {"factors": factors}).fetchnumpy()
    n_prompts = connection.execute("select count(*) from raw.prompts where negative_control is null").fetchall()[0][0]
    cells = np.full((n_prompts, len(factors)), _NO_LEVEL, dtype=np.int64)
    cells[entries["prompt_position"], entries["place"]] = entries["level_position"]
    return cells


def chosen_cells(design: PromptDesign, n_cells: int) -> list[AddedCell]:
    """The cells to add to a design, one after the other.

    Args:
        design: what is there.
        n_cells: how many at most.

    Returns:
        Cells that can exist. First come those that tell most pairs of factors apart, of these the ones that
        close most gaps, then those of the rarest levels; it ends where no cell is good for anything.
    """
    chosen: list[AddedCell] = []
    while len(chosen) < n_cells and (cell := _best_cell(design)) is not None:
        told_apart = [pair for pair in design.pairs if _tells_apart(design.cells, pair, cell)[0]]
        n_closed = sum(int(_is_new(design.cells, columns, cell)[0]) for columns in design.sets)
        if not told_apart and not n_closed:
            break
        chosen.append(
            AddedCell(
                tuple(names[index] for names, index in zip(design.levels, cell[0], strict=True)),
                n_closed,
                tuple(_pair_name(design, pair) for pair in told_apart),
            )
        )
        design = design._replace(
            cells=np.vstack([design.cells, cell]), pairs=[pair for pair in design.pairs if pair not in told_apart]
        )
    return chosen


def _pair_name(design: PromptDesign, pair: FactorPair) -> str:
    return f"{design.factors[pair.first]} and {design.factors[pair.second]}"


def _best_cell(design: PromptDesign) -> Cells | None:
    """The best cell as one row, level by level from the factor with fewest; None where none can exist."""
    order = sorted(range(len(design.factors)), key=lambda column: len(design.levels[column]))
    rarity = [_shares(design.cells[:, column], len(names)) for column, names in enumerate(design.levels)]
    begun = np.full((1, len(order)), _NO_LEVEL, dtype=np.int64)
    # by row: pairs told apart, gaps closed, how common the levels are; the last only breaks ties
    scores = np.zeros((1, 3))
    for step, column in enumerate(order):
        n_levels, done = len(design.levels[column]), set(order[: step + 1])
        begun, scores = np.repeat(begun, n_levels, axis=0), np.repeat(scores, n_levels, axis=0)
        begun[:, column] = np.tile(np.arange(n_levels), len(begun) // max(n_levels, 1))
        possible = ~_is_impossible(design, begun, column, done)
        begun, scores = begun[possible], scores[possible]
        for pair in design.pairs:
            if column in pair[:2] and done.issuperset(pair[:2]):
                scores[:, 0] += _tells_apart(design.cells, pair, begun)
        for columns in design.sets:
            if column in columns and done.issuperset(columns):
                scores[:, 1] += _is_new(design.cells, columns, begun)
        scores[:, 2] += rarity[column][begun[:, column]]
        best = np.lexsort((scores[:, 2], -scores[:, 1], -scores[:, 0]))[:N_KEPT]
        begun, scores = begun[best], scores[best]
    return begun[:1] if len(begun) else None


def _shares(places: Cells, n_levels: int) -> NDArray[np.float64]:
    """How many prompts each level has, in shares of what it had if all had as many."""
    counts = np.bincount(places[places != _NO_LEVEL], minlength=n_levels)
    return counts / max(counts.mean(), 1e-9) if n_levels else np.zeros(0)


def _is_impossible(design: PromptDesign, begun: Cells, column: int, done: set[int]) -> NDArray[np.bool_]:
    """Which beginnings meet a condition, of those that this column completes."""
    is_impossible = np.zeros(len(begun), dtype=bool)
    for condition in design.conditions:
        columns = [design.factors.index(factor) for factor in condition]
        if column in columns and done.issuperset(columns):
            has_levels = [
                np.isin(begun[:, index], [design.levels[index].index(level) for level in names])
                for index, names in zip(columns, condition.values(), strict=True)
            ]
            is_impossible |= np.all(has_levels, axis=0)
    return is_impossible


def _tells_apart(cells: Cells, pair: FactorPair, new: Cells) -> NDArray[np.bool_]:
    """Which new cells give a level of the one factor another level of the other than it had alone."""
    columns = (pair.first, pair.second)
    meets_anew = _is_new(cells, columns, new) & ~_is_new(cells, (pair.first,), new)
    if pair.is_aliased:
        meets_anew |= _is_new(cells, columns, new) & ~_is_new(cells, (pair.second,), new)
    return meets_anew


def _is_new(cells: Cells, columns: Sequence[int], new: Cells) -> NDArray[np.bool_]:
    """Which new cells no prompt has yet, by some columns.

    Cells are numbered factor by factor among those that prompts have, so that no number outgrows 64 bits.
    """
    given, wanted = cells[:, columns], new[:, columns]
    given = given[(given != _NO_LEVEL).all(axis=1)]
    is_new = np.zeros(len(wanted), dtype=bool)
    if not len(given):
        return ~is_new
    given_numbers, wanted_numbers = np.zeros(len(given), dtype=np.int64), np.zeros(len(wanted), dtype=np.int64)
    for column in range(len(columns)):
        size = max(given[:, column].max(), wanted[:, column].max(initial=0)) + 1
        known, given_numbers = np.unique(given_numbers * size + given[:, column], return_inverse=True)
        numbers = wanted_numbers * size + wanted[:, column]
        wanted_numbers = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
        is_new |= known[wanted_numbers] != numbers
    return is_new
