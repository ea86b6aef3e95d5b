"""Words of any script: one spelling for all their spellings, and which of many words a text holds.

A word is made of letters, digits and combining marks. Scripts that put no blanks between words (Chinese,
Thai) have no whole words to be found: they need regular expressions instead.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

_LAST_WITH_MARKS: Final = 0x1FFFF
_APOSTROPHES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "＇": "'", "`": "'"})


def normalise(text: str) -> str:
    """Fold case, compose accents, make apostrophes alike and blanks single: spellings become one."""
    folded = unicodedata.normalize("NFC", text.translate(_APOSTROPHES).casefold())
    return " ".join(folded.split())


@lru_cache(maxsize=1)
def word_character() -> str:
    r"""A class of what words are made of; \w lacks combining marks, which end many words of Hindi or Thai."""
    marks = [c for c in map(chr, range(_LAST_WITH_MARKS)) if unicodedata.category(c)[0] == "M"]
    return rf"(?:[^\W_]|[{''.join(marks)}])"


class WordScanner:
    """Finds words in texts in a time that does not grow with the number of words."""

    def __init__(self, meanings: Mapping[str, str]) -> None:
        """Take words and what they mean.

        Args:
            meanings: by word, several words of one entry parted by blanks; case and kind of apostrophe do not
                count.

        Raises:
            ValueError: an entry holds no letter or digit.
        """
        self._words = re.compile(f"{word_character()}+")
        self._by_first: dict[str, list[tuple[int, str, str]]] = {}
        for word, meaning in meanings.items():
            normalised = normalise(word)
            first = self._words.search(normalised)
            if first is None:
                raise ValueError(f"{word!r} holds no letter or digit")
            entry = (first.start(), normalised, meaning)
            self._by_first.setdefault(first.group(), []).append(entry)
        for entries in self._by_first.values():
            entries.sort(key=lambda entry: -len(entry[1]))

    def meanings(self, text: str) -> set[str]:
        """What the words of a text mean; of words that overlap the first counts, then the longest."""
        return set(self._found(normalise(text)))

    def _found(self, text: str) -> Iterator[str]:
        after = 0
        for first in self._words.finditer(text):
            for offset, word, meaning in self._by_first.get(first.group(), ()):
                start = first.start() - offset
                if start >= after and text.startswith(word, start) and self._ends(text, start + len(word)):
                    after = start + len(word)
                    yield meaning
                    break

    def _ends(self, text: str, position: int) -> bool:
        return self._words.match(text, position) is None
