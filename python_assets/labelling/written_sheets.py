"""A sample as a file that people fill in: csv, xlsx with a list of labels to choose from, or tasks of Label Studio.

Belongs here: rows to files. What stands in a text is never computed: neither = nor markup in it has a meaning.
"""

import csv
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args
from xml.sax.saxutils import quoteattr

from python_assets.errors import PlumblineError, WarehouseError
from python_assets.labelling.allowed import Allowed
from python_assets.labelling.sample import QUESTION_COLUMN, LabelSheet
from python_assets.labelling.sheets import LABEL, SheetFormat, read_sheet
from python_assets.published.manifest import FORMULA
from python_assets.published.xlsx import open_workbook, text_format, write_text
from python_assets.warehouse.build import utc_now

if TYPE_CHECKING:
    from xlsxwriter import Workbook

FORMATS: Final = get_args(SheetFormat)
_LARGEST: Final = 1e300
_MOST_OF_A_MESSAGE: Final = 225  # that a spreadsheet shows
_SHOWN: Final = ("prompt", "root_text", "text")
_OTHER: Final = "write to another file with --out"
_WIDTHS: Final = {"question": 32, "prompt": 48, "root_text": 60, "text": 80, "label": 16, "row_id": 30}


def write_sheet(sample: LabelSheet, path: Path, output: SheetFormat) -> list[Path]:
    """Write a sample to a file that holds no labels yet.

    Args:
        sample: what was drawn.
        path: the file.
        output: its kind; the tasks of Label Studio have a labelling configuration beside them, in .xml.

    Returns:
        The files.

    Raises:
        WarehouseError: there is a file with labels, or one that is no sheet; or it cannot be written.
    """
    _require_no_labels(path)
    try:
        return _WRITERS[output](sample, path)
    except OSError as error:
        raise WarehouseError(path, error, "a file that can be written", _OTHER) from error


def _require_no_labels(path: Path) -> None:
    if not path.exists():
        return
    try:
        labels = read_sheet(path, (str(path),))[LABEL]
    except PlumblineError as error:
        raise WarehouseError(path, "a file that is no sheet", "no file, or a sheet without labels", _OTHER) from error
    if n_labels := int(labels.notna().sum()):
        got = f"a sheet with labels in {n_labels:,} of {len(labels):,} rows"
        raise WarehouseError(path, got, "no file, or a sheet without labels", _OTHER)


def _write_csv(sample: LabelSheet, path: Path) -> list[Path]:
    texts = sample.rows.map(lambda text: f"'{text}" if re.search(FORMULA, text) else text)
    # the mark tells spreadsheets that it is UTF-8
    texts.to_csv(path, index=False, encoding="utf-8-sig", quoting=csv.QUOTE_MINIMAL)
    return [path]


def _write_xlsx(sample: LabelSheet, path: Path) -> list[Path]:
    from xlsxwriter.exceptions import FileCreateError

    columns = list(sample.rows.columns)
    try:
        with open_workbook(str(path), utc_now()) as book:
            sheet = book.add_worksheet("labels")
            head, texts = (text_format(book, text_wrap=True, valign="top", bold=is_bold) for is_bold in (True, False))
            for column, name in enumerate(columns):
                sheet.set_column(column, column, _WIDTHS.get(name, 12))
                write_text(sheet, 0, column, name, head)
                for row, text in enumerate(sample.rows[name], start=1):
                    write_text(sheet, row, column, text, texts)
            sheet.freeze_panes(1, 0)
            column = columns.index(LABEL)
            if rule := _rule(book, sample.allowed):
                sheet.data_validation(1, column, len(sample.rows), column, rule)
    except FileCreateError as error:
        raise OSError(*error.args) from error
    return [path]


def _rule(book: "Workbook", allowed: Allowed) -> dict[str, Any]:
    """What a spreadsheet lets a cell hold, listed where it is a list; nothing where it may be anything."""
    rule: dict[str, Any] = {"error_message": f"Write {allowed.text}."[:_MOST_OF_A_MESSAGE]}
    if allowed.labels:
        # a list inside the rule itself may have no comma and 255 characters
        listed, style = book.add_worksheet("allowed"), text_format(book)
        for row, label in enumerate(allowed.labels):
            write_text(listed, row, 0, label, style)
        return rule | {"validate": "list", "source": f"=allowed!$A$1:$A${len(allowed.labels)}"}
    if allowed.is_open:
        return {}
    low, high = (min(max(end, -_LARGEST), _LARGEST) for end in (allowed.low, allowed.high))
    return rule | {"validate": "decimal", "criteria": "between", "minimum": low, "maximum": high}


def _write_tasks(sample: LabelSheet, path: Path) -> list[Path]:
    tasks = [{"data": data} for data in sample.rows.drop(columns=LABEL).to_dict("records")]
    path.write_text(json.dumps(tasks, ensure_ascii=False, indent=1), encoding="utf-8")
    configuration = path.with_suffix(".xml")
    configuration.write_text(_configuration(sample), encoding="utf-8")
    return [path, configuration]


def _configuration(sample: LabelSheet) -> str:
    """The labelling configuration of Label Studio: question, texts, and the control named label."""
    shown = "".join(f'  <Text name="{name}" value="${name}"/>\n' for name in _SHOWN if name in sample.rows)
    allowed = sample.allowed
    if allowed.labels:
        choices = "".join(f"    <Choice value={quoteattr(label)}/>\n" for label in allowed.labels)
        control = f'  <Choices name="{LABEL}" toName="text" choice="single" required="true">\n{choices}  </Choices>\n'
    elif allowed.is_open:
        control = f'  <TextArea name="{LABEL}" toName="text" maxSubmissions="1" required="true"/>\n'
    else:
        ends = {"min": allowed.low, "max": allowed.high}
        limits = "".join(f' {name}="{end:g}"' for name, end in ends.items() if math.isfinite(end))
        control = f'  <Number name="{LABEL}" toName="text"{limits} required="true"/>\n'
    return f'<View>\n  <Header value="${QUESTION_COLUMN}"/>\n{shown}{control}</View>\n'


_WRITERS: Final[dict[SheetFormat, Callable[[LabelSheet, Path], list[Path]]]] = {
    "csv": _write_csv,
    "xlsx": _write_xlsx,
    "label_studio": _write_tasks,
}
