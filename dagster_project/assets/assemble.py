"""Sentences, templates or an imported table in; prompts, their factors and the design of comparison out."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import dagster as dg

from dagster_project.assets.common import RAW_DESIGN, materialise, raw_table, run_context, timed, wanted_look
from dagster_project.mistakes import tells_mistakes
from dagster_project.one_version import stage_connection
from dagster_project.resources import StudyResource, WarehouseResource

_OUTCOMES: Final = ("sentence_outcomes", "branch_outcomes")


@dg.multi_asset(
    name="assemble",
    specs=[
        raw_table("prompts", "assemble", "prompt_id", ["sentences", "keywords", "documents"]),
        raw_table("prompt_factors", "assemble", "(prompt_id, factor)", ["sentences", "keywords", "documents"]),
        raw_table("negative_controls", "assemble", "negative_control", ["sentences", "keywords", "documents"]),
        raw_table("looks", "assemble", "look of a study that declares looks", ["sentences", "keywords", "documents"]),
        raw_table("normalised_levels", "assemble", "(record_key, factor)", ["sentences", "keywords", "documents"]),
        raw_table(
            "imported_metrics", "assemble", "metric that a log publishes", ["sentences", "keywords", "documents"]
        ),
        raw_table("imported_samples", "assemble", "response of a log", ["sentences", "keywords", "documents"]),
        raw_table(
            "imported_sample_parts",
            "assemble",
            "response of a log and measure with a weight or true label",
            ["sentences", "keywords", "documents"],
        ),
        raw_table(
            "sentence_outcomes", "assemble", "sentence_id of a kept sentence", ["sentences", "keywords", "documents"]
        ),
        raw_table("planted_pairs", "assemble", "pair_id", ["sentences", "keywords", "documents"]),
        raw_table(
            "branch_outcomes", "assemble", "(root_prompt_id, level branched to)", ["sentences", "keywords", "documents"]
        ),
    ],
)
@tells_mistakes
def assemble(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> Iterator[dg.MaterializeResult]:
    """Make the prompts and their branches."""
    from python_assets.assemble.assemble_study import OF_LOGS
    from python_assets.assemble.assemble_study import assemble as assemble_study
    from python_assets.warehouse.looks import look_to_ask

    loaded = study.load(context)
    look = look_to_ask(loaded, warehouse.home, wanted_look(context))
    with stage_connection(context, loaded, warehouse) as connection:
        counts = timed(assemble_study, loaded, connection, replace(run_context(context, warehouse), look=look))
        for table in (
            "prompts",
            "prompt_factors",
            "negative_controls",
            "looks",
            "normalised_levels",
            *OF_LOGS,
            *_OUTCOMES,
        ):
            yield materialise(connection, "raw", table, **counts)


@dg.multi_asset(
    name="design",
    specs=[raw_table(table, "assemble", f"row of raw.{table}", ["prompt_factors"]) for table in RAW_DESIGN],
)
@tells_mistakes
def design(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> Iterator[dg.MaterializeResult]:
    """Write out which groups, slices, statistics and coverage the study asks for."""
    from python_assets.plan.design_tables import design_tables
    from python_assets.plan.requested import require_hypotheses_of_build
    from python_assets.warehouse.build import write_stage

    loaded = study.load(context)
    with stage_connection(context, loaded, warehouse) as connection:
        write_stage(connection, loaded.study_id, "design", design_tables(loaded, connection))
        require_hypotheses_of_build(loaded, connection)
        for table in RAW_DESIGN:
            yield materialise(connection, "raw", table)
