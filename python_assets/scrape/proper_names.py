"""Which English words name someone or something, by TextBlob's tagger and its lexicon."""

import warnings
from typing import Final

_PARTICLES: Final = frozenset(
    {
        "af",
        "al",
        "and",
        "bin",
        "da",
        "das",
        "de",
        "del",
        "della",
        "der",
        "di",
        "do",
        "dos",
        "du",
        "el",
        "i",
        "ibn",
        "la",
        "le",
        "of",
        "the",
        "und",
        "van",
        "von",
        "y",
        "zu",
    }
)


def is_proper_name(text: str) -> bool:
    """Tell whether an English text is a proper name.

    Args:
        text: of one or several words.

    Returns:
        True where every word but particles (de, van, of ...) begins with a capital and the last is tagged
        NNP or NNPS. A single word must not be an ordinary word of the lexicon in small letters: the capital
        of Culture says nothing where every item of a list begins with one.
    """
    words = text.split()
    if not words or not all(word[0].isupper() or word in _PARTICLES for word in words):
        return False
    with warnings.catch_warnings():
        # textblob leaves its files open while it reads them at the first look
        warnings.simplefilter("ignore", ResourceWarning)
        return not _is_ordinary(text) if len(words) == 1 else _ends_in_a_name(text)


def _is_ordinary(word: str) -> bool:
    from textblob.en import lexicon

    return lexicon.get(word.lower()) is not None or lexicon.get(word, "NNP") not in ("NNP", "NNPS")


def _ends_in_a_name(text: str) -> bool:
    from textblob.en.taggers import PatternTagger  # slow to import

    tagged = PatternTagger().tag(text, tokenize=True)
    return bool(tagged) and tagged[-1][1] in ("NNP", "NNPS")
