"""Provider anthropic: Anthropic's messages API, or a server that speaks it, asked without streaming.

Source: https://docs.claude.com/en/api/messages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from python_assets.errors import NOTHING, StudyError
from python_assets.providers.fields import SERVED_MODEL, count_or_none, finish_reason, text_or_none
from python_assets.providers.http_provider import HttpProvider
from python_assets.providers.provider import provider
from python_assets.providers.records import Answer, Request, SystemConfig
from python_assets.providers.transport import typed_failures

_API_VERSION: Final = "2023-06-01"
HOTTEST: Final = 1.0
_TOKENS_READ: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_BLOCK_TEXTS: Final = {"text": "text", "thinking": "thinking"}  # type of a block to the field that it has


@provider("anthropic")
class Anthropic(HttpProvider):
    """One model. options: further fields of the request (top_k, stop_sequences, thinking ...)."""

    default_url: ClassVar[str | None] = "https://api.anthropic.com"
    key_header: ClassVar[str] = "x-api-key"
    own_fields: ClassVar[tuple[str, ...]] = ("model", "messages", "system", "stream")
    unknown_fields: ClassVar[frozenset[str]] = frozenset({"seed"})
    needs_key: ClassVar[bool] = True
    models_path: ClassVar[str] = "v1/models"

    @classmethod
    def problems(cls, config: SystemConfig, factor_levels: Mapping[str, Sequence[str]]) -> list[StudyError]:
        """What keeps this configuration from running; nothing is contacted."""
        errors = super().problems(config, factor_levels)
        sent = {**config.decoding, **config.options}
        if sent.get("max_tokens") is None:
            expected = "a bound, which the API wants"
            errors.append(StudyError(("decoding", "max_tokens"), NOTHING, expected, "set it"))
        temperature = sent.get("temperature")
        if isinstance(temperature, int | float) and temperature > HOTTEST:
            expected = f"at most {HOTTEST:g}, the largest that the API takes"
            errors.append(StudyError(("decoding", "temperature"), temperature, expected, "lower it"))
        return errors

    async def ask(self, request: Request) -> Answer:
        """One message."""
        payload = {**self.config.decoding, **self.config.options}
        payload = {name: value for name, value in payload.items() if value is not None}
        system = [one["content"] for one in request.messages if one["role"] == "system"]
        turns = [one for one in request.messages if one["role"] != "system"]
        payload |= {"model": self.config.model, "messages": turns, "stream": False}
        if system:
            payload["system"] = "\n\n".join(system)
        reply = await self.ask_model("v1/messages", payload)
        with typed_failures():
            answer = _answer(reply)
        return replace(answer, context=self.noted(answer.context or {}))

    def key_headers(self, key: str) -> dict[str, str]:
        """The key, without a scheme."""
        return {self.key_header: key}

    def _headers(self) -> dict[str, str]:
        return {"anthropic-version": _API_VERSION} | super()._headers()

    def remedy(self, kind: str) -> str:
        """What to do, with what is Anthropic's own."""
        if kind == "model_missing":
            return "correct the model's name; GET base_url/v1/models lists those that there are"
        if kind == "endpoint_missing":
            return "correct base_url: what comes before /v1/messages"
        return super().remedy(kind)


def _answer(reply: dict[str, Any]) -> Answer:
    """Read a message; KeyError, TypeError or ValueError where it has another shape."""
    if reply.get("type") != "message":
        raise ValueError(f"the reply is of type {reply.get('type')!r}, not a message")
    usage = reply.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    read = [count_or_none(usage.get(name)) for name in _TOKENS_READ]
    return Answer(
        text=_blocks(reply, "text"),
        finish_reason=finish_reason(reply, reply.get("stop_reason")),
        n_tokens_in=None if read[0] is None else sum(filter(None, read)),
        n_tokens_out=usage.get("output_tokens"),
        n_tokens_cached=usage.get("cache_read_input_tokens"),
        context={SERVED_MODEL: text_or_none(reply.get("model")), "reasoning": _blocks(reply, "thinking")},
    )


def _blocks(reply: dict[str, Any], kind: str) -> str | None:
    """The text of all blocks of a kind, None where there is none of it."""
    texts = [block[_BLOCK_TEXTS[kind]] for block in reply["content"] if block["type"] == kind]
    return "".join(texts) if texts else None
