"""One generation: plan its requests, take what the log has, ask for the rest, return every row.

Belongs here: the order of things. Asking concurrently is retrying.py, the log is log.py.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from python_assets.errors import GenerationError
from python_assets.providers.conversation import answer_now
from python_assets.providers.failures import Backoff
from python_assets.providers.function import FunctionProvider
from python_assets.providers.log import LogContent, LogWriter, description_line, read_log, response_line
from python_assets.providers.outcomes import is_settled, outcome_of, response_of
from python_assets.providers.provider import LocalProvider, Provider, RemoteProvider, providers
from python_assets.providers.reasoning import parted
from python_assets.providers.records import (
    FLAGS,
    STATUSES,
    Answer,
    Description,
    GenerationConfig,
    GenerationRun,
    Outcome,
    Prompt,
    Request,
)
from python_assets.providers.requests import RequestPlan, plan_requests
from python_assets.providers.retrying import Asker, has_answer
from python_assets.study.base import REPLAY, SIMULATOR
from python_assets.warehouse.progress import SILENT, Progress, Tell
from python_assets.warehouse.run_context import ANY_NUMBER, CallAllowance

ANSWERS: Final = "answers"


class _Answered(NamedTuple):
    plan: RequestPlan
    description: Description
    new: dict[str, Outcome]
    n_retries: int


def generate(
    prompts: Sequence[Prompt],
    config: GenerationConfig,
    log_path: Path,
    progress: Progress = SILENT,
    *,
    backoff: Backoff | None = None,
    allowance: CallAllowance = ANY_NUMBER,
) -> GenerationRun:
    """Answer every prompt of a generation, asking only for what the log lacks.

    Each finished response is appended to the log at once. Rows asked alike are asked once. A response that
    failed for a passing reason (time-out, 429, 5xx, a reply that is no JSON) is asked again with back-off, in
    this run and, if it stays an error, in the next.

    Args:
        prompts: with distinct prompt_id; those sent to a server have a text.
        config: how to answer.
        log_path: the generation's own log, one file a generation; folders are created.
        progress: is told what the log holds, and of each response that it is there.
        backoff: waits between retries; tests replace it.
        allowance: how many calls the run may still ask; retries are not counted.

    Returns:
        One response a (prompt, replicate), in order, with counts and the records that could not be used.

    Raises:
        GenerationError: no request can succeed (model missing, server unreachable, key refused, many failures
            in a row), the options are wrong, or the log cannot be written. What was answered stays in the
            log.
        PlumblineError: the provider is unknown.
        UnconfirmedError: the allowance is too small; nothing was asked.
        ValueError: two prompts have one prompt_id.
    """
    started = time.perf_counter()
    provider = make_provider(config)
    content = _logged(provider, log_path)
    with LogWriter(log_path, content) as writer:
        if isinstance(provider, RemoteProvider):
            asker = Asker(provider, writer, progress, backoff or Backoff())
            answered = asyncio.run(_ask_for_missing(prompts, asker, content, allowance))
        else:
            answered = _answer_locally(prompts, provider, writer, content, progress, allowance)
    return _collect(provider, content, answered, time.perf_counter() - started)


def probe(
    prompts: Sequence[Prompt], config: GenerationConfig, log_path: Path, *, backoff: Backoff | None = None
) -> None:
    """Ask a server for the first response that the log lacks, so that one that cannot answer is known early.

    Nothing is asked where the log is complete, nor of a provider that answers in this process: whether its
    model is there is seen.

    Args:
        prompts: with distinct prompt_id.
        config: how to answer.
        log_path: the generation's own log, which gets the response.
        backoff: waits between retries; tests replace it.

    Raises:
        GenerationError: as generate does.
    """
    provider = make_provider(config)
    if isinstance(provider, LocalProvider) and provider.runs_model:
        provider.describe()
        if reason := provider.unready():
            raise reason
    if not isinstance(provider, RemoteProvider):
        return
    content = read_log(log_path)
    with LogWriter(log_path, content) as writer:
        asker = Asker(provider, writer, SILENT, backoff or Backoff())
        asyncio.run(_ask_for_missing(prompts, asker, content, ANY_NUMBER, most=1))


def n_calls_to_ask(prompts: Sequence[Prompt], config: GenerationConfig, log_path: Path) -> int:
    """How many calls a generation would ask at most, by what its log lacks; no server is contacted.

    Args:
        prompts: with distinct prompt_id.
        config: how to answer.
        log_path: the generation's own log.
    """
    provider = make_provider(config)
    content = _logged(provider, log_path)
    description = _known_description(provider, content) or Description()
    return _n_calls(_missing(plan_requests(prompts, provider, description), config, content), config)


def recall(prompts: Sequence[Prompt], config: GenerationConfig, log_path: Path) -> GenerationRun | None:
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
    if _missing(plan, config, content):
        return None
    answered = _Answered(plan, description, {}, 0)
    return _collect(provider, content, answered, time.perf_counter() - started)


def _logged(provider: Provider, log_path: Path) -> LogContent:
    return read_log(log_path) if provider.keeps_log else LogContent({}, None, [], 0, 0)


def _known_description(provider: Provider, content: LogContent) -> Description | None:
    return provider.describe() if isinstance(provider, LocalProvider) else content.description


def _n_calls(requests: Sequence[Request], config: GenerationConfig) -> int:
    """Replays and the simulator ask nobody; an extension may ask several times for one response."""
    if config.provider in (REPLAY, SIMULATOR):
        return 0
    return len(requests) * (config.extension.most_calls if config.extension else 1)


def make_provider(config: GenerationConfig) -> Provider:
    """The provider of a generation: the user's own function where it has one, else the registered one.

    Raises:
        PlumblineError: the provider is unknown.
    """
    kind = FunctionProvider if config.function is not None else providers[config.provider]
    return kind(config)


def _answer_locally(
    prompts: Sequence[Prompt],
    provider: Provider,
    writer: LogWriter,
    content: LogContent,
    progress: Progress,
    allowance: CallAllowance,
) -> _Answered:
    if not isinstance(provider, LocalProvider):
        raise TypeError(f"provider {type(provider).__name__} is neither local nor remote")
    description = provider.describe()
    plan = plan_requests(prompts, provider, description)
    missing = _missing(plan, provider.config, content)
    allowance.take(_n_calls(missing, provider.config))
    if provider.runs_model:
        _check_texts(missing, provider.config)
    if provider.keeps_log:
        _log_description(writer, content, description, missing)
    tell = _started(progress, plan, missing, provider)
    new: dict[str, Outcome] = {}
    for batch in provider.batches(missing):
        outcomes = _outcomes_now(provider, batch)
        if provider.keeps_log:
            writer.append(map(response_line, batch, outcomes))
        new.update(zip((request.response_id for request in batch), outcomes, strict=True))
        tell(len(new))
    return _Answered(plan, description, new, 0)


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
    return [outcome_of(answer, now, latency, provider.config.max_characters) for answer in answers]


async def _ask_for_missing(
    prompts: Sequence[Prompt], asker: Asker, content: LogContent, allowance: CallAllowance, most: int | None = None
) -> _Answered:
    provider = asker.provider
    if complete := await _from_log_alone(prompts, asker, content):
        return complete
    asker.has_answered = has_answer(content.outcomes)
    async with provider:
        description = await asker.describe()
        plan = plan_requests(prompts, provider, description)
        missing = _missing(plan, provider.config, content)
        _check_texts(missing, provider.config)
        allowance.take(_n_calls(missing, provider.config))
        _log_description(asker.writer, content, description, missing)
        chosen = missing[:most]
        await asker.ask_all(chosen, _started(asker.progress, plan, chosen, provider))
    return _Answered(plan, description, asker.outcomes, asker.n_retries)


async def _from_log_alone(prompts: Sequence[Prompt], asker: Asker, content: LogContent) -> _Answered | None:
    """A complete log needs no server, unless the server is there and has another model by now."""
    logged = content.description
    if logged is None:
        return None
    plan = plan_requests(prompts, asker.provider, logged)
    if _missing(plan, asker.provider.config, content):
        return None
    now = await asker.describe_once()
    if now is not None and now.model_digest != logged.model_digest:
        return None
    _started(asker.progress, plan, [], asker.provider)
    return _Answered(plan, logged, {}, 0)


def _started(progress: Progress, plan: RequestPlan, missing: Sequence[Request], provider: Provider) -> Tell:
    """Say what the log holds and what is asked; what hears how many of these are answered."""
    name = provider.config.generation_id
    if provider.keeps_log:
        n_known = len({request.response_id for request in plan.rows}) - len(missing)
        progress.say(f"{name}: {n_known:,} answers from the log, {len(missing):,} to ask for")
    return progress.start(name, ANSWERS, len(missing))


def _missing(plan: RequestPlan, config: GenerationConfig, content: LogContent) -> list[Request]:
    distinct: dict[str, Request] = {}
    for request in plan.rows:
        distinct.setdefault(request.response_id, request)
    return [request for key, request in distinct.items() if not _is_kept(key, config, content)]


def _is_kept(response_id: str, config: GenerationConfig, content: LogContent) -> bool:
    outcome = content.outcomes.get(response_id)
    return outcome is not None and is_settled(outcome, config.max_characters)


def _check_texts(missing: Sequence[Request], config: GenerationConfig) -> None:
    without = [request.prompt.prompt_id for request in missing if request.prompt.prompt_text is None]
    if without:
        raise GenerationError(
            f"generation {config.generation_id!r}",
            f"{len(without)} prompts without a text, first {without[0]!r}",
            "a text to send",
            "map the column prompt_text of the import, or use provider replay",
        )


def _log_description(
    writer: LogWriter, content: LogContent, description: Description, missing: Sequence[Request]
) -> None:
    if missing and description != content.description:
        writer.append([description_line(description)])


def _collect(provider: Provider, content: LogContent, answered: _Answered, seconds: float) -> GenerationRun:
    outcomes = content.outcomes | answered.new
    longest, tags = provider.config.max_characters, provider.config.reasoning_tags
    rows = [response_of(request, outcomes[request.response_id], longest, tags) for request in answered.plan.rows]
    n_by_status = Counter(row.status for row in rows)
    n_by_flag = Counter(flag for row in rows for flag in row.flags)
    return GenerationRun(
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
        seconds=seconds,
        quarantine=[*content.rejected, *answered.plan.rejected],
    )
