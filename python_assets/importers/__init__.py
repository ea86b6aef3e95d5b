"""Prompts and responses from elsewhere: one file a format, registered in formats.py by its name."""

import sys

from python_assets.importers.formats import IMPORTERS, ImportedTable
from python_assets.registry import import_files
from python_assets.study import Study

import_files(sys.modules[__name__])

__all__ = ["ImportedTable", "read_import"]


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
