"""What kill -9 leaves of a run: `python -m bench.bench_kills [--points 30]`.

A small simulated study is killed at random points, spread over the time of a whole run and so over its stages, and
started again to its end. It must have what a run has that nobody disturbed: the same marts, each answer once in the
log, a warehouse that verifies, and no file that the other has not. tests/end_to_end/test_kills.py kills at three.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from time import perf_counter
from typing import Any, Final, NamedTuple

import duckdb

from python_assets.published.merge import TABLES_OF_RUNS, VIEWS_OF_RUNS
from python_assets.warehouse.paths import PROJECT

STUDY_ID: Final = "killed"
# answers come from a function, so that the log has lines of several batches and the run is at them for a while
STUDY: Final = """\
title: Killed
prompts:
  templates:
    texts:
      - {id: a, text: "Describe the {gender} neighbour."}
      - {id: b, text: "Describe the {gender} teacher."}
      - {id: c, text: "Describe the {gender} nurse."}
    cross: [gender]
factors:
  gender: {levels: [female, male]}
systems:
  - {name: one, provider: simulator, replicates: 20}
  - {name: two, provider: "slow:say", replicates: 20}
measures: [vader]
"""
SLOW: Final = """\
import time


def say(messages, decoding):
    time.sleep(0.02)
    return f"A good answer to: {messages[-1]['content']}"
"""
# times and names of runs and folders, which no two runs share
OF_THE_RUN: Final = frozenset(
    {"run_id", "publication_id", "archive_path", "published_at", "checked_at", "quarantined_at"}
    | {"retrieved_at", "requested_at"}
)
# one more run where one was killed after its publication had its name
OF_ALL_RUNS: Final = {*TABLES_OF_RUNS, *VIEWS_OF_RUNS}
_BEGINS: Final = re.compile(r"\s*(?P<number>\d+) of \d+  (?P<stage>\w+)\n")
_IN_A_NAME: Final = re.compile(
    r"\d{8}T\d{6}\.\d+Z-\w{1,8}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{8}T?\d{6}\w*|[0-9a-f]{12,}|\d+"
)


class Point(NamedTuple):
    """When a run is killed: so many seconds after a stage began."""

    stage: str
    seconds: float


class Ran(NamedTuple):
    """A run: its exit code, when each stage began and when it ended, in seconds after the first, and its last words."""

    code: int
    begins: dict[str, float]
    seconds: float
    told: str


def write_study(folder: Path) -> None:
    """Write the study and its function."""
    (folder / f"{STUDY_ID}.yml").write_text(STUDY, encoding="utf-8")
    (folder / "slow.py").write_text(SLOW, encoding="utf-8")


def run(home: Path, studies: Path, point: Point | None = None) -> Ran:
    """Run the study to its end, or until it is killed."""
    places = {"PLUMBLINE_HOME": home, "DAGSTER_HOME": home / "dagster", "PLUMBLINE_STUDIES": studies}
    begins: dict[str, float] = {}
    told, first, timers = "", 0.0, []
    with subprocess.Popen(
        [sys.executable, "-m", "python_assets.cli", "run", STUDY_ID],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT), **{name: str(path) for name, path in places.items()}},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            told = line
            if found := _BEGINS.fullmatch(line):
                first = first or perf_counter()
                begins.setdefault(found["stage"], perf_counter() - first)
                if point and found["stage"] == point.stage:
                    timers.append(Timer(point.seconds, process.kill))
                    timers[-1].start()
    for timer in timers:
        timer.cancel()
    return Ran(process.returncode, begins, perf_counter() - first, told)


def points_of(undisturbed: Ran, n: int, seed: int) -> Iterator[Point]:
    """Random points, one in each of n equal parts of the time of an undisturbed run."""
    draw = random.Random(seed)
    for part in range(n):
        at = (part + draw.random()) / n * undisturbed.seconds
        begun, stage = max((begun, stage) for stage, begun in undisturbed.begins.items() if begun <= at)
        yield Point(stage, at - begun)


def published(home: Path) -> dict[str, list[Any]]:
    """The rows of every published table, without what no two runs share."""
    with duckdb.connect(str(home / "plumbline.duckdb"), read_only=True) as connection:
        named = connection.execute(
            "select table_name, column_name, data_type from duckdb_columns() "
            "where schema_name = 'main' and not internal"
        ).fetchall()
        columns: dict[str, list[str]] = {}
        for table, column, data_type in named:
            columns.setdefault(table, [])
            if column not in OF_THE_RUN and not column.endswith("seconds"):
                # threads add up in another order
                columns[table].append(f'round("{column}", 9)' if data_type == "DOUBLE" else f'"{column}"')
        return {
            table: connection.execute(f"select {', '.join(names)} from {table} order by all").fetchall()
            for table, names in columns.items()
        }


def answers(home: Path) -> Counter[str]:
    """How often each response stands in the logs; a line that is none is no JSON and fails."""
    logs = (home / "responses" / STUDY_ID).glob("*.jsonl")
    records = [json.loads(line) for log in logs for line in log.read_text(encoding="utf-8").splitlines()]
    return Counter(record["response_id"] for record in records if "response_id" in record)


def files(home: Path) -> set[str]:
    """Names of all files and folders, but Dagster's own; times, numbers and ids in a name are one sign."""
    found = (path.relative_to(home) for path in home.rglob("*") if path.name != "__pycache__")
    return {_IN_A_NAME.sub("*", str(path)) for path in found if path.parts[0] != "dagster"}


def faults(home: Path, undisturbed: Path, studies: Path) -> list[str]:
    """What a warehouse has otherwise than that of an undisturbed run."""
    told = []
    ours, whole = published(home), published(undisturbed)
    tables = sorted((ours.keys() | whole.keys()) - OF_ALL_RUNS)
    told += [f"table {table}" for table in tables if ours.get(table) != whole.get(table)]
    if answers(home) != answers(undisturbed):
        told.append("answers in the log")
    command = [sys.executable, "-m", "python_assets.cli", "verify"]
    environment = {**os.environ, "PLUMBLINE_HOME": str(home), "PLUMBLINE_STUDIES": str(studies)}
    verified = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True)
    told += [f"verify: {verified.stdout}{verified.stderr}"] if verified.returncode else []
    return told + [f"left: {name}" for name in sorted(files(home) - files(undisturbed))]


def main() -> None:
    """Print a row for each point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=30)
    parser.add_argument("--seed", type=int, default=29)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_study(folder)
        whole = run(folder / "whole", folder)
        if whole.code:
            raise SystemExit(f"the undisturbed run failed: {whole.told}")
        print("| killed in | seconds after it began | ended with | otherwise |\n|---|---|---|---|", flush=True)
        n_bad = 0
        for number, point in enumerate(points_of(whole, options.points, options.seed)):
            home = folder / f"home {number}"
            killed, ended = run(home, folder, point), run(home, folder)
            found = [ended.told] if ended.code else faults(home, folder / "whole", folder)
            n_bad += bool(found)
            how = "" if killed.code < 0 else " (it had ended)"
            print(f"| {point.stage}{how} | {point.seconds:.1f} | {ended.code} | {'; '.join(found)} |", flush=True)
        print(f"\n{options.points} points, {n_bad} with something otherwise")


if __name__ == "__main__":
    main()
