"""Openings of English prompts that refer to something said before: "This agreement", "It", "However".

A prompt is read alone, so what its opening refers to is not there.
"""

import re
from itertools import takewhile
from typing import Final

from python_assets.assemble.split_sentences import Word, tagged_words

_CONNECTIVES: Final = re.compile(
    r"(?:accordingly|additionally|afterwards?|also|and|as a result|as such|at th(?:e|at|is) (?:same )?time"
    r"|but|by contrast|by then|consequently|conversely|even so|for th(?:is|at) reason|furthermore|hence"
    r"|however|in addition|in contrast|in fact|in response|in turn|indeed|instead|likewise|meanwhile|moreover"
    r"|nevertheless|nonetheless|on the other hand|or|otherwise|since then|soon after|subsequently|that said"
    r"|then|thereafter|therefore|thus|yet"
    r"|(?:finally|first|later|rather|second|similarly|so|still|third)(?=,))\b(?! (?:as|of|than|that|to)\b)",
    re.IGNORECASE,
)
_PRONOUNS: Final = frozenset(
    {"he", "him", "his", "she", "her", "hers", "it", "its", "they", "them", "their", "theirs"}
    | {"those", "such"}
)
_DEMONSTRATIVES: Final = frozenset({"this", "these"})
_REFERRING_AFTER_THE: Final = frozenset(
    {"same", "following", "former", "latter", "preceding", "other", "resulting", "ensuing", "previous"}
    | {"change"}
)
# Argentina has since eliminated: since what was said before
_SINCE: Final = re.compile(r"\b(?:has|have|had) since (?!then\b|the\b|its\b|their\b)[a-z]+")
# Canada also aims: beside something else that was said
_ALSO: Final = re.compile(r" (?:(?:has|have|had|is|are|was|were|will|would|can|could) )?also\b")


def referring_words(prompt: str, named: tuple[int, int]) -> str | None:
    """What the opening of a prompt refers back with.

    Args:
        prompt: in English.
        named: from where to where its level is named first; a pronoun after that may refer to it.

    Returns:
        A connective at its start; "has since", or "also" after the name; this or these before the name; a
        pronoun, or "the same" and its like, with no noun before it; a subject with "the" and nothing that
        says which one ("The invasion received"). None where there is none.
    """
    start = len(prompt) - len(prompt.lstrip("\"'“‘( "))
    said = _CONNECTIVES.match(prompt, start) or _SINCE.search(prompt) or _ALSO.match(prompt, named[1])
    if said:
        return said.group().strip()
    opening = [word for word in tagged_words(prompt) if word.end <= named[0]]
    return _demonstrative(opening) or _unnamed_subject(opening) or _without_noun(opening)


def _demonstrative(opening: list[Word]) -> str | None:
    return next((word.text for word in opening if _bare(word) in _DEMONSTRATIVES), None)


def _unnamed_subject(opening: list[Word]) -> str | None:
    if not opening or _bare(opening[0]) != "the":
        return None
    subject = list(takewhile(lambda word: word.tag.startswith(("JJ", "NN")), opening[1:]))
    after = opening[len(subject) + 1 : len(subject) + 2]
    is_bare = bool(subject) and subject[-1].tag.startswith("NN") and _bare(subject[-1]) == subject[-1].text
    if not (is_bare and after and after[0].tag.startswith(("VBD", "VBZ", "VBP", "MD"))):
        return None
    return " ".join(word.text for word in (opening[0], *subject))


def _without_noun(opening: list[Word]) -> str | None:
    article = None
    for word in opening:
        bare = _bare(word)
        if bare in _PRONOUNS:
            return word.text
        if article is not None and bare in _REFERRING_AFTER_THE:
            return f"{article} {bare}"
        if word.tag.startswith("NN"):
            return None
        article = word.text if bare == "the" else None
    return None


def _bare(word: Word) -> str:
    return re.sub(r"\W+$", "", word.text.lower())
