"""A function of the user's own as provider: `module:function` beside the study file.

Not registered by name: the study names the function itself. It runs in threads, as many at a time as the
generation's concurrency says.
"""

import asyncio
import copy
import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import Any, ClassVar, Final, Self

from python_assets.errors import ProviderError
from python_assets.providers.failures import ProviderFailure
from python_assets.providers.provider import RemoteProvider
from python_assets.providers.records import Answer, Description, Message, Request, SystemConfig

BY_NAME: Final = ("model", "options")
RETURNED: Final = ("text", "n_tokens_in", "n_tokens_out", "finish_reason", "reasoning")


class FunctionProvider(RemoteProvider):
    """Answers with config.function(messages, decoding), and with model and options where it names them.

    decoding holds the seed of the replicate, as a server would be sent it. The function returns text, None
    for no answer, or a mapping of text and what else of RETURNED it knows.
    """

    needs_model: ClassVar[bool] = False

    def __init__(self, config: SystemConfig) -> None:
        """Take the function of a generation.

        Raises:
            ProviderError: it cannot be called so.
        """
        super().__init__(config)
        if config.function is None:
            raise ValueError(f"generation {config.system_id!r} has no function")
        self._function = config.function
        self._named = _named_arguments(config, config.function)

    async def __aenter__(self) -> Self:
        # asyncio's own threads are a few more than processors, and what waits for one would time out
        self._threads = ThreadPoolExecutor(self.config.concurrency, thread_name_prefix="function")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def describe(self) -> Description:
        """The digest is that of the function's file."""
        return Description(model_digest=self.config.function_sha256)

    async def ask(self, request: Request) -> Answer:
        """Call the function; what it raises is recorded as the response's error."""
        decoding: dict[str, Any] = {**self.config.decoding}
        if decoding.get("seed") is not None:
            decoding["seed"] += request.replicate
        # copies: what a function changes in them is not what another response is asked
        messages, named = copy.deepcopy((request.messages, self._named))
        call = partial(_called, self._function, messages, decoding, named)
        return _answer(await asyncio.get_running_loop().run_in_executor(self._threads, call))


def _called(
    function: Callable[..., Any], messages: list[Message], decoding: Mapping[str, Any], named: dict[str, Any]
) -> Any:
    """What a function returns; caught in its thread, as StopIteration would never leave it."""
    try:
        return function(messages, decoding, **named)
    except (Exception, SystemExit) as error:
        raise ProviderFailure("function_failed", f"{type(error).__name__}: {error}"[:500]) from error


def _named_arguments(config: SystemConfig, function: Callable[..., Any]) -> dict[str, Any]:
    """Model and options, where the function has arguments of these names or takes any."""
    if inspect.iscoroutinefunction(function):
        got = f"{config.provider}, a coroutine, which nothing awaits"
        remedy = "define it with def; concurrency says how many of its calls run at a time"
        raise ProviderError(f"system {config.system_id!r}", got, "a function", remedy)
    signature = inspect.signature(function)
    takes_any = any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values())
    offered = {"model": config.model, "options": dict(config.options)}
    named = {name: offered[name] for name in BY_NAME if takes_any or name in signature.parameters}
    try:
        signature.bind([], {}, **named)
    except TypeError as error:
        raise ProviderError(
            f"system {config.system_id!r}",
            f"{config.provider}, which cannot be called ({error})",
            f"function(messages, decoding), with {' and '.join(BY_NAME)} after them where it wants them",
            "define it so",
        ) from error
    return named


def _answer(returned: Any) -> Answer:
    """What a function returned; reasoning is kept beside the answer."""
    fields = returned if isinstance(returned, Mapping) else {"text": returned}
    if unknown := [str(name) for name in fields if name not in RETURNED]:
        raise ProviderFailure("function_failed", f"returned {', '.join(unknown)}; expected {', '.join(RETURNED)}")
    text, reasoning = fields.get("text"), fields.get("reasoning")
    for value in (text, reasoning):
        if value is not None and not isinstance(value, str):
            raise ProviderFailure("function_failed", f"expected text or None, got {type(value).__name__}")
    return Answer(
        text,
        finish_reason=fields.get("finish_reason"),
        n_tokens_in=fields.get("n_tokens_in"),
        n_tokens_out=fields.get("n_tokens_out"),
        context={"reasoning": reasoning} if reasoning else None,
    )
