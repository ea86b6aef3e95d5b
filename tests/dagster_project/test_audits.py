"""Job run_audit as Dagster's UI runs it: the studies of an audit, and the report over all."""

import json

import dagster as dg
import pytest

from dagster_project.definitions import definitions
from python_assets.audit import benchmarks
from python_assets.audit.begun import Wanted, audit_to_be
from python_assets.audit.models import asked_models
from python_assets.audit.prepare import prepare
from python_assets.warehouse import paths
from tests.python_assets.audit.conftest import grants


@pytest.fixture
def audit(tmp_path, monkeypatch):
    """Writes an audit of two small benchmarks as the command does; gives their study files."""
    packaged = tmp_path / "of_package" / "benchmarks"
    packaged.mkdir(parents=True)
    for name in ("grants", "loans"):
        (packaged / f"{name}.yml").write_text(grants(12), encoding="utf-8")
    monkeypatch.setattr(benchmarks, "BENCHMARK_FOLDER", packaged)
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PLUMBLINE_STUDIES", str(tmp_path / "studies"))
    monkeypatch.delenv("PLUMBLINE_PROVIDER", raising=False)

    def begin(*models, simulated=False):
        asked = asked_models(models, is_simulated=simulated)
        wanted = Wanted("mine", ["grants", "loans"], asked, is_simulated=simulated)
        to_be = audit_to_be(wanted, paths.studies_folder(), paths.home())
        return [one.study.path for one in prepare(to_be, paths.studies_folder(), paths.home())]

    return begin


def run(instance, audit="mine", **tags):
    """The job of the UI, configured as there; gives its result, and the messages of its failures."""
    job = definitions().resolve_job_def("run_audit")
    done = job.execute_in_process(
        run_config={"ops": {"ask_every_benchmark": {"config": {"audit": audit}}}},
        instance=instance,
        tags=tags,
        raise_on_error=False,
    )
    failed = [event.step_failure_data.error.message.strip() for event in done.get_step_failure_events()]
    return done, failed


@pytest.mark.run
def test_the_job_runs_every_study_of_an_audit_and_writes_its_report(audit, instance):
    audit("simulator:fair", "simulator:biased")
    done, failed = run(instance)
    assert (done.success, failed) == (True, [])
    studies = [one.tags["dagster/partition"] for one in instance.get_runs() if "dagster/partition" in one.tags]
    assert sorted(studies) == ["mine_grants", "mine_loans"]
    folder = paths.home().root / "audits" / "mine"
    [metadata] = [one.step_output_data.metadata for one in done.all_events if one.is_successful_output]
    assert metadata["report"].value == str(folder / "report.html")
    findings = json.loads((folder / "findings.json").read_text(encoding="utf-8"))
    assert [one["benchmark"] for one in findings["benchmarks"]] == ["grants", "loans"]
    assert {*findings["benchmarks"][0]["verdicts"]} == {"fair", "biased"}
    assert "biased" in (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.run
def test_a_study_that_fails_ends_the_job_and_names_its_run(audit, instance):
    first, _ = audit("simulator:fair")
    first.write_text(first.read_text().replace("kind: binary", "kind: unknown"), encoding="utf-8")
    done, [failed] = run(instance)
    assert not done.success
    [of_study] = instance.get_runs(filters=dg.RunsFilter(tags={"dagster/partition": "mine_grants"}))
    assert failed == f"study mine_grants of audit mine failed: see its run {of_study.run_id}"
    assert not instance.get_runs(filters=dg.RunsFilter(tags={"dagster/partition": "mine_loans"}))


def test_an_audit_that_was_never_begun_is_told(audit, instance):
    audit("simulator:fair")
    _, [failed] = run(instance, audit="other")
    assert failed == (
        "audit other: got nothing; expected an audit of this warehouse: mine; "
        "begin one with: plumbline audit --model MODEL"
    )


def test_a_simulated_audit_asks_no_model(audit, instance):
    audit("openai:gpt-5-mini", simulated=True)
    _, [failed] = run(instance)
    assert failed == "audit mine: it was begun with the simulator. Start the UI with PLUMBLINE_PROVIDER=simulator."
