"""Cells and responses of one slice and grouping, read from a build file.

Belongs here: the queries and the matrices they fill. Every matrix is filled by position, so the order of rows
in the tables changes nothing. What the matrices are is cells.py.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.design.cells import (
    COLUMN_KEYS,
    MIXED_UNITS,
    PARTLY_NESTED,
    CellRows,
    Cells,
    GroupingPart,
    Missing,
    Values,
)
from python_assets.infer.design.design import Frame
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.study.base import ALL_SYSTEMS, GROUND_TRUTH, HELD, LEFT_OUT, LEVEL_SEPARATOR, NEGATIVE_CONTROL

_COLUMNS = f"""
    select row_number() over (order by {", ".join(COLUMN_KEYS)}) - 1 as column_position, keys.*, kind, direction
    from (
        select distinct {", ".join(COLUMN_KEYS)} from intermediate.int_cells
        where slice_id = ? and grouping_id = ? {{own}}
    ) as keys
    left join (select measure_id, kind, direction from raw.measures) as measures using (measure_id)
    order by column_position
"""
_VALUES = f"""
    select column_position, group_position, block_position, cell_mean, n_responses
    from intermediate.int_cells
    join column_keys using ({", ".join(COLUMN_KEYS)})
    where slice_id = ? and grouping_id = ? {{own}}
"""
_OWN = "and list_contains(?, measure_id)"  # of so many measures a third of the time; before it every row is joined
_DESIGN = """
    select group_position, block_position, min(root_position) as root_position, count(*) as n_prompts,
        min(stratum_position) as stratum_position, min(root_prompt_position) as root_prompt_position
    from intermediate.int_prompt_groups
    where slice_id = ? and grouping_id = ?
    group by group_position, block_position
    order by block_position, group_position
"""
_GROUPS = """
    select distinct group_id, group_position
    from intermediate.int_prompt_groups
    where slice_id = ? and grouping_id = ?
    order by group_position
"""
_PROMPTS = """
    select group_position, block_position, root_position
    from intermediate.int_prompt_groups
    where slice_id = ? and grouping_id = ?
    order by block_position, group_position, prompt_id
"""
_OF_PROMPTS = f"""
    from intermediate.int_prompt_groups
    anti join intermediate.int_settings using (slice_id, grouping_id)  -- groups of models are no prompts of their own
    where slice_id = ? and grouping_id <> '{NEGATIVE_CONTROL}'
"""
_WHOLE = f"""
    select prompt_id, dense_rank() over (order by unit_id) - 1 as root_position
    from (select distinct prompt_id, unit_id {_OF_PROMPTS})
    order by prompt_id
"""
_WHOLE_ROOT_PROMPTS = f"""
    select dense_rank() over (order by root_prompt_id) - 1 as root_prompt_position
    from raw.prompts
    where prompt_id in (select prompt_id {_OF_PROMPTS})
    order by prompt_id
"""
_WHOLE_SCHEMES = f"""
    select scheme, count(distinct (root_position, root_prompt_position)) = count(distinct root_prompt_position),
        coalesce(bool_and(list_contains(?, unit_factor)), false)
    {_OF_PROMPTS}
    group by grouping_id, scheme
"""
RANKS = f"""(
        select prompt_id, row_number() over (order by prompt_id) - 1 as prompt_rank
        from (select distinct prompt_id {_OF_PROMPTS})
    )"""
_WHOLE_VALUES = f"""
    select column_position, prompt_rank, {{mean}} as prompt_mean, count(*) as n_responses
    from intermediate.int_values
    join column_keys using ({", ".join(COLUMN_KEYS[:4])})
    join {{ranks}} using (prompt_id)
    group by all
"""
_ORDERED, _OF_ONE = "avg(x order by replicate)", "any_value(x)"  # an order takes 15 times as long
_REPLICATES = "select count(distinct replicate) from raw.responses"
_ROWS = """
    with places as (
        select prompt_id, prompt_position,
            row_number() over (order by block_position, group_position, prompt_id) - 1 as prompt_rank
        from intermediate.int_prompt_groups
        where slice_id = $slice and grouping_id = $grouping
    ),
    replicates as (
        select replicate, row_number() over (order by replicate) - 1 as replicate_rank
        from (select distinct replicate from raw.responses)
    )
    select column_position, prompt_rank, replicate_rank, x
    from intermediate.int_values
    join column_keys using (system_id, measure_id, calibration, category)
    join places using (prompt_id)
    join replicates using (replicate)
    where statistic = 'mean'
    union all
    select column_position, prompt_rank, replicate_rank, is_selected::double
    from intermediate.int_selected_answers
    join column_keys using (system_id, measure_id, calibration, category, statistic, parameters)
    join places using (prompt_position)
    join replicates using (replicate)
    where slice_id = $slice and grouping_id = $grouping
"""
_PAIRS = f"""
    select column_position, block_position, group_position, x, coalesce(baseline, 'nan') as baseline
    from intermediate.int_values
    join column_keys using ({", ".join(COLUMN_KEYS[:4])})
    join intermediate.int_prompt_groups using (prompt_id)
    where slice_id = ? and grouping_id = ?
    order by column_position, block_position, group_position, x, baseline
"""
_RANGES = f"""
    select coalesce(value_low, 'nan') as value_low, coalesce(value_high, 'nan') as value_high
    from column_keys
    left join (select * from intermediate.int_value_ranges where slice_id = ?)
        using ({", ".join(COLUMN_KEYS[:3])})
    order by column_position
"""
_SCALES = f"""
    with scales as (
        select {", ".join(COLUMN_KEYS[:3])}, centre, spread
        from intermediate.int_normal_scales
        join intermediate.int_outcomes using (study_id, outcome_position)
        where slice_id = ? and normalise_over = ?
    )
    select coalesce(centre, 'nan') as centre, coalesce(spread, 'nan') as spread
    from column_keys
    left join scales using ({", ".join(COLUMN_KEYS[:3])})
    order by column_position
"""
_OF_ANSWERS = """
    from intermediate.int_missing_answers
    join (select * from column_keys where calibration = 'raw' and statistic = 'mean') using (system_id, measure_id)
"""
_MISSING = f"""
    select column_position, group_position, block_position, sum(n_missing) as n_missing
    {_OF_ANSWERS}
    join intermediate.int_prompt_groups using (prompt_id)
    where slice_id = ? and grouping_id = ?
    group by all
"""
_WHOLE_MISSING = f"""
    select column_position, prompt_rank, n_missing
    {_OF_ANSWERS}
    join {RANKS} using (prompt_id)
"""
_LIMITS = """
    select coalesce(scale_low, 'nan') as scale_low, coalesce(scale_high, 'nan') as scale_high
    from column_keys
    left join (select measure_id, scale_low, scale_high from raw.measures) as measures using (measure_id)
    order by column_position
"""
_SCHEME = """
    select coalesce(min(scheme), 'blocked'), coalesce(bool_and(unit_factor is not null), false),
        coalesce(bool_and(list_contains($wordings, unit_factor)), false),
        count(distinct (root_position, root_prompt_position)) = count(distinct root_prompt_position)
    from intermediate.int_prompt_groups
    where slice_id = $slice and grouping_id = $grouping
"""
_IS_FULL = f"""
    select count(distinct factor) filter (where grouping_id = ?) = count(distinct factor)
        and count(distinct factor) > 1
    from raw.groupings
    where factor <> '{NEGATIVE_CONTROL}'
"""
_JOINED = """
    select grouping_id, list(factor order by factor_position) from raw.groupings
    group by grouping_id
    order by min(grouping_position)
"""


def designs(connection: duckdb.DuckDBPyConnection, measures: Sequence[str] | None = None) -> list[tuple[str, str]]:
    """Slices and groupings with any cell, or any of some measures, in order."""
    query = """
        select distinct slice_id, grouping_id from intermediate.int_cells
        where $measures is null or list_contains($measures, measure_id) order by all
    """
    return connection.execute(query, {"measures": measures}).fetchall()


def read_cells(
    connection: duckdb.DuckDBPyConnection,
    slice_id: str,
    grouping_id: str,
    *,
    has_unit: bool,
    wordings: Collection[str] = (),
    measures: Sequence[str] | None = None,
) -> Cells:
    """Read the cells of one slice and grouping: all that its prompts can have, whichever of them have a value.

    Args:
        connection: to the build file.
        slice_id: the slice.
        grouping_id: the grouping.
        has_unit: whether the study declares what the independent unit of all prompts is.
        wordings: factors whose levels are units that are wordings, which are shuffled whole.
        measures: those that are read; all where None. The frame is that of the prompts, so that no other measure
            decides on the draws of one.

    Raises:
        ValueError: a measure has no kind, a cell is none of int_prompt_groups, or stands twice.
    """
    where: list[object] = [slice_id, grouping_id]
    measure_filter = "" if measures is None else _OWN
    parameters = where if measures is None else [*where, list(measures)]
    columns = connection.execute(_COLUMNS.format(own=measure_filter), parameters).df()
    if columns.kind.isna().any():
        unknown = columns.measure_id[columns.kind.isna()].iloc[0]
        raise ValueError(f"measure {unknown!r} of int_cells is not in raw.measures")
    group_ids = [group_id for group_id, _ in connection.execute(_GROUPS, where).fetchall()]
    design = {name: np.ma.getdata(array) for name, array in connection.execute(_DESIGN, where).fetchnumpy().items()}
    scheme, is_of_units, is_of_wordings, has_own_prompts = connection.execute(
        _SCHEME, {"slice": slice_id, "grouping": grouping_id, "wordings": list(wordings)}
    ).fetchall()[0]
    frame = _frame(design, len(group_ids))._replace(has_own_prompts=has_own_prompts)
    if scheme == "blocked" and is_of_wordings and has_own_prompts:
        root_prompts = np.zeros(len(frame.root_of_block), dtype=np.intp)
        root_prompts[frame.block] = design["root_prompt_position"]
        frame = frame._replace(root_prompt_of_block=root_prompts)
    values = _fetch(connection, _VALUES.format(own=measure_filter), columns, parameters)
    cell = _positions(frame, values, f"int_cells of {slice_id}, {grouping_id}")
    shape = (len(frame.block), len(columns))
    x, n_responses = np.full(shape, np.nan), np.zeros(shape)
    x[cell, values["column_position"]] = values["cell_mean"]
    n_responses[cell, values["column_position"]] = values["n_responses"]
    if (~np.isnan(x)).sum() != len(cell):
        raise ValueError(f"int_cells of {slice_id}, {grouping_id} holds a cell twice, or one without a value")
    is_compared = np.bincount(frame.block)[frame.block] > 1  # blocks of one group are no part of any test
    is_of_models = bool((columns.system_id == ALL_SYSTEMS).any())
    averages = has_unit or is_of_units or is_of_models
    is_nested = scheme in ("nested", PARTLY_NESTED)
    return Cells(
        slice_id=slice_id,
        grouping_id=grouping_id,
        columns=columns,
        group_ids=group_ids,
        frame=frame,
        x=x,
        n_responses=n_responses,
        has_several_prompts=not averages and bool((is_compared & (design["n_prompts"] > 1)).any()),
        scheme=scheme,
        stratum_of_cell=design["stratum_position"].astype(np.intp) if is_nested else None,
        root_prompt_of_cell=design["root_prompt_position"].astype(np.intp) if is_nested else np.empty(0, np.intp),
        is_of_models=is_of_models,
        is_full=connection.execute(_IS_FULL, [grouping_id]).fetchone() == (True,),
        parts=_parts(connection, grouping_id, group_ids),
    )


def _parts(connection: duckdb.DuckDBPyConnection, grouping_id: str, group_ids: Sequence[str]) -> list[GroupingPart]:
    """The groupings of some of the factors of another, in order."""
    factors = {str(name): list(map(str, joined)) for name, joined in connection.execute(_JOINED).fetchall()}
    whole = factors[grouping_id]
    levels = np.array([group_id.split(LEVEL_SEPARATOR) for group_id in group_ids], dtype=object)
    grouping_parts = []
    for name, joined in factors.items():
        if set(joined) < set(whole):
            is_own = np.isin(whole, joined)
            level, rest = (pd.factorize(pd.Series(map(tuple, levels[:, of])))[0] for of in (is_own, ~is_own))
            grouping_parts.append(GroupingPart(name, level, rest))
    return grouping_parts


def read_whole(
    connection: duckdb.DuckDBPyConnection, slice_id: str, columns: pd.DataFrame, wordings: Collection[str] = ()
) -> Cells:
    """All prompts of a slice as cells of one group, whichever groupings they stand in: each prompt once.

    Args:
        connection: to the build file.
        slice_id: the slice.
        columns: the means that are wanted, as Cells has them.
        wordings: factors whose levels are units that are wordings.

    Returns:
        Cells of grouping '', where the mean of a root prompt is that of its prompts.
    """
    prompts = connection.execute(_WHOLE, [slice_id]).fetchnumpy()
    schemes = connection.execute(_WHOLE_SCHEMES, [list(wordings), slice_id]).fetchall()
    root = np.ma.getdata(prompts["root_position"]).astype(np.intp)
    (n_replicates,) = connection.execute(_REPLICATES).fetchall()[0]
    query = _WHOLE_VALUES.format(mean=_ORDERED if n_replicates > 1 else _OF_ONE, ranks=RANKS)
    values = _fetch(connection, query, columns, [slice_id])
    shape = (len(root), len(columns))
    x, n_responses = np.full(shape, np.nan), np.zeros(shape)
    at = values["prompt_rank"].astype(np.intp), values["column_position"].astype(np.intp)
    x[at], n_responses[at] = values["prompt_mean"], values["n_responses"]
    has_own_prompts = all(has_own for _, has_own, _ in schemes)
    frame = Frame(np.arange(len(root)), np.zeros(len(root), dtype=np.intp), root, 1, has_own_prompts)
    if has_own_prompts and schemes and all(is_of_wordings for *_, is_of_wordings in schemes):
        (positions,) = connection.execute(_WHOLE_ROOT_PROMPTS, [slice_id]).fetchnumpy().values()
        frame = frame._replace(root_prompt_of_block=np.ma.getdata(positions).astype(np.intp))
    return Cells(
        slice_id=slice_id,
        grouping_id="",
        columns=columns,
        group_ids=[""],
        frame=frame,
        x=x,
        n_responses=n_responses,
        has_several_prompts=False,
        scheme=MIXED_UNITS if MIXED_UNITS in {scheme for scheme, *_ in schemes} else "blocked",
    )


def read_rows(connection: duckdb.DuckDBPyConnection, cells: Cells) -> CellRows:
    """Read the single responses of one slice and grouping, for designs with too few prompts.

    There is a row for every replicate of every prompt, whichever have a value.
    """
    where = [cells.slice_id, cells.grouping_id]
    prompts = connection.execute(_PROMPTS, where).fetchnumpy()
    (n_replicates,) = connection.execute(_REPLICATES).fetchall()[0]
    design = {name: np.repeat(np.ma.getdata(array), n_replicates) for name, array in prompts.items()}
    frame = _frame(design, len(cells.group_ids))
    values = _fetch(connection, _ROWS, cells.columns, {"slice": cells.slice_id, "grouping": cells.grouping_id})
    x = np.full((len(frame.block), len(cells.columns)), np.nan)
    x[values["prompt_rank"] * n_replicates + values["replicate_rank"], values["column_position"]] = values["x"]
    return CellRows(frame, x, prompt=np.arange(len(x)) // n_replicates)


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
    cell = _positions(cells.frame, values, f"int_values of {cells.slice_id}, {cells.grouping_id}")
    return Values(
        columns=columns,
        n_cells=len(cells.frame.block),
        column=values["column_position"].astype(np.intp),
        cell=cell,
        x=values["x"],
        baseline=values["baseline"],
        low=edges["value_low"],
        high=edges["value_high"],
    )


def read_missing(connection: duckdb.DuckDBPyConnection, cells: Cells) -> Missing:
    """Read how many answers of each cell have no value, and the scales that are declared; cells may be of read_whole.

    An answer has none where it was refused, blank, in another language or not told apart. One that was never asked, or
    that the measure does not apply to, is not missing.

    Raises:
        ValueError: an answer belongs to no cell.
    """
    n = np.zeros(cells.x.shape)
    if cells.grouping_id:
        missing = _fetch(connection, _MISSING, cells.columns, [cells.slice_id, cells.grouping_id])
        cell = _positions(cells.frame, missing, f"int_missing_answers of {cells.slice_id}, {cells.grouping_id}")
    else:
        missing = _fetch(connection, _WHOLE_MISSING, cells.columns, [cells.slice_id])
        cell = missing["prompt_rank"].astype(np.intp)
    n[cell, missing["column_position"].astype(np.intp)] = missing["n_missing"]
    scales = _fetch(connection, _LIMITS, cells.columns, [])
    return Missing(n, scales["scale_low"], scales["scale_high"])


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
        z: Floats = (numbers - centre[column]) / np.where(np.isnan(spread), 1.0, spread)[column]
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


def _fetch(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    columns: pd.DataFrame,
    where: Sequence[object] | Mapping[str, str],
) -> dict[str, np.ndarray]:
    connection.register("column_keys", columns)
    values = connection.execute(query, where).fetchnumpy()
    connection.unregister("column_keys")
    return {name: np.asarray(array) for name, array in values.items()}


def _frame(places: Mapping[str, np.ndarray], n_groups: int) -> Frame:
    """The frame of cells or rows that are sorted by block and group."""
    block, group, root = (places[f"{name}_position"].astype(np.intp) for name in ("block", "group", "root"))
    root_of_block = np.zeros(int(block.max(initial=-1)) + 1, dtype=np.intp)
    root_of_block[block] = root
    return Frame(block, group, root_of_block, n_groups)


def _positions(frame: Frame, values: Mapping[str, np.ndarray], table: str) -> Ints:
    """Position in the frame of the cell of each value."""
    code_of_cell = frame.block * frame.n_groups + frame.group
    code = values["block_position"].astype(np.intp) * frame.n_groups + values["group_position"]
    cell: Ints = np.searchsorted(code_of_cell, code).clip(max=len(code_of_cell) - 1)
    if (code_of_cell[cell] != code).any() or (values["group_position"] >= frame.n_groups).any():
        raise ValueError(f"{table} holds a row that is in no cell of int_prompt_groups")
    return cell


NOT_REDUNDANT: Final = "varies_within_unit"  # units are compared whole, so it is in no stratum
FACTORS: Final = "slice_id, grouping_id, factor, is_stratum, left_out_because"
_FACTORS = f"select {FACTORS} from intermediate.int_blocking_factors order by all"
_SETTINGS = "select distinct slice_id, grouping_id, held_factors, left_out_factors from intermediate.int_settings"
Factors = defaultdict[tuple[str, str], list[str]]


def held_words(held: list[str], left_out: list[str]) -> str:
    """What a method says of factors held fixed and of redundant ones; '' where there is none."""
    labelled_factors = ((HELD, held), (LEFT_OUT, left_out))
    return "".join(word + ", ".join(factors) for word, factors in labelled_factors if factors)


def with_held_factors(
    tables: Mapping[str, pd.DataFrame], connection: duckdb.DuckDBPyConnection
) -> dict[str, pd.DataFrame]:
    """Tables whose methods say what was held fixed; test is the method without it.

    Args:
        tables: those with columns slice_id, grouping_id and method get the words.
        connection: to the build file.
    """
    held_fixed: Factors = defaultdict(list)
    left_out: Factors = defaultdict(list)
    for slice_id, grouping_id, factor, is_stratum, reason in connection.execute(_FACTORS).fetchall():
        if is_stratum or reason != NOT_REDUNDANT:
            (held_fixed if is_stratum else left_out)[slice_id, grouping_id].append(factor)
    for slice_id, grouping_id, held_factors, left_out_factors in connection.execute(_SETTINGS).fetchall():
        held_fixed[slice_id, grouping_id] += [held_factors] if held_factors else []
        left_out[slice_id, grouping_id] += [left_out_factors] if left_out_factors else []
    words = {
        slice_and_grouping: held_words(held_fixed[slice_and_grouping], left_out[slice_and_grouping])
        for slice_and_grouping in {*held_fixed, *left_out}
    }
    return {name: _said(table, words) if "method" in table else table for name, table in tables.items()}


def _said(table: pd.DataFrame, words: Mapping[tuple[str, str], str]) -> pd.DataFrame:
    places = zip(table.slice_id, table.grouping_id, strict=True)
    added = pd.Series([words.get(key, "") for key in places], index=table.index, dtype=object)
    if "statistic" in table:  # groups are held against real shares, not against each other
        added[table.statistic == GROUND_TRUTH] = ""
    return table.assign(test=table.method, method=(table.method + added).where(table.method.notna(), None))
