"""Responses in, one row per response and measure out, and the clusters of like texts."""

from collections.abc import Iterator
from typing import Final

import dagster as dg

from dagster_project.assets.common import materialise, raw_table, run_context, timed
from dagster_project.chunks import workers_of
from dagster_project.mistakes import tells_mistakes
from dagster_project.one_version import stage_after_answers
from dagster_project.resources import StudyResource, WarehouseResource

_TABLES: Final = ("measures", "measurements", "scorers", "clusters", "ground_truths", "ground_truth_labels")


@dg.multi_asset(
    name="extract",
    specs=[
        raw_table("measures", "extract", "measure_id", ["responses", "systems"]),
        raw_table(
            "measurements",
            "extract",
            "(system_id, prompt_id, replicate, measure_id)",
            ["responses", "systems", "human_labels"],
        ),
        raw_table(
            "scorers", "extract", "(measure_id, source, language, model_family, topic)", ["responses", "systems"]
        ),
        raw_table("clusters", "extract", "(measure_id, segment, cluster_position)", ["responses", "systems"]),
        raw_table("ground_truths", "extract", "(measure_id, category, group_id)", ["prompts"]),
        raw_table("ground_truth_labels", "extract", "(measure_id, label)", ["responses"]),
    ],
)
@tells_mistakes
def extract(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> Iterator[dg.MaterializeResult]:
    """Measure every response and every baseline."""
    from python_assets.extract.extract_study import extract as extract_study

    loaded = study.load(context)
    with stage_after_answers(context, loaded, warehouse) as stage:
        counts = {}
        if not stage.is_kept:
            with workers_of() as (workers, notes):
                beyond = run_context(context, warehouse, workers)
                counts = timed(extract_study, loaded, stage.connection, warehouse.home.cache, run_context=beyond)
            counts |= notes
        for table in _TABLES:
            yield materialise(stage.connection, "raw", table, **counts)
