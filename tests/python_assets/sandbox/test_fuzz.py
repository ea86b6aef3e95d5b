"""Files that someone, or a disk, changed: the outcome is a result or an error that the user can mend.

Every example starts from a sound file. Hypothesis draws the same ones at every run (derandomize).

"""

import gzip
import json
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

import pandas as pd
import pytest
import yaml
from docx import Document
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from python_assets.errors import PlumblineError
from python_assets.importers.files import read_table_file, table_columns
from python_assets.importers.formats import read_import
from python_assets.published.manifest import read_manifest
from python_assets.study_file.load import load_study
from python_assets.texts.files import read_file
from tests.python_assets.texts.test_pdf import pdf_bytes

FIELD = ("prompts", "import", "path")
ROWS = [{"a": "x", "n": 1}, {"a": None, "n": 2.5}, {"a": "ü", "n": [1, {"b": [2]}]}]


class Change(NamedTuple):
    """What becomes of a file: how, at which share of it, and how much."""

    how: str
    place: float
    size: int


def changed(data: bytes, changes: list[Change]) -> bytes:
    """The bytes after all changes."""
    for how, place, size in changes:
        at = int(place * len(data))
        data = HOW[how](data, at, size)
    return data


def _long_number(data: bytes, at: int, size: int) -> bytes:
    """The next number has thousands of digits."""
    found = re.compile(rb"\d+").search(data, at)
    return data if found is None else data[: found.start()] + b"9" * 20 * size + data[found.end() :]


def _nested(data: bytes, at: int, size: int) -> bytes:
    """Lists or elements within each other, hundreds deep."""
    opening, closing = ((b"[", b"]"), (b'{"a":', b"}"), (b"<p>", b"</p>"), (b"<<", b">>"))[size % 4]
    return data[:at] + opening * 10 * size + closing * 10 * size + data[at:]


HOW: dict[str, Callable[[bytes, int, int], bytes]] = {
    "flip": lambda data, at, size: data[:at] + bytes(byte ^ size for byte in data[at : at + 1]) + data[at + 1 :],
    "cut": lambda data, at, _: data[:at],
    "zeros": lambda data, at, size: data[:at] + bytes(size) + data[at + size :],
    "repeat": lambda data, at, size: data[: at + size] + data[at:],
    "number": _long_number,
    "nest": _nested,
}
CHANGES = st.lists(
    st.builds(Change, st.sampled_from(sorted(HOW)), st.floats(0, 1, exclude_max=True), st.integers(1, 255)),
    min_size=1,
    max_size=3,
)


def _docx() -> bytes:
    document, data = Document(), BytesIO()
    document.add_heading("Italy", 1)
    document.add_paragraph("Italy has a long coast.")
    document.save(data)
    return data.getvalue()


def _xlsx() -> bytes:
    book, data = Workbook(), BytesIO()
    for row in (["a", "n"], ["x", 1], [None, 2.5]):
        book.active.append(row)
    book.save(data)
    return data.getvalue()


def _parquet() -> bytes:
    data = BytesIO()
    pd.DataFrame({"a": ["x", None] * 50, "n": range(100)}).to_parquet(data)
    return data.getvalue()


def _manifest() -> bytes:
    factor = {"type": "prompt", "levels": ["x", "y"], "reference_level": "x"}
    content = {
        "format": "plumbline export 2",
        "study_id": "months",
        "title": "T",
        "stage": "responses",
        "files": [{"name": "responses.csv", "sha256": "0" * 64, "n_rows": 2, "columns": ["a"]}],
        "factors": {"g": factor},
        "documents": [],
        "systems": [{"system_id": "g", "is_engine": False}],
        "measures": [],
        "licences": [],
        "removes_prompt": False,
        "config": {"unit": None},
        "config_sha256": "0" * 64,
        "plumbline_version": "0.1.0",
        "run_id": "r",
        "published_at": "2026-10-01T00:00:00",
        "exported_at": "2026-10-02T00:00:00",
    }
    return json.dumps(content).encode()


def _lm_eval() -> bytes:
    line = {
        "doc_id": 0,
        "doc": {"gender": "she"},
        "arguments": {"gen_args_0": {"arg_0": "Hire her?"}},
        "resps": [["yes"]],
        "filter": "none",
        "metrics": ["exact_match"],
        "exact_match": 1.0,
    }
    return b"\n".join(json.dumps(line | {"doc_id": at}).encode() for at in range(3))


LM_EVAL_RESULTS = {
    "model_name": "m",
    "lm_eval_version": "0.4.13",
    "configs": {"hiring": {"output_type": "generate_until", "metric_list": [{"metric": "exact_match"}]}},
    "results": {"hiring": {"exact_match,none": 1.0}},
}


def _read_table(path: Path) -> object:
    return table_columns(path, FIELD), read_table_file(path, ["a"], FIELD)


def _read_text(path: Path) -> object:
    return read_file(path, path.parent, FIELD)


def _read_manifest(path: Path) -> object:
    return read_manifest(path, FIELD)


def _read_lm_eval(path: Path) -> object:
    results = path.with_name("results_2026-01-01T00-00-00.json")
    results.write_text(json.dumps(LM_EVAL_RESULTS), encoding="utf-8")
    return _read_study(path, {"format": "lm_eval", "path": path.name, "factors": {"gender": "gender"}})


def _read_study(path: Path, spec: dict[str, object]) -> object:
    study = path.with_name("study.yml")
    study.write_text(
        yaml.safe_dump({"prompts": {"import": spec}, "systems": [{"name": "*", "provider": "replay"}]}),
        encoding="utf-8",
    )
    return read_import(load_study(study))


def _promptfoo() -> bytes:
    result = {
        "provider": {"id": "m"},
        "prompt": {"raw": "Hire her?", "label": "p"},
        "vars": {"gender": "she"},
        "response": {"output": "yes"},
        "score": 1,
        "success": True,
    }
    return json.dumps({"results": {"version": 3, "results": [result] * 2}}).encode()


def _read_promptfoo(path: Path) -> object:
    spec = {"format": "promptfoo", "path": path.name, "factors": {"gender": "gender"}}
    return _read_study(path, spec)


class Format(NamedTuple):
    """A sound file, its name, and what reads it."""

    name: str
    sound: Callable[[], bytes]
    read: Callable[[Path], object]


FORMATS = {
    "docx": Format("a.docx", _docx, _read_text),
    "pdf": Format("a.pdf", lambda: pdf_bytes([["Italy has a long coast."], ["It is hilly."]]), _read_text),
    "html": Format("a.html", lambda: b"<html><body><p>Italy has a <b>long</b> coast.</p></body></html>", _read_text),
    "xlsx": Format("a.xlsx", _xlsx, _read_table),
    "parquet": Format("a.parquet", _parquet, _read_table),
    "csv": Format("a.csv", lambda: b'a,n\nx,1\n"u\nv",2\n', _read_table),
    "csv.gz": Format("a.csv.gz", lambda: gzip.compress(b"a,n\nx,1\ny,2\n" * 20), _read_table),
    "jsonl": Format("a.jsonl", lambda: b"\n".join(json.dumps(row).encode() for row in ROWS), _read_table),
    "manifest": Format("manifest.json", _manifest, _read_manifest),
    "promptfoo": Format("results.json", _promptfoo, _read_promptfoo),
    "lm_eval": Format("samples_hiring_2026-01-01T00-00-00.jsonl", _lm_eval, _read_lm_eval),
}
PACKED = ("docx", "xlsx")


def changed_inside(data: bytes, part: int, changes: list[Change]) -> bytes:
    """A packed file with one of its parts changed, packed anew."""
    target = BytesIO()
    with ZipFile(BytesIO(data)) as packed, ZipFile(target, "w", ZIP_DEFLATED) as anew:
        names = packed.namelist()
        for name in names:
            content = packed.read(name)
            anew.writestr(name, changed(content, changes) if name == names[part % len(names)] else content)
    return target.getvalue()


def look(one: str, folder: Path, n_examples: int, *, inside: bool = False) -> None:
    """Read a file after each of many changes."""
    format_, data = FORMATS[one], FORMATS[one].sound()
    path = folder / format_.name
    path.write_bytes(data)
    format_.read(path)

    @settings(max_examples=n_examples, derandomize=True, deadline=None, database=None)
    @given(CHANGES, st.integers(0, 20))
    def read_changed(changes: list[Change], part: int) -> None:
        path.write_bytes(changed_inside(data, part, changes) if inside else changed(data, changes))
        try:
            format_.read(path)
        except PlumblineError as error:
            assert len(str(error)) < 5_000

    read_changed()


@pytest.mark.parametrize("one", FORMATS)
def test_a_changed_file_is_read_or_told(one, tmp_path):
    look(one, tmp_path, 20)


@pytest.mark.parametrize("one", PACKED)
def test_a_changed_part_of_a_packed_file_is_read_or_told(one, tmp_path):
    look(one, tmp_path, 20, inside=True)


@pytest.mark.run
@pytest.mark.parametrize("one", FORMATS)
def test_a_file_changed_in_many_ways_is_read_or_told(one, tmp_path):
    look(one, tmp_path, 300)


@pytest.mark.run
@pytest.mark.parametrize("one", PACKED)
def test_a_part_changed_in_many_ways_is_read_or_told(one, tmp_path):
    look(one, tmp_path, 300, inside=True)
