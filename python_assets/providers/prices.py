"""What a million tokens of a model cost: as the study declares it, else as its provider published it.

Belongs here: the table and finding a model in it. A published price holds at the provider's own address alone, as
others who serve a model under its name have prices of their own.
"""

import csv
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from python_assets.providers.provider import LocalProvider, RemoteProvider, providers
from python_assets.study.base import REPLAY, SIMULATOR
from python_assets.study.budget import TokenPrice
from python_assets.study.study import Study, System

FREE: Final = TokenPrice(in_=0, out=0)
_TABLE: Final = Path(__file__).parent / "prices.csv"
_DATE_OF_A_VERSION: Final = re.compile(r"-\d{4}-?\d\d-?\d\d")


class ListPrice(NamedTuple):
    """A list price and where it stands; date: when it was read there, ISO 8601."""

    price: TokenPrice
    date: str
    source: str


@cache
def published_prices() -> dict[tuple[str, str], ListPrice]:
    """List prices by provider and model, in US dollars a million tokens."""
    with _TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (row["provider"], row["model"]): ListPrice(
                TokenPrice(
                    in_=float(row["in"]), out=float(row["out"]), cached=float(row["cached"]) if row["cached"] else None
                ),
                row["date"],
                row["source"],
            )
            for row in csv.DictReader(file)
        }


def price_of(study: Study, system: System) -> TokenPrice | None:
    """What the tokens of a generation cost, None where nobody said.

    Nobody is paid for imported and simulated answers, and for a model in this process unless the study says so.
    """
    return find_price(study.prices, system)


def priced_as(system: System) -> str:
    """What a study declares its price under: the model's name at its server, its own where it names no model."""
    return system.model or system.system_id


def find_price(declared: dict[str, TokenPrice], system: System) -> TokenPrice | None:
    """As price_of, by what a study declares of models.

    Args:
        declared: by what priced_as gives.
        system: of the study.
    """
    name = system.spec.provider
    if name in (REPLAY, SIMULATOR):
        return FREE
    if (named := priced_as(system)) in declared:
        return declared[named]
    return list_price(name, system.model, system.spec.addresses)


def list_price(provider: str, model: str, addresses: Sequence[str | None]) -> TokenPrice | None:
    """What the tokens of a model cost by its provider's list, None where that does not say it.

    Args:
        provider: a registered name, or a function of the user's own, which has no list price.
        model: the model's name at its server.
        addresses: where it is asked; None is the provider's own.
    """
    if provider not in providers:
        return None
    kind = providers[provider]
    if issubclass(kind, LocalProvider):
        return FREE
    at_home = (None, kind.default_url) if issubclass(kind, RemoteProvider) else (None,)
    if any(url not in at_home for url in addresses):
        return None
    table = published_prices()
    dated = _DATE_OF_A_VERSION.search(model)
    undated = model[: dated.start()] if dated and dated.end() == len(model) else model
    entry = table.get((provider, model)) or table.get((provider, undated))
    return entry.price if entry else None
