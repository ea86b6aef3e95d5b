"""Factors of models: what generations are told apart by, configured, imported or mapped from another.

Belongs here: rows of raw.system_factors. Factors of prompts are assemble's.
"""

from collections.abc import Sequence

import pandas as pd

from python_assets.errors import SourceError
from python_assets.importers.formats import ImportedTable
from python_assets.importers.level_map import study_level_table
from python_assets.study.base import REPLAY
from python_assets.study.factors import levels_of_system, mapped_factors
from python_assets.study.problems import listed
from python_assets.study.study import Study, System, make_id
from python_assets.warehouse.raw_tables import columns_of

Levels = dict[tuple[str, str], str]  # by generation and factor


def system_factors(study: Study, systems: Sequence[System], imported: ImportedTable | None) -> pd.DataFrame:
    """The level that each generation has of every factor of models.

    Args:
        study: its factors of type model.
        systems: those that answer prompts, imported ones by their own identifiers.
        imported: the table that the study imports.

    Returns:
        Rows of raw.system_factors, without study_id; a generation without a role has no row of it.

    Raises:
        SourceError: a level has no mapped one, or no generation has the reference of a factor.
        StudyError: a table of levels lacks a column.
    """
    levels: Levels = {}
    for system in systems:
        level_by_factor = levels_of_system(system)
        levels |= {(system.system_id, factor): level for factor, level in level_by_factor.items()}
    if imported is not None:
        levels |= _imported(imported, systems)
    for name, level_map in mapped_factors(study.factors).items():
        if study.factors[name].type == "model":
            source_levels = {key: level for (key, factor), level in levels.items() if factor == level_map.from_}
            mapped = study_level_table(study, name).of(source_levels.values())
            levels |= {(key, name): mapped[level] for key, level in source_levels.items()}
    _check_references(study, levels)
    rows = [(system, factor, level) for (system, factor), level in levels.items()]
    return pd.DataFrame(rows, columns=columns_of("system_factors"))


def _imported(imported: ImportedTable, systems: Sequence[System]) -> Levels:
    """By the generations that replay; a table that names none holds answers of each of them."""
    replaying = [one.system_id for one in systems if one.spec.provider == REPLAY]
    levels: Levels = {}
    for name, factor, level in imported.system_factors.itertuples(index=False, name=None):
        of = replaying if name == "" else [key for key in replaying if key == make_id(name)]
        levels |= {(key, factor): level for key in of}
    return levels


def _check_references(study: Study, levels: Levels) -> None:
    for name, factor in study.factors.items():
        there = list(dict.fromkeys(level for (_, other), level in levels.items() if other == name))
        if factor.type == "model" and there and factor.reference not in (None, *there):
            field, expected = ((study.path, "factors", name, "reference"), f"a {name} of a generation: {listed(there)}")
            raise SourceError(field, repr(factor.reference), expected, "correct it or remove it")
