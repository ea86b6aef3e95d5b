"""Provider ollama: models of an Ollama server, asked over /api/chat without streaming."""

from typing import TYPE_CHECKING, Any, ClassVar, Final

from python_assets.errors import TRY_SIMULATED
from python_assets.providers.fields import text_or_none
from python_assets.providers.http_provider import HttpProvider
from python_assets.providers.logprobs import FIRST_TOKEN, first_token_logprobs
from python_assets.providers.outcomes import LOADED
from python_assets.providers.provider import provider
from python_assets.providers.records import Answer, Description, Request
from python_assets.providers.transport import typed_failures

if TYPE_CHECKING:
    from ollama import ListResponse, ShowResponse

# The study's words for Ollama's; every other name of decoding and options is Ollama's own.
_OLLAMA_NAMES: Final = {"max_tokens": "num_predict"}
_OF_THE_REQUEST: Final = ("think", "keep_alive", "format", "logprobs", "top_logprobs")


@provider("ollama")
class Ollama(HttpProvider):
    """One model of one Ollama server.

    options: think, keep_alive, format, logprobs, top_logprobs (Ollama 0.12.11), or any of Ollama's own
    (num_ctx ...).
    """

    default_url: ClassVar[str | None] = "http://127.0.0.1:11434"
    models_path: ClassVar[str] = "api/tags"

    async def describe(self) -> Description:
        """Digest and details of the model, version of the server; model_missing where it is not installed."""
        # The package's client reads a reply whole before its size is known: only its shapes are used.
        from ollama import ListResponse, ShowResponse

        shown = await self.ask_server("POST", "api/show", {"model": self.config.model})
        listed = await self.ask_server("GET", "api/tags")
        version = await self.ask_server("GET", "api/version")
        with typed_failures():
            return Description(
                model_digest=_digest(self.config.model, ListResponse.model_validate(listed)),
                engine_version=f"ollama {version['version']}" if "version" in version else None,
                model_details=_details(ShowResponse.model_validate(shown)),
            )

    async def ask(self, request: Request) -> Answer:
        """One chat call."""
        settings, options = self._settings(request.replicate)
        payload = {"model": self.config.model, "messages": request.messages, "stream": False}
        reply = await self.ask_server("POST", "api/chat", payload | {"options": options, **settings})
        with typed_failures():
            return _answer(reply)

    def _settings(self, replicate: int) -> tuple[dict[str, Any], dict[str, Any]]:
        given = {k: v for k, v in {**self.config.decoding, **self.config.options}.items() if v is not None}
        if "seed" in given:
            given["seed"] += replicate
        settings = {name: given.pop(name) for name in _OF_THE_REQUEST if name in given}
        return settings, {_OLLAMA_NAMES.get(name, name): value for name, value in given.items()}

    def remedy(self, kind: str) -> str:
        """What to do, in Ollama's commands."""
        if kind == "model_missing":
            return f"install the model: ollama pull {self.config.model}"
        if kind == "connection":
            return f"start the server (ollama serve), set base_url to where it runs, {TRY_SIMULATED}"
        return super().remedy(kind)


def _answer(reply: dict[str, Any]) -> Answer:
    """Read a reply; KeyError, TypeError or ValueError where it has another shape."""
    if reply.get("done") is False:
        raise ValueError("the reply says done: false, though streaming is off")
    message = reply["message"]
    if reply.get("done_reason") in LOADED and not message.get("content"):
        raise ValueError(f"nothing was answered: done_reason {reply['done_reason']}")
    context = {
        "reasoning": text_or_none(message.get("thinking")),
        # the tokens of OpenAI's protocol, without the choice around them
        FIRST_TOKEN: first_token_logprobs({"content": reply.get("logprobs")}),
    }
    return Answer(
        text=message.get("content"),
        finish_reason=reply.get("done_reason"),
        n_tokens_in=reply.get("prompt_eval_count"),
        n_tokens_out=reply.get("eval_count"),
        context={name: value for name, value in context.items() if value} or None,
    )


def _digest(model: str, listed: "ListResponse") -> str | None:
    names = {model, f"{model}:latest"}
    return next((entry.digest for entry in listed.models if entry.model in names), None)


def _details(shown: "ShowResponse") -> dict[str, Any]:
    details = shown.details.model_dump(exclude_none=True) if shown.details else {}
    return {**details, "parameters": shown.parameters} if shown.parameters else details
