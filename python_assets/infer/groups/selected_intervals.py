"""Intervals of called rows, wide enough for having been chosen among all rows of their set.

Belongs here: reading the interval of a called row once more, at the level that its set asks for.

Source: inference.md 6.9; Benjamini and Yekutieli 2005.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import stats

from python_assets.infer.design.cells import KEYS_OF_HYPOTHESIS
from python_assets.infer.formulas import interval
from python_assets.infer.formulas.interval import Interval
from python_assets.infer.formulas.negative_controls import widened
from python_assets.infer.formulas.selected import SELECTED_LEVEL
from python_assets.infer.groups.layout import Layout
from python_assets.infer.options import Options, Reference
from python_assets.infer.tables import HYPOTHESIS, INTERACTION
from python_assets.study.base import Against


def with_selected_intervals(
    contrasts: pd.DataFrame, layouts: Mapping[tuple[str, str], Layout], options: Options
) -> pd.DataFrame:
    """Add ci_low_selected and ci_high_selected to contrasts.

    Args:
        contrasts: with LEVEL, NaN in rows that are not called.
        layouts: by slice and grouping.
        options: what the contrasts were computed with.
    """
    is_significant = (
        contrasts[SELECTED_LEVEL].notna() & contrasts.ci_low.notna() & contrasts.ci_high.notna()
    ).to_numpy()
    is_beyond = (contrasts.contrast == INTERACTION).to_numpy()
    tables = []
    for _, rows in contrasts[is_significant & ~is_beyond].groupby(HYPOTHESIS, sort=False):
        hypothesis = {name: str(rows[name].iat[0]) for name in HYPOTHESIS}
        layout = layouts[hypothesis["slice_id"], hypothesis["grouping_id"]]
        reference = _reference(rows, layout.cells.group_ids)
        hypothesis_key, level = (
            tuple(hypothesis[name] for name in KEYS_OF_HYPOTHESIS),
            rows[SELECTED_LEVEL].to_numpy(dtype=float)[0],
        )
        tables.append(layout.intervals(hypothesis_key, reference, level, options).assign(**hypothesis))
    value, std_error, level, df = (
        contrasts[name].to_numpy(dtype=float) for name in ("value", "std_error", SELECTED_LEVEL, "df")
    )
    selected = interval.around(value, std_error, stats.t.isf(np.where(is_beyond, level, np.nan) / 2, df))
    if tables:
        keys = [*HYPOTHESIS, "category", "group_id", "reference"]
        limits = pd.concat(tables, ignore_index=True).set_index(keys).reindex(pd.MultiIndex.from_frame(contrasts[keys]))
        selected = Interval(
            *(
                np.where(is_beyond, beyond_side, limits[side])
                for beyond_side, side in zip(selected, ("low", "high"), strict=True)
            )
        )
    error, nu = (contrasts[name].to_numpy(dtype=float) for name in ("control_error", "control_df"))
    selected = widened(value, selected, error, nu, level)
    low, high = (np.where(is_significant, side, np.nan) for side in selected)
    return contrasts.assign(ci_low_selected=low, ci_high_selected=high)


def _reference(rows: pd.DataFrame, group_ids: list[str]) -> Reference:
    """What the rows of one question are compared with, from its words."""
    others = rows.reference.unique()
    if others[0] in (str(Against.REST), str(Against.GRAND_MEAN)):
        return Reference(Against(others[0]))
    return Reference(Against.LEVEL, group_ids.index(others[0])) if len(others) == 1 else Reference(Against.ALL_PAIRS)
