"""What a run would still ask, in calls, tokens, money and minutes, and whether the budgets have room for it.

Belongs here: what the logs lack, at what their answers took on the average. What is spent is
providers/spending.py.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import duckdb

from python_assets.generate.generate_study import asked_systems, read_prompts
from python_assets.plan.requested import IN_MEMORY, assemble_offline
from python_assets.plan.text import PlannedCost, PlannedSystem
from python_assets.providers.addresses import SHARE
from python_assets.providers.configs import generation_config, log_path
from python_assets.providers.log import read_log
from python_assets.providers.loop import requests_to_ask
from python_assets.providers.messages import estimated_tokens
from python_assets.providers.missing import most_calls
from python_assets.providers.prices import price_of
from python_assets.providers.records import Outcome, SystemConfig
from python_assets.providers.spending import (
    PROBE,
    STAGES,
    Account,
    BudgetError,
    most_tokens_out,
    shown_amount,
    spending_of,
)
from python_assets.providers.usage import Usage
from python_assets.study.base import REPLAY, SIMULATOR
from python_assets.study.study import Study, System
from python_assets.warehouse import paths
from python_assets.warehouse.build import Home, open_build
from python_assets.warehouse.run_context import OfflineError


class _Logged(NamedTuple):
    """What a log holds: answers, and what one took on the average; None where no answer says it."""

    n_answered: int
    n_tokens_in: float | None
    n_tokens_out: float | None
    seconds: float | None


class _Left(NamedTuple):
    """What is left to ask; None where it is not known."""

    n_requests: int | None
    n_calls: int | None
    n_tokens_in: int | None


def planned_costs(
    study: Study, connection: duckdb.DuckDBPyConnection, engines: Sequence[PlannedSystem], home: Home
) -> list[PlannedCost]:
    """What each generation, and each engine in all its stages, would still be asked.

    Args:
        study: the study.
        connection: a copy in memory with its sentences and prompts.
        engines: what is asked of them in all, as planned_engines counts it.
        home: where the logs lie.

    Returns:
        One row a generation or engine that is not simulated, or that has a budget.
    """
    prompts = None
    costs = []
    for system, config in asked_systems(study, connection, home):
        if not _is_told(study, system):
            continue
        prompts = read_prompts(connection) if prompts is None else prompts
        log = read_log(log_path(study, home, system.system_id))
        logged = _logged(log.outcomes.values())
        requests = requests_to_ask(prompts, config, log)
        n_in = sum(estimated_tokens(one.messages) for one in requests)
        if config.extension:  # what it puts before a prompt is known of answers alone
            n_in = round(len(requests) * (logged.n_tokens_in or n_in * config.extension.most_calls))
        left = _Left(len(requests), len(requests) * most_calls(config), n_in)
        # the log has what other waves and versions of the study asked, too
        n_answered = min(logged.n_answered, max(0, len(prompts) * config.replicates - len(requests)))
        logged = logged._replace(n_answered=n_answered)
        costs.append(_cost(study, system, config, left, logged))
    return [*costs, *_engine_costs(study, engines, home)]


def _engine_costs(study: Study, engines: Sequence[PlannedSystem], home: Home) -> Iterator[PlannedCost]:
    """What is planned of each, less what its logs hold; what its prompts are long the logs alone tell."""
    for engine in study.engines.values():
        if not _is_told(study, engine):
            continue
        stages = [stage for stage in STAGES if stage != PROBE]
        logs = [read_log(log_path(study, home, f"{engine.system_id}.{stage}")) for stage in stages]
        logged = _logged([outcome for log in logs for outcome in log.outcomes.values()])
        planned = [row.n_calls for row in engines if row.system_id == engine.system_id]
        n = None if None in planned else max(0, sum(filter(None, planned)) - logged.n_answered)
        n_in = None
        if n is not None and (n == 0 or logged.n_tokens_in is not None):
            n_in = round(n * (logged.n_tokens_in or 0))
        yield _cost(study, engine, generation_config(study, engine, is_asked=False), _Left(n, n, n_in), logged)


def _is_told(study: Study, system: System) -> bool:
    has_budget = study.budget is not None or system.spec.budget is not None
    return system.spec.provider != REPLAY and (has_budget or system.spec.provider != SIMULATOR)


def _logged(outcomes: Iterable[Outcome]) -> _Logged:
    answers = [one for one in outcomes if one.error is None]
    return _Logged(
        len(answers),
        _mean(one.n_tokens_in for one in answers),
        _mean(one.n_tokens_out for one in answers),
        _mean(one.latency_seconds for one in answers),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _cost(study: Study, system: System, config: SystemConfig, left: _Left, logged: _Logged) -> PlannedCost:
    price = price_of(study, system)
    n_out = n_most = None
    if left.n_requests is not None and left.n_calls is not None:
        n_most = left.n_calls * most_tokens_out(config) if config.decoding.get("max_tokens") else None
        n_out = None if logged.n_tokens_out is None else round(left.n_requests * logged.n_tokens_out)
        if left.n_calls == 0:
            n_out = n_most = 0

    def usd(n_tokens_out: int | None) -> float | None:
        if price is None or left.n_tokens_in is None or n_tokens_out is None:
            return None
        return Usage(0, left.n_tokens_in, 0, n_tokens_out).usd(price)

    return PlannedCost(
        system_id=system.system_id,
        n_answered=logged.n_answered,
        n_calls=left.n_calls,
        n_tokens_in=left.n_tokens_in,
        n_tokens_out=n_out,
        n_tokens_out_most=n_most,
        usd=usd(n_out),
        usd_most=usd(n_most),
        minutes=_minutes(config, left, n_out, logged),
        n_requests=left.n_requests,
        has_price=price is not None,
        address=config.base_url or f"provider {config.provider}",
    )


def _minutes(config: SystemConfig, left: _Left, n_out: int | None, logged: _Logged) -> float | None:
    """The longest of what calls at a time, and each rate that is declared, make of it; None without any of them."""
    if left.n_requests is None or left.n_calls is None:
        return None
    if left.n_requests == 0:
        return 0.0
    durations = []
    if logged.seconds is not None:
        durations.append(left.n_requests * logged.seconds / config.concurrency / 60)
    if config.requests_per_minute:
        durations.append(left.n_calls / (SHARE * config.requests_per_minute))
    if config.tokens_per_minute and left.n_tokens_in is not None and n_out is not None:
        durations.append((left.n_tokens_in + n_out) / (SHARE * config.tokens_per_minute))
    return max(durations, default=None)


def budget_warnings(study: Study, costs: Sequence[PlannedCost], home: Home) -> Iterator[str]:
    """Budgets that would end the run before all is asked."""
    for account, names in _accounts(study, home):
        rows = [row for row in costs if row.system_id in names]
        for unit, limit in account.budget.model_dump(exclude_none=True).items():
            more = sum(filter(None, (row.amount(unit) for row in rows)))
            if more > (left := max(0, limit - getattr(account.spent, unit))):
                yield (
                    f"{account.field}: {shown_amount(unit, left)} of {shown_amount(unit, limit)} {unit} are left, and "
                    f"up to {shown_amount(unit, more)} are to be asked: the run may stop before the end"
                )


def spent_budgets(study: Study, costs: Sequence[PlannedCost], home: Home) -> list[BudgetError]:
    """Budgets of which nothing is left, where there is more to ask."""
    errors = []
    for account, names in _accounts(study, home):
        n_left = sum(row.n_requests or 0 for row in costs if row.system_id in names)
        if n_left and (unit := account.spent_unit):
            errors.append(account.error(unit, n_left))
    return errors


def require_budget(study: Study) -> None:
    """Refuse a run whose budget is spent and that has more to ask, as far as is known before anything is fetched.

    Raises:
        BudgetError: it is spent, and there is more.
        SourceError: a source or table cannot be read.
    """
    home = paths.home()
    if not any(account.spent_unit for account, _ in _accounts(study, home)):
        return  # what is left is seen before each call
    with open_build(IN_MEMORY) as connection:
        try:
            assemble_offline(study, connection, home)
        except OfflineError:
            return  # told as soon as an engine is to be asked
        costs = planned_costs(study, connection, [], home)
    for error in spent_budgets(study, costs, home):
        raise error


def _accounts(study: Study, home: Home) -> list[tuple[Account, set[str]]]:
    """Every budget once, and who draws on it."""
    names: defaultdict[Account, set[str]] = defaultdict(set)
    for name, accounts in spending_of(study, home).accounts.items():
        for account in accounts:
            names[account].add(name)
    return list(names.items())
