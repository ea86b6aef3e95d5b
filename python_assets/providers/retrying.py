"""Asking for one generation: one call first, then several at a time, each with retries, each logged when it is done.

Belongs here: retries and when to give up. How fast an address is asked is addresses.py, which of several servers.py;
nothing here knows a protocol.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final, NamedTuple, TypeVar

from python_assets.errors import ProviderError, without_credentials
from python_assets.providers.addresses import FAILURES_IN_A_ROW, Addresses, Call, Visit
from python_assets.providers.conversation import answer_later
from python_assets.providers.failures import FATAL, FATAL_AFTER_RETRIES, FORBIDDEN, OUTAGE, RETRYABLE, ProviderFailure
from python_assets.providers.log import LogWriter, response_line
from python_assets.providers.messages import estimated_tokens
from python_assets.providers.outcomes import CONTENT_FILTER, outcome_of
from python_assets.providers.provider import RemoteProvider
from python_assets.providers.reasoning import parted
from python_assets.providers.records import Answer, Description, Outcome, Request
from python_assets.providers.servers import Server, Servers
from python_assets.providers.spending import UNBOUNDED, Spending
from python_assets.study.secrets import redacted
from python_assets.warehouse.progress import SECONDS_BETWEEN_LINES, Progress

DESCRIBE_SECONDS: Final = 10.0
PAGES_IN_A_ROW: Final = 3  # before any answer: some pages ask to wait a moment
TOLD_SECONDS: Final = 5.0  # a wait that looks like standing still
_SENT_BACK: Final = ("text", "finish_reason", "context")  # a server may put the key into them

_T = TypeVar("_T")


class _AnsweredCall(NamedTuple):
    """A call that was answered."""

    requested_at: str
    seconds: float


class Asker:
    """Asks for one generation, at one address or several.

    Attributes:
        config: of the generation.
        provider: of its first address.
        outcomes: by response_id, what this run got.
        n_retries: calls beyond the first for one request.
        has_answered: whether an earlier run got an answer.
        has_begun_all: set once its last request is being asked, or nothing more will be.
    """

    def __init__(
        self,
        providers: Sequence[RemoteProvider],
        writer: LogWriter,
        progress: Progress,
        addresses: Addresses,
        spending: Spending = UNBOUNDED,
    ) -> None:
        self.provider = providers[0]
        self.config = self.provider.config
        self.writer = writer
        self.progress = progress
        self.spending = spending
        self.servers = Servers(providers, addresses)
        self.outcomes: dict[str, Outcome] = {}
        self.n_retries = 0
        self.has_answered = False
        self.has_begun_all = asyncio.Event()
        self._backoff = addresses.backoff
        self._n_to_ask = 0
        self._n_failures_in_a_row = 0
        self._n_pages_in_a_row = 0
        self._changes_told: set[str] = set()
        self._told_until = float("-inf")
        self._secrets: list[str] = []

    async def __aenter__(self) -> "Asker":
        """Open connections to every address; nothing is sent yet."""
        async with AsyncExitStack() as opening:
            for server in self.servers.all:
                await opening.enter_async_context(server.provider)
            self._opened = opening.pop_all()
        self._secrets = [secret for server in self.servers.all for secret in server.provider.secrets]
        return self

    async def __aexit__(self, *error: object) -> None:
        """Close them."""
        await self._opened.aclose()

    async def describe(self) -> Description:
        """The model that answers, as its server describes it; connections are open.

        Of several addresses those that do not say it now are left alone for a while.

        Raises:
            ProviderError: no server says it, retries included, or two addresses have different models.
        """
        absent: dict[Server, ProviderFailure] = {}
        for server in self.servers.all if self.servers.are_several else ():
            try:
                await self._within_time(partial(self._describe, server), DESCRIBE_SECONDS)
            except ProviderFailure as failure:
                if failure.kind not in RETRYABLE:
                    failure.at = server.address.shown
                    raise self._fatal(failure) from None
                absent[server] = failure
        if self.servers.are_several and len(absent) < len(self.servers.all):
            for server, why in absent.items():
                self._leave_alone(server, why)
        else:
            try:
                await self._with_retries(Call("description", 0, None), self._describe, Counter())
            except ProviderFailure as failure:
                raise self._fatal(failure) from None
        return next(server.description for server in self.servers.all if server.description)

    async def _describe(self, server: Server) -> None:
        """Let a server say which model answers; what another address said of it holds for all."""
        description = await server.provider.describe()
        digests = {one.description.model_digest for one in self.servers.all if one.description} | {
            description.model_digest
        }
        if len(digests) > 1:
            raise ProviderError(
                f"system {self.config.system_id!r}",
                f"another {self.config.model!r} at {server.address.shown} (digests {', '.join(map(str, digests))})",
                "one model at all addresses of base_url",
                "install the same one at each, or leave one out",
            )
        server.description = replace(description, model_details=redacted(description.model_details, self._secrets))

    async def describe_once(self) -> Description | None:
        """The model that answers, None where no server can say it now: no retry, no error."""
        for server in self.servers.all:
            try:
                async with server.provider:
                    return await self._within_time(server.provider.describe, DESCRIBE_SECONDS)
            except (ProviderFailure, ProviderError):
                continue
        return None

    async def ask_all(
        self, requests: Sequence[Request], tell: Callable[[], None], after: Iterable[asyncio.Event] = ()
    ) -> None:
        """Ask the first request alone, then the rest with bounded concurrency; log each at once.

        Args:
            requests: what to ask.
            tell: hears of each that is answered.
            after: what is set before the first is asked.

        Raises:
            ProviderError: no request can succeed, FAILURES_IN_A_ROW failed, or no address is there any more; calls
                in flight are given up.
        """
        self._n_to_ask = len(requests)
        for begun in after:
            await begun.wait()
        remaining = iter(requests)
        try:
            for request in remaining:
                if not await self._ask_and_log(request, tell):
                    return
                break
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.config.concurrency, len(requests) - 1)):
                    group.create_task(self._work(remaining, tell))
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        finally:
            self.has_begun_all.set()

    async def _work(self, remaining: Iterator[Request], tell: Callable[[], None]) -> None:
        for request in remaining:
            if not await self._ask_and_log(request, tell):
                break
        self.has_begun_all.set()

    async def _ask_and_log(self, request: Request, tell: Callable[[], None]) -> bool:
        """Whether the budget had room for it."""
        reserved = await self.spending.hold_later(request, self.config)
        if reserved is None:
            return False
        outcome = None
        try:
            outcome = await self._outcome(request)
            self.writer.append([response_line(request, outcome)])
        finally:
            self.spending.settle(reserved, outcome)
        self.outcomes[request.response_id] = outcome
        tell()
        self._count_failures(outcome)
        return True

    def _count_failures(self, outcome: Outcome) -> None:
        kind = (outcome.error or "").partition(":")[0]
        if kind in OUTAGE:
            return  # its address counts these
        self._n_failures_in_a_row = self._n_failures_in_a_row + 1 if kind else 0
        if self._n_failures_in_a_row >= FAILURES_IN_A_ROW:
            raise self._stopped(f"{FAILURES_IN_A_ROW} requests in a row failed, the last with {outcome.error}", kind)

    async def _outcome(self, request: Request) -> Outcome:
        first_requested_at = _now()
        calls: list[_AnsweredCall] = []
        failed_calls: Counter[str] = Counter()
        bound = self.config.decoding.get("max_tokens")

        async def answer(turn: Request) -> Answer:
            call = Call(request.response_id, estimated_tokens(turn.messages), bound)
            answered = await self._with_retries(call, lambda server: self._ask(server, turn, calls), failed_calls)
            return parted(answered, self.config.reasoning_tags)

        try:
            answered = await answer_later(self.config.extension, request, answer)
        except ProviderFailure as failure:
            if failure.kind in FATAL_AFTER_RETRIES:
                raise self._fatal(failure) from None
            return Outcome(
                None,
                error=self._redact(str(failure)),
                requested_at=first_requested_at,
                n_calls=len(calls) + 1,
                n_retries=failed_calls.total() - 1,  # nothing followed the last
                failed_calls=dict(failed_calls),
            )
        latency = sum(call.seconds for call in calls)
        outcome = outcome_of(answered, calls[0].requested_at, latency, self.config.max_characters)
        return replace(outcome, n_calls=len(calls), n_retries=failed_calls.total(), failed_calls=dict(failed_calls))

    async def _ask(self, server: Server, request: Request, calls: list[_AnsweredCall]) -> Answer:
        if server.description is None:
            await self._describe(server)
        requested_at, started = _now(), time.perf_counter()
        try:
            answer = await server.provider.ask(request)
        except ProviderFailure as failure:
            if failure.kind != CONTENT_FILTER:
                raise
            filtered = {CONTENT_FILTER: self._redact(failure.message)}
            answer = Answer(None, finish_reason=CONTENT_FILTER, context=filtered)
        finally:
            self._tell_changes(server)
        calls.append(_AnsweredCall(requested_at, time.perf_counter() - started))
        echoed = {name: redacted(getattr(answer, name), self._secrets) for name in _SENT_BACK}
        return replace(answer, **echoed)

    def _tell_changes(self, server: Server) -> None:
        """Say once what the model is asked otherwise than the study says."""
        for change in server.provider.changes:
            if change not in self._changes_told:
                self._changes_told.add(change)
                self._say(change)

    async def _with_retries(self, call: Call, ask: Callable[[Server], Awaitable[_T]], failed_calls: Counter[str]) -> _T:
        """Await a call until it succeeds, fails for good, or has been retried often enough.

        An address where it failed makes way for another one at once, and only what failed at all of them uses up a
        retry; being turned away does not while others are answered, nor does an address that is left alone by then.

        Each failed call adds one to failed_calls, by status or kind.
        """
        n_failed = n_counted = 0
        tried: set[Server] = set()
        n_answered = self.servers.n_answered
        while True:
            server, visit = await self.servers.enter(call, tried)
            try:
                result = await self._within_time(partial(ask, server), self.config.timeout_seconds)
            except ProviderFailure as caught:
                failure = caught
                failed_calls[failure.counted_as] += 1
            else:
                self._hear_answer(server, visit, result)
                return result
            finally:
                server.address.leave(visit)
            self._hear_failure(server, visit, failure)
            if not self._may_pass(failure):
                raise failure
            tried.add(server)
            if not self.servers.has_open(tried):
                tried.clear()
                is_throttled = failure.kind == "http_429" and self.servers.n_answered > n_answered
                n_answered = self.servers.n_answered
                is_outage = failure.kind in OUTAGE and server.address.is_left_alone
                n_counted += not (is_throttled or is_outage)
                if n_counted > self.config.max_retries:
                    self._wait_for(server, failure)
                    n_counted = 0
                if not failure.retry_after and not server.address.is_left_alone:
                    await self._backoff.sleep(self._backoff.seconds(n_failed, None))
                n_failed += 1
            self.n_retries += 1

    def _may_pass(self, failure: ProviderFailure) -> bool:
        """Whether asking again can help; pages and no answer among them are no outage but what is there."""
        self._n_pages_in_a_row = self._n_pages_in_a_row + 1 if failure.kind == "web_page" else 0
        if self._n_pages_in_a_row >= PAGES_IN_A_ROW and not self.servers.n_answered:
            return False
        return failure.kind in RETRYABLE

    def _hear_answer(self, server: Server, visit: Visit, result: object) -> None:
        if isinstance(result, Answer):
            server.address.answered(visit, result.n_tokens_in, result.n_tokens_out)
        if visit.probes:
            self._say(f"{server.address.shown} is back")

    def _hear_failure(self, server: Server, visit: Visit, failure: ProviderFailure) -> None:
        """Let the address learn from a failure, and tell what comes of it; stop where no address is left."""
        address = server.address
        failure.at = address.shown
        was_left_alone = address.is_left_alone
        address.failed(visit, failure, self.servers.others(server))
        if visit.probes and self.servers.are_gone:
            got = f"{failure}, as before it was left alone; {self._n_to_ask - len(self.outcomes):,} still to ask"
            raise self._stopped(got, failure.kind)
        if address.is_left_alone and not was_left_alone:
            self._tell_left_alone(server, failure)
        seconds, now = address.paused_seconds, self._backoff.now()
        if failure.retry_after and seconds >= TOLD_SECONDS and now >= self._told_until:
            self._told_until = now + max(seconds, SECONDS_BETWEEN_LINES)
            self._say(f"waits {seconds:,.0f} s ({failure})")

    def _wait_for(self, server: Server, failure: ProviderFailure) -> None:
        """Leave an address alone where nobody listens any more; any other failure is final."""
        if failure.kind != "connection" or not self.servers.n_answered:
            raise failure
        if not server.address.is_left_alone:
            self._leave_alone(server, failure)

    def _leave_alone(self, server: Server, failure: ProviderFailure) -> None:
        server.address.leave_alone(failure)
        self._tell_left_alone(server, failure)

    def _tell_left_alone(self, server: Server, failure: ProviderFailure) -> None:
        seconds = server.address.left_alone_seconds
        self._say(f"{server.address.shown} is left alone for {seconds:,.0f} s, then looked at again ({failure})")

    def _say(self, text: str) -> None:
        self.progress.say(f"{self.config.system_id}: {self._redact(text)}")

    async def _within_time(self, call: Callable[[], Awaitable[_T]], longest: float) -> _T:
        seconds = min(longest, self.config.timeout_seconds)
        try:
            async with asyncio.timeout(seconds):
                return await call()
        except TimeoutError:
            raise ProviderFailure("timeout", f"no answer within {seconds:g} s") from None

    def _fatal(self, failure: ProviderFailure) -> ProviderError:
        # what fails for good failed at one address, the rest at all of them
        remedy = FORBIDDEN if failure.status == 403 else None
        return self._stopped(str(failure), failure.kind, failure.at if failure.kind in FATAL else None, remedy)

    def _stopped(self, what: str, kind: str, at: str | None = None, remedy: str | None = None) -> ProviderError:
        where = f"system {self.config.system_id!r}"
        at = at or ", ".join(server.address.shown for server in self.servers.all)
        target = f"model {self.config.model!r} at {at}" if self.config.model else at
        got = f"{self._redact(what)} ({target})"
        kept = f"the response log keeps {len(self.outcomes)} responses of this run; a rerun asks for the rest"
        remedy = remedy or self.provider.remedy(kind)
        error = ProviderError(where, got, remedy="; ".join(filter(None, (remedy, kept))))
        # a server that answered will do so again; one that never did is to be started
        error.may_pass = kind in RETRYABLE and (self.has_answered or has_answer(self.outcomes))
        return error

    def _redact(self, text: str) -> str:
        return redacted(without_credentials(text), self._secrets)


def has_answer(outcomes: Mapping[str, Outcome]) -> bool:
    """Whether any of the outcomes is an answer."""
    return any(outcome.error is None for outcome in outcomes.values())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
