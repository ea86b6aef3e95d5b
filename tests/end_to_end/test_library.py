"""The package as it is installed: a wheel, unpacked outside the checkout, in which the notebook of docs is run."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.conftest import ROOT

IN_THE_WHEEL = ("dagster_project", "dbt_models", "expectations", "plumbline", "python_assets", "studies")
IMPORTED = """
import sys
import time

started = time.process_time()
import plumbline
print(time.process_time() - started, *sorted({"pandas", "duckdb", "pydantic", "dagster", "yaml"} & sys.modules.keys()))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Where the wheel's packages lie."""
    source, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    for name in IN_THE_WHEEL:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", source, source]
    built = subprocess.run(build, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    (wheel,) = source.glob("*.whl")
    shutil.unpack_archive(wheel, folder, "zip")
    return folder


@pytest.fixture(scope="module")
def outside(installed, tmp_path_factory):
    """Runs Python in an empty folder, where the wheel's packages are found and the checkout is not."""
    folder = tmp_path_factory.mktemp("outside")
    names = ("PLUMBLINE_HOME", "PLUMBLINE_STUDIES", "DAGSTER_HOME")
    environment = {name: value for name, value in os.environ.items() if name not in names}

    def run(*arguments):
        command = [sys.executable, *arguments]
        at = {**environment, "PYTHONPATH": str(installed)}
        done = subprocess.run(command, cwd=folder, env=at, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run.folder = folder
    return run


def files_of(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}


def test_the_wheel_has_every_file_of_the_checkout(installed):
    for name in IN_THE_WHEEL:
        assert files_of(ROOT / name) == files_of(installed / name)


def test_its_import_is_light(outside):
    seconds, *heavy = outside("-c", IMPORTED).split()
    assert heavy == []
    assert float(seconds) < 1


def test_an_installed_package_has_its_studies_and_keeps_what_it_makes_where_it_stands(outside):
    assert "hiring" in outside("-m", "python_assets.cli", "benchmarks")
    assert outside("-m", "python_assets.cli", "new", "mine")
    assert (outside.folder / "studies" / "mine.yml").is_file()
    assert "Study mine: valid" in outside("-m", "python_assets.cli", "plan", "mine")


def test_the_notebook_runs_and_finds_what_it_put_in(outside):
    cells = json.loads((ROOT / "docs" / "library.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    after = [
        "print(repr((results.findings.verdict[0], str(plumbline.__file__))))",
        "print(sorted(results.differences))",
    ]
    verdict, columns = outside("-c", "\n".join([*code, *after])).splitlines()[-2:]
    assert verdict.startswith("('beyond_margin'")
    assert str(Path(outside.folder)) not in verdict
    assert "q_value" in columns
    assert (outside.folder / "checks" / "studies" / "check.yml").is_file()
