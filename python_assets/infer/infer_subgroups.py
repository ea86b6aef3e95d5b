"""What inference adds to subgroups: intervals of their rates and log disparities.

Belongs here: reading the sums that SQL made and writing the rows. No question is asked and no p is corrected:
that is run.py.
"""

from typing import Final, NamedTuple

import duckdb

from python_assets.infer import subgroups
from python_assets.infer.write_tables import Columns, write_tables

TABLES: Final[Columns] = {"subgroups": subgroups.COLUMNS}


class SubgroupCounts(NamedTuple):
    """Rows written, and how many subgroups have an interval."""

    n_subgroups: int
    n_intervals: int


def infer_subgroups(connection: duckdb.DuckDBPyConnection, alpha: float) -> SubgroupCounts:
    """Read the sums of subgroups and write inference.subgroups.

    Args:
        connection: to the build file of one study, after dbt has made schema intermediate.
        alpha: intervals are 1 - alpha.

    Returns:
        How many rows came of it.
    """
    sums = connection.execute("from intermediate.int_subgroup_sums order by all").df()
    intervals = subgroups.subgroup_intervals(sums, alpha)
    write_tables(connection, TABLES, {"subgroups": intervals})
    return SubgroupCounts(len(intervals), int(intervals.ci_low.notna().sum()))
