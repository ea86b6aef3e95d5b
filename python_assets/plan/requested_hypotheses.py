"""How many questions a study will ask beside a question, which alpha is shared with.

Belongs here: counting those that the design lets be tested. Which questions there are is declared_hypotheses.py.

Source: inference.md 6.1, 6.2.
"""

from collections.abc import Sequence
from typing import Final

import duckdb
import pandas as pd

from python_assets.infer.tables import PAIR_HYPOTHESES
from python_assets.plan.shapes import Shape
from python_assets.plan.text import PlannedGrouping
from python_assets.study.base import ALL_PROMPTS, BASELINE

# where some two groups are asked; a baseline text is there with every prompt
_ASKED: Final = f"""
    with groups as (
        select slice_id, grouping_id, system_id from planned_cells
        group by all having count(distinct group_id) >= 2
    )
    select * from groups
    union
    select slice_id, grouping_id, '{BASELINE}' from groups
"""
NumberOfHypotheses = dict[tuple[str, str, bool], int]
"""By grouping, measure, and whether it is of a change between generations."""


def numbers_of_hypotheses(
    declared: pd.DataFrame,
    connection: duckdb.DuckDBPyConnection,
    groupings: Sequence[PlannedGrouping],
    changed: Sequence[Shape],
) -> NumberOfHypotheses:
    """Questions of the set that the main question of a grouping and measure is in.

    Args:
        declared: of declared_hypotheses.
        connection: with planned_cells.
        groupings: of planned_groupings.
        changed: of shapes_of_changes.

    Returns:
        At least 1; of a question in several sets, as generations may be, that of the largest. A change of the mean
        of all prompts, which has no grouping, is there under every grouping of which changes can be seen.
    """
    refused = {(one.grouping_id, one.slice_id): one.reason is not None for one in groupings}
    requested = set(connection.execute(_ASKED).fetchall())
    changed_groupings = {shape.grouping_id for shape in changed}

    def is_testable(slice_id: str, grouping_id: str, system_id: str) -> bool:
        is_refused = refused.get((grouping_id, slice_id), refused.get((grouping_id, ALL_PROMPTS), False))
        return (slice_id, grouping_id, system_id) in requested and not is_refused

    is_change = declared.statistic.isin(PAIR_HYPOTHESES)
    can_change = declared.grouping_id.isin(changed_groupings) | ((declared.grouping_id == "") & bool(changed_groupings))
    keys = zip(declared.slice_id, declared.grouping_id, declared.system_id, strict=True)
    is_asked = pd.Series([is_testable(*key) for key in keys], index=declared.index, dtype=bool)
    counted = declared[can_change.where(is_change, is_asked)].assign(is_change=is_change)
    counted = counted.assign(n=counted.groupby("family_id").family_id.transform("size"))
    is_main = (counted.calibration == "raw") & (counted.parameters == "")
    main = counted[is_main & (counted.is_change | counted.statistic.isin(["mean", "share"]))]
    numbers: NumberOfHypotheses = {}
    for row in main.to_dict("records"):
        for grouping_id in [row["grouping_id"]] if row["grouping_id"] else changed_groupings:
            key = (str(grouping_id), str(row["measure_id"]), bool(row["is_change"]))
            numbers[key] = max(numbers.get(key, 1), int(row["n"]))
    return numbers
