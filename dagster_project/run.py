"""Run the job of one study in this process, as `plumbline run` does."""

import dagster as dg

from python_assets.errors import PlumblineError


class RunFailed(PlumblineError):
    """A run did not end well; the text names the step and the reason."""


def run_study(study_id: str, *, verbose: bool = False) -> None:
    """Materialise every asset of a study.

    Raises:
        RunFailed: a step or a blocking check failed.
    """
    from dagster_project.definitions import defs

    job = defs.resolve_job_def("run_study")
    with dg.DagsterInstance.get() as instance:
        result = job.execute_in_process(
            partition_key=study_id,
            instance=instance,
            raise_on_error=False,
            run_config={"loggers": {"console": {"config": {"log_level": "INFO" if verbose else "ERROR"}}}},
        )
    if not result.success:
        raise RunFailed(_why(result))


def _why(result: dg.ExecuteInProcessResult) -> str:
    failures = [event for event in result.all_events if event.is_step_failure]
    lines = [f"The run of the study failed ({result.run_id})."]
    for event in failures:
        error = event.step_failure_data.error
        while error is not None and error.cause is not None:
            error = error.cause
        text = error.message.strip() if error else event.message or ""
        lines.append(f"{event.step_key}: {text.removeprefix('python_assets.errors.')}")
    return "\n".join(lines)
