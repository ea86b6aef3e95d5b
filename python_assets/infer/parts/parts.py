"""The measures of a study in parts: where a function of a part is called in all of them.

Belongs here: which measures stand together, and parts in this process. Parts on other machines are on_ray.py.
"""

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeVar

import duckdb

from python_assets.errors import StudyError
from python_assets.infer.part import Part
from python_assets.study.study import Study
from python_assets.warehouse.progress import SILENT, Progress

Result = TypeVar("Result")
OPTION: Final = "--parts"
_CELLS_BY_MEASURE: Final = """
    select measure_id, count(*) as n_cells from intermediate.int_cells
    group by measure_id
    order by n_cells desc, measure_id
"""


class Parts(Protocol):
    """The measures of a study in parts, which nothing but these parts reads."""

    def each(self, function: Callable[[Part], Result]) -> list[Result]:
        """What a function says of every part, in their order."""
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
            connection: to the build file, after dbt has made schema intermediate.
            study: what it declares.
            progress: is told how far it is.
            level: of the look that is taken; alpha where None.
            n: how many parts there are.

        Raises:
            StudyError: more parts are asked for than there are measures.
        """
        self._connection, self._study, self._progress, self._level = connection, study, progress, level
        self._measures: Sequence[Sequence[str] | None] = [None] if n == 1 else measures_of_parts(connection, n)
        self._only: Part | None = None

    def each(self, function: Callable[[Part], Result]) -> list[Result]:
        """What a function says of every part, in their order."""
        if len(self._measures) == 1:
            self._only = self._only or self._part(None)
            return [function(self._only)]
        found = []
        for place, measures in enumerate(self._measures, start=1):
            self._progress.say(f"part {place} of {len(self._measures)}: {', '.join(measures or ())}")
            found.append(function(self._part(measures)))
        return found

    def _part(self, measures: Sequence[str] | None) -> Part:
        return Part(self._connection, self._study, self._progress, measures, self._level)


def measures_of_parts(connection: duckdb.DuckDBPyConnection, n: int | None, at_most: int = 1) -> list[list[str]]:
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
        raise StudyError(OPTION, n, f"at most {len(by_measure)}, the measures that have values", "ask for fewer parts")
    parts: list[list[str]] = [[] for _ in range(n or max(1, min(at_most, len(by_measure))))]
    n_cells = [0] * len(parts)
    for measure_id, n_own in by_measure:  # the largest first, each to the part that has least
        least = n_cells.index(min(n_cells))
        parts[least].append(measure_id)
        n_cells[least] += n_own
    return parts
