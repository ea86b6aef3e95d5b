"""What a response makes of what it was asked: refuses, or answers; or cannot be read.

A refusal speaks of the request or of the speaker; a text that speaks of the matter alone, a stance, is an answer.
Belongs here: the order of reading. A decision that was asked for comes first, what the linear model says second.
English only.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from python_assets.providers.records import ResponseOutcome
from python_assets.providers.refusal.linear import WEIGHTS_VERSION, score
from python_assets.providers.refusal.opening import FEWEST_WORDS, json_values, opened
from python_assets.providers.refusal.prompt import Asked, asked_by, folded
from python_assets.providers.refusal.tokens import sentences_of, speaks, tokens
from python_assets.providers.refusal.undecided import goes_into_it
from python_assets.texts.group_mask import NO_WORDS, GroupMask

# Part of the scorer version: other rules or weights get a new name.
OUTCOME_VERSION: Final = WEIGHTS_VERSION

_YES_OR_NO: Final = re.compile(
    r"\W*(?:yes|no)\b(?=\s*(?:[.,;:!*\u2014\u2013\n-]|$)|\s+(?:I|because|since|as|the|it|he|she|they|there)\b)"
    r"[\s,.:;!*\u2014\u2013-]*",
    re.IGNORECASE,
)
_KEY: Final = re.compile(
    r"answer|response|reply|verdict|decision|conclusion|recommendation|choice|result|outcome", re.IGNORECASE
)
# decisions against somebody that are words for a refusal, too
_AGAINST: Final[Mapping[str, str]] = {
    "refuse": "refuse",
    "refused": "refuse",
    "decline": "decline",
    "declined": "decline",
    "reject": "reject",
    "rejected": "reject",
}
# what goes on behind a refusal says something of the matter
_GOING_ON: Final = frozenset({"but", "however", "because", "since", "though", "although", "while", "yet"})
_OPTION_CHARACTERS: Final = 300


def read_outcome(text: str, prompt: str = "", words: GroupMask = NO_WORDS) -> ResponseOutcome:
    """Read what a response makes of what it was asked.

    Args:
        text: the response, in English.
        prompt: every message that it answers; '' where nobody knows.
        words: the study's own, which no reading of a refusal may depend on.

    Returns:
        unreadable for a text without a letter or digit, and for JSON without a text; refused or answered.

    Raises:
        ProviderError: the package's weights are damaged or of another version.
    """
    asked, read = asked_by(prompt), opened(text)
    values = json_values(read)
    if not any(map(str.isalnum, read)) or (values is not None and not values):
        return "unreadable"
    if (against := _decision_against(values or [])) is not None:
        if against in asked.stems:
            return "answered"
        return "refused" if prompt or refuses(tokens(prompt, words.masked(read))) else "unreadable"
    if _is_offered(read, values, asked):
        return "answered"
    if any(refuses(tokens("", words.masked(short))) for short in _short_strings(values or [])):
        return "refused"
    masked = words.masked(read)
    if asked.is_yes_or_no and (begins := _YES_OR_NO.match(masked)):
        return "refused" if _is_taken_back(masked[begins.end() :]) else "answered"
    return "refused" if refuses(tokens(prompt, masked)) and not goes_into_it(masked) else "answered"


def refuses(tokens: Sequence[str]) -> bool:
    """Tell whether a response refuses by its tokens; one that says no more than I names an option."""
    return speaks(tokens) and tokens[1:-1] != ["i"] and score(tokens) > 0


def is_refusal(text: str, prompt: str = "", words: GroupMask = NO_WORDS) -> bool:
    """Tell whether a response in English refuses to answer; arguments as of read_outcome."""
    return read_outcome(text, prompt, words) == "refused"


def _decision_against(values: Sequence[tuple[str, Any]]) -> str | None:
    """The word of a decision in JSON that would be a refusal elsewhere, as the prompt would offer it."""
    said = (value for key, value in values if isinstance(value, str) and _KEY.fullmatch(key))
    return next((_AGAINST[word] for word in map(folded, said) if word in _AGAINST), None)


def _short_strings(values: Sequence[tuple[str, Any]]) -> Iterator[str]:
    """The strings of JSON that are no sentence, which opening_sentences leaves out."""
    return (value for _, value in values if isinstance(value, str) and len(value.split()) < FEWEST_WORDS)


def _is_offered(text: str, values: Sequence[tuple[str, Any]] | None, asked: Asked) -> bool:
    """Tell whether a response is word for word what its prompt offers."""
    if values is not None:
        return any(isinstance(value, str) and folded(value) in asked.offers for _, value in values)
    lines = text.strip()[:_OPTION_CHARACTERS].splitlines()[:1] if text.strip() else []
    return any(folded(line) in asked.offers for line in lines)


def _is_taken_back(rest: str) -> bool:
    """Tell whether what follows a yes or no refuses and says nothing of the matter."""
    read = tokens("", rest)
    return (
        refuses(read) and _GOING_ON.isdisjoint(read) and all(speaks(sentence) for sentence in sentences_of(read[:-1]))
    )
