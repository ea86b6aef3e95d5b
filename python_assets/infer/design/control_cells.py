"""Negative controls of a slice by root prompt, as the groups of another grouping have them.

Belongs here: which control cells belong to which root prompts. They are the cells of grouping negative_control, read as
those of any grouping; what they say of groups is contrasts/controlled.py.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.design.design import Frame
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.study.base import NEGATIVE_CONTROL

_TYPES: Final = "select negative_control, control_type from raw.negative_controls"
_NAMES: Final = f"""
    select distinct slice_id, group_id, group_position from intermediate.int_prompt_groups
    where grouping_id = '{NEGATIVE_CONTROL}'
    order by slice_id, group_position
"""
_UNITS: Final = """
    select distinct slice_id, grouping_id, root_position, unit_id, unit_factor is not null as is_of_units
    from intermediate.int_prompt_groups
"""
_PLACE: Final = ["slice_id", "grouping_id"]
_KEYS: Final = ["system_id", "measure_id", "calibration"]
Key = tuple[str, str, str]
"""System, measure and calibration."""


class ControlCells(NamedTuple):
    """Means of negative controls in the root prompts of a slice and grouping.

    types: of the controls of the slice; None where the study declares none. column_of: positions of columns.
    x, n_responses: shape (root prompts, controls, columns), NaN and 0 where absent. is_of_units: whether units that the
    study declares take the place of root prompts, which controls do not have.
    """

    types: Sequence[str] | None
    column_of: Mapping[Key, int]
    x: Floats
    n_responses: Floats
    is_of_units: bool = False

    def of(self, key: Key) -> tuple[Floats, Floats]:
        """Means and responses of one system, measure and calibration, shape (root prompts, controls)."""
        if key not in self.column_of:
            nothing = np.zeros(self.x.shape[:2])
            return np.full_like(nothing, np.nan), nothing
        return self.x[:, :, self.column_of[key]], self.n_responses[:, :, self.column_of[key]]


class PromptCells(NamedTuple):
    """Cells of one slice and grouping averaged over the blocks of root prompts, as read_controls takes them.

    columns: keys of each column. x, n_responses: shape (root prompts, groups, columns).
    """

    columns: pd.DataFrame
    x: Floats
    n_responses: Floats

    @classmethod
    def of(cls, columns: pd.DataFrame, frame: Frame, x: Floats, n_responses: Floats) -> "PromptCells":
        """Averages of x and sums of n_responses, both of shape (cells, columns)."""
        every = np.arange(len(frame.block))
        return cls(columns, by_root(frame, every, x), sums_by_root(frame, every, n_responses))


def by_root(frame: Frame, cell: Ints, values: Floats) -> Floats:
    """Cells averaged over the blocks of each root prompt.

    Args:
        frame: of all cells.
        cell: positions of those that have values.
        values: shape (cells, columns), NaN where absent.

    Returns:
        Shape (root prompts of the frame, groups, columns), NaN where absent.
    """
    is_there = ~np.isnan(values)
    total = sums_by_root(frame, cell, np.where(is_there, values, 0.0))
    n = sums_by_root(frame, cell, is_there.astype(float))
    return np.divide(total, n, out=np.full_like(total, np.nan), where=n > 0)


def sums_by_root(frame: Frame, cell: Ints, values: Floats) -> Floats:
    """Sums over the blocks of each root prompt, shape (root prompts of the frame, groups, columns)."""
    total = np.zeros((int(frame.root_of_block.max()) + 1, frame.n_groups, values.shape[1]))
    np.add.at(total, (frame.root_of_block[frame.block[cell]], frame.group[cell]), values)
    return total


def declares_controls(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether the study of a build file declares negative controls."""
    return connection.execute(f"select count(*) > 0 from ({_TYPES})").fetchone() == (True,)


def read_controls(
    connection: duckdb.DuckDBPyConnection, control_cells: Mapping[str, PromptCells]
) -> dict[tuple[str, str], ControlCells]:
    """The controls of every slice and grouping of prompts but their own.

    Args:
        connection: to the build file.
        control_cells: of grouping negative_control, by slice; of a slice without any value of a control none.

    Returns:
        Nothing where the study declares no control.
    """
    type_of = dict(connection.execute(_TYPES).fetchall())
    if not type_of:
        return {}
    types_of: dict[str, list[str]] = {}
    for slice_id, name, _ in connection.execute(_NAMES).fetchall():
        types_of.setdefault(slice_id, []).append(type_of[name])
    units = connection.execute(_UNITS).df()
    is_own = units.grouping_id == NEGATIVE_CONTROL
    own_units = {str(slice_id): rows for slice_id, rows in units[is_own].groupby("slice_id")}
    by_layout = {}
    for key, rows in units[~is_own].groupby(_PLACE, sort=True):
        slice_id, grouping_id = map(str, key)
        types = types_of.get(slice_id, [])
        n_roots, cells = int(rows.root_position.max()) + 1, control_cells.get(slice_id)
        n_columns = 0 if cells is None else len(cells.columns)
        x, n_responses = np.full((n_roots, len(types), n_columns), np.nan), np.zeros((n_roots, len(types), n_columns))
        if cells is not None:
            both = rows.merge(own_units[slice_id], on="unit_id", suffixes=("", "_of_control"))
            at, place_of_control = both.root_position.to_numpy(), both.root_position_of_control.to_numpy()
            x[at], n_responses[at] = cells.x[place_of_control], cells.n_responses[place_of_control]
        by_layout[slice_id, grouping_id] = ControlCells(
            None if any(one is None for one in type_of.values()) else types,
            {} if cells is None else _places(cells.columns),
            x,
            n_responses,
            is_of_units=bool(rows.is_of_units.any()),
        )
    return by_layout


def _places(columns: pd.DataFrame) -> dict[Key, int]:
    """Where means of a system, measure and calibration are, labels and other statistics aside."""
    is_mean = (columns.statistic == "mean") & (columns.parameters == "") & (columns.category == "")
    keys = columns.loc[is_mean, _KEYS].itertuples(index=False, name=None)
    return dict(zip(keys, np.flatnonzero(is_mean).tolist(), strict=True))
