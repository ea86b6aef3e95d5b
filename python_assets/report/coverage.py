"""Coverage in the report: sets of factors, factors that are not crossed, heatmaps of two factors, rare cells.

Belongs here: reading coverage, its cells and factor_aliasing, and what is drawn. Counting is dbt's.
"""

from collections import defaultdict
from typing import Any, Final, NamedTuple

from python_assets.report.reader import Reader, Row

Condition = defaultdict[str, set[str]]
"""Levels by factor: a cell that has one of the levels of every factor cannot exist."""

MAX_SETS: Final = 60
_MAX_PAIRS: Final = 60
MAX_CELLS: Final = 60
_MAX_HEATMAPS: Final = 6
MAX_HEATMAP_ROWS: Final = 60
MAX_HEATMAP_COLUMNS: Final = 24


class Cut(NamedTuple):
    """The first rows of a list and how many there are."""

    rows: list[Any]
    n_all: int


class HeatmapCell(NamedTuple):
    """The prompts of two levels; None where the cell cannot exist. share: of the fullest cell, 0 to 1."""

    n_prompts: int | None
    share: float


class CoverageHeatmap(NamedTuple):
    """How many prompts two factors have by their levels, the factor with more levels downwards.

    rows: a level with its cells; those with the most empty cells where not all are shown.
    """

    down: str
    across: str
    coverage: Row
    columns: Cut
    rows: Cut


def coverage_section(reader: Reader) -> dict[str, Any]:
    """Sets of factors, what is not crossed, heatmaps, what was answered, rarest cells."""
    sets = reader.rows(
        "select * from coverage where study_id = $study order by n_factors, coverage_percentage, factors"
    )
    not_crossed = reader.rows(
        """
        select * from factor_aliasing
        where study_id = $study and (relation <> 'crossed' or relation is null)
        order by list_position(['aliased', 'nested', 'partial'], relation) nulls last,
            cramers_v desc nulls first, factor_a, factor_b
        """
    )
    conditions = _impossible(reader)
    pairs = [row for row in sets if row["n_factors"] == 2]
    drawn = sorted(pairs, key=lambda row: (row["coverage_percentage"] or 0, -(row["gini_index"] or 0)))
    return {
        "sets": Cut(sets[:MAX_SETS], len(sets)),
        "not_crossed": Cut(not_crossed[:_MAX_PAIRS], len(not_crossed)),
        "heatmaps": Cut([_heatmap(reader, row, conditions) for row in drawn[:_MAX_HEATMAPS]], len(pairs)),
        "answered": reader.rows(
            """
            select * from response_coverage where study_id = $study
            qualify n_factors = max(n_factors) over () order by factors, system_id
            """
        ),
        "targets": _targets(reader),
        "rarest": [{**row, "cells": _rarest(reader, row["factors"])} for row in _listed_by_cell(sets)],
    }


def _targets(reader: Reader) -> list[Row]:
    """The levels whose share the study file declares, in its order."""
    declared = reader.rows(
        "select factors, group_id, n_prompts, prompt_share, target_share from coverage_cells "
        "where study_id = $study and target_share is not null"
    )
    return sorted(declared, key=lambda row: (row["factors"], reader.group_order(row["factors"], row["group_id"])))


def _listed_by_cell(sets: list[Row]) -> list[Row]:
    """Every factor, and the whole design; pairs are drawn and larger sets are too many."""
    if not sets:
        return []
    most = max(row["n_factors"] for row in sets)
    return [row for row in sets if row["n_factors"] == 1 or row["n_factors"] == most]


def _rarest(reader: Reader, factors: str) -> Cut:
    """The cells of a set from the emptiest where they are many, else in the order of their levels."""
    cells = _cells(reader, factors)
    if len(cells) > MAX_CELLS:
        rarest = sorted(cells, key=lambda row: (row["n_prompts"], row["group_id"]))[:MAX_CELLS]
        return Cut(rarest, len(cells))
    return Cut(sorted(cells, key=lambda row: reader.group_order(factors, row["group_id"])), len(cells))


def _cells(reader: Reader, factors: str) -> list[Row]:
    query = "select group_id, n_prompts from coverage_cells where study_id = $study and factors = $factors"
    return reader.rows(query, factors=factors)


def _heatmap(reader: Reader, coverage: Row, conditions: list[Condition]) -> CoverageHeatmap:
    first, second = coverage["factors"].split(" x ")
    counts = {tuple(row["group_id"].split(" x ")): row["n_prompts"] for row in _cells(reader, coverage["factors"])}
    levels = {factor: _levels(reader, factor) for factor in (first, second)}
    down, across = sorted(levels, key=lambda factor: -len(levels[factor]))
    is_turned = down == second
    impossible = [met for met in conditions if set(met) <= {first, second}]

    def cell(level: str, other: str) -> HeatmapCell:
        pair = (other, level) if is_turned else (level, other)
        named = dict(zip((first, second), pair, strict=True))
        if any(all(named[factor] in names for factor, names in met.items()) for met in impossible):
            return HeatmapCell(None, 0)
        n_prompts = counts.get(pair, 0)
        return HeatmapCell(n_prompts, n_prompts / (coverage["max_count"] or 1))

    columns = levels[across][:MAX_HEATMAP_COLUMNS]
    rows = [(level, [cell(level, other) for other in columns]) for level in levels[down]]
    return CoverageHeatmap(
        down=down,
        across=across,
        coverage=coverage,
        columns=Cut(columns, len(levels[across])),
        rows=Cut(_emptiest(rows), len(rows)),
    )


def _emptiest(rows: list[tuple[str, list[HeatmapCell]]]) -> list[tuple[str, list[HeatmapCell]]]:
    """All rows in their order, or those with most empty cells, still in their order."""
    if len(rows) <= MAX_HEATMAP_ROWS:
        return rows

    def n_empty(index: int) -> int:
        return sum(cell.n_prompts == 0 for cell in rows[index][1])

    kept = sorted(range(len(rows)), key=lambda index: (-n_empty(index), index))[:MAX_HEATMAP_ROWS]
    return [rows[index] for index in sorted(kept)]


def _levels(reader: Reader, factor: str) -> list[str]:
    """The levels of a factor in declared order, others by name."""
    levels = [row["group_id"] for row in _cells(reader, factor)]
    return sorted(levels, key=lambda level: reader.group_order(factor, level))


def _impossible(reader: Reader) -> list[Condition]:
    """The conditions of cells that cannot exist, as coverage counts them."""
    conditions: defaultdict[int, Condition] = defaultdict(lambda: defaultdict(set))
    query = "select condition_position, factor, level from impossible_cells where study_id = $study"
    for row in reader.rows(query):
        conditions[row["condition_position"]][row["factor"]].add(row["level"])
    return list(conditions.values())
