"""Publications: a folder each with database, Parquet files, reports, freezes and manifest, and the link to the latest.

Belongs here: writing such a folder under another name, making it the one that readers see by replacing one link, and
going on after a kill. What lies in it is written by publish.py. A folder is laid out as a warehouse is (Home), and
nothing in it is ever changed: other publications may share its files.
"""

import fcntl
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Final, Literal

import duckdb
from pydantic import BaseModel, ConfigDict, ValidationError

from python_assets.errors import WarehouseError
from python_assets.published.archive import Archive, put_in_place, remove_archive
from python_assets.published.manifest import MANIFEST_FILE
from python_assets.warehouse.build import UNFINISHED, Home, utc_now
from python_assets.warehouse.chain import Entry, clock_of, open_chain, read_chain
from python_assets.warehouse.file_hashes import sha256_of_file
from python_assets.warehouse.lines import TIME

_FORMAT: Final = "plumbline publication 1"
KEPT_PUBLICATIONS: Final = 3  # for readers that resolved the link before it was replaced
LINKED: Final = ("plumbline.duckdb", "parquet", "report")  # paths of readers, links through the current publication
_EARLIER: Final = "earlier"  # ends the id of a publication that took over a warehouse of before there were any
N_FLUSHED: Final = 8  # files at a time


class PublicationManifest(BaseModel):
    """What a publication is of.

    Attributes:
        study_id, run_id: what was published; '' where a warehouse of before was taken over. is_drop: they are what
            was dropped, of a study its earlier run; without a run, all of it.
        previous: the publication before it, '' of the first.
        files: sha256 by path, from the folder of the publication.
        archive: the folder where the run is kept, from the folder of the warehouse, and the sha256 of its manifest.
        removed: folders of runs that are no longer kept, or were dropped.
        chain: the sha256 of the last line of the chain when this was written.
        versions: of what wrote it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["plumbline publication 1"] = _FORMAT
    publication_id: str
    published_at: datetime
    study_id: str = ""
    run_id: str = ""
    is_drop: bool = False
    previous: str
    files: dict[str, str]
    archive: str = ""
    archive_sha256: str = ""
    removed: list[str] = []
    chain: str
    versions: dict[str, str]


def publications(home: Home) -> list[Home]:
    """The publications that are there whole, the earliest first."""
    folders = home.publications.iterdir() if home.publications.is_dir() else ()
    return [Home(path) for path in sorted(folders) if path.is_dir() and not path.name.startswith(".")]


def read_publication(publication: Home) -> PublicationManifest:
    """The manifest of a publication.

    Raises:
        WarehouseError: it is not there, or no manifest of this version.
    """
    path = publication.root / MANIFEST_FILE
    try:
        return PublicationManifest.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        got = error if isinstance(error, OSError) else f"{error.error_count()} fields that are not as expected"
        remedy = "move the folder of the publication away and publish its study again"
        raise WarehouseError(path, got, f"a manifest of format {_FORMAT!r}", remedy) from error


@contextmanager
def publish_lock(home: Home) -> Iterator[None]:
    """Let one process after another publish; what a killed one had begun is finished or removed.

    Args:
        home: the warehouse; its folders are made.

    Raises:
        WarehouseError: the clock is behind the last publication, or what is there cannot be read.
        OSError: the folders cannot be written.
    """
    home.publications.mkdir(parents=True, exist_ok=True)
    with (home.root / ".publish.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if there := publications(home):
            finish(home, there[-1])
        remove_unfinished(home)
        try:
            _take_over(home)
            yield
        finally:
            remove_unfinished(home)


def remove_unfinished(home: Home) -> None:
    """Remove what is not whole; nothing that a publication names."""
    for pattern in (f"*{UNFINISHED}*", f"archive/*/*{UNFINISHED}", f"{home.publications.name}/.*"):
        for path in home.root.glob(pattern):
            _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def new_publication(home: Home, published_at: datetime, name: str) -> Home:
    """Make the folder of a publication, under another name until it is committed.

    Args:
        home: the warehouse, with publish_lock held.
        published_at: UTC.
        name: the run, whose first letters end the id.

    Raises:
        WarehouseError: an earlier publication is of a later time.
    """
    publication_id = f"{published_at:%Y%m%dT%H%M%S.%fZ}-{re.sub(r'[^A-Za-z0-9]', '', name)[:8]}"
    if there := publications(home):
        clock_of(there[-1].root, read_publication(there[-1]).published_at.strftime(TIME))
    folder = home.publications / f".{publication_id}"
    folder.mkdir()
    return Home(folder)


def id_of(publication: Home) -> str:
    """The id of a publication, committed or not."""
    return publication.root.name.removeprefix(".")


def share(publication: Home, earlier: Home, names: Iterable[str]) -> None:
    """Have the files of an earlier publication that this one has not written, by hard links where there are such.

    Args:
        publication: not committed yet.
        earlier: the publication before it, or a warehouse of before there were any.
        names: of its folders, or of files in it.
    """
    for name in names:
        source = earlier.root / name
        for path in source.iterdir() if source.is_dir() else [source]:
            target = publication.root / path.relative_to(earlier.root)
            if path.is_file() and UNFINISHED not in path.name and not target.exists():
                target.parent.mkdir(exist_ok=True)
                _link_or_copy(path, target)


def _link_or_copy(path: Path, target: Path) -> None:
    try:
        target.hardlink_to(path)
    except OSError:  # a file system without hard links, or another one
        shutil.copyfile(path, target)


def commit(
    home: Home, publication: Home, published_at: datetime, archive: Archive | None = None, **told: object
) -> Home:
    """Write the manifest of a publication that is whole otherwise, and rename it to its name once it is on disk.

    From then on it is finished by whoever publishes next, even if this process is killed.

    Args:
        home: the warehouse, with publish_lock held.
        publication: of new_publication.
        published_at: UTC.
        archive: the run, written and not in its place yet.
        told: fields of the manifest.
    """
    there, lines = publications(home), read_chain(home)
    folders = [publication.root, *([archive.folder.with_name(archive.folder.name + UNFINISHED)] if archive else [])]
    digests = _flushed(folders)
    manifest = PublicationManifest.model_validate(
        {
            "publication_id": id_of(publication),
            "published_at": published_at,
            "previous": there[-1].root.name if there else "",
            "files": {
                path.relative_to(publication.root).as_posix(): digest
                for path, digest in sorted(digests.items())
                if path.is_relative_to(publication.root)
            },
            "archive": archive.folder.relative_to(home.root).as_posix() if archive else "",
            "archive_sha256": archive.sha256 if archive else "",
            "chain": lines[-1].sha256 if lines else "",
            "versions": {"plumbline": version("plumbline"), "duckdb": duckdb.__version__, "python": python_version()},
            **told,
        }
    )
    path = publication.root / MANIFEST_FILE
    path.write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
    _flush(path)
    _flush(publication.root)
    whole = publication.root.rename(home.publications / id_of(publication))
    _flush(home.publications)
    return Home(whole)


def _flushed(folders: Iterable[Path]) -> Mapping[Path, str]:
    """The sha256 of every file below some folders, once they are on disk with the names of what lies in them."""
    paths = [path for folder in folders for path in (folder, *folder.rglob("*"))]
    files = [path for path in paths if path.is_file()]
    with ThreadPoolExecutor(N_FLUSHED) as pool:
        digests = list(pool.map(_flush_file, files))
        list(pool.map(_flush, (path for path in paths if path.is_dir())))
    return dict(zip(files, digests, strict=True))


def _flush_file(path: Path) -> str:
    _flush(path)
    return sha256_of_file(path)


def _flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def finish(home: Home, publication: Home) -> None:
    """Have readers see a publication that was committed: its archive first, then one link, then the rest.

    Each step leaves alone what is done already, so that all of them can be done again after a kill.

    Raises:
        WarehouseError: its manifest cannot be read, or the chain cannot be written.
        OSError: the folders cannot be written.
    """
    manifest = read_publication(publication)
    with open_chain(home) as chain:
        if manifest.archive:
            chain.add(Entry("archive", manifest.study_id, manifest.run_id, manifest.archive_sha256))
        digest = sha256_of_file(publication.root / MANIFEST_FILE)
        if manifest.is_drop:
            chain.add(Entry("drop", manifest.study_id, manifest.run_id, digest))
        chain.add(Entry("publication", manifest.study_id, id_of(publication), digest))
    if manifest.archive:
        put_in_place(Archive(home.root / manifest.archive, manifest.archive_sha256))
        _flush((home.root / manifest.archive).parent)
    _link(home.current, Path(home.publications.name) / publication.root.name)
    for name in LINKED:
        if not os.path.lexists(home.root / name):
            _link(home.root / name, Path(home.current.name) / name)
    _flush(home.root)
    for path in manifest.removed:
        remove_archive(home.root / path)
    n_kept = 1 if manifest.is_drop else KEPT_PUBLICATIONS  # those before it hold what was dropped
    for old in publications(home)[:-n_kept]:
        _remove(old.root.rename(home.publications / f".{old.root.name}"))


def _link(path: Path, target: Path) -> None:
    """Have a relative link in the place of what is there, in one step."""
    if path.is_symlink() and path.readlink() == target:
        return
    fresh = path.with_name(f".{path.name}{UNFINISHED}")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(target)
    os.replace(fresh, path)  # noqa: PTH105


def _take_over(home: Home) -> None:
    """Make a publication of a warehouse of before there were any, and links of its files; of a new one nothing.

    Readers find the same files at the same paths all the while, but for the moment in which a link takes the place of
    a folder; what a kill leaves is taken over again.
    """
    real = [path for path in (home.root / name for name in LINKED) if path.exists() and not path.is_symlink()]
    if not real:
        return
    published_at = utc_now()
    publication = new_publication(home, published_at, _EARLIER)
    share(publication, home, LINKED)
    finish(home, commit(home, publication, published_at))
    for path in real:
        if path.is_dir() and path != home.published:
            path.rename(path.with_name(f".{path.name}.{_EARLIER}{UNFINISHED}"))
        _link(path, Path(home.current.name) / path.name)
