"""Run the job of one study in this process, as `plumbline run` does."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import dagster as dg

from dagster_project.chunks import CHUNKS_TAG
from dagster_project.display import Display, display
from dagster_project.partitions import offer_studies
from dagster_project.progress import shown_by
from dagster_project.resources import WAVE_TAG, study_to_run
from python_assets.errors import PlumblineError
from python_assets.study.control_characters import printable
from python_assets.warehouse import paths
from python_assets.warehouse.build import make_folder, open_build
from python_assets.warehouse.progress import SILENT, duration

_INTERRUPTED: Final = "UNEXPECTED_TERMINATION"  # Dagster's word for a run that a signal ended


class RunFailed(PlumblineError):
    """A run did not end well; the text names the step and the reason."""


def run_study(
    study_id: str,
    *,
    verbose: bool = False,
    data_docs: bool = False,
    look: int | None = None,
    wave: str | None = None,
    chunks: int | None = None,
) -> None:
    """Materialise every asset of a study, showing each stage and how far it is on standard error.

    Args:
        study_id: a partition.
        verbose: show what Dagster and dbt print; else it goes to a log beside the build file.
        data_docs: also write Great Expectations' pages of what was checked, and print where; of a run that failed
            they tell why.
        look: which look at a study that declares looks; the next one where None.
        wave: of generations that declare none; the latest one of a study with waves where None.
        chunks: that inference is computed in; where None one, on Ray one for each CPU.

    Raises:
        RunFailed: a step or a blocking check failed.
        WarehouseError: the folder of the pages cannot be written.
        KeyboardInterrupt: SIGINT or SIGTERM came; what was answered and measured is kept.
    """
    from dagster_project.assets.common import CONFIRM_TAG, LOOK_TAG
    from dagster_project.definitions import definitions
    from dagster_project.event_log import instance_of_one_run

    run_id, log = str(uuid4()), paths.home().build(study_id).with_suffix(".log")
    job = definitions().resolve_job_def("run_study")
    with (
        instance_of_one_run() as instance,
        _printing_to(None if verbose else log),
        display() as shown,
        shown_by(SILENT if verbose else shown.progress),  # Dagster prints its log, where the same lines are
    ):
        offer_studies(instance, [study_id])
        instance.add_event_listener(run_id, _Stages(shown, len(job.nodes)).tell)
        result = job.execute_in_process(
            partition_key=study_id,
            instance=instance,
            raise_on_error=False,
            run_id=run_id,
            tags={CONFIRM_TAG: "plumbline run"}
            | ({} if look is None else {LOOK_TAG: str(look)})
            | ({WAVE_TAG: wave} if wave else {})
            | ({} if chunks is None else {CHUNKS_TAG: str(chunks)}),
            run_config={"loggers": {"console": {"config": {"log_level": "INFO" if verbose else "CRITICAL"}}}},
        )
    if _is_interrupted(result):
        raise KeyboardInterrupt
    if data_docs:
        print(f"Data Docs  {_write_data_docs(study_id, wave)}")
    if not result.success:
        headline = f"these failures, the whole log of which is {log}:"
        raise RunFailed(f"the run of {study_id}", "\n".join([headline, *_reasons(result)]))
    for compared in _gated(result):
        print(printable(compared))


def _write_data_docs(study_id: str, wave: str | None) -> Path:
    from expectations.runner import write_data_docs

    home, study = paths.home(), study_to_run(study_id, wave=wave)
    with open_build(home.build(study_id)) as connection:
        return write_data_docs(connection, study, home.data_docs(study_id))


@contextlib.contextmanager
def _printing_to(path: Path | None) -> Iterator[None]:
    if path is None:
        yield
        return
    make_folder(path.parent)
    with path.open("w", encoding="utf-8") as log, contextlib.redirect_stdout(log):
        yield


class _Stages:
    """Tells a display which stage of how many starts and ends; a check of a table is a stage too."""

    def __init__(self, shown: Display, n_stages: int) -> None:
        self._shown = shown
        self._n_stages = n_stages
        self._n_begun = 0
        self._title = ""

    def tell(self, record: dg.EventLogEntry) -> None:
        """Take one event of the run."""
        event = record.dagster_event
        if event is None:
            return
        if event.event_type == dg.DagsterEventType.STEP_START:
            self._n_begun += 1
            self._title = f"{self._n_begun:2} of {self._n_stages}  {event.step_key}"
            self._shown.begins(self._title)
        elif event.event_type == dg.DagsterEventType.STEP_UP_FOR_RETRY:
            retry = event.step_retry_data
            self._shown.ends(self._title, f"again in {retry.seconds_to_wait:g} s, for {_first_cause(retry.error)}")
        elif event.event_type == dg.DagsterEventType.STEP_RESTARTED:
            self._shown.begins(self._title)
        elif event.is_step_success:
            self._shown.ends(self._title, duration(event.step_success_data.duration_ms / 1000))
        elif event.is_step_failure:
            self._shown.ends(self._title, "failed")


def _is_interrupted(result: dg.ExecuteInProcessResult) -> bool:
    """Whether a signal ended it: Dagster takes SIGINT and SIGTERM while a job runs, and returns."""
    ends = (event.job_failure_data for event in result.all_events if event.is_job_failure)
    return any(end.failure_reason is not None and end.failure_reason.value == _INTERRUPTED for end in ends)


def _gated(result: dg.ExecuteInProcessResult) -> Iterator[str]:
    """What the gate found, where the study has it."""
    from dagster_project.gate_check import COMPARISON, GATE_CHECK

    for check in result.get_asset_check_evaluations():
        if check.check_name == GATE_CHECK:
            yield f"{check.description}\n{check.metadata[COMPARISON].value}\n"


def _reasons(result: dg.ExecuteInProcessResult) -> Iterator[str]:
    for event in result.all_events:
        if event.event_type == dg.DagsterEventType.ASSET_CHECK_EVALUATION:
            check = event.asset_check_evaluation_data
            if not check.passed and check.blocking and check.severity == dg.AssetCheckSeverity.ERROR:
                yield check.description or f"{check.asset_key.to_user_string()}: {check.check_name} failed"
        elif event.is_step_failure and event.step_failure_data.error:
            yield f"{event.step_key}: {_first_cause(event.step_failure_data.error)}"


def _first_cause(error: Any) -> str:
    """A mistake's own text; of any other error its first cause, with its kind."""
    while error.cause is not None:
        error = error.cause
    return error.message.strip()
