"""A query on the published database, printed; reading only, and nothing outside that file."""

import json
import sys
from pathlib import Path
from typing import Any, Literal

import duckdb

from python_assets.errors import ANOTHER_HOME, Told, WarehouseError
from python_assets.study.control_characters import printable
from python_assets.study.problems import RENAMED
from python_assets.warehouse.build import connect

QueryFormat = Literal["table", "csv", "json"]
MAX_CELL = 60


def open_published(path: Path, writes_to: Path | None = None) -> duckdb.DuckDBPyConnection:
    """Open the published database for reading, without access to any other file or host.

    Args:
        path: the database.
        writes_to: a folder that files may be written to nevertheless.

    Raises:
        WarehouseError: nothing has been published yet, another program has it open for writing, or it was published
            by a version whose tables had other names.
    """
    if not path.is_file():
        raise WarehouseError(path, "no file", "a study that was run", "run one with: plumbline run g20_demo")
    try:
        connection = connect(path, read_only=True)
    except duckdb.IOException as error:  # it names the process that has the file open
        raise WarehouseError(path, error, "a database that can be read", "close that process, and ask again") from error
    _require_names_of_today(connection, path)
    if writes_to is not None:
        connection.execute("set allowed_directories = ?", [[str(writes_to.absolute())]])
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


def require_names_of_today(path: Path) -> None:
    """Refuse a published database whose tables have other names, before anything is asked or changed.

    Raises:
        WarehouseError: as of open_published; where nothing was published there is nothing to refuse.
    """
    if path.is_file():
        open_published(path).close()


def _require_names_of_today(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse what a version published whose tables had other names."""
    tables = {name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()}
    if old := sorted(tables & set(RENAMED)):
        connection.close()
        expected = f"table {RENAMED[old[0]]}, as it is called now"
        raise WarehouseError(path, Told(f"table {old[0]}"), expected, ANOTHER_HOME)


def columns_of_table(connection: duckdb.DuckDBPyConnection, table: str) -> set[str]:
    """The columns of a published table, none where a version published no such table.

    Args:
        connection: of open_published.
        table: its name.
    """
    query = "select column_name from information_schema.columns where table_name = ?"
    return {name for (name,) in connection.execute(query, [table]).fetchall()}


def print_query(path: Path, query: str, output: QueryFormat) -> None:
    """Run one query and write its rows to standard output as a table, as CSV or as JSON.

    Raises:
        WarehouseError: nothing has been published, or the database refuses the query.
    """
    with open_published(path) as connection:
        try:
            cursor = connection.execute(query)
            names = [column[0] for column in cursor.description or []]
            rows = cursor.fetchall()
        except duckdb.Error as error:
            raise WarehouseError("the query", error) from error
    {"table": _print_table, "csv": _print_csv, "json": _print_json}[output](names, rows)


def format_table(names: list[str], rows: list[tuple[Any, ...]], max_cell: int = MAX_CELL) -> str:
    """Rows as aligned text; numbers with four significant digits, NULL as -."""
    cells = [[_cell(value, max_cell) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    lines = [names, ["-" * width for width in widths], *cells]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _cell(value: Any, max_cell: int) -> str:
    if value is None:
        return "-"
    text = f"{value:.4g}" if isinstance(value, float) else printable(" ".join(str(value).split()))
    return shortened(text, max_cell)


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters, of which the last says that more came."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _print_table(names: list[str], rows: list[tuple[Any, ...]]) -> None:
    if names:
        # one column alone is text to be read, such as the sentences of findings
        print(format_table(names, rows, MAX_CELL if len(names) > 1 else sys.maxsize))
    print(f"({len(rows):,} {'row' if len(rows) == 1 else 'rows'})", file=sys.stderr)


def _print_csv(names: list[str], rows: list[tuple[Any, ...]]) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    # a file gets what there is, a terminal what it can show
    writer.writerows(map(_shown, rows) if sys.stdout.isatty() else rows)


def _shown(row: tuple[Any, ...]) -> list[Any]:
    return [printable(cell) if isinstance(cell, str) else cell for cell in row]


def _print_json(names: list[str], rows: list[tuple[Any, ...]]) -> None:
    records = [dict(zip(names, row, strict=True)) for row in rows]
    print(printable(json.dumps(records, ensure_ascii=False, indent=2, default=str)))
