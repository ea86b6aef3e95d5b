"""Whether one role is played harder than another: the effect of a factor and a role, from raw tables on."""

from itertools import product

import numpy as np
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from python_assets.infer.associations.infer_associations import infer_associations
from python_assets.warehouse.build import open_build
from tests.dbt_models.conftest import make_tables
from tests.python_assets.infer.associations.test_factor_effects import exact
from tests.python_assets.plan.test_model_groups import ROLES, systems, written

READ = ("int_association_sums", "int_association_values", "int_cells")
N_ROOTS = 8


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """The answers of two models in three roles to eight root prompts on three genders, and their rows."""
    folder = tmp_path_factory.mktemp("roles")
    path = folder / "build.duckdb"
    crossed = systems(*product(("one", "two"), ROLES))
    with open_build(path) as connection:
        values = written(connection, crossed, [("gender",), ("gender", "system_prompt")], n_roots=N_ROOTS, seed=5)
    make_tables(path, *READ)
    with open_build(path) as connection:
        infer_associations(connection, is_asked=True, seed=1, n_permutations=9_999)
        rows = connection.execute(
            "from inference.association_tests where test = 'anova_multiway' and grouping_id = 'gender x system_prompt'"
        ).df()
    values = values[values.system_id != "baseline"].assign(gender=values.level)
    return values.assign(role=values.system_id.str.split("_").str[1]), rows.set_index("term")


def test_a_study_with_roles_has_the_effect_of_a_concept_and_a_role(measured):
    values, rows = measured
    assert set(rows.index) == {"gender", "system_prompt", "gender x system_prompt"}
    assert set(rows.system_id) == {"all"}
    assert set(rows.n_responses) == {len(values)} == {N_ROOTS * 3 * 6}
    assert rows.inference_reason.isna().all()
    fitted = smf.ols("value ~ C(gender) * C(role)", values).fit()
    table = sm.stats.anova_lm(fitted, typ=2)
    for term, name in (("gender", "C(gender)"), ("system_prompt", "C(role)"), ("gender x system_prompt", "C(gender):C(role)")):
        assert rows.statistic_value[term] == pytest.approx(table.loc[name, "F"])
        assert rows.p_value[term] == pytest.approx(table.loc[name, "PR(>F)"])


def test_its_p_is_that_of_every_arrangement_of_signs_of_root_prompts(measured):
    values, rows = measured
    # over both models: what a role adds to the difference of two genders, for each gender but the first
    cells = values.groupby(["unit_id", "gender", "role"]).value.mean().to_numpy().reshape(N_ROOTS, 3, 3)
    gender = cells[:, 1:] - cells[:, :1]
    contrasts = (gender[:, :, 1:] - gender[:, :, :1]).reshape(N_ROOTS, 4)
    assert rows.p_value_permutation["gender x system_prompt"] == pytest.approx(exact(contrasts), abs=1e-12)
    role = cells.mean(axis=1)
    assert rows.p_value_permutation["system_prompt"] == pytest.approx(exact(role[:, 1:] - role[:, :1]), abs=1e-12)
    assert set(rows.scope) == {"similar prompts"}
    assert np.isfinite(rows.null_q95).all()
