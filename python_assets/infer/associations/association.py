"""The tests of FAIR-SEA's document, over responses as if they were independent rows.

Belongs here: statistics, effect sizes and p from the sums of groups. Responses to one prompt are not independent, so
these p decide nothing: what decides are the tests within root prompts (inference.md 1, 12).
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import poch

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

    @property
    def between(self) -> float:
        """Sum of squares of the means from that of all values."""
        return float((self.n * (self.mean - (self.n * self.mean).sum() / self.n.sum()) ** 2).sum())


class Association(NamedTuple):
    """One test; NaN where there is none.

    df2: NaN for a test with one number of degrees of freedom. effect_size_corrected: less what chance gives it.
    share_expected_ge5: of the cells of a table, those with an expected count of EXPECTED_COUNT.
    """

    statistic_value: float = np.nan
    df1: float = np.nan
    df2: float = np.nan
    p_value: float = np.nan
    effect_size: float = np.nan
    effect_size_corrected: float = np.nan
    share_expected_ge5: float = np.nan
    reason: str | None = None


def occupied(counts: Floats) -> Floats:
    """A table without its empty rows and columns."""
    return cast(Floats, counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0])


def chi_square(counts: Floats, yates: bool = False) -> Association:
    """Pearson's test of independence.

    Args:
        counts: responses, shape (groups, labels); empty rows and columns are dropped.
        yates: corrected for continuity, which is defined for two groups and two labels.

    Returns:
        The statistic with its df and p; effect size Cramer's V of the uncorrected statistic. No statistic where fewer
        than two groups (one_group) or labels (constant_values) are left.

    Source: FAIR-SEA, categorical outcomes 1; Yates 1934.
    """
    table = occupied(counts)
    if min(table.shape) < 2:
        return Association(reason="one_group" if len(table) < 2 else "constant_values")
    contingency = stats.chi2_contingency(table, correction=yates)
    return Association(
        statistic_value=float(contingency.statistic),
        df1=contingency.dof,
        p_value=float(contingency.pvalue),
        effect_size=float(stats.contingency.association(table.astype(int), method="cramer")),
        share_expected_ge5=float((contingency.expected_freq >= EXPECTED_COUNT).mean()),
    )


def t_test(groups: Groups, welch: bool = False) -> Association:
    """Student's test of two means, the first group minus the second.

    Args:
        groups: two of them, each of two values or more.
        welch: without taking the variances for equal.

    Returns:
        t, df and p of both sides; effect size Cohen's d by the pooled standard deviation, corrected for few values
        Hedges' g.

    Source: FAIR-SEA, continuous outcomes 2; Welch 1947; Hedges 1981.
    """
    if (unfit := _unfit(groups, two=True)) is not None:
        return Association(reason=unfit)
    n, variance = groups.n, groups.squares / (groups.n - 1)
    samples = np.stack([groups.mean, np.sqrt(variance), n], axis=1)
    test = stats.ttest_ind_from_stats(*samples.ravel(), equal_var=not welch)
    df, mean_variances = float(n.sum() - 2), variance / n
    d = float((groups.mean[0] - groups.mean[1]) / np.sqrt(groups.squares.sum() / df))
    return Association(
        statistic_value=float(test.statistic),
        df1=float(mean_variances.sum() ** 2 / (mean_variances**2 / (n - 1)).sum()) if welch else df,
        p_value=float(test.pvalue),
        effect_size=d,
        # the gamma function itself; 1 - 3 / (4 df - 1), which is printed for it, is off by .007 at df = 2
        effect_size_corrected=d * float(poch((df - 1) / 2, 0.5)) / np.sqrt(df / 2),
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
        return Association(reason=unfit)
    within, df1, df2 = float(groups.squares.sum()), len(groups.n) - 1, float(groups.n.sum() - len(groups.n))
    return _variance_ratio(groups.between, within, groups.between + within, df1, df2)


def multiway_anova(groups: Groups, levels: Sequence[Sequence[str]]) -> dict[tuple[int, ...], Association]:
    """Analysis of variance by several factors and their pairs, type II.

    Args:
        groups: the combinations of levels that have a value.
        levels: of every combination its level of each factor, in the same order.

    Returns:
        One test a term, by the positions of its factors, (0,) or (0, 1): what the term adds to a model of all other
        terms that do not contain it. A term that adds nothing a level of its own could tell has no statistic
        (one_level). What more than two factors do together is part of the residual.

    Source: FAIR-SEA, D4 (multiway ANOVA); metrics.md 4; Yates 1934 for type II sums of squares.
    """
    terms = [term for size in (1, 2) for term in combinations(range(len(levels[0])), size)]
    if (unfit := _unfit(groups)) is not None:
        return dict.fromkeys(terms, Association(reason=unfit))
    columns = {term: _columns(levels, term) for term in terms}
    whole = _fit(groups, [columns[term] for term in terms])
    total, df2 = groups.between + float(groups.squares.sum()), float(groups.n.sum() - whole.rank)
    tests = {}
    for term in terms:
        others = [columns[other] for other in terms if not set(term) <= set(other)]
        without, with_term = _fit(groups, others), _fit(groups, [*others, columns[term]])
        added, df1 = max(without.residual - with_term.residual, 0.0), with_term.rank - without.rank
        tests[term] = Association(reason="one_level")
        if df1:
            tests[term] = _variance_ratio(added, whole.residual, total, df1, df2)
    return tests


def levene(groups: Groups) -> Association:
    """Levene's test of equal variances, of distances from the median (Brown and Forsythe).

    Args:
        groups: sums of the absolute distances of the values from the median of their group.

    Source: Brown and Forsythe 1974.
    """
    return anova(groups)._replace(effect_size=np.nan, effect_size_corrected=np.nan)


def shapiro(residuals: Floats) -> Association:
    """Shapiro and Wilk's test of normal values.

    Args:
        residuals: of all values from the mean of their group; at most LARGEST_SHAPIRO.

    Source: Shapiro and Wilk 1965; Royston 1995 for p.
    """
    if len(residuals) < 3:
        return Association(reason="too_few_values")
    if len(residuals) > LARGEST_SHAPIRO:
        return Association(reason="too_many_values")
    if np.ptp(residuals) <= 1e-12:
        return Association(reason="constant_values")
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


def _variance_ratio(effect: float, residual: float, total: float, df1: float, df2: float) -> Association:
    if df2 <= 0:
        return Association(reason="too_few_values")
    error = residual / df2
    value = effect / df1 / error
    p = float(stats.f.sf(value, df1, df2))
    return Association(value, df1, df2, p, effect / total, (effect - df1 * error) / (total + error))


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
    return np.array([[row_levels == one for one in distinct] for row_levels in combined], dtype=np.float64)
