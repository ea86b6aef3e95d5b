from pathlib import Path

import numpy as np
import pytest

from python_assets.embeddings.embedding import load_encoder, name_model
from python_assets.embeddings.word_vectors import WordVectors
from python_assets.errors import ExtractionError
from python_assets.study.study import Vectors

GLOVE = "the 0 0 0\ncat 1 2 3\nCat 9 9 9\nnew-york 4 4 4\nmoon 1 0 -1\nlanding -1 0 1\n'tis 5 5 5\n"


@pytest.fixture
def vectors(tmp_path: Path) -> WordVectors:
    return _read(tmp_path, GLOVE)


def _read(folder: Path, content: str) -> WordVectors:
    (folder / "v.txt").write_text(content)
    name_model.cache_clear()
    return WordVectors(*name_model(Vectors(vectors=str(folder / "v.txt"))))


def test_a_text_is_the_mean_of_its_words_every_occurrence_counted(vectors: WordVectors):
    found = vectors.encode(["the cat, the cat", "cat"])
    assert found.dtype == np.float32
    assert found.tolist() == [[0.5, 1.0, 1.5], [1.0, 2.0, 3.0]]


def test_a_word_is_looked_up_as_written_then_in_lower_case_then_by_its_parts(vectors: WordVectors):
    assert vectors.encode(["Cat", "CAT", "New-York", "moon-landing"]).tolist() == [
        [9, 9, 9],
        [1, 2, 3],
        [4, 4, 4],
        [0, 0, 0],
    ]


def test_a_text_without_a_known_word_has_no_vector_and_unknown_words_change_nothing(vectors: WordVectors):
    found = vectors.encode(["", "xyzzy", "xyzzy cat"])
    assert np.isnan(found[:2]).all()
    assert found[2].tolist() == [1, 2, 3]


def test_word2vec_puts_the_sizes_first_and_gives_the_same_vectors(tmp_path: Path, vectors: WordVectors):
    (tmp_path / "word2vec").mkdir()
    with_sizes = _read(tmp_path / "word2vec", "7 3\n" + GLOVE)
    assert np.array_equal(with_sizes.encode(["cat moon"]), vectors.encode(["cat moon"]))
    assert np.isnan(with_sizes.encode(["7"])).all()


def test_line_ends_and_a_missing_last_one_change_nothing(tmp_path: Path):
    assert _read(tmp_path, "a 1 2 \r\nb 3 4").encode(["a", "b"]).tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("line", ["bad 1 2", "bad 1 2 x", "bad 1 2 nan", "bad 1 2 3 4"])
def test_a_damaged_line_is_named_when_its_word_is_met(tmp_path: Path, line: str, refused):
    found = _read(tmp_path, f"cat 1 2 3\n{line}\n")
    assert found.encode(["cat"]).tolist() == [[1, 2, 3]]
    with refused(ExtractionError, "embedding.vectors"):
        found.encode(["bad"])


@pytest.mark.parametrize("content", ["", "\n\n", "nothing\n"])
def test_a_file_without_words_is_refused(tmp_path: Path, content: str, refused):
    with refused(ExtractionError, "embedding.vectors"):
        _read(tmp_path, content)


def test_an_absent_file_is_named(tmp_path: Path, refused):
    with refused(ExtractionError, "embedding.vectors"):
        load_encoder(Vectors(vectors=str(tmp_path / "none.txt")))
