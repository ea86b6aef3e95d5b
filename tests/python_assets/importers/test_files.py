import json

import pandas as pd
import pytest

from python_assets.errors import SourceError, StudyError
from python_assets.importers.files import read_table_file, table_columns

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
    assert table_columns(path, "field") == ["a", "n", "s"]
    read = read_table_file(path, ["a"], "field")
    texts = read.table["a"].astype(object)
    assert (
        texts.where(texts.notna(), None).tolist()
        == ROWS["a"].astype(object).where(ROWS["a"].notna(), None).tolist()
    )
    assert list(read.table.columns) == ["a"]


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet", "t.xlsx"])
def test_a_missing_column_is_an_error_that_lists_those_there(write, name):
    with pytest.raises(StudyError, match=r"no column 'b'. Columns there: a, n, s"):
        read_table_file(write(name), ["a", "b"], "field")


def test_csv_stays_text(write):
    assert read_table_file(write("t.csv"), ["n", "s"], "field").table["s"].tolist()[::2] == ["0.5", "inf"]


def test_words_that_look_like_null_are_text_in_csv(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a\nNA\nnull\nNone\n""\n0123\n', encoding="utf-8")
    assert read_table_file(path, ["a"], "field").table["a"].fillna("-").tolist() == [
        "NA",
        "null",
        "None",
        "-",
        "0123",
    ]


@pytest.mark.parametrize("name", ["t.parquet", "t.xlsx", "t.csv", "t.jsonl"])
def test_a_file_that_is_not_what_its_ending_says_is_an_error(tmp_path, name):
    path = tmp_path / name
    path.write_text('a,b\n"unclosed\n', encoding="utf-8")
    with pytest.raises(SourceError, match=f"field: .*{name}"):
        read_table_file(path, ["a"], "field")


def test_a_missing_file_is_an_error(tmp_path):
    for name in ("t.csv", "t.parquet", "t.jsonl", "t.xlsx"):
        with pytest.raises(SourceError, match=f"{name} cannot be read"):
            read_table_file(tmp_path / name, ["a"], "field")


def test_another_ending_is_an_error(tmp_path):
    with pytest.raises(SourceError, match=r"'\.sav'. Expected \.csv"):
        read_table_file(tmp_path / "t.sav", ["a"], "field")


def test_torn_lines_are_quarantined(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": "x"}\n[1]\n\n{"a": "to', encoding="utf-8")
    read = read_table_file(path, ["a"], "field")
    assert read.table["a"].tolist() == ["x"]
    assert [(row.record_key, row.rule) for row in read.quarantine] == [
        ("t.jsonl:line 2", "unparseable"),
        ("t.jsonl:line 4", "unparseable"),
    ]


def test_half_a_surrogate_pair_becomes_the_replacement_character(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": "\\ud83d\\ude00 and \\ud83d"}\n', encoding="utf-8")
    assert read_table_file(path, ["a"], "field").table["a"].tolist() == ["😀 and \ufffd"]


def test_undecodable_bytes_of_csv_are_quarantined(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\nx\xffy\n")
    read = read_table_file(path, ["a"], "field")
    assert read.table["a"].tolist() == ["xy"]
    assert [row.record_key for row in read.quarantine] == ["t.csv@3"]
