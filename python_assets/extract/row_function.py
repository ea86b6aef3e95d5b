"""Measures by a function of the user's own that sees the imported row beside the text of a response."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.extract.column import entries_of, positions
from python_assets.extract.function import function_of_rows
from python_assets.extract.job import Job, Read
from python_assets.extract.measurement_rows import MeasuredValues, Objects, no_numbers, nothing, only_where, score_table
from python_assets.extract.scoring import wanted_form


def read_row_function(job: Job) -> list[Read]:
    """Score every response with its imported row, equal texts with equal entries once.

    Args:
        job: of one measure with function and columns.

    Returns:
        What the function gave, whatever the status of a response, since its row may tell without a text;
        missing_in_import where the import has no row of it.

    Raises:
        StudyError: the function cannot be imported, or the import has no such column.
        ExtractionError: the function fails or gives what the measure cannot be.
    """
    spec, imported = job.measure.spec, job.imported
    if imported is None:
        raise ValueError(f"measure {job.measure.measure_id} needs the imported table")
    entries = entries_of(job.study, job.measure, imported, spec.columns or [])
    job = job.only_responses()
    at = positions(job.units, job.wanted, imported)
    method = function_of_rows(str(spec.function), job.study.folder, wanted_form(job.measure))
    has_row = at >= 0
    text_ids = job.text_ids()[has_row]
    keys = entries.map(repr).iloc[at[has_row]].assign(text_id=text_ids)
    codes = keys.groupby(list(keys), sort=False, dropna=False).ngroup().to_numpy()
    _, first = np.unique(codes, return_index=True)
    texts = [job.units.texts[text_id] if text_id >= 0 else None for text_id in text_ids[first]]
    chosen = entries.iloc[at[has_row][first]].itertuples(index=False, name=None)
    rows = [dict(zip(spec.columns or [], row, strict=True)) for row in chosen]
    scores = score_table(method.score(texts, rows) if rows else []).iloc[codes]
    n = len(job.wanted)
    numbers = no_numbers(n)
    numbers[has_row] = scores["value"].to_numpy(dtype=float)
    reasons = only_where(~has_row, "missing_in_import")
    reasons[has_row] = _objects(scores["reason"])
    values = MeasuredValues(
        units=job.wanted,
        value=numbers,
        baseline_value=no_numbers(n),
        label=_placed(has_row, scores["label"]),
        label_method=_placed(has_row, scores["label_method"]),
        reason=reasons,
    )
    return [Read(job.measure, values, method.version)]


def _objects(column: pd.Series) -> Objects:
    return only_where(column.notna().to_numpy(), column.to_numpy(dtype=object))


def _placed(has_row: NDArray[np.bool_], column: pd.Series) -> Objects:
    placed = nothing(len(has_row))
    placed[has_row] = _objects(column)
    return placed
