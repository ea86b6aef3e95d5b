import pytest
from pysbd.languages import LANGUAGE_CODES

from python_assets.texts.abbreviations import rejoined
from python_assets.texts.sentences import LANGUAGES, SentenceSplitter
from tests.python_assets.texts.abbreviated_sentences import SENTENCES

# of 20 (de, fr, es) and 10 (ar, zh); pysbd alone cuts 8, 16, 11, 9 and 5 wrongly
MOST_WRONG = {"de": 0, "fr": 0, "es": 1, "ar": 0, "zh": 0}


@pytest.mark.parametrize("language", SENTENCES)
def test_abbreviations_of_other_languages_do_not_end_a_sentence(language):
    splitter = SentenceSplitter(language)
    lines = [line.split(" | ") for line in SENTENCES[language].strip().splitlines()]
    joint = "" if language == "zh" else " "
    wrong = [pair for pair in lines if splitter.split([joint.join(pair)]) != pair]
    assert len(wrong) <= MOST_WRONG[language], wrong


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("de", ["Das geschah im Mai.", "Juni war heiß."]),
        ("de", ["Sie wog 50 kg.", "Dann nahm sie ab."]),
        ("fr", ["Il pèse 5 kg.", "Puis il dort."]),
        ("fr", ["Il vend du pain, du lait, etc.", "Puis il part."]),
        ("es", ["Vive en la casa.", "Duerme."]),
        ("es", ["Nació en 1990.", "Murió joven."]),
        ("ar", ["هذا بيت.", "وهذا باب."]),
        ("zh", ["他来自USA。", "他很高。"]),
    ],
)
def test_what_only_looks_like_an_abbreviation_ends_a_sentence(language, sentences):
    joint = "" if language == "zh" else " "
    assert SentenceSplitter(language).split([joint.join(sentences)]) == sentences


def test_a_sign_after_a_year_may_end_a_sentence():
    assert rejoined(["ولد سنة 1990 م. ", "ثم سافر."], "ar") == ["ولد سنة 1990 م. ", "ثم سافر."]
    assert rejoined(["وصل م. ", "سامي."], "ar") == ["وصل م. سامي."]


def test_a_language_without_abbreviations_stays_as_it_was_cut():
    assert rejoined(["Mr. ", "rossi."], "it") == ["Mr. ", "rossi."]
    assert rejoined([], "de") == []


def test_the_languages_are_those_that_there_are_rules_for():
    assert frozenset(LANGUAGE_CODES) == LANGUAGES
