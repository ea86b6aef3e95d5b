"""What is published, written anew: with the marts of one build file, with what a gate compared, or without some rows.

Belongs here: from tables to tables; nothing is computed. Where the files lie and when readers see them is
publication.py.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import duckdb

from python_assets.errors import WarehouseError
from python_assets.published.archived import MARTS, ArchivedRun
from python_assets.published.copies import identifier, literal
from python_assets.warehouse.build import Home, transaction

if TYPE_CHECKING:
    import pandas as pd

# older drivers open files of this version and no later one
STORAGE_VERSION: Final = "v1.0.0"
RUNS: Final = "runs"
RUN_CHANGES: Final = "run_changes"
# have rows of every run, where the other tables hold the latest alone
TABLES_OF_RUNS: Final = (RUNS, "run_findings", "run_groups", RUN_CHANGES)
# read those tables, whose rows of earlier runs no build file has: views where they are published, too, in this order
VIEWS_OF_RUNS: Final = ("v_history", "v_changed_since")
# DuckDB shares one table among its threads only where it is large, and most marts are not
N_WRITERS: Final = 2
EVERY_RUN: Final = ""  # in the place of one, all of a study


class Stamp(NamedTuple):
    """Whose rows are replaced, and what they are stamped with; spent: as FinishedRun has it."""

    study_id: str
    publication_id: str
    published_at: datetime
    spent: Mapping[str, int | float | str | None] = MappingProxyType({})


class Column(NamedTuple):
    """A column as the build file declares it."""

    name: str
    data_type: str
    is_nullable: bool
    comment: str | None


class Mart(NamedTuple):
    """A table or view as it is declared; either is published as a table, but for VIEWS_OF_RUNS.

    sql: of a view, the statement that makes it.
    """

    name: str
    comment: str | None
    columns: list[Column]
    sql: str | None = None


def attach(connection: duckdb.DuckDBPyConnection, alias: str, path: Path) -> None:
    """Attach a database that is only read.

    Raises:
        WarehouseError: it cannot be read.
    """
    try:
        connection.execute(f"attach {_text(path)} as {alias} (read_only)")
    except duckdb.Error as error:
        remedy = (
            "close the process that has it open for writing; if the file is damaged, move the folder of its "
            "publication away and publish its study again"
        )
        raise WarehouseError(path, error, "a database that can be read", remedy) from error


def marts_of(connection: duckdb.DuckDBPyConnection, database: str, schema: str) -> list[Mart]:
    """The tables and views of a schema, the largest first.

    Args:
        connection: with the database attached.
        database: its alias.
        schema: in it.
    """
    tables = connection.execute(
        """
        select table_name, comment, sql
        from (
            select database_name, schema_name, table_name, comment, null as sql, estimated_size from duckdb_tables()
            union all
            select database_name, schema_name, view_name, comment, sql, 0 from duckdb_views()
        )
        where database_name = ? and schema_name = ? order by estimated_size desc, table_name
        """,
        [database, schema],
    ).fetchall()
    columns: dict[str, list[Column]] = {name: [] for name, *_ in tables}
    for table, *column in connection.execute(
        "select table_name, column_name, data_type, is_nullable, comment from duckdb_columns() "
        "where database_name = ? and schema_name = ? order by column_index",
        [database, schema],
    ).fetchall():
        if table in columns:
            columns[table].append(Column(*column))
    return [Mart(name, comment, columns[name], sql) for name, comment, sql in tables]


def merge(
    connection: duckdb.DuckDBPyConnection, earlier: Path | None, into: Home, stamp: Stamp, kept: Sequence[ArchivedRun]
) -> dict[str, int]:
    """Write the marts of a study, and the rows of every other study as they are.

    Args:
        connection: with the build file attached as build.
        earlier: the database that other studies are published in; None where there is none.
        into: the folders that the database and the Parquet files are written to.
        stamp: the rows of its study come from the build file.
        kept: the runs of the study that are kept, this one included, as runs is to say.

    Returns:
        The rows of the study by mart.

    Raises:
        WarehouseError: the earlier database cannot be read or holds rows that no longer fit.
        OSError, duckdb.IOException: the folders cannot be written.
    """
    if earlier is None:
        connection.execute("attach ':memory:' as earlier")
    else:
        attach(connection, "earlier", earlier)
    before = {mart.name: mart for mart in marts_of(connection, "earlier", "main")}

    def write(cursor: duckdb.DuckDBPyConnection, mart: Mart) -> int:
        n_rows = _write_mart(cursor, stamp, mart, before.get(mart.name))
        if mart.name in TABLES_OF_RUNS:
            _bring_back(cursor, mart.name, kept)
        if mart.name == RUNS:
            _say_what_is_kept(cursor, stamp, kept)
        return n_rows

    return _written(connection, marts_of(connection, "build", "marts"), into, stamp, write)


def merge_changes(
    connection: duckdb.DuckDBPyConnection, into: Home, stamp: Stamp, pair: tuple[str, str], changes: "pd.DataFrame"
) -> None:
    """Write what is published as it is, with what a gate found of two runs in the place of what it found before.

    Args:
        connection: with the published database attached as earlier.
        into: the folders that the database and the Parquet files are written to.
        stamp: whose changes; the later run came out with this publication from now on, which is what readers go by.
        pair: the run, and the earlier one that it was held against.
        changes: rows of run_changes, less study_id and the runs.

    Raises:
        OSError, duckdb.IOException: the folders cannot be written.
    """
    run_id, against = map(literal, pair)
    run_condition = f"study_id = {literal(stamp.study_id)} and run_id = {run_id}"

    def write(cursor: duckdb.DuckDBPyConnection, mart: Mart) -> int:
        _create(cursor, mart, [])
        rows, names = f"earlier.main.{identifier(mart.name)}", [column.name for column in mart.columns]
        if mart.name == RUN_CHANGES:
            rows = f"(from {rows} where not ({run_condition} and against_run_id = {against}))"
        n_rows = _insert(cursor, mart, rows, names)
        if mart.name == RUN_CHANGES:
            cursor.register("changes", changes)
            pair_columns = f"{literal(stamp.study_id)} as study_id, {run_id} as run_id, {against} as against_run_id"
            n_rows += _insert(cursor, mart, f"(select *, {pair_columns} from changes)", names)
        if mart.name == RUNS:
            id_ = literal(stamp.publication_id)
            cursor.execute(f"update fresh.main.{RUNS} set publication_id = {id_} where {run_condition}")
        return n_rows

    _written(connection, marts_of(connection, "earlier", "main"), into, stamp, write)


def merge_without(connection: duckdb.DuckDBPyConnection, into: Home, stamp: Stamp, run_id: str) -> None:
    """Write what is published as it is, less the rows of a study or of an earlier run of it.

    Args:
        connection: with the published database attached as earlier.
        into: the folders that the database and the Parquet files are written to.
        stamp: its study.
        run_id: the run; EVERY_RUN: the study.

    Raises:
        OSError, duckdb.IOException: the folders cannot be written.
    """

    def write(cursor: duckdb.DuckDBPyConnection, mart: Mart) -> int:
        _create(cursor, mart, [])
        rows = f"(from earlier.main.{identifier(mart.name)} where not ({rows_of(mart, stamp.study_id, run_id)}))"
        return _insert(cursor, mart, rows, [column.name for column in mart.columns])

    _written(connection, marts_of(connection, "earlier", "main"), into, stamp, write)


def rows_of(mart: Mart, study_id: str, run_id: str) -> str:
    """Which rows of a published table are those of a study, or of an earlier run of it: a condition in SQL.

    Args:
        mart: as it is published.
        study_id: the study.
        run_id: the run; EVERY_RUN: the study.
    """
    if "study_id" not in {column.name for column in mart.columns}:
        return "false"
    study_condition = f"study_id = {literal(study_id)}"
    if run_id == EVERY_RUN:
        return study_condition
    if mart.name not in TABLES_OF_RUNS:
        return "false"
    # what was held against a run that is gone says nothing any more
    of = ("run_id", "against_run_id") if mart.name == RUN_CHANGES else ("run_id",)
    return f"{study_condition} and ({' or '.join(f'{name} = {literal(run_id)}' for name in of)})"


def _written(
    connection: duckdb.DuckDBPyConnection,
    marts: Sequence[Mart],
    into: Home,
    stamp: Stamp,
    write: Callable[[duckdb.DuckDBPyConnection, Mart], int],
) -> dict[str, int]:
    """Write each table and its Parquet file, then the views that read them; what was told of each table."""
    connection.execute(f"attach {_text(into.published)} as fresh (storage_version '{STORAGE_VERSION}')")
    into.parquet.mkdir()

    def write_both(mart: Mart) -> int:
        with connection.cursor() as cursor:
            n_written = write(cursor, mart)
            _write_parquet(cursor, into.parquet, mart, stamp)
        return n_written

    tables = [mart for mart in marts if mart.name not in VIEWS_OF_RUNS]
    views = {mart.name: mart for mart in marts if mart.name in VIEWS_OF_RUNS}
    with ThreadPoolExecutor(N_WRITERS) as writers:
        n_rows = dict(zip((mart.name for mart in tables), writers.map(write_both, tables), strict=True))
    with connection.cursor() as cursor:
        cursor.execute("use fresh")
        for view in (views[name] for name in VIEWS_OF_RUNS if name in views):
            _create_view(cursor, view)
            _write_parquet(cursor, into.parquet, view, stamp)
    connection.execute("checkpoint fresh")
    connection.execute("detach fresh")
    return n_rows


def _write_mart(connection: duckdb.DuckDBPyConnection, stamp: Stamp, mart: Mart, earlier: Mart | None) -> int:
    carried = _carry_over(connection, stamp, mart, earlier)
    _create(connection, mart, carried)
    if carried:
        _insert(connection, mart, "carried_rows", [column.name for column in carried])
    return _insert(connection, mart, _built_rows(stamp, mart), [column.name for column in mart.columns])


def _built_rows(stamp: Stamp, mart: Mart) -> str:
    source = f"build.marts.{identifier(mart.name)}"
    values = _known_when_published(stamp, mart.name)
    stamped = [f"{values[column.name]} as {column.name}" for column in mart.columns if column.name in values]
    return f"(select * replace ({', '.join(stamped)}) from {source})" if stamped else source


def _known_when_published(stamp: Stamp, table: str) -> dict[str, str]:
    """What of a mart is known only when it is published, by column as SQL writes it."""
    published_at = {"published_at": f"timestamp '{stamp.published_at.isoformat()}'"}
    if table == "studies":
        return published_at
    if table != RUNS:
        return {}
    spent = {name: _value(value) for name, value in stamp.spent.items()}
    return published_at | {"publication_id": literal(stamp.publication_id)} | spent


def _value(value: float | str | None) -> str:
    if value is None:
        return "null"
    return literal(value) if isinstance(value, str) else repr(value)


def _carry_over(connection: duckdb.DuckDBPyConnection, stamp: Stamp, mart: Mart, earlier: Mart | None) -> list[Column]:
    """Make the view carried_rows of what stays published; its columns that the mart still has."""
    known = {column.name: column for column in earlier.columns} if earlier else {}
    if "study_id" not in known:
        return []
    has_every_run = mart.name in TABLES_OF_RUNS
    connection.execute(
        f"create or replace temp view carried_rows as "
        f"select * from earlier.main.{identifier(mart.name)} where study_id <> {literal(stamp.study_id)}"
        + (" or run_id not in (from build.marts.runs select run_id)" if has_every_run else "")
    )
    row = connection.execute("select 1 from carried_rows limit 1").fetchone()
    return [known[column.name] for column in mart.columns if column.name in known] if row else []


def _create(connection: duckdb.DuckDBPyConnection, mart: Mart, carried: list[Column]) -> None:
    optional = _left_empty(connection, mart, carried) if carried else set()
    definitions = ", ".join(
        f"{identifier(column.name)} {column.data_type}"
        + ("" if column.is_nullable or column.name in optional else " not null")
        for column in mart.columns
    )
    created = f"create table fresh.main.{identifier(mart.name)} ({definitions})"
    _execute_together(connection, [created, *_comments(mart, "table")])


def _create_view(connection: duckdb.DuckDBPyConnection, mart: Mart) -> None:
    """Make a view of what is published out of one of a build file, whose tables are in the schema marts."""
    _execute_together(connection, [(mart.sql or "").replace("marts.", "main."), *_comments(mart, "view")])


def _execute_together(connection: duckdb.DuckDBPyConnection, statements: Sequence[str]) -> None:
    """In one transaction: of a thousand comments each would be written to the disk by itself."""
    with transaction(connection):
        connection.execute("; ".join(statements))


def _comments(mart: Mart, kind: str) -> Iterator[str]:
    name = f"fresh.main.{identifier(mart.name)}"
    if mart.comment:
        yield f"comment on {kind} {name} is {literal(mart.comment)}"
    for column in mart.columns:
        if column.comment:
            yield f"comment on column {name}.{identifier(column.name)} is {literal(column.comment)}"


def _left_empty(connection: duckdb.DuckDBPyConnection, mart: Mart, carried: list[Column]) -> set[str]:
    """Columns that rows of an earlier version leave empty: they are NOT NULL once those are rerun."""
    required = {column.name for column in mart.columns if not column.is_nullable}
    absent = required - {column.name for column in carried}
    doubtful = [column.name for column in carried if column.is_nullable and column.name in required]
    if not doubtful:
        return absent
    any_empty = ", ".join(f"count(*) > count({identifier(name)})" for name in doubtful)
    row = connection.execute(f"select {any_empty} from carried_rows").fetchone() or ()
    return absent | {name for name, is_empty in zip(doubtful, row, strict=True) if is_empty}


def _insert(connection: duckdb.DuckDBPyConnection, mart: Mart, source: str, names: list[str]) -> int:
    listed = ", ".join(identifier(name) for name in names)
    try:
        row = connection.execute(
            f"insert into fresh.main.{identifier(mart.name)} ({listed}) select {listed} from {source}"
        ).fetchone()
    except (duckdb.ConversionException, duckdb.BinderException) as error:
        raise WarehouseError(
            f"the published table {mart.name}",
            str(error).splitlines()[0],
            "rows of other studies that fit its columns",
            "move the publications away and publish their studies again",
        ) from error
    return int(row[0]) if row else 0


def _say_what_is_kept(connection: duckdb.DuckDBPyConnection, stamp: Stamp, kept: Sequence[ArchivedRun]) -> None:
    """Write in runs which runs of a study are kept, and where."""
    table = f"fresh.main.{RUNS}"
    connection.execute(
        f"update {table} set archive_path = null, archive_removed_at = ? "
        "where study_id = ? and archive_path is not null and not list_contains(?, run_id)",
        [stamp.published_at, stamp.study_id, [run.run_id for run in kept]],
    )
    for run in kept:
        connection.execute(
            f"update {table} set archive_path = ?, archive_removed_at = null where study_id = ? and run_id = ?",
            [run.path, stamp.study_id, run.run_id],
        )


def _bring_back(connection: duckdb.DuckDBPyConnection, mart: str, kept: Sequence[ArchivedRun]) -> None:
    """Rows of runs that are kept though the published database was made anew since."""
    table = f"fresh.main.{identifier(mart)}"
    known = {run_id for (run_id,) in connection.execute(f"select distinct run_id from {table}").fetchall()}
    there = _columns(connection, table)
    for run in kept:
        path = run.folder / MARTS / f"{mart}.parquet"
        if run.run_id not in known and path.is_file():
            written = f"read_parquet({_text(path)})"
            names = ", ".join(identifier(name) for name in _columns(connection, written) if name in there)
            connection.execute(f"insert into {table} ({names}) select {names} from {written}")


def _columns(connection: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    return [name for name, *_ in connection.execute(f"describe select * from {table}").fetchall()]


def _write_parquet(connection: duckdb.DuckDBPyConnection, folder: Path, mart: Mart, stamp: Stamp) -> None:
    path = _text(folder / f"{mart.name}.parquet")
    metadata = f"{{publication_id: {literal(stamp.publication_id)}}}"
    connection.execute(f"copy fresh.main.{identifier(mart.name)} to {path} (format parquet, kv_metadata {metadata})")


def _text(path: Path) -> str:
    return literal(str(path))
