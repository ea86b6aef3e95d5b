"""The findings of a study as a workbook that the page carries: one sheet of questions, one of the groups found.

Belongs here: which rows stand in it. How a text is kept from being computed is published/xlsx.py.
"""

import base64
import io
import math
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from python_assets.published.xlsx import open_workbook, text_format, write_text
from python_assets.report.reader import Reader
from python_assets.report.text import SIMULATED, plural

if TYPE_CHECKING:
    from xlsxwriter import Workbook

NEVER: Final = datetime(2000, 1, 1)  # of a study that was published before that was told
MOST_ROWS: Final = 2000  # of a sheet: the page stays one that can be sent
SHEETS: Final = {
    "findings": "from v_findings where study_id = $study order by finding_rank",
    "groups": """
        from v_differences
        where study_id = $study and hypothesis_verdict in ('beyond_margin', 'different')
        order by finding_rank, group_id, category, reference
    """,
}
"""By name, the rows of a sheet: every hypothesis, and every group of the significant ones."""
_OF_STUDY: Final = ("study_id", "title", "published_at", "plumbline_version", "run_id")


def findings_workbook(reader: Reader) -> str:
    """An xlsx file in base64, with a first sheet that says what it is of.

    Args:
        reader: the study.
    """
    file = io.BytesIO()
    with open_workbook(file, reader.study["published_at"] or NEVER) as book:
        about = [(name, reader.study[name]) for name in _OF_STUDY]
        if reader.rows("from systems where study_id = $study and is_simulated"):
            about.append(("simulated", SIMULATED))
        sheets = {name: reader.rows(query) for name, query in SHEETS.items()}
        for name, rows in sheets.items():
            about.append((name, f"{min(len(rows), MOST_ROWS):,} of {plural(len(rows), 'row')}"))
        _add(book, "about", about)
        for name, rows in sheets.items():
            columns = [column for column in (rows[0] if rows else {}) if column not in _OF_STUDY]
            _add(book, name, [columns, *([row[column] for column in columns] for row in rows[:MOST_ROWS])])
    return base64.b64encode(file.getvalue()).decode()


def _add(book: "Workbook", name: str, lines: Iterable[Iterable[Any]]) -> None:
    sheet, style = book.add_worksheet(name), text_format(book)
    for row, line in enumerate(lines):
        for column, value in enumerate(line):
            if isinstance(value, datetime):
                write_text(sheet, row, column, f"{value:%Y-%m-%d %H:%M} UTC", style)
            elif isinstance(value, str) or (isinstance(value, float) and not math.isfinite(value)):
                write_text(sheet, row, column, str(value), style)  # no cell holds an infinite number as one
            elif value is not None:
                sheet.write(row, column, value)
