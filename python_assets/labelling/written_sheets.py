"""A sample as a file that people fill in: csv, xlsx with a list of labels to choose from, or tasks of Label Studio.

Belongs here: rows to files. What stands in a text is never computed: neither = nor markup in it has a meaning.
"""

import csv
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args
from xml.sax.saxutils import quoteattr

from python_assets.errors import PlumblineError, WarehouseError
from python_assets.labelling.allowed import Allowed
from python_assets.labelling.sample import QUESTION, Sample
from python_assets.labelling.sheets import FIRST_ROW, LABEL, SheetFormat, read_sheet
from python_assets.published.manifest import FORMULA

if TYPE_CHECKING:
    from openpyxl import Workbook

FORMATS: Final = get_args(SheetFormat)
_LARGEST: Final = 1e300
_MOST_OF_A_MESSAGE: Final = 225  # that a spreadsheet shows
_SHOWN: Final = ("prompt", "root_text", "text")
_OTHER: Final = "write to another file with --out"
_WIDTHS: Final = {"question": 32, "prompt": 48, "root_text": 60, "text": 80, "label": 16, "row_id": 30}


def write_sheet(sample: Sample, path: Path, output: SheetFormat) -> list[Path]:
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


def _write_csv(sample: Sample, path: Path) -> list[Path]:
    texts = sample.rows.map(lambda text: f"'{text}" if re.search(FORMULA, text) else text)
    # the mark tells spreadsheets that it is UTF-8
    texts.to_csv(path, index=False, encoding="utf-8-sig", quoting=csv.QUOTE_MINIMAL)
    return [path]


def _write_xlsx(sample: Sample, path: Path) -> list[Path]:
    from openpyxl import Workbook
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    book = Workbook()
    sheet = book["Sheet"]
    sheet.title = "labels"
    columns = list(sample.rows.columns)
    for place, line in enumerate([columns, *sample.rows.itertuples(index=False, name=None)], start=FIRST_ROW - 1):
        for number, text in enumerate(line, start=1):
            if not text:
                continue
            cell = sheet.cell(place, number, ILLEGAL_CHARACTERS_RE.sub("", text))
            cell.data_type, cell.quotePrefix = "s", True  # a text, and again one when it is edited
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            cell.font = Font(bold=place < FIRST_ROW)
    for number, name in enumerate(columns, start=1):
        sheet.column_dimensions[get_column_letter(number)].width = _WIDTHS.get(name, 12)
    sheet.freeze_panes = f"A{FIRST_ROW}"
    letter = get_column_letter(columns.index(LABEL) + 1)
    _offer(book, sample.allowed, f"{letter}{FIRST_ROW}:{letter}{len(sample.rows) + FIRST_ROW - 1}")
    book.save(path)
    return [path]


def _offer(book: "Workbook", allowed: Allowed, cells: str) -> None:
    """Let a spreadsheet refuse in some cells what is not allowed, and list what is."""
    from openpyxl.worksheet.datavalidation import DataValidation

    if allowed.labels:
        # a list inside the rule itself may have no comma and 255 characters
        listed = book.create_sheet("allowed")
        for place, label in enumerate(allowed.labels, start=1):
            listed.cell(place, 1, label).data_type = "s"
        rule = DataValidation(type="list", formula1=f"allowed!$A$1:$A${len(allowed.labels)}", allow_blank=True)
    elif allowed.is_open:
        return
    else:
        low, high = (repr(min(max(end, -_LARGEST), _LARGEST)) for end in (allowed.low, allowed.high))
        rule = DataValidation(type="decimal", operator="between", formula1=low, formula2=high, allow_blank=True)
    rule.showErrorMessage = True
    rule.error = f"Write {allowed.text}."[:_MOST_OF_A_MESSAGE]
    book["labels"].add_data_validation(rule)
    rule.add(cells)


def _write_tasks(sample: Sample, path: Path) -> list[Path]:
    tasks = [{"data": data} for data in sample.rows.drop(columns=LABEL).to_dict("records")]
    path.write_text(json.dumps(tasks, ensure_ascii=False, indent=1), encoding="utf-8")
    configuration = path.with_suffix(".xml")
    configuration.write_text(_configuration(sample), encoding="utf-8")
    return [path, configuration]


def _configuration(sample: Sample) -> str:
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
    return f'<View>\n  <Header value="${QUESTION}"/>\n{shown}{control}</View>\n'


_WRITERS: Final[dict[SheetFormat, Callable[[Sample, Path], list[Path]]]] = {
    "csv": _write_csv,
    "xlsx": _write_xlsx,
    "label_studio": _write_tasks,
}
