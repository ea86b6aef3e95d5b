"""What a user's mistakes get: one clear text on standard error, exit code 1, no traceback."""

import pytest

from tests.end_to_end.conftest import TWO_PROMPTS

BROKEN = """
title: Broken
prompts:
  templates:
    texts: [{id: "1", text: "Is a {gender} kind?"}]
    cross: [gender]
factors:
  gender: {levels: [Female, Male], reference: Other}
systems: [{name: one, provider: simulatr}]
groupings: [gendre]
"""
UNREACHABLE = f"""
title: Unreachable
{TWO_PROMPTS}
systems:
  - {{name: one, provider: ollama, model: "llama3.1:8b", base_url: "http://127.0.0.1:9", max_retries: 0}}
"""
EDITED = f"""
title: Edited
{TWO_PROMPTS}
systems: [{{name: one, provider: "edits:say"}}]
measures: [vader]
analysis: {{alpha: 0.05}}
"""
EDITS = """
from pathlib import Path


def say(messages, decoding):
    study = Path(__file__).with_name("edited.yml")
    study.write_text(study.read_text().replace("alpha: 0.05", "alpha: 0.2"))
    return "Yes."
"""


@pytest.fixture
def studies(tmp_path):
    folder = tmp_path / "studies"
    folder.mkdir()
    (folder / "broken.yml").write_text(BROKEN, encoding="utf-8")
    (folder / "unreachable.yml").write_text(UNREACHABLE, encoding="utf-8")
    return folder


def test_every_mistake_in_a_study_file_is_told_at_once(plumbline, studies, tmp_path):
    done = plumbline(tmp_path / "home", "plan", "broken", PLUMBLINE_STUDIES=str(studies))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    for field in ("factors.gender.reference", "systems[0].provider", "groupings[0]"):
        assert field in done.stderr


def test_a_run_tells_what_the_file_should_be_and_not_what_the_parser_met(plumbline, studies, warehouse_home):
    (studies / "unfinished.yml").write_text("title: x\nmeasures: [a, {b: c\n", encoding="utf-8")
    done = plumbline(warehouse_home, "run", "unfinished", PLUMBLINE_STUDIES=str(studies))
    assert done.returncode == 1
    assert "unfinished.yml:" in done.stderr
    assert "expected YAML" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_mistake_in_the_file_is_told_before_dbt_and_dagster_are_loaded(plumbline, studies, tmp_path):
    done = plumbline(tmp_path / "home", "run", "broken", PLUMBLINE_STUDIES=str(studies))
    assert done.returncode == 1
    assert "groupings[0]" in done.stderr
    assert not (tmp_path / "home" / "build").exists()  # where dbt's project is parsed, which takes 20 s


def test_a_run_that_would_fail_is_refused_before_it_starts(plumbline, studies, tmp_path):
    text = UNREACHABLE.replace("provider: ollama", "provider: openai, api_key_env: NOT_SET_HERE")
    (studies / "unready.yml").write_text(text, encoding="utf-8")
    for command in ("run", "plan"):
        done = plumbline(tmp_path / "home", command, "unready", PLUMBLINE_STUDIES=str(studies))
        assert "environment variable NOT_SET_HERE (api_key_env)" in done.stdout + done.stderr
        assert done.returncode == 1
    assert not (tmp_path / "home" / "build").exists()


def test_a_server_that_is_not_there_is_named_with_what_to_do(plumbline, studies, warehouse_home):
    done = plumbline(warehouse_home, "run", "unreachable", PLUMBLINE_STUDIES=str(studies))
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("generate: ")
    assert "127.0.0.1:9" in last
    assert "Traceback" not in done.stderr


def test_a_study_file_edited_in_the_middle_of_a_run_fails_it(plumbline, studies, make_home):
    home = make_home()
    (studies / "edited.yml").write_text(EDITED, encoding="utf-8")
    (studies / "edits.py").write_text(EDITS, encoding="utf-8")
    done = plumbline(home, "run", "edited", PLUMBLINE_STUDIES=str(studies))
    assert done.returncode == 1
    assert "label: " in done.stderr
    assert "analysis.alpha 0.05 -> 0.2" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (home / "plumbline.duckdb").exists()


def test_a_home_that_cannot_be_written_is_named(plumbline, tmp_path):
    (tmp_path / "home").write_text("a file in the way")
    done = plumbline(tmp_path, "run", "g20_demo", PLUMBLINE_HOME=str(tmp_path / "home"))
    assert done.returncode == 1
    assert "PLUMBLINE_HOME" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_new_study_can_be_planned_at_once(plumbline, tmp_path):
    (tmp_path / "studies").mkdir()
    environment = {"PLUMBLINE_STUDIES": str(tmp_path / "studies")}
    made = plumbline(tmp_path / "home", "new", "my_first", **environment)
    assert made.returncode == 0, made.stderr
    planned = plumbline(tmp_path / "home", "plan", "my_first", **environment)
    assert planned.returncode == 0, planned.stderr
    assert "root prompts" in planned.stdout
    again = plumbline(tmp_path / "home", "new", "my_first", **environment)
    assert again.returncode == 1
    assert "Traceback" not in again.stderr
