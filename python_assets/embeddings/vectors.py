"""Texts to embeddings by way of the cache: what was embedded before is read, the rest embedded."""

import hashlib
from collections.abc import Sequence
from functools import partial
from socket import gethostname
from typing import Final

import numpy as np
from numpy.typing import NDArray

from python_assets.embeddings.cache import ScoreCache
from python_assets.embeddings.embedding import ModelName, load_encoder, name_model
from python_assets.errors import ExtractionError
from python_assets.study.study import Embedding
from python_assets.warehouse.progress import SILENT, Progress
from python_assets.warehouse.workers import THIS_PROCESS, Workers

# An interrupted run loses at most so many embeddings.
_KEPT_TOGETHER: Final = 256


class TextVectors:
    """Embeddings of texts by one model, each embedded once; the model is loaded when a text is new.

    Attributes:
        n_measured: texts embedded now.
        n_cached: texts whose embedding was known.
    """

    def __init__(
        self,
        embedding: Embedding | None,
        cache: ScoreCache,
        progress: Progress = SILENT,
        workers: Workers = THIS_PROCESS,
    ) -> None:
        """Take what study.embedding names, the cache that embeddings are kept in, who hears of them, who embeds."""
        self._workers = workers
        self.n_measured = 0
        self.n_cached = 0
        self._embedding = embedding
        self._cache = cache
        self._progress = progress
        self._known: dict[str, NDArray[np.float32]] = {}

    @property
    def name(self) -> ModelName:
        """Which model embeds.

        Raises:
            ExtractionError: it is not on this machine.
        """
        return name_model(self._embedding)

    def of(self, texts: Sequence[str], hashes: Sequence[str] | None = None) -> NDArray[np.float32]:
        """Embed texts.

        Args:
            texts: not blank; the same one may come several times.
            hashes: their sha256, where it is known.

        Returns:
            One row a text, shape (n, d); NaN where the model knows no word of it. n is at least 1.

        Raises:
            ExtractionError: the model is missing or is not the one expected.
        """
        if hashes is None:
            hashes = [hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() for text in texts]
        wanted = dict(zip(hashes, texts, strict=True))
        missing = [text_hash for text_hash in wanted if text_hash not in self._known]
        stored = self._cache.read_vectors(self.name.version, missing) if missing else {}
        self._known.update(stored)
        new = {text_hash: wanted[text_hash] for text_hash in missing if text_hash not in stored}
        self.n_measured += len(new)
        self.n_cached += len(stored)
        self._embed(new)
        return np.stack([self._known[text_hash] for text_hash in hashes])

    def _embed(self, new: dict[str, str]) -> None:
        if not new:
            return
        name = self.name
        # neighbours of like length waste little of a batch, the longest first, so that the time that is left
        # is not told too short; the texts themselves settle ties
        ordered = sorted(new, key=lambda text_hash: (-len(new[text_hash]), new[text_hash]))
        tell, n_done = self._progress.start(name.model, "texts", len(ordered)), 0
        portions = [ordered[start : start + _KEPT_TOGETHER] for start in range(0, len(ordered), _KEPT_TOGETHER)]
        texts = [[new[text_hash] for text_hash in some] for some in portions]
        embedded = self._workers.each(partial(_embedded, self._embedding, name.version), texts)
        for some, vectors in zip(portions, embedded, strict=True):
            self._cache.write_vectors(name.version, some, vectors)
            self._known.update(zip(some, vectors, strict=True))
            tell(n_done := n_done + len(some))


def _embedded(embedding: Embedding | None, version: str, texts: Sequence[str]) -> NDArray[np.float32]:
    """Embed texts where this is called, by the very model that is asked for."""
    encoder = load_encoder(embedding)
    if encoder.version != version:
        remedy = "copy the model that the run has to every machine of the cluster"
        raise ExtractionError("embedding", f"{encoder.version} on {gethostname()}", version, remedy)
    return encoder.encode(texts)
