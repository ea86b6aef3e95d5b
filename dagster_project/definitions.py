"""Everything Dagster serves: assets, checks, the job and its resources."""

from functools import cache

import dagster as dg

from dagster_project.assets import assemble, extract, generate, infer, label, publish, scrape, transform
from dagster_project.audits import run_audit
from dagster_project.checks import checks
from dagster_project.gate_check import gate
from dagster_project.jobs import run_study
from dagster_project.partitions import offer_all_studies, study_file, study_files
from dagster_project.resources import StudyResource, WarehouseResource
from dagster_project.waves import waves


@dg.definitions
def defs() -> dg.Definitions:
    """What Dagster's servers and commands load; as they do, every study file is offered."""
    offer_all_studies()
    return definitions()


@cache
def definitions() -> dg.Definitions:
    """The same, and nothing is offered."""
    stages = dg.load_assets_from_modules([scrape, assemble, generate, label, extract, transform, infer, publish])
    return dg.Definitions(
        assets=[study_file, *stages],
        asset_checks=[*checks, gate],
        jobs=[run_study, run_audit],
        sensors=[study_files, waves],
        resources={
            "study": StudyResource(),
            "warehouse": WarehouseResource(),
            "io_manager": dg.mem_io_manager,  # Dagster's own has a folder that a run's configuration can set
        },
        executor=dg.in_process_executor,  # a build file has one writer
    )
