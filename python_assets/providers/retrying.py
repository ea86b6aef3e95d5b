"""Asking a server: one call first, then several at a time, each with retries, each logged when it is done.

Belongs here: concurrency, retries and when to give up. Nothing here knows a protocol.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final, NamedTuple, TypeVar

from python_assets.errors import GenerationError, without_credentials
from python_assets.providers.conversation import answer_later
from python_assets.providers.failures import FATAL_AFTER_RETRIES, RETRYABLE, Backoff, ProviderFailure
from python_assets.providers.log import LogWriter, response_line
from python_assets.providers.outcomes import CONTENT_FILTER, outcome_of
from python_assets.providers.provider import RemoteProvider
from python_assets.providers.reasoning import parted
from python_assets.providers.records import Answer, Description, Outcome, Request
from python_assets.providers.transport import shown_url
from python_assets.study.secrets import redacted
from python_assets.warehouse.progress import Progress, Tell

# With so many errors and no answer between them the cause is not one prompt.
FAILURES_IN_A_ROW: Final = 20
DESCRIBE_SECONDS: Final = 10.0
LONG_WAIT_SECONDS: Final = 60.0
_SENT_BACK: Final = ("text", "finish_reason", "context")  # a server may put the key into them

T = TypeVar("T")


class _AnsweredCall(NamedTuple):
    """A call that was answered."""

    requested_at: str
    seconds: float


class Asker:
    """Asks one provider for one generation.

    Attributes:
        outcomes: by response_id, what this run got.
        n_retries: calls beyond the first for one request.
        has_answered: whether an earlier run got an answer.
    """

    def __init__(self, provider: RemoteProvider, writer: LogWriter, progress: Progress, backoff: Backoff) -> None:
        self.provider = provider
        self.writer = writer
        self.progress = progress
        self.outcomes: dict[str, Outcome] = {}
        self.n_retries = 0
        self.has_answered = False
        self._backoff = backoff
        self._n_failures_in_a_row = 0
        self._n_changes_told = 0
        self._told_until = 0.0

    async def describe(self) -> Description:
        """The model that answers, as its server describes it; the provider is open.

        Raises:
            GenerationError: the server does not say, retries included.
        """
        try:
            description = await self._with_retries(self.provider.describe)
            details = redacted(description.model_details, self.provider.secrets)
            return replace(description, model_details=details)
        except ProviderFailure as failure:
            raise self._fatal(failure) from None

    async def describe_once(self) -> Description | None:
        """The model that answers, None where its server cannot say now: no retry, no error."""
        try:
            async with self.provider:
                return await self._within_time(self.provider.describe, DESCRIBE_SECONDS)
        except (ProviderFailure, GenerationError):
            return None

    async def ask_all(self, requests: Sequence[Request], tell: Tell) -> None:
        """Ask the first request alone, then the rest with bounded concurrency; log each at once.

        Args:
            requests: what to ask.
            tell: hears how many are answered.

        Raises:
            GenerationError: no request can succeed, or FAILURES_IN_A_ROW failed; calls in flight are given
                up.
        """
        remaining = iter(requests)
        for request in remaining:
            await self._ask_and_log(request, tell)
            break
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.provider.config.concurrency, len(requests) - 1)):
                    group.create_task(self._work(remaining, tell))
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None

    async def _work(self, remaining: Iterator[Request], tell: Tell) -> None:
        for request in remaining:
            await self._ask_and_log(request, tell)

    async def _ask_and_log(self, request: Request, tell: Tell) -> None:
        outcome = await self._outcome(request)
        self.writer.append([response_line(request, outcome)])
        self.outcomes[request.response_id] = outcome
        tell(len(self.outcomes))
        self._count_failures(outcome)

    def _count_failures(self, outcome: Outcome) -> None:
        self._n_failures_in_a_row = self._n_failures_in_a_row + 1 if outcome.error else 0
        if outcome.error and self._n_failures_in_a_row >= FAILURES_IN_A_ROW:
            kind = outcome.error.partition(":")[0]
            raise self._stopped(f"{FAILURES_IN_A_ROW} requests in a row failed, the last with {outcome.error}", kind)

    async def _outcome(self, request: Request) -> Outcome:
        first_requested_at = _now()
        calls: list[_AnsweredCall] = []

        async def answer(turn: Request) -> Answer:
            answered = await self._with_retries(lambda: self._ask(turn, calls))
            return parted(answered, config.reasoning_tags)

        config = self.provider.config
        try:
            answered = await answer_later(config.extension, request, answer)
        except ProviderFailure as failure:
            if failure.kind in FATAL_AFTER_RETRIES:
                raise self._fatal(failure) from None
            return Outcome(None, error=self._redact(str(failure)), requested_at=first_requested_at)
        latency = sum(call.seconds for call in calls)
        return outcome_of(answered, calls[0].requested_at, latency, config.max_characters)

    async def _ask(self, request: Request, calls: list[_AnsweredCall]) -> Answer:
        requested_at, started = _now(), time.perf_counter()
        try:
            answer = await self.provider.ask(request)
        except ProviderFailure as failure:
            if failure.kind != CONTENT_FILTER:
                raise
            filtered = {CONTENT_FILTER: self._redact(failure.message)}
            answer = Answer(None, finish_reason=CONTENT_FILTER, context=filtered)
        finally:
            self._tell_changes()
        calls.append(_AnsweredCall(requested_at, time.perf_counter() - started))
        echoed = {name: redacted(getattr(answer, name), self.provider.secrets) for name in _SENT_BACK}
        return replace(answer, **echoed)

    def _tell_changes(self) -> None:
        """Say once what the model is asked otherwise than the study says."""
        config = self.provider.config
        for change in self.provider.changes[self._n_changes_told :]:
            self.progress.say(f"{config.generation_id}: model {config.model} {change}")
            self._n_changes_told += 1

    async def _with_retries(self, call: Callable[[], Awaitable[T]]) -> T:
        """Await a call until it succeeds, fails for good, or has been retried often enough."""
        config = self.provider.config
        attempt = 0
        while True:
            try:
                return await self._within_time(call, config.timeout_seconds)
            except ProviderFailure as failure:
                if failure.kind not in RETRYABLE or attempt >= config.max_retries:
                    raise
                await self._wait(self._backoff.seconds(attempt, failure.retry_after), failure)
            attempt += 1
            self.n_retries += 1

    async def _wait(self, seconds: float, failure: ProviderFailure) -> None:
        """Wait before a retry; a wait that looks like standing still is told, by one of the calls that do."""
        now = time.monotonic()
        if seconds >= LONG_WAIT_SECONDS and now >= self._told_until:
            self._told_until = now + seconds
            why = self._redact(str(failure))
            self.progress.say(f"{self.provider.config.generation_id}: waits {seconds:,.0f} s ({why})")
        await self._backoff.sleep(seconds)

    async def _within_time(self, call: Callable[[], Awaitable[T]], longest: float) -> T:
        seconds = min(longest, self.provider.config.timeout_seconds)
        try:
            async with asyncio.timeout(seconds):
                return await call()
        except TimeoutError:
            raise ProviderFailure("timeout", f"no answer within {seconds:g} s") from None

    def _fatal(self, failure: ProviderFailure) -> GenerationError:
        return self._stopped(self._redact(str(failure)), failure.kind)

    def _stopped(self, what: str, kind: str) -> GenerationError:
        config = self.provider.config
        where = f"generation {config.generation_id!r}"
        got = f"{what} (model {config.model!r} at {shown_url(self.provider.url)})"
        kept = f"the response log keeps {len(self.outcomes)} responses of this run; a rerun asks for the rest"
        error = GenerationError(where, got, remedy="; ".join(filter(None, (self.provider.remedy(kind), kept))))
        # a server that answered will do so again; one that never did is to be started
        error.may_pass = kind in RETRYABLE and (self.has_answered or has_answer(self.outcomes))
        return error

    def _redact(self, text: str) -> str:
        return redacted(without_credentials(text), self.provider.secrets)


def has_answer(outcomes: Mapping[str, Outcome]) -> bool:
    """Whether any of the outcomes is an answer."""
    return any(outcome.error is None for outcome in outcomes.values())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
