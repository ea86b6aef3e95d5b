"""How an extension holds its conversation with a provider that answers at once, or is waited for.

What an extension is stands in records.py; those that a study file can name stand in generate/.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from python_assets.providers.records import Answer, Extension, Request


def answer_now(
    extension: Extension | None, requests: Sequence[Request], answer: Callable[[list[Request]], list[Answer]]
) -> list[Answer]:
    """Answer requests by a provider that answers at once, with an extension between where there is one.

    The conversations go on side by side: the provider is asked the next turn of all of them together.
    """
    if extension is None:
        return answer(list(requests))
    dialogues = [_Dialogue(extension, request) for request in requests]
    while unfinished := [dialogue for dialogue in dialogues if dialogue.final is None]:
        answers = answer([dialogue.turn for dialogue in unfinished])
        for dialogue, answered in zip(unfinished, answers, strict=True):
            dialogue.receive(answered)
    return [dialogue.final for dialogue in dialogues if dialogue.final is not None]


async def answer_later(
    extension: Extension | None, request: Request, answer: Callable[[Request], Awaitable[Answer]]
) -> Answer:
    """Answer a request by a provider that is waited for, with an extension between where there is one."""
    if extension is None:
        return await answer(request)
    # in a thread: what an extension looks up must not hold up the calls in flight
    dialogue = await asyncio.to_thread(_Dialogue, extension, request)
    while dialogue.final is None:
        await asyncio.to_thread(dialogue.receive, await answer(dialogue.turn))
    return dialogue.final


class _Dialogue:
    """One conversation: the turn to ask next, until there is a final answer."""

    def __init__(self, extension: Extension, request: Request) -> None:
        self._conversation = extension.converse(request)
        self._answers: list[Answer] = []
        self.turn = next(self._conversation)
        self.final: Answer | None = None

    def receive(self, answer: Answer) -> None:
        self._answers.append(answer)
        try:
            self.turn = self._conversation.send(answer)
        except StopIteration as end:
            self.final = _counted(end.value, self._answers)


def _counted(final: Answer, answers: list[Answer]) -> Answer:
    """The final answer with the tokens of all, None where any is not known."""
    n_in = [answer.n_tokens_in for answer in answers]
    n_out = [answer.n_tokens_out for answer in answers]
    n_cached = _sum([answer.n_tokens_cached for answer in answers])
    return replace(final, n_tokens_in=_sum(n_in), n_tokens_out=_sum(n_out), n_tokens_cached=n_cached)


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None
