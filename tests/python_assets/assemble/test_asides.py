import pytest

from python_assets.assemble.asides import said_in_passing
from python_assets.assemble.tagged_words import tagged_words
from python_assets.texts.keywords import WordFinder

OWN = WordFinder(["Norway", "Norwegian", "Norwegians"])


def in_passing(prompt):
    return said_in_passing(prompt, OWN.find(prompt)[0], tagged_words(prompt))


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("Fond of coffee, the Norwegians have", "Fond of coffee,"),
        ("Buying little abroad, most Norwegians have", "Buying little abroad,"),
        ("Because of the cold, Norway has", "Because of the cold,"),
        ("Unusually rich Norway has", "Unusually rich"),
        ("Norway, where coffee is dear, has", "Norway,"),
        ("In Norway where coffee is dear, people have", "where"),
        ("Cafes in Norway, owned by families, have", "owned by families"),
        ("Whereas Norway has coffee", "Whereas"),
        ("The cheap strong coffee in Norway is", "The cheap strong coffee"),
    ],
)
def test_what_a_sentence_says_beside_what_it_says_is_told(prompt, words):
    assert in_passing(prompt) == words


@pytest.mark.parametrize(
    "prompt",
    [
        "Norway has coffee",
        "During the winter, Norway has",
        "Unusually rich Norwegian families have",
        "Coffee is dear in Norway, where families have",
        "Cafes in Norway sell coffee, baked bread, wine and",
        "The strong coffee in Norway is",
        "After the winter the cafes of Norway have",
    ],
)
def test_what_a_sentence_says_is_not(prompt):
    assert in_passing(prompt) is None
