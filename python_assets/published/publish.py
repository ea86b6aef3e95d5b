"""Publish a run for readers: a publication of all studies, its report and its archive, seen all at once or not at all.

Belongs here: what is written, in which order. Nothing is computed here; rows come from merge.py, the folder and its
link from publication.py, the folder of the run from archive.py.
"""

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final, Generic, NamedTuple, TypeVar

import duckdb

from python_assets.errors import WarehouseError
from python_assets.published.archive import write_archive
from python_assets.published.archived import ArchivedRun, archived_runs
from python_assets.published.merge import Stamp, attach, merge
from python_assets.published.publication import commit, finish, id_of, new_publication, publish_lock, share
from python_assets.published.refuse_simulation import has_stand_in, refuse_simulation
from python_assets.warehouse.build import Home, connect, utc_now, write_remedy

SHARED: Final = ("report", "preregistrations")  # folders whose files of other studies stay as they are
Told = TypeVar("Told")

WriteReport = Callable[[Path, str, Path], Told]
"""Writes the page of a study of a database to a file."""


class FinishedRun(NamedTuple):
    """What of a study is published: its build file, its study file, and how many runs of it are kept, this one too.

    spent: what the calls of the study used and cost by now, as columns of publications.
    """

    study_id: str
    build_path: Path
    study_file: Path
    keep: int
    spent: Mapping[str, int | float | str | None] = MappingProxyType({})


class Published(NamedTuple, Generic[Told]):
    """What a publish wrote.

    Attributes:
        publication_id: the folder that readers now see.
        n_rows: of this study, by mart.
        report: what was told of writing it.
        archive: the folder where the run is kept.
        kept, removed: the runs of the study that are, and those that were removed because newer ones fill up keep.
        seconds: that it took, waiting included.
    """

    publication_id: str
    n_rows: dict[str, int]
    report: Told
    archive: Path
    kept: list[str]
    removed: list[str]
    seconds: float


def publish(home: Home, run: FinishedRun, write_report: WriteReport[Told]) -> Published[Told]:
    """Replace what a study has published, and leave the rows and reports of every other study as they are.

    Args:
        home: the warehouse.
        run: what is published; no other process has its build file open for writing.
        write_report: of report/, which reads what is published here.

    Raises:
        WarehouseError: the build file holds no marts or cannot be read, the folders cannot be written, the clock is
            behind the last publication, the published database cannot be read or holds rows that no longer fit, or a
            simulated study would replace what real models answered. Readers then see what they saw before.
    """
    started = time.monotonic()
    if not run.build_path.is_file():
        raise _not_run(run)
    with tells_what_cannot_be_written(home), publish_lock(home):
        done = _publish(home, run, write_report)
    return done._replace(seconds=time.monotonic() - started)


@contextmanager
def tells_what_cannot_be_written(home: Home) -> Iterator[None]:
    """Tell whoever publishes what to do where the folders of a warehouse cannot be written.

    Raises:
        WarehouseError: they cannot.
    """
    try:
        yield
    except (OSError, duckdb.IOException) as error:
        remedy = write_remedy(home.root, error, "free some space, lower keep in the study file")
        raise WarehouseError(home.root, error, "a folder that can be written", remedy) from error


def _not_run(run: FinishedRun) -> WarehouseError:
    remedy = f"run the study {run.study_id} before publishing it"
    return WarehouseError(run.build_path, "no marts", "those of a run", remedy)


def _publish(home: Home, run: FinishedRun, write_report: WriteReport[Told]) -> Published[Told]:
    published_at, earlier = utc_now(), Home(home.current.resolve())
    with connect() as connection:
        attach(connection, "build", run.build_path)
        run_id = _run_id(connection, run)
        if has_stand_in(connection, "build", "marts", run.study_id):
            refuse_simulation(home, run.study_id)
        publication = new_publication(home, published_at, run_id)
        stamp = Stamp(run.study_id, id_of(publication), published_at, run.spent)
        this = ArchivedRun(run_id, published_at.isoformat(), home.archives(run.study_id) / run_id)
        runs = [this, *(one for one in archived_runs(home, run.study_id) if one.run_id != run_id)]
        kept, removed = runs[: run.keep], runs[run.keep :]
        database = earlier.published if earlier.published.is_file() else None
        n_rows = merge(connection, database, publication, stamp, kept)
    report = write_report(publication.published, run.study_id, publication.report(run.study_id))
    _copy_preregistrations(home, publication, run.study_id)
    share(publication, earlier, SHARED)
    archive = write_archive(publication, run.study_id, run.study_file, this.folder)
    whole = commit(
        home,
        publication,
        published_at,
        archive,
        study_id=run.study_id,
        run_id=run_id,
        removed=[one.path for one in removed],
    )
    finish(home, whole)
    names = [one.run_id for one in kept], [one.run_id for one in removed]
    return Published(stamp.publication_id, n_rows, report, this.folder, *names, seconds=0.0)


def _run_id(connection: duckdb.DuckDBPyConnection, run: FinishedRun) -> str:
    """The run that a build file holds the marts of."""
    query = "select run_id from build.marts.studies where study_id = ?"
    try:
        row = connection.execute(query, [run.study_id]).fetchone()
    except duckdb.CatalogException:  # no marts
        row = None
    if row is None:
        raise _not_run(run)
    return str(row[0])


def _copy_preregistrations(home: Home, publication: Home, study_id: str) -> None:
    if home.preregistrations(study_id).is_file():
        publication.preregistrations(study_id).parent.mkdir(exist_ok=True)
        shutil.copyfile(home.preregistrations(study_id), publication.preregistrations(study_id))
