"""Which texts are surely in another language than a measure was made for.

The detector gives every language a probability; a text is in another language where those that the measure
declares have next to none together. Languages near to a declared one (Malay to Indonesian, Norwegian to
Danish) share the probability, and short texts spread it: both stay measured when in doubt.

Names are in no language: an English list of the cities of Brazil reads as Portuguese, and to leave it out
would leave out answers about one group. What counts is running text.
"""

import re
from collections.abc import Iterator, Set
from functools import lru_cache
from importlib.metadata import version
from typing import Any, Final

from python_assets.extract.extractor import Score, TextMethod

# Sure: of a hundred letters or more the declared languages have less than this together.
LEAST_SHARE: Final = 0.001

# What stands after so much running text is not read: a text is in the language that it begins in.
_READ: Final = 400
# ... and of a list of names not all is looked at
_LOOKED_AT: Final = 4_000

# Under so many letters names and single words decide; a character of Chinese, Japanese, Korean or Thai says
# as much as three letters.
_LEAST_LETTERS: Final = 100
_WORTH_OF_A_SIGN: Final = 3
_SIGN: Final = re.compile("[\u0e00-\ud7ff]")

# Less changes no decision and is not kept; a study has some ten thousand texts.
_NO_SHARE: Final = 1e-9
_KNOWN_TEXTS: Final = 65_536

# Between separators so few words are an entry of a list, not a clause.
_LONGEST_ENTRY: Final = 4
_CLAUSE: Final = re.compile(r"[^\n,;:!?()\[\]|\u2013\u2014.*]+|.", re.DOTALL)
_SENTENCE_END: Final = frozenset("\n.!?:")


def language_method(languages: str) -> TextMethod | None:
    """The probability that a text is in one of several languages.

    Args:
        languages: ISO 639-1 codes with | between them.

    Returns:
        A method whose values are from 0 to 1: 1 for a text too short to tell. None where no language is
        named or the detector knows none of them.
    """
    named = {code.strip().lower() for code in languages.split("|") if code.strip()}
    if not named.intersection(known_languages()):
        return None
    return TextMethod(
        f"language {languages}",
        f"language 2, py3langid {version('py3langid')}",
        lambda texts: [Score(_share(text, named)) for text in texts],
    )


def known_languages() -> list[str]:
    """The codes that the detector tells apart."""
    return sorted(_detector().labels)


def running_text(text: str) -> str:
    """What of a text tells its language.

    Args:
        text: a response or a baseline text.

    Returns:
        Its first clauses without capitalised words in mid-sentence, words with digits and entries of lists;
        at most _READ characters. A text in capitals throughout is read in small letters.
    """
    begun = text[:_LOOKED_AT]
    read: list[str] = []
    for clause in _clauses(begun.lower() if begun.isupper() else begun):
        if sum(map(len, read)) >= _READ:
            break
        read.append(clause)
    return " ".join(read)[:_READ]


def _clauses(text: str) -> Iterator[str]:
    """The clauses that are no entries of a list, without names and numbers."""
    begins = True
    for part in _CLAUSE.findall(text):
        words = part.split()
        if len(words) > _LONGEST_ENTRY or _SIGN.search(part):
            kept = [word for i, word in enumerate(words) if (begins and i == 0) or not _is_name(word)]
            yield " ".join(kept)
        begins = part in _SENTENCE_END or (begins and not words)


def _is_name(word: str) -> bool:
    """Whether a word is written as a name, or holds a digit."""
    letter = next(filter(str.isalnum, word), "a")
    return letter.isupper() or any(map(str.isdigit, word))


def _share(text: str, named: Set[str]) -> float:
    probabilities = _probabilities(text)
    if probabilities is None:
        return 1.0
    return min(1.0, sum(share for code, share in probabilities.items() if code in named))


@lru_cache(maxsize=_KNOWN_TEXTS)
def _probabilities(text: str) -> dict[str, float] | None:
    """Of the languages that a text may be in; None where it is too short to tell.

    They are kept because measures for other languages ask for the same.
    """
    read = running_text(text)
    letters = "".join(filter(str.isalpha, read))
    if len(letters) + (_WORTH_OF_A_SIGN - 1) * len(_SIGN.findall(letters)) < _LEAST_LETTERS:
        return None
    return {code: float(share) for code, share in _detector().rank(read) if share > _NO_SHARE}


@lru_cache(maxsize=1)
def _detector() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
