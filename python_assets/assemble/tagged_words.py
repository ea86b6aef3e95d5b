"""The words of an English sentence with their parts of speech, by TextBlob's tagger."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from python_assets.texts.textblob_english import tag

FINITE: Final = frozenset({"MD", "VB", "VBD", "VBP", "VBZ"})
"""Parts of speech of a verb that a subject stands before."""


class Word(NamedTuple):
    """A word of a sentence outside parentheses, where it ends, and its part of speech (Penn Treebank)."""

    text: str
    end: int
    tag: str


@lru_cache(maxsize=8)  # a prompt is read for one reason after another, and for one target after another
def tagged_words(sentence: str) -> tuple[Word, ...]:
    """The words of a sentence outside parentheses with their parts of speech.

    Args:
        sentence: words are parted by white space; what holds no letter and no digit is no word.

    Returns:
        One entry a word, in order.
    """
    tokens: list[str] = []
    cores: list[tuple[int, re.Match[str], bool]] = []
    depth = 0
    for match in re.finditer(r"\S+", sentence):
        before, core, after = _parts(match.group())
        in_parentheses = depth > 0 or "(" in before
        depth = max(0, depth + match.group().count("(") - match.group().count(")"))
        tokens += before
        if core:
            cores.append((len(tokens), match, in_parentheses))
            tokens.append(core)
        tokens += after
    tags = _tags(tokens)
    words = (Word(match.group(), match.end(), tags[index]) for index, match, hidden in cores if not hidden)
    return tuple(words)


def tag_behind(words: Sequence[Word], end: int) -> str:
    """The part of speech of the word behind a place in the text, empty at the end."""
    return next((word.tag for word in words if word.end > end), "")


def _parts(word: str) -> tuple[list[str], str, list[str]]:
    """Punctuation before a word, the word, punctuation after it; U.S. and the like keep their points."""
    match = re.fullmatch(r"(\W*)(.*?)(\W*)", word)
    before, core, after = match.groups() if match else ("", word, "")
    if re.fullmatch(r"(\w\.)+\w", core) and after.startswith("."):
        core, after = f"{core}.", after[1:]
    # the tagger knows contractions by the straight apostrophe only
    return list(before), core.replace("’", "'"), list(after)


def _tags(tokens: list[str]) -> list[str]:
    if not tokens:
        return []
    tagged = tag(" ".join(tokens), tokenize=False)
    if len(tagged) != len(tokens):
        raise ValueError(f"the tagger gave {len(tagged)} tags for {len(tokens)} words: {' '.join(tokens)!r}")
    return [word_class for _, word_class in tagged]
