"""What wordings of a refusal are made of: acts of answering, what they are about, who cannot and will not.

Most acts need an object that only a request has: "I cannot answer that question" refuses, "I cannot answer
the door" does not. Every repetition is bounded, so that no text takes longer than its length allows.
"""

from typing import Final


def any_of(*wordings: str) -> str:
    """An expression that finds any of the wordings."""
    return "(?:" + "|".join(wordings) + ")"


def _listed(wordings: str) -> tuple[str, ...]:
    return tuple(wording.strip() for wording in wordings.split(","))


def _words(fewest_characters: int, most: int) -> str:
    """Up to so many words of one clause."""
    return rf"(?:[\w'/-]{{{fewest_characters},30}},?\s+){{0,{most}}}?"


UP_TO_3: Final = _words(1, 3)
UP_TO_6: Final = _words(1, 6)
_WITHIN_CLAUSE: Final = r"[^.!?\n]{0,90}?"
END: Final = (
    r"(?=\s*(?:[.,;:!?)*\u2013\u2014]|$)|\s+(?:-|because|as|since|here|today|further|either"
    r"|but|and|right now|at this)\b)"
)

ADVERB: Final = any_of(
    *(
        r"\w{2,20}ly",
        "just",
        "also",
        "thus",
        "still",
        "here",
        "ever",
        "even",
        "do",
        "then",
        r"in (?:good|all|any|this|such|clear)\s+\w+",
        "under any circumstances",
        r"as\s+an?\s+(?:\w+\s+){0,2}(?:AI|model|assistant)",
        r"(?:and|nor|or)\s+(?:will not|won't|should not|shouldn't|unwilling)",
        "at this time",
    ),
)
ADVERBS: Final = rf"(?:(?:,?\s+{ADVERB},?){{1,2}}|,\s[^,.!?\n]{{2,40}},|)"

# What a refusal says it will not do. An act that says so by itself needs no object.
_ALONE: Final = _listed(
    """
    answer, assist, help, comply, continue, respond, reply, engage, participate, take part, proceed,
    complete, oblige, speculate, comment, weigh in, go there, do so, take sides, play along, go along
    """
)
# Hardly anybody but a model says these of itself, whatever the object.
_OFFICIAL: Final = _listed(
    """
    provide, generate, assist, comply, fulfill?, endorse, condone, engage, participate, promote,
    perpetuate, speculate, weigh in, opine, respond, satisfy, accommodate, facilitate, portray,
    stereotype, discriminate, disparage, demean, insult, mock, ridicule, denigrate, belittle
    """
)
_WITH_OBJECT: Final = _listed(
    """
    produce, create, write, discuss, support, offer, process, role-?play, recommend, pretend, carry out,
    give, make, share, form, state, draft, compose, finish, supply, indulge, entertain, address,
    suggest, handle, agree to, do, express, elaborate, contribute, be part of, use, publish, agree
    with, get into, go into, touch, repeat, follow
    """
)
_JUDGING: Final = _listed(
    """
    judge, rank, compare, choose, pick, decide, guess, assume, characteri[sz]e, evaluate, assess, rate,
    label, single out, blame, predict, draw, favou?r, classify, profile, generali[sz]e
    """
)
# Acts that a text also says of itself where it lacks information: only what they are about tells.
_KNOWING: Final = _listed(
    """
    say, tell, determine, infer, identify, know, conclude
    """
)

POINTING: Final = any_of(
    r"(?:that|this|it|these|those|such|your|any|so|one(?=\W|$))\b(?!\s+(?:again|alone|anymore|any"
    r"\s+(?:longer|more))\b)",
    r"you\b(?!\s+(?:how|what)\b)",
)
_PREPOSITIONS: Final = r"(?:(?:you|with|to|on|in|about|for|of|by|from|further)\s+){0,2}"
REQUESTED: Final = any_of(
    *_listed(
        """
        requests?, prompts?, questions?, quer(?:y|ies), tasks?, instructions?, texts?, passages?,
        paragraphs?, sentences?, stor(?:y|ies), articles?, essays?, poems?, content, responses?, answers?,
        repl(?:y|ies), materials?, assistance, information, advice, opinions?, views?, judge?ments?,
        generali[sz]ations?, comparisons?, rankings?, statements?, assumptions?, conclusions?, claims?,
        jokes?, scenarios?, topics?, subjects?, conversations?, discussions?, language, output,
        completions?, continuations?, role-?plays?, rhetoric, decisions?, choices?, recommendations?,
        preferences?, messages?, descriptions?, sentiments?, guidance, examples?, lists?, slogans?,
        portrayals?, characteri[sz]ations?, thoughts, premises?
        """
    )
)
GROUP: Final = any_of(
    *_listed(
        r"""
        nationalit\w+, rac(?:e|es|ial|ially), genders?, ethnic\w*, religio\w+, communit\w+, minorit\w+,
        (?:im)?migrants?, sex(?:es|ual)?, skin, origins?, peoples, groups?, protected, politic\w+
        """
    )
)
OFFENCE: Final = any_of(
    *_listed(
        r"""
        slurs?, propaganda, insults?, hate\w*, harm\w*, offensive, discriminat\w+, derogatory, demean\w+,
        degrad\w+, denigrat\w+, belittl\w+, insulting, stereotyp\w*, prejudic\w+, biased, racis[tm],
        sexis[tm], toxic, hurtful
        """
    )
)
_PERSONS: Final = any_of(
    *_listed(
        """
        people, persons?, someone, somebody, anyone, individuals?, humans?, countr(?:y|ies), nations?
        """
    )
)
ASKED_FOR: Final = any_of(REQUESTED, GROUP, OFFENCE)

# "I cannot recommend it enough" praises; "I can't help but smile" smiles; "I cannot share your view" answers.
_NO_IDIOM: Final = any_of(
    *(
        r"(?:recommend|give|say|express|offer)\b[^.!?\n]{0,60}\benough\b",
        r"help\s+(?:but\b|\w+ing\b)",
        r"make\s+(?:it|sense|up|out)\b",
        r"do\s+without\b",
        r"give\s+(?:up|in)\b",
        r"answer\s+for\b",
        r"write\s+off\b",
        r"provide\s+for\b",
        r"(?:share|support)\s+(?:your|the|this|that)\s+(?:view|opinion|belief|claim|idea)",
    ),
)

ACT: Final = rf"(?!{_NO_IDIOM})" + any_of(
    *(
        rf"{any_of(*_ALONE)}\b(?:\s+(?:or|and)\s+\w+)?{END}",
        rf"(?:{any_of(*_ALONE, *_WITH_OBJECT)})\b(?:\s+(?:or|and|nor)\s+\w+(?:\s+with)?)?\s+"
        + any_of(rf"{_PREPOSITIONS}{POINTING}", rf"{UP_TO_6}{ASKED_FOR}\b"),
        rf"(?:{any_of(*_JUDGING)})\b\s+"
        + any_of(POINTING, rf"{_WITHIN_CLAUSE}\b{any_of(ASKED_FOR, _PERSONS, 'who', 'whether')}\b"),
        rf"(?:{any_of(*_KNOWING)})\b\s+{_WITHIN_CLAUSE}\b"
        rf"(?:{GROUP}|{OFFENCE}|best|worst|better|superior|inferior|smarter)\b",
        rf"{any_of(*_OFFICIAL)}\b",
        r"(?:answer|continue|help|reply|write)\s+in\s+(?:the|this|that|a|any|such)\b",
        r"(?:comment|help|take\s+part|reply)\s+(?:on|about|with|in|to)\b(?!\s+(?:my|his|her|their)\b)",
        r"(?:take|pick|choose)\s+(?:a\s+)?(?:sides?|stances?|positions?|winners?|favou?rites?)\b",
    ),
)


_STEMS: Final = {"get": "gett", "be": "be"}


def _doing(verb: str) -> str:
    """The -ing form."""
    first, _, rest = verb.partition(" ")
    plain = first.removesuffix("?")
    stem = _STEMS.get(plain, plain if plain.endswith("ee") else plain.removesuffix("e"))
    return " ".join(filter(None, [f"{stem}ing", rest]))


DOING: Final = rf"(?:{any_of(*map(_doing, (*_ALONE, *_OFFICIAL, *_WITH_OBJECT, *_JUDGING)))})\b"

BE: Final = r"(?:'m|\s+am)"
CANNOT: Final = any_of(
    *(
        rf"\s*{ADVERBS},?\s+(?:can't|cannot|can\s+not|won't|will\s+not){ADVERBS}",
        rf"\s+could(?:n't|\s+not){ADVERBS}\s+(?:in\s+good\s+conscience|possibly|ethically|responsibly)",
        r"\s+(?:do\s+not|don't|would\s+not|wouldn't)\s+(?:\w+ly\s+)?(?:want|wish|intend|care|plan|mean|like"
        r"|dare)\s+to",
        r"\s+(?:do\s+not|don't|would\s+not|wouldn't)\s+(?:think|believe|feel)\s+(?:that\s+)?I\s*(?:should"
        r"|can|could|would|ought\s+to|may"
        r"|(?:am|'m)\s+(?:able|allowed|the\s+right\s+\w+)\s+to)",
        r"\s+(?:do\s+not|don't)\s+feel\s+(?:able|free|qualified|entitled)\s+to",
        r"\s+can\s+(?:only\s+(?:refuse|decline)\s+to|neither)",
        rf"{BE}{ADVERBS}\s+(?:unable|unwilling|neither\s+able\s+nor\s+willing|not"
        r"\s+(?:currently\s+)?(?:able|willing|going|allowed|permitted|prepared|"
        r"programmed|designed|trained|built|meant|equipped|authori[sz]ed|intended|here|inclined|qualified"
        r"|in\s+a\s+position))\s+to"
        rf"{ADVERBS}",
        r"'ll\s+(?:not|never)|\s+will\s+never",
        rf"{ADVERBS}\s+(?:shouldn't|should\s+not|must\s+not|mustn't|may\s+not|cannot\s+and\s+will\s+not"
        rf"|can\s+only\s+refuse\s+to){ADVERBS}",
        r"\s+(?:won't|will\s+not)\s+be\s+able\s+to",
        rf"{ADVERBS}\s+(?:refuse|decline|hesitate)\s+to",
        r"(?:'d|\s+would)\s+(?:rather|prefer)\s+(?:not|to\s+not|not\s+to)(?:\s+to)?",
        r"(?:\s+(?:choose|opt|elect|prefer)|(?:'m|\s+am)\s+(?:choosing|opting))\s+(?:not\s+to|to\s+not)",
        rf"{BE}\s+(?:programmed|designed|trained|instructed|built|configured|made|asked|told)"
        r"\s+(?:not\s+to|never\s+to|to\s+not)"
        r"|\s+(?:have\s+been|was)\s+(?:programmed|designed|trained|instructed|built|configured|made"
        r"|created)\s+"
        r"(?:not\s+to|never\s+to|to\s+not)",
    ),
)
HAVE_NO_WISH: Final = (
    r"\s+(?:have\s+no|(?:do\s+not|don't)\s+have\s+(?:any|the|a))\s+"
    r"(?:way|ability|means|capacity|capability|basis|right|authority|intention|desire|wish|plans?"
    r"|reason|interest)\s+(?:of|to|for|in)\s+"
)
# "If I cannot answer" tells of a case, "what I cannot describe" of a thing.
SPEAKER: Final = r"(?<!\bif )(?<!when )(?<!what )(?<!who )(?<!where )(?<!until )\bI"
MUST: Final = any_of(
    r"\s+(?:must|have\s+to|need\s+to|will\s+have\s+to|am\s+going\s+to|shall|will|want\s+to"
    rf"|would\s+like\s+to){ADVERBS}",
    r"(?:'ll|'d)(?:\s+(?:have|need|like)\s+to)?" + ADVERBS,
    r"\s+(?:can|could)\s+only",
    r"(?:'m|\s+am)\s+going\s+to\s+have\s+to",
    rf"{BE}\s+(?:going|obliged|required|forced|afraid\s+I\s+must)(?:\s+to)?{ADVERBS}",
    ADVERBS,
)
TO_A_REQUEST: Final = any_of(
    END,
    rf"\s+(?:to\s+{ACT})",
    rf"\s+(?:to\s+(?:do|answer)|on|from|against|for)\s+(?:so|this|that|such|your|any|{DOING})",
    rf"\s+{UP_TO_3}{REQUESTED}\b",
    r"\s+(?:this|that|it)\s*(?:one\b|[.,;:!?]|$)",
    rf"\s+from\s+{DOING}",
)

RULES: Final = any_of(
    *_listed(
        """
        guidelines?, polic(?:y|ies), principles?, programming, rules, values, training, instructions,
        design, conscience, guardrails, safety, code of (?:conduct|ethics), restrictions, limitations,
        boundaries, standards, constraints, ethics, purpose
        """
    )
)
AGAINST: Final = any_of(
    *_listed(
        r"""
        against, contrary to, (?:in )?conflicts? with, violat\w+, (?:in )?violation of, breach\w*(?: of)?,
        contraven\w+, (?:falls? |goes |is |lies )?(?:outside|beyond)(?: of)?, (?:not|n't)(?: be)? within,
        (?:not|n't)(?: be)? in line with, (?:not|n't)(?: be)? compatible with,
        (?:incompatible|inconsistent|at odds) with
        """
    )
)
MADE: Final = "(?:designed|programmed|trained|built|made|created|configured|instructed|developed)"

_MACHINE: Final = (
    r"(?:AI|A\.I\.|artificial\s+intelligence|(?:large\s+)?language\s+model|chat\s?bot"
    r"|virtual\s+assistant|assistant)"
    r"(?:\s+(?:language\s+)?(?:model|assistant|system|chatbot|program|tool))?"
    r"(?=\s*(?:[,.;:)]|$)|\s+(?:developed|created|made|trained|built|designed|programmed|and|that|who"
    r"|with|without|from|I|it|my"
    r"|it's|model|do|don't|cannot)\b)"
)
A_MACHINE: Final = rf"(?:an?\s+)?(?:[a-z]+,?\s+){{0,4}}?{_MACHINE}"
MINDS: Final = any_of(
    *_listed(
        """
        opinions?, beliefs?, feelings?, preferences, personal preference, views?, thoughts?, emotions?,
        stances?, positions?, judge?ments?, biases, consciousness, experiences?, attitudes?
        """
    )
)
WRONG: Final = (
    r"(?:inappropriate|unethical|wrong|unfair|irresponsible|harmful|disrespectful|improper|unwise"
    r"|problematic"
    r"|(?:not|n't)(?:\s+\w+ly)?(?:\s+be)?(?:\s+\w+ly)?"
    r"\s+(?:appropriate|ethical|acceptable|right|fair|okay|ok|responsible|possible|proper|helpful"
    r"|fitting))"
)
IS: Final = r"(?:'s|\s+is|\s+would\s+be|'d\s+be|\s+seems|\s+feels|\s+is(?=n't)|\s+would(?=n't|\s+not)|)"
NOT_DONE: Final = rf"{DOING}\s+{UP_TO_6}{any_of(ASKED_FOR, _PERSONS, 'this', 'that', 'such')}\b"
