import hashlib
from io import BytesIO

import pytest
from docx import Document as WordFile

from python_assets.errors import SourceError
from python_assets.scrape.local import read_local
from python_assets.scrape.sources import SourceJob
from python_assets.study.study import Source
from python_assets.texts.files import TEXT_READERS, find_files, find_texts


@pytest.fixture
def study(make_study):
    prompts = {
        "scrape": {"levels": ["Italy"], "keywords": {"Italy": ["Italy"]}, "sources": [{"tag": "t", "path": "a.txt"}]}
    }
    return make_study(prompts, {"b.txt": "Two.", "a.txt": "One.\n\nMore\nof it.", "c.rtf": "x"})


def read(study, path):
    job = SourceJob(study, study.prompts.scrape, Source(tag="t", path=path), ("field",), ("Italy",), None)
    return read_local(job).documents


def test_blank_lines_part_paragraphs(study):
    (document,) = read(study, "a.txt")
    assert document.paragraphs == ("One.", "More\nof it.")
    assert document.uri == "a.txt"


def test_a_pattern_names_files_in_order(study):
    assert [file.name for file in find_files(study, "*.txt", "field")] == ["a.txt", "b.txt"]
    assert [file.name for file in find_files(study, str(study.folder / "**" / "[ab].txt"), "field")] == [
        "a.txt",
        "b.txt",
    ]


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(study):
    (study.folder / "x[1].txt").write_text("One.", encoding="utf-8")
    assert [file.name for file in find_files(study, "x[1].txt", "field")] == ["x[1].txt"]


def test_a_pattern_without_a_file_is_an_error(study, refused):
    with refused(SourceError, "field"):
        find_files(study, "*.md", "field")


def test_another_ending_is_an_error_that_names_the_known(study, refused):
    with refused(SourceError, "field.path"):
        read(study, "c.rtf")


def test_a_folder_is_every_file_below_it_that_can_be_read_in_order(study):
    below = study.folder / "texts" / "deep" / "er"
    below.mkdir(parents=True)
    (study.folder / "texts" / "z.md").write_text("# A\n\nZ.", encoding="utf-8")
    (below / "a.HTML").write_text("<p>A.", encoding="utf-8")
    (below / "picture.png").write_bytes(b"\0")
    (below / ".hidden.txt").write_text("H.", encoding="utf-8")
    (below / "~$lock.docx").write_text("L.", encoding="utf-8")
    documents = read(study, "texts")
    assert [(document.uri, document.paragraphs) for document in documents] == [
        ("texts/deep/er/a.HTML", ("A.",)),
        ("texts/z.md", ("Z.",)),
    ]
    assert [file.name for file in find_texts(study, "texts/z.md", "field")] == ["z.md"]


def test_a_folder_without_a_text_is_an_error(study, refused):
    (study.folder / "empty").mkdir()
    with refused(SourceError, "field.path"):
        read(study, "empty")


def test_of_a_converted_file_the_running_text_is_stored_and_the_file_is_hashed(study):
    word_file, data = WordFile(), BytesIO()
    word_file.add_paragraph("One.")
    word_file.add_paragraph("Two.")
    word_file.save(data)
    (study.folder / "d.docx").write_bytes(data.getvalue())
    (document,) = read(study, "d.docx")
    assert document.paragraphs == ("One.", "Two.")
    assert document.document_text == "One.\n\nTwo."
    assert document.sha256 == hashlib.sha256(data.getvalue()).hexdigest()


@pytest.mark.parametrize("ending", TEXT_READERS)
def test_a_file_of_any_kind_that_is_not_there_is_an_error_that_names_it(study, ending, refused):
    with refused(SourceError, "field.path"):
        read(study, f"none{ending}")


@pytest.mark.parametrize("ending", TEXT_READERS)
def test_a_file_of_any_kind_without_text_is_an_error_that_names_it(study, ending, refused):
    (study.folder / f"empty{ending}").write_bytes(b"")
    with refused(SourceError, "field.path"):
        read(study, f"empty{ending}")


def test_a_page_is_stored_as_it_is(study):
    (study.folder / "p.html").write_text("<h1>H</h1><p>P.</p>", encoding="utf-8")
    (document,) = read(study, "p.html")
    assert (document.paragraphs, document.document_text) == (("P.",), "<h1>H</h1><p>P.</p>")
