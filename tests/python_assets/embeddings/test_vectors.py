from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from python_assets.embeddings import embedding
from python_assets.embeddings.cache import ScoreCache
from python_assets.embeddings.vectors import TextVectors, _embedded
from python_assets.errors import ExtractionError
from python_assets.study.study import Vectors


@pytest.fixture
def words(tmp_path: Path) -> Vectors:
    (tmp_path / "v.txt").write_text("cat 1 0\ndog 0 1\n")
    return Vectors(vectors=str(tmp_path / "v.txt"))


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ScoreCache]:
    with ScoreCache(tmp_path / "cache.duckdb") as opened:
        yield opened


def test_a_text_is_embedded_once_however_often_it_comes(words: Vectors, cache: ScoreCache):
    vectors = TextVectors(words, cache)
    assert vectors.of(["cat", "dog", "cat"]).tolist() == [[1, 0], [0, 1], [1, 0]]
    assert vectors.of(["dog"]).tolist() == [[0, 1]]
    assert (vectors.n_measured, vectors.n_cached) == (2, 0)


def test_what_was_embedded_before_is_read_and_no_model_loaded(
    words: Vectors, cache: ScoreCache, monkeypatch: pytest.MonkeyPatch
):
    first = TextVectors(words, cache).of(["cat", "unknown"])
    monkeypatch.delattr(embedding, "WordVectors")
    embedding.load_encoder.cache_clear()
    again = TextVectors(words, cache)
    assert np.array_equal(again.of(["unknown", "cat"]), first[::-1], equal_nan=True)
    assert (again.n_measured, again.n_cached) == (0, 2)


def test_another_model_has_vectors_of_its_own(words: Vectors, cache: ScoreCache, tmp_path: Path):
    TextVectors(words, cache).of(["cat"])
    (tmp_path / "other.txt").write_text("cat 5 5\n")
    other = TextVectors(Vectors(vectors=str(tmp_path / "other.txt")), cache)
    assert other.of(["cat"]).tolist() == [[5, 5]]
    assert other.n_measured == 1


def test_a_text_with_a_lone_surrogate_is_embedded(words: Vectors, cache: ScoreCache):
    assert TextVectors(words, cache).of(["cat \udc80"]).tolist() == [[1, 0]]


def test_others_may_embed_and_only_with_the_very_model(words: Vectors, cache: ScoreCache, tmp_path: Path, snapshot):
    class Elsewhere:
        asked: list[list[str]] = []

        def each(self, score, portions):
            self.asked += portions
            yield from map(score, portions)

    elsewhere = Elsewhere()
    vectors = TextVectors(words, cache, workers=elsewhere)
    assert vectors.of(["dog", "cat"]).tolist() == [[0, 1], [1, 0]]
    assert vectors.of(["cat"]).tolist() == [[1, 0]]
    assert elsewhere.asked == [["cat", "dog"]]
    with pytest.raises(ExtractionError) as raised:
        _embedded(words, "of other files", ["cat"])
    assert raised.value.remedy == snapshot
