import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from python_assets.providers.configs import generation_config, log_path
from python_assets.providers.log import read_log
from python_assets.providers.loop import Logged, generate_all
from python_assets.providers.records import Outcome
from python_assets.providers.spending import (
    NO_PRICE,
    NOTHING_ASKED,
    UNBOUNDED_ANSWER,
    Amount,
    BudgetError,
    Spent,
    logged_usage,
    spending_of,
    spent_of,
)
from python_assets.providers.usage import Usage, usage_of
from python_assets.study.budget import TokenPrice
from python_assets.study.study import Study
from python_assets.warehouse.build import Home
from python_assets.warehouse.paths import PROJECT
from tests.python_assets.providers.conftest import Waits, numbered_prompts
from tests.python_assets.providers.servers import MODEL, Reply, Request, Server, openai_completion, serving

N_IN, N_OUT, N_CACHED = 30, 10, 20
PROMPTS = {"templates": {"cross": ["tone"], "texts": [{"id": "t", "text": "Say something {tone}."}]}}
FACTORS = {"factors": {"tone": {"levels": ["kind", "plain"]}}, "groupings": ["tone"]}

Run = Callable[..., list[Any]]


def counted_answer(server: Server, request: Request) -> Reply:
    """An answer with the counts that OpenAI sends."""
    reply = openai_completion("Something.")
    body = json.loads(reply.encoded())
    body["usage"] = {
        "prompt_tokens": N_IN,
        "completion_tokens": N_OUT,
        "prompt_tokens_details": {"cached_tokens": N_CACHED},
    }
    return Reply(body)


@pytest.fixture
def server():
    with serving(Server("/v1/chat/completions", counted_answer)) as server:
        yield server


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def study(make_study, server: Server) -> Callable[..., Study]:
    """A study of generations a and b at one server, with the budgets of its own and of theirs."""

    def make(budget: dict[str, float] | None = None, of_a: dict[str, float] | None = None, **spec: Any) -> Study:
        common = {"provider": "openai", "model": MODEL, "base_url": f"{server.url}/v1", "concurrency": 4, **spec}
        systems = [{"name": "a", **common}, {"name": "b", **common, "wave": "later"}]
        if of_a:
            systems[0]["budget"] = of_a
        parts = {"prices": {MODEL: {"in": 2.0, "cached": 0.5, "out": 8.0}}} | ({"budget": budget} if budget else {})
        return make_study(PROMPTS, systems=systems, **FACTORS, **parts)

    return make


@pytest.fixture
def run(home: Home, waits: Waits) -> Run:
    """Ask every generation of a study so many prompts."""

    def ask(study: Study, n_prompts: int) -> list[Any]:
        asked = [Logged(generation_config(study, one), log_path(study, home, one.system_id)) for one in study.systems]
        spending = spending_of(study, home)
        return generate_all(numbered_prompts(n_prompts), asked, addresses=waits.addresses(), spending=spending)

    return ask


def used(study: Study, home: Home) -> list[Usage]:
    return [logged_usage(study, home, one) for one in study.systems]


def test_calls_stop_at_the_budget_of_the_study_and_go_on_after_it_is_raised(study, run, home, server, refused) -> None:
    with refused(BudgetError, "budget") as raised:
        run(study({"calls": 13}), 10)
    assert "13 of 13 calls" in str(raised.value)
    assert "7 requests" in str(raised.value)
    assert len(server.calls) == 13
    with pytest.raises(BudgetError):  # nothing more is asked of a budget that is spent
        run(study({"calls": 13}), 10)
    assert len(server.calls) == 13
    runs = run(study({"calls": 20}), 10)
    assert len(server.calls) == 20
    assert [one.n_by_status["ok"] for one in runs] == [10, 10]
    run(study({"calls": 20}), 10)  # a budget that is spent keeps nobody from what is answered


def test_tokens_and_money_are_those_that_the_server_counted(study, run, home, server) -> None:
    run(study(), 3)
    one = Usage(3, 3 * N_IN, 3 * N_CACHED, 3 * N_OUT)
    assert used(study(), home) == [one, one]
    # (10 fresh x 2 + 20 cached x 0.5 + 10 written x 8) USD a million, three times
    assert one.usd(TokenPrice(in_=2, cached=0.5, out=8)) == pytest.approx(3 * 110 / 1e6)
    with_money = spending_of(study({"usd": 1}), home)
    (of_study,) = with_money.accounts["a"]
    assert of_study.spent == pytest.approx(Amount(6, 240, 660 / 1e6))


@pytest.mark.parametrize(("unit", "most"), [("tokens", 40 * 9 + 300), ("usd", 9 * 110e-6 + 0.0025)])
def test_a_budget_is_used_as_far_as_it_goes_and_never_overshot(study, run, home, server, unit, most) -> None:
    # every call sets aside 256 tokens of an answer and takes 10: what is in flight is waited for
    with pytest.raises(BudgetError):
        run(study({unit: most}, decoding={"max_tokens": 256}), 30)
    (account,) = spending_of(study({unit: most}), home).accounts["a"]
    spent = getattr(account.spent, unit)
    assert spent <= most
    assert len(server.calls) >= 9
    assert used(study(), home)[0].n_calls == len(server.calls)


def test_a_system_has_a_budget_of_its_own_beside_others(study, run, home, server) -> None:
    with pytest.raises(BudgetError, match=r"system a.budget: got 4 of 4 calls"):
        run(study(of_a={"calls": 4}), 10)
    assert [one.n_calls for one in used(study(), home)] == [4, 10]


def test_the_smaller_of_two_budgets_counts(study, run, home) -> None:
    with pytest.raises(BudgetError, match=r"budget: got 3 of 3 calls"):
        run(study({"calls": 3}, {"calls": 4}), 10)
    assert [one.n_calls for one in used(study(), home)] == [3, 0]


def test_a_simulated_study_is_bounded_by_calls_and_tokens_and_pays_nothing(make_study, run, home) -> None:
    def simulated(**budget: float) -> Study:
        return make_study(PROMPTS, budget=budget, **FACTORS)

    run(simulated(usd=1e-9), 5)
    (usage,) = used(simulated(usd=1), home)
    assert usage.n_calls == 5
    assert usage.n_tokens > 0
    with pytest.raises(BudgetError, match="8 of 8 calls"):
        run(simulated(calls=8), 20)
    with pytest.raises(BudgetError, match="tokens spent"):
        run(simulated(tokens=usage.n_tokens * 3), 200)
    assert run(simulated(calls=20), 20)[0].n_by_status["ok"] == 20


def test_what_failed_counts_as_a_call_and_what_is_asked_again_counts_twice(study, run, home, server) -> None:
    server._answer = lambda *_: Reply({"error": {"message": "down", "type": "server_error"}}, 500)
    spec = {"max_retries": 0, "concurrency": 1}
    run(study(**spec), 2)
    assert [one.n_calls for one in used(study(), home)] == [2, 2]
    assert used(study(), home)[0].n_tokens == 0
    server._answer = counted_answer
    run(study(**spec), 2)
    assert [one.n_calls for one in used(study(), home)] == [4, 4]


def test_tokens_that_nobody_counted_are_estimated() -> None:
    messages = [{"role": "user", "content": "four" * 10}]
    assert usage_of(Outcome("eight..." * 5), messages) == Usage(1, 14, 0, 10)  # type: ignore[arg-type]
    assert usage_of(Outcome(None, error="timeout: none"), messages) == Usage(1, 0, 0, 0)  # type: ignore[arg-type]
    told = Outcome("x", n_tokens_in=7, n_tokens_out=3, n_tokens_cached=9, n_calls=2)
    assert usage_of(told, messages) == Usage(2, 7, 7, 3)  # type: ignore[arg-type]


def test_an_answer_that_nothing_bounds_is_taken_for_a_long_one(study, run, server) -> None:
    with pytest.raises(BudgetError, match="0 of"):
        run(study({"tokens": UNBOUNDED_ANSWER}, decoding={"max_tokens": None}), 1)
    assert server.calls == []


def test_the_log_keeps_how_many_calls_and_cached_tokens_there_were(study, run, home) -> None:
    run(study(), 1)
    (outcome,) = read_log(log_path(study(), home, "a")).outcomes.values()
    assert (outcome.n_calls, outcome.n_tokens_cached) == (1, N_CACHED)


def test_what_was_spent_is_what_the_budgets_count(study: Callable[..., Study], run: Run, home: Home) -> None:
    run(study(), 3)
    asked = study()
    cost = 2 * 3 * ((N_IN - N_CACHED) * 2.0 + N_CACHED * 0.5 + N_OUT * 8.0) / 1e6
    assert spent_of(asked, home) == Spent(6, 6 * N_IN, 6 * N_OUT, pytest.approx(cost), None)
    counted = [
        account.spent for accounts in spending_of(study({"calls": 9}), home).accounts.values() for account in accounts
    ]
    assert counted[0].calls == 6 and counted[0].usd == pytest.approx(cost)
    run(asked, 3)  # which the log answers
    assert spent_of(asked, home).n_calls == 6


def test_a_model_that_was_asked_without_a_price_leaves_the_cost_open(make_study, study, run: Run, home: Home) -> None:
    run(study(), 1)
    systems = [
        {"name": "a", "provider": "openai", "model": MODEL, "base_url": "http://127.0.0.1:1/v1"},
        {"name": "never_asked", "provider": "openai", "model": "of_no_price", "base_url": "http://127.0.0.1:1/v1"},
    ]
    unpriced = make_study(PROMPTS, systems=systems, **FACTORS)
    assert spent_of(unpriced, home) == Spent(1, N_IN, N_OUT, None, NO_PRICE)
    priced = make_study(PROMPTS, systems=systems, prices={MODEL: {"in": 1.0, "out": 0.0}}, **FACTORS)
    assert spent_of(priced, home) == Spent(1, N_IN, N_OUT, pytest.approx(N_IN / 1e6), None)


def test_who_asks_nobody_has_spent_nothing_that_could_be_told(make_study, home: Home) -> None:
    assert spent_of(make_study(PROMPTS, **FACTORS), home) == Spent(None, None, None, None, NOTHING_ASKED)


def test_engines_are_counted_with_what_they_asked_in_any_stage(make_study, study, run: Run, home: Home) -> None:
    run(study(), 2)
    folder = home.responses("test_study")
    shutil.copyfile(folder / "a.jsonl", folder / "judge.extract.jsonl")
    systems = [
        {"name": "one", "provider": "simulator"},
        {"name": "judge", "provider": "openai", "model": MODEL, "base_url": "http://127.0.0.1:1/v1", "engine": True},
    ]
    judged = make_study(PROMPTS, systems=systems, prices={MODEL: {"in": 1.0, "out": 1.0}}, **FACTORS)
    assert spent_of(judged, home) == Spent(2, 2 * N_IN, 2 * N_OUT, pytest.approx(2 * (N_IN + N_OUT) / 1e6), None)


def test_the_reasons_without_a_cost_are_told_in_the_seed() -> None:
    with (PROJECT / "dbt_models" / "seeds" / "reasons.csv").open(encoding="utf-8", newline="") as file:
        assert {NO_PRICE, NOTHING_ASKED} <= {row["reason"] for row in csv.DictReader(file)}
