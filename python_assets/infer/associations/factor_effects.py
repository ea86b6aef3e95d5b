"""Effects of several factors on a measure: p of each factor and pair of factors, by whole root prompts.

Belongs here: reading the cells of groupings of several factors, the contrasts of each effect, and their two tests. What
varies inside root prompts is tested by flips of their signs, what parts them by exchanging them between levels.

Source: inference.md 12. The statistic of exchanges is that of Welch 1951, On the comparison of several mean values,
Biometrika 38; of several contrasts with the trace of their covariance in place of the variance. Permuted it nearly
keeps its size where levels spread unequally (Pauly, Brunner, Konietschke 2015, Asymptotic permutation tests in general
factorial designs, JRSS B 77).
"""

from collections.abc import Sequence
from itertools import combinations, product
from typing import Final, NamedTuple, cast

import duckdb
import numpy as np
import pandas as pd
from scipy import linalg, stats

from python_assets.infer.design.cells import MIXED_UNITS
from python_assets.infer.design.design import Unit, scopes
from python_assets.infer.draws.exchange import TIE, Floats, Ints, exchanged, p_values, stable_seed
from python_assets.infer.draws.flips import Flips
from python_assets.infer.result import InferenceReason, Result, first_of
from python_assets.infer.schemes.units import MIN_UNITS_OF_GROUP
from python_assets.study.base import LEVEL_SEPARATOR

EFFECT_KEYS: Final = ["study_id", "slice_id", "system_id", "measure_id", "grouping_id", "category"]
_LEAST_PROMPTS: Final = 6  # for flips; the table's F stands in below
T2_BY_FLIPS: Final = "signs of whole prompts flipped, T2"
BY_SQUARES: Final = "signs of whole prompts flipped, sum of squared t"
BY_F: Final = "T2, F distribution"
BY_EXCHANGE: Final = "whole prompts exchanged between levels, Welch's statistic"
_ROUNDING: Final = 1e-12
_CELLS: Final = f"""
    with positions as (
        select slice_id, grouping_id, group_position, group_id
        from intermediate.int_prompt_groups
        where contains(grouping_id, '{LEVEL_SEPARATOR}')
        group by all
    )
    select {", ".join(EFFECT_KEYS)}, group_id, root_position, avg(cell_mean) as cell_mean
    from intermediate.int_cells
    inner join positions using (slice_id, grouping_id, group_position)
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


class WholePrompts(NamedTuple):
    """The root prompts, or units, that hold every combination of what varies in them.

    within: factors that vary in a root prompt, with their number of levels. means: shape (root prompts, combinations
    of their levels). between: code of each root prompt's level of the factors that part them.
    """

    within: dict[str, int]
    means: Floats
    between: dict[str, Ints]


def factor_effects(connection: duckdb.DuckDBPyConnection, *, seed: int, n_draws: int) -> dict[tuple[str, ...], Result]:
    """Test the factors, and pairs of factors, of every grouping of several.

    Args:
        connection: to the build file of one study.
        seed: of the study.
        n_draws: B.

    Returns:
        By the values of KEYS and the term, for example 'gender x race', one row: p_value, method and scope, or the
        reason; null_q95 is of the squared size of the effect, over the observed one.
    """
    # of a slice and grouping: whether units differ in kind, and whether no two of them share a prompt
    layouts = {(slice_id, of): tuple(rest) for slice_id, of, *rest in connection.execute(_LAYOUTS).fetchall()}
    effects = {}
    for keys, cells in connection.execute(_CELLS).df().groupby(EFFECT_KEYS, sort=True):
        values = dict(zip(EFFECT_KEYS, map(str, keys), strict=True))
        factors = values["grouping_id"].split(LEVEL_SEPARATOR)
        has_mixed_units, has_own_prompts = layouts[values["slice_id"], values["grouping_id"]]
        prompts = _prompts(cells, factors)
        for members in (*combinations(factors, 1), *combinations(factors, 2)):
            term = LEVEL_SEPARATOR.join(members)
            own_seed = stable_seed(seed, *values.values(), term)
            effect = Result.of((1,), reason=InferenceReason.MIXED_UNITS)
            if not has_mixed_units:
                effect = _effect(prompts, members, n_draws=n_draws, seed=own_seed)
            scope = scopes(effect.n_root_prompts, Unit.ROOT_PROMPT, has_own_prompts=has_own_prompts)
            effects[*values.values(), term] = effect._replace(scope=first_of([~np.isnan(effect.p_value)], [scope]))
    return effects


def _prompts(cells: pd.DataFrame, factors: Sequence[str]) -> WholePrompts:
    levels = cells.group_id.str.split(LEVEL_SEPARATOR, expand=True, regex=False).set_axis(pd.Index(factors), axis=1)
    n_levels = levels.groupby(cells.root_position).nunique()
    between = [factor for factor in factors if (n_levels[factor] == 1).all()]
    names = {factor: sorted(levels[factor].unique()) for factor in factors if factor not in between}
    within = [LEVEL_SEPARATOR.join(row) for row in levels[list(names)].to_numpy()]
    wide = cells.assign(within=within).pivot(index="root_position", columns="within", values="cell_mean")
    every = [LEVEL_SEPARATOR.join(combination) for combination in product(*names.values())]
    complete = wide.reindex(columns=every).dropna()
    root_levels = levels.groupby(cells.root_position).first().loc[complete.index]
    return WholePrompts(
        within={factor: len(factor_levels) for factor, factor_levels in names.items()},
        means=complete.to_numpy(),
        between={factor: _codes(root_levels[[factor]]) for factor in between},
    )


def _codes(levels: pd.DataFrame) -> Ints:
    """Code of each row, from 0 without gaps."""
    return np.asarray(levels.groupby(list(levels.columns), sort=True).ngroup(), dtype=np.intp)


def _effect(prompts: WholePrompts, members: tuple[str, ...], *, n_draws: int, seed: int) -> Result:
    """Test a factor or a pair of factors."""
    # orthonormal contrasts of what varies in root prompts, averaged over the levels of the other factors
    matrix = np.ones((1, 1))
    for factor, n_levels in prompts.within.items():
        mean = np.full((1, n_levels), 1 / n_levels)
        matrix = np.kron(matrix, linalg.helmert(n_levels) if factor in members else mean)
    contrasts = prompts.means @ matrix.T
    between = [factor for factor in members if factor in prompts.between]
    if not len(contrasts):
        return Result.of((1,), reason=InferenceReason.INCOMPLETE_PROMPTS)
    if not between:
        return flip_test(contrasts, n_draws=n_draws, seed=seed)
    if not np.abs(contrasts - contrasts.mean(axis=0)).max(initial=0) > TIE:
        return Result.of((1,), reason=InferenceReason.NO_VARIATION)
    if len(between) > 1:
        return Result.of((1,), reason=InferenceReason.NO_EXCHANGE)
    level = prompts.between[between[0]]
    others = pd.DataFrame({name: code for name, code in prompts.between.items() if name not in between})
    stratum = _codes(others) if len(others.columns) else np.zeros_like(level)
    return exchange_test(contrasts, level, stratum, n_draws=n_draws, seed=seed)


def _tested(p: float, drawn: Floats, method: str, n_root_prompts: int) -> Result:
    """One row; drawn: the size of the effect under each draw over the observed one, empty where that is 0."""
    share = np.quantile(drawn, 0.95) ** 2 if len(drawn) else np.nan
    return Result.of((1,), p_value=p, null_q95=share, method=method, n_root_prompts=n_root_prompts)


def flip_test(contrasts: Floats, *, n_draws: int, seed: int) -> Result:
    """Test that the means of all contrasts are 0: Hotelling's T2, the signs of whole prompts flipped.

    Args:
        contrasts: of each root prompt, shape (root prompts, contrasts).
        n_draws: B; every arrangement where there are no more.
        seed: of the draws.

    Returns:
        One row, whose null_q95 is of the squared length of the mean, over the observed one. No p where root prompts are
        no more than contrasts and fewer than 6, or nothing varies.

    Source: inference.md 12.
    """
    n, q = contrasts.shape
    if not np.abs(contrasts).max(initial=0) > TIE:
        return Result.of((1,), reason=InferenceReason.NO_VARIATION)
    if q >= n and n < _LEAST_PROMPTS:
        return Result.of((1,), reason=InferenceReason.INCOMPLETE_PROMPTS)
    observed = contrasts.mean(axis=0)
    flips = Flips(seed, n_draws, n)
    means = np.concatenate([signs @ contrasts for signs in flips.batches()]) / n
    length = float(linalg.norm(observed))
    drawn = linalg.norm(means, axis=1) / length if length > 0 else np.empty(0)
    if n < _LEAST_PROMPTS:
        covariance = np.atleast_2d(np.cov(contrasts, rowvar=False))
        if np.trace(covariance) <= TIE * length**2:
            return Result.of((1,), null_q95=np.quantile(drawn, 0.95) ** 2, reason=InferenceReason.NO_ERROR)
        t2 = float(n * observed @ linalg.pinvh(covariance) @ observed)
        return _tested(stats.f.sf(t2 * (n - q) / (q * (n - 1)), q, n - q), drawn, BY_F, n)
    if q >= n - 2:
        seen, under, method = _squares(observed[None], contrasts), _squares(means, contrasts), BY_SQUARES
    else:
        bread = linalg.pinvh(contrasts.T @ contrasts / n)  # the same under every draw; T2 grows with the form
        seen, under = (np.einsum("bi,ij,bj->b", m, bread, m) for m in (observed[None], means))
        method = T2_BY_FLIPS
    return _tested(float(p_values((under >= seen[0] - TIE).sum(), flips)), drawn, method, n)


def _squares(means: Floats, contrasts: Floats) -> Floats:
    """Sum of squared t of each contrast, shape (draws,)."""
    n = len(contrasts)
    spread = np.maximum((contrasts**2).mean(axis=0) - means**2, 1e-12) * n / (n - 1)
    return cast(Floats, (n * means**2 / spread).sum(axis=1))


def exchange_test(contrasts: Floats, level: Ints, stratum: Ints, *, n_draws: int, seed: int) -> Result:
    """Test that the means of all contrasts are the same at every level: whole prompts change places between levels.

    Args:
        contrasts: of each root prompt, shape (root prompts, contrasts).
        level: of each root prompt, from 0 without gaps.
        stratum: within which they change places, from 0 without gaps.
        n_draws: B.
        seed: of the draws.

    Returns:
        One row, whose null_q95 is of the squared distance between levels, over the observed one. No p where a level has
        fewer than MIN_UNITS_OF_GROUP root prompts, or there is one. p of a single contrast is never below that of
        Welch's F: permuted alone it errs where few prompts spread unequally.
    """
    from statsmodels.stats.oneway import anova_generic

    n_of_level = np.bincount(level)
    if len(n_of_level) < 2:
        return Result.of((1,), reason=InferenceReason.ONE_GROUP)
    if n_of_level.min() < MIN_UNITS_OF_GROUP:
        return Result.of((1,), reason=InferenceReason.TOO_FEW_UNITS)
    x = contrasts - pd.DataFrame(contrasts).groupby(stratum).transform("mean").to_numpy()
    drawn_levels = np.vstack([level, *exchanged(level, stratum, n=n_draws, seed=seed, size=n_draws)])
    welch, distance = _statistics(x, drawn_levels, n_of_level)
    p = float(((welch[1:] >= welch[0] * (1 - TIE)).sum() + 1) / (n_draws + 1))
    mean = np.bincount(level, x[:, 0]) / n_of_level
    variance = np.bincount(level, (x[:, 0] - mean[level]) ** 2) / (n_of_level - 1)
    if x.shape[1] == 1 and variance.max() > _ROUNDING * (x**2).mean():
        spread = np.maximum(variance, _ROUNDING * variance.max())
        p = max(p, float(anova_generic(mean, spread, n_of_level, use_var="unequal").pvalue))
    has_distance = distance[0] > _ROUNDING * (x**2).sum()
    share = np.sqrt(distance[1:] / distance[0]) if has_distance else np.empty(0)
    return _tested(p, share, BY_EXCHANGE, int(n_of_level.min()))


def _statistics(x: Floats, levels: Ints, n_of_level: Ints) -> tuple[Floats, Floats]:
    """Welch's statistic, and the sum of squares between levels, of each row of levels."""
    squares, n = (x**2).sum(axis=1), n_of_level[:, None]
    columns = np.column_stack([x, squares])
    sums = np.stack([(levels == level).astype(np.float64) @ columns for level in range(len(n))])
    mean = sums[:, :, :-1] / n[:, :, None]
    between = n * (mean**2).sum(axis=2)
    left = np.maximum(sums[:, :, -1] - between, _ROUNDING * squares.sum())
    weight = n * (n - 1) / np.maximum(left, np.finfo(float).tiny)
    centre = (weight[:, :, None] * mean).sum(axis=0) / weight.sum(axis=0)[:, None]
    welch = (weight * ((mean - centre) ** 2).sum(axis=2)).sum(axis=0)
    return welch, between.sum(axis=0)
