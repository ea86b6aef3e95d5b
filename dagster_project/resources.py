"""The study of a run and the warehouse it is computed in."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg
import duckdb
from pydantic import PrivateAttr

from python_assets.errors import NOTHING, StudyError
from python_assets.study.base import SIMULATOR
from python_assets.study.study import Study
from python_assets.study_file.load import load_study
from python_assets.warehouse import paths
from python_assets.warehouse.build import Home, connect, open_build

PROVIDER_VARIABLE = "PLUMBLINE_PROVIDER"
WAVE_TAG = "plumbline/wave"  # of a run: the wave of generations that declare none; the latest one without it


class StudyResource(dg.ConfigurableResource):
    """Reads the study file that a partition names, once a run: Dagster makes a resource for each run.

    PLUMBLINE_PROVIDER=simulator lets the simulator stand in for every model.
    """

    _text: bytes = PrivateAttr(default=b"")
    _study: Study | None = PrivateAttr(default=None)

    def load(
        self, context: dg.AssetExecutionContext | dg.AssetCheckExecutionContext, *, check_files: bool = False
    ) -> Study:
        """The study of this run's partition, in the wave that the run is of.

        Args:
            context: of the asset or check.
            check_files: whether to look into the files it names; once a run is enough.

        Raises:
            StudyError: the run has no partition, the study file has mistakes, or PLUMBLINE_PROVIDER names
                another provider.
        """
        if not context.has_partition_key:
            remedy = "choose a partition, or run the check with the asset it belongs to"
            raise StudyError("this run", NOTHING, "a study", remedy)
        text = paths.study_path(context.partition_key).read_bytes()
        if self._study is None or check_files or text != self._text:
            # a run stays in its wave, though another begins meanwhile
            wave = context.run.tags.get(WAVE_TAG) or (self._study.wave or None if self._study else None)
            self._study = study_to_run(context.partition_key, check_files=check_files, wave=wave)
            self._text = text
        return self._study


def study_to_run(name: str, *, check_files: bool = False, wave: str | None = None) -> Study:
    """A study as it is run here: by the simulator, where PLUMBLINE_PROVIDER says so.

    Args:
        name: of the study.
        check_files: whether to look into the files it names.
        wave: of generations that declare none; the latest one of a study with waves where None.

    Raises:
        StudyError: the study file is gone or has mistakes, there is no such wave, or PLUMBLINE_PROVIDER names
            another provider.
    """
    path = paths.study_path(name)
    return load_study(path, check_files=check_files, simulated=_is_simulated(), wave=wave)


def _is_simulated() -> bool:
    provider = os.environ.get(PROVIDER_VARIABLE)
    if provider and provider != SIMULATOR:
        expected = f"{SIMULATOR}, which alone can stand in for every model"
        raise StudyError(PROVIDER_VARIABLE, provider, expected, f"unset it, or set it to {SIMULATOR}")
    return bool(provider)


class WarehouseResource(dg.ConfigurableResource):
    """The folders of the warehouse and the build files in it.

    Where they lie is no field: a field can be set in the configuration of a run, by whoever starts it. To open a file
    takes DuckDB as long as a small stage does, so that it stays open from one stage of a run to the next.
    """

    _held: duckdb.DuckDBPyConnection | None = PrivateAttr(default=None)

    @property
    def home(self) -> Home:
        """The folders of the warehouse."""
        return paths.home()

    @contextmanager
    def build(self, study_id: str) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection to the build file of a study, of which there is one a run."""
        path = self.home.build(study_id)
        with open_build(path, is_stratum=self._held is not None) as connection:
            self._held = self._held or connect(path)  # a cursor would close with its connection
            yield connection

    def let_go(self) -> None:
        """Close the file as soon as nobody has a connection to it: before something else opens it otherwise."""
        if self._held is not None:
            self._held.close()
            self._held = None

    def teardown_after_execution(self, context: dg.InitResourceContext) -> None:
        """Leave nothing open when a run has ended, however it did."""
        self.let_go()
