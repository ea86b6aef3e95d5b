"""The factors of a planned study: their levels, how many prompts have one, and what is odd about them."""

from collections.abc import Iterator, Sequence

import duckdb

from python_assets.generate.generate_study import expand_systems
from python_assets.generate.model_factors import system_factors
from python_assets.importers.formats import ImportedTable
from python_assets.plan.text import PlannedFactor
from python_assets.study.factors import OF_SYSTEMS, study_factors
from python_assets.study.problems import listed
from python_assets.study.study import Study, make_id
from python_assets.warehouse.build import rows_of, write_stage


def write_model_factors(study: Study, connection: duckdb.DuckDBPyConnection, imported: ImportedTable | None) -> None:
    """Write raw.system_factors as a run would.

    Raises:
        StudyError: two imported generations have the same identifier.
        SourceError: a factor of models lacks a mapped level or its reference.
    """
    names = [] if imported is None else [make_id(name) for name in imported.rows["system"].unique()]
    factors = system_factors(study, expand_systems(study, names), imported)
    write_stage(connection, study.study_id, "generate", {"system_factors": factors})


def planned_factors(study: Study, connection: duckdb.DuckDBPyConnection) -> list[PlannedFactor]:
    """Factors that the study file speaks of, then those of generations; the others every prompt has."""
    query = f"select {', '.join(PlannedFactor._fields)} from marts.factors"
    factors_by_name = {row["factor"]: PlannedFactor(**row) for row in rows_of(connection, query, [])}
    study_names = [name for name, factor in study_factors(study).items() if factor.is_own]
    return [factors_by_name[name] for name in dict.fromkeys([*study_names, *OF_SYSTEMS]) if name in factors_by_name]


def factor_warnings(
    study: Study, connection: duckdb.DuckDBPyConnection, factors: Sequence[PlannedFactor]
) -> Iterator[str]:
    """Levels that no rule gives, prompts that none decides on, factors of one level."""
    query = "select level from raw.factor_levels where factor = ?"
    for factor in factors:
        declared = study.factors.get(factor.factor)
        if declared is None:
            continue
        there = {level for (level,) in connection.execute(query, [factor.factor]).fetchall()}
        if missing := [level for level in declared.levels_by_rule if level not in there]:
            yield f"factors.{factor.factor}.rules: no prompt has the level {listed(missing)}"
        if declared.rules is not None and (factor.decided_share or 0) < 1:
            yield (
                f"factors.{factor.factor}.rules: {1 - (factor.decided_share or 0):.1%} of the prompts have "
                "no level, because the rules of several levels fit, or none does; they are in no group of it"
            )
        if factor.n_levels == 1:
            yield f"factors.{factor.factor}: one level alone, so that nothing can be compared by it"
