"""The integer-coded cells of one slice and grouping, read from a build file.

Belongs here: the queries and the matrices they fill. Every matrix is filled by position, so the order of rows
in the tables changes nothing.
"""

from typing import NamedTuple

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.infer.design import Frame
from python_assets.infer.permutation import Floats, Ints

KEYS = ("generation_id", "measure_id", "calibration", "category", "statistic", "parameters")
_CELL = """
    slice_id, grouping_id, generation_id, measure_id, calibration, category,
    group_position, block_position, root_position, cell_mean, n_responses, n_prompts
"""
_CELLS = f"""
    select {_CELL}, 'mean' as statistic, '' as parameters from intermediate.int_cells
    union all
    select {_CELL}, statistic, parameters from intermediate.int_selected_cells
"""
_COLUMNS = f"""
    with cells as ({_CELLS})
    select row_number() over (order by {", ".join(KEYS)}) - 1 as column_position, keys.*, kind
    from (select distinct {", ".join(KEYS)} from cells where slice_id = ? and grouping_id = ?) as keys
    left join (select measure_id, kind from raw.measures) as measures using (measure_id)
    order by column_position
"""
_VALUES = f"""
    with cells as ({_CELLS})
    select column_position, group_position, block_position, root_position, cell_mean, n_responses, n_prompts
    from cells
    join column_keys using ({", ".join(KEYS)})
    where slice_id = ? and grouping_id = ?
"""
_GROUPS = """
    select group_id, group_position
    from intermediate.int_groups
    where slice_id = ? and grouping_id = ?
    order by group_position
"""
_ROWS = """
    with places as (
        select prompt_id, group_position, block_position, root_position
        from intermediate.int_prompt_groups
        where slice_id = ? and grouping_id = ?
    )
    select column_position, group_position, block_position, root_position, x,
           dense_rank() over (order by block_position, group_position, prompt_id, replicate) as row_number
    from intermediate.int_values
    join column_keys using (generation_id, measure_id, calibration, category)
    join places using (prompt_id)
    where statistic = 'mean'
"""


class Cells(NamedTuple):
    """The cells of one slice and grouping.

    columns: one row a column of the matrices: KEYS and kind. group_ids: by position. x: cell means, shape
    (cells, columns), NaN where absent. n_responses: of the same shape. has_several_prompts: whether a cell
    has, in a block of two groups or more.
    """

    slice_id: str
    grouping_id: str
    columns: pd.DataFrame
    group_ids: list[str]
    frame: Frame
    x: Floats
    n_responses: Floats
    has_several_prompts: bool

    @property
    def roles(self) -> NDArray[np.object_]:
        """What each column is: the kind of its measure, or selection."""
        roles = np.where(self.columns.statistic == "mean", self.columns.kind, "selection")
        return roles.astype(object)


class Rows(NamedTuple):
    """The responses behind the cells: a frame of rows in place of cells, and values (rows, columns)."""

    frame: Frame
    x: Floats


def designs(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Slices and groupings with any cell, in order."""
    query = f"with cells as ({_CELLS}) select distinct slice_id, grouping_id from cells order by all"
    return connection.execute(query).fetchall()


def read_cells(connection: duckdb.DuckDBPyConnection, slice_id: str, grouping_id: str) -> Cells:
    """Read the cells of one slice and grouping.

    Raises:
        ValueError: a measure has no kind, a group is not in int_groups, or a cell stands twice.
    """
    where = [slice_id, grouping_id]
    columns = connection.execute(_COLUMNS, where).df()
    if columns.kind.isna().any():
        unknown = columns.measure_id[columns.kind.isna()].iloc[0]
        raise ValueError(f"measure {unknown!r} of int_cells is not in raw.measures")
    group_ids = [group_id for group_id, _ in connection.execute(_GROUPS, where).fetchall()]
    values = _fetch(connection, _VALUES, columns, where)
    if len(values["group_position"]) and values["group_position"].max() >= len(group_ids):
        raise ValueError(f"int_cells of {slice_id}, {grouping_id} holds a group that is not in int_groups")
    code = values["block_position"].astype(np.int64) * len(group_ids) + values["group_position"]
    unique, first, cell = np.unique(code, return_index=True, return_inverse=True)
    frame = _frame(values, first, len(group_ids))
    x, n_responses = np.full((len(unique), len(columns)), np.nan), np.zeros((len(unique), len(columns)))
    x[cell, values["column_position"]] = values["cell_mean"]
    n_responses[cell, values["column_position"]] = values["n_responses"]
    if (~np.isnan(x)).sum() != len(cell):
        raise ValueError(f"int_cells of {slice_id}, {grouping_id} holds a cell twice, or one without a value")
    is_compared = np.bincount(frame.block)[frame.block] > 1  # blocks of one group are no part of any test
    several = bool((is_compared[cell] & (values["n_prompts"] > 1)).any())
    return Cells(slice_id, grouping_id, columns, group_ids, frame, x, n_responses, several)


def read_rows(connection: duckdb.DuckDBPyConnection, cells: Cells) -> Rows:
    """Read the single responses of one slice and grouping, for designs with too few prompts.

    Selected responses are told from the share of their cell; which of its rows they are does not matter.
    """
    values = _fetch(connection, _ROWS, cells.columns, [cells.slice_id, cells.grouping_id])
    _, first = np.unique(values["row_number"], return_index=True)
    frame = _frame(values, first, len(cells.group_ids))
    x = np.full((len(first), len(cells.columns)), np.nan)
    x[values["row_number"] - 1, values["column_position"]] = values["x"]
    keys = list(cells.columns[list(KEYS[:4])].itertuples(index=False, name=None))
    is_plain = (cells.columns.statistic == "mean").tolist()
    plain = {key: column for column, key in enumerate(keys) if is_plain[column]}
    for column, key in enumerate(keys):
        if not is_plain[column]:
            x[:, column] = _selected_rows(cells, column, frame, x[:, plain[key]])
    return Rows(frame, x)


def _selected_rows(cells: Cells, column: int, rows: Frame, values: Floats) -> Floats:
    """1 for as many rows of each cell as its share says, 0 for the others, NaN where there is no response."""
    cell_code = cells.frame.block * cells.frame.n_groups + cells.frame.group
    cell = np.searchsorted(cell_code, rows.block * rows.n_groups + rows.group)
    present = ~np.isnan(values)
    before = np.cumsum(present) - present
    rank = before - before[np.searchsorted(cell, cell)]
    n_selected = np.rint(np.nan_to_num(cells.x[:, column]) * cells.n_responses[:, column])
    return np.where(present, rank < n_selected[cell], np.nan)


def _fetch(
    connection: duckdb.DuckDBPyConnection, query: str, columns: pd.DataFrame, where: list[str]
) -> dict[str, np.ndarray]:
    connection.register("column_keys", columns)
    values = connection.execute(query, where).fetchnumpy()
    connection.unregister("column_keys")
    return {name: np.asarray(array) for name, array in values.items()}


def _frame(values: dict[str, np.ndarray], first: Ints, n_groups: int) -> Frame:
    """The frame of the cells or rows whose first mention in the values is given, in their order."""
    block, group = values["block_position"][first], values["group_position"][first]
    root_of_block = np.zeros(int(block.max()) + 1, dtype=np.intp)
    root_of_block[block] = values["root_position"][first]
    return Frame(block.astype(np.intp), group.astype(np.intp), root_of_block, n_groups)
