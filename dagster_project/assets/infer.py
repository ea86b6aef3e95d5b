"""Cells in; null, p, interval, q and verdict of every number out."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import dagster as dg
import duckdb

from dagster_project.assets.common import CODE_VERSION, materialise, timed
from dagster_project.chunks import chunks_of
from dagster_project.columns import column_schema
from dagster_project.mistakes import tells_mistakes
from dagster_project.one_version import stage_after_answers
from dagster_project.partitions import studies, study_file
from dagster_project.progress import progress_of
from dagster_project.resources import StudyResource, WarehouseResource

if TYPE_CHECKING:
    from python_assets.infer.formulas.looks import Look
    from python_assets.study.study import Study

GRAINS = {
    "hypotheses": "question, whether the groups of a grouping differ or generations do: its set, p and q",
    "summary_statistics": "group and statistic: its mean or rate, and its interval",
    "function_statistics": "group and statistic that is a function of the study's own: its value",
    "contrasts": "group and contrast: p, interval, q and verdict",
    "disparities": "grouping, statistic and metric: null, interval, p and verdict",
    "amplifications": "crossing and measure by labels: what its groups differ by beyond the larger of its parts",
    "interaction_blocks": "cell of a crossing that stands, and block: what it has beyond its parts there",
    "system_comparisons": "pair of generations, grouping and comparison: change, interval, p and q",
    "design_power": "grouping, measure and contrast: the smallest difference that could be shown",
}
CELLS = [
    "int_cells",
    "int_missing_answers",
    "int_values",
    "int_selected_answers",
    "int_value_ranges",
    "int_prompt_groups",
    "int_blocking_factors",
    "int_settings",
    "int_model_factors",
    "int_subgroup_sums",
    "int_subgroup_units",
]
SUBGROUP_GRAINS = {
    "subgroups": "subgroup: the intervals of its rate and log disparity",
    "variance_components": "measure, grouping and source: the variance that it adds to an answer",
}
SUBGROUP_SUMS = ["int_subgroup_sums", "int_prompt_groups", "int_model_factors"]
ASSOCIATION_GRAINS = {"association_tests": "grouping, measure, test, term and category: a test over independent rows"}
ASSOCIATION_SUMS = ["int_association_sums", "int_association_values", "int_cells", "int_prompt_groups"]
REGRESSION_GRAINS = {
    "factor_importance": "term of a regression: its coefficient, errors, p and role",
    "factor_models": "regression and factor: what the factor is worth, and its joint p",
}
REGRESSION_SUMS = ["int_regression_sums"]
AGREEMENT_GRAINS = {
    "label_agreement": "measure, slice, generation, group and pair of coders: how far people and reading agree"
}
LABELLED = ["int_prompt_slices", "int_prompt_groups"]
SUMS = [*SUBGROUP_SUMS, *ASSOCIATION_SUMS, *REGRESSION_SUMS, *LABELLED]


def _specs(grains: dict[str, str], read: list[str]) -> list[dg.AssetSpec]:
    return [
        dg.AssetSpec(
            key=["inference", table],
            group_name="infer",
            description=f"One row per {grain}.",
            deps=[study_file, *(dg.AssetKey(["intermediate", name]) for name in read)],
            kinds={"python", "duckdb"},
            metadata=column_schema("inference", table),
            partitions_def=studies,
            code_version=CODE_VERSION,
        )
        for table, grain in grains.items()
    ]


def _stage(
    context: dg.AssetExecutionContext,
    study: StudyResource,
    warehouse: WarehouseResource,
    tables: dict[str, str],
    compute: "Callable[[duckdb.DuckDBPyConnection, Study, Look], Any]",
) -> Iterator[dg.MaterializeResult]:
    """Write the tables of one stage, at the level of the look that is taken, and tell of each what was counted."""
    from python_assets.infer.looks import look_of, withhold
    from python_assets.providers.failures import is_retryable

    loaded = study.load(context)
    with stage_after_answers(context, loaded, warehouse) as stage:
        connection, counts = stage.connection, {}
        if not stage.is_kept:
            look = look_of(loaded, connection, warehouse.home, is_retryable)
            counts = timed(compute, connection, loaded, look)
            if look.reason is not None:
                withhold(connection, tables, look.reason)
        for table in tables:
            yield materialise(connection, "inference", table, **counts)


@dg.multi_asset(name="infer", specs=_specs(GRAINS, CELLS))
@tells_mistakes
def infer(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> Iterator[dg.MaterializeResult]:
    """Test every difference within root prompts."""
    from python_assets.infer.looks import record_look
    from python_assets.infer.run import infer_study
    from python_assets.plan.declared_hypotheses import declared_of_build
    from python_assets.plan.power import design_power_rows
    from python_assets.warehouse.preregistration import corrected_when_preregistered

    def compute(connection: duckdb.DuckDBPyConnection, loaded: "Study", look: "Look") -> Any:
        power_rows = partial(design_power_rows, loaded, connection)
        declared = declared_of_build(loaded, connection)
        corrects = corrected_when_preregistered(loaded, warehouse.home)
        with chunks_of(context, loaded, warehouse, connection, look.level) as (chunks, notes):
            counts = infer_study(
                *(connection, loaded, power_rows, progress_of(context), chunks),
                declared=declared,
                look=look,
                corrects=corrects,
            )
        record_look(loaded, connection, warehouse.home, look)
        return {**counts._asdict(), **notes}

    yield from _stage(context, study, warehouse, GRAINS, compute)


@dg.multi_asset(name="infer_subgroups", specs=_specs(SUBGROUP_GRAINS, SUBGROUP_SUMS))
@tells_mistakes
def infer_subgroups(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> Iterator[dg.MaterializeResult]:
    """Give every subgroup its intervals, and tell where the variance of answers comes from."""
    from python_assets.infer.subgroups.subgroups import infer_subgroups

    def compute(connection: duckdb.DuckDBPyConnection, loaded: "Study", look: "Look") -> Any:
        return infer_subgroups(connection, look.level)

    yield from _stage(context, study, warehouse, SUBGROUP_GRAINS, compute)


@dg.multi_asset(name="infer_associations", specs=_specs(ASSOCIATION_GRAINS, ASSOCIATION_SUMS))
@tells_mistakes
def infer_associations(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> Iterator[dg.MaterializeResult]:
    """Test groups as FAIR-SEA's document does, where the study asks for it; these tests decide nothing."""
    from python_assets.infer.associations.infer_associations import infer_associations

    def compute(connection: duckdb.DuckDBPyConnection, loaded: "Study", look: "Look") -> Any:
        is_asked, n = loaded.analysis.association_tests, loaded.n_permutations
        return infer_associations(connection, is_asked, seed=loaded.seed, n_permutations=n)

    yield from _stage(context, study, warehouse, ASSOCIATION_GRAINS, compute)


@dg.multi_asset(name="infer_regressions", specs=_specs(REGRESSION_GRAINS, REGRESSION_SUMS))
@tells_mistakes
def infer_regressions(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> Iterator[dg.MaterializeResult]:
    """Fit the regressions of a study: which factors matter, and how much."""
    from python_assets.infer.regressions.infer_regressions import infer_regressions

    def compute(connection: duckdb.DuckDBPyConnection, loaded: "Study", look: "Look") -> Any:
        return infer_regressions(connection, loaded, look.level)

    yield from _stage(context, study, warehouse, REGRESSION_GRAINS, compute)


@dg.multi_asset(name="infer_agreement", specs=_specs(AGREEMENT_GRAINS, LABELLED))
@tells_mistakes
def infer_agreement(
    context: dg.AssetExecutionContext, study: StudyResource, warehouse: WarehouseResource
) -> Iterator[dg.MaterializeResult]:
    """Hold what people say of answers against what was read off them, and people against each other."""
    from python_assets.infer.agreement.label_agreement import infer_agreement

    def compute(connection: duckdb.DuckDBPyConnection, loaded: "Study", look: "Look") -> Any:
        return infer_agreement(connection, look.level, loaded.seed)

    yield from _stage(context, study, warehouse, AGREEMENT_GRAINS, compute)
