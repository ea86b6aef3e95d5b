"""The dbt project compiled: what goes into its digest, what is refused, and contracts held on an empty build file."""

import shutil
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from python_assets.errors import TransformError
from python_assets.transform import compile as compiling
from python_assets.transform.compile import DBT_FOLDER, compiled_project
from python_assets.transform.unsupported import unsupported
from tests.python_assets.transform.conftest import column, node

A_COLUMN = """
models:
  - name: a
    columns: [{name: x, data_type: integer, constraints: [CONSTRAINT]}]
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(compiling, "_LOADED", {})


def silent(text):
    pass


@pytest.mark.parametrize("kind", [".sql", ".yml", ".csv", ".md", ".py"])
def test_a_project_is_compiled_again_when_a_file_of_it_has_changed(tmp_path, kind):
    ignored = shutil.ignore_patterns("target", "logs", "*.pyc")  # of a developer's own calls
    project = shutil.copytree(DBT_FOLDER, tmp_path / "dbt_models", ignore=ignored)
    before = compiling._digest(project)
    assert before == compiling._digest(DBT_FOLDER)
    (project / "target").mkdir()
    (project / "target" / f"compiled{kind}").touch()
    assert compiling._digest(project) == before
    changed = next(path for folder in ("models", "seeds") for path in (project / folder).rglob(f"*{kind}"))
    changed.write_bytes(changed.read_bytes() + b"\n")
    after = compiling._digest(project)
    changed.rename(changed.with_stem("another_name"))  # which names another model
    assert len({before, after, compiling._digest(project)}) == 3


def test_another_version_of_dbt_is_another_project(monkeypatch):
    before = compiling._digest(DBT_FOLDER)
    monkeypatch.setattr(compiling, "version", lambda package: "1.11.0")
    assert compiling._digest(DBT_FOLDER) != before


def test_dbt_that_is_missing_is_told_with_what_installs_it(monkeypatch, refused):
    def version(package):
        raise PackageNotFoundError(package)

    monkeypatch.setattr(compiling, "version", version)
    with refused(TransformError, "dbt"):
        compiled_project()


def test_a_project_is_compiled_once_and_nothing_is_written_beside_it(cache, dbt_project):
    folder = dbt_project({"models/a.sql": "select 1 as x", "models/b.sql": "select x from {{ ref('a') }}"})
    before, told = set(folder.rglob("*")), []
    project = compiled_project(folder, say=told.append)
    assert [node["compiled_code"] for node in project.nodes.values()] == [
        "select 1 as x",
        'select x from "intermediate"."a"',
    ]
    compiling._LOADED.clear()
    assert compiled_project(folder, say=told.append).manifest == project.manifest
    assert told == [compiling.COMPILING]
    assert set(folder.rglob("*")) == before


def test_nothing_of_the_environment_of_dbt_is_in_what_is_compiled(cache, dbt_project, monkeypatch):
    monkeypatch.setenv("DBT_EMPTY", "1")
    monkeypatch.setenv("DBT_TARGET", "nowhere")
    folder = dbt_project({"models/a.sql": "select 1 as x", "models/b.sql": "select x from {{ ref('a') }}"})
    assert compiled_project(folder, say=silent).nodes["model.plumbline.b"]["compiled_code"] == (
        'select x from "intermediate"."a"'
    )


def test_what_an_earlier_version_parsed_and_dbt_cannot_go_on_from_is_parsed_anew(dbt_project, tmp_path, monkeypatch):
    run, parsed = compiling.subprocess.run, tmp_path / "partial_parse.msgpack"

    def dbt(command, **options):  # as where a unit test's model has another name since
        target = Path(next(one for one in command if one.startswith("--target-path=")).partition("=")[2])
        if (target / parsed.name).is_file():
            return compiling.subprocess.CompletedProcess(command, 2, "depends on what is not in the graph", "")
        return run(command, **options)

    monkeypatch.setattr(compiling.subprocess, "run", dbt)
    parsed.write_bytes(b"of a version before")
    folder = dbt_project({"models/a.sql": "select 1 as x"})
    assert "model.plumbline.a" in compiling._manifest(folder, parsed)["nodes"]
    assert parsed.read_bytes() != b"of a version before"


@pytest.mark.run
def test_jinja_that_fails_is_told_in_the_words_of_dbt(cache, dbt_project):
    with pytest.raises(TransformError) as raised:
        compiled_project(dbt_project({"models/a.sql": "select {{ nobody() }}"}), say=silent)
    assert "'nobody' is undefined" in str(raised.value) and "models/a.sql" in str(raised.value)


def test_sql_that_fails_is_told_with_its_file(cache, dbt_project, refused):
    with refused(TransformError, "SQL"):
        compiled_project(dbt_project({"models/a.sql": "selekt 1"}), say=silent)


@pytest.mark.run
def test_another_dbt_than_the_project_asks_for_is_told_in_its_words(cache, dbt_project):
    folder = dbt_project({"models/a.sql": "select 1 as x"}, **{"require-dbt-version": ">=9.0.0"})
    with pytest.raises(TransformError, match="9.0.0"):
        compiled_project(folder, say=silent)


@pytest.mark.parametrize(
    "sql",
    ["select 1 as x", "select 1 as x, 'b' as y, 2 as z", "select 1.5e0 as x, 'b' as y", "select 'b' as y, 1 as z"],
    ids=["lacks one", "one too many", "another type", "another name"],
)
def test_sql_that_gives_other_columns_than_its_contract_is_refused(make_project, refused, sql):
    contract = {"contract": {"enforced": True}}
    table = node("a", sql, config=contract, columns={"x": column("integer"), "y": column("string")})
    with refused(TransformError, "model a (models/a.sql)"), compiling.empty_build_file(make_project(table)):
        pass


def test_every_setting_that_a_run_does_not_heed_is_refused(dbt_project, tmp_path, snapshot):
    """One call of dbt: each model, test, seed and source has one."""

    def model(**config):
        settings = ", ".join(f"{name}={value!r}" for name, value in config.items())
        return f"{{{{ config({settings}) }}}} select 1 as x"

    def test(**config):
        settings = ", ".join(f"{name}={value!r}" for name, value in config.items())
        return f"{{{{ config({settings}) }}}} select 1 as x where false"

    folder = dbt_project(
        {
            "models/plain.sql": "select 1 as x",
            "models/a.sql": model(contract={"enforced": True}),
            "models/incremental.sql": model(materialized="incremental"),
            "models/pre_hook.sql": model(pre_hook="select 1"),
            "models/post_hook.sql": model(post_hook="select 1"),
            "models/sql_header.sql": model(sql_header="select 1;"),
            "models/grants.sql": model(grants={"select": ["somebody"]}),
            "models/database.sql": model(database="memory"),
            "models/view.sql": model(materialized="view"),
            "models/ephemeral.sql": model(materialized="ephemeral"),
            "models/_models.yml": A_COLUMN.replace("CONSTRAINT", "{type: check, expression: 'x > 0'}")
            + "sources: [{name: raw, database: memory, schema: raw, tables: [{name: t}]}]\n",
            "tests/limit.sql": test(limit=3),
            "tests/warn_if.sql": test(warn_if=">5"),
            "tests/error_if.sql": test(error_if=">5"),
            "tests/fail_calc.sql": test(fail_calc="max(x)"),
            "tests/store_failures.sql": test(store_failures=True),
            "tests/warned.sql": test(severity="warn"),
            "seeds/s.csv": "x;y\n1;2\n",
            "seeds/typed.csv": "x\n1\n",
            "seeds/_seeds.yml": "seeds: [{name: s, config: {delimiter: ';', fast: false}},"
            " {name: typed, config: {column_types: {x: integer}}}]",
            "snapshots/kept.yml": "snapshots: [{name: kept, relation: ref('plain'),"
            " config: {unique_key: x, strategy: check, check_cols: all}}]",
            "macros/own.sql": "{% materialization table, adapter='duckdb' %}{% endmaterialization %}",
        },
        **{"on-run-start": ["select 1"], "on-run-end": ["select 2"]},
    )
    assert sorted(unsupported(compiling._manifest(folder, tmp_path / "parsed"))) == snapshot
