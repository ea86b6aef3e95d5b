"""What a reasoning model thinks aloud before it answers, told from the answer."""

import re
from typing import Final

_OPENING: Final = re.compile(r"\s*<(think|thinking)>", re.IGNORECASE)
_CLOSING: Final = re.compile(r"</(think|thinking)>\s*", re.IGNORECASE)


def part_reasoning(text: str) -> tuple[str, str]:
    """Part a text into answer and reasoning.

    Args:
        text: as the model wrote it. Reasoning stands at its start within <think> or <thinking>; some chat
            templates write the opening tag themselves, so that only the closing one is there; where only the
            opening one is, the model was cut off while it reasoned.

    Returns:
        The answer, unchanged where there is no reasoning, and the reasoning without its tags, '' where there
        is none.
    """
    opening, closing = _OPENING.match(text), _CLOSING.search(text)
    if opening is None and (closing is None or "<think" in text[: closing.start()].lower()):
        return text, ""
    start = opening.end() if opening else 0
    if closing is None:
        return "", text[start:].strip()
    return text[closing.end() :], text[start : closing.start()].strip()
