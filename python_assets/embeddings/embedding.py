"""The model that texts are embedded with, and how alike two embeddings are.

Belongs here: which model a study names, how one is loaded, cosines. The packaged model's files are minilm.py,
static word vectors word_vectors.py; distances that are measured are distance.py.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from python_assets.embeddings.minilm import MODEL, MODEL_SHA256, check_files, wheel_folder
from python_assets.embeddings.word_vectors import AVERAGED, WordVectors, vectors_sha256
from python_assets.errors import ExtractionError
from python_assets.providers.local_models.options import absent_device
from python_assets.study.study import Embedding, Encoding, Vectors
from python_assets.texts.limits import MOST_CHARACTERS
from python_assets.warehouse.file_hashes import sha256_of_file

_BATCH_SIZE: Final = 64
_HUB_OWNER: Final = "sentence-transformers"
_PACKAGED: Final = (MODEL, f"{_HUB_OWNER}/{MODEL}")


class ModelName(NamedTuple):
    """Which model embeds.

    model: its name, without the folder it lies in. revision: sha256 of its files, or the commit of the model
    hub. version: everything a vector depends on besides the text. place: its folder or file.
    """

    model: str
    revision: str
    version: str
    place: Path


class Encoder(Protocol):
    """A loaded model: texts to vectors; model, revision and version are those of ModelName."""

    model: str
    revision: str
    version: str

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts.

        Args:
            texts: not blank; each is read up to MOST_CHARACTERS, and as far as the model reads.

        Returns:
            One row a text, shape (n, d), of length 1 where the model gives it; NaN where the model knows no
            word of the text, as static word vectors may.
        """
        ...


class SentenceEncoder:
    """A sentence-transformers model."""

    def __init__(self, loaded: Any, name: ModelName, threads: int) -> None:
        """Take a loaded SentenceTransformer, and how many threads it may have on the CPU."""
        self._loaded = loaded
        self._threads = threads
        self.model, self.revision, self.version, _ = name

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, in batches of similar length: every text of one costs what its longest does.

        Length is counted in tokens. The package sorts by characters, and a seventh of a batch is padding.
        """
        import torch

        torch.set_num_threads(self._threads)  # every time: other models of this process set their own
        read = [text[:MOST_CHARACTERS] for text in texts]
        vectors = np.empty((len(read), self._loaded.get_embedding_dimension()), dtype=np.float32)
        for batch in _batches(np.argsort(self._n_tokens(read), kind="stable")):
            vectors[batch] = self._loaded.encode(
                [read[i] for i in batch], batch_size=_BATCH_SIZE, show_progress_bar=False
            )
        return vectors

    def _n_tokens(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Tokens of each text that the model reads; 0 for a model that has no batches to fill up."""
        n_tokens = np.zeros(len(texts), dtype=np.int64)
        for batch in _batches(np.arange(len(texts))):
            mask = self._loaded.preprocess([texts[i] for i in batch]).get("attention_mask")
            n_tokens[batch] = 0 if mask is None else mask.sum(1).numpy()
        return n_tokens


@lru_cache(maxsize=8)
def name_model(embedding: Embedding | None = None) -> ModelName:
    """Find the model that study.embedding names; it is not loaded.

    Args:
        embedding: None or its name for the packaged model; the folder or the hub name of a
            sentence-transformers model, or an Encoding with either; a file of static word vectors.

    Raises:
        ExtractionError: the model is not on this machine. Nothing is downloaded.
    """
    if isinstance(embedding, Vectors):
        file = Path(embedding.vectors)
        revision = vectors_sha256(file)
        return ModelName(file.name, revision, f"{file.name} {revision[:16]}, {AVERAGED}", file)
    encoding = _encoding(embedding)
    named = _named(encoding.model)
    return named._replace(version=named.version + _computed(encoding))


@lru_cache(maxsize=2)
def load_encoder(embedding: Embedding | None = None) -> Encoder:
    """Load what study.embedding names, once a process.

    Args:
        embedding: as name_model takes it.

    Raises:
        ExtractionError: a package is missing, or the model is not on this machine or not whole. Nothing is
            downloaded.
    """
    name = name_model(embedding)
    if isinstance(embedding, Vectors):
        return WordVectors(*name)
    encoding = _encoding(embedding)
    if encoding.model is None or encoding.model in _PACKAGED:
        check_files(name.place)
    return SentenceEncoder(_loaded(name, encoding), name, encoding.threads)


def cosine(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    """Cosines of all rows of one array with all rows of another.

    Args:
        a: shape (n, d).
        b: shape (m, d).

    Returns:
        Shape (n, m), -1 to 1; NaN where a row is NaN or has no length.
    """
    return np.clip(_directions(a) @ _directions(b).T, -1.0, 1.0)


def most_similar(encoder: Encoder, texts: Sequence[str], to: str, n: int) -> list[tuple[str, float]]:
    """The texts that are most like another.

    Args:
        encoder: what embeds them.
        texts: candidates, different from one another.
        to: the text that they are compared with.
        n: how many are wanted.

    Returns:
        At most n pairs of a text and its cosine, most alike first, ties in the order of the texts; texts
        whose words the model does not know come last, with NaN.
    """
    if not texts:
        return []
    alike = cosine(encoder.encode(texts), encoder.encode([to]))[:, 0]
    order = np.argsort(-alike, kind="stable")[:n]
    return [(texts[i], float(alike[i])) for i in order]


def _batches(indices: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    return [indices[start : start + _BATCH_SIZE] for start in range(0, len(indices), _BATCH_SIZE)]


def _directions(vectors: NDArray[Any]) -> NDArray[np.float64]:
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return np.divide(wide, lengths, out=np.full_like(wide, np.nan), where=lengths > 0)


def _hub_folder(name: str) -> Path:
    """The files of a model of the hub, as far as this machine has them; the folder's name is the commit."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError) as error:
        expected = "a folder, or a model that this machine has"
        raise ExtractionError("embedding", name, expected, f"fetch it: hf download {name}") from error


def _sentence_model(model: str, revision: str, folder: Path) -> ModelName:
    library = f"sentence-transformers {version('sentence-transformers')}"
    return ModelName(model, revision, f"{model} {revision[:16]}, {library}", folder)


def _encoding(embedding: str | Encoding | None) -> Encoding:
    return embedding if isinstance(embedding, Encoding) else Encoding(model=embedding)


def _named(model: str | None) -> ModelName:
    if model is None or model in _PACKAGED:
        return _sentence_model(MODEL, MODEL_SHA256, wheel_folder())
    folder = Path(model)
    if folder.is_dir():
        return _sentence_model(folder.resolve().name, _sha256_of_folder(folder), folder)
    name = model if "/" in model else f"{_HUB_OWNER}/{model}"
    folder = _hub_folder(name)
    return _sentence_model(name, folder.name, folder)


def _computed(encoding: Encoding) -> str:
    """Where a vector was computed, as far as it is not where every one is."""
    usual, words = Encoding(), []
    if encoding.device != usual.device:
        words.append(f", {encoding.device}")
    if encoding.threads != usual.threads:
        words.append(f", {encoding.threads} threads")
    return "".join(words)


def _loaded(name: ModelName, encoding: Encoding) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging
    except ModuleNotFoundError as error:
        got, expected = f"no package {error.name}", f"the one that {name.model} needs"
        remedy = "install it: pip install sentence-transformers"
        raise ExtractionError("embedding", got, expected, remedy) from error
    if absent := absent_device(encoding.device):
        raise ExtractionError(("embedding", "device"), absent.got, absent.expected, absent.remedy)
    logging.disable_progress_bar()
    try:
        return SentenceTransformer(str(name.place), device=encoding.device, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        got, expected = f"{name.place}: {error}", "a whole sentence-transformers model"
        raise ExtractionError("embedding", got, expected, "fetch or copy it anew") from error


def _sha256_of_folder(folder: Path) -> str:
    """One hash for all files of a folder, names included."""
    whole = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole.update(f"{file.relative_to(folder).as_posix()} {sha256_of_file(file)}\n".encode())
    return whole.hexdigest()
