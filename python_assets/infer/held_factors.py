"""The factors whose levels groups are compared within, as words of the method.

Belongs here: reading them, and adding them to rows. Which factors these are, dbt says (int_blocking_factors).
"""

from collections.abc import Mapping
from typing import Final

import duckdb
import pandas as pd

from python_assets.study.base import GROUND_TRUTH, HELD, LEFT_OUT

NOT_REDUNDANT: Final = "varies_within_unit"  # units are compared whole, so it is in no stratum
FACTORS: Final = "slice_id, grouping_id, factor, is_held, left_out_because"
_FACTORS = f"select {FACTORS} from intermediate.int_blocking_factors order by all"


def held_words(held: list[str], left_out: list[str]) -> str:
    """What a method says of factors held fixed and of redundant ones; '' where there is none."""
    parts = ((HELD, held), (LEFT_OUT, left_out))
    return "".join(word + ", ".join(factors) for word, factors in parts if factors)


def with_held_factors(
    tables: Mapping[str, pd.DataFrame], connection: duckdb.DuckDBPyConnection
) -> dict[str, pd.DataFrame]:
    """Tables whose methods say what was held fixed.

    Args:
        tables: those with columns slice_id, grouping_id and method get the words.
        connection: to the build file.
    """
    rows = connection.execute(_FACTORS).df()
    words = {}
    for slice_id, grouping_id in rows[["slice_id", "grouping_id"]].drop_duplicates().itertuples(index=False):
        of = rows[(rows.slice_id == slice_id) & (rows.grouping_id == grouping_id)]
        is_held = of.is_held.astype(bool)
        is_redundant = ~is_held & (of.left_out_because != NOT_REDUNDANT)
        words[slice_id, grouping_id] = held_words(
            of.factor[is_held].tolist(), of.factor[is_redundant].tolist()
        )
    return {name: _said(table, words) if "method" in table else table for name, table in tables.items()}


def _said(table: pd.DataFrame, words: Mapping[tuple[str, str], str]) -> pd.DataFrame:
    places = zip(table.slice_id, table.grouping_id, strict=True)
    added = pd.Series([words.get(place, "") for place in places], index=table.index, dtype=object)
    added[table.statistic == GROUND_TRUTH] = ""  # groups are held against real shares, not against each other
    return table.assign(method=(table.method + added).where(table.method.notna(), None))
