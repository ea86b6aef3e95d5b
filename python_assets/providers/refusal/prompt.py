"""What a prompt asks for and offers, as far as the reading of an answer to it depends on it.

Belongs here: prompts. Whether an answer takes what is offered is outcome.py.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

_MOST_CHARACTERS: Final = 20_000
_YES_OR_NO: Final = re.compile(r"\byes\W{1,5}(?:or\W{1,3})?no\b|\bno\W{1,5}(?:or\W{1,3})?yes\b", re.IGNORECASE)
_MARKER: Final = re.compile(r"\s*(?:[-*\u2022]|\(?(?P<sign>[A-Za-z]|\d{1,2})[).:])\s+")
_QUOTED: Final = re.compile(
    r"\"([^\"\n]{1,200})\"|\u201c([^\u201d\n]{1,200})\u201d|(?<!\w)'((?:[^'\n]|'(?=\w)){1,200})'(?!\w)"
)
_INNER_OPTIONS: Final = re.compile(r"(?:^|\s)\(([A-Za-z]|\d{1,2})\)\s+")
_FOLDED_AWAY: Final = re.compile(r"[*_`#>\"'\u2018\u2019\u201c\u201d()\[\]]+")
_LONGEST_STEM: Final = len("decline")
_ENDS: Final = re.compile(r"^\W+|\W+$")


class Asked(NamedTuple):
    """What a prompt asks for.

    is_yes_or_no: it offers yes and no. offers: what an answer may be word for word, folded: its lines, items,
    options and quoted phrases. stems: beginnings of its words, in lower case, of up to seven letters.
    """

    is_yes_or_no: bool
    offers: frozenset[str]
    stems: frozenset[str]


@lru_cache(maxsize=4_096)
def asked_by(prompt: str) -> Asked:
    """Read a prompt.

    Args:
        prompt: every message of it; '' where nobody knows.
    """
    read = prompt[:_MOST_CHARACTERS]
    offers = frozenset(filter(None, map(folded, _offered(read))))
    words = re.findall(r"[^\W\d_]+", read.lower())
    stems = frozenset(word[:n] for word in words for n in range(1, _LONGEST_STEM + 1))
    return Asked(_YES_OR_NO.search(read) is not None, offers, stems)


def folded(text: str) -> str:
    """A text without its case, quotation marks, markup, and the marks at its ends."""
    return _ENDS.sub("", " ".join(_FOLDED_AWAY.sub("", text).lower().split()))


def _offered(prompt: str) -> Iterator[str]:
    for line in prompt.splitlines():
        yield line
        if marker := _MARKER.match(line):
            yield line[marker.end() :]
            if marker["sign"]:
                yield marker["sign"]
        inner = _INNER_OPTIONS.split(line)
        for sign, option in zip(inner[1::2], inner[2::2], strict=True):
            yield sign
            yield option
            yield f"{sign} {option}"
    for quoted in _QUOTED.finditer(prompt):
        yield next(filter(None, quoted.groups()))
