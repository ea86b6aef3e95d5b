import pytest

from python_assets.errors import SourceError
from python_assets.scrape.local import find_files, read_local
from python_assets.study import Source


@pytest.fixture
def study(make_study):
    prompts = {
        "scrape": {
            "levels": ["Italy"],
            "keywords": {"Italy": ["Italy"]},
            "sources": [{"tag": "t", "path": "a.txt"}],
        }
    }
    return make_study(prompts, {"b.txt": "Two.", "a.txt": "One.\n\nMore\nof it.", "c.pdf": "x"})


def test_blank_lines_part_paragraphs(study):
    (document,) = read_local(study, Source(tag="t", path="a.txt"), "field")
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


def test_a_pattern_without_a_file_is_an_error(study):
    with pytest.raises(SourceError, match=r"field: no file matches .*\*\.md"):
        find_files(study, "*.md", "field")


def test_another_ending_is_an_error_that_names_the_known(study):
    with pytest.raises(SourceError, match=r"'\.pdf'.*\.txt, \.md"):
        read_local(study, Source(tag="t", path="c.pdf"), "field")
