"""Mistakes that can be known without asking anybody: `plan` and `run` tell the same and exit alike."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest
import yaml

from python_assets.cli import main

ASKED = {"texts": [{"id": "1", "text": "Is a {who} kind?"}], "cross": ["who"]}
WITH_BASELINE = ASKED["texts"][0] | {"baseline": "A {who} is kind."}
OF_SENTENCES = {"levels": ["Italy", "France"], "keywords": {"Italy": ["Italy"]}}
IMPORTED = {"path": "rows.csv", "columns": {"prompt": "id", "response": "said"}, "factors": {"who": "who"}}
ROWS = "id,said,who\n1,yes,king\n2,no,queen\n"
OWN_DISTANCE = {"name": "d", "scorer": "baseline_distance", "parameters": {"metric": "absent:far"}}
BASE = {
    "title": "Mistaken",
    "prompts": {"templates": ASKED},
    "factors": {"who": {"levels": ["king", "queen"]}},
    "systems": [{"name": "one", "provider": "simulator"}],
    "measures": ["vader"],
}

GROUPED = {"groupings": ["who"], "measures": ["vader"]}


def sentences(path="a.txt", **branch):
    scraped = OF_SENTENCES | {"sources": [{"tag": "t", "path": path}]}
    return {"prompts": {"scrape": scraped, "branch": {"from": "Italy", **branch}}, "factors": {}}


def rows(measures=("vader",), **changes):
    replayed = {"systems": [{"name": "one", "provider": "replay"}], "measures": list(measures)}
    return replayed | {"prompts": {"import": IMPORTED | changes}}


def answered(**system):
    return {"systems": [{"name": "one", **system}]}


MISTAKES = {
    "no text": (sentences(path="no.txt"), 'prompts.scrape.sources[0].path: got "no.txt"'),
    "no table": (rows(path="no.csv"), 'prompts.import.path: got "no.csv"'),
    "no column": (rows(factors={"who": "whom"}), 'prompts.import.factors.who: got "whom"'),
    "no column of a measure": (
        rows([{"name": "kind", "choices": ["yes", "no"], "annotation": "marked"}]),
        'measures[0].annotation: got "marked"',
    ),
    "no key": (answered(provider="openai", model="m", api_key_env="NOT_SET_HERE"), "NOT_SET_HERE"),
    "no model": (
        answered(provider="transformers", model="no/model"),
        "system 'one': model 'no/model': got no/model; expected a folder, or a model",
    ),
    "no embedding": ({"embedding": "no/model"}, "embedding: got no/model; expected a folder, or a model"),
    "no classifier": (
        {"measures": [{"name": "mood", "classifier": {"model": "no/model", "scores": {"good": 1, "bad": -1}}}]},
        "classifier: got no/model; expected a folder, or a model",
    ),
    "no pipeline": (
        sentences(spacy_model="no_pipeline"),
        "prompts.branch.spacy_model: got 'no_pipeline' (there is neither a folder nor a package",
    ),
    "no file of a function": (answered(provider="absent:say"), "put absent.py there"),
    "no function": (answered(provider="mine:say"), "mine.py without it; expected a function"),
    "no function of a measure": (
        {"measures": [{"name": "m", "kind": "binary", "function": "mine:score"}]},
        "mine.py without it; expected a function",
    ),
    "no function of a distance": (
        {"measures": [OWN_DISTANCE], "prompts": {"templates": ASKED | {"texts": [WITH_BASELINE]}}},
        "absent.py; expected the function in it; put absent.py beside the study file",
    ),
    "no baseline": (
        {"measures": ["baseline_distance"]},
        'measures: got "baseline_distance"; expected prompts with a baseline text',
    ),
    # without a baseline text nothing is calibrated, which only the prompts tell
    "no question of a set": (
        GROUPED | {"analysis": {"families": {"mild": {"calibrations": ["calibrated"]}}}},
        "analysis.families.mild: got nothing; expected one question of the study at least that no set before it names; "
        "correct its lists, or remove it",
    ),
    "no primary question": (
        GROUPED | {"analysis": {"primary": {"measures": ["vader"], "calibrations": ["calibrated"]}}},
        "analysis.primary: got nothing; expected one question of the study at least",
    ),
    "no question of a set of an import": (
        rows(GROUPED["measures"])
        | {"groupings": ["who"], "analysis": {"families": {"mild": {"systems": ["baseline"]}}}},
        "analysis.families.mild: got nothing; expected one question of the study at least",
    ),
}


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run a command on a study with these sections; returns its exit code and all that it printed."""
    monkeypatch.delenv("NOT_SET_HERE", raising=False)
    monkeypatch.setenv("PLUMBLINE_PROVIDER", "")  # which --provider sets, and this puts back
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PLUMBLINE_STUDIES", str(tmp_path))
    spacy = ModuleType("spacy")  # installed, though no pipeline is
    spacy.__spec__ = ModuleSpec("spacy", None)
    monkeypatch.setitem(sys.modules, "spacy", spacy)
    for name, text in {"a.txt": "Italy is a country.", "rows.csv": ROWS, "mine.py": "import os\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    def run(sections, *words):
        (tmp_path / "mistaken.yml").write_text(yaml.safe_dump(BASE | sections), encoding="utf-8")
        code = main([words[0], "mistaken", *words[1:]])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run


def reasons(printed, path):
    """Lines without what a plan lists them by and without the file, and without the plan itself."""
    return {line.removeprefix("- ").removeprefix(f"{path}: ") for line in printed.splitlines()}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_plan_and_a_run_tell_the_same_of_a_mistake_and_exit_alike(command, tmp_path, name):
    sections, told = MISTAKES[name]
    code, of_run = command(sections, "run")
    assert (code, told in of_run) == (1, True), of_run
    code, of_plan = command(sections, "plan")
    assert code == 1
    path = tmp_path / "mistaken.yml"
    assert reasons(of_run, path) <= reasons(of_plan, path)
    assert not (tmp_path / "home").exists()


def test_a_warehouse_that_cannot_be_written_is_told_by_both(command, tmp_path):
    (tmp_path / "home").write_text("a file in the way", encoding="utf-8")
    for word in ("run", "plan"):
        code, printed = command({}, word)
        assert code == 1
        assert f"got {tmp_path / 'home'}, which is no folder" in printed
        assert "; set PLUMBLINE_HOME" in printed


def test_data_docs_that_cannot_be_written_are_told_before_anything_runs(command, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "data_docs").write_text("a file in the way", encoding="utf-8")
    code, printed = command({}, "run", "--data-docs")
    assert code == 1
    assert f"got {tmp_path / 'home' / 'data_docs'}, which is no folder" in printed
    assert not (tmp_path / "home" / "build").exists()


def test_what_is_replayed_must_be_in_the_import(command, snapshot):
    sections = rows(columns={**IMPORTED["columns"], "system": "who"}, factors={"who": "who"})
    code, printed = command(sections, "plan")
    assert code == 1
    assert [line for line in printed.splitlines() if "systems: got" in line] == snapshot


def test_an_imported_system_that_is_the_baseline_must_be_there(command, snapshot):
    sections = rows(columns={**IMPORTED["columns"], "system": "who"}, factors={"who": "who"})
    sections |= {"systems": [{"name": "*", "provider": "replay"}], "baseline": "knave"}
    code, printed = command(sections, "plan")
    assert code == 1
    assert [line for line in printed.splitlines() if "baseline: got" in line] == snapshot


def test_a_plan_of_a_simulated_run_asks_for_no_key(command, monkeypatch):
    sections, told = MISTAKES["no key"]
    code, printed = command(sections, "plan", "--provider", "simulator")
    assert (code, told in printed, "Not checked" in printed) == (0, False, False)
    monkeypatch.setenv("PLUMBLINE_PROVIDER", "simulator")
    assert command(sections, "plan")[0] == 0


def test_what_only_the_network_can_tell_is_named_and_is_no_mistake(command, monkeypatch, snapshot):
    monkeypatch.setenv("SERVER", "http://127.0.0.1:9/v1?key=secret")
    asked = {"provider": "ollama", "model": "m", "base_url": "${SERVER}"}
    named = [{"name": "one", **asked}, {"name": "two", **asked}, {"name": "here", "provider": "simulator"}]
    code, printed = command({"systems": named}, "plan")
    assert code == 0, printed
    assert printed[printed.index("Not checked") :].splitlines()[:2] == snapshot
    assert "secret" not in printed


def test_a_plan_that_finds_nothing_exits_with_0(command):
    assert command({}, "plan")[0] == 0


def test_sets_that_have_questions_are_no_mistake(command):
    prompts = {"templates": ASKED | {"texts": [WITH_BASELINE]}}
    sets = {"mild": {"calibrations": ["calibrated"]}, "own": {"systems": ["baseline"]}}
    sections = GROUPED | {"prompts": prompts, "analysis": {"primary": {"measures": ["vader"]}, "families": sets}}
    code, printed = command(sections, "plan")
    assert code == 0, printed
    # what every study is asked beside its measures may be a set
    assert command(GROUPED | {"analysis": {"families": {"short": {"measures": ["truncated"]}}}}, "plan")[0] == 0
