"""Which models an audit asks: from PROVIDER:NAME on the command line to a generation of a study file.

Belongs here: what is wrong with them, told before anything is written.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from python_assets.errors import TRY_SIMULATED, AuditError, shorten
from python_assets.providers.provider import RemoteProvider, providers
from python_assets.study.base import REPLAY, SIMULATOR
from python_assets.study.study import make_id
from python_assets.texts.yaml_loader import LOADER

_OPTION: Final = "--model"
FORM: Final = "PROVIDER:NAME, for example openai:gpt-5-mini, anthropic:claude-sonnet-4-5 or ollama:llama3.3"
_KEYS: Final[Mapping[str, str]] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""The variables that hold the keys of providers at their own address."""
MAX_TOKENS: Final = 1024  # a yes or no takes few; a model that thinks first takes hundreds before it
IN_FILES_ALONE: Final = (REPLAY, "http")  # these need more than a name


class AuditedModel(NamedTuple):
    """A model of an audit; entry: of `systems` in a study file, None of one that a benchmark simulates."""

    name: str
    provider: str
    model: str
    entry: dict[str, Any] | None

    def entry_in(self, benchmark_file: Path) -> dict[str, Any]:
        """Its entry of `systems`, in a study that comes from a packaged benchmark.

        Raises:
            AuditError: the file simulates no such model.
        """
        if self.entry is not None:
            return self.entry
        there = yaml.load(benchmark_file.read_text(encoding="utf-8"), LOADER)["systems"]
        simulated = {one["name"]: one for one in there if one["provider"] == SIMULATOR}
        if self.model not in simulated:
            problem = f'{benchmark_file.stem} simulates no model "{shorten(self.model)}"'
            raise AuditError(_OPTION, problem, remedy=f"Name one of {', '.join(simulated) or 'none'}")
        return simulated[self.model]


def asked_models(
    named: Sequence[str], base_url: str | None = None, key_variable: str | None = None, *, is_simulated: bool = False
) -> list[AuditedModel]:
    """The models that are named, each with how it is asked.

    Args:
        named: PROVIDER:NAME, each.
        base_url: the address of a server instead of the provider's own.
        key_variable: the variable that holds its key; at a provider's own address the usual one where None.
        is_simulated: whether the simulator stands in for all of them: then no key is needed.

    Raises:
        AuditError: a name is not of this form, its provider is unknown or needs more than a name, two models would
            have one name, a key is not set, or an option is of none of them.
    """
    models = [_asked(text, base_url, key_variable) for text in named]
    names = [one.name for one in models]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        same = ", ".join(text for text, one in zip(named, models, strict=True) if one.name in twice)
        remedy = "Leave one out, or ask them in two audits: --name NAME"
        raise AuditError(_OPTION, f"{same} would all have the name {twice[0]}", remedy=remedy)
    servers = sorted({one.provider for one in models if _own_address(one.provider) is not None})
    if base_url is not None and len(servers) != 1:
        problem = "expected models of one provider at this address"
        raise AuditError("--base-url", problem, remedy="Leave it out, or ask the others in an audit of their own")
    if not is_simulated:
        for one in models:
            _require_key(one)
    return models


def _asked(text: str, base_url: str | None, key_variable: str | None) -> AuditedModel:
    provider, colon, model = text.partition(":")
    if not colon or not provider or not model:
        raise AuditError(_OPTION, f'expected {FORM}, got "{shorten(text)}"')
    if provider not in providers or provider in IN_FILES_ALONE:
        known = ", ".join(name for name in providers if name not in IN_FILES_ALONE)
        remedy = "Other services and functions of your own are written into a study file: plumbline new"
        problem = f'expected a provider, one of {known}, before the colon, got "{shorten(text)}"'
        raise AuditError(_OPTION, problem, remedy=remedy)
    name = make_id(model)
    if not name:
        raise AuditError(_OPTION, f'expected a name with a letter or a digit after the colon, got "{shorten(text)}"')
    if provider == SIMULATOR:
        return AuditedModel(name, provider, model, None)
    entry: dict[str, Any] = {"name": name, "provider": provider, "model": model}
    if (at_home := _own_address(provider)) is not None:
        key = key_variable or (_KEYS.get(provider) if base_url is None else None)
        entry |= {"base_url": base_url or at_home} | ({"api_key_env": key} if key else {})
    elif provider == "transformers" and Path(model).is_dir():
        entry["model"] = str(Path(model).absolute())  # paths start from the study file otherwise
    return AuditedModel(name, provider, model, entry | {"decoding": {"temperature": 0, "max_tokens": MAX_TOKENS}})


def _own_address(provider: str) -> str | None:
    """Where a provider's server is unless a study says otherwise; None of one that answers in this process."""
    kind = providers[provider]
    return kind.default_url if issubclass(kind, RemoteProvider) else None


def _require_key(one: AuditedModel) -> None:
    variable = (one.entry or {}).get("api_key_env")
    if variable and not os.environ.get(variable):
        fix = f"Run `export {variable}=...`, name another variable with --api-key-env, {TRY_SIMULATED}"
        raise AuditError(f"{_OPTION} {one.provider}:{one.model}", f"{variable} is not set", remedy=fix)
