"""The probabilities of the first token of an answer, as servers tell them and as the log keeps them.

Belongs here: their forms. What they say of options is extract/option_probability.py.
"""

from collections.abc import Iterable
from typing import Any, Final

LEAST_LOGPROB: Final = -1e9  # servers write -9999 or so for never; an integer may be larger than any float
FIRST_TOKEN: Final = "first_token_logprobs"  # the name in context_json


def first_token_logprobs(logprobs: Any) -> dict[str, float] | None:
    """The likeliest first tokens with the logarithms of their probabilities.

    Args:
        logprobs: of one choice, as OpenAI's reference has them: {"content": [{"top_logprobs": [{"token",
            "logprob"}, ...]}, ...]} of a chat, {"top_logprobs": [{token: logprob}, ...]} of a completion.

    Returns:
        By token, likeliest first; of tokens written alike the likelier. None where the server told none in a
        form that can be read.
    """
    if not isinstance(logprobs, dict):
        return None
    content, positions = logprobs.get("content"), logprobs.get("top_logprobs")
    if isinstance(content, list) and content and isinstance(content[0], dict):
        listed = content[0].get("top_logprobs")
        entries = [(one.get("token"), one.get("logprob")) for one in _dicts(listed)]
    elif isinstance(positions, list) and positions and isinstance(positions[0], dict):
        entries = list(positions[0].items())
    else:
        return None
    return likeliest_first(entries) or None


def likeliest_first(entries: Iterable[tuple[Any, Any]]) -> dict[str, float]:
    """Tokens by their log probability; what is no token with a logarithm of a probability is left out."""
    readable = [(token, float(value)) for token, value in entries if _is_logprob(token, value)]
    by_token: dict[str, float] = {}
    for token, value in sorted(readable, key=lambda entry: -entry[1]):
        by_token.setdefault(token, value)
    return by_token


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _is_logprob(token: Any, value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # rounding takes servers a little above 0
    return isinstance(token, str) and is_number and LEAST_LOGPROB < value < 1e-3
