"""The levels of one factor of a regression, compared inside root prompts by the engine of all contrasts.

Belongs here: the rows of a regression as cells of blocks. A block is a cluster with the levels of all other
factors of the regression.

Source: inference.md 11, 2.6 and 7.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from python_assets.infer.cells import Cells, Rows
from python_assets.infer.comparison import compare_rates
from python_assets.infer.contrasts import Contrasts
from python_assets.infer.design import Frame
from python_assets.infer.permutation import Floats, Ints
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.reference import Reference
from python_assets.infer.scheme import Options, choose_schemes
from python_assets.study.base import Against

_COLUMN = {
    "generation_id": "",
    "measure_id": "",
    "calibration": "raw",
    "category": "",
    "statistic": "mean",
    "parameters": "",
    "kind": "binary",
    "direction": "none",
}


def blocked_levels(
    levels: pd.DataFrame,
    cluster: Ints,
    rate: Floats,
    factor: str,
    order: Sequence[str],
    options: Options,
) -> Contrasts | InferenceReason:
    """Each level of a factor against its reference, on the blocks that hold both.

    Args:
        levels: one column a factor, one row a cell.
        cluster: of each cell.
        rate: of each cell, 0 to 1.
        factor: the one whose levels change places in their block.
        order: its levels, the reference first.
        options: seed, B and alpha.

    Returns:
        Contrasts of one column and a row a level but the reference, in their order; or why there are none.
    """
    others = [cluster, *(pd.factorize(levels[name])[0] for name in levels if name != factor)]
    _, block = np.unique(np.stack(others), axis=1, return_inverse=True)
    group = pd.Categorical(levels[factor], categories=list(order)).codes.astype(np.intp)
    place = np.lexsort([group, block])
    root = np.zeros(int(block.max()) + 1, dtype=np.intp)
    root[block] = cluster
    cells = Cells(
        slice_id="",
        grouping_id=factor,
        columns=pd.DataFrame([_COLUMN]),
        group_ids=list(order),
        frame=Frame(block[place], group[place], root, len(order)),
        x=rate[place, None],
        n_responses=np.ones((len(place), 1)),
        has_several_prompts=False,
    )
    chosen = next(choose_schemes(cells, lambda: Rows(cells.frame, cells.x), options))
    if isinstance(chosen.scheme, InferenceReason):
        return chosen.scheme
    scheme = chosen.scheme._replace(reference=Reference(Against.LEVEL, 0))
    compared = compare_rates(
        scheme,
        chosen.take(chosen.columns),
        {"risk_difference": np.array([np.nan])},
        with_log=False,
        with_indices=False,
    )
    return compared.contrasts["risk_difference"]
