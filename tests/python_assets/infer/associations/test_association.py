"""The documents' tests from sums of groups, against scipy and statsmodels on the rows themselves."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from scipy import stats
from scipy.special import gamma
from statsmodels.stats.oneway import anova_oneway

from python_assets.infer.associations.association import (
    LARGEST_SHAPIRO,
    Groups,
    anova,
    chi_square,
    levene,
    multiway_anova,
    shapiro,
    t_test,
)

RNG = np.random.default_rng(20)


def sums(samples):
    return Groups(
        n=np.array([len(x) for x in samples], dtype=float),
        mean=np.array([x.mean() for x in samples]),
        squares=np.array([((x - x.mean()) ** 2).sum() for x in samples]),
    )


@pytest.mark.parametrize("shape", [(2, 2), (2, 5), (4, 3)])
def test_chi_square_is_scipys(shape):
    counts = RNG.integers(1, 30, shape).astype(float)
    expected = stats.chi2_contingency(counts, correction=False)
    found = chi_square(counts)
    assert found[:2] + (found.p_value,) == pytest.approx((expected.statistic, expected.dof, expected.pvalue))
    assert found.effect_size == pytest.approx(stats.contingency.association(counts.astype(int), "cramer"))
    assert found.share_expected_ge5 == (expected.expected_freq >= 5).mean()


@pytest.mark.parametrize("counts", [[[8, 2], [3, 9]], [[5, 5], [5, 6]]])
def test_yates_is_scipys_and_never_overcorrects(counts):
    expected = stats.chi2_contingency(counts)
    found = chi_square(np.array(counts, dtype=float), yates=True)
    assert (found.statistic_value, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))


def test_empty_rows_and_columns_are_dropped():
    counts = np.array([[8.0, 0, 2], [0, 0, 0], [3, 0, 9]])
    assert chi_square(counts) == chi_square(np.array([[8.0, 2], [3, 9]]))


@pytest.mark.parametrize(
    ("counts", "reason"), [([[3.0, 4], [0, 0]], "one_group"), ([[3.0, 0], [5, 0]], "constant_values")]
)
def test_a_table_of_one_row_or_column_has_no_test(counts, reason):
    found = chi_square(np.array(counts))
    assert found.reason == reason and np.isnan(found.statistic_value) and np.isnan(found.p_value)


@pytest.mark.parametrize("welch", [False, True])
def test_t_is_scipys(welch):
    a, b = RNG.normal(0.3, 1, 12), RNG.normal(0, 3, 40)
    expected = stats.ttest_ind(a, b, equal_var=not welch)
    found = t_test(sums([a, b]), welch=welch)
    assert (found.statistic_value, found.df1, found.p_value) == pytest.approx(
        (expected.statistic, expected.df, expected.pvalue)
    )
    pooled = np.sqrt((11 * a.var(ddof=1) + 39 * b.var(ddof=1)) / 50)
    assert found.effect_size == pytest.approx((a.mean() - b.mean()) / pooled)
    assert found.effect_size_corrected == pytest.approx(found.effect_size * gamma(25) / np.sqrt(25) / gamma(24.5))


def test_one_way_anova_is_scipys():
    samples = [RNG.normal(shift, 1, n) for shift, n in ((0, 9), (0.4, 14), (0.1, 30))]
    expected = stats.f_oneway(*samples)
    found = anova(sums(samples))
    assert (found.statistic_value, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert (found.df1, found.df2) == (2, 50)
    table = anova_oneway(samples, use_var="equal", welch_correction=False)
    assert found.statistic_value == pytest.approx(table.statistic)
    frame = pd.DataFrame({"x": np.concatenate(samples), "g": np.repeat([0, 1, 2], [9, 14, 30])})
    fitted = smf.ols("x ~ C(g)", frame).fit()
    assert found.effect_size == pytest.approx(fitted.rsquared)
    total = ((frame.x - frame.x.mean()) ** 2).sum()
    assert found.effect_size_corrected == pytest.approx(
        (fitted.ess - 2 * fitted.mse_resid) / (total + fitted.mse_resid)
    )


@pytest.mark.parametrize("n_missing_cells", [0, 2])
def test_multiway_anova_is_statsmodels_type_two(n_missing_cells):
    cells = [(a, b, c) for a in "xy" for b in "uvw" for c in "pq"][n_missing_cells:]
    frame = pd.DataFrame(
        [(*cell, RNG.normal(0.5 * (cell[0] == "x"), 1)) for cell in cells for _ in range(RNG.integers(2, 6))],
        columns=["a", "b", "c", "x"],
    )
    grouped = frame.groupby(["a", "b", "c"]).x
    levels = [key for key, _ in grouped]
    found = multiway_anova(sums([values.to_numpy() for _, values in grouped]), levels)
    total = ((frame.x - frame.x.mean()) ** 2).sum()
    factors = ("C(a)", "C(b)", "C(c)")
    names = {(i,): factor for i, factor in enumerate(factors)}
    names |= {(i, j): f"{factors[i]}:{factors[j]}" for i, j in ((0, 1), (0, 2), (1, 2))}
    assert set(found) == set(names)
    if n_missing_cells == 0:
        fitted = smf.ols("x ~ C(a) + C(b) + C(c) + C(a):C(b) + C(a):C(c) + C(b):C(c)", frame).fit()
        table = sm.stats.anova_lm(fitted, typ=2)
        for name, row in names.items():
            assert found[name].statistic_value == pytest.approx(table.loc[row, "F"])
            assert found[name].p_value == pytest.approx(table.loc[row, "PR(>F)"])
            assert (found[name].df1, found[name].df2) == (table.loc[row, "df"], table.loc["Residual", "df"])
            assert found[name].effect_size == pytest.approx(table.loc[row, "sum_sq"] / total)
    else:  # statsmodels counts columns, not ranks, there
        mains = ["a", "b", "c"]
        rss, rank = least_squares(frame, [*mains, "ab", "ac", "bc"])
        rss_without, rank_without = least_squares(frame, [*mains, "ac", "bc"])
        df1, df2 = rank - rank_without, len(frame) - rank
        value = (rss_without - rss) / df1 / (rss / df2)
        assert (found[0, 1].statistic_value, found[0, 1].df1) == pytest.approx((value, df1))
        assert found[0, 1].p_value == pytest.approx(stats.f.sf(value, df1, df2))


def least_squares(frame, terms):
    """Residual sum of squares and rank of a model with an indicator a combination of levels of each term."""
    keys = [frame[list(term)].agg("".join, axis=1) for term in terms]
    design = np.column_stack([np.ones(len(frame)), *(pd.get_dummies(key).to_numpy(float) for key in keys)])
    fitted = design @ np.linalg.pinv(design) @ frame.x
    return ((frame.x - fitted) ** 2).sum(), np.linalg.matrix_rank(design)


def test_a_factor_of_one_level_is_associated_with_nothing():
    groups = sums([RNG.normal(0, 1, 5) for _ in range(3)])
    found = multiway_anova(groups, [("x", "u"), ("x", "v"), ("x", "w")])
    assert found[0,].reason == found[0, 1].reason == "one_level"
    assert found[1,].statistic_value == pytest.approx(anova(groups).statistic_value)


def test_levene_is_scipys():
    samples = [RNG.normal(0, spread, 15) for spread in (1, 2, 4)]
    expected = stats.levene(*samples, center="median")
    found = levene(sums([np.abs(x - np.median(x)) for x in samples]))
    assert (found.statistic_value, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))


def test_shapiro_is_scipys_within_its_bounds():
    residuals = RNG.normal(0, 1, 60)
    expected = stats.shapiro(residuals)
    found = shapiro(residuals)
    assert (found.statistic_value, found.p_value) == (expected.statistic, expected.pvalue)
    assert shapiro(residuals[:2]).reason == "too_few_values"
    assert shapiro(np.zeros(LARGEST_SHAPIRO + 1)).reason == "too_many_values"
    assert shapiro(np.zeros(9)).reason == "constant_values"


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        ([[0.5, 0.5, 0.5], [0.5, 0.5]], "constant_values"),
        ([[1.0, 1.0], [2.0, 2.0]], "constant_values"),  # nothing to hold the difference against
        ([[1.0], [2.0]], "too_few_values"),
        ([[1.0, 2.0]], "one_group"),
    ],
)
def test_groups_that_cannot_be_compared_have_a_reason(samples, reason):
    groups = sums([np.array(x) for x in samples])
    for found in (anova(groups), multiway_anova(groups, [(str(i), "u") for i in range(len(samples))])[0,]):
        assert found.reason == reason and np.isnan(found.p_value)
    if len(samples) == 2:
        assert t_test(groups).reason == reason
