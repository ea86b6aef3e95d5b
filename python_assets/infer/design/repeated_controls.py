"""Negative controls that several slices share: tested once, in the first of them.

Belongs here: which slice tells what the controls of a slice do. Edits of one branch lie in every slice that their root
prompts have groups in, so the same answers would be tested again in each, with draws of its own.

Source: inference.md 14.
"""

from collections.abc import Mapping
from typing import Final

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.tables import PAIR_SIDES
from python_assets.study.base import ALL_PROMPTS, ALL_SYSTEMS, NEGATIVE_CONTROL

_FIRST: Final = f"""
    with controls as (
        select slice_id, prompt_id, answers.asked_prompt_id, answers.system_id
        from intermediate.int_prompt_groups
        join intermediate.int_answers as answers using (prompt_id)
        where grouping_id = '{NEGATIVE_CONTROL}'
    ),
    asked as (
        select slice_id, system_id, list(asked_prompt_id order by asked_prompt_id) as prompts
        from controls
        group by slice_id, system_id
        union all
        select slice_id, '{ALL_SYSTEMS}', list(prompt_id order by prompt_id) from controls group by slice_id
    )
    select measure_id, slice_id, system_id, first_value(slice_id) over (
        partition by measure_id, system_id, prompts order by slice_id <> '{ALL_PROMPTS}', slice_id
    ) as first_slice
    from asked
    join raw.measure_slices using (slice_id)
"""
# their scale is that of the groups of a slice
_SCALED: Final = "select distinct statistic, parameters from raw.statistics where normalise <> ''"
_TESTED: Final = ("hypotheses", "contrasts", "disparities", "system_comparisons")


def first_slices(connection: duckdb.DuckDBPyConnection, rows: pd.DataFrame) -> "pd.Series[str]":
    """The slice that the controls of rows are tested in: the first with the same control prompts of the same systems.

    Slice all is the first, the others stand by name. What is put on the scale of a slice stays in its own.

    Args:
        connection: with int_prompt_groups and int_answers.
        rows: slice_id, system_id and measure_id; statistic, parameters and PAIR_SIDES where rows have them.

    Returns:
        Of each row; its own slice where no control is in it.
    """
    first = connection.execute(_FIRST).df()
    are_apart = not first.system_id.isin(["", ALL_SYSTEMS]).all()  # slices or groups of systems
    by_place = first.set_index(["measure_id", "slice_id", "system_id"]).first_slice
    is_scaled = np.zeros(len(rows), dtype=bool)
    if "statistic" in rows:
        scaled = connection.execute(_SCALED).fetchall()
        is_scaled = pd.MultiIndex.from_frame(rows[["statistic", "parameters"]]).isin(scaled)

    def first_of_side(name: str) -> np.ndarray:
        side = rows[name].where(rows[name] != "", rows.system_id) if name in rows else rows.system_id
        system = side if are_apart else pd.Series("", index=rows.index)
        places = pd.MultiIndex.from_arrays([rows.measure_id, rows.slice_id, system])
        slices: np.ndarray = by_place.reindex(places).to_numpy(dtype=object)
        return slices

    first_own, other = (first_of_side(name) for name in PAIR_SIDES)
    is_told = pd.notna(first_own) & (first_own == other) & ~is_scaled
    return rows.slice_id.mask(is_told, pd.Series(first_own, index=rows.index))


def without_repeated(connection: duckdb.DuckDBPyConnection, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows without repeated rows of controls of later slices; arguments as first_slices, and grouping_id."""
    is_control = rows.grouping_id == NEGATIVE_CONTROL
    if not is_control.any():
        return rows
    is_repeated = is_control & (first_slices(connection, rows) != rows.slice_id)
    return rows[~is_repeated].reset_index(drop=True)


def tested_once(connection: duckdb.DuckDBPyConnection, tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Tables of inference whose controls are tested in the first slice alone; descriptions of all slices stay."""
    return {name: without_repeated(connection, rows) if name in _TESTED else rows for name, rows in tables.items()}
