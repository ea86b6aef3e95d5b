"""Every expectations suite as one blocking asset check."""

import json

import dagster as dg

from dagster_project.mistakes import tells_mistakes
from dagster_project.partitions import checks_of_studies, studies
from dagster_project.resources import StudyResource, WarehouseResource
from expectations import CHECKED_TABLES


def check_of(table: str) -> dg.AssetChecksDefinition:
    """The check of one raw table: it blocks where wrong numbers would follow."""

    @dg.asset_check(
        asset=dg.AssetKey(["raw", table]),
        name="great_expectations",
        blocking=True,
        partitions_def=studies,
        description=f"Great Expectations: {CHECKED_TABLES[table]}.",
    )
    @tells_mistakes
    def check(
        context: dg.AssetCheckExecutionContext, study: StudyResource, warehouse: WarehouseResource
    ) -> dg.AssetCheckResult:
        from expectations.runner import blocking, explain, run_suites
        from python_assets.published.hidden_texts import HIDDEN, asks_to_hide

        loaded = study.load(context)
        with warehouse.build(loaded.study_id) as connection:
            results = run_suites(connection, loaded, [table], run_id=context.run.run_id)
        failed = [result for result in results if not result.success]
        if asks_to_hide(json.loads(loaded.config_json)):  # examples are texts; table data_quality has them
            failed = [result._replace(examples_json=json.dumps([HIDDEN])) for result in failed]
        return dg.AssetCheckResult(
            passed=not failed,
            severity=(dg.AssetCheckSeverity.ERROR if blocking(failed) else dg.AssetCheckSeverity.WARN),
            description=explain(failed) or None,
            metadata={
                "n_expectations": len(results),
                "failures": dg.MetadataValue.json([result._asdict() for result in failed]),
            },
        )

    return check


with checks_of_studies():
    checks = [check_of(table) for table in CHECKED_TABLES]
