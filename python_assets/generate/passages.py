"""Passages: documents cut into runs of whole sentences, and which of them are nearest to a text.

Belongs here: what can be retrieved, the same for every extension. How a model is shown it is rag.py and
react.py.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np
from numpy.typing import NDArray

from python_assets.embeddings.cache import ScoreCache
from python_assets.embeddings.embedding import load_encoder, name_model
from python_assets.embeddings.vectors import TextVectors
from python_assets.errors import StudyError, Told
from python_assets.generate.extension import ExtensionJob
from python_assets.providers.requests import sha256_of
from python_assets.study.study import Embedding, Study
from python_assets.texts.documents import OMISSION, document_ids
from python_assets.texts.files import find_texts, read_file
from python_assets.texts.sentences import SentenceSplitter, count_words
from python_assets.warehouse.progress import SILENT, Progress

EXTENSION: Final = ("systems", "extension")
_SCORE_DECIMALS: Final = 4


class Passage(NamedTuple):
    """Consecutive sentences of one document."""

    document_id: str
    text: str


class Retrieved(NamedTuple):
    """A passage that was found, with its cosine to what it was found by."""

    document_id: str
    score: float
    text: str


class Passages:
    """The passages of some documents, embedded when one is first asked for.

    Attributes:
        identity: what a retrieval depends on besides the text: hash and number of the passages, the model
            that embeds.
    """

    def __init__(
        self, passages: list[Passage], embedding: Embedding | None, cache_path: Path, progress: Progress = SILENT
    ) -> None:
        """Take the passages.

        Args:
            passages: at least one, in the order that settles ties.
            embedding: as study.embedding names the model.
            cache_path: file of the cache that embeddings are kept in.
            progress: is told how many are embedded.

        Raises:
            ExtractionError: the model is not on this machine.
        """
        self._passages = passages
        self._embedding = embedding
        self._cache_path = cache_path
        self._progress = progress
        self.identity = {
            "corpus_sha256": sha256_of(passages),
            "n_passages": len(passages),
            "embedding": name_model(embedding).version,
        }
        self._order = lru_cache(maxsize=None)(self._ordered)
        self._alone = Lock()  # conversations with a server go on in threads

    def nearest(self, text: str, top_k: int) -> list[Retrieved]:
        """The passages nearest to a text.

        Args:
            text: what they are found by; it is read as text, whatever it says.
            top_k: how many are wanted.

        Returns:
            At most top_k, nearest first, ties in the order of the passages; none for a blank text or one
            whose words the model does not know.
        """
        # a model may write lone surrogates, which no tokenizer takes
        readable = text.encode("utf-8", "replace").decode("utf-8")
        if not readable.strip():
            return []
        with self._alone:
            order = self._order(readable, top_k)
        return [Retrieved(self._passages[i].document_id, score, self._passages[i].text) for i, score in order]

    def _ordered(self, text: str, top_k: int) -> list[tuple[int, float]]:
        query = _directions(load_encoder(self._embedding).encode([text]))[0]
        alike = self._vectors @ query
        best = np.argsort(-alike, kind="stable")[:top_k]
        return [(int(i), round(float(alike[i]), _SCORE_DECIMALS)) for i in best if np.isfinite(alike[i])]

    @cached_property
    def _vectors(self) -> NDArray[np.float64]:
        with ScoreCache(self._cache_path) as cache:
            vectors = TextVectors(self._embedding, cache, self._progress)
            return _directions(vectors.of([passage.text for passage in self._passages]))


def read_passages(job: ExtensionJob) -> Passages:
    """The passages that an extension draws on.

    Args:
        job: its path names files; without one the documents of the study are taken, those of its source_tags
            where it has some.

    Raises:
        StudyError: there is no text in any of them.
        SourceError: a file cannot be read.
        ExtractionError: the model that embeds is not on this machine.
    """
    spec, study = job.spec, job.study
    documents = _of_study(job.connection, spec.source_tags) if spec.path is None else _of_files(study, spec.path)
    passages = [
        Passage(document_id, text)
        for document_id, sentences in documents
        for text in cut(sentences, spec.words_per_passage)
    ]
    if not passages:
        got = Told(f"no text in the documents of {spec.path or spec.source_tags or 'the study'}")
        expected, remedy = f"passages for {spec.type} to find", "add extension.path, files to read"
        raise StudyError((study.path, *EXTENSION), got, expected, remedy)
    cache_path = job.home.cache / f"{study.study_id}.duckdb"
    return Passages(passages, study.embedding, cache_path, job.progress)


def cut(sentences: Iterable[str], most_words: int) -> Iterator[str]:
    """Join consecutive sentences into passages.

    Args:
        sentences: of one document, in order.
        most_words: as many sentences stand together as have no more words; a longer one stands alone.
    """
    passage: list[str] = []
    n_passage_words = 0
    for sentence in sentences:
        n_words = count_words(sentence)
        if passage and n_passage_words + n_words > most_words:
            yield " ".join(passage)
            passage, n_passage_words = [], 0
        passage.append(sentence)
        n_passage_words += n_words
    if passage:
        yield " ".join(passage)


def _of_study(connection: duckdb.DuckDBPyConnection, tags: list[str] | None) -> Iterator[tuple[str, Iterable[str]]]:
    """Every document with its sentences, one that several levels keep once: document#position[ level]."""
    rows = connection.execute(
        """
        select document_id, any_value(sentence_text)
        from raw.sentences
        where $tags is null or source_tag in (select unnest($tags::varchar[]))
        group by document_id, split_part(substr(sentence_id, length(document_id) + 2), ' ', 1)
        order by min(rowid)
        """,
        {"tags": tags},
    ).fetchall()
    for document_id, group in groupby(rows, key=lambda row: str(row[0])):
        yield document_id, (text.replace(OMISSION, "") for _, text in group)


def _of_files(study: Study, path: str) -> Iterator[tuple[str, Iterable[str]]]:
    field = (study.path, *EXTENSION, "path")
    documents = [read_file(file, study.folder, field) for file in find_texts(study, path, field)]
    splitter = SentenceSplitter(study.prompts.scrape.language if study.prompts.scrape else "en")
    ids = document_ids([document.uri for document in documents])
    for document in documents:
        sentences = splitter.split(document.paragraphs)
        yield ids[document.uri], (sentence.replace(OMISSION, "") for sentence in sentences)


def _directions(vectors: NDArray[Any]) -> NDArray[np.float64]:
    """Rows of length 1; NaN where one has no length."""
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return np.divide(wide, lengths, out=np.full_like(wide, np.nan), where=lengths > 0)
