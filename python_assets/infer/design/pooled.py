"""All models of a study together, as columns beside those of its models.

Belongs here: which columns are averaged, and the averages. What is asked of them is groups/compare_groups.py.

Source: inference.md 6.2.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import pandas as pd

from python_assets.infer.design.cells import CellRows, Cells
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.tables import DBI
from python_assets.study.base import ALL_SYSTEMS, BASELINE


class Pool(NamedTuple):
    """Columns of all models together, and what each is the average of.

    columns: as Cells has them. members: columns of the models, those of one average beside each other. start: place of
    the first of each average among members.
    """

    columns: pd.DataFrame
    members: Ints
    start: Ints

    def cells(self, cells: Cells) -> Cells:
        """Cells with its columns after those of the models.

        A cell has a value where every model has one: a model that is left out of some cells alone would make groups
        differ by who answered. n_responses: the fewest of any model, for that many averages there are.
        """
        if not len(self.columns):
            return cells
        columns = pd.concat([cells.columns, self.columns], ignore_index=True)
        fewest = np.minimum.reduceat(cells.n_responses[:, self.members], self.start, axis=1)
        return cells._replace(
            columns=columns.assign(column_position=np.arange(len(columns))),
            x=np.hstack([cells.x, self._mean(cells.x)]),
            n_responses=np.hstack([cells.n_responses, fewest]),
        )

    def rows(self, rows: CellRows) -> CellRows:
        """Rows with its columns after those of the models: every replicate averaged over them."""
        return rows._replace(x=np.hstack([rows.x, self._mean(rows.x)])) if len(self.columns) else rows

    def _mean(self, x: Floats) -> Floats:
        n_models = np.diff(self.start, append=len(self.members))
        mean: Floats = np.add.reduceat(x[:, self.members], self.start, axis=1) / n_models
        return mean


def pool_of(columns: pd.DataFrame, requested: Collection[str]) -> Pool:
    """What is asked of all models together, of one slice and grouping.

    Args:
        columns: of its cells.
        requested: contrasts that not every study has.

    Returns:
        Labels of categorical measures and, where the study asks for dbi, means of continuous ones, raw, that two models
        or more have a value of.
    """
    kinds = ("categorical", "continuous") if DBI in requested else ("categorical",)
    is_asked = ~columns.system_id.isin([BASELINE, ALL_SYSTEMS]) & columns.kind.isin(kinds)
    is_asked &= (columns.calibration == "raw") & (columns.statistic == "mean") & (columns.parameters == "")
    keys = ["measure_id", "category"]
    poolable = columns[is_asked].sort_values([*keys, "system_id"])
    poolable = poolable[poolable.groupby(keys).system_id.transform("size") > 1]
    is_first = ~poolable.duplicated(keys)
    pooled = poolable[is_first].assign(system_id=ALL_SYSTEMS)
    return Pool(pooled, poolable.index.to_numpy(dtype=np.intp), np.flatnonzero(is_first))
