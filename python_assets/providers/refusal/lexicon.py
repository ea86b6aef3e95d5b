"""The closed lexicon of refusals: the words that are read as themselves, and the classes of those that go in pairs.

Every other word reads alike, so that a response is read the same for every group. Belongs here: reading
lexicon.yml. What is made of a response by it is tokens.py.
"""

import csv
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import yaml

from python_assets.texts.yaml_loader import LOADER

LEXICON: Final = Path(__file__).with_name("lexicon.yml")
RECALL_LOST: Final = Path(__file__).with_name("recall_lost.csv")


class Lexicon(NamedTuple):
    """What lexicon.yml says.

    words: in lower case and the singular, which are read as themselves. function_words: those of them that every
    refusal needs. said_of_models: those of them that name a model, in any capitals. class_of: the class of a token in
    pairs. cannot, do_not: phrases of tokens of the classes CANNOT and DONOT. in_pairs: classes that are counted in
    pairs. speaks: words any of which says that a text speaks of its speaker or of the request. names: first words that
    are a name unless one of not_a_name_before follows. saying: verbs of reported speech. salutation, speech, life,
    abbreviations, asks_for, not_written: patterns of texts, sentences and prompts.
    """

    words: frozenset[str]
    function_words: frozenset[str]
    said_of_models: frozenset[str]
    class_of: Mapping[str, str]
    cannot: re.Pattern[str]
    do_not: re.Pattern[str]
    in_pairs: frozenset[str]
    speaks: frozenset[str]
    names: frozenset[str]
    not_a_name_before: frozenset[str]
    saying: tuple[str, ...]
    salutation: re.Pattern[str]
    speech: re.Pattern[str]
    life: re.Pattern[str]
    abbreviations: re.Pattern[str]
    asks_for: re.Pattern[str]
    not_written: re.Pattern[str]


@cache
def lexicon() -> Lexicon:
    """The lexicon of the package."""
    raw = yaml.load(LEXICON.read_text(encoding="utf-8"), Loader=LOADER)
    class_of = {word: word for word in raw["classes_of_themselves"]}
    class_of |= {word: name for name, words in raw["classes"].items() for word in words}
    return Lexicon(
        words=frozenset(word for words in raw["words"].values() for word in words),
        function_words=frozenset((*raw["words"]["func"], *raw["words"]["evalu"])),
        said_of_models=frozenset(raw["words"]["model"]),
        class_of=class_of,
        cannot=re.compile(raw["cannot"]),
        do_not=re.compile(raw["do_not"]),
        in_pairs=frozenset(raw["pairs_of"]),
        speaks=frozenset(raw["speaks"]),
        names=frozenset(raw["first_words_that_are_names"]),
        not_a_name_before=frozenset(raw["unless_followed_by"]),
        saying=tuple(raw["saying"]),
        salutation=re.compile(raw["salutation"]),
        speech=re.compile(raw["speech"]),
        life=re.compile(raw["of_life"], re.IGNORECASE),
        abbreviations=re.compile(raw["abbreviations"]),
        asks_for=re.compile(raw["asks_for"]),
        not_written=re.compile(raw["not_written"]),
    )


@cache
def recall_lost() -> Mapping[str, float]:
    """Of words of the lexicon the share of refusals that are not found where they are masked; others cost none."""
    with RECALL_LOST.open(encoding="utf-8", newline="") as file:
        return {row["word"]: float(row["share"]) for row in csv.DictReader(file)}
