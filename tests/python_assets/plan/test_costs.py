from collections.abc import Callable
from typing import Any

import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.generate.generate_study import read_prompts
from python_assets.plan.costs import require_budget
from python_assets.plan.plan import plan_study
from python_assets.plan.requested import IN_MEMORY
from python_assets.plan.text import Plan, PlannedCost, total_cost
from python_assets.providers.configs import generation_config, log_path
from python_assets.providers.log import LogWriter, read_log, response_line
from python_assets.providers.loop import requests_to_ask
from python_assets.providers.records import Outcome
from python_assets.providers.spending import BudgetError
from python_assets.scrape.scrape_study import scrape
from python_assets.study.study import Study
from python_assets.warehouse import paths
from python_assets.warehouse.build import open_build
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import RunContext

MODEL = "gpt-4.1-mini-2025-04-14"
N_PROMPTS = 4  # of two texts
TEXTS = [{"id": name, "text": f"Text {name} of {{tone}} words."} for name in ("a", "b")]
PARTS = {"factors": {"tone": {"levels": ["kind", "plain"]}}, "groupings": ["tone"]}
PROMPTS = {"templates": {"cross": ["tone"], "texts": TEXTS}}


@pytest.fixture
def study(make_study, tmp_path, monkeypatch) -> Callable[..., Study]:
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KEY", "k")

    def make(system: dict[str, Any] | None = None, **parts: Any) -> Study:
        asked = {"name": "one", "provider": "openai", "model": MODEL, "api_key_env": "KEY", "concurrency": 2}
        return make_study(PROMPTS, systems=[{**asked, **(system or {})}], **PARTS, **parts)

    return make


def answer(study: Study, n: int, **outcome: Any) -> None:
    """Write answers to the first so many prompts of the study that lack one into its log, as a run would."""
    (system,) = study.systems
    config, path = generation_config(study, system), log_path(study, paths.home(), system.system_id)
    with open_build(IN_MEMORY) as connection:
        context = RunContext(paths.home(), SILENT, may_ask=False)
        scrape(study, connection, context)
        assemble(study, connection, context)
        requests = requests_to_ask(read_prompts(connection), config, read_log(path))[:n]
    with LogWriter(path, read_log(path)) as writer:
        writer.append(response_line(one, Outcome("An answer.", **outcome)) for one in requests)


def cost(study: Study) -> PlannedCost:
    (row,) = plan_study(study).costs
    return row


def test_without_a_log_tokens_are_estimated_money_is_an_upper_bound_and_minutes_are_unknown(study) -> None:
    row = cost(study())
    assert (row.n_answered, row.n_calls, row.n_requests) == (0, N_PROMPTS, N_PROMPTS)
    assert row.n_tokens_out is row.usd is row.minutes is None
    assert row.n_tokens_out_most == N_PROMPTS * 256
    assert row.n_tokens_in is not None
    # 0.40 and 1.60 USD a million tokens
    assert row.usd_most == pytest.approx((row.n_tokens_in * 0.4 + N_PROMPTS * 256 * 1.6) / 1e6)


def test_what_is_answered_is_left_out_and_tells_what_the_rest_takes(study) -> None:
    one = study({"concurrency": 2})
    answer(one, 1, n_tokens_in=50, n_tokens_out=20, latency_seconds=6.0)
    row = cost(one)
    assert (row.n_answered, row.n_calls, row.n_tokens_out) == (1, 3, 60)
    assert row.minutes == pytest.approx(3 * 6 / 2 / 60)
    assert row.usd == pytest.approx((row.n_tokens_in * 0.4 + 60 * 1.6) / 1e6)


def test_declared_rates_bound_the_minutes(study) -> None:
    assert cost(study({"requests_per_minute": 2})).minutes == pytest.approx(N_PROMPTS / 1.9)
    slow = study({"requests_per_minute": 2})
    answer(slow, 1, latency_seconds=600.0)
    assert cost(slow).minutes == pytest.approx(3 * 600 / 2 / 60)


@pytest.mark.parametrize(
    ("system", "parts", "usd"),
    [
        ({"base_url": "http://localhost:8000/v1"}, {}, None),
        ({"base_url": "http://localhost:8000/v1"}, {"prices": {MODEL: {"in": 0, "out": 0}}}, 0.0),
        ({"model": "gpt-unheard-of"}, {}, None),
        ({}, {"prices": {MODEL: {"in": 0, "out": 1e6}}}, N_PROMPTS * 256.0),
    ],
    ids=["another address", "declared to be free", "unknown model", "declared"],
)
def test_a_price_holds_at_its_address_and_the_study_may_declare_another(study, system, parts, usd) -> None:
    plan = plan_study(study(system, **parts))
    assert plan.costs[0].usd_most == usd
    assert ("no price" in plan.text()) == (usd is None)


def test_the_plan_shows_costs_as_a_table(study, snapshot) -> None:
    text = plan_study(study(budget={"usd": 0.001, "calls": 10})).text()
    assert [part for part in text.split("\n\n") if part.startswith(("still to ask", "Warnings"))] == snapshot


def test_a_budget_that_is_spent_is_told_before_anything_runs(study, refused) -> None:
    bounded = study(budget={"calls": 2})
    answer(bounded, 2)
    with refused(BudgetError, "budget"):
        require_budget(bounded)
    plan: Plan = plan_study(bounded)
    assert [str(error) for error in plan.spent] == [str(plan.spent[0])]
    assert "A run would fail" in plan.text()
    answer(bounded, 2)
    require_budget(bounded)  # all is answered: a run goes on to what is derived
    assert plan_study(bounded).spent == []


def test_a_simulated_study_has_costs_where_it_has_a_budget(make_study, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "home"))
    assert plan_study(make_study(PROMPTS, **PARTS)).costs == []
    row = cost(make_study(PROMPTS, **PARTS, budget={"calls": 100}))
    assert (row.n_calls, row.usd_most) == (N_PROMPTS, 0.0)


def test_those_at_one_address_take_their_minutes_together_and_what_is_answered_takes_none() -> None:
    def row(minutes: float | None, address: str) -> PlannedCost:
        return PlannedCost("one", 1, 2, 30, 40, 50, 0.5, 1.0, minutes, 2, address, has_price=True)

    costs = [row(2.0, "http://a"), row(0.0, "http://a"), row(1.5, "http://b"), row(1.0, "http://b")]
    assert total_cost(costs) == ("all", 4, 8, 120, 160, 200, 2.0, 4.0, 2.5)
    assert total_cost(costs[:2])[-1] == 2.0
    assert total_cost([*costs, row(None, "http://c")])[-1] is None
    assert total_cost([])[-1] == 0.0
