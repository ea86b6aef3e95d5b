"""Everything Dagster serves: assets, checks, the job and its resources."""

import dagster as dg

from dagster_project.assets import assemble, extract, generate, infer, publish, scrape, transform
from dagster_project.checks import checks
from dagster_project.jobs import run_study
from dagster_project.partitions import study_files
from dagster_project.resources import StudyResource, WarehouseResource

defs = dg.Definitions(
    assets=dg.load_assets_from_modules([scrape, assemble, generate, extract, transform, infer, publish]),
    asset_checks=checks,
    jobs=[run_study],
    sensors=[study_files],
    resources={
        "study": StudyResource(),
        "warehouse": WarehouseResource(),
        "io_manager": dg.mem_io_manager,  # Dagster's own has a folder that a run's configuration can set
    },
    executor=dg.in_process_executor,  # a build file has one writer
)
