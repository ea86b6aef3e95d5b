import pytest
import yaml

from python_assets.audit.begun import AuditBudget, Wanted, audit_to_be
from python_assets.audit.cost_lines import other_design
from python_assets.audit.costs import FULL, QUICK
from python_assets.audit.models import asked_models
from python_assets.audit.prepare import minutes_to_go, prepare, read_cost, told_prepared
from python_assets.errors import AuditError, WarehouseError
from python_assets.report.audits.record import read_record

ANSWER = '{"response_id":"a","prompt_id":"t0","replicate":0,"request":{},"response_text":"Yes.","error":null}\n'
FAILED = ANSWER.replace('"error":null', '"error":"timeout: no answer within 120 s"')


@pytest.fixture
def studies(packaged, home, tmp_path):
    return tmp_path / "studies"


@pytest.fixture
def prepared(studies, home):
    """What prepares an audit of grants as a command would; gives what it is to be and its one benchmark."""

    def make(*models, **fields):
        audit = audit_to_be(wanted(*models, **fields), studies, home)
        (one,) = prepare(audit, studies, home)
        return audit, one

    return make


@pytest.fixture
def paid(home):
    """Puts a line into the response log of grants."""

    def add(line=ANSWER):
        log = home.responses("audit_grants") / "m.jsonl"
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a") as lines:
            lines.write(line)

    return add


def wanted(*models, simulated=False, **fields):
    named = asked_models(models or ["ollama:llama3.3"], is_simulated=simulated)
    return Wanted("audit", ["grants"], named, is_simulated=simulated, **fields)


def test_study_files_are_written_and_planned(prepared, studies, home):
    audit, one = prepared()
    assert (one.study.path, one.is_edited, one.is_done) == (studies / "audit_grants.yml", False, False)
    assert one.plan.n_calls == 3 * one.plan.n_root_prompts
    assert [system.system_id for system in one.study.systems] == ["llama3_3"]
    record = read_record(home, "audit")
    assert record[:5] == ("audit", "quick", ["ollama:llama3.3"], {"grants": "audit_grants"}, False)
    assert [*record.files] == ["audit_grants"]
    cost = one.cost
    assert (cost.benchmark, cost.n_root_prompts, cost.n_calls_of_model, cost.n_calls) == (
        "grants",
        one.plan.n_root_prompts,
        one.plan.n_calls,
        one.plan.n_calls,
    )
    assert cost.n_tokens_out_most == 1024 * cost.n_calls


def test_until_an_answer_is_paid_for_anything_may_be_changed(prepared, paid):
    _, quick = prepared(design=QUICK)
    paid(FAILED)  # nobody knows whether a call without an answer was paid for, and nothing of it counts
    _, full = prepared(design=FULL)
    assert full.plan.n_root_prompts > quick.plan.n_root_prompts
    _, others = prepared("ollama:other", "ollama:more", design=QUICK)
    assert [one.system_id for one in others.study.systems] == ["other", "more"]
    _, simulated = prepared("openai:gpt-5-mini", simulated=True)
    assert simulated.study.has_stand_in
    _, again = prepared(design=QUICK)
    assert again.study.path.read_text() == quick.study.path.read_text()


def test_a_call_without_a_design_goes_on_with_the_one_that_was_begun(prepared, paid):
    prepared(design=FULL)
    assert prepared()[0].design == FULL
    paid()
    assert prepared()[0].design == FULL
    assert other_design(prepared()[0]) is None


@pytest.mark.parametrize(
    ("begun", "then"),
    [
        ({"design": FULL}, {"design": QUICK}),
        ({"design": QUICK}, {"design": FULL}),
        ({}, {"models": ["ollama:other"]}),
        ({}, {"simulated": True}),
    ],
    ids=["quick", "full", "models", "simulated"],
)
def test_once_an_answer_is_there_another_audit_needs_another_name(prepared, paid, snapshot, begun, then):
    prepared(**begun)
    paid()
    with pytest.raises(AuditError) as caught:
        prepared(*then.pop("models", []), **then)
    assert str(caught.value) == snapshot


def test_a_benchmark_that_was_left_out_before_any_answer_is_written_anew(prepared, studies, home, packaged):
    (packaged / "loans.yml").write_text((packaged / "grants.yml").read_text())
    prepare(audit_to_be(wanted()._replace(benchmarks=["grants", "loans"]), studies, home), studies, home)
    prepared("ollama:other")  # of grants alone
    assert [*read_record(home, "audit").studies] == ["grants"]
    both = audit_to_be(wanted("ollama:other")._replace(benchmarks=["grants", "loans"]), studies, home)
    assert [one.study.systems[0].system_id for one in prepare(both, studies, home)] == ["other", "other"]


def test_a_file_that_was_edited_is_used_as_it_is(prepared, home, snapshot):
    _, first = prepared()
    text = first.study.path.read_text().replace("title: Grants", "title: Grants of ours")
    first.study.path.write_text(text)
    audit, again = prepared(design=FULL)
    assert (again.study.title, again.is_edited) == ("Grants of ours", True)
    assert first.study.path.read_text() == text
    assert [line for line in told_prepared(audit, [again]) if "edited" in line] == snapshot
    assert audit.design == QUICK
    read = read_cost(audit, "grants", audit.states["grants"], home)
    assert read._replace(detectable_effect=None) == again.cost._replace(detectable_effect=None)


def test_an_edited_file_of_other_models_is_not_taken_for_the_audits(prepared, snapshot):
    _, first = prepared()
    text = first.study.path.read_text()
    first.study.path.write_text(f"{text}# mine\n")
    with pytest.raises(AuditError) as caught:
        prepared("ollama:other")
    assert str(caught.value).replace(str(first.study.path), "FILE") == snapshot
    assert first.study.path.read_text() == f"{text}# mine\n"


def test_a_benchmark_that_is_not_in_the_table_is_counted_whole(studies, home, packaged):
    audit = audit_to_be(wanted("ollama:a", "ollama:b"), studies, home)
    cost = read_cost(audit, "grants", audit.states["grants"], home)
    assert (cost.n_calls_of_model, cost.n_calls, cost.detectable_effect) == (720, 1440, None)


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        (AuditBudget(calls=10), "--budget-calls: 10 is below what is to be asked, [1-9]"),
        (AuditBudget(usd=1.0), "the price of a model is not known"),
    ],
)
def test_a_budget_that_is_too_small_is_told_and_what_was_there_is_back(prepared, studies, home, budget, told):
    with pytest.raises(AuditError, match=told):
        prepared(budget=budget)
    assert [*studies.iterdir()] == []
    with pytest.raises(WarehouseError, match="this warehouse: none"):
        read_record(home, "audit")
    _, first = prepared()
    text = first.study.path.read_text()
    with pytest.raises(AuditError, match=told):
        prepared(budget=budget, design=FULL)
    assert first.study.path.read_text() == text


def test_a_price_bounds_what_is_asked(prepared, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    with pytest.raises(AuditError, match=r"--budget-usd: 0.01 is below what is to be asked, \d"):
        prepared("openai:gpt-4.1-mini", budget=AuditBudget(usd=0.01))
    _, one = prepared("openai:gpt-4.1-mini", budget=AuditBudget(usd=1000.0))
    assert 0 < one.cost.usd_most < 1000


def test_a_simulated_audit_costs_nobody_anything(prepared, home):
    audit, one = prepared("openai:gpt-5-mini", simulated=True)
    assert yaml.safe_load(one.study.path.read_text())["systems"][0]["provider"] == "openai"
    cost = one.cost
    assert (cost.n_tokens_in, cost.n_tokens_out_most, cost.usd_most, cost.minutes) == (0, 0, 0.0, 0.0)
    assert minutes_to_go([one], home) is None
    assert other_design(audit) is None


def test_how_wording_is_controlled_is_told_of_every_benchmark(home, tmp_path):
    asked = wanted()._replace(benchmarks=["age", "hiring"])
    audit = audit_to_be(asked, tmp_path / "studies", home)
    lines = told_prepared(audit, prepare(audit, tmp_path / "studies", home))
    assert [line for line in lines if line.startswith("Wording")] == [
        "Wording: 10 wordings a group, which are the units (age); several units a group (name) (hiring)"
    ]


def test_a_name_that_cannot_begin_a_study_is_told(studies, home):
    with pytest.raises(AuditError, match="--name"):
        audit_to_be(wanted()._replace(name="My audit"), studies, home)


def test_a_benchmark_that_was_planned_and_never_asked_is_no_part_of_an_audit(prepared, studies, home, packaged, paid):
    for name in ("loans", "rents"):
        (packaged / f"{name}.yml").write_text((packaged / "grants.yml").read_text())
    prepared()
    paid()
    three = wanted()._replace(benchmarks=["grants", "loans", "rents"])
    prepare(audit_to_be(three, studies, home), studies, home)
    prepare(audit_to_be(wanted()._replace(benchmarks=["rents"]), studies, home), studies, home)
    assert [*read_record(home, "audit").studies] == ["grants", "rents"]


def test_the_files_that_a_study_reads_go_with_it(prepared, studies, packaged):
    (packaged / "faiths.csv").write_text("level,text\n")
    text = (packaged / "grants.yml").read_text()
    (packaged / "grants.yml").write_text(text.replace("title: Grants", "title: faiths.csv"))
    with pytest.raises(AuditError):
        prepared(budget=AuditBudget(calls=10))
    assert [*studies.iterdir()] == []
    prepared()
    assert (studies / "faiths.csv").exists()


def test_an_edited_file_keeps_its_design(prepared, studies):
    prepared(design=FULL)
    path = studies / "audit_grants.yml"
    path.write_text(f"{path.read_text()}# mine\n")
    audit, _ = prepared(design=QUICK)
    assert (audit.design, other_design(audit)) == (FULL, None)
