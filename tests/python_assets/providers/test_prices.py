import datetime as dt

import pytest

from python_assets.providers.prices import FREE, find_price, published_prices
from python_assets.providers.provider import providers
from python_assets.study.budget import TokenPrice
from python_assets.study.systems import System, SystemSpec


def system(model: str, provider: str = "openai", **spec: object) -> System:
    made = SystemSpec(name="one", provider=provider, model=model, **spec)  # type: ignore[arg-type]
    return System(system_id="one", model=model, system_prompt="", spec=made)


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("gpt-4o", 2.5),
        ("gpt-4o-2024-08-06", 2.5),
        ("gpt-4o-2024-05-13", 5.0),
        ("gpt-4o-mini-2024-07-18", 0.15),
        ("gpt-4o-audio-preview", None),
        ("gpt-4", None),
    ],
)
def test_a_version_with_a_date_costs_what_its_model_does_unless_it_has_a_price(model, price) -> None:
    found = find_price({}, system(model))
    assert (None if found is None else found.in_) == price


def test_a_model_of_anthropic_is_dated_without_dashes() -> None:
    found = find_price({}, system("claude-haiku-4-5-20251001", "anthropic"))
    assert found == TokenPrice(in_=1, cached=0.1, out=5)
    assert find_price({}, system("claude-haiku-4-5", "openai")) is None


@pytest.mark.parametrize("provider", ["simulator", "replay", "transformers"])
def test_nobody_is_paid_for_what_answers_here(provider) -> None:
    assert find_price({}, system("any", provider)) == FREE


def test_what_the_study_declares_comes_first() -> None:
    mine = TokenPrice(in_=7, out=8)
    assert find_price({"gpt-4o": mine}, system("gpt-4o")) == mine
    assert find_price({"gpt-4o": mine}, system("gpt-4o", base_url="http://h")) == mine
    assert find_price({"gpt-4o": mine}, system("gpt-4o", "simulator")) == FREE


def test_every_published_price_is_dated_sourced_and_of_a_provider() -> None:
    for (provider, model), found in published_prices().items():
        assert provider in providers
        assert dt.date.fromisoformat(found.date)
        assert found.source.startswith("https://"), model
        assert 0 < (found.price.cached or found.price.in_) <= found.price.in_ < found.price.out
