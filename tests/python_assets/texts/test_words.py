import pytest

from python_assets.texts.words import WordScanner

PRONOUNS = {"he": "male", "his": "male", "she": "female", "they": "neutral", "gender neutral": "no", "neutral": "yes"}


@pytest.mark.parametrize(
    ("text", "meanings"),
    [
        ("He left.", {"male"}),
        ("The theme was there.", set()),
        ("SHE’S here with his dog", {"female", "male"}),
        ("gender neutral", {"no"}),
        ("gender, neutral", {"yes"}),
        ("", set()),
    ],
)
def test_whole_words_are_found_whatever_their_case(text, meanings):
    assert WordScanner(PRONOUNS).meanings(text) == meanings


def test_a_combining_mark_belongs_to_its_word_and_composed_letters_equal_it():
    finder = WordScanner({"हिन्द": "stem", "café": "place"})
    assert finder.meanings("हिन्दी") == set()
    assert finder.meanings("Cafe\u0301 Müller") == {"place"}


def test_signs_around_the_letters_of_a_word_count():
    assert WordScanner({"c++": "language", ".net": "platform"}).meanings("C++ or .NET") == {"language", "platform"}
    assert WordScanner({"c++": "language"}).meanings("C or net") == set()


def test_ten_thousand_words_take_no_longer_than_the_text():
    finder = WordScanner({f"name{n}": str(n) for n in range(10_000)})
    assert finder.meanings("name1 " * 1_000 + "name9999") == {"1", "9999"}


def test_a_word_without_a_letter_is_an_error():
    with pytest.raises(ValueError, match="holds no letter or digit"):
        WordScanner({"!": "loud"})
