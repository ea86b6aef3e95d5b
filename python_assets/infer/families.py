"""Which rows are one family, and what correcting for it makes of their p values.

Belongs here: families by the default rule and those that a study declares. The adjustments themselves are
multiplicity.py.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd

from python_assets.infer.multiplicity import (
    benjamini_hochberg,
    benjamini_yekutieli,
    n_at_floor_needed,
    yekutieli_is_reachable,
)
from python_assets.infer.permutation import Floats, Ints
from python_assets.infer.reasons import InferenceReason
from python_assets.study.analysis import Family
from python_assets.study.base import BASELINE

FAMILIES: Final[dict[str, tuple[str, ...]]] = {
    "contrasts": (
        "study_id",
        "slice_id",
        "generation_id",
        "measure_id",
        "calibration",
        "grouping_id",
        "contrast",
    ),
    "disparities": ("study_id", "slice_id", "generation_id", "grouping_id", "metric", "statistic"),
}
_COLUMN: Final = [*FAMILIES["contrasts"], "category"]
_SELECTORS: Final = {
    "slices": "slice_id",
    "generations": "generation_id",
    "measures": "measure_id",
    "calibrations": "calibration",
    "groupings": "grouping_id",
    "contrasts": "contrast",
    "metrics": "metric",
    "statistics": "statistic",
}


def family_ids(rows: pd.DataFrame, keys: tuple[str, ...], families: Mapping[str, Family]) -> "pd.Series[str]":
    """Name the family of every row: the first declared one that it matches, else that of the keys.

    Args:
        rows: of contrasts or of disparities; a list about a column that the table lacks matches none of it.
        keys: columns that make a family by default.
        families: what the study declares, in order; the baseline is in one only where it is listed.

    Source: inference.md 6, what holds today.
    """
    names = rows[keys[0]].str.cat(rows[list(keys[1:])], sep=" | ")
    is_open = np.ones(len(rows), dtype=bool)
    for name, family in families.items():
        member = is_open & _matches(rows, family)
        names[member] = name
        is_open &= ~member
    return names


def _matches(rows: pd.DataFrame, family: Family) -> np.ndarray:
    is_baseline = (rows.generation_id == BASELINE).to_numpy()
    match = ~is_baseline | (BASELINE in (family.generations or ()))
    for field, column in _SELECTORS.items():
        wanted = getattr(family, field)
        if wanted is not None:
            match &= rows[column].isin(list(wanted)).to_numpy() if column in rows else False
    return match


def adjusted(rows: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """Add family size, q values and, where the draws limit them, the reason; correct maxT for the family.

    maxT is exact among the groups of one column. A family of several columns corrects it for their number by
    Bonferroni, which holds under any dependence.

    Args:
        rows: with family_id, p_value, is_permuted and n_draws; of contrasts also with p_value_maxt.
        alpha: error rate.

    Source: inference.md 6, what holds today.
    """
    n_family, q, q_by = (np.full(len(rows), np.nan) for _ in range(3))
    method, reason = (rows[name].to_numpy(object, copy=True) for name in ("method", "inference_reason"))
    p, n_draws = rows.p_value.to_numpy(), rows.n_draws.to_numpy()
    is_drawn = rows.is_permuted.to_numpy() & ~np.isnan(p)
    for member in members(rows):
        n = int((~np.isnan(p[member])).sum())
        n_family[member], q[member] = n, benjamini_hochberg(p[member])
        drawn = member[is_drawn[member]]
        fewest = int(n_draws[drawn].min(initial=np.iinfo(np.int32).max))
        if not len(drawn) or yekutieli_is_reachable(n, fewest, alpha):
            q_by[member] = benjamini_yekutieli(p[member])
        if len(drawn) and (needed := n_at_floor_needed(n, fewest, alpha)) > 1:
            method[drawn] += f", q under {alpha:g} needs {needed} of {n} at the smallest p"
            reason[drawn[pd.isna(reason[drawn])]] = InferenceReason.Q_LIMITED_BY_B
    corrected = {"n_family": n_family, "q_value": q, "q_value_by": q_by}
    if "p_value_maxt" in rows:
        corrected["p_value_maxt"] = np.minimum(rows.p_value_maxt.to_numpy() * _n_columns(rows), 1)
    return rows.assign(**corrected, method=method, inference_reason=reason)


def _n_columns(rows: pd.DataFrame) -> Ints:
    """Columns with a p in the family of each row."""
    column = rows.groupby(_COLUMN, sort=False).ngroup().where(rows.p_value.notna())
    return column.groupby(rows.family_id).transform("nunique").to_numpy()


def adjusted_margin(rows: pd.DataFrame, name: str) -> Floats:
    """Adjusted p of a margin; a member without one, among members with one, counts as 1.

    Args:
        rows: with family_id, p_value, margin and the column of that name.
        name: p_margin or p_equivalence.

    Source: inference.md 2.5.
    """
    q = np.full(len(rows), np.nan)
    if name not in rows or rows[name].isna().all():
        return q
    p = rows[name].where(rows[name].notna() | rows.margin.isna(), 1.0).where(rows.p_value.notna()).to_numpy()
    for member in members(rows):
        q[member] = benjamini_hochberg(p[member])
    return q


def members(rows: pd.DataFrame) -> list[Ints]:
    """Positions of the rows of each family."""
    return [np.asarray(member) for member in rows.groupby("family_id", sort=False).indices.values()]
