import pytest

from python_assets.errors import SourceError
from python_assets.texts.sentences import SentenceFilter, SentenceSplitter, count_words, is_whole


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
    assert splitter.split(["Mr. Rossi of the U.S. went  home\nin 300 B.C. with Dr. Bianchi.  He slept! Why?"]) == [
        "Mr. Rossi of the U.S. went home in 300 B.C. with Dr. Bianchi.",
        "He slept!",
        "Why?",
    ]


def test_decomposed_letters_are_composed():
    assert SentenceSplitter("en").split(["Tu\u0308rkiye."]) == ["Türkiye."]


def test_invisible_marks_do_not_part_a_word():
    assert SentenceSplitter("en").split(["Ita\u00adly\ufeff is\u200b old."]) == ["Italy is old."]


def test_an_unknown_language_is_an_error_that_lists_the_known(refused):
    with refused(SourceError, "prompts.scrape.language"):
        SentenceSplitter("xx")


def judge(*sentences, keywords=None, wanted=None, min_words=3):
    keywords = keywords or {"Italy": ["Italy", "Italian"], "France": ["France"]}
    judged = SentenceFilter(keywords, min_words)
    return judged.judge(sentences, keywords if wanted is None else wanted), judged


def test_every_reason_of_dropping():
    rows, _ = judge("Nothing is here.", "and Italy was.", "Italy rose.", "Italy rose again.", "Italy rose again.")
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
    rows, _ = judge("Italy and France agree.", wanted={"France": ["France"], "Level without keywords": []})
    assert [row.level for row in rows] == ["France"]


def test_keywords_that_a_document_is_not_read_for_are_not_looked_for():
    rows, judged = judge("Italian towns grow.", "Italy grows fast.", wanted={"Italy": ["Italy"]})
    assert [(row.keyword, row.dropped_reason) for row in rows] == [(None, "no_keyword"), ("Italy", None)]
    assert ("Italy", "Italian") in judged.unseen()


def test_of_keywords_that_contain_one_another_a_sentence_holds_the_longest_of_all_levels():
    keywords = {
        "Guinea": ["Guinea"],
        "Equatorial Guinea": ["Equatorial Guinea"],
        "Papua New Guinea": ["Papua New Guinea"],
    }
    rows, _ = judge("Equatorial Guinea grows fast.", "Guinea and Papua New Guinea agree.", keywords=keywords)
    assert [(row.position, row.level) for row in rows] == [
        (1, "Equatorial Guinea"),
        (2, "Guinea"),
        (2, "Papua New Guinea"),
    ]


def test_a_longer_keyword_of_a_level_that_the_document_is_not_read_for_is_no_shorter_one():
    keywords = {"Guinea": ["Guinea"], "Equatorial Guinea": ["Equatorial Guinea"]}
    rows, _ = judge("Equatorial Guinea grows fast.", keywords=keywords, wanted={"Guinea": ["Guinea"]})
    assert [(row.level, row.dropped_reason) for row in rows] == [(None, "no_keyword")]


def test_a_keyword_of_two_levels_counts_for_both():
    keywords = {"Left": ["union members"], "Labour": ["union members"]}
    rows, _ = judge("The union members voted again.", keywords=keywords)
    assert [row.level for row in rows] == ["Left", "Labour"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("It grew.[12]", "It grew."),
        ("It grew[3, 4] fast [5–7].", "It grew fast."),
        ("It grew.[a][b] It fell.", "It grew. It fell."),
        ("It grew[citation needed] there.", "It grew there."),
        ("It grew[note 1] there.[^x]", "It grew there."),
        ("[He] grew a plant[s] [sic] in [1999].", "[He] grew a plant[s] [sic] in [1999]."),
        ("人口は多い。[要出典][注 2]", "人口は多い。"),
    ],
)
def test_bracketed_notes_are_left_out_and_insertions_stay(text, kept):
    assert " ".join(SentenceSplitter("en").split([text])) == kept


@pytest.mark.parametrize(
    ("language", "text", "level", "kept"),
    [
        (
            "de",
            "Dr. Rossi lebt z. B. in Italien. Am 3. Oktober feiert Deutschland. Italienisch ist es nicht.",
            "Italien",
            ["Dr. Rossi lebt z. B. in Italien."],
        ),
        (
            "ja",
            "イタリアは南ヨーロッパの国である。「イタリアは美しい。」と彼は言った。イタリアンの店は多くある。",
            "イタリア",
            ["イタリアは南ヨーロッパの国である。", "「イタリアは美しい。」と彼は言った。"],
        ),
        (
            "zh",
            "中国位于亚洲东部，人口很多。日本是一个岛国，人口也多！AI在中国的发展很快？",
            "中国",
            ["中国位于亚洲东部，人口很多。", "AI在中国的发展很快？"],
        ),
        (
            "hi",
            "भारत एक बहुत बड़ा देश है। भारतीय लोग यहाँ रहते हैं। दिल्ली भारत की राजधानी है।",
            "भारत",
            ["भारत एक बहुत बड़ा देश है।", "दिल्ली भारत की राजधानी है।"],
        ),
    ],
)
def test_sentences_of_several_languages_are_split_and_searched(language, text, level, kept):
    sentences = SentenceSplitter(language).split([text])
    rows, _ = judge(*sentences, keywords={level: [level]}, min_words=4)
    assert [row.sentence_text for row in rows if row.dropped_reason is None] == kept


def test_two_characters_of_a_script_without_spaces_count_as_a_word():
    assert count_words("日本は島国である。") == 4
    assert count_words("AIは日本で、 2 towns") == 1 + 2 + 2


def test_the_first_keyword_is_named_and_all_count_as_seen():
    rows, judged = judge("Italian towns in Italy grow.")
    assert rows[0].keyword == "Italian"
    assert judged.unseen() == [("France", "France")]


def test_keywords_and_sentences_match_in_any_normal_form():
    rows, _ = judge("In Türkiye it rains.", keywords={"Italy": ["Tu\u0308rkiye"]})
    assert rows[0].keyword == "Türkiye"


def test_a_long_paragraph_is_split_as_a_short_one_is():
    text = (
        "Prof. Smith of the U.S. Army came at 5 p.m. on Monday. In 1999, 3.5 million people lived in St. "
        "Petersburg, e.g. in the centre. Is it true? Yes! The No. 5 bus goes there."
    )
    splitter = SentenceSplitter("en")
    assert splitter.split([" ".join([text] * 100)]) == splitter.split([text]) * 100


def test_a_text_without_an_end_of_a_sentence_is_not_lost():
    words = "italy has a coast " * 3_000
    assert "".join(SentenceSplitter("en").split([words])).replace(" ", "") == words.replace(" ", "")
