"""The example of docs/waves.md, run as it is printed there, and two more months of a model that did not change."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from tests.end_to_end.conftest import ROOT, contradictions_of, environment_of, in_memory, open_warehouse

PAGE = (ROOT / "docs" / "waves.md").read_text(encoding="utf-8")
RUN_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MARK = "@@@"


class Step(NamedTuple):
    """A command of the page, and what it prints there; nothing where the page leaves that out."""

    command: str
    printed: str


def block(language):
    return re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[1]


def steps():
    parts = [part.partition("\n") for part in block("console").split("$ ")[1:]]
    return [Step(command, printed) for command, _, printed in parts]


class Printed(NamedTuple):
    """What each command printed, run ids being those of the page, and the warehouse after it."""

    texts: list[str]
    home: Path


@pytest.fixture(scope="module")
def printed(make_home, tmp_path_factory):
    """The commands of the page, run in a folder with its study file."""
    folder, home = tmp_path_factory.mktemp("pipeline"), make_home()
    (folder / "studies").mkdir()
    (folder / "studies" / "assistant.yml").write_text(block("yaml"), encoding="utf-8")
    *before, gate, code = steps()
    session = Session(folder, environment_of(home, PLUMBLINE_STUDIES=str(folder / "studies")))
    found = [session.run(step.command) for step in before]
    of_page = list(dict.fromkeys(RUN_ID.findall(before[-1].printed)))
    of_session = RUN_ID.findall(found[-1])
    # the page names the first run by its beginning
    against = gate.command.replace(of_page[0][:8], of_session[0][:8])
    found += session.run(f"{against}; {code.command}").split(MARK)
    renamed = dict(zip(of_session, of_page, strict=True))
    return Printed([RUN_ID.sub(lambda match: renamed[match[0]], text) for text in found], home)


class Session:
    """A shell in a folder, where plumbline is the command line of this project."""

    def __init__(self, folder, environment):
        self._folder, self._environment = folder, environment

    def run(self, command):
        called = f'plumbline() {{ {sys.executable} -m python_assets.cli "$@"; }}\n'
        script = called + command.replace("; echo $?", f"; code=$?; printf {MARK}; echo $code")
        done = subprocess.run(
            ["bash", "-c", script], cwd=self._folder, env=self._environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.mark.parametrize("number", [n for n, step in enumerate(steps()) if step.printed])
def test_the_example_prints_what_the_page_says(printed, number):
    assert printed.texts[number] == steps()[number].printed


def test_each_wave_was_asked_once(printed):
    for log in (printed.home / "responses" / "assistant").glob("*.jsonl"):
        lines = log.read_text(encoding="utf-8").splitlines()
        requests = [line["request"] for line in map(json.loads, lines) if "request" in line]
        assert Counter(one["in_wave"] for one in requests) == {"2026-10": 600, "2026-11": 600}


def test_each_run_is_stratum_against_the_wave_before_and_the_first_against_none(printed):
    october, november, _, gate, _ = printed.texts
    assert gate.splitlines()[0] not in october
    assert gate.strip() in november


def test_the_comparison_leaves_nothing_behind(printed):
    assert not list((printed.home / "build").glob("gate-*"))
    assert len(list((printed.home / "archive" / "assistant").iterdir())) == 2


def test_what_the_check_tested_is_a_table_and_stands_in_the_report(printed):
    with open_warehouse(printed.home) as connection:
        tested = connection.execute(
            "select system_id, wave_before, wave, verdict, is_tested, change_outcome, change_group_id "
            "from v_changed_since where measure_id = 'vader' and statistic = 'mean' order by 1"
        ).fetchall()
        drawn = connection.execute("select wave, count(*) from v_history group by wave order by wave").fetchall()
    assert tested == [
        ("assistant", "2026-10", "2026-11", "beyond_margin", True, "beyond_margin", "southern"),
        ("steady", "2026-10", "2026-11", "equivalent", True, "within_margin", "northern"),
    ]
    assert [wave for wave, _ in drawn if wave] == ["2026-10", "2026-11"]
    assert len({n for wave, n in drawn if wave}) == 1
    page = (printed.home / "report" / "assistant.html").read_text(encoding="utf-8")
    assert '<section id="history">' in page
    assert "<strong>beyond margin</strong>" in page


SCORES = """
def length(texts):
    return [len(text) / 100 for text in texts]
"""
CHANGED = """
    select measure_id, is_tested, change_outcome, reason from v_changed_since
    where measure_id in ('vader', 'length') and statistic = 'mean' and system_id = 'steady' order by 1
"""
HISTORY = """
    select measure_id, wave, run_position, scorer_changed, scorer_versions is not null from v_history
    where measure_id in ('vader', 'length') and statistic = 'mean' and slice_id = 'all' and system_id = 'steady'
        and grouping_id = 'origin' and calibration = 'raw' order by measure_id, run_position
"""


def study_of(month):
    """The study of the page without the model that moved, with a measure more, and with hidden texts."""
    study = yaml.safe_load(block("yaml"))
    del study["waves"]
    return yaml.safe_dump(
        study
        | {
            "systems": [study["systems"][0] | {"wave": month}],
            "measures": ["vader", {"name": "length", "kind": "continuous", "function": "scores:length"}],
            "analysis": {"permutations": 99, "bootstrap": 200, "margins": {"mean_difference": 0.2}},
            "report": {"hide_texts": True},
        }
    )


class Months(NamedTuple):
    """The runs of all months, what was tested before the gate of January against December, and what that printed."""

    runs: list[str]
    home: Path
    tested_before: list[tuple]
    gate: subprocess.CompletedProcess
    page: str
    call: partial

    def rows(self, query):
        with open_warehouse(self.home) as connection:
            return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def months(printed, plumbline, tmp_path_factory):
    """The page's warehouse, copied, after two more runs; what measures the length changed before the second."""
    folder = tmp_path_factory.mktemp("months")
    home = shutil.copytree(printed.home, folder / "warehouse", symlinks=True)
    call = partial(plumbline, home, PLUMBLINE_STUDIES=str(folder))
    for month, scores in (("2026-12", SCORES), ("2027-01", f"# of January\n{SCORES}")):
        (folder / "scores.py").write_text(scores, encoding="utf-8")
        (folder / "assistant.yml").write_text(study_of(month), encoding="utf-8")
        done = call("run", "assistant")
        assert done.returncode == 0, done.stderr
    with open_warehouse(home) as connection:
        found = connection.execute("select run_id from runs order by published_at").fetchall()
    runs = [run_id for (run_id,) in found]
    done = call("gate", "assistant", "--against", runs[0])  # of another run than the one before
    assert done.returncode == 0, done.stdout + done.stderr
    with open_warehouse(home) as connection:
        tested_before = connection.execute(CHANGED).fetchall()
    page = folder / "gate.html"
    gate = call("gate", "assistant", "--against", runs[-2], "--report", str(page))
    assert gate.returncode == 0, gate.stdout + gate.stderr
    return Months(runs, home, tested_before, gate, page.read_text(encoding="utf-8"), call)


def test_a_model_that_did_not_change_passes_the_gate_and_what_measured_otherwise_is_told(months):
    *told, last = months.gate.stdout.splitlines()
    assert last == "Of 3 groups with a margin none is beyond it."
    assert [line.split()[-3:] for line in told if " vader " in line] == [["within", "its", "margin"]] * 3
    (changed,) = (line for line in told if line.startswith("Not compared: "))
    assert changed.startswith("Not compared: steady, length by origin: scorer_changed")


@pytest.mark.parametrize("of", ["printed", "months"])
def test_waves_contradict_themselves_nowhere(request, of):
    assert contradictions_of(request.getfixturevalue(of).home) == {}


def test_the_gate_compares_archives_without_texts(months):
    kept = (months.home / "archive" / "assistant" / run / "manifest.json" for run in months.runs)
    assert [json.loads(path.read_text())["hides_texts"] for path in kept] == [False, False, True, True]
    answers = months.rows("select distinct response_text from responses where response_text <> ''")
    texts = ["neighbour", *(text for (text,) in answers)]
    assert len(texts) > 2 and not [text for text in texts if text in months.gate.stdout + months.page]


def test_every_run_is_in_the_history_with_the_change_of_what_measures(months):
    assert months.rows(HISTORY) == [
        ("length", "2026-12", 1, None, True),
        ("length", "2027-01", 2, True, True),
        ("vader", "2026-10", 1, None, True),
        ("vader", "2026-11", 2, False, True),
        ("vader", "2026-12", 3, False, True),
        ("vader", "2027-01", 4, False, True),
    ]


def test_only_what_a_gate_held_against_the_run_before_is_called_tested(months):
    assert months.tested_before == [(measure, False, None, "not_gated") for measure in ("length", "vader")]
    length, vader = months.rows(CHANGED)
    assert length == ("length", False, None, "scorer_changed")
    assert vader == ("vader", True, "within_margin", None)
    october, november, december, january = months.runs
    compared = "select distinct run_id, against_run_id, reason from run_changes where measure_id in ('vader', 'length')"
    assert set(months.rows(compared)) >= {
        (november, october, None),
        (january, october, None),
        (january, december, None),
        (january, december, "scorer_changed"),
    }
    assert months.gate.stdout.splitlines()[-1] in months.page
    assert december in months.page and january in months.page
    assert months.call("verify").returncode == 0


def test_a_change_of_what_measures_is_null_in_a_study_of_both_runs(months, tmp_path):
    paths = [str(months.home / "archive" / "assistant" / run / "manifest.json") for run in months.runs[-2:]]
    study = {
        "title": "Both",
        "prompts": {"import": {"format": "plumbline", "path": paths}},
        "systems": [{"name": "*", "provider": "replay"}],
        "analysis": {"permutations": 99, "bootstrap": 200, "compare": {"reference": "2026-12"}},
    }
    (tmp_path / "both.yml").write_text(yaml.safe_dump(study), encoding="utf-8")
    query = (
        "select measure_id, comparison, reason, count(value) from system_comparisons "
        "where comparison in ('mean_change', 'groups_changed') and measure_id in ('vader', 'length') "
        "group by all order by all"
    )
    assert in_memory(tmp_path / "both.yml").rows(query) == [
        ("length", "groups_changed", "scorer_changed", 0),
        ("length", "mean_change", "scorer_changed", 0),
        ("vader", "groups_changed", None, 1),
        ("vader", "mean_change", None, 1),
    ]


def test_a_page_that_cannot_be_written_is_told_before_anything_runs(months, tmp_path):
    done = months.call("gate", "assistant", "--against", months.runs[0], "--report", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "a folder" in done.stderr
