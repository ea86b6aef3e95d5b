"""Parts of a study on Ray: each in its own file, each function of a part a task that any worker can do.

A task that loses its worker is given to another; a mistake of the study never is.
"""

from collections.abc import Sequence
from typing import Any, Final
from uuid import uuid4

import duckdb

from python_assets.cluster.cluster import MOST_RETRIES, Cluster, Versions, versions
from python_assets.infer.chunk import Frames
from python_assets.infer.chunks.chunk_file import CHUNK_FILE, file_system, opened, write_chunk
from python_assets.infer.chunks.chunks import Asked, ChunkAnswer, Result, answered, asked_chunks, measures_of_chunks
from python_assets.study.study import Study
from python_assets.warehouse.progress import SILENT, Progress

_BEGUN: Final = "begun-"


class OnRay:
    """Parts on a cluster.

    Attributes:
        seconds: that each part took, of workers.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        study: Study,
        cluster: Cluster,
        address: str,
        *,
        progress: Progress = SILENT,
        level: float | None = None,
        n: int | None = None,
    ) -> None:
        """Write the file of each part.

        Args:
            connection: to the build file, after SQL has made schema intermediate.
            study: what it declares.
            cluster: whose workers compute.
            address: of a folder for the files, a path or an address of fsspec; close() removes them.
            progress: is told how far it is.
            level: of the look that is taken; alpha where None.
            n: how many parts there are; where None, one for each CPU of the cluster, as far as there are measures.

        Raises:
            StudyError: more parts are asked for than there are measures.
            WarehouseError: the files cannot be written.
        """
        self._study, self._cluster, self._progress, self._level = study, cluster, progress, level
        self._measures = measures_of_chunks(connection, n, at_most=cluster.n_cpus)
        self._folder = f"{address.rstrip('/')}/{study.study_id}-{uuid4().hex[:12]}"
        self._files = [f"{self._folder}/{number}/{CHUNK_FILE}" for number in range(len(self._measures))]
        tell = progress.start("chunks", "files", len(self._files))
        for number, (measures, file) in enumerate(zip(self._measures, self._files, strict=True), start=1):
            write_chunk(connection, measures, file)
            tell(number)
        self.seconds = [0.0] * len(self._files)
        self._n_tasks = 0

    def each(self, function: Asked[Result], tables: Frames | None = None) -> list[Result]:
        """What a function says of every part, in their order.

        Raises:
            PlumblineError: a mistake of the study, as it is told without Ray.
            ClusterError: the workers of a task died more often than it is given anew.
        """
        ray = self._cluster.connect()
        task = ray.remote(max_retries=MOST_RETRIES, retry_exceptions=False)(_asked)
        given = ray.put(function), ray.put(self._study)
        requested = asked_chunks(self._measures, tables)
        waiting = [
            task.remote(self._files[chunk.place], chunk.measures, self._level, *given, ray.put(chunk.rows), versions())
            for chunk in requested
        ]
        self._n_tasks += len(waiting)
        tell, left = self._progress.start("inference on Ray", "chunks", len(waiting)), waiting
        while left:
            done, left = ray.wait(left)
            for one in done:
                self.seconds[requested[waiting.index(one)].place] += self._cluster.answer(one, "a part").seconds
            tell(len(waiting) - len(left))
        return [self._cluster.answer(one, "a part").replayed(self._progress) for one in waiting]

    @property
    def n_retries(self) -> int:
        """How often a task was begun anew because its worker died."""
        files, folder = file_system(self._folder)
        files.invalidate_cache()  # workers have written since this process listed it
        return len(files.glob(f"{folder}/*/{_BEGUN}*")) - self._n_tasks

    def close(self) -> None:
        """Remove the files."""
        files, folder = file_system(self._folder)
        files.rm(folder, recursive=True)


def _asked(
    file: str,
    measures: Sequence[str],
    level: float | None,
    function: Asked[Any],
    study: Study,
    tables: Frames,
    like: Versions,
) -> ChunkAnswer:
    """Say what a function says of a part; on a worker."""
    like.require()
    files, file_path = file_system(file)
    files.pipe_file(f"{file_path.rpartition('/')[0]}/{_BEGUN}{uuid4().hex}", b"")
    return answered(opened(file), study, level, function, measures, tables)
