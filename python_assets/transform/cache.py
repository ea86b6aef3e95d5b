"""Compiled projects kept for all warehouses of a user: one file each, whole or not there.

Belongs here: where they lie, who may have written them, and which stay.
"""

import fcntl
import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from python_assets.errors import WarehouseError
from python_assets.warehouse import paths
from python_assets.warehouse.build import make_folder, write_remedy

KEPT_PROJECTS: Final = 3
_PARSED: Final = "partial_parse.msgpack"


def cached(digest: str, make: Callable[[Path], Mapping[str, Any]]) -> Mapping[str, Any]:
    """What was made of a digest, made where it is not there, was cut or was edited; of two processes one makes it.

    Args:
        digest: of all that it is made of.
        make: makes it. It is given a file in which dbt may keep what it has parsed, for the next version.

    Raises:
        WarehouseError: neither the cache nor the warehouse can be written.
    """
    folder = _folder()
    file = folder / f"{digest}.json"
    if (content := _read(file)) is not None:
        return content
    with _locked(folder):
        if (content := _read(file)) is None:
            content = make(folder / _PARSED)
            _write(file, content)
            for old in sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)[:-KEPT_PROJECTS]:
                old.unlink()
    return content


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One process at a time.

    Raises:
        WarehouseError: the folder cannot be written.
    """
    try:
        with (folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise WarehouseError(folder, error, "a folder that can be written", write_remedy(folder, error)) from error


def _folder() -> Path:
    """The folder of the user's cache; one in the warehouse where others could write in that, or nobody can."""
    folder = paths.cache_folder() / "dbt"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        entry = folder.stat()
    except OSError:
        entry = None
    others = stat.S_IWGRP | stat.S_IWOTH
    # SQL is executed from it
    if entry and entry.st_uid == os.geteuid() and not entry.st_mode & others and os.access(folder, os.W_OK | os.X_OK):
        return folder
    folder = paths.home().root / "build" / "dbt"
    make_folder(folder)
    return folder


def _read(file: Path) -> Mapping[str, Any] | None:
    """The content of a file whose first line is the digest of the rest."""
    try:
        digest, _, content = file.read_bytes().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(content).hexdigest().encode() != digest:
        return None
    parsed: Mapping[str, Any] = json.loads(content)
    return parsed


def _write(file: Path, made: Mapping[str, Any]) -> None:
    content = json.dumps(made, ensure_ascii=False).encode()
    unfinished = file.with_suffix(".unfinished")
    unfinished.write_bytes(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
    unfinished.replace(file)
