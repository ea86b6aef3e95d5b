"""Sheets as they come back: csv, xlsx, and the JSON that Label Studio exports.

Belongs here: a file to rows of text. What a label means is allowed.py.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

import pandas as pd

from python_assets.errors import FieldPath, SourceError, StudyError, Told
from python_assets.importers.files import XLSX, read_table_file, table_columns
from python_assets.texts.decoding import read_text

ROW_ID: Final = "row_id"
RESPONSE_ID: Final = "response_id"  # of labels that were not given on a drawn sheet
ANSWER: Final = ("system_id", "prompt_id", "replicate")  # which answer it is, where nobody knows its response_id yet
LABEL: Final = "label"
SHEET_ROW: Final = "row"  # 17 of 120: which row of the sheet as it was drawn
SHEET_TEXTS: Final = ("text", "root_text")
CONTEXT: Final = (SHEET_ROW, "study", "measure", *SHEET_TEXTS)
ANNOTATOR: Final = "annotator"
FILE_ROW: Final = "file_row"
_COLUMNS: Final = (ROW_ID, RESPONSE_ID, *ANSWER, LABEL, *CONTEXT, ANNOTATOR)
SheetFormat = Literal["csv", "xlsx", "label_studio"]
SHEET_SUFFIXES: Final[dict[SheetFormat, str]] = {"csv": ".csv", "xlsx": XLSX, "label_studio": ".json"}
_FIRST_ROW: Final = 2  # below the names of the columns
_DELIMITERS: Final = ",;\t"  # spreadsheets of many countries write semicolons


def read_sheet(path: Path, field: FieldPath) -> pd.DataFrame:
    """Read the rows of a sheet that is not empty.

    Args:
        path: its ending says what it is.
        field: of the study file that names it, for error texts.

    Returns:
        COLUMNS as text, None where a cell is blank or the sheet lacks the column, and FILE_ROW, counted from
        1: rows of a table with the line of names, tasks of an export. A task that several people labelled has a
        row each, with who in ANNOTATOR.

    Raises:
        SourceError: the file is absent or cannot be read as what its ending says.
        StudyError: it has no column of ids or of labels.
    """
    ending = path.suffix.lower()
    endings = SHEET_SUFFIXES.values()
    if ending not in endings:
        raise SourceError(field, f"{path}", f"a file that ends in {', '.join(endings)}", "save the sheet as one")
    if ending == SHEET_SUFFIXES["label_studio"]:
        rows = _read_label_studio(path, field)
    else:
        rows = _read_csv(path, field) if ending == SHEET_SUFFIXES["csv"] else _read_xlsx(path, field)
        rows = rows.assign(**{FILE_ROW: range(_FIRST_ROW, len(rows) + _FIRST_ROW)})
    there = [name for name in rows.columns if name != FILE_ROW]
    if LABEL not in there or not ({ROW_ID, RESPONSE_ID} & set(there) or set(ANSWER) <= set(there)):
        got = Told(f"{path.name} without column {ROW_ID if LABEL in there else LABEL}")
        expected = f"columns {ROW_ID} and {LABEL}, as plumbline label-sheet writes them, not {', '.join(there)}"
        raise StudyError(field, got, expected, "keep the line of names of the sheet as it was drawn")
    given = rows.reindex(columns=list(_COLUMNS)).astype(object)
    texts = pd.DataFrame({name: [_text(cell) for cell in given[name]] for name in _COLUMNS}, dtype=object)
    texts[FILE_ROW] = list(rows[FILE_ROW])
    return texts[texts[list(_COLUMNS)].notna().any(axis=1)].reset_index(drop=True)


def _text(cell: Any) -> str | None:
    """A cell as text; a spreadsheet may have made 1.0 of 1 and True of true."""
    if cell is None or (isinstance(cell, float) and cell != cell):
        return None
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return str(cell).strip() or None


def _read_csv(path: Path, field: FieldPath) -> pd.DataFrame:
    decoded = read_text(path, field)
    # a spreadsheet may save in the code page of its country: then what is beyond ASCII is not what was drawn
    is_utf8 = not decoded.undecodable
    text = decoded.text if is_utf8 else path.read_bytes().decode("cp1252", "replace")
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise SourceError(
            field, f"{path}: {error}", "a file that can be read as csv", "save the sheet again"
        ) from error
    names = [name.strip() for name in lines[0]]
    width = len(names)
    cells = [[*line, *[""] * width][:width] for line in lines[1:]]
    known = [bool(name) and (is_utf8 or name not in SHEET_TEXTS) for name in names]
    return pd.DataFrame(cells, columns=names, dtype=object).loc[:, known]


def _read_xlsx(path: Path, field: FieldPath) -> pd.DataFrame:
    there = table_columns(path, field)
    return read_table_file(path, [name for name in _COLUMNS if name in there], field).table


def _read_label_studio(path: Path, field: FieldPath) -> pd.DataFrame:
    """Tasks as Label Studio exports them: JSON, with what it was given in `data`, or JSON_MIN, which is flat."""
    try:
        tasks = json.loads(read_text(path, field).text)
    except (ValueError, RecursionError) as error:
        raise SourceError(field, f"{path}: {error}", "the JSON that Label Studio exports", "export it again") from error
    if not isinstance(tasks, list) or not tasks or not all(isinstance(task, dict) for task in tasks):
        got = f"{path} without a list of tasks"
        raise SourceError(field, got, "the JSON that Label Studio exports", "export it as JSON or JSON-MIN")
    rows = [{**row, FILE_ROW: number} for number, task in enumerate(tasks, start=1) for row in _rows_of(task)]
    # an export without a label has no such key
    return pd.DataFrame(rows, columns=list(dict.fromkeys([*(key for row in rows for key in row), LABEL])), dtype=object)


def _rows_of(task: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    data = task.get("data")
    if not isinstance(data, dict):
        yield {**_given(task), LABEL: _chosen(task.get(LABEL)), ANNOTATOR: _who(task.get(ANNOTATOR))}
        return
    annotations = [one for one in task.get("annotations") or () if isinstance(one, dict)]
    for one in annotations or [{}]:
        # what a rater skipped keeps its draft
        label = None if one.get("was_cancelled") else _label_of(one.get("result") or ())
        yield {**_given(data), LABEL: label, ANNOTATOR: _who(one.get("completed_by"))}


def _given(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: data[name] for name in (ROW_ID, RESPONSE_ID, *CONTEXT) if name in data}


def _label_of(result: Any) -> str | None:
    """What stands in the control that is named label: the choice, number or text."""
    for region in result:
        if isinstance(region, dict) and region.get("from_name") == LABEL:
            value = region.get("value") or {}
            return _chosen(value.get(region.get("type"), value.get("text")))
    return None


def _chosen(value: Any) -> str | None:
    if isinstance(value, dict):  # JSON_MIN writes several choices so
        value = value.get("choices", "")
    return _text("; ".join(map(str, value)) if isinstance(value, list) else value)


def _who(annotator: Any) -> str | None:
    """People stand in exports by number, or with their name and address, which no table needs."""
    return _text(annotator.get("id") if isinstance(annotator, dict) else annotator)
