"""The marts of a study out to readers: the published database, Parquet files, the report and the archive."""

import dagster as dg

from dagster_project.assets.common import CODE_VERSION
from dagster_project.assets.transform import mart_keys
from dagster_project.mistakes import tells_mistakes
from dagster_project.one_version import begin, finish, stage_connection
from dagster_project.partitions import studies, study_file
from dagster_project.reports import address_of
from dagster_project.resources import StudyResource, WarehouseResource


@dg.asset(
    key=["published", "database"],
    group_name="publish",
    deps=[study_file, *mart_keys],
    kinds={"duckdb", "parquet"},
    partitions_def=studies,
    code_version=CODE_VERSION,
    description="The published database with this study's rows replaced, and one Parquet file a mart.",
)
@tells_mistakes
def database(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> dg.MaterializeResult:
    """Publish the study."""
    from python_assets.published.publish import publish
    from python_assets.warehouse.quality import refresh_quality_marts

    loaded = study.load(context)
    study_id = loaded.study_id
    with warehouse.build(study_id) as connection:
        begin(context, loaded, connection)
        refresh_quality_marts(connection)
    done = publish(warehouse.home.build(study_id), warehouse.home, study_id)
    with warehouse.build(study_id) as connection:
        finish(context, loaded, connection)
    return dg.MaterializeResult(
        metadata={
            "path": dg.MetadataValue.path(str(done.path)),
            "rows": dg.MetadataValue.json(done.n_rows),
            "dagster/row_count": sum(done.n_rows.values()),
            "seconds": done.seconds,
        }
    )


@dg.asset(
    key=["published", "report"],
    group_name="publish",
    deps=[study_file, database],
    kinds={"html"},
    partitions_def=studies,
    code_version=CODE_VERSION,
    description="One self-contained HTML page of the study.",
)
@tells_mistakes
def report(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> dg.MaterializeResult:
    """Write the report."""
    from python_assets.report.write_report import write_report

    loaded, home = study.load(context), warehouse.home
    path = home.report(loaded.study_id)
    with stage_connection(context, loaded, warehouse):
        done = write_report(home.published, loaded.study_id, path)
    return dg.MaterializeResult(
        metadata={
            "report": dg.MetadataValue.url(address_of(loaded.study_id)),
            "path": dg.MetadataValue.path(str(path)),
            **done._asdict(),
        }
    )


@dg.asset(
    key=["published", "archive"],
    group_name="publish",
    deps=[study_file, report],
    kinds={"parquet"},
    partitions_def=studies,
    code_version=CODE_VERSION,
    description="The folder of this run: marts, report and study file; the oldest beyond keep are removed.",
)
@tells_mistakes
def archive(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> dg.MaterializeResult:
    """Keep the run."""
    from python_assets.infer.looks import asked_look
    from python_assets.published.archive import archive_study
    from python_assets.warehouse.looks import finish_look, taken_looks

    loaded = study.load(context)
    with stage_connection(context, loaded, warehouse) as connection:
        done = archive_study(warehouse.home, loaded.study_id, loaded.path, loaded.keep)
        look = asked_look(connection)
        if look in {one.look for one in taken_looks(loaded, warehouse.home)}:
            finish_look(loaded, warehouse.home, look)
    return dg.MaterializeResult(
        metadata={
            "path": dg.MetadataValue.path(str(done.folder or "")),
            "kept": dg.MetadataValue.json(done.kept),
            "removed": dg.MetadataValue.json(done.removed),
        }
    )
