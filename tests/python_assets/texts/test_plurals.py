import pytest
from textblob.en.inflect import pluralize

from python_assets.texts.plurals import plural

REGULAR = (
    ["Italian", "Ideralander", "Argentine", "Turk", "Briton", "Saudi", "South Korean", "Thai"]
    + ["town", "nurse", "country", "day", "church", "actress", "box", "stock", "policy", "great nurse"]
    + ["woman", "man", "child", "person", "wife", "policewoman", "Frenchman", "grandchild", "Englishwoman"]
)


@pytest.mark.parametrize("word", REGULAR)
def test_it_agrees_with_the_rules_of_textblob(word):
    assert plural(word) == pluralize(word)


@pytest.mark.parametrize("word", ["German", "Roman", "Norman", "human", "Ottoman"])
def test_not_every_man_is_one(word):
    assert plural(word) == f"{word}s"


@pytest.mark.parametrize(
    "word",
    ["US", "UK", "USA", "Chinese", "British", "French", "Swiss", "Dutch", "the United States", "women", "people"]
    + ["towns", "Apple Inc. (AAPL)", "us", "", " ", "42", "bad-stocks", "new", "good"],
)
def test_what_has_no_plural_of_its_own_has_none(word):
    assert plural(word) is None
