"""Walk the chain of a warehouse, and hold against it what it vouches for: freezes, kept runs, publications.

Belongs here: finding what was changed, put in, taken out or back-dated, and saying what was held against what. What
the chain proves, and what it cannot, is docs/evidence.md.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb

from python_assets.errors import NOTHING, WarehouseError
from python_assets.published.archive import REPORT
from python_assets.published.archived import MARTS
from python_assets.published.manifest import MANIFEST_FILE
from python_assets.published.publication import LINKED, publications, read_publication
from python_assets.published.query import open_published
from python_assets.study.problems import listed, plural
from python_assets.warehouse.build import UNFINISHED, Home, utc_now
from python_assets.warehouse.chain import Kind, Line, is_whole, preregistration_entry, records_of, walked
from python_assets.warehouse.file_hashes import sha256_of_file
from python_assets.warehouse.lines import TIME

_KINDS: Final[tuple[Kind, ...]] = ("preregistration", "archive", "publication", "drop")
_AS_WRITTEN: Final = "what was written"
ANCHOR: Final = "where its hash was put out of reach, docs/evidence.md says how, it tells when"


class Verified(NamedTuple):
    """What was walked, in words, and what is wrong; last: the line whose hash vouches for all before it."""

    last: Line
    told: list[str]
    faults: list[WarehouseError]

    def text(self) -> str:
        """What was walked, for a terminal."""
        ends = f"Last line  sha256 {self.last.sha256} of {self.last.at}"
        n = len(self.faults)
        verdict = f"{plural(n, 'fault')}:" if n else "Everything that is there is as it was chained."
        return "\n".join([*self.told, ends, verdict, *(f"  {fault}" for fault in self.faults)])


class _Held:
    """What is held against the chain, and what came of it."""

    def __init__(self, home: Home, study_id: str | None) -> None:
        self.home, self.study_id = home, study_id
        self.now = utc_now().strftime(TIME)
        self.told: list[str] = []
        self.faults: list[WarehouseError] = []
        self.lines: list[Line] = []

    def fault(self, where: Path | str, got: object, expected: str = _AS_WRITTEN, remedy: str = "") -> None:
        self.faults.append(WarehouseError(where, got, expected, remedy))

    def lines_of(self, kind: Kind) -> list[Line]:
        """Those of a kind, of the study where one is asked for."""
        return [line for line in self.lines if line.entry.kind == kind and self.is_asked(line.entry.study_id)]

    def is_asked(self, study_id: str) -> bool:
        return self.study_id in (None, study_id)


def verify(home: Home, study_id: str | None = None) -> Verified:
    """Hold what a warehouse has against its chain.

    Args:
        home: the warehouse; it is only read.
        study_id: whose freezes and kept runs are looked at; those of every study where None. The whole chain is
            walked, and every publication, for it is of all studies.

    Raises:
        WarehouseError: there is no chain, the study is in no line of it, or it cannot be read.
    """
    evidence = _Held(home, study_id)
    _walk(evidence)
    if not evidence.lines:
        got, remedy = "no line of a chain", "it begins with the next freeze or run, as of then"
        raise WarehouseError(home.chain, got, "one for each freeze and publication", remedy)
    known = sorted({line.entry.study_id for line in evidence.lines} - {""})
    if study_id is not None and study_id not in known:
        raise WarehouseError(home.chain, f"no line of {study_id!r}", f"one of {listed(known)}", "correct the name")
    _hold_preregistrations(evidence)
    _hold_archives(evidence)
    _hold_publications(evidence)
    _hold_links(evidence)
    _hold_kept(evidence)
    return Verified(evidence.lines[-1], evidence.told, evidence.faults)


def _walk(held: _Held) -> None:
    for number, (line, fault) in enumerate(walked(held.home), start=1):
        where = f"{held.home.chain}, line {number}"
        if fault:
            held.fault(where, fault, "the line as it was written", ANCHOR)
        if line is not None:
            held.lines.append(line)
            if line.at > held.now:
                remedy = "set the clock of this machine, or find out whose clock wrote it"
                held.fault(where, f"a line of {line.at}", "a time that has been", remedy)
    counted = Counter(line.entry.kind for line in held.lines)
    counted_kinds = [kind for kind in _KINDS if counted[kind] or kind != "drop"]
    kinds = ", ".join(plural(counted[kind], kind) for kind in counted_kinds)
    if held.lines:
        held.told.append(f"Chain      {kinds}, from {held.lines[0].at} to {held.lines[-1].at}")


def _hold_preregistrations(held: _Held) -> None:
    lines = {(line.entry.study_id, line.entry.content_sha256): line for line in held.lines_of("preregistration")}
    seen_keys = set()
    for path in sorted(held.home.root.glob("preregistrations/*.jsonl")):
        for record in records_of(path) if held.is_asked(path.stem) else []:
            at, key = record["preregistered_at"], record["analysis_sha256"]
            entry = preregistration_entry(path.stem, record)
            line = lines.get((path.stem, entry.content_sha256))
            seen_keys.add((path.stem, entry.content_sha256))
            if not is_whole(record):
                held.fault(path, f"a freeze of {at} whose analysis is not that of sha256 {key}")
            if at > held.now:
                held.fault(path, f"a freeze of {at}", "a time that has been")
            if line is None:
                _fault_of_unchained(held, path, at, key)
            else:
                held.told.append(f"Freeze     {path.stem}, sha256 {key}: {_when(line, at)}")
    for (study_id, digest), line in lines.items():
        if (study_id, digest) not in seen_keys:
            got = f"no freeze of sha256 {line.entry.subject} as it was chained at {line.at}"
            held.fault(
                held.home.preregistrations(study_id), got, "every freeze of the chain", "put the file back as it was"
            )


def _fault_of_unchained(held: _Held, path: Path, at: str, key: str) -> None:
    got, last = f"a freeze of {at}, sha256 {key}, which is not in the chain and counts for nothing", held.lines[-1].at
    if at < last:
        remedy = f"take the line out: at {last} it was not there, so it is back-dated"
    else:
        remedy = f"if it was cut short, plumbline plan {path.stem} --preregister chains it as of then; else take it out"
    held.fault(path, got, "freezes of the chain", remedy)


def _when(line: Line, at: str) -> str:
    if line.entry.is_earlier:
        return f"{at} by its own word; for anybody else not before {line.at}, when the chain began"
    return line.at if line.at == at else f"{line.at}, when it was chained (it says {at})"


def _hold_archives(held: _Held) -> None:
    latest, dropped = _archived_and_dropped(held)
    there = {
        (path.parent.parent.name, path.parent.name): path
        for path in sorted(held.home.root.glob(f"archive/*/*/{MANIFEST_FILE}"))
        if held.is_asked(path.parent.parent.name) and not path.parent.name.endswith(UNFINISHED)
    }
    for key, path in there.items():
        if key in dropped:
            got = f"a run that was dropped at {dropped[key].at}"
            remedy = "take it out; if plumbline drop was cut short, the next run or drop removes it"
            held.fault(path.parent, got, "no folder of it", remedy)
        elif key not in latest:
            held.fault(path, "a run that is not in the chain", "runs that were published here", "take it out")
        elif sha256_of_file(path) != latest[key].entry.content_sha256:
            held.fault(path, "a manifest that was changed since it was chained")
        else:
            _hold_files(held, path.parent, _files_of(json.loads(path.read_bytes())))
    n_there = len(there.keys() & latest.keys())
    held.told.append(f"Archive    {n_there:,} of {len(latest):,} runs that were kept are there")


def _archived_and_dropped(held: _Held) -> tuple[dict[tuple[str, str], Line], dict[tuple[str, str], Line]]:
    """The last line of each run that was kept, and of each that was dropped since."""
    latest: dict[tuple[str, str], Line] = {}
    dropped: dict[tuple[str, str], Line] = {}
    for line in held.lines:
        study_id, run_id = key = line.entry.study_id, line.entry.subject
        if not held.is_asked(study_id):
            continue
        if line.entry.kind == "archive":
            latest[key] = line
            dropped.pop(key, None)
        elif line.entry.kind == "drop":
            gone = [one for one in latest if one == key or (one[0] == study_id and not run_id)]
            dropped |= dict.fromkeys(gone, line)
            latest = {one: kept for one, kept in latest.items() if one not in dropped}
            what = f"run {run_id}" if run_id else "every run until then"
            held.told.append(f"Dropped    {study_id}, {what}: {line.at}")
    return latest, dropped


def _files_of(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The files of an archive, from its folder; of any version, whose manifest is the one that was chained."""
    return {f"{MARTS}/{file['name']}": file["sha256"] for file in manifest["files"]} | manifest.get("beside", {})


def _hold_files(held: _Held, folder: Path, files: Mapping[str, str]) -> None:
    for name, digest in files.items():
        path = folder / name
        if not path.is_file():
            held.fault(path, NOTHING, "a file that the manifest names", "put it back")
        elif sha256_of_file(path) != digest:
            held.fault(path, "a file that was changed since it was published", f"sha256 {digest}")


def _hold_publications(held: _Held) -> None:
    by_id = {line.entry.subject: line for line in held.lines if line.entry.kind == "publication"}
    there, hashes = publications(held.home), {"", *(line.sha256 for line in held.lines)}
    current = held.home.current.resolve().name
    for folder in there:
        path, line = folder.root / MANIFEST_FILE, by_id.get(folder.root.name)
        if line is None and folder.root.name != current:
            held.told.append(f"Unfinished {folder.root}: no reader sees it, the next run finishes it")
        elif line is None:
            held.fault(folder.root, "a publication that is not in the chain", "one that was published here")
        elif not path.is_file() or sha256_of_file(path) != line.entry.content_sha256:
            held.fault(path, "a manifest that was changed since it was chained")
        else:
            manifest = read_publication(folder)
            _hold_files(held, folder.root, manifest.files)
            for added in sorted(set(_names(folder.root)) - {*manifest.files, MANIFEST_FILE}):
                held.fault(folder.root / added, "a file that was put in", "the files of the manifest alone")
            if manifest.chain not in hashes:
                got = f"{manifest.chain}, the last line when it was published"
                held.fault(held.home.chain, f"a chain without {got}", "every line that there was", ANCHOR)
    n_there = len(by_id.keys() & {folder.root.name for folder in there})
    held.told.append(f"Published  {n_there:,} of {len(by_id):,} publications are there, as many as stay for readers")


def _names(folder: Path) -> Iterator[str]:
    return (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _hold_links(held: _Held) -> None:
    """See that readers are led to the last publication."""
    home = held.home
    chained = [line.entry.subject for line in held.lines if line.entry.kind == "publication"]
    if not chained:
        return
    if home.current.resolve().name != chained[-1]:
        got = f"a link to {home.current.resolve().name}"
        held.fault(home.current, got, f"one to {chained[-1]}, the last in the chain", "run the study again")
    for name in LINKED:
        if not (home.root / name).is_symlink():
            got, expected = "a file or folder of its own, or none", f"a link through {home.current.name}"
            held.fault(home.root / name, got, expected, "move it away, and run again")


def _hold_kept(held: _Held) -> None:
    """See that the runs are there which readers are told are kept."""
    home = held.home
    query = "select study_id, run_id, archive_path from runs where archive_path is not null order by all"
    if not home.published.is_file():
        return
    with open_published(home.published.resolve()) as connection:
        try:
            kept = connection.execute(query).fetchall()
        except duckdb.Error as error:
            held.fault(home.published, error)
            return
    for study_id, run_id, path in kept:
        if held.is_asked(study_id) and not (home.root / path / REPORT).is_file():
            held.fault(home.root / path, NOTHING, f"run {run_id}, which runs says is kept", "put it back")
