"""tests/python_assets/infer/test_families.py - mirrors python_assets/infer/families.py."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

from python_assets.infer.families import FAMILIES, adjusted, adjusted_margin, family_ids
from python_assets.study.analysis import Family


def contrasts(p_values, **columns):
    n = len(p_values)
    base = {
        "study_id": "s",
        "slice_id": "all",
        "generation_id": "g",
        "measure_id": "m",
        "calibration": "raw",
        "grouping_id": "concept",
        "contrast": "mean_difference",
        "category": "",
        "method": "permuted t",
        "inference_reason": None,
        "is_permuted": True,
        "n_draws": 9_999,
        "margin": np.nan,
    }
    rows = pd.DataFrame({name: [value] * n for name, value in base.items()})
    return rows.assign(p_value=p_values, p_value_maxt=p_values, **columns)


def with_families(rows, families=None):
    return rows.assign(family_id=family_ids(rows, FAMILIES["contrasts"], families or {}))


def test_another_measure_is_another_Family():
    rows = with_families(contrasts([0.01, 0.02, 0.03, 0.5], measure_id=["a", "a", "b", "b"]))
    alone = with_families(contrasts([0.01, 0.02], measure_id="a"))
    assert adjusted(rows, 0.05).q_value[:2].tolist() == adjusted(alone, 0.05).q_value.tolist()
    assert adjusted(rows, 0.05).n_family.tolist() == [2, 2, 2, 2]


def test_a_declared_family_takes_the_rows_that_match_every_list():
    rows = contrasts(
        [0.01, 0.02, 0.03, 0.5],
        measure_id=["a", "a", "b", "c"],
        calibration=["raw", "calibrated", "raw", "raw"],
    )
    families = {"primary": Family(measures=["a", "b"], calibrations=["raw"]), "late": Family(measures=["a"])}
    named = with_families(rows, families)
    assert named.family_id.tolist()[:3] == ["primary", "late", "primary"]
    assert named.family_id[3].startswith("s | all | g | c")
    expected = multipletests([0.01, 0.03], method="fdr_bh")[1]
    assert adjusted(named, 0.05).q_value[[0, 2]].tolist() == pytest.approx(expected.tolist(), abs=1e-12)


def test_a_list_about_a_column_that_the_table_lacks_matches_nothing():
    rows = with_families(contrasts([0.01, 0.02]), {"indices": Family(metrics=["range"])})
    assert set(rows.family_id) == {"s | all | g | m | raw | concept | mean_difference"}


def test_q_equals_statsmodels():
    p = np.random.default_rng(1).random(40) ** 2
    p[[3, 17]] = np.nan
    result = adjusted(with_families(contrasts(p)), 0.05)
    inside = ~np.isnan(p)
    for column, method in (("q_value", "fdr_bh"), ("q_value_by", "fdr_by")):
        expected = multipletests(p[inside], method=method)[1]
        assert result[column][inside].to_numpy() == pytest.approx(expected, abs=1e-12)
        assert result[column][~inside].isna().all()
    assert set(result.n_family) == {38}


def test_maxt_of_several_columns_is_multiplied_by_their_number():
    rows = with_families(contrasts([0.01, 0.4, 0.2, np.nan], category=["yes", "yes", "no", "maybe"]))
    assert adjusted(rows, 0.05).p_value_maxt.tolist()[:3] == pytest.approx([0.02, 0.8, 0.4])
    single = with_families(contrasts([0.01, 0.4]))
    assert adjusted(single, 0.05).p_value_maxt.tolist() == [0.01, 0.4]


def test_too_few_draws_for_the_family_are_named():
    rows = with_families(contrasts([0.01, 0.2, 0.3], n_draws=39))
    result = adjusted(rows, 0.05)
    assert set(result.inference_reason) == {"q_limited_by_b"}
    assert result.method[0] == "permuted t, q under 0.05 needs 2 of 3 at the smallest p"
    assert result.q_value_by.isna().all()
    assert result.q_value.notna().all()


def test_the_fewest_draws_of_a_family_count():
    rows = with_families(contrasts([0.01, 0.2, 0.3], n_draws=[9_999, 39, 9_999]))
    assert set(adjusted(rows, 0.05).inference_reason) == {"q_limited_by_b"}


def test_a_member_without_a_margin_p_counts_as_one():
    rows = with_families(contrasts([0.01, 0.02])).assign(p_margin=[0.03, np.nan], margin=0.1)
    assert adjusted_margin(rows, "p_margin").tolist() == [0.06, 1.0]
    none = with_families(contrasts([0.01]))
    assert np.isnan(adjusted_margin(none, "p_margin")).all()


def test_the_baseline_is_in_a_declared_family_only_where_it_is_listed():
    rows = contrasts([0.01, 0.02], generation_id=["g", "baseline"])
    named = with_families(rows, {"primary": Family(measures=["m"])})
    assert named.family_id[0] == "primary"
    assert named.family_id[1].startswith("s | all | baseline")
    listed = Family(generations=["g", "baseline"])
    assert set(with_families(rows, {"primary": listed}).family_id) == {"primary"}
