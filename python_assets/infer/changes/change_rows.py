"""From changes to rows of inference.system_comparisons, before q.

Belongs here: what every comparison of two generations hands over, and the one way from it to rows. What changed
is found in measure_changes.py and subgroup_rates.py.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.infer.draws.exchange import Floats
from python_assets.infer.result import Bools, Result
from python_assets.infer.tables import COMPARISON_COLUMNS, CONTROL_FIELDS, Table

_COLUMNS: Final = {
    **{
        name: object if kind.startswith("varchar") else float
        for name, kind in COMPARISON_COLUMNS.items()
        if name != "study_id"
    },
    **dict.fromkeys(("std_error", "df", "studentised", "p_maxt", "p_by_t", "p_equivalence"), float),
    **dict.fromkeys(("p_maxt_permuted", "control_error", "control_df"), float),
    **dict.fromkeys(("skewness_of_hypothesis", "n_units"), float),
    "mirror_of": object,
    "is_permuted": bool,
}


class Change(NamedTuple):
    """What changed in some rows, and the value of either generation, of one shape; NaN where NULL."""

    result: Result
    value_a: Floats
    value_b: Floats


def without_value(n: int, reason: object) -> Change:
    """Rows that there is nothing to compare in."""
    nothing = np.full(n, np.nan)
    return Change(Result.of((n,), reason=reason), nothing, nothing)


def change_rows(change: Change, *, missing: Any = "no_block", **keys: Any) -> Table:
    """Rows of one comparison.

    Args:
        change: shape (rows,).
        missing: why a value is NULL where it is: a word, or one a row.
        keys: the other columns, and those that are to stand otherwise: a value, or one a row.
    """
    estimates = change.result
    columns: dict[str, Any] = {
        **estimates._asdict(),
        "n_draws": estimates.drawn,
        "n_units": np.nan,  # where they are no root prompts, of keys
        "value_a": change.value_a,
        "value_b": change.value_b,
        "reason": np.where(np.isnan(estimates.value), missing, None),
        "inference_reason": estimates.reason,
        **keys,
    }
    arrays: Table = {name: np.asarray(columns.get(name), dtype=kind) for name, kind in _COLUMNS.items()}
    shape = estimates.value.shape
    rows = {name: array if array.shape == shape else np.full(shape, array) for name, array in arrays.items()}
    return rows | {name: keys[name] for name in CONTROL_FIELDS if name in keys}


def without_p(rows: Table, where: Bools, reason: str) -> Table:
    """Rows of which some keep value and interval alone."""
    lost: Table = {name: np.where(where, np.nan, rows[name]) for name in ("p_value", "p_maxt", "p_equivalence")}
    return rows | lost | {"inference_reason": np.where(where, reason, rows["inference_reason"])}


def joined_rows(tables: Iterable[Table]) -> pd.DataFrame:
    """All rows; where there are none, the columns alone. Those of CONTROL_FIELDS where some rows have them."""
    all_tables = [*tables]
    columns = {
        name: pd.Series(np.concatenate([np.empty(0, dtype=kind), *(table[name] for table in all_tables)]), dtype=kind)
        for name, kind in _COLUMNS.items()
    }
    if any(CONTROL_FIELDS[0] in table for table in all_tables):
        for name in CONTROL_FIELDS:
            values = [table.get(name, np.full(len(table["value"]), np.nan)) for table in all_tables]
            columns[name] = pd.Series(np.concatenate(values))
    return pd.DataFrame(columns)
