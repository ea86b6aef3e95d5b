"""Every table of a document from a published study: a csv file each, a list of them, and one page.

Belongs here: from a query to its file and its part of the page. The queries are queries.py.
"""

import csv
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb

from python_assets.errors import WarehouseError
from python_assets.published.copies import escaped, knew_less, write_table
from python_assets.published.query import open_published
from python_assets.report import text
from python_assets.report.importance import DOCUMENT_P, importance_section
from python_assets.report.reader import Reader, Row
from python_assets.report.subgroups import MAX_SECTORS, subgroups_section
from python_assets.report.tables.queries import Document, TableQuery, queries_of
from python_assets.report.templates import template, write_page
from python_assets.warehouse.build import Home, make_folder

LIST: Final = "tables.csv"
_PAGE: Final = "tables.html"
_MAX_ROWS: Final = 200  # of a table on the page; its file has all
TITLES: Final[dict[Document, str]] = {
    "saged": "SAGED, sections 4.1 to 5.2",
    "multi_factor": "the multi-factor document",
    "fair_sea": "FAIR-SEA",
}
_SYSTEMS: Final = """
    select system_id, is_simulated
    from systems
    where study_id = $study and not is_baseline
    order by system_id
"""


class WrittenTable(NamedTuple):
    """A table and how many rows its file has: none where the study lacks what it needs."""

    query: TableQuery
    file: str
    n_rows: int

    def told(self) -> str:
        """How many rows there are, or why there are none."""
        return text.plural(self.n_rows, "row") if self.n_rows else f"no rows: it needs {self.query.needs}"


class TablesWritten(NamedTuple):
    """The folder, its tables in the document's order, and the page of them."""

    folder: Path
    tables: list[WrittenTable]
    page: Path


class TablePreview(NamedTuple):
    """A table on the page: its first rows; numbers: the columns that hold them."""

    written: WrittenTable
    columns: list[str]
    numbers: set[str]
    rows: list[Row]


def write_tables(home: Home, study_id: str, document: Document, folder: Path | None) -> TablesWritten:
    """Write every table of a document from a published study; files of an earlier call are replaced.

    A text that a spreadsheet would compute begins with ' in the csv files, as in an export.

    Args:
        home: the warehouse; only its published database is read.
        study_id: a study in it.
        document: whose tables.
        folder: where to; by default <home>/tables/<study>/<document>.

    Returns:
        What was written; a table that the study cannot fill is a file without rows.

    Raises:
        WarehouseError: the study is not published, was published by a version that knew less, or the folder
            cannot be written.
    """
    target = home.root / "tables" / study_id / document if folder is None else folder
    try:
        with open_published(home.published, writes_to=target) as connection:
            reader = Reader(connection, study_id)
            make_folder(target)
            shown = [_shown(connection, reader, query, target) for query in queries_of(document)]
            page = _page(reader, document, shown)
            _write_list(reader, [table.written for table in shown], target / LIST)
    except (duckdb.CatalogException, duckdb.BinderException) as error:
        raise knew_less(home.published, study_id, error) from error
    except (OSError, duckdb.IOException) as error:
        raise WarehouseError(target, error, "a folder that can be written", "name one with --out FOLDER") from error
    write_page(target / _PAGE, page.encode())
    return TablesWritten(target, [table.written for table in shown], target / _PAGE)


def _shown(connection: duckdb.DuckDBPyConnection, reader: Reader, query: TableQuery, folder: Path) -> TablePreview:
    file = folder / f"{query.name}.csv"
    done = write_table(connection, escaped(connection, query.sql, reader.study_id), reader.study_id, file, "csv")
    rows = reader.rows(f"select * from ({query.sql}) limit {_MAX_ROWS}")
    numbers = {name for row in rows for name, value in row.items() if isinstance(value, int | float)}
    return TablePreview(WrittenTable(query, file.name, done.n_rows), done.columns, numbers, rows)


def _write_list(reader: Reader, tables: list[WrittenTable], path: Path) -> None:
    is_simulated = any(row["is_simulated"] for row in reader.rows(_SYSTEMS))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "title", "source", "n_rows", "needs", "study_id", "run_id", "is_simulated"])
        run = reader.study["run_id"]
        for table in tables:
            query = table.query
            fields = [table.file, query.title, query.source, table.n_rows, query.needs]
            writer.writerow([*fields, reader.study_id, run, str(is_simulated).lower()])


def _page(reader: Reader, document: Document, tables: list[TablePreview]) -> str:
    systems = reader.rows(_SYSTEMS)
    content: dict[str, Any] = {
        "study": reader.study,
        "document": TITLES[document],
        "tables": tables,
        "simulated": [row["system_id"] for row in systems if row["is_simulated"]],
        "real": [row["system_id"] for row in systems if not row["is_simulated"]],
        "max_rows": _MAX_ROWS,
        "alpha": reader.level,
        "warning": text.SIMULATED,
        "verdicts": text.VERDICT_WORDS,
        "rate_limit": text.share,
        "draws_figures": document == "multi_factor",
    }
    if document == "multi_factor":
        content |= {
            "subgroups": subgroups_section(reader),
            "max_sectors": MAX_SECTORS,
            "importance": importance_section(reader),
            "document_p": DOCUMENT_P,
        }
    return template("tables/tables.html").render(content)
