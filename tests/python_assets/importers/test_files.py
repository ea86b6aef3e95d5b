import gzip
import json
import os
import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from io import BytesIO
from zipfile import ZipFile

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from python_assets.errors import SourceError, StudyError
from python_assets.importers import files
from python_assets.importers.entries import as_text
from python_assets.importers.files import read_table_file, table_columns
from python_assets.texts import decoding
from python_assets.texts.limits import MOST_NESTED_LEVELS

ROWS = pd.DataFrame({"a": ["x", None, 'ü 😀\nline, "two"'], "n": [1, 2, 3], "s": [0.5, None, float("inf")]})


@pytest.fixture
def write(tmp_path):
    def to(name):
        path = tmp_path / name
        if path.suffix == ".csv":
            ROWS.to_csv(path, index=False)
        elif path.suffix == ".parquet":
            ROWS.to_parquet(path)
        elif path.suffix == ".xlsx":
            ROWS.replace(float("inf"), 9.0).to_excel(path, index=False)
        else:
            path.write_text("\n".join(map(json.dumps, ROWS.to_dict("records"))) + "\n", encoding="utf-8")
        return path

    return to


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet", "t.xlsx"])
def test_every_format_gives_the_same_text_columns(write, name):
    path = write(name)
    assert table_columns(path, ("field",)) == ["a", "n", "s"]
    read = read_table_file(path, ["a"], ("field",))
    texts = read.table["a"].astype(object)
    assert texts.where(texts.notna(), None).tolist() == ROWS["a"].astype(object).where(ROWS["a"].notna(), None).tolist()
    assert list(read.table.columns) == ["a"]


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet", "t.xlsx"])
def test_a_missing_column_is_an_error_that_lists_those_there(refused, write, name):
    with refused(StudyError, "field"):
        read_table_file(write(name), ["a", "b"], ("field",))


def test_csv_stays_text(write):
    assert read_table_file(write("t.csv"), ["n", "s"], ("field",)).table["s"].tolist()[::2] == ["0.5", "inf"]


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_a_packed_table_is_read_like_the_table(write, name):
    path = write(name)
    packed = path.with_name(f"{name}.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    pd.testing.assert_frame_equal(
        read_table_file(packed, ["a", "n"], ("f",)).table, read_table_file(path, ["a", "n"], ("f",)).table
    )


def test_a_packed_table_that_is_torn_or_fills_memory_is_an_error(refused, write, monkeypatch):
    path = write("t.csv")
    packed = path.with_name("t.csv.gz")
    whole = gzip.compress(path.read_bytes())
    packed.write_bytes(whole[:-9])
    with refused(SourceError, "f"):
        read_table_file(packed, ["a"], ("f",))
    packed.write_bytes(whole)
    monkeypatch.setattr(decoding, "MOST_UNPACKED_BYTES", 20)
    with refused(SourceError, "f"):
        read_table_file(packed, ["a"], ("f",))


def test_words_that_look_like_null_are_text_in_csv(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a\nNA\nnull\nNone\n""\n0123\n', encoding="utf-8")
    assert read_table_file(path, ["a"], ("field",)).table["a"].fillna("-").tolist() == [
        "NA",
        "null",
        "None",
        "-",
        "0123",
    ]


@pytest.mark.parametrize("name", ["t.parquet", "t.xlsx", "t.csv", "t.jsonl"])
def test_a_file_that_is_not_what_its_ending_says_is_an_error(refused, tmp_path, name):
    path = tmp_path / name
    path.write_text('a,b\n"unclosed\n', encoding="utf-8")
    with refused(SourceError, "field"):
        read_table_file(path, ["a"], ("field",))


def test_a_missing_file_is_an_error(refused, tmp_path):
    for name in ("t.csv", "t.parquet", "t.jsonl", "t.xlsx"):
        with refused(SourceError, "field"):
            read_table_file(tmp_path / name, ["a"], ("field",))


def test_another_ending_is_an_error(refused, tmp_path):
    with refused(SourceError, "field"):
        read_table_file(tmp_path / "t.sav", ["a"], ("field",))


def test_torn_lines_are_quarantined(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": "x"}\n[1]\n\n{"a": "to', encoding="utf-8")
    read = read_table_file(path, ["a"], ("field",))
    assert read.table["a"].tolist() == ["x"]
    assert [(row.record_key, row.rule) for row in read.quarantine] == [
        ("t.jsonl:line 2", "unparseable"),
        ("t.jsonl:line 4", "unparseable"),
    ]


def test_half_a_surrogate_pair_becomes_the_replacement_character(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": "\\ud83d\\ude00 and \\ud83d"}\n', encoding="utf-8")
    assert read_table_file(path, ["a"], ("field",)).table["a"].tolist() == ["😀 and \ufffd"]


def test_undecodable_bytes_of_csv_are_quarantined(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\nx\xffy\n")
    read = read_table_file(path, ["a"], ("field",))
    assert read.table["a"].tolist() == ["xy"]
    assert [row.record_key for row in read.quarantine] == ["t.csv@3"]


def test_a_cell_far_out_does_not_fill_memory(refused, tmp_path):
    path, book = tmp_path / "far.xlsx", Workbook()
    book.active["A1"], book.active["XFD1048576"] = "a", "far"
    book.save(path)
    assert path.stat().st_size < 10_000
    with refused(SourceError, "field"):
        read_table_file(path, ["a"], ("field",))


def test_cells_without_places_are_counted(tmp_path, monkeypatch):
    path = tmp_path / "t.xlsx"
    ROWS.replace(float("inf"), 9.0).to_excel(path, index=False)
    with ZipFile(path) as packed:
        sheet = packed.read("xl/worksheets/sheet1.xml").decode()
    assert files._extent(BytesIO(re.sub(' r="[A-Z]*[0-9]+"', "", sheet).encode())) == (4, 3)
    assert files._extent(BytesIO(sheet.encode())) == (4, 3)


def test_an_xlsx_that_unpacks_to_more_than_memory_holds_is_refused(refused, write, monkeypatch):
    monkeypatch.setattr(decoding, "MOST_UNPACKED_BYTES", 1_000)
    with refused(SourceError, "field"):
        files.TABLE_READERS[".xlsx"](write("t.xlsx"), ["a"], ("field",))


def test_a_parquet_of_rows_that_take_no_space_is_refused(refused, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_CELLS", 100_000)
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [0] * 100_001}).to_parquet(path, compression="gzip")
    assert path.stat().st_size < 5_000
    with refused(SourceError, "field"):
        files.TABLE_READERS[".parquet"](path, ["a"], ("field",))


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.xlsx"])
def test_a_column_named_twice_is_refused(refused, tmp_path, name):
    path = tmp_path / name
    if name == "t.csv":
        path.write_text("a,b,a\n1,2,3\n", encoding="utf-8")
    elif name == "t.parquet":
        pq.write_table(pa.table([[1], [2], [3]], names=["a", "b", "a"]), path)
    else:
        book = Workbook()
        book.active.append(["a", "b", "a"])
        book.active.append([1, 2, 3])
        book.save(path)
    with refused(SourceError, "field"):
        table_columns(path, ("field",))


def test_an_entry_named_twice_and_a_number_without_end_are_in_quarantine(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1, "a": 2}\n{"a": ' + "9" * 5_000 + '}\n{"a": 3}\n', encoding="utf-8")
    read = read_table_file(path, ["a"], ("field",))
    assert read.table["a"].tolist() == [3]
    assert [row.record_key for row in read.quarantine] == ["t.jsonl:line 1", "t.jsonl:line 2"]


def test_what_a_worker_reads_is_what_this_process_reads(tmp_path):
    path = tmp_path / "t.parquet"
    table = pd.DataFrame(
        {
            "text": ["ü", None],
            "whole": pd.array([2**53 + 1, None], dtype="Int64"),
            "number": [float("nan"), float("-inf")],
            "at": pd.to_datetime(["2026-01-01T00:00:00.000001Z", None]),
            "kind": pd.Categorical(["a", None], categories=["b", "a"]),
            "day": [date(2026, 1, 1), None],
            "money": [Decimal("1.50"), None],
            "bytes": [b"\xff\0", None],
            "list": [["a", "b"], None],
            "numbers": [[1.5, 2.5], []],
            "record": [{"a": [{"b": "c"}]}, None],
        }
    )
    table.to_parquet(path)
    names = list(table)
    here = files.TABLE_READERS[".parquet"](path, names, ("field",)).table
    there = read_table_file(path, names, ("field",)).table
    pd.testing.assert_frame_equal(there, here)
    # what an importer makes of them
    for name in names:
        assert as_text(there[name]).tolist() == as_text(here[name]).tolist(), name


def test_cells_of_a_sheet_are_what_this_process_reads(tmp_path):
    path, book = tmp_path / "t.xlsx", Workbook()
    for row in (["a", "b"], [1, "x"], [2.5, True], [datetime(2026, 1, 1, 3), None], [time(3), timedelta(days=1)]):
        book.active.append(row)
    book.save(path)
    here = files.TABLE_READERS[".xlsx"](path, ["a", "b"], ("field",)).table
    there = read_table_file(path, ["a", "b"], ("field",)).table
    pd.testing.assert_frame_equal(there, here)
    assert [type(cell) for cell in there["a"]] == [type(cell) for cell in here["a"]]


@pytest.mark.parametrize("n_levels", [MOST_NESTED_LEVELS + 1, 100_000])
def test_json_of_too_many_levels_is_in_quarantine(tmp_path, n_levels):
    path = tmp_path / "t.jsonl"
    deep, fine = "[" * n_levels + "]" * n_levels, '{"a": ' + "[" * 99 + "]" * 99 + "}"
    path.write_text(f'{{"a": {deep}}}\n{fine}\n', encoding="utf-8")
    read = read_table_file(path, ["a"], ("field",))
    assert ([one.rule for one in read.quarantine], len(read.table)) == (["unparseable"], 1)


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_a_table_of_too_many_columns_is_refused(refused, tmp_path, name):
    columns = {f"c{n}": n for n in range(10_001)}
    path = tmp_path / name
    line = json.dumps(columns) if path.suffix == ".jsonl" else ",".join(columns)
    path.write_text(line + "\n", encoding="utf-8")
    with refused(SourceError, "field"):
        table_columns(path, ("field",))


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet", "t.xlsx"])
def test_a_pipe_is_no_table(refused, tmp_path, name):
    os.mkfifo(tmp_path / name)
    with refused(SourceError, "field"):
        table_columns(tmp_path / name, ("field",))


NESTED = [
    {"id": 1, "answer": {"text": "yes", "parts": ["a", {"b": "c"}]}, "x.y": "flat"},
    {"id": 2, "answer": {"text": None}, "x": {"y": "nested"}},
    {"id": 3, "answer": "none", "parts": []},
]


@pytest.fixture
def nested(tmp_path):
    path = tmp_path / "n.jsonl"
    path.write_text("\n".join(map(json.dumps, NESTED)), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("column", "entries"),
    [
        ("answer.text", ["yes", None, None]),
        ("answer.parts.0", ["a", None, None]),
        ("answer.parts.1.b", ["c", None, None]),
        # a name with a dot comes before a path
        ("x.y", ["flat", "nested", None]),
        ("answer", [record["answer"] for record in NESTED]),
    ],
)
def test_what_stands_inside_an_entry_is_named_by_its_path(nested, column, entries):
    assert column in table_columns(nested, ("f",))
    assert read_table_file(nested, [column], ("f",)).table[column].tolist() == entries


def test_a_path_that_no_record_has_is_told_with_those_there(refused, nested):
    with refused(StudyError, "f"):
        read_table_file(nested, ["answer.txt"], ("f",))


def test_entries_inside_one_do_not_make_a_table_of_too_many_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_COLUMNS", 5)
    path = tmp_path / "n.jsonl"
    path.write_text(json.dumps({"id": 1, "vector": list(range(100))}), encoding="utf-8")
    assert read_table_file(path, ["id", "vector.1"], ("f",)).table.values.tolist() == [[1, 1]]
    assert len(table_columns(path, ("f",))) == 5


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "b.xlsx"
    with pd.ExcelWriter(path) as writer:
        pd.DataFrame({"p": ["1"]}).to_excel(writer, sheet_name="First", index=False)
        pd.DataFrame({"p": ["2"], "q": ["w"]}).to_excel(writer, sheet_name="Zweites Blatt", index=False)
    return path


def test_a_sheet_is_named_and_is_the_first_one_otherwise(book):
    assert read_table_file(book, ["p"], ("f",)).table["p"].tolist() == ["1"]
    assert read_table_file(book, ["p"], ("f",), sheet="Zweites Blatt").table["p"].tolist() == ["2"]
    assert table_columns(book, ("f",), "Zweites Blatt") == ["p", "q"]


def test_a_sheet_that_is_not_there_is_told_with_those_that_are(refused, book, write):
    with refused(SourceError, "f"):
        table_columns(book, ("f",), "Third")
    with refused(SourceError, "f"):
        table_columns(write("t.csv"), ("f",), "First")
