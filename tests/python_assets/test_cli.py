import os

import duckdb
import pytest

from python_assets.cli import main
from python_assets.warehouse.paths import studies_folder


@pytest.fixture
def answered(tmp_path, monkeypatch):
    """A warehouse that holds the demo as a real model answered it."""
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path))
    monkeypatch.setenv("PLUMBLINE_STUDIES", str(studies_folder()))
    with duckdb.connect(str(tmp_path / "plumbline.duckdb")) as connection:
        connection.execute("create table generations (study_id text, generation_id text)")
        connection.execute("alter table generations add column is_simulated boolean default false")
        connection.execute("alter table generations add column is_baseline boolean default false")
        connection.execute("insert into generations values ('g20_demo', 'llama', false, false)")


def test_a_simulated_run_of_a_study_that_models_answered_ends_before_it_starts(answered, capsys):
    assert main(["run", "g20_demo", "--provider", "simulator"]) == 1
    assert "as real models answered it ('llama')" in capsys.readouterr().err
    assert "PLUMBLINE_PROVIDER" not in os.environ


def test_no_other_provider_can_stand_in(capsys):
    with pytest.raises(SystemExit):
        main(["run", "g20_demo", "--provider", "ollama"])
    assert "invalid choice: 'ollama'" in capsys.readouterr().err
