"""A run that is stopped in dbt or in inference goes on there, and ends with what an unbroken run has."""

import signal
import subprocess
import sys

import pytest

from bench.bench_kills import published
from tests.end_to_end.conftest import ROOT, environment_of
from tests.sessions import left_of_session

# enough draws that inference can be met at its work
STUDY = """
title: Going on
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
generations: [{name: one, provider: simulator, replicates: 6}, {name: two, provider: simulator, replicates: 6}]
measures: [vader]
analysis: {permutations: 200000}
"""
KEPT = "as the run that was stopped left it"


@pytest.fixture
def run(tmp_path):
    (tmp_path / "going.yml").write_text(STUDY, encoding="utf-8")

    def running(home, stop_at=None, stop_by=signal.SIGTERM):
        """Run it; what was told on standard error by stage, and its exit code."""
        process = subprocess.Popen(
            [sys.executable, "-m", "python_assets.cli", "run", "going"],
            cwd=ROOT,
            env=environment_of(home, PLUMBLINE_STUDIES=str(tmp_path)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        told = []
        with process:
            for line in process.stderr:
                told.append(line.rstrip("\n"))
                if stop_at and told[-1].endswith(f"  {stop_at}"):
                    process.send_signal(stop_by)
        assert left_of_session(process.pid) == []
        return process.returncode, told

    return running


def kept_stages(told):
    """The stages whose first line says that they stand."""
    return [told[at - 1].split()[-1] for at, line in enumerate(told) if line.strip() == KEPT]


def test_a_run_stopped_twice_ends_as_one_that_was_not(run, make_home):
    broken, whole = make_home(), make_home()
    code, told = run(broken, "dbt_before_inference")
    assert code == 130
    assert told[-1].startswith("Interrupted. What was answered and measured is kept")
    assert "Traceback" not in "\n".join(told)
    code, told = run(broken, "infer", signal.SIGINT)
    assert code == 130
    assert "Traceback" not in "\n".join(told)
    assert kept_stages(told) == ["extract"]
    code, told = run(broken)
    assert (code, kept_stages(told)) == (0, ["extract", "dbt_before_inference"])
    code, told = run(whole)
    assert (code, kept_stages(told)) == (0, [])
    assert published(broken) == published(whole)
    code, told = run(broken)
    assert (code, kept_stages(told)) == (0, []), "a run that ended is made anew by the next"
