"""What calls of models used: calls and tokens, and what a price makes of them.

Belongs here: counting one outcome, and the arithmetic. Which outcomes a log holds is log.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from python_assets.providers.messages import estimated_tokens, tokens_of_text
from python_assets.providers.records import Message, Outcome
from python_assets.study.budget import TokenPrice

PER_MILLION: Final = 1e6


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls and tokens; of those read, n_tokens_cached came from the provider's cache."""

    n_calls: int = 0
    n_tokens_in: int = 0
    n_tokens_cached: int = 0
    n_tokens_out: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        """Both together."""
        return Usage(
            self.n_calls + other.n_calls,
            self.n_tokens_in + other.n_tokens_in,
            self.n_tokens_cached + other.n_tokens_cached,
            self.n_tokens_out + other.n_tokens_out,
        )

    @property
    def n_tokens(self) -> int:
        """Read and written."""
        return self.n_tokens_in + self.n_tokens_out

    def usd(self, price: TokenPrice) -> float:
        """What it costs, in US dollars."""
        cached_price = price.in_ if price.cached is None else price.cached
        n_fresh = self.n_tokens_in - self.n_tokens_cached
        paid = n_fresh * price.in_ + self.n_tokens_cached * cached_price + self.n_tokens_out * price.out
        return paid / PER_MILLION


def usage_of(outcome: Outcome, messages: Sequence[Message]) -> Usage:
    """What a request used, counted by its server; estimated where the server did not count an answer.

    A request that failed is a call without tokens: nobody knows whether it was billed.

    Args:
        outcome: as the log keeps it.
        messages: that were sent.
    """
    n_in, n_out = outcome.n_tokens_in, outcome.n_tokens_out
    is_answer = outcome.error is None
    if n_in is None:
        n_in = estimated_tokens(messages) if is_answer else 0
    if n_out is None:
        n_out = tokens_of_text(outcome.response_text or "") if is_answer else 0
    cached = min(outcome.n_tokens_cached or 0, n_in)
    return Usage(outcome.n_calls or 1, n_in, cached, n_out)
