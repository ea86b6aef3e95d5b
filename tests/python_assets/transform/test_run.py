"""Compiled SQL on a build file: what is made, what fails, and what stands after it."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import pytest

from python_assets.errors import TransformError
from python_assets.transform import run
from python_assets.transform.run import StepResult, run_steps
from python_assets.warehouse.build import open_build
from python_assets.warehouse.progress import SILENT
from tests.heard import Heard
from tests.python_assets.transform.conftest import column, node

ROOT = Path(__file__).parents[3]
CONTRACT = {"contract": {"enforced": True}, "persist_docs": {"relation": True, "columns": True}}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "build" / "one.duckdb"


@pytest.fixture
def connection(path):
    with open_build(path) as connection:
        yield connection


def rows(connection, table):
    return connection.execute(f"from marts.{table} order by all").fetchall()


def test_tables_are_made_in_the_order_of_what_they_read(connection, make_project):
    project = make_project(node("c", "select x + 1 as x from marts.b"), node("b", "select x + 1 as x from marts.a"),
        node("a", "select 1 as x"))  # fmt: skip
    results = run_steps(connection, project, project.steps, SILENT)
    assert [result.unique_id.split(".")[-1] for result in results] == ["a", "b", "c"]
    assert rows(connection, "c") == [(3,)]


def test_a_contract_declares_types_not_null_and_comments_and_is_filled_by_name(connection, make_project):
    columns = {"x": column("bigint", filled=True, description="It's x."), "y": column("string")}
    table = node("a", "select 'text' as y, 1 as x", config=CONTRACT, columns=columns, description="One row.")
    project = make_project(table)
    run_steps(connection, project, project.steps, SILENT)
    assert rows(connection, "a") == [(1, "text")]
    declared = "select column_name, data_type, is_nullable, comment from duckdb_columns() where table_name = 'a'"
    assert connection.execute(declared).fetchall() == [("x", "BIGINT", False, "It's x."), ("y", "VARCHAR", True, None)]
    assert connection.execute("select comment from duckdb_tables() where table_name = 'a'").fetchall() == [
        ("One row.",)
    ]


def test_a_null_in_a_column_that_has_none_is_told_with_the_file_and_what_was_there_stays(
    connection, make_project, refused
):
    connection.execute("create table marts.a as select 7 as x")
    project = make_project(
        node("a", "select cast(null as integer) as x", config=CONTRACT, columns={"x": column("integer", filled=True)})
    )
    with refused(TransformError, "SQL"):
        run_steps(connection, project, project.steps, SILENT)
    assert rows(connection, "a") == [(7,)]


def test_a_table_takes_the_place_of_a_view_and_a_view_that_of_a_table(connection, make_project):
    connection.execute("create view marts.a as select 1 as old; create table marts.b as select 1 as old")
    project = make_project(node("a", "select 2 as x"), node("b", "select 3 as x", config={"materialized": "view"}))
    run_steps(connection, project, project.steps, SILENT)
    assert rows(connection, "a") == [(2,)] and rows(connection, "b") == [(3,)]
    assert connection.execute("select view_name from duckdb_views() where schema_name = 'marts'").fetchall() == [("b",)]


def test_a_seed_has_the_types_of_the_project_and_its_empty_fields_are_null(connection, make_project, tmp_path):
    (tmp_path / "s.csv").write_text('name,n,told\na,1,"x, y"\nb,,""\n')
    types = {"name": "string", "n": "integer", "told": "string"}
    seed = node("s", kind="seed", original_file_path="s.csv", config={"materialized": "seed", "column_types": types})
    project = make_project(seed)
    run_steps(connection, project, project.steps, SILENT)
    assert rows(connection, "s") == [("a", 1, "x, y"), ("b", None, None)]


def test_a_model_in_python_is_imported_from_the_project(connection, make_project, tmp_path):
    (tmp_path / "p.py").write_text(
        "def model(dbt, session):\n"
        "    dbt.config(materialized='table')\n"
        "    return dbt.ref('a').project('x + 1 as x')\n"
    )
    model = node("p", "marts.a", language="python", original_file_path="p.py")
    project = make_project(node("a", "select 1 as x"), model)
    run_steps(connection, project, project.steps, SILENT)
    assert rows(connection, "p") == [(2,)]


def test_a_model_in_python_that_fails_keeps_its_error_and_is_named_and_one_that_was_edited_runs_as_it_is(
    connection, make_project, tmp_path
):
    model = node("p", language="python", original_file_path="p.py")
    project = make_project(model)
    (tmp_path / "p.py").write_text("def model(dbt, session):\n    raise TimeoutError('late')\n")
    with pytest.raises(TimeoutError) as raised:
        run_steps(connection, project, project.steps, SILENT)
    assert raised.value.__notes__ == ["in model p (p.py)"]
    (tmp_path / "p.py").write_text("def model(dbt, session):\n    return session.sql('select 12345 as x')\n")
    run_steps(connection, project, project.steps, SILENT)
    assert rows(connection, "p") == [(12345,)]


def test_sql_that_fails_is_told_with_its_file_and_what_reads_it_is_left_out(connection, make_project, refused):
    connection.execute("create table marts.b as select 7 as x")
    project = make_project(node("a", "select nobody"), node("e", "marts.a", config={"materialized": "ephemeral"}),
        node("b", "from marts.e"), node("c", "select 1 as x"))  # fmt: skip
    with refused(TransformError, "SQL"):
        run_steps(connection, project, project.steps, SILENT)
    assert rows(connection, "b") == [(7,)] and rows(connection, "c") == [(1,)]


def unique(name, table):
    sql = f"select x, count(*) as n from marts.{table} group by x having count(*) > 1"
    metadata = {"name": "unique_key", "kwargs": {"columns": ["x"]}}
    return node(
        name, sql, "test", test_metadata=metadata, attached_node=f"model.plumbline.{table}", original_file_path="a.yml"
    )


@pytest.mark.parametrize("hides_texts", [False, True])
def test_a_test_that_fails_is_told_with_its_first_rows_by_key(connection, make_project, refused, hides_texts):
    project = make_project(
        node("a", "select unnest(['d', 'd', 'c', 'c', 'b', 'b', 'a', 'a', 'alone']) as x"), unique("a_is_unique", "a"),
        node("b", "from marts.a"),
    )  # fmt: skip
    with refused(TransformError, "SQL"):
        run_steps(connection, project, project.steps, SILENT, hides_texts=hides_texts)
    with pytest.raises(duckdb.CatalogException):
        rows(connection, "b")


def test_a_test_of_severity_warn_is_recorded_and_stops_nothing(connection, make_project):
    test = node("few", "from marts.a where x > 1", "test", config={"severity": "warn"})
    project = make_project(node("a", "select unnest([1, 2, 3]) as x"), test, node("b", "from marts.a"))
    results = run_steps(connection, project, project.steps, SILENT)
    assert StepResult("test.plumbline.few", "warn", 2) in results
    assert len(rows(connection, "b")) == 3


def test_tests_of_the_code_are_not_run(make_project):
    project = make_project(node("a", "select 1 as x"), unique("a_is_unique", "a") | {"tags": ["grain"]})
    assert project.steps == ["model.plumbline.a"]


def test_tests_of_tables_that_are_made_one_after_the_other_run_with_the_last(make_project):
    project = make_project(
        node("a", "select 1"), node("b", "select 1"), node("of_both", "from marts.a, marts.b", "test")
    )
    first, second = "model.plumbline.a", "model.plumbline.b"
    assert project.steps_of([first]) == [first]
    assert project.steps_of([second], made=[first]) == [second, "test.plumbline.of_both"]


def test_the_steps_of_some_tables_have_the_tests_that_read_no_table_besides(make_project):
    project = make_project(
        node("a", "select 1"), node("b", "from marts.a"), node("c", "from marts.b"), node("d", "select 1"),
        node("of_b", "from marts.b, marts.a", "test"), node("of_d", "from marts.b, marts.d", "test"),
        node("of_a", "from marts.a", "test"),
    )  # fmt: skip
    assert project.steps_of(["model.plumbline.b"]) == ["model.plumbline.b", "test.plumbline.of_b"]


@pytest.fixture
def interruptible():
    """What a shell starts in the background ignores SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_signal_stops_a_long_statement_and_the_file_goes_on(path, make_project, monkeypatch, interruptible):
    long = "select sum(a.range * b.range % 7) as x from range(300000) as a, range(300000) as b"
    project = make_project(node("a", "select 1 as x"), node("long", long), node("c", "select 1 as x"))
    monkeypatch.setattr(run, "_SECONDS_BETWEEN_LOOKS", 0.05)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with open_build(path) as connection, pytest.raises(KeyboardInterrupt):
        run_steps(connection, project, project.steps, SILENT)
    with open_build(path) as connection:
        assert rows(connection, "a") == [(1,)]
        with pytest.raises(duckdb.CatalogException):
            rows(connection, "long")
        project = make_project(node("a", "select 2 as x"), node("long", "select 3 as x"))
        run_steps(connection, project, project.steps, SILENT)
        assert rows(connection, "a") == [(2,)] and rows(connection, "long") == [(3,)]


def test_a_long_statement_tells_how_far_it_is(connection, make_project, monkeypatch, tmp_path):
    (tmp_path / "p.py").write_text(
        "import time\ndef model(dbt, session):\n    time.sleep(.1)\n    return session.sql('select 1 as x')\n"
    )
    monkeypatch.setattr(run, "_SECONDS_BETWEEN_LOOKS", 0.01)
    monkeypatch.setattr(run, "_SECONDS_OF_A_LONG_STATEMENT", 0.02)
    heard = Heard()
    project = make_project(node("slow", language="python", original_file_path="p.py"), node("a", "select 1 as x"))
    run_steps(connection, project, project.steps, heard)
    assert {(what, unit, total) for what, unit, _, total in heard.counts} == {
        ("SQL", "tables", 2),
        ("slow", "percent", 100),
    }


def test_rows_keep_their_order_again_after_a_run(connection, make_project):
    run_steps(connection, project := make_project(node("a", "select 1 as x")), project.steps, SILENT)
    settings = (
        "select name, value from duckdb_settings() where name in ('preserve_insertion_order', 'enable_progress_bar')"
    )
    assert dict(connection.execute(settings).fetchall()) == {
        "preserve_insertion_order": "true",
        "enable_progress_bar": "false",
    }


KILLED = """
import json, sys
from pathlib import Path
from python_assets.transform.project import Project
from python_assets.transform.run import run_steps
from python_assets.warehouse.build import open_build
from python_assets.warehouse.progress import SILENT
folder = Path(sys.argv[1])
project = Project(folder, json.loads((folder / "manifest.json").read_text()))
with open_build(folder / "build" / "one.duckdb") as connection:
    run_steps(connection, project, project.steps, SILENT)
"""


def test_what_a_killed_run_had_made_is_there_whole_and_the_next_run_goes_on(path, make_project, tmp_path):
    (tmp_path / "p.py").write_text(
        "import os, signal\nfrom pathlib import Path\n\n"
        "def model(dbt, session):\n"
        "    if not Path(__file__).with_name('again').exists():\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return session.sql('select 3 as x')\n"
    )
    model = node("p", "marts.a", language="python", original_file_path="p.py")
    project = make_project(node("a", "select 1 as x"), model, node("c", "from marts.p"))
    (tmp_path / "manifest.json").write_text(json.dumps(project.manifest))
    with open_build(path) as connection:
        connection.execute("create table marts.p as select 7 as x; create table marts.c as select 8 as x")
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    assert subprocess.run(command, cwd=ROOT).returncode == -signal.SIGKILL
    with open_build(path) as connection:
        assert [rows(connection, name) for name in "apc"] == [[(1,)], [(7,)], [(8,)]]
    (tmp_path / "again").touch()
    assert subprocess.run(command, cwd=ROOT).returncode == 0
    with open_build(path) as connection:
        assert [rows(connection, name) for name in "apc"] == [[(1,)], [(3,)], [(3,)]]
