from pathlib import Path
from typing import NamedTuple

import pytest

from python_assets.assemble import portability
from python_assets.assemble.portability.asides import said_in_passing
from python_assets.assemble.portability.facts import stated_fact
from python_assets.assemble.portability.openings import referring_words
from python_assets.assemble.portability.presuppositions import presupposing_words
from python_assets.assemble.tagged_words import tagged_words
from python_assets.texts.families import Family, families
from python_assets.texts.keywords import WordFinder

_FOLDER = Path(portability.__file__).parent
OWN = WordFinder(["Norway", "Norwegian", "Norwegians", "Italy", "Italian", "Italians", "the Kingdom of Italy"])


def referring(prompt):
    first = OWN.find(prompt)[0]
    return referring_words(prompt, (first.start, first.end))


def presupposing(prompt):
    return presupposing_words(prompt, OWN.find(prompt))


def in_passing(prompt):
    return said_in_passing(prompt, OWN.find(prompt)[0], tagged_words(prompt))


def stating(prompt):
    found = stated_fact(prompt, OWN.find(prompt))
    return None if found is None else found[1]


TOLD = {"asides": in_passing, "facts": stating, "openings": referring, "presuppositions": presupposing}


class Named(NamedTuple):
    file: str
    name: str
    family: Family


NAMED = [Named(file, name, family) for file in TOLD for name, family in families(_FOLDER / f"{file}.yml").items()]
FOUND = [(one, *told) for one in NAMED for told in one.family.finds.items()]
LEFT = [(one, prompt) for one in NAMED for prompt in one.family.leaves]


@pytest.mark.parametrize(("one", "prompt", "words"), FOUND, ids=[f"{one.name}: {prompt}" for one, prompt, _ in FOUND])
def test_a_family_finds_what_its_sentences_hold(one, prompt, words):
    assert TOLD[one.file](prompt) == words
    before = prompt[: OWN.find(prompt)[0].start]
    assert not one.family.place or any(one.family.pattern.search(text) for text in (prompt, before))


@pytest.mark.parametrize(("one", "prompt"), LEFT, ids=[f"{one.name}: {prompt}" for one, prompt in LEFT])
def test_a_family_leaves_what_any_level_may_be_asked(one, prompt):
    assert TOLD[one.file](prompt) is None


@pytest.mark.parametrize("one", NAMED, ids=[f"{one.file}, {one.name}" for one in NAMED])
def test_a_family_has_sentences_of_both_kinds_and_words(one):
    assert one.family.finds and one.family.leaves
    assert {type(word) for word in one.family.words} <= {str}  # YAML takes no, on and yes for truth values


def test_a_word_that_is_replaced_takes_nothing_for_granted():
    prompt = "Few of the queens who lived in Italy were"
    replaced = WordFinder(["Italy", "queens"]).find(prompt)
    assert presupposing_words(prompt, replaced) is None


def test_a_prompt_of_one_word_or_without_its_level_is_read_too():
    assert presupposing("Italy") is None
    assert presupposing("(a town), Italy") is None
    assert presupposing("The kings of the south were") == "kings"
    assert presupposing("The people of the south were") is None
