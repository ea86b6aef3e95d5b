"""Provider openai: any server that speaks OpenAI's /chat/completions (OpenAI, vLLM, llama.cpp ...)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from python_assets.errors import StudyError
from python_assets.providers.error_bodies import reported_failure
from python_assets.providers.fields import SERVED_MODEL, finish_reason, text_or_none
from python_assets.providers.http_provider import SEEDS, HttpProvider
from python_assets.providers.logprobs import FIRST_TOKEN, first_token_logprobs
from python_assets.providers.messages import plain_text
from python_assets.providers.outcomes import was_declined
from python_assets.providers.provider import provider
from python_assets.providers.records import Answer, Request, SystemConfig
from python_assets.providers.transport import typed_failures

ENDPOINT: Final = "endpoint"
CHAT: Final = "chat"
COMPLETIONS: Final = "completions"
_PATHS: Final = {True: "completions", False: "chat/completions"}  # by whether the model goes on with a text
_REMEDIES: Final = {
    "model_missing": "correct the model's name; GET base_url/models lists those the server has; at Azure the "
    "deployment stands in base_url",
    "endpoint_missing": "correct base_url; Azure's ends with /openai/deployments/NAME?api-version=DATE; "
    f"for a base model set options: {{{ENDPOINT}: {COMPLETIONS}}}, for one that chats leave it out",
}


@provider("openai")
class OpenAI(HttpProvider):
    """One model of one server. options: further fields of the request, as the server calls them.

    endpoint: completions, which is not sent, asks /completions: base models, whose prompt is the text of the
    messages.
    """

    default_url: ClassVar[str | None] = "https://api.openai.com/v1"
    own_fields: ClassVar[tuple[str, ...]] = ("model", "messages", "prompt", "stream")
    # newer models: https://platform.openai.com/docs/api-reference/chat/create
    other_names: ClassVar[Mapping[str, str]] = {"max_tokens": "max_completion_tokens"}
    needs_key: ClassVar[bool] = True

    @property
    def continues_text(self) -> bool:
        """A base model goes on with the prompt; an instruction would be text like any other."""
        return self.config.options.get(ENDPOINT, CHAT) == COMPLETIONS

    @classmethod
    def problems(cls, config: SystemConfig, factor_levels: Mapping[str, Sequence[str]]) -> list[StudyError]:
        """What keeps this configuration from running; nothing is contacted."""
        errors = super().problems(config, factor_levels)
        if config.options.get(ENDPOINT, CHAT) not in (CHAT, COMPLETIONS):
            where, expected = ("options", ENDPOINT), f"{CHAT} (the default) or {COMPLETIONS}"
            errors.append(StudyError(where, config.options[ENDPOINT], expected, "write one of them"))
        if config.options.get("n") not in (None, 1):
            expected = "one answer a call, as one of several would be kept"
            errors.append(StudyError(("options", "n"), config.options["n"], expected, "use replicates: N"))
        if config.options.get("echo"):
            expected = "no prompt in the answer, where it would be measured"
            errors.append(StudyError(("options", "echo"), config.options["echo"], expected, "remove it"))
        return errors

    @property
    def path(self) -> str:
        """Of completions, below base_url."""
        return _PATHS[self.continues_text]

    def payload(self, request: Request) -> dict[str, Any]:
        """What is sent for a request, as the study has it."""
        payload = {**self.config.decoding, **self.config.options}
        payload = {name: value for name, value in payload.items() if value is not None and name != ENDPOINT}
        for name in payload.keys() & set(SEEDS):
            payload[name] += request.replicate
        payload |= {"model": self.config.model, "stream": False}
        if self.continues_text:
            payload["prompt"] = plain_text(request.messages)
        else:
            payload["messages"] = request.messages
        return payload

    async def ask(self, request: Request) -> Answer:
        """One completion."""
        return self.read_reply(await self.ask_model(self.path, self.payload(request)))

    def read_reply(self, reply: dict[str, Any]) -> Answer:
        """The answer that a completion holds; ProviderFailure where it holds none."""
        with typed_failures():
            answer = _answer(reply)
        return replace(answer, context=self.noted(answer.context or {}))

    def remedy(self, kind: str) -> str:
        """What to do, with the address that lists the models."""
        return _REMEDIES.get(kind) or super().remedy(kind)


def _answer(reply: dict[str, Any]) -> Answer:
    """Read a completion; ProviderFailure where it tells of an error, KeyError ... in another shape."""
    if failure := reported_failure(reply):
        raise failure
    choice = reply["choices"][0]
    message = _message(choice)
    thought = message.get("reasoning_content"), message.get("reasoning"), _thinking(message["content"])
    usage = reply.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    refusal = text_or_none(message.get("refusal"))
    return Answer(
        text=refusal or _text(message["content"]),
        finish_reason="refusal" if refusal else finish_reason(reply, choice.get("finish_reason")),
        n_tokens_in=usage.get("prompt_tokens"),
        n_tokens_out=usage.get("completion_tokens"),
        n_tokens_cached=_n_cached(usage),
        context={
            SERVED_MODEL: text_or_none(reply.get("model")),
            "system_fingerprint": text_or_none(reply.get("system_fingerprint")),
            "reasoning": next(filter(None, map(text_or_none, thought)), None),
            FIRST_TOKEN: first_token_logprobs(choice.get("logprobs")),
        },
    )


def _n_cached(usage: dict[str, Any]) -> Any:
    """Of the tokens read, those that were in the provider's cache."""
    details = usage.get("prompt_tokens_details")
    return details.get("cached_tokens") if isinstance(details, dict) else None


def _message(choice: dict[str, Any]) -> dict[str, Any]:
    """What the model wrote; one of the assistant without content has none.

    Azure leaves it out where its filter stops an answer, mlx-lm and Gemini where reasoning took every token;
    Gemini leaves out the message where a filter of its own stops one.
    """
    if "message" not in choice:
        return {"content": None if was_declined(text_or_none(choice.get("finish_reason"))) else choice["text"]}
    message: dict[str, Any] = choice["message"]
    return {"content": None, **message} if "role" in message else message


def _text(content: Any) -> str | None:
    """The content as text; some servers send it in parts."""
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise TypeError(f"content is {type(content).__name__}")
    return "".join(piece["text"] for piece in content if piece.get("type") == "text")


def _thinking(content: Any) -> str | None:
    """What the parts of a content think: Mistral's, each of them a text or texts in parts of their own.

    Source: https://docs.mistral.ai/capabilities/reasoning.
    """
    if not isinstance(content, list):
        return None
    return "".join(_text(piece.get("thinking")) or "" for piece in content if piece.get("type") == "thinking")
