"""Contrasts compared with negative controls: p, intervals and margins that allow for what words alone do.

Belongs here: the one place where controls are applied, to the results of columns whose groups meet in blocks and to
changes between two systems. How far words move means is formulas/negative_controls.py.

Source: inference.md 14.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from python_assets.infer.design.cells import Cells
from python_assets.infer.design.control_cells import Key, by_root, sums_by_root
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.formulas.interval import Interval
from python_assets.infer.formulas.multiplicity import holm
from python_assets.infer.formulas.negative_controls import Wording, margin_p, widened, wording
from python_assets.infer.options import Reference
from python_assets.infer.result import Bools, InferenceReason, Objects, Result
from python_assets.infer.tables import Table
from python_assets.study.base import BASELINE, Against

FLOORS: Final = ("range", "standard_deviation")
"""Metrics that controls lead one to expect a size of."""


class ControlFindings(NamedTuple):
    """What controls say of the hypothesis of each column, shape (columns,); NaN and None where they say nothing.

    n_negative_controls, n_control_types: those that stand in enough root prompts. floors: of FLOORS.
    negative_controls_reason: why there is no p.
    """

    p_permuted: Floats
    p_negative_controls: Floats
    n_negative_controls: Floats
    n_control_types: Floats
    wording_sd: Floats
    wording_sd_low: Floats
    wording_sd_high: Floats
    floors: Mapping[str, Floats]
    negative_controls_reason: Objects

    @classmethod
    def of(cls, n: int) -> "ControlFindings":
        """Nothing known yet."""
        floors = {name: np.full(n, np.nan) for name in FLOORS}
        numbers = dict(zip(cls._fields[:7], np.full((7, n), np.nan), strict=True))
        return cls(**numbers, floors=floors, negative_controls_reason=np.full(n, None, dtype=object))

    @property
    def columns(self) -> Table:
        """Columns of hypotheses, CONTROL_FIELDS."""
        fields = self._asdict()
        floors = fields.pop("floors")
        return {**fields, "control_floor": floors[FLOORS[0]]}

    def put(self, at: int, outcome: Wording | InferenceReason, p_permuted: float) -> None:
        """Write down what controls say of a column."""
        if isinstance(outcome, InferenceReason):
            self.negative_controls_reason[at] = outcome
            return
        self.p_permuted[at] = p_permuted
        self.p_negative_controls[at] = outcome.p_value
        self.n_negative_controls[at] = outcome.is_kept.sum()
        self.n_control_types[at] = np.nan if outcome.n_types is None else outcome.n_types
        self.wording_sd[at], self.wording_sd_low[at] = outcome.sd, outcome.sd_low
        self.wording_sd_high[at] = outcome.sd_high
        for name, floor in outcome.floors.items():
            self.floors[name][at] = floor


def control_key(cells: Cells, column: int) -> Key:
    """Where the controls of a column are."""
    row = cells.columns.iloc[column]
    return str(row.system_id), str(row.measure_id), str(row.calibration)


def with_controls(
    cells: Cells,
    cell: Ints,
    columns: Ints,
    x: Floats,
    results: Result,
    *,
    reference: Reference,
    margin: Floats,
    alpha: float,
    is_rate: bool,
) -> tuple[Result, ControlFindings]:
    """Contrasts of means or rates that allow for what negative controls do in the same root prompts.

    Args:
        cells: with controls.
        cell: positions of the cells that are compared.
        columns: positions of the columns.
        x: their values, shape (cells compared, columns).
        results: contrasts of them, shape (columns, rows of Reference.rows).
        reference: what groups are compared with.
        margin: of each column, NaN without one.
        alpha: intervals are 1 - alpha.
        is_rate: whether values are rates.

    Returns:
        Contrasts as they were where controls say nothing, and what controls say of every column.
    """
    controls, findings = cells.controls, ControlFindings.of(len(columns))
    if controls is None:
        return results, findings
    groups_by_root = by_root(cells.frame, cell, x)
    n_by_root = sums_by_root(cells.frame, cell, cells.n_responses[np.ix_(cell, columns)]) if is_rate else None
    results = Result._make(np.array(field) for field in results)
    for at in np.flatnonzero((~np.isnan(results.p_value)).any(axis=1)):
        y, n_y = controls.of(control_key(cells, int(columns[at])))
        n = None if n_by_root is None else (n_by_root[:, :, at], n_y)
        words: Wording | InferenceReason = InferenceReason.CONTROLS_NOT_SUPPORTED
        is_in = groups_in_hypothesis(reference, cells.frame.n_groups, ~np.isnan(results.p_value[at]))
        if not controls.is_of_units and cells.columns.system_id.iloc[columns[at]] != BASELINE:
            n_of_groups = None if n is None else (n[0][:, is_in], n[1])
            words = wording(groups_by_root[:, is_in, at], y, controls.types, n_of_groups)
        findings.put(int(at), words, float(np.nanmax(results.p_hypothesis[at])))
        if isinstance(words, Wording):
            weights = weights_of_rows(reference, cells.frame.n_groups, is_in)
            hold(results, int(at), words, weights, is_in, reference, margin=float(margin[at]), alpha=alpha)
    return results, findings


def groups_in_hypothesis(reference: Reference, n_groups: int, is_tested: Bools) -> Bools:
    """Which groups the tested rows are of, on either side."""
    group, other = reference.rows(n_groups)
    is_in = np.zeros(n_groups, dtype=bool)
    is_in[group[is_tested]] = True
    is_in[other[is_tested & (other >= 0)]] = True
    return is_in


def weights_of_rows(reference: Reference, n_groups: int, is_in: Bools) -> Floats:
    """Weights of all groups in every row of a reference, shape (rows, groups)."""
    group, other = reference.rows(n_groups)
    row, weights = np.arange(len(group)), np.zeros((len(group), n_groups))
    if reference.is_pairwise:
        weights[row, other] = -1.0
    else:
        weights[:, is_in] = -1.0
        if reference.against is Against.REST:
            weights[row, group] = 0.0
        weights /= np.maximum(-weights.sum(axis=1, keepdims=True), 1)
    weights[row, group] += 1.0
    return weights


def hold(
    results: Result,
    at: int,
    words: Wording,
    weights: Floats,
    is_in: Bools,
    reference: Reference,
    *,
    margin: float,
    alpha: float,
) -> None:
    """Change the rows of one column in place: the larger p, the outer interval."""
    rows = Result._make(field[at] for field in results)
    is_tested, has_value = ~np.isnan(rows.p_value), ~np.isnan(rows.value)
    p = np.where(is_tested, words.p_of_contrasts(weights[:, is_in]), np.nan)
    first = _first_of_mirrors(reference, len(is_in), is_tested)
    is_first = first == np.arange(len(first))
    p_holm = holm(np.where(is_first, p, np.nan))[first]
    error = np.where(has_value, words.errors(weights), np.nan)
    df = np.where(has_value, float(words.df), np.nan)
    limits = widened(rows.value, Interval(rows.ci_low, rows.ci_high), error, df, alpha)
    p_margin, p_equivalence = margin_p(rows.value, np.full(len(p), margin), error, df)
    changed = {
        "p_negative_controls": p_holm,
        "p_maxt_permuted": rows.p_maxt,
        "control_error": error,
        "control_df": df,
        "ci_low_sampling": rows.ci_low,
        "ci_high_sampling": rows.ci_high,
        "p_value": np.maximum(rows.p_value, p),
        "p_maxt": np.maximum(rows.p_maxt, p_holm),
        "p_hypothesis": np.maximum(rows.p_hypothesis, words.p_value),
        "ci_low": limits.low,
        "ci_high": limits.high,
        "p_margin": np.maximum(rows.p_margin, p_margin),
        "p_equivalence": np.maximum(rows.p_equivalence, p_equivalence),
    }
    for name, values in changed.items():
        getattr(results, name)[at] = values


def _first_of_mirrors(reference: Reference, n_groups: int, is_tested: Bools) -> Ints:
    """Position of the row that says the same as each, of all pairs and of two groups; else of the row itself."""
    positions = np.arange(len(is_tested))
    if reference.against is Against.ALL_PAIRS:
        group, other = reference.rows(n_groups)
        first_row = np.zeros((n_groups, n_groups), dtype=np.intp)
        first_row[group, other] = positions
        return first_row[np.minimum(group, other), np.maximum(group, other)]
    if reference.against is not Against.LEVEL and is_tested.sum() == 2:
        positions[is_tested] = np.flatnonzero(is_tested)[0]
    return positions
