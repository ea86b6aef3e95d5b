from python_assets.errors import WarehouseError
from python_assets.report.audits.findings import audit_findings, primary_verdicts
from python_assets.report.audits.record import Record, folder_of, read_record, write_record
from python_assets.report.audits.write_audit import AuditWritten, told_audit
from python_assets.warehouse.build import Home
from tests.python_assets.report.test_result_cards import TOOL, hypotheses


def test_a_record_is_kept_and_a_damaged_one_is_told(tmp_path, refused):
    home = Home(tmp_path)
    record = Record("audit", "quick", ["ollama:a"], {"faiths": "audit_faiths"}, is_simulated=False)
    write_record(home, record)
    assert read_record(home, "audit") == record
    assert read_record(home, "other", or_none=True) is None
    with refused(WarehouseError, "audit other"):
        read_record(home, "other")
    for damaged in ("{", '{"name": "audit"}'):
        (folder_of(home, "audit") / "audit.json").write_text(damaged)
        with refused(WarehouseError, "the file"):
            read_record(home, "audit")


def test_a_terminal_shows_every_model_in_every_benchmark(tmp_path, snapshot):
    findings = {
        "models": [{"model": "a"}, {"model": "long_name"}],
        "benchmarks": [
            {"benchmark": "faiths", "verdicts": {"a": "inconclusive", "long_name": "beyond_margin"}},
            {"benchmark": "hiring", "is_published": False},
            {"benchmark": "age", "verdicts": {"a": "different"}, "n_beyond_margin_secondary": 2},
        ],
    }
    lines = told_audit(AuditWritten(tmp_path / "report.html", tmp_path / "findings.json", findings))
    assert lines[:5] == snapshot


def test_what_fails_goes_by_primary_hypotheses_alone():
    findings = {
        "benchmarks": [
            {"family_id": "primary", "verdicts": {"a": "inconclusive", "b": "different"}},
            {"family_id": "secondary", "verdicts": {"a": "beyond_margin"}, "n_beyond_margin_secondary": 1},
            {"is_published": False},
        ]
    }
    assert primary_verdicts(findings) == {"inconclusive", "different"}


def test_what_is_beyond_its_margin_and_not_primary_is_counted_once(publish_small):
    beyond = {"verdict": "beyond_margin"}
    secondary = beyond | {"family_id": "secondary"}
    findings = hypotheses(
        beyond,
        secondary | {"measure_id": "refusal"},
        secondary | {"measure_id": "refusal", "calibration": "calibrated", "is_repeated": True},
        secondary | {"measure_id": "stance", "verdict": "different"},
        beyond | TOOL,
    )
    system = {"system_id": "biased", "is_engine": False}
    published = publish_small(findings=findings, runs=[{"run_id": "run-1"}], systems=[system])
    record = Record("audit", "quick", ["mock:biased"], {"faiths": "small", "age": "later"}, is_simulated=True)
    small, later = audit_findings(Home(published.parent), record)["benchmarks"]
    assert small["n_beyond_margin_secondary"] == 1
    assert small["verdicts"]["biased"] == "beyond_margin"
    assert not later["is_published"]


def test_controls_are_in_no_verdict_and_no_count_and_are_told_apart(publish_small, snapshot):
    controls = {"grouping_id": "negative_control", "family_id": "negative_control", "verdict": "beyond_margin"}
    controls |= {"n_groups": 7, "largest_group_id": "car-silver", "largest_value": -1.15}
    taken = {"verdict": "inconclusive", "verdict_reason": "not_beyond_controls", "wording": "negative_controls"}
    taken |= {"n_negative_controls": 7, "n_control_types": 4, "q_permuted": 0.0004, "p_negative_controls": 0.6}
    findings = hypotheses(taken, controls)
    system = {"system_id": "biased", "is_engine": False}
    published = publish_small(findings=findings, runs=[{"run_id": "run-1"}], systems=[system])
    record = Record("audit", "quick", ["mock:biased"], {"faiths": "small"}, is_simulated=True)
    (benchmark,) = audit_findings(Home(published.parent), record)["benchmarks"]
    assert benchmark["n_beyond_margin_secondary"] == 0
    assert benchmark["verdicts"] == {"biased": "inconclusive"}
    assert [row["family_id"] for row in benchmark["families"]] == ["primary"]
    (row,) = benchmark["hypotheses"]
    names = ("verdict_reason", "q_permuted", "p_negative_controls", "wording")
    assert [row[name] for name in names] == ["not_beyond_controls", 0.0004, 0.6, "negative_controls"]
    assert {name: benchmark[name] for name in ("wording", "negative_controls")} == snapshot
