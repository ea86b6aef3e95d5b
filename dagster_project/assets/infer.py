"""Cells in; null, p, interval, q and verdict of every number out."""

from collections.abc import Iterator

import dagster as dg

from dagster_project.assets.common import materialise, timed
from dagster_project.partitions import studies
from dagster_project.resources import StudyResource, WarehouseResource

GRAINS = {
    "summary_statistics": "group and statistic: the interval of a mean or a rate",
    "contrasts": "group and contrast: p, interval, q and verdict",
    "disparities": "grouping, statistic and metric: null and p",
}
CELLS = ["int_cells", "int_selected_cells", "int_groups", "int_values", "int_prompt_groups"]


@dg.multi_asset(
    name="infer",
    specs=[
        dg.AssetSpec(
            key=["inference", table],
            group_name="infer",
            description=f"One row per {grain}.",
            deps=[dg.AssetKey(["intermediate", name]) for name in CELLS],
            kinds={"python", "duckdb"},
            partitions_def=studies,
        )
        for table, grain in GRAINS.items()
    ],
)
def infer(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> Iterator[dg.MaterializeResult]:
    """Test every difference within root prompts."""
    from python_assets.infer.run import infer_study

    loaded = study.load(context)
    with warehouse.build(loaded.study_id) as connection:
        counts = timed(infer_study, connection, loaded)
        for table in GRAINS:
            yield materialise(connection, "inference", table, **counts)
