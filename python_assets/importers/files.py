"""Tables in files: csv, jsonl, parquet and xlsx by their ending.

Belongs here: bytes to columns. What the columns mean is the importer's.
"""

import io
import json
import re
import zipfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd

from python_assets.errors import SourceError, StudyError
from python_assets.texts.decoding import quarantine_undecodable, read_text
from python_assets.warehouse.build import Quarantined

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class TableFile(NamedTuple):
    """Rows of a file in order, the names of all its columns, and what of it could not be read."""

    table: pd.DataFrame
    there: list[str]
    quarantine: list[Quarantined]


# (file, columns to read where they are there, field of the study file)
TableReader = Callable[[Path, Collection[str], str], TableFile]


def read_table_file(path: Path, columns: Collection[str], field: str) -> TableFile:
    """Read some columns of a table.

    Args:
        path: its ending says what it is.
        columns: names; others are not read.
        field: the field of the study file that names the table, for error texts.

    Returns:
        The columns as the file has them: text from csv, anything from the others.

    Raises:
        SourceError: the file cannot be read as what its ending says.
        StudyError: a column is not there; the text lists those that are.
    """
    read = _reader(path, field)(path, columns, field)
    missing = [column for column in dict.fromkeys(columns) if column not in read.there]
    if missing:
        raise StudyError(
            f"{field}: {path.name} has no column {', '.join(map(repr, missing))}. "
            f"Columns there: {', '.join(read.there)}. Correct the name in the study file."
        )
    return read


def table_columns(path: Path, field: str) -> list[str]:
    """The names of the columns of a table.

    Raises:
        SourceError: the file cannot be read as what its ending says.
    """
    return _reader(path, field)(path, (), field).there


def _reader(path: Path, field: str) -> TableReader:
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise SourceError(
            f"{field}: {path} ends in {path.suffix!r}. Expected {', '.join(READERS)}; convert the file."
        )
    return reader


def _read_csv(path: Path, columns: Collection[str], field: str) -> TableFile:
    decoded = read_text(path, field)
    try:
        there = list(pd.read_csv(io.StringIO(decoded.text), dtype=str, nrows=0).columns)
        wanted = [column for column in there if column in columns]
        table = pd.DataFrame()
        if wanted:
            table = pd.read_csv(
                io.StringIO(decoded.text), dtype=str, keep_default_na=False, na_values=[""], usecols=wanted
            )
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise _unreadable(path, field, "csv", error) from error
    return TableFile(table, there, quarantine_undecodable("import", path.name, decoded.undecodable))


def _read_jsonl(path: Path, columns: Collection[str], field: str) -> TableFile:
    decoded = read_text(path, field)
    quarantine = quarantine_undecodable("import", path.name, decoded.undecodable)
    there: dict[str, None] = {}
    records = []
    for number, line in enumerate(decoded.text.split("\n"), start=1):
        if not line.strip():
            continue
        record = _parse_object(line)
        if record is None:
            detail = f"import: line {number} of {path.name} is no JSON object"
            quarantine.append(Quarantined(f"{path.name}:line {number}", "unparseable", detail, line))
            continue
        there.update(dict.fromkeys(record))
        records.append([record.get(column) for column in columns])
    if not records:
        raise SourceError(f"{field}: {path} holds no JSON object. Expected one a line.")
    # object: numbers, texts and truth values of one column stay what they are
    return TableFile(pd.DataFrame(records, columns=list(columns), dtype=object), list(there), quarantine)


def _parse_object(line: str) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    # half of a surrogate pair can be written in JSON, and nowhere in a database
    return _without_surrogates(record) if "\\u" in line else record


def _without_surrogates(record: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else value
        for key, value in record.items()
    }


def _read_parquet(path: Path, columns: Collection[str], field: str) -> TableFile:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        there = list(pq.read_schema(path).names)
        table = pd.read_parquet(path, columns=[column for column in there if column in columns])
    except (OSError, pa.ArrowInvalid) as error:
        raise _unreadable(path, field, "parquet", error) from error
    return TableFile(table, there, [])


def _read_xlsx(path: Path, columns: Collection[str], field: str) -> TableFile:
    try:
        table = pd.read_excel(path, dtype=object, keep_default_na=False, na_values=[""], engine="openpyxl")
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise _unreadable(path, field, "xlsx", error) from error
    there = [str(column) for column in table.columns]
    return TableFile(table.set_axis(there, axis=1)[[c for c in there if c in columns]], there, [])


def _unreadable(path: Path, field: str, kind: str, error: Exception) -> SourceError:
    return SourceError(
        f"{field}: {path} cannot be read as {kind}: {error}. Mend the file, or rename it to what it is."
    )


READERS: Final[dict[str, TableReader]] = {
    ".csv": _read_csv,
    ".jsonl": _read_jsonl,
    ".parquet": _read_parquet,
    ".xlsx": _read_xlsx,
}
