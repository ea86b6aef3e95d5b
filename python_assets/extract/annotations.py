"""Entries of an import that win over what a measure reads off a response: labels and scores given by people.

Belongs here: which entry wins, and which cannot. A measure that is nothing but a column is column.py.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.errors import StudyError
from python_assets.extract.column import COLUMN_VERSION, RESPONSE_KEYS, parse_column, positions
from python_assets.extract.job import Job, Read
from python_assets.extract.measurement_rows import MeasuredValues, Objects, given, nothing, only_where, storable
from python_assets.extract.measures import Measure
from python_assets.study.base import UNDECIDED, UNSCORED
from python_assets.warehouse.build import Quarantined

INVALID: Final = "invalid_annotation"
_BLANK: Final = "response_empty"


class _Entries(NamedTuple):
    """One column, an entry a row of the import; rejected: those that are not what is expected."""

    value: NDArray[np.float64]
    label: Objects
    rejected: NDArray[np.bool_]
    expected: str

    def at(self, rows: NDArray[np.intp]) -> "_Entries":
        """The entries of some rows, nothing where a row is -1."""
        return _Entries(
            np.append(self.value, np.nan)[rows],
            np.append(self.label, nothing(1))[rows],
            np.append(self.rejected, False)[rows],
            self.expected,
        )


def with_annotations(job: Job, reads: Sequence[Read]) -> list[Read]:
    """What a measure read, with the entries of its annotation column in place of that where there are any.

    Args:
        job: of one entry with an annotation column.
        reads: of its measures, in their order.

    Returns:
        The same measures. An entry wins over every text but a blank one, which leaves the measure. One that
        is no label of the measure, whatever its case, or no number on its scale is in quarantine, and its
        response has no value: reason invalid_annotation.

    Raises:
        StudyError: the import has no such column.
    """
    column = str(job.measure.spec.annotation)
    rows = job.imported
    if rows is None or column not in rows:
        where = (job.study.path, "measures", job.measure.spec.name, "annotation")
        remedy = "correct it, as it stands in the first line of the table"
        raise StudyError(where, column, "a column of the import", remedy)
    entries = _entries(rows[column], job.measure)
    first = reads[0]
    is_blank = first.values.reason == _BLANK
    row_of = np.where(is_blank, -1, positions(job.units, first.values.units, rows))
    annotated = entries.at(row_of)
    wins = ~np.isnan(annotated.value) | given(annotated.label)
    return [
        first._replace(
            values=_in_place(first.values, annotated, wins),
            version=np.where(wins, COLUMN_VERSION, first.version).astype(object),
            quarantine=[*first.quarantine, *_quarantine(job.measure, rows.iloc[row_of[annotated.rejected]], entries)],
        ),
        *(_beside(first.measure, other, wins, annotated.rejected) for other in reads[1:]),
    ]


def _entries(column: pd.Series, measure: Measure) -> _Entries:
    parsed = parse_column(column, measure)
    if measure.kind == "continuous":
        low = -math.inf if measure.scale_low is None else measure.scale_low
        high = math.inf if measure.scale_high is None else measure.scale_high
        is_off = (parsed.value < low) | (parsed.value > high)
        value = np.where(is_off, np.nan, parsed.value)
        return _Entries(value, parsed.label, parsed.rejected | is_off, f"a number from {low:g} to {high:g}")
    declared = {label.casefold(): label for label in measure.spec.labels}
    label = nothing(len(parsed.label))
    label[:] = [declared.get(str(one).casefold()) for one in parsed.label]
    rejected = given(parsed.label) & ~given(label)
    return _Entries(parsed.value, label, rejected, f"one of {', '.join(measure.spec.labels)}")


def _in_place(values: MeasuredValues, own: _Entries, wins: NDArray[np.bool_]) -> MeasuredValues:
    decided = wins | own.rejected
    return values._replace(
        value=np.where(decided, own.value, values.value),
        label=np.where(decided, own.label, values.label),
        label_method=np.where(decided, only_where(given(own.label), "column"), values.label_method),
        reason=np.where(decided, only_where(own.rejected, INVALID), values.reason),
    )


def _beside(first: Measure, other: Read, wins: NDArray[np.bool_], rejected: NDArray[np.bool_]) -> Read:
    """A measure beside the labels: an annotated response has one; how like anchors a text is stays."""
    if other.measure.measure_id not in (first.measure_id + UNSCORED, first.measure_id + UNDECIDED):
        return other
    values = other.values
    reason = np.where(wins | rejected, only_where(rejected, INVALID), values.reason)
    value = np.where(rejected, np.nan, np.where(wins, 0.0, values.value))
    return other._replace(values=values._replace(value=value, reason=reason))


def _quarantine(measure: Measure, rejected: pd.DataFrame, entries: _Entries) -> list[Quarantined]:
    column = str(measure.spec.annotation)
    return [
        Quarantined(
            record_key=f"{system}/{prompt}/{replicate}/{measure.measure_id}",
            rule=INVALID,
            detail=storable(f"column {column!r}: expected {entries.expected}, got {str(entry)[:80]!r}"),
        )
        for system, prompt, replicate, entry in rejected[[*RESPONSE_KEYS, column]].itertuples(index=False, name=None)
    ]
