"""The manifest of an export or an archive: what was copied, of which study, under which licences.

Belongs here: its shape and reading it. What goes into the files is export.py and archive.py; how a study
imports them is importers/plumbline.py.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from python_assets.errors import SourceError, Where
from python_assets.sandbox.sandbox import in_sandbox
from python_assets.study.base import FactorName

KIND: Final = "plumbline export"
FORMAT: Final = "plumbline export 2"
OTHER_VERSION: Final = "read it with that version, or run its study again with this one"
MANIFEST_FILE: Final = "manifest.json"
FACTOR_PREFIX: Final = "factor_"
# what a spreadsheet would compute, or take ' away from
FORMULA: Final = r"^[=+\-@\t\r\n']"
QUOTE: Final = "'"

_NO_NAME: Final = re.compile(r"[/\\:\0]")
_OF_SYSTEMS: Final = ("system_id",)
_OF_MEASURES: Final = (
    "measure_id",
    "kind",
    "unit",
    "scale_low",
    "scale_high",
    "direction",
    "favourable",
    "segment_factor",
)

Stage = Literal["prompts", "responses", "statistics"]
Archive = Literal["archive"]
ExportFormat = Literal["csv", "jsonl", "parquet"]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ExportedFile(_Record):
    """One file of an export, its rows counted without the header."""

    name: str
    sha256: str
    n_rows: int
    columns: list[str]


class ExportedFactor(_Record):
    """A factor of the prompts with its levels in order; its column is FACTOR_PREFIX and its name.

    nested_in: of one whose levels are the units of prompts, the factors of which each unit keeps one level.
    None for others, and in a copy of before prompts had units of their own.
    """

    type: Literal["domain", "prompt", "model"]
    levels: list[str]
    reference_level: str | None
    nested_in: list[FactorName] | None = None


class Manifest(_Record):
    """What an export or an archive is of.

    Attributes:
        stage: what was copied; of an archive every mart, each file named by its own.
        removes_prompt: whether the study measured responses and baselines without their prompts.
        escapes_formulas: whether ' stands before every text that FORMULA matches.
        config: the study file with every default, and its sha256.
        factors: by name, none for statistics.
        documents, generations, measures: rows of these marts: what the copy was made from, with revisions,
            digests and licences.
        system_factors: by generation, the level of every factor of models; empty in an export of before
            they were told.
        licences: of the documents, each once.
        hides_texts: whether the study hides texts of prompts and responses, which are not in the files.
        beside: what lies beside the files of an archive, by name its sha256: the report and the study file.
        n_unknown_licence: documents of which nobody said the licence; None in an export of before they were
            counted.
    """

    format: Literal["plumbline export 2"]
    study_id: str
    title: str
    stage: Stage | Archive
    files: list[ExportedFile] = Field(min_length=1)
    factors: dict[FactorName, ExportedFactor]
    documents: list[dict[str, Any]]
    systems: list[dict[str, Any]]
    system_factors: dict[str, dict[str, str]] = {}
    measures: list[dict[str, Any]]
    licences: list[str]
    n_unknown_licence: int | None = None
    removes_prompt: bool
    escapes_formulas: bool = False
    hides_texts: bool = False
    beside: dict[str, str] = {}
    config: dict[str, Any]
    config_sha256: str
    plumbline_version: str
    run_id: str
    published_at: datetime
    exported_at: datetime

    @property
    def licence_summary(self) -> str:
        """The licences of the documents, and how many documents have none stated."""
        if not self.documents:
            return "no documents"
        if self.n_unknown_licence is None:
            return ", ".join([*self.licences, "documents of unknown licence not counted"])
        unknown = [f"{self.n_unknown_licence:,} of unknown licence"] if self.n_unknown_licence else []
        return ", ".join([*self.licences, *unknown])


def read_manifest(path: Path, field: Where) -> Manifest:
    """Read a manifest.

    Args:
        path: manifest.json of an export or an archive.
        field: the field of the study file that names it, for the error text.

    Raises:
        SourceError: there is no such file, it is no manifest, or one of another version of Plumbline.
    """
    return in_sandbox(partial(_read, path, field), path, field)


def _read(path: Path, field: Where) -> Manifest:
    if path.exists() and not path.is_file():
        raise SourceError(field, f"{path}, which is no file", f"the {MANIFEST_FILE} of an export", "correct the path")
    try:
        text = path.read_bytes()
    except OSError as error:
        remedy = "correct the path, which starts from the folder of the study file"
        got = f"{error.strerror}: {path}"
        raise SourceError(field, got, f"the {MANIFEST_FILE} of an export", remedy) from error
    _check_format(path, field, text)
    try:
        manifest = Manifest.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise _unsound(path, field, ".".join(map(str, first["loc"])) or "the file", first["msg"]) from error
    for where, what in _faults(manifest):
        raise _unsound(path, field, where, what)
    return manifest


def _unsound(path: Path, field: Where, where: str, what: str) -> SourceError:
    remedy = "write one with: plumbline export STUDY --stage prompts"
    return SourceError(field, f"{path} ({where}: {what})", f"the {MANIFEST_FILE} of an export", remedy)


def _faults(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """What no export or archive says of itself: the place, and what stands there."""
    yield from _faults_of_files(manifest.files)
    yield from _faults_of_factors(manifest)
    if manifest.stage == "statistics":
        return  # which nothing is read of
    if manifest.stage != "prompts" and not manifest.systems:
        yield "systems", "there are responses and nobody who gave them"
    for name, rows, needed in (
        ("systems", manifest.systems, _OF_SYSTEMS),
        ("measures", manifest.measures, _OF_MEASURES),
    ):
        absent = ((at, key) for at, row in enumerate(rows) for key in needed if key not in row)
        yield from ((f"{name}.{at}.{key}", "Field required") for at, key in absent)


def _faults_of_files(files: Sequence[ExportedFile]) -> Iterator[tuple[str, str]]:
    for at, file in enumerate(files):
        # a name leads nowhere but into the folder of the manifest, on any system
        if file.name in ("", ".", "..") or _NO_NAME.search(file.name):
            yield f"files.{at}.name", f"{file.name!r} is no name of a file beside it"
        if len(set(file.columns)) < len(file.columns):
            yield f"files.{at}.columns", "a column is named twice"


def _faults_of_factors(manifest: Manifest) -> Iterator[tuple[str, str]]:
    # with all of what a study is, which no name of a file needs
    from python_assets.study.factors import level_positions

    positions = level_positions(manifest.config)
    for name, factor in manifest.factors.items():
        declared = positions.get(name, {})
        places = [declared.get(level, len(declared)) for level in factor.levels]
        if len(set(factor.levels)) < len(factor.levels):
            yield f"factors.{name}.levels", "a level is named twice"
        if places != sorted(places):
            yield f"factors.{name}.levels", "their order is another than in config"


class _Format(BaseModel):
    """What every version of a manifest says."""

    format: str
    plumbline_version: str = "of unknown version"


def _check_format(path: Path, field: Where, text: bytes) -> None:
    try:
        header = _Format.model_validate_json(text)
    except ValidationError:
        return  # no manifest at all, which reading it tells
    if header.format != FORMAT and header.format.startswith(KIND):
        raise SourceError(
            field,
            f"{path} of format {header.format!r}, written by Plumbline {header.plumbline_version}",
            f"format {FORMAT!r}, which Plumbline {version('plumbline')} reads",
            OTHER_VERSION,
        )
