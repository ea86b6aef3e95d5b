import os
import subprocess
import sys

import duckdb
import pytest

from python_assets.cli import main
from python_assets.warehouse.build import Home
from python_assets.warehouse.paths import PROJECT, studies_folder
from tests.python_assets.kept_runs import ANSWERS, archived

# each takes a plan longer than what it does with it; what needs one imports it where it is used
HEAVY = {"nltk", "sklearn", "scipy", "statsmodels", "torch", "transformers", "bs4", "plotly", "openpyxl"}
HEAVY |= {"dagster", "dbt", "great_expectations", "matplotlib"}
PLAN = f"""
import sys
from python_assets.cli import main
assert main(["plan", "g20_demo"]) == 0
print(*sorted({HEAVY} & set(sys.modules)), file=sys.stderr)
"""


@pytest.fixture
def answered(tmp_path, monkeypatch):
    """A warehouse that holds the demo as a real model answered it."""
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    monkeypatch.setenv("PLUMBLINE_STUDIES", str(studies_folder()))
    with duckdb.connect(str(tmp_path / "plumbline.duckdb")) as connection:
        connection.execute("create table systems (study_id text, system_id text)")
        connection.execute("alter table systems add column is_simulated boolean default false")
        connection.execute("alter table systems add column is_baseline boolean default false")
        connection.execute("insert into systems values ('g20_demo', 'llama', false, false)")


def test_a_simulated_run_of_a_study_that_models_answered_ends_before_it_starts(answered, capsys):
    assert main(["run", "g20_demo", "--provider", "simulator"]) == 1
    assert "real models answered it ('llama')" in capsys.readouterr().err
    assert "PLUMBLINE_PROVIDER" not in os.environ


def test_no_other_provider_can_stand_in(capsys):
    with pytest.raises(SystemExit):
        main(["run", "g20_demo", "--provider", "ollama"])
    assert "invalid choice: 'ollama'" in capsys.readouterr().err


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A warehouse with two kept runs of a study that declares no margin."""
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    for run, at in (("october", "2026-10-01"), ("november", "2026-11-01")):
        archived(Home(tmp_path), run, ANSWERS, at=at)


def test_a_gate_against_an_unknown_run_is_a_mistake_and_no_finding(kept, capsys):
    assert main(["gate", "months", "--against", "octobre"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("the kept runs of months: ") and "got 'octobre'" in error
    assert error.endswith("did you mean october?\n")


def test_a_gate_without_a_margin_ends_before_anything_runs(kept, capsys, tmp_path):
    assert main(["gate", "months", "--against", "october"]) == 2
    assert "analysis.margins: got nothing" in capsys.readouterr().err
    assert os.environ["PLUMBLINE_HOME"] == str(tmp_path)
    assert [path.name for path in (tmp_path / "build").iterdir()] == ["dbt"]


def test_a_plan_imports_nothing_heavy(tmp_path):
    environment = os.environ | {"PLUMBLINE_HOME": str(tmp_path), "PLUMBLINE_STUDIES": str(studies_folder())}
    done = subprocess.run(
        [sys.executable, "-c", PLAN], capture_output=True, text=True, check=False, cwd=PROJECT, env=environment
    )
    assert done.stdout.startswith("Study g20_demo: valid.")
    assert done.stderr == "\n"
