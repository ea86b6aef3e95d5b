import pytest

from python_assets.scrape.finders import FINDERS, FoundKeyword, rejected_keyword, unusable_keyword
from python_assets.study.scrape import KeywordFinder


def test_every_finder_of_the_study_file_is_there():
    assert list(FINDERS) == sorted(KeywordFinder.model_fields["find"].annotation.__args__)


@pytest.mark.parametrize("keyword", ["Italy", "C++", "日本", "भारत", 'O\'Brien ("x")', "a" * 100, "box x-ray"])
def test_words_that_can_be_keywords(keyword):
    assert unusable_keyword(keyword) is None


@pytest.mark.parametrize(
    ("keyword", "problem"),
    [
        ("", "no letter"),
        ("...", "no letter"),
        ("a" * 101, "100 characters"),
        ("Female x Malay", "joins levels"),
        ("two\nlines", "line break"),
        ("nul\0l", "control character"),
    ],
)
def test_words_that_cannot_are_told_with_the_reason(keyword, problem):
    assert problem in unusable_keyword(keyword)
    row = rejected_keyword("Italy", FoundKeyword(keyword, "word", "embedding_on_wiki", 0.5))
    assert row.rule == "unusable_keyword"
    assert problem in row.detail
    assert row.record_key.startswith("Italy: ")
