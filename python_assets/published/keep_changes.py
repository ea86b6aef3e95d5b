"""Keep what a gate compared: a publication with the tested changes of two runs, and the study's report with them.

Belongs here: in which order it is written, which is that of a publish. The rows are the gate's, and merged by merge.py.
"""

from typing import TYPE_CHECKING

import duckdb

from python_assets.published.merge import RUN_CHANGES, RUNS, Stamp, attach, marts_of, merge_changes
from python_assets.published.publication import commit, finish, id_of, new_publication, publish_lock, share
from python_assets.published.publish import SHARED, Told, WriteReport, tells_what_cannot_be_written
from python_assets.warehouse.build import Home, connect, utc_now

if TYPE_CHECKING:
    import pandas as pd


def keep_changes(
    home: Home, study_id: str, pair: tuple[str, str], changes: "pd.DataFrame", write_report: WriteReport[Told]
) -> bool:
    """Publish what a gate found of two runs, in the place of what it found of them before.

    Args:
        home: the warehouse.
        study_id: the study.
        pair: the run, and the earlier one that it was held against.
        changes: rows of run_changes, less study_id and the runs.
        write_report: as of publish; the report in the archive of the run stays as it is.

    Returns:
        Whether readers see them: not where the run is not published, or by a version without run_changes.

    Raises:
        WarehouseError: the folders cannot be written, the clock is behind the last publication, or the published
            database cannot be read.
    """
    if not home.published.is_file():
        return False
    with tells_what_cannot_be_written(home), publish_lock(home):
        published_at, earlier = utc_now(), Home(home.current.resolve())
        with connect() as connection:
            attach(connection, "earlier", earlier.published)
            if not _has_place(connection, study_id, pair[0]):
                return False
            publication = new_publication(home, published_at, "gate")
            stamp = Stamp(study_id, id_of(publication), published_at)
            merge_changes(connection, publication, stamp, pair, changes)
        write_report(publication.published, study_id, publication.report(study_id))
        share(publication, earlier, SHARED)
        finish(home, commit(home, publication, published_at, study_id=study_id, run_id=pair[0]))
    return True


def _has_place(connection: duckdb.DuckDBPyConnection, study_id: str, run_id: str) -> bool:
    if not {RUNS, RUN_CHANGES} <= {mart.name for mart in marts_of(connection, "earlier", "main")}:
        return False
    query = f"select 1 from earlier.main.{RUNS} where study_id = ? and run_id = ?"
    return connection.execute(query, [study_id, run_id]).fetchone() is not None
