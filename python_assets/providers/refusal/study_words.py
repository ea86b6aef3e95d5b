"""The study's own words, which no reading of a refusal or of a yes or no may depend on.

Belongs here: which words are masked and which cannot be. Which words name a group is texts/group_words.py.
"""

import re
from collections.abc import Iterator
from typing import Final

import duckdb

from python_assets.providers.refusal.lexicon import lexicon
from python_assets.providers.refusal.tokens import tokens
from python_assets.study.study import Study
from python_assets.texts.group_mask import GroupMask
from python_assets.texts.group_words import words_of_levels
from python_assets.texts.plurals import plural

_ARTICLE: Final = re.compile(r"(?:an?|the)\s+", re.IGNORECASE)


def study_words(study: Study, connection: duckdb.DuckDBPyConnection) -> GroupMask:
    """What is masked in the answers of a study: the names of its groups and units, as whole phrases.

    Args:
        study: the study.
        connection: its build file, with raw.prompt_factors.

    Returns:
        Of every level its name, the text that stands for it in templates and what branches write for it, with
        plurals and without articles; not what is_function_word tells of.
    """
    return GroupMask(form for one in words_of_levels(study, connection) for form in masked_forms(one.word))


def masked_forms(word: str) -> Iterator[str]:
    """The forms of a group's name that are masked; none of a word that every refusal needs."""
    without = _ARTICLE.sub("", word, count=1)
    for form in dict.fromkeys((word, without, *_other_forms(without))):
        if any(map(str.isalnum, form)) and not is_function_word(form):
            yield form
            if (several := plural(form)) is not None:
                yield several


def _other_forms(word: str) -> Iterator[str]:
    """Of a word that the reader would see were it not masked the singular too, both in small letters."""
    if listed_words(word):
        yield word.lower()
        start, _, last = word.lower().rpartition(" ")
        singular = re.sub("ies$", "y", last) if last.endswith("ies") else re.sub("(?<=[^s])s$", "", last)
        yield f"{start} {singular}".lstrip()


def is_function_word(word: str) -> bool:
    """Whether every refusal needs a word: were it masked, none would be found."""
    return word.casefold() in lexicon().function_words


def listed_words(word: str) -> list[str]:
    """Words of the lexicon that a group's name holds, which the reader would see were they not masked."""
    return [token for token in tokens("", f"Here {word.lower()}")[2:-1] if token in lexicon().words]
