"""A build file that dbt is called on by hand: absent, in use, or none at all."""

import subprocess
import sys

import pytest
from dbt.adapters.duckdb.credentials import DuckDBCredentials
from dbt_common.exceptions import DbtRuntimeError

from python_assets.transform.needs_build_file import Plugin

HOLDS = "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"


@pytest.fixture
def problem():
    """What dbt is told of a file; "" where it may go on."""

    def of(path):
        try:
            Plugin("needs_build_file", {}, DuckDBCredentials(path=str(path), schema="intermediate"))
        except DbtRuntimeError as error:
            return error.msg
        return ""

    return of


def test_a_build_file_that_is_absent_is_not_made(problem, tmp_path):
    assert "plumbline run STUDY" in problem(tmp_path / "absent.duckdb")
    assert list(tmp_path.iterdir()) == []
    assert problem(":memory:") == ""


def test_a_build_file_in_use_is_told_with_the_process_and_free_again_it_may_be_used(problem, tmp_path, snapshot):
    path = tmp_path / "one.duckdb"
    called = [sys.executable, "-c", HOLDS, str(path)]
    with subprocess.Popen(called, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holds:
        assert holds.stdout.readline() == "open\n"
        told = problem(path)
        holds.stdin.close()
    assert f"PID {holds.pid}" in told and "\n" not in told
    assert told.rpartition("; ")[2] == snapshot
    assert problem(path) == ""


def test_a_file_that_is_no_build_file_is_not_told_to_be_in_use(problem, tmp_path):
    (tmp_path / "notes.duckdb").write_text("notes")
    assert "not a valid DuckDB database" in problem(tmp_path / "notes.duckdb")
