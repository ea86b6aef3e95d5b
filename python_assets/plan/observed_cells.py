"""What answers say of the parts of their spread: root prompt, root prompt x group, and repeats.

Belongs here: mean squares by SQL on answers. What they are used for is expected_effects.py.
"""

from typing import Final

import duckdb
import numpy as np

from python_assets.plan.expected_effects import Pilot
from python_assets.study.base import BASELINE

# a cell is a root prompt x group: the mean of its prompts, each the mean of its answers
_MEAN_SQUARES: Final = f"""
    with prompts as (
        select system_id, measure_id, category, prompt_id,
            count(*) as n, avg(x) as mean, coalesce(var_samp(x), 0) * (count(*) - 1) as squares
        from intermediate.int_values
        where calibration = 'raw' and system_id <> '{BASELINE}'
        group by all
    ),
    cells as (
        select system_id, measure_id, category, unit_id, group_id, avg(mean) as mean,
            sum(squares) as squares, sum(n - 1) as df, sum(1 / n) / (count(*) * count(*)) as share_of_within
        from prompts
        join intermediate.int_prompt_groups using (prompt_id)
        where slice_id = $1 and grouping_id = $2
        group by all
    ),
    counts as (
        select system_id, measure_id, category, count(distinct group_id) as n_groups
        from cells group by all having count(distinct group_id) >= 2
    ),
    complete as (
        select *, count(*) over (partition by system_id, measure_id, category, unit_id) as n_present
        from cells join counts using (system_id, measure_id, category)
        qualify n_present = n_groups
    ),
    residuals as (
        select *, avg(mean) over of_unit as unit_mean,
            mean - avg(mean) over of_unit - avg(mean) over of_group + avg(mean) over of_all as own
        from complete
        window
            of_unit as (partition by system_id, measure_id, category, unit_id),
            of_group as (partition by system_id, measure_id, category, group_id),
            of_all as (partition by system_id, measure_id, category)
    ),
    columns as (
        select system_id, measure_id, category, max(n_groups) as n_groups,
            count(distinct unit_id) as n_units,
            sum(own * own) / ((count(distinct unit_id) - 1) * (max(n_groups) - 1)) as mean_square,
            sum(squares) / nullif(sum(df), 0) as within,
            avg(share_of_within) as share_of_within,
            -- each unit stands once a group
            var_pop(unit_mean) * count(distinct unit_id) / (count(distinct unit_id) - 1) as of_units
        from residuals
        group by all
        having count(distinct unit_id) >= 2
    ),
    categories as (
        select measure_id, category, avg(mean_square) as mean_square, avg(within) as within,
            1 / avg(share_of_within) as n_responses,
            greatest(avg(of_units) - avg(mean_square / n_groups), 0) as of_root_prompts,
            median(n_units)::integer as n_units, max(n_groups) as n_groups
        from columns
        group by all
    )
    select measure_id, arg_max(categories, mean_square)
    from categories
    group by measure_id
"""


def observed_cells(connection: duckdb.DuckDBPyConnection, slice_id: str, grouping_id: str) -> dict[str, Pilot]:
    """The parts of the spread of every measure, on the root prompts or units that hold all groups.

    Args:
        connection: with intermediate.int_values and int_prompt_groups.
        slice_id: whose prompts are looked at.
        grouping_id: whose groups meet on them.

    Returns:
        By measure: means over generations, of the category with the largest mean square. A measure without two such
        root prompts in some generation is left out.

    Source: inference.md 2.8.
    """
    pilots = {}
    for measure_id, row in connection.execute(_MEAN_SQUARES, [slice_id, grouping_id]).fetchall():
        pilots[measure_id] = Pilot(
            mean_square=row["mean_square"],
            within=np.nan if row["within"] is None else row["within"],
            n_responses=row["n_responses"],
            root_prompt=row["of_root_prompts"],
            n_root_prompts=row["n_units"],
            n_groups=row["n_groups"],
        )
    return pilots
