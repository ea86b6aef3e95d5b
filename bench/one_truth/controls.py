"""What negative controls may do to a number, written anew: p the larger of two, an interval the outer of two."""

from collections.abc import Iterator
from typing import Final

import duckdb

from bench.one_truth.compared import Compared, place, records
from bench.one_truth.verdicts import OF_PAIR

_ROUNDING: Final = "1e-12"
_COMPARED: Final = "p_negative_controls is not null"
# each: of which rows, and what never holds of one
_RULES: Final = {
    "p of hypotheses with controls": (
        f"hypotheses where {_COMPARED}",
        f"p_permuted is null or abs(p_value - greatest(p_permuted, p_negative_controls)) > {_ROUNDING}",
    ),
    "wording sd inside its limits": (
        "hypotheses where wording_sd is not null",
        f"wording_sd < wording_sd_low - {_ROUNDING} or wording_sd > wording_sd_high + {_ROUNDING} or wording_sd < 0",
    ),
    "q of the words alone is never the larger": (
        "hypotheses where q_permuted is not null and q_value is not null",
        f"q_permuted > q_value + {_ROUNDING}",
    ),
    "how wording was controlled": (
        "hypotheses where wording is not null or negative_controls_reason is not null",
        f"(wording = 'negative_controls') <> ({_COMPARED}) or ({_COMPARED} and negative_controls_reason is not null)",
    ),
    **{
        f"intervals of {table} with controls": (
            f"{table} where ci_low_sampling is not null or ci_high_sampling is not null",
            "coalesce(ci_low, '-infinity'::double) > coalesce(ci_low_sampling, '-infinity'::double)"
            " or coalesce(ci_high, 'infinity'::double) < coalesce(ci_high_sampling, 'infinity'::double)",
        )
        for table in ("contrasts", "system_comparisons")
    },
    **{
        f"q of {table} with controls": (
            f"{table} where {_COMPARED} and q_value is not null",
            f"q_value < p_negative_controls - {_ROUNDING} or q_permuted is null",
        )
        for table in ("contrasts", "system_comparisons")
    },
}
_KEYS: Final = (*OF_PAIR, "comparison", "contrast", "group_id", "category", "reference")


def rules_of_controls(connection: duckdb.DuckDBPyConnection) -> Iterator[Compared]:
    """Every row that negative controls touch, held against what they may do to it."""
    for name, (rows, never) in _RULES.items():
        n = connection.execute(f"select count(*) from {rows}").fetchall()[0][0]
        wrong = records(connection, f"select * from (select * from {rows}) where {never}")
        found = [place(row, [key for key in _KEYS if key in row]) for row in wrong]
        yield Compared(name, n, n, found)
