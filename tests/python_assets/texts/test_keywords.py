import pytest
from hypothesis import given
from hypothesis import strategies as st

from python_assets.texts.keywords import WordFinder


def found(text, *words):
    return [(occurrence.text, occurrence.word) for occurrence in WordFinder(words).find(text)]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Italy's north", "Italy"),
        ("(Italy)", "Italy"),
        ("pro-Italy voters", "Italy"),
        ("In Türkiye today", "Türkiye"),
        ("Apple Inc. (AAPL) fell", "Apple Inc. (AAPL)"),
        ("written in C++ today", "C++"),
        ("a.b costs", "a.b"),
        ("ในไทย นะ", "ในไทย"),
        ("مصر كبيرة", "مصر"),
        ("a 😀 b", "😀"),
        ("日本は島国である", "日本"),
        ("フランス・イタリア間", "イタリア"),
        ("中国的经济", "中国"),
        ("AIは速い", "AI"),
        ("भारत में", "भारत"),
        ("about 50% off", "50%"),
        ("a [b] c", "[b]"),
        ("price $5.00 now", "$5.00"),
    ],
)
def test_a_word_is_found_literally_and_whole(text, word):
    assert found(text, word) == [(word, word)]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Italians", "Italy"),
        ("Chinatown", "China"),
        ("Indochina", "China"),
        ("axb", "a.b"),
        ("New_Italy", "Italy"),
        ("it is for us", "US"),
        ("the US army", "us"),
        ("भारतीय", "भारत"),
        ("écrit", "crit"),
        ("イタリアンの店", "イタリア"),
        ("バターの値段", "バタ"),
        ("それすしが好き", "すし"),
        ("G20 met", "G2"),
        ("price $5x00 now", "$5.00"),
    ],
)
def test_a_part_of_a_word_or_another_word_is_not_found(text, word):
    assert found(text, word) == []


def test_a_capital_first_letter_and_long_words_in_capitals_are_found():
    assert found("Women vote. WOMEN vote. women vote.", "women") == [(w, "women") for w in ("Women", "WOMEN", "women")]
    assert found("The EU and the EU", "the EU") == [("The EU", "the EU"), ("the EU", "the EU")]


def test_short_words_in_capitals_are_other_words():
    assert found("HE and WHO", "he", "who") == []


def test_of_overlapping_words_the_longest_is_found():
    assert found("New York City and New York", "New York", "New York City", "York") == [
        ("New York City", "New York City"),
        ("New York", "New York"),
    ]
    assert found("Great Britain and Ireland", "Great Britain", "Britain and Ireland") == [
        ("Britain and Ireland", "Britain and Ireland")
    ]


@given(st.lists(st.sampled_from(["Italy", "italy", "the EU", "EU", "US", "us", "Italian", ",", "é"]), max_size=12))
def test_occurrences_never_overlap_and_stand_where_they_say(parts):
    text = " ".join(parts)
    occurrences = WordFinder(["Italy", "the EU", "EU", "US"]).find(text)
    ends = [0, *(occurrence.end for occurrence in occurrences)]
    for occurrence, before in zip(occurrences, ends, strict=False):
        assert occurrence.start >= before
        assert text[occurrence.start : occurrence.end] == occurrence.text
