import pytest

from python_assets.providers.refusal.opening import opening_sentences
from python_assets.providers.refusal.rules import WORDINGS, refuses_by_rules
from python_assets.texts.families import families

FAMILIES = families(WORDINGS)
FOUND = [(name, sentence) for name, family in FAMILIES.items() for sentence in family.finds]
LEFT = [(name, sentence) for name, family in FAMILIES.items() for sentence in family.leaves]


@pytest.mark.parametrize(("name", "sentence"), FOUND)
def test_a_family_finds_its_sentences(name: str, sentence: str) -> None:
    assert FAMILIES[name].pattern.search(sentence)
    assert refuses_by_rules(opening_sentences(sentence))


@pytest.mark.parametrize(("name", "sentence"), LEFT)
def test_no_family_finds_what_refuses_nothing(name: str, sentence: str) -> None:
    assert not refuses_by_rules(opening_sentences(sentence))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_has_sentences_of_both_kinds(name: str) -> None:
    assert FAMILIES[name].finds and FAMILIES[name].leaves
