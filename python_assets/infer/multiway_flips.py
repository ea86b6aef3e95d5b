"""Effects of several factors inside root prompts: p of each factor and pair, by flips of whole prompts.

Belongs here: reading the cells of groupings of several factors, and their contrasts. Flips: sign_flips.py.

Source: inference.md 12.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd
from scipy import linalg

from python_assets.infer.design import MIN_UNITS_FOR_SCOPE, PROMPTS_LIKE_THESE, THESE_PROMPTS_ONLY
from python_assets.infer.permutation import Floats, stable_seed
from python_assets.infer.sign_flips import flip_test
from python_assets.study.base import LEVEL_SEPARATOR

KEYS: Final = ["study_id", "slice_id", "generation_id", "measure_id", "grouping_id", "category"]
_CELLS: Final = f"""
    with places as (
        select distinct slice_id, grouping_id, group_position, group_id from intermediate.int_prompt_groups
        where contains(grouping_id, '{LEVEL_SEPARATOR}')
    )
    select {", ".join(KEYS)}, group_id, root_position, avg(cell_mean) as cell_mean
    from intermediate.int_cells
    inner join places using (slice_id, grouping_id, group_position)
    where calibration = 'raw' and statistic = 'mean' and parameters = ''
    group by all
    order by all
"""


class Flips(NamedTuple):
    """Of one effect: p, and the 95 % quantile of its squared length under flips over the observed one."""

    p: float
    floor_share: float
    n_root_prompts: int
    method: str

    @property
    def scope(self) -> str:
        """What the p speaks about."""
        return PROMPTS_LIKE_THESE if self.n_root_prompts >= MIN_UNITS_FOR_SCOPE else THESE_PROMPTS_ONLY


def multiway_flips(
    connection: duckdb.DuckDBPyConnection, *, seed: int, n_draws: int
) -> dict[tuple[str, ...], Flips]:
    """Test the factors, and pairs of factors, of every grouping of several.

    Args:
        connection: to the build file of one study.
        seed: of the study.
        n_draws: B.

    Returns:
        By the values of KEYS and the term, for example 'gender x race'; none where no root prompt holds every
        combination, or too few do.
    """
    found = {}
    for keys, cells in connection.execute(_CELLS).df().groupby(KEYS, sort=True):
        place = tuple(map(str, keys))
        factors = place[KEYS.index("grouping_id")].split(LEVEL_SEPARATOR)
        table, sizes = _table(cells)
        for term, contrasts in _contrasts(table, factors, sizes):
            test = flip_test(contrasts, n_draws=n_draws, seed=stable_seed(seed, *place, term))
            if test.method is not None and not np.isnan(test.p):
                share = float(np.quantile(test.drawn, 0.95) ** 2) if len(test.drawn) else np.nan
                found[*place, term] = Flips(test.p, share, len(contrasts), test.method)
    return found


def _table(cells: pd.DataFrame) -> tuple[Floats, list[int]]:
    """Means of the root prompts that hold every combination of levels, shape (prompts, combinations)."""
    wide = cells.pivot(index="root_position", columns="group_id", values="cell_mean")
    levels = zip(*(group.split(LEVEL_SEPARATOR) for group in wide.columns), strict=True)
    names = [sorted(set(of_factor)) for of_factor in levels]
    every = [LEVEL_SEPARATOR.join(combination) for combination in product(*names)]
    return wide.reindex(columns=every).dropna().to_numpy(), [len(of_factor) for of_factor in names]


def _contrasts(table: Floats, factors: Sequence[str], sizes: Sequence[int]) -> Iterator[tuple[str, Floats]]:
    """Orthonormal contrasts of each factor and pair, averaged over the levels of the others."""
    if not len(table):
        return
    for size in (1, 2):
        for members in combinations(range(len(factors)), size):
            matrix = np.ones((1, 1))
            for position, n_levels in enumerate(sizes):
                mean = np.full((1, n_levels), 1 / n_levels)
                matrix = np.kron(matrix, linalg.helmert(n_levels) if position in members else mean)
            if len(matrix):
                yield LEVEL_SEPARATOR.join(factors[place] for place in members), table @ matrix.T
