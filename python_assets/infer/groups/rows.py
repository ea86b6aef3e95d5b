"""From arrays of columns by rows to rows of the inference tables, before q and verdict.

Belongs here: keys, names, margins and what stands in a row where nothing could be computed.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from python_assets.infer.contrasts.compare import Compared, Scheme
from python_assets.infer.contrasts.controlled import ControlFindings
from python_assets.infer.contrasts.index import BELOW_FOUR_FIFTHS, DESCRIPTIVE, INDICES, RATE_INDICES
from python_assets.infer.contrasts.interaction import mirrors_of
from python_assets.infer.contrasts.labelled import AS_VALUES
from python_assets.infer.contrasts.profiles import PROFILE_INDICES
from python_assets.infer.design.cells import COLUMN_KEYS, Cells
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.options import Margins, Reference, margin_of
from python_assets.infer.result import InferenceReason, Result, first_of
from python_assets.infer.tables import (
    CONTROLLED,
    DBI,
    IDI,
    INTERACTION,
    LOG_DISPARITY,
    OF_GROUPS,
    PARTS,
    SIMILAR_PROMPTS,
    SIZES,
    THESE_WORDS,
    Table,
    Tables,
)
from python_assets.study.base import Against
from python_assets.study.metrics import metric_names

CONTRASTS_BY_ROLE: Final = {
    "continuous": ("mean_difference",),
    "binary": ("risk_difference", LOG_DISPARITY),
    "label": ("risk_difference",),
    "labels": OF_GROUPS,
    "corrected_score": ("mean_difference",),
    "corrected_rate": ("risk_difference",),
    "error_score": ("mean_difference",),
    "error_rate": ("risk_difference",),
    "selection": ("selection_rate_difference",),
    "precision": ("precision_difference",),
}
_METRICS: Final = {
    "continuous": (*INDICES, *DESCRIPTIVE),
    "nonlinear": (*INDICES, *DESCRIPTIVE),
    "binary": (*INDICES, *RATE_INDICES, BELOW_FOUR_FIFTHS, *DESCRIPTIVE),
    "selection": (*INDICES, *RATE_INDICES, BELOW_FOUR_FIFTHS, *DESCRIPTIVE),
    "precision": (*INDICES, *DESCRIPTIVE),
    "label": (),
    "labels": PROFILE_INDICES,
    "corrected_score": AS_VALUES,
    "corrected_rate": AS_VALUES,
    "error_score": AS_VALUES,
    "error_rate": AS_VALUES,
}
LABEL_ROLES: Final = ("corrected_score", "corrected_rate", "error_score", "error_rate")
_ERRORS: Final = LABEL_ROLES[2:]


# of all models together, beside SIZES
POOLED_METRICS: Final = ("fdi", "fdi_max", IDI, "jsd", "jsd_max")
AND_FLIPS: Final = " and sign flips"
_DESCRIPTIVE: Final = dict.fromkeys(DESCRIPTIVE, InferenceReason.DESCRIPTIVE)
_OF_INDICES: Final = (
    *("value", "null_median", "null_q95", "value_corrected", "ci_low", "ci_high"),
    *("p_value", "p_margin", "p_equivalence"),
)
_OF_CONTRASTS: Final = (
    *("value", "std_error", "skewness", "ci_low", "ci_high", "null_median", "null_q95", "studentised", "df"),
    *("p_value", "sd"),
    *("p_margin", "p_equivalence", "n_root_prompts", "n_units", "is_permuted", "method", "scope"),
    *("p_negative_controls", "p_maxt_permuted", "control_error", "control_df", "ci_low_sampling", "ci_high_sampling"),
)


@dataclass(frozen=True)
class Sheet:
    """Columns of one role and statistic, and what their rows share.

    role: what the columns are: continuous, binary, selection, precision, nonlinear; label: the share of one
    label; labels: all of a measure. reference: what the study compares groups with, None where that group
    is not there. requested: contrasts that not every study has. n_root_prompts, n_units, method, scope: of the
    indices. control_findings: what negative controls say of the columns, None where they are not asked.
    """

    cells: Cells
    columns: Ints
    role: str
    margins: Margins
    reference: Reference | None
    requested: tuple[str, ...]
    n_root_prompts: int = 0
    n_units: int = 0
    method: str | None = None
    scope: str | None = None
    control_findings: ControlFindings | None = None

    def resting_on(self, scheme: Scheme) -> "Sheet":
        """With what the means of all groups rest on."""
        means = scheme.means
        n, n_units, method, scope = means.n_root_prompts, means.n_units, means.method, means.scope
        return replace(self, n_root_prompts=n, n_units=n_units, method=method, scope=scope)

    @property
    def contrasts(self) -> tuple[str, ...]:
        """The contrasts that the columns have rows of; the first is what the question asks."""
        if self.role == "nonlinear":
            return (f"{self.cells.columns.statistic.iat[self.columns[0]]}_difference",)
        dbi = (DBI,) if self.role == "continuous" and DBI in self.requested else ()
        has_parts = self.cells.asks_of_parts is not None and self.role not in ("labels", *LABEL_ROLES)
        return (*CONTRASTS_BY_ROLE[self.role], *dbi, *((INTERACTION,) if has_parts else ()))

    @cached_property
    def keys(self) -> Table:
        """The key columns of rows, one a column."""
        return column_keys(self.cells, self.columns, 1)

    @cached_property
    def directions(self) -> np.ndarray:
        """Which way the measure of each column is better."""
        return self.cells.columns.direction.to_numpy(object)[self.columns]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that the columns have rows of."""
        return tuple(name for name in _METRICS[self.role] if name != IDI or self.cells.is_full)

    @property
    def is_pooled(self) -> bool:
        """Whether the columns are of all models together."""
        return bool(self.cells.is_pooled[self.columns[0]])

    @property
    def told(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The contrasts and metrics that rows are written of: of all models together the sizes of FAIR-SEA alone."""
        if not self.is_pooled:
            return self.contrasts, self.metrics
        return (
            tuple(name for name in self.contrasts if name in SIZES),
            tuple(name for name in self.metrics if name in POOLED_METRICS),
        )

    def reference_of(self, contrast: str) -> Reference | None:
        """What a contrast compares groups with: the study's choice, unless it has one of its own."""
        if contrast in metric_names("contrasts", reference="grand_mean"):
            return Reference(Against.GRAND_MEAN)
        is_declared = contrast in metric_names("contrasts", reference="declared")
        return self.reference if is_declared and self.role != "nonlinear" else Reference()

    def margin(self, name: str) -> Floats:
        """Declared margin of a contrast or metric, of each column; NaN where there is none.

        What cells have beyond their parts is a difference, with the margin of one; errors of an instrument have none.
        """
        if self.role in _ERRORS:
            return np.full(len(self.columns), np.nan)
        name = self.contrasts[0] if name == INTERACTION else name
        measures = zip(self.keys["measure_id"], self.directions, strict=True)
        return np.array([margin_of(self.margins, measure, direction, name) for measure, direction in measures])

    @property
    def all_margins(self) -> dict[str, Floats]:
        """Margins by contrast and metric, as contrasts/compare.py calls them."""
        names = {*self.contrasts, *self.metrics, "mean_difference", "risk_difference", LOG_DISPARITY}
        margins = {name: self.margin(name) for name in names}
        if self.role in ("selection", "precision"):
            margins["risk_difference"] = margins[self.contrasts[0]]
        return margins


def refused(sheet: Sheet, reason: InferenceReason) -> Compared:
    """Nothing but a reason, for columns of one role and statistic; values that describe have their own."""
    n, n_groups = len(sheet.columns), sheet.cells.frame.n_groups
    references = {name: sheet.reference_of(name) or Reference() for name in sheet.contrasts}
    return Compared(
        {name: Result.of((n, len(one.rows(n_groups)[0])), reason=reason) for name, one in references.items()},
        {metric: Result.of((n,), reason=_DESCRIPTIVE.get(metric, reason)) for metric in sheet.metrics},
    )


def sheet_rows(sheet: Sheet, compared: Compared) -> Tables:
    """Yield the rows of questions, contrasts and disparities of columns of one role.

    The question of labels is of their profile and of the shares of all of them, risk_difference.
    """
    if sheet.role != "label":
        candidates = (INTERACTION, *(["risk_difference"] if sheet.role == "labels" else []), sheet.contrasts[0])
        hypothesis = next(compared.contrasts[name] for name in candidates if name in compared.contrasts)
        yield "hypotheses", _hypothesis_rows(sheet, hypothesis, is_beyond=INTERACTION in compared.contrasts)
    if sheet.control_findings is not None:
        yield CONTROLLED, sheet.keys | sheet.control_findings.columns
    contrasts, metrics = sheet.told
    for name in contrasts:
        yield "contrasts", _contrast_rows(sheet, name, compared.contrasts[name])
    for metric in metrics:
        test = compared.indices.get(metric)
        if test is None:  # a probability is missing for what keeps its ratio from having an interval
            ratio = compared.indices.get("impact_ratio")
            reason = _DESCRIPTIVE.get(metric, InferenceReason.TOO_FEW_FOR_INTERVAL)
            test = Result.of((len(sheet.columns),), reason=reason if ratio is None else ratio.reason)
        yield "disparities", _index_rows(sheet, metric, test)


def _hypothesis_rows(sheet: Sheet, result: Result, *, is_beyond: bool) -> Table:
    """One row a column: the p of the question whether its groups differ, or why it has none.

    is_beyond: whether the question is what cells have beyond their parts.
    """
    n = len(sheet.columns)
    p_hypothesis, reasons = result.p_hypothesis.reshape(n, -1), result.reason.reshape(n, -1)
    p = p_hypothesis[:, 0] if p_hypothesis.shape[1] else np.full(n, np.nan)
    is_permuted, is_flipped = (
        np.asarray(of.reshape(n, -1).any(axis=1)) for of in (result.is_permuted, result.is_flipped)
    )
    has_draws = is_permuted & ~np.isnan(p)
    n_draws = np.where(has_draws, result.n_draws.reshape(n, -1).max(axis=1, initial=0), np.nan)
    first = _first(reasons)
    method, n_root_prompts = np.full(n, sheet.method, dtype=object), np.full(n, sheet.n_root_prompts)
    if is_beyond:
        method = np.array(_first(result.method.reshape(n, -1)), dtype=object)
        n_root_prompts = result.n_root_prompts.reshape(n, -1).max(axis=1)
    smallest = np.fmin.reduce(result.p_by_t.reshape(n, -1), axis=1, initial=np.nan)
    return {
        **sheet.keys,
        "p_value": p,
        "n_groups": _has_values(sheet.cells, sheet.columns).sum(axis=1),
        "p_by_t": np.where(np.isnan(p), np.nan, smallest),
        "n_root_prompts": n_root_prompts,
        **same(n, n_units=sheet.n_units, scope=sheet.scope),
        "method": np.array(
            [word and word + AND_FLIPS * bool(also) for word, also in zip(method, is_flipped, strict=True)],
            dtype=object,
        ),
        "is_permuted": has_draws,
        "n_draws": n_draws,
        "inference_reason": first_of([np.isnan(p)], [np.array(first, dtype=object)]),
    }


def _first(words: np.ndarray) -> list[object]:
    """The first word of each row that is one."""
    return [next((word for word in row if word is not None), None) for row in words]


def column_keys(cells: Cells, columns: Ints, repeats: int) -> Table:
    """The key columns of the rows of some columns, each repeated."""
    position = np.repeat(columns, repeats)
    keys: Table = {name: cells.columns[name].to_numpy(object)[position] for name in COLUMN_KEYS}
    return keys | same(len(position), slice_id=cells.slice_id, grouping_id=cells.grouping_id)


def same(n: int, **values: object) -> Table:
    """Columns of n rows that are alike; texts are objects."""
    types = {name: None if isinstance(value, int) else object for name, value in values.items()}
    return {name: np.full(n, value, dtype=types[name]) for name, value in values.items()}


def _contrast_rows(sheet: Sheet, name: str, result: Result) -> Table:
    """The rows of a contrast; none where the group that the study compares with is not there."""
    declared = sheet.reference_of(name)
    reference = declared or Reference()
    names = np.array(reference.names(sheet.cells.group_ids), dtype=object).reshape(-1, 2)
    if name == INTERACTION:
        names[:, 1] = PARTS
    row_group, _ = reference.rows(len(sheet.cells.group_ids))
    has_values = _has_values(sheet.cells, sheet.columns)[:, row_group]
    reason = np.where(has_values, result.reason, InferenceReason.NO_VALUES)
    n_columns, n_rows = len(sheet.columns), len(sheet.columns) * len(names)
    keys = {key: np.repeat(values, len(names)) for key, values in sheet.keys.items()}
    if sheet.role == "label":  # one question with the profile of the measure
        keys |= same(n_rows, statistic="share")
    table = {
        **keys,
        **same(n_rows, contrast=name),
        "group_id": np.tile(names[:, 0], n_columns),
        "reference": np.tile(names[:, 1], n_columns),
        "margin": np.repeat(sheet.margin(name), len(names)),
        "inference_reason": reason.ravel(),
        "p_value_maxt": result.p_maxt.ravel(),
        "p_by_t": result.p_by_t.ravel(),
        "mirror_of": mirrors_of(names[:, 0], result) if name == INTERACTION else np.full(n_rows, None, dtype=object),
        "n_draws": result.drawn.ravel(),
        **{field: getattr(result, field).ravel() for field in _OF_CONTRASTS},
    }
    return table if declared is not None else {column: values[:0] for column, values in table.items()}


def amplification_rows(sheet: Sheet, result: Result) -> Table:
    """The rows of a crossing that differs more than its parts, or does not."""
    return {
        **sheet.keys,
        "value_cells": result.value,
        "null_median": result.null_median,
        "null_q95": result.null_q95,
        "n_draws": result.drawn,
        "inference_reason": result.reason,
    }


def _has_values(cells: Cells, columns: Ints) -> np.ndarray:
    """Whether each group has a value in each column, shape (columns, groups)."""
    has_values = np.zeros((cells.frame.n_groups, len(columns)), dtype=bool)
    np.logical_or.at(has_values, cells.frame.group, ~np.isnan(cells.x[:, columns]))
    return has_values.T


def _index_rows(sheet: Sheet, metric: str, test: Result) -> Table:
    """The rows of a metric."""
    has_p, n, has_value = ~np.isnan(test.p_value), len(sheet.columns), ~np.isnan(test.value)
    floor, is_of_words = np.full(n, np.nan), np.zeros(n, dtype=bool)
    if sheet.control_findings is not None:
        floor = sheet.control_findings.floors.get(metric, floor)
        # the interval of a metric does not allow for words, and says so
        is_of_words = ~np.isnan(sheet.control_findings.p_negative_controls) & (sheet.scope == SIMILAR_PROMPTS)
    return {
        **sheet.keys,
        **same(n, metric=metric),
        "margin": sheet.margin(metric),
        "n_root_prompts": np.where(has_value, sheet.n_root_prompts, 0),
        "n_units": np.where(has_value, sheet.n_units, 0),
        "method": first_of([has_p], [sheet.method]),
        "scope": first_of([has_p & is_of_words, has_p], [THESE_WORDS, sheet.scope]),
        "inference_reason": test.reason,
        "n_draws": test.drawn,
        "control_floor": floor,
        **{field: getattr(test, field) for field in _OF_INDICES},
    }
