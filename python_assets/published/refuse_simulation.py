"""Studies whose models the simulator stands in for: they never replace what real models answered."""

import duckdb

from python_assets.errors import WarehouseError
from python_assets.published.query import open_published
from python_assets.study.problems import listed
from python_assets.warehouse.build import Home


def refuse_simulation(home: Home, study_id: str) -> None:
    """Refuse to let a simulated run of a study replace what real models answered.

    Args:
        home: the warehouse.
        study_id: a study whose models the simulator stands in for.

    Raises:
        WarehouseError: the study is published with responses that no simulator made, or the published
            database cannot be read.
    """
    if not home.published.is_file():
        return
    with open_published(home.published) as connection:
        database = home.published.stem
        if "is_simulated" not in _columns(connection, database, "main", "systems"):
            return
        if has_stand_in(connection, database, "main", study_id):
            return
        answered = connection.execute(
            "select system_id from main.systems "
            "where study_id = ? and not is_simulated and not is_baseline order by system_id",
            [study_id],
        ).fetchall()
    if answered:
        models = listed(name for (name,) in answered)
        raise WarehouseError(
            home.published,
            f"the study {study_id} as real models answered it ({models})",
            "one that a simulated run may replace",
            "set PLUMBLINE_HOME to another folder, or run without --provider",
        )


def has_stand_in(connection: duckdb.DuckDBPyConnection, database: str, schema: str, study_id: str) -> bool:
    """Tell whether a study's row says that the simulator stood in for its models.

    Args:
        connection: with the database attached.
        database: a build file or the published one.
        schema: of its marts.
        study_id: the study.
    """
    if "has_stand_in" not in _columns(connection, database, schema, "studies"):
        return False
    rows = connection.execute(
        f'select has_stand_in from "{database}"."{schema}".studies where study_id = ?', [study_id]
    ).fetchall()
    return any(flag for (flag,) in rows)


def _columns(connection: duckdb.DuckDBPyConnection, database: str, schema: str, table: str) -> set[str]:
    query = "select column_name from duckdb_columns() where database_name = ? and schema_name = ? and table_name = ?"
    return {name for (name,) in connection.execute(query, [database, schema, table]).fetchall()}
