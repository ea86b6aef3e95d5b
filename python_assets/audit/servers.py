"""Whether the servers of an audit answer, take the key and have the models: what can be tried before anything is paid.

Belongs here: one request for the list of models at each address. What the first prompt tells is first_answers.py.
"""

import asyncio
import difflib
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlsplit

from python_assets.audit.models import AuditedModel
from python_assets.errors import AuditError, shorten, without_credentials
from python_assets.providers.configs import generation_config, make_providers
from python_assets.providers.failures import FORBIDDEN, ProviderFailure
from python_assets.providers.http_provider import HttpProvider
from python_assets.providers.provider import providers
from python_assets.providers.records import SystemConfig
from python_assets.providers.transport import shown_url
from python_assets.study.problems import listed
from python_assets.study.secrets import redacted
from python_assets.study.study import Study

SECONDS: Final = 5.0
N_NEAREST: Final = 5
_LIST_ALONE: Final = frozenset({"missing_scope", "permission_error"})
"""Codes of a 403 by which OpenAI and Anthropic withhold the list of models, not the models."""
_KEY_CODES: Final = frozenset({"invalid_api_key", "authentication_error"})
"""Codes of a 403 that is of the key."""


class _Failed(NamedTuple):
    """What is wrong with an address, and what to do."""

    problem: str
    fix: str


def require_servers(models: Sequence[AuditedModel], studies: Sequence[Study] = ()) -> None:
    """Ask each address that an audit would use for its models, all at once: nothing is paid for that.

    A server that gives no list, is slow to give one, or fails to is no reason to stop: the first prompt tells more.

    Args:
        models: of the audit; none where only edited studies are asked.
        studies: edited ones, which may name other addresses.

    Raises:
        AuditError: an address does not answer, its certificate or the key is refused, or its list lacks a model.
        ProviderError: a key is not set, or cannot be one.
    """
    for problem in asyncio.run(_problems([*_http_providers(models, studies)])):
        raise problem


def _http_providers(models: Sequence[AuditedModel], studies: Sequence[Study]) -> Iterator[tuple[str, HttpProvider]]:
    """Every provider that asks over HTTP, by where a user named it."""
    for one in models:
        entry = one.entry or {}
        named = {name: entry[name] for name in ("base_url", "api_key_env") if name in entry}
        kind = providers[one.provider]
        if issubclass(kind, HttpProvider):
            yield f"--model {one.provider}:{one.model}", kind(SystemConfig(one.name, one.provider, one.model, **named))
    for study in studies:
        for system in study.systems:
            if system.spec.provider in providers:
                for provider in make_providers(generation_config(study, system)):
                    if isinstance(provider, HttpProvider):
                        yield f"{study.path}: system {system.system_id}", provider


async def _problems(named: Sequence[tuple[str, HttpProvider]]) -> list[AuditError]:
    """One at most of each address: the others of the address have the same."""
    by_address: dict[tuple[Any, ...], list[tuple[str, HttpProvider]]] = {}
    for name, provider in named:
        config = provider.config
        key = (config.provider, provider.url, config.api_key_env, *config.headers.items())
        by_address.setdefault(key, []).append((name, provider))
    checked = await asyncio.gather(*(_address_problems(users) for users in by_address.values()))
    return [problem for problems in checked for problem in problems]


async def _address_problems(users: Sequence[tuple[str, HttpProvider]]) -> list[AuditError]:
    name, provider = users[0]
    try:
        reply = await _asked(provider, provider.models_path)
    except ProviderFailure as failure:
        failed = _failed(failure, provider)
        return [] if failed is None else [AuditError(name, failed.problem, remedy=failed.fix)]
    names = model_names(reply)
    lacking = [(name, one) for name, one in users if names and not has_model(names, one.config)]
    return [
        _lacks(name, one, names)
        for name, one in lacking
        # a list has no aliases; asked for one by name, services resolve it
        if not await _resolves(one)
    ]


async def _asked(provider: HttpProvider, path: str) -> Any:
    try:
        async with asyncio.timeout(2 * SECONDS):
            return await provider.ask_briefly(path, SECONDS)
    except TimeoutError:
        raise ProviderFailure("timeout", "no list of models") from None


async def _resolves(provider: HttpProvider) -> bool:
    try:
        reply = await _asked(provider, f"{provider.models_path}/{quote(provider.config.model)}")
    except ProviderFailure:
        return False
    return isinstance(reply, dict) and isinstance(reply.get("id"), str)


def model_names(reply: Any) -> list[str]:
    """Names in a list of models: OpenAI's and Anthropic's `data` with `id`, Ollama's `models` with `name`.

    Args:
        reply: JSON.

    Returns:
        The names; empty where the reply is no such list.
    """
    for entries, name in (("data", "id"), ("models", "name"), ("models", "model")):
        rows = reply.get(entries) if isinstance(reply, dict) else None
        if isinstance(rows, list):
            names = [row[name] for row in rows if isinstance(row, dict) and isinstance(row.get(name), str)]
            if names:
                return names
    return []


def has_model(names: Sequence[str], config: SystemConfig) -> bool:
    """Whether a server that lists these names has the model of a system, by one of the forms that names have.

    Args:
        names: of its list; * of a gateway stands for any.
        config: of the system.
    """
    model = config.model
    forms = {model, f"{model}:latest", f"models/{model}"}  # Ollama's default tag; Gemini's names
    if config.provider == "openai":
        forms.add(model.rpartition(":")[0])  # OpenRouter's variants of a model, such as :online
    return any(fnmatchcase(form, name.replace("[", "[[]")) for name in names for form in forms)


def _lacks(name: str, provider: HttpProvider, names: Sequence[str]) -> AuditError:
    model = provider.config.model
    nearest = difflib.get_close_matches(model, names, n=N_NEAREST, cutoff=0.0)
    problem = f'{shown_url(provider.url)} has no model "{shorten(model)}"'
    return AuditError(name, problem, remedy=f"Nearest names there: {listed(list(map(shorten, nearest)))}")


def _failed(failure: ProviderFailure, provider: HttpProvider) -> _Failed | None:
    """What a failure says of an address; None where the first prompt is to tell."""
    address, variable = shown_url(provider.url), provider.config.api_key_env
    if failure.status in (401, 403) or failure.kind == "unauthorized":
        if failure.code in _LIST_ALONE:
            return None
        key = f"the key in {variable}" if variable else "a call without a key"
        words = redacted(without_credentials(failure.message), provider.secrets)
        if failure.status == 403 and failure.code not in _KEY_CODES:  # a region, an organisation, a firewall
            return _Failed(f"{address} refuses the call ({words})", FORBIDDEN.capitalize())
        name_one = "Name the variable that holds the key: --api-key-env NAME"
        fix = f"Put a valid key into {variable}" if variable else name_one
        return _Failed(f"{address} refuses {key} ({words})", fix)
    return None if failure.status else _unreachable(failure, address, provider)


def _unreachable(failure: ProviderFailure, address: str, provider: HttpProvider) -> _Failed | None:
    """What kept a call from being answered, by the first of its causes that says it."""
    import httpx

    correct = "Check the network" if provider.config.base_url == provider.default_url else "Correct --base-url"
    start = "Start it (ollama serve)" if provider.config.provider == "ollama" else "Start the server"
    trust = "Name the file of the authority that signed it: export SSL_CERT_FILE=FILE"
    known: tuple[tuple[type[BaseException], Callable[[Any], str], str], ...] = (
        (httpx.ProxyError, lambda _: f"the proxy does not lead to {address}", "Check HTTPS_PROXY and NO_PROXY"),
        (
            ssl.SSLCertVerificationError,
            lambda one: f"the certificate of {address} is not trusted ({one.verify_message})",
            trust,
        ),
        (
            ssl.SSLError,
            lambda one: f"TLS with {address} failed ({one.reason})",
            "Write http:// for a server without TLS",
        ),
        (socket.gaierror, lambda _: f"{urlsplit(address).hostname} has no address (DNS)", correct),
        (ConnectionRefusedError, lambda _: f"nothing listens at {address}", f"{start}, or correct --base-url"),
        (httpx.ConnectTimeout, lambda _: f"{address} does not answer within {SECONDS:g} s", correct),
    )
    causes = list(_causes(failure))
    for kind, problem, fix in known:
        if (cause := next((one for one in causes if isinstance(one, kind)), None)) is not None:
            return _Failed(problem(cause), fix)
    if failure.kind in ("connection", "disconnected"):
        return _Failed(f"{address} ends the connection, or speaks no HTTP", correct)
    return None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what it came from, and so on; of a group its members."""
    seen: set[int] = set()
    left = [error]
    while left:
        one = left.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        left += [one.__context__, one.__cause__, *(one.exceptions if isinstance(one, BaseExceptionGroup) else ())]
