"""Tables in files: csv, jsonl, parquet and xlsx by their ending.

Belongs here: bytes to columns. What the columns mean is the importer's.
"""

import io
import json
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, NamedTuple
from xml.etree.ElementTree import ParseError, iterparse

import pandas as pd

from python_assets.errors import FieldPath, SourceError, StudyError, Told
from python_assets.sandbox.sandbox import in_sandbox
from python_assets.texts.decoding import PACKED, check_unpacked, quarantine_undecodable, read_text, require_file
from python_assets.texts.limits import MOST_CELLS, MOST_COLUMNS, MOST_NESTED_LEVELS
from python_assets.warehouse.build import Quarantined

PARQUET: Final = ".parquet"
XLSX: Final = ".xlsx"

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class TableFile(NamedTuple):
    """Rows of a file in order, the names of all its columns, and what of it could not be read."""

    table: pd.DataFrame
    there: list[str]
    quarantine: list[Quarantined]


# (file, columns to read where they are there, field of the study file)
TableReader = Callable[[Path, Collection[str], FieldPath], TableFile]


def read_table_file(
    path: Path, columns: Collection[str], field: FieldPath, *, is_escaped: bool = False, sheet: str | None = None
) -> TableFile:
    """Read some columns of a table.

    Args:
        path: its ending says what it is.
        columns: names; others are not read. What stands inside an entry of jsonl is named by its path:
            answer.text, answers.0.
        field: the field of the study file that names the table, for error texts.
        is_escaped: whether ' stands before texts that a spreadsheet would compute; it is taken away.
        sheet: of an xlsx file; its first one where None.

    Returns:
        The columns as the file has them: text from csv, anything from the others.

    Raises:
        SourceError: the file cannot be read as what its ending says.
        StudyError: a column is not there; the text lists those that are.
    """
    read = _read(path, columns, field, sheet)
    missing = [column for column in dict.fromkeys(columns) if column not in read.there]
    if missing:
        got = Told(f"{path.name} without column {', '.join(map(repr, missing))}")
        raise StudyError(field, got, f"columns of {', '.join(read.there)}", "correct the name in the study file")
    if not is_escaped:
        return read
    # a column without a value would change its type
    return read._replace(table=read.table.map(_unescaped).astype(read.table.dtypes))


def _unescaped(value: Any) -> Any:
    return value.removeprefix("'") if isinstance(value, str) else value


def table_columns(path: Path, field: FieldPath, sheet: str | None = None) -> list[str]:
    """The names of the columns of a table, of jsonl with the paths of what stands inside entries.

    Raises:
        SourceError: the file cannot be read as what its ending says, or has no such sheet.
    """
    return _read(path, (), field, sheet).there


def _read(path: Path, columns: Collection[str], field: FieldPath, sheet: str | None) -> TableFile:
    require_file(path, field)
    ending = _ending(path)
    reader = TABLE_READERS.get(ending)
    if reader is None:
        raise SourceError(field, f"{path}", f"a file that ends in {', '.join(TABLE_READERS)}", "convert the file")
    if sheet is not None and ending != XLSX:
        got, expected = f"{path} and the sheet {sheet!r}", f"no sheet, which only {XLSX} files have"
        raise SourceError(field, got, expected, "remove the sheet")
    if ending == XLSX:
        read = in_sandbox(partial(_read_xlsx, path, tuple(columns), field, sheet), path, field)
    elif ending == PARQUET:
        read = in_sandbox(partial(_read_parquet, path, tuple(columns), field), path, field)
    else:
        read = reader(path, columns, field)
    if len(read.there) > MOST_COLUMNS:
        got, expected = f"{len(read.there):,} columns in {path}", f"at most {MOST_COLUMNS:,}"
        raise SourceError(field, got, expected, "save those that the study names")
    return read


def _ending(path: Path) -> str:
    """Of a packed file with what was packed: .csv.gz."""
    endings = [ending.lower() for ending in path.suffixes]
    return "".join(endings[-2:]) if endings[-1:] == [PACKED] else "".join(endings[-1:])


def _read_csv(path: Path, columns: Collection[str], field: FieldPath) -> TableFile:
    decoded = read_text(path, field)
    try:
        head = pd.read_csv(io.StringIO(decoded.text), dtype=str, header=None, nrows=1, keep_default_na=False)
        _check_names(head.iloc[0], path, field)
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


def _read_jsonl(path: Path, columns: Collection[str], field: FieldPath) -> TableFile:
    decoded = read_text(path, field)
    quarantine = quarantine_undecodable("import", path.name, decoded.undecodable)
    there: dict[str, None] = {}
    records = []
    for number, line in enumerate(decoded.text.split("\n"), start=1):
        if not line.strip():
            continue
        record = parse_object(line)
        if record is None:
            detail = (
                f"import: line {number} of {path.name} is no JSON object of {MOST_NESTED_LEVELS} levels at most that "
                "names each entry once"
            )
            quarantine.append(Quarantined(f"{path.name}:line {number}", "unparseable", detail, line))
            continue
        for name, value in record.items():
            there[name] = None
            if isinstance(value, dict | list):
                there.update(dict.fromkeys(islice(_paths_inside(name, value), MOST_COLUMNS - len(there))))
        records.append([value_at(record, column) for column in columns])
    if not records:
        raise SourceError(field, f"{path} without any", "a JSON object a line", "mend the file")
    # object: numbers, texts and truth values of one column stay what they are
    return TableFile(pd.DataFrame(records, columns=list(columns), dtype=object), list(there), quarantine)


def _paths_inside(name: str, value: dict[str, Any] | list[Any]) -> Iterator[str]:
    """The path of every entry inside one, steps joined by dots; entries of lists are numbered from 0."""
    for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
        path = f"{name}.{step}"
        yield path
        if isinstance(inner, dict | list):
            yield from _paths_inside(path, inner)


def value_at(record: Mapping[str, Any], column: str) -> Any:
    """The entry that a name or a path stands for, steps joined by dots; None where a record has it not."""
    if column in record or "." not in column:
        return record.get(column)
    value: Any = record
    for step in column.split("."):
        if isinstance(value, list):
            value = value[int(step)] if step.isdecimal() and int(step) < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def parse_object(line: str) -> dict[str, Any] | None:
    """A JSON object as a line has it; None where it is none, names an entry twice, or has more than MOST_LEVELS levels.

    A number of more digits than Python reads (4,300) is none, either.
    """
    try:
        record = json.loads(line, object_pairs_hook=_each_once)
    except (ValueError, RecursionError):
        return None
    if line.count("[") + line.count("{") > MOST_NESTED_LEVELS and _is_deeper(record, MOST_NESTED_LEVELS):
        return None
    if not isinstance(record, dict):
        return None
    # half of a surrogate pair can be written in JSON, and nowhere in a database
    return _without_surrogates(record) if "\\u" in line else record


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise ValueError("a name stands there twice")
    return entries


def _is_deeper(value: Any, n_levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    entries = value.values() if isinstance(value, dict) else value
    return n_levels == 0 or any(_is_deeper(entry, n_levels - 1) for entry in entries)


def _without_surrogates(record: dict[str, Any]) -> dict[str, Any]:
    return {key: _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else value for key, value in record.items()}


def _read_parquet(path: Path, columns: Collection[str], field: FieldPath) -> TableFile:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        _check_cells(pq.read_metadata(path).num_rows, max(1, len(columns)))
        there = list(pq.read_schema(path).names)
        _check_names(there, path, field)
        table = pd.read_parquet(path, columns=[column for column in there if column in columns])
    except (OSError, ValueError, pa.ArrowInvalid) as error:
        raise _unreadable(path, field, "parquet", error) from error
    return TableFile(table, there, [])


def _read_xlsx(path: Path, columns: Collection[str], field: FieldPath, sheet: str | None = None) -> TableFile:
    try:
        _check_sheets(path)
        with pd.ExcelFile(path, engine="openpyxl") as book:
            sheets = [str(name) for name in book.sheet_names]
            if sheet is not None and sheet not in sheets:
                got, expected = f"{path} without sheet {sheet!r}", f"one of {', '.join(sheets)}"
                raise SourceError(field, got, expected, "correct the name")
            named = sheets[0] if sheet is None else sheet
            head = pd.read_excel(book, named, dtype=object, header=None, nrows=1, keep_default_na=False)
            _check_names(head.iloc[0] if len(head) else (), path, field)
            table = pd.read_excel(book, named, dtype=object, keep_default_na=False, na_values=[""])
    except (OSError, ValueError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error, ParseError) as error:
        raise _unreadable(path, field, "xlsx", error) from error
    there = [str(column) for column in table.columns]
    return TableFile(table.set_axis(there, axis=1)[[c for c in there if c in columns]], there, [])


def _check_names(names: Iterable[Any], path: Path, field: FieldPath) -> None:
    """See that each column has a name of its own: pandas would call the second of two `a` a.1."""
    counts = Counter(str(name) for name in names)
    if twice := [name for name, n in counts.items() if n > 1 and name.strip()]:
        got = f"{path} with several columns {', '.join(map(repr, twice))}"
        raise SourceError(field, got, "each column once", "rename or remove one of them")


def _check_sheets(path: Path) -> None:
    """A cell far out makes every row before it as wide: a file of 5 KB has been 3 GB."""
    with zipfile.ZipFile(path) as packed:
        check_unpacked(packed)
        for member in packed.infolist():
            if member.filename.endswith(".xml"):
                with packed.open(member) as sheet:
                    _check_cells(*_extent(sheet))


def _extent(sheet: IO[bytes]) -> tuple[int, int]:
    """The number of the last row and of the last column; what has no number stands next to what is before."""
    from openpyxl.utils.cell import column_index_from_string as number_of
    from openpyxl.utils.cell import coordinate_from_string

    last_row = last_column = row = column = 0
    for event, element in iterparse(sheet, events=("start", "end")):
        name = element.tag.rpartition("}")[2]
        if event == "start" and name == "row":
            row, column = int(element.get("r", row + 1)), 0
            last_row = max(last_row, row)
        elif event == "start" and name == "c":
            coordinate = element.get("r")
            column = number_of(coordinate_from_string(coordinate)[0]) if coordinate else column + 1
            last_column = max(last_column, column)
        elif event == "end":
            element.clear()
    return last_row, last_column


def _check_cells(n_rows: int, n_columns: int) -> None:
    if n_rows * n_columns > MOST_CELLS:
        raise ValueError(f"{n_rows:,} rows of {n_columns:,} columns are more than {MOST_CELLS:,} cells")


def _unreadable(path: Path, field: FieldPath, kind: str, error: Exception) -> SourceError:
    expected, remedy = f"a file that can be read as {kind}", "mend the file, or rename it to what it is"
    return SourceError(field, f"{path}: {error}", expected, remedy)


TABLE_READERS: Final[dict[str, TableReader]] = {
    ".csv": _read_csv,
    ".csv.gz": _read_csv,
    ".jsonl": _read_jsonl,
    ".jsonl.gz": _read_jsonl,
    PARQUET: _read_parquet,
    XLSX: _read_xlsx,
}
