"""Dagster's instance: what it keeps of runs, tables and partitions in the folder DAGSTER_HOME."""

import os

import dagster as dg

from python_assets.errors import PlumblineError


class HistoryError(PlumblineError):
    """What DAGSTER_HOME keeps is of another version of Dagster."""


def instance_of_home() -> dg.DagsterInstance:
    """The instance of DAGSTER_HOME, whose tables are those of the installed Dagster.

    Raises:
        HistoryError: they are of another version.
    """
    instance = dg.DagsterInstance.get()
    for storage in (instance.run_storage, instance.event_log_storage, instance.schedule_storage):
        version = storage.alembic_version() if storage else None
        if version and version[0] != version[1]:
            instance.dispose()
            home = os.environ["DAGSTER_HOME"]
            got, expected = "runs that another version of Dagster kept", "those of the installed one"
            remedy = f"bring them up to date: DAGSTER_HOME={home} dagster instance migrate; or name another folder"
            raise HistoryError(f"DAGSTER_HOME {home}", got, expected, remedy)
    return instance
