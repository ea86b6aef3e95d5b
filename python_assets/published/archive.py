"""Keep what a study published: its marts, its report and its study file in a folder of the run.

Belongs here: writing such a folder under another name, putting it in its place when it is whole, and removing one.
Which runs are kept is said by publications (merge.py); reading one is archived.py.
"""

import shutil
from pathlib import Path
from typing import Final, NamedTuple

import duckdb

from python_assets.published.archived import MARTS
from python_assets.published.copies import (
    factors_of,
    identifier,
    literal,
    manifest_of,
    study_row,
    write_manifest,
    write_table,
)
from python_assets.published.hidden_texts import hide_texts
from python_assets.published.manifest import MANIFEST_FILE, ExportedFile
from python_assets.published.merge import TABLES_OF_RUNS
from python_assets.published.query import open_published
from python_assets.warehouse.build import UNFINISHED, Home
from python_assets.warehouse.file_hashes import sha256_of_file

REPORT: Final = "report.html"
REPLACED: Final = f".replaced{UNFINISHED}"


class Archive(NamedTuple):
    """The folder of a run and the sha256 of its manifest; it lies under another name until it is put in place."""

    folder: Path
    sha256: str


def write_archive(publication: Home, study_id: str, study_file: Path, folder: Path) -> Archive:
    """Write the folder of a run that is being published, under another name.

    Args:
        publication: the folder that holds its database and its report.
        study_id: the study.
        study_file: what was run; left out where the study hides its texts, which stand in it.
        folder: where the run is to lie.

    Raises:
        OSError, duckdb.IOException: the folder cannot be written.
    """
    unfinished = _unfinished(folder)
    if unfinished.exists():
        shutil.rmtree(unfinished)
    (unfinished / MARTS).mkdir(parents=True)
    shutil.copyfile(publication.report(study_id), unfinished / REPORT)
    with open_published(publication.published, writes_to=unfinished / MARTS) as connection:
        hides_texts = hide_texts(connection, study_id)
        study = study_row(connection, study_id)
        files = _marts_written(connection, study_id, study["run_id"], unfinished / MARTS)
        manifest = manifest_of(connection, study, "archive", files, factors_of(connection, study))
    if not hides_texts:
        shutil.copyfile(study_file, unfinished / f"{study_id}.yml")
    digests = {path.name: sha256_of_file(path) for path in sorted(unfinished.iterdir()) if path.is_file()}
    write_manifest(unfinished, manifest.model_copy(update={"hides_texts": hides_texts, "beside": digests}))
    return Archive(folder, sha256_of_file(unfinished / MANIFEST_FILE))


def _marts_written(
    connection: duckdb.DuckDBPyConnection, study_id: str, run_id: str, folder: Path
) -> list[ExportedFile]:
    tables = connection.execute(
        "select distinct table_name from duckdb_columns() "
        "where column_name = 'study_id' and not starts_with(table_name, 'v_') order by 1"  # no views
    ).fetchall()
    written = []
    for (table,) in tables:
        run_condition = f" and run_id = {literal(run_id)}" if table in TABLES_OF_RUNS else ""
        query = f"select * from {identifier(table)} where study_id = $study{run_condition}"
        written.append(write_table(connection, query, study_id, folder / f"{table}.parquet", "parquet"))
    return written


def put_in_place(archive: Archive) -> None:
    """Rename the folder of a run that is whole to its name; what was in its place goes.

    Safe to be called again after a kill; of a folder that is in its place nothing is changed.
    """
    unfinished, replaced = _unfinished(archive.folder), archive.folder.with_name(archive.folder.name + REPLACED)
    manifest = unfinished / MANIFEST_FILE
    if manifest.is_file() and sha256_of_file(manifest) == archive.sha256:
        if archive.folder.exists():
            archive.folder.rename(replaced)
        unfinished.rename(archive.folder)
    if replaced.exists():
        shutil.rmtree(replaced)


def remove_archive(folder: Path) -> None:
    """Remove the folder of a run, which must not be there by half; one that is gone is no error."""
    doomed = _unfinished(folder)
    if folder.exists() and not doomed.exists():
        folder.rename(doomed)
    if doomed.exists():
        shutil.rmtree(doomed)


def _unfinished(folder: Path) -> Path:
    return folder.with_name(folder.name + UNFINISHED)
