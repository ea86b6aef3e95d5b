"""Regular expressions that a study file brings: they are tried for a bounded time, then given up.

The package regex reads what Python's re reads, and can be told when to stop.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import regex

from python_assets.errors import PlumblineError
from python_assets.texts.limits import PATTERN_SECONDS


class PatternTimeout(PlumblineError):
    """An expression that did not come to an end; where is what named it, once that is known."""


@lru_cache(maxsize=1_024)
def compiled(pattern: str) -> Any:
    """A compiled expression.

    Raises:
        regex.error: it is none.
    """
    return regex.compile(pattern, regex.VERSION0)


def is_found(pattern: str, text: str) -> bool:
    """Whether an expression is found anywhere in a text.

    Raises:
        PatternTimeout: it was not decided in PATTERN_SECONDS.
        regex.error: it is no regular expression.
    """
    return _tried(pattern, compiled(pattern).search, text)


def is_whole(pattern: str, text: str) -> bool:
    """Whether an expression is the whole of a text; raises as is_found."""
    return _tried(pattern, compiled(pattern).fullmatch, text)


def _tried(pattern: str, match: Callable[..., Any], text: str) -> bool:
    try:
        return match(text, timeout=PATTERN_SECONDS) is not None
    except TimeoutError as error:
        raise PatternTimeout(
            "expression",
            f"{pattern!r}, which takes more than {PATTERN_SECONDS:g} s in a text of {len(text):,} characters",
            "one that comes to an end",
            "write it without repetitions inside repetitions (a+ for (a+)+), or as words",
        ) from error
