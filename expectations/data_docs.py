"""Great Expectations' own pages of what is expected of the raw tables of a study, and of what was found.

They show counts and no rows: what a model said is in raw.data_quality. Importing this takes seconds.
"""

import html
import shutil
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import duckdb
import great_expectations as gx

from expectations.validation import COUNTS, open_source, rows_of
from python_assets.errors import OTHER_HOME, WarehouseError
from python_assets.study.study import Study

SITE: Final = "plumbline"


def write_data_docs(connection: duckdb.DuckDBPyConnection, study: Study, tables: Iterable[str], folder: Path) -> Path:
    """Evaluate the suites of raw tables and write the pages anew.

    Args:
        connection: the open build file, no transaction begun.
        study: whose rows are looked at.
        tables: names of raw tables that have expectations.
        folder: where the pages go; an earlier run's are removed.

    Returns:
        The page to begin with.

    Raises:
        WarehouseError: the folder cannot be written.
    """
    with open_source(connection) as source:
        context: Any = source.data_context
        for table in tables:
            suite = import_module(f"expectations.{table}").suite(study)
            for expectation in suite.expectations:  # as text: the pages take it for HTML
                expectation.description = html.escape(str(expectation.description))
                expectation.notes = html.escape(str(expectation.notes))
            rows = rows_of(source, table, study.study_id)
            definition = gx.ValidationDefinition(name=table, data=rows, suite=context.suites.add(suite))
            context.validation_definitions.add(definition).run(result_format=COUNTS)
        try:
            if folder.exists():
                shutil.rmtree(folder)
            context.add_data_docs_site(SITE, _site(folder))
            context.build_data_docs([SITE])
        except OSError as error:
            raise WarehouseError(folder, error, "a folder that can be written", OTHER_HOME) from error
    return folder / "index.html"


def _site(folder: Path) -> dict[str, object]:
    return {
        "class_name": "SiteBuilder",
        "show_how_to_buttons": False,
        "store_backend": {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(folder)},
        "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
    }
