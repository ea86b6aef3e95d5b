"""The study that compares two kept runs of a study: written as any user could, and run like any other.

Belongs here: which runs, and from the study file of the later one what is still of use. What the comparison
found is moved.py.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from python_assets.errors import WarehouseError
from python_assets.gate.kept_labels import write_labels
from python_assets.importers.copies import read_copies
from python_assets.published.archived import MARTS, ArchivedRun, archived_run, archived_runs
from python_assets.published.manifest import MANIFEST_FILE, Manifest, read_manifest
from python_assets.study.factors import OF_SYSTEMS
from python_assets.study.problems import listed
from python_assets.study.study import make_id
from python_assets.warehouse.build import Home, make_folder

THEN: Final = "then"
NOW: Final = "now"
# of `analysis`: what is compared, how surely; what else a study asks of one run is not asked again
_KEPT: Final = ("permutations", "bootstrap", "alpha", "seed", "margins", "default_margins", "missing", "quality")


class BothRuns(NamedTuple):
    """Two runs of a study: then, which the later one is held against, and now."""

    study_id: str
    then: ArchivedRun
    now: ArchivedRun


def both_runs(home: Home, study_id: str, against: str) -> BothRuns:
    """The latest run of a study that is kept, and an earlier one.

    Args:
        home: the warehouse.
        study_id: the study.
        against: the earlier run, or the beginning of its name.

    Raises:
        WarehouseError: there is no such run, it is the latest itself, one of the two has no responses, or the
            study has no grouping of prompts.
        SourceError: a manifest cannot be read, or is of another version of Plumbline.
    """
    then = archived_run(home, study_id, against)
    now = archived_runs(home, study_id)[0]
    if then == now:
        earlier = [run.run_id for run in archived_runs(home, study_id)[1:]]
        got, expected = f"{then.run_id}, the latest run itself", f"one before it: {listed(earlier)}"
        raise WarehouseError(f"study {study_id}", got, expected, "name an earlier one")
    if not _groupings(_manifest(now)):
        remedy = "add a grouping by a factor of prompts to its study file, and run it again"
        where, expected = f"run {now.run_id} of {study_id}", "groups of prompts, which could move"
        raise WarehouseError(where, "none", expected, remedy)
    for run in (then, now):
        if not _n_responses(_manifest(run)):
            where, expected = f"run {run.run_id} of {study_id}", "responses to compare with"
            raise WarehouseError(where, "none", expected, "take another run")
    return BothRuns(study_id, then, now)


@contextmanager
def comparison_home(home: Home) -> Iterator[Home]:
    """A warehouse for a comparison alone, removed at the end; what dbt has parsed already is that of home.

    Raises:
        WarehouseError: it cannot be made.
    """
    parsed = home.root / "build" / "dbt"
    make_folder(parsed)
    with TemporaryDirectory(prefix="gate-", dir=parsed.parent) as folder:
        compared = Home(Path(folder))
        make_folder(compared.root / "build")
        (compared.root / "build" / "dbt").symlink_to(parsed, target_is_directory=True)
        yield compared


def write_comparison(runs: BothRuns, folder: Path) -> Path:
    """Write the study file that compares two runs, both runs under the waves then and now beside it, and their labels.

    Args:
        runs: of both_runs.
        folder: the study file gets the name of the study in it.

    Returns:
        The study file.

    Raises:
        SourceError: a manifest cannot be read.
    """
    studies = folder / "studies"
    studies.mkdir()
    for wave, run in ((THEN, runs.then), (NOW, runs.now)):
        _write_wave(run, wave, studies / wave)
    path = studies / f"{runs.study_id}.yml"
    comparison = _comparison(_manifest(runs.now))
    if labels := write_labels(read_copies([studies / wave / MANIFEST_FILE for wave in (THEN, NOW)]), studies):
        comparison["human_labels"] = labels
    written = json.dumps(comparison, ensure_ascii=False, indent=2)  # which is YAML, too
    path.write_text(written, encoding="utf-8")
    return path


def _manifest(run: ArchivedRun) -> Manifest:
    return read_manifest(run.manifest, "archive")


def _n_responses(manifest: Manifest) -> int:
    return sum(file.n_rows for file in manifest.files if file.name == "responses.parquet")


def _write_wave(run: ArchivedRun, wave: str, folder: Path) -> None:
    """A run whose generations are of one wave and of nothing else, so that they pair by their names."""
    manifest = _manifest(run)
    named = {row["system_id"]: {"wave": wave} for row in manifest.systems}
    folder.mkdir()
    (folder / MARTS).symlink_to(run.folder / MARTS, target_is_directory=True)
    wave_manifest = manifest.model_copy(update={"system_factors": named})
    (folder / MANIFEST_FILE).write_text(wave_manifest.model_dump_json(), encoding="utf-8")


def _comparison(manifest: Manifest) -> dict[str, Any]:
    config = manifest.config
    analysis = {key: value for key, value in config.get("analysis", {}).items() if key in _KEPT}
    recorded = {row["measure_id"] for row in manifest.measures}
    analysis["margins"] = dict(_margins(analysis.get("margins", {}), recorded))
    return {
        "title": manifest.title,
        "prompts": {"import": {"format": "plumbline", "path": [f"{wave}/{MANIFEST_FILE}" for wave in (THEN, NOW)]}},
        "systems": [{"name": "*", "provider": "replay"}],
        "slices": _slices(manifest),
        "groupings": _groupings(manifest),
        "analysis": {**analysis, "statistics": ["mean"], "compare": {"reference": THEN}},
        "keep": 1,
    }


def _margins(declared: Mapping[str, Any], recorded: set[str]) -> Iterator[tuple[str, Any]]:
    """Of measures that are not recorded, such as those of clusters, none."""
    for name, margin in declared.items():
        if not isinstance(margin, dict) or make_id(name) in recorded:
            yield name, margin


def _groupings(manifest: Manifest) -> list[list[str]]:
    """The groupings by factors of prompts: groups of models are not those of two runs."""
    model_factors = _of_models(manifest)
    return [grouping for grouping in manifest.config["groupings"] if not set(grouping) & model_factors]


def _slices(manifest: Manifest) -> dict[str, Any]:
    """The slices by factors of prompts; each: the factor that every level of is one."""
    model_factors = _of_models(manifest)
    return {
        name: slice_
        for name, slice_ in manifest.config.get("slices", {}).items()
        if not ({slice_} if isinstance(slice_, str) else set(slice_)) & model_factors
    }


def _of_models(manifest: Manifest) -> set[str]:
    declared = manifest.config.get("factors", {})
    model_factors = {name for name, factor in declared.items() if factor.get("type") == "model"}
    return model_factors | (set(OF_SYSTEMS) - set(manifest.factors))
