"""Tables of real shares, packaged or a user's own: one row a category, group, stratum and period.

Belongs here: reading such a table, choosing its period and stratum, and telling what is wrong with it. Which
labels and groups of a study it is held against is extract/ground_truth.py.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.errors import FieldPath, SourceError
from python_assets.importers.files import read_table_file, table_columns
from python_assets.study.ground_truth import LATEST, TRUTH_TABLES, GroundTruth
from python_assets.study.problems import listed, suggestion

_REQUIRED: Final = ("category", "group", "period", "source", "licence")
AMOUNTS: Final = ("count", "share")
STRATUM: Final = "stratum"
ROUNDING_OF_SHARES: Final = 0.01  # by how much published shares of one category miss 1
_KEY: Final = ["category", "group"]
_Told = tuple[str, str, str]  # what came, was expected and is to be done
_FIRST_ROW: Final = 2  # of a table file, below its header


class TruthTable(NamedTuple):
    """Real shares of one period and stratum.

    rows: category, group, share (of the group in the category, adding up to 1 there; NaN where the table
    counts nobody of it) and count (NaN where the table has shares alone). name: the packaged table, or the
    file. parameters: what was chosen, as a question names it.
    """

    rows: pd.DataFrame
    name: str
    period: str
    source: str
    licence: str
    parameters: str

    @property
    def categories(self) -> list[str]:
        """In the order of the table."""
        return list(dict.fromkeys(self.rows.category))

    @property
    def groups(self) -> list[str]:
        """In the order of the table."""
        return list(dict.fromkeys(self.rows.group))


def read_truth_table(folder: Path, truth: GroundTruth, field: FieldPath) -> TruthTable:
    """Read the table that a measure is held against.

    Args:
        folder: of the study file, where a relative path starts.
        truth: the entry of the measure.
        field: of the study file that holds the entry, for error texts.

    Raises:
        SourceError: the table cannot be read, has no such period or stratum, lacks a group of a category,
            counts one twice, or its shares do not add up to 1.
        StudyError: it lacks a column.
    """
    where = (*field, truth.field)
    path = TRUTH_TABLES if truth.path is None else folder / truth.path
    name = truth.table or path.name
    table = _read(path, where)
    if truth.table is not None:
        table = table[table.truth_table == truth.table]
    table = _of_stratum(table, truth, field, name)
    table = _of_period(table, truth, field, name)
    rows = _shares(table, name, where, AMOUNTS[0] if AMOUNTS[0] in table else AMOUNTS[1])
    period = str(table.period.iloc[0])
    chosen = {"table": name, "period": period, STRATUM: str(table[STRATUM].iloc[0])}
    return TruthTable(
        rows,
        name,
        period,
        "; ".join(dict.fromkeys(table.source)),
        "; ".join(dict.fromkeys(table.licence)),
        ";".join(f"{key}={value}" for key, value in chosen.items() if value),
    )


def _read(path: Path, where: FieldPath) -> pd.DataFrame:
    """All of the table as text, with the row that each line stands in."""
    there = table_columns(path, where)
    given = [name for name in AMOUNTS if name in there]
    if len(given) != 1:
        got = f"{len(given)} of the columns {' and '.join(AMOUNTS)} in {path.name}"
        expected = "one of them: persons, or the share of the group in the category"
        raise SourceError(where, got, expected, "add it, or remove the other")
    optional = [name for name in (STRATUM, "truth_table") if name in there]
    read = read_table_file(path, (*_REQUIRED, *given, *optional), where)
    if read.table.empty:
        raise SourceError(where, f"no row in {path.name}", "one a category and group", "add them")
    text = read.table.map(_text)
    text = text.assign(row=np.arange(_FIRST_ROW, len(text) + _FIRST_ROW))
    for name in _REQUIRED:
        if len(blank := text.row[text[name] == ""]):
            got = f"{path.name} without {name} in row {blank.iloc[0]}"
            raise SourceError(where, got, f"a {name} in every row", "fill it in")
    return text if STRATUM in text else text.assign(**{STRATUM: ""})


def _text(value: object) -> str:
    """A cell as text; years of parquet and xlsx may come as 2024.0."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _of_stratum(table: pd.DataFrame, truth: GroundTruth, field: FieldPath, file: str) -> pd.DataFrame:
    strata = list(dict.fromkeys(table[STRATUM]))
    if truth.stratum is None and len(strata) == 1:
        return table
    if truth.stratum not in strata:
        got = "nothing" if truth.stratum is None else repr(truth.stratum)
        remedy = suggestion(truth.stratum, strata, f"write {STRATUM}: with one of them")
        raise SourceError((*field, STRATUM), got, f"one of the strata of {file}: {listed(strata)}", remedy)
    return table[table[STRATUM] == truth.stratum]


def _of_period(table: pd.DataFrame, truth: GroundTruth, field: FieldPath, file: str) -> pd.DataFrame:
    periods = sorted(set(table.period), key=_place)
    period = periods[-1] if truth.period == LATEST else truth.period
    if period not in periods:
        expected = f"a period of {file}: {_told(periods)}"
        raise SourceError((*field, "period"), str(period), expected, f"write one of them, or {LATEST}")
    return table[table.period == period]


def _place(period: str) -> tuple[float, str]:
    """Years in their order, before other words."""
    return (float(period), period) if period.isdecimal() else (np.inf, period)


def _told(periods: list[str]) -> str:
    """The periods, a run of years by its ends."""
    if not all(period.isdecimal() for period in periods):
        return listed(periods)
    years = np.array(periods, dtype=int)
    runs = np.split(years, np.flatnonzero(np.diff(years) > 1) + 1)
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


def _shares(table: pd.DataFrame, file: str, where: FieldPath, amount: str) -> pd.DataFrame:
    """Category, group, share and count, every category with every group."""
    for problems in (_cell_problems(table, amount), _shape_problems(table), _zero_problems(table, amount)):
        for got, expected, remedy in problems:
            raise SourceError(where, f"{file}: {got}", expected, remedy)
    amounts = table[amount].astype(float)
    totals = amounts.groupby(table.category).transform("sum")
    if amount == "share":
        off = (totals - 1).abs() > ROUNDING_OF_SHARES
        if off.any():
            category, total = table.category[off].iloc[0], totals[off].iloc[0]
            got = f"{file}: shares of {category!r} that add up to {total:.4g} over its groups"
            expected = f"1 (within {ROUNDING_OF_SHARES:g}): the share of each group in the category"
            raise SourceError(where, got, expected, "correct them")
    return pd.DataFrame(
        {
            "category": table.category,
            "group": table.group,
            "share": amounts / totals.where(totals > 0),
            "count": amounts if amount == "count" else np.nan,
        }
    ).reset_index(drop=True)


def _cell_problems(table: pd.DataFrame, amount: str) -> Iterator[_Told]:
    values = pd.to_numeric(table[amount], errors="coerce")
    wrong = ~np.isfinite(values) | (values < 0)
    if wrong.any():
        row, came = table.row[wrong].iloc[0], table[amount][wrong].iloc[0]
        remedy = "correct it, or remove all rows of that period"
        yield f"the {amount} {came!r} in row {row}", "a number of 0 or more", remedy


def _zero_problems(table: pd.DataFrame, amount: str) -> Iterator[_Told]:
    """A category without anybody is a gap; a group without anybody can be held against nothing."""
    group_sums = table[amount].astype(float).groupby(table.group, sort=False).sum()
    for group in group_sums.index[group_sums == 0]:
        yield f"0 of {group!r} in every category", "somebody in one", "remove the rows of the group"


def _shape_problems(table: pd.DataFrame) -> Iterator[_Told]:
    twice = table[table.duplicated(_KEY)]
    if len(twice):
        row = twice.iloc[0]
        got = f"{row.category!r} and {row.group!r} of {row.period} a second time in row {row.row}"
        yield got, "one row a category, group, stratum and period", "remove one"
        return
    groups = list(dict.fromkeys(table.group))
    if len(groups) < 2:
        yield f"one group alone, {groups[0]!r}", "two or more", "add the rows of the others"
    there = set(zip(table.category, table.group, strict=True))
    for category in dict.fromkeys(table.category):
        if missing := [group for group in groups if (category, group) not in there]:
            got = f"no row of {category!r} for {listed(missing)} in {table.period.iloc[0]}"
            yield got, "every group in every category", "add the row, with 0 where there is nobody"
            return
