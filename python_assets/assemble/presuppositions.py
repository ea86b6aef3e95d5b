"""What an English prompt takes for granted that another level may not have: a monarchy, a first election.

A branch may state what is not so; what it takes for granted cannot be answered at all. Belongs here: the
words and the places in a sentence that take for granted. The words are of countries; the places of any level.
"""

import re
from collections.abc import Sequence
from typing import Final

from python_assets.assemble.split_sentences import Word, tagged_words
from python_assets.texts.keywords import Occurrence

# What some countries alone have, or had once. A sentence that states it goes too: no rule tells which does.
_STATE: Final = (
    r"apartheid|communis\w+|confederation|crown|[ct]zars?|dictator\w*|dynast\w+|emperors?|empires?|empress"
    r"|fascis\w+|imperial|juntas?|kings?|kingdoms?|military rule|monarch\w*|nobility|one-party|pharaoh\w*"
    r"|presiden(?:cy|tial)|princes?|queens?|regimes?|republic\w*|royal\w*|socialis[mt]\w*|sultan\w*|tsars?"
)
_STATEHOOD: Final = (
    r"annex\w+|coloni\w+|colony|dominions?|independence"
    r"|independent (?:country|dominion|kingdom|nation|republic|state)s?"
    r"|(?:became|become|becoming|declared|fully|newly) independent|liberat(?:ed|ion)|nationhood|neutrality"
    r"|occupation by|occupied|partition\w*|protectorates?|seceded|secession\w*|sovereign\w*|statehood"
    r"|unification|unified"
)
_UPHEAVAL: Final = (
    r"armistice|ceasefire|conflicts?(?! of interest)|conque\w+|coups?|earthquakes?|famines?|genocide"
    r"|insurgen\w+|invaded|invasions?|rebellions?|rebels?|revolution\w*|tsunamis?|unrest|uprisings?|wars?|wartime"
)
_AGAIN: Final = (
    r"again|anew|no longer|once more|re-?(?:conquer|establish|gain|instat|join|stor|unif|unit)"
    r"(?:e|ed|es|ing|s)?|reunification|restoration"
)
_WORDS: Final = rf"{_STATE}|{_STATEHOOD}|{_UPHEAVAL}|{_AGAIN}"
# in small letters, for World War II and the like are names; the first word of a prompt has a capital anyway
_OF_SOME: Final = re.compile(rf"\b(?:{_WORDS})\b|^(?i:{_WORDS})\b")
_LAND: Final = re.compile(
    r"(?:\b(?:the|its|their)|['’]s?)(?: [\w-]+){0,2} (?:archipelago|arctic|coasts?|coastal|coastline|deltas?"
    r"|deserts?|equator|fjords?|glaciers?|islands?|jungles?|peninsula|rainforests?|savannas?|seas?|shores?"
    r"|steppes?|tropics|volcano(?:es)?)\b",
    re.IGNORECASE,
)
_ORDINAL: Final = r"(?:first|second|third|fourth|founding|only|sole)"
_ITS_FIRST: Final = re.compile(
    rf"(?:\b(?:its|their|his|her)|['’]s?) {_ORDINAL}\b(?! (?:time|years?)\b)", re.IGNORECASE
)
_THE_FIRST: Final = re.compile(
    rf"\bthe {_ORDINAL}\b"
    r"(?! (?:\w+ )?(?:centur|day|decade|half|halves|millenni|month|part|phase|quarter|stage|time|week|year))",
    re.IGNORECASE,
)
_BEGAN: Final = re.compile(
    r"(?: [\w-]+){0,2} (?:is|was|were|has been|have been|had been) (?:[a-z]+ly |first )?(?:born|created"
    r"|established|formed|founded|incorporated|organi[sz]ed|renamed|settled|split|united)\b"
)
_CLAUSE: Final = re.compile(
    r"(?:after|although|because|before|even though|once|since|though|when)\b", re.IGNORECASE
)
# participles by their form alone
_PREPOSITIONS: Final = frozenset(
    {"according", "beginning", "considering", "depending", "during", "given", "starting"}
)


def presupposing_words(prompt: str, own: Sequence[Occurrence]) -> str | None:
    """What a prompt takes for granted.

    Args:
        prompt: in English.
        own: where words of its level stand that are replaced in every branch, in order.

    Returns:
        A word for a form of state, a way to statehood, an upheaval or a return to what was; the lay of the
        land; what is singled out by its number ("its first election"); that the level began; what is said of
        the level in passing, in front of it ("Having won, Italy"), behind it ("Italy, the oldest of", "Italy,
        after") or in a clause before the main one ("When Italy fell,"). None where there is none.
    """
    patterns = (_OF_SOME, _LAND, _ITS_FIRST)
    found = next(
        (match for one in patterns for match in one.finditer(prompt) if not _is_word(match, own)), None
    )
    if found:
        return found.group().lstrip("'’")
    if not own:
        return None
    beginnings = (_BEGAN.match(prompt, word.end) for word in own)
    found = _THE_FIRST.search(prompt, 0, own[0].start) or next(filter(None, beginnings), None)
    return found.group().strip() if found else _in_passing(prompt, own[0])


def _is_word(match: re.Match[str], own: Sequence[Occurrence]) -> bool:
    """Whether a match is in a word that is replaced: the Kingdom of Saudi Arabia."""
    return any(word.start < match.end() <= word.end for word in own)


def _in_passing(prompt: str, first: Occurrence) -> str | None:
    words = tagged_words(prompt)
    before = re.sub(r"\bthe $", "", prompt[: first.start], flags=re.IGNORECASE).rstrip()
    comma_after = prompt.find(",", first.end)
    is_subject = not before or before.endswith(",")
    if is_subject and comma_after == first.end:
        return prompt[first.start : comma_after + 1]
    if before.endswith(",") and _describes(words):
        return before
    clause = _CLAUSE.match(prompt)
    if clause and "," not in before and comma_after > 0:
        return clause.group()
    return _superlative_aside(words)


def _describes(words: list[Word]) -> bool:
    """Whether an opening says what a level is, has or did: "A small country", "Having won", "Once known"."""
    if len(words) < 2:
        return False
    first, second = words[:2]
    if first.text.lower() in {"a", "an", "now", "once", "formerly", "originally", "with"}:
        return True
    if first.text.lower() == "as":
        return second.text.lower() in {"a", "an", "one", "the"}
    participle = second if first.tag.startswith("RB") else first
    return participle.tag in {"VBG", "VBN", "VBD"} and participle.text.lower() not in _PREPOSITIONS


def _superlative_aside(words: list[Word]) -> str | None:
    """The narrowest part of the country, set off by a comma."""
    for before, article, word in zip(words, words[1:], words[2:], strict=False):
        if before.text.endswith(",") and article.text == "the" and word.tag in {"JJS", "RBS"}:
            return f"{article.text} {word.text}"
    return None
