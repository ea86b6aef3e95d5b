import re

import numpy as np
import pandas as pd
import pytest

from python_assets.errors import StudyError
from python_assets.library import check as checking
from python_assets.library.check import check
from python_assets.study_file.load import load_study

FRAME = pd.DataFrame(
    [(f"q{i}", group, model, float(i % 2)) for i in range(4) for group in ("x", "y") for model in ("m", "n")],
    columns=["Question", "Group of people", "Who", "Score"],
)
OF = {"group": "Group of people", "prompt": "Question", "value": "Score"}


@pytest.fixture
def written(monkeypatch, tmp_path):
    """What check would run: the study that it wrote, in place of its results."""

    def write(frame, **options):
        monkeypatch.setattr(checking, "run_file", lambda path, home, quiet: load_study(path))
        return check(frame, folder=tmp_path, **OF | options)

    return write


def table_of(study):
    return pd.read_parquet(study.path.with_suffix(".parquet"))


def test_a_frame_becomes_a_study_of_its_columns(written):
    study = written(FRAME)
    assert (study.study_id, study.title) == ("check", "Score by Group of people")
    assert [(name, [*factor.levels]) for name, factor in study.factors.items()] == [("group_of_people", ["x", "y"])]
    (measure,) = study.measures
    assert (measure.name, measure.kind) == ("score", "binary")
    assert table_of(study).shape == (16, 3)


def test_several_groups_and_models_are_told_apart(written):
    frame = FRAME.assign(Age=["old", "young"] * 8)
    study = written(frame, group=["Group of people", "Age"], model="Who", name="Recinq-placebo 2")
    assert study.study_id == "recinq_placebo_2"
    assert [*study.groupings] == [("group_of_people",), ("age",)]
    assert [one.spec.name for one in study.generations] == ["*"]
    assert sorted(table_of(study).model.unique()) == ["m", "n"]


@pytest.mark.parametrize(
    ("values", "kind", "margin"),
    [
        ([True, False] * 8, "binary", "risk_difference"),
        (np.arange(16), "continuous", "mean_difference"),
        ([1, 0, None, 0] * 4, "binary", "risk_difference"),
        (pd.array([True, None] * 8, dtype="boolean"), "binary", "risk_difference"),
        (pd.Series([True, False, None, True] * 4, dtype=object), "binary", "risk_difference"),
    ],
)
def test_a_value_is_of_its_kind_and_has_a_margin_of_it(written, values, kind, margin):
    study = written(FRAME.assign(Score=values), margin=0.1)
    assert study.measures[0].kind == kind
    assert study.analysis.margins["score"] == {margin: 0.1}
    assert table_of(study).value.isna().sum() == pd.Series(values).isna().sum()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda f: f.drop(columns="Score"), "no column 'Score'; expected columns of Question, Group of people, Who"),
        (lambda f: f.assign(**{"Group of people": "x"}), "1 group in 'Group of people'; expected two groups or more"),
        (lambda f: f.assign(Question=range(16)), "no 'Question' that two groups of 'Group of people' answer"),
        (lambda f: f.assign(Score=np.nan), "no value in 'Score'; expected numbers, or True and False"),
        (lambda f: f.assign(Score="yes"), "got \"yes\"; expected numbers, or True and False, in 'Score'"),
        (lambda f: f.assign(Score=np.inf), "infinite values in 'Score'"),
        (lambda f: f.assign(Score=pd.Timestamp("2026-01-01")), "expected numbers, or True and False"),
        (lambda f: f.assign(Question=f.Question.where(f.index > 2)), "3 of 16 rows without 'Question'"),
        (lambda f: f.iloc[:0], "no value in 'Score'"),
        (lambda f: f.assign(Score=f.Score + 1j), "expected numbers, or True and False, in 'Score'"),
        (lambda f: f.assign(Other=1).rename(columns={"Other": "Question"}), "several columns 'Question'"),
    ],
)
def test_a_frame_that_cannot_be_compared_is_told(tmp_path, change, told):
    with pytest.raises(StudyError, match=re.escape(told)):
        check(change(FRAME), folder=tmp_path, **OF)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"group": ["Group of people", "group_of_people"]}, "names that differ in letters and digits"),
        ({"prompt": "Score"}, "'Score' for two things"),
        ({"name": "?"}, "a name with a letter"),
        ({"margin": "x"}, "a number, in units of the value"),
    ],
)
def test_options_that_cannot_be_meant_are_told(tmp_path, options, told):
    frame = FRAME.assign(group_of_people=FRAME["Group of people"])
    with pytest.raises(StudyError, match=re.escape(told)):
        check(frame, folder=tmp_path, **OF | options)


def test_rows_that_no_memory_holds_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(checking, "BYTES_A_ROW", 1e12)
    with pytest.raises(StudyError, match="16 rows, which take some 16000 GB; expected what"):
        check(FRAME, folder=tmp_path, **OF)


def test_what_a_million_rows_take_is_told_before_they_are_read(written, monkeypatch, capsys):
    monkeypatch.setattr(checking, "MANY_ROWS", 16)
    written(FRAME)
    assert "16 rows: some 0.0 s and 0 GB of memory" in capsys.readouterr().err
    written(FRAME, quiet=True)
    assert capsys.readouterr().err == ""


def test_ten_million_rows_are_told_before_anything_is_written(tmp_path):
    frame = FRAME.loc[np.zeros(10_000_000, dtype=int)]
    with pytest.raises(StudyError, match=r"10,000,000 rows of 3 columns; expected at most 20,000,000 cells"):
        check(frame, folder=tmp_path, **OF)
    assert [*tmp_path.iterdir()] == []


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StudyError, match="name another one"):
        check(FRAME, folder=tmp_path / "file", **OF)
