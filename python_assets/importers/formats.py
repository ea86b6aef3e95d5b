"""What an importer gives, and where a new format registers itself."""

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from python_assets.registry import Registry
from python_assets.study.study import Study
from python_assets.warehouse.build import Quarantined


class ImportedTable(NamedTuple):
    """An existing benchmark or run.

    prompts and prompt_factors: rows of the raw tables, without study_id and without the derived factors.
    generation_factors: generation, factor and level of the factors of models.
    rows: one row a response: generation, prompt_id, replicate, response_text and the columns that measures
    name, as the file has them (text from csv; numbers where the format has numbers); beside them
    finish_reason and error, where the format tells how responses ended; finish_reason is not_recorded where
    there is no text of a response.
    quarantine: rows that were rejected; n_rows: all rows of the file.
    """

    prompts: pd.DataFrame
    prompt_factors: pd.DataFrame
    generation_factors: pd.DataFrame
    rows: pd.DataFrame
    quarantine: list[Quarantined]
    n_rows: int


IMPORTERS: Registry[Callable[[Study], ImportedTable]] = Registry("import format", __name__)


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
