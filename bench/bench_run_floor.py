"""CPU seconds of a run however small its study, and where they go.

The demo when all is cached, a new study of 100 responses, and one that imports 200 scores.

    python -m bench.bench_run_floor [--home FOLDER]

Each is run as a user would, `plumbline run`, in a warehouse where the demo has been run once before: texts
are embedded, dbt's project is parsed, Dagster's files exist. A home given is kept for the next time.

How it is counted: Linux says what the process has used whenever a step begins or ends; Python says what each import
took (-X importtime), which is taken from the step that it stands in. Both by the hundredth of a second. What Dagster
stores of a step stands in that step, and the report's own seconds are by the clock.
"""

import argparse
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

import dagster as dg

from python_assets.warehouse import paths

SMALL_STUDY: Final = """
title: A hundred responses
prompts:
  templates:
    texts:
      - {id: kind, text: "Is the {gender} neighbour from {place} kind?"}
      - {id: job, text: "Describe the work of a {gender} engineer in {place}."}
      - {id: night, text: "What does a {gender} student in {place} do at night?"}
      - {id: loan, text: "Should a {gender} baker in {place} get a loan?"}
      - {id: school, text: "How did the {gender} pupil in {place} do at school?"}
    cross: [gender, place]
factors:
  gender: {levels: [female, male]}
  place: {levels: [Lima, Oslo, Accra, Hanoi, Quito, Turin, Delhi, Lagos, Osaka, Perth]}
systems: [{name: simulated, provider: simulator}]
measures: [vader]
groupings: [gender, place]
"""
SCORES: Final = """
title: Two hundred scores
prompts:
  import:
    path: scores.csv
    columns: {prompt: [question, gender, place], root_prompt: question}
    factors: {gender: gender, place: place}
factors:
  gender: {levels: [female, male]}
  place: {levels: [Lima, Oslo, Accra, Hanoi, Quito, Turin, Delhi, Lagos, Osaka, Perth]}
systems: [{name: scores, provider: replay}]
measures: [{name: score, kind: continuous, column: score}]
groupings: [gender, place]
"""
PLACES: Final = ("Lima", "Oslo", "Accra", "Hanoi", "Quito", "Turin", "Delhi", "Lagos", "Osaka", "Perth")
DEMO: Final = "g20_demo"
REPORT: Final = dg.AssetKey(["published", "report"])
IMPORTS: Final = "imports"
OF_STEPS: Final = (
    ("great_expectations", "Great Expectations"),
    ("dbt_", "SQL: the halves of dbt"),
    ("infer", "inference"),
    ("publish", "publish"),
    ("", "the other stages"),
)
AROUND: Final = "outside of steps: checks of the study, Dagster's start, the summary"
STEP: Final = re.compile(r" ?\d+ of \d+  (\w+)(: .*)?$")
IMPORT: Final = re.compile(r"import time: +(\d+) \|")


class Run(NamedTuple):
    """One run: its seconds by the clock and of the processors, and those of the processors by what they went to."""

    wall: float
    cpu: float
    went_to: Counter[str]


def run(study: str, home: Path) -> Run:
    """Run a study as the command line does."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    environment = {
        **os.environ,
        "PLUMBLINE_HOME": str(home),
        "DAGSTER_HOME": str(home / "dagster"),
        "PYTHONDONTWRITEBYTECODE": "",  # what was compiled once stays, as where nobody says otherwise
    }
    called = [sys.executable, "-X", "importtime", "-m", "python_assets.cli", "run", study]
    told: list[str] = []
    with subprocess.Popen(
        called, cwd=paths.PROJECT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        went_to = _went_to(process.pid, _each(process.stderr or (), told))
    wall, after = perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        raise SystemExit("\n".join(told[-20:]))
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    report = _seconds_of_report(home)
    went_to += Counter({"publish": -report, "report": report})
    went_to[AROUND] += cpu - went_to.total()
    return Run(wall, cpu, went_to)


def _each(lines: Iterable[str], told: list[str]) -> Iterable[str]:
    for line in lines:
        if not IMPORT.match(line):
            told.append(line.rstrip())
        yield line


def _went_to(pid: int, lines: Iterable[str]) -> Counter[str]:
    """CPU seconds by what they went to, as far as the lines of a run tell."""
    found: Counter[str] = Counter()
    last, now_in = 0.0, AROUND
    for line in lines:
        if imported := IMPORT.match(line):
            seconds = int(imported[1]) / 1e6
            found.update({IMPORTS: seconds, now_in: -seconds})
        elif step := STEP.match(line.rstrip()):
            present = _cpu_of(pid)
            found[now_in] += present - last
            last, ended = present, step[2]
            now_in = AROUND if ended else next(name for part, name in OF_STEPS if part in step[1])
    return found


def _cpu_of(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _seconds_of_report(home: Path) -> float:
    with dg.DagsterInstance.from_config(str(home / "dagster")) as instance:
        event = instance.get_latest_materialization_event(REPORT)
    made = event.asset_materialization if event else None
    return float(str(made.metadata["seconds"].value)) if made else 0.0


def show(name: str, measured: Run) -> None:
    """Print one run and what its seconds went to, the most first."""
    print(f"\n| {name}, {measured.wall:.1f} s | {measured.cpu:.1f} CPU seconds |\n|---|---|")
    for what, seconds in measured.went_to.most_common():
        print(f"| {what} | {seconds:.1f} |")


def write_scores(path: Path) -> None:
    """Write 200 scores: ten questions, asked about two genders in ten places."""
    draw = random.Random(7)
    rows = [
        f"q{hypothesis},{gender},{place},{draw.random():.3f}"
        for hypothesis in range(10)
        for gender in ("female", "male")
        for place in PLACES
    ]
    path.write_text("\n".join(["question,gender,place,score", *rows, ""]), encoding="utf-8")


def main() -> None:
    """Print all three."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--home", type=Path, help="a warehouse to use and keep")
    with tempfile.TemporaryDirectory() as folder:
        home = (parser.parse_args().home or Path(folder) / "warehouse").absolute()
        studies = {"hundred_responses": SMALL_STUDY, "two_hundred_scores": SCORES}
        write_scores(Path(folder) / "scores.csv")
        if not home.joinpath("plumbline.duckdb").exists():
            run(DEMO, home)
        show("demo, warm", run(DEMO, home))
        for name, text in studies.items():
            path = Path(folder) / f"{name}.yml"
            path.write_text(text, encoding="utf-8")
            home.joinpath("build", f"{name}.duckdb").unlink(missing_ok=True)
            show(f"{name.replace('_', ' ')}, a new study", run(str(path), home))
    print(f"\nload of the machine now: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
