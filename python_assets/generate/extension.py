"""What stands between prompt and model: an extension holds a conversation with any provider.

Belongs here: the shape of an extension, and how its conversation is held with a provider that answers at once
or is waited for. One file an extension, registered by the type that a study file names.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import duckdb

from python_assets.generate.types import Answer, Request
from python_assets.registry import Registry
from python_assets.study import Extension as ExtensionSpec
from python_assets.study import Study
from python_assets.warehouse import Home

Conversation = Generator[Request, Answer, Answer]


class Extension(ABC):
    """An extension of one generation; several of its conversations may go on at once, in threads.

    Attributes:
        identity: what of it the answers depend on, as JSON: its type, its options and the hash of the texts
            it draws on. It is part of every response's address and stands in extensions_json.
    """

    identity: Mapping[str, Any]

    @abstractmethod
    def converse(self, request: Request) -> Conversation:
        """Answer a request by asking the model.

        Args:
            request: with the messages that the model gets without an extension.

        Yields:
            A request to send, for example with other messages; its answer comes back.

        Returns:
            The answer to store; passages and transcripts stand in its context. Its tokens are counted here:
            those of every answer that came back.
        """

    def obey(self, text: str) -> str:
        """An answer in the form in which this extension asks for it; the simulator writes so."""
        return text


class ExtensionJob(NamedTuple):
    """What an extension is made from; the connection is that of the build file, with raw.sentences filled."""

    study: Study
    spec: ExtensionSpec
    connection: duckdb.DuckDBPyConnection
    home: Home


extensions: Final[Registry[Callable[[ExtensionJob], Extension]]] = Registry("extension")
extension = extensions.register


def answer_now(
    asked: Extension | None, requests: Sequence[Request], answer: Callable[[list[Request]], list[Answer]]
) -> list[Answer]:
    """Answer requests by a provider that answers at once, with an extension between where there is one.

    The conversations go on side by side: the provider is asked the next turn of all of them together.
    """
    if asked is None:
        return answer(list(requests))
    talks = [_Talk(asked, request) for request in requests]
    while going := [talk for talk in talks if talk.final is None]:
        for talk, answered in zip(going, answer([talk.turn for talk in going]), strict=True):
            talk.hear(answered)
    return [talk.final for talk in talks if talk.final is not None]


async def answer_later(
    asked: Extension | None, request: Request, answer: Callable[[Request], Awaitable[Answer]]
) -> Answer:
    """Answer a request by a provider that is waited for, with an extension between where there is one."""
    if asked is None:
        return await answer(request)
    # in a thread: what an extension looks up must not hold up the calls in flight
    talk = await asyncio.to_thread(_Talk, asked, request)
    while talk.final is None:
        await asyncio.to_thread(talk.hear, await answer(talk.turn))
    return talk.final


class _Talk:
    """One conversation: the turn to ask next, until there is a final answer."""

    def __init__(self, asked: Extension, request: Request) -> None:
        self._conversation = asked.converse(request)
        self._answers: list[Answer] = []
        self.turn = next(self._conversation)
        self.final: Answer | None = None

    def hear(self, answer: Answer) -> None:
        self._answers.append(answer)
        try:
            self.turn = self._conversation.send(answer)
        except StopIteration as end:
            self.final = _counted(end.value, self._answers)


def _counted(final: Answer, answers: list[Answer]) -> Answer:
    """The final answer with the tokens of all, None where any is not known."""
    n_in = [answer.n_tokens_in for answer in answers]
    n_out = [answer.n_tokens_out for answer in answers]
    return replace(final, n_tokens_in=_sum(n_in), n_tokens_out=_sum(n_out))


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None
