"""What the prompts of each grouping let inference do: what is exchanged, its unit and its scope, in words.

Belongs here: counting units, blocks and strata of every slice and grouping. The rules of the choice are
infer/design.py and infer/units.py; dbt makes the same choice from the same prompts (int_prompt_groups).
"""

from collections.abc import Sequence
from typing import NamedTuple

import duckdb
import numpy as np

from python_assets.infer.design import PROMPTS_LIKE_THESE, THESE_PROMPTS_ONLY, Unit, choose_unit, scopes
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.units import MIN_UNITS_FOR_SCOPE, MIN_UNITS_OF_GROUP
from python_assets.plan.text import PlannedGrouping
from python_assets.study.base import ALL_PROMPTS
from python_assets.study.study import Study, grouping_id

ROOT_PROMPT = "root prompt"
_SLICE_PROMPTS = """
    create or replace temp table slice_prompts as
    with asked as (
        select s.slice_id, count(distinct c.factor) as n_factors
        from raw.slice_ids as s left join raw.slices as c using (slice_id)
        group by s.slice_id
    ),
    met as (
        select c.slice_id, f.prompt_id, count(distinct c.factor) as n_factors
        from raw.slices as c join raw.prompt_factors as f using (factor, level)
        group by c.slice_id, f.prompt_id
    )
    select slice_id, prompt_id from asked cross join raw.prompts where n_factors = 0
    union all
    select slice_id, prompt_id from asked join met using (slice_id, n_factors)
"""
_PLACES = """
    create or replace temp table places as
    select s.slice_id, p.prompt_id, p.unit_id, p.root_prompt_id,
        list(f.level order by f.factor) filter (where list_contains($1, f.factor)) as grouped,
        list([f.factor, f.level] order by f.factor)
            filter (where d.is_blocking and not list_contains($1, f.factor)) as held
    from slice_prompts as s
    join raw.prompts as p using (prompt_id)
    join raw.prompt_factors as f using (prompt_id)
    join raw.factors as d using (factor)
    where p.prompt_id in (select prompt_id from planned_responses)
    group by all
    having len(grouped) = len($1)
"""
_BLOCKS = """
    with cells as (
        select slice_id, unit_id, root_prompt_id, held, grouped, generation_id, sum(n) as n_responses,
            count(*) as n_prompts
        from places join planned_responses using (prompt_id)
        group by all
    ),
    fewest as (
        select slice_id, unit_id, root_prompt_id, held, grouped, min(n_responses) as n_responses,
            max(n_responses) as most_responses, max(n_prompts) as n_prompts
        from cells group by all
    ),
    blocks as (
        select slice_id, unit_id, root_prompt_id, held, count(*) as n_present,
            min(n_responses) as n_responses, max(most_responses) as most_responses,
            max(n_prompts) as n_prompts
        from fewest group by all having count(*) >= 2
    ),
    groups as (
        select slice_id, count(distinct grouped) as n_groups, count(distinct unit_id) as n_units
        from places group by slice_id
    ),
    crossed as (
        select slice_id, max(n_groups) > 1 as is_crossed
        from (select slice_id, count(distinct grouped) as n_groups from places group by slice_id, unit_id)
        group by slice_id
    )
    select slice_id, is_crossed, n_groups, n_units, count(distinct unit_id), count(unit_id),
        coalesce(sum(n_present), 0)::bigint, coalesce(bool_and(n_present = n_groups), false),
        coalesce(min(n_responses), 0)::bigint, coalesce(max(most_responses), 0)::bigint,
        coalesce(max(n_prompts), 0)
    from groups join crossed using (slice_id) left join blocks using (slice_id)
    group by all
    order by slice_id
"""
_STRATA = """
    with levels as (
        select slice_id, unit_id, unnest(held) as level from places
    ),
    counted as (
        select slice_id, unit_id, level, count(*) as n, any_value(n_prompts) as n_prompts
        from levels
        join (select slice_id, unit_id, count(*) as n_prompts from places group by all)
            using (slice_id, unit_id)
        group by slice_id, unit_id, level
    ),
    varying as (
        select distinct slice_id, level[1] as factor from counted where n < n_prompts
    ),
    held as (
        select c.slice_id, c.unit_id, list(c.level order by c.level) as stratum
        from counted as c
        anti join varying as v on c.slice_id = v.slice_id and c.level[1] = v.factor
        group by all
    ),
    cells as (
        select slice_id, stratum, grouped, count(distinct unit_id) as n_units
        from places left join held using (slice_id, unit_id)
        group by all
    ),
    strata as (
        select slice_id, stratum, count(*) as n_present from cells group by all having count(*) >= 2
    ),
    groups as (
        select cells.slice_id, grouped, sum(n_units)::bigint as n_units, count(*) as n_cells
        from cells
        join strata
            on cells.slice_id = strata.slice_id and cells.stratum is not distinct from strata.stratum
        group by all
    ),
    strata_of_slice as (
        select slice_id, count(*) as n_strata, min(n_present) as fewest_groups from strata group by slice_id
    )
    select slice_id, n_strata, fewest_groups, sum(n_cells)::bigint, sum(n_units)::bigint, min(n_units),
        count(case when n_units < $1 then 1 end), count(*)
    from groups join strata_of_slice using (slice_id)
    group by all
"""


class _Blocks(NamedTuple):
    """A grouping in one slice; is_crossed: whether some unit has two groups."""

    slice_id: str
    is_crossed: bool
    n_groups: int
    n_units: int
    n_units_compared: int
    n_blocks: int
    n_cells: int
    is_complete: bool
    fewest_responses: int
    most_responses: int
    most_prompts: int


class _Strata(NamedTuple):
    """Strata with two groups or more; n_small: groups with too few units in them, of n_groups."""

    slice_id: str
    n_strata: int
    fewest_groups: int
    n_cells: int
    n_units: int
    fewest_units: int
    n_small: int
    n_groups: int


def planned_groupings(study: Study, connection: duckdb.DuckDBPyConnection) -> list[PlannedGrouping]:
    """What is exchanged in every grouping: in all prompts, then in the slices where it is something else.

    Args:
        study: the study.
        connection: with its prompts and design tables, and planned_responses (generation_id, prompt_id, n).
    """
    connection.execute(_SLICE_PROMPTS)
    planned = []
    for grouping in study.groupings:
        everywhere, *slices = _of_slices(study, connection, grouping)
        planned += [everywhere, *(part for part in slices if part.scheme != everywhere.scheme)]
    return planned


def _of_slices(
    study: Study, connection: duckdb.DuckDBPyConnection, grouping: Sequence[str]
) -> list[PlannedGrouping]:
    connection.execute(_PLACES, [list(grouping)])
    blocks = [_Blocks(*row) for row in connection.execute(_BLOCKS).fetchall()]
    rows = connection.execute(_STRATA, [MIN_UNITS_OF_GROUP]).fetchall()
    strata = {row[0]: _Strata(*row) for row in rows}
    names = [name for (name,) in connection.execute("select slice_id from raw.slice_ids").fetchall()]
    of_slice = {counts.slice_id: counts for counts in blocks}
    nothing = _Blocks(
        slice_id=ALL_PROMPTS,
        is_crossed=True,
        n_groups=0,
        n_units=0,
        n_units_compared=0,
        n_blocks=0,
        n_cells=0,
        is_complete=False,
        fewest_responses=0,
        most_responses=0,
        most_prompts=0,
    )
    return [
        _planned(study, grouping_id(grouping), of_slice.get(name, nothing), strata.get(name))
        for name in [ALL_PROMPTS, *(name for name in names if name in of_slice and name != ALL_PROMPTS)]
    ]


def _planned(study: Study, name: str, counts: _Blocks, strata: _Strata | None) -> PlannedGrouping:
    unit = study.unit or ROOT_PROMPT
    if counts.is_crossed or counts.n_groups < 2:
        scheme = _in_blocks(counts, unit)
        sizes = (counts.n_units_compared, counts.n_blocks, counts.n_cells, counts.is_complete)
        left_out = counts.n_units - counts.n_units_compared
        note = f"{left_out} of {counts.n_units} units have no two groups beside each other and are left out"
        notes = [note] if left_out and counts.n_units_compared else []
    else:
        scheme = _nested(strata, unit)
        holds_all = strata is not None and strata.fewest_groups == counts.n_groups
        sizes = (strata.n_units, strata.n_strata, strata.n_cells, holds_all) if strata else (0, 0, 0, False)
        small = strata.n_small if strata else 0
        note = f"{small} of {counts.n_groups} groups have under {MIN_UNITS_OF_GROUP} units and get no p"
        notes = [note] if small else []
    reason = scheme if isinstance(scheme, InferenceReason) else None
    words = f"no inference: {scheme}" if reason else str(scheme)
    n_units, n_blocks, n_cells, is_complete = sizes
    return PlannedGrouping(
        grouping_id=name,
        slice_id=counts.slice_id,
        n_groups=counts.n_groups,
        n_units=n_units,
        n_blocks=n_blocks,
        n_cells=n_cells,
        is_complete=is_complete,
        scheme=words,
        reason=reason,
        notes=notes,
    )


def _in_blocks(counts: _Blocks, unit: str) -> str | InferenceReason:
    """What infer makes of units with several groups (inference.md 2.6)."""
    if counts.n_groups < 2:
        return InferenceReason.ONE_GROUP
    if not counts.n_blocks:
        return InferenceReason.NO_SHARED_BLOCK
    if counts.most_prompts > 1 and unit == ROOT_PROMPT:
        return InferenceReason.SEVERAL_PROMPTS
    chosen = choose_unit(counts.n_units_compared, counts.n_blocks, counts.fewest_responses)
    if chosen is InferenceReason.TOO_FEW_ROOT_PROMPTS and counts.most_responses > 1:
        return InferenceReason.TOO_FEW_REPLICATES
    if isinstance(chosen, InferenceReason):
        return chosen
    n_units = {Unit.ROOT_PROMPT: counts.n_units_compared, Unit.BLOCK: counts.n_blocks}.get(chosen, 1)
    scope = scopes(np.array([n_units]), chosen)[0]
    what = "responses among groups" if chosen is Unit.REPLICATE else "labels inside blocks"
    return f"{what}; unit {unit if chosen is Unit.ROOT_PROMPT else chosen}; {scope}"


def _nested(strata: _Strata | None, unit: str) -> str | InferenceReason:
    """What infer makes of units with one group each (infer/units.py)."""
    if strata is None:
        return InferenceReason.NO_SHARED_BLOCK
    if strata.n_small == strata.n_groups or strata.n_units == strata.n_cells:
        return InferenceReason.TOO_FEW_UNITS
    scope = PROMPTS_LIKE_THESE if strata.fewest_units >= MIN_UNITS_FOR_SCOPE else THESE_PROMPTS_ONLY
    inside = f" inside {strata.n_strata} strata" if strata.n_strata > 1 else ""
    return f"whole units among groups{inside}; unit {unit}; {scope}"
