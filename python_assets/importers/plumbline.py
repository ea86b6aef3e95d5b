"""Exports and archives of studies: their prompts as they were, their responses to be measured or compared.

Belongs here: what a manifest says more than a table does. Reading the copies is copies.py, reading the table
table.py.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import compress
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

import pandas as pd

from python_assets.errors import SourceError, StudyError, Told
from python_assets.importers.copies import (
    MEASURED,
    Copy,
    Named,
    hidden_name,
    measured_column,
    n_unpaired,
    named_systems,
    read_copies,
    read_rows,
)
from python_assets.importers.entries import is_blank
from python_assets.importers.formats import PATH_FIELD, Described, ImportedTable, Importer, import_of, importer
from python_assets.importers.table import measure_columns, table_of_rows
from python_assets.providers.outcomes import NOT_RECORDED, ended_by
from python_assets.published.hidden_texts import HIDDEN
from python_assets.published.manifest import FACTOR_PREFIX
from python_assets.study.base import AS_WRITTEN_READING, NEGATIVE_CONTROL, OTHER_LANGUAGE, REPLAY, UNDECIDED, UNSCORED
from python_assets.study.factors import OF_SYSTEMS
from python_assets.study.imports import DescribedImport, ImportColumns
from python_assets.study.measures import IN_EVERY_STUDY, REFUSAL
from python_assets.study.negative_controls import NegativeControls
from python_assets.study.problems import listed
from python_assets.study.study import Factor, MeasureSpec, Study
from python_assets.warehouse.build import Quarantined

_KEPT: Final = ("task", "baseline_kind", "source_tag", "keyword", "document_id", "replacements_json")
_MESSAGES: Final = "messages_json"
_UNIT: Final = ("unit_id", "unit_factor")
_PROMPT: Final = {
    "prompt": "prompt_id",
    "root_prompt": "root_prompt_id",
    "prompt_text": "prompt_text",
    "baseline_text": "baseline_text",
}
_RESPONSE: Final = {"replicate": "replicate", "response": "response_text", "system": "system_id"}
# what the flags, and the status not_recorded, are worked out from; is_empty is of the text itself
_FINISH_REASONS: Final = {"is_refused": "refusal", "is_truncated": "length"}
# the one word that stood in `status` for each flag before a response could have several
_STATUS_WITHOUT_FLAGS: Final = {"is_refused": "refused", "is_truncated": "truncated"}
_REFUSAL_VERSION: Final = measured_column(REFUSAL, "scorer_version")
_T = TypeVar("_T")


class PlumblineImport(DescribedImport):
    """Exports or archives of studies; path is the manifest of each, which names columns and factors."""


@importer("plumbline")
class PlumblineImporter(Importer):
    """Exports or archives of studies, prompts paired by their prompt_id."""

    options: ClassVar = PlumblineImport

    @classmethod
    def described(cls, study: Study) -> Described:
        """What the manifests say; responses are measured without the prompt where the studies did.

        The measures of archives are those that were recorded there.

        Raises:
            SourceError: a manifest cannot be read, is of statistics, or two of them disagree.
        """
        copies = _copies(study)
        columns = _PROMPT | (_RESPONSE if copies[0].has_responses else {})
        factors = _factors(copies)
        removals = [copy.manifest.removes_prompt for copy in copies]
        return Described(
            columns=ImportColumns(**columns),
            column_of={name: f"{FACTOR_PREFIX}{name}" for name in factors},
            factors=factors,
            unit=_agreed(copies, "unit", [copy.manifest.config.get("unit") for copy in copies]),
            units=_units(copies),
            measures=_recorded_measures(copies),
            removes_prompt=_agreed(copies, "whether prompts are removed from responses", removals),
            negative_controls=_controls(copies),
        )

    @classmethod
    def read(cls, study: Study) -> ImportedTable:
        """Read the exports or archives that a study imports.

        Returns:
            What the table importer gives; tasks, source tags, keywords, documents and replacements are those
            of the study that was copied, and so is what became of its responses: an error is no empty
            response.

        Raises:
            SourceError: a manifest or its file cannot be read, a file is not the one that was copied, or one
                of several holds no rows; or texts would be read that an archive does not hold.
            StudyError: a measure names a column that none of them has.
        """
        copies = _copies(study)
        _require_texts(study, copies)
        names = named_systems(copies)
        read = [_rows(copy, copy_names, measure_columns(study)) for copy, copy_names in zip(copies, names, strict=True)]
        tables = _hidden_alike(copies, _refused_alike(copies, [table for table, _ in read]))
        table = pd.concat(tables, ignore_index=True)
        if absent := [name for name in measure_columns(study) if name not in table]:
            got = Told(f"{copies[0].path} without column {absent[0]!r}")
            raise StudyError(PATH_FIELD, got, "the columns of measures", "correct the name in the study file")
        quarantine = [record for _, records in read for record in records]
        # a prompt that was copied may have had no level of a factor
        column = f"{FACTOR_PREFIX}{NEGATIVE_CONTROL}"
        imported = table_of_rows(
            _with_messages(study),
            table,
            quarantine,
            needs_levels=False,
            control_column=column if column in table else None,
        )
        imported = imported._replace(
            prompts=_as_exported(study, imported.prompts, table), n_unpaired=n_unpaired(tables)
        )
        if not copies[0].has_responses:
            return imported
        return imported._replace(
            rows=_with_endings(imported.rows, table),
            system_factors=_system_factors(study, imported.system_factors, names),
        )

    @classmethod
    def tables(cls, study: Study, path: str) -> list[Path]:
        """The file beside a manifest; none of an archive, which is read as one table."""
        (copy,) = read_copies([study.folder / path])
        _require_texts(study, [copy])
        return [] if copy.is_archive and copy.files else copy.files


def _copies(study: Study) -> list[Copy]:
    return read_copies([study.folder / path for path in import_of(study).paths])


def _require_texts(study: Study, copies: Sequence[Copy]) -> None:
    """Refuse a study that reads texts, or asks prompts, of archives that hold none: recorded values alone are there.

    Raises:
        SourceError: it does.
    """
    hidden = next((copy for copy in copies if copy.manifest.hides_texts), None)
    if hidden is None:
        return
    recorded = {
        measured_column(row["measure_id"], entry)
        for copy in copies
        for row in copy.manifest.measures
        for entry in MEASURED
    }
    reads = [one.name for one in study.measures if not one.imported_columns or set(one.imported_columns) - recorded]
    asks = [one.system_id for one in study.systems if one.spec.provider != REPLAY]
    if not reads and not asks:
        return
    what = f"{', '.join(reads)} to be measured" if reads else f"{', '.join(asks)} to be asked"
    raise SourceError(
        PATH_FIELD,
        f"{hidden.path} of a study that hides its texts (report: hide_texts), with {what}",
        "the measures that were recorded there, and provider: replay",
        "take measures and generations out that need texts, or run that study without hide_texts",
    )


def _hidden_alike(copies: Sequence[Copy], tables: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    """Rows whose prompts are named alike, and have a text each, where some of the copies hide theirs."""
    if not any(copy.manifest.hides_texts for copy in copies):
        return list(tables)
    return [
        _without_texts(table, names_too=not copy.manifest.hides_texts)
        for copy, table in zip(copies, tables, strict=True)
    ]


def _without_texts(table: pd.DataFrame, *, names_too: bool) -> pd.DataFrame:
    if names_too:
        names = ("prompt_id", "root_prompt_id", "unit_id")
        table = table.assign(**{name: table[name].map(hidden_name, na_action="ignore") for name in names})
    texts = [name for name in ("baseline_text", "response_text") if name in table]
    return table.assign(
        # no two prompts are taken for copies of each other
        prompt_text=f"{HIDDEN} " + table["prompt_id"],
        replacements_json="{}",
        **{_MESSAGES: None},
        **{name: table[name].mask(~is_blank(table[name]), HIDDEN) for name in texts},
    )


def _agreed(copies: Sequence[Copy], what: str, said: Sequence[_T]) -> _T:
    """What all copies say."""
    different = next((index for index, one in enumerate(said) if one != said[0]), None)
    if different is not None:
        got = f"{copies[0].path} and {copies[different].path} with {what} {said[0]} and {said[different]}"
        raise SourceError(PATH_FIELD, got, "copies that agree", "import them one by one")
    return said[0]


def _factors(copies: Sequence[Copy]) -> dict[str, Factor]:
    """The factors of the prompts, with the levels of every copy: those of the first, then what others add."""
    merged: dict[str, Factor] = {}
    names = dict.fromkeys(name for copy in copies for name in copy.manifest.factors)
    for name in (one for one in names if one != NEGATIVE_CONTROL):
        having = [copy for copy in copies if name in copy.manifest.factors]
        factors = [copy.manifest.factors[name] for copy in having]
        types = [(factor.type, factor.reference_level) for factor in factors]
        type_, reference = _agreed(having, f"type and reference of {name}", types)
        has_units = [name in _own_units(copy) for copy in having]
        _agreed(having, f"whether {name} is the unit of prompts", has_units)
        levels = list(dict.fromkeys(level for factor in factors for level in factor.levels))
        merged[name] = Factor(type=type_, levels=levels, reference=reference)
    return merged


def _controls(copies: Sequence[Copy]) -> dict[str, str | None]:
    """The negative controls of every copy, each with its type in the first that has it."""
    controls: dict[str, str | None] = {}
    for copy in copies:
        if NEGATIVE_CONTROL in copy.manifest.factors:
            declared = NegativeControls.model_validate(copy.manifest.config["negative_controls"])
            controls = {**declared.types, **controls}
    return controls


def _units(copies: Sequence[Copy]) -> dict[str, list[str]]:
    """The factors whose levels are units of some prompts, each with those that units of every copy keep."""
    units: dict[str, list[str]] = {}
    for name, nested_in in (unit for copy in copies for unit in _own_units(copy).items()):
        units[name] = [one for one in units.get(name, nested_in) if one in nested_in]
    return units


def _own_units(copy: Copy) -> dict[str, list[str]]:
    """Those of one copy, the unit that its study file declares left out."""
    factors = copy.manifest.factors
    declared = copy.manifest.config.get("unit")
    return {
        name: factor.nested_in for name, factor in factors.items() if factor.nested_in is not None and name != declared
    }


def _recorded_measures(copies: Sequence[Copy]) -> list[MeasureSpec]:
    """The measures of archives, as columns of what was recorded; none where any copy is an export.

    What belongs to another measure is made again with that one, what every study has comes from the flags of
    responses, and numbers of clusters are no measure without them.
    """
    if not all(copy.is_archive for copy in copies):
        return []
    rows: dict[str, dict[str, Any]] = {}
    for row in (row for copy in copies for row in copy.manifest.measures):
        rows.setdefault(row["measure_id"], row)
    derived = {
        f"{key}{UNSCORED}"
        for key, row in rows.items()
        # a missing label does not say whether the answer was undecided
        if row["kind"] == "categorical" and f"{key}{UNDECIDED}" not in rows
    }
    derived |= {f"{key}{AS_WRITTEN_READING}" for key in rows}
    has_baseline = all(copy.manifest.config.get("baseline") is None for copy in copies)
    return [
        _recorded(key, row, has_baseline=has_baseline)
        for key, row in rows.items()
        if key not in {*derived, *IN_EVERY_STUDY, OTHER_LANGUAGE} and not row["segment_factor"]
    ]


def _recorded(key: str, row: dict[str, Any], *, has_baseline: bool) -> MeasureSpec:
    is_label, is_number = row["kind"] == "categorical", row["kind"] == "continuous"
    has_scale = row["scale_low"] is not None and row["scale_high"] is not None
    return MeasureSpec(
        name=key,
        kind=row["kind"],
        column=measured_column(key, "label" if is_label else "value"),
        baseline_column=measured_column(key, "baseline_value") if is_number and has_baseline else None,
        version_column=measured_column(key, "scorer_version"),
        unit=row["unit"],
        scale=(row["scale_low"], row["scale_high"]) if has_scale else None,
        direction=None if is_label else row["direction"],
        favourable=row["favourable"] if is_label else None,
    )


def _rows(copy: Copy, names: dict[str, Named], measured: Collection[str]) -> tuple[pd.DataFrame, list[Quarantined]]:
    """The rows of a copy, its generations under the names that they have among all copies."""
    columns = [*_PROMPT.values(), "is_root", *_KEPT, *(FACTOR_PREFIX + name for name in copy.manifest.factors)]
    if copy.has_responses:
        columns += [*_RESPONSE.values(), "status", "error"]
    optional = [*_UNIT, _MESSAGES, *_FINISH_REASONS, _REFUSAL_VERSION, *measured]
    table, quarantine = read_rows(copy, columns, optional)
    if table.empty:
        got, expected = f"{copy.path} without rows of run {copy.manifest.run_id}", "rows to compare with"
        raise SourceError(PATH_FIELD, got, expected, "take it out, or take another run")
    table = _with_units(copy, table)
    if _MESSAGES not in table:  # a version that knew of none
        table[_MESSAGES] = None
    if copy.has_responses:
        called = {key: named.name for key, named in names.items()}
        table["system_id"] = table["system_id"].map(lambda key: called.get(key, key))
    return table, quarantine


def _with_units(copy: Copy, table: pd.DataFrame) -> pd.DataFrame:
    """The rows with the units of their prompts, root prompts where a version knew no others.

    Raises:
        SourceError: prompts have units of which the manifest says nothing.
    """
    if not set(_UNIT) <= set(table):
        return table.assign(unit_id=table["root_prompt_id"], unit_factor=None)
    untold = set(table["unit_factor"].dropna()) - {*_own_units(copy), copy.manifest.config.get("unit")}
    if untold:
        version = copy.manifest.plumbline_version
        got = f"{copy.path}, written by Plumbline {version}, which says nothing of {min(untold)}"
        expected = "a manifest that tells the units of prompts"
        raise SourceError(PATH_FIELD, got, expected, "run its study again with this version")
    return table


def _refused_alike(copies: Sequence[Copy], tables: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    """Responses without the flag that other rules gave their texts, where not all runs had the same rules.

    Then the rules of today tell the refusals of all of them; what a server declined has no text.

    Raises:
        SourceError: some texts are not there.
    """
    versions = {one for table in tables if _REFUSAL_VERSION in table for one in table[_REFUSAL_VERSION].dropna()}
    if len(versions) < 2:
        return list(tables)
    if hidden := next((copy for copy in copies if copy.manifest.hides_texts), None):
        got = f"{hidden.path} without texts, whose refusals were told by other rules ({listed(sorted(versions))})"
        remedy = "take runs of one version of Plumbline; the next run of the study begins a new series"
        raise SourceError(PATH_FIELD, got, "refusals that the same rules told", remedy)
    return [
        table.assign(is_refused=_is_true(table["is_refused"]) & is_blank(table["response_text"])) for table in tables
    ]


def _system_factors(study: Study, imported: pd.DataFrame, names: Sequence[dict[str, Named]]) -> pd.DataFrame:
    """The levels that the copies tell; the name of a generation is its model where none does."""
    known = {*OF_SYSTEMS, *(name for name, factor in study.factors.items() if factor.type == "model")}
    levels = pd.DataFrame(list(_told_levels(names)), columns=["system", "factor", "level"])
    levels = levels[levels["system"].isin(imported["system"]) & levels["factor"].isin(known)]
    keys = ["system", "factor"]
    return pd.concat([levels, imported]).drop_duplicates(keys, ignore_index=True)


def _told_levels(names: Sequence[dict[str, Named]]) -> Iterator[tuple[str, str, str]]:
    for copy_names in names:
        for named in copy_names.values():
            yield from ((named.name, factor, level) for factor, level in named.levels.items())


def _with_messages(study: Study) -> Study:
    """The study with the column of messages, which is no column of every copy and is in every table read of one."""
    spec = import_of(study)
    columns = spec.columns.model_copy(update={"messages": _MESSAGES})
    prompts = study.prompts.model_copy(update={"import_": spec.model_copy(update={"columns": columns})})
    return study.model_copy(update={"prompts": prompts})


def _as_exported(study: Study, prompts: pd.DataFrame, kept: pd.DataFrame) -> pd.DataFrame:
    by_prompt = kept.drop_duplicates("prompt_id").set_index("prompt_id")
    exported = by_prompt.reindex(prompts["prompt_id"]).reset_index(drop=True)
    texts = exported[list(_KEPT)].astype(object)
    is_root = _is_true(exported["is_root"])
    blank = {name: texts[name].fillna("") for name in ("source_tag", "keyword", "document_id")}
    kinds = texts["baseline_kind"].where(texts["baseline_kind"].notna(), None)
    # of a unit that the study file declares the levels are looked up, as those of any other study are
    has_unit = exported["unit_factor"].isin(list(study.prompts.units))
    return prompts.assign(
        **blank,
        unit_id=exported["unit_id"].where(has_unit, prompts["root_prompt_id"]),
        unit_factor=exported["unit_factor"].astype(object).where(has_unit, None),
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
            "system": ended["system_id"].astype(str),
            "prompt_id": ended["prompt_id"].astype(str),
            "replicate": pd.to_numeric(ended["replicate"]).astype(int),
            "finish_reason": _finish_reasons(ended),
            "error": ("imported: " + ended["error"].fillna("error").astype(str)).where(failed, None),
        }
    )
    return rows.merge(endings, on=["system", "prompt_id", "replicate"], how="left", validate="1:1")


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
