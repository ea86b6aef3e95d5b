"""Seconds of a run however small its study: the demo when all is cached, and a new study of 100 responses.

    python -m bench.bench_run_floor [--home FOLDER]

Each is run as a user would, `plumbline run`, in a warehouse where the demo has been run once before: texts
are embedded, dbt's project is parsed, Dagster's files exist. A home given is kept for the next time.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

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
generations: [{name: simulated, provider: simulator}]
measures: [vader]
groupings: [gender, place]
"""
DEMO: Final = "g20_demo"


class Run(NamedTuple):
    """One run: its seconds by the clock and of the processors, and of each step."""

    wall: float
    cpu: float
    steps: list[tuple[float, str]]


def run(study: str, home: Path) -> Run:
    """Run a study as the command line does."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "python_assets.cli", "run", study],
        cwd=paths.PROJECT,
        env={
            **os.environ,
            "PLUMBLINE_HOME": str(home),
            "DAGSTER_HOME": str(home / "dagster"),
            "PYTHONDONTWRITEBYTECODE": "",  # what was compiled once stays, as where nobody says otherwise
        },
        capture_output=True,
        text=True,
        check=False,
    )
    wall, after = perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(done.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    steps = [line.split(" s  ") for line in done.stderr.splitlines() if " s  " in line]
    return Run(wall, cpu, [(float(seconds), name) for seconds, name in steps])


def show(name: str, measured: Run) -> None:
    """Print one run and its steps, the longest first; what lies between them is imports and Dagster's own."""
    print(f"\n| {name} | {measured.wall:.1f} s | {measured.cpu:.1f} CPU seconds |\n|---|---|---|")
    for seconds, step in sorted(measured.steps, reverse=True):
        print(f"| {step} | {seconds:.1f} s | |")
    print(f"| all else | {measured.wall - sum(seconds for seconds, _ in measured.steps):.1f} s | |")


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--home", type=Path, help="a warehouse to use and keep")
    with tempfile.TemporaryDirectory() as folder:
        home = (parser.parse_args().home or Path(folder) / "warehouse").absolute()
        small = Path(folder) / "hundred_responses.yml"
        small.write_text(SMALL_STUDY, encoding="utf-8")
        if not home.joinpath("plumbline.duckdb").exists():
            run(DEMO, home)
        home.joinpath("build", "hundred_responses.duckdb").unlink(missing_ok=True)
        show("demo, warm", run(DEMO, home))
        show("100 responses, a new study", run(str(small), home))
    print(f"\nload of the machine now: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
