"""Keep what a study published: its marts, its report and its study file in a folder of the run.

Belongs here: writing such a folder, removing the oldest, and saying so in table publications. The folder is
renamed into its place when it is whole, so that none is ever there by half. Reading one is archived.py.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import duckdb

from python_assets.errors import WarehouseError
from python_assets.published.archived import MARTS, WRITING, ArchivedRun, archived_runs
from python_assets.published.copies import (
    factors_of,
    identifier,
    literal,
    manifest_of,
    study_row,
    write_manifest,
    write_table,
)
from python_assets.published.manifest import ExportedFile
from python_assets.published.publish import UNFINISHED, publish_lock
from python_assets.published.query import open_published
from python_assets.warehouse.build import Home, utc_now, write_remedy

REPORT: Final = "report.html"
PUBLICATIONS: Final = "publications"


class Archived(NamedTuple):
    """The folder of the run, None where none is kept; the runs that are kept, and those that were removed."""

    folder: Path | None
    kept: list[str]
    removed: list[str]


def archive_study(home: Home, study_id: str, study_file: Path, keep: int) -> Archived:
    """Keep the latest run of a published study, and remove the oldest that are more than are kept.

    Args:
        home: the warehouse, with the study published and its report written.
        study_id: the study.
        study_file: what was run.
        keep: how many runs of the study are kept, this one among them.

    Returns:
        Where it lies, and which runs are kept and removed; publications says the same.

    Raises:
        WarehouseError: the study is not published, or the folders cannot be written.
    """
    try:
        with publish_lock(home):
            _remove_unfinished(home.archives(study_id))
            folder = _written(home, study_id, study_file) if keep else None
            runs = archived_runs(home, study_id)
            kept, removed = runs[:keep], runs[keep:]
            # readers are told first: a folder that publications names is there
            _tell(home, study_id, kept)
            for run in removed:
                _remove(run.folder)
    except (OSError, duckdb.IOException) as error:
        remedy = write_remedy(home.archives(study_id), error, "free some space, lower keep in the study file")
        raise WarehouseError(home.archives(study_id), error, "a folder that can be written", remedy) from error
    return Archived(folder, [run.run_id for run in kept], [run.run_id for run in removed])


def _written(home: Home, study_id: str, study_file: Path) -> Path:
    """Write the folder of the latest run under another name and rename it; what was in its place goes."""
    with open_published(home.published) as connection:
        run_id = study_row(connection, study_id)["run_id"]
    target = home.archives(study_id) / run_id
    unfinished = target.with_name(f"{run_id}{WRITING}")
    (unfinished / MARTS).mkdir(parents=True)
    shutil.copyfile(study_file, unfinished / f"{study_id}.yml")
    shutil.copyfile(home.report(study_id), unfinished / REPORT)
    with open_published(home.published, writes_to=unfinished / MARTS) as connection:
        study = study_row(connection, study_id)
        files = _marts_written(connection, study_id, run_id, unfinished / MARTS)
        factors = factors_of(connection, study)
        manifest = manifest_of(connection, study, "archive", files, factors)
    write_manifest(unfinished, manifest)
    if target.exists():
        _remove(target)
    unfinished.rename(target)
    return target


def _marts_written(
    connection: duckdb.DuckDBPyConnection, study_id: str, run_id: str, folder: Path
) -> list[ExportedFile]:
    tables = connection.execute(
        "select table_name from duckdb_columns() "
        "where column_name = 'study_id' and not starts_with(table_name, 'v_') order by 1"  # no views
    ).fetchall()
    written = []
    for (table,) in tables:
        of_run = f" and run_id = {literal(run_id)}" if table == PUBLICATIONS else ""
        query = f"select * from {identifier(table)} where study_id = $study{of_run}"
        written.append(write_table(connection, query, study_id, folder / f"{table}.parquet", "parquet"))
    return written


def _remove(folder: Path) -> None:
    """Remove a folder that must not be there by half."""
    doomed = folder.with_name(f"{folder.name}{WRITING}")
    if not doomed.exists():
        folder = folder.rename(doomed)
    shutil.rmtree(folder)


def _remove_unfinished(folder: Path) -> None:
    for path in folder.glob(f"*{WRITING}"):
        shutil.rmtree(path)


def _tell(home: Home, study_id: str, kept: Sequence[ArchivedRun]) -> None:
    """Write in publications which runs of a study are kept, and where, in a new published database."""
    unfinished = home.published.with_name(home.published.name + UNFINISHED)
    parquet = home.parquet / f"{PUBLICATIONS}.parquet"
    unfinished_parquet = parquet.with_name(parquet.name + UNFINISHED)
    shutil.copyfile(home.published, unfinished)
    with duckdb.connect(str(unfinished), config={"autoinstall_known_extensions": False}) as connection:
        _bring_back(connection, kept)
        _say_where(connection, home, study_id, kept)
        connection.execute(f"copy {PUBLICATIONS} to {literal(str(unfinished_parquet))} (format parquet)")
        connection.execute("checkpoint")
    os.replace(unfinished, home.published)  # noqa: PTH105
    os.replace(unfinished_parquet, parquet)  # noqa: PTH105


def _bring_back(connection: duckdb.DuckDBPyConnection, kept: Sequence[ArchivedRun]) -> None:
    """Runs that are kept though the published database was made anew since."""
    known = {run_id for (run_id,) in connection.execute(f"select run_id from {PUBLICATIONS}").fetchall()}
    there = _columns(connection, PUBLICATIONS)
    for run in kept:
        path = run.folder / MARTS / f"{PUBLICATIONS}.parquet"
        if run.run_id not in known and path.is_file():
            written = f"read_parquet({literal(str(path))})"
            names = ", ".join(identifier(name) for name in _columns(connection, written) if name in there)
            connection.execute(f"insert into {PUBLICATIONS} ({names}) select {names} from {written}")


def _columns(connection: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    return [name for name, *_ in connection.execute(f"describe select * from {table}").fetchall()]


def _say_where(connection: duckdb.DuckDBPyConnection, home: Home, study_id: str, kept: Sequence[ArchivedRun]) -> None:
    connection.execute(
        f"update {PUBLICATIONS} set archive_path = null, archive_removed_at = ? "
        "where study_id = ? and archive_path is not null and not list_contains(?, run_id)",
        [utc_now(), study_id, [run.run_id for run in kept]],
    )
    for run in kept:
        connection.execute(
            f"update {PUBLICATIONS} set archive_path = ?, archive_removed_at = null where study_id = ? and run_id = ?",
            [str(run.folder.relative_to(home.root)), study_id, run.run_id],
        )
