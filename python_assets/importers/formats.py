"""What an importer is and what it gives, and where a new format registers itself."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

import pandas as pd

from python_assets.errors import FieldPath
from python_assets.registry import Registry
from python_assets.study.imports import IMPORT_OPTIONS, Import, ImportColumns
from python_assets.study.study import Factor, MeasureSpec, Study
from python_assets.texts.files import find_files
from python_assets.warehouse.build import Quarantined
from python_assets.warehouse.raw_tables import columns_of

PATH_FIELD: Final[FieldPath] = ("prompts", "import", "path")


def _no_rows(table: str) -> pd.DataFrame:
    return pd.DataFrame(columns=columns_of(table))


class Described(NamedTuple):
    """What a format tells of an import before its rows are read; a study file may say otherwise.

    columns, column_of: what stands where, and the column of each factor. factors: their types, levels and
    references. unit: what the independent units are. units: the factors whose levels are those of some
    prompts, each with the factors that its units are nested in. measures: those that a study has which names
    none, and that others may take by name. removes_prompt: whether responses are measured without their
    prompt. no_measures: why nothing could be measured if the study names no measure; None where responses can.
    negative_controls: the type of each, None where it has none.
    """

    columns: ImportColumns
    column_of: Mapping[str, str]
    factors: Mapping[str, Factor] = MappingProxyType({})
    unit: str | None = None
    measures: Sequence[MeasureSpec] = ()
    removes_prompt: bool | None = None
    units: Mapping[str, Sequence[str]] = MappingProxyType({})
    no_measures: str | None = None
    negative_controls: Mapping[str, str | None] = MappingProxyType({})


class ImportedTable(NamedTuple):
    """An existing benchmark or run.

    prompts and prompt_factors: rows of the raw tables, without study_id and without the derived factors.
    system_factors: generation, factor and level of the factors of models.
    rows: one row a response: generation, prompt_id, replicate, response_text and the columns that measures
    name, as the file has them (text from csv; numbers where the format has numbers); beside them
    finish_reason and error, where the format tells how responses ended; finish_reason is not_recorded where
    there is no text of a response.
    quarantine: rows that were rejected; n_rows: all rows of the file. normalised: record_key, factor, entry
    and level of what kept rows spell otherwise than the study file. n_unpaired: prompts that some of several
    imported runs lack. metrics, samples, sample_parts: rows of the raw tables imported_metrics, imported_samples
    and imported_sample_parts, without study_id; none where the format publishes no metrics.
    """

    prompts: pd.DataFrame
    prompt_factors: pd.DataFrame
    system_factors: pd.DataFrame
    rows: pd.DataFrame
    quarantine: list[Quarantined]
    n_rows: int
    normalised: pd.DataFrame
    n_unpaired: int = 0
    metrics: pd.DataFrame = _no_rows("imported_metrics")
    samples: pd.DataFrame = _no_rows("imported_samples")
    sample_parts: pd.DataFrame = _no_rows("imported_sample_parts")


class Importer(ABC):
    """One format, as a file of this package registers it.

    Class attributes:
        options: what a study file may say under prompts.import.
    """

    options: ClassVar[type[Import]]

    @classmethod
    @abstractmethod
    def described(cls, study: Study) -> Described:
        """What the format tells of an import before it is read.

        Args:
            study: as its file says it, with prompts.import.

        Raises:
            SourceError: what tells it cannot be read.
        """

    @classmethod
    @abstractmethod
    def read(cls, study: Study) -> ImportedTable:
        """Read what a study imports.

        Args:
            study: with what `described` told.

        Raises:
            SourceError: the file cannot be read, or every row was rejected.
            StudyError: the file lacks columns that the study names.
        """

    @classmethod
    def tables(cls, study: Study, path: str) -> list[Path]:
        """The files that have the columns which a study file names; none where the importer makes them.

        Raises:
            SourceError: they are not those that are expected.
        """
        return find_files(study, path, PATH_FIELD)

    @classmethod
    def files(cls, study: Study) -> list[Path] | None:
        """Every file that `read` reads, where that is known before; then a run reads it once."""
        return None


IMPORTERS: Registry[type[Importer]] = Registry("import format", __name__)

_T = TypeVar("_T", bound=type[Importer])


def importer(name: str) -> Callable[[_T], _T]:
    """Decorate an importer with the name that study files call its format by.

    Raises:
        ValueError: the name is taken.
    """

    def add(registered: _T) -> _T:
        IMPORTERS.register(name)(registered)
        IMPORT_OPTIONS.register(name)(registered.options)
        return registered

    return add


class _Kept(NamedTuple):
    study: Study
    states: list[tuple[Path, int, int, int]]
    table: ImportedTable


_kept: list[_Kept] = []  # the latest alone: a table may be large
_given: ContextVar[ImportedTable | None] = ContextVar("given", default=None)


@contextmanager
def given(table: ImportedTable) -> Iterator[None]:
    """Let `read_import` give a table that is in memory already, in this thread."""
    token = _given.set(table)
    try:
        yield
    finally:
        _given.reset(token)


def read_import(study: Study) -> ImportedTable:
    """Read what a study imports, or take what is `given`.

    It is read once a run, whose stages ask for it with the same study, while its files stay.

    Args:
        study: its prompts come by import.

    Returns:
        Prompts, their factors, responses, and the rows that were rejected.

    Raises:
        ValueError: the study imports nothing.
        SourceError: the file cannot be read.
        StudyError: the file lacks columns that the study names.
    """
    table = _given.get() or _read(study)
    # a stage may add a column to its own
    frames: dict[str, Any] = {name: field for name, field in table._asdict().items() if isinstance(field, pd.DataFrame)}
    return table._replace(**{name: frame.copy(deep=False) for name, frame in frames.items()})


def _read(study: Study) -> ImportedTable:
    file_importer = IMPORTERS[import_of(study).format]
    if (files := file_importer.files(study)) is None or not all(file.is_file() for file in files):
        return file_importer.read(study)
    states = [(file, state.st_mtime_ns, state.st_size, state.st_ino) for file in files for state in [file.stat()]]
    cached = next((kept for kept in list(_kept) if kept.study is study and kept.states == states), None)
    if cached is None:
        forget_import()  # two tables at once may be more than the memory holds
        cached = _Kept(study, states, file_importer.read(study))
        _kept[:] = [cached]
    return cached.table


def forget_import() -> None:
    """Let go of the table that was read last, which no later stage asks for."""
    _kept.clear()


def import_of(study: Study) -> Import:
    """The import of a study.

    Raises:
        ValueError: the study imports nothing.
    """
    if study.prompts.import_ is None:
        raise ValueError(f"study {study.study_id} has no prompts.import")
    return study.prompts.import_
