"""Generations: plan their requests, take what their logs have, ask for the rest, return every row.

Belongs here: the order of things. Asking with retries is retrying.py, the log is log.py.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from python_assets.providers.addresses import Addresses
from python_assets.providers.configs import make_provider, make_providers
from python_assets.providers.conversation import answer_now
from python_assets.providers.log import LogContent, LogWriter, after, read_log, response_line
from python_assets.providers.missing import Answered, check_prompts, log_description, missing_of, n_calls, tell_known
from python_assets.providers.outcomes import outcome_of, response_of
from python_assets.providers.provider import LocalProvider, Provider, RemoteProvider
from python_assets.providers.reasoning import parted
from python_assets.providers.records import (
    FLAGS,
    STATUSES,
    Answer,
    Description,
    Outcome,
    Prompt,
    Request,
    SystemConfig,
    SystemRun,
)
from python_assets.providers.requests import plan_requests
from python_assets.providers.retrying import Asker
from python_assets.providers.side_by_side import ANSWERS, Asking, ask_side_by_side
from python_assets.providers.spending import UNBOUNDED, Spending
from python_assets.warehouse.progress import SILENT, Progress
from python_assets.warehouse.run_context import ANY_NUMBER, CallAllowance

NO_LOG: Final = LogContent({}, None, [], 0, 0)  # of what answers in this process and keeps none


class Logged(NamedTuple):
    """How a generation is asked, and its own log: one file a generation, whose folders are created."""

    config: SystemConfig
    log_path: Path


def generate(
    prompts: Sequence[Prompt],
    config: SystemConfig,
    log_path: Path,
    progress: Progress = SILENT,
    *,
    addresses: Addresses | None = None,
    allowance: CallAllowance = ANY_NUMBER,
    spending: Spending = UNBOUNDED,
) -> SystemRun:
    """Answer every prompt of one generation, as generate_all does those of several."""
    logged = [Logged(config, log_path)]
    return generate_all(prompts, logged, progress, addresses=addresses, allowance=allowance, spending=spending)[0]


def generate_all(
    prompts: Sequence[Prompt],
    asked: Sequence[Logged],
    progress: Progress = SILENT,
    *,
    addresses: Addresses | None = None,
    allowance: CallAllowance = ANY_NUMBER,
    spending: Spending = UNBOUNDED,
) -> list[SystemRun]:
    """Answer every prompt of every generation, asking only for what its log lacks.

    Each finished response is appended to the log at once. Rows asked alike are asked once. A response that
    failed for a passing reason (time-out, 429, 5xx, a reply that is no JSON) is asked again with back-off, in
    this run and, if it stays an error, in the next.

    Generations of different addresses are asked side by side. Those that share one are asked in order, the next as
    soon as the last request of the one before is being asked: a server that holds one model at a time changes it
    once. What answers in this process comes after them, one generation at a time.

    Args:
        prompts: with distinct prompt_id; those sent to a server have a text.
        asked: the generations, each with a log of its own.
        progress: is told what the logs hold, and of each response that it is there.
        addresses: what is known of those that are asked; tests give some that do not wait.
        allowance: how many calls the run may still ask; retries are not counted.
        spending: what the study may still spend.

    Returns:
        For each generation one response a (prompt, replicate), in order, with counts and the records that could
        not be used.

    Raises:
        BudgetError: what the study may spend is spent, and there is more to ask; all that was in flight is kept.
        ProviderError: no request can succeed (model missing, server unreachable, key refused, many failures
            in a row), the options are wrong, or a log cannot be written. What was answered stays in the logs.
        PlumblineError: the provider is unknown.
        UnconfirmedError: the allowance is too small; nothing was asked.
        ValueError: two prompts have one prompt_id.
    """
    made = [(make_providers(one.config), one) for one in asked]
    runs: dict[int, SystemRun] = {}
    with ExitStack() as open_logs:
        remote: dict[int, Asking] = {}
        known = addresses or Addresses()
        for index, (providers, one) in enumerate(made):
            if remote_providers := [provider for provider in providers if isinstance(provider, RemoteProvider)]:
                content = _logged(providers[0], one.log_path)
                writer = open_logs.enter_context(LogWriter(one.log_path, content))
                remote[index] = Asking(Asker(remote_providers, writer, progress, known, spending), content)
        if remote:
            answered = asyncio.run(ask_side_by_side(prompts, list(remote.values()), progress, allowance))
            for (index, asking), outcomes in zip(remote.items(), answered, strict=True):
                runs[index] = _collect(asking.asker.provider, asking.content, outcomes)
    for index, ((provider, *_), one) in enumerate(made):
        if index not in runs:
            runs[index] = _generate_locally(prompts, provider, one.log_path, progress, allowance, spending)
    return [runs[index] for index in range(len(made))]


def probe(
    prompts: Sequence[Prompt],
    config: SystemConfig,
    log_path: Path,
    *,
    addresses: Addresses | None = None,
    spending: Spending = UNBOUNDED,
) -> None:
    """Ask a server for the first response that the log lacks, so that one that cannot answer is known early.

    Nothing is asked where the log is complete, nor of a provider that answers in this process: whether its
    model is there is seen.

    Args:
        prompts: with distinct prompt_id.
        config: how to answer.
        log_path: the generation's own log, which gets the response.
        addresses: what is known of those that are asked.
        spending: what the study may still spend.

    Raises:
        BudgetError, ProviderError: as generate_all does.
    """
    providers = make_providers(config)
    provider = providers[0]
    if isinstance(provider, LocalProvider) and provider.runs_model:
        provider.describe()
        if reason := provider.unready():
            raise reason
    remote_providers = [one for one in providers if isinstance(one, RemoteProvider)]
    if not remote_providers:
        return
    content = read_log(log_path)
    with LogWriter(log_path, content) as writer:
        asking = Asking(Asker(remote_providers, writer, SILENT, addresses or Addresses(), spending), content)
        asyncio.run(ask_side_by_side(prompts, [asking], SILENT, ANY_NUMBER, most=1))


def requests_to_ask(prompts: Sequence[Prompt], config: SystemConfig, log: LogContent) -> list[Request]:
    """The requests of a generation that its log lacks, as far as that is known; no server is contacted.

    Args:
        prompts: with distinct prompt_id.
        config: how to answer.
        log: the generation's own, as it was read.
    """
    provider = make_provider(config)
    content = log if provider.keeps_log else NO_LOG
    description = _known_description(provider, content) or Description()
    return missing_of(plan_requests(prompts, provider, description), config, content)


def n_calls_to_ask(prompts: Sequence[Prompt], config: SystemConfig, log_path: Path) -> int:
    """How many calls a generation would ask at most, as requests_to_ask knows them."""
    return n_calls(requests_to_ask(prompts, config, read_log(log_path)), config)


def recall(prompts: Sequence[Prompt], config: SystemConfig, log_path: Path) -> SystemRun | None:
    """What the log of a generation holds of its prompts, None where any would have to be asked.

    Nothing is contacted and nothing is written.

    Args:
        prompts: with distinct prompt_id.
        config: how they were answered.
        log_path: the generation's own log.
    """
    started = time.perf_counter()
    provider = make_provider(config)
    content = _logged(provider, log_path)
    description = _known_description(provider, content)
    if description is None:
        return None
    plan = plan_requests(prompts, provider, description)
    if missing_of(plan, config, content):
        return None
    return _collect(provider, content, Answered(plan, description, {}, 0, time.perf_counter() - started))


def _logged(provider: Provider, log_path: Path) -> LogContent:
    return read_log(log_path) if provider.keeps_log else NO_LOG


def _known_description(provider: Provider, content: LogContent) -> Description | None:
    return provider.describe() if isinstance(provider, LocalProvider) else content.description


def _generate_locally(
    prompts: Sequence[Prompt],
    provider: Provider,
    log_path: Path,
    progress: Progress,
    allowance: CallAllowance,
    spending: Spending,
) -> SystemRun:
    started = time.perf_counter()
    if not isinstance(provider, LocalProvider):
        raise TypeError(f"provider {type(provider).__name__} is neither local nor remote")
    content = _logged(provider, log_path)
    description = provider.describe()
    plan = plan_requests(prompts, provider, description)
    missing = missing_of(plan, provider.config, content)
    allowance.take(n_calls(missing, provider.config))
    if provider.runs_model:
        check_prompts(missing, provider)
    with LogWriter(log_path, content) as writer:
        if provider.keeps_log:
            log_description(writer, content, description, missing)
        tell_known(progress, plan, missing, provider)
        tell = progress.start(provider.config.system_id, ANSWERS, len(missing))
        new: dict[str, Outcome] = {}
        for batch in _within_budget(provider.batches(missing), provider.config, spending, new):
            outcomes = _outcomes_now(provider, batch)
            if provider.keeps_log:
                writer.append(map(response_line, batch, outcomes))
            new.update(zip((request.response_id for request in batch), outcomes, strict=True))
            tell(len(new))
    spending.require_all({provider.config.system_id: len(missing) - len(new)})
    return _collect(provider, content, Answered(plan, description, new, 0, time.perf_counter() - started))


def _within_budget(
    batches: Iterable[Sequence[Request]], config: SystemConfig, spending: Spending, answered: dict[str, Outcome]
) -> Iterator[Sequence[Request]]:
    """Batches as they come, each cut where the budget has no room for more at once.

    answered: has the outcomes of a batch before the next is taken.
    """
    if config.system_id not in spending.accounts:
        yield from batches
        return
    for batch in batches:
        begun = 0
        while begun < len(batch):
            reserved = []
            for request in batch[begun:]:
                one = spending.hold_now(request, config)
                if one is None:
                    break
                reserved.append(one)
            if not reserved:
                return
            yield batch[begun : begun + len(reserved)]
            for one in reserved:
                spending.settle(one, answered.get(one.request.response_id))
            begun += len(reserved)


def _outcomes_now(provider: LocalProvider, batch: Sequence[Request]) -> list[Outcome]:
    now = datetime.now(UTC).isoformat(timespec="milliseconds") if provider.answers_now else None
    started = time.perf_counter()
    tags = provider.config.reasoning_tags

    def answer(requests: list[Request]) -> list[Answer]:
        return [parted(one, tags) for one in provider.answers(requests)]

    answers = answer_now(provider.config.extension, batch, answer)
    latency = 0.0 if provider.answers_now else None
    if provider.runs_model:
        latency = time.perf_counter() - started
    outcomes = [outcome_of(answer, now, latency, provider.config.max_characters) for answer in answers]
    # an import does not tell how it was asked
    return [_asked_once(outcome) for outcome in outcomes] if provider.keeps_log else outcomes


def _asked_once(outcome: Outcome) -> Outcome:
    """What answers in this process is not asked again."""
    failed_calls = {outcome.error.partition(":")[0]: 1} if outcome.error else {}
    return replace(outcome, n_retries=0, failed_calls=failed_calls)


def _collect(provider: Provider, content: LogContent, answered: Answered) -> SystemRun:
    new = {key: after(content.outcomes.get(key), outcome) for key, outcome in answered.new.items()}
    outcomes = content.outcomes | new
    rows = [response_of(request, outcomes[request.response_id], provider.config) for request in answered.plan.rows]
    n_by_status = Counter(row.status for row in rows)
    n_by_flag = Counter(flag for row in rows for flag in row.flags)
    return SystemRun(
        responses=rows,
        description=answered.description,
        is_simulated=provider.is_simulated,
        extension=provider.config.extension.identity if provider.config.extension else {},
        n_requested=len(answered.new),
        n_retries=answered.n_retries,
        n_from_log=sum(row.response_id not in answered.new for row in rows),
        n_torn_lines=int(content.n_bytes_whole < content.n_bytes),
        n_by_status={status: n_by_status[status] for status in STATUSES},
        n_by_flag={flag: n_by_flag[flag] for flag in FLAGS},
        seconds=answered.seconds,
        quarantine=[*content.rejected, *answered.plan.rejected],
    )
