"""Text on its way to a terminal: what pages, models and files say is shown, not obeyed."""

import re
from typing import Final

# C0 without tab and newline, delete, C1, and what turns the direction of a line around
_OBEYED: Final = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069"
_CONTROL: Final = re.compile(f"[{_OBEYED}\t\n]")
_SHOWN: Final = re.compile(f"[{_OBEYED}]")


def has_control(text: str) -> bool:
    """Tell whether a text holds a character that a terminal obeys, tab and newline among them."""
    return _CONTROL.search(text) is not None


def printable(text: str) -> str:
    r"""A text with what a terminal obeys written out, for example \u001b, as JSON writes it; lines stay."""
    return _SHOWN.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
