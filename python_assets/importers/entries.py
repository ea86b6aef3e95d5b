"""Entries of a table as texts: what keys, levels and texts of an import are read as.

Belongs here: one column or several to one column of text. What the text means is the importer's.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

KEY_SEPARATOR: Final = " | "


def as_text(values: pd.Series) -> pd.Series:
    """Entries as text, null kept; whole numbers without a decimal point, as a person would write them."""
    if values.dtype == object:
        return values.map(_one_as_text, na_action="ignore").astype("str")
    if pd.api.types.is_string_dtype(values.dtype):
        return values.astype("str")
    # every distinct entry once: a million rows have few numbers or categories
    codes, entries = pd.factorize(values)
    texts = pd.Series([_one_as_text(entry) for entry in entries.astype(object)], dtype="str")
    return texts.reindex(codes).set_axis(values.index)


def text_or_null(table: pd.DataFrame, column: str | None) -> pd.Series:
    """A column as text; null in every row where there is no such column."""
    if column is None:
        return pd.Series(None, index=table.index, dtype="str")
    return as_text(table[column])


def joined(table: pd.DataFrame, columns: Sequence[str]) -> pd.Series:
    """The columns as one text, KEY_SEPARATOR between them; null where all of them are blank."""
    texts = [as_text(table[column]).fillna("") for column in columns]
    whole = texts[0]
    for text in texts[1:]:
        whole = whole + KEY_SEPARATOR + text
    all_blank = np.logical_and.reduce([is_blank(text) for text in texts])
    return whole.mask(all_blank)


def is_blank(texts: pd.Series) -> pd.Series:
    """Whether an entry is null, empty or white space alone."""
    return texts.isna() | (texts.fillna("").str.strip() == "")


def _plain(value: Any) -> Any:
    """What JSON has no word for: a list inside a list of parquet, else any other thing as text."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def _one_as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, np.ndarray):  # a list, as parquet has it
        value = value.tolist()
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return str(value)
