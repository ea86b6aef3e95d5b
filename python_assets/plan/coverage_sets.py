"""The sets of factors whose combinations of levels are counted, and how many combinations each has.

Belongs here: which sets there are, and sizes by arithmetic: no combination is ever written out. What prompts
cover of them is counted in SQL (dbt_models/models/marts/coverage.sql).
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Final, NamedTuple

import duckdb
import pandas as pd

from python_assets.errors import SourceError, StudyError, Told
from python_assets.study.factors import DERIVED, combined_factors, is_model_factor, study_factors
from python_assets.study.problems import unknown_name
from python_assets.study.study import Study, grouping_id
from python_assets.warehouse.raw_tables import columns_of

LevelsByFactor = Mapping[str, Sequence[str]]
Condition = Mapping[str, Sequence[str]]
"""Levels by factor: a cell meets it that has one of the levels of every factor in it."""

# a cell's number must fit the 38 digits that DuckDB and Spark reckon with
MAX_COMBINATIONS: Final = 10**37


class SetSize(NamedTuple):
    """How many combinations a set of factors has, and how many of them are declared impossible.

    period: numbers after which what is impossible repeats, the factors that conditions name turning fastest.
    """

    n_combinations: int
    n_impossible: int
    period: int


def counted_factors(study: Study) -> list[str]:
    """Every factor that coverage is counted for by itself: those of coverage_factors first.

    The others are the factors of prompts that the study brings; what every prompt has (its document, its
    task) is counted only where it is named.
    """
    known = study_factors(study).values()
    prompt_factors = [factor.name for factor in known if factor.has_prompts and factor.type != "model"]
    return list(dict.fromkeys([*coverage_factors(study), *(name for name in prompt_factors if name not in DERIVED)]))


def coverage_factors(study: Study) -> list[str]:
    """The factors of prompts whose combinations are counted."""
    known = study_factors(study)
    groupings = [[factor for factor in grouping if not is_model_factor(factor, known)] for grouping in study.groupings]
    return combined_factors(study.analysis.coverage, groupings, study.factors)


def coverage_sets(study: Study) -> list[tuple[str, ...]]:
    """The sets that coverage is counted for: every factor, subsets up to the depth, the whole design."""
    factors = coverage_factors(study)
    sizes = dict.fromkeys([*range(2, min(study.analysis.coverage.depth, len(factors)) + 1), len(factors)])
    subsets = [chosen for size in sizes if size > 1 for chosen in combinations(factors, size)]
    return [*((factor,) for factor in counted_factors(study)), *subsets]


def _conditions_of_factors(study: Study, levels: LevelsByFactor) -> list[Condition]:
    """What conditions of factors (when) make impossible: the reference with them, others without."""
    conditions: list[Condition] = []
    for name, factor in study.factors.items():
        if factor.when is not None and name in levels:
            reference = [level for level in levels[name] if level == factor.reference]
            others = [level for level in levels[name] if level != factor.reference]
            conditions.append({**factor.conditions, name: reference})
            conditions += [
                {other: [level for level in levels[other] if level not in allowed], name: others}
                for other, allowed in factor.conditions.items()
            ]
    return [condition for condition in conditions if all(condition.values())]


def coverage_tables(study: Study, levels: LevelsByFactor) -> dict[str, pd.DataFrame]:
    """The sets, their sizes and what is declared impossible, as raw tables.

    Args:
        study: the study.
        levels: of every factor in order; a set with a factor that has none is left out.

    Returns:
        Rows without study_id of coverage_sets, coverage_sizes and impossible_cells.

    Raises:
        StudyError: a set has more combinations than can be numbered, or a condition names a level that no
            prompt has.
    """
    declared = study.analysis.coverage.conditions
    _check_levels(study, declared, levels)
    conditions: list[Condition] = [*declared, *_conditions_of_factors(study, levels)]
    sets = [factors for factors in coverage_sets(study) if all(levels[factor] for factor in factors)]
    members: list[tuple[object, ...]] = []
    sizes: list[tuple[object, ...]] = []
    for factors in sets:
        size = _set_size(study, factors, conditions, levels)
        name = grouping_id(factors)
        sizes.append((name, len(factors), *size))
        strides = _strides(factors, conditions, levels)
        members += [
            (name, factor, position, len(levels[factor]), str(strides[factor]))
            for position, factor in enumerate(factors)
        ]
    impossible: list[tuple[object, ...]] = [
        (position, factor, level)
        for position, condition in enumerate(conditions)
        for factor, names in condition.items()
        for level in names
    ]
    rows = {"coverage_sets": members, "coverage_sizes": sizes, "impossible_cells": impossible}
    return {table: pd.DataFrame(table_rows, columns=columns_of(table)) for table, table_rows in rows.items()}


def check_impossible_cells(study: Study, connection: duckdb.DuckDBPyConnection) -> None:
    """No prompt stands in a cell that the study declares impossible.

    Args:
        study: the study.
        connection: its build file, with raw.prompt_factors filled.

    Raises:
        SourceError: a prompt does.
    """
    for position, condition in enumerate(study.analysis.coverage.conditions):
        matches = " or ".join("(factor = ? and list_contains(?, level))" for _ in condition)
        query = (
            "select count(*), min(prompt_id) from (select prompt_id from raw.prompt_factors "
            f"where study_id = ? and ({matches}) group by prompt_id having count(*) = ?)"
        )
        values = [study.study_id, *(value for pair in condition.items() for value in pair), len(condition)]
        n_prompts, example = connection.execute(query, values).fetchall()[0]
        if n_prompts:
            cell = " and ".join(f"{factor} {' or '.join(names)}" for factor, names in condition.items())
            where = (study.path, "analysis", "coverage", "impossible", position)
            got = f"{n_prompts:,} prompts that have {cell}, the first of them {example!r}"
            expected = "none, for the cell is declared impossible"
            raise SourceError(where, got, expected, "correct the prompts, or take the entry out")


def n_met(conditions: Sequence[Condition], levels: LevelsByFactor) -> int:
    """How many combinations of levels meet at least one condition.

    Args:
        conditions: each of factors that are in levels.
        levels: by factor.

    Returns:
        A count by arithmetic: levels that the same conditions hold are counted together, never one by one.
    """
    named = [factor for factor in levels if any(factor in condition for condition in conditions)]
    others = math.prod(len(names) for factor, names in levels.items() if factor not in named)

    @cache
    def count(index: int, open_: frozenset[int]) -> int:
        if not open_ or index == len(named):
            return int(bool(open_))
        factor = named[index]
        kept = Counter(
            frozenset(i for i in open_ if level in conditions[i].get(factor, (level,))) for level in levels[factor]
        )
        return sum(n_levels * count(index + 1, left) for left, n_levels in kept.items())

    return others * count(0, frozenset(range(len(conditions))))


def within(conditions: Sequence[Condition], factors: Sequence[str]) -> list[Condition]:
    """The conditions that speak of no other factors than these."""
    return [condition for condition in conditions if set(condition) <= set(factors)]


def _set_size(
    study: Study, factors: tuple[str, ...], conditions: Sequence[Condition], levels: LevelsByFactor
) -> SetSize:
    set_levels = {factor: levels[factor] for factor in factors}
    n_combinations = math.prod(map(len, set_levels.values()))
    if n_combinations > MAX_COMBINATIONS:
        got = Told(f"{grouping_id(factors)} of {float(n_combinations):.0e} cells")
        expected = f"at most {float(MAX_COMBINATIONS):.0e}"
        raise StudyError((study.path, "analysis", "coverage", "factors"), got, expected, "name fewer factors")
    applicable = within(conditions, factors)
    period = math.prod(len(levels[factor]) for factor in _named(factors, applicable))
    return SetSize(n_combinations, n_met(applicable, set_levels), period)


def _strides(factors: tuple[str, ...], conditions: Sequence[Condition], levels: LevelsByFactor) -> dict[str, int]:
    """How many combinations come before each factor takes its next level.

    The last factor turns fastest, and before it the factors that conditions name.
    """
    fast = _named(factors, within(conditions, factors))
    strides, stride = {}, 1
    for factor in [*reversed(fast), *(factor for factor in reversed(factors) if factor not in fast)]:
        strides[factor] = stride
        stride *= len(levels[factor])
    return strides


def _named(factors: Sequence[str], conditions: Sequence[Condition]) -> list[str]:
    return [factor for factor in factors if any(factor in condition for condition in conditions)]


def _check_levels(study: Study, conditions: Sequence[Condition], levels: LevelsByFactor) -> None:
    """Where only the data tells the levels, this is the first place that can know a misspelled one."""
    for position, condition in enumerate(conditions):
        for factor, names in condition.items():
            if unknown := [name for name in names if name not in levels[factor]]:
                where = (study.path, "analysis", "coverage", "impossible", position, factor)
                raise unknown_name(where, unknown[0], f"a level of {factor}", levels[factor], "correct it")
