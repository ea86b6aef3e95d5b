import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

import duckdb
import httpx
import pytest
from filelock import FileLock

from bench.check_one_truth import check
from python_assets.importers.formats import read_import
from python_assets.library.in_memory import fill_raw_tables, run_in_memory
from python_assets.study_file.load import load_study
from python_assets.transform.compile import compiled_project
from python_assets.warehouse.build import open_memory
from python_assets.warehouse.progress import SILENT

ROOT = Path(__file__).resolve().parents[2]
WITHIN_SECONDS = 600  # on cores that others use, too
TWO_PROMPTS = """
prompts:
  templates:
    texts: [{id: "1", text: "Is a {gender} kind?"}]
    cross: [gender]
factors:
  gender: {levels: [Female, Male]}
"""


def open_warehouse(home):
    """A connection to what is published; for many queries one, since opening the file takes longer than most."""
    return duckdb.connect(str(home / "plumbline.duckdb"), read_only=True)


def contradictions(connection, **files):
    """By what was compared, where published tables or files of them contradict each other."""
    return {one.name: [*one.contradictions] for one in check(connection, **files) if one.contradictions}


def contradictions_of(home, **files):
    """Contradictions of a warehouse with its reports."""
    with open_warehouse(home) as connection:
        return contradictions(connection, pages=sorted((home / "report").glob("*.html")), **files)


class Run(NamedTuple):
    study_id: str
    home: Path
    done: subprocess.CompletedProcess
    reached: str

    def rows(self, query, *parameters):
        with open_warehouse(self.home) as connection:
            return connection.execute(query, parameters).fetchall()

    def value(self, query, *parameters):
        return self.rows(query, *parameters)[0][0]


class InMemory(NamedTuple):
    """The tables of a study of an import, made in this process as a run makes them (test_check.py)."""

    connection: duckdb.DuckDBPyConnection

    def rows(self, query, *parameters):
        return self.connection.execute(query, parameters).fetchall()

    def value(self, query, *parameters):
        return self.rows(query, *parameters)[0][0]


def in_memory(path):
    """Run a study of an import without a process, stages and files of its own."""
    study = load_study(path)
    results = run_in_memory(study, read_import(study), SILENT)
    results.make()
    return InMemory(results._connection)


def answers_of(path):
    """The raw tables of an import up to its answers, under the ids that a run gives them."""
    study, connection = load_study(path), open_memory()
    next(fill_raw_tables(connection, study, read_import(study)))
    return InMemory(connection)


def environment_of(home, **environment):
    """The environment of a process with a warehouse of its own."""
    places = {"PLUMBLINE_HOME": str(home), "DAGSTER_HOME": str(home / "dagster")}
    return {**os.environ, "PYTHONPATH": str(ROOT), **places, **environment}


def call_plumbline(home, *arguments, **environment):
    """One call of the command line on a warehouse of its own, with every address it asks for written down."""
    return subprocess.run(
        [sys.executable, "-m", "python_assets.cli", *arguments],
        cwd=ROOT,
        env=environment_of(
            home,
            PLUMBLINE_SOCKET_LOG=str(home / "reached.log"),
            PYTHONPATH=f"{Path(__file__).parent / 'socket_watch'}{os.pathsep}{ROOT}",
        )
        | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def _run(home, study_id, **environment):
    done = call_plumbline(home, "run", study_id, **environment)
    assert done.returncode == 0, done.stderr
    log = home / "reached.log"
    return Run(study_id, home, done, log.read_text(encoding="utf-8") if log.exists() else "")


@pytest.fixture(scope="session")
def run_once(tmp_path_factory, worker_id):
    """Run a packaged study in a warehouse of its own, once for all workers, who read it."""
    own = tmp_path_factory.getbasetemp()
    place = own if worker_id == "master" else own.parent

    def run(study_id, **environment):
        home = place / f"once_{study_id}"
        ended = home.with_suffix(".pickle")
        with FileLock(home.with_suffix(".lock")):
            if not ended.exists():
                ended.write_bytes(pickle.dumps(_run(home, study_id, **environment)))
        return pickle.loads(ended.read_bytes())

    return run


@pytest.fixture(scope="session")
def make_home(tmp_path_factory):
    """Make a warehouse; the SQL of this version is compiled."""

    def make():
        compiled_project()
        return tmp_path_factory.mktemp("warehouse")

    return make


@pytest.fixture
def ui(tmp_path, make_home):
    """A running UI without any study: its process, a client of it and its warehouse."""
    home = make_home()
    process = subprocess.Popen(
        [sys.executable, "-m", "python_assets.cli", "ui", "--port", "0"],
        cwd=ROOT,
        env=environment_of(home, PLUMBLINE_STUDIES=str(tmp_path)),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    address = process.stdout.readline().split()[2]
    with httpx.Client(base_url=address, timeout=WITHIN_SECONDS) as client:
        yield process, client, home
    if process.poll() is None:
        process.terminate()  # killed, it would leave the servers that it started, which have sessions of their own
        process.communicate(timeout=WITHIN_SECONDS)


@pytest.fixture(scope="session")
def warehouse_home(make_home):
    return make_home()


@pytest.fixture(scope="session")
def run_study(warehouse_home):
    """Run a study; all of one worker publish into one warehouse."""
    return partial(_run, warehouse_home)


@pytest.fixture(scope="session")
def demo(run_once):
    """A newcomer's first run: nothing is there yet."""
    return run_once("g20_demo")


@pytest.fixture(scope="session")
def with_few_draws(tmp_path_factory):
    """The folder of packaged studies, in which a study draws as little as a test of its values and calls needs."""

    def of(study_id):
        folder = tmp_path_factory.mktemp("few_draws") / "studies"
        shutil.copytree(ROOT / "studies", folder)
        path = folder / f"{study_id}.yml"
        draws, text = "analysis:\n  permutations: 1999\n  bootstrap: 200", path.read_text(encoding="utf-8")
        text, n = re.subn("^analysis:$", draws, text, flags=re.M)
        path.write_text(text if n else f"{text}\n{draws}\n", encoding="utf-8")
        return str(folder)

    return of


@pytest.fixture(scope="session")
def plumbline():
    return call_plumbline


@pytest.fixture(scope="session")
def fair_sea(run_once, with_few_draws, data_folder):
    """The answers of three models to FAIR-SEA."""
    studies = with_few_draws("fair_sea_responses")
    return run_once("fair_sea_responses", PLUMBLINE_DATA=str(data_folder), PLUMBLINE_STUDIES=studies)


@pytest.fixture(scope="session")
def reference(data_folder):
    """FAIR-SEA's numbers of these answers, by programs of their own."""
    return json.loads((data_folder / "reference.json").read_text(encoding="utf-8"))["fairsea"]
