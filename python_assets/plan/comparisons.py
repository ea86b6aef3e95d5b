"""Which generations will be held against each other, and on how many root prompts.

Belongs here: counting prompts that both generations of a pair are asked, or have answered. Which pairs there
are is infer/changes/pairs_of_systems.py; what changes between them the design can show is power.py.

Source: inference.md 8.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import duckdb
import pandas as pd

from python_assets.infer.changes.pairs_of_systems import MOST_UNPAIRED, SystemPair, levels_of, pairs_of
from python_assets.plan.shapes import Shape
from python_assets.plan.text import PlannedComparison
from python_assets.study.base import ALL_PROMPTS, EVERY_IMPORTED, Against
from python_assets.study.factors import levels_of_system
from python_assets.study.study import Study

# who is asked the same: one row a unit and set of generations that meet on one of its prompts or cells
_ASKED: Final = """
    select distinct unit_id, systems
    from (
        select unit_id, list(distinct system_id order by system_id) as systems
        from planned_responses
        join raw.prompts using (prompt_id)
        where negative_control is null
        group by unit_id, prompt_id
    )
    order by all
"""
_ASKED_IN_GROUPING: Final = """
    select distinct unit_id, systems
    from (
        select unit_id, list(distinct system_id order by system_id) as systems
        from planned_cells
        where slice_id = ? and grouping_id = ?
        group by unit_id, block_id, group_id
    )
    order by all
"""
StatisticSpec = list[tuple[str, list[str]]]


def planned_comparisons(
    study: Study, connection: duckdb.DuckDBPyConnection, names: Sequence[str], responses: pd.DataFrame
) -> list[PlannedComparison]:
    """The pairs of a study whose prompts are known.

    Args:
        study: the study.
        connection: with its prompts and the factors of its generations.
        names: of the generations, in order.
        responses: one row a generation and prompt: system_id and prompt_id.
    """
    connection.register("planned_responses", responses)
    try:
        units: StatisticSpec = connection.execute(_ASKED).fetchall()
    finally:
        connection.unregister("planned_responses")
    comparisons = []
    for pair in pairs_of(names, levels_of(connection), study.compared_with):
        both, any_of_both = _units_of(units, pair)
        comparisons.append(PlannedComparison(*pair, len(both), len(any_of_both - both)))
    return comparisons


def _units_of(asked: StatisticSpec, pair: SystemPair) -> tuple[set[str], set[str]]:
    """The units that both generations are asked the same of, and those that any of them is asked."""
    both = {unit for unit, systems in asked if set(pair) <= set(systems)}
    return both, {unit for unit, systems in asked if set(pair) & set(systems)}


def unknown_comparisons(study: Study) -> list[PlannedComparison]:
    """The pairs that the study file alone tells; none where an import brings generations of its own."""
    names = [one.system_id for one in study.systems]
    if EVERY_IMPORTED in names:
        return []
    levels = {one.system_id: levels_of_system(one) for one in study.systems}
    return [PlannedComparison(*pair, None, None) for pair in pairs_of(names, levels, study.compared_with)]


def comparison_warnings(study: Study, found: Sequence[PlannedComparison]) -> Iterator[str]:
    """Pairs of which little or nothing will be shown, because many root prompts are asked of one alone.

    Args:
        study: the study.
        found: of planned_comparisons.
    """
    unit = study.unit_name
    for pair in found:
        n_both, n_alone = pair.n_both or 0, pair.n_alone or 0
        name = f"generation {pair.system_id} against {pair.compared_with}"
        if not n_both:
            yield f"{name}: no {unit} is asked of both, so nothing is compared"
        elif n_alone > MOST_UNPAIRED * (n_both + n_alone):
            yield (
                f"{name}: {n_alone:,} of {n_both + n_alone:,} {unit}s are asked of one alone, and "
                "verdict_with_missing takes their answers for anything that was observed; no change of units that "
                "lie in one group each is tested"
            )


def shapes_of_changes(
    connection: duckdb.DuckDBPyConnection, found: Sequence[Shape], pairs: Sequence[SystemPair]
) -> list[Shape]:
    """The shapes that changes between generations have: root prompts are those that a pair shares.

    Args:
        connection: with planned_cells.
        found: the shapes of the groupings.
        pairs: of generations.

    Returns:
        Of every grouping in which some pair shares a root prompt, with the fewest that any such pair does; a
        changed group is held against all others, whatever groups are compared with.
    """
    changed = []
    for shape in found:
        units: StatisticSpec = connection.execute(_ASKED_IN_GROUPING, [ALL_PROMPTS, shape.grouping_id]).fetchall()
        shared = [n for n in (len(_units_of(units, pair)[0]) for pair in pairs) if n]
        if shared:
            changed.append(shape._replace(against=Against.REST, n_root_prompts=min(shared)))
    return changed
