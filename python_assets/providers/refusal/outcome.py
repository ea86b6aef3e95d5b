"""What a response makes of what it was asked: refuses, or answers; or cannot be read.

A refusal speaks of the request or of the speaker; a text that speaks of the matter alone, a stance, is an answer.
Belongs here: the order of reading. A decision that was asked for comes first, what the linear model says second.
English only.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from python_assets.providers.records import ResponseOutcome
from python_assets.providers.refusal.decision import decided_in_json, refuses_request, rest_of_decision
from python_assets.providers.refusal.linear import WEIGHTS_VERSION, score
from python_assets.providers.refusal.opening import FEWEST_WORDS_READ, json_values, opened
from python_assets.providers.refusal.prompt import asked_by
from python_assets.providers.refusal.tokens import speaks, tokens
from python_assets.providers.refusal.undecided import goes_into_it
from python_assets.texts.group_mask import NO_WORDS, GroupMask

# Part of the scorer version: other weights get a new name, other rules of what is a decision a new number.
OUTCOME_VERSION: Final = f"{WEIGHTS_VERSION}; decisions 2"


def may_refuse(tokens: Sequence[str]) -> bool:
    """Tell whether weights are to be asked: it speaks of the request; one that says no more than I names an option."""
    return speaks(tokens) and tokens[1:-1] != ["i"]


def refuses(tokens: Sequence[str]) -> bool:
    """Tell whether a response refuses by its tokens, by the package's weights."""
    return may_refuse(tokens) and score(tokens) > 0


def read_outcome(
    text: str, prompt: str = "", words: GroupMask = NO_WORDS, *, refuses: Callable[[Sequence[str]], bool] = refuses
) -> ResponseOutcome:
    """Read what a response makes of what it was asked.

    Args:
        text: the response, in English.
        prompt: every message that it answers; '' where it is unknown.
        words: the study's own, which no reading of a refusal may depend on.
        refuses: tells it by tokens.

    Returns:
        unreadable for a text without a letter or digit, and for JSON without a text; refused or answered.

    Raises:
        ProviderError: the package's weights are damaged or of another version.
    """
    read, request = opened(text), words.masked(prompt)
    values = json_values(read)
    if not any(map(str.isalnum, read)) or (values is not None and not values):
        return "unreadable"
    # nothing below sees whose name stands in the text, or in the prompt
    masked, asks = words.masked(read), asked_by(request)
    if values is None:
        if (rest := rest_of_decision(masked, asks)) is not None:
            return "refused" if refuses_request(rest, refuses) else "answered"
        strings: list[str] = []
    else:
        values = _masked(values, words)
        if (decided := decided_in_json(values, asks)) is not None:
            if decided.is_offered:
                return "answered"
            return "refused" if prompt or refuses(tokens(request, masked)) else "unreadable"
        strings = [value for _, value in values if isinstance(value, str) and len(value.split()) < FEWEST_WORDS_READ]
    # of JSON opening_sentences reads no string of fewer words
    if any(refuses(tokens("", short)) for short in strings):
        return "refused"
    is_weighed = asks.is_decision and goes_into_it(masked)
    return "refused" if refuses(tokens(request, masked)) and not is_weighed else "answered"


def _masked(values: Sequence[tuple[str, Any]], words: GroupMask) -> list[tuple[str, Any]]:
    return [(key, words.masked(value) if isinstance(value, str) else value) for key, value in values]


def is_decision(text: str, prompt: str = "", words: GroupMask = NO_WORDS) -> bool:
    """Tell whether a response is a decision that its prompt asks for and nothing else: no refusal in any language.

    Args:
        text: the response; in JSON a value with the decision is enough.
        prompt: what it answers; '' where it is unknown.
        words: the study's own, as of read_outcome.
    """
    read = opened(text)
    masked, asks = words.masked(read), asked_by(words.masked(prompt))
    if (values := json_values(read)) is None:
        rest = rest_of_decision(masked, asks)
        return rest is not None and not any(map(str.isalnum, rest))
    decided = decided_in_json(_masked(values, words), asks)
    return decided is not None and decided.is_offered


def is_refusal(text: str, prompt: str = "", words: GroupMask = NO_WORDS) -> bool:
    """Tell whether a response in English refuses to answer; arguments as of read_outcome."""
    return read_outcome(text, prompt, words) == "refused"
