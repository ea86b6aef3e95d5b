"""Any table of prompts, of responses or of scores, one row a response: csv, jsonl, parquet or xlsx."""

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.errors import SourceError
from python_assets.importers.factor_levels import (
    breaks_condition,
    conditional,
    generation_levels,
    with_references,
)
from python_assets.importers.files import read_table_file
from python_assets.importers.formats import IMPORTERS, ImportedTable
from python_assets.providers.outcomes import NOT_RECORDED
from python_assets.study.study import (
    LEVEL_SEPARATOR,
    Columns,
    Factor,
    Import,
    Study,
)
from python_assets.terminal import has_control
from python_assets.texts.files import find_files
from python_assets.warehouse.build import Quarantined

SOURCE_TAG: Final = "import"
KEY_SEPARATOR: Final = " | "
AUTO: Final = "auto"

_FIELD = "prompts.import"
_NOT_DECLARED = Factor(levels=None)
_DETAILS: Final = {
    "unknown_prompt": "the row names no prompt",
    "unknown_generation": "the row names no generation",
    "invalid_level": f"a factor's level is blank, is not declared or holds {LEVEL_SEPARATOR!r} "
    "or a control character",
    "condition_not_met": "a factor has a level that its condition (when) does not allow",
    "conflicting_prompt": "the row disagrees with the first of its prompt on factors, texts or root prompt",
    "invalid_replicate": "the replicate is no whole number",
    "duplicate_key": "an earlier row has the same prompt, generation and replicate",
}


class _Rules(NamedTuple):
    """The first rule that each row breaks; '' where it breaks none."""

    broken: np.ndarray[Any, np.dtype[np.object_]]

    def add(self, rule: str, wrong: pd.Series) -> None:
        self.broken[(self.broken == "") & wrong.to_numpy(dtype=bool)] = rule

    @property
    def keeps(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        return self.broken == ""


@IMPORTERS.register("table")
def read_table(study: Study) -> ImportedTable:
    """Read the table that a study imports, its texts as they stand there."""
    return imported_table(study, is_escaped=False)


def imported_table(study: Study, *, is_escaped: bool) -> ImportedTable:
    """Read the table that a study imports.

    Args:
        study: with prompts.import.
        is_escaped: whether ' stands before texts that a spreadsheet would compute.

    Returns:
        Prompts in order of their first row, their factors, one row a response, and the rows that were
        rejected with the first rule each of them broke.

    Raises:
        SourceError: the file cannot be read, or every row was rejected.
        StudyError: the file lacks columns that the study names.
    """
    spec = study.prompts.import_
    if spec is None:
        raise ValueError(f"study {study.study_id} has no prompts.import")
    measured = _measure_columns(study)
    table, quarantine = _read_files(study, spec, measured, is_escaped)
    of_models = [name for name in spec.factors if _declared(study, name).type == "model"]
    factors = [name for name in spec.factors if name not in of_models]
    levels = with_references(study.factors, _levels(table, spec))
    # a generation may be named by a factor of models that has a condition
    table = table.assign(**{spec.factors[name]: levels[name] for name in conditional(study.factors, levels)})
    keyed = _keyed(table, spec, levels[factors])
    rules = _broken_rules(study, spec, keyed, factors)
    rules.add("condition_not_met", breaks_condition(study.factors, levels))
    quarantine += _quarantine(table, rules)
    if not rules.keeps.any():
        raise SourceError(
            f"{study.path.name}: {_FIELD}: every row of {spec.path} was rejected, the first because: "
            f"{_DETAILS[rules.broken[0]] if len(table) else 'the table has no rows'}."
        )
    kept = keyed[rules.keeps].reset_index(drop=True)
    prompts, prompt_factors = _prompt_tables(study, spec, kept, factors)
    rows = kept[["generation", "prompt_id", "replicate", "response_text"]].copy()
    rows["replicate"] = rows["replicate"].astype(int)
    if spec.columns.response is None:
        rows["finish_reason"] = NOT_RECORDED
    rows[measured] = table.loc[rules.keeps, measured].reset_index(drop=True)
    return ImportedTable(
        prompts=prompts,
        prompt_factors=prompt_factors,
        generation_factors=generation_levels(
            keyed.loc[rules.keeps, "generation"],
            levels.loc[rules.keeps, of_models],
            f"{study.path.name}: {_FIELD}.factors",
        ),
        rows=rows,
        quarantine=quarantine,
        n_rows=len(table),
    )


def _levels(table: pd.DataFrame, spec: Import) -> pd.DataFrame:
    """The levels of every factor as text, those of models included."""
    levels = {name: _as_text(table[column]).str.strip() for name, column in spec.factors.items()}
    return pd.DataFrame(levels, index=table.index)


def _declared(study: Study, factor: str) -> Factor:
    return study.factors.get(factor, _NOT_DECLARED)


def _read_files(
    study: Study, spec: Import, measured: Sequence[str], is_escaped: bool
) -> tuple[pd.DataFrame, list[Quarantined]]:
    field = f"{study.path.name}: {_FIELD}.path"
    wanted = [*_named_columns(spec), *measured]
    tables, quarantine = [], []
    for file in find_files(study, spec.path, field):
        read = read_table_file(file, wanted, field, is_escaped=is_escaped)
        read.table["\0file"] = file.name
        read.table["\0row"] = np.arange(1, len(read.table) + 1)
        tables.append(read.table)
        quarantine += read.quarantine
    return pd.concat(tables, ignore_index=True), quarantine


def _named_columns(spec: Import) -> list[str]:
    columns = spec.columns
    replicate = None if columns.replicate == AUTO else columns.replicate
    single = [columns.prompt_text, columns.baseline_text, columns.response, columns.generation, replicate]
    named = [*_as_list(columns.prompt), *_as_list(columns.root_prompt), *spec.factors.values()]
    return list(dict.fromkeys([*named, *(name for name in single if name is not None)]))


def _measure_columns(study: Study) -> list[str]:
    named = [column for measure in study.measures for column in (measure.column, measure.baseline_column)]
    return list(dict.fromkeys(column for column in named if column is not None))


def _as_list(columns: Columns | None) -> list[str]:
    if columns is None:
        return []
    return [columns] if isinstance(columns, str) else columns


def _keyed(table: pd.DataFrame, spec: Import, levels: pd.DataFrame) -> pd.DataFrame:
    """Every column under its own name as text; a factor's level stands under 'factor ' and its name."""
    columns = spec.columns
    prompt_id = _joined(table, _as_list(columns.prompt))
    root_columns = _as_list(columns.root_prompt)
    keyed = pd.DataFrame(
        {
            "prompt_id": prompt_id,
            "root_prompt_id": _joined(table, root_columns) if root_columns else prompt_id,
            "prompt_text": _text_or_null(table, columns.prompt_text),
            "baseline_text": _text_or_null(table, columns.baseline_text),
            "response_text": _text_or_null(table, columns.response),
            "generation": "" if columns.generation is None else _as_text(table[columns.generation]),
            "document_id": table["\0file"],
        }
    )
    keyed = keyed.join(levels.add_prefix("factor "))
    return keyed.assign(replicate=_replicates(table, keyed, columns.replicate))


def _replicates(table: pd.DataFrame, keyed: pd.DataFrame, column: str | None) -> pd.Series:
    if column is None:
        return pd.Series(0, index=table.index, dtype="Int64")
    if column == AUTO:
        return keyed.groupby(["generation", "prompt_id"], dropna=False).cumcount().astype("Int64")
    numbers = pd.to_numeric(_as_text(table[column]), errors="coerce").astype("Float64")
    whole = numbers.notna() & (numbers % 1 == 0) & (numbers.abs() < 2**31)
    return numbers.where(whole.fillna(False)).astype("Int64")


def _broken_rules(study: Study, spec: Import, keyed: pd.DataFrame, factors: Sequence[str]) -> _Rules:
    rules = _Rules(np.full(len(keyed), "", dtype=object))
    rules.add("unknown_prompt", _is_blank(keyed["prompt_id"]) | _is_blank(keyed["root_prompt_id"]))
    if spec.columns.generation is not None:
        rules.add("unknown_generation", _is_blank(keyed["generation"]))
    for name in factors:
        levels = keyed[f"factor {name}"]
        is_blank = _is_blank(levels)
        named = levels.fillna("")
        separated = named.str.contains(LEVEL_SEPARATOR, regex=False) | named.map(has_control)
        # a prompt that was exported may have had no level of a factor
        rules.add("invalid_level", separated | (is_blank & (spec.format != "plumbline")))
        if declared := _declared(study, name).levels:
            rules.add("invalid_level", ~is_blank & ~levels.isin(declared))
    rules.add("invalid_replicate", keyed["replicate"].isna())
    of_prompt = ["root_prompt_id", "prompt_text", "baseline_text", *(f"factor {name}" for name in factors)]
    rules.add("conflicting_prompt", _disagrees(keyed, of_prompt, rules))
    kept = keyed.loc[rules.keeps, ["prompt_id", "generation", "replicate"]]
    rules.add("duplicate_key", kept.duplicated().reindex(keyed.index, fill_value=False))
    return rules


def _disagrees(keyed: pd.DataFrame, columns: Sequence[str], rules: _Rules) -> pd.Series:
    """Whether a row differs from the first kept row of its prompt in any of the columns."""
    kept = keyed[rules.keeps]
    codes, _ = pd.factorize(kept["prompt_id"])
    _, first = np.unique(codes, return_index=True)
    differs = np.zeros(len(kept), dtype=bool)
    for column in columns:
        values, _ = pd.factorize(kept[column])
        differs |= values != values[first][codes]
    return pd.Series(differs, index=kept.index).reindex(keyed.index, fill_value=False)


def _prompt_tables(
    study: Study, spec: Import, kept: pd.DataFrame, factors: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    of_prompts = kept.drop_duplicates("prompt_id", ignore_index=True)
    named = ["prompt_id", "root_prompt_id", "prompt_text", "baseline_text", "document_id"]
    prompts = of_prompts[named].assign(
        unit_id=of_prompts["root_prompt_id"],
        is_root=_is_root(study, of_prompts, factors),
        task=spec.task,
        baseline_kind=of_prompts["baseline_text"].notna().map({True: "actual", False: None}),
        source_tag=SOURCE_TAG,
        keyword="",
        replacements_json="{}",
    )
    levels = of_prompts[["prompt_id", *(f"factor {name}" for name in factors)]]
    long = levels.melt(id_vars="prompt_id", var_name="factor", value_name="level")
    long["factor"] = long["factor"].str.removeprefix("factor ")
    is_blank = _is_blank(long["level"].astype("str"))
    return prompts, long[~is_blank].reset_index(drop=True)


def _is_root(study: Study, prompts: pd.DataFrame, factors: Sequence[str]) -> pd.Series:
    """The first prompt of each root prompt that has all reference levels; where none has, the first."""
    is_reference = pd.Series(True, index=prompts.index)
    for name in factors:
        reference = _declared(study, name).reference
        if reference is not None:
            is_reference &= prompts[f"factor {name}"] == reference
    order = (~is_reference).sort_values(kind="stable").index
    first = prompts.loc[order].drop_duplicates("root_prompt_id").index
    return pd.Series(prompts.index.isin(first), index=prompts.index)


def _quarantine(table: pd.DataFrame, rules: _Rules) -> list[Quarantined]:
    rejected = table[~rules.keeps]
    if rejected.empty:
        return []
    named = rejected.drop(columns=["\0file", "\0row"])
    records = named.to_json(orient="records", lines=True, force_ascii=False).removesuffix("\n").split("\n")
    broken = rules.broken[~rules.keeps]
    rows = zip(rejected["\0file"], rejected["\0row"], broken, records, strict=True)
    return [
        Quarantined(f"{file}:row {row}", rule, f"import: {_DETAILS[rule]}", record)
        for file, row, rule, record in rows
    ]


def _joined(table: pd.DataFrame, columns: Sequence[str]) -> pd.Series:
    """The columns as one text; null where all of them are blank."""
    texts = [_as_text(table[column]).fillna("") for column in columns]
    joined = texts[0]
    for text in texts[1:]:
        joined = joined + KEY_SEPARATOR + text
    all_blank = np.logical_and.reduce([_is_blank(text) for text in texts])
    return joined.mask(all_blank)


def _text_or_null(table: pd.DataFrame, column: str | None) -> pd.Series:
    if column is None:
        return pd.Series(None, index=table.index, dtype=object)
    return _as_text(table[column])


def _is_blank(texts: pd.Series) -> pd.Series:
    return texts.isna() | (texts.fillna("").str.strip() == "")


def _as_text(values: pd.Series) -> pd.Series:
    """Values as text, null kept; whole numbers without a decimal point, as a person would write them."""
    if pd.api.types.is_string_dtype(values.dtype) and values.dtype != object:
        return values.astype(object).where(values.notna(), None).astype("str")
    if pd.api.types.is_bool_dtype(values.dtype):
        return values.map({True: "true", False: "false"}).astype("str")
    return values.map(_one_as_text, na_action="ignore").astype("str")


def _one_as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
