"""What makes two spellings one text: how they are encoded, blanks and signs that nobody sees do not tell them apart.

Belongs here: whether texts are the same. Which words a text holds is words.py.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

# format characters (Cf), such as zero-width spaces, joiners and direction marks, blank letters, and what picks a glyph
_UNSEEN: Final = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)


def as_seen(text: str) -> str:
    """A text in one encoding (NFKC), its blanks single and what is not seen left out; case is kept."""
    composed = unicodedata.normalize("NFKC", _UNSEEN.sub("", text))
    return " ".join(composed.split())


def identity(name: str) -> str:
    """What names of one thing have in common: as_seen, with case folded."""
    return unicodedata.normalize("NFKC", as_seen(name).casefold())


def alike(names: Sequence[str]) -> list[tuple[int, int]]:
    """The names that an earlier one is identical with in another spelling.

    Returns:
        Positions: of the first of its spellings, and of the later one; equal names are none.
    """
    first: dict[str, int] = {}
    pairs = ((first.setdefault(identity(name), index), index) for index, name in enumerate(names))
    return [(earlier, later) for earlier, later in pairs if names[earlier] != names[later]]
