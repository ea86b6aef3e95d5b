"""What inference describes without asking: intervals of subgroups, and sources of variance.

Belongs here: reading the sums that SQL made and writing the rows. No question is asked and no p is corrected:
that is run.py.
"""

from typing import Final, NamedTuple

import duckdb

from python_assets.infer import subgroups, variance
from python_assets.infer.write_tables import Columns, write_tables

TABLES: Final[Columns] = {"subgroups": subgroups.COLUMNS, "variance_components": variance.COLUMNS}


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
    n_variance_components: int


def infer_subgroups(connection: duckdb.DuckDBPyConnection, alpha: float) -> SubgroupCounts:
    """Write inference.subgroups from the sums of subgroups, and inference.variance_components.

    Args:
        connection: to the build file of one study, after dbt has made schema intermediate.
        alpha: intervals are 1 - alpha.

    Returns:
        How many rows came of it.
    """
    sums = connection.execute("from intermediate.int_subgroup_sums order by all").df()
    mixed = [slice_id for (slice_id,) in connection.execute(_MIXED_SLICES).fetchall()]
    intervals = subgroups.subgroup_intervals(sums, alpha, mixed)
    study_id = connection.execute("select min(study_id) from raw.prompts").fetchone() or ("",)
    components = variance.variance_rows(connection).assign(study_id=study_id[0])
    write_tables(connection, TABLES, {"subgroups": intervals, "variance_components": components})
    return SubgroupCounts(len(intervals), int(intervals.ci_low.notna().sum()), len(components))
