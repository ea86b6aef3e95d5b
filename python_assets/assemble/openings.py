"""Openings of English prompts that refer to something said before: "This agreement", "It", "However".

A prompt is read alone, so what its opening refers to is not there.
"""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from python_assets.assemble.tagged_words import FINITE, Word, tagged_words
from python_assets.texts.names import has_capital

_CONNECTIVES: Final = re.compile(
    r"(?:above all|accordingly|additionally|after all|afterwards?|also|alternatively|and"
    r"|as a (?:consequence|result)|as such"
    r"|at th(?:e|at|is) (?:same )?time|but|by contrast|by then|consequently|conversely|ever since"
    r"|even (?:so|then)|(?:first|last|second|third)ly|for (?:example|instance)|for th(?:is|at) reason"
    r"|furthermore|hence|here(?:['’]s| are| is)|however"
    r"|in (?:addition|consequence|contrast|doing so|fact|other words|particular|reaction|response|return"
    r"|short|so doing|sum|the meantime|the process|turn)|indeed|instead|let(?:['’]s| me| us)"
    r"|likewise|meanwhile|more importantly"
    r"|moreover"
    r"|nevertheless|nonetheless|of (?:these|those)|on the (?:contrary|other hand)|only then|or|otherwise"
    r"|shortly after(?:wards)?|simultaneously|since then|soon after(?:wards)?|specifically|subsequently"
    r"|so (?=(?:did|do|does|how|if|is|are|was|were|what|when|where|who|why)\b)|that said"
    r"|that(?:['’]s| (?=(?:can|could|had|has|is|may|means|meant|might|was|will|would)\b))|then"
    r"|thereafter|therefore|thus|to (?:do so|that end)|up to then|yet"
    r"|(?:besides|earlier|elsewhere|equally|eventually|finally|first|here|last|lastly|later|next|overall|rather"
    r"|second|secondly|similarly|so|soon|still|there|third|thirdly|too)(?=,))\b"
    r"(?! (?:as|of|than|that|to)\b)",
    re.IGNORECASE,
)
# some of what, another beside which, an example of what
_PART_OF: Final = re.compile(
    r"(?:(?:(?:all|few|many|most|several|some|three|two) )?(?:another|others?)|the (?:others?|rest)"
    r"|(?:an? )?(?:additional|further|similar)"
    r"|(?:all|both|each|few|many|most|neither|none|one|several|some|three|two)"
    r" (?:are|had|has|have|is|said|say|was|were|of (?:them|these|those))"
    r"|(?:an?|one|some|the)(?: [\w-]+){0,5} (?:answers?|causes?|consequences?|differences?|examples?"
    r"|exceptions?|explanations?|instances?|reasons?|results?|solutions?)"
    r" (?:are|has been|includes?|is|was|were))\b",
    re.IGNORECASE,
)
_THE_COUNTRYS: Final = re.compile(
    r"the (?:area|city|company|country|group|island|kingdom|nation|province|region|religion|state|town)"
    r"['’]s\b",
    re.IGNORECASE,
)
# set off by commas in the middle of a sentence they join it to the one before
_SET_OFF: Final = re.compile(
    r", (?:accordingly|consequently|for (?:example|instance)|furthermore|hence|however"
    r"|in (?:addition|contrast|turn)|instead|likewise|meanwhile|moreover|nevertheless|nonetheless"
    r"|on the other hand|similarly|then|therefore|though|thus|too),"
    r"| (?:however|though),| on the other hand\b"
)
# there was one before
_ANOTHER: Final = re.compile(
    r"\b(?:(?:am|are|been|is|was|were) another|such (?!an?\b|as\b|that\b)[a-z]+"
    r"|(?:become|in|of|the|to) said(?: [a-z]+)?"
    r"|(?:they|we|who|you) both)\b"
)
_THAT_TIME: Final = re.compile(
    r"\b(?:(?:after|at|before|by|during|from|in|since|until) that"
    r" (?:date|day|era|moment|period|point|time|year)|at the time(?! of)|ever since(?= *\W|$)"
    r"|(?:back|by|since|until) then)\b",
    re.IGNORECASE,
)
_SPOKEN: Final = re.compile(
    r"\b(?:our|my|(?:above|afore)[- ]?mentioned"
    r"|(?:as )?(?:described|discussed|explained|given|listed|mentioned|noted|outlined|shown|stated"
    r"|summari[sz]ed)"
    r" (?:above|before|below|earlier|here)"
    r"|as (?:i|we|you)(?:['’](?:ll|ve))?(?: (?:already|can|have|just|may|shall|will))*"
    r" (?:described|discussed|found|heard|know|learn(?:ed|t)|mentioned|noted|read|said|saw"
    r"|see|seen|showed|shown|stated))\b",
    re.IGNORECASE,
)
# Argentina has since eliminated: since what was said before
_SINCE: Final = re.compile(r"\b(?:has|have|had) since (?!then\b|the\b|its\b|their\b)[a-z]+")
_LATER: Final = re.compile(r"\b(?:days?|weeks?|months?|years?|decades?|centur(?:y|ies)) (?:earlier|later)\b")
# Canada also aims, Canada itself: beside something else that was said
_ALSO: Final = re.compile(
    r" (?:(?:(?:has|have|had|is|are|was|were|will|would|can|could) )?also|itself|themselves)\b"
)
_ALSO_ANYWHERE: Final = re.compile(r"\b(?:also|as well(?! as))\b")
# what "also" adds to where it stands in the prompt itself
_ADDED_TO: Final = re.compile(
    r"\b(?:although|as|because|besides|both|but|if|in addition to|like|since|than|that|though|when|where"
    r"|which|while|who|whose)\b|;",
    re.IGNORECASE,
)
_PRONOUNS: Final = frozenset(
    {"he", "him", "his", "she", "her", "hers", "it", "its", "they", "them", "their", "theirs"}
    | {"those", "such"}
)
_DEMONSTRATIVES: Final = frozenset({"this", "these"})
# this century is the reader's
_PRESENT: Final = frozenset({"century", "day", "decade", "millennium"})
_REFERRING_AFTER_THE: Final = frozenset(
    {"same", "following", "former", "latter", "preceding", "other", "resulting", "ensuing", "previous"}
    | {"aforementioned", "intervening", "next", "remaining", "subsequent", "succeeding"}
)
# after "the" nobody asks which: times, directions, what the world has one of and any level some of
_KNOWN_TO_ALL: Final = frozenset(
    {"afternoon", "autumn", "beginning", "century", "day", "decade", "decades", "end", "evening", "fall"}
    | {"future", "morning", "night", "past", "present", "spring", "summer", "week", "winter", "year", "years"}
    | {"east", "interior", "middle", "north", "northeast", "northwest", "south", "southeast", "southwest"}
    | {"cities", "countryside", "earth", "internet", "media", "mountains", "suburbs", "towns", "villages"}
    | {"west", "world"}
)


def referring_words(prompt: str, named: tuple[int, int]) -> str | None:
    """What the opening of a prompt refers back with.

    Args:
        prompt: in English.
        named: from where to where its level is named first; a pronoun after that may refer to it.

    Returns:
        A connective at its start, or set off by commas; "has since"; "also" or "itself" after the name;
        "also" or "as well" with nothing before it that it adds to; "is another"; "such marriages"; this,
        these or "that time"; "years later"; "some have", "another", "one example is"; "the country's"; what
        the speaker calls ours; a pronoun, or "the same" and its like, with no noun before it; a subject or
        circumstance before the name with "the" and nothing that says which one ("The invasion received",
        "The couple, dressed", "Under the agreement,"). None where there is none.
    """
    start = len(prompt) - len(prompt.lstrip("\"'“‘( "))
    openings = (_CONNECTIVES, _PART_OF, _THE_COUNTRYS)
    said = next(filter(None, (one.match(prompt, start) for one in openings)), None)
    said = said or next(
        filter(None, (one.search(prompt) for one in (_SINCE, _SET_OFF, _ANOTHER, _THAT_TIME, _SPOKEN))), None
    )
    said = said or _ALSO.match(prompt, named[1]) or _LATER.search(prompt, 0, named[0])
    words = tagged_words(prompt)
    said = said or _added(prompt, words)
    if said:
        return said.group().strip(" ,")
    opening = [word for word in words if word.end <= named[0]]
    return (
        _demonstrative(words)
        or _unnamed_subject(opening)
        or _unnamed_circumstance(opening)
        or _without_noun(opening)
    )


def _added(prompt: str, words: Sequence[Word]) -> re.Match[str] | None:
    """The "also" of a first clause: towns and villages also grew; towns grew and some also fell is none."""
    also = _ALSO_ANYWHERE.search(prompt)
    if also is None or _ADDED_TO.search(prompt, 0, also.start()):
        return None
    before = [word for word in words if word.end <= also.start()]
    joined = next((n for n, word in enumerate(before) if word.text in {"and", "or"}), 0)
    return None if any(word.tag in FINITE for word in before[:joined]) else also


def _demonstrative(words: Sequence[Word]) -> str | None:
    after = [_bare(word) for word in words[1:]] + [""]
    pairs = zip(words, after, strict=True)
    return next((w.text for w, noun in pairs if _bare(w) in _DEMONSTRATIVES and noun not in _PRESENT), None)


def _unnamed_subject(opening: Sequence[Word]) -> str | None:
    for position, article in enumerate(opening):
        # many of the farmers, who are not the farmers of a place either
        is_part = position == 2 and _bare(opening[1]) == "of"
        begins_clause = position == 0 or is_part or opening[position - 1].text.endswith(",")
        if begins_clause and _bare(article) == "the":
            subject = list(takewhile(_is_of_subject, opening[position + 1 :]))
            after = opening[position + len(subject) + 1 : position + len(subject) + 2]
            if subject and _says_not_which(subject, after):
                return " ".join(
                    _bare(word) if word is subject[-1] else word.text for word in (article, *subject)
                )
    return None


def _unnamed_circumstance(opening: Sequence[Word]) -> str | None:
    """Under the agreement, During the crisis; In the north and In the 1990s say which."""
    if len(opening) < 3 or opening[0].tag not in {"IN", "TO", "VBG"} or _bare(opening[1]) != "the":
        return None
    noun_phrase = list(takewhile(_is_of_subject, opening[2:]))
    if not noun_phrase or not noun_phrase[-1].text.endswith(",") or _is_known(noun_phrase):
        return None
    return " ".join(word.text for word in (*opening[:2], *noun_phrase)).rstrip(",")


def _is_of_subject(word: Word) -> bool:
    return word.tag.startswith(("JJ", "NN", "CD"))


def _is_known(noun_phrase: Sequence[Word]) -> bool:
    """Whether it is known without more which one is meant: the 1950s, the north, the Romans."""
    return _bare(noun_phrase[-1]) in _KNOWN_TO_ALL or any(
        has_capital(word.text) or re.search(r"\d", word.text) for word in noun_phrase
    )


def _says_not_which(subject: Sequence[Word], after: Sequence[Word]) -> bool:
    last = subject[-1]
    if not last.tag.startswith("NN") or not after or _is_known(subject):
        return False
    if last.text.endswith(","):
        return True
    return _bare(last) == last.text and after[0].tag.startswith(("VBD", "VBZ", "VBP", "MD"))


def _without_noun(opening: Sequence[Word]) -> str | None:
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
