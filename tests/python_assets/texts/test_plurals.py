import pytest
from textblob.en.inflect import pluralize

from python_assets.texts.plurals import is_plural, plural

REGULAR = (
    ["Italian", "Ideralander", "Argentine", "Turk", "Briton", "Saudi", "South Korean", "Thai"]
    + ["town", "nurse", "country", "day", "church", "actress", "box", "stock", "policy", "great nurse"]
    + ["woman", "man", "child", "person", "wife", "policewoman", "Frenchman", "grandchild", "Englishwoman"]
)


@pytest.mark.parametrize("word", REGULAR)
def test_it_agrees_with_the_rules_of_textblob(word):
    assert plural(word) == pluralize(word)


@pytest.mark.parametrize(
    ("word", "is_one"),
    [("women", True), ("nurses'", True), ("nurse's", False), ("older people", True), ("boss", False), ("man", False)],
)
def test_the_form_of_a_word_tells_a_plural(word, is_one):
    assert is_plural(word) == is_one


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
