"""Dagster's event log in SQLite, without a connection and a wait for the disk for every event.

A run stores hundreds of events; opening, flushing and closing a file for each took a third of a small study's
time. The files are Dagster's own: the UI reads them as ever, also while a run is going on.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

import dagster as dg
import sqlalchemy
from sqlalchemy.pool import StaticPool

from dagster_project.instance import instance_of_home

DEFAULT_STORAGE: Final = "SqliteEventLogStorage"
INDEX: Final = "index of all assets"
BUSY_SECONDS: Final = 30


def instance_of_one_run() -> dg.DagsterInstance:
    """The instance of DAGSTER_HOME; where its event log is Dagster's default, its files stay open.

    Not for a server, which reads the files of many runs.

    Raises:
        HistoryError: it is of another version of Dagster.
    """
    instance = instance_of_home()
    storage: Any = instance.event_log_storage
    if type(storage).__name__ == DEFAULT_STORAGE:
        kept = _KeptOpen(storage)
        storage.run_connection, storage.index_connection = kept.run_connection, kept.index_connection
        storage.has_table, storage.dispose = kept.has_table, kept.dispose
        storage.has_dynamic_partition = kept.has_dynamic_partition
    return instance


class _KeptOpen:
    """One connection for the run and one for the index of all assets, until the process ends."""

    def __init__(self, storage: Any) -> None:
        self._open_run, self._open_index = storage.run_connection, storage.index_connection
        self._has_table, self._dispose = storage.has_table, storage.dispose
        self._has_partition = storage.has_dynamic_partition
        self._tables: set[str] = set()
        self._partitions: set[tuple[str, str]] = set()
        self._engines: dict[str, sqlalchemy.Engine] = {}
        self._engines_lock = threading.Lock()

    def run_connection(self, run_id: str | None = None) -> AbstractContextManager[sqlalchemy.Connection]:
        """A transaction on the events of a run."""
        return self._transaction(str(run_id), lambda: self._open_run(run_id))

    def index_connection(self) -> AbstractContextManager[sqlalchemy.Connection]:
        """A transaction on the events of all assets."""
        return self._transaction(INDEX, self._open_index)

    def has_table(self, name: str) -> bool:
        """Whether the index has a table: one that was there stays, and Dagster asks before most of what it looks up."""
        if name not in self._tables and self._has_table(name):
            self._tables.add(name)
        return name in self._tables

    def has_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> bool:
        """Whether a partition is there: that of a run stays, and Dagster asks twice for every table."""
        key = (partitions_def_name, partition_key)
        if key not in self._partitions and self._has_partition(*key):
            self._partitions.add(key)
        return key in self._partitions

    @contextmanager
    def _transaction(
        self, name: str, open_once: Callable[[], AbstractContextManager[sqlalchemy.Connection]]
    ) -> Iterator[sqlalchemy.Connection]:
        with self._engines_lock:
            if name not in self._engines:
                with open_once() as connection:  # Dagster makes the tables of a new file
                    address = connection.engine.url
                self._engines[name] = _engine(address)
            with self._engines[name].begin() as connection:
                yield connection

    def dispose(self) -> None:
        """Close the files."""
        with self._engines_lock:
            while self._engines:
                self._engines.popitem()[1].dispose()
        self._dispose()


def _engine(address: sqlalchemy.URL) -> sqlalchemy.Engine:
    engine = sqlalchemy.create_engine(
        address, poolclass=StaticPool, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False}
    )

    @sqlalchemy.event.listens_for(engine, "connect")
    def no_wait_for_the_disk(connection: Any, _record: Any) -> None:
        # the log is written ahead: if the machine stops, the last events may be lost, the file is whole
        connection.execute("pragma synchronous = normal")

    return engine
