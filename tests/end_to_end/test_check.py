"""plumbline.check: what it finds in memory is what the command finds, and what a frame breaks is told alike."""

import asyncio
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import plumbline
from expectations.record_rules import rules_of_frame
from expectations.runner import run_rules, run_suites
from python_assets.errors import PlumblineError, WarehouseError
from python_assets.importers.table import FILE, ROW_COLUMN, table_of_rows
from python_assets.library import check as checking
from python_assets.library.in_memory import fill_raw_tables
from python_assets.library.results import RESULT_TABLES
from python_assets.study_file.load import load_study
from python_assets.transform.compile import compiled_project
from python_assets.warehouse.build import open_memory
from tests.end_to_end.alike import assert_alike
from tests.end_to_end.conftest import ROOT

OF = {"group": "who", "prompt": "item", "value": "score"}


def scores(n_items=12, *, seed=1, groups="abc", shift=0.8, models=("one",), missing=0.0):
    """Scores of items about groups by models: the first group is scored higher by the first model."""
    rng = np.random.default_rng(seed)
    rows = [(f"i{i}", group, model) for i in range(n_items) for group in groups for model in models for _ in range(2)]
    frame = pd.DataFrame(rows, columns=["item", "who", "model"])
    moved = (frame.who == groups[0]) & (frame.model == models[0])
    frame["score"] = rng.normal(size=len(frame)) + shift * moved
    return frame.assign(score=frame.score.where(rng.random(len(frame)) >= missing))


FRAMES = {
    "two models, some scores missing": (scores(models=("m", "n"), missing=0.1, seed=2), {"model": "model"}),
    "yes or no": (scores(seed=3, n_items=20).assign(score=lambda f: f.score > 0.3), {}),
    "two groupings": (
        scores(seed=4).assign(age=lambda f: np.where(np.arange(len(f)) % 2, "old", "young")),
        {"group": ["who", "age"], "margin": 0.2},
    ),
}


@pytest.fixture(scope="module")
def in_folder(tmp_path_factory):
    """What the command finds of a frame."""

    @cache
    def check(name):
        frame, options = FRAMES[name]
        return plumbline.check(frame, **OF | options, folder=tmp_path_factory.mktemp("check"), quiet=True)

    return check


@pytest.mark.parametrize("name", FRAMES)
def test_results_in_memory_are_those_of_the_command(name, in_folder):
    frame, options = FRAMES[name]
    here = plumbline.check(frame, **OF | options, quiet=True)
    there = in_folder(name)
    for table in RESULT_TABLES:
        assert_alike(here.sql(f"from {table}"), there.sql(f"from {table}"), table)
    assert str(here) == str(there)
    others = ("responses", "disparities", "coverage_cells", "v_quality_rules", "reasons")
    for table in others:
        assert_alike(here.sql(f"from {table}"), there.sql(f"from {table}"), table)


ALONE = """
import json, os, resource, sys
import numpy as np, pandas as pd
import plumbline
items = np.repeat(np.arange(8), 2).astype(str)
frame = pd.DataFrame({"item": items, "who": ["x", "y"] * 8, "score": np.arange(16.0) % 5})
results = plumbline.check(frame, group="who", prompt="item", value="score", name="recinq-placebo", quiet=True)
found = [str(results), len(results.sql("from v_coverage")), results.study]
results.write_report(__import__("pathlib").Path(sys.argv[1]))
heavy = {"dagster", "dbt", "great_expectations", "torch", "py3langid", "transformers", "sklearn"}
print(json.dumps([*found, sorted(heavy & {name.split(".")[0] for name in sys.modules})]))
"""


def test_it_needs_no_dagster_and_leaves_nothing_on_disk(tmp_path):
    folder, report = tmp_path / "empty", tmp_path / "report.html"
    folder.mkdir()
    plumbline.check(scores(4), **OF, quiet=True)  # the SQL of this version is compiled
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PLUMBLINE_HOME", "DAGSTER"))
    }
    at = {**environment, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", ALONE, report], cwd=folder, env=at, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said, n_rows, name, heavy = json.loads(done.stdout)
    assert "who" in said and n_rows and name == "recinq_placebo" and heavy == []
    assert list(folder.rglob("*")) == []
    assert "<html" in report.read_text(encoding="utf-8")


def test_it_runs_in_an_event_loop_and_in_two_threads():
    async def in_a_notebook():
        return str(plumbline.check(scores(6), **OF, quiet=True))

    def of_seed(seed):
        return str(plumbline.check(scores(6, seed=seed), **OF, quiet=True))

    assert asyncio.run(in_a_notebook()) == of_seed(1)
    alone = [of_seed(seed) for seed in (1, 2)]
    assert len(set(alone)) > 1
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(of_seed, (1, 2))) == alone


@pytest.fixture(scope="module")
def results():
    return plumbline.check(scores(4), **OF, quiet=True)


@pytest.mark.parametrize(
    "query",
    ["create table x (i int)", "copy findings to 'x.csv'", "from read_csv('/etc/hosts')", "attach 'x.duckdb' as x",
     "set enable_external_access = true", "from nobody", "selekt 1", "from frame", "set threads = 1",
     "explain analyze update marts.summary_statistics set value = 99", "explain analyze create table x (i int)",
     "from enable_logging(storage = 'file', storage_path = 'x')", "update marts.summary_statistics set value = 99",
     "insert into raw.studies by name from raw.studies", "drop table marts.studies"],
)  # fmt: skip
def test_a_query_writes_nothing_and_reads_no_file(query, results, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = scores(4)  # noqa: F841  a name of Python is no table
    before = results.groups
    with pytest.raises(WarehouseError):
        results.sql(query)
    assert list(tmp_path.iterdir()) == []
    pd.testing.assert_frame_equal(results.groups, before)


def test_every_test_of_tables_runs_though_they_are_made_one_by_one():
    results = plumbline.check(scores(4), **OF, quiet=True)
    project = compiled_project()
    for name in sorted(project.names):
        results.make([name])
    tests = {project.nodes[step]["name"] for step in project.steps if project.nodes[step]["resource_type"] == "test"}
    said = results.sql("select expectation, success from data_quality")
    assert {f"dbt: {name}" for name in tests} <= set(said.expectation) and said.success.all()
    assert len(said) == results.sql("select count(*) as n from raw.data_quality").n[0]


def test_a_report_says_what_that_of_the_command_says(in_folder, tmp_path):
    frame, options = FRAMES["two groupings"]
    plumbline.check(frame, **OF | options, report=tmp_path / "here.html", quiet=True)
    pages = (tmp_path / "here.html", in_folder("two groupings").report)
    words = (set(re.sub(r"<script.*?</script>|<[^>]*>", " ", page.read_text(), flags=re.S).split()) for page in pages)
    differing = set.symmetric_difference(*words)
    # when it was published, by which run, and how many checks of raw tables there were
    assert {word for word in differing if not re.search(r"\d", word)} <= {"UTC", "check,", "prompt_factors"}
    assert not [word for word in differing if re.search(r"\d\.\d", word)] and len(differing) < 15


def test_without_a_path_there_is_no_report():
    with pytest.raises(WarehouseError, match=re.escape("check(..., report=PATH)")):
        str(plumbline.check(scores(4), **OF, quiet=True).report)


def bad_frames():
    """Frames that break something, and some that do not."""
    plain = scores(6, models=("m", "n"))
    blank = {"  ": " ", "": ""}

    def at(rows, **columns):
        return plain.assign(
            **{name: plain[name].mask(plain.index.isin(rows), value) for name, value in columns.items()}
        )

    few, many = range(2), range(0, 60, 2)
    for column in ("item", "who", "model"):
        for spelled, value in blank.items():
            yield f"{column} blank {spelled!r} in few", at(few, **{column: value})
            yield f"{column} blank {spelled!r} in many", at(many, **{column: value})
    first = plain.index[plain.who == "a"]
    yield "every item of a group blank", at(first, item=" ")
    yield "every model of a group blank", at(first, model=" ")
    yield "a model lacks an item", plain[(plain.model != "n") | (plain["item"] != "i0")]
    yield "a model lacks a group", plain[(plain.model != "n") | (plain.who != "c")]
    yield "a model answered once", plain[(plain.model != "n") | (plain.index < 2)]
    yield "an item lacks a group", plain[(plain["item"] != "i1") | (plain.who != "b")]
    yield "a group of one answer", plain[(plain.who != "c") | (plain.index < 6)]
    yield "other case", at(few, who="A")
    yield "spaces around a group", at(few, who=" a ")
    yield "other case of a model", at(few, model="M")
    yield "a level with a cross", at(few, who="a x b")
    yield "a level with a cross in many", plain.replace({"who": {"b": "b x c"}})
    yield "a level of a line", at(few, who="a\nb")
    yield "a level of a control character", at(few, who="a\x00b")
    yield "a level 'all'", plain.replace({"who": {"b": "all"}})
    yield "an item of a quote", at(few, item="it's {item} :x %s")
    yield "a group of braces", plain.replace({"who": {"b": "{b} :x %(x)s 'q'"}})
    yield "a very long item", at(few, item="i" * 5000)
    yield "a very long group", plain.replace({"who": {"b": "b" * 400}})
    yield "half of the scores missing", plain.assign(score=plain.score.where(plain.index % 2 == 0))
    yield "all scores of a group missing", plain.assign(score=plain.score.where(plain.who != "c"))
    yield "all scores of a model missing", plain.assign(score=plain.score.where(plain.model != "n"))
    yield "one score left", plain.assign(score=plain.score.where(plain.index == 0))
    yield "a very large score", at(few, score=1e120)
    yield "very small scores", plain.assign(score=1e-320)
    yield "constant scores", plain.assign(score=0.5)
    yield "numbers as items", plain.assign(item=plain["item"].str[1:].astype(int))
    yield "numbers as groups", plain.assign(who=plain.who.map({"a": 1.5, "b": 2, "c": 3}))
    yield "true and false as groups", plain.assign(who=plain.who == "a")
    yield "mixed kinds as groups", plain.assign(who=plain.who.map({"a": 1, "b": "1.0", "c": None}).fillna("c"))
    yield "two items", plain[plain["item"].isin(["i0", "i1"])]
    yield "a category without rows", plain.assign(who=pd.Categorical(plain.who, categories=[*"abcd"]))
    yield "emoji", plain.replace({"who": {"b": "\N{GRINNING FACE}", "c": "e\u0301"}})
    yield "the same group in two normal forms", plain.replace({"who": {"b": "\u00e9", "c": "e\u0301"}})


def broken_by_suites_and_rules(frame):
    """What the suites of Great Expectations find broken, and what the rules of a frame find; or why neither looked."""
    columns = checking._columns(frame, ["who"], "item", "score", "model")
    kind = checking._kind(frame, columns)
    checking._require_pairs(frame, columns, n_controls=0)
    study, table = checking._study(frame, columns, kind, None), checking._table(frame, columns)
    loaded = load_study(Path("check.yml"), check_files=False, text=checking._yaml(study, "check"))
    table[FILE], table[ROW_COLUMN] = "check.parquet", range(1, len(table) + 1)
    connection, rules, found = open_memory(), rules_of_frame(loaded), ([], [])
    for name in fill_raw_tables(connection, loaded, table_of_rows(loaded, table, [], needs_levels=True)):
        tables = ["prompts", "prompt_factors", name] if name == "responses" else [name]
        found[0].extend(run_suites(connection, loaded, tables, run_id="suites"))
        found[1].extend(run_rules(connection, loaded, {name: rules[name]}, run_id="rules"))
    return [[result for result in results if not result.success] for results in found]


def test_a_bad_frame_breaks_the_same_rules_both_ways(snapshot):
    frames = dict(bad_frames())
    assert len(frames) >= 40
    told = {}
    for name, frame in frames.items():
        try:
            suites, rules = broken_by_suites_and_rules(frame)
        except PlumblineError as error:
            told[name] = type(error).__name__  # before any table is looked at, by what both ways call
            continue
        assert suites == rules, name
        told[name] = [f"{one.severity}: {one.table_name}.{one.expectation}" for one in rules]
    assert told == snapshot
    broken = {one.rpartition(".")[2] for rules in told.values() if isinstance(rules, list) for one in rules}
    assert broken == set(re.findall(r"^ *\| (expect_\w+) \|", rules_of_frame.__doc__, re.M))


@pytest.mark.parametrize(
    "frame",
    [scores(1), scores(2, groups="ab"), pd.concat([scores(3), pd.DataFrame(columns=[f"c{i}" for i in range(200)])])],
    ids=["one item", "two of two", "200 columns"],
)
def test_small_and_wide_frames_end_in_a_sentence(frame):
    assert len(str(plumbline.check(frame, **OF, quiet=True))) > 20
