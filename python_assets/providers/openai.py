"""Provider openai: any server that speaks OpenAI's /chat/completions (OpenAI, vLLM, llama.cpp ...)."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from python_assets.providers.fields import text_or_none
from python_assets.providers.http_provider import HttpProvider
from python_assets.providers.logprobs import FIRST_TOKEN, first_token_logprobs
from python_assets.providers.messages import plain_text
from python_assets.providers.provider import provider
from python_assets.providers.records import Answer, Description, GenerationConfig, Request
from python_assets.providers.transport import typed_failures

ENDPOINT: Final = "endpoint"
CHAT: Final = "chat"
COMPLETIONS: Final = "completions"


@provider("openai")
class OpenAI(HttpProvider):
    """One model of one server. options: further fields of the request, as the server calls them.

    A server that wants max_completion_tokens gets it from options, with max_tokens: null in decoding.
    endpoint: completions, which is not sent, asks /completions: base models, whose prompt is the text of the
    messages.
    """

    default_url: ClassVar[str | None] = "https://api.openai.com/v1"

    @classmethod
    def problems(cls, config: GenerationConfig, factor_levels: Mapping[str, Sequence[str]]) -> list[str]:
        """What keeps this configuration from running; nothing is contacted."""
        found = super().problems(config, factor_levels)
        if config.options.get(ENDPOINT, CHAT) not in (CHAT, COMPLETIONS):
            found.append(f"options.{ENDPOINT}: no endpoint; it is {CHAT} (the default) or {COMPLETIONS}")
        return found

    def unready(self) -> str | None:
        """Also where neither a server is named nor the key of OpenAI's own."""
        if self.config.base_url is None and self.config.api_key_env is None:
            return (
                f"generation {self.config.generation_id!r}: without base_url it asks {self.default_url}, "
                "which wants a key. Add base_url: http://HOST:PORT/v1 of your server, or api_key_env."
            )
        return super().unready()

    async def describe(self) -> Description:
        """Nothing is asked: the protocol has no digest; each answer says which model served it."""
        return Description()

    async def ask(self, request: Request) -> Answer:
        """One completion."""
        payload = {**self.config.decoding, **self.config.options}
        payload = {name: value for name, value in payload.items() if value is not None}
        if "seed" in payload:
            payload["seed"] += request.replicate
        is_chat = payload.pop(ENDPOINT, CHAT) == CHAT
        if is_chat:
            payload |= {"messages": request.messages}
        else:
            payload |= {"prompt": plain_text(request.messages)}
        payload |= {"model": self.config.model, "stream": False}
        path = "chat/completions" if is_chat else "completions"
        reply = await self.ask_server("POST", path, payload)
        with typed_failures():
            return _answer(reply)

    def remedy(self, kind: str) -> str:
        """What to do, with the address that lists the models."""
        if kind == "model_missing":
            return "Correct the model's name; GET base_url/models lists those the server has."
        if kind == "unauthorized" and self.config.api_key_env:
            return f"Put a valid key into the environment variable {self.config.api_key_env} (api_key_env)."
        return super().remedy(kind)


def _answer(reply: dict[str, Any]) -> Answer:
    """Read a completion; KeyError, TypeError or ValueError where it has another shape."""
    choice = reply["choices"][0]
    message = choice["message"] if "message" in choice else {"content": choice["text"]}
    usage = reply.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    refusal = text_or_none(message.get("refusal"))
    context = {
        "served_model": text_or_none(reply.get("model")),
        "system_fingerprint": text_or_none(reply.get("system_fingerprint")),
        "reasoning": text_or_none(message.get("reasoning_content")) or text_or_none(message.get("reasoning")),
        FIRST_TOKEN: first_token_logprobs(choice.get("logprobs")),
    }
    return Answer(
        text=refusal or _text(message["content"]),
        finish_reason="refusal" if refusal else choice.get("finish_reason"),
        n_tokens_in=usage.get("prompt_tokens"),
        n_tokens_out=usage.get("completion_tokens"),
        context={name: value for name, value in context.items() if value} or None,
    )


def _text(content: Any) -> str | None:
    """The content as text; some servers send it in parts."""
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise TypeError(f"content is {type(content).__name__}")
    return "".join(part["text"] for part in content if part.get("type") == "text")
