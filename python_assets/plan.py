"""What a study would do: its prompts, calls, groups and coverage, and what its design lets one say.

Belongs here: counting on an in-memory copy of the first stages. Nothing is
generated. What inference makes of a design is infer/design.py.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.assemble import AssembleCounts, assemble
from python_assets.design_tables import coverage_sets, design_tables, grouping_id
from python_assets.infer.design import Unit, choose_unit, scopes
from python_assets.infer.reasons import InferenceReason
from python_assets.plan_text import Plan, PlannedCoverage, PlannedGeneration, PlannedGrouping
from python_assets.scrape import ScrapeCounts, scrape
from python_assets.study import Generation, Study, make_id
from python_assets.study_expand import EVERY_IMPORTED
from python_assets.warehouse import open_build, write_stage

IN_MEMORY: Final = Path(":memory:")
REPLAY: Final = "replay"
SIMULATOR: Final = "simulator"


def plan_study(study: Study) -> Plan:
    """Count what a study would do.

    Args:
        study: read and found valid.

    Returns:
        The plan; texts and tables that the study names were read, no provider was asked.

    Raises:
        SourceError: a source or table cannot be read, or a level stays without prompts.
    """
    with open_build(IN_MEMORY) as connection:
        scraped = scrape(study, connection)
        assembled = assemble(study, connection)
        tables = design_tables(study, connection)
        write_stage(connection, study.study_id, "design", tables)
        responses = _planned_responses(study, connection)
        connection.register("planned_responses", responses)
        generations = _generations(study, responses)
        groupings = [_grouping(connection, grouping) for grouping in study.groupings]
        coverage = [_coverage(connection, factors) for factors in coverage_sets(study)]
    return Plan(
        study_id=study.study_id,
        n_documents=scraped.n_documents,
        n_sentences=scraped.n_sentences_kept,
        n_root_prompts=assembled.n_root_prompts,
        n_prompts=assembled.n_prompts,
        n_calls=sum(generation.n_calls for generation in generations),
        n_measures=int(tables["measure_slices"]["measure_id"].nunique()),
        generations=generations,
        groupings=groupings,
        coverage=coverage,
        warnings=list(_warnings(study, scraped, assembled, groupings, generations)),
    )


def _planned_responses(study: Study, connection: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """One row a generation and prompt: how many responses there will be."""
    prompts = connection.execute("select prompt_id from raw.prompts").df()
    asked = [
        prompts.assign(generation_id=generation.generation_id, n=generation.spec.replicates)
        for generation in study.generations
        if generation.spec.provider != REPLAY
    ]
    parts = [*asked, *_imported_responses(study, prompts)]
    return pd.concat(parts, ignore_index=True)


def _imported_responses(study: Study, prompts: pd.DataFrame) -> Iterator[pd.DataFrame]:
    replayed = {
        generation.generation_id for generation in study.generations if generation.spec.provider == REPLAY
    }
    if not replayed:
        return
    from python_assets.importers import read_import

    rows = read_import(study).rows.merge(prompts, on="prompt_id")
    rows["generation_id"] = rows["generation"].map(make_id)
    if EVERY_IMPORTED not in replayed:
        rows = rows[rows["generation_id"].isin(replayed)]
    yield rows.groupby(["generation_id", "prompt_id"], sort=False).size().reset_index(name="n")


def _generations(study: Study, responses: pd.DataFrame) -> list[PlannedGeneration]:
    n_responses = responses.groupby("generation_id", sort=False)["n"].sum()
    named = {generation.generation_id: generation for generation in study.generations}
    every = named.get(EVERY_IMPORTED)
    rows = []
    for key in dict.fromkeys([*(name for name in named if name != EVERY_IMPORTED), *n_responses.index]):
        generation = named.get(key, every)
        if generation is not None:
            rows.append(_planned_generation(key, generation, int(n_responses.get(key, 0))))
    return rows


def _planned_generation(key: str, generation: Generation, n_responses: int) -> PlannedGeneration:
    provider = generation.spec.provider
    return PlannedGeneration(
        key, provider, generation.model, n_responses, 0 if provider == REPLAY else n_responses
    )


def _grouping(connection: duckdb.DuckDBPyConnection, grouping: Sequence[str]) -> PlannedGrouping:
    """Cells of a grouping, by block: root prompt and levels of the blocking factors outside the grouping."""
    row = connection.execute(
        """
        with prompts as (
            select p.root_prompt_id, p.prompt_id,
                list(f.level order by f.factor) filter (where list_contains($1, f.factor)) as grouped,
                list((f.factor, f.level) order by f.factor)
                    filter (where d.is_blocking and not list_contains($1, f.factor)) as held
            from raw.prompts as p
            join raw.prompt_factors as f using (study_id, prompt_id)
            join raw.factors as d using (study_id, factor)
            group by p.root_prompt_id, p.prompt_id
        ),
        cells as (
            select root_prompt_id, held, grouped, generation_id, sum(n) as n_responses, count(*) as n_prompts
            from prompts
            join planned_responses using (prompt_id)
            where len(grouped) = len($1)
            group by all
        ),
        fewest as (
            select root_prompt_id, held, grouped, min(n_responses) as n_responses,
                max(n_responses) as most_responses, max(n_prompts) as n_prompts
            from cells group by all
        ),
        blocks as (
            select root_prompt_id, held, count(*) as n_present, min(n_responses) as n_responses,
                max(most_responses) as most_responses, max(n_prompts) as n_prompts
            from fewest group by all having count(*) >= 2
        )
        select (select count(distinct grouped) from cells), count(distinct root_prompt_id), count(*),
            coalesce(sum(n_present), 0)::bigint, coalesce(min(n_responses), 0)::bigint,
            coalesce(max(most_responses), 0)::bigint, coalesce(max(n_prompts), 0),
            coalesce(bool_and(n_present = (select count(distinct grouped) from cells)), false)
        from blocks
        """,
        [list(grouping)],
    ).fetchall()[0]
    counts = _Counts(*row)
    scheme = _scheme(counts)
    return PlannedGrouping(
        grouping_id=grouping_id(grouping),
        n_groups=counts.n_groups,
        n_root_prompts=counts.n_root_prompts,
        n_blocks=counts.n_blocks,
        n_cells=counts.n_cells,
        is_complete=counts.is_complete,
        scheme=f"no inference: {scheme}" if isinstance(scheme, InferenceReason) else scheme,
        reason=scheme if isinstance(scheme, InferenceReason) else None,
    )


class _Counts(NamedTuple):
    n_groups: int
    n_root_prompts: int
    n_blocks: int
    n_cells: int
    fewest_responses: int
    most_responses: int
    most_prompts: int
    is_complete: bool


def _scheme(counts: _Counts) -> str | InferenceReason:
    """What infer makes of the design, in words (inference.md 2.6)."""
    if counts.most_prompts > 1:
        return InferenceReason.SCHEME_NOT_AVAILABLE
    if counts.n_groups < 2:
        return InferenceReason.ONE_GROUP
    if not counts.n_blocks:
        return InferenceReason.SCHEME_NOT_AVAILABLE
    unit = choose_unit(counts.n_root_prompts, counts.n_blocks, counts.fewest_responses)
    if unit is InferenceReason.TOO_FEW_ROOT_PROMPTS and counts.most_responses > 1:
        return InferenceReason.TOO_FEW_REPLICATES
    if isinstance(unit, InferenceReason):
        return unit
    n_units = {Unit.ROOT_PROMPT: counts.n_root_prompts, Unit.BLOCK: counts.n_blocks}.get(unit, 1)
    scope = scopes(np.array([n_units]), unit)[0]
    what = "responses among groups" if unit is Unit.REPLICATE else "labels inside blocks"
    return f"{what}; unit {unit}; {scope}"


def _coverage(connection: duckdb.DuckDBPyConnection, factors: Sequence[str]) -> PlannedCoverage:
    """Coverage and Gini index over all combinations of the levels (metrics.md 3)."""
    rows = connection.execute(
        """
        select count(*) from (
            select prompt_id, list(level order by factor) as grouped
            from raw.prompt_factors where list_contains($1, factor)
            group by prompt_id having count(*) = len($1)
        ) group by grouped order by 1
        """,
        [list(factors)],
    ).fetchall()
    n_prompts = np.array([n for (n,) in rows])
    n_levels = connection.execute(
        "select count(*) from raw.factor_levels where list_contains($1, factor) group by factor",
        [list(factors)],
    ).fetchall()
    n_cells = int(np.prod([n for (n,) in n_levels], dtype=object))
    share = len(n_prompts) / n_cells
    return PlannedCoverage(
        grouping_id(factors), n_cells, len(n_prompts), share, _gini_index(n_prompts, n_cells)
    )


def _gini_index(counts: NDArray[np.int64], n_cells: int) -> float:
    """Gini index of ascending counts, cells without a prompt before them (metrics.md 3)."""
    rank = np.arange(n_cells - len(counts) + 1, n_cells + 1)
    return float(1 - 2 * np.sum(counts / counts.sum() * (n_cells - rank + 0.5) / n_cells))


def _warnings(
    study: Study,
    scraped: ScrapeCounts,
    assembled: AssembleCounts,
    groupings: list[PlannedGrouping],
    generations: list[PlannedGeneration],
) -> Iterator[str]:
    yield from (f"no sentence holds the keyword {keyword}" for keyword in scraped.keywords_without_sentences)
    yield from (f"{n:,} prompts were not made: {reason}" for reason, n in assembled.n_dropped.items())
    if n := scraped.n_quarantined + assembled.n_quarantined:
        yield f"{n:,} records are rejected; a run writes them to quarantined_records with the reason"
    for grouping in groupings:
        if grouping.reason is not None:
            yield f"grouping {grouping.grouping_id}: no inference, because {grouping.reason.meaning}"
        elif not grouping.is_complete:
            yield f"grouping {grouping.grouping_id}: some blocks lack some groups"
    yield from (f"generation {g.generation_id} has no response" for g in generations if not g.n_responses)
    for name in _repeating(study):
        yield f"generation {name}: replicates at temperature 0 may all be the same response"


def _repeating(study: Study) -> Iterator[str]:
    for generation in study.generations:
        spec = generation.spec
        if (
            spec.provider not in (REPLAY, SIMULATOR)
            and spec.replicates > 1
            and spec.decoding.temperature == 0
        ):
            yield generation.generation_id
