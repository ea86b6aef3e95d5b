"""The kept run that a run of a wave is held against: the last one of the wave before."""

from datetime import datetime
from typing import NamedTuple

from python_assets.published.archived import ArchivedRun, archived_runs
from python_assets.published.manifest import Manifest, read_manifest
from python_assets.study.waves import Waves
from python_assets.warehouse.build import Home


class EarlierRun(NamedTuple):
    """A kept run, and the wave that it is of."""

    run: ArchivedRun
    wave: str


def run_of_wave_before(home: Home, study_id: str, waves: Waves, wave: str, now: datetime) -> EarlierRun | None:
    """The last kept run of the latest earlier wave that one is kept of.

    A run is of the latest wave that a generation of it is of: others may declare one of their own.

    Args:
        home: the warehouse.
        study_id: the study.
        waves: of its study file.
        wave: that of the run which is held against another.
        now: in UTC.

    Returns:
        None where no run of an earlier wave is kept.

    Raises:
        SourceError: a manifest cannot be read, or is of another version of Plumbline.
    """
    names = [begun.name for begun in waves.begun(now)]
    earlier = names[names.index(wave) + 1 :]
    run_by_wave: dict[str, ArchivedRun] = {}
    for run in archived_runs(home, study_id):
        declared = _waves_of(read_manifest(run.manifest, "archive"))
        if (run_wave := next((name for name in names if name in declared), None)) is not None:
            run_by_wave.setdefault(run_wave, run)
    before = next((name for name in earlier if name in run_by_wave), None)
    return None if before is None else EarlierRun(run_by_wave[before], before)


def _waves_of(manifest: Manifest) -> set[str]:
    return {levels["wave"] for levels in manifest.system_factors.values() if "wave" in levels}
