import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import duckdb
import pytest

ROOT = Path(__file__).resolve().parents[2]


class Run(NamedTuple):
    study_id: str
    home: Path
    done: subprocess.CompletedProcess
    reached: str

    def rows(self, query, *parameters):
        with duckdb.connect(str(self.home / "plumbline.duckdb"), read_only=True) as connection:
            return connection.execute(query, parameters).fetchall()

    def value(self, query, *parameters):
        return self.rows(query, *parameters)[0][0]


def _command(home, *arguments, **environment):
    """One call of the command line on a warehouse of its own, with every address it asks for written down."""
    return subprocess.run(
        [sys.executable, "-m", "python_assets.cli", *arguments],
        cwd=ROOT,
        env={
            **os.environ,
            "PLUMBLINE_HOME": str(home),
            "DAGSTER_HOME": str(home / "dagster"),
            "PLUMBLINE_SOCKET_LOG": str(home / "reached.log"),
            "PYTHONPATH": f"{Path(__file__).parent / 'socket_watch'}{os.pathsep}{ROOT}",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def warehouse_home(tmp_path_factory):
    return tmp_path_factory.mktemp("warehouse")


@pytest.fixture(scope="session")
def run_study(warehouse_home):
    """Run a study once a session; all of them publish into one warehouse."""
    runs = {}

    def run(study_id, **environment):
        if study_id not in runs:
            done = _command(warehouse_home, "run", study_id, **environment)
            log = warehouse_home / "reached.log"
            reached = log.read_text(encoding="utf-8") if log.exists() else ""
            runs[study_id] = Run(study_id, warehouse_home, done, reached)
        assert runs[study_id].done.returncode == 0, runs[study_id].done.stderr
        return runs[study_id]

    return run


@pytest.fixture(scope="session")
def demo(run_study):
    return run_study("g20_demo")


@pytest.fixture(scope="session")
def plumbline():
    return _command
