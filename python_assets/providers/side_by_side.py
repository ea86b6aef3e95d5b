"""Generations that are waited for, side by side: different addresses at once, one address in order.

Belongs here: what is found out before the first call, and the order of generations. Asking for one of them is
retrying.py.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from itertools import count
from typing import Final

from python_assets.providers.log import LogContent
from python_assets.providers.missing import Answered, check_prompts, log_description, missing_of, n_calls, tell_known
from python_assets.providers.records import Prompt, Request
from python_assets.providers.requests import plan_requests
from python_assets.providers.retrying import Asker, has_answer
from python_assets.warehouse.progress import Progress
from python_assets.warehouse.run_context import CallAllowance

ANSWERS: Final = "answers"


class Asking:
    """One generation at its servers: what its log holds, and what there is to ask."""

    def __init__(self, asker: Asker, content: LogContent) -> None:
        self.asker = asker
        self.content = content
        self.missing: list[Request] = []
        self._started = time.perf_counter()

    async def prepare(self, prompts: Sequence[Prompt], opened: AsyncExitStack) -> None:
        """Find what to ask; connections stay open where there is anything."""
        config, content = self.asker.config, self.content
        if await self._is_complete(prompts):
            return
        self.asker.has_answered = has_answer(content.outcomes)
        await opened.enter_async_context(self.asker)
        self.description = await self.asker.describe()
        self.plan = plan_requests(prompts, self.asker.provider, self.description)
        self.missing = missing_of(self.plan, config, content)
        check_prompts(self.missing, self.asker.provider)

    async def _is_complete(self, prompts: Sequence[Prompt]) -> bool:
        """A complete log needs no server, unless the server is there and has another model by now."""
        logged = self.content.description
        if logged is None:
            return False
        self.plan, self.description = plan_requests(prompts, self.asker.provider, logged), logged
        if missing_of(self.plan, self.asker.config, self.content):
            return False
        now = await self.asker.describe_once()
        return now is None or now.model_digest == logged.model_digest

    async def ask(self, chosen: Sequence[Request], tell: Callable[[], None], before: Sequence["Asking"]) -> Answered:
        """Ask what is chosen, after what of earlier generations shares an address has begun."""
        after = [one.asker.has_begun_all for one in before if one.asker.servers.share(self.asker.servers)]
        await self.asker.ask_all(chosen, tell, after)
        seconds = time.perf_counter() - self._started
        return Answered(self.plan, self.description, self.asker.outcomes, self.asker.n_retries, seconds)


async def ask_side_by_side(
    prompts: Sequence[Prompt],
    askings: Sequence[Asking],
    progress: Progress,
    allowance: CallAllowance,
    most: int | None = None,
) -> list[Answered]:
    """Ask for what the logs of generations lack.

    Args:
        prompts: with distinct prompt_id.
        askings: the generations, in the order in which those that share an address are asked.
        progress: hears what the logs hold, each answer, and at the end what was wrong with an address.
        allowance: how many calls may still be asked.
        most: requests of each generation; None asks all.

    Raises:
        BudgetError, ProviderError, UnconfirmedError, ValueError: as generate_all.
    """
    async with AsyncExitStack() as opened:
        for one in askings:
            await one.prepare(prompts, opened)
        allowance.take(sum(n_calls(one.missing, one.asker.config) for one in askings))
        for one in askings:
            log_description(one.asker.writer, one.content, one.description, one.missing)
            tell_known(progress, one.plan, one.missing, one.asker.provider)
        chosen = [one.missing[:most] for one in askings]
        tell = _counted(progress, [one.asker.config.system_id for one in askings if one.missing], chosen)
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(one.ask(requests, tell, askings[:index]))
                    for index, (one, requests) in enumerate(zip(askings, chosen, strict=True))
                ]
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
    for address in dict.fromkeys(server.address for one in askings for server in one.asker.servers.all):
        if line := address.told():
            progress.say(line)
    _require_all(askings)
    return [task.result() for task in tasks]


def _require_all(askings: Sequence[Asking]) -> None:
    """See that no budget ended what was to be asked, which is known once nothing is in flight."""
    if askings:
        n_left = {one.asker.config.system_id: len(one.missing) - len(one.asker.outcomes) for one in askings}
        askings[0].asker.spending.require_all(n_left)


def _counted(progress: Progress, names: Sequence[str], chosen: Sequence[Sequence[Request]]) -> Callable[[], None]:
    """One count over all that are asked, which hears of each answer."""
    if not names:
        return lambda: None
    name = names[0] if len(names) == 1 else f"{len(names)} generations"
    tell, answers = progress.start(name, ANSWERS, sum(map(len, chosen))), count(1)
    return lambda: tell(next(answers))
