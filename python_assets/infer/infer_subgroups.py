"""What inference adds to subgroups: intervals, and generations compared by their subgroup rates.

Belongs here: reading the sums that SQL made and writing the rows. No question is asked and no p is corrected:
that is run.py.
"""

from typing import Final, NamedTuple

import duckdb

from python_assets.infer import subgroup_distributions, subgroups
from python_assets.infer.write_tables import Columns, write_tables

TABLES: Final[Columns] = {
    "subgroups": subgroups.COLUMNS,
    "generation_comparisons": subgroup_distributions.COLUMNS,
}


_MIXED_SLICES: Final = """
    select slice_id
    from intermediate.int_prompt_slices
    join raw.prompts using (study_id, prompt_id)
    group by slice_id
    having count(distinct coalesce(unit_factor, '')) > 1
"""


class SubgroupCounts(NamedTuple):
    """Rows written, and how many subgroups have an interval."""

    n_subgroups: int
    n_intervals: int
    n_comparisons: int


def infer_subgroups(connection: duckdb.DuckDBPyConnection, alpha: float) -> SubgroupCounts:
    """Read the sums of subgroups and write inference.subgroups and inference.generation_comparisons.

    Args:
        connection: to the build file of one study, after dbt has made schema intermediate.
        alpha: intervals are 1 - alpha.

    Returns:
        How many rows came of it.
    """
    sums = connection.execute("from intermediate.int_subgroup_sums order by all").df()
    mixed = [slice_id for (slice_id,) in connection.execute(_MIXED_SLICES).fetchall()]
    intervals = subgroups.subgroup_intervals(sums, alpha, mixed)
    compared = subgroup_distributions.distribution_rows(sums)
    write_tables(connection, TABLES, {"subgroups": intervals, "generation_comparisons": compared})
    return SubgroupCounts(len(intervals), int(intervals.ci_low.notna().sum()), len(compared))
