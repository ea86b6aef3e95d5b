"""The rows of columns of any role, tested by one scheme.

Belongs here: what every scheme does alike: measures by role, whole profiles of categorical ones, and the
contrasts that a study asks for. Which scheme it is, is scheme.py's.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from python_assets.infer.cells import Rows, Values
from python_assets.infer.comparison import Compared
from python_assets.infer.contrasts import Contrasts, blanked
from python_assets.infer.permutation import Floats, Ints
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.reference import Reference
from python_assets.infer.rows import (
    DBI,
    Sheet,
    Table,
    by_statistic,
    compared_rows,
    profile_sheets,
    refused_rows,
)
from python_assets.study.base import Against

Tables = Iterator[tuple[str, Table]]


class Scheme(NamedTuple):
    """How the columns of one presence pattern are tested.

    take: values of some columns, shape (cells, rows or units; columns). compare: contrasts and indices of a
    role, from these values, margins and what groups are compared with. profiles: the same of shares of
    categories, shape (cells, rows or units; measures; categories).
    """

    take: Callable[[Ints], Floats]
    compare: Callable[[str, Floats, dict[str, Floats], Reference], Compared]
    profiles: Callable[[Floats, dict[str, Floats]], Compared]


class Sources(NamedTuple):
    """What is read of a slice and grouping besides its cells, and only where it is needed."""

    rows: Callable[[], Rows]
    values: Callable[[], Values]


def compare_columns(sheet: Sheet, scheme: Scheme, sources: Sources) -> Tables:
    """Rows of columns of any role by one scheme."""
    for part in by_statistic(sheet):
        x = scheme.take(part.columns)
        margins = part.all_margins
        compared = scheme.compare(part.role, x, margins, part.reference or Reference())
        compared = compared._replace(contrasts={**compared.contrasts, **_asked(part, x, scheme, sources)})
        yield from compared_rows(part, compared)
    for part, members in profile_sheets(sheet):
        y = scheme.take(members.ravel()).reshape(-1, *members.shape)
        yield from compared_rows(part, scheme.profiles(y, part.all_margins))


def _asked(sheet: Sheet, x: Floats, scheme: Scheme, sources: Sources) -> dict[str, Contrasts]:
    """The contrasts that not every measure has."""
    if DBI in sheet.contrasts:
        return {DBI: _in_standard_deviations(sheet, x, scheme, sources)}
    if sheet.role not in ("selection", "precision") or not sheet.contrasts:
        return {}
    (name,) = sheet.contrasts
    reference = sheet.reference or Reference()
    compared = scheme.compare("categorical", x, {"risk_difference": sheet.margin(name)}, reference)
    return {name: compared.contrasts["risk_difference"]}


def _in_standard_deviations(sheet: Sheet, x: Floats, scheme: Scheme, sources: Sources) -> Contrasts:
    """Difference from the grand mean over the standard deviation of all responses (metrics.md 4)."""
    sd = sources.values().standard_deviations(sheet.cells.columns.iloc[sheet.columns])
    has_spread = sd > 0
    scaled = x / np.where(has_spread, sd, 1.0)
    margins = {"mean_difference": sheet.margin(DBI)}
    compared = scheme.compare("differences", scaled, margins, Reference(Against.GRAND_MEAN))
    return blanked(compared.contrasts["mean_difference"], ~has_spread, InferenceReason.NO_SPREAD)


def refuse_columns(sheet: Sheet, reason: InferenceReason) -> Tables:
    """Rows of nothing but the reason, for columns of any role."""
    for part in (*by_statistic(sheet), *(part for part, _ in profile_sheets(sheet))):
        yield from refused_rows(part, reason)
