"""The measures of a study in parts: where a function of a part is called in all of them.

Belongs here: which measures stand together, and parts in this process. Those in other processes are processes.py, on
other machines on_ray.py.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from threading import RLock
from time import perf_counter
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import duckdb
from threadpoolctl import threadpool_limits

from python_assets.errors import StudyError
from python_assets.infer.chunk import Chunk, Frames
from python_assets.study.study import Study
from python_assets.warehouse.progress import SILENT, Progress, Silent

Result = TypeVar("Result")
Asked = Callable[[Chunk, Frames], Result]
"""What a part is asked: with the rows of its own measures of the tables that are given."""
CHUNKS_OPTION: Final = "--chunks"
CELLS_A_CHUNK: Final = 800_000
_ONE_AT_A_TIME: Final = RLock()
_CELLS_BY_MEASURE: Final = """
    select measure_id, count(*) as n_cells from intermediate.int_cells
    group by measure_id
    order by n_cells desc, measure_id
"""


class Chunks(Protocol):
    """The measures of a study in parts, which nothing but these parts reads.

    Attributes:
        seconds: that each part took.
    """

    seconds: list[float]

    def each(self, function: Asked[Result], tables: Frames | None = None) -> list[Result]:
        """What a function says of every part, in their order.

        Args:
            function: what is asked.
            tables: of the study, each with measure_id; a part is asked with the rows of its own measures, and is of
                those alone that have any. One without is not asked.
        """
        ...


class Here:
    """Parts one after another in this process: of several one alone is held, and is read anew for each function."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        study: Study,
        progress: Progress = SILENT,
        level: float | None = None,
        n: int = 1,
    ) -> None:
        """Say which measures stand together.

        Args:
            connection: to the build file, after SQL has made schema intermediate.
            study: what it declares.
            progress: is told how far it is.
            level: of the look that is taken; alpha where None.
            n: how many parts there are.

        Raises:
            StudyError: more parts are asked for than there are measures.
        """
        self._connection, self._study, self._progress, self._level = connection, study, progress, level
        self._measures = [] if n == 1 else measures_of_chunks(connection, n)
        self._only: Chunk | None = None
        self.seconds = [0.0] * n

    def each(self, function: Asked[Result], tables: Frames | None = None) -> list[Result]:
        """What a function says of every part, in their order."""
        if not self._measures:
            with self._timed(0):
                self._only = self._only or self._chunk(None)
                return [_said_of(self._only, function, tables or {})]
        replies = []
        for chunk in asked_chunks(self._measures, tables):
            self._progress.say(f"part {chunk.place + 1} of {len(self._measures)}: {', '.join(chunk.measures)}")
            with self._timed(chunk.place):
                replies.append(_said_of(self._chunk(chunk.measures), function, chunk.rows))
        return replies

    @contextmanager
    def _timed(self, place: int) -> Iterator[None]:
        started = perf_counter()
        yield
        self.seconds[place] += perf_counter() - started

    def _chunk(self, measures: Sequence[str] | None) -> Chunk:
        return Chunk(self._connection, self._study, self._progress, measures, self._level)


def _said_of(chunk: Chunk, function: Asked[Result], rows: Frames) -> Result:
    # of many small products: threads of each would wait for each other, which takes half as much CPU again; the limit
    # is the process's, and two threads that set and lift it at once would leave it as it should not be
    with _ONE_AT_A_TIME, threadpool_limits(limits=1, user_api="blas"):
        return function(chunk, rows)


class _Said(Silent):
    """Keeps what a part says, for the process that asked."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        """Keep it."""
        self.lines.append(text)


class ChunkAnswer(NamedTuple):
    """What a function says of a part in another process, what the part said meanwhile, and the seconds."""

    result: Any
    said: Sequence[str]
    seconds: float

    def replayed(self, progress: Progress) -> Any:
        """The result, once what was said is told."""
        for line in self.said:
            progress.say(line)
        return self.result


def answered(
    opened: AbstractContextManager[duckdb.DuckDBPyConnection],
    study: Study,
    level: float | None,
    function: Asked[Any],
    measures: Sequence[str],
    rows: Frames,
) -> ChunkAnswer:
    """Say what a function says of a part, in a process that has nothing of it but a file to open."""
    started, messages = perf_counter(), _Said()
    with opened as connection:
        reply = _said_of(Chunk(connection, study, messages, measures, level), function, rows)
    return ChunkAnswer(reply, messages.lines, perf_counter() - started)


class AskedChunk(NamedTuple):
    """A part that is asked: its place among all parts, its measures and their rows of the tables."""

    place: int
    measures: list[str]
    rows: Frames


def asked_chunks(chunks: Sequence[Sequence[str]], tables: Frames | None) -> list[AskedChunk]:
    """Parts with the measures that have rows in some table, or with all of them where there is no table."""
    if tables is None:
        return [AskedChunk(position, list(measures), {}) for position, measures in enumerate(chunks)]
    named = {str(name) for table in tables.values() for name in table.measure_id.unique()}
    requested = [[name for name in measures if name in named] for measures in chunks]
    return [
        AskedChunk(position, names, {name: rows[rows.measure_id.isin(names)] for name, rows in tables.items()})
        for position, names in enumerate(requested)
        if names
    ]


def n_by_size(connection: duckdb.DuckDBPyConnection) -> int:
    """How many parts a study is worth, by its cells alone: what it says must not depend on the machine."""
    by_measure = connection.execute(_CELLS_BY_MEASURE).fetchall()
    n_cells = sum(int(n) for _, n in by_measure)
    return max(1, min(len(by_measure), n_cells // CELLS_A_CHUNK))


def measures_of_chunks(connection: duckdb.DuckDBPyConnection, n: int | None, at_most: int = 1) -> list[list[str]]:
    """The measures that have cells in parts of about as many cells each.

    Args:
        connection: to the build file.
        n: how many parts are asked for.
        at_most: how many there are where nobody asked, as far as there are measures.

    Raises:
        StudyError: there are fewer measures than parts.
    """
    by_measure = connection.execute(_CELLS_BY_MEASURE).fetchall()
    if n is not None and n > len(by_measure):
        raise StudyError(
            CHUNKS_OPTION, n, f"at most {len(by_measure)}, the measures that have values", "ask for fewer parts"
        )
    chunks: list[list[str]] = [[] for _ in range(n or max(1, min(at_most, len(by_measure))))]
    n_cells = [0] * len(chunks)
    for measure_id, n_own in by_measure:  # the largest first, each to the part that has least
        least = n_cells.index(min(n_cells))
        chunks[least].append(measure_id)
        n_cells[least] += n_own
    return chunks
