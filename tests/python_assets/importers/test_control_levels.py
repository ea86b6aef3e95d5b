import pandas as pd
import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import SourceError
from python_assets.importers.control_levels import take_out_controls
from python_assets.importers.formats import read_import

LEVELS = ["woman", "man", "car-red", "Rain "]
ROWS = [
    {"root": root, "level": level, "topic": topic, "side": "edit" if level in LEVELS[2:] else "name", "s": 0.5}
    for root, topic in (("r1", "work"), ("r2", "home"))
    for level in LEVELS
]


@pytest.fixture
def study_of(make_study, tmp_path):
    """A study of rows with the given controls; levels are declared."""

    def make(rows, controls, *, reference=None, **parts):
        pd.DataFrame(rows).to_csv(tmp_path / "t.csv", index=False)
        spec = {
            "path": "t.csv",
            "columns": {"prompt": ["root", "level"], "root_prompt": "root"},
            "factors": {"level": "level", "topic": "topic", "side": "side"},
        }
        return make_study(
            {"import": spec},
            factors={"level": {"levels": ["woman", "man"], "reference": reference}},
            negative_controls={"levels": controls},
            systems=[{"name": "one", "provider": "replay"}],
            measures=[{"name": "s", "kind": "continuous", "column": "s"}],
            **parts,
        )

    return make


def test_levels_that_are_controls_are_prompts_of_no_group(study_of, build):
    study = study_of(ROWS, {"car-red": "colour", "rain": "weather"})
    counts = assemble(study, build)
    assert (counts.n_prompts, counts.n_quarantined) == (8, 0)
    assert build.sql(
        "select prompt_id, negative_control from raw.prompts where not is_root order by all"
    ).fetchall() == [
        ("r1 | car-red", "car-red"),
        ("r1 | man", None),
        ("r1 | rain", "rain"),
        ("r2 | car-red", "car-red"),
        ("r2 | man", None),
        ("r2 | rain", "rain"),
    ]
    query = "select factor, level from raw.prompt_factors where prompt_id = 'r2 | car-red' order by all"
    assert build.sql(query).fetchall() == [
        ("document", "t.csv"),
        ("keyword", "(none)"),
        ("negative_control", "car-red"),
        ("source_tag", "import"),
        ("task", "question"),
        ("topic", "home"),
    ]
    assert build.sql("select negative_control, control_type, place, branch from raw.negative_controls").fetchall() == [
        ("car-red", "colour", None, None),
        ("rain", "weather", None, None),
    ]


def test_a_control_that_no_row_names_is_told(study_of, build, refused):
    with refused(SourceError, "negative_controls.levels[0]"):
        assemble(study_of(ROWS, ["car-rde", "rain"]), build)


def test_a_control_may_lack_the_levels_that_groups_need(study_of):
    rows = [row | ({"topic": None} if row["level"] == "car-red" else {}) for row in ROWS]
    imported = read_import(study_of(rows, ["car-red", "rain"]))
    assert len(imported.quarantine) == 0
    rows = [row | ({"topic": None} if row["level"] == "man" else {}) for row in ROWS]
    imported = read_import(study_of(rows, ["car-red", "rain"]))
    assert {one.rule for one in imported.quarantine} == {"invalid_level"}


def test_a_row_of_two_controls_is_rejected(study_of):
    rows = [row | ({"topic": "rain"} if row["level"] == "car-red" else {}) for row in ROWS]
    quarantine = read_import(study_of(rows, ["car-red", "rain"])).quarantine
    assert {(one.rule, one.detail) for one in quarantine} == {
        ("invalid_level", "import: the row names two negative controls")
    }


def test_a_root_prompt_of_controls_alone_has_no_root(study_of):
    rows = [*ROWS, {"root": "r3", "level": "car-red", "topic": "work", "side": "edit", "s": 0.5}]
    prompts = read_import(study_of(rows, ["car-red", "rain"])).prompts
    assert prompts.groupby("root_prompt_id")["is_root"].sum().to_dict() == {"r1": 1, "r2": 1, "r3": 0}


def test_the_root_is_a_group_where_a_control_comes_first_and_no_row_has_the_reference(study_of):
    rows = [{"root": "r1", "level": level, "topic": "work", "side": "name", "s": 0.5} for level in ("car-red", "woman")]
    rows.append({"root": "r2", "level": "man", "topic": "work", "side": "name", "s": 0.5})
    prompts = read_import(study_of(rows, ["car-red"], reference="man")).prompts
    assert prompts.set_index("prompt_id")["is_root"].to_dict() == {
        "r1 | car-red": False,
        "r1 | woman": True,
        "r2 | man": True,
    }


def test_without_controls_levels_stay():
    levels = pd.DataFrame({"a": ["x", None], "b": ["y", "z"]})
    taken = take_out_controls(levels, [])
    assert taken.levels.equals(levels)
    assert not taken.control.notna().any()
    assert not taken.names_several.any()
