"""What the speaker of a response says first, sentence by sentence: what a refusal is looked for in.

A refusal says so first, and in the first person. What stands in quotation marks is nobody's refusal to answer.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from python_assets.providers.refusal.lexicon import lexicon

# Longer than three sentences of any refusal seen; keeps a 10 MB response from being searched.
OPENING_CHARACTERS: Final = 3_000
_MOST_JSON_CHARACTERS: Final = 100_000
_STRAIGHT: Final = str.maketrans(dict.fromkeys("’‘ʼ＇", "'") | dict.fromkeys("“”„", '"'))

_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$\n?", re.MULTILINE)
_MARKUP: Final = re.compile(r"[*_#>`]+")
_WRAPPED: Final = re.compile(r"\s*\"([^\"]*)\"?\s*|\s*'((?:[^']|'(?=\w))*)'\s*")
# a quotation that ends a sentence leaves its point behind: what follows it is another sentence
_QUOTED: Final = re.compile(r"(?:\"[^\"]*\"|«[^»]*»|(?<!\w)'(?:[^']|'(?=\w))*')(?=(?P<another>\s+[A-Z])?)")
_POINT: Final = re.compile(r"[.!?].\Z", re.DOTALL)
_SENTENCE: Final = re.compile(r"[^.!?\n]+(?:[.!?]+|\n|$)")
FEWEST_WORDS_READ: Final = 3
_JSON_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')


def opened(text: str) -> str:
    """A response without the fence around it and its quotation marks straight; only its beginning."""
    return _FENCE.sub("", text[:_MOST_JSON_CHARACTERS].translate(_STRAIGHT))


def opening_sentences(text: str) -> list[str]:
    """The sentences that a response begins with.

    Args:
        text: the response, as opened gives it.

    Returns:
        Sentences of its first characters, without markup and quotations, blanks single; of a response that is
        one quotation, what stands in it; of JSON its strings of three words or more.
    """
    if (values := json_values(text)) is not None:
        text = "\n".join(one for _, one in values if isinstance(one, str) and len(one.split()) >= FEWEST_WORDS_READ)
    opening = _MARKUP.sub("", text[:OPENING_CHARACTERS])
    if whole := _WRAPPED.fullmatch(opening):
        opening = whole.group(1) or whole.group(2) or ""
    opening = without_points(opening)
    opening = _QUOTED.sub(_without, opening)
    sentences = (" ".join(match.group().split()) for match in _SENTENCE.finditer(opening))
    return [sentence for sentence in sentences if any(map(str.isalnum, sentence))]


def without_points(text: str) -> str:
    """A text whose titles and initials have no point, which would end a sentence."""
    return lexicon().abbreviations.sub(lambda match: match.group().replace(".", ""), text)


def _without(quotation: re.Match[str]) -> str:
    return " . " if quotation["another"] and _POINT.search(quotation.group()) else " "


def json_values(text: str) -> list[tuple[str, Any]] | None:
    """The texts, numbers and truths of a response that is JSON with their keys, and what follows it without one.

    Of JSON that was cut off, or is none by the rules, its texts in quotation marks.

    Args:
        text: the response, as opened gives it.

    Returns:
        In order, without nulls; None where the response is no JSON.
    """
    start = text.lstrip()
    if not start.startswith(("{", "[")):
        return None
    try:
        value, end = json.JSONDecoder().raw_decode(start)
    except (ValueError, RecursionError):
        return [("", match[1]) for match in _JSON_STRING.finditer(start[:OPENING_CHARACTERS])] or None
    rest = start[end:].strip()
    return [*_values(value), *([("", rest)] if rest else [])]


def _values(value: Any) -> Iterator[tuple[str, Any]]:
    waiting = [("", value)]
    while waiting:
        key, one = waiting.pop()
        if isinstance(one, dict):
            waiting += reversed(one.items())
        elif isinstance(one, list):
            waiting += ((key, inner) for inner in reversed(one))
        elif one is not None:
            yield key, one
