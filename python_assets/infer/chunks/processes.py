"""Parts of a study in processes of this machine, as many at a time as it has cores.

Belongs here: a copy of the build file that all of them read, and what is told where one dies. A large study gains from
processes what threads cannot give: most of inference is many short steps, of which Python takes one at a time.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import duckdb

from python_assets.errors import PlumblineError, WarehouseError
from python_assets.infer.chunk import Frames
from python_assets.infer.chunks.chunks import (
    CHUNKS_OPTION,
    Asked,
    ChunkAnswer,
    Chunks,
    Here,
    Result,
    answered,
    asked_chunks,
    measures_of_chunks,
    n_by_size,
)
from python_assets.study.study import Study
from python_assets.warehouse.build import connect, write_remedy
from python_assets.warehouse.progress import SILENT, Progress

BYTES_A_PROCESS: Final = 250_000_000  # with what it imports
BYTES_A_CELL: Final = 1_500  # of its part, at its peak: 1,000 of 20 generations, 2,500 with the pairs of 145
_FILE: Final = "select path from duckdb_databases() where database_name = current_database()"
_N_CELLS: Final = "select count(*) from intermediate.int_cells"


class ProcessError(PlumblineError):
    """A process that computed a part died."""


@contextmanager
def chunks_here(
    connection: duckdb.DuckDBPyConnection,
    study: Study,
    progress: Progress = SILENT,
    level: float | None = None,
    n: int | None = None,
) -> Iterator[Chunks]:
    """Parts on this machine: in this process where there is one part or one core, else in several.

    Args:
        connection: to the build file, after SQL has made schema intermediate.
        study: what it declares.
        progress: is told how far it is.
        level: of the look that is taken; alpha where None.
        n: how many parts there are; where None as many as n_by_size says.

    Raises:
        StudyError: more parts are asked for than there are measures.
        WarehouseError: the build file cannot be copied.
    """
    n_chunks, file = n or n_by_size(connection), connection.execute(_FILE).fetchall()[0][0]
    if file is None or min(n_chunks, os.cpu_count() or 1) == 1:
        yield Here(connection, study, progress, level, n_chunks)
        return
    chunks = Processes(connection, Path(file), study, progress, level, n_chunks)
    try:
        yield chunks
    finally:
        chunks.close()


class Processes:
    """Parts in processes, each of which reads a part anew for each function.

    Attributes:
        seconds: that each part took.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        file: Path,
        study: Study,
        progress: Progress = SILENT,
        level: float | None = None,
        n: int = 2,
    ) -> None:
        """Copy the build file: nobody can read it while this process may write it.

        Args:
            connection: to the build file, after SQL has made schema intermediate.
            file: that the connection is to.
            study: what it declares.
            progress: is told how many parts are done.
            level: of the look that is taken; alpha where None.
            n: how many parts there are.

        Raises:
            StudyError: more parts are asked for than there are measures.
            WarehouseError: the file cannot be copied.
        """
        self._study, self._progress, self._level = study, progress, level
        self._measures = measures_of_chunks(connection, n)
        (n_cells,) = connection.execute(_N_CELLS).fetchall()[0]
        n_cores = os.cpu_count() or 1
        self._n_processes = min(len(self._measures), n_cores, _n_that_fit(n_cells / len(self._measures)))
        self._n_threads = n_cores // self._n_processes
        self.seconds = [0.0] * len(self._measures)
        self._has_processes = False
        # views of dbt name the database that they are in, which has the name of its file
        self._file = file.with_suffix(".chunks") / file.name
        try:
            connection.execute("force checkpoint")
            self._file.parent.mkdir(exist_ok=True)  # a run that was killed left it behind
            shutil.copyfile(file, self._file)
        except (OSError, duckdb.Error) as error:
            self.close()
            raise WarehouseError(self._file, error, "room for a copy", write_remedy(file.parent, error)) from error

    def each(self, function: Asked[Result], tables: Frames | None = None) -> list[Result]:
        """What a function says of every part, in their order.

        Raises:
            PlumblineError: a mistake of the study, as it is told in one process.
            ProcessError: a process died.
        """
        from joblib import Parallel, delayed, parallel_config

        requested, self._has_processes = asked_chunks(self._measures, tables), True
        tell, replies = self._progress.start("inference", "chunks", len(requested)), []
        given = self._file, self._n_threads, self._study, self._level, function
        tasks = (delayed(_asked)(*given, chunk.measures, chunk.rows) for chunk in requested)
        with parallel_config("loky", n_jobs=self._n_processes, inner_max_num_threads=self._n_threads):
            answers = Parallel(return_as="generator", batch_size=1, max_nbytes=None)(tasks)
        try:
            for chunk, answer in zip(requested, answers, strict=True):
                self.seconds[chunk.place] += answer.seconds
                replies.append(answer.replayed(self._progress))
                tell(len(replies))
        except BrokenProcessPool as error:
            remedy = (
                f"give the machine more memory, or ask for more parts with {CHUNKS_OPTION}, of which each is smaller"
            )
            raise ProcessError("a process that computed a part", "it died", "one that lives", remedy) from error
        return replies

    def close(self) -> None:
        """End the processes, and remove the copy."""
        if self._has_processes:
            from joblib.externals.loky import get_reusable_executor

            get_reusable_executor().shutdown(wait=True, kill_workers=True)
        shutil.rmtree(self._file.parent, ignore_errors=True)


def _n_that_fit(n_cells: float) -> int:
    """How many processes with a part of so many cells half of the machine's memory holds, one at least."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, int(memory / 2 / (BYTES_A_PROCESS + BYTES_A_CELL * n_cells)))


def _asked(
    file: Path,
    n_threads: int,
    study: Study,
    level: float | None,
    function: Asked[Any],
    measures: Sequence[str],
    tables: Frames,
) -> ChunkAnswer:
    """Say what a function says of a part; in a process of its own."""
    return answered(connect(file, read_only=True, threads=n_threads), study, level, function, measures, tables)
