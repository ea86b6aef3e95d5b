"""Rows of raw.measurements: values, labels and reasons of one measure over the units, and all stacked."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.extract.measures import Measure
from python_assets.extract.scorer import LARGEST_NUMBER, Score
from python_assets.extract.units import Ids, TextUnits

Objects = NDArray[np.object_]

_CATEGORIES: Final = ("measure_id", "label", "label_method", "scorer_version", "reason")
_NUMBERS: Final = ("value", "baseline_value")


class MeasuredValues(NamedTuple):
    """What a measure has for some units; arrays as long as `units`, NaN and None where there is nothing.

    units: row numbers of Units.table.
    """

    units: Ids
    value: NDArray[np.float64]
    baseline_value: NDArray[np.float64]
    label: Objects
    label_method: Objects
    reason: Objects


def nothing(n: int) -> Objects:
    """An array of n None."""
    return np.full(n, None, dtype=object)


def no_numbers(n: int) -> NDArray[np.float64]:
    """An array of n NaN."""
    return np.full(n, np.nan)


def only_where(condition: NDArray[np.bool_], values: Any) -> Objects:
    """The values where a condition holds, None elsewhere."""
    chosen = nothing(len(condition))
    chosen[condition] = np.broadcast_to(np.asarray(values, dtype=object), len(condition))[condition]
    return chosen


def given(labels: Objects) -> NDArray[np.bool_]:
    """Where there is a label."""
    return ~pd.isna(labels)


def score_table(scores: Sequence[Score]) -> pd.DataFrame:
    """Scores as columns, without numbers that engines cannot hold and characters that no file can.

    Returns:
        One row a score: value, label, label_method, reason; not_finite where a number is not below
        LARGEST_NUMBER.
    """
    table = pd.DataFrame(
        {
            "value": np.array([np.nan if score.value is None else score.value for score in scores], dtype=float),
            "label": _objects([None if score.label is None else storable(score.label) for score in scores]),
            "label_method": _objects([score.label_method for score in scores]),
            "reason": _objects([score.reason for score in scores]),
        }
    )
    has_number = np.array([score.value is not None for score in scores], dtype=bool)
    reject_not_finite(table, has_number)
    return table


def reject_not_finite(table: pd.DataFrame, has_number: NDArray[np.bool_]) -> None:
    """Replace numbers that are given but infinite, NaN or past LARGEST_NUMBER by their reason, in place."""
    wrong = has_number & ~(np.abs(table["value"].to_numpy()) <= LARGEST_NUMBER)
    table.loc[wrong, "value"] = np.nan
    table.loc[wrong, "reason"] = "not_finite"


def storable(text: str) -> str:
    """The text with lone surrogates replaced: no file and no table can hold them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _objects(values: Sequence[Any]) -> Objects:
    array = nothing(len(values))
    array[:] = values
    return array


def as_kind(measure: Measure, values: MeasuredValues) -> MeasuredValues:
    """Keep what the kind of a measure has: labels or numbers; binary: 1 where the label is favourable."""
    if measure.kind == "continuous":
        return values
    n = len(values.units)
    if measure.kind == "categorical":
        return values._replace(value=no_numbers(n), baseline_value=no_numbers(n))
    number = values.value
    if measure.favourable is not None:
        number = np.where(given(values.label), np.equal(values.label, measure.favourable), np.nan).astype(float)
    return values._replace(value=number, baseline_value=no_numbers(n), label=nothing(n))


def measurement_rows(measure: Measure, version: str | Objects, values: MeasuredValues) -> pd.DataFrame:
    """One row a unit, texts as categories.

    Args:
        measure: what was measured.
        version: of what measured it: one for all values, or one a value.
        values: what was read.
    """
    n = len(values.units)
    return pd.DataFrame(
        {
            "unit": values.units,
            "measure_id": _repeated(measure.measure_id, n),
            "value": values.value,
            "baseline_value": values.baseline_value,
            "label": _coded(values.label),
            "label_method": _coded(values.label_method),
            "scorer_version": _repeated(version, n) if isinstance(version, str) else _coded(version),
            "reason": _coded(values.reason),
        }
    )


def _repeated(text: str, n: int) -> pd.Categorical:
    return pd.Categorical.from_codes(np.zeros(n, dtype=np.int8), categories=pd.Index([text], dtype=object))


def _coded(values: Objects) -> pd.Categorical:
    codes, categories = pd.factorize(values)
    return pd.Categorical.from_codes(codes, categories=pd.Index(categories, dtype=object))


def stacked(units: TextUnits, languages: Objects, frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The rows of all measures with the keys of their units and the languages of these, for raw.measurements.

    A million rows are stacked as codes, not as texts, which takes a tenth of the time and memory.
    """
    positions = np.concatenate([frame["unit"].to_numpy() for frame in frames])
    columns: dict[str, Any] = {
        name: _coded(units.column(name).astype(object)).take(positions) for name in ("system_id", "prompt_id")
    }
    columns["language"] = _coded(languages).take(positions)
    columns["replicate"] = units.column("replicate")[positions]
    for name in _NUMBERS:
        columns[name] = np.concatenate([frame[name].to_numpy() for frame in frames])
    for name in _CATEGORIES:
        columns[name] = pd.api.types.union_categoricals([frame[name] for frame in frames])
    return pd.DataFrame(columns)
