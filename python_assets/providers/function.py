"""A function of the user's own as provider: `module:function` beside the study file.

Not registered by name: the study names the function itself. It runs in threads, as many at a time as the
generation's concurrency says.
"""

import asyncio
from types import TracebackType
from typing import Any, ClassVar, Self

from python_assets.providers.failures import ProviderFailure
from python_assets.providers.provider import RemoteProvider
from python_assets.providers.records import (
    Answer,
    Description,
    GenerationConfig,
    Request,
)


class FunctionProvider(RemoteProvider):
    """Answers with config.function(messages, decoding), which returns text, or None for no answer.

    decoding holds the seed of the replicate, as a server would be sent it.
    """

    needs_model: ClassVar[bool] = False

    def __init__(self, config: GenerationConfig) -> None:
        super().__init__(config)
        if config.function is None:
            raise ValueError(f"generation {config.generation_id!r} has no function")
        self._function = config.function

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    async def describe(self) -> Description:
        """The digest is that of the function's file."""
        return Description(model_digest=self.config.function_sha256)

    async def ask(self, request: Request) -> Answer:
        """Call the function; what it raises is recorded as the response's error."""
        decoding: dict[str, Any] = {**self.config.decoding}
        if decoding.get("seed") is not None:
            decoding["seed"] += request.replicate
        try:
            text = await asyncio.to_thread(self._function, request.messages, decoding)
        except Exception as error:
            raise ProviderFailure("function_failed", f"{type(error).__name__}: {error}"[:500]) from error
        if text is not None and not isinstance(text, str):
            raise ProviderFailure("function_failed", f"expected text or None, got {type(text).__name__}")
        return Answer(text)
