from pathlib import Path

import pytest

from python_assets.errors import ExtractionError, StudyError
from python_assets.extract.function import function_method
from python_assets.extract.scorer import Score

SOURCE = """
import numpy as np
def length(texts): return [len(text) for text in texts]
def array(texts): return np.array([len(text) > 3 for text in texts])
def label(texts): return [" long " if len(text) > 3 else None for text in texts]
def short(texts): return [1]
def fails(texts): return [1 / (text != "bad") for text in texts]
def fails_together(texts):
    if len(texts) > 1: raise RuntimeError("too many")
    return [1]
def one_text(texts): return "abc"
def huge(texts): return [10 ** 400, float("inf"), float("nan")]
def no_list(texts): return 1.0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my_scores.py").write_text(SOURCE)
    return tmp_path


def test_numbers_labels_and_none_are_scores(folder: Path):
    texts = ["ab", "abcd"]
    assert function_method("my_scores:length", folder, "number").score(texts) == [Score(2.0), Score(4.0)]
    assert function_method("my_scores:array", folder, "0 or 1").score(texts) == [Score(0.0), Score(1.0)]
    assert function_method("my_scores:label", folder, "label").score(texts) == [
        Score(reason="function_failed"),
        Score(label="long", label_method="function"),
    ]


def test_the_file_is_imported_only_when_a_method_is_made_and_its_hash_is_in_the_version(folder: Path, refused):
    method = function_method("my_scores:length", folder, "number")
    (folder / "my_scores.py").write_text(SOURCE + "\n")
    changed = function_method("my_scores:length", folder, "number")
    assert method.version.startswith("my_scores:length, file ")
    assert method.version != changed.version
    with refused(StudyError, "other:length"):
        function_method("other:length", folder, "number")


@pytest.mark.parametrize(
    ("name", "texts", "wanted"),
    [
        ("short", ["a", "b"], "number"),
        ("fails", ["good", "bad", "bad"], "number"),
        ("fails_together", ["a", "b"], "number"),
        ("one_text", ["a", "b", "c"], "label"),
        ("no_list", ["a"], "number"),
        ("length", ["abc"], "0 or 1"),
        ("length", ["abc"], "label"),
        ("label", ["abcd"], "number"),
    ],
)
def test_a_mistake_of_the_function_is_named(folder: Path, name: str, texts: list[str], wanted, refused):
    method = function_method(f"my_scores:{name}", folder, wanted)
    with refused(ExtractionError, name):
        method.score(texts)


def test_numbers_past_what_engines_hold_become_infinite_not_an_error(folder: Path):
    scores = function_method("my_scores:huge", folder, "number").score(["a", "b", "c"])
    assert [str(score.value) for score in scores] == ["inf", "inf", "nan"]
