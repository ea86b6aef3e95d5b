"""Single assets materialised as in the UI, one after the other, while the study file changes."""

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver
from dagster._core.loader import LoadingContextForTest

from dagster_project.definitions import definitions
from dagster_project.mistakes import Mistake
from dagster_project.partitions import offer_studies
from python_assets.warehouse import paths
from python_assets.warehouse.build import open_build

NAME = "kind"
STUDY = """
title: Kind
prompts:
  templates:
    texts: [{id: "1", text: "Is a {gender} kind?"}]
    cross: [gender]
factors:
  gender: {levels: [Female, Male]}
systems: [{name: one, provider: "answers:say"}]
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
INFERRED = ("infer", "infer_subgroups", "infer_associations", "infer_regressions", "infer_agreement")
AFTER_ANSWERS = ("dbt_before_inference", *INFERRED, "dbt_after_inference")


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
    def run(*stages):
        for stage in stages:
            materialise_study([stage], NAME)

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
        with pytest.raises(Mistake, match=r"analysis\.alpha 0\.05 -> 0\.2, .* raw/studies"):
            materialise(stage)


@pytest.mark.run
def test_the_study_read_again_does_not_make_its_tables_new(materialise, folder):
    materialise(*STAGES)
    edit(folder, "alpha: 0.05", "alpha: 0.2")
    materialise("studies")
    with pytest.raises(Mistake, match="materialise raw/documents and everything"):
        materialise("extract")
    materialise("scrape", "assemble")
    with pytest.raises(Mistake, match="materialise raw/responses and everything"):
        materialise("extract")
    materialise("design", "generate", "extract")


@pytest.mark.run
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


@pytest.mark.run
def test_what_is_made_of_a_table_is_known_through_dbt_and_inference(materialise, folder):
    materialise("studies")
    edit(folder, "alpha: 0.05", "alpha: 0.2")
    for stage in ("dbt_before_inference", "infer", "dbt_after_inference", "publish"):
        with pytest.raises(Mistake, match="materialise raw/studies"):
            materialise(stage)


@pytest.mark.run
def test_what_was_made_of_an_earlier_version_is_stale(materialise, folder, instance):
    materialise(*STAGES[:4])
    assert stale(instance) == set()
    edit(folder, "title: Kind", "# of no matter\ntitle: Kind")
    assert stale(instance) == set()
    edit(folder, "alpha: 0.05", "alpha: 0.2")
    assert {"raw/studies", "raw/prompts", "raw/slices"} <= stale(instance)
    materialise(*STAGES[:4])
    assert stale(instance) == set()


def stale(instance):
    """The assets that the UI shows as made of something else than there is."""
    offer_studies(instance, [NAME])
    graph = definitions().resolve_asset_graph()
    resolver = CachingStaleStatusResolver(instance, graph, LoadingContextForTest(instance))
    return {key.to_user_string() for key in graph.materializable_asset_keys if resolver.get_stale_causes(key, NAME)}


@pytest.mark.run
def test_a_mart_asked_alone_is_built_with_what_is_between_and_no_other(materialise, materialise_study):
    materialise(*STAGES)
    done = materialise_study(["marts/coverage"], NAME)
    assert [made.asset_key.to_user_string() for made in done.get_asset_materialization_events()] == ["marts/coverage"]
    assert [check.check_name for check in done.get_asset_check_evaluations()] == ["dbt_tests"]
    with open_build(paths.home().build(NAME)) as connection:
        tables = connection.execute(
            "select table_name, estimated_size from duckdb_tables() where schema_name = 'marts'"
        )
        filled = {table for table, n_rows in tables.fetchall() if n_rows}
        assert filled == {"coverage"}


@pytest.mark.run
def test_a_mart_asked_alone_once_the_study_has_run_is_made_anew_with_what_is_between(materialise, instance):
    materialise(*STAGES, *AFTER_ANSWERS)
    tables = "select schema_name || '.' || table_name, comment from duckdb_tables() where schema_name <> 'raw'"
    with open_build(paths.home().build(NAME)) as connection:
        rows = connection.execute("from marts.scorers order by all").fetchall()
        connection.execute("drop table intermediate.int_scorers; delete from marts.scorers")
        for table, _ in connection.execute(tables).fetchall():
            connection.execute(f"comment on table {table} is 'as it stood'")
    # by the job of the UI, whose runs say which assets they were asked for
    job = definitions().resolve_implicit_global_asset_job_def()
    asked = [dg.AssetKey(["marts", "scorers"])]
    assert job.execute_in_process(asset_selection=asked, partition_key=NAME, instance=instance).success
    with open_build(paths.home().build(NAME)) as connection:
        anew = {table for table, comment in connection.execute(tables).fetchall() if comment != "as it stood"}
        assert anew == {"marts.scorers", "intermediate.int_scorers", "intermediate.int_study_scorers"}
        assert connection.execute("from marts.scorers order by all").fetchall() == rows != []


def test_a_partition_whose_study_is_gone_is_told_in_a_line(materialise, folder, snapshot):
    (folder / f"{NAME}.yml").rename(folder / "elsewhere.yml")
    with pytest.raises(Mistake) as raised:
        materialise("studies")
    assert str(raised.value) == snapshot
