import time

import pytest
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from python_assets.extract.neutral_words import NEUTRAL, PART_OF_NAME, NeutralWords
from python_assets.texts.group_words import GroupWord, GroupWords

NAMES = ("name", "level")
WORDS = [
    *(GroupWord(("name", name), name, NAMES) for name in ("Low Yi Ting", "Nurul Huda", "Grace Will")),
    *(
        GroupWord(("country", level), word, ("country", form))
        for level, form, word in (
            ("UK", "level", "United Kingdom"),
            ("UK", "level", "the United Kingdom"),
            ("UK", "adjective", "British"),
            ("Italy", "level", "Italy"),
            ("Italy", "adjective", "Italian"),
            ("Korea", "level", "Korea"),
            ("South Korea", "level", "South Korea"),
            ("France", "level", "France"),
            ("Turkey", "level", "Turkey"),
        )
    ),
    GroupWord(("sight", "blind"), "blind person", ("sight", "text")),
    GroupWord(("sight", "blind"), "the blind", ("sight", "level")),
    GroupWord(("gender", "Female"), "Female", ("gender", "level")),
    GroupWord(("gender", "Male"), "Male", ("gender", "level")),
    GroupWord(("gender", "Female"), "woman", ("gender", "text")),
]
BOTH = frozenset({("sight", "blind"), ("gender", "Female")})


@pytest.fixture(scope="module")
def words():
    return NeutralWords(GroupWords(WORDS, {}))


def test_vader_scores_no_neutral_word():
    analyser = SentimentIntensityAnalyzer()
    written = {PART_OF_NAME, *(word for pair in NEUTRAL.values() for word in pair)}
    for word in written:
        assert analyser.polarity_scores(word)["compound"] == 0
        for part in word.lower().split():
            assert part not in analyser.lexicon


@pytest.mark.parametrize(
    ("level", "text", "expected"),
    [
        (("name", "Low Yi Ting"), "Low Yi Ting came.", "Robin Carter came."),
        (("name", "Low Yi Ting"), "Low Yi Ting's idea, LOW YI TING", "Robin Carter's idea, ROBIN CARTER"),
        (("name", "Low Yi Ting"), "Yi Ting sang; Yi-Ting too.", "Robin sang; Robin too."),
        (("name", "Low Yi Ting"), "Low prices fell. We met Ms Low.", "Low prices fell. We met Ms Robin."),
        (("name", "Low Yi Ting"), "Low Yi Ting came. Low is kind.", "Robin Carter came. Robin is kind."),
        (("name", "Low Yi Ting"), "Nurul Huda", "Nurul Huda"),
        (("name", "Nurul Huda"), "Nurul Huda", "Robin Carter"),
        (("name", "Grace Will"), "Will you? Grace Will will.", "Will you? Robin Carter will."),
        (("country", "UK"), "The United Kingdom's coast and the British", "Norland's coast and the Norlandic"),
        (("country", "UK"), "the United Kingdom; Britishness", "Norland; Britishness"),
        (
            ("country", "Italy"),
            "An Italian and Italians in Italy, ITALY",
            "A Norlandic and Norlanders in Norland, NORLAND",
        ),
        (("country", "Korea"), "Korea and South Korea", "Norland and South Korea"),
        (("country", "South Korea"), "South Korea and Korea", "Norland and Korea"),
        (("country", "Turkey"), "roast turkey in Turkey", "roast turkey in Norland"),
    ],
)
def test_a_text_is_read_with_neutral_words_for_those_of_its_group(words, level, text, expected):
    assert words.written(text, frozenset({level})) == expected


def test_words_of_several_levels_are_replaced_together(words):
    text = "A blind person, the blind; Women, a female doctor and the woman's dog"
    expected = "A person, the particular; People, a particular doctor and the person's dog"
    assert words.written(text, BOTH) == expected


def test_a_text_without_such_words_is_the_same_object(words):
    text = "Nobody is named."
    assert words.written(text, BOTH) is text


def test_names_of_a_prompt_are_replaced_beside_its_levels(words):
    assert words.written("Ana Roe met a woman", BOTH, ("Ana Roe",)) == "Robin Carter met a person"


def test_a_text_that_is_only_a_name_becomes_a_neutral_one(words):
    assert words.written("Low Yi Ting", frozenset({("name", "Low Yi Ting")})) == "Robin Carter"


@pytest.mark.parametrize("sentence", ["Low Yi Ting and Low came. ", "Lows' Low, a Low's ", "low "])
def test_a_megabyte_of_names_is_read_in_a_second_of_cpu(words, sentence):
    text = sentence * (1_000_000 // len(sentence))
    started = time.process_time()
    words.written(text, frozenset({("name", "Low Yi Ting")}))
    assert time.process_time() - started < 1.5
