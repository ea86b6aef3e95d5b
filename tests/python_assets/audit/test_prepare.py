import pytest
import yaml

from python_assets.audit.design import FULL, QUICK
from python_assets.audit.models import asked_models
from python_assets.audit.prepare import AuditBudget, Wanted, prepare, told
from python_assets.errors import StudyError, WarehouseError
from python_assets.report.audits.record import read_record


@pytest.fixture
def studies(packaged, home, tmp_path):
    return tmp_path / "studies"


def wanted(*models, design=QUICK, **fields):
    return Wanted("audit", ["grants"], asked_models(models), design, **fields)


def test_study_files_are_written_and_planned(studies, home, snapshot):
    (one,) = prepare(wanted("ollama:llama3.3"), studies, home)
    assert (one.study.path, one.was_there, one.is_done) == (studies / "audit_grants.yml", False, False)
    assert one.plan.n_calls == 3 * one.plan.n_root_prompts
    assert [system.system_id for system in one.study.systems] == ["llama3_3"]
    record = read_record(home, "audit")
    assert record == ("audit", "quick", ["ollama:llama3.3"], {"grants": "audit_grants"}, False)
    lines = told(wanted("ollama:llama3.3"), [one]).splitlines()
    assert lines[0] == snapshot
    assert lines[2].split()[:5] == [
        "grants",
        "audit_grants.yml",
        str(one.plan.n_root_prompts),
        "1",
        str(one.plan.n_calls),
    ]


def test_a_file_that_was_edited_is_used_as_it_is(studies, home, snapshot):
    (first,) = prepare(wanted("ollama:llama3.3"), studies, home)
    text = first.study.path.read_text().replace("title: Grants", "title: Grants of ours")
    first.study.path.write_text(text)
    (again,) = prepare(wanted("ollama:llama3.3"), studies, home)
    assert (again.study.title, again.was_there) == ("Grants of ours", True)
    assert first.study.path.read_text() == text
    lines = told(wanted("ollama:llama3.3"), [again]).splitlines()
    assert [line for line in lines if "was there" in line] == snapshot


@pytest.mark.parametrize(
    ("models", "design", "told"),
    [(["ollama:other"], QUICK, "audit audit, models"), (["ollama:llama3.3"], FULL, "audit audit, design")],
)
def test_another_audit_needs_another_name(studies, home, models, design, told):
    prepare(wanted("ollama:llama3.3"), studies, home)
    with pytest.raises(StudyError, match=told):
        prepare(wanted(*models, design=design), studies, home)


def test_a_study_file_of_other_models_is_not_taken_for_the_audits(studies, home, refused):
    (one,) = prepare(wanted("ollama:llama3.3"), studies, home)
    (home.root / "audits" / "audit" / "audit.json").unlink()
    with refused(StudyError, "the file"):
        prepare(wanted("ollama:other"), studies, home)


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        (AuditBudget(calls=10), "--budget-calls: got 10; expected [1-9]"),
        (AuditBudget(usd=1.0), "models whose price is known"),
    ],
)
def test_a_budget_that_is_too_small_is_told_and_nothing_is_written(studies, home, budget, told):
    with pytest.raises(StudyError, match=told):
        prepare(wanted("ollama:llama3.3", budget=budget), studies, home)
    assert [*studies.iterdir()] == []
    with pytest.raises(WarehouseError, match="this warehouse: none"):
        read_record(home, "audit")


def test_a_price_bounds_what_is_asked(studies, home, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    with pytest.raises(StudyError, match=r"--budget-usd: got 0.01; expected \d"):
        prepare(wanted("openai:gpt-4.1-mini", budget=AuditBudget(usd=0.01)), studies, home)
    (one,) = prepare(wanted("openai:gpt-4.1-mini", budget=AuditBudget(usd=1000.0)), studies, home)
    assert 0 < one.amount("usd") < 1000


def test_a_simulated_audit_costs_nobody_anything(studies, home):
    asked = Wanted(
        "audit", ["grants"], asked_models(["openai:gpt-5-mini"], is_simulated=True), QUICK, is_simulated=True
    )
    (one,) = prepare(asked, studies, home)
    assert one.study.has_stand_in
    assert yaml.safe_load(one.study.path.read_text())["systems"][0]["provider"] == "openai"
    assert told(asked, [one]).splitlines()[2].split()[5:9] == ["0", "0", "0.000", "0.000"]


def test_how_wording_is_controlled_is_told_of_every_benchmark(home, tmp_path):
    asked = wanted("ollama:llama3.3")._replace(benchmarks=["age", "hiring"])
    lines = told(asked, prepare(asked, tmp_path / "studies", home)).splitlines()
    assert [line for line in lines if line.startswith("Wording")] == [
        "Wording: 10 wordings a group, which are the units (age); several units a group (name) (hiring)"
    ]


def test_a_name_that_cannot_begin_a_study_is_told(studies, home):
    with pytest.raises(StudyError, match="--name"):
        prepare(wanted("ollama:a")._replace(name="My audit"), studies, home)
