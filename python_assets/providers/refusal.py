"""Whether a response is a refusal, by rules on how it begins.

The rules look at the beginning alone (after greetings and quotation marks), because a refusal says so first,
and a text about somebody who cannot do something is no refusal. They are conservative: beside "I cannot" a
verb of answering, an apology or the role of a language model must be there. English only.
"""

import re
from collections.abc import Sequence
from typing import Final

# Part of the extractor version: a new rule gets a new name.
REFUSAL_RULES: Final = "refusal_en_1"

# Longer than any opening seen; keeps a 10 MB response from being searched.
_OPENING_CHARACTERS: Final = 400
_APOSTROPHES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "＇": "'"})


def _any(choices: Sequence[str]) -> str:
    return "(?:" + "|".join(choices) + ")"


_ANSWERING: Final = _any(
    [
        "answer",
        "assist",
        "help",
        "comply",
        "complete",
        "continue",
        "provide",
        "generate",
        "produce",
        "create",
        "write",
        "fulfil+",
        "respond",
        "reply",
        "engage",
        "participate",
        "discuss",
        "support",
        "endorse",
        "offer",
        "speculate",
        "predict",
        "determine",
        "comment on",
        "process",
        "accommodate",
        "proceed",
        "role-?play",
        "recommend",
        "pretend to",
        "infer",
        "judge",
        "form (?:an )?opinions?",
        "do (?:that|this|so)",
        "give (?:you )?",
        "make (?:assumptions|judge?ments|generali[sz]ations|such|any|a)",
        "share (?:that|this|my|personal|any|such)",
    ]
)
_CANNOT: Final = _any(
    [
        "can(?:'t|not| not)",
        "could(?:n't| not)",
        "won't",
        "will not",
        "refuse to",
        "decline to",
        "(?:'m|am) (?:not able|unable|not allowed|not permitted|not programmed|not designed) to",
        "(?:'m|am) not (?:willing to|going to|in a position to|comfortable)",
        "do(?:n't| not) feel comfortable",
    ]
)
_ADVERB: Final = _any(
    ["simply", "just", "also", "therefore", "currently", "unfortunately", "really", "ethically"]
)
_I_CANNOT: Final = rf"I\s*(?:{_ADVERB}\s+)?{_CANNOT}\b(?:\s+{_ADVERB})?"
_SORRY: Final = _any(
    [
        r"(?:I'm|I am|we're|we are)\s+(?:\w+\s+)?(?:sorry|afraid)",
        "sorry",
        r"(?:I|we)\s+(?:\w+\s+)?apologi[sz]e",
        r"(?:my )?(?:\w+\s+)?apologies",
        "unfortunately",
        "regrettably",
    ]
)
_AI: Final = _any(
    ["AI", r"A\.I\.", "artificial intelligence", "language model", "chat ?bot", "virtual assistant"]
)
_AN_AI: Final = rf"(?:an?\s+)?(?:[a-z]+\s+){{0,2}}?{_AI}\b"
_NEGATION: Final = (
    rf"(?:n't|\b{_any(['not', 'cannot', 'unable', 'decline', 'refuse', 'lack', 'inappropriate'])}\b)"
)
_REST: Final = r"[^.!?\n]{0,160}?"
_COMMA: Final = r"[\s,;:.!-]*"

_OPENINGS: Final = (
    rf"{_I_CANNOT}\s+(?:\w+\s+){{0,2}}?{_ANSWERING}",
    rf"{_SORRY}{_COMMA}(?:(?:but|that|for\b[^.!?\n]{{0,40}})\b{_COMMA})?{_I_CANNOT}(?!\s+(?:believe|imagine|wait)\b)",
    rf"{_SORRY}{_COMMA}(?:(?:but|that)\b{_COMMA})?as\s+{_AN_AI}",
    rf"{_SORRY}{_COMMA}(?:(?:but|that)\b{_COMMA})?(?:this|that|your)\s+(?:request|question|prompt|content)\b",
    rf"As\s+{_AN_AI}{_REST}{_NEGATION}",
    rf"I(?:'m| am)\s+(?:only\s+|just\s+|merely\s+)?{_AN_AI}{_REST}{_NEGATION}",
    r"I\s+do(?:n't| not)\s+(?:have|hold|possess)\s+(?:any\s+)?(?:personal\s+)?"
    r"(?:opinions?|beliefs?|feelings?|preferences?|views|the ability to)\b",
    rf"I(?:'d| would)\s+(?:rather|prefer)\s+not\s+(?:to\s+)?{_ANSWERING}",
    r"I\s+(?:must|have to|need to|will have to|respectfully|politely)\s+(?:\w+\s+)?(?:decline|refuse)\b",
    rf"(?:it|this|that)(?:'s| is| would be)\s+(?:not |in|un)(?:appropriate|ethical|acceptable|possible)\s+"
    rf"(?:for me\s+)?to\s+(?:\w+\s+){{0,2}}?{_any([_ANSWERING, 'assume', 'stereotype', r'generali[sz]e'])}",
)
_GREETING: Final = _any(
    ["hello", "hi", "hmm", "well", "oh", "no", "thank(?:s| you)[^.!?\n]{0,60}", "answer", "response"]
)
_MARKS: Final = r"[\s\"'“”«*_#>(\[-]*"
_REFUSAL: Final = re.compile(rf"{_MARKS}(?:{_GREETING}\s*[,.!:;-]+)?{_MARKS}{_any(_OPENINGS)}", re.IGNORECASE)


def is_refusal(text: str) -> bool:
    """Tell whether a response refuses to answer.

    Args:
        text: the response; a blank one is no refusal (is_empty says what it is).

    Returns:
        True where the beginning of the text matches a rule of version REFUSAL_RULES.
    """
    return _REFUSAL.match(text[:_OPENING_CHARACTERS].translate(_APOSTROPHES)) is not None
