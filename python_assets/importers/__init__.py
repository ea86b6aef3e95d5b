"""Prompts and responses from elsewhere: one file a format, registered in formats.py by its name."""

import sys

import pandas as pd

from python_assets.importers.formats import IMPORTERS, ImportedTable
from python_assets.registry import import_files
from python_assets.study import Study, make_id

import_files(sys.modules[__name__])

__all__ = ["ImportedTable", "read_import", "replay_rows"]


def read_import(study: Study) -> ImportedTable:
    """Read the table that a study imports.

    Args:
        study: its prompts come by import.

    Returns:
        Prompts, their factors, responses, and the rows that were rejected.

    Raises:
        ValueError: the study imports nothing.
        SourceError: the file cannot be read.
        StudyError: the file lacks columns that the study names.
    """
    if study.prompts.import_ is None:
        raise ValueError(f"study {study.study_id} has no prompts.import")
    return IMPORTERS[study.prompts.import_.format](study)


def replay_rows(imported: ImportedTable, generation_name: str) -> pd.DataFrame:
    """The responses of one generation.

    Args:
        imported: what read_import gave.
        generation_name: the name in the table, or the identifier made from it.

    Returns:
        prompt_id, replicate, response_text and the measure columns, in the order of the file; no row where
        the table has no such generation.
    """
    known = imported.rows["generation"].unique()
    names = [name for name in known if generation_name in (name, make_id(name))]
    rows = imported.rows[imported.rows["generation"].isin(names)]
    return rows.drop(columns="generation").reset_index(drop=True)
