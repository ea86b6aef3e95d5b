"""Measures that are columns of the import: human annotation, or scores computed elsewhere."""

from collections.abc import Sequence
from numbers import Real
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.errors import StudyError
from python_assets.extract.measurement_rows import (
    MeasuredValues,
    Objects,
    given,
    no_numbers,
    nothing,
    only_where,
    storable,
)
from python_assets.extract.measures import Measure
from python_assets.extract.scorer import LARGEST_NUMBER
from python_assets.extract.units import Ids, TextUnits
from python_assets.study.study import Study, make_id
from python_assets.warehouse.build import Quarantined

RESPONSE_KEYS: Final = ["system_id", "prompt_id", "replicate"]
COLUMN_VERSION: Final = "column 1"

_NOT_A_NUMBER: Final = "not_a_number"
_NOT_BINARY: Final = "not_binary"
_TRUTH: Final = {"true": 1.0, "false": 0.0}


class Imported(Protocol):
    """What an importer gives, as far as measures read it."""

    @property
    def rows(self) -> pd.DataFrame:
        """One row a response: generation, prompt_id, replicate and the columns that measures name."""
        ...


class ParsedColumn(NamedTuple):
    """One column of the import, read as numbers or labels; rejected: what is neither blank nor readable."""

    value: NDArray[np.float64]
    label: Objects
    rejected: NDArray[np.bool_]


def keyed_rows(imported: Imported, replayed: Sequence[str]) -> pd.DataFrame:
    """The rows of the import with the ids of their generations; the first of several with the same key.

    Args:
        imported: the table that the study imports.
        replayed: the generations that replay it; a table without a column of generations holds answers of
            theirs.
    """
    rows = imported.rows
    ids = {name: make_id(name) for name in rows["system"].unique()}
    keyed = rows.assign(system_id=rows["system"].map(ids).astype(object))
    if set(ids) == {""} and replayed:
        keyed = pd.concat([keyed.assign(system_id=name) for name in replayed], ignore_index=True)
    return keyed.drop_duplicates(RESPONSE_KEYS, ignore_index=True)


def column_values(
    measure: Measure, study: Study, units: TextUnits, wanted: Ids, rows: pd.DataFrame
) -> tuple[MeasuredValues, list[Quarantined]]:
    """Read a measure off a column of the import.

    Args:
        measure: from column, and baseline_column for continuous ones.
        study: names the file in errors.
        units: what is measured.
        wanted: row numbers of the units that the measure has rows for.
        rows: what keyed_rows gave.

    Returns:
        Values of the responses whatever their status, since whoever annotated them has seen them, and of
        baselines where there is a baseline_column; reasons missing_in_import and not_finite. And the entries
        that are not numbers (not_a_number), not 0 or 1 (not_binary), or differ within a prompt
        (baseline_values_differ).

    Raises:
        StudyError: the import has no such column.
    """
    column, baseline = str(measure.spec.column), measure.spec.baseline_column
    _require(study, measure, rows, [name for name in (column, baseline) if name])
    has_baseline = baseline is not None and measure.kind == "continuous"
    if not has_baseline:
        wanted = wanted[~units.column("is_baseline")[wanted]]
    parsed = parse_column(rows[column], measure)
    quarantine = _rejections(measure, rows, column, parsed.rejected)
    at = positions(units, wanted, rows)
    numbers, labels, reason = _taken(parsed, at)
    values = MeasuredValues(
        units=wanted,
        value=numbers,
        baseline_value=no_numbers(len(at)),
        label=labels,
        label_method=only_where(given(labels), "column"),
        reason=reason,
    )
    if not has_baseline:
        return values, quarantine
    base = parse_column(rows[baseline], measure)
    quarantine += _rejections(measure, rows, str(baseline), base.rejected)
    values = values._replace(baseline_value=_taken(base, at)[0])
    by_prompt, differing = _by_prompt(rows, base)
    quarantine += [_differing(measure, str(baseline), prompt) for prompt in differing]
    return _with_baselines(values, units, by_prompt), quarantine


def column_versions(measure: Measure, study: Study, units: TextUnits, wanted: Ids, rows: pd.DataFrame) -> Objects:
    """What measured each wanted unit: by the import where the measure has a version_column, else VERSION.

    Args:
        measure: from column.
        study: names the file in errors.
        units: what is measured.
        wanted: row numbers of the units that the measure has rows for.
        rows: what keyed_rows gave.

    Raises:
        StudyError: the import has no such column.
    """
    column = measure.spec.version_column
    if column is None:
        return np.full(len(wanted), COLUMN_VERSION, dtype=object)
    _require(study, measure, rows, [column])
    versions = np.append(_hashable(rows[column]), nothing(1))[positions(units, wanted, rows)]
    return np.where(given(versions), versions, COLUMN_VERSION).astype(object)


def unlabelled(labelled: MeasuredValues, units: TextUnits, rows: pd.DataFrame) -> MeasuredValues:
    """Whether the import has a row of a response and no label in it.

    Args:
        labelled: the labels that column_values read.
        units: what is measured.
        rows: what keyed_rows gave.

    Returns:
        1 and 0; missing_in_import where the import has no such row.
    """
    has_row = positions(units, labelled.units, rows) >= 0
    n = len(has_row)
    return MeasuredValues(
        units=labelled.units,
        value=np.where(has_row, ~given(labelled.label), np.nan).astype(float),
        baseline_value=no_numbers(n),
        label=nothing(n),
        label_method=nothing(n),
        reason=only_where(~has_row, "missing_in_import"),
    )


def entries_of(study: Study, measure: Measure, rows: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Some columns of what keyed_rows gave, as the import has them; null is None.

    Raises:
        StudyError: the import has no such column.
    """
    _require(study, measure, rows, columns)
    entries = rows[list(columns)].astype(object)
    return entries.where(rows[list(columns)].notna(), None)


def _require(study: Study, measure: Measure, rows: pd.DataFrame, columns: Sequence[str]) -> None:
    if absent := [name for name in columns if name not in rows.columns]:
        remedy = "correct the name, as it stands in the first line of the table"
        where = (study.path, "measures", measure.spec.name)
        raise StudyError(where, absent[0], "a column of the import", remedy)


def parse_column(column: pd.Series, measure: Measure) -> ParsedColumn:
    """Read a column of the import as what a measure has, every distinct entry once.

    Args:
        column: as the import has it.
        measure: says whether numbers, 0 and 1, or labels are expected.
    """
    if pd.api.types.is_numeric_dtype(column.dtype) and measure.kind == "continuous":
        numbers = column.to_numpy(dtype=float, na_value=np.nan)
        return ParsedColumn(numbers, nothing(len(column)), np.zeros(len(column), dtype=bool))
    codes, entries = pd.factorize(_hashable(column))
    wants_label = measure.kind == "categorical" or measure.favourable is not None
    n = len(entries) + 1
    value, label, rejected = no_numbers(n), nothing(n), np.zeros(n, dtype=bool)
    for position, entry in enumerate(entries):
        if wants_label:
            label[position] = _label(entry)
            continue
        number = _number(entry, is_binary=measure.kind == "binary")
        rejected[position] = number is None
        value[position] = np.nan if number is None else number
    # code -1, which is null, takes the last position, which stays empty
    return ParsedColumn(value[codes], label[codes], rejected[codes])


def _hashable(column: pd.Series) -> Objects:
    values = column.astype(object).where(column.notna(), None).to_numpy()
    if column.dtype != object:
        return values
    odd = [i for i, value in enumerate(values) if isinstance(value, list | dict | set | np.ndarray)]
    if odd:
        values = values.copy()
        values[odd] = [str(values[i]) for i in odd]
    return values


def _number(entry: Any, *, is_binary: bool) -> float | None:
    """NaN where the entry is blank, None where it is no number or, for a binary measure, neither 0 nor 1."""
    text = str(entry).strip()
    if text == "" or text.lower() == "nan":
        return np.nan
    if is_binary and text.lower() in _TRUTH:
        return _TRUTH[text.lower()]
    try:
        number = float(entry) if isinstance(entry, Real) else float(text)
    except OverflowError:
        number = np.inf
    except ValueError:
        return None
    # float() reads 1_000, which no table means
    is_readable = "_" not in text and (not is_binary or number in (0.0, 1.0))
    return number if is_readable else None


def _label(entry: Any) -> str | None:
    is_whole = isinstance(entry, float) and entry.is_integer()
    text = storable(str(int(entry) if is_whole else entry)).strip()
    return text or None


def positions(units: TextUnits, wanted: Ids, rows: pd.DataFrame) -> Ids:
    """The row, of what keyed_rows gave, that each wanted unit has; -1 where it has none."""
    kinds: dict[str, Any] = {"system_id": object, "prompt_id": object, "replicate": int}
    left = units.table.loc[wanted, RESPONSE_KEYS].astype(kinds)
    right = rows[RESPONSE_KEYS].astype(kinds).assign(at=np.arange(len(rows)))
    joined = left.merge(right, on=RESPONSE_KEYS, how="left", validate="m:1")
    return joined["at"].fillna(-1).to_numpy(dtype=np.intp)


def _taken(parsed: ParsedColumn, at: Ids) -> tuple[NDArray[np.float64], Objects, Objects]:
    """The values and labels at some rows, and why there is none."""
    numbers = np.append(parsed.value, np.nan)[at]
    labels = np.append(parsed.label, nothing(1))[at]
    too_large = np.abs(numbers) > LARGEST_NUMBER
    reason = nothing(len(at))
    reason[np.isnan(numbers) & ~given(labels)] = "missing_in_import"
    reason[too_large] = "not_finite"
    return np.where(too_large, np.nan, numbers), labels, reason


def _by_prompt(rows: pd.DataFrame, base: ParsedColumn) -> tuple[pd.Series, list[str]]:
    """The baseline value of every prompt whose rows agree on it, and the prompts whose rows do not."""
    values = pd.DataFrame({"prompt_id": rows["prompt_id"].astype(object), "value": base.value}).dropna()
    ranges = values.groupby("prompt_id")["value"].agg(["min", "max"])
    agrees = ranges["min"] == ranges["max"]
    return ranges.loc[agrees, "min"], list(ranges.index[~agrees])


def _with_baselines(values: MeasuredValues, units: TextUnits, by_prompt: pd.Series) -> MeasuredValues:
    is_baseline = units.column("is_baseline")[values.units]
    prompts = units.table["prompt_id"].astype(object).iloc[values.units[is_baseline]]
    numbers = prompts.map(by_prompt).to_numpy(dtype=float)
    reason = nothing(len(numbers))
    reason[np.isnan(numbers)] = "missing_in_import"
    too_large = np.abs(numbers) > LARGEST_NUMBER
    reason[too_large] = "not_finite"
    values.value[is_baseline] = np.where(too_large, np.nan, numbers)
    values.reason[is_baseline] = reason
    return values


def _rejections(measure: Measure, rows: pd.DataFrame, column: str, rejected: NDArray[np.bool_]) -> list[Quarantined]:
    rule = _NOT_BINARY if measure.kind == "binary" else _NOT_A_NUMBER
    expected = "0, 1, true or false" if measure.kind == "binary" else "a number"
    rejected_rows = rows.loc[rejected, [*RESPONSE_KEYS, column]]
    return [
        Quarantined(
            record_key=f"{system}/{prompt}/{replicate}/{measure.measure_id}",
            rule=rule,
            detail=storable(f"column {column!r}: expected {expected}, got {str(entry)[:80]!r}"),
        )
        for system, prompt, replicate, entry in rejected_rows.itertuples(index=False, name=None)
    ]


def _differing(measure: Measure, column: str, prompt: str) -> Quarantined:
    return Quarantined(
        record_key=f"baseline/{prompt}/0/{measure.measure_id}",
        rule="baseline_values_differ",
        detail=f"column {column!r} has several values for this prompt; its baseline text has one",
    )
