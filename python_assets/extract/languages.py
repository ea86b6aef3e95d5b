"""Which texts are surely in another language than a measure was made for.

The detector gives every language a probability; a text is in another language where those that the measure
declares have next to none together. Languages near to a declared one (Malay to Indonesian, Norwegian to
Danish) share the probability, and short texts spread it: both stay measured when in doubt.

Names are in no language: an English list of the cities of Brazil reads as Portuguese, and to leave it out
would leave out answers about one group. What counts is running text. Of a short one the detector knows little:
it is told by its script or by its function words, or not at all.
"""

import re
from collections.abc import Callable, Iterator, Sequence, Set
from functools import lru_cache
from importlib.metadata import version
from typing import Any, Final

from python_assets.extract.function_words import is_clause, languages_by_words
from python_assets.extract.scorer import Score, TextMethod

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
_SIGNS: Final = re.compile("[\u0e00-\ud7ff]+")
# A name in signs is shorter.
_SIGNS_OF_A_CLAUSE: Final = 5

# In another script than the Latin one so many are sure, if most of what is read is written in it.
_LEAST_IN_OTHER_SCRIPT: Final = 30
_WORTH_OF_ANOTHER_SCRIPT: Final = 2
_MOST: Final = 0.6
_LATIN: Final = re.compile("[A-Za-z\u00aa-\u024f\u1e00-\u1eff]")
# A language that the detector gives as much of a short text may be meant.
_POSSIBLE: Final = 1e-6

# Less changes no decision and is not kept; a study has some ten thousand texts.
_NO_SHARE: Final = 1e-9
# English has no near language that the words do not know.
ENGLISH_CODE: Final = "en"
_SURE: Final = 0.9
# What is likelier than all others together is the language.
_LIKELY: Final = 0.5
_KNOWN_TEXTS: Final = 65_536

# Between separators so few words are an entry of a list, not a clause.
_LONGEST_ENTRY: Final = 4
_CLAUSE: Final = re.compile(
    r"[^\n,;:!?()\[\]|\u2013\u2014.*\u3001\u3002\uff0c\uff1a\uff1b\uff01\uff1f\u060c\u061b\u061f\u0964]+|.", re.DOTALL
)
# The codes that the detector tells apart. To ask it loads its model, and a study of numbers has no text to read.
_CODES: Final = """
    ace af am an ar ary arz as az ba bcl be bg bn br bs ca crh cs cy da de dz el en eo es et eu ext fa fi fo fr
    fuv fy ga gcf gcr gd gl gom grc gu gug guw ha hbo he hi hr ht hu hy id ig is it ja jv ka kab kik kk km kn ko
    ku ky la lb lg lij ln lo lt ltg lv mg mk ml mn mr ms mt my ne nl nn no nso oc om or pa pcm pl ps pt qu ro ru
    rw sa sdh se si sk sl sn so sq sr st sv sw ta te tg th tk tl tr tt ug uk ur uz uzs vec vi vo wa wuu xh yo
    yue zh zu zxx
"""
KNOWN_LANGUAGES: Final = tuple(_CODES.split())
_SENTENCE_END: Final = frozenset("\n.!?:\u3002\uff01\uff1f\u061f\u0964")


def language_method(languages: str) -> TextMethod | None:
    """The probability that a text is in one of several languages, and the language that it is in.

    Args:
        languages: ISO 639-1 codes with | between them.

    Returns:
        A method whose values are from 0 to 1, whose labels are codes; without both for a text too short to tell,
        without a label where no language is likelier than all others. None where no language is named or the
        detector knows none of them.
    """
    named = {code.strip().lower() for code in languages.split("|") if code.strip()}
    if not named.intersection(KNOWN_LANGUAGES):
        return None
    return TextMethod(
        f"language {languages}",
        f"language 3, py3langid {version('py3langid')}",
        lambda texts: [_score(text, named) for text in texts],
    )


def running_text(text: str) -> str:
    """What of a text tells its language.

    Args:
        text: a response or a baseline text.

    Returns:
        Its first clauses without capitalised words in mid-sentence, words with digits and entries of lists;
        at most _READ characters. A text in capitals throughout is read in small letters.
    """
    return _read(text, lambda words: len(words) > _LONGEST_ENTRY)


def _read(text: str, is_running: Callable[[Sequence[str]], bool]) -> str:
    begun = text[:_LOOKED_AT]
    has_clause = max(map(len, _SIGNS.findall(begun)), default=0) >= _SIGNS_OF_A_CLAUSE
    read: list[str] = []
    for words, kept in _clauses(begun.lower() if begun.isupper() else begun):
        if sum(map(len, read)) >= _READ:
            break
        if is_running(words) or (has_clause and any(map(_SIGN.search, words))):
            read.append(kept)
    return " ".join(read)[:_READ]


def _clauses(text: str) -> Iterator[tuple[list[str], str]]:
    """The words between separators, and the same without names and numbers."""
    begins = True
    for clause in _CLAUSE.findall(text):
        words = clause.split()
        if words:
            kept = [word for i, word in enumerate(words) if (begins and i == 0) or not _is_name(word)]
            yield words, " ".join(kept)
        begins = clause in _SENTENCE_END or (begins and not words)


@lru_cache(maxsize=_KNOWN_TEXTS)
def _is_name(word: str) -> bool:
    """Whether a word is written as a name, or holds a digit."""
    letter = next(filter(str.isalnum, word), "a")
    return letter.isupper() or any(map(str.isdigit, word))


def _score(text: str, named: Set[str]) -> Score:
    probabilities = _probabilities(text)
    if probabilities is None:
        return Score()
    share = min(1.0, sum(share for code, share in probabilities.items() if code in named))
    likeliest = max(probabilities, key=lambda code: probabilities[code])
    return Score(share, likeliest if probabilities[likeliest] > _LIKELY else None)


@lru_cache(maxsize=_KNOWN_TEXTS)
def _probabilities(text: str) -> dict[str, float] | None:
    """Of the languages that a text may be in; None where it is too short to tell.

    They are kept because measures for other languages ask for the same.
    """
    read = running_text(text)
    letters = "".join(filter(str.isalpha, read))
    if len(letters) + (_WORTH_OF_A_SIGN - 1) * len(_SIGN.findall(letters)) < _LEAST_LETTERS:
        return _probabilities_of_short(_read(text, _is_clause))
    by_words = languages_by_words(read)
    if by_words is not None and by_words.get(ENGLISH_CODE, 0.0) > _SURE:
        # the detector needs ten times as long for the same
        return by_words
    return {code: float(share) for code, share in _detector().rank(read) if share > _NO_SHARE}


def _is_clause(words: Sequence[str]) -> bool:
    return len(words) > _LONGEST_ENTRY or is_clause(" ".join(words))


def _probabilities_of_short(read: str) -> dict[str, float] | None:
    letters = "".join(filter(str.isalpha, read))
    n_signs, n_latin = len(_SIGN.findall(letters)), len(_LATIN.findall(letters))
    others = _WORTH_OF_A_SIGN * n_signs + _WORTH_OF_ANOTHER_SCRIPT * (len(letters) - n_signs - n_latin)
    if others < _MOST * (others + n_latin):
        return languages_by_words(read)
    if others < _LEAST_IN_OTHER_SCRIPT:
        return None
    possible = {code: float(share) for code, share in _detector().rank(read) if share > _POSSIBLE}
    return {code: max(share, LEAST_SHARE) for code, share in possible.items()}


@lru_cache(maxsize=1)
def _detector() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
