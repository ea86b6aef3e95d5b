"""What rows of an import must be: the first rule that each breaks, and the quarantine of those that do.

Belongs here: rules on rows. Reading them is table.py, their conditions of factors are factor_levels.py.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from python_assets.importers.entries import is_blank
from python_assets.importers.factor_levels import breaks_condition
from python_assets.study.base import NEGATIVE_CONTROL
from python_assets.study.control_characters import has_control
from python_assets.study.study import LEVEL_SEPARATOR, Factor
from python_assets.warehouse.build import Quarantined

FILE: Final = "\0file"  # columns beside those of the table: the name of its file, and the row there from 1
ROW_COLUMN: Final = "\0row"
FAULT: Final = "\0fault"
LEVEL_PREFIX: Final = "factor "  # begins the name of a column of levels
_SHOWN_CHARACTERS: Final = 80

_DETAILS: Final = {
    "unknown_prompt": "the row names no prompt",
    "unknown_system": "the row names no generation, or one of the columns that do is blank",
    "invalid_level": f"a factor's level is blank, is not declared or holds {LEVEL_SEPARATOR!r} or a control character",
    "invalid_messages": "the messages are no conversation that can be asked",
    "conflicting_prompt": "the row disagrees with the first of its prompt",
    "condition_not_met": "the level of a factor contradicts its condition (when)",
    "invalid_replicate": "the replicate is no whole number",
    "duplicate_key": "an earlier row has the same prompt, generation and replicate",
}


class RowRules:
    """The first rule that each row breaks, '' where it breaks none, and in words what is wrong there."""

    def __init__(self, n_rows: int) -> None:
        """Begin with rows that break no rule."""
        self.broken: np.ndarray[Any, np.dtype[np.object_]] = np.full(n_rows, "", dtype=object)
        self._details: dict[int, str] = {}

    def add(self, rule: str, wrong: pd.Series, details: Mapping[int, str] | None = None) -> None:
        """Apply a rule to the rows that broke none before it.

        Args:
            rule: its name.
            wrong: whether each row breaks it.
            details: by row, more than the rule says by itself.
        """
        newly = (self.broken == "") & wrong.to_numpy(dtype=bool)
        self.broken[newly] = rule
        for row in np.flatnonzero(newly) if details else ():
            self._details[int(row)] = details[int(row)] if details else ""

    @property
    def keeps(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which rows break no rule."""
        return self.broken == ""

    def detail(self, row: int) -> str:
        """What is wrong with a row, in words."""
        return self._details.get(row) or _DETAILS[self.broken[row]]


def broken_rules(
    keyed: pd.DataFrame,
    factors: Mapping[str, Factor],
    levels: pd.DataFrame,
    columns_of: Mapping[str, str],
    *,
    names_several_controls: pd.Series,
    names_systems: bool,
    needs_levels: bool,
) -> RowRules:
    """Apply every rule to the rows of an import.

    Args:
        keyed: prompt_id, root_prompt_id, messages_json, prompt_text, baseline_text, generation, replicate and the
            levels of factors of prompts under LEVEL and the factor's name, as text; what is wrong with the messages
            under FAULT, NULL where nothing is; the negative control, NULL of prompts of groups.
        factors: declared ones.
        levels: of every factor, those of models included.
        columns_of: what the table calls the columns that say something of a prompt.
        names_several_controls: whether a row names two negative controls.
        names_systems: whether the table says which generation answered.
        needs_levels: whether every prompt has a level of every factor.
    """
    rules = RowRules(len(keyed))
    level_columns = [str(name) for name in keyed if str(name).startswith(LEVEL_PREFIX)]
    rules.add("unknown_prompt", is_blank(keyed["prompt_id"]) | is_blank(keyed["root_prompt_id"]))
    if names_systems:
        rules.add("unknown_system", is_blank(keyed["system"]))
    for name in level_columns:
        factor = factors.get(name.removeprefix(LEVEL_PREFIX))
        is_exempt = keyed[NEGATIVE_CONTROL].notna() & is_blank(keyed[name])  # a control is of no group
        rules.add("invalid_level", _invalid(keyed[name], factor, needs_levels=needs_levels) & ~is_exempt)
    several = dict.fromkeys(map(int, np.flatnonzero(names_several_controls)), "the row names two negative controls")
    rules.add("invalid_level", names_several_controls, several)
    rules.add("invalid_replicate", keyed["replicate"].isna())
    faults = keyed[FAULT].reset_index(drop=True).dropna()
    rules.add("invalid_messages", keyed[FAULT].notna(), {int(row): str(faults[row]) for row in faults.index})
    prompt_columns = ["root_prompt_id", "messages_json", "prompt_text", "baseline_text", *level_columns]
    prompt_columns.append(NEGATIVE_CONTROL)
    rules.add("conflicting_prompt", *_disagreeing(keyed, prompt_columns, columns_of, rules))
    kept = keyed.loc[rules.keeps, ["prompt_id", "system", "replicate"]]
    rules.add("duplicate_key", kept.duplicated().reindex(keyed.index, fill_value=False))
    rules.add("condition_not_met", breaks_condition(factors, levels) & keyed[NEGATIVE_CONTROL].isna())
    return rules


def _invalid(levels: pd.Series, factor: Factor | None, *, needs_levels: bool) -> pd.Series:
    codes, entries = pd.factorize(levels.fillna(""))
    texts = [str(entry) for entry in entries]
    declared = None if factor is None else factor.levels
    wrong = [
        needs_levels
        if not text.strip()
        else LEVEL_SEPARATOR in text or has_control(text) or (declared is not None and text not in declared)
        for text in texts
    ]
    return pd.Series(np.array(wrong, dtype=bool)[codes], index=levels.index)


def _disagreeing(
    keyed: pd.DataFrame, columns: Sequence[str], columns_of: Mapping[str, str], rules: RowRules
) -> tuple[pd.Series, dict[int, str]]:
    """The rows that differ from the first kept row of their prompt, and for each the first such column."""
    kept = np.flatnonzero(rules.keeps)
    codes, _ = pd.factorize(keyed["prompt_id"].iloc[kept])
    _, first = np.unique(codes, return_index=True)
    first_row = kept[first][codes]
    details: dict[int, str] = {}
    differs = np.zeros(len(keyed), dtype=bool)
    for column in columns:
        values, _ = pd.factorize(keyed[column])
        wrong = kept[(values[kept] != values[first_row]) & ~differs[kept]]
        differs[wrong] = True
        entries, expected = keyed[column].iloc[wrong], keyed[column].iloc[_of(first_row, kept, wrong)]
        for row, entry, earlier in zip(wrong, entries, expected, strict=True):
            details[int(row)] = _disagreement(columns_of[column], entry, earlier)
    return pd.Series(differs, index=keyed.index), details


def _of(first_row: np.ndarray, kept: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The first row of the prompt of each of some kept rows."""
    return np.asarray(first_row[np.searchsorted(kept, rows)])


def _disagreement(column: str, entry: Any, earlier: Any) -> str:
    return (
        f"{_DETAILS['conflicting_prompt']}: {column} is {_shown(entry)} here and {_shown(earlier)} there. "
        "Name the column in columns.prompt if it tells prompts apart, in columns.system if it tells "
        "generations apart"
    )


def _shown(entry: Any) -> str:
    if pd.isna(entry):
        return "blank"
    return repr(entry if len(entry) <= _SHOWN_CHARACTERS else f"{entry[:_SHOWN_CHARACTERS]}...")


def quarantine_of(table: pd.DataFrame, rules: RowRules) -> list[Quarantined]:
    """The rows that broke a rule, as the table has them.

    Args:
        table: with the columns FILE and ROW.
        rules: applied to its rows.
    """
    wrong = np.flatnonzero(~rules.keeps)
    if not len(wrong):
        return []
    rejected = table.iloc[wrong]
    named = rejected.drop(columns=[FILE, ROW_COLUMN])
    records = named.to_json(orient="records", lines=True, force_ascii=False).removesuffix("\n").split("\n")
    rows = zip(rejected[FILE], rejected[ROW_COLUMN], wrong, records, strict=True)
    return [
        Quarantined(f"{file}:row {number}", rules.broken[row], f"import: {rules.detail(int(row))}", record)
        for file, number, row, record in rows
    ]
