"""Levels of an import that are negative controls and no group: removed from the columns that they stand in.

Belongs here: which rows of an import are controls. Reading the table is table.py.
"""

from collections.abc import Collection
from typing import NamedTuple

import pandas as pd

from python_assets.study.base import NEGATIVE_CONTROL


class ControlLevels(NamedTuple):
    """Levels of groups alone, and the control of each row.

    Attributes:
        levels: one row a row of the import, one column a factor; NULL where a control stood there.
        control: the control of each row, NULL of rows of groups.
        names_several: whether a row names two controls.
    """

    levels: pd.DataFrame
    control: pd.Series
    names_several: pd.Series


def take_out_controls(
    levels: pd.DataFrame, controls: Collection[str], named_control: pd.Series | None = None
) -> ControlLevels:
    """Tell the rows that name a control in some column.

    Args:
        levels: of factors of prompts, as declared, one row a row of the import, one column a factor.
        controls: levels that are controls.
        named_control: the control of each row, where a column tells them.
    """
    none = pd.Series(None, index=levels.index, dtype="str")
    if not controls:
        return ControlLevels(levels, none, none.notna())
    entries = levels if named_control is None else levels.assign(**{NEGATIVE_CONTROL: named_control})
    named = entries.where(entries.isin(list(controls)))
    control = named.bfill(axis=1).iloc[:, 0].astype("str") if len(named.columns) else none
    return ControlLevels(levels.mask(named[[*levels]].notna()), control, named.nunique(axis=1) > 1)
