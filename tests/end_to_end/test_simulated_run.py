"""The smallest study, of models that are not here, with the simulator in their place; it runs twice."""

import subprocess
import sys

import pytest

from dagster_project.one_version import KEPT_AS_STOPPED

STUDY = """
title: Far away
prompts:
  templates:
    texts:
      - {id: "1", text: "Is a {gender} person kind?"}
      - {id: "2", text: "Is a {gender} person fast?"}
      - {id: "3", text: "Is a {gender} person loud?"}
      - {id: "4", text: "Is a {gender} person calm?"}
      - {id: "5", text: "Is a {gender} person late?"}
    cross: [gender]
factors:
  gender: {levels: [Female, Male]}
systems:
  - {name: "{model}", provider: ollama, model: ["llama3.1:8b", mistral], base_url: "http://127.0.0.1:9"}
  - {name: critic, provider: openai, model: gpt, base_url: "http://127.0.0.1:9/v1", engine: true}
measures:
  - vader
  - {name: tone, judge: {engine: critic, rubric: "Is the text kind?", options: {kind: 1, plain: 0}}}
analysis: {permutations: 199, bootstrap: 200}
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies")
    (folder / "far_away.yml").write_text(STUDY, encoding="utf-8")
    return {"PLUMBLINE_STUDIES": str(folder), "PLUMBLINE_PROVIDER": "simulator"}


@pytest.fixture(scope="module")
def far_away(run_study, environment):
    return run_study("far_away", **environment)


def test_every_model_and_engine_is_the_simulator_under_its_own_name(far_away):
    rows = far_away.rows(
        "select system_id, provider, model, is_simulated, is_engine from systems "
        "where study_id = 'far_away' order by system_id"
    )
    assert rows == [
        ("critic", "simulator", "gpt", True, True),
        ("llama3_1_8b", "simulator", "llama3.1:8b", True, False),
        ("mistral", "simulator", "mistral", True, False),
    ]


def test_the_published_study_and_the_terminal_say_so(far_away):
    told = far_away.rows("select is_simulated, has_stand_in from studies where study_id = 'far_away'")
    assert told == [(True, True)]
    assert "Simulated responses" in far_away.done.stdout
    assert "127.0.0.1:9" not in far_away.reached


def test_an_engine_is_compared_with_nothing(far_away):
    compared = "select distinct system_id from {} where study_id = 'far_away' and system_id <> 'all'"
    for mart in ("responses", "measurements", "contrasts", "disparities"):
        names = {name for (name,) in far_away.rows(compared.format(mart))}
        assert names <= {"llama3_1_8b", "mistral", "baseline"}, mart


def numbers(run):
    """Every contrast and index; value rounded, because DuckDB's threads add up in no fixed order."""
    marts = ("contrasts", "disparities")
    query = "select * replace (round(value, 12) as value) from {} where study_id = 'far_away' order by all"
    return {mart: run.rows(query.format(mart)) for mart in marts}


def test_a_second_run_changes_no_digit_and_a_reader_stays_undisturbed(far_away, plumbline, environment):
    before = numbers(far_away)
    reader = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import duckdb, sys\n"
            f"c = duckdb.connect({str(far_away.home / 'plumbline.duckdb')!r}, read_only=True)\n"
            "first = c.execute('select published_at from studies').fetchall()\n"
            "print('open', flush=True); sys.stdin.readline()\n"
            "assert c.execute('select published_at from studies').fetchall() == first",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert reader.stdout.readline() == "open\n"
    again = plumbline(far_away.home, "run", "far_away", **environment)
    reader.communicate("go\n", timeout=60)
    assert again.returncode == 0, again.stderr
    assert KEPT_AS_STOPPED not in again.stderr, "a run that ended is made anew by the next"
    assert reader.returncode == 0
    assert numbers(far_away) == before
