"""A finished run out to readers: the published database, Parquet files, the report and the archive, all at once."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import dagster as dg

from dagster_project.assets.common import CODE_VERSION
from dagster_project.assets.transform import mart_keys
from dagster_project.mistakes import tells_mistakes
from dagster_project.one_version import begin, finish
from dagster_project.partitions import studies, study_file
from dagster_project.reports import address_of
from dagster_project.resources import StudyResource, WarehouseResource
from python_assets.warehouse.build import Home

if TYPE_CHECKING:
    from python_assets.published.publish import Published
    from python_assets.report.write_report import ReportCounts

DATABASE, REPORT, ARCHIVE = (dg.AssetKey(["published", name]) for name in ("database", "report", "archive"))


def _spec(key: dg.AssetKey, above: list[dg.AssetKey], kinds: set[str], description: str) -> dg.AssetSpec:
    return dg.AssetSpec(
        key=key,
        group_name="publish",
        deps=[study_file, *above],
        kinds=kinds,
        partitions_def=studies,
        code_version=CODE_VERSION,
        description=description,
    )


@dg.multi_asset(
    name="publish",
    specs=[
        _spec(
            DATABASE,
            mart_keys,
            {"duckdb", "parquet"},
            "The published database with this study's rows replaced, and one Parquet file a mart.",
        ),
        _spec(REPORT, [DATABASE], {"html"}, "One self-contained HTML page of the study."),
        _spec(
            ARCHIVE,
            [REPORT],
            {"parquet"},
            "The folder of this run: marts, report and study file; the oldest beyond keep are removed.",
        ),
    ],
)
@tells_mistakes
def publish(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> Iterator[dg.MaterializeResult]:
    """Publish the run: readers see all of it at once."""
    from python_assets.infer.looks import asked_look
    from python_assets.providers.spending import spent_of
    from python_assets.published.publish import FinishedRun, publish
    from python_assets.report.write_report import write_report
    from python_assets.warehouse.looks import finish_look, taken_looks
    from python_assets.warehouse.quality import refresh_quality_marts

    loaded, home = study.load(context), warehouse.home
    study_id = loaded.study_id
    with warehouse.build(study_id) as connection:
        begin(context, loaded, connection)
        refresh_quality_marts(connection)
    warehouse.let_go()  # it is published from another database, which is to see all of it
    spent = spent_of(loaded, home)._asdict()
    run = FinishedRun(study_id, home.build(study_id), loaded.path, loaded.keep, spent)
    done = publish(home, run, write_report)
    with warehouse.build(study_id) as connection:
        look = asked_look(connection)
        if look in {one.look for one in taken_looks(loaded, home)}:
            finish_look(loaded, home, look)
        finish(context, loaded, connection)
    yield from _results(home, study_id, done)


def _results(home: Home, study_id: str, done: "Published[ReportCounts]") -> Iterator[dg.MaterializeResult]:
    yield dg.MaterializeResult(
        asset_key=DATABASE,
        metadata={
            "path": dg.MetadataValue.path(str(home.published)),
            "publication_id": done.publication_id,
            "rows": dg.MetadataValue.json(done.n_rows),
            "dagster/row_count": sum(done.n_rows.values()),
            "seconds": done.seconds,
        },
    )
    yield dg.MaterializeResult(
        asset_key=REPORT,
        metadata={
            "report": dg.MetadataValue.url(address_of(study_id)),
            "path": dg.MetadataValue.path(str(home.report(study_id))),
            **done.report._asdict(),
        },
    )
    yield dg.MaterializeResult(
        asset_key=ARCHIVE,
        metadata={
            "path": dg.MetadataValue.path(str(done.archive)),
            "kept": dg.MetadataValue.json(done.kept),
            "removed": dg.MetadataValue.json(done.removed),
        },
    )
