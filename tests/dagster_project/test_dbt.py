"""dbt as a run calls it, on a build file where almost nothing is there to build from."""

import shutil

import duckdb
import pytest

from dagster_project import dbt
from python_assets.errors import TransformError
from python_assets.warehouse.build import open_build

REASONS = ("--select", "reasons")  # a seed, which needs no raw table


@pytest.fixture
def build_path(tmp_path):
    path = tmp_path / "build" / "one_study.duckdb"
    with open_build(path):
        pass
    return path


def test_a_build_leaves_its_tables_in_the_file_and_the_file_free(build_path):
    results = dbt.build(build_path, *REASONS)
    assert {result.status for result in results} <= {"success", "pass"}
    with duckdb.connect(str(build_path), config={"threads": 1}) as connection:  # other settings than dbt's
        assert connection.execute("select count(*) from marts.reasons").fetchall()[0][0] > 0
        assert connection.execute("select catalog_name from information_schema.schemata").fetchall()


def test_a_second_study_is_built_without_another_parse(build_path, monkeypatch):
    dbt.manifest_path()
    monkeypatch.setattr(dbt, "_parse", None)
    dbt.build(build_path, *REASONS)
    assert not list(build_path.parent.rglob("partial_parse.msgpack"))


@pytest.mark.parametrize("kind", [".sql", ".yml", ".csv", ".md", ".py"])
def test_a_project_is_parsed_again_when_a_file_of_it_has_changed(tmp_path, monkeypatch, kind):
    project = shutil.copytree(dbt.PROJECT, tmp_path / "dbt_models")
    monkeypatch.setattr(dbt, "PROJECT", project)
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    monkeypatch.setattr(dbt, "_parse", lambda folder: None)
    before = dbt.manifest_path()
    assert dbt.manifest_path() == before
    changed = next(project.rglob(f"*{kind}"))
    changed.write_bytes(changed.read_bytes() + b"\n")
    after = dbt.manifest_path()
    assert after != before
    changed.rename(changed.with_stem("another_name"))  # which names another model
    assert dbt.manifest_path() not in (before, after)


def test_a_model_that_fails_is_named_with_its_file_and_the_reason(build_path):
    with open_build(build_path) as connection:
        connection.execute("drop table raw.factors")
    with pytest.raises(TransformError) as raised:
        dbt.build(build_path, "--select", "factors")
    assert "model factors (models/marts/factors.sql)" in str(raised.value)
    assert "does not exist" in str(raised.value)


def test_a_test_that_fails_is_named_and_the_file_is_free(build_path):
    with duckdb.connect(str(build_path)) as connection:
        connection.execute(
            "insert into raw.statistics (study_id, statistic, parameters) values ('s', 'guess', '')"
        )
    with pytest.raises(TransformError, match="test statistics_are_known .*Got [0-9]+ result"):
        dbt.build(build_path, "--select", "statistics_are_known")
    with open_build(build_path):
        pass
