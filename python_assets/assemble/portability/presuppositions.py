"""What an English prompt takes for granted that another level may not have: a monarchy, a first election.

A branch may state what is not so; what it takes for granted cannot be answered at all. Belongs here: where
words that take for granted, of countries, are looked for, and what stands around the name of any level; they
are presuppositions.yml. What a sentence says of it in passing is asides.py.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from python_assets.assemble.portability.asides import said_in_passing
from python_assets.assemble.tagged_words import Word, tagged_words
from python_assets.texts.families import families
from python_assets.texts.keywords import Occurrence

_FAMILIES: Final = Path(__file__).with_name("presuppositions.yml")


def presupposing_words(prompt: str, own: Sequence[Occurrence]) -> str | None:
    """What a prompt takes for granted.

    Args:
        prompt: in English.
        own: where words of its level stand that are replaced in every branch, in order.

    Returns:
        A word for a form of state, a way to statehood, an upheaval or a return to what was; the lay of the
        land; what is singled out by its number or year ("its first election", "the 1948 charter"); that the
        level began, or another was before ("what is now Italy"); what happened to it ("the collapse of banks
        in Italy", "since Italy joined"); what is said of it in passing. None where there is none.
    """
    outside = (match for one in _at("outside") for match in one.finditer(prompt) if not _is_word(match, own))
    first_match = next(outside, None)
    if first_match:
        return first_match.group().lstrip("'’ ")
    if not own:
        return None
    words = tagged_words(prompt)
    return _around(prompt, own) or _since(prompt, own, words) or said_in_passing(prompt, own[0], words)


def _at(place: str) -> list[re.Pattern[str]]:
    return [family.pattern for family in families(_FAMILIES).values() if family.place == place]


def _around(prompt: str, own: Sequence[Occurrence]) -> str | None:
    """What the words before and behind a level take for granted."""
    before = (one.search(prompt, 0, own[0].start) for one in _at("before"))
    behind = (one.match(prompt, word.end) for word in own for one in _at("behind"))
    anywhere = (one.search(prompt) for one in _at("of_it"))
    match = next(filter(None, (*before, *behind, *anywhere)), None)
    return match.group().strip(" ,'’") if match else None


def _is_word(match: re.Match[str], own: Sequence[Occurrence]) -> bool:
    """Whether a match is in a word that is replaced: the Kingdom of Saudi Arabia."""
    return any(word.start < match.end() <= word.end for word in own)


def _since(prompt: str, own: Sequence[Occurrence], words: Sequence[Word]) -> str | None:
    """Since Italy joined, wherever it stands."""
    since = families(_FAMILIES)["since"].pattern
    for one in own:
        conjunction = since.search(prompt, 0, one.start)
        verb = next((word for word in words if word.end > one.end), None)
        if conjunction and verb and verb.tag == "VBD":
            return f"{prompt[conjunction.start() : one.end]} {verb.text}"
    return None
