"""Bytes to text: UTF-8, and what is not UTF-8 is set aside with its position.

Belongs here: decoding alone, for every stage that reads a text file of the user.
"""

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple
from zipfile import ZipFile

from python_assets.errors import SourceError, Where
from python_assets.texts.limits import MOST_UNPACKED_BYTES
from python_assets.warehouse.build import Quarantined

PACKED: Final = ".gz"
_AT_ONCE: Final = 1024 * 1024
_DOCTYPE: Final = tuple("<!DOCTYPE".encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be"))
_LONGEST_MARK: Final = max(map(len, _DOCTYPE))

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
    """See that a file of Word or Excel is not made to fill memory, and hides no text.

    What it unpacks to is counted, whatever it declares. Neither program writes entities: readers leave out what
    stands behind one.

    Raises:
        ValueError: its parts unpack to more than MOST_UNPACKED_BYTES, or one declares a document type.
        BadZipFile, zlib.error, RuntimeError: a part is torn, packed in another way, or has a password.
    """
    n_bytes = 0
    for member in packed.infolist():
        before = b""
        with packed.open(member) as unpacking:
            while piece := unpacking.read(_AT_ONCE):
                n_bytes += len(piece)
                if member.filename.endswith((".xml", ".rels")) and any(mark in before + piece for mark in _DOCTYPE):
                    raise ValueError(f"its {member.filename} has a document type, behind whose entities text can stand")
                before = piece[-_LONGEST_MARK:]
                if n_bytes > MOST_UNPACKED_BYTES:
                    raise ValueError(f"it unpacks to more than {MOST_UNPACKED_BYTES:,} bytes")


def read_bytes(path: Path, field: Where) -> bytes:
    """Read a file of the user.

    Raises:
        SourceError: it is missing, unreadable or no file.
    """
    require_file(path, field)
    try:
        return _unpacked(path) if path.suffix.lower() == PACKED else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, field, error) from error


def _unreadable(path: Path, field: Where, error: Exception) -> SourceError:
    reason = getattr(error, "strerror", None) or error
    remedy = "correct the path, which starts from the folder of the study file, or the file's permissions"
    return SourceError(field, f"{reason}: {path}", "a file that can be read", remedy)


def _require_text(data: bytes, path: Path, field: Where) -> None:
    if b"\0" in data:
        got = f"{path} with zero bytes (UTF-16, perhaps, or a binary file)"
        raise SourceError(field, got, "UTF-8 text", "save it as such")


def _empty(path: Path, field: Where) -> SourceError:
    return SourceError(field, f"{path}, which is empty", "text", "fill the file or take it out")


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
    _require_text(data, path, field)
    decoded = decode(data)
    if not decoded.text.strip():
        raise _empty(path, field)
    return decoded


def read_lines(path: Path, field: Where) -> Iterator[tuple[str, list[Undecodable]]]:
    """Read a text file of the user line by line, however long it is.

    Args:
        path: the file.
        field: the field of the study file that names it, for the error text.

    Yields:
        Each line without its end, and its undecodable bytes with their positions in the file.

    Raises:
        SourceError: the file is missing, unreadable, empty or not text.
    """
    require_file(path, field)
    start, is_empty = 0, True
    try:
        with path.open("rb") as file:
            for line in file:
                _require_text(line, path, field)
                decoded = decode(line.removesuffix(b"\n"))
                is_empty &= not decoded.text.strip()
                yield decoded.text, [Undecodable(start + position, data) for position, data in decoded.undecodable]
                start += len(line)
    except OSError as error:
        raise _unreadable(path, field, error) from error
    if is_empty:
        raise _empty(path, field)


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
