"""English plurals, so that a branch is not left with the plural of a word that it replaces.

Belongs here: the regular forms and the few irregular ones of people. Other languages have no rule here.
"""

import re
from typing import Final

_IRREGULAR: Final = {"woman": "women", "man": "men", "child": "children", "person": "people", "wife": "wives"}
_COMPOUND: Final = re.compile(rf"(?P<start>.*?)(?P<end>{'|'.join(_IRREGULAR)})", re.IGNORECASE)
_NO_MEN: Final = frozenset({"brahman", "german", "human", "norman", "oman", "ottoman", "roman", "shaman", "talisman"})
# words of their own: news is not the plural of new
_OTHER_WORDS: Final = frozenset({"arms", "customs", "goods", "means", "news"})
# Portuguese, British, French, Swiss: such names of peoples are their own plural
_WITHOUT_PLURAL: Final = ("ese", "sh", "ch", "s", "x", "z")


def plural(word: str) -> str | None:
    """The plural of the last word of a name or noun.

    Args:
        word: in the singular, of one word or several.

    Returns:
        None where there is none to write: of abbreviations (US), of what ends in other than letters, of
        plurals, and of names that end as French, British, Chinese or Swiss do.
    """
    start, _, last = word.rpartition(" ")
    if not re.search(r"[^\W\d_]{3}\Z", last) or last.isupper() or last.lower() in _IRREGULAR.values():
        return None
    written = _plural_of_word(last)
    return None if written is None or written in _OTHER_WORDS else f"{start} {written}".lstrip()


def is_plural(word: str) -> bool:
    """Whether a noun of a person is a plural, by its form: women, people, nurses'; not boss."""
    small = re.sub(r"['’]s?$", "", word.lower().split(" ")[-1])
    return (
        small in _IRREGULAR.values() or small.endswith(tuple(_IRREGULAR.values())) or bool(re.search(r"[^s]s$", small))
    )


def _plural_of_word(word: str) -> str | None:
    compound = _COMPOUND.fullmatch(word)
    if compound and word.lower() not in _NO_MEN:
        end = compound["end"]
        written = _IRREGULAR[end.lower()]
        return compound["start"] + (written.capitalize() if end[0].isupper() else written)
    if word.endswith(_WITHOUT_PLURAL):
        is_noun = word[0].islower() and word.endswith(("ss", "sh", "ch", "x", "z"))
        return f"{word}es" if is_noun else None
    if word[0].islower() and re.search(r"[^aeiou]y\Z", word):
        return f"{word[:-1]}ies"
    return f"{word}s"
