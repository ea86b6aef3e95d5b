"""Which English words name someone or something, by TextBlob's tagger and its lexicon."""

from typing import Final

from python_assets.texts.textblob_english import part_of_speech, tag

PARTICLES: Final = frozenset(
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
    if not words or not all(word[0].isupper() or word in PARTICLES for word in words):
        return False
    if len(words) == 1:
        return not is_ordinary(text) and part_of_speech(text) in (None, "NNP", "NNPS")
    tagged = tag(text, tokenize=True)
    return bool(tagged) and tagged[-1][1] in ("NNP", "NNPS")


def is_ordinary(word: str) -> bool:
    """Whether an English word is an ordinary one in small letters, whatever its capital may mean."""
    return part_of_speech(word.lower()) is not None
