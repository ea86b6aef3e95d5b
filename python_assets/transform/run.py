"""Compiled SQL executed on an open build file: one statement after another, one commit a table.

Belongs here: how a table, a view, a seed, a model in Python and a data test are made of what dbt compiled.
"""

import importlib.util
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any, Final, NamedTuple

import duckdb

from python_assets.errors import TransformError
from python_assets.transform.project import SEED, VIEW, Project, is_test, key_of, relation
from python_assets.warehouse.build import UNORDERED, transaction
from python_assets.warehouse.progress import Progress

Step = Mapping[str, Any]
"""A node of the manifest."""
PASS, WARN, FAIL, SUCCESS = "pass", "warn", "fail", "success"
ROWS_TOLD: Final = 3
_REMEDY: Final = "look at the rows in the build file; where its raw tables are right, the SQL is at fault: report it"
_HIDDEN: Final = "(hidden by report.hide_texts)"
_SECONDS_BETWEEN_LOOKS: Final = 0.5
_SECONDS_OF_A_LONG_STATEMENT: Final = 5.0


class StepResult(NamedTuple):
    """What became of a table or of a data test; failures counts the rows that a test found."""

    unique_id: str
    status: str
    failures: int | None = None


def run_steps(
    connection: duckdb.DuckDBPyConnection,
    project: Project,
    steps: Sequence[str],
    progress: Progress,
    *,
    hides_texts: bool = False,
) -> list[StepResult]:
    """Make tables and run their data tests; what reads a table that failed is left out, as in dbt.

    Args:
        connection: to the build file, no transaction begun.
        project: the compiled project.
        steps: of the project, in its order.
        progress: is told how many tables are made, and how far a long statement is.
        hides_texts: whether the rows that a test found are not shown.

    Returns:
        One result a step.

    Raises:
        TransformError: SQL, or a test of severity error, failed; the text names each with its file.
        KeyboardInterrupt: a signal came; the table that was being made is as it was before.
    """
    results: list[StepResult] = []
    failures: list[str] = []
    unmade: set[str] = set()  # tables that are not there
    untrue: set[str] = set()  # tables of which a test failed
    tables = [step for step in steps if not is_test(project.nodes[step])]
    tell = progress.start("SQL", "tables", len(tables))
    with _in_a_thread(connection, progress) as call:
        for step in steps:
            node = project.nodes[step]
            blocked = unmade if is_test(node) else unmade | untrue
            if blocked and blocked & project.with_ancestors([step]):
                unmade.add(step)
                continue
            try:
                result = call(node["name"], partial(_done, connection, project, step))
            except duckdb.Error as error:
                unmade.add(step)
                failures.append(_failure(node, str(error)))
                continue
            if result.status == FAIL:
                untrue.update(node["depends_on"]["nodes"])
                rows = _HIDDEN if hides_texts else _rows_told(connection, project, node)
                failures.append(_failure(node, f"{result.failures:,} rows, the first: {rows}"))
            results.append(result)
            if result.status == SUCCESS:
                tell(sum(one.status == SUCCESS for one in results))
    if failures:
        got = "\n".join(["tables that cannot be used:", *failures])
        raise TransformError("SQL", got, remedy=_REMEDY if untrue else "")
    return results


def make_table(connection: duckdb.DuckDBPyConnection, project: Project, node: Step) -> None:
    """Make a table, a view or a seed in the place of what is there, in one transaction.

    Raises:
        duckdb.Error: the SQL fails; what was there stays.
    """
    name, sql = relation(node), node.get("compiled_code", "")
    with transaction(connection):
        _drop(connection, node)
        if node["config"]["materialized"] == VIEW:
            connection.execute(f"create view {name} as {sql}")
        elif node["resource_type"] == SEED:
            _declare(connection, name, node["config"]["column_types"], ())
            # as dbt-duckdb does it
            file = _text(str(project.folder / node["original_file_path"]))
            connection.execute(f"copy {name} from {file} (format csv, header true, delimiter ',')")
        elif node["language"] == "python":
            _run_python(connection, project, node)
        elif is_contract(node):
            columns = node["columns"].values()
            kinds = {column["name"]: column["data_type"] for column in columns}
            _declare(connection, name, kinds, [column["name"] for column in columns if column["constraints"]])
            connection.execute(f"insert into {name} by name {sql}")
        else:
            connection.execute(f"create table {name} as {sql}")
        connection.execute("; ".join(_comments(node)) or "select 1")


def _run_python(connection: duckdb.DuckDBPyConnection, project: Project, node: Step) -> None:
    path = project.folder / node["original_file_path"]
    try:
        model = _module(path, path.stat().st_mtime_ns).model
        model(_Dbt(connection, project), connection).create(relation(node))
    except Exception as error:
        error.add_note(f"in model {node['name']} ({node['original_file_path']})")
        raise


def is_contract(node: Step) -> bool:
    """Whether the columns of a table are what its .yml declares."""
    return bool(node["config"].get("contract", {}).get("enforced"))


def _done(connection: duckdb.DuckDBPyConnection, project: Project, step: str) -> StepResult:
    node = project.nodes[step]
    if not is_test(node):
        make_table(connection, project, node)
        return StepResult(step, SUCCESS)
    n = connection.execute(f"select count(*) from ({node['compiled_code']}) as unexpected").fetchall()[0][0]
    is_error = node["config"]["severity"].lower() == "error"
    return StepResult(step, PASS if not n else FAIL if is_error else WARN, n)


def _drop(connection: duckdb.DuckDBPyConnection, node: Step) -> None:
    """Drop what has the name, a table or a view; DuckDB refuses to drop the one as the other."""
    views = "select 1 from duckdb_views() where database_name = current_catalog() and schema_name = ? and view_name = ?"
    is_view = connection.execute(views, [node["schema"], node["alias"]]).fetchall()
    connection.execute(f"drop {'view' if is_view else 'table'} if exists {relation(node)}")


def _declare(connection: duckdb.DuckDBPyConnection, name: str, kinds: Mapping[str, str], filled: Sequence[str]) -> None:
    columns = (f'"{column}" {kind}{" not null" if column in filled else ""}' for column, kind in kinds.items())
    connection.execute(f"create table {name} ({', '.join(columns)})")


def _comments(node: Step) -> Iterator[str]:
    persisted = node["config"].get("persist_docs") or {}
    kind = "view" if node["config"]["materialized"] == VIEW else "table"
    if persisted.get("relation") and node["description"]:
        yield f"comment on {kind} {relation(node)} is {_text(node['description'])}"
    for column in node["columns"].values() if persisted.get("columns") else ():
        if column["description"]:
            yield f'comment on column {relation(node)}."{column["name"]}" is {_text(column["description"])}'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


class _Dbt:
    """What dbt gives a model in Python, as far as the models here use it."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, project: Project) -> None:
        self._connection = connection
        self._project = project

    def config(self, **settings: Any) -> None:
        """Settings: the manifest has them."""

    def ref(self, name: str) -> duckdb.DuckDBPyRelation:
        """The rows of a model or seed."""
        return self._rows(next(node for node in self._project.nodes.values() if node["name"] == name))

    def source(self, schema: str, name: str) -> duckdb.DuckDBPyRelation:
        """The rows of a table that Python writes."""
        return self._rows(self._project.sources[f"source.plumbline.{schema}.{name}"])

    def _rows(self, node: Step) -> duckdb.DuckDBPyRelation:
        return self._connection.sql(f"from {relation(node)}")


@cache
def _module(path: Path, _modified: int) -> ModuleType:
    """A model in Python as it is now: of the project, never of what dbt wrote."""
    spec = importlib.util.spec_from_file_location(f"dbt_models.{path.stem}", path)
    if spec is None or spec.loader is None:
        raise TransformError(path, "a file that cannot be imported", "a model in Python")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _rows_told(connection: duckdb.DuckDBPyConnection, project: Project, test: Step) -> str:
    """The first rows that a test found, by the key of the table where it gives one."""
    unexpected = f"({test['compiled_code']}) as unexpected"
    there = connection.sql(f"from {unexpected}").columns
    key = [column for column in key_of(project, test) if column in there] or there
    names = ", ".join(f'"{column}"' for column in key)
    rows = connection.execute(f"select {names} from {unexpected} order by all limit {ROWS_TOLD}").fetchall()
    return json.dumps([dict(zip(key, row, strict=True)) for row in rows], ensure_ascii=False, default=str)


def _failure(node: Step, told: str) -> str:
    return f"{node['resource_type']} {node['name']} ({node['original_file_path']}): {told}"


@contextmanager
def _in_a_thread(
    connection: duckdb.DuckDBPyConnection, progress: Progress
) -> Iterator[Callable[[str, Callable[[], StepResult]], StepResult]]:
    """A function that calls another beside this thread, which hears signals meanwhile and tells how far SQL is."""

    def call(name: str, function: Callable[[], StepResult]) -> StepResult:
        future, started, tell = thread.submit(function), perf_counter(), None
        try:
            while not wait([future], _SECONDS_BETWEEN_LOOKS).done:
                if perf_counter() - started > _SECONDS_OF_A_LONG_STATEMENT:
                    tell = tell or progress.start(name, "percent", 100)
                    tell(min(99, max(0, int(connection.query_progress()))))
            return future.result()
        finally:
            while not future.done():  # after a signal: the statement, or the next one of the table
                connection.interrupt()
                wait([future], _SECONDS_BETWEEN_LOOKS)
            if tell:
                tell(100)

    # DuckDB counts how far a statement is only where it is asked for a bar
    connection.execute("set enable_progress_bar_print = false; set enable_progress_bar = true")
    connection.execute(f"set {UNORDERED} = false")  # tables here have no order, which would cost time and memory
    as_before = f"set enable_progress_bar = false; set {UNORDERED} = true"
    try:
        with ThreadPoolExecutor(1) as thread:
            yield call
    except BaseException:
        with suppress(duckdb.Error):  # what went wrong first is told
            connection.execute(as_before)
        raise
    connection.execute(as_before)
