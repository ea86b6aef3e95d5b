"""Sheets of labels that people filled in, read back beside the responses."""

from collections.abc import Iterator

import dagster as dg

from dagster_project.assets.common import materialise, raw_table, timed
from dagster_project.mistakes import tells_mistakes
from dagster_project.one_version import stage_connection
from dagster_project.resources import StudyResource, WarehouseResource


@dg.multi_asset(
    name="label",
    specs=[
        raw_table("human_labels", "extract", "(measure_id, response_id, rater)", ["responses"]),
        raw_table("pair_labels", "extract", "(prompt_id, rater)", ["prompts"]),
    ],
)
@tells_mistakes
def label(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> Iterator[dg.MaterializeResult]:
    """Read what people say of answers and of pairs of prompts."""
    from python_assets.labelling.label_study import label_study

    loaded = study.load(context)
    with stage_connection(context, loaded, warehouse) as connection:
        counts = timed(label_study, loaded, connection)
        for table in ("human_labels", "pair_labels"):
            yield materialise(connection, "raw", table, **counts)
