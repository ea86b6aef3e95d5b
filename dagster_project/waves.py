"""Waves as they begin: a sensor, off until it is switched on, that runs each study with `waves` in its file."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

import dagster as dg

from dagster_project.assets.common import CONFIRM_TAG
from dagster_project.jobs import run_study
from dagster_project.partitions import PARTITION_TAG
from dagster_project.resources import WAVE_TAG
from python_assets.errors import StudyFileError
from python_assets.study.waves import Wave, Waves
from python_assets.study_file.in_wave import OF_NO_RUN
from python_assets.warehouse.paths import studies_folder, study_names

_SECONDS_BETWEEN_LOOKS: Final = 60
WITHOUT_ANSWERS: Final = (dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED)


@dg.sensor(
    job=run_study,
    minimum_interval_seconds=_SECONDS_BETWEEN_LOOKS,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description=(
        "Runs each study with waves in its file as a wave begins, however many calls it makes, while this is on. "
        "A wave that was run already, by whomever, is not run again; of several that began while nothing ran, the last."
    ),
)
def waves(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """Request the runs of waves that began since the last look; the first look after it was switched on asks none."""
    seen: dict[str, str] = {} if context.is_first_tick_since_sensor_start else json.loads(context.cursor or "{}")
    latest = dict(_latest(datetime.now(UTC)))
    # a file that cannot be read now keeps its place: its wave is asked once it is mended
    kept = {name: at for name, at in seen.items() if name in study_names()}
    cursor = kept | {name: wave.begins_at.isoformat() for name, wave in latest.items()}
    return dg.SensorResult(
        run_requests=[
            _request(name, wave)
            for name, wave in latest.items()
            if seen.get(name, cursor[name]) < cursor[name] and not _is_run(context.instance, name, wave)
        ],
        cursor=json.dumps(cursor),
    )


def _latest(now: datetime) -> Iterator[tuple[str, Wave]]:
    for name in study_names():
        path = studies_folder() / f"{name}.yml"
        if path.is_file() and (study_waves := _waves_of(path, path.stat().st_mtime_ns)):
            yield name, study_waves.latest(now)


@lru_cache(maxsize=1_000)
def _waves_of(path: Path, _changed_at: int) -> Waves | None:
    """None of a study without waves, or whose file has mistakes: sensor study_files tells them."""
    from python_assets.study_file.load import load_study

    try:
        return load_study(path, check_files=False, wave=OF_NO_RUN).waves
    except StudyFileError:
        return None


def _request(study_id: str, wave: Wave) -> dg.RunRequest:
    # whoever wrote waves and switched this on knows how much it asks
    tags = {WAVE_TAG: wave.name, CONFIRM_TAG: "waves"}
    return dg.RunRequest(run_key=f"{study_id} {wave.name}", partition_key=study_id, tags=tags)


def _is_run(instance: dg.DagsterInstance, study_id: str, wave: Wave) -> bool:
    runs = instance.get_runs(dg.RunsFilter(tags={PARTITION_TAG: study_id, WAVE_TAG: wave.name}))
    return any(run.status not in WITHOUT_ANSWERS for run in runs)
