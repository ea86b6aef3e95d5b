import json
from pathlib import Path

import jsonschema
import pytest

from python_assets.errors import WarehouseError
from python_assets.published.effects import unadjusted_in_words
from python_assets.report.audits import findings as findings_module
from python_assets.report.audits.findings import audit_findings, primary_verdicts
from python_assets.report.audits.record import Record, folder_of, read_record, write_record
from python_assets.report.audits.write_audit import rewrite_audits, told_audit, write_audit
from python_assets.warehouse.build import Home
from tests.python_assets.report.conftest import small_study
from tests.python_assets.report.test_result_cards import NO_HEADLINE, TOOL, hypotheses

SCHEMA_FILE = Path(findings_module.__file__).with_name("findings.schema.json")
SCHEMA = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
INCONCLUSIVE = {"verdict": "inconclusive", "p_value": 0.4, "q_value": 0.6} | NO_HEADLINE


SYSTEM = {"system_id": "biased", "provider": "mock", "model": "biased", "is_engine": False, "is_simulated": False}


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
    beyond = {"verdict": "beyond_margin", "headline_margin": 0.1, "headline_margin_origin": "declared"}
    secondary = beyond | {"family_id": "secondary"}
    findings = hypotheses(
        beyond,
        secondary | {"measure_id": "refusal"},
        secondary | {"measure_id": "refusal", "calibration": "calibrated", "is_repeated": True},
        secondary | {"measure_id": "stance", "verdict": "different"},
        beyond | TOOL,
    )
    system = SYSTEM
    published = publish_small(findings=findings, runs=[{"run_id": "run-1"}], systems=[system])
    record = Record("audit", "quick", ["mock:biased"], {"faiths": "small", "age": "later"}, is_simulated=True)
    small, later = audit_findings(Home(published.parent), record)["benchmarks"]
    assert small["n_beyond_margin_secondary"] == 1
    (row,) = small["beyond_margin_secondary"]
    assert [row[name] for name in ("model", "measure_id", "metric")] == ["biased", "refusal", "mean_difference"]
    assert small["verdicts"]["biased"] == "beyond_margin"
    assert not later["is_published"]


def test_controls_are_in_no_verdict_and_no_count_and_are_told_apart(publish_small, snapshot):
    controls = {"grouping_id": "negative_control", "family_id": "negative_control", "verdict": "beyond_margin"}
    controls |= {"n_groups": 7, "largest_group_id": "car-silver", "largest_value": -1.15}
    taken = {"verdict": "inconclusive", "verdict_reason": "not_beyond_controls", "wording": "negative_controls"}
    taken |= {"n_negative_controls": 7, "n_control_types": 4, "q_permuted": 0.0004, "p_negative_controls": 0.6}
    findings = hypotheses(taken, controls)
    system = SYSTEM
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


def publish_versions(publish_small, of_findings=None, **systems):
    """Publish a study a benchmark, its one system with these columns."""
    for study_id, columns in systems.items():
        findings = [row | {"study_id": study_id} for row in hypotheses(of_findings or {})]
        rows = {"findings": findings, "runs": [{"run_id": "run-1"}], "systems": [SYSTEM | columns]}
        published = publish_small(study_id, is_simulated=False, **rows)
    record = Record("audit", "quick", ["mock:biased"], {name: name for name in systems}, is_simulated=False)
    return Home(published.parent), record


def test_versions_fingerprints_and_digests_are_told_within_and_between_benchmarks(publish_small, snapshot):
    first = {"served_models": "m-1, m-2", "n_served_models": 2, "model_digest": "aa"}
    first |= {"system_fingerprints": "fp_1, fp_2", "n_system_fingerprints": 2}
    second = {"served_models": "m-1", "n_served_models": 1, "model_digest": "bb", "system_fingerprints": "fp_1"}
    home, record = publish_versions(publish_small, faiths=first, age=second | {"n_system_fingerprints": 1})
    assert audit_findings(home, record)["served"] == snapshot
    written = write_audit(home, record)
    assert "m-1, m-2 (faiths); m-1 (age)" in written.page.read_text(encoding="utf-8")
    assert [line for line in told_audit(written) if line.startswith("Versions")] == snapshot


def test_one_version_of_a_model_is_told_nowhere(publish_small):
    one = {"served_models": "m-1", "n_served_models": 1, "model_digest": "aa"}
    home, record = publish_versions(publish_small, faiths=one, age=one)
    written = write_audit(home, record)
    assert written.findings["served"] == []
    assert "Versions of the models" not in written.page.read_text(encoding="utf-8")


def test_a_model_that_no_study_asked_is_in_every_benchmark(publish_small):
    home, record = publish_versions(publish_small, faiths={})
    record = record._replace(models=["ollama:silent", "mock:biased"])
    written = write_audit(home, record)
    assert [row["model"] for row in written.findings["models"]] == ["silent", "biased"]
    (line,) = (line for line in told_audit(written) if " silent " in line)
    assert line.split() == ["faiths", "silent", "not", "asked", "yet"]


def test_a_system_that_was_renamed_by_hand_is_not_missed(publish_small):
    home, record = publish_versions(publish_small, faiths={"system_id": "mine"})
    assert [row["model"] for row in audit_findings(home, record)["models"]] == ["mine"]


def test_an_audit_of_which_nothing_is_published_says_so_of_each_benchmark(tmp_path):
    record = Record("audit", "quick", ["ollama:a"], {"faiths": "x_faiths", "age": "x_age"}, is_simulated=True)
    written = write_audit(Home(tmp_path), record)
    assert (written.findings["is_simulated"], written.findings["significance_levels"]) == (True, [])
    page = written.page.read_text(encoding="utf-8")
    assert "its study x_faiths was dropped" in page
    assert primary_verdicts(written.findings) == set()
    jsonschema.validate(written.findings, SCHEMA)


LOSSES = {
    "n_scored": 60,
    "n_undecided": 12,
    "n_unscored": 21,
    "n_refused": 4,
    "n_empty": 1,
    "n_failed": 2,
    "n_other": 0,
}
FORM = {"system_id": "biased", "measure_id": "sentiment", "position": 1, "reason": "no_rule_matched", "n_responses": 9}


def publish_lossy(publish_small, *, hides_texts=False):
    """A study of two systems, of which one lost many responses; faiths is asked, age is not."""
    secondary = {"family_id": "secondary", "statistic": "selection_rate", "verdict": "beyond_margin"}
    secondary |= {"headline_metric": "impact_ratio", "headline_group_id": None, "headline_value": 0.25}
    secondary |= {"headline_ci_low": 0.16, "headline_ci_high": 0.48, "headline_margin": 0.8}
    largest = {"largest_group_id": "<b>Chad</b>", "largest_ci_low": -0.5, "largest_ci_high": 0.1}
    findings = hypotheses(
        INCONCLUSIVE | largest, {"system_id": "fair"}, secondary | {"headline_margin_origin": "default"}
    )
    counts = {"measure_id": "sentiment", "grouping_id": "", "group_id": "", "n_responses": 100} | LOSSES
    config = {"analysis": {"alpha": 0.05}, "report": {"hide_texts": hides_texts}}
    (study,) = small_study(is_simulated=False)["studies"]
    published = publish_small(
        studies=[study | {"config_json": json.dumps(config)}],
        findings=findings,
        runs=[{"run_id": "run-1", "config_sha256": "c0ffee", "plumbline_version": "0.1.0"}],
        systems=[SYSTEM, SYSTEM | {"system_id": "fair", "model": "fair"}],
        scored_responses=[
            counts | {"system_id": "biased"},
            counts | {"system_id": "fair", "n_scored": 100} | dict.fromkeys(list(LOSSES)[1:], 0),
        ],
        unscored_forms=[FORM | {"form": "\x1b[31m<b>Well</b>"}],
    )
    record = Record("audit", "quick", ["mock:biased", "mock:fair"], {"faiths": "small", "age": "later"}, False)
    return write_audit(Home(published.parent), record)


def test_a_terminal_says_first_what_is_unscored_then_the_verdicts_then_the_rest(publish_small, snapshot):
    written = publish_lossy(publish_small)
    jsonschema.validate(written.findings, SCHEMA)
    lines = told_audit(written)
    assert lines[:-2] == snapshot
    assert [line.split()[0] for line in lines[-2:]] == ["Report", "Findings"]


def test_the_first_line_of_the_page_says_what_is_unscored_and_texts_of_models_are_text(publish_small):
    page = publish_lossy(publish_small).page.read_text(encoding="utf-8")
    assert "<b>Well" not in page and "<b>Chad" not in page
    body = page[page.index("<header>") :]
    assert body.index("21 of 100 responses (21 %) are unscored") < body.index("<h1>")


def test_what_became_of_responses_is_said_once_a_model(publish_small):
    page = publish_lossy(publish_small).page.read_text(encoding="utf-8")
    assert page.count("60 of 100 (60 %) scored: 4 refused") == 1


def test_a_benchmark_that_was_left_out_says_why_and_no_verdict(publish_small):
    home, record = publish_versions(publish_small, faiths={})
    why = "none of the first 20 responses of biased has a value"
    record = record._replace(
        studies=record.studies | {"age": "later"}, skipped={"age": why, "faiths": "an earlier one"}
    )
    write_record(home, record)
    assert read_record(home, "audit").skipped == record.skipped
    written = write_audit(home, record)
    faiths, age = written.findings["benchmarks"]
    jsonschema.validate(written.findings | {"benchmarks": [age]}, SCHEMA)
    assert age["skipped"] == why
    assert "skipped" not in faiths  # it has results by now
    page = written.page.read_text(encoding="utf-8")
    assert f"Skipped: {why}." in page and "an earlier one" not in page
    (line,) = (line for line in told_audit(written) if line.startswith("age"))
    assert line.split(maxsplit=3) == ["age", "biased", "skipped", why]


def test_an_audit_without_any_result_says_so_in_words(tmp_path):
    record = Record("audit", "quick", ["ollama:a"], {"faiths": "x"}, is_simulated=False, skipped={"faiths": "mute"})
    told = told_audit(write_audit(Home(tmp_path), record))
    assert told[0] == "Tested     Nothing was tested: no benchmark has results."


def test_a_significant_hypothesis_that_repeats_another_is_counted_apart_and_named(publish_small):
    beyond = {"verdict": "beyond_margin"}
    twin = beyond | {"measure_id": "stance", "family_id": "undecided", "is_repeated": True}
    published = publish_small(findings=hypotheses(beyond, twin), runs=[{"run_id": "run-1"}], systems=[SYSTEM])
    record = Record("audit", "quick", ["mock:biased"], {"faiths": "small"}, is_simulated=True)
    written = write_audit(Home(published.parent), record)
    assert [written.findings["hypotheses"][name]["n_significant_repeated"] for name in ("primary", "other")] == [0, 1]
    assert written.findings["benchmarks"][0]["n_beyond_margin_secondary"] == 0
    assert "1 more repeats a hypothesis above: biased, stance by concept (beyond margin)" in written.page.read_text()
    told = "\n".join(told_audit(written))
    assert "1 significant (1 repeated)." in told
    assert "faiths: 1 more repeats a significant hypothesis" in told


@pytest.mark.parametrize(
    ("shrunken", "low", "told"),
    [
        (0.03, -0.002, "unadjusted +0.12 (+0.04 to +0.24)"),  # significant, with an interval over 0
        (0.06, 0.01, "unadjusted +0.12 (+0.04 to +0.24)"),  # much smaller
        (0.11, 0.02, ""),
        (None, None, ""),
    ],
)
def test_an_adjusted_effect_that_would_puzzle_has_the_unadjusted_one_beside_it(shrunken, low, told):
    high = None if low is None else 0.45
    row = {"value": 0.12, "ci_low": 0.04, "ci_high": 0.24, "value_shrunken": shrunken, "ci_low_selected": low}
    row |= {"ci_high_selected": high, "kind": "continuous", "statistic": "mean", "metric": "mean_difference"}
    assert unadjusted_in_words(row, is_rate=False) == told


def test_reports_of_audits_that_name_a_study_are_written_anew_and_no_others(publish_small):
    home, record = publish_versions(publish_small, faiths={}, age={})
    first, second = (record._replace(name=name, studies={name: name}) for name in ("faiths", "age"))
    unwritten = record._replace(name="begun")
    for one in (first, second, unwritten):
        write_record(home, one)
    for one in (first, second):
        write_audit(home, one)
    assert [done.findings["audit"] for done in rewrite_audits(home, "faiths")] == ["faiths"]
    assert not (folder_of(home, "begun") / "report.html").exists()


def test_hidden_texts_are_quoted_neither_on_the_page_nor_in_findings(publish_small):
    written = publish_lossy(publish_small, hides_texts=True)
    for path in (written.page, written.json_path):
        assert "Well" not in path.read_text(encoding="utf-8")
    assert "WARNING" in told_audit(written)[0]


def test_a_metric_beyond_its_margin_names_the_group_that_differs_most(publish_small):
    of_metric = {"headline_metric": "impact_ratio", "headline_group_id": None, "headline_value": 0.25}
    of_metric |= {"headline_ci_low": 0.16, "headline_ci_high": 0.48, "verdict": "beyond_margin"}
    home, record = publish_versions(publish_small, faiths={}, of_findings=of_metric)
    (line,) = (line for line in told_audit(write_audit(home, record)) if line.startswith("faiths"))
    # Brazil differs significantly, Ideraland as much but not significantly
    assert "Brazil +0.15 (+0.10 to +0.20); impact ratio 0.25 (0.16 to 0.48)" in line
