"""The tests of FAIR-SEA's document, over responses as if they were independent rows.

Belongs here: statistics, effect sizes and p from the sums of groups. Responses to one prompt are not
independent, so these p decide nothing: what decides are the tests within root prompts (inference.md 1, 12).
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]

LARGEST_SHAPIRO = 5_000  # rows past which the approximation of its p is not known to hold
EXPECTED_COUNT = 5.0


class Groups(NamedTuple):
    """The sums of groups of responses, arrays of one length, without groups that have no value.

    n: values. mean: their mean. squares: sum of squared deviations from it.
    """

    n: Floats
    mean: Floats
    squares: Floats


class Association(NamedTuple):
    """One test; NaN where there is none.

    df2: NaN for a test with one number of degrees of freedom. effect_size_corrected: less what chance gives
    it. share_expected_ge5: of the cells of a table, those with an expected count of EXPECTED_COUNT.
    """

    statistic_value: float
    df1: float
    df2: float = np.nan
    p_value: float = np.nan
    effect_size: float = np.nan
    effect_size_corrected: float = np.nan
    share_expected_ge5: float = np.nan
    reason: str | None = None


def _nothing(reason: str) -> Association:
    return Association(np.nan, np.nan, reason=reason)


def occupied(counts: Floats) -> Floats:
    """A table without its empty rows and columns."""
    return counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]


def chi_square(counts: Floats, yates: bool = False) -> Association:
    """Pearson's test of independence.

    Args:
        counts: responses, shape (groups, labels); empty rows and columns are dropped.
        yates: corrected for continuity, which is defined for two groups and two labels.

    Returns:
        The statistic with its df and p; effect size Cramer's V of the uncorrected statistic. No statistic
        where fewer than two groups (one_group) or labels (constant_values) are left.

    Source: FAIR-SEA, categorical outcomes 1; Yates 1934.
    """
    table = occupied(counts)
    if table.shape[0] < 2:
        return _nothing("one_group")
    if table.shape[1] < 2:
        return _nothing("constant_values")
    n = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    distance = np.abs(table - expected)
    plain = float((distance**2 / expected).sum())
    if yates:
        distance = np.maximum(distance - 0.5, 0.0)
    value = float((distance**2 / expected).sum())
    df = (table.shape[0] - 1) * (table.shape[1] - 1)
    return Association(
        statistic_value=value,
        df1=df,
        p_value=float(stats.chi2.sf(value, df)),
        effect_size=float(np.sqrt(plain / (n * (min(table.shape) - 1)))),
        share_expected_ge5=float((expected >= EXPECTED_COUNT).mean()),
    )


def t_test(groups: Groups, welch: bool = False) -> Association:
    """Student's test of two means, the first group minus the second.

    Args:
        groups: two of them, each of two values or more.
        welch: without taking the variances for equal.

    Returns:
        t, df and p of both sides; effect size Cohen's d by the pooled standard deviation, corrected for few
        values Hedges' g.

    Source: FAIR-SEA, continuous outcomes 2; Welch 1947; Hedges 1981.
    """
    if (unfit := _unfit(groups, two=True)) is not None:
        return _nothing(unfit)
    n, variance = groups.n, groups.squares / (groups.n - 1)
    difference = float(groups.mean[0] - groups.mean[1])
    pooled = groups.squares.sum() / (n.sum() - 2)
    parts = variance / n
    df = float(n.sum() - 2)
    if welch:
        df = float(parts.sum() ** 2 / (parts**2 / (n - 1)).sum())
    error = parts.sum() if welch else pooled * (1 / n).sum()
    value = difference / float(np.sqrt(error))
    d = difference / float(np.sqrt(pooled))
    return Association(
        statistic_value=value,
        df1=df,
        p_value=float(2 * stats.t.sf(abs(value), df)),
        effect_size=d,
        effect_size_corrected=d * (1 - 3 / (4 * (n.sum() - 2) - 1)),
    )


def anova(groups: Groups) -> Association:
    """One-way analysis of variance.

    Args:
        groups: two or more.

    Returns:
        F with its two df and p; effect size eta squared, corrected omega squared.

    Source: FAIR-SEA, continuous outcomes 3; Hays 1963 for omega squared.
    """
    if (unfit := _unfit(groups)) is not None:
        return _nothing(unfit)
    between = float((groups.n * (groups.mean - _grand_mean(groups)) ** 2).sum())
    within = float(groups.squares.sum())
    df1, df2 = len(groups.n) - 1, float(groups.n.sum() - len(groups.n))
    return _variance_ratio(between, within, between + within, df1, df2)


def multiway_anova(groups: Groups, levels: Sequence[Sequence[str]]) -> dict[str, Association]:
    """Analysis of variance by several factors and their pairs, type II.

    Args:
        groups: the combinations of levels that have a value.
        levels: of every combination its level of each factor, in the same order.

    Returns:
        One test a term, named by the positions of its factors, '0' or '0:1': what the term adds to a model of
        all other terms that do not contain it. A term that adds nothing a level of its own could tell has no
        statistic (one_level). What more than two factors do together is part of the residual.

    Source: FAIR-SEA, D4 (multiway ANOVA); metrics.md 4; Yates 1934 for type II sums of squares.
    """
    n_factors = len(levels[0])
    terms = [(i,) for i in range(n_factors)] + list(combinations(range(n_factors), 2))
    names = [":".join(map(str, term)) for term in terms]
    if (unfit := _unfit(groups)) is not None:
        return dict.fromkeys(names, _nothing(unfit))
    columns = {term: _columns(levels, term) for term in terms}
    whole = _fit(groups, [columns[term] for term in terms])
    total = float((groups.n * (groups.mean - _grand_mean(groups)) ** 2).sum() + groups.squares.sum())
    df2 = float(groups.n.sum() - whole.rank)
    found = {}
    for name, term in zip(names, terms, strict=True):
        others = [columns[other] for other in terms if not set(term) <= set(other)]
        without, with_term = _fit(groups, others), _fit(groups, [*others, columns[term]])
        df1 = with_term.rank - without.rank
        added = max(without.residual - with_term.residual, 0.0)
        found[name] = (
            _variance_ratio(added, whole.residual, total, df1, df2) if df1 else _nothing("one_level")
        )
    return found


def levene(groups: Groups) -> Association:
    """Levene's test of equal variances, of distances from the median (Brown and Forsythe).

    Args:
        groups: sums of the absolute distances of the values from the median of their group.

    Source: Brown and Forsythe 1974.
    """
    found = anova(groups)
    return found._replace(effect_size=np.nan, effect_size_corrected=np.nan)


def shapiro(residuals: Floats) -> Association:
    """Shapiro and Wilk's test of normal values.

    Args:
        residuals: of all values from the mean of their group; at most LARGEST_SHAPIRO.

    Source: Shapiro and Wilk 1965; Royston 1995 for p.
    """
    if len(residuals) < 3:
        return _nothing("too_few_values")
    if len(residuals) > LARGEST_SHAPIRO:
        return _nothing("too_many_values")
    if np.ptp(residuals) <= 1e-12:
        return _nothing("constant_values")
    value, p = stats.shapiro(residuals)
    return Association(float(value), len(residuals), p_value=float(p))


def _unfit(groups: Groups, two: bool = False) -> str | None:
    """Why groups cannot be compared."""
    if len(groups.n) < 2:
        return "one_group"
    if groups.n.sum() <= len(groups.n) or (two and (groups.n < 2).any()):
        return "too_few_values"
    scale = max(float(np.abs(groups.mean).max()), 1.0)
    return "constant_values" if groups.squares.sum() <= 1e-18 * groups.n.sum() * scale**2 else None


def _grand_mean(groups: Groups) -> float:
    return float((groups.n * groups.mean).sum() / groups.n.sum())


def _variance_ratio(effect: float, residual: float, total: float, df1: float, df2: float) -> Association:
    if df2 <= 0:
        return _nothing("too_few_values")
    error = residual / df2
    value = effect / df1 / error
    return Association(
        statistic_value=value,
        df1=df1,
        df2=df2,
        p_value=float(stats.f.sf(value, df1, df2)),
        effect_size=effect / total,
        effect_size_corrected=(effect - df1 * error) / (total + error),
    )


class _Fit(NamedTuple):
    residual: float
    rank: int


def _fit(groups: Groups, columns: Sequence[Floats]) -> _Fit:
    """Least squares of all values on the columns and an intercept, by the means of the groups."""
    weights = np.sqrt(groups.n)
    design = np.column_stack([np.ones(len(groups.n)), *columns]) * weights[:, None]
    solution, _, rank, _ = np.linalg.lstsq(design, groups.mean * weights, rcond=None)
    lack = groups.mean * weights - design @ solution
    return _Fit(float(lack @ lack + groups.squares.sum()), int(rank))


def _columns(levels: Sequence[Sequence[str]], term: Sequence[int]) -> Floats:
    """One indicator a combination of levels of a term."""
    combined = [tuple(row[i] for i in term) for row in levels]
    distinct = sorted(set(combined))
    return np.array([[own == one for one in distinct] for own in combined], dtype=np.float64)
