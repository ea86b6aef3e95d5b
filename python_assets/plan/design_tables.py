"""The design of a study as raw tables: factors and their levels, slices, groupings, what is counted where.

Belongs here: what the study file declares, completed by the levels that prompts have. Prompts
themselves are written by assemble.
"""

from collections.abc import Iterable

import duckdb
import pandas as pd

from python_assets.errors import FieldPath, SourceError, StudyError, Told
from python_assets.extract.measures import as_written_ids, gated_languages, resolve_measures
from python_assets.plan.coverage_sets import check_impossible_cells, coverage_tables
from python_assets.plan.regressions import check_regressions, regression_tables
from python_assets.plan.subgroup_sets import subgroup_tables
from python_assets.study.base import ALL_PROMPTS, LEVEL_SEPARATOR, NEGATIVE_CONTROL, OTHER_LANGUAGE
from python_assets.study.factors import KnownFactor, control_factor, is_model_factor, levels_of_systems, study_factors
from python_assets.study.problems import listed, unknown_name
from python_assets.study.study import Study, grouping_id
from python_assets.warehouse.raw_tables import columns_of

LevelsByFactor = dict[str, list[str]]
Slices = dict[str, dict[str, list[str]]]


def design_tables(study: Study, connection: duckdb.DuckDBPyConnection) -> dict[str, pd.DataFrame]:
    """The tables of a design: factors, levels, slices, groupings, coverage, measure slices, statistics.

    Args:
        study: the study.
        connection: its build file, with raw.prompt_factors filled.

    Returns:
        Rows without study_id by table. Levels stand in declared order; those that only the prompts show
        follow in alphabetical order.

    Raises:
        SourceError: no prompt has a level that a factor or a slice declares, or the levels of a reference
            group together; a prompt stands in a cell that is declared impossible.
        StudyError: a measure names a slice that is not there, a level of `each` has the name of another
            slice, or coverage is asked for what cannot be counted.
    """
    factors = [factor for factor in study_factors(study).values() if factor.has_prompts]
    levels = _levels(study, factors, _observed(study, connection)) | _levels_of_models(study, factors)
    slices = _slices(study, levels)
    _check_reference_groups(study, connection)
    check_regressions(study, levels, slices)
    check_impossible_cells(study, connection)
    controls = control_factor(study)
    control_levels = {} if controls is None else {NEGATIVE_CONTROL: controls.levels or []}
    return {
        "factors": _table("factors", map(_factor_row, [*factors, *([] if controls is None else [controls])])),
        "factor_levels": _table(
            "factor_levels",
            (
                (factor, level, position, study.analysis.coverage.targets.get(factor, {}).get(level))
                for factor, names in (levels | control_levels).items()
                for position, level in enumerate(names)
            ),
        ),
        "slices": _table(
            "slices",
            (
                (slice_id, factor, level)
                for slice_id, conditions in slices.items()
                for factor, names in conditions.items()
                for level in names
            ),
        ),
        "slice_ids": _table("slice_ids", ((slice_id,) for slice_id in slices)),
        "groupings": _table(
            "groupings",
            (
                (grouping_id(grouping), position, factor, factor_position)
                for position, grouping in enumerate(study.all_groupings)
                for factor_position, factor in enumerate(grouping)
            ),
        ),
        "grouping_references": _table(
            "grouping_references",
            ((grouping, str(against), group_id) for grouping, (against, group_id) in study.references.items()),
        ),
        "contrasts": _table("contrasts", ((name,) for name in study.requested_contrasts)),
        **coverage_tables(study, levels),
        **subgroup_tables(study),
        **regression_tables(study),
        "measure_slices": _table("measure_slices", _measure_slices(study, list(slices))),
        "statistics": _table("statistics", study.analysis.requested_statistics),
        "custom_disparities": _table("custom_disparities", study.analysis.custom_disparities.items()),
    }


def _table(name: str, rows: Iterable[tuple[object, ...]]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=columns_of(name))


def _factor_row(factor: KnownFactor) -> tuple[object, ...]:
    return (
        factor.name,
        factor.type,
        factor.definition,
        factor.reference,
        factor.origin,
        factor.is_blocking,
        factor.rule,
        factor.mapped_from,
    )


def _observed(study: Study, connection: duckdb.DuckDBPyConnection) -> LevelsByFactor:
    rows = connection.execute(
        "select factor, list(distinct level order by level) from raw.prompt_factors where study_id = ? group by factor",
        [study.study_id],
    ).fetchall()
    return dict(rows)


def _levels(study: Study, factors: list[KnownFactor], observed: LevelsByFactor) -> LevelsByFactor:
    levels = {}
    for factor in factors:
        declared, seen = factor.levels or [], observed.get(factor.name, [])
        if factor.type != "model" and factor.origin != "derived":
            _check_present(study, ("factors", factor.name), factor.name, declared, seen)
        if factor.type != "model" and factor.reference is not None:
            field = ("factors", factor.name, "reference")
            _check_present(study, field, factor.name, [factor.reference], seen)
        known = [level for level in declared if level in seen or factor.type == "model"]
        levels[factor.name] = known + [level for level in seen if level not in known]
    return levels


def _levels_of_models(study: Study, factors: list[KnownFactor]) -> LevelsByFactor:
    """Of the factors of generations that groupings or slices name and factors: does not."""
    named = [factor for grouping in study.groupings for factor in grouping]
    named += [factor for conditions in study.slices.values() for factor in conditions]
    named += [study.each] if study.each else []
    declared = {factor.name for factor in factors}
    levels = levels_of_systems(study.systems)
    return {name: levels[name] or [] for name in levels if name in named and name not in declared}


def _check_present(study: Study, field: FieldPath, factor: str, levels: list[str], seen: list[str]) -> None:
    if missing := [level for level in levels if level not in seen]:
        got, expected = f"no prompt with {factor} {listed(missing)}", f"levels of the prompts: {listed(seen)}"
        raise SourceError((study.path, *field), got, expected, "correct it, or take the level out")


def _check_reference_groups(study: Study, connection: duckdb.DuckDBPyConnection) -> None:
    known = study_factors(study)
    for factors in study.groupings:
        _, group_id = study.references.get(grouping_id(factors), (None, None))
        # which levels generations have is seen when they are known (generate/model_factors.py)
        is_of_prompts = not any(is_model_factor(factor, known) for factor in factors)
        if group_id and is_of_prompts and not _n_prompts(study, connection, factors, group_id):
            got = f"no prompt of {group_id!r}"
            expected = f"prompts of the reference group of {grouping_id(factors)}"
            remedy = "correct the reference levels, or compare with the rest"
            raise SourceError((study.path, "analysis", "reference"), got, expected, remedy)


def _n_prompts(study: Study, connection: duckdb.DuckDBPyConnection, factors: tuple[str, ...], group_id: str) -> int:
    """How many prompts have the levels of a group."""
    pairs = list(zip(factors, group_id.split(LEVEL_SEPARATOR), strict=True))
    conditions = " or ".join(["(factor = ? and level = ?)"] * len(pairs))
    query = (
        "select count(*) from (select prompt_id from raw.prompt_factors "
        f"where study_id = ? and ({conditions}) group by prompt_id having count(*) = ?)"
    )
    values = [study.study_id, *(text for pair in pairs for text in pair), len(pairs)]
    return int(connection.execute(query, values).fetchall()[0][0])


def _slices(study: Study, levels: LevelsByFactor) -> Slices:
    each = {level: {study.each: [level]} for level in levels[study.each]} if study.each else {}
    if study.each and not each:
        expected = "a factor of prompts, or of generations that the file lists"
        got = Told(f"{study.each}, whose levels only the imported generations tell")
        raise StudyError((study.path, "slices", "each"), got, expected, "write the slices out")
    known = study_factors(study)
    named = {name: conditions for name, conditions in study.slices.items() if conditions != {study.each: [name]}}
    for name, conditions in named.items():
        for factor, names in conditions.items():
            if levels[factor] or not is_model_factor(factor, known):
                _check_present(study, ("slices", name), factor, names, levels[factor])
    if clash := [level for level in each if level in named or level == ALL_PROMPTS]:
        got = Told(f"{study.each}, whose level {clash[0]!r} is the name of another slice")
        where = (study.path, "slices", "each")
        raise StudyError(where, got, "a name of its own for each", "rename that slice")
    return {ALL_PROMPTS: {}, **named, **each}


def _measure_slices(study: Study, slice_ids: list[str]) -> list[tuple[str, str]]:
    rows = []
    measures = resolve_measures(study)
    if gated_languages(measures):
        # whether any response is in another one is seen when they are measured
        rows += [(OTHER_LANGUAGE, name) for name in slice_ids]
    for measure in measures:
        if unknown := [name for name in measure.slices or () if name not in slice_ids]:
            where, kind = (study.path, "measures", measure.measure_id, "slice"), "a slice"
            raise unknown_name(where, unknown[0], kind, slice_ids, "correct it, or declare it under slices")
        # whether a text names its group, and the instrument scores that, is seen then, too
        keys = [measure.measure_id, *as_written_ids([measure])]
        rows += [(key, name) for key in keys for name in measure.slices or slice_ids]
    return rows
