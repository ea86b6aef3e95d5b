"""One word instead of those that name the groups of a study, so that a reader of answers cannot tell groups apart.

Belongs here: writing it. Which words name groups is group_words.py.
"""

import hashlib
import re
from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

MASK: Final = "Xx"
_WORD: Final = re.compile(r"[^\W_]+(?:'(?!s\b)[^\W_]+)*")
# of a phrase that is no end of a sentence
_POINT_WITHIN: Final = re.compile(r"\.(?!\s*\Z|\s+[A-Z])")
_BETWEEN: Final = re.compile(r"[^\w.,;:!?]|\s*[&/+]\s*")
_BETWEEN_WITH_POINTS: Final = re.compile(rf"{_BETWEEN.pattern}|\. ?")  # Mr. Lee
_STRAIGHT: Final = str.maketrans("\u2019\u02bc", "''")


class GroupMask:
    """Writes MASK for whole words and phrases, the longest first.

    A phrase is found with a blank, a hyphen or another mark between its words, a word with a capital only where it has
    one. The point that ends a phrase (U.S., Jr.) goes with it, but where it ends a sentence too.
    """

    def __init__(self, phrases: Iterable[str]) -> None:
        """Take the phrases with all their forms."""
        self.phrases = frozenset(phrases)
        self._spellings: dict[tuple[str, ...], list[_Phrase]] = {}
        lengths: dict[str, set[int]] = {}
        for phrase in sorted(self.phrases):
            if words := tuple(_WORD.findall(phrase.translate(_STRAIGHT))):
                key = tuple(map(str.lower, words))
                self._spellings.setdefault(key, []).append(_Phrase.of(words, phrase))
                lengths.setdefault(key[0], set()).add(len(words))
        self._lengths = {first: sorted(numbers, reverse=True) for first, numbers in lengths.items()}

    @cached_property
    def version(self) -> str:
        """Tells masks of other phrases apart; '' where there are none."""
        if not self.phrases:
            return ""
        digest = hashlib.sha256("\n".join(sorted(self.phrases)).encode()).hexdigest()
        return f"{len(self.phrases):,} study words {digest[:8]}"

    def masked(self, text: str) -> str:
        """A text with MASK instead of each phrase."""
        if not self._lengths:
            return text
        words = list(_WORD.finditer(text.translate(_STRAIGHT)))
        lower = [word.group().lower() for word in words]
        written: list[str] = []
        end, i = 0, 0
        while i < len(words):
            phrase = self._phrase_at(text, words, lower, i)
            if phrase is not None:
                written += [text[end : words[i].start()], MASK]
                end = words[i + len(phrase.words) - 1].end()
                end += phrase.has_point and _POINT_WITHIN.match(text, end) is not None
            i += len(phrase.words) if phrase else 1
        return "".join([*written, text[end:]])

    def _phrase_at(self, text: str, words: list[re.Match[str]], lower: list[str], start: int) -> "_Phrase | None":
        """The longest phrase that begins at a word; None where none does."""
        for n in self._lengths.get(lower[start], ()):
            there = words[start : start + n]
            for phrase in self._spellings.get(tuple(lower[start : start + n]), ()):
                if all(_is_same(one.group(), word) for one, word in zip(there, phrase.words, strict=True)):
                    gaps = (text[one.end() : other.start()] for one, other in pairwise(there))
                    if all(map(phrase.between.fullmatch, gaps)):
                        return phrase
        return None


class _Phrase(NamedTuple):
    """A phrase by its words, whether a point ends it, and what may stand between two words."""

    words: tuple[str, ...]
    has_point: bool
    between: re.Pattern[str]

    @classmethod
    def of(cls, words: tuple[str, ...], phrase: str) -> "_Phrase":
        has_points = "." in phrase.rstrip().rstrip(".")
        return cls(words, phrase.rstrip().endswith("."), _BETWEEN_WITH_POINTS if has_points else _BETWEEN)


def _is_same(written: str, word: str) -> bool:
    return written == word or (word.islower() and written.lower() == word)


def read_with(version: str, words: GroupMask) -> str:
    """The version of what reads texts in which words are masked."""
    return "; ".join(filter(None, (version, words.version)))


NO_WORDS: Final = GroupMask(())
