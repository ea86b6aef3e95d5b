"""The study's own statistics: expressions over x and baseline, which no SQL of this project can hold.

They are rows of raw.statistics, as DuckDB wrote them back after study/expressions.py had checked that each
is one aggregate of numbers. A dbt model in Python reads them when it runs: no SQL is written by a study.
"""

_OF_GROUPS = """
    comparison_position, group_position, 'group' as side, x, baseline,
    x is not null as is_value, baseline is not null as is_pair
"""
_OF_GROUP_AND_REST = """
    comparison_position, group_position, side, x, baseline,
    not is_paired as is_value, is_paired as is_pair
"""
_KEYS = "comparison_position, group_position, side"
_STATISTICS = "statistic, parameters, is_paired, expression"

_NOTHING = """
    select
        cast(null as integer) as comparison_position, cast(null as integer) as group_position, '' as side,
        '' as statistic, '' as parameters, cast(null as bigint) as n, cast(null as double) as value
    where false
"""


def model(dbt, session):
    """One row per (comparison_position, group_position, side, statistic, parameters)."""
    dbt.config(materialized="table")
    own = dbt.source("raw", "statistics").filter("expression is not null").project(_STATISTICS).fetchall()
    found = session.sql(_NOTHING)
    if not own:  # as in most studies: looking at values that nothing is taken of would take a tenth of a second
        return found
    of_groups = dbt.ref("int_grouped_values").project(_OF_GROUPS)
    values = of_groups.union(dbt.ref("int_group_and_rest_values").project(_OF_GROUP_AND_REST))
    for statistic, parameters, is_paired, expression in own:
        counted = values.filter("is_pair" if is_paired else "is_value")
        found = found.union(counted.aggregate(_columns(statistic, parameters, expression), _KEYS))
    return found


def _columns(statistic, parameters, expression):
    value = f"cast({expression} as double)"
    finite = f"case when abs({value}) <= 1e100 then {value} end"
    return (
        f"{_KEYS}, {_text(statistic)} as statistic, {_text(parameters)} as parameters, "
        f"count(*) as n, {finite} as value"
    )


def _text(value):
    return "'" + value.replace("'", "''") + "'"
