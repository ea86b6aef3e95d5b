"""Tables of the units that a template is put to, one row a unit with the levels that it is nested in.

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
        One mapping a unit, in the order of the file: nested_in, then the unit itself.

    Raises:
        SourceError: the table cannot be read or is empty, a unit stands there twice, or a level is blank, is
            not declared, or cannot be a level.
        StudyError: it lacks one of the columns.
    """
    path = folder / units.file
    if not path.is_file():
        raise SourceError(field, f"no file at {path}", "a table of units", "correct the path")
    columns = [*units.nested_in, units.name]
    table = read_table_file(path, columns, field).table[columns]
    rows = table.astype(object).where(table.notna(), "").astype("str").apply(lambda column: column.str.strip())
    if rows.empty:
        raise SourceError(field, f"no row in {path.name}", f"a row of each {units.name}", "add them")
    for column in columns:
        _check_levels(rows, column, units.name, factors.get(column), path.name, field)
    if not (twice := rows.loc[rows[units.name].duplicated(), units.name]).empty:
        got = f"{path.name} with several rows for {units.name} {listed(dict.fromkeys(twice))}"
        raise SourceError(field, got, "one row of each unit, which lies in one group", "keep one of them")
    return [{str(name): level for name, level in row.items()} for row in rows.to_dict("records")]


def _check_levels(
    rows: pd.DataFrame, column: str, unit: str, factor: Factor | None, file: str, field: FieldPath
) -> None:
    blank = rows.index[rows[column] == ""]
    if len(blank):
        at = f"row {blank[0] + 1}" if column == unit else f"{unit} {rows.loc[blank[0], unit]!r}"
        got = f"{file} without {column} for {at}"
        raise SourceError(field, got, f"a {column} in every row", "fill it in")
    require_levels(rows[column], factor, file, field)
