"""Tables of real shares, packaged or a user's own: one row a category, group, stratum and period.

Belongs here: reading such a table, choosing its period and stratum, and telling what is wrong with it. Which
labels and groups of a study it is held against is extract/ground_truth.py.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.errors import SourceError
from python_assets.importers.files import read_table_file, table_columns
from python_assets.study.ground_truth import LATEST, TABLES, GroundTruth
from python_assets.study.problems import listed, suggestion

REQUIRED: Final = ("category", "group", "period", "source", "licence")
AMOUNTS: Final = ("count", "share")
STRATUM: Final = "stratum"
ROUNDING_OF_SHARES: Final = 0.01  # by how much published shares of one category miss 1
_KEY: Final = ["category", "group"]
FIRST_ROW: Final = 2  # of a table file, below its header


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


def read_truth_table(folder: Path, truth: GroundTruth, field: str) -> TruthTable:
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
    where = f"{field}.{truth.field}"
    path = TABLES if truth.path is None else folder / truth.path
    name = truth.table or path.name
    table = _read(path, where)
    if truth.table is not None:
        table = table[table.truth_table == truth.table]
    table = _of_stratum(table, truth, field, name)
    table = _of_period(table, truth, field, name)
    rows = _shares(table, f"{where}: {name}", AMOUNTS[0] if AMOUNTS[0] in table else AMOUNTS[1])
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


def _read(path: Path, where: str) -> pd.DataFrame:
    """All of the table as text, with the row that each line stands in."""
    there = table_columns(path, where)
    given = [name for name in AMOUNTS if name in there]
    if len(given) != 1:
        raise SourceError(
            f"{where}: {path.name} has {len(given)} of the columns {' and '.join(AMOUNTS)}. Expected one: "
            "persons, or the share of the group in the category. Add it, or remove the other."
        )
    optional = [name for name in (STRATUM, "truth_table") if name in there]
    read = read_table_file(path, (*REQUIRED, *given, *optional), where)
    if read.table.empty:
        raise SourceError(f"{where}: {path.name} has no rows. Expected one a category and group; add them.")
    text = read.table.map(_text)
    text = text.assign(row=np.arange(FIRST_ROW, len(text) + FIRST_ROW))
    for name in REQUIRED:
        if len(blank := text.row[text[name] == ""]):
            raise SourceError(f"{where}: {path.name} has no {name} in row {blank.iloc[0]}. Fill it in.")
    return text if STRATUM in text else text.assign(**{STRATUM: ""})


def _text(value: object) -> str:
    """A cell as text; years of parquet and xlsx may come as 2024.0."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _of_stratum(table: pd.DataFrame, truth: GroundTruth, field: str, file: str) -> pd.DataFrame:
    strata = list(dict.fromkeys(table[STRATUM]))
    if truth.stratum is None and len(strata) == 1:
        return table
    if truth.stratum not in strata:
        came = "none is named" if truth.stratum is None else f"{truth.stratum!r} is not one of them"
        remedy = suggestion(truth.stratum, strata, f"Write {STRATUM}: with one of them.")
        raise SourceError(f"{field}.{STRATUM}: {file} has the strata {listed(strata)}, and {came}. {remedy}")
    return table[table[STRATUM] == truth.stratum]


def _of_period(table: pd.DataFrame, truth: GroundTruth, field: str, file: str) -> pd.DataFrame:
    periods = sorted(set(table.period), key=_place)
    period = periods[-1] if truth.period == LATEST else truth.period
    if period not in periods:
        raise SourceError(
            f"{field}.period: {file} has no {period}; its periods are {_told(periods)}. "
            f"Write one of them, or {LATEST}."
        )
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


def _shares(table: pd.DataFrame, where: str, amount: str) -> pd.DataFrame:
    """Category, group, share and count, every category with every group."""
    for problems in (_cell_problems(table, amount), _shape_problems(table), _zero_problems(table, amount)):
        for problem in problems:
            raise SourceError(f"{where} {problem}")
    amounts = table[amount].astype(float)
    totals = amounts.groupby(table.category).transform("sum")
    if amount == "share":
        off = (totals - 1).abs() > ROUNDING_OF_SHARES
        if off.any():
            category, total = table.category[off].iloc[0], totals[off].iloc[0]
            raise SourceError(
                f"{where} has shares of {category!r} that add up to {total:.4g} over its groups. Expected 1 "
                f"(within {ROUNDING_OF_SHARES:g}): the share of each group in the category. Correct them."
            )
    return pd.DataFrame(
        {
            "category": table.category,
            "group": table.group,
            "share": amounts / totals.where(totals > 0),
            "count": amounts if amount == "count" else np.nan,
        }
    ).reset_index(drop=True)


def _cell_problems(table: pd.DataFrame, amount: str) -> Iterator[str]:
    values = pd.to_numeric(table[amount], errors="coerce")
    wrong = ~np.isfinite(values) | (values < 0)
    if wrong.any():
        row, came = table.row[wrong].iloc[0], table[amount][wrong].iloc[0]
        yield (
            f"has the {amount} {came!r} in row {row}. Expected a number of 0 or more; correct it, or remove "
            "all rows of that period."
        )


def _zero_problems(table: pd.DataFrame, amount: str) -> Iterator[str]:
    """A category without anybody is a gap; a group without anybody can be held against nothing."""
    of_group = table[amount].astype(float).groupby(table.group, sort=False).sum()
    for group in of_group.index[of_group == 0]:
        yield f"has 0 of {group!r} in every category. Expected somebody in one; remove the rows of the group."


def _shape_problems(table: pd.DataFrame) -> Iterator[str]:
    twice = table[table.duplicated(_KEY)]
    if len(twice):
        row = twice.iloc[0]
        yield (
            f"has {row.category!r} and {row.group!r} of {row.period} a second time in row {row.row}. "
            "Expected one row a category, group, stratum and period; remove one."
        )
        return
    groups = list(dict.fromkeys(table.group))
    if len(groups) < 2:
        yield f"has one group alone, {groups[0]!r}. Expected two or more; add the rows of the others."
    there = set(zip(table.category, table.group, strict=True))
    for category in dict.fromkeys(table.category):
        if missing := [group for group in groups if (category, group) not in there]:
            yield (
                f"has no row of {category!r} for {listed(missing)} in {table.period.iloc[0]}. Expected every "
                "group in every category; add the row, with 0 where there is nobody."
            )
            return
