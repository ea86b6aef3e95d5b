"""An audit as a job: every study that `plumbline audit` wrote for it, one after another, and the report over all."""

import os

import dagster as dg

from dagster_project.assets.common import CONFIRM_TAG
from dagster_project.mistakes import Mistake, tells_mistakes
from dagster_project.partitions import offer_studies
from dagster_project.resources import PROVIDER_VARIABLE
from python_assets.errors import AuditError
from python_assets.study.base import SIMULATOR
from python_assets.warehouse import paths


class AuditConfig(dg.Config):
    """Which audit: its name, as `plumbline audit --name` has it."""

    audit: str = "audit"


@dg.op(description="Runs run_study of each study of an audit, and writes the report over all of them.")
@tells_mistakes
def ask_every_benchmark(context: dg.OpExecutionContext, config: AuditConfig) -> None:
    """Run each study of an audit as a run of its own, which the UI lists beside this one.

    Raises:
        Failure: there is no such audit, it is a simulated one and this is no simulation, or a study failed: those after
            it are not run.
    """
    from dagster_project.definitions import definitions
    from python_assets.report.audits.record import read_record
    from python_assets.report.audits.write_audit import told_audit, write_audit

    record = read_record(paths.home(), config.audit)
    if record.is_simulated and not os.environ.get(PROVIDER_VARIABLE):
        remedy = f"Start the UI with {PROVIDER_VARIABLE}={SIMULATOR}"
        raise AuditError(f"audit {record.name}", "it was begun with the simulator", remedy=remedy)
    run_study = definitions().resolve_job_def("run_study")
    confirmed = {name: value for name, value in context.run.tags.items() if name == CONFIRM_TAG}
    for benchmark, study_id in record.studies.items():
        context.log.info(f"{benchmark}: study {study_id}")
        offer_studies(context.instance, [study_id])
        done = run_study.execute_in_process(
            partition_key=study_id, instance=context.instance, tags=confirmed, raise_on_error=False
        )
        if not done.success:
            raise Mistake(f"study {study_id} of audit {record.name} failed: see its run {done.run_id}")
    written = write_audit(paths.home(), record)
    context.log.info("\n".join(told_audit(written)))
    context.add_output_metadata(
        {"report": dg.MetadataValue.path(written.page), "findings": dg.MetadataValue.path(written.json_path)}
    )


@dg.job(description="All studies of an audit, and one report over them. Which audit is in the configuration.")
def run_audit() -> None:
    """One op: the studies share the warehouse, which has one writer."""
    ask_every_benchmark()
