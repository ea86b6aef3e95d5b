"""Names of people in texts: how a name is written, and where a part of it stands for the person.

Many parts are ordinary words, too (Low, Grace, Will): alone and at the start of a sentence they are taken for the
person only where the text leaves no doubt.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from python_assets.texts.keywords import Occurrence
from python_assets.texts.proper_names import PARTICLES, is_ordinary

_LINKS: Final = PARTICLES | {"a/l", "a/p", "binte", "binti", "d/o", "s/o", "ter"}
_MOST_WORDS: Final = 6  # of a name whose runs of words are listed
# before and after a word that is looked at
_NEAR: Final = 40
_TITLES: Final = "Cik|Dra?|Encik|Frau|Herr|Lady|Madame?|Mdm|Miss|Mme|Mrs?|Ms|Mx|Prof|Professor|Puan|Señora?|Sir"
_TITLE: Final = re.compile(rf"(?<!\w)(?:{_TITLES})\.? +$")
_IN_SENTENCE: Final = re.compile(r"[\w%](?:,|['’]s?)? +$")
_ANOTHER_NAME: Final = re.compile(r" +[^\W\d_a-zß-öø-ÿ]")
_SAID_OF_PERSON: Final = re.compile(
    r"['’]s\b| (?:appears|can|could|deserves|did|does|had|has|is|may|might|must|seems|should|was|will|would)\b"
)


class NameWords(NamedTuple):
    """How a name is written: whole or in parts of several words, and its single words."""

    whole: tuple[str, ...]
    runs: tuple[str, ...]
    parts: tuple[str, ...]


def name_words(name: str) -> NameWords:
    """The ways in which a text may write the name of a person.

    Args:
        name: of one word or several.

    Returns:
        whole: the name, with its first word last (Yi Ting Low), and with the words after the first joined by
        hyphens; none of a single word. runs: parts of several words (Yi Ting). parts: single words of two
        letters or more, but for those that link others (bin, de).
    """
    words = name.split()
    single = tuple(word for word in words if len(word) > 1 and word.lower() not in _LINKS and word[0].isupper())
    if len(words) < 2:
        return NameWords((), (), tuple(words))
    first, rest = words[0], words[1:]
    whole = [name, " ".join(words), " ".join([*rest, first])]
    if len(rest) > 1:
        whole += [f"{first} {'-'.join(rest)}", f"{'-'.join(rest)} {first}"]
    runs = [*_runs(words[:_MOST_WORDS]), *(["-".join(rest)] if len(rest) > 1 else [])]
    return NameWords(tuple(dict.fromkeys(whole)), tuple(run for run in runs if run not in whole), single)


def _runs(words: list[str]) -> Iterator[str]:
    for start in range(len(words)):
        for end in range(start + 2, len(words) + 1):
            if not {words[start], words[end - 1]} & _LINKS:  # Bin with a capital is a name by itself
                yield " ".join(words[start:end])


def names_person(text: str, part: Occurrence, *, is_named: bool) -> bool:
    """Whether a single word of a name stands for the person.

    Args:
        text: any text.
        part: where the word stands in it.
        is_named: whether the text names the person without doubt elsewhere.

    Returns:
        True after a title, and inside a sentence with a capital that no other name goes on with (Grace
        Kelly). At the start of a sentence, where every word has a capital, only where the word is none of
        the language in small letters, or the person is named elsewhere and the sentence goes on as of one
        (Low is, Low's). Words all in capitals are passed over.
    """
    if part.text != part.word:
        return False
    before = text[max(0, part.start - _NEAR) : part.start]
    if _TITLE.search(before):
        return True
    after = text[part.end : part.end + _NEAR]
    if _ANOTHER_NAME.match(after):
        return False
    if _IN_SENTENCE.search(before) or not is_ordinary(part.word):
        return True
    return is_named and _SAID_OF_PERSON.match(after) is not None


def has_title(text: str, part: Occurrence) -> bool:
    """Whether a title stands before a word, so that it names a person without doubt."""
    return _TITLE.search(text[max(0, part.start - _NEAR) : part.start]) is not None
