"""dbt as a run calls it, on a build file where almost nothing is there to build from."""

import json
import shutil

import duckdb
import pytest

from dagster_project import dbt
from dagster_project.template import PARTS, lacking_parts
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
    ignored = shutil.ignore_patterns("target", "logs", "*.pyc")  # of a developer's own calls
    project = shutil.copytree(dbt.PROJECT, tmp_path / "dbt_models", ignore=ignored)
    monkeypatch.setattr(dbt, "PROJECT", project)
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    monkeypatch.setattr(dbt, "_parse", lambda folder: None)
    before = dbt.manifest_path()
    assert dbt.manifest_path() == before
    (project / "target").mkdir()
    (project / "target" / f"compiled{kind}").touch()
    assert dbt.manifest_path() == before
    changed = next(path for folder in ("models", "seeds") for path in (project / folder).rglob(f"*{kind}"))
    changed.write_bytes(changed.read_bytes() + b"\n")
    after = dbt.manifest_path()
    assert after != before
    changed.rename(changed.with_stem("another_name"))  # which names another model
    assert dbt.manifest_path() not in (before, after)


def test_a_model_that_fails_is_named_with_its_file_and_the_reason(build_path, refused):
    with open_build(build_path) as connection:
        connection.execute("drop table raw.factors")
    with refused(TransformError, "dbt"):
        dbt.build(build_path, "--select", "factors")


def test_a_test_that_fails_is_named_and_the_file_is_free(build_path, refused):
    with duckdb.connect(str(build_path)) as connection:
        connection.execute("insert into raw.statistics (study_id, statistic, parameters) values ('s', 'guess', '')")
    with refused(TransformError, "dbt"):
        dbt.build(build_path, "--select", "statistics_are_known")
    with open_build(build_path):
        pass


def test_a_run_writes_nothing_beside_the_sources(build_path):
    before = set(dbt.PROJECT.rglob("*"))
    dbt.build(build_path, *REASONS)
    assert set(dbt.PROJECT.rglob("*")) == before


def test_a_build_file_that_is_not_there_is_not_made(tmp_path, refused):
    with refused(TransformError, "the file"):
        dbt._dbt(["build", *REASONS], tmp_path / "none.duckdb", tmp_path / "target")
    assert not (tmp_path / "none.duckdb").exists()


def test_the_views_of_a_build_file_that_is_renamed_are_kept(build_path):
    dbt.build(build_path, "--select", "+int_values")
    renamed = build_path.rename(build_path.with_stem("another_study"))
    with duckdb.connect(str(renamed)) as connection:
        assert connection.execute("from intermediate.int_values").fetchall() == []


def test_a_part_that_a_study_no_longer_has_leaves_its_table_empty_and_as_it_is_declared(build_path):
    declared = (
        "select sql, comment from duckdb_tables() where table_name = 'impossible_cells' and schema_name = 'marts'"
    )
    chosen, rows = ("--select", "impossible_cells"), "select level from marts.impossible_cells"
    with open_build(build_path) as connection:
        connection.execute("insert into raw.impossible_cells values ('s', 1, 'gender', 'man')")
        assert "impossible_cells" not in lacking_parts(connection)
    dbt.build(build_path, *chosen)
    with open_build(build_path) as connection:
        assert connection.execute(rows).fetchall() == [("man",)]
        before = connection.execute(declared).fetchall()
        connection.execute("delete from raw.impossible_cells")
    results = dbt.build(build_path, *chosen)
    assert [result.status for result in results if "unique_key_impossible_cells" in result.unique_id] == ["pass"]
    with open_build(build_path) as connection:
        assert connection.execute(rows).fetchall() == []
        assert connection.execute(declared).fetchall() == before


def test_a_table_of_another_version_is_declared_anew_when_it_is_built(build_path):
    dbt.build(build_path, "--select", "measures")
    with open_build(build_path) as connection:
        connection.execute("drop table marts.measures; create table marts.measures (study_id varchar, old integer)")
        connection.execute("insert into marts.measures values ('s', 1)")
    dbt.build(build_path, "--select", "generations")
    with open_build(build_path) as connection:
        assert connection.execute("select old from marts.measures").fetchall() == [(1,)]
    dbt.build(build_path, "--select", "measures")
    with open_build(build_path) as connection:
        assert "old" not in connection.table("marts.measures").columns


def test_every_part_has_models_and_every_tag_is_a_part():
    nodes = json.loads(dbt.manifest_path().read_bytes())["nodes"].values()
    assert {tag for node in nodes if node["resource_type"] == "model" for tag in node["tags"]} == set(PARTS)
