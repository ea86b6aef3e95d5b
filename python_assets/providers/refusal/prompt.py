"""What a prompt asks for and offers, as far as the outcome of an answer depends on it.

Belongs here: prompts. Whether an answer takes what is offered is decision.py.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

_MOST_CHARACTERS: Final = 20_000
_YES_OR_NO: Final = re.compile(r"\byes\W{1,5}(?:or\W{1,3})?no\b|\bno\W{1,5}(?:or\W{1,3})?yes\b", re.IGNORECASE)
_NUMBER: Final = re.compile(
    r"\b(?:rate|rating|score|scale|grade)\b|\b\d+\s*(?:to|-|\u2013|and)\s*\d+\b|\bas\s+a\s+number\b", re.IGNORECASE
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
_AND_OR: Final = re.compile(r",\s*(?:or\s+)?|\s+or\s+|;\s*", re.IGNORECASE)
_FOLDED_AWAY: Final = re.compile(r"[*_`#>\"'\u2018\u2019\u201c\u201d()\[\]]+")
_STEM: Final = 5
_ENDS: Final = re.compile(r"^\W+|\W+$")


class Asked(NamedTuple):
    """What a prompt asks for.

    is_yes_or_no, is_number: it asks for a yes or no, for a number. lines: of the prompt, folded. options: what it
    offers to choose from, folded: items, options with their signs, quoted phrases, lists. stems: the beginnings of
    single words that it offers: of options, and of two words with an or between.
    """

    is_yes_or_no: bool
    is_number: bool
    lines: frozenset[str]
    options: frozenset[str]
    stems: frozenset[str]


@lru_cache(maxsize=4_096)
def asked_by(prompt: str) -> Asked:
    """Read a prompt.

    Args:
        prompt: every message of it; '' where it is unknown.
    """
    read = prompt[:_MOST_CHARACTERS]
    lines = frozenset(filter(None, map(folded, read.splitlines())))
    options = frozenset(filter(None, map(folded, _options(read))))
    pairs = (word for pair in _PAIR.findall(read) for word in pair if word)
    words = {one for one in options if one.isalpha()} | set(map(str.lower, pairs))
    return Asked(
        is_yes_or_no=_YES_OR_NO.search(read) is not None,
        is_number=_NUMBER.search(read) is not None,
        lines=lines,
        options=options,
        stems=frozenset(map(stem, words)),
    )


def folded(text: str) -> str:
    """A text without its case, quotation marks, markup, and the marks at its ends."""
    return _ENDS.sub("", " ".join(_FOLDED_AWAY.sub("", text).lower().split()))


def stem(word: str) -> str:
    """The beginning of a word that decline, declined and declining share."""
    return word.lower()[:_STEM]


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
        yield next(filter(None, quoted.groups()))
    for listed in _LISTED.finditer(prompt):
        yield from _AND_OR.split(listed[1])
