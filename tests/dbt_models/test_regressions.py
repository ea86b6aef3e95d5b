"""Factor importance of the irregular study against statsmodels on single responses of its raw tables."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from tests.dbt_models.conftest import Built
from tests.dbt_models.irregular_study import REGRESSIONS

KEYS = ["regression_id", "system_id", "factor"]


@pytest.fixture(scope="module")
def terms(built: Built) -> pd.DataFrame:
    return built.table("marts.factor_importance").set_index([*KEYS, "level"]).sort_index()


@pytest.fixture(scope="module")
def models(built: Built) -> pd.DataFrame:
    return built.table("marts.factor_models").set_index(KEYS).sort_index()


@pytest.fixture(scope="module")
def refused(built: Built) -> pd.DataFrame:
    """Every response of g1 with a value of refusal, to prompts that have both factors."""
    levels = built.raw["prompt_factors"].pivot(index="prompt_id", columns="factor", values="level")
    measured = built.raw["measurements"]
    x = measured[(measured.measure_id == "refusal") & (measured.system_id == "g1")]
    rows = x.merge(levels.reset_index(), on="prompt_id").dropna(subset=["value", "race", "style"])
    return rows.merge(built.raw["prompts"][["prompt_id", "unit_id"]], on="prompt_id")


def test_sums_hold_every_response_of_prompts_with_all_factors(built, refused):
    sums = built.table("intermediate.int_regression_sums")
    own = sums[(sums.regression_id == "refused") & (sums.system_id == "g1")]
    added = refused.groupby(["unit_id", "race", "style"]).value.agg(["size", "sum"])
    found = own[own.n_responses > 0].assign(
        race=own.group_id.str.split(" x ").str[0], style=own.group_id.str.split(" x ").str[1]
    )
    found = found.set_index(["unit_id", "race", "style"]).sort_index()
    assert found.n_responses.to_dict() == added["size"].to_dict()
    assert found.n_events.to_dict() == added["sum"].to_dict()
    assert "baseline" not in set(sums.system_id)


def test_a_regression_of_models_alone_has_one_row_a_unit(built):
    sums = built.table("intermediate.int_regression_sums")
    own = sums[sums.regression_id == "empty_by_system"]
    assert set(own.group_id) == {""}
    assert len(own[own.system_id == "g1"]) == built.raw["prompts"].unit_id.nunique()


def test_coefficients_are_those_of_single_responses(terms, models, refused):
    x = pd.DataFrame({"one": 1.0, "a": refused.race == "a", "b": refused.race == "b"}).astype(float)
    x["formal"] = (refused["style"] == "formal").astype(float)
    other = sm.Logit(refused.value.to_numpy(), x).fit(disp=0, tol=1e-12)
    found = terms.loc[("refused", "g1")]
    of = found.coefficient
    ours = [of["(intercept)", ""], of["race", "a"], of["race", "b"], of["style", "formal"]]
    np.testing.assert_allclose(ours, other.params, rtol=1e-7)
    np.testing.assert_allclose(found.std_error_model[("race", "a")], other.bse["a"], rtol=1e-6)
    whole = models.loc[("refused", "g1", "")]
    assert whole.deviance == pytest.approx(-2 * other.llf)
    assert whole.mcfadden_r2 == pytest.approx(other.prsquared)
    assert (whole.n_responses, whole.n_events) == (len(refused), refused.value.sum())
    without = sm.Logit(refused.value.to_numpy(), x[["one", "formal"]]).fit(disp=0, tol=1e-12)
    assert models.deviance_drop["refused", "g1", "race"] == pytest.approx(2 * (other.llf - without.llf))


def test_levels_that_nobody_has_are_named(terms):
    never = terms.xs("never", level="level").loc["refused"]
    assert set(never.reason) <= {"no_values", "no_variation"}
    assert never.coefficient.isna().all() and len(never)


def test_hypotheses_are_the_factors_with_a_p_and_their_q_is_theirs_together(models, terms):
    asked = models[models.p_value.notna()]
    assert set(asked.family_id) == {"effects"} and set(asked.n_hypotheses) == {len(asked)}
    ranked = asked.sort_values("p_value")
    step = ranked.p_value * len(ranked) / np.arange(1, len(ranked) + 1)
    np.testing.assert_allclose(ranked.q_value, np.minimum.accumulate(step[::-1])[::-1].clip(upper=1))
    of_factor = terms.join(models.q_value.rename("q_hypothesis"), on=KEYS)
    has_q = of_factor.q_value.notna()
    assert has_q.any() and (of_factor.q_value[has_q] >= of_factor.q_hypothesis[has_q] - 1e-12).all()


def test_a_measure_without_a_value_has_a_row_that_says_so(models, terms):
    unseen = models.loc["unseen"]
    assert set(unseen.reason) == {"no_values"} and unseen.deviance.isna().all()
    assert set(terms.loc["unseen"].reason) == {"no_values"}


def test_every_regression_is_there(models):
    assert set(models.index.get_level_values("regression_id")) == set(REGRESSIONS)
