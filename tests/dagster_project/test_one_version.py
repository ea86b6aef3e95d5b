"""Single assets materialised as in the UI, one after the other, while the study file changes."""

import pytest

from dagster_project.definitions import defs
from dagster_project.mistakes import Mistake
from dagster_project.resources import StudyResource, WarehouseResource

NAME = "kind"
STUDY = """
title: Kind
prompts:
  templates:
    texts: [{id: "1", text: "Is a {gender} kind?"}]
    cross: [gender]
factors:
  gender: {levels: [Female, Male]}
generations: [{name: one, provider: "answers:say"}]
measures: [vader]
analysis: {alpha: 0.05}
"""
ANSWERS = f"""
from pathlib import Path

STUDY = Path(__file__).with_name("{NAME}.yml")
EDIT = Path(__file__).with_name("edit")


def say(messages, decoding):
    if EDIT.exists():
        STUDY.write_text(STUDY.read_text().replace("alpha: 0.05", "alpha: 0.2"))
    return "Yes."
"""
STAGES = ("studies", "scrape", "assemble", "design", "generate", "extract")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_STUDIES", str(tmp_path))
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PLUMBLINE_PROVIDER", raising=False)
    (tmp_path / f"{NAME}.yml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "answers.py").write_text(ANSWERS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def materialise(folder, materialise_study):
    assets = {asset.node_def.name.split("__")[-1]: asset for asset in defs.assets}
    resources = {"study": StudyResource(), "warehouse": WarehouseResource()}

    def run(*stages):
        for stage in stages:
            materialise_study([assets[stage]], NAME, resources=resources)

    return run


def edit(folder, old, new):
    path = folder / f"{NAME}.yml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_stage_refuses_what_another_version_made(materialise, folder):
    materialise(*STAGES[:5])
    edit(folder, "alpha: 0.05", "alpha: 0.2")
    for stage in ("design", "generate", "extract"):
        with pytest.raises(Mistake, match=r"raw/studies .*analysis\.alpha 0\.05 -> 0\.2"):
            materialise(stage)


def test_the_study_read_again_does_not_make_its_tables_new(materialise, folder):
    materialise(*STAGES)
    edit(folder, "alpha: 0.05", "alpha: 0.2")
    materialise("studies")
    with pytest.raises(Mistake, match="Materialise raw/documents and everything after it"):
        materialise("extract")
    materialise("scrape", "assemble")
    with pytest.raises(Mistake, match="Materialise raw/generations and everything after it"):
        materialise("extract")
    materialise("design", "generate", "extract")


def test_an_edit_in_the_middle_of_a_run_stops_the_next_stage(materialise, folder):
    (folder / "edit").touch()
    with pytest.raises(Mistake, match=r"analysis\.alpha 0\.05 -> 0\.2"):
        materialise(*STAGES)
    (folder / "edit").unlink()
    materialise(*STAGES)


def test_comments_and_spaces_are_no_edit(materialise, folder):
    materialise(*STAGES[:3])
    edit(folder, "title: Kind", "# of no matter\n\ntitle:   Kind")
    edit(folder, "{levels: [Female, Male]}", "\n    levels:\n      - Female\n      - Male")
    materialise(*STAGES[3:])


def test_what_is_made_of_a_table_is_known_through_dbt_and_inference(materialise, folder):
    materialise("studies")
    edit(folder, "alpha: 0.05", "alpha: 0.2")
    for stage in ("dbt_before_inference", "infer", "dbt_after_inference", "database", "report"):
        with pytest.raises(Mistake, match="Materialise raw/studies"):
            materialise(stage)
