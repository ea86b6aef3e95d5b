"""Words found in a text: as whole words, literally, the longest where several overlap.

Belongs here: finding. What to do with what was found is the caller's.
"""

import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple

# shorter words in capitals are other words: US is not us
MIN_LETTERS_IN_CAPITALS: Final = 4


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
        found: list[Occurrence] = []
        candidates = (place for spelling in self._spellings for place in self._places(text, spelling))
        for candidate in sorted(candidates, key=lambda place: (place.start - place.end, place.start)):
            if all(candidate.end <= other.start or other.end <= candidate.start for other in found):
                found.append(candidate)
        return sorted(found)

    def _places(self, text: str, spelling: str) -> Iterable[Occurrence]:
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
    """Tell whether neither neighbour of text[start:end] continues the word."""
    return not (start > 0 and _continues(text[start - 1])) and not (end < len(text) and _continues(text[end]))


def _other_spellings(word: str) -> list[str]:
    spellings = [capitalised(word)]
    if len(word) >= MIN_LETTERS_IN_CAPITALS:
        spellings.append(word.upper())
    return spellings


def _continues(character: str) -> bool:
    # vowel signs of Indic scripts are marks: neither str.isalnum nor \w takes them for part of a word
    return character.isalnum() or character == "_" or unicodedata.category(character).startswith("M")
