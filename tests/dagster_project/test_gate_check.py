"""When the gate is a check of a run and what its exit codes say; that it compares is test_waves.py, end to end."""

import dagster as dg
import pytest

from dagster_project import gate_check
from dagster_project.gate_check import COMPARISON, GateRun, gate
from dagster_project.resources import WAVE_TAG, StudyResource, WarehouseResource
from python_assets.warehouse.build import Home
from tests.python_assets.kept_runs import ANSWERS, archived

STUDY = """
prompts: {templates: {texts: [{id: "1", text: "Is a {who} kind?"}], cross: [who]}}
factors: {who: {levels: [king, queen]}}
systems: [{name: one, provider: simulator}]
analysis: {margins: {risk_difference: 0.1}}
"""
GATED = 'waves: {cron: "0 6 1 * *", name: "%Y-%m", gate: true}\n'


@dg.asset(key=["published", "database"], partitions_def=dg.StaticPartitionsDefinition(["months"]))
def database():
    """The database, which this test has no need of."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A warehouse where the runs of January and February 2026 are kept."""
    home = Home(tmp_path_factory.mktemp("kept") / "warehouse")
    for run, month in (("january", "01"), ("february", "02")):
        archived(home, run, ANSWERS, wave=f"2026-{month}", at=f"2026-{month}-01")
    return home


@pytest.fixture
def checked(kept, tmp_path, monkeypatch):
    """Run the check for a study of this text and wave; the gate would exit with a code. What it said of which runs."""
    monkeypatch.setenv("PLUMBLINE_STUDIES", str(tmp_path))
    monkeypatch.setenv("PLUMBLINE_HOME", str(kept.root))

    def run(study, wave, code=0):
        (tmp_path / "months.yml").write_text(study, encoding="utf-8")
        asked = []
        monkeypatch.setattr(gate_check, "_compare", lambda *runs: asked.append(runs) or GateRun(code, "a table"))
        done = dg.materialize(
            [database, gate],
            partition_key="months",
            tags={WAVE_TAG: wave},
            resources={"study": StudyResource(), "warehouse": WarehouseResource()},
        )
        assert done.success
        return done.get_asset_check_evaluations(), asked

    return run


@pytest.mark.parametrize(
    ("code", "passed", "severity"),
    [
        (0, True, dg.AssetCheckSeverity.WARN),
        (1, False, dg.AssetCheckSeverity.ERROR),
        (2, False, dg.AssetCheckSeverity.WARN),
        (-9, False, dg.AssetCheckSeverity.WARN),
    ],
)
def test_a_run_is_stratum_against_the_wave_before_and_stopped_by_nothing(checked, code, passed, severity):
    (check,), asked = checked(STUDY + GATED, "2026-02", code)
    assert asked == [("months", "january")]
    assert (check.passed, check.severity, check.blocking) == (passed, severity, False)
    assert "2026-02 against 2026-01, run january" in check.description
    assert check.metadata[COMPARISON].value == "a table"


@pytest.mark.parametrize(
    ("study", "wave"),
    [(STUDY, "2026-02"), (STUDY + GATED.replace("true", "false"), "2026-02"), (STUDY + GATED, "2026-01")],
    ids=["without waves", "without gate", "the first wave"],
)
def test_a_run_that_is_stratum_against_none_has_no_result(checked, study, wave):
    assert checked(study, wave) == ([], [])
