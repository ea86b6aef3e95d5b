"""Faults drawn by a seed, and whether the tests find them: one at a time, on a copy of the tree.

    python -m bench.mutation_faults draw SEED N TREE            prints N drawn faults as CSV, some of every room
    python -m bench.mutation_faults run TREE FAULTS LOG [-m M]  appends a row for each that LOG does not hold
    python -m bench.mutation_faults table LOG                   prints what became of each, in Markdown

A fault is known by its file's name and the text of its line, so it is the same where the file has moved.
Tests run from near to far until one fails: those of the file, of its folder and those around it, of the tables made of
it; M is the expression of pytest's marks that says which tier, that of `make test` unless it is given. What survives
has not met every test of the project, only every test that is about it. mutation_faults.csv is the list,
mutation_faults.md tells what became of them; a sixth column says why no test could find a fault.
"""

import argparse
import csv
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from pytest import ExitCode

from bench.fault_sites import Change, python_changes, sql_changes

CODE = ("python_assets", "dbt_models", "dagster_project", "expectations")
SQL = "SQL"
# the files of the areas that are no room of python_assets
AREAS = {
    SQL: "dbt_models/m*/**/*.sql",
    "dagster_project": "dagster_project/**/*.py",
    "expectations": "expectations/**/*.py",
}
# tests outside its folder that meet such a fault
FAR = {"infer": ("tests/dbt_models",), SQL: ("tests/dbt_models/test_project.py", "tests/dbt_models")}
TIME_LIMIT = 1_800


class Fault(NamedTuple):
    """One line to be changed. file: its name without the folder."""

    area: str
    kind: str
    file: str
    line: str
    changed: str


class Listed(NamedTuple):
    """A fault of the list; why nothing could find it is written there by hand."""

    fault: Fault
    why_equivalent: str


class Outcome(NamedTuple):
    """What became of a fault. stage: the tests that ran last."""

    result: str
    stage: str
    killed_by: str


def draw(seed: int, n: int, tree: Path) -> list[Fault]:
    """Faults of every area in the order of the seed, kinds by turns: one each, the others by how many lines it has."""
    rooms = {
        path.name: f"python_assets/{path.name}/**/*.py" for path in (tree / "python_assets").iterdir() if path.is_dir()
    }
    files = {area: sorted(tree.glob(pattern)) for area, pattern in sorted((rooms | AREAS).items())}
    n_lines = {
        area: sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)
        for area, paths in files.items()
        if paths
    }
    drawn = []
    for area, n_of_area in _shares(n_lines, n).items():
        rng = random.Random(f"{seed} {area}")
        by_kind: dict[str, list[Fault]] = {}
        for path in files[area]:
            for fault in _faults_of(path, area):
                by_kind.setdefault(fault.kind, []).append(fault)
        for faults in by_kind.values():
            rng.shuffle(faults)
        turns = list(by_kind.values())
        rng.shuffle(turns)  # else the few faults of small areas would all be of the first kind
        drawn += [fault for turn in zip_longest(*turns) for fault in turn if fault][:n_of_area]
    return drawn


def _shares(n_lines: dict[str, int], n: int) -> dict[str, int]:
    """How many of n each has, divided by largest remainder, after one for each."""
    left, every = n - len(n_lines), sum(n_lines.values())
    exact = {area: left * lines / every for area, lines in n_lines.items()}
    shares = {area: 1 + int(share) for area, share in exact.items()}
    by_remainder = sorted(exact, key=lambda area: int(exact[area]) - exact[area])
    for area in by_remainder[: n - sum(shares.values())]:
        shares[area] += 1
    return shares


def _faults_of(path: Path, area: str) -> Iterator[Fault]:
    """Faults in lines that the file holds once."""
    source = path.read_text(encoding="utf-8")
    lines = [line.strip() for line in source.splitlines()]
    changes: Iterator[Change] = (python_changes if path.suffix == ".py" else sql_changes)(source)
    for change in changes:
        if lines.count(change.line.strip()) == 1:
            yield Fault(area, change.kind, path.name, change.line.strip(), change.changed.strip())


def _place(tree: Path, fault: Fault) -> tuple[Path, int] | None:
    """File and index of the line: in the file of that name, else where it stands alone."""
    suffix = Path(fault.file).suffix
    everywhere = [
        (path, index)
        for folder in CODE
        for path in sorted((tree / folder).rglob(f"*{suffix}"))
        for index, line in enumerate(path.read_text(encoding="utf-8").splitlines())
        if line.strip() == fault.line
    ]
    named = [place for place in everywhere if place[0].name == fault.file]
    found = named or everywhere
    return found[0] if len(found) == 1 else None


def run(tree: Path, faults: list[Listed], log: Path, marks: str) -> None:
    """Run the tests against every fault that the log does not hold."""
    done = {tuple(row[: len(Fault._fields)]) for row in _rows(log)} if log.exists() else set()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(tree, copy, ignore=partial(_left_out, tree))
        for fault, why in faults:
            if tuple(fault) in done:
                continue
            home = Path(folder) / "home"
            outcome = Outcome("equivalent", "", why) if why else _run_one(copy, fault, home, marks)
            with log.open("a", encoding="utf-8", newline="") as file:
                csv.writer(file).writerow([*fault, *outcome])


def _left_out(tree: Path, folder: str, _: list[str]) -> set[str]:
    """What no test needs; the room python_assets/warehouse has the name of the folder of databases."""
    of_tree = {".git", ".venv", ".dagster", "warehouse"} if Path(folder) == tree else set()
    return of_tree | {"__pycache__"}


def _run_one(copy: Path, fault: Fault, home: Path, marks: str) -> Outcome:
    place = _place(copy, fault)
    if place is None:
        return Outcome("no such line", "", "")
    path, index = place
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines(keepends=True)
    lines[index] = lines[index].replace(fault.line, fault.changed)
    path.write_text("".join(lines), encoding="utf-8")
    try:
        return _first_failure(copy, _stages(copy, path, fault.area), home, marks)
    finally:
        path.write_text(source, encoding="utf-8")


def _stages(copy: Path, path: Path, area: str) -> list[str]:
    """Tests from near to far."""
    own = sorted((copy / "tests").rglob(f"test_{path.stem}.py"))
    # a room's sub-rooms test one another; python_assets as a whole is not near
    folders = [
        copy / "tests" / folder for folder in path.relative_to(copy).parents if folder.name not in ("", "python_assets")
    ]
    near = [*own, *folders] if path.suffix == ".py" else own
    return [*(str(test.relative_to(copy)) for test in near if test.exists()), *FAR.get(area, ())]


def _first_failure(copy: Path, stages: list[str], home: Path, marks: str) -> Outcome:
    """Tests of every stage."""
    for stage in stages:
        environment = {**os.environ, "PYTHONPATH": str(copy), "OMP_NUM_THREADS": "1"}
        environment["PLUMBLINE_HOME"] = str(home)
        options = ["-x", "-q", "-rfE", "--snapshot-disable-unused", "-m", marks]
        command = [sys.executable, "-m", "pytest", *options, stage]
        try:
            done = subprocess.run(
                command, cwd=copy, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT, check=False
            )
        except subprocess.TimeoutExpired:
            # not found by a test: a busy machine comes to no end either
            return Outcome(f"no end within {TIME_LIMIT} s", stage, "")
        if done.returncode == ExitCode.USAGE_ERROR:
            raise RuntimeError(done.stderr or done.stdout)
        if done.returncode not in (ExitCode.OK, ExitCode.NO_TESTS_COLLECTED):
            return Outcome("killed", stage, _who(done.stdout))
    return Outcome("survived", stages[-1], "") if stages else Outcome("no test near", "", "")


def _who(output: str) -> str:
    """The first test that failed; of a dbt build the test or model in it."""
    dbt = re.search(r"(?:Failure|Error) in (?:unit_test|test|model|seed) (\w+)", output)
    found = re.findall(r"^(?:FAILED|ERROR) (\S+)", output, flags=re.MULTILINE)
    test = found[0] if found else "collection"
    return f"dbt: {dbt[1]}" if dbt else test


def table(log: Path) -> Iterator[str]:
    """Lines of Markdown: every fault, and the test that found it."""
    yield "| # | in | fault | line as it is, and with the fault | found by |"
    yield "|---|---|---|---|---|"
    n = len(Fault._fields)
    for number, row in enumerate(_rows(log), start=1):
        fault = Fault(*row[:n])
        lines = " → ".join(f"`{line or ' '}`".replace("|", "\\|") for line in (fault.line, fault.changed))
        yield f"| {number} | {fault.file} | {fault.kind} | {lines} | {_shown(Outcome(*row[n:]))} |"


def _shown(outcome: Outcome) -> str:
    if outcome.result == "equivalent":
        return f"none can: {outcome.killed_by}"
    return outcome.killed_by.split("::")[-1] if outcome.result == "killed" else outcome.result


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True, dest="command")
    drawing = commands.add_parser("draw")
    drawing.add_argument("seed", type=int)
    drawing.add_argument("n", type=int)
    drawing.add_argument("tree", type=Path)
    running = commands.add_parser("run")
    for name in ("tree", "faults", "log"):
        running.add_argument(name, type=Path)
    running.add_argument("-m", dest="marks", default="not run")
    showing = commands.add_parser("table")
    showing.add_argument("log", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "draw":
        csv.writer(sys.stdout).writerows(draw(arguments.seed, arguments.n, arguments.tree))
    elif arguments.command == "table":
        print("\n".join(table(arguments.log)))
    else:
        n = len(Fault._fields)
        listed = [Listed(Fault(*row[:n]), "".join(row[n:])) for row in _rows(arguments.faults)]
        run(arguments.tree, listed, arguments.log, arguments.marks)


if __name__ == "__main__":
    main()
