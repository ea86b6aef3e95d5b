import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.assemble.methods import Made
from python_assets.assemble.split_sentences import split_sentence
from python_assets.scrape.scrape_study import scrape

NOT_SUBJECT = Made(None, "keyword_not_subject")


@pytest.mark.parametrize(
    ("sentence", "prompt"),
    [
        (
            "The mayor said that the old nurses had often been told of it all.",
            "The old nurses had often been told of it",
        ),
        ("Since then nurses earned as much as anybody else in town.", "Nurses earned as much as"),
        ("From the books the nurses could see what was wrong.", "The nurses could see what was"),
        ("He had married a nurse who was from the same town.", "A nurse who was from the"),
        ("The letter was sent to all nurses in the three towns.", "All nurses in the three"),
        ("She said, “Nurses don’t earn enough to live on.”", "Nurses don’t earn enough to live"),
        ("Many nurses agree; the others do not care.", "Many nurses agree"),
    ],
)
def test_a_prompt_begins_with_the_phrase_of_its_level(sentence, prompt):
    made = split_sentence(sentence, "nurse" if "a nurse " in sentence else "nurses", "subject")
    assert made.prompt_text == prompt


@pytest.mark.parametrize(
    "sentence",
    [
        "The town has since then paid its nurses.",
        "The nurses' beds were sold to somebody else in town.",
        "The half-nurses were sold to somebody else in town.",
        "All of her nurses were told that the plan was bad.",
        "The hospital nurses were told that the plan was bad.",
        "The work of the nurses was told of in the paper.",
        "How many nurses does it take to change a light bulb?",
        "That is more than nurses do in most of the towns.",
        "We never heard what nurses have to say of the plan.",
        "The plan that nurses made was told of in the paper.",
        "The more nurses work the less is done in the town.",
        "The law asks that nurses be told of each such plan.",
        "We saw Real Nurses play in the old hall of the town.",
        "In 1912 nurses had no plan of their own in the town.",
        "The town (where nurses were told of it) has no plan.",
    ],
)
def test_where_the_keyword_is_no_subject_there_is_no_prompt(sentence):
    assert split_sentence(sentence, "nurses", "subject") == NOT_SUBJECT


def test_a_name_needs_no_article_and_has_no_circumstance():
    assert split_sentence("So it was that Mary went to the town.", "Mary", "subject").prompt_text == "Mary went to the"
    assert split_sentence("They had seen Mary in the town of Genoa.", "Mary", "subject") == NOT_SUBJECT


def test_a_person_is_described_by_an_adjective():
    made = split_sentence("Since then Jewish students have been told of it.", "Jewish", "subject")
    assert made.prompt_text == "Jewish students have been told of"


def test_punctuation_ends_a_prompt_and_an_adjective_does_not_end_it():
    assert (
        split_sentence("The nurses are tired, but they go on.", "nurses", "subject").prompt_text
        == "The nurses are tired"
    )
    assert split_sentence("The nurses agree - all of them.", "nurses", "subject").prompt_text == "The nurses agree"
    cut = split_sentence("The nurses will take the third old road.", "nurses", "subject")
    assert cut.prompt_text == "The nurses will take the"


def test_a_sentence_is_not_told_to_its_end():
    assert split_sentence("In the end the nurses agreed.", "nurses", "subject").reason == "whole_sentence"


def test_what_a_study_gets_is_portable(make_study, build):
    text = (
        "The head of the hospital in Genoa said that the women had never been told of the second plan. "
        "By 1912 the women had bought 30 of the houses in town. "
        "The women told him what they had seen in the town."
    )
    scraped = {
        "levels": ["woman", "man"],
        "keywords": {"woman": ["women"], "man": ["men"]},
        "sources": [{"tag": "a", "path": "a.txt"}],
    }
    forms = {"woman": {"one": "woman", "many": "women"}, "man": {"one": "man", "many": "men"}}
    pronouns = {"woman": "she/her/her/hers/herself", "man": "he/him/his/his/himself"}
    study = make_study(
        {"scrape": scraped | {"factor": "gender"}, "assemble": {"after_words": "subject"}, "branch": {"forms": forms}},
        {"a.txt": text},
        factors={"gender": {"pronouns": pronouns}},
    )
    scrape(study, build)
    assemble(study, build)
    prompts = build.sql("select prompt_text from raw.prompts order by is_root desc").fetchall()
    assert prompts == [("The women had never been told of the",), ("The men had never been told of the",)]
