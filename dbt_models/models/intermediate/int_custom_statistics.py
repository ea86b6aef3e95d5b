"""The study's own statistics: expressions over x and baseline, which no SQL of this project can hold.

They are rows of raw.statistics, as DuckDB wrote them back after python_assets/study_expressions.py had checked that
each is one aggregate of numbers. A dbt model in Python reads them when it runs, so that no SQL of the project depends
on a study.
"""


def model(dbt, session):
    """One row per (comparison_position, group_position, side, statistic, parameters)."""
    dbt.config(materialized="table")
    values = dbt.ref("int_grouped_values").project(_OF_GROUPS).union(dbt.ref("int_statistic_sides").project(_OF_SIDES))
    asked = dbt.source("raw", "statistics").filter("expression is not null")
    found = values.limit(0).aggregate(_columns("''", "''", "null"), _KEYS)
    for statistic, parameters, is_paired, expression in asked.project(_ASKED).fetchall():
        counted = values.filter("is_pair" if is_paired else "is_value")
        found = found.union(counted.aggregate(_columns(_text(statistic), _text(parameters), expression), _KEYS))
    return found


_OF_GROUPS = """
    comparison_position, group_position, 'group' as side, x is not null as is_value, baseline is not null as is_pair,
    x, baseline
"""
_OF_SIDES = "comparison_position, group_position, side, not is_paired as is_value, is_paired as is_pair, x, baseline"
_KEYS = "comparison_position, group_position, side"
_ASKED = "statistic, parameters, is_paired, expression"


def _columns(statistic, parameters, expression):
    # neither infinite nor NaN
    value = f"cast({expression} as double)"
    return (
        f"{_KEYS}, {statistic} as statistic, {parameters} as parameters, count(*) as n, "
        f"case when abs({value}) <= 1e100 then {value} end as value"
    )


def _text(value):
    return "'" + value.replace("'", "''") + "'"
