"""Two tables compared: words and NULLs are equal, numbers to 1e-12, whatever the order of rows."""

import numpy as np
import pandas as pd

OF_A_RUN = ("run_id", "publication_id", "archive", "archive_path")


def assert_alike(found, expected, name="", *, but=()):
    """Rows are joined by their words and rounded numbers; columns of times and of the run are left out."""
    assert list(found.columns) == list(expected.columns), name
    columns = [c for c in found if c not in (*OF_A_RUN, *but) and not c.endswith("_at")]
    one, other = (_sorted(table[columns]) for table in (found, expected))
    assert len(one) == len(other), f"{name}: {len(one)} rows and {len(other)}"
    for column in columns:
        left, right = one[column], other[column]
        assert list(left.isna()) == list(right.isna()), f"{name}.{column}: NULLs"
        if pd.api.types.is_numeric_dtype(left) and pd.api.types.is_numeric_dtype(right):
            a, b = (values.dropna().to_numpy(dtype=float) for values in (left, right))
            np.testing.assert_array_less(abs(a - b), 1e-12 * np.maximum(1, abs(a)) + 1e-300, f"{name}.{column}")
        else:
            assert list(left.dropna().astype(str)) == list(right.dropna().astype(str)), f"{name}.{column}"


def _sorted(table):
    def key(values):
        if pd.api.types.is_numeric_dtype(values):
            return values.astype(float).map(lambda value: f"{value:.9g}")
        return values.astype(str)

    keys = table.apply(key)
    words = sorted(keys, key=lambda name: pd.api.types.is_numeric_dtype(table[name]))
    return table.loc[keys.sort_values(words).index].reset_index(drop=True) if len(table) else table
