"""Values of cells that people's labels put right, and what an instrument gets wrong in them.

Belongs here: what is made of labels. A corrected value is a measure: it is permuted and compared as any other, with
what labelled_contrast.py says of its error.

Source: inference.md 9.2 and 9.3.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.infer.design.cells import CellLabels, Cells, Labelled
from python_assets.infer.design.design import Design, Frame, Unit, shared
from python_assets.infer.design.labels import whole_roots
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.result import Bools, InferenceReason
from python_assets.infer.schemes.block_contrast import BlockContrast
from python_assets.infer.tables import CORRECTED, LABEL_CALIBRATIONS
from python_assets.study.base import BASELINE

FEWEST_EVENTS: Final = 3  # labelled events, and answers without one, under which a group's numbers are approximate
_KINDS: Final = {"binary": ("corrected_rate", "error_rate"), "continuous": ("corrected_score", "error_score")}


class Corrected(NamedTuple):
    """Corrected values of cells, NaN where there are none.

    weight: lam, how far the instrument is followed. n_labelled: whole root prompts. reason: why nothing but values is
    told, None where more is.
    """

    v: Floats
    weight: float
    n_labelled: int
    reason: InferenceReason | None


def corrected_values(frame: Frame, m: Floats, labels: CellLabels) -> Corrected:
    """The instrument's values, put right where people labelled whole root prompts.

    v = lam m + [labelled] (R/r) (y - lam m), lam = sum over labelled prompts of Dm Dy / r over the sum over
    all of Dm^2 / R, within 0 and 1: it does not change when the records (m, y) of a root prompt are permuted.

    Args:
        frame: of the cells.
        m: values of the instrument, shape (cells,), NaN where absent.
        labels: of the same cells.

    Source: inference.md 9.2.
    """
    present = ~np.isnan(m)
    root = frame.root_of_block[frame.block]
    whole, reason = whole_roots(root, present, labels)
    if not len(whole):
        return Corrected(np.full(len(m), np.nan), 0.0, 0, reason)
    if reason is InferenceReason.LABELS_NOT_WHOLE_PROMPTS:
        by_answers = _by_answers(frame, m, labels)
        # of cells with several answers, some of them labelled, none is labelled whole
        return Corrected(by_answers, 1.0, 0 if np.isnan(by_answers).all() else len(whole), reason)
    both = both_read(root, m, labels.y, whole)
    roots, d_m = deviations(frame, both.m)
    v, weight = put_right(both, roots, d_m, deviations(frame, both.y)[1])
    return Corrected(v, weight, int(np.isin(roots, whole).sum()), reason)


class Both(NamedTuple):
    """What an instrument read and what people say of the same cells, NaN where the instrument read nothing.

    y: 0 where root prompts are not labelled whole: labels of others are not used. is_labelled: whether they are. Shapes
    (..., cells), is_labelled (cells,). whole: their root prompts.
    """

    m: Floats
    y: Floats
    is_labelled: Bools
    whole: Ints


def both_read(root: Ints, m: Floats, y: Floats, whole: Ints) -> Both:
    """Reading and labels where both count; root: of each cell, whole: of whole_roots."""
    is_labelled = np.isin(root, whole)
    used = np.where(is_labelled, np.nan_to_num(y), 0.0)
    return Both(m, np.where(np.isnan(m), np.nan, used), is_labelled, whole)


def put_right(both: Both, roots: Ints, d_m: Floats, d_y: Floats) -> tuple[Floats, float]:
    """The corrected values, NaN where no root prompt is labelled, and lam.

    Args:
        both: reading and labels.
        roots: the root prompts that are compared.
        d_m: how far the reading lies from others of its root prompt, shape (rows, root prompts).
        d_y: the same of labels.
    """
    is_labelled = np.isin(roots, both.whole)
    n, n_of = is_labelled.sum(), len(roots)
    if not n:
        return np.full(both.m.shape, np.nan), 0.0
    squares = (d_m**2).sum() / n_of
    products = (d_m[:, is_labelled] * d_y[:, is_labelled]).sum() / n
    weight = float(np.clip(products / squares, 0.0, 1.0)) if squares > 0 else 0.0
    v: Floats = weight * both.m + np.where(both.is_labelled, n_of / n * (both.y - weight * both.m), 0.0)
    return v, weight


def deviations(frame: Frame, x: Floats) -> tuple[Ints, Floats]:
    """The root prompts of cells that meet others, and D by group and root prompt, 0 where absent."""
    cell = shared(frame, ~np.isnan(x))
    if not len(cell):
        return np.empty(0, dtype=np.intp), np.zeros((frame.n_groups, 0))
    design = Design(frame, cell, Unit.ROOT_PROMPT)
    return design.roots, BlockContrast(design).by_unit(x[cell, None])[:, :, 0]


def _by_answers(frame: Frame, m: Floats, labels: CellLabels) -> Floats:
    """Values where answers were labelled one by one: each group less the error that its labelled cells show."""
    present, is_labelled = ~np.isnan(m), ~np.isnan(labels.y) & ~np.isnan(m)
    n_of, n = (np.bincount(frame.group[which], minlength=frame.n_groups) for which in (present, is_labelled))
    scale = np.divide(n_of, n, out=np.full(frame.n_groups, np.nan), where=n > 0)[frame.group]
    corrected: Floats = m + np.where(is_labelled, scale * (labels.y - m), 0.0) + 0 * scale
    return corrected


def with_labels(cells: Cells, labels: Mapping[tuple[str, str], CellLabels], declared: Sequence[str]) -> Cells:
    """Cells with a column of corrected values, and of each kind of error, beside those of labelled measures.

    Args:
        cells: of one slice and grouping.
        labels: of read_labels.
        declared: measures that the study names labels of: their columns are there without any, too.
    """
    columns = cells.columns
    is_of = columns.measure_id.isin(declared) & columns.kind.isin([*_KINDS]) & (columns.calibration == "raw")
    labelled_columns = columns[is_of & (columns.statistic == "mean") & (columns.parameters == "")]
    added, values, known = [], [], dict(cells.labels)
    for column in labelled_columns.to_dict("records"):
        key = (str(column["system_id"]), str(column["measure_id"]))
        cell_labels = labels.get(key)
        if cell_labels is None and (cells.is_of_models or column["system_id"] == BASELINE):
            continue
        m, kind = cells.x[:, int(column["column_position"])], str(column["kind"])
        for calibration, x, what_is_known in _columns(cells.frame, m, cell_labels, kind):
            added.append({**column, "calibration": calibration, "kind": what_is_known.kind})
            values.append(x)
            known[(*key, calibration)] = what_is_known
    if not added:
        return cells
    table = pd.concat([columns, pd.DataFrame(added)], ignore_index=True)
    x = np.column_stack([cells.x, *values])
    n_responses = np.column_stack([cells.n_responses, *(1.0 * ~np.isnan(one) for one in values)])
    return cells._replace(
        columns=table.assign(column_position=np.arange(len(table))), x=x, n_responses=n_responses, labels=known
    )


def _columns(frame: Frame, m: Floats, labels: CellLabels | None, kind: str) -> Iterator[tuple[str, Floats, Labelled]]:
    """Yield calibration, values and what is known of them: of one generation and measure."""
    value_kind, error_kind = _KINDS[kind]
    is_rate = kind == "binary"
    nothing = Labelled(value_kind, 0, InferenceReason.TOO_FEW_LABELS, np.zeros(frame.n_groups, dtype=bool), is_rate)
    if labels is None:
        yield CORRECTED, m, nothing
        return
    corrected = corrected_values(frame, m, labels)
    is_few = nothing.is_few
    if is_rate:
        is_in = ~np.isnan(m)
        counts = (
            np.bincount(frame.group[is_in], of[is_in], frame.n_groups) for of in (labels.n_events, labels.n_others)
        )
        is_few = np.any([n < FEWEST_EVENTS for n in counts], axis=0)
    v = corrected.v if corrected.n_labelled else m
    yield (
        CORRECTED,
        v,
        nothing._replace(n_root_prompts=corrected.n_labelled, reason=corrected.reason, is_few=is_few, of_cells=labels),
    )
    for calibration in LABEL_CALIBRATIONS[kind][1:]:
        x = np.where(np.isnan(m), np.nan, labels.of(calibration))
        if np.isnan(x).all():  # people found it nowhere, or everywhere
            continue
        yield calibration, x, nothing._replace(kind=error_kind, reason=corrected.reason)
