"""What an English prompt takes for granted that another level may not have: a monarchy, a first election.

A branch may state what is not so; what it takes for granted cannot be answered at all. Belongs here: the
words that take for granted, of countries, and what stands around the name of any level. What a sentence
says of it in passing is asides.py.
"""

import re
from collections.abc import Sequence
from typing import Final

from python_assets.assemble.asides import said_in_passing
from python_assets.assemble.tagged_words import Word, tagged_words
from python_assets.texts.keywords import Occurrence

# What some countries alone have, or had once. A sentence that states it goes too: no rule tells which does.
_STATE: Final = (
    r"apartheid|ayatollahs?|caliph\w*|cantons?|castes?|communis\w+|confederation|crown|[ct]zars?|dictator\w*"
    r"|dynast\w+|emirs?|emirates?|emperors?|empires?|empress|fascis\w+|imperial|juntas?|kings?|kingdoms?"
    r"|martial law|military rule|monarch\w*|nobility|oblasts?|one-party|pharaoh\w*|prefectures?"
    r"|presiden(?:cy|tial)|princes?|queens?|regimes?|republic\w*|royal\w*|serfdom|shahs?|socialis[mt]\w*"
    r"|sultan\w*|theocra\w+|tsars?|voivodeships?"
)
_STATEHOOD: Final = (
    r"annex\w+|coloni\w+|colony|dominions?|independence"
    r"|independent (?:country|dominion|kingdom|nation|republic|state)s?"
    r"|(?:became|become|becoming|declared|fully|newly) independent|liberat(?:ed|ion)|nationhood|neutrality"
    r"|occupation by|occupied|partition\w*|protectorates?|seceded|secession\w*|sovereign\w*|statehood"
    r"|unification|unified"
)
_UPHEAVAL: Final = (
    r"armistice|ceasefire|conflicts?(?! of interest)|conque\w+|coups?|earthquakes?|embargo\w*|famines?"
    r"|genocide|insurgen\w+|invaded|invasions?|rebellions?|rebels?|revolution\w*|sanctions|tsunamis?|unrest|uprisings?"
    r"|wars?|wartime"
)
_AGAIN: Final = (
    r"again|anew|no longer|once more|re-?(?:conquer|establish|gain|instat|join|stor|unif|unit)"
    r"(?:e|ed|es|ing|s)?|reunification|restoration"
)
_WORDS: Final = rf"{_STATE}|{_STATEHOOD}|{_UPHEAVAL}|{_AGAIN}"
_KIND: Final = (
    r"(?:cit(?:y|ies)|countr(?:y|ies)|faiths?|groups?|islands?|lands?|nations?|peoples?|professions?|religions?"
    r"|societ(?:y|ies)|states?|towns?)"
)
# in small letters, for World War II and the like are names; the first word of a prompt has a capital anyway
_OF_SOME: Final = re.compile(rf"\b(?:{_WORDS})\b|^(?i:{_WORDS})\b")
_LAND: Final = re.compile(
    r"(?:\b(?:the|its|their)|['’]s?)(?: [\w-]+){0,2} (?:archipelago|arctic|coasts?|coastal|coastline|deltas?"
    r"|deserts?|equator|fjords?|glaciers?|islands?|jungles?|peninsula|rainforests?|savannas?|seas?|shores?"
    r"|steppes?|tropics|volcano(?:es)?)\b",
    re.IGNORECASE,
)
_ORDINAL: Final = r"(?:first|second|third|fourth|founding|only|sole)"
_NUMBER: Final = r"(?:two|three|four|five|six|seven|eight|nine|ten|\d[\d,.]*)\b(?![%-])"
_ITS_FIRST: Final = re.compile(
    rf"(?:\b(?:its|their|his|her)|['’]s?) (?:{_ORDINAL}\b(?! (?:time|years?)\b)|{_NUMBER})", re.IGNORECASE
)
# the 1937 constitution; the 1930s are everybody's
_OF_YEAR: Final = re.compile(r"\bthe [12]\d{3}\b(?![-–])", re.IGNORECASE)
_THE_FIRST: Final = re.compile(
    rf"\bthe {_ORDINAL}\b"
    r"(?! (?:\w+ )?(?:centur|day|decade|half|halves|millenni|month|part|phase|quarter|stage|time|week|year))",
    re.IGNORECASE,
)
_BEGAN: Final = re.compile(
    r"(?: [\w-]+){0,2} (?:is|was|were|has been|have been|had been) (?:[a-z]+ly |first )?(?:born|created"
    r"|established|formed|founded|incorporated|organi[sz]ed|renamed|settled|split|united)\b"
)
# in front of the level: the twenty provinces of Italy, what is now Italy, the hatred that divides Italy, a
# small country like Italy, the long-standing hatred of Italy
_BEFORE: Final = tuple(
    re.compile(rf"{pattern}(?: the)? $", re.IGNORECASE)
    for pattern in (
        rf"\bthe {_NUMBER}(?: [\w-]+){{1,3}} (?:of|in)",
        r"\b(?:(?:what )?(?:is|was) now|now called|would (?:\w+ )?become)",
        r"^the (?:[\w-]+ ){1,3}(?:that|which) (?:[a-z]+ly )?[a-z]+s",
        rf"\b(?:an?|other)(?: [\w-]+)+ {_KIND} (?:like|such as)",
        r"^the [a-z]+-[\w-]+(?<!-day)(?<!-era) [\w-]+ of",
    )
)
# what happened to a level, or is missing there: the collapse of farms in Italy, Italy's entry into
_EVENT: Final = (
    r"(?:abolition|absence|accession|admission|collapse|decision|decline|defeat|demise|departure|destruction"
    r"|disappearance|downfall|emergence|entry|exit|expulsion|failure|fall|lack|loss|rise|success|surrender"
    r"|transformation|transition|victory|withdrawal)"
)
_THE_EVENT: Final = re.compile(
    rf"\bthe (?:(?:[\w-]+ )?{_EVENT} (?:from|into|of|to)|fact that)\b|^as a (?:consequence|result) of\b",
    re.IGNORECASE,
)
# right behind a level: its entry into; Italy, a country of
_BEHIND: Final = re.compile(
    rf"['’]s?(?: [\w-]+)? {_EVENT}\b"
    rf"|, (?:an?|one of the|the (?:most |least )?[\w-]+)(?: (?!of\b)[\w-]+){{0,3}} {_KIND}\b(?=[^,]*,)"
)
_AS_ONE: Final = re.compile(r"(?:, |\bthat )as (?:an?|one of)\b[^,]*,")
_SINCE: Final = re.compile(r"\b(?:after|before|once|since|until|when)(?: the)? $", re.IGNORECASE)


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
    patterns = (_OF_SOME, _LAND, _ITS_FIRST, _OF_YEAR)
    found = next(
        (match for one in patterns for match in one.finditer(prompt) if not _is_word(match, own)), None
    )
    if found:
        return found.group().lstrip("'’ ")
    if not own:
        return None
    words = tagged_words(prompt)
    return _around(prompt, own) or _since(prompt, own, words) or said_in_passing(prompt, own[0], words)


def _around(prompt: str, own: Sequence[Occurrence]) -> str | None:
    """What the words before and behind a level take for granted."""
    before = prompt[: own[0].start]
    found = next(filter(None, (one.search(before) for one in (_THE_FIRST, _THE_EVENT, *_BEFORE))), None)
    behind = (one.match(prompt, word.end) for word in own for one in (_BEGAN, _BEHIND))
    found = found or next(filter(None, behind), None) or _AS_ONE.search(prompt)
    return found.group().strip(" ,'’") if found else None


def _is_word(match: re.Match[str], own: Sequence[Occurrence]) -> bool:
    """Whether a match is in a word that is replaced: the Kingdom of Saudi Arabia."""
    return any(word.start < match.end() <= word.end for word in own)


def _since(prompt: str, own: Sequence[Occurrence], words: Sequence[Word]) -> str | None:
    """Since Italy joined, wherever it stands."""
    for one in own:
        conjunction = _SINCE.search(prompt, 0, one.start)
        verb = next((word for word in words if word.end > one.end), None)
        if conjunction and verb and verb.tag == "VBD":
            return f"{prompt[conjunction.start() : one.end]} {verb.text}"
    return None
