"""The example of docs/waves.md, run as it is printed there."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.end_to_end.conftest import ROOT, environment_of, open_warehouse

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


def test_each_run_is_held_against_the_wave_before_and_the_first_against_none(printed):
    october, november, _, gate, _ = printed.texts
    assert gate.splitlines()[0] not in october
    assert gate.strip() in november


def test_the_comparison_leaves_nothing_behind(printed):
    assert not list((printed.home / "build").glob("gate-*"))
    assert len(list((printed.home / "archive" / "assistant").iterdir())) == 2


def test_what_the_check_tested_is_a_table_and_stands_in_the_report(printed):
    with open_warehouse(printed.home) as connection:
        tested = connection.execute(
            "select generation_id, wave_before, wave, verdict, is_tested, change_outcome, change_group_id "
            "from v_changed_since where measure_id = 'vader' and statistic = 'mean' order by 1"
        ).fetchall()
        drawn = connection.execute("select wave, count(*) from v_history group by wave order by wave").fetchall()
    assert tested == [
        ("assistant", "2026-10", "2026-11", "bias_shown", True, "beyond_margin", "southern"),
        ("steady", "2026-10", "2026-11", "equivalence_shown", True, "within_margin", "northern"),
    ]
    assert [wave for wave, _ in drawn if wave] == ["2026-10", "2026-11"]
    assert len({n for wave, n in drawn if wave}) == 1
    page = (printed.home / "report" / "assistant.html").read_text(encoding="utf-8")
    assert '<section id="history">' in page
    assert "<strong>beyond margin</strong>" in page
