"""Static word vectors: a text file of word2vec or GloVe, the vectors of a text's words averaged.

One line a word, the word and its numbers parted by blanks; word2vec puts the two sizes first. A line is read
as numbers only when its word is met: such files hold a gigabyte.
"""

import mmap
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from python_assets.errors import ExtractionError
from python_assets.texts.limits import MOST_CHARACTERS
from python_assets.warehouse.file_hashes import sha256_of_file

AVERAGED: Final = "mean of words 1"

_FIELD: Final = ("embedding", "vectors")
_WORD: Final = re.compile(r"\w+(?:['’-]\w+)*")
_PART: Final = re.compile(r"\w+")
_SIZES: Final = re.compile(rb"\d+ \d+\s*\Z")


def vectors_sha256(file: Path) -> str:
    """The sha256 of a file of word vectors.

    Raises:
        ExtractionError: there is no such file.
    """
    try:
        return sha256_of_file(file)
    except OSError as error:
        remedy = "correct the path; it starts from the folder of the study file"
        raise ExtractionError(_FIELD, error, "a file that can be read", remedy) from error


class WordVectors:
    """Vectors of words; what embedding.Encoder asks for."""

    def __init__(self, model: str, revision: str, version: str, file: Path) -> None:
        """Find the words of a file; model, revision and version are what embedding.name_model says.

        Raises:
            ExtractionError: the file holds no word with numbers.
        """
        self.model, self.revision, self.version = model, revision, version
        self._file = file
        # an empty file cannot be mapped
        if not file.stat().st_size:
            raise _holds_no_words(file)
        with file.open("rb") as opened:
            self._content = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        self._lines = self._found()
        self._known: dict[str, NDArray[np.float32] | None] = {}
        self._n_numbers = len(self._numbers(next(iter(self._lines.values()))))

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The mean of the vectors of each text's words, every occurrence counted.

        A word is looked up as it is written, then in lower case, then, where it has hyphens or apostrophes,
        by its parts.

        Args:
            texts: each is read up to MOST_CHARACTERS.

        Returns:
            One row a text, shape (n, d); NaN where the file holds none of its words.

        Raises:
            ExtractionError: the line of a word is not a word and d numbers.
        """
        vectors = np.full((len(texts), self._n_numbers), np.nan, dtype=np.float32)
        for row, text in enumerate(texts):
            if word_vectors := self._vectors(text[:MOST_CHARACTERS]):
                vectors[row] = np.mean(word_vectors, axis=0, dtype=np.float64)
        return vectors

    def _vectors(self, text: str) -> list[NDArray[np.float32]]:
        vectors = []
        for word in _WORD.findall(text):
            whole = self._vector(word)
            candidates = [whole] if whole is not None else map(self._vector, _PART.findall(word))
            vectors += [vector for vector in candidates if vector is not None]
        return vectors

    def _vector(self, word: str) -> NDArray[np.float32] | None:
        if word not in self._known:
            start = self._lines.get(word.encode(), self._lines.get(word.lower().encode()))
            self._known[word] = None if start is None else self._numbers(start)
        return self._known[word]

    def _found(self) -> dict[bytes, int]:
        """Where the line of each word starts; the first of several lines of a word."""
        lines: dict[bytes, int] = {}
        start = 0
        for line in iter(self._content.readline, b""):
            word, separator, _ = line.partition(b" ")
            if separator and not (start == 0 and _SIZES.match(line)):
                lines.setdefault(word, start)
            start += len(line)
        if not lines:
            raise _holds_no_words(self._file)
        return lines

    def _numbers(self, start: int) -> NDArray[np.float32]:
        end = self._content.find(b"\n", start)
        line = self._content[start : end if end >= 0 else None]
        word, *entries = line.split()
        try:
            numbers = np.array(entries, dtype=np.float32)
        except ValueError:
            numbers = np.empty(0, dtype=np.float32)
        expected = getattr(self, "_n_numbers", len(numbers))
        if not len(numbers) or len(numbers) != expected or not np.isfinite(numbers).all():
            line_name = f"the line of {word.decode(errors='replace')!r} in {self._file}"
            wanted = f"{expected or 'one or more'} finite numbers after the word"
            raise ExtractionError(_FIELD, f"{len(entries)} entries: {line_name}", wanted)
        return numbers


def _holds_no_words(file: Path) -> ExtractionError:
    remedy = "give a text file of word2vec or GloVe; a binary one must be converted first"
    return ExtractionError(_FIELD, f"no such line in {file}", "lines of a word and its numbers", remedy)
