"""Which form of a level's word stands in a place of an English prompt, where two forms are spelled alike.

Muslim is an adjective and a person, New Zealand a place and an adjective, Swiss all three; what is written for
each of another level may be two words.
"""

import re
from collections.abc import Collection
from typing import Final

from python_assets.assemble.tagged_words import FINITE, tagged_words
from python_assets.texts.keywords import Occurrence

ADJECTIVE: Final = "adjective"
PLURAL: Final = "plural"
PLACE_KIND: Final = "place"
# the names of forms that say what they are; a noun may be a person, a thing or a faith
_MEANINGS: Final = {"name": PLACE_KIND, "people": PLURAL}
_PERSONS: Final = ("adherent", "noun")
_OF_ONE: Final = re.compile(r"\b(?:an?|another|each|every|one|this|that)(?: [a-z-]+)? $", re.IGNORECASE)
_DETERMINED: Final = re.compile(
    r"\b(?:an?|another|any|each|every|many|most|no|one|some|that|the|these|this|those)(?: [a-z-]+)? $", re.IGNORECASE
)
_TO_BE: Final = re.compile(
    r"\b(?:am|are|be|became|become|becomes|becoming|been|being|feel|feels|felt|is|remain\w*|was|were)"
    r"(?: (?:also|both|not|either|[a-z]+ly))? $",
    re.IGNORECASE,
)


def meaning_of(form: str) -> str:
    """What a form of `branch.forms` is, by its name: name is a place, people a plural, any other itself."""
    return _MEANINGS.get(form, form)


def form_at(text: str, word: Occurrence, of: Collection[str]) -> str | None:
    """The form that a word is where it stands.

    Args:
        text: in English.
        word: where.
        of: the forms that it may be, the adjective among them.

    Returns:
        The adjective before a noun and behind a form of to be; else the plural where a plural verb or "the"
        with no singular verb tells, a person where "a", "every" and the like do, or the one form left; None
        where the place does not tell.
    """
    words = tagged_words(text)
    behind = next((one for one in words if one.end > word.end), None)
    is_next = behind is not None and text[word.end : word.end + 1] == " "
    if behind is None and ADJECTIVE in of and not text[word.end :].strip():
        return None  # the prompt breaks off: the Catholic, or the Catholic side
    tag = behind.tag if behind is not None and is_next else ""
    is_of_one = _OF_ONE.search(text, 0, word.start) is not None
    # behind a single person a word in -s is a verb: a Muslim prays
    is_noun = tag.startswith(("NN", "JJ", "CD", "VBG")) and not (is_of_one and tag == "NNS")
    if is_noun or (not _DETERMINED.search(text, 0, word.start) and _TO_BE.search(text, 0, word.start)):
        return ADJECTIVE
    left = [form for form in of if form != ADJECTIVE]
    person = next((form for form in _PERSONS if form in left), None)
    if len(left) == 1 and (person is None or _DETERMINED.search(text, 0, word.start)):
        return left[0]
    # a person without an article is called so: Christian opens the door
    if is_of_one and person is not None:
        return person
    if PLURAL in left and (tag in {"VBP", "VB"} or (tag in FINITE and text[: word.start].lower().endswith("the "))):
        return PLURAL
    return None
