"""p of being past a margin, from draws, for the groups that are called different.

Belongs here: the second look that skew asks for. The t of the margin errs in .16 / .12 / .08 of sets at 10
/ 30 / 75 root prompts of exponential values, any of 20 groups at its margin; shuffling what is left past
the margin does not.

Source: inference.md 2.5.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd

from python_assets.infer.cells import KEYS_OF_QUESTION
from python_assets.infer.layout import Layout
from python_assets.infer.reference import Reference
from python_assets.infer.scheme import Options
from python_assets.study.base import Against

ENOUGH_ROOT_PROMPTS: Final = 75  # from here on the t holds


def with_permuted_margins(
    contrasts: pd.DataFrame, layouts: Mapping[tuple[str, str], Layout], options: Options
) -> pd.DataFrame:
    """Contrasts with p_margin from draws, where a group of a mean is called and lies past its margin.

    Args:
        contrasts: with q_value.
        layouts: by slice and grouping.
        options: what the contrasts were computed with.
    """
    is_past = contrasts.value.abs() > contrasts.margin
    few = (contrasts.n_root_prompts < ENOUGH_ROOT_PROMPTS) & contrasts.method.str.startswith(
        "permuted", na=False
    )
    # a grand mean holds the group itself, so that shifting the group shifts it too
    chosen = (contrasts.contrast == "mean_difference") & (contrasts.reference != str(Against.GRAND_MEAN))
    rows = contrasts[is_past & few & chosen & (contrasts.q_value <= options.alpha)]
    p_margin = contrasts.p_margin.to_numpy(copy=True)
    for place, row in rows.iterrows():
        layout = layouts[row.slice_id, row.grouping_id]
        group_ids = layout.cells.group_ids
        reference = Reference()
        if row.reference != str(Against.REST):
            reference = Reference(Against.LEVEL, group_ids.index(row.reference))
        p_margin[contrasts.index.get_loc(place)] = layout.p_past_margin(
            tuple(row[KEYS_OF_QUESTION]),
            group_ids.index(row.group_id),
            reference,
            shift=float(np.copysign(row.margin, row.value)),
            options=options,
        )
    return contrasts.assign(p_margin=p_margin)
