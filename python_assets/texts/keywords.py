"""Words found in a text: as whole words, literally, the longest where several overlap.

Belongs here: finding. What to do with what was found is the caller's.
"""

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable
from typing import Final, NamedTuple

# shorter words in capitals are other words: US is not us
MIN_LETTERS_IN_CAPITALS: Final = 4

_WITHOUT_SPACES: Final = {
    "CJK UNIFIED": "han",
    "CJK COMPATIBILITY IDEOGRAPH": "han",
    "IDEOGRAPHIC ITERATION": "han",
    "HIRAGANA": "hiragana",
    "KATAKANA": "katakana",
}


class Occurrence(NamedTuple):
    """A word found: where, as it stands there, and the word it is."""

    start: int
    end: int
    text: str
    word: str


class WordFinder:
    """Finds words of a list in texts.

    A word is found as it is spelled, with a capital first letter, or all in capitals if it has four
    characters or more. Of overlapping occurrences the longest counts, then the first.
    """

    def __init__(self, words: Iterable[str]) -> None:
        """Prepare the words; each counts once."""
        self.words = list(dict.fromkeys(words))
        self._spellings = {word: word for word in self.words}
        for word in self.words:
            for spelling in _other_spellings(word):
                self._spellings.setdefault(spelling, word)

    def find(self, text: str) -> list[Occurrence]:
        """The occurrences in a text, none overlapping another, in order."""
        kept: list[Occurrence] = []
        present = [spelling for spelling in self._spellings if spelling in text]
        candidates = [match for spelling in present for match in self._occurrences(text, spelling)]
        for candidate in sorted(candidates, key=lambda match: (match.start - match.end, match.start)):
            at = bisect_left(kept, candidate)
            follows = at == 0 or kept[at - 1].end <= candidate.start
            if follows and (at == len(kept) or candidate.end <= kept[at].start):
                kept.insert(at, candidate)
        return kept

    def _occurrences(self, text: str, spelling: str) -> Iterable[Occurrence]:
        start = text.find(spelling)
        while start >= 0:
            end = start + len(spelling)
            if is_whole_word(text, start, end):
                yield Occurrence(start, end, spelling, self._spellings[spelling])
            start = text.find(spelling, start + 1)


def capitalised(word: str) -> str:
    """The word with a capital first letter, the rest as it is."""
    return word[:1].upper() + word[1:]


def is_whole_word(text: str, start: int, end: int) -> bool:
    """Tell whether neither neighbour of text[start:end] continues the word.

    Chinese and Japanese put no spaces between words: there a change of script ends a word, and a Chinese
    character beside another one is taken for the start of the next. So 日本 is found in 日本人, too.
    """
    before = start > 0 and _continues(text[start - 1], text[start])
    return not before and not (end < len(text) and _continues(text[end], text[end - 1]))


def script_without_spaces(character: str) -> str | None:
    """Which script that puts no spaces between words a character is of: han, hiragana, katakana or none."""
    if character < "\u3005":
        return None
    name = unicodedata.name(character, "")
    return next((script for prefix, script in _WITHOUT_SPACES.items() if name.startswith(prefix)), None)


def _other_spellings(word: str) -> list[str]:
    spellings = [capitalised(word)]
    if len(word) >= MIN_LETTERS_IN_CAPITALS:
        spellings.append(word.upper())
    return spellings


def _continues(neighbour: str, edge: str) -> bool:
    """Tell whether a neighbour belongs to the word that ends or starts with a character."""
    # vowel signs of Indic scripts are marks: neither str.isalnum nor \w takes them for part of a word
    if unicodedata.category(neighbour).startswith("M"):
        return True
    if not (neighbour.isalnum() or neighbour == "_"):
        return False
    script = script_without_spaces(neighbour)
    return script == script_without_spaces(edge) and script != "han"
