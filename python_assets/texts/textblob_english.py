"""TextBlob's English, its lexicon and its tagger, without the rest of TextBlob.

TextBlob's package imports NLTK, and NLTK scikit-learn: .4 s of every plan, of which nothing is used.
"""

import sys
import warnings
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Final

PACKAGE: Final = "textblob"


@cache
def textblob_english() -> ModuleType:
    """The module textblob.en: its lexicon, its spelling and its tagger.

    It is a copy of its own: who imports TextBlob has the whole of it, before or afterwards.

    Raises:
        ModuleNotFoundError: TextBlob is not installed.
    """
    spec = find_spec(PACKAGE)
    if spec is None:
        raise ModuleNotFoundError(PACKAGE)
    imported = _taken_out()
    sys.modules[PACKAGE] = module_from_spec(spec)  # a package whose own file, which imports NLTK, is not run
    try:
        english = import_module(f"{PACKAGE}.en")
    finally:
        _taken_out()
        sys.modules.update(imported)
    with warnings.catch_warnings():
        # it leaves its files open while it reads them at the first look
        warnings.simplefilter("ignore", ResourceWarning)
        for lazy in (english.lexicon, english.lexicon.morphology, english.lexicon.context, english.lexicon.entities):
            len(lazy)
    return english


def tag(text: str, *, tokenize: bool) -> list[tuple[str, str]]:
    """The words of an English text with their parts of speech (Penn Treebank).

    Args:
        text: of one or several sentences.
        tokenize: whether punctuation is parted from words, or white space alone parts them.
    """
    tagged: list[tuple[str, str]] = textblob_english().tag(text, tokenize)
    return tagged


def part_of_speech(word: str) -> str | None:
    """The part of speech of an English word as it is spelled (Penn Treebank), if the lexicon has it."""
    tag: str | None = textblob_english().lexicon.get(word)
    return tag


def _taken_out() -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name.partition(".")[0] == PACKAGE]
    return {name: sys.modules.pop(name) for name in names}
