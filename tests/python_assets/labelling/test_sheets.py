import json
from pathlib import Path

import openpyxl
import pytest

from python_assets.errors import SourceError, StudyError
from python_assets.labelling.allowed import ALLOWED_OF_PAIRS
from python_assets.labelling.row_ids import split_row_id, text_key
from python_assets.labelling.sheets import read_sheet

FIELD = ("human_labels", 0, "file")
TASK = {"row": "1 of 1", "row_id": "r1-2", "study": "mine", "measure": "tone", "text": "So it is."}


@pytest.fixture
def read(tmp_path):
    def reader(content, name="sheet.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_sheet(path, FIELD)

    return reader


def annotation(label, who=7, *, control="label", kind="choices", **more):
    value = {"choices": {"choices": [label]}, "number": {"number": label}, "textarea": {"text": [label]}}[kind]
    result = [{"id": "x1", "from_name": control, "to_name": "text", "type": kind, "value": value}]
    return {"id": 1, "completed_by": who, "result": result, "was_cancelled": False, **more}


def labels_of(read, *tasks):
    return list(read(json.dumps(list(tasks)), "export.json")["label"])


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_spreadsheet_of_any_country_may_have_saved_it(read, delimiter):
    rows = read(f"\ufeffrow_id{delimiter}label{delimiter}text\r\nr1{delimiter} yes {delimiter}so, so\r\n\r\n")
    assert rows[["row_id", "label", "file_row"]].values.tolist() == [["r1", "yes", 2]]


def test_rows_are_counted_as_a_spreadsheet_counts_them(read):
    rows = read('row_id,label,text\nr1,yes,"two\nlines"\n,,\nr2,no,one\n')
    assert list(rows["file_row"]) == [2, 4]


def test_the_texts_of_a_file_in_another_code_page_are_not_held_against_what_was_drawn(read):
    rows = read("row_id;label;text\nr1;s\xed;caf\xe9\n".encode("cp1252"))
    assert rows["label"][0] == "s\xed" and rows["text"].isna().all()


def test_a_file_as_libreoffice_writes_xlsx(tmp_path):
    # inline texts, numbers and truth values in place of texts, a second sheet, blank rows that carry a style below
    book = openpyxl.Workbook()
    sheet = book.active
    for line in (["row_id", "label", "row", None], ["r1", 1, "1 of 3", None], ["r2", True, "2 of 3"], ["r3", 0.5]):
        sheet.append(line)
    for row in range(5, 40):
        sheet.cell(row, 2).font = openpyxl.styles.Font(bold=True)
    book.create_sheet("allowed").append(["row_id"])
    book.save(tmp_path / "sheet.xlsx")
    rows = read_sheet(tmp_path / "sheet.xlsx", FIELD)
    assert list(rows["label"]) == ["1", "True", "0.5"]
    assert list(rows["row"])[:2] == ["1 of 3", "2 of 3"]
    assert list(rows["file_row"]) == [2, 3, 4]


@pytest.mark.parametrize("ending", [".xlsx", ".csv"])
def test_a_sheet_that_libreoffice_saved_says_what_was_typed(ending):
    # drawn as xlsx, labelled and saved by LibreOffice 7.4.7.2, as csv with semicolons; texts, numbers and truth values
    rows = read_sheet(Path(__file__).with_name(f"filled_in_libreoffice{ending}"), FIELD)
    assert [ALLOWED_OF_PAIRS.read(label).value for label in rows["label"]] == [1, 0, 1, 1, 0, 1, 1, 1]
    assert [text_key(text) for text in rows["text"]] == [split_row_id(row_id).text for row_id in rows["row_id"]]
    assert list(rows["text"])[3:5] == ["007", "1/2"]
    assert set(rows["measure"]) == {"refusal"} and list(rows["row"])[-1] == "8 of 8"


def test_label_studio_exports_a_label_of_each_person(read):
    people = [annotation("soft", {"id": 3, "email": "a@b.c", "first_name": "A"}), annotation("hard", 4)]
    rows = read(json.dumps([{"id": 9, "data": TASK, "annotations": people, "predictions": []}]), "export.json")
    assert rows[["label", "annotator", "file_row", "row_id"]].values.tolist() == [
        ["soft", "3", 1, "r1-2"],
        ["hard", "4", 1, "r1-2"],
    ]


def test_what_was_skipped_or_not_reached_in_label_studio_is_blank(read):
    skipped = {"id": 1, "data": TASK, "annotations": [annotation("soft", was_cancelled=True)]}
    waiting = {"id": 2, "data": TASK, "annotations": []}
    other = {"id": 3, "data": TASK, "annotations": [annotation("soft", control="comment")]}
    assert labels_of(read, skipped, waiting, other) == [None, None, None]


def test_numbers_and_texts_of_label_studio_are_labels(read):
    tasks = [
        {"id": 1, "data": TASK, "annotations": [annotation(0.25, kind="number")]},
        {"id": 2, "data": TASK, "annotations": [annotation("calm", kind="textarea")]},
    ]
    assert labels_of(read, *tasks) == ["0.25", "calm"]


def test_the_short_export_of_label_studio_is_read_too(read):
    flat = {"id": 1, **TASK, "label": "soft", "annotator": 3, "annotation_id": 1, "lead_time": 2.5}
    several = {**flat, "label": {"choices": ["soft", "hard"]}}
    assert labels_of(read, flat, several) == ["soft", "soft; hard"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("sheet.csv", "row_id,lable\nr1,yes\n"),
        ("sheet.csv", "id,label\nr1,yes\n"),
        ("export.json", json.dumps([{"id": 1, "data": {"text": "x"}, "annotations": []}])),
    ],
    ids=["no label", "no id", "tasks of another project"],
)
def test_a_sheet_without_its_columns_is_told(read, refused, name, content):
    with refused(StudyError, "human_labels[0].file"):
        read(content, name)


@pytest.mark.parametrize(
    ("name", "content"),
    [("sheet.csv", ""), ("sheet.xlsx", "no zip"), ("export.json", "{"), ("export.json", "{}"), ("sheet.ods", "x")],
)
def test_a_file_that_is_no_sheet_is_told(read, refused, name, content):
    with refused(SourceError, "human_labels[0].file"):
        read(content, name)


def test_an_absent_file_is_told(tmp_path, refused):
    with refused(SourceError, "human_labels[0].file"):
        read_sheet(tmp_path / "gone.csv", FIELD)
