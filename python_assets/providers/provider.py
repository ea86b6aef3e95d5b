"""The registry of providers and what every provider is.

Belongs here: the two shapes, local (answers at once, no waiting) and remote (asked concurrently). One file a
provider.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import ClassVar, Final, Self
from urllib.parse import urlsplit

from python_assets.errors import ProviderError, StudyError
from python_assets.providers.records import Answer, Description, Prompt, Rejected, Request, SystemConfig
from python_assets.providers.transport import is_address, secrets_of
from python_assets.registry import Registry

providers: "Final[Registry[type[Provider]]]" = Registry("provider", __name__)
provider = providers.register

ANSWERED_TOGETHER: Final = 2_000
_OF_A_SERVER: Final = ("base_url", "api_key_env", "headers")
RATES: Final = ("requests_per_minute", "tokens_per_minute")

_REMEDIES: Final[dict[str, str]] = {
    "connection": "start the server, or correct base_url",
    "model_missing": "correct the model's name, or install the model at the server",
    "endpoint_missing": "correct base_url",
    "web_page": "correct base_url: it is the address of the API, which often ends in /v1, not of a page",
    "malformed_response": "see that base_url is that of the API, and that the server speaks this dialect",
    "bad_url": "correct base_url: it starts with http:// or https://, and no redirect is followed",
    "quota_exceeded": "raise the account's quota, then run again",
    "unauthorized": "name the environment variable that holds a valid key in api_key_env, or in headers",
    "parameter_refused": "leave it out: null in decoding, not in options, or no role for a system message",
}


class Provider:
    """One way to get answers, made for one generation.

    Class attributes:
        is_simulated: no model answers.
        is_keyed_by_prompt: the answer depends on the prompt itself (its id and factors), not on its messages
            alone.
        keeps_log: answers are logged, as they cannot be had again for nothing.
        asks_server: over HTTP.
    """

    is_simulated: ClassVar[bool] = False
    is_keyed_by_prompt: ClassVar[bool] = False
    keeps_log: ClassVar[bool] = True
    asks_server: ClassVar[bool] = False

    def __init__(self, config: SystemConfig) -> None:
        self.config = config

    @classmethod
    def problems(cls, config: SystemConfig, factor_levels: Mapping[str, Sequence[str]]) -> list[StudyError]:
        """What keeps this configuration from running, fields below the generation; nothing is contacted."""
        expected = f"nothing here, as provider {config.provider} asks no server over HTTP"
        ignored = {} if cls.asks_server else {name: getattr(config, name) for name in _OF_A_SERVER}
        return [StudyError((name,), value, expected, f"remove {name}") for name, value in ignored.items() if value]

    def unready(self) -> ProviderError | None:
        """What keeps it from answering anything on this machine, with the remedy; nothing is contacted."""
        return None

    @property
    def continues_text(self) -> bool:
        """Whether a prompt to complete is sent as it is: the model knows no instructions."""
        return False

    @property
    def takes_turns(self) -> bool:
        """Whether it is sent what was said before a prompt."""
        return True

    def rows(self, prompts: Sequence[Prompt]) -> tuple[list[tuple[Prompt, int]], list[Rejected]]:
        """The (prompt, replicate) pairs of this generation, and records that belong to none."""
        n = self.config.replicates
        return [(prompt, prompt.first_replicate + i) for prompt in prompts for i in range(n)], []


class LocalProvider(Provider, ABC):
    """Answers at once, in this process.

    Class attributes:
        answers_now: the answer arises now, so requested_at and latency are known.
        runs_model: a model answers: prompts need a text, and answers take time.
    """

    answers_now: ClassVar[bool] = True
    runs_model: ClassVar[bool] = False

    @classmethod
    def problems(cls, config: SystemConfig, factor_levels: Mapping[str, Sequence[str]]) -> list[StudyError]:
        """What keeps this configuration from running; nothing is contacted or generated."""
        expected = f"nothing here, as provider {config.provider} answers as fast as it can"
        declared = {name: getattr(config, name) for name in RATES if getattr(config, name) is not None}
        rate_problems = [StudyError((name,), value, expected, f"remove {name}") for name, value in declared.items()]
        return [*super().problems(config, factor_levels), *rate_problems]

    @abstractmethod
    def describe(self) -> Description:
        """What the answers depend on besides the request."""

    def batches(self, requests: Sequence[Request]) -> Iterator[Sequence[Request]]:
        """The requests in the order they are answered in; what is answered together is logged together."""
        for start in range(0, len(requests), ANSWERED_TOGETHER):
            yield requests[start : start + ANSWERED_TOGETHER]

    def answers(self, requests: Sequence[Request]) -> list[Answer]:
        """Answer several requests, in order; one by one unless a provider can do better."""
        return [self.answer(request) for request in requests]

    @abstractmethod
    def answer(self, request: Request) -> Answer:
        """Answer one request."""


class RemoteProvider(Provider, ABC):
    """Is waited for: opened as an asynchronous context, then asked concurrently."""

    default_url: ClassVar[str | None] = None
    needs_model: ClassVar[bool] = True

    def __init__(self, config: SystemConfig) -> None:
        super().__init__(config)
        self._key: str | None = None

    @classmethod
    def problems(cls, config: SystemConfig, factor_levels: Mapping[str, Sequence[str]]) -> list[StudyError]:
        """What keeps this configuration from running; nothing is contacted."""
        errors = super().problems(config, factor_levels)
        if cls.needs_model and not config.model.strip():
            errors.append(StudyError(("model",), config.model, "a model", "name it as its server does"))
        if config.base_url is not None and not is_address(config.base_url):
            expected = "the address of a server, http://host:port/path or https://..."
            errors.append(StudyError(("base_url",), config.base_url, expected, "correct it"))
        return errors

    @property
    def url(self) -> str | None:
        """Address of the server, without a trailing slash."""
        url = self.config.base_url or self.default_url
        return url.rstrip("/") if url else None

    def address(self, path: str) -> str:
        """Address of something at the server; the query of base_url stands behind it."""
        split = urlsplit(str(self.url))
        return split._replace(path=f"{split.path.rstrip('/')}/{path}").geturl()

    @property
    def secrets(self) -> list[str]:
        """What may be shown and stored nowhere, also where the server sends it back."""
        return [*secrets_of(self.url), *([self._key] if self._key else [])]

    @property
    def changes(self) -> Sequence[str]:
        """What is asked otherwise than the study says, as it was found so far, in words."""
        return ()

    def remedy(self, kind: str) -> str:
        """What a user can do about a failure that stops the generation."""
        return _REMEDIES.get(kind, "")

    def read_key(self) -> str | None:
        """The key in the environment variable that the generation names.

        Raises:
            ProviderError: the variable is not set, or holds what cannot be a key.
        """
        name = self.config.api_key_env
        if name is None:
            return None
        where = f"generation {self.config.system_id!r}: environment variable {name} (api_key_env)"
        key = os.environ.get(name, "").strip()
        if not key:
            raise ProviderError(where, "nothing", "a key", f"set it, for example: export {name}=...")
        if not (key.isascii() and key.isprintable()) or " " in key:
            expected = "a key: printable ASCII without blanks"
            raise ProviderError(where, "other characters", expected, "set it anew")
        self._key = key
        return key

    @abstractmethod
    async def __aenter__(self) -> Self:
        """Open connections; nothing is sent yet."""

    @abstractmethod
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close connections."""

    @abstractmethod
    async def describe(self) -> Description:
        """Ask the server which model answers; ProviderFailure where it does not say."""

    @abstractmethod
    async def ask(self, request: Request) -> Answer:
        """Ask once; ProviderFailure where no answer came."""


def config_problems(config: SystemConfig, factor_levels: Mapping[str, Sequence[str]]) -> list[StudyError]:
    """What keeps a generation from running, for the validation of a study: nothing is contacted or generated.

    Args:
        config: the generation; its provider is a registered name.
        factor_levels: declared levels of every factor.

    Returns:
        Problems of fields below the generation; empty where all is well.

    Raises:
        PlumblineError: the provider is unknown; the text lists the known ones.
    """
    return providers[config.provider].problems(config, factor_levels)
