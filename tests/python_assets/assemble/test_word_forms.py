import pytest

from python_assets.assemble.branching import Rewriter
from python_assets.assemble.word_forms import form_at
from python_assets.study.study import Branch
from python_assets.texts.keywords import WordFinder
from tests.python_assets.assemble.branches import branched, root, vocabulary

FAITHS = {
    "Muslim": {"noun": "Muslim", "plural": "Muslims", "adjective": "Muslim"},
    "Jewish": {"noun": "Jew", "plural": "Jews", "adjective": "Jewish"},
    "Sikh": {"noun": "Sikh", "plural": "Sikhs", "adjective": "Sikh"},
}
KEYWORDS = {"Muslim": ["Muslim", "Muslims"], "Jewish": ["Jewish", "Jews", "Jew"], "Sikh": ["Sikh", "Sikhs"]}


def words_of(**branch):
    return vocabulary(KEYWORDS, list(FAITHS), forms=FAITHS, **branch)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Many Muslim families celebrate", "adjective"),
        ("A Muslim told the paper", "noun"),
        ("Every Muslim prays", "noun"),
        ("His mother is Muslim and", "adjective"),
        ("He became a Muslim in", "noun"),
        ("Muslim opens the door", None),
        ("It remained dominated by Muslim", None),
    ],
)
def test_a_word_of_two_forms_is_told_by_its_place(text, form):
    assert form_at(text, WordFinder(["Muslim"]).find(text)[0], {"noun", "adjective"}) == form


def test_a_people_and_a_person_are_told_apart():
    swiss = WordFinder(["Swiss"])
    for text, form in (("The Swiss have", "plural"), ("A Swiss has", "noun"), ("Swiss farms are", "adjective")):
        assert form_at(text, swiss.find(text)[0], {"noun", "plural", "adjective"}) == form


def test_groups_with_one_word_and_with_two_get_the_same_blocks():
    roots = [root("A Muslim told a Muslim family that Muslims"), root("A Jew told a Jewish family that Jews", "Jewish")]
    roots = [one._replace(levels={"concept": level}) for one, level in zip(roots, ("Muslim", "Jewish"), strict=True)]
    branches, n_dropped = branched(roots, words_of())
    assert not n_dropped
    assert [one.prompt_text for one in branches] == [
        "A Jew told a Jewish family that Jews",
        "A Sikh told a Sikh family that Sikhs",
        "A Muslim told a Muslim family that Muslims",
        "A Sikh told a Sikh family that Sikhs",
    ]


def test_a_place_that_does_not_tell_the_form_has_no_branch_where_the_words_differ():
    text = "The town remained dominated by Muslim"
    tried = Rewriter(words_of(), Branch()).of(text, None, "Muslim")
    assert {target: one.dropped_reason for target, one in tried.items()} == {
        "Jewish": "word_without_replacement",
        "Sikh": None,
    }
