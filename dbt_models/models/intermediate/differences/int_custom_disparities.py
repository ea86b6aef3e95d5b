"""The study's own disparities: expressions over the statistics of groups, which no SQL of this project can hold.

They are rows of raw.custom_disparities, checked like the study's own statistics (int_custom_statistics.py) and read,
like them, when the model runs.
"""


def model(dbt, session):
    """One row per (comparison_position, statistic_position, metric)."""
    dbt.config(materialized="table")
    statistics = dbt.ref("int_statistics").filter("value is not null")
    own = dbt.source("raw", "custom_disparities").project("metric, expression")
    found = statistics.limit(0).aggregate(_columns("", "null"), _KEYS)
    for metric, expression in own.fetchall():
        found = found.union(statistics.aggregate(_columns(metric, expression), _KEYS))
    return found


_KEYS = "comparison_position, statistic_position"


def _columns(metric, expression):
    # neither infinite nor NaN
    value = f"cast({expression} as double)"
    name = metric.replace("'", "''")
    return f"{_KEYS}, '{name}' as metric, case when abs({value}) <= 1e100 then {value} end as value"
