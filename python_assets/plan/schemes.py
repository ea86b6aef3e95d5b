"""What the prompts of each grouping let inference do: what is exchanged, its unit and its scope, in words.

Belongs here: counting units, blocks and strata of every slice and grouping. The rules of the choice are
infer/design and infer/schemes; groups, blocks and strata are those of dbt (int_prompt_groups).
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import duckdb
import numpy as np

from python_assets.infer.design.cells import MIXED_UNITS, PARTLY_NESTED
from python_assets.infer.design.design import MIN_UNITS_FOR_SCOPE, Unit, choose_unit, scopes
from python_assets.infer.design.parts import FEWEST
from python_assets.infer.design.read_cells import NOT_REDUNDANT
from python_assets.infer.result import InferenceReason
from python_assets.infer.schemes.units import MIN_UNITS_OF_GROUP, unit_scopes
from python_assets.plan.text import PlannedGrouping
from python_assets.study.base import ALL_PROMPTS, LEVEL_SEPARATOR, parts_of
from python_assets.study.study import Study, grouping_id
from python_assets.warehouse.build import rows_of

_REFUSED: Final = {MIXED_UNITS: InferenceReason.MIXED_UNITS, PARTLY_NESTED: InferenceReason.PARTLY_NESTED}
Factors = defaultdict[tuple[str, str], list[dict[str, Any]]]
_BLOCKS = """
    with cells as (
        select slice_id, grouping_id, unit_id, block_id, group_id,
            min(n_responses) as fewest_responses, max(n_responses) as most_responses,
            max(n_prompts) as n_prompts, bool_or(is_of_models) as is_of_models
        from planned_cells group by all
    ),
    blocks as (
        select slice_id, grouping_id, unit_id, count(*) as n_present,
            min(fewest_responses) as fewest_responses, max(most_responses) as most_responses,
            max(n_prompts) as n_prompts
        from cells
        group by slice_id, grouping_id, unit_id, block_id
        having count(*) >= 2
    ),
    groups as (
        select slice_id, grouping_id, scheme, max(unit_factor) as unit_factor,
            count(distinct group_id) as n_groups, count(distinct unit_id) as n_units,
            count(distinct (unit_id, root_prompt_position)) = count(distinct root_prompt_position)
                as has_own_prompts, bool_or(is_of_models) as is_of_models
        from planned_cells group by slice_id, grouping_id, scheme
    )
    select grouping_id, slice_id, scheme, unit_factor, has_own_prompts, is_of_models, n_groups, n_units,
        count(distinct unit_id) as n_units_compared, count(unit_id) as n_blocks,
        coalesce(sum(n_present), 0)::bigint as n_cells,
        coalesce(bool_and(n_present = n_groups), false) as is_complete,
        coalesce(min(fewest_responses), 0) as fewest_responses,
        coalesce(max(most_responses), 0) as most_responses, coalesce(max(n_prompts), 0) as most_prompts
    from groups left join blocks using (slice_id, grouping_id)
    group by all
"""
_FACTORS = """
    select grouping_id, slice_id, factor, is_stratum, left_out_because
    from intermediate.int_blocking_factors
    union all
    select distinct grouping_id, slice_id, unnest(string_split(held_factors, ', ')), true, null
    from intermediate.int_settings
    where held_factors <> ''
    order by factor
"""
_STRATA = """
    with cells as (
        select slice_id, grouping_id, stratum_id, group_id, count(distinct unit_id) as n_units
        from planned_cells
        where scheme = 'nested'
        group by all
    ),
    strata as (
        select slice_id, grouping_id, stratum_id, count(*) as n_present
        from cells group by all having count(*) >= 2
    ),
    groups as (
        select slice_id, grouping_id, group_id, sum(n_units)::bigint as n_units, count(*) as n_cells
        from cells join strata using (slice_id, grouping_id, stratum_id)
        group by all
    ),
    strata_of_slice as (
        select slice_id, grouping_id, count(*) as n_strata, min(n_present) as fewest_groups
        from strata group by all
    ),
    prompts as (
        select slice_id, grouping_id, count(distinct root_prompt_position) as n_prompts,
            count(distinct block_id) as n_pairs
        from planned_cells
        where scheme = 'nested'
        group by all
    ),
    sides as (  -- a group and all others; the smaller one says what can be told
        select *,
            least(n_units, sum(n_units) over (partition by slice_id, grouping_id) - n_units) as n_of_side
        from groups
    )
    select grouping_id, slice_id, n_strata, fewest_groups, sum(n_cells)::bigint as n_cells,
        sum(n_units)::bigint as n_units, min(n_of_side)::bigint as fewest_units,
        count(case when n_of_side < $1 then 1 end) as n_small, count(*) as n_groups,
        n_prompts, n_pairs = n_prompts as has_own_prompts
    from sides
    join strata_of_slice using (slice_id, grouping_id)
    join prompts using (slice_id, grouping_id)
    group by all
"""


@dataclass(frozen=True, kw_only=True)
class _Blocks:
    """A grouping in one slice; scheme: how units and groups meet.

    unit_factor: what units are levels of. has_own_prompts: no two units share a root prompt. is_of_models:
    whether it names a factor of generations, whose answers are averaged in each cell.
    """

    grouping_id: str
    slice_id: str
    scheme: str = "blocked"
    unit_factor: str | None = None
    has_own_prompts: bool = True
    is_of_models: bool = False
    n_groups: int = 0
    n_units: int = 0
    n_units_compared: int = 0
    n_blocks: int = 0
    n_cells: int = 0
    is_complete: bool = False
    fewest_responses: int = 0
    most_responses: int = 0
    most_prompts: int = 0

    @property
    def unit(self) -> str:
        """What the units are, in words."""
        return self.unit_factor or str(Unit.ROOT_PROMPT)


@dataclass(frozen=True, kw_only=True)
class _Strata:
    """Strata with two groups or more.

    n_small: groups that have too few units in them, or leave too few to the others, of n_groups.
    fewest_units: of such a side. n_prompts: root prompts of all units; has_own_prompts: no two units share
    one.
    """

    grouping_id: str
    slice_id: str
    n_strata: int
    fewest_groups: int
    n_cells: int
    n_units: int
    fewest_units: int
    n_small: int
    n_groups: int
    n_prompts: int
    has_own_prompts: bool


def planned_groupings(study: Study, connection: duckdb.DuckDBPyConnection) -> list[PlannedGrouping]:
    """What is exchanged in every grouping: in all prompts, then in the slices where it is something else.

    Args:
        study: the study.
        connection: with its design tables, and planned_cells.
    """
    blocks = [_Blocks(**row) for row in rows_of(connection, _BLOCKS, [])]
    strata = [_Strata(**row) for row in rows_of(connection, _STRATA, [MIN_UNITS_OF_GROUP])]
    blocks_of = {(counts.grouping_id, counts.slice_id): counts for counts in blocks}
    strata_of = {(counts.grouping_id, counts.slice_id): counts for counts in strata}
    factors_of: Factors = defaultdict(list)
    for row in rows_of(connection, _FACTORS, []):
        factors_of[row["grouping_id"], row["slice_id"]].append(row)
    names = [name for (name,) in connection.execute("select slice_id from raw.slice_ids").fetchall()]
    planned = []
    for key in map(grouping_id, study.groupings):
        no_prompts = _Blocks(grouping_id=key, slice_id=ALL_PROMPTS)
        everywhere = _planned(study, blocks_of.get((key, ALL_PROMPTS), no_prompts), strata_of, factors_of)
        slices = [
            _planned(study, blocks_of[key, name], strata_of, factors_of)
            for name in names
            if name != ALL_PROMPTS and (key, name) in blocks_of
        ]
        planned += [
            everywhere,
            *(planned_slice for planned_slice in slices if planned_slice.scheme != everywhere.scheme),
        ]
    return planned


def _planned(
    study: Study, counts: _Blocks, strata_of: Mapping[tuple[str, str], _Strata], factors_of: Factors
) -> PlannedGrouping:
    strata = strata_of.get((counts.grouping_id, counts.slice_id))
    factors = factors_of[counts.grouping_id, counts.slice_id]
    notes: list[str] = []
    has_one_wording = has_few_wordings = False
    scheme: str | InferenceReason
    if counts.scheme in _REFUSED:
        scheme = _REFUSED[counts.scheme]
        sizes = (counts.n_units, 0, 0, False)
    elif counts.scheme == "blocked" or counts.n_groups < 2:
        scheme = _in_blocks(counts, has_unit=study.unit is not None, wordings=study.prompts.wordings)
        is_worded = study.has_wordings(counts.grouping_id.split(LEVEL_SEPARATOR))
        has_one_wording = not (counts.is_of_models or is_worded or isinstance(scheme, InferenceReason))
        sizes = (counts.n_units_compared, counts.n_blocks, counts.n_cells, counts.is_complete)
        has_few_wordings = (
            _moves_whole(counts, study.prompts.wordings) and 0 < counts.n_units_compared < MIN_UNITS_FOR_SCOPE
        )
        left_out = counts.n_units - counts.n_units_compared
        if left_out and counts.n_units_compared:
            notes = [f"{left_out} of {counts.n_units} units have no two groups beside each other and are left out"]
    else:
        scheme = _nested(strata, counts.unit)
        holds_all = strata is not None and strata.fewest_groups == counts.n_groups
        sizes = (strata.n_units, strata.n_strata, strata.n_cells, holds_all) if strata else (0, 0, 0, False)
        if strata and strata.n_small:
            small = f"{strata.n_small} of {counts.n_groups} groups"
            notes = [f"{small} have under {MIN_UNITS_OF_GROUP} units and get no p"]
    reason = scheme if isinstance(scheme, InferenceReason) else None
    if reason is None and counts.scheme not in _REFUSED:
        notes += _of_crossing(
            study, counts.grouping_id, counts.n_units_compared if counts.scheme == "blocked" else None
        )
    words = f"no inference: {scheme}" if reason else str(scheme)
    n_units, n_blocks, n_cells, is_complete = sizes
    return PlannedGrouping(
        grouping_id=counts.grouping_id,
        slice_id=counts.slice_id,
        n_groups=counts.n_groups,
        n_units=n_units,
        n_blocks=n_blocks,
        n_cells=n_cells,
        is_complete=is_complete,
        scheme=words,
        reason=reason,
        notes=notes,
        held=tuple(row["factor"] for row in factors if row["is_stratum"]),
        left_out=tuple(
            (row["factor"], row["left_out_because"])
            for row in factors
            if row["left_out_because"] not in (None, NOT_REDUNDANT)
        ),
        has_one_wording=has_one_wording,
        has_few_wordings=has_few_wordings,
    )


def _of_crossing(study: Study, key: str, n_root_prompts: int | None) -> Iterator[str]:
    """What a grouping of several factors asks (inference.md 6.10); n_root_prompts: of groups that meet in blocks."""
    if LEVEL_SEPARATOR not in key:
        return
    part_ids = parts_of(key, [grouping_id(factors) for factors in study.groupings])
    if not part_ids:
        yield "no part of it is a grouping, so it asks whether its groups differ, be it by one factor alone"
        return
    if n_root_prompts is not None and n_root_prompts < FEWEST:
        yield f"no p: {InferenceReason.TOO_FEW_ROOT_PROMPTS.meaning}"


def _in_blocks(counts: _Blocks, *, has_unit: bool, wordings: Collection[str]) -> str | InferenceReason:
    """What infer makes of units with several groups (inference.md 2.6)."""
    if counts.n_groups < 2:
        return InferenceReason.ONE_GROUP
    if not counts.n_blocks:
        return InferenceReason.NO_SHARED_BLOCK
    averages = has_unit or counts.unit_factor or counts.is_of_models
    if counts.most_prompts > 1 and not averages:
        return InferenceReason.SEVERAL_PROMPTS
    fewest = 1 if counts.is_of_models else counts.fewest_responses
    whole = _moves_whole(counts, wordings)
    chosen = choose_unit(counts.n_units_compared, counts.n_blocks, fewest, moves_whole_units=whole)
    has_replicates = counts.most_responses > 1 and not counts.is_of_models and not whole
    if chosen is InferenceReason.TOO_FEW_ROOT_PROMPTS and has_replicates:
        return InferenceReason.TOO_FEW_REPLICATES
    if isinstance(chosen, InferenceReason):
        return chosen
    n_units = {Unit.ROOT_PROMPT: counts.n_units_compared, Unit.BLOCK: counts.n_blocks}.get(chosen, 1)
    has_own = counts.has_own_prompts
    scope = scopes(np.array([n_units]), chosen, has_own_prompts=has_own, is_of_wordings=whole)[0]
    what = "labels of a wording, in all its blocks at once" if whole else "labels inside blocks"
    what = "responses among groups" if chosen is Unit.REPLICATE else what
    return f"{what}; unit {counts.unit if chosen is Unit.ROOT_PROMPT else chosen}; {scope}"


def _moves_whole(counts: _Blocks, wordings: Collection[str]) -> bool:
    """Whether groups are shuffled in all blocks of a unit at once, as read_cells has it."""
    return counts.scheme == "blocked" and counts.unit_factor in wordings and counts.has_own_prompts


def _nested(strata: _Strata | None, unit: str) -> str | InferenceReason:
    """What infer makes of units with one group each (infer/schemes)."""
    if strata is None:
        return InferenceReason.NO_SHARED_BLOCK
    if strata.n_small == strata.n_groups or strata.n_units == strata.n_cells:
        return InferenceReason.TOO_FEW_UNITS
    fewest = np.array([strata.fewest_units])
    scope = unit_scopes(fewest, strata.n_prompts, has_own_prompts=strata.has_own_prompts)[0]
    inside = f" inside {strata.n_strata} strata" if strata.n_strata > 1 else ""
    return f"whole units among groups{inside}; unit {unit}; {scope}"
