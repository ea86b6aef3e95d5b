"""Every run is listed with what its questions came to and what was spent; what is not known is no zero."""

import json
import re
from pathlib import Path

import duckdb
import pytest
import yaml

from python_assets import cli
from python_assets.published.account import OUTCOMES
from python_assets.published.runs import RUN_COLUMNS, RUN_ID_CHARACTERS, runs_of
from python_assets.warehouse.build import Home
from python_assets.warehouse.paths import PROJECT
from tests.python_assets.published_runs import MARTS, publish_run, query

MODELS = [
    {"system_id": "g", "provider": "openai", "model": "gpt-4.1", "wave": "2026-11"},
    {"system_id": "judge", "provider": "openai", "model": "gpt-4.1", "wave": None},
    {"system_id": "baseline", "provider": "baseline", "model": "", "wave": None},
]
COUNTED = {"n_hypotheses": 6, "n_significant": 2, "n_inconclusive": 4, "n_verdict_beyond_margin": 1}
SPENT = {"n_calls": 1_200, "n_input_tokens": 9, "n_output_tokens": 8, "cost_usd": 0.0123, "cost_reason": None}
DECLARED = yaml.safe_load((PROJECT / "dbt_models/models/marts/runs.yml").read_text())["models"][0]["columns"]


@pytest.fixture
def home(tmp_path, monkeypatch) -> Home:
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "warehouse"))
    return Home(tmp_path / "warehouse")


def mart_of_runs(run_id: str, models: list[dict] = MODELS, study_id: str = "one") -> str:
    """The mart of a build file with every column that dbt declares: some counted, and what was spent not known yet."""
    told = {
        **{column["name"]: "null" for column in DECLARED},
        **{column["name"]: "0" for column in DECLARED if "constraints" in column and column["data_type"] == "bigint"},
        **{name: str(value) for name, value in COUNTED.items()},
        **{"study_id": f"'{study_id}'", "run_id": f"'{run_id}'", "systems_json": f"'{json.dumps(models)}'"},
    }
    types = {column["name"]: column["data_type"] for column in DECLARED}
    columns = ", ".join(f"cast({value} as {types[name]}) as {name}" for name, value in told.items())
    return f"create table marts.runs as select {columns}"


def lines_of(capsys) -> list[list[str]]:
    assert cli.main(["list"]) == 0
    return [re.split(" {2,}", line) for line in capsys.readouterr().out.splitlines()]


def test_a_warehouse_without_a_run_says_so(home, capsys, snapshot):
    assert cli.main(["list"]) == 0
    assert capsys.readouterr().out.strip() == snapshot
    assert cli.main(["list", "--json"]) == 0
    assert capsys.readouterr().out == "[]\n"
    assert not home.root.exists()


def test_runs_are_listed_by_study_and_time_with_what_came_of_them(home, capsys):
    publish_run(home, "zulu", "two")
    simulated = [{"system_id": "fair", "provider": "simulator", "model": "", "wave": None}]
    publish_run(home, "a", "three", marts=[mart_of_runs("a", simulated, "three")])
    publish_run(home, "earlier0-1", "one", marts=[mart_of_runs("earlier0-1")], spent=SPENT, keep=1)
    unpriced = SPENT | {"cost_usd": None, "cost_reason": "no_price"}
    publish_run(home, "later", "one", marts=[mart_of_runs("later")], spent=unpriced, keep=1)
    at = dict(query(home, "select run_id, strftime(published_at, '%Y-%m-%d %H:%M') from runs"))
    hypotheses = "2 significant, 4 inconclusive; 1 beyond a margin"
    assert lines_of(capsys)[2:] == [
        ["one", "earlier0", at["earlier0-1"], "not kept", "gpt-4.1", "2026-11", hypotheses, "1,200", "0.0123 USD"],
        ["one", "later", at["later"], "latest, kept", "gpt-4.1", "2026-11", hypotheses, "1,200", "no price"],
        ["three", "a", at["a"], "latest, kept", "simulated: fair", "-", hypotheses, "-", "-"],
        ["two", "zulu", at["zulu"], "latest, kept", "-", "-", "-", "-", "-"],
    ]
    assert cli.main(["list", "--json"]) == 0
    first, second, simulated_run, third = json.loads(capsys.readouterr().out)
    assert first.items() >= (SPENT | COUNTED | {"run_id": "earlier0-1", "is_latest": False, "is_kept": False}).items()
    assert (second["models"], second["waves"]) == (["gpt-4.1"], ["2026-11"])
    assert (simulated_run["is_simulated"], second["is_simulated"]) == (True, False)
    assert {"study_id": "two", "n_hypotheses": None, "cost_usd": None, "cost_reason": None}.items() <= third.items()


def test_what_is_listed_is_declared_and_every_outcome_is(home):
    declared = {column["name"] for column in DECLARED}
    assert set(RUN_COLUMNS) <= declared
    assert {f"n_{outcome}" for outcome in OUTCOMES} <= declared


def test_a_warehouse_of_an_earlier_version_is_listed(home, capsys):
    publish_run(home, "a")
    columns = set(re.findall(r"as (\w+)", MARTS["runs"]))
    assert not columns & {"n_hypotheses", "cost_usd"}
    assert lines_of(capsys)[2][-3:] == ["-", "-", "-"]


def test_a_listing_does_not_wait_for_whoever_publishes(home):
    publish_run(home, "a")
    with (home.root / ".publish.lock").open("w"), duckdb.connect(str(home.published.resolve()), read_only=True):
        assert [row["run_id"] for row in runs_of(home)] == ["a"]


def test_a_run_is_named_by_as_many_characters_as_drop_takes(home, capsys):
    run_id = "0123456789abcdef"
    publish_run(home, run_id)
    publish_run(home, "b")
    shown = lines_of(capsys)[2][1]
    assert shown == run_id[:RUN_ID_CHARACTERS]
    assert cli.main(["drop", shown, "--yes"]) == 0


def test_a_report_is_opened_and_its_path_told(home, capsys, monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: bool(opened.append(url)))  # False: there is no browser
    publish_run(home, "earlier0-1")
    publish_run(home, "later")
    for arguments, path in (
        (["one"], home.report("one")),
        (["one", "--run", "earlier0"], home.archives("one") / "earlier0-1" / "report.html"),
    ):
        assert cli.main(["open", *arguments]) == 0
        assert capsys.readouterr().out == f"{path}\n"
        assert Path(opened[-1].removeprefix("file://")) == path and path.is_file()


def test_a_report_that_is_not_there_is_told_with_those_that_are(home, capsys):
    publish_run(home, "a", "one")
    publish_run(home, "b", "two")
    for arguments, told in (
        (["onee"], "got 'onee'; expected a study with a report: 'one', 'two'; did you mean 'one'?"),
        (["onee", "--run", "a"], "expected a study with a report: 'one', 'two'; did you mean 'one'?"),
        (["one", "--run", "b"], "the kept runs of one: got 'b'; expected one of 'a of "),
    ):
        assert cli.main(["open", *arguments]) == 1
        assert told in capsys.readouterr().err
