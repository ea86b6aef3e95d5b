"""Any table of prompts, of responses or of scores, one row a response: csv, jsonl, parquet or xlsx."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
import pandas as pd
from pydantic import model_validator

from python_assets.errors import FieldPath, SourceError
from python_assets.importers.control_levels import take_out_controls
from python_assets.importers.entries import as_text, is_blank, joined, text_or_null
from python_assets.importers.factor_levels import as_declared, conditional, system_levels, with_references
from python_assets.importers.files import read_table_file
from python_assets.importers.formats import PATH_FIELD, Described, ImportedTable, Importer, import_of, importer
from python_assets.importers.row_rules import FAULT, FILE, LEVEL_PREFIX, ROW_COLUMN, broken_rules, quarantine_of
from python_assets.providers.outcomes import NOT_RECORDED
from python_assets.study.base import NEGATIVE_CONTROL, Unfit
from python_assets.study.imports import ImportColumns
from python_assets.study.messages import as_json, read_conversation
from python_assets.study.study import Columns, Factor, Import, Study
from python_assets.texts.files import find_files
from python_assets.warehouse.build import Quarantined

_SOURCE_TAG: Final = "import"
AUTO: Final = "auto"
ENDINGS: Final = ("finish_reason", "error")
"""Columns of a format that tells why each response ended, and what went wrong."""

_NOT_DECLARED = Factor(levels=None)


class TableImport(Import):
    """What stands where in the table; sheet: of xlsx files, one or several, whose rows are one table."""

    sheet: Columns | None = None

    @property
    def sheets(self) -> Sequence[str | None]:
        """The sheets to read of each file; None is the first one."""
        return _as_list(self.sheet) or [None]

    @model_validator(mode="after")
    def _columns_of_a_table(self) -> "TableImport":
        if "columns" not in self.model_fields_set:
            raise Unfit("columns, which say what stands where", "add columns: {prompt: COLUMN}")
        return self


@importer("table")
class TableImporter(Importer):
    """The table itself, its texts as they stand there."""

    options: ClassVar = TableImport

    @classmethod
    def described(cls, study: Study) -> Described:
        """What the study file says of columns."""
        spec = import_of(study)
        return Described(spec.columns, spec.factors)

    @classmethod
    def read(cls, study: Study) -> ImportedTable:
        """Read the table that a study imports."""
        return table_of_files(study, is_escaped=False, needs_levels=True)

    @classmethod
    def files(cls, study: Study) -> list[Path]:
        """The files of the table."""
        return _files(study)


def table_of_files(study: Study, *, is_escaped: bool, needs_levels: bool) -> ImportedTable:
    """Read the files that a study imports as one table.

    Args:
        study: with prompts.import.
        is_escaped: whether ' stands before texts that a spreadsheet would compute.
        needs_levels: whether every prompt has a level of every factor.

    Returns:
        Prompts in order of their first row, their factors, one row a response, and the rows that were
        rejected with the first rule each of them broke.

    Raises:
        SourceError: the file cannot be read, or every row was rejected.
        StudyError: the file lacks columns that the study names.
    """
    spec = import_of(study)
    wanted = list(dict.fromkeys([*_named_columns(spec), *measure_columns(study)]))
    field = (study.path, *PATH_FIELD)
    table, quarantine = _read_files(
        [(file, sheet) for file in _files(study) for sheet in spec.sheets], wanted, field, is_escaped=is_escaped
    )
    return table_of_rows(study, table, quarantine, needs_levels=needs_levels)


def _files(study: Study) -> list[Path]:
    return [file for path in import_of(study).paths for file in find_files(study, path, (study.path, *PATH_FIELD))]


def _read_files(
    files: Sequence[tuple[Path, str | None]], columns: Sequence[str], field: FieldPath, *, is_escaped: bool
) -> tuple[pd.DataFrame, list[Quarantined]]:
    """The rows of files and their sheets one after the other, with FILE and ROW beside the columns."""
    tables, quarantine = [], []
    for file, sheet in files:
        read = read_table_file(file, columns, field, is_escaped=is_escaped, sheet=sheet)
        read.table[FILE] = file.name if sheet is None else f"{file.name}:{sheet}"
        read.table[ROW_COLUMN] = np.arange(1, len(read.table) + 1)
        tables.append(read.table)
        quarantine += read.quarantine
    return pd.concat(tables, ignore_index=True), quarantine


def table_of_rows(
    study: Study,
    table: pd.DataFrame,
    quarantine: Sequence[Quarantined],
    *,
    needs_levels: bool,
    carried: Sequence[str] = (),
    control_column: str | None = None,
) -> ImportedTable:
    """Read rows of responses as an import.

    Args:
        study: with prompts.import, which names columns of the table.
        table: one row a response, with FILE and ROW.
        quarantine: what was rejected before.
        needs_levels: whether every prompt has a level of every factor.
        carried: further columns that rows are to have, those of ENDINGS where the table has them.
        control_column: the column that tells negative controls, where levels of factors do not.

    Returns:
        What table_of_files gives.

    Raises:
        SourceError: every row was rejected.
    """
    spec, measured = import_of(study), measure_columns(study)
    column_of = spec.factors | spec.columns_of_models
    model_factors = [name for name in column_of if name not in _factors_of_prompts(study, spec)]
    entries = pd.DataFrame({name: as_text(table[column]) for name, column in column_of.items()}, table.index)
    levels = with_references(study.factors, as_declared(study.factors, entries, study.controls))
    # prompts and generations may be named by columns of levels
    respelled = dict.fromkeys([*_respelled(entries, levels), *conditional(study.factors, levels)])
    spelled = table.assign(**{column_of[name]: levels[name] for name in respelled})
    named_control = None if control_column is None else as_text(table[control_column])
    prompt_levels, control, names_several = take_out_controls(
        levels.drop(columns=model_factors), study.controls, named_control
    )
    keyed = _keyed(spelled, spec, prompt_levels).assign(**{NEGATIVE_CONTROL: control})
    rules = broken_rules(
        keyed,
        study.factors,
        levels.assign(**prompt_levels),
        _columns_of_prompts(spec),
        names_several_controls=names_several,
        names_systems=spec.columns.system is not None,
        needs_levels=needs_levels,
    )
    if not rules.keeps.any():
        first = f"the first because: {rules.detail(0)}" if len(table) else "for there is none"
        got = f"no row of {', '.join(spec.paths)} that can be used, {first}"
        raise SourceError((study.path, *PATH_FIELD), got, "rows of responses", "mend the table")
    kept = keyed[rules.keeps].reset_index(drop=True)
    prompts, prompt_factors = _prompt_tables(study, spec, kept)
    rows = kept[["system", "prompt_id", "replicate", "response_text"]].copy()
    rows["replicate"] = rows["replicate"].astype(int)
    if spec.columns.response is None:
        rows["finish_reason"] = NOT_RECORDED
    further = list(dict.fromkeys([*carried, *measured]))
    rows[further] = table.loc[rules.keeps, further].reset_index(drop=True)
    return ImportedTable(
        prompts=prompts,
        prompt_factors=prompt_factors,
        system_factors=system_levels(
            keyed.loc[rules.keeps, "system"],
            levels.loc[rules.keeps, model_factors],
            (study.path, "prompts", "import", "factors"),
        ),
        rows=rows,
        quarantine=[*quarantine, *quarantine_of(table, rules)],
        n_rows=len(table),
        normalised=_normalised(table[rules.keeps], entries[rules.keeps], levels[rules.keeps]),
    )


def _respelled(entries: pd.DataFrame, levels: pd.DataFrame) -> list[str]:
    names = map(str, entries)
    return [name for name in names if (entries[name].notna() & (entries[name] != levels[name])).any()]


def _normalised(table: pd.DataFrame, entries: pd.DataFrame, levels: pd.DataFrame) -> pd.DataFrame:
    """Every entry of kept rows that became a level by another spelling."""
    keys = table[FILE] + ":row " + table[ROW_COLUMN].astype(str)
    frames = [
        pd.DataFrame({"record_key": keys, "factor": name, "entry": entries[name], "level": levels[name]})
        for name in entries
    ]
    entry_rows = pd.concat(frames) if frames else pd.DataFrame(columns=["record_key", "factor", "entry", "level"])
    is_read = ~is_blank(entry_rows["entry"].astype("str"))
    return entry_rows[is_read & (entry_rows["entry"] != entry_rows["level"])].reset_index(drop=True)


def _factors_of_prompts(study: Study, spec: Import) -> list[str]:
    model_columns = spec.columns_of_models
    return [name for name in spec.factors if name not in model_columns and _declared(study, name).type != "model"]


def _declared(study: Study, factor: str) -> Factor:
    return study.factors.get(factor, _NOT_DECLARED)


def _named_columns(spec: Import) -> list[str]:
    columns = spec.columns
    replicate = None if columns.replicate == AUTO else columns.replicate
    single = [columns.messages, columns.prompt_text, columns.baseline_text, columns.response, replicate]
    several = [columns.prompt, columns.root_prompt, columns.system]
    named = [*(name for names in several for name in _as_list(names)), *spec.factors.values()]
    return [*named, *(name for name in single if name is not None)]


def measure_columns(study: Study) -> list[str]:
    """The columns of the import that the measures of a study read, each once."""
    return list(dict.fromkeys(name for measure in study.measures for name in measure.imported_columns))


def _as_list(columns: Columns | None) -> list[str]:
    if columns is None:
        return []
    return [columns] if isinstance(columns, str) else columns


def _keyed(table: pd.DataFrame, spec: Import, levels: pd.DataFrame) -> pd.DataFrame:
    """Every column under its own name as text; a factor's level stands under LEVEL and its name."""
    columns = spec.columns
    prompt_id = joined(table, _as_list(columns.prompt))
    prompts = _asked(table, columns)
    root_columns = _as_list(columns.root_prompt)
    keyed = pd.DataFrame(
        {
            "prompt_id": prompt_id,
            "root_prompt_id": joined(table, root_columns) if root_columns else prompt_id,
            "messages_json": prompts["messages_json"],
            "prompt_text": prompts["prompt_text"],
            FAULT: prompts[FAULT],
            "baseline_text": text_or_null(table, columns.baseline_text),
            "response_text": text_or_null(table, columns.response),
            "system": _systems(table, _as_list(columns.system)),
            "document_id": table[FILE],
        }
    )
    keyed = keyed.join(levels.add_prefix(LEVEL_PREFIX))
    return keyed.assign(replicate=_replicates(table, keyed, columns.replicate))


def _asked(table: pd.DataFrame, columns: ImportColumns) -> pd.DataFrame:
    """The text of every row's prompt, the messages before it, and what is wrong with these; each NULL where none is."""
    texts = text_or_null(table, columns.prompt_text)
    if columns.messages is None:
        return pd.DataFrame({"messages_json": None, "prompt_text": texts, FAULT: None}, dtype="str")
    holds_prompt = columns.prompt_text is None
    # every distinct conversation once: the rows of a prompt repeat it
    codes, entries = pd.factorize(text_or_null(table, columns.messages).fillna(""))
    read = [_conversation(str(entry), column=columns.messages, holds_prompt=holds_prompt) for entry in entries]
    conversations = pd.DataFrame(read, columns=["messages_json", "prompt_text", FAULT], dtype="str")
    prompts = conversations.take(codes).set_axis(table.index)
    return prompts if holds_prompt else prompts.assign(prompt_text=texts)


def _conversation(entry: str, *, column: str, holds_prompt: bool) -> tuple[str | None, str | None, str | None]:
    """Messages, prompt and fault of an entry; nothing need stand before a prompt that has a column of its own."""
    if not entry.strip() and not holds_prompt:
        return None, None, None
    try:
        read = read_conversation(entry, holds_prompt=holds_prompt)
    except Unfit as fault:
        return None, None, f"column {column!r}: {fault.expected}; {fault.remedy}"
    return as_json(read.before), read.prompt_text, None


def _systems(table: pd.DataFrame, columns: Sequence[str]) -> pd.Series:
    """The name of every row's generation; null where any of the columns is blank."""
    if not columns:
        return pd.Series("", index=table.index, dtype="str")
    some_blank = np.logical_or.reduce([is_blank(as_text(table[column])) for column in columns])
    return joined(table, columns).mask(some_blank)


def _columns_of_prompts(spec: Import) -> dict[str, str]:
    """What the table calls the columns that every row of a prompt agrees on."""
    named = {
        "root_prompt_id": _as_list(spec.columns.root_prompt),
        "messages_json": _as_list(spec.columns.messages),
        "prompt_text": _as_list(spec.columns.prompt_text or spec.columns.messages),
        "baseline_text": _as_list(spec.columns.baseline_text),
        **{LEVEL_PREFIX + name: [column] for name, column in spec.factors.items()},
        NEGATIVE_CONTROL: list(spec.factors.values()),
    }
    return {name: f"column {', '.join(map(repr, columns))}" for name, columns in named.items()}


def _replicates(table: pd.DataFrame, keyed: pd.DataFrame, column: str | None) -> pd.Series:
    if column is None:
        return pd.Series(0, index=table.index, dtype="Int64")
    if column == AUTO:
        return keyed.groupby(["system", "prompt_id"], dropna=False).cumcount().astype("Int64")
    numbers = pd.to_numeric(as_text(table[column]), errors="coerce").astype("Float64")
    whole = numbers.notna() & (numbers % 1 == 0) & (numbers.abs() < 2**31)
    return numbers.where(whole.fillna(False)).astype("Int64")


def _prompt_tables(study: Study, spec: Import, kept: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    factors = [str(name).removeprefix(LEVEL_PREFIX) for name in kept if str(name).startswith(LEVEL_PREFIX)]
    prompt_rows = kept.drop_duplicates("prompt_id", ignore_index=True)
    named = ["prompt_id", "root_prompt_id", "messages_json", "prompt_text", "baseline_text", "document_id"]
    named.append(NEGATIVE_CONTROL)
    prompts = prompt_rows[named].assign(
        unit_id=prompt_rows["root_prompt_id"],
        is_root=_is_root(study, prompt_rows, factors),
        task=spec.task,
        baseline_kind=prompt_rows["baseline_text"].notna().map({True: "actual", False: None}),
        source_tag=_SOURCE_TAG,
        keyword="",
        replacements_json="{}",
    )
    levels = prompt_rows[["prompt_id", *(LEVEL_PREFIX + name for name in factors), NEGATIVE_CONTROL]]
    long = levels.melt(id_vars="prompt_id", var_name="factor", value_name="level")
    long["factor"] = long["factor"].str.removeprefix(LEVEL_PREFIX)
    return prompts, long[~is_blank(long["level"].astype("str"))].reset_index(drop=True)


def _is_root(study: Study, prompts: pd.DataFrame, factors: Sequence[str]) -> pd.Series:
    """The first prompt of each root prompt that has all reference levels; where none has, the first; no control."""
    is_reference = prompts[NEGATIVE_CONTROL].isna()
    for name in factors:
        reference = _declared(study, name).reference
        if reference is not None:
            is_reference &= prompts[LEVEL_PREFIX + name] == reference
    order = (~is_reference[prompts[NEGATIVE_CONTROL].isna()]).sort_values(kind="stable").index
    first = prompts.loc[order].drop_duplicates("root_prompt_id").index
    return pd.Series(prompts.index.isin(first), index=prompts.index)
