"""Workbooks: what somebody else wrote is never computed in them, and never breaks the file.

Belongs here: a workbook and its texts. Which rows there are is where one is written.
"""

import re
from datetime import datetime
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

MOST_OF_A_CELL: Final = 32_767
_ILLEGAL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")  # no XML may have them


def open_workbook(file: str | IO[bytes], made_at: datetime) -> "Workbook":
    """A workbook to be closed, the same bytes for the same content; an OSError where it cannot be written then.

    Args:
        file: its path, or what is written into.
        made_at: what it says of its own making.
    """
    from xlsxwriter import Workbook

    book = Workbook(file, {"in_memory": True})
    book.set_properties({"created": made_at})
    return book


def text_format(book: "Workbook", **looks: object) -> "Format":
    """The format of cells that stay texts when they are edited.

    Args:
        book: where they stand.
        looks: further properties of a format.
    """
    return book.add_format({"quote_prefix": True, **looks})


def write_text(sheet: "Worksheet", row: int, column: int, text: str, style: "Format") -> None:
    """Put a text into a cell, as it is: it may begin with = or any other sign. An empty one leaves the cell empty.

    Args:
        sheet: where.
        row: from 0.
        column: from 0.
        text: cut where a cell can hold no more, without signs that no workbook may have.
        style: by text_format.
    """
    if legal := _ILLEGAL.sub("", text)[:MOST_OF_A_CELL]:
        sheet.write_string(row, column, legal, style)
