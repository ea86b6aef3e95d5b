import pytest

from python_assets.errors import SourceError
from python_assets.scrape.sentences import SentenceFilter, SentenceSplitter, count_words, is_whole


@pytest.mark.parametrize(
    "sentence",
    [
        "Italy is old.",
        "12 towns lie there!",
        '"Italy is old," he said.',
        "“Italy is old.”",
        "(It has been so.)",
        "¿Es vieja Italia?",
        "Él llegó.",
        "هذه جملة كاملة.",
        "\u200fهذه جملة.\u200f",
        "これは文です。",
        "Is it?)",
        "It grew …",
    ],
)
def test_whole_sentences(sentence):
    assert is_whole(sentence)


@pytest.mark.parametrize(
    "sentence", ["and then it fell.", "Italy is", "Population: 3", "- a point.", "", "...", "\ufffc is."]
)
def test_fragments_are_no_whole_sentences(sentence):
    assert not is_whole(sentence)


def test_a_sentence_with_code_left_out_is_not_whole():
    assert not is_whole("Italy has \ufffc in it.")


def test_dashes_are_no_words():
    assert count_words("Italy -- a land – of 3 seas .") == 6


def test_abbreviations_do_not_end_a_sentence():
    splitter = SentenceSplitter("en")
    assert splitter.split(
        ["Mr. Rossi of the U.S. went  home\nin 300 B.C. with Dr. Bianchi.  He slept! Why?"]
    ) == [
        "Mr. Rossi of the U.S. went home in 300 B.C. with Dr. Bianchi.",
        "He slept!",
        "Why?",
    ]


def test_decomposed_letters_are_composed():
    assert SentenceSplitter("en").split(["Tu\u0308rkiye."]) == ["Türkiye."]


def test_an_unknown_language_is_an_error_that_lists_the_known():
    with pytest.raises(SourceError, match="no sentence rules for 'xx'.*en"):
        SentenceSplitter("xx")


def judge(*sentences, keywords=None, levels=("Italy", "France"), min_words=3):
    judged = SentenceFilter(keywords or {"Italy": ["Italy", "Italian"], "France": ["France"]}, min_words)
    return judged.judge(sentences, levels), judged


def test_every_reason_of_dropping():
    rows, _ = judge(
        "Nothing is here.", "and Italy was.", "Italy rose.", "Italy rose again.", "Italy rose again."
    )
    assert [(row.level, row.dropped_reason) for row in rows] == [
        (None, "no_keyword"),
        ("Italy", "not_whole"),
        ("Italy", "too_short"),
        ("Italy", None),
        ("Italy", "duplicate"),
    ]


def test_a_sentence_of_two_levels_is_kept_for_both():
    rows, _ = judge("Italy and France agree.")
    assert [(row.position, row.level, row.keyword, row.dropped_reason) for row in rows] == [
        (1, "Italy", "Italy", None),
        (1, "France", "France", None),
    ]


def test_levels_that_a_document_is_not_read_for_are_not_looked_for():
    rows, _ = judge("Italy and France agree.", levels=["France", "Level without keywords"])
    assert [row.level for row in rows] == ["France"]


def test_the_first_keyword_is_named_and_all_count_as_seen():
    rows, judged = judge("Italian towns in Italy grow.")
    assert rows[0].keyword == "Italian"
    assert judged.unseen() == [("France", "France")]


def test_keywords_and_sentences_match_in_any_normal_form():
    rows, _ = judge("In Türkiye it rains.", keywords={"Italy": ["Tu\u0308rkiye"]})
    assert rows[0].keyword == "Türkiye"
