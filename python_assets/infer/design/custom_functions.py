"""Statistics of the study's own: Python functions beside the study file, of the values of a group.

Belongs here: calling them, and what becomes of what they give. What they are compared in is statistics.
"""

from collections.abc import Mapping
from numbers import Real
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

import duckdb
import numpy as np

from python_assets.errors import shorten
from python_assets.infer.draws.exchange import Floats
from python_assets.registry import load_function
from python_assets.study.study import Study

LARGEST: Final = 1e100  # what lies beyond it is not finite, in SQL as here
_FAILED: Final = "function_failed"
UNDEFINED: Final = "custom_undefined"
_PATHS: Final = "select distinct function_path from raw.statistics where function_path is not null order by all"


class OwnValue(NamedTuple):
    """What a function gives of some values: NaN with a reason, or a number without."""

    value: float
    reason: str | None


class CustomFunction:
    """A function of the study's own, from the values of a group to one number.

    version: its path and the hash of its file, for methods. first_failure: what it did the first time that it gave no
    number, None where it always has.
    """

    def __init__(self, path: str, folder: Path) -> None:
        """Load it.

        Args:
            path: `module:function`.
            folder: the folder of the study file.

        Raises:
            StudyError: it cannot be loaded, or takes other arguments than one array.
        """
        loaded = load_function(path, folder, n_arguments=1)
        self.path, self.version = path, f"{path}, file {loaded.source_sha256[:16]}"
        self.first_failure: str | None = None
        self._function = loaded.function
        self._one_at_a_time = Lock()  # draws are done in threads, which nobody is asked to write a statistic for

    def value(self, values: Floats) -> OwnValue:
        """What it gives of values, shape (n,), n > 0; it gets a copy of them, ascending."""
        return self._of(np.sort(values))

    def of_rows(self, x: Floats) -> Floats:
        """What it gives of rows, shape (..., rows), NaN where there is no row, to shape (...); NaN where nothing."""
        ordered = np.sort(x, axis=-1).reshape(-1, x.shape[-1])  # what is no row comes last
        n = np.count_nonzero(~np.isnan(ordered), axis=-1)
        statistics = [self._of(row[:end]).value if end else np.nan for row, end in zip(ordered, n, strict=True)]
        return np.array(statistics, dtype=np.float64).reshape(x.shape[:-1])

    def _of(self, ordered: Floats) -> OwnValue:
        n = len(ordered)
        with self._one_at_a_time, np.errstate(all="ignore"):
            try:
                given = self._function(ordered)
            except Exception as error:
                return self._failed(f"{type(error).__name__}: {error}", n)
        if not isinstance(given, Real):
            return self._failed(f"it gave {given!r}, a {type(given).__name__}", n)
        try:
            number = float(given)
        except OverflowError:
            number = np.inf
        return OwnValue(number, None) if abs(number) <= LARGEST else OwnValue(np.nan, UNDEFINED)

    def _failed(self, what: str, n: int) -> OwnValue:
        if self.first_failure is None:
            self.first_failure = f"{shorten(what)} (of {n:,} value{'s' * (n != 1)})"
        return OwnValue(np.nan, _FAILED)


def custom_functions(connection: duckdb.DuckDBPyConnection, study: Study) -> Mapping[str, CustomFunction]:
    """The functions that statistics of a build file name, by their path.

    Raises:
        StudyError: one of them cannot be loaded.
    """
    paths = [str(path) for (path,) in connection.execute(_PATHS).fetchall()]
    return {path: CustomFunction(path, study.folder) for path in paths}
