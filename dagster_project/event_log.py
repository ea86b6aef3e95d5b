"""Dagster's event log in SQLite, without a connection and a wait for the disk for every event.

A run stores hundreds of events; opening, flushing and closing a file for each took a third of a small study's
time. The files are Dagster's own: the UI reads them as ever, also while a run is going on.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
import sqlalchemy
from dagster._core.instance import InstanceRef
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME
from sqlalchemy.pool import StaticPool

BUSY_SECONDS = 30


def instance_of_one_run() -> dg.DagsterInstance:
    """The instance of DAGSTER_HOME; where its event log is Dagster's default, its files stay open."""
    instance = dg.DagsterInstance.get()
    if type(instance.event_log_storage) is not SqliteEventLogStorage:
        return instance
    home = os.environ["DAGSTER_HOME"]
    kept_open = {
        "module": KeptOpenEventLog.__module__,
        "class": KeptOpenEventLog.__name__,
        "config": {"base_dir": str(Path(home) / "history" / "runs")},
    }
    return dg.DagsterInstance.from_ref(InstanceRef.from_dir(home, overrides={"event_log_storage": kept_open}))


class KeptOpenEventLog(SqliteEventLogStorage):
    """One connection for the run and one for the index of all assets, until the process ends.

    Not for a server, which reads the files of many runs.
    """

    def __init__(self, base_dir: str, inst_data: Any = None) -> None:
        self._engines: dict[str, sqlalchemy.Engine] = {}
        self._engines_lock = threading.Lock()
        super().__init__(base_dir, inst_data)

    @classmethod
    def from_config_value(cls, inst_data: Any, config_value: Any) -> "KeptOpenEventLog":
        """The storage as an instance makes it."""
        return cls(inst_data=inst_data, **config_value)

    def run_connection(self, run_id: str | None = None) -> Any:
        """A transaction on the events of a run."""
        return self._transaction(str(run_id))

    def index_connection(self) -> AbstractContextManager[sqlalchemy.Connection]:
        """A transaction on the events of all assets."""
        return self._transaction(INDEX_SHARD_NAME)

    @contextmanager
    def _transaction(self, shard: str) -> Iterator[sqlalchemy.Connection]:
        with self._engines_lock:
            if shard not in self._engines:
                with self._connect(shard):  # Dagster makes the tables of a new file
                    pass
                self._engines[shard] = _engine(self.conn_string_for_shard(shard))
            with self._engines[shard].begin() as connection:
                yield connection

    def dispose(self) -> None:
        """Close the files."""
        with self._engines_lock:
            while self._engines:
                self._engines.popitem()[1].dispose()
        super().dispose()


def _engine(address: str) -> sqlalchemy.Engine:
    engine = sqlalchemy.create_engine(
        address, poolclass=StaticPool, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False}
    )

    @sqlalchemy.event.listens_for(engine, "connect")
    def no_wait_for_the_disk(connection: Any, _record: Any) -> None:
        # the log is written ahead: if the machine stops, the last events may be lost, the file is whole
        connection.execute("pragma synchronous = normal")

    return engine
