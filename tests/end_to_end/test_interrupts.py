"""SIGTERM and Ctrl-C end a run soon and leave no process; the next one asks only for what is missing."""

import json
import signal
import subprocess
import sys

import pytest

from tests.end_to_end.conftest import ROOT, TWO_PROMPTS, environment_of
from tests.sessions import left_of_session

STUDY = f"""
title: Stopped
{TWO_PROMPTS}
generations: [{{name: one, provider: "stops:say", replicates: 10, concurrency: 1}}]
measures: [vader]
"""
STOPS = """
import os
import signal
from pathlib import Path

N_CALLS = Path(__file__).with_name("calls")


def say(messages, decoding):
    with N_CALLS.open("a") as calls:
        calls.write("x")
    if os.environ.get("STOP_BY") and N_CALLS.stat().st_size == 5:
        os.kill(os.getpid(), getattr(signal, os.environ["STOP_BY"]))
    return "Yes."
"""


@pytest.fixture
def home(make_home):
    return make_home()


@pytest.fixture
def kept(home):
    """The answers in the log of a generation."""

    def read(generation):
        lines = (home / "responses" / "stopped" / f"{generation}.jsonl").read_text().splitlines()
        return [line for line in map(json.loads, lines) if "response_id" in line]

    return read


@pytest.fixture
def run(tmp_path, home):
    (tmp_path / "stopped.yml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "stops.py").write_text(STOPS, encoding="utf-8")

    def running(stop_by=""):
        """Run it in a session of its own: exit code, standard error and what is left of the session."""
        process = subprocess.Popen(
            [sys.executable, "-m", "python_assets.cli", "run", "stopped"],
            cwd=ROOT,
            env=environment_of(home, PLUMBLINE_STUDIES=str(tmp_path), STOP_BY=stop_by),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # a shell's background job is born deaf to SIGINT, and so would its tests be
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        _, told = process.communicate(timeout=300)  # ends when no child holds standard error any more
        return process.returncode, told, left_of_session(process.pid)

    return running


@pytest.mark.parametrize("stop_by", ["SIGINT", "SIGTERM"])
def test_a_stopped_run_leaves_no_process_and_goes_on_where_it_was(run, kept, tmp_path, stop_by):
    code, told, alive = run(stop_by)
    assert (code, alive) == (130, []), told
    assert "Traceback" not in told
    last = told.splitlines()[-1]
    assert last.startswith("Interrupted. What was answered and measured is kept: the same command")
    n_called, n_kept = (tmp_path / "calls").stat().st_size, len(kept("one"))
    assert n_called - 1 <= n_kept <= n_called < 20
    code, told, alive = run()
    assert (code, alive) == (0, []), told
    assert (tmp_path / "calls").stat().st_size == n_called + 20 - n_kept
