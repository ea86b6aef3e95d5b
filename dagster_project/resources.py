"""The study of a run and the warehouse it is computed in."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
import duckdb

from python_assets import places
from python_assets.errors import StudyError
from python_assets.study import Study
from python_assets.study_file import load_study
from python_assets.warehouse import Home, open_build


class StudyResource(dg.ConfigurableResource):
    """Reads the study file that a partition names."""

    def load(
        self, context: dg.AssetExecutionContext | dg.AssetCheckExecutionContext, *, check_files: bool = False
    ) -> Study:
        """The study of this run's partition.

        Args:
            context: of the asset or check.
            check_files: whether to look into the files it names; once a run is enough.

        Raises:
            StudyError: the run has no partition, or the study file has mistakes.
        """
        if not context.has_partition_key:
            raise StudyError(
                "Which study? Choose a partition, or run the check with the asset it belongs to."
            )
        return load_study(places.study_path(context.partition_key), check_files=check_files)


class WarehouseResource(dg.ConfigurableResource):
    """The folders of the warehouse and the build files in it."""

    root: str = str(places.home().root)

    @property
    def home(self) -> Home:
        """The folders of the warehouse."""
        return Home(Path(self.root))

    @contextmanager
    def build(self, study_id: str) -> Iterator[duckdb.DuckDBPyConnection]:
        """A short connection to the build file of a study; none is open while dbt runs."""
        with open_build(self.home.build(study_id)) as connection:
            yield connection
