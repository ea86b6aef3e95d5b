"""Bytes to text: UTF-8, and what is not UTF-8 is set aside with its position.

Belongs here: decoding alone, for every stage that reads a text file of the user.
"""

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple
from zipfile import ZipFile

from python_assets.errors import SourceError, Where
from python_assets.texts.limits import MOST_UNPACKED_BYTES
from python_assets.warehouse.build import Quarantined

PACKED: Final = ".gz"

# what the error handler surrogateescape makes of a byte it cannot decode
_ESCAPED = re.compile("[\udc80-\udcff]+")


class Undecodable(NamedTuple):
    """A run of bytes that is not UTF-8 and its position in the file, counted from 0."""

    position: int
    data: bytes


class Decoded(NamedTuple):
    """The text of a file without its undecodable bytes, those bytes, and the hash of the whole file."""

    text: str
    undecodable: list[Undecodable]
    sha256: str


def decode(data: bytes) -> Decoded:
    """Decode UTF-8, leaving out the bytes that are not.

    Args:
        data: the bytes of a file; a byte order mark is dropped.

    Returns:
        The text and every run of undecodable bytes with its position.
    """
    escaped = data.decode("utf-8", "surrogateescape")
    undecodable = []
    position = done = 0
    for match in _ESCAPED.finditer(escaped):
        run = match.group().encode("utf-8", "surrogateescape")
        position += len(escaped[done : match.start()].encode("utf-8"))
        undecodable.append(Undecodable(position, run))
        position += len(run)
        done = match.end()
    text = _ESCAPED.sub("", escaped) if undecodable else escaped
    return Decoded(text.removeprefix("\ufeff"), undecodable, hashlib.sha256(data).hexdigest())


def require_file(path: Path, field: Where) -> None:
    """See that what a path names is no pipe or device, which may never end.

    Raises:
        SourceError: it is there and is no file.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise SourceError(field, f"{path}, a pipe or a device", "a file", "correct the path")


def check_unpacked(packed: ZipFile) -> None:
    """See that a packed file is not made to fill memory: of no part more is unpacked than it declares.

    Raises:
        ValueError: its parts declare more than MOST_UNPACKED_BYTES.
    """
    n_bytes = sum(part.file_size for part in packed.infolist())
    if n_bytes > MOST_UNPACKED_BYTES:
        raise ValueError(f"it unpacks to {n_bytes:,} bytes, more than {MOST_UNPACKED_BYTES:,}")


def read_bytes(path: Path, field: Where) -> bytes:
    """Read a file of the user.

    Raises:
        SourceError: it is missing, unreadable or no file.
    """
    require_file(path, field)
    try:
        return _unpacked(path) if path.suffix.lower() == PACKED else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        remedy = "correct the path, which starts from the folder of the study file, or the file's permissions"
        raise SourceError(field, f"{reason}: {path}", "a file that can be read", remedy) from error


def _unpacked(path: Path) -> bytes:
    """What a gzip file holds; it is read no further than a file may unpack to."""
    with gzip.open(path) as packed:
        data = packed.read(MOST_UNPACKED_BYTES + 1)
    if len(data) > MOST_UNPACKED_BYTES:
        raise OSError(f"it unpacks to more than {MOST_UNPACKED_BYTES:,} bytes")
    return data


def read_text(path: Path, field: Where, decode: Callable[[bytes], Decoded] = decode) -> Decoded:
    """Read a text file of the user.

    Args:
        path: the file.
        field: the field of the study file that names it, for the error text.
        decode: bytes to text.

    Returns:
        Its text and its undecodable bytes.

    Raises:
        SourceError: the file is missing, unreadable, empty or not text.
    """
    data = read_bytes(path, field)
    if b"\0" in data:
        got = f"{path} with zero bytes (UTF-16, perhaps, or a binary file)"
        raise SourceError(field, got, "UTF-8 text", "save it as such")
    decoded = decode(data)
    if not decoded.text.strip():
        raise SourceError(field, f"{path}, which is empty", "text", "fill the file or take it out")
    return decoded


def quarantine_undecodable(stage: str, record: str, undecodable: list[Undecodable]) -> list[Quarantined]:
    """Quarantine rows for undecodable bytes.

    Args:
        stage: the stage that read them, for the text.
        record: the id of the document or table they stand in.
        undecodable: the bytes.

    Returns:
        One row a run of bytes, keyed by record and position.
    """
    return [
        Quarantined(
            f"{record}@{position}",
            "undecodable_bytes",
            f"{stage}: {len(data)} byte(s) at position {position} of {record} are not UTF-8: left out",
            json.dumps({"position": position, "bytes": data.hex(" ")}),
        )
        for position, data in undecodable
    ]
