"""From arrays of columns by groups to rows of the inference tables, before q and verdict.

Belongs here: keys, names, margins and what stands in a row where nothing could be computed.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from python_assets.infer import interval
from python_assets.infer.cells import Cells
from python_assets.infer.comparison import Compared
from python_assets.infer.contrasts import Contrasts, mean_and_sd, without_inference
from python_assets.infer.design import MIN_UNITS, Design, Unit, presence_patterns
from python_assets.infer.indices import DESCRIPTIVE, INDICES, RATE_INDICES, IndexTest
from python_assets.infer.permutation import Floats, Ints
from python_assets.infer.reasons import InferenceReason, first_of

Margins = Mapping[str, float | Mapping[str, float]]
KEYS = ["generation_id", "measure_id", "calibration", "category"]
CONTRASTS = {
    "continuous": ("mean_difference",),
    "binary": ("risk_difference", "log_disparity"),
    "categorical": ("risk_difference",),
}


class Sheet(NamedTuple):
    """Columns of one role, and what the rows of their indices share."""

    cells: Cells
    columns: Ints
    margins: Margins
    n_root_prompts: int = 0
    method: str | None = None
    scope: str | None = None


def margin_of(margins: Margins, measure_id: str, name: str) -> float:
    """The declared margin: of the measure, else of the name alone, else NaN."""
    own = margins.get(measure_id)
    if isinstance(own, Mapping) and name in own:
        return float(own[name])
    common = margins.get(name)
    return np.nan if common is None or isinstance(common, Mapping) else float(common)


def margins_of(cells: Cells, columns: Ints, margins: Margins) -> dict[str, Floats]:
    """Margins of columns by contrast."""
    measures = cells.columns.measure_id.iloc[columns]
    names = {name for contrasts in CONTRASTS.values() for name in contrasts}
    return {name: np.array([margin_of(margins, measure, name) for measure in measures]) for name in names}


def compared_rows(sheet: Sheet, compared: Compared) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of contrasts and disparities of columns of one role."""
    for name in CONTRASTS.get(_role(sheet), ()):
        yield "contrasts", _contrast_rows(sheet, name, compared.contrasts[name])
    for metric in _metrics(sheet):
        test = compared.indices.get(metric) or _no_index(sheet, metric, InferenceReason.INCOMPLETE_BLOCKS)
        yield "disparities", _index_rows(sheet, metric, test)


def refused_rows(sheet: Sheet, reason: InferenceReason) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield rows with nothing but the reason, for columns of any role."""
    roles = sheet.cells.roles[sheet.columns]
    for role in np.unique(roles):
        part = sheet._replace(columns=sheet.columns[roles == role])
        nothing = without_inference(
            (len(part.columns), sheet.cells.frame.n_groups), np.array(reason, dtype=object)
        )
        for name in CONTRASTS.get(role, ()):
            yield "contrasts", _contrast_rows(part, name, nothing)
        for metric in _metrics(part):
            yield "disparities", _index_rows(part, metric, _no_index(part, metric, reason))


def _metrics(sheet: Sheet) -> tuple[str, ...]:
    role = _role(sheet)
    if role == "categorical":
        return ()
    return (*INDICES, *(() if role == "continuous" else RATE_INDICES), *DESCRIPTIVE)


def _role(sheet: Sheet) -> str:
    """What all columns of a sheet are."""
    return str(sheet.cells.roles[sheet.columns[0]])


def _no_index(sheet: Sheet, metric: str, reason: InferenceReason) -> IndexTest:
    reason = InferenceReason.DESCRIPTIVE if metric in DESCRIPTIVE else reason
    nothing = np.full(len(sheet.columns), np.nan)
    return IndexTest(*[nothing] * 9, np.full(len(nothing), reason, dtype=object))


def _keys(sheet: Sheet, repeats: int) -> pd.DataFrame:
    columns = sheet.cells.columns.iloc[np.repeat(sheet.columns, repeats)].reset_index(drop=True)
    return columns.assign(slice_id=sheet.cells.slice_id, grouping_id=sheet.cells.grouping_id)


def _contrast_rows(sheet: Sheet, name: str, contrasts: Contrasts) -> pd.DataFrame:
    n_groups = sheet.cells.frame.n_groups
    rows = _keys(sheet, n_groups)
    has_values = _has_values(sheet.cells, sheet.columns)
    reason = first_of([~has_values, has_values], [InferenceReason.NO_VALUES, contrasts.reason])
    margins = [margin_of(sheet.margins, m, name) for m in sheet.cells.columns.measure_id.iloc[sheet.columns]]
    numbers = {field: array.ravel() for field, array in contrasts._asdict().items() if field != "reason"}
    return rows.assign(
        group_id=np.tile(np.array(sheet.cells.group_ids, dtype=object), len(sheet.columns)),
        contrast=name,
        reference="rest",
        margin=np.repeat(margins, n_groups),
        inference_reason=reason.ravel(),
        **numbers,
    )


def _has_values(cells: Cells, columns: Ints) -> np.ndarray:
    """Whether each group has a value in each column, shape (columns, groups)."""
    has_values = np.zeros((cells.frame.n_groups, len(columns)), dtype=bool)
    np.logical_or.at(has_values, cells.frame.group, ~np.isnan(cells.x[:, columns]))
    return has_values.T


def _index_rows(sheet: Sheet, metric: str, test: IndexTest) -> pd.DataFrame:
    has_p = ~np.isnan(test.p_value)
    rows = _keys(sheet, 1)
    margins = [margin_of(sheet.margins, measure, metric) for measure in rows.measure_id]
    return rows.assign(
        metric=metric,
        margin=margins,
        n_root_prompts=np.where(np.isnan(test.value), 0, sheet.n_root_prompts),
        method=first_of([has_p], [sheet.method]),
        scope=first_of([has_p], [sheet.scope]),
        is_permuted=has_p,
        inference_reason=test.reason,
        **{name: array for name, array in test._asdict().items() if name != "reason"},
    )


def summary_rows(cells: Cells, alpha: float) -> Iterator[pd.DataFrame]:
    """Yield the interval of each group's mean or rate over root prompts.

    Args:
        cells: the cells.
        alpha: intervals are 1 - alpha.

    Source: inference.md section 1, row 1.
    """
    for present, columns in presence_patterns(cells.x):
        design = Design(cells.frame, np.flatnonzero(present), Unit.ROOT_PROMPT)
        mean, sd = mean_and_sd(design, cells.x[np.ix_(design.cell, columns)])
        n = design.units_of_group
        limits = _mean_limits(mean, sd, n, (cells.roles[columns] == "continuous")[:, None], alpha)
        has_interval = (n >= MIN_UNITS) & (not cells.has_several_prompts)
        few = InferenceReason.TOO_FEW_ROOT_PROMPTS
        no_scheme = InferenceReason.SCHEME_NOT_AVAILABLE
        choices = [n == 0, np.full(n.shape, cells.has_several_prompts), n < MIN_UNITS]
        reason = first_of(choices, [InferenceReason.NO_VALUES, no_scheme, few])
        rows = _keys(Sheet(cells, columns, {}), cells.frame.n_groups)
        yield rows.assign(
            group_id=np.tile(np.array(cells.group_ids, dtype=object), len(columns)),
            ci_low=np.where(has_interval, limits.low, np.nan).ravel(),
            ci_high=np.where(has_interval, limits.high, np.nan).ravel(),
            n_root_prompts=np.tile(n, len(columns)),
            inference_reason=np.tile(reason, len(columns)),
        )


def _mean_limits(mean: Floats, sd: Floats, n: Ints, is_mean: np.ndarray, alpha: float) -> interval.Interval:
    """Cluster t for means, Wilson at the cluster n_eff for rates."""
    quantile = interval.t_quantile(n.astype(float), alpha)
    divisor = np.maximum(n, 1)
    t = interval.around(mean, sd / np.sqrt(divisor), quantile)
    inside = np.clip(mean, 0, 1)
    inverse_n = interval.inverse_effective_n(inside, sd**2 / divisor, 1 / divisor)
    wilson = interval.wilson(inside, inverse_n, quantile)
    return interval.Interval(np.where(is_mean, t.low, wilson.low), np.where(is_mean, t.high, wilson.high))
