import pytest

from python_assets.assemble.pronouns import pronoun_left, unclear_pronoun, with_pronouns
from python_assets.study.base import Unfit
from python_assets.study.pronouns import Pronouns, pronoun_slots
from python_assets.texts.keywords import WordFinder

SHE = Pronouns.read("she/her/her/hers/herself")
HE = Pronouns.read("he/him/his/his/himself")
THEY = Pronouns.read("they/them/their/theirs/themself")
OWN = WordFinder(["woman", "women", "man", "men", "Emily", "James"])


@pytest.mark.parametrize(
    ("text", "source", "target", "written"),
    [
        ("The woman said that her work", SHE, HE, "The woman said that his work"),
        ("Her friends saw her in the garden", SHE, HE, "His friends saw him in the garden"),
        ("The house was hers, and she built it herself", SHE, HE, "The house was his, and he built it himself"),
        ("The man sold his old house, for it was his.", HE, SHE, "The man sold her old house, for it was hers."),
        ("People like him when he sings", HE, SHE, "People like her when she sings"),
        ("She works at night and often sleeps late", SHE, THEY, "They work at night and often sleep late"),
        ("When she is tired she was said to rest", SHE, THEY, "When they are tired they were said to rest"),
        ("The others left because they were late", THEY, SHE, "The others left because she was late"),
        ("The theory of heredity was there", SHE, HE, "The theory of heredity was there"),
    ],
)
def test_each_form_is_written_as_what_it_is_in_its_place(text, source, target, written):
    assert with_pronouns(text, source, target).text == written


def test_what_was_written_for_what_is_told():
    assert with_pronouns("She saw it herself", SHE, HE).replacements == {"She": "He", "herself": "himself"}
    assert with_pronouns("She saw it", SHE, SHE) == ("She saw it", {})


@pytest.mark.parametrize(
    ("text", "unclear"),
    [
        ("Every woman in the council said that her work", None),
        ("The woman told her boss that she", "boss she"),
        ("After her boss left, the woman said that he", "he"),
        ("The women of the town said that she", "she"),
        ("The woman found the letter that made her", "her"),
        ("Emily and her mother went", None),
        ("The woman went home", None),
        ("It was she who saw the woman", "she"),
        ("When she had rested, the woman", None),
        ('"I am late, Emily", she said', "she"),
        ('"I am late", Emily said, when she', None),
        ("Ask Emily whether he is", "he"),
        ("Emily followed him into", None),
        ("He asked whether Emily", None),
        ("Emily told her that", "her"),
        ("The woman who stood before her there", "her"),
        ("Emily has a friend who loves her and", "friend her"),
        ("Emily wrote that we admired her and", None),
        ("Women who met him", "him"),
        ("Women whose husband had his", None),
    ],
)
def test_who_is_meant_and_which_form_it_is_must_be_clear(text, unclear):
    assert unclear_pronoun(text, OWN.find(text), SHE, {HE}) == unclear


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("If the man is late, he", "he"),
        ("The man and his friends", "his"),
        ("He is late, the man", None),
        ("The men say that she", "she"),
        ("The men say of a friend that she", None),
        ("The man asked them", None),
        ("The man asked him", "him"),
    ],
)
def test_a_pronoun_of_a_level_that_has_none_is_told(text, left):
    assert pronoun_left(text, OWN.find(text)) == left


@pytest.mark.parametrize(
    "written", ["she/her", "she/her/her/hers/her self", "", "a/b/c/d/e/f", "she//her/hers/herself"]
)
def test_what_is_no_set_of_five_is_refused(written):
    with pytest.raises(Unfit, match="five pronouns"):
        Pronouns.read(written)


def test_slots_of_templates_are_the_forms_of_the_level():
    by_level = {"woman": "she/her/her/hers/herself", "man": "he/him/his/his/himself"}
    slots = pronoun_slots("gender", by_level, "man")
    assert (slots["gender.possessive"], slots["gender.Subject"]) == ("his", "He")
    assert pronoun_slots("gender", by_level, "nobody") == {}
