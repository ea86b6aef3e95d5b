"""The chain of a warehouse: a line for each freeze, archive, publication and drop, with the hash of the line before it.

Belongs here: the file, its lock and its clock. A line vouches for content that lies elsewhere, by its sha256; whether
that is still there as it was is said by published/verify.py. Whoever can write the file can write it anew from its
beginning: what proves when a line was written is its hash in somebody else's hands (docs/evidence.md).
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from python_assets.errors import NOTHING, OTHER_HOME, WarehouseError
from python_assets.warehouse.build import UNFINISHED, Home, make_folder, utc_now
from python_assets.warehouse.file_hashes import sha256_of_file
from python_assets.warehouse.lines import TIME, append_line, canonical, lines_of

Kind = Literal["preregistration", "archive", "publication", "drop"]

FIRST: Final = ""  # what the first line has in the place of the hash before it
TELL_MORE: Final = "plumbline verify tells every fault"
_ANEW: Final = (
    "move it away under another name: a chain then begins anew, in which what is there now is no older than today"
)


class Entry(NamedTuple):
    """What a line vouches for.

    Attributes:
        kind: of what.
        study_id: whose; '' of a publication that took over a warehouse of before.
        subject: analysis_sha256 of a freeze, run_id of an archive, publication_id of a publication, of a drop the
            run_id, '' where it is of the whole study.
        content_sha256: of the canonical record of a freeze, of the manifest of the others; of a drop that of the
            publication without it.
        is_earlier: whether it was there before the chain was: then it is not older than `at` for anybody but itself.
    """

    kind: Kind
    study_id: str
    subject: str
    content_sha256: str
    is_earlier: bool = False


class Line(NamedTuple):
    """An entry in its place; at: UTC, when it was chained; previous: the sha256 of the line before."""

    entry: Entry
    at: str
    previous: str
    sha256: str

    def text(self) -> str:
        """As it stands in the file."""
        return canonical(_content(self.entry, self.at, self.previous) | {"sha256": self.sha256})


class Chain:
    """The chain while it is held for writing; now: the time of what is added."""

    def __init__(self, path: Path, lines: list[Line]) -> None:
        """Take the file and its lines."""
        self.lines = lines
        self.now = clock_of(path, lines[-1].at if lines else FIRST)
        self._path = path

    def add(self, entry: Entry) -> None:
        """Add a line for an entry, unless one vouches for the same content already.

        Raises:
            WarehouseError: the file cannot be written.
        """
        if any(line.entry[:4] == entry[:4] for line in self.lines):
            return
        line = line_of(entry, self.now.strftime(TIME), self.lines[-1].sha256 if self.lines else FIRST)
        append_line(self._path, line.text())
        self.lines.append(line)


def line_of(entry: Entry, at: str, previous: str) -> Line:
    """An entry as the line that follows another.

    Args:
        entry: what it vouches for.
        at: UTC, as TIME writes it.
        previous: the sha256 of the line before, FIRST where there is none.
    """
    return Line(entry, at, previous, sha256_of(_content(entry, at, previous)))


def _content(entry: Entry, at: str, previous: str) -> dict[str, Any]:
    return {**entry._asdict(), "at": at, "previous": previous}


def sha256_of(content: dict[str, Any]) -> str:
    """The sha256 of content as canonical JSON."""
    return hashlib.sha256(canonical(content).encode()).hexdigest()


@contextmanager
def open_chain(home: Home) -> Iterator[Chain]:
    """Hold the chain for writing; a new one begins with what the warehouse has already.

    Raises:
        WarehouseError: a line is not what its hash says, the last one is of a time to come, or the file cannot be
            written.
    """
    path = home.chain
    make_folder(path.parent)
    try:
        with (home.root / ".chain.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _cut_torn_line(path)
            chain = Chain(path, read_chain(home))
            if not chain.lines:
                for entry in _earlier(home):
                    chain.add(entry)
            yield chain
    except OSError as error:
        raise WarehouseError(path, error, "a file that can be written", OTHER_HOME) from error


def _cut_torn_line(path: Path) -> None:
    """Take off what a kill left of a line: nobody was told of it."""
    if path.exists() and (torn := path.read_bytes().rpartition(b"\n")[2]):
        os.truncate(path, path.stat().st_size - len(torn))


def read_chain(home: Home) -> list[Line]:
    """The lines of the chain, none where there is no chain.

    Raises:
        WarehouseError: a line is not what its hash says, or the file cannot be read.
    """
    lines = []
    for number, (line, fault) in enumerate(walked(home), start=1):
        if fault or line is None:
            where, expected = f"{home.chain}, line {number}", "the line as it was written"
            raise WarehouseError(where, fault, expected, f"put the file back as it was, or {_ANEW}; {TELL_MORE}")
        lines.append(line)
    return lines


def walked(home: Home) -> Iterator[tuple[Line | None, str]]:
    """Each line of the chain with what is wrong with it, '' where nothing is; a torn last line is none.

    Raises:
        WarehouseError: the file cannot be read.
    """
    before: Line | None = None
    for text in lines_of(home.chain)[:-1]:
        line = _parsed(text)
        yield line, _fault(line, before)
        before = line or before


def _parsed(text: str) -> Line | None:
    with suppress(ValueError, KeyError, TypeError):
        content = json.loads(text)
        entry = Entry(**{name: content[name] for name in Entry._fields})
        datetime.strptime(content["at"], TIME)
        line = Line(entry, content["at"], content["previous"], content["sha256"])
        return line if line.text() == canonical(content) else None
    return None


def _fault(line: Line | None, before: Line | None) -> str:
    if line is None:
        return "no line of a chain"
    if line_of(line.entry, line.at, line.previous).sha256 != line.sha256:
        return "a line that was changed: its hash is another"
    if line.previous != (before.sha256 if before else FIRST):
        return "a line that does not follow the one before it: one was changed, put in or taken out"
    if before and line.at < before.at:
        return f"{line.at}, a time before that of the line before it, {before.at}"
    return ""


def clock_of(where: Path, last: str) -> datetime:
    """The present, UTC, once it is sure that the clock has not gone back.

    Args:
        where: what the last time is of, for the error.
        last: a time that has been, as TIME writes it; FIRST where none is known.

    Raises:
        WarehouseError: it is of a time to come.
    """
    now = utc_now()
    if now.strftime(TIME) < last:
        raise WarehouseError(
            where,
            f"{last}, where the clock of this machine says {now:{TIME}}",
            "a time that has been",
            f"set the clock; if another machine's was wrong when that was written, {_ANEW}",
        )
    return now


def require_clock(home: Home) -> None:
    """See that the clock is not behind the last line of the chain, before anything is asked.

    Raises:
        WarehouseError: it is, or a line of the chain was changed.
    """
    if lines := read_chain(home):
        clock_of(home.chain, lines[-1].at)


def _earlier(home: Home) -> Iterator[Entry]:
    """What a warehouse without a chain has: freezes that are what their hash says, and kept runs."""
    for path in sorted(home.root.glob("preregistrations/*.jsonl")):
        for record in records_of(path):
            if is_whole(record):
                yield preregistration_entry(path.stem, record)._replace(is_earlier=True)
    for path in sorted(home.root.glob("archive/*/*/manifest.json")):
        if not path.parent.name.endswith(UNFINISHED):
            digest = sha256_of_file(path)
            yield Entry("archive", path.parent.parent.name, path.parent.name, digest, is_earlier=True)


def records_of(path: Path) -> list[dict[str, Any]]:
    """The freezes of a file; a line that a kill cut short is none.

    Raises:
        WarehouseError: the file cannot be read.
    """
    records = []
    for text in lines_of(path):
        with suppress(ValueError, KeyError, TypeError):
            record = json.loads(text)
            datetime.strptime(record["preregistered_at"], TIME)
            str.lower(record["analysis_sha256"])
            records.append(record)
    return records


def is_whole(record: dict[str, Any]) -> bool:
    """Whether the analysis of a freeze is the one that its hash is of."""
    content = record.get("analysis", NOTHING)
    return isinstance(content, dict) and sha256_of(content) == record["analysis_sha256"]


def preregistration_entry(study_id: str, record: dict[str, Any]) -> Entry:
    """What the chain says of a freeze."""
    return Entry("preregistration", study_id, record["analysis_sha256"], sha256_of(record))
