"""Provider openai: any server that speaks OpenAI's /chat/completions (OpenAI, vLLM, llama.cpp ...).

Asked over plain HTTP: the openai package adds nothing to one POST and retries by itself.
"""

import json
from types import TracebackType
from typing import Any, ClassVar, Self

from python_assets.providers.fields import text_or_none
from python_assets.providers.provider import RemoteProvider, provider
from python_assets.providers.records import Answer, Description, Request
from python_assets.providers.transport import client_options, typed_failures


@provider("openai")
class OpenAI(RemoteProvider):
    """One model of one server. options: further fields of the request, as the server calls them.

    A server that wants max_completion_tokens gets it from options, with max_tokens: null in decoding.
    """

    default_url: ClassVar[str | None] = "https://api.openai.com/v1"

    def unready(self) -> str | None:
        """Also where neither a server is named nor the key of OpenAI's own."""
        if self.config.base_url is None and self.config.api_key_env is None:
            return (
                f"generation {self.config.generation_id!r}: without base_url it asks {self.default_url}, "
                "which wants a key. Add base_url: http://HOST:PORT/v1 of your server, or api_key_env."
            )
        return super().unready()

    async def __aenter__(self) -> Self:
        import httpx

        key = self.read_key()
        headers = {"content-type": "application/json", "user-agent": "plumbline"}
        if key is not None:
            headers["authorization"] = f"Bearer {key}"
        options = client_options(str(self.url), self.config.concurrency)
        self._client: httpx.AsyncClient = httpx.AsyncClient(headers=headers, **options)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def describe(self) -> Description:
        """Nothing is asked: the protocol has no digest; each answer says which model served it."""
        return Description()

    async def ask(self, request: Request) -> Answer:
        """One chat completion."""
        payload = {**self.config.decoding, **self.config.options}
        payload = {name: value for name, value in payload.items() if value is not None}
        if "seed" in payload:
            payload["seed"] += request.replicate
        payload |= {"model": self.config.model, "messages": request.messages, "stream": False}
        with typed_failures():
            # Encoded here: httpx cannot encode a lone surrogate, JSON's escapes can.
            reply = await self._client.post(f"{self.url}/chat/completions", content=json.dumps(payload))
            return _answer(reply.json())

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
    message = choice["message"]
    usage = reply.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    refusal = text_or_none(message.get("refusal"))
    context = {
        "served_model": text_or_none(reply.get("model")),
        "system_fingerprint": text_or_none(reply.get("system_fingerprint")),
        "reasoning": text_or_none(message.get("reasoning_content")) or text_or_none(message.get("reasoning")),
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
