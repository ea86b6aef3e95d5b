"""The one effect that is shown of a hypothesis: its headline, or the largest one where it has none.

Belongs here: reading columns headline_ and largest_, and a margin in words. Which row heads a hypothesis is inference's
to say (verdict.py).

Source: inference.md 2.5.
"""

from collections.abc import Mapping
from typing import Any, Final

EFFECT_FIELDS: Final = (
    *("metric", "group_id", "category", "reference", "value", "ci_low", "ci_high", "margin", "margin_origin"),
)
# who says so of a margin that a study does not declare; all others are thresholds of FAIR-SEA
_DEFAULTS: Final[Mapping[str, str]] = {"impact_ratio": "four-fifths rule"}


def effect_columns(table: str) -> str:
    """Select what is shown of a hypothesis: is_headline, metric, group_id, value and so on.

    Args:
        table: hypotheses, findings or run_findings, as the query names it.
    """
    is_headline = f"{table}.headline_metric is not null"
    chosen = (
        f"case when {is_headline} then {table}.headline_{name} else {table}.largest_{name} end as {name}"
        for name in EFFECT_FIELDS
    )
    return ", ".join([f"{is_headline} as is_headline", *chosen])


def margin_words(value: float, origin: str | None, metric: str | None) -> str:
    """Write a margin, with its origin where the study does not declare it: margin 0.8 (four-fifths rule, default).

    Args:
        value: in the unit of the metric.
        origin: declared or default.
        metric: that it is a margin of.
    """
    default = f" ({_DEFAULTS.get(metric or '', 'FAIR-SEA')}, default)" if origin == "default" else ""
    return f"margin {value:g}{default}"


def first_of_both_signs(rows: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """The first rows, the last of them replaced where all lie on one side and a later one on the other.

    Args:
        rows: with value, in the order of the report.
        most: how many are printed.
    """
    is_higher = [(row["value"] or 0) > 0 for row in rows]
    opposite = [row for row, higher in zip(rows, is_higher, strict=True) if higher is not is_higher[0]]
    is_one_sided = len(set(is_higher[:most])) == 1
    return [*rows[: most - 1], opposite[0]] if opposite and is_one_sided else rows[:most]
