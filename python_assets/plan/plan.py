"""What a study would do: its prompts, calls, groups and coverage, and what its design lets one say.

Belongs here: counting on an in-memory copy of the first stages. Nothing is generated, fetched or asked: what
is on disk is used, and what depends on the rest is unknown. What inference makes of the groupings is
schemes.py.
"""

from collections.abc import Iterator
from typing import Final

import duckdb

from python_assets.assemble.assemble_study import AssembleCounts, assemble
from python_assets.extract.measures import resolve_measures
from python_assets.infer.result import InferenceReason
from python_assets.plan.assembling import block_warnings, planned_blocks, planned_steps
from python_assets.plan.comparisons import comparison_warnings, shapes_of_changes, unknown_comparisons
from python_assets.plan.costs import budget_warnings, planned_costs, spent_budgets
from python_assets.plan.coverage_sets import coverage_sets
from python_assets.plan.declared_hypotheses import preregistered_hypotheses
from python_assets.plan.engines import planned_engines, unknown_engines
from python_assets.plan.factors import factor_warnings, planned_factors
from python_assets.plan.foreseen_gates import foreseen_gates
from python_assets.plan.group_models import fill_planned_cells
from python_assets.plan.label_warnings import favourable_warnings, label_warnings
from python_assets.plan.looks import look_warnings, planned_looks
from python_assets.plan.metrics_of_logs import planned_metrics
from python_assets.plan.near_texts import near_text_warnings
from python_assets.plan.negative_controls import (
    control_warnings,
    few_wordings_warnings,
    one_wording_warnings,
    planned_controls,
)
from python_assets.plan.outcome_warnings import outcome_warnings
from python_assets.plan.power import planned_power, power_warnings
from python_assets.plan.prompt_warnings import prompt_warnings
from python_assets.plan.regressions import planned_regressions, regression_references, regression_warnings
from python_assets.plan.requested import IN_MEMORY, asked_of
from python_assets.plan.requested_hypotheses import numbers_of_hypotheses
from python_assets.plan.schemes import planned_groupings
from python_assets.plan.scored_words import scored_word_warnings
from python_assets.plan.shapes import Shape, shape_warnings, shapes
from python_assets.plan.sheet_warnings import sheet_warnings
from python_assets.plan.text import Plan, PlannedAliasing, PlannedCoverage, PlannedGrouping, PlannedSystem
from python_assets.plan.unscored_warnings import unscored_warnings
from python_assets.plan.would_fail import not_checked, would_fail
from python_assets.scrape.scrape_study import ScrapeCounts, scrape
from python_assets.study.base import ALL_PROMPTS, REPLAY, SIMULATOR, Against
from python_assets.study.study import Study, grouping_id
from python_assets.study.systems import baselines_by_system_prompt
from python_assets.warehouse import paths
from python_assets.warehouse.build import open_build, rows_of
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import OfflineError, RunContext

LEFT_OUT_BECAUSE: Final = {
    "determines_group": "each of its levels has one group",
    "follows_from_others": "it follows from the group and from what is held",
}
DECLARE_UNIT: Final = ": declare `unit:`, the factor that these prompts are draws of, for example unit: name"


def plan_study(study: Study) -> Plan:
    """Count what a study would do.

    Args:
        study: read and found valid.

    Returns:
        The plan; texts and tables that the study names were read, and what earlier runs fetched and asked.
        Where something was not fetched or asked yet, what depends on it is None.

    Raises:
        SourceError: a source or table cannot be read, or a level stays without prompts.
        StudyError: the import has none of a generation that is replayed, or none that is the baseline; or a declared
            set names no question.
        WarehouseError: the pilot that the study names is not published.
    """
    run_context = RunContext(paths.home(), SILENT, may_ask=False)
    with open_build(IN_MEMORY) as connection:
        scraped = None
        try:
            scraped = scrape(study, connection, run_context)
            assembled = assemble(study, connection, run_context)
        except OfflineError as unknown:
            return _unknown_plan(study, scraped, unknown)
        return _known_plan(study, connection, scraped, assembled)


def _known_plan(
    study: Study, connection: duckdb.DuckDBPyConnection, scraped: ScrapeCounts, assembled: AssembleCounts
) -> Plan:
    imported, responses, systems, comparisons, pairs, hypotheses = asked_of(study, connection)
    fill_planned_cells(connection, responses)
    names = [one.system_id for one in systems]
    n_responses = sum(one.n_responses or 0 for one in systems)
    controls = planned_controls(study, connection, responses, systems)
    factors = planned_factors(study, connection)
    engines = planned_engines(study, connection, responses, paths.home())
    costs = planned_costs(study, connection, engines, paths.home())
    groupings = planned_groupings(study, connection)
    group_shapes = shapes(study, connection, groupings)
    changed = shapes_of_changes(connection, group_shapes, pairs)
    n_hypotheses = numbers_of_hypotheses(hypotheses, connection, groupings, changed)
    blocks = planned_blocks(connection, is_branched=study.prompts.branch is not None)
    looks = planned_looks(study, assembled.n_root_prompts, max(n_hypotheses.values(), default=1))
    return Plan(
        study_id=study.study_id,
        n_documents=scraped.n_documents,
        n_sentences=scraped.n_sentences_kept,
        n_root_prompts=assembled.n_root_prompts,
        n_prompts=assembled.n_prompts,
        n_calls=sum(one.n_calls or 0 for one in (*systems, *engines)),
        n_measures=len(resolve_measures(study)),
        systems=systems,
        factors=factors,
        groupings=groupings,
        coverage=_coverage(study, connection),
        aliasing=_aliasing(connection),
        power=list(planned_power(study, group_shapes, changed, n_hypotheses, controls)),
        warnings=[
            *_warnings(study, scraped, assembled, groupings, group_shapes, systems),
            *block_warnings(study, connection, blocks),
            *factor_warnings(study, connection, factors),
            *prompt_warnings(study, connection),
            *near_text_warnings(study, connection),
            *control_warnings(study, connection),
            *scored_word_warnings(study, connection),
            *one_wording_warnings(groupings, controls),
            *few_wordings_warnings(groupings),
            *_unpaired_warnings(assembled),
            *regression_warnings(study, connection),
            *comparison_warnings(study, comparisons),
            *label_warnings(study),
            *favourable_warnings(study),
            *sheet_warnings(study, paths.home().published),
            *unscored_warnings(study.study_id, names, paths.home().published),
            *outcome_warnings(study, connection, paths.home().published),
            *look_warnings(looks),
            *budget_warnings(study, costs, paths.home()),
        ],
        regressions=planned_regressions(study, connection),
        comparisons=comparisons,
        engines=engines,
        would_fail=list(would_fail(study)),
        gates=list(foreseen_gates(study, connection, n_responses)),
        not_checked=not_checked(study),
        n_checked=assembled.n_checked,
        n_portable=assembled.n_portable,
        metrics=[] if imported is None else planned_metrics(imported.metrics),
        hypotheses=preregistered_hypotheses(hypotheses),
        looks=looks,
        steps=planned_steps(connection),
        blocks=blocks,
        costs=costs,
        spent=[*spent_budgets(study, costs, paths.home())],
        negative_controls=controls,
    )


def _unknown_plan(study: Study, scraped: ScrapeCounts | None, unknown: OfflineError) -> Plan:
    """What the study file alone tells, and what was scraped if it was."""
    return Plan(
        study_id=study.study_id,
        n_documents=None if scraped is None else scraped.n_documents,
        n_sentences=None if scraped is None else scraped.n_sentences_kept,
        n_root_prompts=None,
        n_prompts=None,
        n_calls=None,
        n_measures=len(resolve_measures(study)),
        systems=[
            PlannedSystem(
                system_id=one.system_id, provider=one.spec.provider, model=one.model, n_responses=None, n_calls=None
            )
            for one in study.systems
        ],
        factors=[],
        groupings=[],
        coverage=[],
        aliasing=[],
        power=[],
        warnings=[
            *([] if scraped is None else _scrape_warnings(scraped)),
            *label_warnings(study),
            *favourable_warnings(study),
            *sheet_warnings(study, paths.home().published),
            *unscored_warnings(study.study_id, [one.system_id for one in study.systems], paths.home().published),
        ],
        comparisons=unknown_comparisons(study),
        engines=unknown_engines(study),
        would_fail=list(would_fail(study)),
        not_checked=not_checked(study),
        unknown=str(unknown),
        looks=planned_looks(study, None, 1),
    )


def _coverage(study: Study, connection: duckdb.DuckDBPyConnection) -> list[PlannedCoverage]:
    query = f"select {', '.join(PlannedCoverage._fields)} from marts.coverage"
    by_factors = {row["factors"]: PlannedCoverage(**row) for row in rows_of(connection, query, [])}
    return [by_factors[key] for key in map(grouping_id, coverage_sets(study)) if key in by_factors]


def _aliasing(connection: duckdb.DuckDBPyConnection) -> list[PlannedAliasing]:
    query = f"select {', '.join(PlannedAliasing._fields)} from marts.factor_aliasing order by all"
    return [PlannedAliasing(**row) for row in rows_of(connection, query, [])]


def _warnings(
    study: Study,
    scraped: ScrapeCounts,
    assembled: AssembleCounts,
    groupings: list[PlannedGrouping],
    found: list[Shape],
    systems: list[PlannedSystem],
) -> Iterator[str]:
    yield from _scrape_warnings(scraped)
    yield from assembled.notes
    yield from (f"{n:,} prompts were not made: {reason}" for reason, n in assembled.n_dropped.items())
    if n := scraped.n_quarantined + assembled.n_quarantined:
        yield f"{n:,} records are rejected; a run writes them to quarantined_records with the reason"
    if n := assembled.n_normalised:
        yield f"{n:,} imported levels are spelled otherwise than in the study file and read as declared there"
    has_unit = study.unit is not None or bool(study.prompts.units)
    for grouping in groupings:
        yield from _grouping_warnings(grouping, has_unit=has_unit)
    yield from _unused_references(study)
    yield from shape_warnings(study, found)
    yield from power_warnings(study, found)
    yield from _baseline_warnings(study)
    yield from (f"generation {g.system_id} has no response" for g in systems if not g.n_responses)
    for name in _repeating(study):
        yield f"generation {name}: replicates at temperature 0 may all be the same response"


def _scrape_warnings(scraped: ScrapeCounts) -> Iterator[str]:
    yield from (f"no sentence holds the keyword {keyword}" for keyword in scraped.keywords_without_sentences)
    yield from scraped.notes


def _unpaired_warnings(assembled: AssembleCounts) -> Iterator[str]:
    if assembled.n_unpaired:
        yield (
            f"prompts.import: {assembled.n_unpaired:,} of {assembled.n_prompts:,} prompts are not in all of "
            "the runs that are imported, and are left out where these are compared"
        )


def _grouping_warnings(grouping: PlannedGrouping, *, has_unit: bool) -> Iterator[str]:
    """A slice of one group is what the study asked for: it needs no warning."""
    name = f"grouping {grouping.name}"
    if grouping.reason is not None:
        if grouping.slice_id == ALL_PROMPTS or grouping.reason != InferenceReason.ONE_GROUP:
            is_apart = grouping.reason is InferenceReason.NO_SHARED_BLOCK
            remedy = DECLARE_UNIT if is_apart and not has_unit else ""
            yield f"{name}: no inference, because {grouping.reason.meaning}{remedy}"
            yield from _left_out(grouping)
        return
    yield from _left_out(grouping)
    yield from (f"{name}: {note}" for note in grouping.notes)
    if not grouping.is_complete:
        yield f"{name}: some blocks lack some groups"


def _left_out(grouping: PlannedGrouping) -> Iterator[str]:
    for factor, reason in grouping.left_out:
        yield f"grouping {grouping.name}: {factor} is not held fixed, because {LEFT_OUT_BECAUSE[reason]}"


def _unused_references(study: Study) -> Iterator[str]:
    """Of factors alone: the reference of a scrape says what is branched from."""
    against = {study.references[grouping_id(grouping)][0] for grouping in study.groupings}
    grouped = {factor for grouping in study.groupings for factor in grouping}
    taken = regression_references(study)
    for name, factor in study.factors.items():
        is_compared = (Against.LEVEL in against and name in grouped) or name in taken
        if factor.reference is None or is_compared:
            continue
        remedy = (
            "write reference: reference_level under analysis to compare with it, or remove it"
            if name in grouped
            else "name the factor under groupings, or remove it"
        )
        yield f"factors.{name}.reference: no contrast compares with {factor.reference}; {remedy}"


def _baseline_warnings(study: Study) -> Iterator[str]:
    """Generations that have no counterpart in the role that is the baseline."""
    named = study.baseline
    if named is None or named not in [one.system_prompt_name for one in study.systems]:
        return
    has_baseline = baselines_by_system_prompt(study.systems, named)
    for system in study.systems:
        if system.system_prompt_name != named and system.system_id not in (named, *has_baseline):
            yield (
                f"generation {system.system_id}: no calibrated values, because its entry has no "
                f"generation of the role {named} beside it"
            )


def _repeating(study: Study) -> Iterator[str]:
    for system in study.systems:
        spec = system.spec
        if spec.provider not in (REPLAY, SIMULATOR) and spec.replicates > 1 and spec.decoding.temperature == 0:
            yield system.system_id
