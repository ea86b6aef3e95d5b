import pytest

from python_assets.assemble.portability.facts import past_event
from python_assets.assemble.portability.kinds import fighting_adjective, kinds, kinds_of, word_of_some
from python_assets.texts.keywords import WordFinder

OCCUPATIONS = ["nurse", "nurses", "teacher", "teachers", "engineers"]
FAITHS = ["Muslim", "Muslims", "Jewish", "Jews"]
AGES = ["older person", "older people", "young person", "young people"]


def named(words, text):
    return WordFinder(words).find(text)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (OCCUPATIONS, ["occupation"]),
        (FAITHS, ["faith"]),
        (AGES, ["age"]),
        (["woman", "women", "man", "men"], ["gender"]),
        (["Italy", "Italian", "France"], []),
        (["Emily", "James"], []),
    ],
)
def test_levels_tell_their_kind(words, names):
    assert kinds_of(words) == [kinds()[name] for name in names]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Emily was the niece of", "niece"),
        ("Emily became a very young widow", "widow"),
        ("Emily, a mother of two", "mother"),
        ("Emily met a mother of", None),
        ("Emily was late when her mother", None),
    ],
)
def test_what_a_name_is_called_is_of_one_gender(text, word):
    assert word_of_some(text, named(["Emily", "James"], text), kinds_of(["Emily", "James"], has_gender=True)) == word


def test_names_that_have_pronouns_are_of_a_gender():
    assert kinds_of(["Emily", "James"], has_gender=True) == [kinds()["gender"]]


@pytest.mark.parametrize(
    ("words", "text", "word"),
    [
        (OCCUPATIONS, "Nurses often work at night and", None),
        (OCCUPATIONS, "Many teachers struggled with their workload and", None),
        (OCCUPATIONS, "Nurses give medication to", "medication"),
        (OCCUPATIONS, "A teacher grades homework in", "grades"),
        (OCCUPATIONS, "The nurse has a legal duty", "legal"),
        (FAITHS, "Muslims fast during", "fast"),
        (FAITHS, "Jews meet their neighbours at", None),
        (["woman", "man"], "The woman was pregnant when", "pregnant"),
        (["woman", "man"], "The woman was late when", None),
        (["woman", "man"], "The woman and a child were", "child"),
        (["women", "men"], "The ship took women, children", "children"),
        (OCCUPATIONS, "The teacher didn't buy what she'd promised to", None),
        (OCCUPATIONS, "The teacher and a police officer", "police officer"),
        (OCCUPATIONS, "The teacher (once a florist) has", "florist"),
        (OCCUPATIONS, "The teacher of the village has", "of"),
        (OCCUPATIONS, "Some teachers escape the low-yield", "low-yield"),
        (OCCUPATIONS, "The hard-working teachers escape", None),
        (["woman", "man"], "A mother and a woman of the town", "mother"),
        (FAITHS, "Many Muslims eat grumbas", "grumbas"),
        (FAITHS, "In many a Muslim country people", "country"),
        (FAITHS, "In the country a Muslim may", None),
    ],
)
def test_what_only_some_levels_have_or_do_is_told(words, text, word):
    assert word_of_some(text, named(words, text), kinds_of(words)) == word


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Many a young older person", "young older person"),
        ("A frail and elderly older person", "elderly older person"),
        ("A kind older person", None),
        ("Many young nurses", None),
    ],
)
def test_an_adjective_that_fights_with_the_level_is_told(text, found):
    assert fighting_adjective(text, named(AGES, text), kinds_of(AGES)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [("A visual teacher has", "visual teacher"), ("A young teacher has", None), ("All teachers have", None)],
)
def test_an_adjective_makes_another_occupation(text, found):
    assert fighting_adjective(text, named(OCCUPATIONS, text), kinds_of(OCCUPATIONS)) == found


def test_a_name_that_follows_a_man_is_no_womans():
    gender = [kinds()["gender"]]
    assert (
        fighting_adjective("The old man James", named(["Emily", "James"], "The old man James"), gender) == "man James"
    )


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("The Italian government held a referendum", "held"),
        ("Italy amended its constitution", "amended"),
        ("The towns of Italy grew quickly", None),
        ("An Italian told the paper", None),
        ("Italy has grown", None),
        ("In Italy many towns grew", None),
    ],
)
def test_an_event_of_a_named_level_is_told(text, verb):
    assert past_event(text, named(["Italy", "Italian"], text)) == verb
