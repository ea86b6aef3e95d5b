"""Tables of the units that a template is put to: a row a unit with the levels that it is nested in, or a row a wording.

Belongs here: reading such a table. How a template is crossed with its units is assemble/templates.py.
"""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from python_assets.errors import FieldPath, SourceError
from python_assets.importers.factor_levels import require_levels
from python_assets.importers.files import read_table_file
from python_assets.study.problems import listed
from python_assets.study.prompts import TemplateUnits
from python_assets.study.study import Factor


def read_units(
    folder: Path, units: TemplateUnits, factors: Mapping[str, Factor], field: FieldPath
) -> list[dict[str, str]]:
    """Read the units of a template: their own name and their level of each factor that they are nested in.

    Args:
        folder: of the study file.
        units: the file, and the factors that its columns are; further columns are passed over.
        factors: declared ones; those that units are nested in may list their levels.
        field: of the study file, for error texts.

    Returns:
        One mapping a row, in the order of the file: nested_in, the unit itself, and its text where units are wordings.

    Raises:
        SourceError: the table cannot be read or is empty, a unit stands there twice, or a level is blank, is
            not declared, or cannot be a level; or a wording lacks a group, or two of a group are one text.
        StudyError: it lacks one of the columns.
    """
    path = folder / units.file
    if not path.is_file():
        raise SourceError(field, f"no file at {path}", "a table of units", "correct the path")
    columns = units.columns
    table = read_table_file(path, columns, field).table[columns]
    rows = table.astype(object).where(table.notna(), "").astype("str").apply(lambda column: column.str.strip())
    if rows.empty:
        raise SourceError(field, f"no row in {path.name}", f"a row of each {units.name}", "add them")
    for column in columns:
        _check_levels(rows, column, units.name, factors.get(column), path.name, field)
    if units.text:
        _check_wordings(rows, units, path.name, field)
    elif not (twice := rows.loc[rows[units.name].duplicated(), units.name]).empty:
        got = f"{path.name} with several rows for {units.name} {listed(dict.fromkeys(twice))}"
        raise SourceError(field, got, "one row of each unit, which lies in one group", "keep one of them")
    return [{str(name): level for name, level in row.items()} for row in rows.to_dict("records")]


def _check_wordings(rows: pd.DataFrame, units: TemplateUnits, file: str, field: FieldPath) -> None:
    """Each wording has each group once, and no group has a text twice."""
    by_group = rows.groupby(units.nested_in, sort=False)
    n_groups, counts = by_group.ngroups, rows.groupby(units.name, sort=False).size()
    is_repeated = rows.duplicated([*units.nested_in, units.name]).to_numpy()
    if len(wrong := counts[counts != n_groups]) or is_repeated.any():
        name = wrong.index[0] if len(wrong) else rows.loc[is_repeated, units.name].iloc[0]
        got = f"{file} with {counts[name]} rows for {units.name} {name!r}"
        raise SourceError(field, got, f"one for each of {n_groups} groups", "add those that are lacking")
    if len(same := rows[rows.duplicated([*units.nested_in, units.text])]):
        got = f"{file} with {same[units.text].iloc[0]!r} in several wordings of one group"
        raise SourceError(field, got, "each text once", "write another wording")


def _check_levels(
    rows: pd.DataFrame, column: str, unit: str, factor: Factor | None, file: str, field: FieldPath
) -> None:
    blank = rows.index[rows[column] == ""]
    if len(blank):
        at = f"row {blank[0] + 1}" if column == unit else f"{unit} {rows.loc[blank[0], unit]!r}"
        got = f"{file} without {column} for {at}"
        raise SourceError(field, got, f"a {column} in every row", "fill it in")
    require_levels(rows[column], factor, file, field)
