"""The shape of each grouping, as far as power depends on it: groups, root prompts, responses.

Belongs here: counting on the prompts of all slices together. What the numbers are for is power.py.
"""

from collections.abc import Iterator
from typing import NamedTuple

import duckdb
import numpy as np

from python_assets.infer.reasons import InferenceReason
from python_assets.infer.reference import Reference
from python_assets.plan.text import PlannedGrouping
from python_assets.study.base import ALL_PROMPTS, LEVEL_SEPARATOR, Against
from python_assets.study.study import Study, grouping_id

_CELLS = """
    create or replace temp table shape_cells as
    select p.unit_id, p.root_prompt_id, p.prompt_id,
        array_to_string(
            list(f.level order by list_position($2, f.factor)) filter (where list_contains($2, f.factor)), $3
        ) as group_id,
        list([f.factor, f.level] order by f.factor)
            filter (where d.is_blocking and not list_contains($2, f.factor)) as held
    from raw.prompts as p
    join raw.prompt_factors as f using (study_id, prompt_id)
    left join raw.factors as d using (study_id, factor)
    where p.study_id = $1 and p.prompt_id in (select prompt_id from planned_responses)
    group by all
    having count(case when list_contains($2, f.factor) then 1 end) = len($2)
"""
# blocks are those of schemes.py: what two groups are compared in
_PAIRS = """
    create or replace temp table shape_pairs as
    with cells as (select distinct unit_id, root_prompt_id, held, group_id from shape_cells)
    select distinct a.unit_id, a.group_id, b.group_id as other_id
    from cells as a
    join cells as b
        on a.unit_id = b.unit_id and a.root_prompt_id = b.root_prompt_id
        and a.held is not distinct from b.held and a.group_id < b.group_id
    where $1 is null or $1 in (a.group_id, b.group_id)
"""
_SHAPE = """
    with cells as (
        select generation_id, unit_id, group_id, sum(n) as n
        from shape_cells join planned_responses using (prompt_id) group by all
    ),
    units as (select unit_id, count(distinct group_id) as n_groups, sum(n) as n from cells group by all),
    nested as (select coalesce(max(n_groups), 0) < 2 as is_nested from units),
    compared as (
        select * from units, nested where is_nested or unit_id in (select unit_id from shape_pairs)
    ),
    generations as (select sum(n) / count(*) as n_of_group from cells group by generation_id)
    select is_nested, (select count(distinct group_id) from cells), (select count(*) from compared),
        coalesce((select min(n_of_group) from generations), 0), coalesce((select sum(n) from compared), 0)
    from nested
"""
_SHARED = """
    with groups as (select distinct group_id from shape_cells)
    select count(distinct p.unit_id)
    from groups as a
    join groups as b on a.group_id < b.group_id
    left join shape_pairs as p on a.group_id = p.group_id and b.group_id = p.other_id
    where $1 is null or $1 in (a.group_id, b.group_id)
    group by a.group_id, b.group_id
"""


class Shape(NamedTuple):
    """The shape of a grouping, as far as power depends on it.

    n_root_prompts: those with two groups or more in a block; where no root prompt (or declared unit) has two,
    is_nested, all of them; where groups are compared in pairs, what a pair shares, the median of those that
    share any. n_responses_of_group: of one group on one root prompt, in the generation with the fewest;
    n_responses: of all groups and generations, for each of n_root_prompts. reason: why there is no inference.
    n_pairs, n_apart: pairs that are compared, and those that share no root prompt.
    """

    grouping_id: str
    against: Against
    n_groups: int
    n_root_prompts: int
    n_responses_of_group: float
    n_responses: float
    is_nested: bool
    reason: InferenceReason | None = None
    n_pairs: int = 0
    n_apart: int = 0

    @property
    def n_tests(self) -> int:
        """Distinct comparisons that alpha is shared by: two groups differ from each other only once."""
        if self.against is Against.ALL_PAIRS or self.n_groups <= 2:
            return max(self.n_groups * (self.n_groups - 1) // 2, 1)
        return self.n_groups - (self.against is Against.LEVEL)


def shapes(
    study: Study, connection: duckdb.DuckDBPyConnection, groupings: list[PlannedGrouping]
) -> list[Shape]:
    """The shape of every grouping.

    Args:
        study: the study.
        connection: with its prompts and design tables, and planned_responses (generation_id, prompt_id, n).
        groupings: what schemes.py makes of them.
    """
    reasons = {found.grouping_id: found.reason for found in groupings if found.slice_id == ALL_PROMPTS}
    return [
        _shape(study, connection, grouping, reasons[grouping_id(grouping)]) for grouping in study.groupings
    ]


def _shape(
    study: Study,
    connection: duckdb.DuckDBPyConnection,
    grouping: tuple[str, ...],
    reason: InferenceReason | None,
) -> Shape:
    key = grouping_id(grouping)
    against, level = study.references[key]
    connection.execute(_CELLS, [study.study_id, list(grouping), LEVEL_SEPARATOR])
    connection.execute(_PAIRS, [level])
    is_nested, n_groups, n_units, n_of_group, n_responses = connection.execute(_SHAPE).fetchall()[0]
    shared = np.array([], int)
    if Reference(against, 0).is_pairwise and not is_nested and reason is None:
        shared = np.array([n for (n,) in connection.execute(_SHARED, [level]).fetchall()])
        n_units = int(np.median(shared[shared > 0])) if shared.any() else 0
        reason = None if n_units else InferenceReason.NO_SHARED_BLOCK
    return Shape(
        grouping_id=key,
        against=against,
        n_groups=n_groups,
        n_root_prompts=n_units,
        n_responses_of_group=float(n_of_group),
        n_responses=float(n_responses) / n_units if n_units else 0.0,
        is_nested=is_nested,
        reason=reason,
        n_pairs=len(shared),
        n_apart=int((shared == 0).sum()),
    )


def shape_warnings(study: Study, found: list[Shape]) -> Iterator[str]:
    """What pairs of groups cannot be compared.

    Args:
        study: the study.
        found: the shapes of its groupings.
    """
    unit = study.unit or "root prompt"
    for shape in (shape for shape in found if shape.n_apart):
        level = study.references[shape.grouping_id][1]
        what = f"groups share no {unit} with {level}" if level else f"pairs of groups share no {unit}"
        counts = f"{shape.n_apart} of {shape.n_pairs}"
        yield f"grouping {shape.grouping_id}: {counts} {what}: compare with rest or grand_mean"
