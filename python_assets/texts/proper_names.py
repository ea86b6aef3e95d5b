"""Which English words name someone or something, by TextBlob's tagger and its lexicon."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

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
    with _closing_files():
        return _ends_in_a_name(text)


def is_ordinary(word: str) -> bool:
    """Whether an English word is an ordinary one in small letters, whatever its capital may mean."""
    return part_of_speech(word.lower()) is not None


def part_of_speech(word: str) -> str | None:
    """The part of speech of an English word as it is spelled (Penn Treebank), if the lexicon has it."""
    return _lexicon().get(word)


@cache
def _lexicon() -> Mapping[str, str]:
    """TextBlob's lexicon from its file: TextBlob itself takes 3 s to import."""
    package = find_spec("textblob")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("textblob")
    lines = Path(package.origin).with_name("en").joinpath("en-lexicon.txt").read_text(encoding="utf-8").splitlines()
    entries = (line.split(" ") for line in lines if not line.startswith(";;;"))
    return {entry[0]: entry[1] for entry in entries if len(entry) > 1}


@contextmanager
def _closing_files() -> Iterator[None]:
    """TextBlob leaves its files open while it reads them at the first look."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield


def _ends_in_a_name(text: str) -> bool:
    from textblob.en.taggers import PatternTagger  # slow to import

    tagged = PatternTagger().tag(text, tokenize=True)
    return bool(tagged) and tagged[-1][1] in ("NNP", "NNPS")
