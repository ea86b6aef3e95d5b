"""The factors whose levels groups are compared within, as words of the method.

Belongs here: reading them, and adding them to rows. Which factors these are, dbt says: of prompts
int_blocking_factors, of generations int_settings.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

import duckdb
import pandas as pd

from python_assets.study.base import GROUND_TRUTH, HELD, LEFT_OUT

NOT_REDUNDANT: Final = "varies_within_unit"  # units are compared whole, so it is in no stratum
FACTORS: Final = "slice_id, grouping_id, factor, is_held, left_out_because"
_FACTORS = f"select {FACTORS} from intermediate.int_blocking_factors order by all"
_SETTINGS = (
    "select distinct slice_id, grouping_id, held_factors, left_out_factors from intermediate.int_settings"
)


Factors = defaultdict[tuple[str, str], list[str]]


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
    held: Factors = defaultdict(list)
    left_out: Factors = defaultdict(list)
    for slice_id, grouping_id, factor, is_held, reason in connection.execute(_FACTORS).fetchall():
        if is_held or reason != NOT_REDUNDANT:
            (held if is_held else left_out)[slice_id, grouping_id].append(factor)
    for slice_id, grouping_id, held_factors, left_out_factors in connection.execute(_SETTINGS).fetchall():
        held[slice_id, grouping_id] += [held_factors] if held_factors else []
        left_out[slice_id, grouping_id] += [left_out_factors] if left_out_factors else []
    words = {place: held_words(held[place], left_out[place]) for place in {*held, *left_out}}
    return {name: _said(table, words) if "method" in table else table for name, table in tables.items()}


def _said(table: pd.DataFrame, words: Mapping[tuple[str, str], str]) -> pd.DataFrame:
    places = zip(table.slice_id, table.grouping_id, strict=True)
    added = pd.Series([words.get(place, "") for place in places], index=table.index, dtype=object)
    if "statistic" in table:  # groups are held against real shares, not against each other
        added[table.statistic == GROUND_TRUTH] = ""
    return table.assign(method=(table.method + added).where(table.method.notna(), None))
