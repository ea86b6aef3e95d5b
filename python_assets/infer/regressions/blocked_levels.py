"""The levels of one factor of a regression, compared inside root prompts by the engine of all contrasts.

Belongs here: the rows of a regression as cells of blocks. A block is a cluster with the levels of all other factors of
the regression.

Source: inference.md 11, 2.6 and 7.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from python_assets.infer.contrasts.compare import compare_values
from python_assets.infer.design.cells import CellRows, Cells
from python_assets.infer.design.design import Frame
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.options import Options, Reference
from python_assets.infer.result import InferenceReason, Result
from python_assets.infer.schemes.choose import choose_schemes
from python_assets.study.base import Against

_COLUMN: Final = {
    **dict.fromkeys(("system_id", "measure_id", "category", "parameters"), ""),
    **{"calibration": "raw", "statistic": "mean", "kind": "binary", "direction": "none"},
}


def blocked_levels(
    levels: pd.DataFrame, cluster: Ints, rate: Floats, factor: str, order: Sequence[str], options: Options
) -> Result:
    """Each level of a factor against its reference, on the blocks that hold both.

    Args:
        levels: one column a factor, one row a cell.
        cluster: of each cell.
        rate: of each cell, 0 to 1.
        factor: the one whose levels change places in their block.
        order: its levels, the reference first.
        options: seed, B and alpha.

    Returns:
        A row a level but the reference, in their order; nothing but the reason where no scheme compares them.
    """
    others = [cluster, *(pd.factorize(levels[name])[0] for name in levels if name != factor)]
    _, block = np.unique(np.stack(others), axis=1, return_inverse=True)
    group = pd.Categorical(levels[factor], categories=list(order)).codes.astype(np.intp)
    at = np.lexsort([group, block])
    root = np.zeros(int(block.max()) + 1, dtype=np.intp)
    root[block] = cluster
    cells = Cells(
        slice_id="",
        grouping_id=factor,
        columns=pd.DataFrame([_COLUMN]),
        group_ids=list(order),
        frame=Frame(block[at], group[at], root, len(order)),
        x=rate[at, None],
        n_responses=np.ones((len(at), 1)),
        has_several_prompts=False,
    )
    chosen = next(choose_schemes(cells, lambda: CellRows.of_cells(cells), options))
    if isinstance(chosen.scheme, InferenceReason):
        return Result.of((len(order) - 1,), reason=chosen.scheme)
    scheme = chosen.scheme._replace(reference=Reference(Against.LEVEL, 0))
    margins = {"risk_difference": np.array([np.nan])}
    compared = compare_values(scheme, chosen.take(chosen.columns), margins, is_rate=True, with_indices=False)
    level_fields = {name: rows[0] for name, rows in compared.contrasts["risk_difference"]._asdict().items()}
    return Result.of((len(order) - 1,), **level_fields)
