"""The export of another study: its prompts as they were, or its responses to be measured anew.

Belongs here: what a manifest says more than a table does. Reading the table itself is table.py.
"""

from itertools import compress
from pathlib import Path
from typing import ClassVar, Final

import pandas as pd

from python_assets.errors import SourceError
from python_assets.importers.files import read_table_file, table_columns
from python_assets.importers.formats import (
    PATH_FIELD,
    Described,
    ImportedTable,
    Importer,
    import_of,
    importer,
)
from python_assets.importers.table import table_of_files
from python_assets.providers.outcomes import NOT_RECORDED, ended_by
from python_assets.published.manifest import (
    FACTOR_PREFIX,
    Manifest,
    read_manifest,
    sha256_of_file,
)
from python_assets.study.base import Expanded
from python_assets.study.imports import DescribedImport, Import, ImportColumns
from python_assets.study.study import Factor, Study

_KEPT: Final = ("task", "baseline_kind", "source_tag", "keyword", "document_id", "replacements_json")
_PROMPT: Final = {
    "prompt": "prompt_id",
    "root_prompt": "root_prompt_id",
    "prompt_text": "prompt_text",
    "baseline_text": "baseline_text",
}
_RESPONSE: Final = {"replicate": "replicate", "response": "response_text", "generation": "generation_id"}
_KEY: Final = ["generation_id", "prompt_id", "replicate"]
# what the flags, and the status not_recorded, are worked out from; is_empty is of the text itself
_FINISH_REASONS: Final = {"is_refused": "refusal", "is_truncated": "length"}
# the one word that stood in `status` for each flag before a response could have several
_STATUS_WITHOUT_FLAGS: Final = {"is_refused": "refused", "is_truncated": "truncated"}


class PlumblineImport(DescribedImport):
    """The export of another study; path is its manifest, which names columns and factors."""

    path: Expanded


@importer("plumbline")
class PlumblineImporter(Importer):
    """The export of another study."""

    options: ClassVar = PlumblineImport

    @classmethod
    def described(cls, study: Study) -> Described:
        """What the manifest says; responses are measured without the prompt where the exported study did.

        Raises:
            SourceError: the manifest cannot be read, or is of statistics.
        """
        manifest = _manifest(import_of(study), study.folder)
        columns = _PROMPT | (_RESPONSE if manifest.stage == "responses" else {})
        factors = {
            name: Factor(type=factor.type, levels=factor.levels, reference=factor.reference_level)
            for name, factor in manifest.factors.items()
        }
        return Described(
            columns=ImportColumns(**columns),
            column_of={name: f"{FACTOR_PREFIX}{name}" for name in manifest.factors},
            factors=factors,
            removes_prompt=manifest.removes_prompt,
        )

    @classmethod
    def read(cls, study: Study) -> ImportedTable:
        """Read the export that a study imports.

        Returns:
            What the table importer gives; tasks, source tags, keywords, documents and replacements are those
            of the study that was exported, and so is what became of its responses: an error is no empty
            response.

        Raises:
            SourceError: the manifest or its file cannot be read, or the file is not the one that was
                exported.
        """
        spec = import_of(study)
        file = exported_file(spec, study.folder)
        is_escaped = _manifest(spec, study.folder).escapes_formulas
        tabled = spec.model_copy(update={"path": str(file)})
        prompts = study.prompts.model_copy(update={"import_": tabled})
        # a prompt that was exported may have had no level of a factor
        imported = table_of_files(
            study.model_copy(update={"prompts": prompts}), is_escaped=is_escaped, needs_levels=False
        )
        kept = read_table_file(
            file, ["prompt_id", "is_root", *_KEPT], PATH_FIELD, is_escaped=is_escaped
        ).table
        imported = imported._replace(prompts=_as_exported(imported.prompts, kept))
        if spec.columns.response is None:
            return imported
        there = table_columns(file, PATH_FIELD)
        flags = [flag for flag in _FINISH_REASONS if flag in there]
        named = [*_KEY, "status", "error", *flags]
        ended = read_table_file(file, named, PATH_FIELD, is_escaped=is_escaped).table
        return imported._replace(rows=_with_endings(imported.rows, ended))

    @classmethod
    def tables(cls, study: Study, path: str) -> list[Path]:
        """The file beside the manifest."""
        return [exported_file(import_of(study), study.folder)]


def exported_file(spec: Import, folder: Path) -> Path:
    """The table beside the manifest, which must be the one that was exported.

    Raises:
        SourceError: it is absent or has another sha256.
    """
    manifest = _manifest(spec, folder)
    exported = manifest.files[0]
    path = (folder / spec.paths[0]).parent / Path(exported.name).name
    if not path.is_file():
        raise SourceError(
            f"{PATH_FIELD}: {path}, which the manifest names, does not exist. Put it beside it."
        )
    if (found := sha256_of_file(path)) != exported.sha256:
        raise SourceError(
            f"{PATH_FIELD}: {path} has sha256 {found}, expected {exported.sha256} as exported. It was "
            "changed: export it again, or import it as format table."
        )
    return path


def _manifest(spec: Import, folder: Path) -> Manifest:
    path = folder / spec.paths[0]
    manifest = read_manifest(path, PATH_FIELD)
    if manifest.stage == "statistics":
        raise SourceError(
            f"{PATH_FIELD}: expected an export of prompts or responses, but {path} is one of statistics. "
            f"Write one with: plumbline export {manifest.study_id} --stage prompts"
        )
    if manifest.hides_texts:
        raise SourceError(
            f"{PATH_FIELD}: expected an export with texts, but {path} is of a study that hides them "
            f"(report: hide_texts). Export {manifest.study_id} without it, or ask its authors to."
        )
    return manifest


def _as_exported(prompts: pd.DataFrame, kept: pd.DataFrame) -> pd.DataFrame:
    by_prompt = kept.drop_duplicates("prompt_id").set_index("prompt_id")
    of_prompts = by_prompt.reindex(prompts["prompt_id"]).reset_index(drop=True)
    texts = of_prompts[list(_KEPT)].astype(object)
    is_root = _is_true(of_prompts["is_root"])
    blank = {name: texts[name].fillna("") for name in ("source_tag", "keyword", "document_id")}
    kinds = texts["baseline_kind"].where(texts["baseline_kind"].notna(), None)
    return prompts.assign(
        **blank,
        task=texts["task"],
        baseline_kind=kinds,
        replacements_json=texts["replacements_json"].fillna("{}"),
        is_root=is_root,
    )


def _with_endings(rows: pd.DataFrame, ended: pd.DataFrame) -> pd.DataFrame:
    """The responses with why each of them ended as it did, where anything is to be said of that."""
    failed = ended["status"] == "error"
    endings = pd.DataFrame(
        {
            "generation": ended["generation_id"].astype(str),
            "prompt_id": ended["prompt_id"].astype(str),
            "replicate": pd.to_numeric(ended["replicate"]).astype(int),
            "finish_reason": _finish_reasons(ended),
            "error": ("imported: " + ended["error"].fillna("error").astype(str)).where(failed, None),
        }
    )
    return rows.merge(endings, on=["generation", "prompt_id", "replicate"], how="left", validate="1:1")


def _finish_reasons(ended: pd.DataFrame) -> list[str | None]:
    """Reasons that give every response the status and flags which it was exported with."""
    holds = {reason: _is_flagged(ended, flag) for flag, reason in _FINISH_REASONS.items()}
    holds[NOT_RECORDED] = ended["status"] == NOT_RECORDED
    rows = zip(*holds.values(), strict=True)
    return [ended_by(*compress(holds, row)) for row in rows]


def _is_flagged(ended: pd.DataFrame, flag: str) -> pd.Series:
    return _is_true(ended[flag]) if flag in ended else ended["status"] == _STATUS_WITHOUT_FLAGS[flag]


def _is_true(values: pd.Series) -> pd.Series:
    """Truth values as csv, jsonl and parquet have them; null is not true."""
    return values.map(lambda value: str(value).lower() == "true").astype(bool)
