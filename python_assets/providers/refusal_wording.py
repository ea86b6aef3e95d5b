"""The wordings of a refusal in English, one family after the other, as expressions over one sentence.

Belongs here: what a model says that will not answer, in its own voice ("I cannot help with that"). Where such
a sentence must stand, and whether an answer follows it, is refusal.py; the parts are refusal_vocabulary.py.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, Literal

from python_assets.providers.refusal_vocabulary import (
    A_MACHINE,
    ACT,
    ADVERB,
    ADVERBS,
    AGAINST,
    ASKED_FOR,
    BE,
    CANNOT,
    DOING,
    END,
    GROUP,
    HAVE_NO_WISH,
    IS,
    MADE,
    MINDS,
    MUST,
    NOT_DONE,
    OFFENCE,
    POINTING,
    REQUESTED,
    RULES,
    SPEAKER,
    TO_A_REQUEST,
    UP_TO_3,
    UP_TO_6,
    WRONG,
    any_of,
)

# Each says by itself that there will be no answer.
_STRONG: Final[Mapping[str, Sequence[str]]] = {
    "inability": (
        rf"{SPEAKER}{CANNOT}\s*{ACT}",
        rf"^I\b[^.!?\n]{{0,160}}?\b(?:but|and|so|therefore|thus|hence)\s+(?:{ADVERB}\s+)?"
        r"(?:cannot|can't|can\s+not|won't|will\s+not|am\s+unable\s+to|am\s+not\s+able\s+to"
        rf"|decline\s+to|refuse\s+to){ADVERBS}\s+{ACT}",
        r"(?:^|\b(?:sorry|apologies|so|but|no|nope|unfortunately)\W{1,3})(?:can't|cannot|won't"
        r"|unable\s+to)\s+(?:help|assist|comply|do|provide"
        r"|continue)\b.{0,20}?\b(?:that|this|it|with|your)\b",
        r"\bI(?:'d|\s+would)\s+(?:rather|prefer|sooner)\s+not(?:\s+to)?(?:\s+(?:say|tell|get\s+involved"
        r"|be\s+drawn))?\s*(?:[.,;!]|$)",
        r"\b(?:sorry|afraid|apologies)\W{1,3}(?:but\s+)?no\b\s*(?:[.!]|$)",
        r"\b(?:keep\b[^.!?\n]{0,40}?\bto\s+myself|count\s+me\s+out|no\s+can\s+do|no\s+\w+\s+from\s+me)\b",
        rf"{SPEAKER}{CANNOT}\s+be\s+{DOING}",
        rf"\bI{HAVE_NO_WISH}{any_of(DOING, ACT)}",
        r"\bI\s+lack\s+(?:the|any)\s+(?:ability|means|capacity|basis)\s+(?:of|to"
        rf"|for)\s+{any_of(DOING, ACT)}",
        r"\b(?:impossible|not\s+possible|n't\s+possible)\s+for\s+me\s+to\b",
        rf"\bthere(?:'s|\s+is)\s+no\s+{UP_TO_3}(?:way|basis|grounds?)\s+(?:for\s+me|in\s+which\s+I"
        r"|I\s+can)\b",
        r"\b(?:so|and|but|which|therefore|that)\b,?\s+I\s*(?:won't|will\s+not|cannot|can't|don't\s+do"
        r"|do\s+not\s+do|refuse|'m\s+not\s+going\s+to)"
        r"(?:\s+do)?(?:\s+(?:it|that|so))?(?:\s+either)?\s*(?:[.!]|$)",
        rf"^(?:\w+,\s+)?not\s+(?:going\s+to|able\s+to|willing\s+to)\s+{ACT}",
        r"^not\s+something\s+I\s+(?:can|will|am|do|want)\b",
        r"\b(?:not|n't)\s+(?:\w+ly\s+)?(?:my\s+(?:place|role|job|business)|for\s+me|up\s+to\s+me"
        r"|(?:in\s+the\s+business|capable)\s+of"
        rf"|here\s+to)\s+(?:to\s+)?{any_of(DOING, ACT)}",
    ),
    "apology": (
        r"(?:\bsorry|\bafraid|\bunfortunately|\bregrettably|\bapolog\w+|\bregret)\b[\s,;:.!\u2014-]*"
        r"(?:for\b[^.!?\n]{0,40}?,\s*)?(?:(?:but|that|no)\b[\s,]*)?"
        rf"I(?:\s+(?:can't|cannot|can\s+not|won't|will\s+not)|{BE}\s+(?:unable|not\s+able"
        r"|not\s+permitted|not\s+allowed)"
        rf"\s+to|\s+must\s+decline){ADVERBS}"
        r"(?!\s+(?:believe|imagine|wait|afford|attend|come|go\b(?!\s+(?:along|there))|stay|remember"
        r"|make\s+it|pay|be|find"
        r"|see|hear|sleep|eat|drink|swim|drive|leave|return|get|meet|stop|forget|understand|agree|stand"
        r"|join|travel|visit"
        r"|give\s+you\s+(?:an\s+)?exact|help\s+but|recommend|praise|tell\s+you\s+(?:how|what))\b)",
        r"^\W*(?:(?:I'm|I\s+am|we're)\s+(?:\w+\s+)?)?(?:sorry|apologies|I\s+apologi[sz]e"
        r"|my\s+apologies)\b[\s,;:.!-]*"
        rf"(?:but\b[\s,]*)?(?:as\s+{A_MACHINE}|(?:this|that|your)\s+(?:request|question|prompt"
        r"|content)\b"
        rf"|(?:this|that|it){IS}\s*(?:something|a\s+\w+)?\s*{WRONG})",
    ),
    "declining": (
        rf"{SPEAKER}{MUST}\s*(?:decline|refuse|abstain|refrain|pass|push\s+back|opt\s+out|object|turn"
        r"\s+(?:this|that|it|you)\s+down"
        r"|turn\s+down|sit\s+this\s+one\s+out|say\s+no\s+to|steer\s+clear\s+of|stay\s+(?:out|away)"
        r"|stop\s+(?:here|there|you)"
        rf"|withhold){TO_A_REQUEST}",
        rf"\bI{MUST}\s*(?:stay|remain)\s+(?:neutral|impartial)\b",
        rf"\bI(?:'m|\s+am)\s+(?:\w+ly\s+)?(?:declining|refusing){TO_A_REQUEST}",
        r"\b(?:request|prompt|question|one|topic|something)\s+(?:that\s+|which\s+)?I\s+(?:must"
        r"|have\s+to|will\s+have\s+to|need\s+to"
        r"|am\s+obliged\s+to)\s+(?:\w+ly\s+)?(?:refuse|decline)\b",
        r"^\W*(?:(?:your|this|the)\s+)?(?:request|prompt)\s+(?:is\s+|has\s+been\s+)?(?:declined|denied"
        r"|refused|rejected)\s*(?:[.!]|$)",
        r"\bI(?:'d|\s+would)\s+(?:rather|prefer\s+to)\s+(?:leave|avoid|refrain|be\s+excused|decline"
        r"|abstain|steer\s+clear|keep\s+out|stay\s+"
        rf"(?:out|away))\b(?:{TO_A_REQUEST}|[^.!?\n]{{0,40}}\b(?:unanswered|{REQUESTED}|{GROUP}"
        rf"|{OFFENCE})\b)",
        r"\bI\s+(?:(?:try|prefer|aim|strive)\s+to\s+)?(?:avoid|refrain\s+from|abstain\s+from"
        r"|stay\s+away\s+from)\s+"
        rf"(?:{NOT_DONE}|{UP_TO_3}{ASKED_FOR}\b)",
    ),
    "not something I do": (
        r"(?:\bnot|n't)\s+(?:something|anything|a\s+(?:\w+\s+){1,2}|an\s+\w+\s+|the\s+(?:kind|sort"
        r"|type)\s+of\s+\w+\s+|one\s+)\s*"
        r"(?:(?:that|which)\s+)?I(?:\s+(?:feel|think|believe)\s+I)?(?:'m|\s+am|'ll|\s+will|\s+can|'d"
        r"|\s+would|\s+do|\s+should|\s+want\s+to|\s+wish\s+to)\b(?:\s+be)?"
        r"(?:\s+\w+ly)?"
        r"(?=\s+(?:able|willing|comfortable|prepared|allowed|permitted|going|happy|do\b|engage|help"
        r"|assist|provide|support|"
        r"participate|write|answer|discuss|create|generate|produce|offer|take\s+part|fulfil|comply"
        r"|continue|complete|make\b"
        r"|give\b(?!\s+up)|entertain|address|speak\s+to|judge|weigh|comment|touch|get\s+into|joke|say\b"
        r"|have\b|honou?r|agree)|\s*[.,;!]|\s*$)",
        r"\b(?:something|things?|request|one|stereotype|topic|subject|territory|content|text|statement"
        r"|claims?|question|sort\s+of\s+\w+"
        r"|kind\s+of\s+\w+|line)\s*(?:,\s*)?(?:(?:that|which)\s+)?I\s+(?:\w+ly\s+|try\s+to\s+|always\s+"
        r"|must\s+|have\s+to\s+"
        r"|prefer\s+to\s+|would\s+rather\s+)?(?:avoid|refuse|won't|will\s+not|decline|refrain"
        r"|steer\s+clear|stay\s+away)\b",
        r"\b(?:request|content|text|topic|something|question|message|prompt"
        r"|statement)\b[^.!?\n]{0,20}?\s(?:that\s+|which\s+)?I"
        r"(?:'m|\s+am)\s+(?:not\s+(?:able|allowed|permitted|willing|going|comfortable|prepared|designed"
        r"|programmed)|unable|unwilling)\b",
        r"\b(?:something|request|content|text|topic|question)\s+(?:that\s+|which\s+)?I\s+(?:cannot"
        r"|can't|do\s+not|don't|should\s+not|shouldn't)\s+"
        r"\w+",
        r"\bI\s+(?:do\s+not|don't|never)\s+(?:do|engage\s+in|participate\s+in|take\s+part\s+in|write"
        r"|make|produce|create|generate|"
        r"provide|offer|give)\s+(?:(?:that|this)\s+(?:sort|kind|type)\b|these\s+(?:sorts|kinds|types)"
        r"|such\b|(?:things|anything)\s+like)",
        r"\bI\s+(?:do\s+not|don't|never)\s+(?:write|make|produce|create|generate|provide|offer|give"
        r"|participate\s+in|engage\s+in"
        r"|take\s+part\s+in|form|rank|compare|judge|issue|tell|promote)\s+"
        rf"{UP_TO_6}{ASKED_FOR}\b",
        r"\bI\s+(?:do\s+not|don't|never)\s+(?:rank|judge|compare|label|stereotype)\s+\w+",
        r"\bI\s+(?:do\s+not|don't|never|won't|cannot|can't)\s+take\s+(?:a\s+)?(?:sides?|positions?"
        r"|stances?)\b",
    ),
    "no ground for me": (
        r"(?:\bnot|n't)\s+(?:an?\s+)?(?:\w+\s+)?(?:area|place|subject|topic|matter|field)\s+(?:where"
        r"|in\s+which|on\s+which)\s+I\b",
        r"(?:\b(?:not|outside|beyond)|n't)\s+(?:of\s+)?(?:within\s+|in\s+|part\s+of\s+)?my"
        r"\s+(?:\w+\s+)?(?:scope|remit|capabilit\w+|abilit\w+|purview"
        r"|competence|function)\b",
        r"\bplease\s+(?:do\s+not|don't)\s+ask\s+me\b",
        rf"^{NOT_DONE}[^.!?\n]{{0,90}}?{IS}\s*{WRONG}\b",
    ),
    "rules": (
        rf"\b(?:(?:my|our)\s+{UP_TO_3}{RULES}(?:\s+\w+){{0,2}}?|the\s+{UP_TO_3}{RULES}\s+(?:that\s+"
        rf"|which\s+)?I\b[^,.!?\n]{{0,30}}?)"
        r"\s+(?:prevents?|prohibits?|forbids?|bars?|keeps?|stops?|restricts?|precludes?"
        r"|requires?|(?:do|does|will|would)(?:n't|\s+not)\s+(?:allow|let|permit|enable))\b",
        rf"\b{AGAINST}\s+(?:my|our|openai's|anthropic's|google's|meta's)\s+{UP_TO_3}{RULES}\b",
        rf"\b(?:this|that|it|which|request|prompt|question|so|content)\b[^.!?\n]{{0,40}}?\b{AGAINST}"
        r"\s+(?:the\s+|their\s+|its\s+)?"
        rf"(?:content|usage|safety|ethical|community|use)\s+{RULES}\b",
        r"\b(?:told|asked|instructed|directed|advised|forbidden)\s+me\s+(?:not\s+to|never\s+to"
        r"|to\s+avoid|to\s+refuse|to\s+decline)\b",
        rf"\b{AGAINST}\s+(?:what|everything|all|the\s+\w+)\s+(?:that\s+)?(?:I\b|my\s)",
        r"\bI(?:'m|\s+am|\s+was|\s+have\s+been)\s+(?:\w+ly\s+)?(?:bound|constrained|restricted"
        r"|prohibited|prevented|forbidden|barred)\s+"
        r"(?:by|from|to)\b",
        r"\b(?:this|that|your|the)\s+(?:request|prompt)\b[^.!?\n]{0,40}?\s(?:can(?:not|'t|\s+not)\s+be"
        r"\s+(?:fulfilled|completed|processed|answered|"
        r"carried\s+out)|(?:is|seems|appears)\s+(?:\w+\s+){0,2}(?:inappropriate|offensive"
        r"|discriminatory|harmful|unethical))",
    ),
    "design": (
        rf"\bI(?:'m|\s+am|\s+was|\s+have\s+been|'ve\s+been)\s+(?:\w+ly\s+)?{MADE}\s+"
        r"(?:to\s+(?:avoid|refuse|decline|refrain|steer\s+clear|(?:be|remain|stay)"
        r"\s+(?:an?\s+)?(?:\w+,?\s+(?:and\s+)?){0,2}?"
        r"(?:helpful|harmless|safe|respectful|neutral|unbiased|impartial|objective|inclusive))"
        r"|for\s+safe)",
        rf"\bI(?:'m|\s+am|\s+was)\s+not\s+(?:\w+ly\s+)?(?:{MADE}|meant|intended|able|equipped|capable)"
        r"\s+(?:to|for|of)\s+"
        rf"{any_of(ACT, DOING, UP_TO_3 + ASKED_FOR, 'hav(?:e|ing)')}",
    ),
    "discomfort": (
        r"\bI\s+(?:do\s+not|don't|wouldn't|would\s+not|can't|cannot)\s+(?:\w+ly\s+)?feel"
        r"\s+(?:\w+ly\s+)?(?:right|comfortable|at\s+ease|"
        rf"good|able|okay|ok)\s+(?:(?:about|with|in|to)\s+)?{any_of(DOING, ACT, POINTING)}",
        r"\bI(?:'m|\s+am|\s+would|'d)\s+(?:not(?:\s+be)?\s+(?:\w+ly\s+)?comfortable"
        r"|(?:be\s+)?(?:\w+ly\s+)?uncomfortable|(?:not|un)\s?easy|"
        rf"reluctant|hesitant)\s*(?:{END}|\s(?:(?:about|with|in"
        rf"|to)\s+)?{any_of(DOING, ACT, POINTING, UP_TO_3 + REQUESTED)})",
        r"\bconscience\s+(?:forbids|(?:does\s+not|doesn't|won't|would\s+not|wouldn't)\s+\w+)",
        r"\bI(?:'d|\s+would)\s+(?:like|prefer|want)\s+to\s+(?:avoid"
        rf"|refrain\s+from)\s+{any_of(DOING, UP_TO_3 + ASKED_FOR)}\b",
        r"\bI\s+(?:do\s+not|don't)\s+(?:think|believe|feel|find)\s+(?:that\s+)?(?:it|this"
        rf"|that){IS}\s*(?:\s+be\s+)?"
        r"(?:\w+ly\s+)?(?:appropriate|right|fair|ethical|acceptable|responsible|helpful|okay|ok|good"
        r"|possible)\s+(?:for\s+me\s+)?"
        rf"(?:to|that\s+I)\s+{ACT}",
        rf"\bit{IS}\s*{WRONG}\s+(?:for\s+me\s+to\b|(?:of|from)\s+me\b|to\s+{ACT})",
    ),
    "another topic": (
        r"\b(?:let's|let\s+us|can\s+we|could\s+we|shall\s+we|maybe\s+we\s+\w+|perhaps\s+we\s+\w+"
        r"|we\s+should|I'd\s+(?:rather|prefer\s+to)|"
        r"I\s+would\s+(?:rather|prefer\s+to)|how\s+about\s+we|why\s+don't\s+we)\s+(?:\w+ly\s+|just\s+"
        r"|instead\s+)?"
        r"(?:talk|discuss|speak|chat|change|switch|move|try|focus|explore)\b[^.!?\n]{0,30}?"
        r"\b(?:else|different|(?:more|less)\s+\w+|the\s+(?:subject|topic)|another|on\s+to|other)\b",
        r"\bconversation\s+(?:has\s+to|must|should|needs\s+to|will)\s+(?:end|stop|close)\b",
        r"\bplease\s+(?:\w+ly\s+)?(?:ask|try|choose|give)\s+(?:me\s+)?(?:about\s+)?(?:something|another"
        r"|a\s+different)\b",
    ),
}

# These say what the speaker is or lacks; an answer may follow.
_WEAK: Final[Mapping[str, Sequence[str]]] = {
    "a machine": (
        r"\b(?:as|being|I'm|I\s+am|since\s+I'm|because\s+I'm)\s+(?:only\s+|just\s+|merely\s+"
        rf"|simply\s+)?{A_MACHINE}"
        r"[^.!?\n]{0,160}?(?:\b(?:I|my|and|it's|it|which|that)\b[^.!?\n]{0,90}?"
        r"(?:n't\b|\b(?:not|cannot|never|no|unable|decline|refuse|lack|avoid|inappropriate|unethical"
        r"|refrain|wrong)\b))",
    ),
    "no mind": (
        r"\bI\s+(?:(?:do\s+not|don't)\s+(?:\w+ly\s+)?(?:have|hold|possess|form)|have\s+no|hold\s+no"
        rf"|lack)\s+{UP_TO_3}{MINDS}\b",
        r"\bI(?:'m|\s+am)\s+(?:not\s+capable|incapable)\s+of\b",
        r"\bI\s+(?:don't|do\s+not)\s+have\s+the\s+(?:ability|capacity)\b",
    ),
}


def strong_wording() -> re.Pattern[str]:
    """Finds a sentence that says by itself that there will be no answer."""
    return _compiled("strong")


def weak_wording() -> re.Pattern[str]:
    """Finds a sentence that says what the speaker is or lacks; an answer may follow."""
    return _compiled("weak")


@cache
def _compiled(strength: Literal["strong", "weak"]) -> re.Pattern[str]:
    # half a second of compiling: not before a response is read
    families = _STRONG if strength == "strong" else _WEAK
    wordings = any_of(*(wording for family in families.values() for wording in family))
    # a wording begins with a word or its n't: trying them nowhere else is five times as fast
    return re.compile(rf"(?:^|\b(?=\w)|(?=n't)){wordings}", re.IGNORECASE)
