"""The table of what benchmarks cost is what a plan says, and the first lines of an audit are of it."""

import itertools

import pytest

from docs.make_audit_costs import entries_of
from python_assets.audit.begun import Wanted, audit_to_be
from python_assets.audit.benchmarks import benchmark_names
from python_assets.audit.cost_lines import estimate, headline, other_design
from python_assets.audit.costs import EFFECTS, FULL, MOST_MODELS, QUICK, cost_of
from python_assets.audit.design import planned_cost, sized
from python_assets.audit.models import asked_models
from python_assets.audit.prepare import prepare

REMADE = "python -m docs.make_audit_costs makes the table anew"


def never(benchmark, state):
    raise AssertionError(f"{benchmark} was read")


def lines_of(audit, read=never):
    lines = []
    estimate(audit, read, lines.append)
    return lines


def test_the_table_has_every_benchmark_as_it_is_now():
    cells = itertools.product(benchmark_names(), EFFECTS, range(1, MOST_MODELS + 1))
    assert [cell for cell in cells if cost_of(*cell) is None] == [], REMADE


def test_a_row_is_what_the_plan_says(home):
    assert planned_cost("age", entries_of("age", 2), QUICK) == cost_of("age", QUICK, 2), REMADE


@pytest.mark.run
@pytest.mark.parametrize("design", EFFECTS)
@pytest.mark.parametrize("benchmark", benchmark_names())
def test_every_row_is_what_the_plan_says(benchmark, design, home):
    n_models = 1 + (benchmark_names().index(benchmark) + [*EFFECTS].index(design)) % MOST_MODELS
    planned = planned_cost(benchmark, entries_of(benchmark, n_models), design)
    assert planned == pytest.approx(cost_of(benchmark, design, n_models), rel=1e-6), REMADE


def test_what_is_told_first_is_what_is_planned(home, tmp_path):
    models = asked_models(["ollama:a", "ollama:b"])
    audit = audit_to_be(Wanted("audit", ["occupations"], models), tmp_path / "studies", home)
    first = estimate(audit, never, lambda text: None)
    (one,) = prepare(audit, tmp_path / "studies", home)
    assert first == [one.cost]


def test_the_first_lines(home, tmp_path, monkeypatch, snapshot):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    models = asked_models(["openai:gpt-5-mini"])
    audit = audit_to_be(Wanted("audit", ["age", "faiths"], models), tmp_path / "studies", home)
    assert [headline(audit), *lines_of(audit), other_design(audit)] == snapshot


def test_answers_that_are_there_are_not_asked_again(home, tmp_path):
    models = asked_models(["ollama:a"])
    wanted = Wanted("audit", ["age"], models)
    prepare(audit_to_be(wanted, tmp_path / "studies", home), tmp_path / "studies", home)
    log = home.responses("audit_age") / "a.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text('{"response_id":"x","error":null}\n' * 50 + '{"response_id":"y","error":"timeout: "}\n')
    (line,) = estimate(audit_to_be(wanted, tmp_path / "studies", home), never, lambda text: None)
    assert (line.n_calls_of_model, line.n_calls) == (650, 600)


def test_more_models_than_the_table_has_are_said_to_take_more(home, tmp_path):
    models = asked_models([f"ollama:m{i}" for i in range(MOST_MODELS + 1)])
    audit = audit_to_be(Wanted("audit", ["age"], models), tmp_path / "studies", home)
    assert lines_of(audit)[-1] == "5 models at a time take more than these, which are for 4: see the plan."
    assert other_design(audit) is None


def test_a_benchmark_that_changed_is_sized_by_its_power(packaged, home):
    assert cost_of("grants", FULL, 1) is None
    assert sized("grants", "audit_grants", asked_models(["simulator:fair"]), FULL).n_texts > 0


def test_negative_controls_have_a_line_of_their_own():
    from python_assets.audit.cost_lines import CostLine, line_text

    line = CostLine("mine", 10, 150, 150, 1000, 2000, 1.5, 0.4, 0.2, n_control_calls=50)
    assert [text.split() for text in line_text(line)] == [
        ["mine", "10", "150", "150", "1,000", "2,000", "1.50", "<", "1", "20.0", "points"],
        ["negative", "controls", "50"],
    ]


def test_the_other_design_is_told_where_it_asks_more(home, tmp_path):
    def told(*models, **fields):
        wanted = Wanted("audit", ["nationalities"], asked_models(models), **fields)
        return other_design(audit_to_be(wanted, tmp_path / "studies", home))

    assert told("ollama:a").startswith("More precise: --full (detectable: ")
    assert told("ollama:a", design=FULL).startswith("Fewer calls: --quick (detectable: ")
    assert cost_of("nationalities", QUICK, 2).n_calls == cost_of("nationalities", FULL, 2).n_calls
    assert told("ollama:a", "ollama:b") is None
    assert told("ollama:a", "ollama:b", design=FULL) is None
