"""The integer-coded cells of one slice and grouping, and the responses behind them.

Belongs here: what they are, and those of some columns or of a statistic. They are read by read_cells.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.infer.design.control_cells import ControlCells
from python_assets.infer.design.custom_functions import CustomFunction
from python_assets.infer.design.design import Frame
from python_assets.infer.draws.exchange import TIE, Floats, Ints
from python_assets.infer.result import InferenceReason
from python_assets.infer.tables import FALSE_ALARM, LABEL_ERROR, MISSED
from python_assets.study.base import ALL_SYSTEMS, BASELINE

ADDITIVE: Final = ("variance", "standard_deviation", "skewness", "kurtosis", "kl_divergence")
OF_QUANTILES: Final = ("median", "quantile", "percentile", "quantile_range", "percentile_range", "range")
NONLINEAR: Final = (*ADDITIVE, *OF_QUANTILES, "mode", "correlation")
NO_FUNCTIONS: Final[Mapping[str, CustomFunction]] = MappingProxyType({})
_QUERY: Final = """
    select statistic, parameters, normalise, normalise_over, is_paired, coalesce(cast(method as varchar), ''),
        coalesce(cast(level_low as double), 'nan'), coalesce(cast(level_high as double), 'nan'),
        coalesce(cast(bin_width as double), 'nan'), coalesce(cast(n_bins as integer), 0),
        coalesce(cast(smoothing as double), 'nan'), function_path
    from raw.statistics
    where normalise <> 'after'
    order by statistic, parameters
"""


class StatisticSpec(NamedTuple):
    """A statistic with its options, those that it does not have at their defaults.

    parameters: as the tables spell the options. normalise: '' or before, which puts x and baseline on the
    scale of 0 to 1 of normalise_over. method: of a correlation. level_low, level_high: quantiles, 0 to 1. function: of
    the study's own.
    """

    statistic: str
    parameters: str = ""
    normalise: str = ""
    normalise_over: str = ""
    is_paired: bool = False
    method: str = ""
    level_low: float = float("nan")
    level_high: float = float("nan")
    bin_width: float = float("nan")
    n_bins: int = 0
    smoothing: float = float("nan")
    function: CustomFunction | None = None

    @property
    def levels(self) -> tuple[tuple[float, int], ...]:
        """The quantiles that a statistic of quantiles adds up, each with its sign."""
        if self.statistic == "range":
            return (1.0, 1), (0.0, -1)
        if self.statistic.endswith("_range"):
            return (self.level_high, 1), (self.level_low, -1)
        return ((0.5 if self.statistic == "median" else self.level_low, 1),)

    @property
    def is_extreme(self) -> bool:
        """Whether the smallest or the largest value is a part of it."""
        return self.statistic in OF_QUANTILES and any(level in (0, 1) for level, _ in self.levels)


def requested_statistics(
    connection: duckdb.DuckDBPyConnection, functions: Mapping[str, CustomFunction] = NO_FUNCTIONS
) -> list[StatisticSpec]:
    """The statistics whose rows are shuffled, in order: none of means, rates and custom expressions.

    A mean of normalised values is one of them, for normalising clips; and so is a custom function.

    Args:
        connection: to the build file.
        functions: of the study's own, by their path.
    """
    rows = connection.execute(_QUERY).fetchall()
    specs = [StatisticSpec(*row[:-1])._replace(function=functions.get(row[-1])) for row in rows]
    return [
        spec
        for spec in specs
        if spec.statistic in NONLINEAR or (spec.statistic == "mean" and spec.normalise) or spec.function is not None
    ]


@dataclass(frozen=True)
class Sample:
    """Rows of some columns, each in one cell; sorted by column.

    place: cell * columns + column of each row. shape: cells, columns. x, baseline: of each row. low, high:
    outer edges of the bins of each column.
    """

    place: Ints
    shape: tuple[int, int]
    x: Floats
    baseline: Floats
    low: Floats
    high: Floats

    @property
    def cell_and_column(self) -> tuple[Ints, Ints]:
        """Cell and column of each row."""
        return np.divmod(self.place, self.shape[1])

    @property
    def column(self) -> Ints:
        """Column of each row."""
        return self.cell_and_column[1]

    @cached_property
    def unit(self) -> Floats:
        """Standard deviation of all x of each column, 1 where they are equal; what sums are counted in."""
        return centred_and_scale(self.x, self.column, self.shape[1])[1]

    def table(self, values: NDArray[Any], empty: Any) -> NDArray[Any]:
        """Values by column and cell, empty where a cell has fewer, shape (columns, cells, rows of a cell)."""
        n_cells, n_columns = self.shape
        cell, column = np.divmod(self.place, n_columns)
        key = column * n_cells + cell
        order = np.argsort(key, kind="stable")
        within = np.arange(len(key)) - np.searchsorted(key[order], key[order])
        table = np.full((n_columns, n_cells, int(within.max(initial=0)) + 1), empty)
        table[column[order], cell[order], within] = values[order]
        return table

    def total(self, weights: Floats | None = None) -> Floats:
        """Sums of weights over the rows of each cell, or their number; shape (cells, columns)."""
        size = self.shape[0] * self.shape[1]
        return np.bincount(self.place, weights, minlength=size).reshape(self.shape).astype(np.float64)


def centred_and_scale(values: Floats, column: Ints, n_columns: int) -> tuple[Floats, Floats]:
    """Values minus the mean of their column, exactly 0 where all are equal; and their sd, then 1."""
    first = np.searchsorted(column, np.arange(n_columns)).clip(max=max(len(values) - 1, 0))
    n = np.maximum(np.bincount(column, minlength=n_columns), 1)
    centred = values - values[first][column]
    centred -= (np.bincount(column, centred, minlength=n_columns) / n)[column]
    scale = np.sqrt(np.bincount(column, centred**2, minlength=n_columns) / n)
    return centred, np.where(scale > 0, scale, 1.0)


FEWEST_LABELLED_OF_RATE = 15  # root prompts, of the interval of a rate
COLUMN_KEYS = ("system_id", "measure_id", "calibration", "category", "statistic", "parameters")
KEYS_OF_HYPOTHESIS = ["system_id", "measure_id", "calibration", "statistic", "parameters"]
MIXED_UNITS = "mixed_units"
PARTLY_NESTED = "partly_nested"
_ROLES = {"selection_rate": "selection", "precision": "precision"}


class GroupingPart(NamedTuple):
    """A grouping of some factors of another one.

    level: what each group of the whole is in the part. rest: what it is by the other factors; both from 0.
    """

    grouping_id: str
    level: Ints
    rest: Ints


class CellLabels(NamedTuple):
    """Labels of one generation and measure by cell of a frame, shape (cells,).

    y: mean of the labels of a cell, NaN where one of its answers lacks them. is_drawn: whether any of its answers was
    given to people. missed, false_alarm, error: of its labelled answers, NaN where there are none. n_events, n_others:
    labelled answers that people found it in, and that they did not.
    """

    y: Floats
    is_drawn: NDArray[np.bool_]
    missed: Floats
    false_alarm: Floats
    error: Floats
    n_events: Ints
    n_others: Ints

    def of(self, calibration: str) -> Floats:
        """The values of one kind of error."""
        return {MISSED: self.missed, FALSE_ALARM: self.false_alarm, LABEL_ERROR: self.error}[calibration]


class Labelled(NamedTuple):
    """What is known of a column that people's labels make.

    kind: of the column. n_root_prompts: labelled whole, 0 where errors are over the units of the column. reason: why
    nothing but values is told of it, None where more is. is_few: groups with too few labels of either kind. is_rate:
    whether the measure is one. of_cells: the labels themselves, of corrected values.
    """

    kind: str
    n_root_prompts: int
    reason: InferenceReason | None
    is_few: NDArray[np.bool_]
    is_rate: bool
    of_cells: CellLabels | None = None

    @property
    def is_told(self) -> bool:
        """Whether values are: of corrected ones where some root prompt is labelled whole."""
        return self.n_root_prompts > 0 or not self.kind.startswith("corrected")

    @property
    def why_no_interval(self) -> InferenceReason | None:
        """Why no interval is told."""
        has_few = self.is_rate and 0 < self.n_root_prompts < FEWEST_LABELLED_OF_RATE
        return InferenceReason.TOO_FEW_LABELS if has_few and self.reason is None else self.reason

    def unseen(self, n: Floats | Ints) -> Floats:
        """Square of half an error that no label showed, of a rate over n root prompts (inference.md 9.2)."""
        r = self.n_root_prompts
        if not (self.is_rate and r):
            return np.zeros(1)
        square: Floats = np.maximum(1 - r / np.maximum(n, 1), 0) / (2 * r**2)
        return square


class Cells(NamedTuple):
    """The cells of one slice and grouping.

    columns: one row a column of the matrices: KEYS, kind and direction, and refused where it is known. group_ids:
    by position. x: cell means, shape (cells, columns), NaN where absent. n_responses: of the same shape.
    has_several_prompts: whether a cell has, in a block of two groups or more, although the study declares no unit
    they belong to. stratum_of_cell, root_prompt_of_cell: where each unit lies in one group, and a cell is a unit and
    root prompt; None and empty elsewhere. is_of_models: whether the cells average answers of several models, which
    are never taken for repeats. is_full: whether the grouping joins all factors of all groupings.
    parts: the groupings of some of its factors. labels: by generation, measure and calibration, of the columns that
    people's labels make (schemes/corrected_values.py). controls: in its root prompts; None of the controls themselves
    and where the study declares none.
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
    parts: Sequence[GroupingPart] = ()
    labels: Mapping[tuple[str, str, str], Labelled] = MappingProxyType({})
    controls: ControlCells | None = None

    def labelled(self, columns: Ints) -> list[Labelled | None]:
        """What is known of the labels of some columns; None of columns that no label made."""
        keys = self.columns.iloc[columns][["system_id", "measure_id", "calibration"]]
        return [self.labels.get(key) for key in keys.itertuples(index=False, name=None)]

    @property
    def asks_of_parts(self) -> Ints | None:
        """Level of each part that each group lies in, shape (parts, groups): what the question of means is beyond.

        None where there is no part, and where units keep a part of the factors: there groups are asked as they are.
        """
        return (
            np.stack([grouping_part.level for grouping_part in self.parts])
            if self.parts and not self.is_partly_nested
            else None
        )

    @property
    def refusal(self) -> InferenceReason | None:
        """Why nothing of it has a p or an interval, whatever its values."""
        if self.scheme == MIXED_UNITS:
            return InferenceReason.MIXED_UNITS
        return InferenceReason.SEVERAL_PROMPTS if self.has_several_prompts else None

    @property
    def refused(self) -> NDArray[np.object_]:
        """Why nothing is told of each column's measure, whatever its cells hold; None where it is."""
        if "refused" not in self.columns:
            return np.full(len(self.columns), None, dtype=object)
        reasons: NDArray[np.object_] = self.columns.refused.to_numpy(dtype=object)
        return reasons

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
    def is_pooled(self) -> NDArray[np.bool_]:
        """Whether each column is of all models together, beside those of the models."""
        is_all: NDArray[np.bool_] = (self.columns.system_id == ALL_SYSTEMS).to_numpy()
        return is_all & (not self.is_of_models)

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


class CellRows(NamedTuple):
    """The responses behind the cells: a frame of rows in place of cells, and values (rows, columns).

    prompt: of each row. Those of a cell weigh alike, however many responses they have (inference.md 2.1).
    """

    frame: Frame
    x: Floats
    prompt: Ints

    @classmethod
    def of_cells(cls, cells: Cells) -> "CellRows":
        """Cells in the place of responses."""
        return cls(cells.frame, cells.x, np.arange(len(cells.x)))


class Missing(NamedTuple):
    """Answers of cells without a value: n, shape (cells, columns), of raw means alone; the ends of declared scales.

    scale_low, scale_high: of the measure of each column, NaN where none is declared.
    """

    n: Floats
    scale_low: Floats
    scale_high: Floats


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

        Of all models together it is of the responses of all of them. NaN under two responses, and where they are equal
        but for the last bits.
        """
        n = np.bincount(self.column, minlength=len(self.columns))
        mean = np.bincount(self.column, self.x, minlength=len(n)) / np.maximum(n, 1)
        squares = np.bincount(self.column, (self.x - mean[self.column]) ** 2, minlength=len(n))
        keys = list(COLUMN_KEYS[:3])
        by_column = self.columns[keys].assign(n=n, mean=mean, squares=squares)
        moments = pd.concat([by_column, _of_all_models(by_column, keys)], ignore_index=True)
        sd = (moments.squares / (moments.n - 1).where(moments.n > 1)) ** 0.5
        moments = moments.assign(sd=sd.where(sd > 1e-12 * moments["mean"].abs()))
        return columns[keys].merge(moments, how="left", on=keys).sd.to_numpy()

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
        row_of_cell = place_of_cell[self.cell]
        kept = (position[self.column] >= 0) & (row_of_cell >= 0)
        return Sample(
            row_of_cell[kept] * len(columns) + position[self.column[kept]],
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


def _of_all_models(own: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Moments of the responses of all models together, of moments of each: n, mean, and squares around it."""
    models = own[~own.system_id.isin([BASELINE, ALL_SYSTEMS])].assign(system_id=ALL_SYSTEMS)
    total = (models.n * models["mean"]).groupby([models[key] for key in keys]).transform("sum")
    mean = total / models.groupby(keys).n.transform("sum").clip(lower=1)
    squares = models.squares + models.n * (models["mean"] - mean) ** 2
    together = models.assign(mean=mean, squares=squares).groupby(keys, as_index=False)
    return together.agg(n=("n", "sum"), mean=("mean", "first"), squares=("squares", "sum"))


def of_statistic(cells: Cells, values: Values, spec: StatisticSpec) -> tuple[Cells, Values]:
    """The cells that a statistic has rows in, and these rows; the columns of both are the same.

    Args:
        cells: of any statistics.
        values: of the same slice and grouping.
        spec: the statistic; where it is paired, columns without any baseline, calibrated ones and those
            that are not continuous are left out.

    Returns:
        Cells whose x says no more than where a value is (0) and where none (NaN).
    """
    is_kept = np.ones(len(values.x), dtype=bool)
    if spec.is_paired:
        is_of = ((values.columns.calibration == "raw") & (values.columns.kind == "continuous")).to_numpy()
        is_kept = ~np.isnan(values.baseline) & is_of[values.column]
    chosen, column = np.unique(values.column[is_kept], return_inverse=True)
    columns = values.columns.iloc[chosen].reset_index(drop=True)
    columns = columns.assign(
        statistic=spec.statistic, parameters=spec.parameters, column_position=np.arange(len(chosen))
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
        columns=_renumbered(cells.columns, columns), x=cells.x[:, columns], n_responses=cells.n_responses[:, columns]
    )


def columns_of(cells: Cells, hypotheses: set[tuple[str, ...]]) -> Ints:
    """The columns that some questions are of; those of a categorical measure are one question."""
    columns = cells.columns.assign(statistic=cells.columns.statistic.where(cells.roles != "label", "share"))
    keys = columns[KEYS_OF_HYPOTHESIS].itertuples(index=False, name=None)
    return np.array([index for index, key in enumerate(keys) if key in hypotheses], dtype=np.intp)


def _renumbered(columns: pd.DataFrame, kept: Ints) -> pd.DataFrame:
    return columns.iloc[kept].reset_index(drop=True).assign(column_position=np.arange(len(kept)))


def are_equal(x: Floats) -> NDArray[np.bool_]:
    """Whether all cells of each column are equal to nine digits, shape (columns,); NaN is no cell."""
    return _are_one(np.fmin.reduce(x, axis=0), np.fmax.reduce(x, axis=0))


def are_equal_in_groups(x: Floats, group: Ints, n_groups: int) -> NDArray[np.bool_]:
    """Whether those of one group are, shape (groups, columns); group is that of each row."""
    order = np.argsort(group, kind="stable")
    present, start = np.unique(group[order], return_index=True)
    low, high = (side.reduceat(x[order], start, axis=0) for side in (np.fmin, np.fmax))
    are_one = np.zeros((n_groups, x.shape[1]), dtype=bool)
    are_one[present] = _are_one(low, high)
    return are_one


def _are_one(low: Floats, high: Floats) -> NDArray[np.bool_]:
    largest = np.maximum(np.abs(low), np.abs(high))
    return np.asarray((high - low <= TIE * largest) & np.isfinite(largest))


def equalised(x: Floats) -> Floats:
    """Cells, shape (cells, columns), where those of a column that are_equal have its mean: no arithmetic on digits.

    Source: inference.md 2.10.
    """
    is_constant = are_equal(x) if len(x) else np.zeros(x.shape[1], dtype=bool)
    if not is_constant.any():
        return x
    settled = x.copy()
    same = x[:, is_constant]
    settled[:, is_constant] = np.where(np.isnan(same), np.nan, np.nanmean(same, axis=0))
    return settled
