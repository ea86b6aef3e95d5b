"""The template of build files, which holds no study: its tables, as they are where a study lacks a part.

Belongs here: which parts there are, and how tables get from the template into a build file. dbt.py has dbt build it.
"""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

import duckdb

from python_assets.warehouse.build import open_build, transaction

# a model takes dbt as long without rows as with few. By the tag of models, what they have no rows without: a run takes
# their tables from the template
PARTS: Final = {
    "association_tests": "from raw.studies where json_extract(config_json, '$.analysis.association_tests') = 'true'",
    "clusters": "from raw.clusters",
    "comparisons": "from raw.generations where not is_baseline and not is_engine having count(*) > 1",
    "custom_disparities": "from raw.custom_disparities",
    "custom_statistics": "from raw.statistics where expression is not null",
    "documents": "from raw.keywords full join raw.sentences on false full join raw.documents on false",
    "factor_pairs": "from raw.coverage_sets where factors = factor having count(*) > 1",
    "function_statistics": "from raw.statistics where function_path is not null",
    "human_labels": "from raw.human_labels",
    "imported_metrics": "from raw.imported_metrics",
    "impossible_cells": "from raw.impossible_cells",
    "intersections": "from raw.groupings group by grouping_id having count(*) > 1",
    "labels": "from raw.measures where kind = 'categorical'",
    "model_factors": "from raw.generation_factors where factor in "
    "(select factor from raw.groupings union all select factor from raw.slices)",
    "normalised": "from raw.statistics where normalise = 'before'",
    "pair_labels": "from raw.pair_labels",
    "quarantine": "from raw.quarantine",
    "regressions": "from raw.regressions",
    "truth": "from raw.ground_truths",
}
Name = tuple[str, str]  # schema and name


def write_no_study(path: Path) -> None:
    """Write what dbt builds the template from: every table of the stages and of inference, without a row."""
    from python_assets.infer.agreement.label_agreement import TABLES as OF_AGREEMENT
    from python_assets.infer.associations.infer_associations import TABLES as OF_ASSOCIATIONS
    from python_assets.infer.regressions.infer_regressions import TABLES as OF_REGRESSIONS
    from python_assets.infer.subgroups.subgroups import TABLES as OF_SUBGROUPS
    from python_assets.infer.tables import TABLES, write_tables

    with open_build(path) as connection:
        for tables in (TABLES, OF_SUBGROUPS, OF_ASSOCIATIONS, OF_REGRESSIONS, OF_AGREEMENT):
            write_tables(connection, tables, {})


def lacking_parts(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """The parts that the study of a build file does not have."""
    return {part for part, rows in PARTS.items() if not connection.execute(f"select 1 {rows} limit 1").fetchall()}


def take_tables(
    connection: duckdb.DuckDBPyConnection, template: Path, made: Iterable[Name], taken: Iterable[Name]
) -> set[Name]:
    """Declare the tables of a build file that are not there as the template does, comments included.

    Args:
        connection: to the build file.
        template: is only read.
        made: what dbt is to fill: what is there of another version stays as it is.
        taken: what the template's are put in place of, with their rows; a view becomes a table.

    Returns:
        Those of made that are declared as in the template; the others are of another version of the dbt project.
    """
    connection.execute(f"attach {_text(template)} as template (read_only)")
    there, wanted = _declared(connection, "current_catalog()"), _declared(connection, "'template'")
    declared = {name for name in made if there.get(name, wanted[name]) == wanted[name]}
    # a view is made after what it reads: by dbt
    declared -= {name for name in declared - there.keys() if wanted[name].kind == "view"}
    with transaction(connection):
        for name in declared - there.keys():
            _declare(connection, name, wanted[name])
        for name in taken:
            if name in there:
                connection.execute(f"drop {there[name].kind} {_quoted(name)}")
            table = wanted[name]
            if table.kind == "view":
                connection.execute(f"create table {_quoted(name)} as from template.{_quoted(name)}")
            else:
                _declare(connection, name, table)
                connection.execute(f"insert into {_quoted(name)} from template.{_quoted(name)}")
    connection.execute("detach template")
    return declared


class _Declared(NamedTuple):
    """A table or view as a build file declares it; comments by column, that of the whole under ''."""

    sql: str
    kind: str
    comments: dict[str, str]


def _declared(connection: duckdb.DuckDBPyConnection, database: str) -> dict[Name, _Declared]:
    comments: dict[Name, dict[str, str]] = defaultdict(dict)
    for schema, table, column, comment in connection.execute(
        f"""
        with told as (
            select database_name, schema_name, table_name, column_name, comment from duckdb_columns()
            union all select database_name, schema_name, table_name, '', comment from duckdb_tables()
            union all select database_name, schema_name, view_name, '', comment from duckdb_views()
        )
        select * exclude (database_name) from told where database_name = {database} and comment is not null
        """
    ).fetchall():
        comments[schema, table][column] = comment
    found = connection.execute(
        f"""
        select schema_name, table_name, sql, 'table' from duckdb_tables() where database_name = {database}
        union all select schema_name, view_name, sql, 'view' from duckdb_views() where database_name = {database}
        """
    ).fetchall()
    return {(schema, name): _Declared(sql, kind, comments[schema, name]) for schema, name, sql, kind in found}


def _declare(connection: duckdb.DuckDBPyConnection, name: Name, declared: _Declared) -> None:
    connection.execute(declared.sql)
    for column, comment in declared.comments.items():
        what = f'column {_quoted(name)}."{column}"' if column else f"{declared.kind} {_quoted(name)}"
        connection.execute(f"comment on {what} is {_text(comment)}")


def _quoted(name: Name) -> str:
    return f'{name[0]}."{name[1]}"'


def _text(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"
