"""Tables that map the levels of one factor to those of another, one row a level.

Belongs here: reading such a table. Which factors are mapped is study/factors.py.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from python_assets.errors import FieldPath, SourceError
from python_assets.importers.factor_levels import require_levels
from python_assets.importers.files import read_table_file
from python_assets.study.problems import listed
from python_assets.study.study import Factor, Study


class LevelTable(NamedTuple):
    """The mapped level of every level; field: of the study file that names the table, for error texts."""

    mapped: dict[str, str]
    source: str
    file: str
    field: FieldPath

    def of(self, levels: Iterable[str]) -> dict[str, str]:
        """The mapped level of each of some levels.

        Raises:
            SourceError: the table has no row for one of them.
        """
        wanted = list(dict.fromkeys(levels))
        if missing := [level for level in wanted if level not in self.mapped]:
            got = f"{self.file} without a row for {self.source} {listed(missing)}"
            raise SourceError(self.field, got, "a row of each level", "add it, or correct the spelling")
        return {level: self.mapped[level] for level in wanted}


def study_level_table(study: Study, name: str) -> LevelTable:
    """The table that a study's factor is mapped by.

    Raises:
        ValueError: the factor is not mapped.
        SourceError, StudyError: as read_level_table.
    """
    return read_level_table(study.folder, name, study.factors[name], (study.path,))


def read_level_table(folder: Path, name: str, factor: Factor, where: FieldPath = ()) -> LevelTable:
    """Read the table that a factor is mapped by: two columns, named by the factors; others are passed over.

    Args:
        folder: of the study file.
        name: of the mapped factor.
        factor: with a map.
        where: stands before the field in error texts.

    Raises:
        ValueError: the factor has no map.
        SourceError: the table cannot be read, a level stands there with two mapped levels, or a mapped level
            is blank, is not declared, or cannot be a level.
        StudyError: it lacks one of the columns.
    """
    if factor.map is None:
        raise ValueError(f"factor {name} is not mapped")
    source, field = factor.map.from_, (*where, "factors", name, "map", "file")
    path = folder / factor.map.file
    if not path.is_file():
        raise SourceError(field, f"no file at {path}", "a table of levels", "correct the path")
    table = read_table_file(path, [source, name], field).table[[source, name]]
    pairs = table.astype(object).where(table.notna(), "").astype("str").apply(lambda column: column.str.strip())
    pairs = pairs[pairs[source] != ""].drop_duplicates([source, name])
    _check(pairs, name, factor, path.name, field)
    return LevelTable(dict(zip(pairs[source], pairs[name], strict=True)), source, path.name, field)


def _check(pairs: pd.DataFrame, name: str, factor: Factor, file: str, field: FieldPath) -> None:
    source = pairs.columns[0]
    twice = pairs.loc[pairs[source].duplicated(), source]
    if not twice.empty:
        got = f"{file} with several rows for {source} {listed(twice)} that differ in {name}"
        raise SourceError(field, got, "a row of each level", "keep one of them")
    blank = pairs.loc[pairs[name] == "", source]
    if not blank.empty:
        got = f"{file} without {name} for {source} {listed(blank)}"
        raise SourceError(field, got, f"a {name} in every row", "fill it in")
    require_levels(pairs[name], factor, file, field)
