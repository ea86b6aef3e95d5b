"""From a generation of the study file to how it is asked, and where its answers are logged."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from python_assets.providers.function import FunctionProvider
from python_assets.providers.provider import Provider, providers
from python_assets.providers.records import Answers, Message, SystemConfig
from python_assets.registry import UserFunction, is_function_path, load_function, source_sha256
from python_assets.study.study import Study, System
from python_assets.warehouse.build import Home

SIMULATED_FOLDER = "simulated"


def generation_config(
    study: Study, system: System, answers: Answers | None = None, *, is_asked: bool = True
) -> SystemConfig:
    """How a generation or an engine of a study is asked.

    Args:
        study: the study.
        system: one of its generations or engines.
        answers: imported ones, for provider replay.
        is_asked: whether it may be; for a plan the file of a function is read and not run.

    Raises:
        StudyError: the function that the study names as provider cannot be loaded.
    """
    spec = system.spec
    function = None
    if is_function_path(spec.provider):
        unasked = UserFunction(_unasked, source_sha256(spec.provider, study.folder))
        function = load_function(spec.provider, study.folder) if is_asked else unasked
    return SystemConfig(
        system_id=system.system_id,
        provider=spec.provider,
        model=system.model,
        system_prompt=system.system_prompt,
        prompt_template=system.prompt_template,
        wave=system.wave,
        decoding=spec.decoding.model_dump(exclude_none=True),
        replicates=spec.replicates,
        concurrency=spec.concurrency,
        requests_per_minute=spec.requests_per_minute,
        tokens_per_minute=spec.tokens_per_minute,
        timeout_seconds=spec.timeout_seconds,
        max_retries=spec.max_retries,
        max_characters=spec.max_characters,
        reasoning_tags=spec.reasoning_tags,
        base_url=spec.addresses[0],
        base_urls=tuple(spec.base_url) if isinstance(spec.base_url, list) else (),
        api_key_env=spec.api_key_env,
        headers=spec.headers,
        options=spec.options,
        study_seed=study.seed,
        answers=answers or {},
        function=function.function if function else None,
        function_sha256=function.source_sha256 if function else None,
        folder=study.folder,
    )


def _unasked(messages: list[Message], decoding: Mapping[str, Any], **named: Any) -> None:
    """Stands in the place of a function that is not to be called."""
    raise AssertionError("a generation that is only planned was asked")


def make_provider(config: SystemConfig) -> Provider:
    """The provider of a generation: the user's own function where it has one, else the registered one.

    Raises:
        PlumblineError: the provider is unknown.
    """
    kind = FunctionProvider if config.function is not None else providers[config.provider]
    return kind(config)


def make_providers(config: SystemConfig) -> list[Provider]:
    """The providers of a generation, one for each of its addresses.

    Raises:
        PlumblineError: the provider is unknown.
    """
    return [make_provider(replace(config, base_url=url)) for url in config.base_urls or (config.base_url,)]


def log_path(study: Study, home: Home, name: str) -> Path:
    """The response log of a generation, or of an engine in one stage.

    A run with the simulator in the models' place has logs of its own: those of the models stay whole.
    """
    folder = home.responses(study.study_id)
    return (folder / SIMULATED_FOLDER if study.has_stand_in else folder) / f"{name}.jsonl"
