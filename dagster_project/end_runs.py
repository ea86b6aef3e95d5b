"""Runs that the UI started end with it: none goes on unseen in a process that nobody waits for."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import dagster as dg

GOING_ON: Final = (dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING)
_OF_A_SERVER: Final = ".dagster/grpc_info"  # the tag of a run that a code server started
_MOST_SECONDS: Final = 60.0  # a call of the user's own function is waited for
_SECONDS_BETWEEN_LOOKS: Final = 0.2


@contextmanager
def runs_ended(instance: dg.DagsterInstance) -> Iterator[None]:
    """End the runs that are going on when this ends, and say how they go on."""
    try:
        yield
    finally:
        if ended := end_runs(instance):
            print(
                f"{len(ended)} runs were interrupted. What was answered and measured is kept: "
                "start them again, and they ask for the rest and go on.",
                flush=True,
            )


def end_runs(instance: dg.DagsterInstance) -> list[str]:
    """Cancel every run that a code server has in a process of its own, and wait until it has ended.

    Args:
        instance: whose runs; those of `plumbline run` are no server's and go on.

    Returns:
        The ids of the runs that were cancelled.
    """
    runs = instance.get_runs(dg.RunsFilter(statuses=list(GOING_ON)))
    ids = [run.run_id for run in runs if _OF_A_SERVER in run.tags]
    for run_id in ids:
        instance.run_launcher.terminate(run_id)
    deadline = time.monotonic() + _MOST_SECONDS
    while _are_going_on(instance, ids) and time.monotonic() < deadline:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    return ids


def _are_going_on(instance: dg.DagsterInstance, run_ids: list[str]) -> bool:
    runs = [instance.get_run_by_id(run_id) for run_id in run_ids]
    return any(run is not None and not run.is_finished for run in runs)
