"""Facts of the source that an English prompt states: a dated event, a number, a superlative, what its level is.

Belongs here: what a sentence says of its level that a branch would say of another. What it takes for granted
is presuppositions.py, what only some levels of a kind have or do is kinds.py.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from python_assets.assemble.tagged_words import FINITE, Word, tagged_words
from python_assets.texts.families import families
from python_assets.texts.keywords import Occurrence

# a Muslim told, every Italian in the village said
_ONE_OF_MANY: Final = re.compile(r"\b(?:an?|another|each|every|no|one|some)(?: [a-z-]+){0,2} $", re.IGNORECASE)
_FAMILIES: Final = Path(__file__).with_name("facts.yml")


def stated_fact(prompt: str, own: Sequence[Occurrence]) -> tuple[str, str] | None:
    """The first fact of the source that a prompt states.

    Args:
        prompt: in English.
        own: where words of its level stand that are replaced, in order.

    Returns:
        The family of facts.yml, which is the reason, and the words; None where there is none.
    """
    for reason, family in families(_FAMILIES).items():
        if family.place == "behind":
            matches = (family.pattern.match(prompt, word.end) for word in own)
        else:
            matches = (one for one in family.pattern.finditer(prompt) if not _is_replaced(one, own))
        if match := next(filter(None, matches), None):
            return reason, match.group().strip(" ,")
    return None


def past_event(prompt: str, own: Sequence[Occurrence]) -> str | None:
    """What a prompt tells of its level as an event of the past: "The Italian government held".

    Args:
        prompt: in English.
        own: where words of its level stand that are replaced, in order.

    Returns:
        The verb of the level, or of its government, people and the like, where it is the first of the prompt
        and in the simple past. None besides where the level has no name but a noun, or one of many is told of:
        what is told of the nurse or of a Muslim may be told of any.
    """
    words = tagged_words(prompt)
    verb = next((n for n, word in enumerate(words) if word.tag in FINITE or _is_past(words, n)), None)
    if verb is None or not own or words[verb].end <= own[0].end or not own[0].word[0].isupper():
        return None
    before = [word for word in words if word.end < own[0].start]
    between = [word for word in words[:verb] if word.end > own[0].end]
    is_subject = not any(word.tag in {"IN", "TO"} and not word.text[0].isupper() for word in before)
    is_subject = is_subject and all(word.tag.startswith(("NN", "RB")) for word in between)
    is_past = words[verb].tag == "VBD" or _is_past(words, verb)
    is_story = _ONE_OF_MANY.search(prompt, 0, own[0].start) is not None
    return words[verb].text if is_subject and is_past and not is_story else None


def _is_past(words: Sequence[Word], n: int) -> bool:
    """Whether a participle is a verb in the past, as the tagger does not see: Italy amended its laws."""
    if words[n].tag != "VBN" or n == 0 or n + 1 == len(words):
        return False
    return words[n - 1].tag.startswith("NN") and words[n + 1].tag not in {"IN", "TO"}


def _is_replaced(found: re.Match[str], own: Sequence[Occurrence]) -> bool:
    """Whether a match holds a word that is replaced: six farmers, where farmers is the level."""
    return any(word.start < found.end() and found.start() < word.end for word in own)
