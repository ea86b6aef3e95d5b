"""The study's own statistics: expressions over x and baseline, which no SQL of this project can hold.

They are rows of raw.statistics, as DuckDB wrote them back after study/expressions.py had checked that each
is one aggregate of numbers. A dbt model in Python reads them when it runs: no SQL is written by a study.
"""

_KEYS = "comparison_position, group_position"
_STATISTICS = "statistic, parameters, is_paired, expression"

_NOTHING = """
    select
        cast(null as integer) as comparison_position, cast(null as integer) as group_position,
        '' as statistic, '' as parameters, cast(null as double) as value
    where false
"""


def model(dbt, session):
    """One row per (comparison_position, group_position, statistic, parameters)."""
    dbt.config(materialized="table")
    own = dbt.source("raw", "statistics").filter("expression is not null").project(_STATISTICS).fetchall()
    found = session.sql(_NOTHING)
    if not own:  # as in most studies: looking at values that nothing is taken of would take a tenth of a second
        return found
    values = dbt.ref("int_grouped_values")
    for statistic, parameters, is_paired, expression in own:
        counted = values.filter("baseline is not null" if is_paired else "x is not null")
        found = found.union(counted.aggregate(_columns(statistic, parameters, expression), _KEYS))
    return found


def _columns(statistic, parameters, expression):
    value = f"cast({expression} as double)"
    finite = f"case when abs({value}) <= 1e100 then {value} end"
    return f"{_KEYS}, {_text(statistic)} as statistic, {_text(parameters)} as parameters, {finite} as value"


def _text(value):
    return "'" + value.replace("'", "''") + "'"
