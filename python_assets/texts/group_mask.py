"""One word in the place of those that name the groups of a study, so that a reader of answers cannot tell groups apart.

Belongs here: writing it. Which words name groups is group_words.py.
"""

import hashlib
import re
from collections.abc import Iterable
from functools import cached_property
from typing import Final

MASK: Final = "Xx"
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019](?!s\b)[^\W_]+)*")
_BETWEEN: Final = re.compile(r"[ \t\n-]|\. ?")
_POSSESSIVE: Final = re.compile(r"['\u2019]s?(?!\w)")


class GroupMask:
    """Writes MASK for whole words and phrases, the longest first.

    A phrase is found with blanks or hyphens between its words, a word with a capital only where it has one.
    """

    def __init__(self, phrases: Iterable[str]) -> None:
        """Take the phrases with all their forms."""
        self.phrases = frozenset(phrases)
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for words in dict.fromkeys(tuple(_WORD.findall(phrase)) for phrase in sorted(self.phrases)):
            if words:
                self._by_first.setdefault(words[0].lower(), []).append(words)
        for phrases_of_first in self._by_first.values():
            phrases_of_first.sort(key=len, reverse=True)

    @cached_property
    def version(self) -> str:
        """Tells masks of other phrases apart; '' where there are none."""
        if not self.phrases:
            return ""
        digest = hashlib.sha256("\n".join(sorted(self.phrases)).encode()).hexdigest()
        return f"{len(self.phrases):,} study words {digest[:8]}"

    def masked(self, text: str) -> str:
        """A text with MASK in the place of each phrase."""
        if not self._by_first:
            return text
        words = list(_WORD.finditer(text))
        written: list[str] = []
        end, i = 0, 0
        while i < len(words):
            n = self._length_at(text, words, i)
            if n:
                written += [text[end : words[i].start()], MASK]
                end = words[i + n - 1].end()
            i += n or 1
        return "".join([*written, text[end:]])

    def _length_at(self, text: str, words: list[re.Match[str]], start: int) -> int:
        """Of how many words the longest phrase is that begins at a word; 0 where none does."""
        for phrase in self._by_first.get(words[start].group().lower(), ()):
            there = words[start : start + len(phrase)]
            if len(there) == len(phrase) and all(
                _is_same(one.group(), word) for one, word in zip(there, phrase, strict=True)
            ):
                gaps = (text[one.end() : other.start()] for one, other in zip(there, there[1:], strict=False))
                if all(map(_BETWEEN.fullmatch, gaps)):
                    return len(phrase)
        return 0


def _is_same(written: str, word: str) -> bool:
    return written == word or (word.islower() and written.lower() == word)


def read_with(version: str, words: GroupMask) -> str:
    """The version of what reads texts in which words are masked."""
    return "; ".join(filter(None, (version, words.version)))


NO_WORDS: Final = GroupMask(())
