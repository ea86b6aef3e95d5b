"""Effects of several factors on a measure: p of each factor and pair of factors, by whole root prompts.

Belongs here: reading the cells of groupings of several factors, and the contrasts of each effect. What varies
inside root prompts is tested by flips of their signs (sign_flips.py), what parts them by exchanging them
between levels (exchanged_prompts.py).

Source: inference.md 12.
"""

from collections.abc import Sequence
from itertools import combinations, product
from typing import Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd
from scipy import linalg

from python_assets.infer.cells import MIXED_UNITS
from python_assets.infer.design import Unit, scopes
from python_assets.infer.exchanged_prompts import BY_EXCHANGE, exchange_test
from python_assets.infer.permutation import TIE, Floats, Ints, stable_seed
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.sign_flips import flip_test
from python_assets.study.base import LEVEL_SEPARATOR

KEYS: Final = ["study_id", "slice_id", "generation_id", "measure_id", "grouping_id", "category"]
_CELLS: Final = f"""
    with places as (
        select slice_id, grouping_id, group_position, group_id
        from intermediate.int_prompt_groups
        where contains(grouping_id, '{LEVEL_SEPARATOR}')
        group by all
    )
    select {", ".join(KEYS)}, group_id, root_position, avg(cell_mean) as cell_mean
    from intermediate.int_cells
    inner join places using (slice_id, grouping_id, group_position)
    where calibration = 'raw' and statistic = 'mean' and parameters = ''
    group by all
    order by all
"""
_LAYOUTS: Final = f"""
    select slice_id, grouping_id, min(scheme) = '{MIXED_UNITS}',
        count(distinct (root_position, root_prompt_position)) = count(distinct root_prompt_position)
    from intermediate.int_prompt_groups
    group by all
"""


class FactorEffect(NamedTuple):
    """The test of one effect.

    p: NaN where there is a reason. floor_share: the 95 % quantile of the squared size of the effect under
    the draws over the observed one.
    """

    p: float = np.nan
    floor_share: float = np.nan
    method: str | None = None
    scope: str | None = None
    reason: InferenceReason | None = None


class Layout(NamedTuple):
    """Of a slice and grouping: whether units differ in kind, and whether no two of them share a prompt."""

    has_mixed_units: bool
    has_own_prompts: bool


class Prompts(NamedTuple):
    """The root prompts, or units, that hold every combination of what varies in them.

    within: factors that vary in a root prompt, with their number of levels. means: shape (root prompts,
    combinations of their levels). between: code of each root prompt's level of the factors that part them.
    """

    within: dict[str, int]
    means: Floats
    between: dict[str, Ints]


def factor_effects(
    connection: duckdb.DuckDBPyConnection, *, seed: int, n_draws: int
) -> dict[tuple[str, ...], FactorEffect]:
    """Test the factors, and pairs of factors, of every grouping of several.

    Args:
        connection: to the build file of one study.
        seed: of the study.
        n_draws: B.

    Returns:
        By the values of KEYS and the term, for example 'gender x race'.
    """
    layouts = {
        (slice_id, of): Layout(*words) for slice_id, of, *words in connection.execute(_LAYOUTS).fetchall()
    }
    found = {}
    for keys, cells in connection.execute(_CELLS).df().groupby(KEYS, sort=True):
        place = dict(zip(KEYS, map(str, keys), strict=True))
        factors = place["grouping_id"].split(LEVEL_SEPARATOR)
        layout = layouts[place["slice_id"], place["grouping_id"]]
        prompts = _prompts(cells, factors)
        for size in (1, 2):
            for members in combinations(factors, size):
                term = LEVEL_SEPARATOR.join(members)
                effect = _Effect(prompts, members, layout, n_draws, stable_seed(seed, *place.values(), term))
                found[*place.values(), term] = effect.test()
    return found


def _prompts(cells: pd.DataFrame, factors: Sequence[str]) -> Prompts:
    levels = cells.group_id.str.split(LEVEL_SEPARATOR, expand=True, regex=False).set_axis(
        pd.Index(factors), axis=1
    )
    n_levels = levels.groupby(cells.root_position).nunique()
    between = [factor for factor in factors if (n_levels[factor] == 1).all()]
    names = {factor: sorted(levels[factor].unique()) for factor in factors if factor not in between}
    within = [LEVEL_SEPARATOR.join(row) for row in levels[list(names)].to_numpy()]
    wide = cells.assign(within=within).pivot(index="root_position", columns="within", values="cell_mean")
    every = [LEVEL_SEPARATOR.join(combination) for combination in product(*names.values())]
    complete = wide.reindex(columns=every).dropna()
    of_root = levels.groupby(cells.root_position).first().loc[complete.index]
    return Prompts(
        within={factor: len(of_factor) for factor, of_factor in names.items()},
        means=complete.to_numpy(),
        between={factor: _codes(of_root[[factor]]) for factor in between},
    )


def _codes(levels: pd.DataFrame) -> Ints:
    """Code of each row, from 0 without gaps."""
    return np.asarray(levels.groupby(list(levels.columns), sort=True).ngroup(), dtype=np.intp)


class _Effect:
    """A factor or a pair of factors."""

    def __init__(
        self, prompts: Prompts, members: tuple[str, ...], layout: Layout, n_draws: int, seed: int
    ) -> None:
        self._prompts, self._members, self._layout = prompts, members, layout
        self._n_draws, self._seed = n_draws, seed
        self._between = [factor for factor in members if factor in prompts.between]

    def test(self) -> FactorEffect:
        if self._layout.has_mixed_units:
            return FactorEffect(reason=InferenceReason.MIXED_UNITS)
        contrasts = self._contrasts()
        if not len(contrasts):
            return FactorEffect(reason=InferenceReason.INCOMPLETE_PROMPTS)
        compared = contrasts - contrasts.mean(axis=0) if self._between else contrasts
        if not np.abs(compared).max(initial=0) > TIE:
            return FactorEffect(reason=InferenceReason.NO_VARIATION)
        if len(self._between) > 1:
            return FactorEffect(reason=InferenceReason.NO_EXCHANGE)
        return self._exchanged(contrasts) if self._between else self._flipped(contrasts)

    def _contrasts(self) -> Floats:
        """Orthonormal contrasts of what varies in root prompts, averaged over the levels of the others."""
        matrix = np.ones((1, 1))
        for factor, n_levels in self._prompts.within.items():
            mean = np.full((1, n_levels), 1 / n_levels)
            matrix = np.kron(matrix, linalg.helmert(n_levels) if factor in self._members else mean)
        return self._prompts.means @ matrix.T

    def _flipped(self, contrasts: Floats) -> FactorEffect:
        found = flip_test(contrasts, n_draws=self._n_draws, seed=self._seed)
        if found.method is None or np.isnan(found.p):
            return FactorEffect(reason=InferenceReason.INCOMPLETE_PROMPTS)
        return self._told(found.p, found.drawn, found.method, len(contrasts))

    def _exchanged(self, contrasts: Floats) -> FactorEffect:
        level = self._prompts.between[self._between[0]]
        if not level.any():
            return FactorEffect(reason=InferenceReason.ONE_GROUP)
        others = pd.DataFrame(
            {name: code for name, code in self._prompts.between.items() if name not in self._between}
        )
        stratum = _codes(others) if len(others.columns) else np.zeros(len(level), dtype=np.intp)
        found = exchange_test(contrasts, level, stratum, n_draws=self._n_draws, seed=self._seed)
        if found is None:
            return FactorEffect(reason=InferenceReason.TOO_FEW_UNITS)
        return self._told(found.p, found.drawn, BY_EXCHANGE, int(np.bincount(level).min()))

    def _told(self, p: float, drawn: Floats, method: str, n_root_prompts: int) -> FactorEffect:
        share = float(np.quantile(drawn, 0.95) ** 2) if len(drawn) else np.nan
        has_own = self._layout.has_own_prompts
        scope = scopes(np.array([n_root_prompts]), Unit.ROOT_PROMPT, has_own_prompts=has_own)[0]
        return FactorEffect(p, share, method, str(scope))
