import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from python_assets.assemble.assemble_study import assemble
from python_assets.assemble.methods import Made
from python_assets.assemble.split_sentences import split_sentence
from python_assets.assemble.tagged_words import tagged_words
from python_assets.scrape.scrape_study import scrape

TABLE_3 = (
    "Concerns over Conservative Party funds have become increasingly controversial due to Vladimir Putin's "
    "human rights abuses and the Russian invasion of Ukraine."
)


def test_the_example_of_the_document():
    """SAGED, table 3."""
    made = split_sentence(TABLE_3, "Conservative Party")
    assert made.prompt_text == "Concerns over Conservative Party funds have become increasingly controversial due"
    assert made.reason is None


def test_a_verb_among_the_first_six_words_is_passed_over():
    made = split_sentence("Italy has built many new roads and sold old trains to its poor neighbours.", "Italy")
    assert made.prompt_text == "Italy has built many new roads and sold old trains to"


def test_words_in_parentheses_are_neither_counted_nor_the_verb():
    sentence = "Italy (which was and has been rich) and its many old towns have built new roads there today."
    assert split_sentence(sentence, "Italy").prompt_text == sentence.removesuffix(" there today.")


def test_the_prompt_ends_after_three_words_outside_parentheses():
    made = split_sentence("The five old towns of Italy were rebuilt (at great cost) by the state after all.", "Italy")
    assert made.prompt_text == "The five old towns of Italy were rebuilt (at great cost) by the"


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("The beauty of the old towns of Italy and of France.", "no_verb"),
        ("The old towns in the north of Italy were rebuilt.", "whole_sentence"),
        ("The old towns in the north of Italy were built in time.", "whole_sentence"),
        ("The old towns on the far coast were rebuilt at great cost by Italy.", "keyword_not_in_prompt"),
    ],
)
def test_failures_have_a_reason(sentence, reason):
    assert split_sentence(sentence, "Italy") == Made(None, reason)


@pytest.mark.parametrize(
    ("sentence", "prompt"),
    [
        ("The old towns were sold to Italy for a small price.", "The old towns were sold to Italy for a small"),
        ("The old towns were sold to Italy in June.", "The old towns were sold to Italy in"),
        ("However, Italy sold all of its old towns.", "Italy sold all of"),
        ("But then, in the spring, Italy sold towns.", "In the spring, Italy sold"),
        ("So did Italy when it sold its old towns.", "So did Italy when it sold"),
        ("Towns in Italy's (rather cold) north were sold.", "Towns in Italy's (rather cold) north were"),
    ],
)
def test_behind_the_keyword_no_verb_is_needed_and_a_connective_goes(sentence, prompt):
    assert split_sentence(sentence, "Italy", "keyword").prompt_text == prompt


def test_a_keyword_at_the_end_or_far_from_the_start_makes_no_prompt():
    assert split_sentence("The old towns were sold to Italy.", "Italy", "keyword").reason == "whole_sentence"
    late = f"The towns {'and the towns ' * 8}of Italy were sold."
    assert split_sentence(late, "Italy", "keyword").reason == "keyword_not_in_prompt"


def test_fewer_words_are_taken_where_those_at_the_end_are_of_one_level(make_study, build):
    text = (
        "The old towns in the north of Italy traded with Genoa alone. "
        "Many farmers in Italy have since then sold all of their wheat."
    )
    scraped = {
        "levels": ["Italy", "France"],
        "keywords": {"Italy": ["Italy"]},
        "sources": [{"tag": "a", "path": "a.txt"}],
    }
    study = make_study({"scrape": scraped, "assemble": {"after_words": "keyword"}, "branch": {}}, {"a.txt": text})
    scrape(study, build)
    assemble(study, build)
    prompts = build.sql("select prompt_text from raw.prompts where is_root").fetchall()
    # what the second one refers back with a shorter prompt would only hide
    assert prompts == [("The old towns in the north of Italy traded with",)]


def test_a_keyword_is_looked_for_as_a_whole_word():
    sentence = "The old towns in the Italian north were rebuilt at great cost by Italy."
    assert split_sentence(sentence, "Ital").reason == "keyword_not_in_prompt"


def test_a_modal_is_a_verb():
    words = {word.text: word.tag for word in tagged_words("Its old towns can be seen, and it can’t last.")}
    assert words["can"] == words["can’t"] == "MD"


def test_abbreviations_keep_their_points_and_signs_are_no_words():
    assert [word.text for word in tagged_words('The U.S. -- "a land" & more …')] == [
        "The",
        "U.S.",
        '"a',
        'land"',
        "more",
    ]


@settings(deadline=None)  # the first call loads the tagger's lexicon
@given(st.text(st.sampled_from("aZ é(/)&;-.,'’\"…😀م1\u2028<_*"), max_size=60))
def test_any_text_is_tagged_and_words_stand_where_they_say(text):
    for word in tagged_words(text):
        assert text[: word.end].endswith(word.text)


@settings(deadline=None)  # the first call loads the tagger's lexicon
@given(st.permutations(TABLE_3.split()))
def test_a_prompt_is_the_beginning_of_its_sentence(words):
    sentence = " ".join(words)
    made = split_sentence(sentence, "Party")
    assert (made.prompt_text is None) != (made.reason is None)
    if made.prompt_text is not None:
        assert sentence.startswith(made.prompt_text)
        assert made.prompt_text != sentence
        assert len(made.prompt_text.split()) >= 10


def test_a_sentence_in_parentheses_alone_has_no_words():
    for after_words in (6, "keyword", "subject"):
        assert split_sentence("(Italy sold its old towns.)", "Italy", after_words).prompt_text is None
