"""What an English prompt takes for granted that another level may not have: a monarchy, a first election.

A branch may state what is not so; what it takes for granted cannot be answered at all. Belongs here: the
words and the places in a sentence that take for granted. The words are of countries; the places of any level.
"""

import re
from collections.abc import Sequence
from typing import Final

from python_assets.assemble.split_sentences import Word, tagged_words
from python_assets.texts.keywords import Occurrence
from python_assets.texts.proper_names import part_of_speech

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
_RELATIVE: Final = re.compile(r",? where\b|, (?:home to|which|who|whose)\b")
_AS_ONE: Final = re.compile(r"(?:, |\bthat )as (?:an?|one of)\b[^,]*,")
# what they name before a comma and the level has come about
_GROUNDS: Final = re.compile(
    r"(?:after\b.* of|(?:al)?though|amid|because of|despite|due to|in spite of"
    r"|notwithstanding|owing to|thanks to)\b",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(
    r"(?:after|although|because|before|even though|once|since|though|when|whereas|while)\b", re.IGNORECASE
)
_CLAUSE_ALONE: Final = re.compile(
    r"(?:although|because|even though|though|whereas|when|while)\b", re.IGNORECASE
)
_SINCE: Final = re.compile(r"\b(?:after|before|once|since|until|when)(?: the)? $", re.IGNORECASE)
# participles by their form alone
_PREPOSITIONS: Final = frozenset(
    {"according", "beginning", "concerning", "considering", "depending", "during", "given", "regarding"}
    | {"speaking", "starting"}
)
# adjectives that lead to a time, a cause or a likeness, and describe nothing
_LEADING: Final = frozenset({"close", "contrary", "due", "next", "prior", "similar", "subsequent", "such"})


def presupposing_words(prompt: str, own: Sequence[Occurrence]) -> str | None:
    """What a prompt takes for granted.

    Args:
        prompt: in English.
        own: where words of its level stand that are replaced in every branch, in order.

    Returns:
        A word for a form of state, a way to statehood, an upheaval or a return to what was; the lay of the
        land; what is singled out by its number ("its first election"); that the level began, or
        another was before ("what is now Italy"); what happened to it ("the collapse of banks in Italy"); what
        is said of the level in passing, in front of it ("Having won, Italy"), behind it ("Italy, the oldest
        of", "Italy, after"), in a clause before the main one ("When Italy fell,"), or between a subject and
        its verb ("farms in Italy, sold by the state, are"). None where there is none.
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
    return _around(prompt, own) or _since(prompt, own, words) or _in_passing(prompt, own[0], words)


def _around(prompt: str, own: Sequence[Occurrence]) -> str | None:
    """What the words before and behind a level take for granted."""
    first = own[0].start
    before = prompt[:first]
    found = next(
        filter(
            None, (_THE_FIRST.search(before), _THE_EVENT.search(before), *(p.search(before) for p in _BEFORE))
        ),
        None,
    )
    behind = (one.match(prompt, word.end) for word in own for one in (_BEGAN, _BEHIND))
    found = found or next(filter(None, behind), None) or _AS_ONE.search(prompt)
    return found.group().strip(" ,'’") if found else None


def _is_word(match: re.Match[str], own: Sequence[Occurrence]) -> bool:
    """Whether a match is in a word that is replaced: the Kingdom of Saudi Arabia."""
    return any(word.start < match.end() <= word.end for word in own)


def _since(prompt: str, own: Sequence[Occurrence], words: list[Word]) -> str | None:
    """Since Italy joined, wherever it stands."""
    for one in own:
        conjunction = _SINCE.search(prompt, 0, one.start)
        verb = next((word for word in words if word.end > one.end), None)
        if conjunction and verb and verb.tag == "VBD":
            return f"{prompt[conjunction.start() : one.end]} {verb.text}"
    return None


def _in_passing(prompt: str, first: Occurrence, words: list[Word]) -> str | None:
    before = re.sub(r"\bthe $", "", prompt[: first.start], flags=re.IGNORECASE).rstrip()
    comma_after = prompt.find(",", first.end)
    is_subject = not before or before.endswith(",")
    if is_subject and comma_after == first.end:
        return prompt[first.start : comma_after + 1]
    opening = re.sub(r"\b(?:all|few|many|most|several|some)$", "", before, flags=re.IGNORECASE).rstrip()
    if opening.endswith(",") and (_GROUNDS.match(opening) or _describes(words)):
        return opening
    if re.fullmatch(r"[A-Z][a-z]+ly \w+", before) and _verb_follows(first, words):
        return before
    clause = _CLAUSE.match(prompt) or re.fullmatch("as", before, re.IGNORECASE)
    # after the war is no clause, although the war was is one wherever the prompt ends
    if clause and "," not in before and (comma_after > 0 or _CLAUSE_ALONE.match(prompt)):
        return clause.group()
    return (
        _relative(prompt, first, words)
        or _superlative_aside(words)
        or _aside(words, first)
        or _described_twice(words, first)
    )


def _describes(words: list[Word]) -> bool:
    """Whether an opening says what a level is, has or did: "A small country", "Having won", "Rich in"."""
    if len(words) < 2:
        return False
    first, second = words[:2]
    small, after = first.text.lower(), second.text.lower()
    if small in {"a", "an", "now", "once", "formerly", "originally", "with"}:
        return True
    if small == "as":
        return after in {"a", "an", "one", "the"}
    if small == "the":
        return after.endswith("est") or after in {"least", "most"}
    if (small, after) in {("one", "of"), ("home", "to")}:
        return True
    is_adjective = part_of_speech(small) == "JJ" and small not in _LEADING
    if is_adjective and second.tag in {"IN", "TO"}:
        return True
    return _is_participle(second if first.tag.startswith("RB") else first)


def _is_participle(word: Word) -> bool:
    small = word.text.lower()
    # the tagger takes the first word of a prompt for a name: Shaped by, Accounting for
    tag = part_of_speech(small) or word.tag
    is_one = {tag, word.tag} & {"VBG", "VBN", "VBD"} or (tag.startswith("NN") and small.endswith("ing"))
    return bool(is_one) and small not in _PREPOSITIONS


def _verb_follows(named: Occurrence, words: list[Word]) -> bool:
    after = next((word.tag for word in words if word.end > named.end), "")
    return after in {"MD", "VB", "VBD", "VBP", "VBZ"}


def _relative(prompt: str, first: Occurrence, words: list[Word]) -> str | None:
    """In Italy, where bread is cheap, before the verb of the prompt."""
    found = _RELATIVE.match(prompt, first.end)
    is_before_verb = not any(word.tag.startswith(("VB", "MD")) for word in words if word.end <= first.start)
    return found.group().strip(" ,") if found and is_before_verb else None


def _aside(words: list[Word], first: Occurrence) -> str | None:
    """What is set off by commas between a subject and its verb: "farms in Italy, sold by the state, are"."""
    for position, word in enumerate(words[1:-1], start=1):
        if word.end <= first.end or not words[position - 1].text.endswith(",") or not _begins_aside(word):
            continue
        closing = next((n for n in range(position, len(words) - 1) if words[n].text.endswith(",")), None)
        if closing is not None and words[closing + 1].tag in {"VB", "VBZ", "VBP", "VBD", "MD"}:
            return " ".join(one.text for one in words[position : closing + 1]).rstrip(",")
    return None


def _begins_aside(word: Word) -> bool:
    return word.text.lower() in {"a", "an", "which", "who", "whose", "where"} or word.tag in {"VBN", "VBG"}


def _described_twice(words: list[Word], first: Occurrence) -> str | None:
    """The rich cultural heritage of Italy; The cultural heritage of Italy is what any country has."""
    subject = [word for word in words if word.end < first.start]
    tags = [word.tag for word in subject]
    if len(subject) in {5, 6} and subject[0].text.lower() == "the" and subject[4].text in {"in", "of"}:
        is_twice = tags[1:3] == ["JJ", "JJ"] and tags[3].startswith("NN") and tags[5:] in ([], ["DT"])
        return " ".join(word.text for word in subject[:4]) if is_twice else None
    return None


def _superlative_aside(words: list[Word]) -> str | None:
    """The narrowest part of the country, set off by a comma."""
    for before, article, word in zip(words, words[1:], words[2:], strict=False):
        if before.text.endswith(",") and article.text == "the" and word.tag in {"JJS", "RBS"}:
            return f"{article.text} {word.text}"
    return None
