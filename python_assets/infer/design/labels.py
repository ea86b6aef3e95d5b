"""Labels of people beside what an instrument read: corrected values of cells, and its errors.

Belongs here: which root prompts are labelled, and what is made of them. A corrected value is a measure: it is permuted
and compared as any other, with what schemes/labelled_contrast.py says of its error.

Source: inference.md 9.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, cast

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.design.cells import KEYS, CellLabels, Cells, Labelled
from python_assets.infer.design.design import Frame, shared
from python_assets.infer.design.read_cells import RANKS
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.result import Bools, InferenceReason
from python_assets.infer.tables import CORRECTED, OF_LABELS
from python_assets.study.base import BASELINE

FEWEST_FOR_P: Final = 10  # labelled root prompts
FEWEST_EVENTS: Final = 3  # labelled events, and answers without one, under which a group's numbers are approximate
MOST_INCOMPLETE: Final = 0.05  # of the root prompts drawn
KINDS: Final = {"binary": ("corrected_rate", "error_rate"), "continuous": ("corrected_score", "error_score")}
_OF_PROMPTS: Final = """
    select
        column_position, prompt_id, count(*) as n_drawn, count(y) as n_labelled, avg(y) as y,
        avg(1 - m) filter (where y > 0.5) as missed, avg(m) filter (where y < 0.5) as false_alarm, avg(y - m) as error,
        count(*) filter (where y > 0.5) as n_events, count(*) filter (where y < 0.5) as n_others
    from intermediate.int_labelled_answers
    join (select * from column_keys where calibration = 'raw' and statistic = 'mean' and parameters = '') as columns
        using (generation_id, measure_id)
    where m is not null
    group by all
"""
_OF_CELLS: Final = f"""
    select
        column_position, group_position, block_position, sum(n_drawn) as n_drawn, sum(n_labelled) as n_labelled,
        avg(y) as y, avg(missed) as missed, avg(false_alarm) as false_alarm, avg(error) as error,
        sum(n_events) as n_events, sum(n_others) as n_others
    from ({_OF_PROMPTS})
    join intermediate.int_prompt_groups using (prompt_id)
    where slice_id = ? and grouping_id = ?
    group by all
"""
_OF_WHOLE: Final = f"""
    select prompt_rank as block_position, 0 as group_position, prompts.*
    from ({_OF_PROMPTS}) as prompts
    join {RANKS} using (prompt_id)
"""


def read_labels(
    connection: duckdb.DuckDBPyConnection, cells: Cells, measures: Sequence[str]
) -> dict[tuple[str, str], CellLabels]:
    """Labels of the cells of a slice and grouping, by generation and measure; of measures that some were given for."""
    columns = cells.columns[cells.columns.measure_id.isin(measures)]
    connection.register("column_keys", columns[["column_position", *KEYS]])
    of_groups = (_OF_CELLS, [cells.slice_id, cells.grouping_id])
    rows = connection.execute(*(of_groups if cells.grouping_id else (_OF_WHOLE, [cells.slice_id]))).df()
    connection.unregister("column_keys")
    # the cells of a slice as a whole are its prompts
    code = cells.frame.block * cells.frame.n_groups + cells.frame.group
    found = {}
    for column, of_column in rows.groupby("column_position"):
        at = np.searchsorted(code, of_column.block_position * cells.frame.n_groups + of_column.group_position)
        key = tuple(cells.columns.loc[column, ["generation_id", "measure_id"]])
        found[cast(tuple[str, str], key)] = _of_cells(of_column, at, cells.n_responses[:, int(str(column))])
    return found


def _of_cells(rows: pd.DataFrame, at: Ints, n_responses: Floats) -> CellLabels:
    def filled(name: str) -> Floats:
        values = np.full(len(n_responses), np.nan)
        values[at] = rows[name].to_numpy(dtype=float)
        return values

    n_drawn, n_labelled, n_events, n_others = (
        np.nan_to_num(filled(name)) for name in ("n_drawn", "n_labelled", "n_events", "n_others")
    )
    is_whole = (n_labelled == n_responses) & (n_labelled > 0)
    return CellLabels(
        y=np.where(is_whole, filled("y"), np.nan),
        is_drawn=n_drawn > 0,
        missed=filled("missed"),
        false_alarm=filled("false_alarm"),
        error=filled("error"),
        n_events=n_events.astype(np.intp),
        n_others=n_others.astype(np.intp),
    )


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
        v = _by_answers(frame, m, labels)
        # of cells with several answers, some of them labelled, none is labelled whole
        return Corrected(v, 1.0, 0 if np.isnan(v).all() else len(whole), reason)
    y = np.where(present, labels.y, np.nan)
    d_m, of_unit = deviations(frame, m)
    # labels of prompts that are not whole are not used
    d_y, _ = deviations(frame, np.where(present, np.where(np.isin(root, whole), np.nan_to_num(y), 0.0), np.nan))
    is_labelled = np.isin(of_unit, whole)
    n, n_of = int(is_labelled.sum()), len(of_unit)
    weight = following(d_m, d_y, is_labelled)
    scale = n_of / n if n else np.nan
    v: Floats = weight * m + np.where(np.isin(root, whole), scale * (np.nan_to_num(y) - weight * m), 0.0)
    return Corrected(v, weight, n, reason)


def whole_roots(root: Ints, present: Bools, labels: CellLabels) -> tuple[Ints, InferenceReason | None]:
    """The root prompts of which people labelled every answer that the instrument read, and why they are not enough.

    Source: inference.md 9.1.
    """
    drawn = np.unique(root[present & labels.is_drawn])
    lacking = np.unique(root[present & np.isnan(labels.y)])
    whole = np.setdiff1d(drawn, lacking)
    if len(drawn) - len(whole) > MOST_INCOMPLETE * len(drawn):
        is_other = len(whole) < len(drawn) / 2
        return whole if len(whole) else drawn, (
            InferenceReason.LABELS_NOT_WHOLE_PROMPTS if is_other else InferenceReason.LABELS_INCOMPLETE
        )
    return whole, InferenceReason.TOO_FEW_LABELS if len(whole) < FEWEST_FOR_P else None


def following(d_m: Floats, d_y: Floats, is_labelled: Bools) -> float:
    """How far the instrument is followed, lam of 9.2, from D of it and of people, shape (rows, root prompts)."""
    n, n_of = is_labelled.sum(), len(is_labelled)
    squares = float((d_m**2).sum() / max(n_of, 1))
    if not n or squares <= 0:
        return 0.0
    products = (d_m[:, is_labelled] * d_y[:, is_labelled]).sum() / n
    return float(np.clip(products / squares, 0.0, 1.0))


def deviations(frame: Frame, x: Floats) -> tuple[Floats, Ints]:
    """D by group and root prompt, 0 where absent, of cells that meet others; and which root prompts these are."""
    cell = shared(frame, ~np.isnan(x))
    block = np.unique(frame.block[cell], return_inverse=True)[1]
    size = np.bincount(block)[block]
    mean = (np.bincount(block, x[cell]) / np.maximum(np.bincount(block), 1))[block]
    roots, unit = np.unique(frame.root_of_block[frame.block[cell]], return_inverse=True)
    d, n = np.zeros((frame.n_groups, len(roots))), np.zeros((frame.n_groups, len(roots)))
    np.add.at(d, (frame.group[cell], unit), (x[cell] - mean) * size / (size - 1))
    np.add.at(n, (frame.group[cell], unit), 1)
    found: Floats = d / np.maximum(n, 1)
    return found, roots


def _by_answers(frame: Frame, m: Floats, labels: CellLabels) -> Floats:
    """Values where answers were labelled one by one: each group less the error that its labelled cells show."""
    present, is_labelled = ~np.isnan(m), ~np.isnan(labels.y) & ~np.isnan(m)
    n_of, n = (np.bincount(frame.group[which], minlength=frame.n_groups) for which in (present, is_labelled))
    scale = np.divide(n_of, n, out=np.full(frame.n_groups, np.nan), where=n > 0)[frame.group]
    found: Floats = m + np.where(is_labelled, scale * (labels.y - m), 0.0) + 0 * scale
    return found


def with_labels(cells: Cells, labels: Mapping[tuple[str, str], CellLabels], declared: Sequence[str]) -> Cells:
    """Cells with a column of corrected values, and of each kind of error, beside those of labelled measures.

    Args:
        cells: of one slice and grouping.
        labels: of read_labels.
        declared: measures that the study names labels of: their columns are there without any, too.
    """
    columns = cells.columns
    is_of = columns.measure_id.isin(declared) & columns.kind.isin([*KINDS]) & (columns.calibration == "raw")
    own = columns[is_of & (columns.statistic == "mean") & (columns.parameters == "")]
    added, values, known = [], [], dict(cells.labels)
    for column in own.to_dict("records"):
        key = (str(column["generation_id"]), str(column["measure_id"]))
        of_cells = labels.get(key)
        if of_cells is None and (cells.is_of_models or column["generation_id"] == BASELINE):
            continue
        m, kind = cells.x[:, int(column["column_position"])], str(column["kind"])
        for calibration, x, of_labels in _columns(cells.frame, m, of_cells, kind):
            added.append({**column, "calibration": calibration, "kind": of_labels.kind})
            values.append(x)
            known[(*key, calibration)] = of_labels
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
    of_values, of_errors = KINDS[kind]
    is_rate = kind == "binary"
    nothing = Labelled(of_values, 0, InferenceReason.TOO_FEW_LABELS, np.zeros(frame.n_groups, dtype=bool), is_rate)
    if labels is None:
        yield CORRECTED, m, nothing
        return
    found = corrected_values(frame, m, labels)
    is_few = nothing.is_few
    if is_rate:
        is_in = ~np.isnan(m)
        counts = (
            np.bincount(frame.group[is_in], of[is_in], frame.n_groups) for of in (labels.n_events, labels.n_others)
        )
        is_few = np.any([n < FEWEST_EVENTS for n in counts], axis=0)
    v = found.v if found.n_labelled else m
    yield (
        CORRECTED,
        v,
        nothing._replace(n_root_prompts=found.n_labelled, reason=found.reason, is_few=is_few, of_cells=labels),
    )
    for calibration in OF_LABELS[kind][1:]:
        x = np.where(np.isnan(m), np.nan, labels.of(calibration))
        if np.isnan(x).all():  # people found it nowhere, or everywhere
            continue
        yield calibration, x, nothing._replace(kind=of_errors, reason=found.reason)
