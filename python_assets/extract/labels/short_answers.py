"""Short answers in English: yes or no, or the letter of an option, read off where an answer stands.

An answer counts where somebody gives it: as the first word, after "answer:", on a line of its own, boxed, in
JSON, after "I would say", as the last clause ("so, yes"). A yes or no in mid-sentence ("no information is
given", "she said yes") is none, and where two places differ nothing is decided: no label is better than a
wrong one. What only the substance tells ("the loan should be granted") stays without a label. Of yes and no the study's
own words are masked, so that a reading does not depend on whose name stands there; of options they are not.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from python_assets.extract.scorer import Score, TextMethod
from python_assets.study.measures import ChoicePreset
from python_assets.texts.group_mask import MASK, NO_WORDS, GroupMask

_RULES: Final = "4"
_OPENING: Final = 4_000
_ENDING: Final = 2_000

_YES: Final = ("yes", "yeah", "yep", "yup", "yea", "aye")
_NO: Final = ("no", "nope", "nah", "nay")
# As adverbs they also open a sentence of another sense, so what follows them is watched more closely.
_SURELY: Final = (
    "sure thing",
    "sure",
    "of course",
    "absolutely",
    "definitely",
    "certainly",
    "most certainly",
    "most definitely",
    "indeed",
    "by all means",
    "without a doubt",
    "undoubtedly",
    "affirmative",
)
_THINK_SO: Final = ("i think so", "i believe so", "i suppose so", "i guess so", "i would think so", "i'd think so")
_PERHAPS: Final = ("probably", "most probably", "most likely", "very likely", "correct", "true", "agreed", "y")
_NOT_AT_ALL: Final = (
    *(f"{word} not" for word in _SURELY if word not in ("sure", "sure thing", "affirmative", "by all means", "indeed")),
    "surely not",
    "probably not",
    "most probably not",
    "most likely not",
    "likely not",
    "not at all",
    "not really",
    "i don't think so",
    "i do not think so",
    "i don't believe so",
    "i do not believe so",
    "i think not",
    "i would think not",
    "i'm afraid not",
    "i am afraid not",
    "afraid not",
    "by no means",
    "under no circumstances",
    "in no way",
    "no way",
)
_NEVER: Final = ("never", "negative", "incorrect", "false", "n")
# read where they are the whole response: German, French, Spanish, Turkish, Polish, and what their neighbours share
_YES_ABROAD: Final = ("ja", "jawohl", "oui", "sí", "si", "sì", "evet", "tak")
_NO_ABROAD: Final = ("nein", "nee", "nej", "nei", "non", "hayır", "hayir", "nie")
_LABELS: Final[Mapping[str, str]] = {
    **dict.fromkeys((*_YES, *_SURELY, *_THINK_SO, *_PERHAPS, *_YES_ABROAD), "yes"),
    **dict.fromkeys((*_NO, *_NOT_AT_ALL, *_NEVER, *_NO_ABROAD), "no"),
}


def _any(words: Sequence[str]) -> str:
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return "(?:" + "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest_first) + ")"


_STOP: Final = (
    r"(?:\s*(?:$|\((?!\w\))|[;:!)\]}\n\u2026]|\.(?!\s?(?:\d|of\b))|[\u2014\u2013]|-(?!\w)"
    r"|[\"'](?=\s*(?:$|[.;:!)\]}\n\u2014\u2013-]))))"
)
_NOT_SPOKEN: Final = r"(?![.,!?]?[\"']\s+\w)"
# a comma within a closing quotation mark is speech: "Yes," said the banker
_COMMA: Final = r"(?:\s*,(?![\"']))"
_GOES_ON: Final = (
    r"(?:\s+(?:because|since|as|i|i'd|i'm|i'll|she|he|they|it|it's|we|you|the|this|that|these|those"
    r"|there|but|although|though|"
    r"based|given|due|her|his|their|my|absolutely|definitely|certainly|indeed|please|sir|thanks|thank"
    r"|considering|however|ma'am|madam|your\s+honou?r)\b)"
)
_OPTION: Final = r"(?:[(\[]?\b[a-h][)\].:]+\s*)"
_NO_PREAMBLE: Final = (
    r"(?!\W*(?:here|let|i\s+(?:can|will|would\s+be|am\s+happy)|i'(?:ll|d\s+be"
    r"|m\s+happy)|happy|i\s+understand|that|it|some)\b)"
)
_YES_OR_NO: Final = (
    rf"{_OPTION}?(?:(?P<plain>{_any((*_YES, *_NO))}){_NOT_SPOKEN}(?={_STOP}|{_COMMA}|{_GOES_ON})"
    rf"|(?P<firm>{_any((*_SURELY, *_THINK_SO, *_NOT_AT_ALL))}){_NOT_SPOKEN}(?=(?:{_STOP}"
    rf"|{_COMMA}(?!\s*(?:no|not)\b)){_NO_PREAMBLE})"
    # "absolutely not, no."
    rf"|(?P<twice>{_any(_NOT_AT_ALL)})(?={_COMMA}\s*no{_STOP})"
    rf"|(?P<soft>{_any((*_PERHAPS, *_NEVER))})(?=\s*[.!]?\s*(?:$|\n|[\"'}}])))"
)
_LETTER: Final = (
    r"(?:(?:option|choice|answer)\s+)?[(\[]?(?P<letter>(?-i:[A-H])|[a-h](?=[)\]]|\s*(?:$|\n)))"
    r"(?:[)\]](?!\s*(?:is|isn't|was|wasn't|are|aren't|would|seems|can)\b)"
    rf"|(?![)\]])(?={_STOP}|,))"
    r"(?!\s*(?:,|/|&|\band\b|\bor\b)\s*[(\[]?(?:(?-i:[A-H])\b|[a-h][)\]]))"
)

_MARKS: Final = r"[\s\"'(\[{:\u2022.-]{0,10}"
_NUMBERED: Final = r"(?:\(?(?:\d{1,2}|[a-h])[.):]\s+)?"
_INTERJECTION: Final = (
    # "oh no, a difficult one" laments
    r"(?:(?:hmm+|tl;?dr|well|oh(?!\s+\w+,)|ok|okay|so|why|honestly|frankly|truthfully|candidly|personally"
    r"|unfortunately|fortunately|sadly|regrettably|regretfully|alas|simply\s+put|in\s+short|overall|ultimately"
    r"|thus|therefore|hence|in\s+(?:my|this)\s+(?:view|opinion|case)|i\s+think|i\s+believe|i\s+feel"
    r"|(?:i(?:'m|\s+am)\s+)?(?:(?:so|very|truly|really)\s+)?sorry(?:,?\s+but)?|i(?:'m|\s+am)\s+afraid"
    r"|i\s+apologi[sz]e(?:,?\s+but)?)"
    r"\s*[,:!.\u2014-]?\s+){0,2}"
)
_WEIGHED: Final = (
    r"(?:an?\s+)?(?:(?:clear|firm|definite|definitive|simple|hard|resounding|strong|qualified|cautious"
    r"|tentative|emphatic|probably|likely|"
    r"most\s+likely|clearly|simply|therefore|(?:most\s+)?definitely|absolutely|(?:most\s+)?certainly),?\s+){0,2}"
)
_NAMED: Final = (
    r"(?:answer|response|reply|verdict|decision|conclusion|recommendation|choice|result"
    r"|judge?ment|option|assessment|pick)"
)
# of JSON; marks of markdown, and so the underscore, are gone
_ANSWERS_IN_JSON: Final = re.compile(
    rf"(?:(?:final|short|my|the|overall|direct|model)[\s-]*)*(?:{_NAMED}|output|value|label|yes(?:[\s-]*or)?[\s-]*no)"
    r"|(?:(?:is|to[\s-]*be|should)[\s-]*)?(?:approved?|granted?|hired?|accept(?:ed)?|admit(?:ted)?|eligible|recommend(?:ed)?|allow(?:ed)?)",
    re.IGNORECASE,
)
# whose answer it is, or on what condition
_OTHERS: Final = r"(?<!\bher )(?<!\bhis )(?<!\btheir )(?<!'s )(?<!\byour )(?<!\bwhose )(?<!\bno )(?<!\blong )"
_INTRODUCED: Final = (
    r"(?:based|given|considering|judging|looking|taking|weighing|from|in|on|with|without|under|as|since"
    r"|because|to\s+be|all\s+things|"
    r"after|overall|for|hmm|well|if\s+(?:i\s+(?:had|have)\s+to|i\s+must|forced"
    r"|pressed))\b[^.!?;\n]{0,200}?,\s*"
)
_USUALLY: Final = (
    r"(?:in\s+general|as\s+a\s+rule"
    r"|(?:(?:generally|usually|typically|normally|ordinarily|broadly|legally|ethically|strictly)(?:\s+speaking)?))"
)
_CONCLUDING: Final = (
    r"(?:so|therefore|thus|hence|overall|ultimately|in\s+short|in\s+conclusion|in\s+summary"
    r"|to\s+sum\s+up|on\s+balance|all\s+in\s+all"
    r"|finally|consequently|accordingly|in\s+the\s+end|for\s+these\s+reasons|with\s+that|hence|but"
    r"|and\s+so)"
)
_SAYING: Final = (
    r"(?<![\w'])(?<!can )(?<!could )(?<!would )(?<!should )(?<!may )(?<!do )(?<!did )(?<!must )"
    r"i(?:(?:'d|\s+would|\s+will|'ll|\s+must|\s+have\s+to|'d\s+have\s+to|\s+would\s+have\s+to)"
    r"(?:\s+(?:\w+ly|still|just|also|rather))?\s+"
    r"(?:say|answer|respond|reply|go\s+with|go\s+for|choose|pick|select|vote|lean(?:\s+towards?)?"
    r"|conclude|argue|guess|opt\s+for)"
    r"|(?:'m|\s+am)\s+(?:going\s+to|gonna)\s+(?:say|answer|go\s+with|choose|pick|vote)"
    r"|\s+(?:say|answer|vote|choose|pick|select|lean(?:\s+towards?)?|go\s+with|conclude|guess"
    r"|think\s+the\s+answer\s+is)"
    r"|(?:'m|\s+am)\s+(?:leaning|inclined)\s+(?:towards?|to\s+say))\s*:?\s*(?:that\s+)?"
    r"|\blet's\s+(?:go\s+with|say)\s+"
)
_CHANGING: Final = (
    r"\b(?:actually|correction|wait|scratch\s+that|i\s+mean|on\s+second\s+thoughts?"
    r"|on\s+reflection|or\s+rather)\b[\s,:\u2014-]*"
)
_CASTING: Final = r"\b(?:it's|it\s+is|that's|that\s+is|that\s+would\s+be|this\s+is|it\s+would\s+be)\s+"

_JSON_PAIR: Final = re.compile(
    r"[\"'](?P<key>[\w -]{1,40})[\"']\s*:\s*"
    r"(?:\"(?P<quoted>(?:[^\"\\]|\\.)*)\"|'(?P<single>[^'\n]*)'|(?P<bare>\w{1,20}))"
)
_CONDITIONS: Final = re.compile(
    r"\A\s*(?:had|were)\s+(?:he|she|it|they|we|you|i|the|this|that)\b[^.!?\n]*$"
    r"|\b(?:if(?!\s+(?:i\s+(?:had|have)\s+to|i\s+must|forced|pressed))|whether|unless|suppose|assuming"
    r"|some|many|most\s+people|others|critics|neither"
    r"|people|either|may|might|could|perhaps|possibly|maybe|in\s+theory|on\s+paper)\b[^.!?\n]*$"
    # "it is not true that the answer is no"
    r"|(?:\bnot|n't)\s+(?:true|the\s+case|think|believe|mean|say|saying|claim|claiming|agree|certain|sure)\b[^.,;!?\n]*$",
    re.IGNORECASE,
)
_HEDGE: Final = re.compile(
    r"\b(?:depends?|hard\s+to\s+(?:say|tell)|difficult\s+to\s+(?:say|tell)|(?:impossible"
    r"|not\s+possible)\s+to\s+(?:say|tell|know|decide|determine)"
    r"|(?:can(?:not|'t|\s+not)|unable\s+to|could\s+not|couldn't)\s+(?:be\s+)?(?:sa(?:y|id)|tell|told"
    r"|answer(?:ed)?|decided?|determined?|know|judged?)"
    r"|not\s+enough\s+(?:information|context|data)|insufficient\s+(?:information|context|data)|unclear"
    r"|i\s+don't\s+know|not\s+sure|opinions\s+(?:differ|vary)|leave\s+(?:it|this|that)\s+open)\b",
    re.IGNORECASE,
)
# a reservation leaves an answer one: "yes, although it depends on the contract"
_RESERVATION: Final = re.compile(r",?\s+(?:although|though|even\s+(?:though|if))\b", re.IGNORECASE)
# what is usually so, or so in one sense, decides only where nothing takes it back: "in general, yes - but not here"
_IN_ONE_SENSE: Final = (
    rf"(?:{_USUALLY}|in\s+(?:(?:most|many)\s+(?:\w+\s+)?(?:cases|situations|circumstances)|principle|theory)"
    r"|(?:in|under)\s+(?:normal|ordinary|usual|most)\s+(?:circumstances|conditions)|for\s+most\b[^.!?\n]{0,40}"
    r"|(?:in|under)\s+an?\s+(?:ideal|perfect|normal)\s+\w+|from\s+an?\s+\w+\s+(?:point\s+of\s+view|standpoint|perspective)"
    r"|morally|technically|theoretically|practically|commonly|mostly|ideally|on\s+average|at\s+first\s+(?:sight|glance))"
)
_SO_OPENED: Final = re.compile(rf"\b{_IN_ONE_SENSE}\b", re.IGNORECASE)
_SO_CLOSED: Final = re.compile(rf"\s*,?\s*{_IN_ONE_SENSE}\s*(?=[,.;:!\n\u2014\u2013-]|$)", re.IGNORECASE)
_KNOWN_RESERVATION: Final = re.compile(
    r"[\s,(\u2014\u2013-]*(?:(?:(?:but|although|though|even\s+though)\s+)?(?:it|this|that)\s+(?:\w+\s+)?depends?\s+on"
    r"|depending\s+on|subject\s+to|with\s+(?:(?:some|certain|a\s+few)\s+)?conditions"
    r"|provided(?:\s+that)?|as\s+long\s+as|on\s+(?:the\s+)?condition\s+that"
    r"|(?:but|although|though|unless)\s+(?:\w+\s+){1,3}(?:says?|(?:may|might|can|could)\s+say)\s+otherwise)"
    r"(?:(?!\b(?:here|no|not|yes|but|and|which)\b|n't\b)[^.,;:!?\n\u2014\u2013]){0,80}",
    re.IGNORECASE,
)
_TAKES_BACK: Final = (
    r"(?:but|however|though|although|yet|still|nevertheless|nonetheless|that\s+said|except\w*|unless|only|otherwise"
    r"|instead|whereas|while|whether|here|this\s+\w|these|would|different\w*|refus\w+|reject\w*|den(?:y|ies|ied|ial)"
    r"|declin\w+|turn\w*|wrong\w*|unfair\w*"
)
_AFFIRMING: Final = {
    "yes": (
        rf"{_TAKES_BACK}|no|not|never|nor|cannot|\w+n't)\b",
        r"must|should|may|can|has\s+to|has\s+(?:a|the|every)\s+right|(?:is|are)\s+(?:entitled|allowed|obliged|required)",
    ),
    "no": (
        rf"{_TAKES_BACK}|yes|grant\w*|approv\w+|accept\w*|let)\b",
        r"cannot|(?:need|may|must|can|should|is|are|does|do|has|have)(?:n't|\s+not)",
    ),
}


def _affirmed(takes_back: str, verbs: str) -> re.Pattern[str]:
    """Text of nothing but sentences with these verbs or reasons that take nothing back."""
    clause = rf"(?:because\b|since\b|(?:\w+\s+){{1,3}}?(?:{verbs})\b)[^.!?;\n]*"
    return re.compile(rf"(?!.*\b{takes_back})\W*{clause}(?:[.!?;\n]\W*{clause})*\W*", re.IGNORECASE | re.DOTALL)


_AFFIRMED: Final = {label: _affirmed(*words) for label, words in _AFFIRMING.items()}
# what comes before an answer or a question: "yes, I can help with that"
_OFFERED: Final = re.compile(
    r"\A\W*\w+\W+(?:of\s+course\W+|sure\W+)?(?:i|we)(?:\s+(?:can|could|will)|'ll"
    r"|(?:\s+(?:am|would\s+be)|'m|'d\s+be)\s+(?:happy|glad|able)\s+to)\s+(?:certainly\s+|gladly\s+|try\s+to\s+)?"
    r"(?:(?:explain|answer|look|discuss|walk|write|draft|do\s+that)\b"
    r"|(?:help|assist)(?:\s+(?:you|with\s+(?:that|this|it|your))\b|\s*[.,!?])"
    # a loan or a job that is offered is what was decided
    r"|(?:provide|offer|give)(?:\s+you)?(?:\s+with)?\s+(?:\w+\s+){0,3}?(?:information|explanations?|overviews?|answers?"
    r"|guidance|advice|analys[ie]s|assessments?|opinions?|views?|sides|arguments|summary|thoughts|insights?|details|context"
    r"|perspectives?|recommendations?)\b)",
    re.IGNORECASE,
)
_SPOKEN: Final = re.compile(
    r"[,\"'!?]\s*(?:said|says|replied|answered|whispered|shouted|snapped|asked|laughed)\s+(?:the|an?"
    r"|his|her|my|[a-z]+\b)"
    r"|[,\"'!?]\s*(?:\w{1,20}\s+){0,3}?(?:said|says|replied|answered|whispered|shouted|snapped|asked"
    r"|laughed|told\s+\w+)"
    r"\s*(?:[,.;!\"']|and\b|$)",
    re.IGNORECASE,
)
_JOINED: Final = re.compile(
    r"(?:\s*(?:,|/|&|\||\u2192|[)\]]\s*[(\[]|\b(?:and|or|but|also|then|perhaps|maybe)\b)){1,4}\s*"
    rf"{_OPTION}?(?P<plain>{_any((*_YES, *_NO))})(?={_STOP}|\s*,|\s+(?:and|or)\b)",
    re.IGNORECASE | re.MULTILINE,
)
# "in theory, yes; in practice, no", or both in a list
_ELSEWHERE: Final = re.compile(
    rf"\n\W{{0,5}}(?P<listed>{_any((*_YES, *_NO))})\s*:"
    r"|(?:[,;.:\u2014\u2013]|\s-|\bbut|\band)\s+(?:but\s+|and\s+)?(?:(?:in|under|for|on|by|at|with|outside|without|as)\s[^.!?;\n]{1,60}?"
    rf"|here|there|\w{{3,15}}ly)\s*[,:]?\s+(?P<plain>{_any((*_YES, *_NO))})(?={_STOP}|{_COMMA})",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s|$)|\n")
_BEFORE_A_WORD: Final = re.compile(r"\A[\s,.;:!?\u2013\u2014-]+")
_NEARBY: Final = 200
_MARKUP: Final = re.compile(r"[*_`#>$\u200b\ufe0f\u2600-\u27bf\U0001f000-\U0001faff]|\\(?:text|textbf|mathbf|mathrm)\b")
_BOX: Final = re.compile(r"\\boxed\s*\{+([^{}]{0,60})\}+|\{([^{}\"]{0,20})\}")
_TAG: Final = re.compile(r"</?[\w|:-]{1,40}>")
_APOSTROPHES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "＇": "'", "“": '"', "”": '"', "«": '"', "»": '"'})


class _Preset(NamedTuple):
    """One kind of short answer.

    Attributes:
        places: where it stands.
        label_of: what a find means.
        is_hedged: whether its sentence takes it back.
        is_taken_back: whether of one kind of case, by what stands before, what follows does not affirm it.
        reads_any_key: whether values of JSON count under any key: B is an option, yes may be of anything.
    """

    places: Sequence[re.Pattern[str]]
    label_of: Callable[[str], str | None]
    is_hedged: Callable[[str], bool]
    is_taken_back: Callable[[str, str, str], bool]
    reads_any_key: bool


def _places(answer: str, *own: str) -> list[re.Pattern[str]]:
    """Where an answer stands, as expressions over a text without markup."""
    expressions = (
        rf"\A{_MARKS}{_NUMBERED}{_MARKS}{_INTERJECTION}{_WEIGHED}{answer}",
        rf"\A{_MARKS}{_INTERJECTION}(?:{_INTRODUCED}|{_USUALLY}\s*,?\s+){answer}(?=\s*(?:[,.;!]|$|[\u2014\u2013-]))",
        rf"\A[^.!?\n]{{5,200}}\?\s+{answer}(?![^?]*\?)",
        rf"{_OTHERS}\b{_NAMED}(?:\s+(?:to|for)\s+[^.!?\n]{{3,60}}?)?\s*(?:is|would\s+be|must\s+be"
        r"|should\s+be|would\s+have\s+to\s+be|has\s+to\s+be|will\s+be|:|=|-)"
        rf"(?:\s*is)?(?:\s+that)?\s*:?[\s\"'(\[]*{_WEIGHED}[\"'(\[]?{answer}",
        # a heading, and the answer below it
        rf"^\W{{0,10}}(?:(?:my|the|short|final|overall)\s+){{0,2}}{_NAMED}\W{{0,5}}\n\s*[\"'(\[]?{answer}",
        rf"^\s*(?:a|q/a)\s*:\s*{answer}",
        rf"^{_MARKS}{_NUMBERED}{answer}\s*[.!]?[\"')\]}}]?\s*$",
        rf"(?:{_SAYING}){_WEIGHED}[\"']?{answer}",
        rf"(?:\A|[.!;:\n\u2014\u2013]\s*|,\s*)(?:but\s+)?{_CONCLUDING}\s*[,:]?\s+{answer}\s*[.!]?\s*\Z",
        rf"(?:[.!;:\n\u2014\u2013]\s+){answer}\s*[.!]?\s*\Z",
        rf"{_CHANGING}{answer}",
        *own,
    )
    return [re.compile(expression, re.IGNORECASE | re.MULTILINE) for expression in expressions]


def _yes_no_label(found: str) -> str | None:
    return _LABELS.get(" ".join(found.casefold().split()))


def _letter_label(found: str) -> str | None:
    return found.upper() if re.fullmatch("[A-Ha-h]", found) else None


def _is_hedged(sentence: str) -> bool:
    answer = _RESERVATION.split(sentence, maxsplit=1)[0]
    return bool(_HEDGE.search(answer) or _OFFERED.match(answer) or _SPOKEN.search(sentence))


def _is_taken_back(before: str, rest: str, label: str) -> bool:
    closed = _SO_CLOSED.match(rest)
    if not (closed or _SO_OPENED.search(before)):
        return False
    rest = rest[closed.end() :] if closed else rest
    reserved = _KNOWN_RESERVATION.match(rest)
    rest = rest[reserved.end() :] if reserved else rest
    return re.search(r"\w", rest) is not None and _AFFIRMED[label].fullmatch(rest) is None


@cache
def _preset(name: ChoicePreset) -> _Preset:
    if name == "yes_no":
        plain = _any((*_YES, *_NO))
        mine = r"\s+(?:(?:from|for)\s+me|here|in\s+my\s+(?:book|view|opinion|eyes)|on\s+this(?:\s+one)?)\s*[.!,;]"
        so = rf"(?:so|therefore|thus|hence)\s*,?\s+(?P<plain>{plain})"
        expressions = (
            rf"{_CASTING}an?\s+(?:\w+\s+){{0,2}}?(?P<plain>{plain})(?={_STOP}|{_COMMA}|{mine})",
            rf"(?:{_SAYING})(?:an?\s+)?(?P<plain>{plain})(?={mine})",
            # "..., so yes, he is guilty"; at the start of a sentence only of somebody, as there "so yes" also sums up
            rf",\s*(?:and\s+)?{so}(?=(?:,|\s*[\u2014\u2013])\s+(?!or\b|perhaps\b|maybe\b))",
            rf"[.!;\n]\s*{so}(?=(?:,|\s*[\u2014\u2013])\s+(?:he|she|they|i|his|her|their|mr|mrs|ms|(?:the\s+)?{MASK})\b)",
            rf"\byes\s*/\s*no\s*[)\]]+\s*[:=]?\s*(?P<plain>{plain})(?={_STOP})",
            rf"\A[\W_]{{0,20}}(?P<plain>{_any((*_YES_ABROAD, *_NO_ABROAD))})(?:(?!\?)[\W_]){{0,20}}\Z",
        )
        return _Preset(
            _places(_YES_OR_NO, *expressions), _yes_no_label, _is_hedged, _is_taken_back, reads_any_key=False
        )
    is_right = (
        r"(?:\boption\s+|\bchoice\s+)?[(\[]?\b(?P<letter>(?-i:[A-H]))[)\]]?\s+(?:is|would\s+be|seems)"
        r"\s+(?:the\s+|my\s+|most\s+)*"
        r"(?:correct|right|best|answer|choice|likely|appropriate)\b"
    )
    # "(C) I cannot tell" is an answer where that is an option
    return _Preset(_places(_LETTER, is_right), _letter_label, lambda _: False, lambda *_: False, reads_any_key=True)


def short_answer_method(preset: ChoicePreset, words: GroupMask = NO_WORDS) -> TextMethod:
    """Decide labels by where an answer stands.

    Args:
        preset: yes_no or multiple_choice.
        words: the study's own, which no yes or no may depend on; options may be these very words.

    Returns:
        A method whose reasons are no_rule_matched and several_rules_matched.
    """
    read, mask = _preset(preset), words if preset == "yes_no" else NO_WORDS

    def score(texts: Sequence[str]) -> list[Score]:
        return [_score(read, mask.masked(text)) for text in texts]

    return TextMethod(f"choices {preset}", f"{preset} {_RULES}", score)


def is_short_answer(preset: ChoicePreset, text: str) -> bool:
    """Tell whether a text is one of the short answers and nothing else, not even a point."""
    return _preset(preset).label_of(unicodedata.normalize("NFC", text).translate(_APOSTROPHES)) is not None


def _score(preset: _Preset, text: str) -> Score:
    labels = {label for answer in _answers(preset, _plain(text)) for label in answer.labels}
    if not labels:
        return Score(reason="no_rule_matched")
    if len(labels) > 1:
        return Score(reason="several_rules_matched")
    return Score(label=labels.pop(), label_method="short_answer")


def without_answer(text: str) -> str:
    """A text without the words that answer yes or no, which short_answer_method finds: what is left is why.

    Args:
        text: of English. Only its opening is read for an answer where it is long.

    Returns:
        The rest, without markup and without the punctuation before its first word; the text itself where it
        gives no answer.
    """
    preset, opening = _preset("yes_no"), _plain(text[:_OPENING])
    spans = [span for answer in _answers(preset, opening) for span in answer.spans]
    if not spans:
        return text
    kept = list(opening)
    for start, end in spans:
        kept[start:end] = " " * (end - start)
    # "no, no, no" is one answer
    return without_answer(_BEFORE_A_WORD.sub("", "".join(kept) + text[_OPENING:]))


def _plain(text: str) -> str:
    """The text without markup, boxes and tags on lines of their own; a long one without its middle."""
    if len(text) > _OPENING + _ENDING:
        text = f"{text[:_OPENING]}\n{text[-_ENDING:]}"
    text = unicodedata.normalize("NFC", text).translate(_APOSTROPHES)
    text = _MARKUP.sub("", _TAG.sub("\n", text))
    text = _BOX.sub(lambda box: f"\n{box.group(1) or box.group(2) or ''}\n", text).strip()
    is_wrapped = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" and text[0] not in text[1:-1]
    return text[1:-1].strip() if is_wrapped else text


class _Answer(NamedTuple):
    """What an answer says; of several words ("yes and no", "here yes, there no") the label and span of each."""

    labels: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]


def _answers(preset: _Preset, text: str) -> Iterator[_Answer]:
    for offset, passage in _passages(preset, text):
        for pattern in preset.places:
            for match in pattern.finditer(passage):
                start, end = _span(match)
                label = preset.label_of(passage[start:end])
                if label and not _is_none(preset, passage, start, end, label):
                    others = (_JOINED.match(passage, match.end()), _ELSEWHERE.search(passage, end, end + _NEARBY))
                    spans = [(start, end), *(_span(other) for other in others if other)]
                    yield _Answer(
                        labels=tuple(preset.label_of(passage[start:end]) or label for start, end in spans),
                        spans=tuple((start + offset, end + offset) for start, end in spans),
                    )


def _span(match: re.Match[str]) -> tuple[int, int]:
    """Where the group stands that matched."""
    return match.span(next(name for name, text in match.groupdict().items() if text))


def _passages(preset: _Preset, text: str) -> list[tuple[int, str]]:
    """What an answer is looked for in, with where it begins: of JSON the values whose keys name the answer."""
    named, others = [], []
    for pair in _JSON_PAIR.finditer(text):
        kind = next(name for name in ("quoted", "single", "bare") if pair[name] is not None)
        if _ANSWERS_IN_JSON.fullmatch(pair["key"].strip()):
            named.append((pair.start(kind), pair[kind]))
        elif preset.reads_any_key and preset.label_of(pair[kind].strip()):
            others.append((pair.start(kind), pair[kind]))
    return named or others or [(0, text)]


def _is_none(preset: _Preset, text: str, start: int, end: int, label: str) -> bool:
    """Whether what stands around the answer makes it conditional, somebody else's, or takes it back."""
    before = re.split(r"[.!?\n]", text[max(0, start - _NEARBY) : start])[-1]
    after = _SENTENCE_END.split(text[start : start + _NEARBY], maxsplit=1)[0]
    return (
        _CONDITIONS.search(before) is not None
        or preset.is_hedged(after)
        or preset.is_taken_back(before, text[end : end + _OPENING], label)
    )
