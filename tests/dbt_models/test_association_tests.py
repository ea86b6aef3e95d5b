"""The documents' tests of the irregular study against scipy on the raw rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.dbt_models.conftest import Built
from tests.dbt_models.irregular_study import GROUPINGS, MEASURE_SLICES, MEASURES, SLICES

KEYS = ["slice_id", "system_id", "measure_id", "grouping_id"]


@pytest.fixture(scope="module")
def tests(built: Built) -> pd.DataFrame:
    return built.table("marts.association_tests")


@pytest.fixture(scope="module")
def places(built: Built):
    """The responses of every measure, slice, grouping and generation, and of all generations together."""
    levels = built.raw["prompt_factors"].pivot(index="prompt_id", columns="factor", values="level")
    systems = built.raw["systems"]
    models = set(systems.system_id[~systems.is_baseline])
    measured = built.raw["measurements"]
    measured = measured[measured.system_id.isin(models)]
    found = {}
    for measure, part in measured.groupby("measure_id"):
        for slice_id in MEASURE_SLICES[measure]:
            inside = levels
            for factor, allowed in SLICES[slice_id].items():
                inside = inside[inside[factor].isin(allowed)]
            for grouping, factors in GROUPINGS.items():
                named = inside.dropna(subset=factors)[factors].agg(" x ".join, axis=1).rename("group_id")
                rows = part.join(named, on="prompt_id", how="inner")
                rows = rows.assign(x=rows.label if MEASURES[measure][0] == "categorical" else rows.value)
                rows = rows.dropna(subset=["x"])
                for system in [*models, "all"]:
                    own = rows if system == "all" else rows[rows.system_id == system]
                    if len(own):
                        found[slice_id, system, measure, grouping] = own
    return found


def test_chi_square_is_scipys_for_every_table(tests, places):
    rows = tests[tests.test == "chi_square"].set_index(KEYS)
    n_tested = 0
    for place, own in places.items():
        if MEASURES[place[2]][0] == "continuous":
            continue
        table = pd.crosstab(own.group_id, own.x)
        if min(table.shape) < 2:
            continue
        expected = stats.chi2_contingency(table, correction=False)
        row = rows.loc[place]
        assert (row.statistic_value, row.df1) == pytest.approx((expected.statistic, expected.dof))
        assert row.p_value == pytest.approx(expected.pvalue)
        assert row.n_responses == len(own)
        n_tested += 1
    assert n_tested > 20


def test_anova_levene_and_shapiro_are_scipys(tests, places):
    rows = tests.set_index(["test", *KEYS])
    n_tested = 0
    for place, own in places.items():
        if MEASURES[place[2]][0] != "continuous":
            continue
        samples = [x.to_numpy(dtype=float) for _, x in own.groupby("group_id").x]
        if len(samples) < 2 or max(map(len, samples)) < 2 or np.ptp(np.concatenate(samples)) < 1e-9:
            continue
        with np.errstate(all="ignore"):
            expectations = {
                "anova": stats.f_oneway(*samples),
                "levene": stats.levene(*samples, center="median"),
                "shapiro": stats.shapiro(np.concatenate([x - x.mean() for x in samples])),
            }
        for test, expected in expectations.items():
            row = rows.loc[(test, *place)]
            if not np.isfinite(expected.statistic):
                assert row.reason == "constant_values", (test, place)
                continue
            assert row.statistic_value == pytest.approx(expected.statistic, abs=1e-9), (test, place)
            assert row.p_value == pytest.approx(expected.pvalue, abs=1e-9)
        n_tested += 1
    assert n_tested > 10


def test_a_test_of_the_scheme_stands_beside_that_of_rows(tests):
    beside = tests[tests.p_value_permutation.notna()]
    assert set(beside.test) <= {"chi_square", "t_pooled", "anova", "anova_multiway"}
    assert "chi_square" in set(beside.test) and (beside.system_id != "all").all()
    assert tests[tests.test.isin(["levene", "shapiro"])].is_descriptive.all()


def test_factors_and_pairs_of_a_grouping_have_a_p_over_whole_prompts_or_a_reason(tests):
    multiway = tests[tests.test == "anova_multiway"]
    tested = multiway[multiway.p_value_permutation.notna()]
    assert {"race", "gender", "race x gender"} >= set(tested.term) > set()
    assert tested.method.str.contains("p_value_permutation: ").all() and tested.scope.notna().all()
    assert ((tested.p_value_permutation > 0) & (tested.p_value_permutation <= 1)).all()
    assert (multiway.p_value_permutation.isna() == multiway.inference_reason.notna()).all()
    is_pooled = multiway.inference_reason == "pooled_systems"
    assert (is_pooled == (multiway.system_id == "all")).all()
    assert tests[tests.test != "anova_multiway"].inference_reason.isna().all()
