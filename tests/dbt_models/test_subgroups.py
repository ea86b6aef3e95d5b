"""Subgroups, their deviation metrics and KS against plain loops over the raw tables."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.dbt_models.conftest import Built
from tests.dbt_models.irregular_study import IDEALS, MEASURE_SLICES, MEASURES, SLICES, SUBGROUP_SETS

PLACE = ["slice_id", "system_id", "measure_id", "grouping_id"]
BINARY = [name for name, (kind, _) in MEASURES.items() if kind == "binary"]


@pytest.fixture(scope="module")
def subgroups(built: Built) -> pd.DataFrame:
    return (
        built.table("marts.subgroups").drop(columns="study_id").set_index([*PLACE, "group_id"]).sort_index()
    )


@pytest.fixture(scope="module")
def counted(built: Built) -> pd.DataFrame:
    """The rows that subgroups must have: responses with a value and ones, of each and of all others."""
    levels = built.raw["prompt_factors"].pivot(index="prompt_id", columns="factor", values="level")
    rows = []
    for (system, measure), part in built.raw["measurements"].groupby(["system_id", "measure_id"]):
        for slice_id in MEASURE_SLICES[measure] if measure in BINARY else []:
            inside = levels
            for factor, allowed in SLICES[slice_id].items():
                inside = inside[inside[factor].isin(allowed)]
            x = part[part.prompt_id.isin(inside.index)].set_index("prompt_id").value.dropna()
            for grouping, factors in SUBGROUP_SETS.items():
                for group, prompts in inside.dropna(subset=factors).groupby(factors):
                    own = x[x.index.isin(prompts.index)]
                    rows.append(
                        (slice_id, system, measure, grouping, " x ".join(group))
                        + (len(own), own.sum(), len(x) - len(own), x.sum() - own.sum())
                    )
    return pd.DataFrame(rows, columns=[*PLACE, "group_id", "n", "k", "m", "h"]).set_index(
        [*PLACE, "group_id"]
    )


def test_every_combination_of_levels_is_there_with_its_responses(subgroups, counted):
    assert set(subgroups.index) == set(counted.index)
    found = subgroups.loc[counted.index]
    assert (found.n_responses == counted.n).all()
    assert (found.n_deviating == counted.k).all()
    rate = (counted.k / counted.n).astype(float)
    pd.testing.assert_series_equal(found.deviation_rate, rate, check_names=False)
    assert len(counted) > 200


def test_log_disparity_is_of_the_odds_of_all_others(subgroups, counted):
    found, c = subgroups.loc[counted.index], counted
    inside = (c.k > 0) & (c.k < c.n) & (c.h > 0) & (c.h < c.m)
    k, n, h, m = (c.loc[inside, name] for name in "knhm")
    odds = np.log(k / (n - k)) - np.log(h / (m - h))
    np.testing.assert_allclose(found.log_disparity[inside], odds, rtol=0, atol=1e-12)
    assert found.log_disparity[~inside].isna().all()
    both = (c.n > 0) & (c.m > 0)
    haldane = np.log((c.k + 0.5) / (c.n - c.k + 0.5)) - np.log((c.h + 0.5) / (c.m - c.h + 0.5))
    np.testing.assert_allclose(found.log_disparity_haldane[both], haldane[both], rtol=0, atol=1e-12)
    assert found.log_disparity_haldane[~both].isna().all()
    assert inside.sum() > 20
    reason = np.select([c.n == 0, c.m == 0, ~inside], ["no_values", "no_complement", "rate_zero_or_one"], "")
    assert found.reason.fillna("").tolist() == reason.tolist()
    assert set(reason) == {"no_complement", "rate_zero_or_one", ""}


def test_ecdf_and_the_shrunken_rate_are_of_the_subgroups_of_one_set(subgroups):
    n_steadied = 0
    for _, rows in subgroups[subgroups.n_responses > 0].groupby(PLACE):
        rates, n = rows.deviation_rate.to_numpy(), rows.n_responses.to_numpy()
        ecdf = [(rates <= rate + 1e-12).mean() for rate in rates]
        np.testing.assert_allclose(rows.ecdf, ecdf, atol=1e-12)
        np.testing.assert_allclose(rows.deviation_rate_shrunken, shrunken(rates, n), atol=1e-12)
        pooled = (rates * n).sum() / n.sum()
        distance = np.abs(rows.deviation_rate_shrunken - pooled)
        assert (distance <= np.abs(rates - pooled) + 1e-12).all()
        n_steadied += (distance < np.abs(rates - pooled) - 1e-6).sum()
    assert n_steadied > 50


def shrunken(rates: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Posterior means (k + a) / (n + a + b) of the beta prior that metrics.md 3 fits by moments."""
    mean, n_groups = (rates * n).sum() / n.sum(), len(n)
    spread = n.sum() - (n**2).sum() / n.sum() - (n_groups - 1)
    if mean in (0, 1) or spread <= 0:
        return np.full(n_groups, mean)
    rho = ((n * (rates - mean) ** 2).sum() / (mean * (1 - mean)) - (n_groups - 1)) / spread
    if rho <= 0:
        return np.full(n_groups, mean)
    a_and_b = 1 / min(rho, 1) - 1
    return (rates * n + mean * a_and_b) / (n + a_and_b)


def test_the_deviation_metric_is_the_area_of_equation_4(built, subgroups):
    found = built.table("marts.subgroup_metrics").set_index([*PLACE, "statistic", "metric"])
    assert not found.index.duplicated().any()
    n_areas = 0
    for place, rows in subgroups.groupby(PLACE):
        present = rows[rows.n_responses > 0]
        for statistic, ideal in IDEALS.items():
            row = found.loc[(*place, statistic, "deviation_metric")]
            assert (row.ideal, row.n_subgroups) == (ideal, len(present))
            if present[statistic].isna().any() or not len(present):
                assert np.isnan(row.value)
                assert row.reason in ("no_values", "no_complement", "rate_zero_or_one")
                continue
            assert row.value == pytest.approx(area(present[statistic].to_numpy(), ideal), abs=1e-12)
            assert pd.isna(row.reason)
            n_areas += 1
        below = found.loc[(*place, "deviation_rate", "share_below_0_2")]
        assert below.value == pytest.approx((present.deviation_rate < 0.2).mean(), nan_ok=True)
    assert n_areas > 20


def area(values: np.ndarray, ideal: float) -> float:
    """Equation 4 as it is printed: an integral of the step quantile function on either side of C."""
    steps = np.sort(values)
    crossing = (steps <= ideal).mean()
    share = 1 / len(steps)
    below = sum((ideal - step) * share for step in steps[: round(crossing * len(steps))])
    return below + sum((step - ideal) * share for step in steps[round(crossing * len(steps)) :])


def test_systems_are_compared_by_their_subgroup_rates(built, subgroups):
    every_row = built.table("marts.system_comparisons")
    found = every_row[every_row.comparison == "kolmogorov_smirnov"].set_index(
        ["slice_id", "measure_id", "grouping_id", "system_id", "reference_system_id"]
    )
    assert not found.index.duplicated().any()
    assert "baseline" not in found.index.get_level_values("system_id")
    assert found[["q_value", "ci_low", "verdict", "family_id"]].isna().all(axis=None)
    n_checked = 0
    for (slice_id, measure, grouping, a, b), row in found.iterrows():
        x, y = (subgroups.loc[(slice_id, g, measure, grouping)].deviation_rate.dropna() for g in (a, b))
        assert (row.n_groups_a, row.n_groups_b) == (len(x), len(y))
        if not len(x) or not len(y):
            assert row.reason == "no_values"
            assert np.isnan(row.value)
            continue
        exact = stats.ks_2samp(x, y, method="exact")
        assert row.value == pytest.approx(exact.statistic)
        assert row.p_value_exact == pytest.approx(exact.pvalue)
        assert abs(row.value_a - row.value_b) == pytest.approx(row.value)
        n_checked += 1
    assert n_checked > 3
