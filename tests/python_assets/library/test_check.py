import numpy as np
import pandas as pd
import pytest
import yaml

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
    assert [one.spec.name for one in study.systems] == ["*"]
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


def test_a_frame_has_no_margin_but_the_one_that_it_is_given(written):
    assert written(FRAME).margins == {}
    assert written(FRAME, margin=0.1).margins == {"score": {"risk_difference": 0.1}}


def test_a_frame_that_cannot_be_compared_is_told(tmp_path, snapshot):
    frames = {
        "no value": FRAME.drop(columns="Score"),
        "one group": FRAME.assign(**{"Group of people": "x"}),
        "questions of one group": FRAME.assign(Question=range(16)),
        "missing": FRAME.assign(Score=np.nan),
        "words": FRAME.assign(Score="yes"),
        "infinite": FRAME.assign(Score=np.inf),
        "times": FRAME.assign(Score=pd.Timestamp("2026-01-01")),
        "no question": FRAME.assign(Question=FRAME.Question.where(FRAME.index > 2)),
        "no row": FRAME.iloc[:0],
        "complex": FRAME.assign(Score=FRAME.Score + 1j),
        "two columns": FRAME.assign(Other=1).rename(columns={"Other": "Question"}),
    }
    for name, frame in frames.items():
        with pytest.raises(StudyError) as raised:
            check(frame, folder=tmp_path, **OF)
        frames[name] = str(raised.value)
    assert frames == snapshot
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    "options",
    [{"group": ["Group of people", "group_of_people"]}, {"prompt": "Score"}, {"name": "?"}, {"margin": "x"}],
    ids=lambda options: next(iter(options)),
)
def test_options_that_cannot_be_meant_are_told(tmp_path, options, snapshot):
    frame = FRAME.assign(group_of_people=FRAME["Group of people"])
    with pytest.raises(StudyError) as raised:
        check(frame, folder=tmp_path, **OF | options)
    assert str(raised.value) == snapshot


def test_rows_that_no_memory_holds_are_told(tmp_path, monkeypatch, snapshot):
    monkeypatch.setattr(checking, "BYTES_A_ROW", 1e12)
    with pytest.raises(StudyError) as raised:
        check(FRAME, folder=tmp_path, **OF)
    assert raised.value.got == snapshot


def test_what_a_million_rows_take_is_told_before_they_are_read(written, monkeypatch, capsys, snapshot):
    monkeypatch.setattr(checking, "MANY_ROWS", 16)
    written(FRAME)
    assert capsys.readouterr().err.strip() == snapshot
    written(FRAME, quiet=True)
    assert capsys.readouterr().err == ""


def test_ten_million_rows_are_told_before_anything_is_written(tmp_path, refused):
    frame = FRAME.loc[np.zeros(10_000_000, dtype=int)]
    with refused(StudyError, "the frame"):
        check(frame, folder=tmp_path, **OF)
    assert [*tmp_path.iterdir()] == []


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StudyError, match="name another one"):
        check(FRAME, folder=tmp_path / "file", **OF)


CONTROLLED = pd.DataFrame(
    [
        (f"q{i}", group, float(i + j))
        for i in range(4)
        for j, group in enumerate(["x", "y", "car-red", "car-silver", "day-monday", "noop"])
    ],
    columns=["Question", "Group of people", "Score"],
)
TYPES = {"car-red": "colour", "car-silver": "colour", "day-monday": "weekday", "noop": "blank"}


@pytest.mark.parametrize("controls", [TYPES, [*TYPES]], ids=["types", "list"])
def test_controls_are_no_groups_of_the_study_that_is_written(written, controls):
    study = written(CONTROLLED, negative_controls=controls, quiet=True)
    assert study.factors["group_of_people"].levels == ["x", "y"]
    assert yaml.safe_load(study.path.read_text())["negative_controls"] == {"levels": controls}
    assert table_of(study).factor_group_of_people.nunique() == 6


@pytest.mark.parametrize(
    "controls",
    [
        {"car-blue": "colour"},
        [*CONTROLLED["Group of people"].unique()[1:]],
        TYPES | {"noop": None},
        TYPES | {"noop": " "},
        ["noop", "car-red", "noop"],
    ],
    ids=["not there", "all but one", "no type", "blank type", "twice"],
)
def test_controls_that_cannot_be_meant_are_told(tmp_path, controls, snapshot):
    with pytest.raises(StudyError) as raised:
        check(CONTROLLED, folder=tmp_path, negative_controls=controls, **OF)
    assert str(raised.value) == snapshot
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("controls", [[*TYPES], TYPES | {"car-red": "car"}], ids=["no types", "two of one sentence"])
def test_types_of_controls_are_proposed(written, capsys, controls, snapshot):
    written(CONTROLLED, negative_controls=controls)
    assert capsys.readouterr().err.strip() == snapshot
    written(CONTROLLED, negative_controls=controls, quiet=True)
    assert capsys.readouterr().err == ""
