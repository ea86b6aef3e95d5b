"""What a gate found, as one page that needs no other file: the words of text.py in the look of a report.

Belongs here: what the two runs were made with, and filling the template. The rules are moved.py.
"""

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from python_assets.gate.both_runs import BothRuns
from python_assets.gate.moved import Gate
from python_assets.gate.text import AGAINST_OTHERS, CHANGE_COLUMNS, tell
from python_assets.published.archived import MARTS, ArchivedRun
from python_assets.published.copies import literal
from python_assets.published.manifest import read_manifest
from python_assets.published.merge import RUNS
from python_assets.report.templates import template, write_page
from python_assets.report.text import SIMULATED
from python_assets.warehouse.build import connect

# columns of the table whose cells are numbers
_NUMBERS: Final = frozenset({"mean then", "mean now", "against others", "margin"})


class RunMade(NamedTuple):
    """A run and what it was made with; generations and instruments by name, in words."""

    name: str
    run_id: str
    published_at: str
    systems: dict[str, str]
    scorers: dict[str, str]


def write_gate_page(gate: Gate, runs: BothRuns, path: Path) -> None:
    """Write what a gate found as a page, in place of an earlier one.

    Args:
        gate: what was found.
        runs: which runs were compared.
        path: the HTML file.

    Raises:
        SourceError: a manifest cannot be read.
        WarehouseError: the page cannot be written.
    """
    manifests = [read_manifest(run.manifest, "archive") for run in (runs.then, runs.now)]
    simulated = {str(row["system_id"]) for one in manifests for row in one.systems if row.get("is_simulated")}
    content = {
        "study_id": runs.study_id,
        "title": manifests[-1].title,
        "version": manifests[-1].plumbline_version,
        "made": [_made("then", runs.then), _made("now", runs.now)],
        "told": tell(gate),
        "columns": CHANGE_COLUMNS,
        "numbers": _NUMBERS,
        "against_others": AGAINST_OTHERS,
        "alpha": gate.alpha,
        "simulated": sorted(simulated),
        "warning": SIMULATED,
    }
    write_page(path, template("gate.html").render(content).encode())


def _made(name: str, run: ArchivedRun) -> RunMade:
    """What the row of a run in runs says, as it was kept with the run."""
    with connect() as connection:
        file = literal(str(run.folder / MARTS / f"{RUNS}.parquet"))
        query = f"select systems_json, scorers_json from read_parquet({file}) where run_id = ?"
        systems, scorers = connection.execute(query, [run.run_id]).fetchall()[0]
    read: dict[str, list[str]] = {}
    for one in json.loads(scorers):
        read.setdefault(one["measure_id"], []).append(one["scorer_version"])
    return RunMade(
        name,
        run.run_id,
        run.published_at[:16].replace("T", " "),
        {one["system_id"]: _in_words(one) for one in json.loads(systems)},
        {measure: ", ".join(versions) for measure, versions in read.items()},
    )


def _in_words(system: dict[str, Any]) -> str:
    digest, wave = (system["model_digest"] or "")[:12], system["wave"]
    facts = [system["provider"], system["model"], digest and f"digest {digest}", wave and f"wave {wave}"]
    return ", ".join(filter(None, facts))
