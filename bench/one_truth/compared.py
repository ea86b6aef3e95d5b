"""Two relations that tell of the same rows, and where they differ."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import duckdb
import pandas as pd

# as the views round: six significant digits, and of a large number every digit before the point; sums of cells that
# come to nothing are 0
_PRINTED: Final = """
create or replace temp macro printed(x) as
    if(isnan(x), null, if(abs(x) < 1e-12, 0, round(x, greatest(0, 5 - floor(log10(nullif(abs(x), 0))))::integer)))
"""

_ROUNDING: Final = 1e-9  # of the larger of two numbers that are computed in two ways


def make_printed(connection: duckdb.DuckDBPyConnection) -> None:
    """Give a connection the macro that compare rounds by."""
    connection.execute(_PRINTED)


class Pair(NamedTuple):
    """Two relations that tell of the same rows: every row of the first has one in the second with the same numbers.

    name: of what is compared. left, right: SQL. keys: columns of both that name a row. apart: columns of one name that
    are of different things, and say so in their descriptions.
    """

    name: str
    left: str
    right: str
    keys: Sequence[str]
    apart: Sequence[str] = ()


class Compared(NamedTuple):
    """How many rows and numbers were compared, and each contradiction in words."""

    name: str
    n_rows: int
    n_numbers: int
    contradictions: Sequence[str]


def compare(connection: duckdb.DuckDBPyConnection, pair: Pair) -> Compared:
    """Rows of the first relation whose number or word is another one in the second, or that it lacks."""
    left, right = (connection.sql(f"from {relation}") for relation in (pair.left, pair.right))
    types = dict(zip(left.columns, map(str, left.types), strict=True))
    columns = [name for name in left.columns if name in right.columns and name not in (*pair.keys, *pair.apart)]
    on = " and ".join(f"l.{key} is not distinct from r.{key}" for key in pair.keys)

    def told(side: str, name: str) -> str:
        return f"printed({side}.{name}::double)" if types[name] == "DOUBLE" else f"{side}.{name}"

    differing = " or ".join(f"{told('l', name)} is distinct from {told('r', name)}" for name in columns) or "false"
    both = ", ".join(f"{side}.{name} as {side}_{name}" for name in columns for side in "lr")
    flags = ", ".join(f"{told('l', name)} is distinct from {told('r', name)} as d_{name}" for name in columns)
    keys = ", ".join(f"l.{key}" for key in pair.keys)
    rows = connection.execute(f"""
        select {keys}, r.{pair.keys[0]} is null as is_absent{", " if both else ""}{both}{", " if both else ""}{flags}
        from {pair.left} as l left join {pair.right} as r on {on}
        where r.{pair.keys[0]} is null or {differing}
    """).df()
    n_rows = len(left)
    return Compared(pair.name, n_rows, n_rows * len(columns), [*_differences(pair, rows, columns)])


def _differences(pair: Pair, rows: pd.DataFrame, columns: Sequence[str]) -> Iterator[str]:
    for row in rows.astype(object).where(rows.notna(), None).to_dict("records"):
        if row["is_absent"]:
            yield f"{place(row, pair.keys)}: no row"
            continue
        others = [f"{name} {row[f'l_{name}']!r} and {row[f'r_{name}']!r}" for name in columns if _differ(row, name)]
        if others:
            yield f"{place(row, pair.keys)}: {', '.join(others)}"


def _differ(row: Mapping[str, Any], name: str) -> bool:
    one, other = row[f"l_{name}"], row[f"r_{name}"]
    if (
        isinstance(one, float)
        and isinstance(other, float)
        and abs(one - other) <= _ROUNDING * max(abs(one), abs(other))
    ):
        return False  # their last printed digits fell apart
    return bool(row[f"d_{name}"])


def place(row: Mapping[str, Any], keys: Sequence[str]) -> str:
    """The key of a row in words."""
    return " ".join(str(row[key]) for key in keys if row[key] not in ("", None))


def records(connection: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    """The rows of a query as mappings, NULL as None."""
    cursor = connection.execute(query)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
