"""Cells and responses of one slice and grouping, read from a build file.

Belongs here: the queries and the matrices they fill. Every matrix is filled by position, so the order of rows
in the tables changes nothing. What the matrices are is cells.py.
"""

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.cells import KEYS, Cells, Rows, Values
from python_assets.infer.design import Frame
from python_assets.infer.permutation import Floats, Ints
from python_assets.study.base import ALL_GENERATIONS

_COLUMNS = f"""
    select row_number() over (order by {", ".join(KEYS)}) - 1 as column_position, keys.*, kind, direction
    from (
        select distinct {", ".join(KEYS)} from intermediate.int_cells where slice_id = ? and grouping_id = ?
    ) as keys
    left join (select measure_id, kind, direction from raw.measures) as measures using (measure_id)
    order by column_position
"""
_VALUES = f"""
    select column_position, group_position, block_position, root_position, cell_mean, n_responses, n_prompts
    from intermediate.int_cells
    join column_keys using ({", ".join(KEYS)})
    where slice_id = ? and grouping_id = ?
"""
_GROUPS = """
    select distinct group_id, group_position
    from intermediate.int_prompt_groups
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
_PAIRS = f"""
    select column_position, block_position, group_position, x, coalesce(baseline, 'nan') as baseline
    from intermediate.int_values
    join column_keys using ({", ".join(KEYS[:4])})
    join intermediate.int_prompt_groups using (prompt_id)
    where slice_id = ? and grouping_id = ?
    order by column_position, block_position, group_position, x, baseline
"""
_RANGES = f"""
    select coalesce(value_low, 'nan') as value_low, coalesce(value_high, 'nan') as value_high
    from column_keys
    left join (select * from intermediate.int_value_ranges where slice_id = ?)
        using ({", ".join(KEYS[:3])})
    order by column_position
"""
_SCALES = f"""
    with scales as (
        select {", ".join(KEYS[:3])}, centre, spread
        from intermediate.int_normal_scales
        join intermediate.int_outcomes using (study_id, outcome_position)
        where slice_id = ? and normalise_over = ?
    )
    select coalesce(centre, 'nan') as centre, coalesce(spread, 'nan') as spread
    from column_keys
    left join scales using ({", ".join(KEYS[:3])})
    order by column_position
"""
_NESTED = """
    select distinct block_position, stratum_position, root_prompt_position
    from intermediate.int_prompt_groups
    where slice_id = ? and grouping_id = ? and stratum_position is not null
    order by block_position
"""
_SCHEME = """
    select coalesce(min(scheme), 'blocked'), coalesce(bool_and(unit_factor is not null), false),
        count(distinct (root_position, root_prompt_position)) = count(distinct root_prompt_position)
    from intermediate.int_prompt_groups
    where slice_id = ? and grouping_id = ?
"""
_IS_FULL = """
    select count(distinct factor) filter (where grouping_id = ?) = count(distinct factor)
        and count(distinct factor) > 1
    from raw.groupings
"""


def designs(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Slices and groupings with any cell, in order."""
    query = "select distinct slice_id, grouping_id from intermediate.int_cells order by all"
    return connection.execute(query).fetchall()


def read_cells(
    connection: duckdb.DuckDBPyConnection, slice_id: str, grouping_id: str, *, has_unit: bool
) -> Cells:
    """Read the cells of one slice and grouping.

    Args:
        connection: to the build file.
        slice_id: the slice.
        grouping_id: the grouping.
        has_unit: whether the study declares what the independent unit of all prompts is.

    Raises:
        ValueError: a measure has no kind, a group is not in int_prompt_groups, or a cell stands twice.
    """
    where = [slice_id, grouping_id]
    columns = connection.execute(_COLUMNS, where).df()
    if columns.kind.isna().any():
        unknown = columns.measure_id[columns.kind.isna()].iloc[0]
        raise ValueError(f"measure {unknown!r} of int_cells is not in raw.measures")
    group_ids = [group_id for group_id, _ in connection.execute(_GROUPS, where).fetchall()]
    values = _fetch(connection, _VALUES, columns, where)
    if len(values["group_position"]) and values["group_position"].max() >= len(group_ids):
        raise ValueError(
            f"int_cells of {slice_id}, {grouping_id} holds a group that is not in int_prompt_groups"
        )
    code = values["block_position"].astype(np.int64) * len(group_ids) + values["group_position"]
    unique, first, cell = np.unique(code, return_index=True, return_inverse=True)
    scheme, is_of_units, has_own_prompts = connection.execute(_SCHEME, where).fetchall()[0]
    frame = _frame(values, first, len(group_ids))._replace(has_own_prompts=has_own_prompts)
    x, n_responses = np.full((len(unique), len(columns)), np.nan), np.zeros((len(unique), len(columns)))
    x[cell, values["column_position"]] = values["cell_mean"]
    n_responses[cell, values["column_position"]] = values["n_responses"]
    if (~np.isnan(x)).sum() != len(cell):
        raise ValueError(f"int_cells of {slice_id}, {grouping_id} holds a cell twice, or one without a value")
    is_compared = np.bincount(frame.block)[frame.block] > 1  # blocks of one group are no part of any test
    is_of_models = bool((columns.generation_id == ALL_GENERATIONS).any())
    averages = has_unit or is_of_units or is_of_models
    several = not averages and bool((is_compared[cell] & (values["n_prompts"] > 1)).any())
    nested = connection.execute(_NESTED, where).fetchnumpy()
    place = np.searchsorted(nested["block_position"], frame.block) if len(nested["block_position"]) else None
    is_full = connection.execute(_IS_FULL, [grouping_id]).fetchone() == (True,)
    return Cells(
        slice_id=slice_id,
        grouping_id=grouping_id,
        columns=columns,
        group_ids=group_ids,
        frame=frame,
        x=x,
        n_responses=n_responses,
        has_several_prompts=several,
        scheme=scheme,
        stratum_of_cell=None
        if place is None
        else np.asarray(nested["stratum_position"], dtype=np.intp)[place],
        root_prompt_of_cell=np.asarray(nested["root_prompt_position"], dtype=np.intp)[
            () if place is None else place
        ],
        is_of_models=is_of_models,
        is_full=is_full,
    )


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


def read_values(connection: duckdb.DuckDBPyConnection, cells: Cells) -> Values:
    """Read every response behind the cells of measures that are numbers, and its baseline.

    Raises:
        ValueError: a response belongs to no cell.
    """
    is_number = (cells.columns.statistic == "mean") & (cells.columns.kind != "categorical")
    columns = cells.columns[is_number.to_numpy()].reset_index(drop=True)
    columns["column_position"] = np.arange(len(columns))
    values = _fetch(connection, _PAIRS, columns, [cells.slice_id, cells.grouping_id])
    edges = _fetch(connection, _RANGES, columns, [cells.slice_id])
    frame, n_groups = cells.frame, cells.frame.n_groups
    code = values["block_position"].astype(np.int64) * n_groups + values["group_position"]
    code_of_cell = frame.block * n_groups + frame.group
    cell = np.searchsorted(code_of_cell, code).clip(max=len(code_of_cell) - 1)
    if (code_of_cell[cell] != code).any():
        raise ValueError(
            f"int_values of {cells.slice_id}, {cells.grouping_id} holds a row that is in no cell"
        )
    return Values(
        columns=columns,
        n_cells=len(code_of_cell),
        column=values["column_position"].astype(np.intp),
        cell=cell,
        x=values["x"],
        baseline=values["baseline"],
        low=edges["value_low"],
        high=edges["value_high"],
    )


def normalised(connection: duckdb.DuckDBPyConnection, cells: Cells, values: Values, over: str) -> Values:
    """Values, baselines and edges on the scale of clip(0.5 + 0.25 z, 0, 1), all of a column alike.

    Args:
        connection: to the build file.
        cells: say which slice it is.
        values: of that slice.
        over: what mean and standard deviation of z are of, generation or all.

    Returns:
        The rows of the columns that have a spread.

    Source: metrics.md 2, Normalisation.
    """
    scales = _fetch(connection, _SCALES, values.columns, [cells.slice_id, over])
    centre, spread = scales["centre"], scales["spread"]
    kept = ~np.isnan(spread[values.column])

    def scaled(numbers: Floats, column: Ints) -> Floats:
        z = (numbers - centre[column]) / np.where(np.isnan(spread), 1.0, spread)[column]
        return np.clip(0.5 + 0.25 * z, 0.0, 1.0)

    everywhere = np.arange(len(values.columns))
    column = values.column[kept]
    return values._replace(
        column=column,
        cell=values.cell[kept],
        x=scaled(values.x[kept], column),
        baseline=scaled(values.baseline[kept], column),
        low=scaled(values.low, everywhere),
        high=scaled(values.high, everywhere),
    )


def _selected_rows(cells: Cells, column: int, rows: Frame, values: Floats) -> Floats:
    """1 for as many rows of each cell as its share says, 0 for the others, NaN where there is no response."""
    cell_code = cells.frame.block * cells.frame.n_groups + cells.frame.group
    cell = np.searchsorted(cell_code, rows.block * rows.n_groups + rows.group)
    present = ~np.isnan(values)
    before = np.cumsum(present) - present
    rank = before - before[np.searchsorted(cell, cell)]
    n_selected = np.rint(np.nan_to_num(cells.x[:, column]) * cells.n_responses[:, column])
    is_counted = present & (rank < cells.n_responses[cell, column])
    return np.where(is_counted, rank < n_selected[cell], np.nan)


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
