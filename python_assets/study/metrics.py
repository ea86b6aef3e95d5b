"""Every contrast, disparity and number over subgroups: which measures have it, what may be said of it.

Belongs here: reading the seed that dbt loads too, and asking it. The margins that a study declares are
analysis.py.
"""

import csv
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from python_assets.study.base import Kind

Margins = dict[str, float | dict[str, float]]
Mart = Literal["contrasts", "disparities", "subgroup_metrics"]
_SEED: Final = Path(__file__).resolve().parents[2] / "dbt_models" / "seeds" / "metrics.csv"


class Metric(NamedTuple):
    """A line of the seed; its columns are described in dbt_models/seeds/metrics.yml."""

    name: str
    of: Mart
    kinds: tuple[Kind, ...]
    is_tested: bool
    is_optional: bool
    is_ratio: bool
    is_share: bool
    has_direction: bool
    reference: str
    takes_margin: bool
    margin: float | None


@cache
def metrics() -> tuple[Metric, ...]:
    """Every line of the seed, in its order."""
    with _SEED.open(encoding="utf-8", newline="") as file:
        return tuple(_metric(row) for row in csv.DictReader(file))


def _metric(row: dict[str, str]) -> Metric:
    flags = {name: row[name] == "true" for name in Metric._fields if name.startswith(("is_", "has_", "takes_"))}
    return Metric(
        name=row["name"],
        of=next(mart for mart in get_args(Mart) if mart == row["of"]),
        kinds=tuple(kind for kind in get_args(Kind) if kind in row["kind"].split()),
        reference=row["reference"],
        margin=float(row["margin"]) if row["margin"] else None,
        **flags,
    )


def metric_names(of: Mart | None = None, kind: Kind | None = None, **columns: bool | str) -> tuple[str, ...]:
    """The names of the lines that are as asked for, in the order of the seed.

    Args:
        of: the mart that has their rows; None for all.
        kind: of a measure that has it.
        columns: what others hold, is_tested=True for example.
    """
    return tuple(
        metric.name
        for metric in metrics()
        if of in (None, metric.of)
        and (kind is None or kind in metric.kinds)
        and all(getattr(metric, name) == value for name, value in columns.items())
    )


def default_margins() -> Margins:
    """Margin by contrast or metric, where a study says nothing.

    Source: metrics.md 6.6.
    """
    return {metric.name: metric.margin for metric in metrics() if metric.margin is not None}
