"""Measures whose groups were read by different instruments: what differs between them may be how they were read.

Belongs here: counting, by the groups of groupings and by the levels of factors. What is refused for it is in
schemes/choose.py, changes, associations and regressions.
"""

from typing import Final

import duckdb

from python_assets.study.base import ALL_SYSTEMS

FEWEST_EXPECTED: Final = 5  # values of an instrument in a group that has none, were it spread alike
_OF_GROUPINGS: Final = "select slice_id, grouping_id, group_id, prompt_id from intermediate.int_prompt_groups"
_OF_FACTORS: Final = """
    select '' as slice_id, factor as grouping_id, level as group_id, prompt_id from raw.prompt_factors
"""
_MIXED: Final = f"""
    with several as (
        select system_id, measure_id
        from raw.measurements
        join raw.systems using (system_id)
        where not is_baseline and reason is null
        group by system_id, measure_id
        having count(distinct scorer_version) > 1
    ),

    counts as (
        select slice_id, grouping_id, system_id, measure_id, group_id, scorer_version, count(*) as n
        from raw.measurements
        join several using (system_id, measure_id)
        join ({{groups}}) using (prompt_id)
        where reason is null
        group by all
    ),

    of_groups as (select * exclude (scorer_version, n), sum(n) as n_of_group from counts group by all),
    of_scorers as (select * exclude (group_id, n), sum(n) as n_of_scorer from counts group by all),
    totals as (select * exclude (group_id, n_of_group), sum(n_of_group) as n_of_all from of_groups group by all)

    select distinct slice_id, grouping_id, system_id, measure_id
    from of_groups
    join of_scorers using (slice_id, grouping_id, system_id, measure_id)
    join totals using (slice_id, grouping_id, system_id, measure_id)
    anti join counts using (slice_id, grouping_id, system_id, measure_id, group_id, scorer_version)
    where n_of_group * n_of_scorer / n_of_all >= {FEWEST_EXPECTED}
"""


def mixed_scorers(connection: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], frozenset[tuple[str, str]]]:
    """Generations and measures of which some group has no value of an instrument that read others.

    Chance may leave a few annotated answers to some groups alone, so an instrument counts where FEWEST_EXPECTED of its
    values would be in the group that has none.

    Args:
        connection: to the build file, with the raw tables and int_prompt_groups.

    Returns:
        By slice and grouping; where generations are compared with each other, what is so in one is so in all.
    """
    mixed: dict[tuple[str, str], frozenset[tuple[str, str]]] = {}
    query = _MIXED.format(groups=_OF_GROUPINGS)
    for slice_id, grouping_id, system, measure in connection.execute(query).fetchall():
        both = {(system, measure), (ALL_SYSTEMS, measure)}
        mixed[slice_id, grouping_id] = mixed.get((slice_id, grouping_id), frozenset()) | both
    return mixed


def mixed_factors(connection: duckdb.DuckDBPyConnection) -> set[tuple[str, str, str]]:
    """The same by the levels of single factors of prompts: generation, measure and factor.

    Args:
        connection: to the build file, with the raw tables.
    """
    rows = connection.execute(_MIXED.format(groups=_OF_FACTORS)).fetchall()
    return {(name, measure, factor) for _, factor, system, measure in rows for name in (system, ALL_SYSTEMS)}
