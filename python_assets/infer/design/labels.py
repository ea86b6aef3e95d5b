"""Labels of people beside what an instrument read, by cell.

Belongs here: the labels, and which root prompts are labelled whole. What is made of them is
schemes/corrected_values.py.

Source: inference.md 9.1.
"""

from collections.abc import Sequence
from typing import Final, cast

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.design.cells import COLUMN_KEYS, CellLabels, Cells
from python_assets.infer.design.read_cells import RANKS
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.result import Bools, InferenceReason

FEWEST_FOR_P: Final = 10  # labelled root prompts
MOST_INCOMPLETE: Final = 0.05  # of the root prompts drawn
_OF_PROMPTS: Final = """
    select
        column_position, prompt_id, count(*) as n_drawn, count(y) as n_labelled, avg(y) as y,
        avg(1 - m) filter (where y > 0.5) as missed, avg(m) filter (where y < 0.5) as false_alarm, avg(y - m) as error,
        count(*) filter (where y > 0.5) as n_events, count(*) filter (where y < 0.5) as n_others
    from intermediate.int_labelled_answers
    join (select * from column_keys where calibration = 'raw' and statistic = 'mean' and parameters = '') as columns
        using (system_id, measure_id)
    where m is not null
    group by all
"""
_OF_CELLS: Final = f"""
    select
        column_position, group_position, block_position, sum(n_drawn) as n_drawn, sum(n_labelled) as n_labelled,
        avg(y) as y, avg(missed) as missed, avg(false_alarm) as false_alarm, avg(error) as error,
        sum(n_events) as n_events, sum(n_others) as n_others
    from ({_OF_PROMPTS})
    join intermediate.int_prompt_groups using (prompt_id)
    where slice_id = ? and grouping_id = ?
    group by all
"""
_OF_WHOLE: Final = f"""
    select prompt_rank as block_position, 0 as group_position, prompts.*
    from ({_OF_PROMPTS}) as prompts
    join {RANKS} using (prompt_id)
"""


def read_labels(
    connection: duckdb.DuckDBPyConnection, cells: Cells, measures: Sequence[str]
) -> dict[tuple[str, str], CellLabels]:
    """Labels of the cells of a slice and grouping, by generation and measure; of measures that some were given for."""
    columns = cells.columns[cells.columns.measure_id.isin(measures)]
    connection.register("column_keys", columns[["column_position", *COLUMN_KEYS]])
    query = (_OF_CELLS, [cells.slice_id, cells.grouping_id])
    rows = connection.execute(*(query if cells.grouping_id else (_OF_WHOLE, [cells.slice_id]))).df()
    connection.unregister("column_keys")
    # the cells of a slice as a whole are its prompts
    code = cells.frame.block * cells.frame.n_groups + cells.frame.group
    labels = {}
    for column, column_rows in rows.groupby("column_position"):
        at = np.searchsorted(code, column_rows.block_position * cells.frame.n_groups + column_rows.group_position)
        key = tuple(cells.columns.loc[column, ["system_id", "measure_id"]])
        labels[cast(tuple[str, str], key)] = _of_cells(column_rows, at, cells.n_responses[:, int(str(column))])
    return labels


def _of_cells(rows: pd.DataFrame, at: Ints, n_responses: Floats) -> CellLabels:
    def filled(name: str) -> Floats:
        values = np.full(len(n_responses), np.nan)
        values[at] = rows[name].to_numpy(dtype=float)
        return values

    n_drawn, n_labelled, n_events, n_others = (
        np.nan_to_num(filled(name)) for name in ("n_drawn", "n_labelled", "n_events", "n_others")
    )
    is_whole = (n_labelled == n_responses) & (n_labelled > 0)
    return CellLabels(
        y=np.where(is_whole, filled("y"), np.nan),
        is_drawn=n_drawn > 0,
        missed=filled("missed"),
        false_alarm=filled("false_alarm"),
        error=filled("error"),
        n_events=n_events.astype(np.intp),
        n_others=n_others.astype(np.intp),
    )


def whole_roots(root: Ints, present: Bools, labels: CellLabels) -> tuple[Ints, InferenceReason | None]:
    """The root prompts of which people labelled every answer that the instrument read, and why they are not enough.

    Source: inference.md 9.1.
    """
    drawn = np.unique(root[present & labels.is_drawn])
    lacking = np.unique(root[present & np.isnan(labels.y)])
    whole = np.setdiff1d(drawn, lacking)
    if len(drawn) - len(whole) > MOST_INCOMPLETE * len(drawn):
        is_other = len(whole) < len(drawn) / 2
        return whole if len(whole) else drawn, (
            InferenceReason.LABELS_NOT_WHOLE_PROMPTS if is_other else InferenceReason.LABELS_INCOMPLETE
        )
    return whole, InferenceReason.TOO_FEW_LABELS if len(whole) < FEWEST_FOR_P else None
