"""What providers of servers that speak JSON over HTTP share: headers, key, clients, refused parameters.

Belongs here: how a call is sent. What is asked and how a reply is read is the provider's own file.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, ClassVar, Final, Self
from urllib.parse import urlsplit

from python_assets.errors import HEADERS, ProviderError, StudyError
from python_assets.providers.clients import Clients
from python_assets.providers.failures import ProviderFailure
from python_assets.providers.parameters import Parameters
from python_assets.providers.provider import RemoteProvider
from python_assets.providers.records import Description, SystemConfig
from python_assets.providers.transport import ask_json, client_options, is_address

AUTHORIZATION: Final = "authorization"
CHANGED_PARAMETERS: Final = "changed_parameters"  # the name in context_json
SEEDS: Final = ("seed", "random_seed")  # the latter is Mistral's


class HttpProvider(RemoteProvider):
    """StatisticSpec over plain HTTP: the packages of the services add nothing to one POST and retry by themselves.

    Class attributes:
        key_header: the header that carries the key, in lower case.
        own_fields: fields of the request that Plumbline writes itself.
        other_names: under which parameters of decoding are sent where they are refused under their own.
        unknown_fields: parameters of decoding that no model behind the protocol takes.
        needs_key: whether the server at default_url wants a key.
        models_path: below base_url, what lists the models of the server.
    """

    asks_server: ClassVar[bool] = True
    key_header: ClassVar[str] = AUTHORIZATION
    own_fields: ClassVar[tuple[str, ...]] = ("model", "messages", "stream")
    other_names: ClassVar[Mapping[str, str]] = {}
    unknown_fields: ClassVar[frozenset[str]] = frozenset()
    needs_key: ClassVar[bool] = False
    models_path: ClassVar[str] = "models"

    def __init__(self, config: SystemConfig) -> None:
        super().__init__(config)
        optional = set(config.decoding) - set(config.options)
        self._parameters = Parameters(optional, self.other_names, optional & self.unknown_fields)

    @classmethod
    def problems(cls, config: SystemConfig, factor_levels: Mapping[str, Sequence[str]]) -> list[StudyError]:
        """What keeps this configuration from running; nothing is contacted."""
        errors = super().problems(config, factor_levels)
        for name, value in config.headers.items():
            if config.api_key_env is not None and name.lower() == cls.key_header:
                expected = "another header than the one that carries the key of api_key_env"
                errors.append(StudyError((HEADERS, name), value, expected, "keep one of them"))
        if cls.key_header == AUTHORIZATION and config.api_key_env is not None and _has_user(config.base_url):
            expected = "no user and password in base_url, which take its header"
            errors.append(StudyError(("api_key_env",), config.api_key_env, expected, "keep one of them"))
        return [*errors, *cls._option_problems(config.options)]

    @classmethod
    def _option_problems(cls, options: Mapping[str, Any]) -> Iterator[StudyError]:
        for name, value in options.items():
            where = ("options", name)
            if name in cls.own_fields:
                yield StudyError(where, value, "no field that Plumbline writes itself", "remove it")
            elif name in SEEDS and (isinstance(value, bool) or not isinstance(value, int | None)):
                expected = "a whole number, to which the replicate is added"
                yield StudyError(where, value, expected, "write such a seed")
            elif not _is_json(value):
                remedy = "write a date in quotes, and no number that is infinite"
                yield StudyError(where, value, "what JSON can hold", remedy)

    @property
    def secrets(self) -> list[str]:
        """Also every header, whole and by word: a server may send back the key without its scheme."""
        words = [word for value in self.config.headers.values() for word in (value, *value.split())]
        return [*super().secrets, *words]

    @property
    def changes(self) -> list[str]:
        """What the model refused so far and how it is sent now, in words."""
        return [f"model {self.config.model} {change}" for change in self._parameters.told()]

    def unready(self) -> ProviderError | None:
        """What keeps it from asking anything, with the remedy; nothing is contacted."""
        config = self.config
        if self.needs_key and config.base_url is None and config.api_key_env is None and not config.headers:
            return ProviderError(
                f"system {config.system_id!r}",
                "neither base_url nor api_key_env",
                f"a key, which {self.default_url} wants",
                "add api_key_env, or base_url: http://HOST:PORT/... of your server",
            )
        try:
            self._headers()
        except ProviderError as error:
            return error
        return None

    async def __aenter__(self) -> Self:
        self._clients = Clients(str(self.url), self._headers())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._clients.close()

    async def describe(self) -> Description:
        """Nothing is asked, as most protocols tell no digest: at best each answer says which model served it."""
        return Description()

    async def ask_server(self, method: str, path: str, payload: Any = None) -> Any:
        """What the server replies, as JSON.

        Args:
            method: GET or POST.
            path: below base_url.
            payload: sent as JSON.

        Raises:
            ProviderFailure: as ask_json.
        """
        with self._clients.lent() as client:
            return await ask_json(client, method, self.address(path), payload)

    async def ask_briefly(self, path: str, seconds: float) -> Any:
        """What the server says to one GET, as JSON; the connection is closed.

        Args:
            path: below base_url.
            seconds: the longest that it takes to connect, and that the server is silent.

        Raises:
            ProviderFailure: as ask_json; its context has the cause.
            ProviderError: a key or header is not there.
        """
        import httpx

        options = client_options(str(self.url)) | {"timeout": seconds}
        options["headers"] |= self._headers()
        async with httpx.AsyncClient(**options) as client:
            return await ask_json(client, "GET", self.address(path))

    async def ask_model(self, path: str, payload: Mapping[str, Any]) -> Any:
        """What the model replies, as JSON; what it refuses of decoding is sent otherwise, now and later.

        Args:
            path: below base_url.
            payload: the request as the study has it.

        Raises:
            ProviderFailure: as ask_json; parameter_refused where the request can be sent in no other way.
        """
        while True:
            sent = self._parameters.applied(payload)
            try:
                return await self.ask_server("POST", path, sent)
            except ProviderFailure as failure:
                if not self._parameters.learn(failure, sent):
                    raise

    def noted(self, context: Mapping[str, Any]) -> dict[str, Any] | None:
        """What is kept beside an answer: what is known of it, and the parameters that were sent otherwise."""
        known = {name: value for name, value in context.items() if value}
        changed = self._parameters.changes
        return (known | ({CHANGED_PARAMETERS: dict(changed)} if changed else {})) or None

    def remedy(self, kind: str) -> str:
        """What to do, with the name of the variable that holds the key."""
        if kind == "unauthorized" and self.config.api_key_env:
            return f"put a valid key into the environment variable {self.config.api_key_env} (api_key_env)"
        return super().remedy(kind)

    def _headers(self) -> dict[str, str]:
        # in lower case, as ours are: of two spellings both would be sent
        named = {name.lower(): self._sendable(name, value) for name, value in self.config.headers.items()}
        key = self.read_key()
        return {"user-agent": "plumbline"} | ({} if key is None else self.key_headers(key)) | named

    def _sendable(self, name: str, value: str) -> str:
        if not value.strip() or not (value.isascii() and value.isprintable()):
            where = f"system {self.config.system_id!r}: headers.{name}"
            raise ProviderError(where, "a variable that holds no header", "printable ASCII", "set it anew")
        return value.strip()

    def key_headers(self, key: str) -> dict[str, str]:
        """What is sent with every call where there is a key."""
        return {self.key_header: f"Bearer {key}"}


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _has_user(url: str | None) -> bool:
    return url is not None and is_address(url) and "@" in urlsplit(url).netloc
