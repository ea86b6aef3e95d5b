import pandas as pd
import pytest

from python_assets.errors import ExtractionError, StudyError

FUNCTION = """
def agrees(texts, rows):
    pairs = zip(texts, rows)
    return [None if row["code"] is None else int(row["code"] == 1 and text != "no") for text, row in pairs]

def told(texts, rows):
    return [f"{text} {sorted(row.items())}" for text, row in zip(texts, rows)]

def fails(texts, rows):
    return [1 / row["code"] for row in rows]
"""
SPEC = {"name": "agrees", "kind": "binary", "function": "codes:agrees", "columns": ["code"]}
RESPONSES = [("p0", "yes"), ("p1", "no"), ("p2", None), ("p3", "yes"), ("p4", "yes")]


def rows_of(codes, **columns):
    keys = {"system": "Replayed", "prompt_id": [f"p{i}" for i in range(len(codes))], "replicate": 0}
    return pd.DataFrame({**keys, "code": pd.Series(codes, dtype=object), **columns})


@pytest.fixture
def measured(build, make_study, make_imported, tmp_path):
    def run(codes, spec=SPEC, **columns):
        (tmp_path / "codes.py").write_text(FUNCTION)
        build.prompts(**dict.fromkeys([prompt for prompt, _ in RESPONSES]))
        build.responses(*RESPONSES)
        build.extract(make_study(spec), make_imported(rows_of(codes, **columns)))
        return build.rows(spec["name"], "prompt_id", "value", "label", "reason")

    return run


def test_a_function_sees_the_imported_row_beside_the_text(measured):
    found = {prompt: (value, reason) for prompt, value, _, reason in measured([1, 1, 1, 0, None])}
    # the code alone tells of p2, which has no text; p1 says no
    assert found == {
        "p0": (1, None),
        "p1": (0, None),
        "p2": (1, None),
        "p3": (0, None),
        "p4": (None, "function_failed"),
    }


def test_a_response_without_an_imported_row_has_no_value(measured):
    found = {prompt: (value, reason) for prompt, value, _, reason in measured([1, 1])}
    assert found["p0"] == (1, None)
    assert {found[prompt] for prompt in ("p2", "p3", "p4")} == {(None, "missing_in_import")}


def test_a_row_has_the_named_columns_as_the_import_has_them(measured):
    spec = {"name": "said", "kind": "categorical", "function": "codes:told", "columns": ["n", "code"]}
    labels = {prompt: label for prompt, _, label, _ in measured(["x", [1], 2.0, True, None], spec, n=[1] * 5)}
    assert labels == {
        "p0": "yes [('code', 'x'), ('n', 1)]",
        "p1": "no [('code', [1]), ('n', 1)]",
        "p2": "None [('code', 2.0), ('n', 1)]",
        "p3": "yes [('code', True), ('n', 1)]",
        "p4": "yes [('code', None), ('n', 1)]",
    }


def test_a_function_that_fails_is_told_with_text_and_row(measured, refused):
    spec = {"name": "f", "kind": "continuous", "function": "codes:fails", "columns": ["code"]}
    with refused(ExtractionError, "fails"):
        measured([1, 2, 3, 0, 4], spec)


def test_a_column_that_is_not_there_is_told(measured, refused):
    with refused(StudyError, "measures.agrees"):
        measured([1], {**SPEC, "columns": ["code", "nope"]})
