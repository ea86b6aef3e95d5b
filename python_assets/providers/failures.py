"""Why a call failed, whether asking again can help, and how long to wait before.

Belongs here: the kinds and what follows from each. How a server's reply becomes a kind is transport.py.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal

FailureKind = Literal[
    "timeout",
    "connection",
    "disconnected",
    "http_429",
    "http_5xx",
    "http_4xx",
    "parameter_refused",
    "content_filter",
    "malformed_response",
    "web_page",
    "too_large",
    "unsendable_prompt",
    "function_failed",
    "model_missing",
    "endpoint_missing",
    "unauthorized",
    "quota_exceeded",
    "bad_url",
]

RETRYABLE: Final[frozenset[str]] = frozenset(
    {"timeout", "connection", "disconnected", "http_429", "http_5xx", "malformed_response", "web_page"}
)
# Every other request would fail alike: the generation stops at the first.
FATAL: Final[frozenset[str]] = frozenset(
    {"model_missing", "endpoint_missing", "parameter_refused", "unauthorized", "quota_exceeded", "bad_url"}
)
FORBIDDEN: Final = "mend what the server names: a right of the key or the organisation, or the region"
"""What to do where a reply is 403: the key is refused by 401."""
FATAL_AFTER_RETRIES: Final[frozenset[str]] = FATAL | {"connection", "web_page"}
# the server is not there, or not well: many in a row are of it, not of what it was asked
OUTAGE: Final[frozenset[str]] = frozenset({"timeout", "connection", "disconnected", "http_5xx"})


class ProviderFailure(Exception):
    """One call got no answer.

    retry_after: seconds the server asked to wait. parameter: the field of the request that it refused. status: of the
    reply, None where there was none or its status said nothing. at: the address where it failed, as it is shown; None
    until that is known. code: the server's own of the error, None where it gave none.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        retry_after: float | None = None,
        parameter: str | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.retry_after = retry_after
        self.parameter = parameter
        self.status = status
        self.at: str | None = None
        self.code: str | None = None

    @property
    def counted_as(self) -> str:
        """What failed calls are counted by: the status of the reply, or the kind where there is none."""
        return str(self.status) if self.status else self.kind


def is_retryable(error: str) -> bool:
    """Tell whether a recorded error, `kind: message`, is worth asking again in a later run."""
    return error.partition(":")[0] in RETRYABLE


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait before the next call.

    Attributes:
        first_seconds: wait before the first retry; it doubles with each further one.
        longest_seconds: most that is waited, unless the server asks for more.
        longest_retry_after: most that is waited where the server asks for it.
        sleep: waits; tests give one that does not.
        now: seconds of a clock that only goes forward, which sleep follows.
        jitter: a number from 0 to 1, so that calls in flight do not return together.
    """

    first_seconds: float = 1.0
    longest_seconds: float = 60.0
    longest_retry_after: float = 600.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = random.random

    def seconds(self, attempt: int, retry_after: float | None) -> float:
        """Seconds to wait after the failed attempt (0 the first): Retry-After, or half to whole at random.

        A Retry-After of 0, or a date that has passed by our clock, names no time: calls without a pause would
        use up every retry at once.
        """
        if retry_after is not None and retry_after > 0:
            return min(self.longest_retry_after, retry_after)
        whole = min(self.longest_seconds, self.first_seconds * 2.0 ** min(attempt, 60))
        return whole * (0.5 + 0.5 * self.jitter())
