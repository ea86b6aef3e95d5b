"""What the speaker of a response says first, sentence by sentence: what a refusal is looked for in.

A refusal says so first, and in the first person. What stands in quotation marks, or is said by somebody
("..., said the minister"), is nobody's refusal to answer.
"""

import re
from typing import Final

# Longer than three sentences of any refusal seen; keeps a 10 MB response from being searched.
_OPENING_CHARACTERS: Final = 1_200
_STRAIGHT: Final = str.maketrans(dict.fromkeys("’‘ʼ＇", "'") | dict.fromkeys("“”„", '"'))

_MARKUP: Final = re.compile(r"[*_#>`]+")
_WRAPPED: Final = re.compile(r"\s*\"([^\"]*)\"?\s*|\s*'((?:[^']|'(?=\w))*)'\s*")
# a quotation that ends a sentence leaves its point behind: what follows it is another sentence
_QUOTED: Final = re.compile(r"(?:\"[^\"]*\"|«[^»]*»|(?<!\w)'(?:[^']|'(?=\w))*')(?=(?P<another>\s+[A-Z])?)")
_POINT: Final = re.compile(r"[.!?].\Z", re.DOTALL)
_ABBREVIATION: Final = re.compile(r"\b([A-Z])\.(?=[A-Z]\.)|\b(?:Mr|Mrs|Ms|Dr|St|e\.g|i\.e|vs)\.")
_SENTENCE: Final = re.compile(r"[^.!?\n]+(?:[.!?]+|\n|$)")
# "..., the prime minister said" and '" said a farmer', but not "the text, as you said"
_REPORTED: Final = re.compile(
    r"[,\"'!?]\s*(?:(?!(?:you|I|I've|you've|we)\b)[\w.'-]{1,30}\s+){0,6}?"
    r"(?:said|says|wrote|writes|replied|answered|recalls|recalled|explained|explains|insisted|insists"
    r"|told|added|argued|argues|declared|announced|noted|admitted|admits|held|ruled|sang|sings|cried|whispered"
    r"|shouted|snapped|sighed|joked|remarked|remembers|remembered|protested|laughed|quipped|used\s+to\s+say"
    r"|concluded|complained|warned|promised)\b",
    re.IGNORECASE,
)
# "I can't wait to see it": what people cannot do in their own lives
_OF_LIFE: Final = re.compile(
    r"\bI\s+(?:can't|cannot|can\s+not|couldn't|could\s+not)\s+(?:\w+ly\s+)?(?:wait|imagine|believe|afford|stand|bear"
    r"|remember|forget|sleep|swim|drive|cook|complain|deny|get\s+enough|agree\s+more|thank|help\s+(?:but\b|\w+ing\b)"
    r"|(?:recommend|praise)\b[^.!?]*\benough)\b",
    re.IGNORECASE,
)


def opening_sentences(text: str) -> list[str]:
    """The sentences that a response begins with.

    Args:
        text: the response.

    Returns:
        Sentences of its first characters, without markup and quotations, blanks single; of a response that is
        one quotation, what stands in it.
    """
    opening = _MARKUP.sub("", text[:_OPENING_CHARACTERS].translate(_STRAIGHT))
    if whole := _WRAPPED.fullmatch(opening):
        opening = whole.group(1) or whole.group(2) or ""
    opening = _ABBREVIATION.sub(lambda match: match.group().replace(".", ""), opening)
    opening = _QUOTED.sub(_without, opening)
    sentences = (" ".join(match.group().split()) for match in _SENTENCE.finditer(opening))
    return [sentence for sentence in sentences if any(map(str.isalnum, sentence))]


def _without(quotation: re.Match[str]) -> str:
    return " . " if quotation["another"] and _POINT.search(quotation.group()) else " "


def is_reported(sentence: str) -> bool:
    """Tell whether somebody else says a sentence."""
    return _REPORTED.search(sentence) is not None


def is_of_life(sentence: str) -> bool:
    """Tell whether a sentence says in the first person what a refusal never is about."""
    return _OF_LIFE.search(sentence) is not None
