"""The gate as an asset check: a run of a wave held against the last kept run of the wave before."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple

import dagster as dg

from dagster_project.assets.publish import DATABASE
from dagster_project.mistakes import tells_mistakes
from dagster_project.partitions import checks_of_studies, studies
from dagster_project.resources import PROVIDER_VARIABLE, StudyResource, WarehouseResource

GATE_CHECK: Final = "gate"
COMPARISON: Final = "comparison"  # of the metadata: what the gate printed
PASSED: Final = 0
_MOVED: Final = 1
_TOLD: Final = {PASSED: "No group moved beyond its margin", _MOVED: "A group moved beyond its margin"}
_NOT_COMPARED: Final = "Nothing could be compared"


class GateRun(NamedTuple):
    """How the gate ended, and what it printed."""

    code: int
    printed: str


with checks_of_studies():
    _SPEC: Final = dg.AssetCheckSpec(
        GATE_CHECK,
        asset=DATABASE,  # which is made as the run is kept, where the comparison reads it
        description="Of studies with waves.gate: no group moved beyond its margin since the wave before.",
        partitions_def=studies,
    )


# a study without waves.gate has no result, which is neither passed nor failed
@dg.multi_asset_check(name=GATE_CHECK, specs=[_SPEC], can_subset=True)
@tells_mistakes
def gate(
    context: dg.AssetCheckExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> Iterator[dg.AssetCheckResult]:
    """Hold the run against that of the wave before."""
    loaded = study.load(context)
    if loaded.waves is None or not loaded.waves.gate:
        return
    from python_assets.gate.wave_before import run_of_wave_before

    now = datetime.now(UTC)
    before = run_of_wave_before(warehouse.home, loaded.study_id, loaded.waves, loaded.wave, now)
    if before is None:
        context.log.info(f"No run of a wave before {loaded.wave} is kept: there is nothing to compare with.")
        return
    compared = _compare(loaded.study_id, before.run.run_id)
    outcome = _TOLD.get(compared.code, _NOT_COMPARED)
    yield dg.AssetCheckResult(
        passed=compared.code == PASSED,
        severity=dg.AssetCheckSeverity.ERROR if compared.code == _MOVED else dg.AssetCheckSeverity.WARN,
        description=f"{outcome}: wave {loaded.wave} against {before.wave}, run {before.run.run_id}.",
        metadata={COMPARISON: dg.MetadataValue.text(compared.printed)},
    )


def _compare(study_id: str, against: str) -> GateRun:
    """Run the gate in a process of its own: it is a run in another warehouse, and a process has one of these."""
    environment = {name: value for name, value in os.environ.items() if name != PROVIDER_VARIABLE}
    called = [sys.executable, "-m", "python_assets.cli", "gate", study_id, "--against", against]
    with subprocess.Popen(
        called, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            printed, errors = process.communicate()
        except BaseException:  # a signal ended the run; the comparison ends with it
            process.terminate()
            raise
    return GateRun(process.returncode, printed.strip() or errors.strip())
