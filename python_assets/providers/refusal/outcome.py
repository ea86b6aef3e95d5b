"""What a response makes of what it was asked: refuses, refuses in part, answers; or cannot be read.

Belongs here: putting rules and model together. A refusal is what either finds; each misses what the other knows
(docs/statistics.md). English only.
"""

from typing import Final

from python_assets.providers.records import ResponseOutcome
from python_assets.providers.refusal.linear import WEIGHTS_VERSION, linear_score
from python_assets.providers.refusal.opening import opening_sentences
from python_assets.providers.refusal.rules import refuses_by_rules

# Part of the extractor version: other rules or weights get a new name.
REFUSAL_VERSION: Final = WEIGHTS_VERSION


def read_outcome(text: str) -> ResponseOutcome:
    """Read what a response makes of what it was asked.

    Args:
        text: the response, in English.

    Returns:
        unreadable for a text without a letter or digit.

    Raises:
        ProviderError: the package's weights are damaged or of another version.
    """
    sentences = opening_sentences(text)
    if not sentences:
        return "unreadable"
    score = linear_score(sentences)
    if score.refused > 0 or refuses_by_rules(sentences):
        return "refused"
    return "partly" if score.partly > 0 else "answered"


def is_refusal(text: str) -> bool:
    """Tell whether a response in English refuses to answer."""
    return read_outcome(text) == "refused"
