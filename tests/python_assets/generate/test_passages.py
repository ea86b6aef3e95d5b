from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from python_assets.embeddings.embedding import cosine, load_encoder
from python_assets.errors import SourceError, StudyError
from python_assets.generate.extension import ExtensionJob
from python_assets.generate.passages import Passage, Passages, cut, read_passages
from python_assets.scrape.scrape_study import scrape
from python_assets.study.study import ExtensionSpec
from python_assets.warehouse.build import Home

TEXT = """Ideraland lies by the warm sea. Its people grow rice and tea in the valleys.

Italy is known for its cooking. The trains of Italy mostly run on time. Short one."""
NOTES = "Ideraland has a parliament of two houses. Ideraland sells tea to its neighbours."
WIDE = {"words_per_passage": 10_000}

Read = Callable[..., Passages]


@pytest.fixture
def read(make_study: Any, build: Any, tmp_path: Path) -> Read:
    """The passages of a study of two documents, a.txt (tag: book) and b.txt (tag: notes)."""

    def passages(files: dict[str, str] | None = None, scraped: bool = True, **spec: Any) -> Passages:
        sources = [{"tag": "book", "path": "a.txt"}, {"tag": "notes", "path": "b.txt"}]
        levels = {"Ideraland": ["Ideraland"], "Italy": ["Italy"]}
        study = make_study(
            {"scrape": {"levels": list(levels), "keywords": levels, "sources": sources, "min_words": 5}},
            files={"a.txt": TEXT, "b.txt": NOTES, **(files or {})},
        )
        if scraped:
            scrape(study, build)
        extension = ExtensionSpec.model_validate({"type": "rag", **spec})
        return read_passages(ExtensionJob(study, extension, build, Home(tmp_path / "home")))

    return passages


def texts(found: Passages, query: str = "tea", top_k: int = 99) -> dict[str, str]:
    return {passage.text: passage.document_id for passage in found.nearest(query, top_k)}


def passages_of(tmp_path: Path, *listed: str) -> Passages:
    return Passages([Passage(f"d{i}", text) for i, text in enumerate(listed)], None, tmp_path / "cache.duckdb")


def test_a_passage_is_whole_sentences_up_to_so_many_words() -> None:
    sentences = ["One two three.", "Four five.", "Six seven eight nine ten eleven.", "Twelve."]
    assert list(cut(sentences, 5)) == ["One two three. Four five.", "Six seven eight nine ten eleven.", "Twelve."]
    assert list(cut(sentences, 100)) == [" ".join(sentences)]
    assert list(cut([], 5)) == []


@pytest.mark.parametrize("most", [10, 13, 20, 80])
def test_every_sentence_of_every_document_stands_in_one_passage(read: Read, most: int) -> None:
    found = texts(read(words_per_passage=most))
    for document_id, text in (("a.txt", TEXT), ("b.txt", NOTES)):
        said = " ".join(part for part, source in found.items() if source == document_id)
        assert sorted(said.split()) == sorted(text.split())


def test_a_sentence_of_two_levels_stands_once(read: Read) -> None:
    both = "Ideraland and Italy share a sea and a border. Ideraland is small but it is well kept."
    found = texts(read({"a.txt": TEXT + "\n\n" + both}, **WIDE))
    assert sum("share a sea" in text for text in found) == 1
    assert next(text for text in found if "share a sea" in text).count("share a sea") == 1


def test_source_tags_take_the_documents_of_some_sources(read: Read) -> None:
    assert set(texts(read(source_tags=["notes"])).values()) == {"b.txt"}
    assert set(texts(read()).values()) == {"a.txt", "b.txt"}


def test_a_path_takes_files_instead(read: Read, tmp_path: Path) -> None:
    (tmp_path / "shelf").mkdir()
    (tmp_path / "shelf" / "one.md").write_text("# Tea\n\nTea is a drink. It is *hot*.")
    (tmp_path / "shelf" / "two.html").write_text("<p>Rice is a grain.</p><script>alert(1)</script>")
    found = texts(read(path="shelf", scraped=False))
    assert found == {"Tea is a drink. It is hot.": "shelf/one.md", "Rice is a grain.": "shelf/two.html"}


def test_the_nearest_by_cosine_come_first(read: Read) -> None:
    passages = read(words_per_passage=10)
    found = passages.nearest("Which crops do farmers grow?", 3)
    every = list(texts(passages))
    encoder = load_encoder()
    alike = cosine(encoder.encode(every), encoder.encode(["Which crops do farmers grow?"]))[:, 0]
    best = sorted(zip(-alike, every, strict=True))[:3]
    assert [passage.text for passage in found] == [text for _, text in best]
    np.testing.assert_allclose([passage.score for passage in found], [-score for score, _ in best], atol=6e-5)
    assert "rice" in found[0].text


def test_equal_passages_come_in_their_order(tmp_path: Path) -> None:
    found = passages_of(tmp_path, "Rice.", "Tea is hot.", "Tea is hot.", "Tea is hot.").nearest("hot tea", 2)
    assert [passage.document_id for passage in found] == ["d1", "d2"]


def test_fewer_passages_than_are_asked_for_are_all_of_them(tmp_path: Path) -> None:
    assert len(passages_of(tmp_path, "Rice.", "Tea.").nearest("tea", 5)) == 2


@pytest.mark.parametrize("blank", ["", " \n", "\u00a0"])
def test_nothing_is_found_by_a_blank_text(tmp_path: Path, blank: str) -> None:
    assert passages_of(tmp_path, "Tea.").nearest(blank, 3) == []


def test_a_text_that_no_tokenizer_takes_is_read_without_what_it_cannot(tmp_path: Path) -> None:
    assert len(passages_of(tmp_path, "Tea.").nearest("tea \ud83d", 1)) == 1


def test_static_vectors_find_nothing_by_words_that_they_do_not_hold(make_study: Any, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("tea 1.0 0.0\nrice 0.0 1.0\n")
    from python_assets.study.study import Vectors

    passages = Passages(
        [Passage("d", "rice"), Passage("d", "tea"), Passage("d", "unknown")],
        Vectors(vectors=str(tmp_path / "v.txt")),
        tmp_path / "cache.duckdb",
    )
    assert [(found.text, found.score) for found in passages.nearest("tea", 3)] == [("tea", 1), ("rice", 0)]
    assert passages.nearest("nobody knows", 3) == []


def test_the_identity_is_of_texts_and_model(tmp_path: Path) -> None:
    first, same, other = (passages_of(tmp_path, *listed).identity for listed in (("a", "b"), ("a", "b"), ("a", "c")))
    assert first == same
    assert first["corpus_sha256"] != other["corpus_sha256"]
    assert (first["n_passages"], first["embedding"][:17]) == (2, "all-MiniLM-L6-v2 ")


def test_embeddings_are_made_when_they_are_asked_for_and_kept(tmp_path: Path) -> None:
    cache = tmp_path / "cache.duckdb"
    passages = passages_of(tmp_path, "Tea is hot.", "Rice.")
    assert not cache.exists()
    first = passages.nearest("tea", 1)
    assert cache.exists()
    assert passages_of(tmp_path, "Tea is hot.", "Rice.").nearest("tea", 1) == first


def test_a_study_whose_documents_hold_no_text_is_told(make_study: Any, build: Any, tmp_path: Path, refused) -> None:
    study = make_study(
        {"templates": {"texts": [{"id": "1", "text": "Is a {gender} kind?"}], "cross": ["gender"]}},
        factors={"gender": {"levels": ["Female", "Male"]}},
    )
    job = ExtensionJob(study, ExtensionSpec(type="rag"), build, Home(tmp_path))
    with refused(StudyError, "systems.extension"):
        read_passages(job)


def test_a_file_that_is_missing_is_told_with_its_field(read: Read, refused) -> None:
    with refused(SourceError, "systems.extension.path"):
        read(path="absent.txt", scraped=False)
