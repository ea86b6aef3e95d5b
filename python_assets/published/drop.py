"""Drop a study, or an earlier run of one: a publication without it, and its kept runs removed.

Belongs here: what would be lost, who still needs it, and in which order it goes, which is that of a publish. Response
logs, freezes and looks stay: they cannot be made again.
"""

import json
import os
from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb

from python_assets.errors import WarehouseError
from python_assets.published.archived import ArchivedRun, archived_runs
from python_assets.published.manifest import MANIFEST_FILE
from python_assets.published.merge import EVERY_RUN, RUNS, Stamp, attach, marts_of, merge_without, rows_of
from python_assets.published.publication import commit, finish, id_of, new_publication, publish_lock, share
from python_assets.published.publish import SHARED, tells_what_cannot_be_written
from python_assets.published.query import require_names_of_today
from python_assets.published.runs import RUN_ID_CHARACTERS
from python_assets.study.problems import listed, plural, suggestion
from python_assets.warehouse.build import UNFINISHED, Home, connect, utc_now

MOST_TABLES: Final = 4


class Loss(NamedTuple):
    """What is lost with a study, or with an earlier run of it.

    Attributes:
        study_id: the study.
        run_id: the run; EVERY_RUN where the whole study goes.
        run_ids: all that go, kept or not.
        n_rows: by table that has any.
        kept: the runs among them that are kept.
        n_bytes: in the folders of these.
    """

    study_id: str
    run_id: str
    run_ids: tuple[str, ...]
    n_rows: dict[str, int]
    kept: tuple[ArchivedRun, ...]
    n_bytes: int

    def text(self, home: Home) -> str:
        """What is lost and what stays, for a terminal."""
        what = f"run {self.run_id} of study {self.study_id}" if self.run_id else f"study {self.study_id}"
        largest = sorted(self.n_rows.items(), key=lambda table: -table[1])
        tables = [f"{n:,} of {name}" for name, n in largest[:MOST_TABLES]]
        more = [plural(len(largest) - MOST_TABLES, "more table")] if len(largest) > MOST_TABLES else []
        rows = f"{sum(self.n_rows.values()):,}: {', '.join([*tables, *more])}" if largest else "none"
        n_kept = len(self.kept)
        folders = f"{plural(n_kept, 'folder')}, {self.n_bytes:,} bytes" if n_kept else "no folder: none is kept"
        lines = [
            f"Drop       {what}: {plural(len(self.run_ids), 'run')}",
            f"Rows       {rows}",
            f"Archive    {folders}",
            *(f"           {run.folder}" for run in self.kept),
            *([] if self.run_id else [f"Report     {home.report(self.study_id)}"]),
            "Earlier    publications, which hold all of this, go too: whoever reads one opens it anew",
            f"Stays      the response logs, which are what was paid for: {home.responses(self.study_id)}",
            "           the study file, freezes, looks, exports and the build file, too",
        ]
        return "\n".join(lines)


def loss_of(home: Home, name: str) -> Loss:
    """What is lost where a study or a run is dropped.

    Args:
        home: the warehouse; it is only read.
        name: a study, or a run of any: its id, or RUN_ID_CHARACTERS or more of the beginning.

    Raises:
        WarehouseError: there is neither or more than one; it is the run that the tables hold; another study imports
            it; or the published database cannot be read.
    """
    if not home.published.is_file():
        raise WarehouseError(home.published, "no file", "a study that was run", "there is nothing to drop")
    require_names_of_today(home.published)
    with connect() as connection:
        attach(connection, "earlier", home.published.resolve())
        runs = _runs(connection, home)
        study_id, run_id = _named(name, runs)
        if run_id:
            _require_earlier(connection, study_id, run_id, runs[study_id])
        gone = [run_id] if run_id else runs[study_id]
        _require_no_import(_configs(connection, home), study_id, gone)
        marts = marts_of(connection, "earlier", "main")
        counts = [
            (mart.name, _count(connection, mart.name, where))
            for mart in marts
            if (where := rows_of(mart, study_id, run_id)) != "false"
        ]
    kept = tuple(run for run in archived_runs(home, study_id) if run.run_id in gone)
    files = (path for run in kept for path in run.folder.rglob("*") if path.is_file())
    n_bytes = sum(path.stat().st_size for path in files)
    return Loss(study_id, run_id, tuple(gone), {table: n for table, n in counts if n}, kept, n_bytes)


def drop(home: Home, loss: Loss) -> str:
    """Publish all but a study or an earlier run of it, and remove its kept runs.

    Args:
        home: the warehouse.
        loss: of loss_of, as somebody agreed to it.

    Returns:
        The publication that readers now see; those before it are removed.

    Raises:
        WarehouseError: something else would be lost by now, or as of publish.
    """
    with tells_what_cannot_be_written(home), publish_lock(home):
        current_loss = loss_of(home, loss.run_id or loss.study_id)
        if current_loss != loss:
            got, expected = "a publication since it was told what is lost", "the same as was told"
            raise WarehouseError(f"study {loss.study_id}", got, expected, "give the command again")
        published_at, earlier = utc_now(), Home(home.current.resolve())
        publication = new_publication(home, published_at, "drop")
        stamp = Stamp(loss.study_id, id_of(publication), published_at)
        with connect() as connection:
            attach(connection, "earlier", earlier.published)
            merge_without(connection, publication, stamp, loss.run_id)
        _share(publication, earlier, loss)
        whole = commit(
            home,
            publication,
            published_at,
            study_id=loss.study_id,
            run_id=loss.run_id,
            is_drop=True,
            removed=[run.path for run in loss.kept],
        )
        finish(home, whole)
    return stamp.publication_id


def _share(publication: Home, earlier: Home, loss: Loss) -> None:
    """Have the reports and freezes of before, but the report of a study that goes."""
    dropped = None if loss.run_id else earlier.report(loss.study_id)
    for name in SHARED:
        folder = earlier.root / name
        if folder.is_dir():
            (publication.root / name).mkdir()
            share(publication, earlier, [f"{name}/{path.name}" for path in folder.iterdir() if path != dropped])


def _runs(connection: duckdb.DuckDBPyConnection, home: Home) -> dict[str, list[str]]:
    """The runs of every study that is published or kept, the earliest first."""
    rows = []
    if any(mart.name == RUNS for mart in marts_of(connection, "earlier", "main")):
        query = f"select study_id, run_id from earlier.main.{RUNS} order by study_id, published_at, run_id"
        rows = connection.execute(query).fetchall()
    studies = {study_id for study_id, _ in rows}
    studies |= {path.name for path in home.root.glob("archive/*") if archived_runs(home, path.name)}
    runs: dict[str, list[str]] = {}
    for study_id in sorted(studies):
        published = [run_id for published_study, run_id in rows if published_study == study_id]
        kept = [run.run_id for run in reversed(archived_runs(home, study_id)) if run.run_id not in published]
        runs[study_id] = [*kept, *published]
    return runs


def _named(name: str, runs: dict[str, list[str]]) -> tuple[str, str]:
    """The study and the run that a name is of; EVERY_RUN of a study."""
    if name in runs:
        return name, EVERY_RUN
    is_beginning = len(name) >= RUN_ID_CHARACTERS
    matches = [
        (study_id, run_id)
        for study_id, study_runs in runs.items()
        for run_id in study_runs
        if run_id == name or (is_beginning and run_id.startswith(name))
    ]
    if len(matches) == 1:
        return matches[0]
    if matches:
        got = f"{name!r}, which begins {len(matches)} runs: {listed(run_id for _, run_id in matches)}"
        raise WarehouseError("plumbline drop", got, "one of them", "write it out")
    expected = f"a study ({listed(runs)}) or the id of a run, of which {RUN_ID_CHARACTERS} characters are enough"
    remedy = suggestion(name, runs, "plumbline list has both")
    raise WarehouseError("plumbline drop", repr(name), expected, remedy)


def _require_earlier(connection: duckdb.DuckDBPyConnection, study_id: str, run_id: str, runs: list[str]) -> None:
    """See that the tables, which hold the latest run alone, hold another."""
    latest = connection.execute("select run_id from earlier.main.studies where study_id = ?", [study_id]).fetchone()
    if latest == (run_id,):
        n_earlier = len(runs) - 1
        got = f"run {run_id}, the latest of {study_id}, which the tables hold"
        expected = f"one of {plural(n_earlier, 'earlier run')}" if n_earlier else "the study: it has no other run"
        remedy = f"drop the study, or run it again: plumbline run {study_id}; the run can be dropped then"
        raise WarehouseError("plumbline drop", got, expected, remedy)


class _Config(NamedTuple):
    """A study file as it was run; whose: of which study or kept run, in words."""

    study_id: str
    run_id: str
    whose: str
    content: Any


def _require_no_import(configs: Iterable[_Config], study_id: str, run_ids: Collection[str]) -> None:
    """See that nothing that stays, published or kept, reads a file in the folder of a run that goes."""
    importers = [
        f"{config.whose}, which reads run {run_id}"
        for config in configs
        if config.study_id != study_id or config.run_id not in run_ids
        for run_id in sorted(run_ids)
        if _reads(config.content, study_id, run_id)
    ]
    if importers:
        got, expected = f"imported by {'; '.join(importers)}", "runs that nothing else imports"
        remedy = "drop these first, or let them import an export of it and run them again"
        raise WarehouseError(f"study {study_id}", got, expected, remedy)


def _configs(connection: duckdb.DuckDBPyConnection, home: Home) -> Iterator[_Config]:
    """The study files of every study as it is published, and of each run that is kept."""
    query = "select study_id, run_id, config_json from earlier.main.studies order by study_id"
    for study_id, run_id, config in connection.execute(query).fetchall():
        yield _Config(study_id, run_id, f"study {study_id}", json.loads(config))
    for path in sorted(home.root.glob(f"archive/*/*/{MANIFEST_FILE}")):
        study_id, run_id = path.parts[-3:-1]
        if not run_id.endswith(UNFINISHED):
            yield _Config(study_id, run_id, f"the kept run {run_id} of {study_id}", _config_of(path))


def _config_of(manifest: Path) -> Any:
    try:
        return json.loads(manifest.read_bytes())["config"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        expected, remedy = "a manifest that can be read", "plumbline verify tells what was changed"
        raise WarehouseError(manifest, error, expected, remedy) from error


def _reads(config: Any, study_id: str, run_id: str) -> bool:
    """Whether a study file names a file in the folder of a run, for whatever.

    The folder that its paths are relative to is not published: the end of a path is looked at, from archive/ on.
    """
    if isinstance(config, dict | list):
        return any(_reads(one, study_id, run_id) for one in (config.values() if isinstance(config, dict) else config))
    if not isinstance(config, str):
        return False
    steps = Path(os.path.normpath(os.path.expandvars(config))).parts
    return any(
        folder == "archive" and fnmatchcase(study_id, study) and fnmatchcase(run_id, run)
        for folder, study, run, _ in zip(steps, steps[1:], steps[2:], steps[3:], strict=False)
    )


def _count(connection: duckdb.DuckDBPyConnection, table: str, where: str) -> int:
    rows = connection.execute(f'select count(*) from earlier.main."{table}" where {where}').fetchall()
    return int(rows[0][0])
