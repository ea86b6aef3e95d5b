"""The runs of a study that are kept, and what lies in the folder of one.

Belongs here: finding them. Writing one is archive.py; its manifest is read by manifest.py.
"""

import json
from pathlib import Path
from typing import Final, NamedTuple

from python_assets.errors import WarehouseError
from python_assets.published.manifest import MANIFEST_FILE
from python_assets.study.problems import listed, nearest
from python_assets.warehouse.build import UNFINISHED, Home

MARTS: Final = "marts"


class ArchivedRun(NamedTuple):
    """A run that is kept: its folder, and when it was published, as its manifest writes it."""

    run_id: str
    published_at: str
    folder: Path

    @property
    def path(self) -> str:
        """The folder, from the folder of the warehouse."""
        return "/".join(self.folder.parts[-3:])

    @property
    def manifest(self) -> Path:
        """The file that says what lies there."""
        return self.folder / MANIFEST_FILE


def archived_runs(home: Home, study_id: str) -> list[ArchivedRun]:
    """The runs of a study that are kept, the latest first; those of other versions of Plumbline too."""
    runs = []
    for path in home.archives(study_id).glob(f"*/{MANIFEST_FILE}"):
        published_at = _published_at(path)
        if published_at and not path.parent.name.endswith(UNFINISHED):
            runs.append(ArchivedRun(path.parent.name, published_at, path.parent))
    return sorted(runs, key=lambda run: (run.published_at, run.run_id), reverse=True)


def archived_run(home: Home, study_id: str, run_id: str) -> ArchivedRun:
    """One run of a study that is kept.

    Args:
        home: the warehouse.
        study_id: the study.
        run_id: as runs has it, or the beginning of one.

    Raises:
        WarehouseError: there is none of that name, or several begin so; the text names those that are kept.
    """
    where, runs = f"the kept runs of {study_id}", archived_runs(home, study_id)
    matches = [run for run in runs if run.run_id.startswith(run_id)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        got = f"{run_id!r}, which begins {len(matches)} runs: {_named(matches)}"
        raise WarehouseError(where, got, "one of them", "write it out")
    if not runs:
        remedy = f"run it with: plumbline run {study_id}"
        raise WarehouseError(where, f"no run in {home.archives(study_id)}", remedy=remedy)
    near = nearest(run_id, [run.run_id for run in runs])
    remedy = f"did you mean {near}?" if near else "name one of them"
    raise WarehouseError(where, repr(run_id), f"one of {_named(runs)}", remedy)


def _named(runs: list[ArchivedRun]) -> str:
    return listed(f"{run.run_id} of {run.published_at[:16].replace('T', ' ')}" for run in runs)


def _published_at(path: Path) -> str:
    """When a run was published; '' where the manifest does not say so, which is then none of ours."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return ""
    return str(content.get("published_at", "")) if isinstance(content, dict) else ""
