"""What a study may still spend: its budgets, what its response logs say is spent, and what is in flight.

Belongs here: asking before a request and counting after it. What was asked in earlier runs counts, as long as its log
is kept: a budget is for the study as it is kept.
"""

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from python_assets.errors import FieldPath, PlumblineError, field_name
from python_assets.providers.configs import log_path
from python_assets.providers.log import read_log
from python_assets.providers.messages import estimated_tokens
from python_assets.providers.missing import most_calls
from python_assets.providers.prices import FREE, price_of
from python_assets.providers.records import Outcome, Request, SystemConfig
from python_assets.providers.usage import Usage, usage_of
from python_assets.study.base import REPLAY, SIMULATOR
from python_assets.study.budget import Budget, TokenPrice
from python_assets.study.study import Study, System
from python_assets.warehouse.build import Home

PROBE: Final = "probe"
STAGES: Final = ("scrape", "assemble", "generate", "extract", PROBE)  # that ask engines, each with a log of its own
UNBOUNDED_ANSWER: Final = 1_024  # tokens taken for an answer that nothing bounds
NOTHING_ASKED: Final = "nothing_asked"
NO_PRICE: Final = "no_price"


class BudgetError(PlumblineError):
    """A budget is spent, and there is more to ask."""


class Amount(NamedTuple):
    """What is spent, or may be, in the units of a budget."""

    calls: float = 0
    tokens: float = 0
    usd: float = 0

    def plus(self, other: "Amount", sign: int = 1) -> "Amount":
        """Both together, or one less the other."""
        return Amount(*(a + sign * b for a, b in zip(self, other, strict=True)))


def amount_of(usage: Usage, price: TokenPrice) -> Amount:
    """A usage in the units of a budget."""
    return Amount(usage.n_calls, usage.n_tokens, usage.usd(price))


@dataclass(eq=False)
class Account:
    """One budget: what is spent of it, and what is held for requests in flight.

    where: the budget's place in the study file.
    """

    where: FieldPath
    budget: Budget
    spent: Amount
    held: Amount = Amount()
    n_in_flight: int = 0

    def short_of(self, wanted: Amount) -> str | None:
        """The unit that is too small for what is wanted beside what is in flight; None where there is enough."""
        total = self.spent.plus(self.held).plus(wanted)
        limits = (self.budget.calls, self.budget.tokens, self.budget.usd)
        for unit, limit, needed in zip(Amount._fields, limits, total, strict=True):
            if limit is not None and needed > limit:
                return unit
        return None

    @property
    def spent_unit(self) -> str | None:
        """The unit of which nothing is left; None where some of each is."""
        limits = self.budget.model_dump(exclude_none=True)
        return next((unit for unit, limit in limits.items() if getattr(self.spent, unit) >= limit), None)

    @property
    def field(self) -> str:
        """The budget's place in the study file, in words."""
        return field_name(self.where[1:])

    @property
    def told(self) -> str:
        """What is spent of each limit, in words."""
        limits = self.budget.model_dump(exclude_none=True)
        spent = {unit: shown_amount(unit, getattr(self.spent, unit)) for unit in limits}
        return ", ".join(f"{spent[unit]} of {shown_amount(unit, limit)} {unit}" for unit, limit in limits.items())

    def error(self, unit: str, n_left: int) -> BudgetError:
        """That it is spent, with what is left to ask."""
        left = "1 request is" if n_left == 1 else f"{n_left:,} requests are"
        return BudgetError(
            self.where,
            f"{self.told} spent, as the response logs have it",
            f"enough {unit} for one more request, as {left} left to ask",
            f"raise budget.{unit} and give the same command again: what was answered is kept, the rest is asked",
        )


@dataclass(eq=False)
class Held:
    """What is held for one request until its outcome is known."""

    accounts: Sequence[Account]
    amount: Amount
    price: TokenPrice
    request: Request


class Reached(NamedTuple):
    """The budget that a request did not fit into, and the unit it fell short of."""

    account: Account
    unit: str


@dataclass(eq=False)
class Spending:
    """The budgets of a study while it asks: of the study and of its generations.

    Attributes:
        accounts: that a generation draws on, by its id; none where nothing bounds it.
        prices: of its tokens, where they are known.
        reached: the budget that was too small, by generation.
    """

    accounts: Mapping[str, Sequence[Account]] = field(default_factory=dict)
    prices: Mapping[str, TokenPrice] = field(default_factory=dict)
    reached: dict[str, Reached] = field(default_factory=dict)
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)

    def hold(self, request: Request, config: SystemConfig) -> Held | Reached:
        """Set aside the most that a request may take, or say which budget is too small for it now."""
        accounts = self.accounts.get(config.system_id, ())
        price = self.prices.get(config.system_id, FREE)
        amount = _most(request, config, price) if accounts else Amount()
        for account in accounts:
            if unit := account.short_of(amount):
                return Reached(account, unit)
        for account in accounts:
            account.held = account.held.plus(amount)
            account.n_in_flight += 1
        return Held(accounts, amount, price, request)

    def hold_now(self, request: Request, config: SystemConfig) -> Held | None:
        """As hold; None where it does not fit, which is remembered."""
        return self._remembered(self.hold(request, config), config)

    async def hold_later(self, request: Request, config: SystemConfig) -> Held | None:
        """As hold_now, once what is in flight leaves room: less may come of it than was set aside."""
        while isinstance(hold := self.hold(request, config), Reached) and hold.account.n_in_flight:
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter
        return self._remembered(hold, config)

    def _remembered(self, held: Held | Reached, config: SystemConfig) -> Held | None:
        if isinstance(held, Held):
            return held
        self.reached[config.system_id] = held
        return None

    def settle(self, held: Held, outcome: Outcome | None) -> None:
        """Count what a request took in the place of what was set aside; nothing where it has no outcome."""
        taken = Amount() if outcome is None else amount_of(usage_of(outcome, held.request.messages), held.price)
        for account in held.accounts:
            account.held = account.held.plus(held.amount, -1)
            account.spent = account.spent.plus(taken)
            account.n_in_flight -= 1
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)
        self._waiting.clear()

    def require_all(self, n_left: Mapping[str, int]) -> None:
        """See that no budget ended what was to be asked.

        Args:
            n_left: requests without an outcome, by generation.

        Raises:
            BudgetError: one did.
        """
        stopped = [(reached, n_left[name]) for name, reached in self.reached.items() if n_left.get(name)]
        if stopped:
            account, unit = stopped[0][0]
            raise account.error(unit, sum(n for reached, n in stopped if reached.account is account))


UNBOUNDED: Final = Spending()


def spending_of(study: Study, home: Home) -> Spending:
    """What a study may still spend, by its response logs as they are now.

    Every generation and engine that the study names counts, with what it asked in any stage and any run; what only
    earlier versions of the study file named does not.

    Args:
        study: its budgets and prices.
        home: where its logs lie.
    """
    everyone = [one for one in (*study.systems, *study.engines.values()) if one.spec.provider != REPLAY]
    if study.budget is None and all(one.spec.budget is None for one in everyone):
        return UNBOUNDED
    prices = {one.system_id: price_of(study, one) or FREE for one in everyone}  # unknown where no usd is bounded
    spent = {one.system_id: amount_of(logged_usage(study, home, one), prices[one.system_id]) for one in everyone}
    accounts: dict[str, list[Account]] = {one.system_id: [] for one in everyone}
    if study.budget is not None:
        total = Amount(*(map(sum, zip(*spent.values(), strict=True)) if spent else Amount()))
        study_account = Account((study.path, "budget"), study.budget, total)
        for listed in accounts.values():
            listed.append(study_account)
    for one in everyone:
        if one.spec.budget is not None:
            where = (study.path, f"system {one.system_id}", "budget")
            accounts[one.system_id].append(Account(where, one.spec.budget, spent[one.system_id]))
    return Spending(accounts, prices)


def logged_usage(study: Study, home: Home, system: System) -> Usage:
    """What a generation or an engine used in all its logs."""
    name = system.system_id
    names = [f"{name}.{stage}" for stage in STAGES] if system.spec.engine else [name]
    return sum((_used(log_path(study, home, one)) for one in names), Usage())


class Spent(NamedTuple):
    """What the calls of a study used and cost, as table runs has it; what is not known is None.

    cost_reason: a row of table reasons, where cost_usd is None.
    """

    n_calls: int | None
    n_input_tokens: int | None
    n_output_tokens: int | None
    cost_usd: float | None
    cost_reason: str | None


def spent_of(study: Study, home: Home) -> Spent:
    """What a study used and cost by now, by the same logs that its budgets are held against.

    Args:
        study: its generations, engines and prices.
        home: where its logs lie.

    Raises:
        ProviderError: a log cannot be read.
    """
    everyone = [*study.systems, *study.engines.values()]
    priced_usages = [
        (used, price_of(study, one))
        for one in everyone
        if one.spec.provider not in (REPLAY, SIMULATOR) and (used := logged_usage(study, home, one)).n_calls
    ]
    if not priced_usages:
        return Spent(None, None, None, None, NOTHING_ASKED)
    total = sum((used for used, _ in priced_usages), Usage())
    costs = [None if price is None else used.usd(price) for used, price in priced_usages]
    usd = None if None in costs else math.fsum(filter(None, costs))
    return Spent(
        total.n_calls, total.n_tokens_in, total.n_tokens_out, usd, cost_reason=NO_PRICE if usd is None else None
    )


def shown_amount(unit: str, amount: float) -> str:
    """An amount of a budget in words."""
    return f"{amount:,.4f}".rstrip("0").rstrip(".") if unit == "usd" else f"{amount:,.0f}"


def _used(path: Path) -> Usage:
    try:
        state = path.stat()
    except OSError:
        return Usage()
    return _used_by(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=256)
def _used_by(path: Path, _size: int, _mtime_ns: int) -> Usage:
    """Of a log as it is: engines are asked many times a run, and each time the other logs are as they were."""
    return read_log(path).used


def _most(request: Request, config: SystemConfig, price: TokenPrice) -> Amount:
    """What a request takes at most, as far as that is known before it is asked."""
    n = most_calls(config)
    n_out = most_tokens_out(config) * n
    return amount_of(Usage(n, estimated_tokens(request.messages) * n, 0, n_out), price)


def most_tokens_out(config: SystemConfig) -> int:
    """The longest answer that a generation allows, in tokens; UNBOUNDED_ANSWER where it bounds none."""
    return int(config.decoding.get("max_tokens") or UNBOUNDED_ANSWER)
