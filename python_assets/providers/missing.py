"""What the log of a generation lacks: which requests, by how many calls, and what is told and logged of it.

Belongs here: what generations that are asked over HTTP and in this process share.
"""

from collections.abc import Sequence
from typing import NamedTuple

from python_assets.errors import ProviderError
from python_assets.providers.log import LogContent, LogWriter, description_line
from python_assets.providers.outcomes import is_settled
from python_assets.providers.provider import Provider
from python_assets.providers.records import Description, Outcome, Request, SystemConfig
from python_assets.providers.requests import RequestPlan
from python_assets.study.base import REPLAY, SIMULATOR
from python_assets.study.problems import plural
from python_assets.warehouse.progress import Progress


class Answered(NamedTuple):
    """What came of a generation: every row that it has, and what this run got."""

    plan: RequestPlan
    description: Description
    new: dict[str, Outcome]
    n_retries: int
    seconds: float


def n_calls(requests: Sequence[Request], config: SystemConfig) -> int:
    """How many calls requests take at most: replays and the simulator ask nobody, an extension several times."""
    if config.provider in (REPLAY, SIMULATOR):
        return 0
    return len(requests) * most_calls(config)


def most_calls(config: SystemConfig) -> int:
    """How many calls one request takes at most."""
    return config.extension.most_calls if config.extension else 1


def tell_known(progress: Progress, plan: RequestPlan, missing: Sequence[Request], provider: Provider) -> None:
    """Say what the log holds and what is asked."""
    if provider.keeps_log:
        n_known = len({request.response_id for request in plan.rows}) - len(missing)
        name = provider.config.system_id
        progress.say(f"{name}: {plural(n_known, 'answer')} from the log, {len(missing):,} to ask for")


def missing_of(plan: RequestPlan, config: SystemConfig, content: LogContent) -> list[Request]:
    """The distinct requests of a generation that its log has no lasting outcome of, in order."""
    distinct: dict[str, Request] = {}
    for request in plan.rows:
        distinct.setdefault(request.response_id, request)
    return [request for key, request in distinct.items() if not _is_kept(key, config, content)]


def _is_kept(response_id: str, config: SystemConfig, content: LogContent) -> bool:
    outcome = content.outcomes.get(response_id)
    return outcome is not None and is_settled(outcome, config.max_characters)


def check_prompts(missing: Sequence[Request], provider: Provider) -> None:
    """See that every request has something to send, and that all of it can be sent.

    Raises:
        ProviderError: one has not, or it cannot.
    """
    where = f"system {provider.config.system_id!r}"
    if without := [request.prompt.prompt_id for request in missing if request.prompt.prompt_text is None]:
        got = f"{len(without)} prompts without a text, first {without[0]!r}"
        remedy = "map the column prompt_text of the import, or use provider replay"
        raise ProviderError(where, got, "a text to send", remedy)
    if talking := [] if provider.takes_turns else [one.prompt.prompt_id for one in missing if one.prompt.messages]:
        got = f"{len(talking)} prompts after earlier messages, first {talking[0]!r}"
        raise ProviderError(where, got, "{messages} in options.request", "write it where they are sent")


def log_description(
    writer: LogWriter, content: LogContent, description: Description, missing: Sequence[Request]
) -> None:
    """Say in the log which model answers the lines to come, where it is another one."""
    if missing and description != content.description:
        writer.append([description_line(description)])
