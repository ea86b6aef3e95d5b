"""The integer-coded cells of one slice and grouping, and the responses behind them.

Belongs here: what they are, and those of some columns or of a statistic. They are read by read_cells.py.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.infer.asked import Asked
from python_assets.infer.design import Frame
from python_assets.infer.permutation import Floats, Ints
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.statistics import Sample

KEYS = ("generation_id", "measure_id", "calibration", "category", "statistic", "parameters")
KEYS_OF_QUESTION = ["generation_id", "measure_id", "calibration", "statistic", "parameters"]


MIXED_UNITS = "mixed_units"
PARTLY_NESTED = "partly_nested"
_ROLES = {"selection_rate": "selection", "precision": "precision"}


class Cells(NamedTuple):
    """The cells of one slice and grouping.

    columns: one row a column of the matrices: KEYS, kind and direction. group_ids: by position. x: cell
    means, shape (cells, columns), NaN where absent. n_responses: of the same shape. has_several_prompts:
    whether a cell has, in a block of two groups or more, although the study declares no unit they belong
    to. stratum_of_cell, root_prompt_of_cell: where each unit lies in one group, and a cell is a unit and
    root prompt; None and empty elsewhere. is_of_models: whether the cells average answers of several models,
    which are never taken for repeats. is_full: whether the grouping joins all factors of all groupings.
    """

    slice_id: str
    grouping_id: str
    columns: pd.DataFrame
    group_ids: list[str]
    frame: Frame
    x: Floats
    n_responses: Floats
    has_several_prompts: bool
    scheme: str = "blocked"
    stratum_of_cell: Ints | None = None
    root_prompt_of_cell: Ints = np.empty(0, dtype=np.intp)
    is_of_models: bool = False
    is_full: bool = False

    @property
    def refusal(self) -> InferenceReason | None:
        """Why nothing of it has a p or an interval, whatever its values."""
        if self.scheme == MIXED_UNITS:
            return InferenceReason.MIXED_UNITS
        return InferenceReason.SEVERAL_PROMPTS if self.has_several_prompts else None

    @property
    def is_partly_nested(self) -> bool:
        """Whether units keep the level of one factor of the grouping and vary in another."""
        return self.scheme == PARTLY_NESTED

    @property
    def unit_of_cell(self) -> Ints:
        """What changes places where units are compared: the unit, or the unit in one of its groups."""
        unit = self.frame.root_of_block[self.frame.block]
        return unit * self.frame.n_groups + self.frame.group if self.is_partly_nested else unit

    @property
    def roles(self) -> NDArray[np.object_]:
        """What each column is: for means the kind of its measure, or label; else its statistic."""
        statistics, kinds = (self.columns[name].to_numpy(object) for name in ("statistic", "kind"))
        is_plain = self.columns.parameters.to_numpy(object) == ""
        kinds = np.where(kinds == "categorical", "label", kinds)
        roles = [
            kind if statistic == "mean" and plain else _ROLES.get(statistic, "nonlinear")
            for statistic, plain, kind in zip(statistics, is_plain, kinds, strict=True)
        ]
        return np.array(roles, dtype=object)


class Rows(NamedTuple):
    """The responses behind the cells: a frame of rows in place of cells, and values (rows, columns)."""

    frame: Frame
    x: Floats


class Values(NamedTuple):
    """Every response of one slice and grouping, with its baseline; sorted by column and cell.

    columns: KEYS, kind and direction of each column. n_cells: of the frame. column, cell: of each response.
    x, baseline: its values, baseline NaN where there is none. low, high: smallest and largest of both, of
    each column.
    """

    columns: pd.DataFrame
    n_cells: int
    column: Ints
    cell: Ints
    x: Floats
    baseline: Floats
    low: Floats
    high: Floats

    def standard_deviations(self, columns: pd.DataFrame) -> Floats:
        """Standard deviation (n - 1) of all responses of some columns, found by their keys.

        NaN under two responses, and where they are equal but for the last bits.
        """
        n = np.bincount(self.column, minlength=len(self.columns))
        mean = np.bincount(self.column, self.x, minlength=len(n)) / np.maximum(n, 1)
        squares = np.bincount(self.column, (self.x - mean[self.column]) ** 2, minlength=len(n))
        sd = np.sqrt(np.divide(squares, n - 1, out=np.full(len(n), np.nan), where=n > 1))
        sd[sd <= 1e-12 * np.abs(mean)] = np.nan
        keys = list(KEYS[:3])
        return columns[keys].merge(self.columns[keys].assign(sd=sd), how="left", on=keys).sd.to_numpy()

    def of_columns(self, columns: Ints) -> "Values":
        """The responses of some columns alone, ascending."""
        position = self._among(columns)
        kept = position[self.column] >= 0
        return self._replace(
            columns=_renumbered(self.columns, columns),
            column=position[self.column[kept]],
            cell=self.cell[kept],
            x=self.x[kept],
            baseline=self.baseline[kept],
            low=self.low[columns],
            high=self.high[columns],
        )

    def sample(self, columns: Ints, place_of_cell: Ints, n_places: int) -> Sample:
        """The responses of some columns, ascending, and of the cells with a place of 0 or more."""
        position = self._among(columns)
        place = place_of_cell[self.cell]
        kept = (position[self.column] >= 0) & (place >= 0)
        return Sample(
            place[kept] * len(columns) + position[self.column[kept]],
            (n_places, len(columns)),
            self.x[kept],
            self.baseline[kept],
            self.low[columns],
            self.high[columns],
        )

    def _among(self, columns: Ints) -> Ints:
        """The position of each column among some, -1 for the others."""
        position = np.full(len(self.columns), -1)
        position[columns] = np.arange(len(columns))
        return position


def of_statistic(cells: Cells, values: Values, asked: Asked) -> tuple[Cells, Values]:
    """The cells that a statistic has rows in, and these rows; the columns of both are the same.

    Args:
        cells: of any statistics.
        values: of the same slice and grouping.
        asked: the statistic; where it is paired, columns without any baseline, calibrated ones and those
            that are not continuous are left out.

    Returns:
        Cells whose x says no more than where a value is (0) and where none (NaN).
    """
    is_kept = np.ones(len(values.x), dtype=bool)
    if asked.is_paired:
        is_of = ((values.columns.calibration == "raw") & (values.columns.kind == "continuous")).to_numpy()
        is_kept = ~np.isnan(values.baseline) & is_of[values.column]
    chosen, column = np.unique(values.column[is_kept], return_inverse=True)
    columns = values.columns.iloc[chosen].reset_index(drop=True)
    columns = columns.assign(
        statistic=asked.statistic, parameters=asked.parameters, column_position=np.arange(len(chosen))
    )
    cell = values.cell[is_kept]
    counts = np.zeros((values.n_cells, len(chosen)))
    np.add.at(counts, (cell, column), 1)
    rows = (values.x[is_kept], values.baseline[is_kept], values.low[chosen], values.high[chosen])
    x = np.where(counts > 0, 0.0, np.nan)
    return (
        cells._replace(columns=columns, x=x, n_responses=counts),
        Values(columns, values.n_cells, column, cell, *rows),
    )


def of_columns(cells: Cells, members: Ints) -> Cells:
    """The cells of some columns alone."""
    columns = members.ravel()
    return cells._replace(
        columns=_renumbered(cells.columns, columns),
        x=cells.x[:, columns],
        n_responses=cells.n_responses[:, columns],
    )


def columns_of(cells: Cells, questions: set[tuple[str, ...]]) -> Ints:
    """The columns that some questions are of; those of a categorical measure are one question."""
    columns = cells.columns.assign(statistic=cells.columns.statistic.where(cells.roles != "label", "share"))
    keys = columns[KEYS_OF_QUESTION].itertuples(index=False, name=None)
    return np.array([place for place, key in enumerate(keys) if key in questions], dtype=np.intp)


def _renumbered(columns: pd.DataFrame, kept: Ints) -> pd.DataFrame:
    return columns.iloc[kept].reset_index(drop=True).assign(column_position=np.arange(len(kept)))
