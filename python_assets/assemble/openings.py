"""Openings of English prompts that refer to something said before: "This agreement", "It", "However".

A prompt is read alone, so what its opening refers to is not there.
"""

import re
from typing import Final

from python_assets.assemble.split_sentences import tagged_words

_CONNECTIVES: Final = re.compile(
    r"(?:accordingly|additionally|afterwards?|also|and|as a result|as such|at th(?:e|at|is) (?:same )?time"
    r"|but|by contrast|by then|consequently|conversely|even so|for th(?:is|at) reason|furthermore|hence"
    r"|however|in addition|in contrast|in fact|in response|in turn|indeed|instead|likewise|meanwhile|moreover"
    r"|nevertheless|nonetheless|on the other hand|or|otherwise|since then|soon after|subsequently|that said"
    r"|then|thereafter|therefore|thus|yet"
    r"|(?:finally|first|later|rather|second|similarly|so|still|third)(?=,))\b(?! (?:as|of|than|that|to)\b)",
    re.IGNORECASE,
)
_REFERRING: Final = frozenset(
    {"he", "him", "his", "she", "her", "hers", "it", "its", "they", "them", "their", "theirs"}
    | {"this", "these", "those", "such"}
)
_REFERRING_AFTER_THE: Final = frozenset(
    {"same", "following", "former", "latter", "preceding", "other", "resulting", "ensuing", "previous"}
    | {"change"}
)
# Argentina has since eliminated: since what was said before
_SINCE: Final = re.compile(r"\b(?:has|have|had) since (?!then\b|the\b|its\b|their\b)[a-z]+")


def referring_words(prompt: str) -> str | None:
    """What the opening of a prompt refers back with.

    Args:
        prompt: in English.

    Returns:
        A connective at its start, "has since", or a pronoun, a demonstrative or "the same" and its like with
        no noun before it; None where there is none.
    """
    text = prompt.lstrip("\"'“‘( ")
    if connective := _CONNECTIVES.match(text):
        return connective.group()
    if since := _SINCE.search(text):
        return since.group()
    article = None
    for word in tagged_words(text):
        bare = re.sub(r"\W+$", "", word.text.lower())
        if bare in _REFERRING:
            return word.text
        if article is not None and bare in _REFERRING_AFTER_THE:
            return f"{article} {bare}"
        if word.tag.startswith("NN"):
            return None
        article = word.text if bare == "the" else None
    return None
