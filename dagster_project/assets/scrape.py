"""Sources in, sentences that hold a keyword out."""

from collections.abc import Iterator

import dagster as dg

from dagster_project import partitions
from dagster_project.assets.common import CODE_VERSION, materialise, raw_table, run_context, timed, wanted_look
from dagster_project.columns import column_schema
from dagster_project.mistakes import tells_mistakes
from dagster_project.one_version import stage_connection
from dagster_project.resources import StudyResource, WarehouseResource


@dg.asset(
    key=["raw", "studies"],
    group_name="scrape",
    description="One row per study_id: the study file as it was read.",
    deps=[partitions.study_file],
    kinds={"python", "duckdb"},
    metadata=column_schema("raw", "studies"),
    partitions_def=partitions.studies,
    code_version=CODE_VERSION,
)
@tells_mistakes
def studies(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> dg.MaterializeResult:
    """Record which study file is being run."""
    from python_assets.plan.would_fail import require_ready
    from python_assets.warehouse.looks import look_to_ask
    from python_assets.warehouse.study_row import record_study

    loaded = study.load(context, check_files=True)
    require_ready(loaded)
    look_to_ask(loaded, warehouse.home, wanted_look(context))  # what is wrong with the look is told first
    with stage_connection(context, loaded, warehouse) as connection:
        record_study(loaded, connection, warehouse.home, run_id=context.run.run_id)
        read = materialise(connection, "raw", "studies", config_sha256=loaded.config_sha256)
        return dg.MaterializeResult(metadata=read.metadata, data_version=dg.DataVersion(loaded.config_sha256))


@dg.multi_asset(
    name="scrape",
    specs=[
        raw_table("documents", "scrape", "document_id", ["studies"]),
        raw_table("keywords", "scrape", "(level, keyword)", ["studies"]),
        raw_table("sentences", "scrape", "sentence_id, dropped ones with their reason", ["studies"]),
    ],
)
@tells_mistakes
def scrape(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> Iterator[dg.MaterializeResult]:
    """Read the sources and keep the sentences that hold a keyword."""
    from python_assets.scrape.scrape_study import scrape as scrape_study

    loaded = study.load(context)
    with stage_connection(context, loaded, warehouse) as connection:
        counts = timed(scrape_study, loaded, connection, run_context(context, warehouse))
        for table in ("documents", "keywords", "sentences"):
            yield materialise(connection, "raw", table, **counts)
