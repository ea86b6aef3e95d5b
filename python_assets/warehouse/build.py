"""The private build file of one study: its raw tables, written one transaction a stage, and its quarantine.

Belongs here: folders, tables, transactions. Publishing for readers is published/publish.py.
"""

import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import duckdb

from python_assets.errors import OTHER_HOME, WarehouseError
from python_assets.warehouse.raw_tables import RAW_TABLES
from python_assets.warehouse.threads import n_threads, threads_told

if TYPE_CHECKING:
    import pandas as pd

SCHEMAS: Final = ("raw", "intermediate", "marts", "inference")
UNORDERED: Final = "preserve_insertion_order"
_PROFILE: Final = Path(__file__).resolve().parents[2] / "dbt_models" / "profiles.yml"
FEW_MEASUREMENTS: Final = 10_000  # DuckDB gives each thread 122,880 rows to read, and tables of pairs grow
MEMORY: Final = ":memory:"
UNFINISHED: Final = ".publishing"  # ends the name of what is not whole yet, or is being removed


class Quarantined(NamedTuple):
    """A record that a rule rejected: nothing is lost, everything is counted."""

    record_key: str
    rule: str
    detail: str
    record_json: str | None = None


class Home(NamedTuple):
    """The folders of a warehouse (architecture 7); those of readers stand in each publication, too."""

    root: Path

    @property
    def published(self) -> Path:
        """The one database that readers open."""
        return self.root / "plumbline.duckdb"

    @property
    def parquet(self) -> Path:
        """One Parquet file a mart."""
        return self.root / "parquet"

    @property
    def publications(self) -> Path:
        """The latest publications, a folder each."""
        return self.root / "publications"

    @property
    def current(self) -> Path:
        """A link to the publication that readers see."""
        return self.root / "current"

    @property
    def chain(self) -> Path:
        """The chain of freezes, archives and publications, a line each: it cannot be rebuilt."""
        return self.root / "chain.jsonl"

    def report(self, study_id: str) -> Path:
        """The HTML report of a study."""
        return self.root / "report" / f"{study_id}.html"

    def data_docs(self, study_id: str) -> Path:
        """Great Expectations' pages of what was checked of a study; it can be deleted."""
        return self.root / "data_docs" / study_id

    def archives(self, study_id: str) -> Path:
        """The runs of a study that are kept, a folder each."""
        return self.root / "archive" / study_id

    def responses(self, study_id: str) -> Path:
        """The response logs of a study: the only thing that cannot be rebuilt."""
        return self.root / "responses" / study_id

    def preregistrations(self, study_id: str) -> Path:
        """When which analysis of a study was declared, one line a freeze."""
        return self.root / "preregistrations" / f"{study_id}.jsonl"

    def looks(self, study_id: str, *, is_simulated: bool) -> Path:
        """Which looks at a study were taken and what they called, a line each: it cannot be rebuilt."""
        folder = self.root / "looks"
        return (folder / "simulated" if is_simulated else folder) / f"{study_id}.jsonl"

    @property
    def pages(self) -> Path:
        """Pages that were fetched, so that each is fetched once; deleted, they are fetched again."""
        return self.root / "pages"

    def build(self, study_id: str) -> Path:
        """The private file a study is computed in; it can be deleted."""
        return self.root / "build" / f"{study_id}.duckdb"

    @property
    def chunks(self) -> str:
        """Where files of parts lie while workers read them: a folder, or an address of fsspec (PLUMBLINE_CHUNKS)."""
        return os.environ.get("PLUMBLINE_CHUNKS") or str(self.root / "build" / "chunks")

    @property
    def cache(self) -> Path:
        """Scores by text and extractor version; it can be deleted."""
        return self.root / "build" / "cache"


def utc_now() -> datetime:
    """The present, in UTC, without a zone: how every *_at column is stored."""
    return datetime.now(UTC).replace(tzinfo=None)


def make_folder(path: Path) -> None:
    """Make a folder of the warehouse and those above it.

    Raises:
        WarehouseError: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WarehouseError(path, error, "a folder that can be made", OTHER_HOME) from error


def unwritable(folder: Path) -> WarehouseError | None:
    """Why a folder of the warehouse cannot be made or written in, with the remedy; nothing is made."""
    there = next(one for one in (folder, *folder.parents) if os.access(one, os.F_OK))
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return None
    why = "may not be written" if there.is_dir() else "is no folder"
    return WarehouseError(folder, f"{there}, which {why}", "a folder to make or write in", OTHER_HOME)


def write_remedy(folder: Path, error: Exception, space: str = "free some space") -> str:
    """What to do where files of the warehouse could not be written.

    Args:
        folder: where they were to be.
        error: of the system, or of DuckDB, which does not say of what kind it is.
        space: how there would be more of it.
    """
    code = getattr(error, "errno", None)
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if code == errno.EROFS or os.statvfs(there).f_flag & os.ST_RDONLY:
        return f"mount {there} so that it can be written, or {OTHER_HOME}"
    if code in (errno.EACCES, errno.EPERM) or not os.access(there, os.W_OK):
        return f"give yourself the right to write in {there}, or {OTHER_HOME}"
    return f"{space}, or {OTHER_HOME}"


@contextmanager
def open_build(path: Path, *, is_stratum: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the build file of a study for writing, with its schemas and raw tables in place.

    Args:
        path: the file.
        is_stratum: this process has it open already, and has seen to its tables; no other process can write it.

    Raises:
        WarehouseError: the folder cannot be written, or another process has the file open.
    """
    connection = _connect(path)
    try:
        if not is_stratum:
            _see_to_tables(connection)
        yield connection
    finally:
        connection.close()


def open_memory() -> duckdb.DuckDBPyConnection:
    """A build file in memory, of which nothing reaches the disk."""
    connection = _connect(MEMORY)
    connection.execute("reset memory_limit")  # there is no disk to go to
    connection.execute("set temp_directory = ''")
    _see_to_tables(connection)
    return connection


def _see_to_tables(connection: duckdb.DuckDBPyConnection) -> None:
    there, statements = _raw_tables(connection), []
    if any(columns != set(RAW_TABLES.get(table, columns)) for table, columns in there.items()):
        statements.append("drop schema raw cascade")  # of another version: every stage is to write the file anew
        there = {}
    if not there:
        statements += [f"create schema if not exists {schema}" for schema in SCHEMAS]
    for table, columns in RAW_TABLES.items():
        if table not in there:
            definition = ", ".join(f"{name} {kind}" for name, kind in columns.items())
            statements.append(f"create table raw.{table} ({definition})")
    if statements:
        with transaction(connection):  # one for all: each is written to the disk before it ends
            connection.execute("; ".join(statements))
    _use_cores(connection)


def _use_cores(connection: duckdb.DuckDBPyConnection) -> None:
    """A thread a core, and one alone where there are few measurements: others would have nothing to do but to wait."""
    n = connection.execute("select count(*) from raw.measurements").fetchall()[0][0]
    connection.execute(f"set threads = {n_threads() if n > FEW_MEASUREMENTS else 1}")


def _raw_tables(connection: duckdb.DuckDBPyConnection) -> dict[str, set[str]]:
    """The columns of the raw tables that are there."""
    # a new file is told from others by this alone: duckdb_columns looks through all that DuckDB itself has
    if not connection.execute("select count(*) from duckdb_tables() where schema_name = 'raw'").fetchall()[0][0]:
        return {}
    query = "select table_name, list(column_name) from duckdb_columns() where schema_name = 'raw' group by table_name"
    return {table: set(columns) for table, columns in connection.execute(query).fetchall()}


def connect(
    path: str | Path = MEMORY, *, read_only: bool = False, threads: int | None = None
) -> duckdb.DuckDBPyConnection:
    """A connection to a DuckDB file that fetches nothing and draws no bar over what a command prints.

    threads: that it uses; where None those of OMP_NUM_THREADS, else one a core. A build file keeps those it has.

    Raises:
        duckdb.Error: the file cannot be opened.
    """
    connection = duckdb.connect(str(path), read_only)
    # said afterwards: a file that is open twice in a process must be opened alike
    connection.execute("set autoinstall_known_extensions = false")
    connection.execute("set enable_progress_bar = false")
    if threads is None and (read_only or path == MEMORY):  # all connections of a process to a file share its threads
        threads = threads_told()
    if threads is not None:
        connection.execute(f"set threads = {threads}")
    return connection


def rows_of(
    connection: duckdb.DuckDBPyConnection, query: str, values: Mapping[str, Any] | Sequence[Any] = ()
) -> list[dict[str, Any]]:
    """The rows of a query, by the names of their columns.

    Args:
        connection: any.
        query: SQL.
        values: of its parameters, by name or in their order.
    """
    cursor = connection.execute(query, values)
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _connect(path: Path | str) -> duckdb.DuckDBPyConnection:
    if isinstance(path, Path):
        make_folder(path.parent)
    try:
        connection = connect(path)
    except duckdb.IOException as error:
        remedy = f"close the process that has it open, or {OTHER_HOME}"
        raise WarehouseError(path, error, "a file that can be opened for writing", remedy) from error
    for name, value in build_settings().items():
        connection.execute(f"set {name} = '{value}'")
    return connection


@cache
def build_settings() -> Mapping[str, Any]:
    """How DuckDB is set for a build file, by hand and in a run: settings of dbt_models/profiles.yml.

    In a run threads are those that the rows keep busy, and rows keep their order but where SQL makes tables of tables.
    """
    import yaml

    profile = yaml.safe_load(_PROFILE.read_text(encoding="utf-8"))["plumbline"]
    settings: dict[str, Any] = profile["outputs"][profile["target"]]["settings"]
    return {name: value for name, value in settings.items() if name != UNORDERED}


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """All of what is done inside, or nothing of it."""
    connection.execute("begin")
    try:
        yield
    except BaseException:
        connection.execute("rollback")
        raise
    connection.execute("commit")


def write_stage(
    connection: duckdb.DuckDBPyConnection,
    study_id: str,
    stage: str,
    tables: Mapping[str, "pd.DataFrame"],
    quarantine: Sequence[Quarantined] = (),
) -> dict[str, int]:
    """Replace what a stage wrote for a study, all of its tables and its quarantine in one transaction.

    Args:
        connection: an open build file.
        study_id: becomes the study_id column.
        stage: the name of the stage; its earlier quarantine is replaced.
        tables: by name, the columns of RAW_TABLES without study_id; columns that are absent become NULL.
        quarantine: what the stage rejected.

    Returns:
        Rows written by table, quarantine included.

    Raises:
        ValueError: a table or column is not one of RAW_TABLES.
    """
    import pandas as pd  # 0.5 s, and every command reads where the folders are

    rejected = pd.DataFrame(quarantine, columns=list(Quarantined._fields))
    rejected = rejected.assign(stage=stage, quarantined_at=utc_now())
    with transaction(connection):
        for table, rows in tables.items():
            connection.execute(f"delete from raw.{table} where study_id = ?", [study_id])
            _insert(connection, study_id, table, rows)
        connection.execute("delete from raw.quarantine where study_id = ? and stage = ?", [study_id, stage])
        _insert(connection, study_id, "quarantine", rejected)
    _use_cores(connection)
    return {table: len(rows) for table, rows in tables.items()} | {"quarantine": len(rejected)}


def _insert(connection: duckdb.DuckDBPyConnection, study_id: str, table: str, rows: "pd.DataFrame") -> None:
    columns = RAW_TABLES[table]
    if unknown := set(rows.columns) - set(columns) or {"study_id"} & set(rows.columns):
        raise ValueError(f"raw.{table} has no column {sorted(unknown)}")
    if rows.empty:
        return
    # all-NULL pandas columns come as integers: the casts say what they are
    selected = ", ".join(f'cast("{name}" as {columns[name].split()[0]})' for name in rows.columns)
    named = ", ".join(f'"{name}"' for name in rows.columns)
    connection.register("incoming_rows", rows)
    try:
        connection.execute(
            f"insert into raw.{table} (study_id, {named}) select ?, {selected} from incoming_rows", [study_id]
        )
    finally:
        connection.unregister("incoming_rows")
