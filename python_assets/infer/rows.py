"""From arrays of columns by rows to rows of the inference tables, before q and verdict.

Belongs here: keys, names, margins and what stands in a row where nothing could be computed.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.cells import KEYS, Cells
from python_assets.infer.comparison import Compared
from python_assets.infer.contrasts import Contrasts, without_inference
from python_assets.infer.indices import (
    BELOW_FOUR_FIFTHS,
    DESCRIPTIVE,
    INDICES,
    RATE_INDICES,
    IndexTest,
    without_test,
)
from python_assets.infer.permutation import Floats, Ints
from python_assets.infer.profiles import OF_GROUPS, PROFILE_INDICES
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.reference import Reference
from python_assets.study.base import Against
from python_assets.study.metrics import metric_names

Table = dict[str, NDArray[Any]]  # arrays of one length, by column
Tables = Iterator[tuple[str, Table]]
Margins = Mapping[str, float | Mapping[str, float]]
DBI: Final = "dbi"
IDI: Final = "idi"
LOG_DISPARITY: Final = "log_disparity"
CONTRASTS: Final = {
    "continuous": ("mean_difference",),
    "binary": ("risk_difference", LOG_DISPARITY),
    "label": ("risk_difference",),
    "labels": OF_GROUPS,
    "selection": ("selection_rate_difference",),
    "precision": ("precision_difference",),
}
METRICS: Final = {
    "continuous": (*INDICES, *DESCRIPTIVE),
    "nonlinear": (*INDICES, *DESCRIPTIVE),
    "binary": (*INDICES, *RATE_INDICES, BELOW_FOUR_FIFTHS, *DESCRIPTIVE),
    "selection": (*INDICES, *RATE_INDICES, BELOW_FOUR_FIFTHS, *DESCRIPTIVE),
    "precision": (*INDICES, *DESCRIPTIVE),
    "label": (),
    "labels": PROFILE_INDICES,
}


class Sheet(NamedTuple):
    """Columns of one role and statistic, and what their rows share.

    role: what the columns are: continuous, binary, selection, precision, nonlinear; label: the share of one
    label; labels: all of a measure. reference: what the study compares groups with, None where that group
    is not there. asked: contrasts that not every study has. n_root_prompts, n_units, method, scope: of the
    indices.
    """

    cells: Cells
    columns: Ints
    role: str
    margins: Margins
    reference: Reference | None
    asked: tuple[str, ...]
    n_root_prompts: int = 0
    n_units: int = 0
    method: str | None = None
    scope: str | None = None

    @property
    def contrasts(self) -> tuple[str, ...]:
        """The contrasts that the columns have rows of; the first is what the question asks."""
        if self.role == "nonlinear":
            return (f"{self.cells.columns.statistic.iat[self.columns[0]]}_difference",)
        of_role = CONTRASTS[self.role]
        return (*of_role, DBI) if self.role == "continuous" and DBI in self.asked else of_role

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that the columns have rows of."""
        return tuple(name for name in METRICS[self.role] if name != IDI or self.cells.is_full)

    def reference_of(self, contrast: str) -> Reference | None:
        """What a contrast compares groups with: the study's choice, unless it has one of its own."""
        if contrast in metric_names("contrasts", reference="grand_mean"):
            return Reference(Against.GRAND_MEAN)
        is_declared = contrast in metric_names("contrasts", reference="declared")
        return self.reference if is_declared and self.role != "nonlinear" else Reference()

    def margin(self, name: str) -> Floats:
        """Declared margin of a contrast or metric, of each column; NaN where there is none."""
        columns = self.cells.columns
        measures, directions = (columns[of].to_numpy(object) for of in ("measure_id", "direction"))
        return np.array([margin_of(self.margins, measures[i], directions[i], name) for i in self.columns])

    @property
    def all_margins(self) -> dict[str, Floats]:
        """Margins by contrast and metric, as comparison.py calls them."""
        names = {*self.contrasts, *self.metrics, "mean_difference", "risk_difference", LOG_DISPARITY}
        margins = {name: self.margin(name) for name in names}
        if self.role in ("selection", "precision"):
            margins["risk_difference"] = margins[self.contrasts[0]]
        return margins


def margin_of(margins: Margins, measure_id: str, direction: str, name: str) -> float:
    """The declared margin: of the measure, else of the name alone, else NaN.

    Of the impact ratio the name alone holds only where the measure has a direction: to be selected by a
    number without a good end is no favourable outcome.
    """
    own = margins.get(measure_id)
    if isinstance(own, Mapping) and name in own:
        return float(own[name])
    common = None if name == "impact_ratio" and direction == "none" else margins.get(name)
    return np.nan if common is None or isinstance(common, Mapping) else float(common)


def compared_rows(sheet: Sheet, compared: Compared) -> Tables:
    """Yield the rows of contrasts and disparities of columns of one role, and but for labels of questions."""
    if sheet.role not in ("label", "labels"):  # whose question is of both
        asked = compared.contrasts[sheet.contrasts[0]]
        yield "questions", question_rows(sheet, asked.p_question, asked.reason)
    for name in sheet.contrasts:
        yield "contrasts", _contrast_rows(sheet, name, compared.contrasts[name])
    keys = column_keys(sheet.cells, sheet.columns, 1)
    for metric in sheet.metrics:
        test = compared.indices.get(metric)
        if test is None:
            test = _missing_index(sheet, metric, compared)
        yield "disparities", keys | _index_rows(sheet, metric, test)


def question_rows(sheet: Sheet, p_question: Floats, reason: NDArray[np.object_]) -> Table:
    """One row a column: the p of the question whether its groups differ, or why it has none.

    Args:
        sheet: the columns.
        p_question: shape (columns, rows), the same in all rows.
        reason: of the rows, in the order of the columns.
    """
    n = len(sheet.columns)
    p = p_question[:, 0] if p_question.shape[1] else np.full(n, np.nan)
    reasons = reason.reshape(n, -1)
    first = [next((word for word in row if word is not None), None) for row in reasons]
    has_p = ~np.isnan(p)
    return {
        **column_keys(sheet.cells, sheet.columns, 1),
        "p_value": p,
        "n_groups": _has_values(sheet.cells, sheet.columns).sum(axis=1),
        "n_root_prompts": np.full(n, sheet.n_root_prompts),
        "n_units": np.full(n, sheet.n_units),
        **_same(n, method=sheet.method, scope=sheet.scope),
        "inference_reason": first_of([~has_p], [np.array(first, dtype=object)]),
    }


def refused_rows(sheet: Sheet, reason: InferenceReason) -> Tables:
    """Yield rows with nothing but the reason, for columns of one role and statistic."""
    if sheet.role != "label":
        n = len(sheet.columns)
        yield "questions", question_rows(sheet, np.full((n, 1), np.nan), np.full(n, reason, dtype=object))
    for name in sheet.contrasts:
        reference = sheet.reference_of(name) or Reference()
        n_rows = len(reference.rows(sheet.cells.frame.n_groups)[0])
        nothing = without_inference((len(sheet.columns), n_rows), np.array(reason, dtype=object))
        yield "contrasts", _contrast_rows(sheet, name, nothing)
    keys = column_keys(sheet.cells, sheet.columns, 1)
    for metric in sheet.metrics:
        yield "disparities", keys | _index_rows(sheet, metric, _no_index(sheet, metric, reason))


def _missing_index(sheet: Sheet, metric: str, compared: Compared) -> IndexTest:
    """A probability is missing for what keeps its ratio from having an interval."""
    ratio = compared.indices.get("impact_ratio")
    reason = InferenceReason.TOO_FEW_FOR_INTERVAL if ratio is None else None
    nothing = _no_index(sheet, metric, reason)
    return nothing if ratio is None else nothing._replace(reason=ratio.reason)


def _no_index(sheet: Sheet, metric: str, reason: InferenceReason | None) -> IndexTest:
    reason = InferenceReason.DESCRIPTIVE if metric in DESCRIPTIVE else reason
    return without_test((len(sheet.columns),), reason)


def column_keys(cells: Cells, columns: Ints, repeats: int) -> Table:
    """The key columns of the rows of some columns, each repeated."""
    place = np.repeat(columns, repeats)
    keys: Table = {name: cells.columns[name].to_numpy(object)[place] for name in KEYS}
    return keys | _same(len(place), slice_id=cells.slice_id, grouping_id=cells.grouping_id)


def _same(n: int, **values: object) -> Table:
    return {name: np.full(n, value, dtype=object) for name, value in values.items()}


def _contrast_rows(sheet: Sheet, name: str, contrasts: Contrasts) -> Table:
    """The rows of a contrast; none where the group that the study compares with is not there."""
    declared = sheet.reference_of(name)
    reference = declared or Reference()
    names = np.array(reference.names(sheet.cells.group_ids), dtype=object).reshape(-1, 2)
    own, _ = reference.rows(len(sheet.cells.group_ids))
    has_values = _has_values(sheet.cells, sheet.columns)[:, own]
    reason = first_of([~has_values, has_values], [InferenceReason.NO_VALUES, contrasts.reason])
    n_columns, n_rows = len(sheet.columns), len(sheet.columns) * len(names)
    numbers = {field: array.ravel() for field, array in contrasts._asdict().items() if field != "reason"}
    numbers["p_value_maxt"] = numbers.pop("p_maxt")
    keys = column_keys(sheet.cells, sheet.columns, len(names))
    if sheet.role == "label":  # one question with the profile of the measure
        keys["statistic"] = np.full(n_rows, "share", dtype=object)
    table = {
        **keys,
        **_same(n_rows, contrast=name),
        "group_id": np.tile(names[:, 0], n_columns),
        "reference": np.tile(names[:, 1], n_columns),
        "margin": np.repeat(sheet.margin(name), len(names)),
        "inference_reason": reason.ravel(),
        **numbers,
    }
    return table if declared is not None else {column: values[:0] for column, values in table.items()}


def _has_values(cells: Cells, columns: Ints) -> np.ndarray:
    """Whether each group has a value in each column, shape (columns, groups)."""
    has_values = np.zeros((cells.frame.n_groups, len(columns)), dtype=bool)
    np.logical_or.at(has_values, cells.frame.group, ~np.isnan(cells.x[:, columns]))
    return has_values.T


def _index_rows(sheet: Sheet, metric: str, test: IndexTest) -> Table:
    """The rows of a metric but for the keys of their columns."""
    has_p, n = ~np.isnan(test.p_value), len(sheet.columns)
    has_value = ~np.isnan(test.value)
    return {
        **_same(n, metric=metric),
        "margin": sheet.margin(metric),
        "n_root_prompts": np.where(has_value, sheet.n_root_prompts, 0),
        "n_units": np.where(has_value, sheet.n_units, 0),
        "method": first_of([has_p], [sheet.method]),
        "scope": first_of([has_p], [sheet.scope]),
        "inference_reason": test.reason,
        **{name: array for name, array in test._asdict().items() if name != "reason"},
    }
