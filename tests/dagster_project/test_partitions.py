import os
import sqlite3

import dagster as dg
import pytest

from dagster_project.definitions import definitions, defs
from dagster_project.instance import HistoryError, instance_of_home
from dagster_project.partitions import PARTITION_TAG, offer_studies, studies, study_file, study_files

STUDY = """
title: Kind
prompts: {templates: {texts: [{id: "1", text: "Is a {who} kind?"}], cross: [who]}}
factors: {who: {levels: [king, queen]}}
systems: [{name: one, provider: simulator}]
measures: [vader]
"""


@pytest.fixture
def looked(tmp_path, monkeypatch):
    """Let the sensor look at a folder of studies, do what it asks for and list the partitions."""
    monkeypatch.setenv("PLUMBLINE_STUDIES", str(tmp_path))
    with dg.DagsterInstance.ephemeral() as instance:

        def look():
            with dg.build_sensor_context(instance=instance, cursor=look.cursor) as context:
                found = study_files(context)
            look.cursor = getattr(found, "cursor", None) or look.cursor
            for request in getattr(found, "dynamic_partitions_requests", None) or []:
                if isinstance(request, dg.AddDynamicPartitionsRequest):
                    instance.add_dynamic_partitions(studies.name, request.partition_keys)
                else:
                    for key in request.partition_keys:
                        instance.delete_dynamic_partition(studies.name, key)
            for seen in getattr(found, "asset_events", None) or []:
                instance.report_runless_asset_event(seen)
                look.edited.append(seen.partition)
            return sorted(studies.get_partition_keys(dynamic_partitions_store=instance))

        look.edited, look.cursor, look.instance = [], None, instance
        yield look


def test_a_study_written_while_the_ui_is_up_is_a_partition_and_a_deleted_one_is_not(looked, tmp_path):
    assert looked() == []
    (tmp_path / "first.yml").write_text("not even read")
    (tmp_path / "second.yml").write_text("")
    assert looked() == ["first", "second"]
    (tmp_path / "first.yml").unlink()
    looked()
    assert looked() == ["second"]
    assert looked() == ["second"]


@dg.job
def nothing():
    pass


def test_a_study_from_elsewhere_stays_a_partition_while_it_is_run(looked):
    # as `plumbline run faiths` offers one of the shelf, and begins a moment later
    looked.instance.add_dynamic_partitions(studies.name, ["elsewhere"])
    assert looked() == ["elsewhere"]
    tags = {PARTITION_TAG: "elsewhere"}
    run = looked.instance.create_run_for_job(nothing, tags=tags, status=dg.DagsterRunStatus.STARTED)
    assert looked() == looked() == ["elsewhere"]
    event = dg.DagsterEvent(event_type_value="PIPELINE_SUCCESS", job_name=run.job_name)
    looked.instance.report_dagster_event(event, run.run_id)
    assert looked() == []


def test_a_study_can_be_offered_twice():
    with dg.DagsterInstance.ephemeral() as instance:
        offer_studies(instance, ["a"])
        offer_studies(instance, ["a", "b"])
        assert sorted(instance.get_dynamic_partitions(studies.name)) == ["a", "b"]


def test_the_sensor_runs_unless_it_is_stopped():
    sensor = definitions().resolve_sensor_def("study_files")
    assert sensor.default_status == dg.DefaultSensorStatus.RUNNING


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A DAGSTER_HOME where nothing has run, and a folder of studies with one in it."""
    for variable, name in (("DAGSTER_HOME", "dagster"), ("PLUMBLINE_STUDIES", "studies")):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / name))
    (tmp_path / "dagster" / "dagster.yaml").touch()
    (tmp_path / "studies" / "kind.yml").write_text(STUDY, encoding="utf-8")
    return tmp_path


def last_seen(name):
    of_study = dg.AssetRecordsFilter(asset_key=study_file.key, asset_partitions=[name])
    with instance_of_home() as instance:
        return [record.asset_observation for record in instance.fetch_observations(of_study, limit=10).records]


def test_definitions_offer_the_studies_as_they_load(home):
    defs()
    with instance_of_home() as instance:
        assert instance.get_dynamic_partitions(studies.name) == ["kind"]


def test_a_file_that_does_not_parse_is_named_in_a_line_and_stops_nothing(home, capsys, snapshot):
    (home / "studies" / "broken.yml").write_text("title: [\n", encoding="utf-8")
    (home / "studies" / "wrong.yml").write_text("systems: 1\n", encoding="utf-8")
    defs()
    with instance_of_home() as instance:
        assert sorted(instance.get_dynamic_partitions(studies.name)) == ["broken", "kind", "wrong"]
    told = capsys.readouterr().err.splitlines()
    assert told == snapshot
    assert [seen.metadata["mistake"].value for name in ("broken", "wrong") for seen in last_seen(name)] == told


def test_a_file_that_waits_for_a_variable_is_no_mistake(home, capsys, monkeypatch):
    monkeypatch.delenv("NOT_SET", raising=False)
    source = "[{tag: article, path: '${NOT_SET}/a.md'}]"
    scraped = f"prompts: {{scrape: {{levels: [a], keywords: {{a: [a]}}, sources: {source}}}}}"
    (home / "studies" / "kind.yml").write_text(f"{scraped}\nsystems: [{{name: one, provider: simulator}}]\n")
    defs()
    assert (capsys.readouterr().err, last_seen("kind")) == ("", [])


def test_a_version_is_seen_once_and_a_comment_is_no_other(home):
    path = home / "studies" / "kind.yml"
    for n, text in enumerate((STUDY, f"# a comment\n{STUDY}", STUDY.replace("Kind", "Kinder"))):
        path.write_text(text, encoding="utf-8")
        os.utime(path, (n, n))
        defs()
    newer, older = last_seen("kind")
    assert newer.data_version != older.data_version


def test_the_sensor_sees_an_edit(looked, tmp_path):
    path = tmp_path / "kind.yml"
    for n, text in enumerate((STUDY, STUDY, STUDY.replace("Kind", "Kinder"))):
        path.write_text(text, encoding="utf-8")
        os.utime(path, (n, n))
        looked()
    assert looked.edited == ["kind", "kind"]


def test_a_history_of_an_older_version_is_told_in_a_line(home, refused):
    with instance_of_home():
        pass
    with sqlite3.connect(home / "dagster" / "history" / "runs.db") as runs:
        runs.execute("update alembic_version set version_num = '567bc23fd1ac'")
    with refused(HistoryError, "DAGSTER_HOME TMP/dagster"):
        instance_of_home()
