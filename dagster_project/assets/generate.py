"""Prompts in, responses out; the response log makes a rerun ask only for what is missing."""

from collections.abc import Iterator

import dagster as dg

from dagster_project.assets.common import materialise, raw_table, run_context, timed
from dagster_project.mistakes import tells_mistakes
from dagster_project.one_version import stage_connection
from dagster_project.resources import StudyResource, WarehouseResource


@dg.multi_asset(
    name="generate",
    specs=[
        raw_table("systems", "generate", "system_id", ["prompts", "prompt_factors"]),
        raw_table("system_factors", "generate", "(system_id, factor)", ["prompts", "prompt_factors"]),
        raw_table("responses", "generate", "(system_id, prompt_id, replicate)", ["prompts", "prompt_factors"]),
        raw_table("outcomes_before", "generate", "(system_id, prompt_id, replicate)", ["prompts", "prompt_factors"]),
    ],
)
@tells_mistakes
def generate(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> Iterator[dg.MaterializeResult]:
    """Ask every generation every prompt; answers that cannot be measured are not asked for."""
    from python_assets.extract.classifiers.probes import require_probed
    from python_assets.extract.classifiers.study_classifiers import require_classifiers
    from python_assets.extract.measures import resolve_measures
    from python_assets.generate.generate_study import generate_study

    loaded = study.load(context)
    require_classifiers(loaded)
    require_probed(loaded, resolve_measures(loaded))
    with stage_connection(context, loaded, warehouse) as connection:
        run = run_context(context, warehouse)
        counts = timed(generate_study, loaded, connection, run.home, progress=run.progress, allowance=run.allowance)
        for table in ("systems", "system_factors", "responses", "outcomes_before"):
            yield materialise(connection, "raw", table, **counts)
