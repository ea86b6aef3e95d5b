"""Exports and archives of studies as tables of responses, and what their generations are called together.

Belongs here: from manifests to rows and names. What a study makes of them is plumbline.py.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.errors import SourceError
from python_assets.importers.files import read_table_file, table_columns
from python_assets.importers.formats import PATH_FIELD
from python_assets.importers.row_rules import FILE, ROW_COLUMN
from python_assets.published.archived import MARTS
from python_assets.published.copies import identifier, literal
from python_assets.published.export import responses_query
from python_assets.published.manifest import OTHER_VERSION, ExportedFile, Manifest, read_manifest
from python_assets.sandbox.sandbox import in_sandbox
from python_assets.study.base import BASELINE
from python_assets.warehouse.build import Quarantined, connect
from python_assets.warehouse.file_hashes import sha256_of_file

_STUDY: Final = "study"
WAVE: Final = "wave"
# what a response was measured as, one column a measure and kind of entry
MEASURED: Final = ("value", "label", "baseline_value", "scorer_version")

_READ: Final = ("prompts", "prompt_factors", "responses", "measurements")


class Copy(NamedTuple):
    """An export or an archive of a study."""

    path: Path
    manifest: Manifest

    @property
    def is_archive(self) -> bool:
        """Whether it holds every mart of a run."""
        return self.manifest.stage == "archive"

    @property
    def has_responses(self) -> bool:
        """Whether it holds responses beside prompts."""
        return self.manifest.stage != "prompts"

    @property
    def files(self) -> list[Path]:
        """The tables that are read, each of which is the one that was copied.

        Raises:
            SourceError: one is absent, or has another sha256.
        """
        if not self.is_archive:
            return [self._file(self.path.parent, self.manifest.files[0])]
        by_name = {file.name: file for file in self.manifest.files}
        names = [f"{mart}.parquet" for mart in _READ]
        if absent := [name for name in names if name not in by_name]:
            raise _other_version(self, f"no {absent[0]}")
        return [self._file(self.path.parent / MARTS, by_name[name]) for name in names]

    def mart(self, name: str) -> Path | None:
        """A mart of an archive; None where the run had none.

        Raises:
            SourceError: it is absent, or has another sha256.
        """
        copied = next((file for file in self.manifest.files if file.name == f"{name}.parquet"), None)
        return self._file(self.path.parent / MARTS, copied) if copied else None

    def _file(self, folder: Path, copied: ExportedFile) -> Path:
        path = folder / Path(copied.name).name
        if not path.is_file():
            got = f"no file at {path}"
            raise SourceError(PATH_FIELD, got, "what the manifest names", "put it beside it")
        if (digest := sha256_of_file(path)) != copied.sha256:
            raise SourceError(
                PATH_FIELD,
                f"{path} of sha256 {digest}, changed or damaged",
                f"{copied.sha256} as exported",
                "take another run" if self.is_archive else "export it again, or import it as format table",
            )
        return path


class Named(NamedTuple):
    """What a generation of a copy is called among those of all copies, with its levels of model factors."""

    name: str
    levels: dict[str, str]


def read_copies(paths: Sequence[Path]) -> list[Copy]:
    """Read the manifests of exports or archives that are imported together.

    Raises:
        SourceError: one cannot be read, is of statistics or an export without texts, two are of one run, or some have
            responses and others have none.
    """
    copies = [Copy(path, read_manifest(path, PATH_FIELD)) for path in paths]
    for copy in copies:
        if copy.manifest.stage == "statistics":
            got, expected = f"{copy.path} of statistics", "an export of prompts or responses"
            remedy = f"write one with: plumbline export {copy.manifest.study_id} --stage prompts"
            raise SourceError(PATH_FIELD, got, expected, remedy)
        if copy.manifest.hides_texts and not copy.is_archive:
            got = f"{copy.path} of a study that hides them (report: hide_texts)"
            remedy = f"export {copy.manifest.study_id} without it, or ask its authors to"
            raise SourceError(PATH_FIELD, got, "an export with texts", remedy)
        first = next(one for one in copies if _run(one) == _run(copy))
        if first is not copy:
            got = f"{first.path} and {copy.path}, both of run {copy.manifest.run_id}"
            raise SourceError(PATH_FIELD, got, "every run once", "remove one of them")
        if copy.has_responses != copies[0].has_responses:
            stages = f"{copies[0].path} of {copies[0].manifest.stage} and {copy.path} of {copy.manifest.stage}"
            raise SourceError(PATH_FIELD, stages, "copies of one stage", "remove one of them")
    return copies


def _run(copy: Copy) -> tuple[str, str]:
    return copy.manifest.study_id, copy.manifest.run_id


def named_systems(copies: Sequence[Copy]) -> list[dict[str, Named]]:
    """What every generation is called, by its id, for each copy.

    One that several copies have is told apart by its study and its wave; where the waves are none or the
    same, by when its run was published, which is also the wave of one that has none.
    """
    systems_by_copy = [_answering(copy) for copy in copies]
    has_one_study = len({copy.manifest.study_id for copy in copies}) == 1
    waves: dict[tuple[str, str], list[str]] = {}
    for copy, systems in zip(copies, systems_by_copy, strict=True):
        for key in systems:
            levels = copy.manifest.system_factors.get(key, {})
            waves.setdefault((copy.manifest.study_id, key), []).append(levels.get(WAVE, ""))
    names_by_copy = []
    for copy, systems in zip(copies, systems_by_copy, strict=True):
        names = {}
        for key in systems:
            names[key] = _named(copy, key, waves[copy.manifest.study_id, key], of_one_study=has_one_study)
        names_by_copy.append(names)
    return names_by_copy


def _answering(copy: Copy) -> list[str]:
    return [
        row["system_id"] for row in copy.manifest.systems if not row.get("is_engine") and row["system_id"] != BASELINE
    ]


def _named(copy: Copy, key: str, waves: list[str], *, of_one_study: bool) -> Named:
    levels = dict(copy.manifest.system_factors.get(key, {}))
    published = f"{copy.manifest.published_at:%Y-%m-%d %H:%M:%S}"
    wave = levels.get(WAVE, "")
    is_told_apart = bool(wave) and waves.count(wave) == 1
    words = [] if of_one_study else [copy.manifest.study_id]
    words.append(key)
    if len(waves) > 1:
        words.append(wave if is_told_apart else f"{wave} {published}".strip())
        levels.setdefault(WAVE, published)
    levels.pop("system", None)
    levels.setdefault("model", key)
    return Named(" ".join(words), {**levels, _STUDY: copy.manifest.study_id})


def hidden_name(name: str) -> str:
    """What an archive without texts calls a prompt: its md5, as DuckDB has it."""
    return hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()


def measured_column(measure_id: str, entry: str) -> str:
    """The column that an archive's entry of a measure stands in.

    Args:
        measure_id: as the archived study has it.
        entry: one of MEASURED.
    """
    return f"{measure_id} {entry}"


class CopiedRows(NamedTuple):
    """The rows of a copy with FILE and ROW beside its columns, and what of it could not be read."""

    table: pd.DataFrame
    quarantine: list[Quarantined]


def read_rows(copy: Copy, columns: Collection[str], optional: Collection[str] = ()) -> CopiedRows:
    """Read some columns of an export or an archive.

    Args:
        copy: the copy.
        columns: that it must have.
        optional: that are read where it has them.

    Raises:
        SourceError: a file is absent, was changed or is damaged, or an archive has other columns.
        StudyError: an export has no such column.
    """
    files = copy.files
    if copy.is_archive:
        archived = partial(_archived_rows, copy, files, tuple(columns), tuple(optional))
        read = CopiedRows(in_sandbox(archived, copy.path, PATH_FIELD), [])
    else:
        there = table_columns(files[0], PATH_FIELD)
        wanted = [*columns, *(name for name in optional if name in there and name not in columns)]
        table_file = read_table_file(files[0], wanted, PATH_FIELD, is_escaped=copy.manifest.escapes_formulas)
        n_rejected = sum(one.rule == "unparseable" for one in table_file.quarantine)
        _require_n_rows(copy, files[0], len(table_file.table) + n_rejected)
        read = CopiedRows(table_file.table, table_file.quarantine)
    read.table[FILE] = f"{copy.path.parent.name}/{copy.path.name}" if copy.is_archive else files[0].name
    read.table[ROW_COLUMN] = np.arange(1, len(read.table) + 1)
    return read


def _archived_rows(
    copy: Copy, files: Sequence[Path], columns: Collection[str], optional: Collection[str]
) -> pd.DataFrame:
    with connect(threads=1) as connection:
        try:
            for file in files:
                connection.execute(f"create view {identifier(file.stem)} as from read_parquet({literal(str(file))})")
                ((n_rows,),) = connection.execute(f"select count(*) from {identifier(file.stem)}").fetchall()
                _require_n_rows(copy, file, n_rows)
            query = _with_measurements(copy.manifest)
            there = [name for name, *_ in connection.execute(f"describe {query}", _of(copy)).fetchall()]
            if absent := [name for name in columns if name not in there]:
                raise _other_version(copy, f"no column {absent[0]!r}")
            wanted = [name for name in there if name in {*columns, *optional}]
            listed = ", ".join(map(identifier, wanted))
            return connection.execute(f"select {listed} from ({query})", _of(copy)).df()
        except duckdb.OutOfMemoryException as error:
            raise MemoryError from error
        except duckdb.Error as error:
            raise _other_version(copy, str(error).splitlines()[0]) from error


def _require_n_rows(copy: Copy, file: Path, n_rows: int) -> None:
    (n_exported,) = [one.n_rows for one in copy.manifest.files if one.name == file.name]
    if n_rows != n_exported:
        got, expected = f"{file} of {n_rows:,} rows", f"{n_exported:,}, which {copy.path.name} says (files.n_rows)"
        raise SourceError(PATH_FIELD, got, expected, "export it again, or import it as format table")


def _of(copy: Copy) -> dict[str, str]:
    return {"study": copy.manifest.study_id}


def _with_measurements(manifest: Manifest) -> str:
    """Responses with their prompts, and one column a measure and entry."""
    entries = "".join(
        f", max(case when measure_id = {literal(row['measure_id'])} then {entry} end) "
        f"as {identifier(measured_column(row['measure_id'], entry))}"
        for row in manifest.measures
        for entry in MEASURED
    )
    keys = "system_id, prompt_id, replicate"
    return f"""
        select * from ({responses_query(manifest.factors)})
        left join (select {keys}{entries} from measurements where study_id = $study group by {keys})
        using ({keys})
    """


def _other_version(copy: Copy, what: str) -> SourceError:
    got = f"{copy.path}, written by Plumbline {copy.manifest.plumbline_version} ({what})"
    return SourceError(PATH_FIELD, got, "the tables of this version of Plumbline", OTHER_VERSION)


def n_unpaired(tables: Sequence[pd.DataFrame]) -> int:
    """How many prompts are in some of several tables and not in all of them."""
    n_tables = Counter(prompt for table in tables for prompt in table["prompt_id"].unique())
    return sum(n < len(tables) for n in n_tables.values())
