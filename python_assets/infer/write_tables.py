"""Writing tables of schema inference.

Belongs here: how rows get into the build file. What the tables are and hold is told where they are computed.
"""

from collections.abc import Mapping

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa

from python_assets.warehouse.build import transaction

Columns = Mapping[str, Mapping[str, str]]
"""The columns of each table with their types."""


def write_tables(
    connection: duckdb.DuckDBPyConnection, columns: Columns, tables: Mapping[str, pd.DataFrame]
) -> None:
    """Write tables of schema inference in one transaction, in place of what was there.

    Args:
        connection: to the build file.
        columns: of every table that is made.
        tables: their rows; a table without any is made empty.
    """
    with transaction(connection):
        connection.execute("create schema if not exists inference")
        for table, kinds in columns.items():
            definition = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
            connection.execute(f"create or replace table inference.{table} ({definition})")
            if table in tables:
                _insert(connection, table, kinds, tables[table])


def _insert(
    connection: duckdb.DuckDBPyConnection, table: str, kinds: Mapping[str, str], rows: pd.DataFrame
) -> None:
    arrow = {name: _arrow(rows[name], kind) for name, kind in kinds.items() if name in rows}
    connection.register("rows_to_write", pa.table(arrow))
    connection.execute(f"insert into inference.{table} by name select * from rows_to_write order by all")
    connection.unregister("rows_to_write")


def _arrow(values: pd.Series, kind: str) -> pa.Array:
    if kind.startswith("varchar"):
        return pa.array([None if pd.isna(value) else str(value) for value in values], pa.string())
    return pa.array(values.to_numpy(dtype=np.float64), pa.float64(), from_pandas=True)
