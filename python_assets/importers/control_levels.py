"""Levels of an import that are negative controls and no group: taken out of the columns that they stand in.

Belongs here: which rows of an import are controls. Reading the table is table.py.
"""

from collections.abc import Collection
from typing import NamedTuple

import pandas as pd

from python_assets.importers.factor_levels import spellings


class ControlLevels(NamedTuple):
    """Levels of groups alone, and the controls beside them.

    Attributes:
        levels: one row a row of the import, one column a factor; NULL where a control stood there.
        control: the control of each row, NULL of rows of groups.
        names_several: whether a row names two controls.
    """

    levels: pd.DataFrame
    control: pd.Series
    names_several: pd.Series


def take_out_controls(levels: pd.DataFrame, controls: Collection[str]) -> ControlLevels:
    """Tell the rows that name a control in some column, in whichever spelling.

    Args:
        levels: of factors of prompts, as declared, one row a row of the import, one column a factor.
        controls: levels that are controls.
    """
    none = pd.Series(None, index=levels.index, dtype="str")
    if not controls:
        return ControlLevels(levels, none, none.notna())
    spelled = levels.apply(lambda column: column.replace(spellings(column.dropna().unique(), list(controls))))
    named = spelled.where(spelled.isin(list(controls)))
    control = named.bfill(axis=1).iloc[:, 0].astype("str") if len(named.columns) else none
    return ControlLevels(levels.mask(named.notna()), control, named.nunique(axis=1) > 1)
