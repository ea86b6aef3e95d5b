"""The shape of each grouping, as far as power depends on it: groups, root prompts, responses.

Belongs here: counting on the prompts of all slices together. What the numbers are for is power.py.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.design.cells import PARTLY_NESTED
from python_assets.infer.design.parts import interaction_of
from python_assets.infer.options import Reference
from python_assets.infer.result import InferenceReason
from python_assets.plan.text import PlannedGrouping
from python_assets.study.base import ALL_PROMPTS, LEVEL_SEPARATOR, Against, parts_of
from python_assets.study.study import Study, grouping_id

DIGITS: Final = 9  # to which weights are the same
_ROUNDING: Final = 1e-9
_PAIRS = """
    create or replace temp table shape_pairs as
    with cells as (
        select distinct unit_id, block_id, group_id
        from planned_cells where slice_id = $1 and grouping_id = $2
    )
    select distinct unit_id, a.group_id, b.group_id as other_id
    from cells as a
    join cells as b using (unit_id, block_id)
    where a.group_id < b.group_id and ($3 is null or $3 in (a.group_id, b.group_id))
"""
_SHAPE = """
    with cells as (
        select system_id, scheme, unit_id, group_id, sum(n_responses) as n, sum(n_prompts) as n_prompts
        from planned_cells where slice_id = $1 and grouping_id = $2 group by all
    ),
    compared as (
        select unit_id, sum(n) as n from cells
        where scheme = 'nested' or unit_id in (select unit_id from shape_pairs)
        group by all
    ),
    systems as (
        select sum(n) / count(*) as n_of_group, sum(n_prompts) / count(*) as n_prompts from cells group by system_id
    )
    select (select coalesce(bool_and(scheme = 'nested'), true) from cells),
        (select count(distinct group_id) from cells), (select count(*) from compared),
        coalesce((select min(n_of_group) from systems), 0), coalesce((select sum(n) from compared), 0),
        coalesce((select min(n_prompts) from systems), 1)
"""
_IS_PARTLY_NESTED = f"""
    select coalesce(bool_or(scheme = '{PARTLY_NESTED}'), false)
    from planned_cells where slice_id = $1 and grouping_id = $2
"""
_GROUPS = """
    select distinct group_id from planned_cells where slice_id = $1 and grouping_id = $2 order by all
"""
_SHARED = """
    with groups as (
        select distinct group_id from planned_cells where slice_id = $1 and grouping_id = $2
    )
    select count(distinct p.unit_id)
    from groups as a
    join groups as b on a.group_id < b.group_id
    left join shape_pairs as p on a.group_id = p.group_id and b.group_id = p.other_id
    where $3 is null or $3 in (a.group_id, b.group_id)
    group by a.group_id, b.group_id
"""


class Beyond(NamedTuple):
    """What is asked of a crossing some parts of which are declared: what its cells add to them.

    left: the share of a cell's own variance that the parts leave, of the cell with the least of those that they leave
    any. n_distinct: cells that say something of their own; of 2 x 2 all say the same.

    Source: inference.md 6.10.
    """

    left: float
    n_distinct: int


class Shape(NamedTuple):
    """The shape of a grouping, as far as power depends on it.

    n_root_prompts: those with two groups or more in a block; where no root prompt (or declared unit) has two,
    is_nested, all of them; where groups are compared in pairs, what a pair shares, the median of those that
    share any. n_responses_of_group: of one group on one root prompt, in the generation with the fewest;
    n_responses: of all groups and generations, for each of n_root_prompts. reason: why there is no inference.
    n_pairs, n_apart: pairs that are compared, and those that share no root prompt. n_prompts_of_group: of one group
    on one root prompt, the fewest responses of it there can be. groups: their ids. beyond: of a crossing that is asked
    what its cells add to its parts, None of others.
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
    n_prompts_of_group: float = 1.0
    groups: tuple[str, ...] = ()
    beyond: Beyond | None = None

    @property
    def n_comparisons(self) -> int:
        """Distinct comparisons of one question: two groups differ from each other only once."""
        if self.beyond is not None:
            return self.beyond.n_distinct
        if self.against is Against.ALL_PAIRS or self.n_groups <= 2:
            return max(self.n_groups * (self.n_groups - 1) // 2, 1)
        return self.n_groups - (self.against is Against.LEVEL)


def shapes(study: Study, connection: duckdb.DuckDBPyConnection, groupings: list[PlannedGrouping]) -> list[Shape]:
    """The shape of every grouping.

    Args:
        study: the study.
        connection: with planned_cells.
        groupings: what schemes.py makes of them.
    """
    reasons = {planned.grouping_id: planned.reason for planned in groupings if planned.slice_id == ALL_PROMPTS}
    return [_shape(study, connection, grouping, reasons[grouping_id(grouping)]) for grouping in study.groupings]


def _shape(
    study: Study, connection: duckdb.DuckDBPyConnection, grouping: tuple[str, ...], reason: InferenceReason | None
) -> Shape:
    key = grouping_id(grouping)
    against, level = study.references[key]
    groups = tuple(group for (group,) in connection.execute(_GROUPS, [ALL_PROMPTS, key]).fetchall())
    # where units keep a part of the factors, groups are asked as they are
    is_partly_nested = connection.execute(_IS_PARTLY_NESTED, [ALL_PROMPTS, key]).fetchone() == (True,)
    part_ids = [] if is_partly_nested else parts_of(key, [grouping_id(factors) for factors in study.groupings])
    beyond = (
        _beyond(grouping, groups, [part_id.split(LEVEL_SEPARATOR) for part_id in part_ids])
        if part_ids and groups
        else None
    )
    if beyond is not None:  # whatever its groups are held against otherwise
        against, level = Against.REST, None
        reason = reason if beyond.n_distinct else reason or InferenceReason.ALIASED
    connection.execute(_PAIRS, [ALL_PROMPTS, key, level])
    counts = connection.execute(_SHAPE, [ALL_PROMPTS, key]).fetchall()[0]
    is_nested, n_groups, n_units, n_of_group, n_responses, n_prompts = counts
    shared = np.array([], int)
    if Reference(against, 0).is_pairwise and not is_nested and reason is None:
        shared = np.array([n for (n,) in connection.execute(_SHARED, [ALL_PROMPTS, key, level]).fetchall()])
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
        n_prompts_of_group=float(n_prompts),
        groups=groups,
        beyond=beyond,
    )


def _beyond(factors: Sequence[str], groups: Sequence[str], parts: Sequence[Sequence[str]]) -> Beyond:
    """What parts leave of the cells of a block that holds them all."""
    levels = pd.DataFrame([group.split(LEVEL_SEPARATOR) for group in groups], columns=[*factors])
    group_numbers = [levels.groupby(list(part_factors)).ngroup().to_numpy(dtype=np.intp) for part_factors in parts]
    left = interaction_of(np.stack(group_numbers))
    share = np.diag(left)
    remainders = left[share > 0] / share[share > 0, None]
    is_mirrored = remainders[np.arange(len(remainders)), np.argmax(np.abs(remainders) > _ROUNDING, axis=1)] < 0
    distinct = np.unique(np.round(np.where(is_mirrored[:, None], -remainders, remainders), DIGITS), axis=0)
    return Beyond(float(share[share > 0].min(initial=1.0)), len(distinct))


def shape_warnings(study: Study, found: list[Shape]) -> Iterator[str]:
    """What pairs of groups cannot be compared.

    Args:
        study: the study.
        found: the shapes of its groupings.
    """
    unit = study.unit_name
    for shape in (shape for shape in found if shape.n_apart):
        level = study.references[shape.grouping_id][1]
        what = f"groups share no {unit} with {level}" if level else f"pairs of groups share no {unit}"
        counts = f"{shape.n_apart} of {shape.n_pairs}"
        yield f"grouping {shape.grouping_id}: {counts} {what}: compare with rest or grand_mean"
