"""Publish a study for readers: its marts in the one database and the Parquet files that people query.

Belongs here: merging the marts of one build file with what other studies published, and the renames. Nothing
is computed here. A reader keeps the file it has open; whoever opens the name afterwards sees the new one.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

import duckdb

from python_assets.errors import WarehouseError
from python_assets.published.refuse_simulation import has_stand_in, refuse_simulation
from python_assets.warehouse.build import Home, utc_now, write_remedy

# older drivers open files of this version and no later one
STORAGE_VERSION: Final = "v1.0.0"
UNFINISHED: Final = ".publishing"
# says when its rows were published; the second has a row of every run, and the others hold the latest alone
_DATED: Final = ("studies", "publications")
_OF_EVERY_RUN: Final = "publications"
# DuckDB shares one table among its threads only where it is large, and most marts are not
N_WRITERS: Final = 2


class Published(NamedTuple):
    """What a publish wrote; n_rows counts the rows of this study by mart."""

    path: Path
    n_rows: dict[str, int]
    seconds: float


class _Study(NamedTuple):
    """Whose rows are replaced, and the time that they get."""

    study_id: str
    published_at: datetime


class Column(NamedTuple):
    """A column as the build file declares it."""

    name: str
    data_type: str
    is_nullable: bool
    comment: str | None


class Mart(NamedTuple):
    """A table or view of the schema marts as the build file declares it; either is published as a table."""

    name: str
    comment: str | None
    columns: list[Column]


def publish(build_path: Path, home: Home, study_id: str) -> Published:
    """Replace what a study has published, and leave the rows of every other study as they are.

    Args:
        build_path: the build file of the study, which no other process has open for writing.
        home: the warehouse; its published database and Parquet files are replaced by renaming.
        study_id: rows of this study come from the build file, rows of others from the published database.

    Returns:
        The published database, the rows of this study by mart, and the seconds it took, waiting included.

    Raises:
        WarehouseError: the build file holds no marts or cannot be read, the folders cannot be written, the
            published database cannot be read or holds rows that no longer fit, or a simulated study would
            replace what real models answered.
    """
    started = time.monotonic()
    if not build_path.is_file():
        raise _not_run(build_path, study_id)
    try:
        with publish_lock(home):
            n_rows = _publish(build_path, home, study_id)
    except (OSError, duckdb.IOException) as error:
        remedy = write_remedy(home.root, error)
        raise WarehouseError(home.root, error, "a folder that can be written", remedy) from error
    return Published(home.published, n_rows, time.monotonic() - started)


def _not_run(build_path: Path, study_id: str) -> WarehouseError:
    remedy = f"run the study {study_id} before publishing it"
    return WarehouseError(build_path, "no marts", "those of a run", remedy)


@contextmanager
def publish_lock(home: Home) -> Iterator[None]:
    """Let one process after another publish; what a crashed one left unfinished is removed.

    Args:
        home: the warehouse; its folders are made.

    Raises:
        OSError: the folders cannot be written.
    """
    home.parquet.mkdir(parents=True, exist_ok=True)
    with (home.root / ".publish.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _remove_unfinished(home)
        try:
            yield
        finally:
            _remove_unfinished(home)


def _remove_unfinished(home: Home) -> None:
    for folder in (home.root, home.parquet):
        for path in folder.glob(f"*{UNFINISHED}*"):
            path.unlink()


def _publish(build_path: Path, home: Home, study_id: str) -> dict[str, int]:
    connection = duckdb.connect(config={"autoinstall_known_extensions": False})
    try:
        _attach(connection, "build", build_path)
        if has_stand_in(connection, "build", "marts", study_id):
            refuse_simulation(home, study_id)
        if home.published.is_file():
            _attach(connection, "earlier", home.published)
        else:
            connection.execute("attach ':memory:' as earlier")
        marts = _marts(connection, "build", "marts")
        if not marts:
            raise _not_run(build_path, study_id)
        earlier = {mart.name: mart for mart in _marts(connection, "earlier", "main")}
        n_rows = _write_unfinished(connection, home, _Study(study_id, utc_now()), marts, earlier)
    finally:
        connection.close()
    _rename(home, marts, earlier)
    return n_rows


def _attach(connection: duckdb.DuckDBPyConnection, alias: str, path: Path) -> None:
    try:
        connection.execute(f"attach {_text(path)} as {alias} (read_only)")
    except duckdb.Error as error:
        remedy = (
            "close the process that has it open for writing; if the file is damaged, move it away and "
            "publish its studies again"
        )
        raise WarehouseError(path, error, "a database that can be read", remedy) from error


def _marts(connection: duckdb.DuckDBPyConnection, database: str, schema: str) -> list[Mart]:
    tables = connection.execute(
        """
        select table_name, comment
        from (
            select database_name, schema_name, table_name, comment, estimated_size from duckdb_tables()
            union all
            select database_name, schema_name, view_name, comment, 0 from duckdb_views()
        )
        where database_name = ? and schema_name = ? order by estimated_size desc, table_name
        """,
        [database, schema],
    ).fetchall()
    columns: dict[str, list[Column]] = {name: [] for name, _ in tables}
    for table, *column in connection.execute(
        "select table_name, column_name, data_type, is_nullable, comment from duckdb_columns() "
        "where database_name = ? and schema_name = ? order by column_index",
        [database, schema],
    ).fetchall():
        if table in columns:
            columns[table].append(Column(*column))
    return [Mart(name, comment, columns[name]) for name, comment in tables]


def _write_unfinished(
    connection: duckdb.DuckDBPyConnection, home: Home, study: _Study, marts: list[Mart], earlier: dict[str, Mart]
) -> dict[str, int]:
    path = _unfinished(home.published)
    connection.execute(f"attach {_text(path)} as fresh (storage_version '{STORAGE_VERSION}')")

    def write(mart: Mart) -> int:
        with connection.cursor() as cursor:
            n_rows = _write_mart(cursor, study, mart, earlier.get(mart.name))
            _write_parquet(cursor, home, mart)
        return n_rows

    with ThreadPoolExecutor(N_WRITERS) as writers:
        n_rows = dict(zip((mart.name for mart in marts), writers.map(write, marts), strict=True))
    connection.execute("checkpoint fresh")
    connection.execute("detach fresh")
    return n_rows


def _write_mart(connection: duckdb.DuckDBPyConnection, study: _Study, mart: Mart, earlier: Mart | None) -> int:
    carried = _carry_over(connection, study, mart, earlier)
    _create(connection, mart, carried)
    if carried:
        _insert(connection, mart, "carried_rows", [column.name for column in carried])
    return _insert(connection, mart, _built_rows(study, mart), [column.name for column in mart.columns])


def _built_rows(study: _Study, mart: Mart) -> str:
    source = f"build.marts.{_name(mart.name)}"
    if mart.name not in _DATED:
        return source
    return f"(select * replace (timestamp '{study.published_at.isoformat()}' as published_at) from {source})"


def _carry_over(connection: duckdb.DuckDBPyConnection, study: _Study, mart: Mart, earlier: Mart | None) -> list[Column]:
    """Make the view carried_rows of what stays published; its columns that the mart still has."""
    known = {column.name: column for column in earlier.columns} if earlier else {}
    if "study_id" not in known:
        return []
    of_every_run = mart.name == _OF_EVERY_RUN
    connection.execute(
        f"create or replace temp view carried_rows as "
        f"select * from earlier.main.{_name(mart.name)} where study_id <> {_text(study.study_id)}"
        + (" or run_id not in (from build.marts.publications select run_id)" if of_every_run else "")
    )
    row = connection.execute("select 1 from carried_rows limit 1").fetchone()
    return [known[column.name] for column in mart.columns if column.name in known] if row else []


def _create(connection: duckdb.DuckDBPyConnection, mart: Mart, carried: list[Column]) -> None:
    optional = _left_empty(connection, mart, carried) if carried else set()
    definitions = ", ".join(
        f"{_name(column.name)} {column.data_type}"
        + ("" if column.is_nullable or column.name in optional else " not null")
        for column in mart.columns
    )
    table = f"fresh.main.{_name(mart.name)}"
    connection.execute(f"create table {table} ({definitions})")
    if mart.comment:
        connection.execute(f"comment on table {table} is {_text(mart.comment)}")
    for column in mart.columns:
        if column.comment:
            connection.execute(f"comment on column {table}.{_name(column.name)} is {_text(column.comment)}")


def _left_empty(connection: duckdb.DuckDBPyConnection, mart: Mart, carried: list[Column]) -> set[str]:
    """Columns that rows of an earlier version leave empty: they are NOT NULL once those are rerun."""
    required = {column.name for column in mart.columns if not column.is_nullable}
    absent = required - {column.name for column in carried}
    doubtful = [column.name for column in carried if column.is_nullable and column.name in required]
    if not doubtful:
        return absent
    any_empty = ", ".join(f"count(*) > count({_name(name)})" for name in doubtful)
    row = connection.execute(f"select {any_empty} from carried_rows").fetchone() or ()
    return absent | {name for name, is_empty in zip(doubtful, row, strict=True) if is_empty}


def _insert(connection: duckdb.DuckDBPyConnection, mart: Mart, source: str, names: list[str]) -> int:
    listed = ", ".join(_name(name) for name in names)
    try:
        row = connection.execute(
            f"insert into fresh.main.{_name(mart.name)} ({listed}) select {listed} from {source}"
        ).fetchone()
    except (duckdb.ConversionException, duckdb.BinderException) as error:
        raise WarehouseError(
            f"the published table {mart.name}",
            str(error).splitlines()[0],
            "rows of other studies that fit its columns",
            "move the published database away and publish its studies again",
        ) from error
    return int(row[0]) if row else 0


def _write_parquet(connection: duckdb.DuckDBPyConnection, home: Home, mart: Mart) -> None:
    path = _unfinished(home.parquet / f"{mart.name}.parquet")
    connection.execute(f"copy fresh.main.{_name(mart.name)} to {_text(path)} (format parquet)")


def _rename(home: Home, marts: list[Mart], earlier: dict[str, Mart]) -> None:
    for path in [home.published, *(home.parquet / f"{mart.name}.parquet" for mart in marts)]:
        os.replace(_unfinished(path), path)  # noqa: PTH105
    for name in earlier.keys() - {mart.name for mart in marts}:
        (home.parquet / f"{name}.parquet").unlink(missing_ok=True)


def _unfinished(path: Path) -> Path:
    return path.with_name(path.name + UNFINISHED)


def _name(identifier: str) -> str:
    return '"' + identifier.replace('"', '""') + '"'


def _text(value: str | Path) -> str:
    return "'" + str(value).replace("'", "''") + "'"
