import csv
import json
from xml.etree import ElementTree

import openpyxl
import pytest

from python_assets.errors import WarehouseError
from python_assets.labelling.sheets import read_sheet
from python_assets.labelling.written_sheets import FORMATS

FIELD = ("human_labels", 0, "file")


@pytest.mark.parametrize("output", FORMATS)
def test_a_sheet_comes_back_as_it_was_drawn(studied, output):
    sample = studied.draw("tone", n=6)
    read = read_sheet(studied.write(sample, output), FIELD)
    for name in ("row", "row_id", "study", "measure"):
        assert list(read[name]) == list(sample.rows[name])
    letters = ["".join(filter(str.isalnum, text)) for text in read["text"]]
    assert letters == ["".join(filter(str.isalnum, text)) for text in sample.rows["text"]]
    assert read["label"].isna().all()


def test_no_text_is_a_formula(studied):
    sample = studied.draw("tone", n=6)
    with studied.write(sample, "csv").open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for line in csv.reader(file) for cell in line]
    assert any(cell.startswith("'=1+1") for cell in cells) and any(cell.startswith("'-2") for cell in cells)
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    sheet = openpyxl.load_workbook(studied.write(sample, "xlsx")).worksheets[0]
    odd = [cell for row in sheet.iter_rows() for cell in row if str(cell.value).startswith(("=", "-"))]
    assert len(odd) == 2
    assert all(cell.data_type == "s" and cell.quotePrefix for cell in odd)


def test_a_spreadsheet_offers_the_labels_of_the_measure_and_no_other(studied):
    book = openpyxl.load_workbook(studied.write(studied.draw("tone", n=2), "xlsx"))
    rule = book["labels"].data_validations.dataValidation[0]
    assert (rule.type, str(rule.sqref), rule.showErrorMessage) == ("list", "E2:E9", True)
    assert rule.formula1 == "allowed!$A$1:$A$4"
    assert [row[0].value for row in book["allowed"].iter_rows()] == ["soft", "hard", "=cold", "unscored"]
    assert book["labels"]["E1"].value == "label"


def test_a_spreadsheet_takes_numbers_of_the_scale_alone(studied):
    rule = openpyxl.load_workbook(studied.write(studied.draw(n=2), "xlsx"))["labels"].data_validations.dataValidation[0]
    assert (rule.type, rule.operator or "between") == ("decimal", "between")  # what it is where nothing is said
    assert (float(rule.formula1), float(rule.formula2)) == (-1, 1)


def test_label_studio_is_told_what_to_ask(studied):
    path = studied.write(studied.draw("tone", n=1), "label_studio")
    view = ElementTree.parse(path.with_suffix(".xml")).getroot()
    control = view.find("Choices")
    assert (control.get("name"), control.get("toName")) == ("label", "text")
    assert [choice.get("value") for choice in control] == ["soft", "hard", "=cold", "unscored"]
    shown = {element.get("value") for element in view if element.get("value")}
    tasks = json.loads(path.read_text(encoding="utf-8"))
    assert {name.removeprefix("$") for name in shown} <= set(tasks[0]["data"])


def test_a_file_that_holds_labels_is_not_written_over(studied, refused):
    sample = studied.draw(n=1)
    path = studied.write(sample)
    studied.write(sample)  # no label is in it yet
    path.write_text(path.read_text(encoding="utf-8").replace(",,r", ",0.5,r", 1), encoding="utf-8")
    with refused(WarehouseError, "the file"):
        studied.write(sample)
    path.write_text("a letter of mine", encoding="utf-8")
    with refused(WarehouseError, "the file"):
        studied.write(sample)
    assert path.read_text(encoding="utf-8") == "a letter of mine"
