from typing import Any

import pytest

from python_assets.errors import PlumblineError
from python_assets.providers.provider import config_problems, providers
from python_assets.providers.records import SystemConfig

LEVELS = {"concept": ["Italy", "Japan"]}


def test_every_provider_registers_itself() -> None:
    assert list(providers) == ["anthropic", "http", "ollama", "openai", "replay", "simulator", "transformers"]


@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_a_server_needs_a_model_and_an_address(told: Any, provider: str) -> None:
    config = SystemConfig("g", provider, base_url="localhost:1")
    assert told(config_problems(config, LEVELS)) == ["model", "base_url"]


def test_effects_of_the_simulator_are_checked_against_the_declared_levels(told: Any) -> None:
    effects = {"concept": {"Itlay": 0.1}}
    config = SystemConfig("g", "simulator", options={"refusal": {"effects": effects}, "mood": {}})
    assert told(config_problems(config, LEVELS)) == ["options.mood", "options.refusal.effects.concept.Itlay"]


def test_right_configurations_have_no_problem() -> None:
    assert config_problems(SystemConfig("g", "replay"), LEVELS) == []
    assert config_problems(SystemConfig("g", "ollama", "llama3.1:8b"), LEVELS) == []


def test_an_unknown_provider_lists_the_known_ones(refused: Any) -> None:
    with refused(PlumblineError, "provider"):
        config_problems(SystemConfig("g", "nobody"), LEVELS)
