"""Which texts are surely in another language than a measure was made for.

The detector gives every language a probability; a text is in another language where those that the measure
declares have next to none together. Languages near to a declared one (Malay to Indonesian, Norwegian to
Danish) share the probability, and short texts spread it: both stay measured when in doubt.
"""

from collections.abc import Set
from functools import lru_cache
from importlib.metadata import version
from typing import Any, Final

from python_assets.extract.extractor import Score, TextMethod

# Of 4,000 English contexts of BBQ none has less than .3 for English (tests/.../test_languages.py).
LEAST_SHARE: Final = 0.05

# What stands after this is not read: a text is in the language that it begins in.
_READ: Final = 400

# Under so many letters names and single words decide; a character of Chinese, Japanese, Korean or Thai says
# as much as three letters.
_LEAST_LETTERS: Final = 24
_WORTH_OF_A_SIGN: Final = 3
_FIRST_SIGN, _LAST_SIGN = "\u0e00", "\ud7ff"


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
        f"language 1, py3langid {version('py3langid')}",
        lambda texts: [Score(_share(text[:_READ], named)) for text in texts],
    )


def known_languages() -> list[str]:
    """The codes that the detector tells apart."""
    return sorted(_detector().labels)


def _share(text: str, named: Set[str]) -> float:
    weights = (_WORTH_OF_A_SIGN if _FIRST_SIGN <= c <= _LAST_SIGN else 1 for c in text if c.isalpha())
    if sum(weights) < _LEAST_LETTERS:
        return 1.0
    return min(1.0, sum(share for code, share in _detector().rank(text) if code in named))


@lru_cache(maxsize=1)
def _detector() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
