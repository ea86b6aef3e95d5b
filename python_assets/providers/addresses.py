"""One address as a run asks it: how many calls at a time, how fast, and when it is left alone.

Belongs here: what holds for an address whichever generations ask it. Retries of one call are retrying.py, the
addresses that have one model are servers.py. The limiters of the package index (aiolimiter, asynciolimiter) let a
whole minute's calls go at once or count calls alone: none takes back what was estimated too high.
"""

import asyncio
import math
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from python_assets.providers.failures import OUTAGE, Backoff, ProviderFailure
from python_assets.providers.provider import RemoteProvider
from python_assets.providers.transport import shown_url
from python_assets.study.problems import plural

SHARE: Final = 0.95  # of a declared rate: clocks differ, and so do the windows that calls are counted in
# what was not used so lately is made up for, as a busy machine is late: in no 5 seconds more goes than is declared
CATCH_UP_SECONDS: Final = 0.2
FAILURES_IN_A_ROW: Final = 20  # with so many and no answer between them the cause is not one prompt
LEFT_ALONE_SECONDS: Final = 60.0
RECONSIDERED_SECONDS: Final = 1.0  # a call that waits for one of several addresses looks at the others so often
LONGEST_LEFT_ALONE_SECONDS: Final = 600.0
MOST_TOKENS_OUT: Final = 256  # taken for the length of an answer that nothing bounds, until there is one


class Pace:
    """Spaces calls evenly, so that a declared rate is used and not passed, in any 5 seconds as in a minute.

    Services say that they count over shorter times than a minute, too
    (https://help.openai.com/en/articles/5955604): there is no burst at the start.
    """

    def __init__(self, a_minute: float) -> None:
        """Take what is allowed a minute, of calls or of tokens."""
        self._a_second = SHARE * a_minute / 60
        self._free_at = float("-inf")

    def wait(self, now: float) -> float:
        """Seconds until the next call may go."""
        return max(0.0, self._free_at - now)

    def use(self, now: float, amount: float) -> None:
        """Count what goes now."""
        self._free_at = max(self._free_at, now - CATCH_UP_SECONDS) + amount / self._a_second

    def correct(self, amount: float) -> None:
        """Count what was used beyond what had been counted; negative where it was less."""
        self._free_at += amount / self._a_second


class Call(NamedTuple):
    """What is known of a call before it goes; key: of the request, which fails by itself as often as it is asked."""

    key: str
    n_tokens_in: int
    most_tokens_out: int | None


class Visit(NamedTuple):
    """A call in flight; probes: whether it tells if an address that was left alone is back."""

    call: Call
    started_at: float
    n_tokens: float
    probes: bool


class Address:
    """One address, asked by one or several generations in one event loop.

    Calls at a time halve when the address turns one away (429), once for those in flight together, and grow by
    one with every round of answers, up to what is declared: additive increase, multiplicative decrease (Chiu and
    Jain 1989). Where FAILURES_IN_A_ROW different requests failed in a row as if nobody was well there, it is left
    alone, then probed by one call.

    Attributes:
        shown: its name in messages, without secrets.
        most: calls at a time that are declared, the most of its generations.
        least: the fewest that it was asked at a time since it turned calls away.
        n_answered: calls that were answered.
        n_turned_away: calls that were answered by 429.
        n_failed_probes: in a row.
        failure: what it was left alone for, the latest.
    """

    def __init__(self, shown: str, backoff: Backoff) -> None:
        self.shown = shown
        self.most = self.least = 0
        self.n_answered = self.n_turned_away = self.n_failed_probes = 0
        self.failure: ProviderFailure | None = None
        self._backoff = backoff
        self._calls: Pace | None = None
        self._tokens: Pace | None = None
        self._limit = 0.0
        self._narrowed_at = self._paused_until = float("-inf")
        self._left_alone_until: float | None = None
        self._failing: set[str] = set()
        self._n_in_flight = self._n_waiting = 0
        self._n_counted = self._n_estimated_in = self._n_tokens_in = self._n_tokens_out = 0
        self._line = asyncio.Lock()
        self._freed = asyncio.Event()
        self._probe: asyncio.Event | None = None

    def declare(self, concurrency: int, requests_per_minute: int | None, tokens_per_minute: int | None) -> None:
        """Take what one more generation declares; two that declare rates declare the same ones."""
        if concurrency > self.most:
            self.most = self.least = concurrency
            self._limit = float(concurrency)
        if requests_per_minute and self._calls is None:
            self._calls = Pace(requests_per_minute)
        if tokens_per_minute and self._tokens is None:
            self._tokens = Pace(tokens_per_minute)

    @property
    def is_left_alone(self) -> bool:
        """Whether calls go elsewhere, or wait; false where one would be let through to see if it is back."""
        until = self._left_alone_until
        return until is not None and (self._probe is not None or self._backoff.now() < until)

    @property
    def is_open(self) -> bool:
        """Whether calls go there as soon as those before them have."""
        return self._left_alone_until is None and not self.paused_seconds

    @property
    def load(self) -> float:
        """Calls in flight and waiting, as a share of those at a time; none where it is to be probed."""
        probed_next = self._left_alone_until is not None and not self.is_left_alone
        return 0.0 if probed_next else (self._n_in_flight + self._n_waiting) / self._limit

    async def enter(self, call: Call, has_other: Callable[[], bool] | None = None) -> Visit | None:
        """Wait until a call may go; who enters leaves.

        Args:
            call: what goes.
            has_other: whether another address is open; None where there is no other.

        Returns:
            None where it is to go to another address.
        """
        self._n_waiting += 1
        try:
            async with self._line:  # who is first waits for the address, the others for who is first
                while not self._may_go():
                    if has_other and self._is_shut and has_other():
                        return None
                    await self._wait(RECONSIDERED_SECONDS if has_other else math.inf)
                return self._went(call)
        finally:
            self._n_waiting -= 1

    def _may_go(self) -> bool:
        if self.is_left_alone or self._seconds_to_go() > 0:
            return False
        return self._left_alone_until is not None or self._n_in_flight < int(self._limit)

    def _seconds_to_go(self) -> float:
        now = self._backoff.now()
        return max(0.0, self._paused_until - now, *(pace.wait(now) for pace in (self._calls, self._tokens) if pace))

    @property
    def _is_shut(self) -> bool:
        return self.is_left_alone or self.paused_seconds > 0

    async def _wait(self, longest: float) -> None:
        """Wait for what keeps a call from going, which may be something else by then."""
        if self._probe is not None and self.is_left_alone:
            with suppress(TimeoutError):
                async with asyncio.timeout(longest if longest < math.inf else None):
                    await self._probe.wait()
        elif seconds := self.left_alone_seconds or self._seconds_to_go():
            await self._backoff.sleep(min(seconds, longest) if self._is_shut else seconds)
        else:
            self._freed.clear()
            await self._freed.wait()

    def _went(self, call: Call) -> Visit:
        now, n_tokens = self._backoff.now(), 0.0
        if self._calls:
            self._calls.use(now, 1)
        if self._tokens:
            n_tokens = self._expected_tokens(call)
            self._tokens.use(now, n_tokens)
        probes = self._left_alone_until is not None
        if probes:
            self._probe = asyncio.Event()
        self._n_in_flight += 1
        return Visit(call, now, n_tokens, probes)

    def _expected_tokens(self, call: Call) -> float:
        """As many as answered calls had: by their estimate for the prompt, in the mean for the answer."""
        if not self._n_counted:
            return call.n_tokens_in + float(call.most_tokens_out or MOST_TOKENS_OUT)
        return call.n_tokens_in * self._n_tokens_in / self._n_estimated_in + self._n_tokens_out / self._n_counted

    def leave(self, visit: Visit) -> None:
        """End a call, whatever came of it."""
        self._n_in_flight -= 1
        if visit.probes and self._probe is not None:
            self._probe.set()
            self._probe = None
        self._freed.set()

    def answered(self, visit: Visit, n_tokens_in: int | None = None, n_tokens_out: int | None = None) -> None:
        """Hear that a call was answered, and with how many tokens where that is known."""
        self.n_answered += 1
        self._is_well()
        self._limit = min(float(self.most), self._limit + 1 / self._limit)
        if self._tokens and n_tokens_in is not None and n_tokens_out is not None:
            self._n_counted += 1
            self._n_estimated_in += visit.call.n_tokens_in
            self._n_tokens_in += n_tokens_in
            self._n_tokens_out += n_tokens_out
            self._tokens.correct(n_tokens_in + n_tokens_out - visit.n_tokens)

    def failed(self, visit: Visit, failure: ProviderFailure, has_other: Callable[[], bool] | None = None) -> None:
        """Hear why a call got no answer, and draw from it what holds for the calls of others.

        Args:
            visit: the call.
            failure: why.
            has_other: as for enter; where one is open, an address where nobody listens is left alone at once.
        """
        if failure.retry_after:
            until = self._backoff.now() + self._backoff.seconds(0, failure.retry_after)
            self._paused_until = max(self._paused_until, until)
        if failure.kind not in OUTAGE:
            self._is_well()
            if failure.kind == "http_429":
                self._turned_away(visit)
            return
        self._failing.add(visit.call.key)
        is_gone = failure.kind == "connection" and has_other is not None and has_other()
        if visit.probes:
            self.n_failed_probes += 1
            self.leave_alone(failure)
        elif self._left_alone_until is None and (is_gone or len(self._failing) >= FAILURES_IN_A_ROW):
            self.leave_alone(failure)

    def leave_alone(self, failure: ProviderFailure) -> None:
        """Ask nothing for a while, longer each time that a probe failed; then one call sees if it is back."""
        self.failure = failure
        seconds = min(LONGEST_LEFT_ALONE_SECONDS, LEFT_ALONE_SECONDS * 2.0**self.n_failed_probes)
        self._left_alone_until = self._backoff.now() + seconds

    @property
    def paused_seconds(self) -> float:
        """For how long it asks not to be asked."""
        return max(0.0, self._paused_until - self._backoff.now())

    @property
    def left_alone_seconds(self) -> float:
        """For how long it is left alone."""
        return max(0.0, (self._left_alone_until or float("-inf")) - self._backoff.now())

    def told(self) -> str | None:
        """What of it a user should know at the end of a run, None where there is nothing."""
        clauses = []
        if self.n_turned_away:
            clauses.append(
                f"turned {plural(self.n_turned_away, 'call')} away (429), asked {self.least} at a time at the least"
            )
        if self.failure is not None:
            now = "is left alone still" if self._left_alone_until is not None else "came back"
            # its words may hold a secret of those who asked
            clauses.append(f"was left alone for a while and {now} ({self.failure.kind})")
        return f"{self.shown} {'; '.join(clauses)}" if clauses else None

    def _is_well(self) -> None:
        self._failing.clear()
        self._left_alone_until = None
        self.n_failed_probes = 0

    def _turned_away(self, visit: Visit) -> None:
        self.n_turned_away += 1
        if visit.started_at >= self._narrowed_at:
            self._limit = max(1.0, self._limit / 2)
            self.least = min(self.least, int(self._limit))
            self._narrowed_at = self._backoff.now()


class Addresses:
    """Every address that a run asks, one of each, however many generations ask it."""

    def __init__(self, backoff: Backoff | None = None) -> None:
        """Take what waits; tests give one that does not."""
        self.backoff = backoff or Backoff()
        self._known: dict[tuple[str, str], Address] = {}

    def of(self, provider: RemoteProvider) -> Address:
        """The address of a provider, which has heard what its generation declares.

        Functions of one file are one address: what they share is theirs to know.
        """
        config = provider.config
        name = config.provider.partition(":")[0]
        shown = shown_url(provider.url) if provider.url else config.provider
        address = self._known.setdefault((name, provider.url or ""), Address(shown, self.backoff))
        address.declare(config.concurrency, config.requests_per_minute, config.tokens_per_minute)
        return address
