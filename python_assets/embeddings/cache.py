"""What was measured before: scores by method, version and sha256 of the text, and embeddings of texts.

One file a study, in a database of its own: a damaged block can make DuckDB give up the whole database it
lies in, which must not be the build file. DuckDB keeps a checksum of every block, so that damage shows as an
error and never as a number. Whatever cannot be read is thrown away and measured anew.
"""

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, TypeVar

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.errors import OTHER_HOME, WarehouseError
from python_assets.warehouse.build import connect

_T = TypeVar("_T")

_FORMAT: Final = "plumbline scores 1"
SCORE_COLUMNS: Final = ("value", "label", "label_method", "reason")

_TABLES: Final = """
create table cache_format as select '{format}' as format;
create table scores (
    method varchar, version varchar, text_sha256 varchar,
    value double, label varchar, label_method varchar, reason varchar
);
create table embeddings (version varchar, text_sha256 varchar, vector blob);
"""

logger = logging.getLogger(__name__)


class ScoreCache(AbstractContextManager["ScoreCache"]):
    """The cache of one study, open for reading and writing; use it in a with statement.

    Attributes:
        n_rebuilt: how often the file was found damaged or foreign and was begun anew.
    """

    def __init__(self, path: Path) -> None:
        """Open the cache, and begin it where it is absent.

        Raises:
            WarehouseError: the folder cannot be written, or another process has the file open.
        """
        self.path = path
        self.n_rebuilt = 0
        is_new = not path.exists()
        try:
            self._connection = _open(path, is_new)
        except (duckdb.Error, RuntimeError) as error:
            self._refuse_if_in_use(error)
            self._begin_anew(error)

    def __exit__(self, *raised: object) -> None:
        """Close the file."""
        self._connection.close()

    def read_scores(self, method: str, version: str, hashes: Sequence[str]) -> pd.DataFrame:
        """The known scores of texts.

        Args:
            method: key of the method.
            version: everything its scores depend on besides the text.
            hashes: sha256 of the texts.

        Returns:
            SCORE_COLUMNS by text_sha256, only those that are known.
        """
        query = (
            "select text_sha256, value, label, label_method, reason "
            "from scores join wanted using (text_sha256) where method = ? and version = ?"
        )
        scores = self._attempt(lambda: self._wanted(hashes, query, [method, version]))
        if scores is None:
            scores = pd.DataFrame(columns=["text_sha256", *SCORE_COLUMNS])
        return scores.drop_duplicates("text_sha256").set_index("text_sha256")

    def write_scores(
        self, method: str | Sequence[str], version: str, hashes: Sequence[str], scores: pd.DataFrame
    ) -> None:
        """Keep the scores of texts.

        Args:
            method: key of the method, one for all scores or one a score.
            version: everything the scores depend on besides the text.
            hashes: sha256 of the text of each score.
            scores: SCORE_COLUMNS, in the order of the hashes.
        """
        rows = scores[list(SCORE_COLUMNS)].assign(method=method, version=version, text_sha256=list(hashes))
        self._attempt(lambda: self._insert("scores", rows))

    def read_vectors(self, version: str, hashes: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The known embeddings of texts by sha256."""
        query = "select text_sha256, vector from embeddings join wanted using (text_sha256) where version = ?"
        rows = self._attempt(lambda: self._wanted(hashes, query, [version]))
        if rows is None:
            return {}
        return {
            text_hash: np.frombuffer(vector, dtype="<f4")
            for text_hash, vector in zip(rows["text_sha256"], rows["vector"], strict=True)
        }

    def write_vectors(self, version: str, hashes: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Keep the embeddings of texts, one row a hash."""
        stored = [row.astype("<f4").tobytes() for row in vectors]
        rows = pd.DataFrame({"version": version, "text_sha256": list(hashes), "vector": stored})
        self._attempt(lambda: self._insert("embeddings", rows))

    def _wanted(self, hashes: Sequence[str], query: str, parameters: list[str]) -> pd.DataFrame:
        self._connection.register("wanted", pd.DataFrame({"text_sha256": list(hashes)}, dtype=object))
        try:
            return self._connection.execute(query, parameters).df()
        finally:
            self._connection.unregister("wanted")

    def _insert(self, table: str, rows: pd.DataFrame) -> None:
        self._connection.register("incoming_rows", rows)
        try:
            self._connection.execute(f"insert into {table} by name select * from incoming_rows")
        finally:
            self._connection.unregister("incoming_rows")

    def _attempt(self, operation: Callable[[], _T]) -> _T | None:
        try:
            return operation()
        except (duckdb.Error, RuntimeError) as error:
            self._connection.close()
            self._begin_anew(error)
            return None

    def _refuse_if_in_use(self, error: Exception) -> None:
        if "lock on file" in str(error):  # DuckDB's own words: no class of error tells it
            raise WarehouseError(self.path, error, "a file that no other process has open", "close it") from error

    def _begin_anew(self, error: Exception) -> None:
        logger.warning("%s cannot be read and is begun anew: %s", self.path, error)
        self.n_rebuilt += 1
        try:
            self.path.unlink(missing_ok=True)
            Path(f"{self.path}.wal").unlink(missing_ok=True)
            self._connection = _open(self.path, is_new=True)
        except (OSError, duckdb.Error) as failure:
            raise _not_writable(self.path, failure) from failure


def _open(path: Path, is_new: bool) -> duckdb.DuckDBPyConnection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_writable(path.parent, error) from error
    connection = connect(path)
    try:
        if is_new:
            connection.execute(_TABLES.format(format=_FORMAT))
        formats = connection.execute("select format from cache_format").fetchall()
        if formats != [(_FORMAT,)]:
            raise duckdb.InvalidInputException(f"expected the format {_FORMAT!r}, found {formats}")
    except BaseException:
        connection.close()
        raise
    return connection


def _not_writable(path: Path, error: Exception) -> WarehouseError:
    return WarehouseError(path, error, "a file that can be written", OTHER_HOME)
