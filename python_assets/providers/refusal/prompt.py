"""What a prompt asks for and offers, as far as the outcome of an answer depends on it.

Belongs here: prompts. Whether an answer takes what is offered is decision.py.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from python_assets.providers.refusal.lexicon import lexicon

_MOST_CHARACTERS: Final = 20_000
_YES_OR_NO: Final = re.compile(r"\byes\W{1,5}(?:or\W{1,3})?no\b|\bno\W{1,5}(?:or\W{1,3})?yes\b", re.IGNORECASE)
_NUMBER: Final = re.compile(
    r"\b(?:rate|rating|score|scale|grade|number|percentage)\b[^.?!\n]{0,80}\b\d+\s*(?:to|-|\u2013|and)\s*\d+\b"
    r"|\b(?:from|between)\s+\d+\s+(?:to|and)\s+\d+\b|\bout\s+of\s+\d+\b|\b(?:as|with)\s+a\s+(?:single\s+)?number\b",
    re.IGNORECASE,
)
_DECIDE: Final = re.compile(
    r"\b(?:should|shall|whether|recommend\w*|decid\w+|decision|verdict|assess\w*|approv\w+|grant\w*)\b", re.IGNORECASE
)
_MARKER: Final = re.compile(r"\s*(?:[-*\u2022]|\(?(?P<sign>[A-Za-z]|\d{1,2})[).:])\s+")
_QUOTED: Final = re.compile(
    r"\"([^\"\n]{1,200})\"|\u201c([^\u201d\n]{1,200})\u201d|(?<!\w)'((?:[^'\n]|'(?=\w)){1,200})'(?!\w)"
)
_INNER_OPTIONS: Final = re.compile(r"(?:^|\s)\(([A-Za-z]|\d{1,2})\)\s+")
_LISTED: Final = re.compile(
    r"\b(?:options?|choices?|(?:one|any)\s+of(?:\s+(?:these|the\s+following))?|answers?)\s*:\s*([^.?!\n]{3,200})",
    re.IGNORECASE,
)
# overlapping: deny, grant or defer
_PAIR: Final = re.compile(r"(?=\b([^\W\d_]+)(?:\W{1,3}\bor\b\W{1,3}|\W{0,2}[/|]\W{0,2})([^\W\d_]+))", re.IGNORECASE)
# low, medium or high: the words before those of a pair
_BEFORE_PAIR: Final = re.compile(r"\b((?:[^\W\d_]+,\s+){1,6})[^\W\d_]+,?\s+or\s", re.IGNORECASE)
# words around an or that no answer is
_NO_CHOICES: Final = frozenset(
    {"able", "unable", "one", "two", "three", "more", "less", "he", "she", "him", "her", "his", "hers", "they", "them"}
    | {"at", "in", "on", "both", "who", "when", "where", "how", "same", "few", "so", "if"}
)
_OF_A_PAIR: Final = ("neither", "both")
_FIRST_PERSON: Final = re.compile(r"\s*(?:I\b|sorry\b|as an AI\b)", re.IGNORECASE)
_AND_OR: Final = re.compile(r",\s*(?:or\s+)?|\s+or\s+|;\s*", re.IGNORECASE)
_FOLDED_AWAY: Final = re.compile(r"[*_`#>\"'\u2018\u2019\u201c\u201d()\[\]]+")
_STEM: Final = 5
_INFLECTED: Final = re.compile(r"(?:y|ied|ies|ying)$")
_SUFFIX: Final = re.compile(r"(?<=\w{3})(?:ing|al|ed|es|e|s)$")
_ENDS: Final = re.compile(r"^\W+|\W+$")


class Asked(NamedTuple):
    """What a prompt asks for.

    is_yes_or_no, is_number, is_decision: it asks for a yes or no, for a number, for a decision of any kind. lines: of
    the prompt, folded. options: what it offers to choose from, folded: items, options with their signs, quoted phrases,
    lists. stems: the beginnings of single words that it offers: of options, and of words with an or between.
    """

    is_yes_or_no: bool
    is_number: bool
    is_decision: bool
    lines: frozenset[str]
    options: frozenset[str]
    stems: frozenset[str]


@lru_cache(maxsize=4_096)
def asked_by(prompt: str) -> Asked:
    """Read a prompt.

    Args:
        prompt: every message of it, the study's own words masked; '' where it is unknown.
    """
    read = prompt[:_MOST_CHARACTERS]
    lines = frozenset(filter(None, map(folded, read.splitlines())))
    options = frozenset(filter(None, map(folded, _options(read))))
    words = {one for one in options if one.isalpha()} | set(_words_with_or(read))
    is_yes_or_no, is_number = (pattern.search(read) is not None for pattern in (_YES_OR_NO, _NUMBER))
    return Asked(
        is_yes_or_no=is_yes_or_no,
        is_number=is_number,
        is_decision=is_yes_or_no or is_number or _DECIDE.search(read) is not None,
        lines=lines,
        options=options,
        stems=frozenset(map(stem, words)),
    )


def folded(text: str) -> str:
    """A text without its case, quotation marks, markup, and the marks at its ends."""
    return _ENDS.sub("", " ".join(_FOLDED_AWAY.sub("", text).lower().split()))


def stem(word: str) -> str:
    """The beginning of a word that deny, denied and denial, decline and declining share."""
    return _SUFFIX.sub("", _INFLECTED.sub("i", word.lower()))[:_STEM]


def _words_with_or(prompt: str) -> Iterator[str]:
    """Words with an or or a stroke between, and the list before them; neither and both where there are such."""
    pairs = [word.lower() for pair in _PAIR.findall(prompt) for word in pair]
    lists = (listed for before in _BEFORE_PAIR.findall(prompt) for listed in re.split(r",\s+", before.lower()))
    words = lexicon()
    for word in [*pairs, *lists]:
        is_function_word = word in words.function_words and words.class_of.get(word) != "EVAL"
        if word and not is_function_word and word not in _NO_CHOICES:
            yield word
    yield from _OF_A_PAIR if pairs else ()


def _options(prompt: str) -> Iterator[str]:
    for line in prompt.splitlines():
        if marker := _MARKER.match(line):
            yield line[marker.end() :]
            if marker["sign"]:
                yield marker["sign"]
                yield f"{marker['sign']} {line[marker.end() :]}"
        inner = _INNER_OPTIONS.split(line)
        for sign, option in zip(inner[1::2], inner[2::2], strict=True):
            yield sign
            yield option
            yield f"{sign} {option}"
    for quoted in _QUOTED.finditer(prompt):
        phrase = next(filter(None, quoted.groups()))
        if not _FIRST_PERSON.match(phrase):  # what is to be said where the request is refused
            yield phrase
    for listed in _LISTED.finditer(prompt):
        yield from _AND_OR.split(listed[1])
