"""Runs that are killed, interrupted or terminated: the same command goes on, and ends as if there had been none.

kill -9 in each third of the time of a run; SIGINT and SIGTERM at its calls, in dbt and in inference.
"""

import json
import signal
import subprocess
import sys
from threading import Timer

import pytest

from bench.bench_kills import STUDY_ID, faults, points_of, published, run
from dagster_project.one_version import KEPT_AS_STOPPED
from tests.end_to_end.conftest import ROOT, WITHIN_SECONDS, environment_of
from tests.sessions import left_of_session

N_POINTS = 3
SEED = 29
# answers of a function, so that the run is at them for a while, and enough draws that inference is met at its work
STUDY = """
title: Killed
prompts:
  templates:
    texts:
      - {id: a, text: "Describe the {gender} neighbour."}
      - {id: b, text: "Describe the {gender} teacher."}
      - {id: c, text: "Describe the {gender} nurse."}
      - {id: d, text: "Describe the {gender} cook."}
      - {id: e, text: "Describe the {gender} driver."}
      - {id: f, text: "Describe the {gender} lawyer."}
      - {id: g, text: "Describe the {gender} farmer."}
    cross: [gender]
factors:
  gender: {levels: [female, male, other]}
systems:
  - {name: one, provider: simulator, replicates: 6}
  - {name: two, provider: "slow:say", replicates: 6, concurrency: 1}
measures: [vader]
analysis: {permutations: 200000}
"""
N_ASKED = 7 * 3 * 6
SLOW = """
import os
import signal
import time
from pathlib import Path

CALLS = os.environ.get("CALLS")


def say(messages, decoding):
    time.sleep(0.02)
    if CALLS:
        with open(CALLS, "a") as calls:
            calls.write("x")
        if os.environ.get("STOP_BY") and Path(CALLS).stat().st_size == 5:
            os.kill(os.getpid(), getattr(signal, os.environ["STOP_BY"]))
    return f"A good answer to: {messages[-1]['content']}"
"""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A run that nobody disturbs, the folder of its study, and its warehouse."""
    folder = tmp_path_factory.mktemp("killed")
    (folder / f"{STUDY_ID}.yml").write_text(STUDY, encoding="utf-8")
    (folder / "slow.py").write_text(SLOW, encoding="utf-8")
    whole = run(folder / "whole", folder)
    assert whole.code == 0, whole.told
    return whole, folder


@pytest.mark.parametrize("number", range(N_POINTS))
def test_a_run_that_is_killed_ends_as_one_that_is_not(undisturbed, tmp_path, number):
    whole, studies = undisturbed
    point = [*points_of(whole, N_POINTS, SEED)][number]
    run(tmp_path / "home", studies, point)
    ended = run(tmp_path / "home", studies)
    assert ended.code == 0, ended.told
    assert faults(tmp_path / "home", studies / "whole", studies) == []


@pytest.fixture
def stopped(undisturbed, tmp_path):
    """Run the study in a session of its own, of which nothing may be left: exit code, and what was told by line."""
    _, studies = undisturbed

    def running(stop_at=None, stop_by=signal.SIGTERM, **environment):
        process = subprocess.Popen(
            [sys.executable, "-m", "python_assets.cli", "run", STUDY_ID],
            cwd=ROOT,
            env=environment_of(tmp_path / "home", PLUMBLINE_STUDIES=str(studies), **environment),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # a shell's background job is born deaf to SIGINT, and so would its tests be
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        told, too_late = [], Timer(WITHIN_SECONDS, process.kill)
        too_late.start()
        with process:  # ends when no child holds standard error any more
            for line in process.stderr:
                told.append(line.rstrip("\n"))
                if stop_at and told[-1].endswith(f"  {stop_at}"):
                    process.send_signal(stop_by)
        too_late.cancel()
        assert left_of_session(process.pid) == []
        assert "Traceback" not in "\n".join(told)
        if process.returncode:
            assert told[-1].startswith("Interrupted. What was answered and measured is kept: the same command")
        return process.returncode, told

    return running


def kept_stages(told):
    """The stages whose first line says that they stand."""
    return [told[at - 1].split()[-1] for at, line in enumerate(told) if line.strip() == KEPT_AS_STOPPED]


def test_a_run_that_is_stopped_again_and_again_asks_for_what_is_missing_and_ends_as_one_that_is_not(
    undisturbed, stopped, tmp_path
):
    _, studies = undisturbed
    log, calls = tmp_path / "home" / "responses" / STUDY_ID / "two.jsonl", tmp_path / "calls"

    def n_kept():
        return sum("response_id" in json.loads(line) for line in log.read_text(encoding="utf-8").splitlines())

    before = 0
    for stop_by in ("SIGINT", "SIGTERM"):
        code, told = stopped(CALLS=str(calls), STOP_BY=stop_by)
        assert code == 130, told
        n_significant, kept = calls.stat().st_size, n_kept() - before
        assert n_significant - 1 <= kept <= n_significant < N_ASKED - before
        before += kept
        calls.unlink()
    code, told = stopped("dbt_before_inference", CALLS=str(calls))
    assert code == 130
    assert calls.stat().st_size == N_ASKED - before
    assert n_kept() == N_ASKED
    code, told = stopped("infer", signal.SIGINT)
    assert (code, kept_stages(told)) == (130, ["extract"])
    code, told = stopped()
    assert (code, kept_stages(told)) == (0, ["extract", "dbt_before_inference"])
    assert published(tmp_path / "home") == published(studies / "whole")
