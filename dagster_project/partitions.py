"""A study is a partition, and its file an observed version; a sensor offers files written while the UI is up."""

import hashlib
import json
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import dagster as dg

from dagster_project.instance import instance_of_home
from python_assets.errors import StudyFileError
from python_assets.study.control_characters import printable
from python_assets.warehouse.paths import studies_folder, study_names

_SECONDS_BETWEEN_LOOKS: Final = 10
VERSION_TAG: Final = "dagster/data_version"
PARTITION_TAG: Final = "dagster/partition"  # of a run of one study
_MISTAKE: Final = "mistake"

studies = dg.DynamicPartitionsDefinition(name="studies")

study_file = dg.AssetSpec(
    "study_file",
    group_name="study",
    description=(
        "The file of a study: what is compared. Everything of the study is made of one version of it, and is stale "
        "when that changes; comments and spaces change nothing."
    ),
    kinds={"yaml"},
    partitions_def=studies,
)


@contextmanager
def checks_of_studies() -> Iterator[None]:
    """Let checks be declared with partitions, so that a study which fails turns its own red; Dagster previews it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.PreviewWarning)
        yield


def offer_all_studies() -> None:
    """Offer every study file to the instance of DAGSTER_HOME, where one is set; name those with mistakes.

    Raises:
        HistoryError: DAGSTER_HOME is of another version of Dagster.
    """
    if not os.environ.get("DAGSTER_HOME"):
        return
    with instance_of_home() as instance:
        for seen in offer_studies(instance, study_names()):
            if mistake := seen.metadata.get(_MISTAKE):
                _tell(str(mistake.value))


@cache
def _tell(mistake: str) -> None:
    """Name a study file once: Dagster loads definitions more than once in a process."""
    print(printable(mistake), file=sys.stderr, flush=True)


def offer_studies(instance: dg.DagsterInstance, names: Sequence[str]) -> list[dg.AssetObservation]:
    """Make studies partitions that can be chosen, and record the versions of their files that are new.

    Returns:
        What was seen of each study.
    """
    instance.add_dynamic_partitions(str(studies.name), list(names))
    seen = look_at(names)
    for observation in new_versions(instance, seen):
        instance.report_runless_asset_event(observation)
    return seen


def look_at(names: Sequence[str]) -> list[dg.AssetObservation]:
    """The version of each study file that can be told here, or its mistakes."""
    paths = (studies_folder() / f"{name}.yml" for name in names)
    observations = (_observation(path, path.stat().st_mtime_ns) for path in paths if path.is_file())
    return [observation for observation in observations if observation]


def new_versions(instance: dg.DagsterInstance, seen: Sequence[dg.AssetObservation]) -> list[dg.AssetObservation]:
    """Those that are not what was last recorded."""
    return [one for one in seen if one.data_version != _recorded(instance, str(one.partition))]


def _recorded(instance: dg.DagsterInstance, name: str) -> str | None:
    records_filter = dg.AssetRecordsFilter(asset_key=study_file.key, asset_partitions=[name])
    records = instance.fetch_observations(records_filter, limit=1).records
    last = records[0].asset_observation if records else None
    return last.data_version if last else None


@lru_cache(maxsize=1_000)
def _observation(path: Path, _changed_at: int) -> dg.AssetObservation | None:
    """What is seen of a study file; None where it cannot be read for want of a variable of the environment."""
    from python_assets.study_file.in_wave import OF_NO_RUN
    from python_assets.study_file.load import load_study

    metadata: dict[str, dg.MetadataValue] = {"path": dg.MetadataValue.path(str(path))}
    try:
        version = load_study(path, check_files=False, wave=OF_NO_RUN).config_sha256
    except StudyFileError as error:
        if any(problem.variable for problem in error.problems):
            return None
        version = hashlib.sha256(str(error).encode()).hexdigest()
        metadata[_MISTAKE] = dg.MetadataValue.text(_in_a_line(error))
    return dg.AssetObservation(study_file.key, partition=path.stem, metadata=metadata, tags={VERSION_TAG: version})


def _in_a_line(error: StudyFileError) -> str:
    first, n = StudyFileError(error.path, error.problems[:1]), len(error.problems)
    return f"{first} (and {n - 1} more: plumbline plan {error.path.stem})" if n > 1 else str(first)


@dg.sensor(
    minimum_interval_seconds=_SECONDS_BETWEEN_LOOKS,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Offers every file of the studies folder, no other, and sees when one is edited.",
)
def study_files(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Compare the studies folder with the partitions and with the versions that were seen.

    A partition without a file goes at the second look, and not while a run of it goes on.
    """
    there, offered = study_names(), context.instance.get_dynamic_partitions(str(studies.name))
    new = [name for name in there if name not in offered]
    gone = [name for name in offered if name not in there]
    # a run of a file that lies elsewhere, such as one of the shelf, offers it before it begins
    before = json.loads(context.cursor or "[]")
    left = [name for name in gone if name in before and not _is_run(context.instance, name)]
    edited = new_versions(context.instance, look_at(there))
    if not new and gone == before and not left and not edited:
        return dg.SkipReason("Every study file is offered already, as it is.")
    changes = [
        request(names)
        for request, names in ((studies.build_add_request, new), (studies.build_delete_request, left))
        if names
    ]
    still_gone = [name for name in gone if name not in left]
    return dg.SensorResult(dynamic_partitions_requests=changes, asset_events=edited, cursor=json.dumps(still_gone))


def _is_run(instance: dg.DagsterInstance, name: str) -> bool:
    runs = instance.get_runs(dg.RunsFilter(tags={PARTITION_TAG: name}), limit=1)
    return any(not run.is_finished for run in runs)
