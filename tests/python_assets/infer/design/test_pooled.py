"""tests/python_assets/infer/design/test_pooled.py - mirrors python_assets/infer/design/pooled.py."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from statsmodels.stats.multitest import multipletests

from python_assets.errors import StudyError
from python_assets.infer.run import infer_study
from python_assets.infer.tables import HYPOTHESIS
from python_assets.study.analysis import HypothesisFamily
from tests.python_assets.infer.test_run import analysis, rows

LABELS = ("leads", "serves", "waits")
POOLED = "system_id = 'all'"
METRICS = ["fdi", "fdi_max", "jsd", "jsd_max"]


def answers(seed, n_roots=20, n_groups=3, n_replicates=1, weights=(1.0, 1.0, 1.0), favoured=0.0):
    """Answers as positions of labels; the first group gets the first label more often by the weight of favoured."""
    rng = np.random.default_rng(seed)
    chances = np.tile(np.asarray(weights, dtype=float), (n_groups, 1))
    chances[0, 0] += favoured
    chances /= chances.sum(axis=1, keepdims=True)
    draws = rng.random((n_roots, n_groups, n_replicates))
    return (draws[..., None] > chances.cumsum(axis=1)[None, :, None, :]).sum(axis=-1).clip(max=len(LABELS) - 1)


def asked(study, of_models, missing=None):
    """Add the labels of models by name; missing: of some, where there is no label."""
    for name, labels in of_models.items():
        lacks = np.zeros(labels.shape, dtype=bool) if missing is None or name not in missing else missing[name]
        for place, label in enumerate(LABELS):
            x = np.where(lacks, np.nan, labels == place)
            study.add("trait", x, kind="categorical", category=label, system_id=name)
    return study


def sizes_by_hand(profile):
    """FAIR-SEA's numbers of shares by group and label, shape (groups, labels), of groups that weigh alike."""
    of_all = profile.mean(axis=0)
    fdi = 0.5 * np.abs(profile - of_all).sum(axis=1)
    jsd = np.array([jensenshannon(own, of_all) ** 2 for own in profile])
    indices = {"fdi": fdi.mean(), "fdi_max": fdi.max(), "jsd": jsd.mean(), "jsd_max": jsd.max()}
    return indices, {"fdi_group": fdi, "jsd_group": jsd}


def test_sizes_are_those_of_the_average_model_whatever_replicates_it_has(study):
    of_models = {"one": answers(1, favoured=3.0), "two": answers(2, n_replicates=4), "three": answers(3, favoured=1.0)}
    connection = asked(study, of_models).write()
    infer_study(connection, analysis())
    shares = [np.stack([(own == place).mean(axis=2) for place in range(3)], axis=2) for own in of_models.values()]
    indices, of_groups = sizes_by_hand(np.mean(shares, axis=0).mean(axis=0))
    found = rows(connection, "disparities", POOLED).set_index("metric")
    assert sorted(found.index) == METRICS
    assert found.value_cells.to_dict() == pytest.approx(indices, abs=1e-12)
    assert (found.null_q95 > found.null_median).all()
    assert found.p_value.between(0, 1).all()
    assert (found.loc["fdi", "ci_low"] <= indices["fdi"]) & (indices["fdi"] <= found.loc["fdi", "ci_high"])
    contrasts = rows(connection, "contrasts", POOLED).sort_values(["contrast", "group_id"])
    assert sorted(set(contrasts.contrast)) == sorted(of_groups)
    for name, expected in of_groups.items():
        assert contrasts[contrasts.contrast == name].value_cells.to_numpy() == pytest.approx(expected, abs=1e-12)
    assert not len(rows(connection, "summary_statistics", POOLED))


def test_answers_of_models_that_are_one_are_the_numbers_of_it(study):
    own = answers(1, favoured=3.0)
    connection = asked(study, {"one": own, "two": own}).write()
    infer_study(connection, analysis())
    found = rows(connection, "disparities", f"list_contains({METRICS}, metric)")
    named = ["metric", "value_cells", "null_median", "null_q95", "value_corrected", "ci_low", "ci_high", "p_value"]
    of_one, of_all = (found[found.system_id == name][named].reset_index(drop=True) for name in ("one", "all"))
    for name in named[1:]:
        assert of_all[name].to_numpy(float) == pytest.approx(of_one[name].to_numpy(float), abs=1e-12, nan_ok=True)


def test_a_model_that_answers_of_some_groups_only_makes_no_group_differ(study):
    # one always says the first label, two the last; two refuses half of what it is asked of the first group
    n_roots = 40
    of_models = {"one": np.zeros((n_roots, 3, 1), dtype=int), "two": np.full((n_roots, 3, 1), 2)}
    refused = np.zeros((n_roots, 3, 1), dtype=bool)
    refused[::2, 0] = True
    connection = asked(study, of_models, missing={"two": refused}).write()
    infer_study(connection, analysis())
    found = rows(connection, "disparities", f"{POOLED} and metric in ('fdi', 'jsd')")
    assert found.value_cells.to_numpy() == pytest.approx(0.0, abs=1e-12)
    (hypothesis,) = rows(connection, "hypotheses", POOLED).to_dict("records")
    assert hypothesis["significant_at_look"] != 1


def test_dbi_is_in_standard_deviations_of_the_answers_of_all_models(study):
    rng = np.random.default_rng(4)
    x = {"one": rng.normal(size=(12, 3)), "two": 3 + 2 * rng.normal(size=(12, 3))}
    x["one"][:, 0] += 1
    for name, values in x.items():
        study.add("tone", values, system_id=name)
        study.add("tone", values - 1, system_id=name, calibration="calibrated")
    study.add("tone", rng.normal(size=(12, 3)), system_id="baseline")
    connection = study.write()
    infer_study(connection, analysis(requested_contrasts=("dbi",), margins={"dbi": 1.5}))
    mean = (x["one"] + x["two"]) / 2
    every = np.concatenate([values.ravel() for values in x.values()])
    found = rows(connection, "contrasts", POOLED)
    assert found.contrast.tolist() == ["dbi"] * 3
    assert set(found.calibration) == {"raw"}
    assert found.value_cells.to_numpy() == pytest.approx((mean.mean(axis=0) - mean.mean()) / every.std(ddof=1))
    assert found.p_value.notna().all() and found.q_value.isna().all() and found.verdict.isna().all()
    assert not len(rows(connection, "disparities", POOLED))
    (hypothesis,) = rows(connection, "hypotheses", POOLED).to_dict("records")
    assert (hypothesis["family_id"], hypothesis["is_pooled"], hypothesis["p_value"] > 0) == ("pooled", True, True)
    infer_study(connection, analysis())
    assert not len(rows(connection, "hypotheses", POOLED))


def test_one_model_has_nothing_beside_it(study):
    connection = asked(study, {"one": answers(1)}).add("tone", answers(2)[:, :, 0]).write()
    infer_study(connection, analysis(requested_contrasts=("dbi",)))
    for table in ("hypotheses", "contrasts", "disparities"):
        assert not len(rows(connection, table, POOLED))


def test_what_one_model_alone_was_read_by_is_not_pooled(study):
    connection = asked(study, {"one": answers(1)}).add("tone", answers(2)[:, :, 0], system_id="two").write()
    infer_study(connection, analysis(requested_contrasts=("dbi",)))
    assert not len(rows(connection, "hypotheses", POOLED))


def test_no_other_hypothesis_is_corrected_for_all_models_together(study):
    for name, seed in (("one", 1), ("two", 2), ("three", 3)):
        study.add("tone", answers(seed)[:, :, 0], system_id=name)
        study.add("tone", answers(seed + 5)[:, :, 0], system_id=name, calibration="calibrated")
    asked(study, {"one": answers(1, favoured=3.0), "two": answers(2), "three": answers(3)})
    connection = study.ask("variance").write()
    infer_study(connection, analysis(requested_contrasts=("dbi",)))
    found = rows(connection, "hypotheses")
    is_pooled = found.is_pooled.to_numpy(dtype=bool)
    assert found[is_pooled].measure_id.tolist() == ["tone", "trait"]
    assert set(found[is_pooled].family_id) == {"pooled"} and "pooled" not in set(found[~is_pooled].family_id)
    for _, of_set in found[~is_pooled & found.p_value.notna()].groupby("family_id"):
        assert set(of_set.n_hypotheses) == {len(of_set)}
        q = multipletests(of_set.p_value, method="fdr_bh")[1]
        assert of_set.q_value.to_numpy() == pytest.approx(q, abs=1e-12)
    # of dbi nothing is pooled here: every other p and q is what it was
    infer_study(connection, analysis())
    without = rows(connection, "hypotheses").set_index(HYPOTHESIS)[["p_value", "q_value", "family_id", "n_hypotheses"]]
    with_dbi = found[found.measure_id.ne("tone") | ~is_pooled].set_index(HYPOTHESIS)[without.columns]
    for name in without.columns[:2]:
        own = with_dbi[name].drop(with_dbi.index[with_dbi.family_id == "pooled"])
        others = without[name].drop(without.index[without.family_id == "pooled"])
        assert own.to_numpy() == pytest.approx(others.to_numpy(), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("chosen", "pooled_in"),
    [
        (HypothesisFamily(groupings=["gender"]), "pooled"),
        (HypothesisFamily(systems=["one"]), "pooled"),
        (HypothesisFamily(systems=["one", "all"], groupings=["gender"]), "primary"),
    ],
)
def test_only_a_set_that_names_all_models_of_a_grouping_asks_of_them(study, chosen, pooled_in):
    connection = asked(study, {"one": answers(1), "two": answers(2)}).write()
    infer_study(connection, analysis(primary=chosen))
    (hypothesis,) = rows(connection, "hypotheses", POOLED).to_dict("records")
    assert hypothesis["family_id"] == pooled_in


def test_a_set_of_all_models_without_a_grouping_is_of_groups_of_models(study):
    connection = asked(study, {"one": answers(1), "two": answers(2)}).write()
    with pytest.raises(StudyError, match="one question of the study"):
        infer_study(connection, analysis(primary=HypothesisFamily(systems=["all"])))


def test_replicates_of_few_prompts_are_averaged_over_models_and_speak_of_these_prompts(study):
    of_models = {name: answers(seed, n_roots=1, n_replicates=12, favoured=3.0) for seed, name in enumerate("ab")}
    connection = asked(study, of_models).write()
    infer_study(connection, analysis())
    shares = np.mean([[(own[0] == place).mean(axis=1) for place in range(3)] for own in of_models.values()], axis=0).T
    indices, _ = sizes_by_hand(shares)
    found = rows(connection, "disparities", POOLED).set_index("metric")
    assert found.value_cells.to_dict() == pytest.approx(indices, abs=1e-12)
    assert set(found.scope.dropna()) == {"these prompts"}
    (hypothesis,) = rows(connection, "hypotheses", POOLED).to_dict("records")
    assert hypothesis["scope"] == "these prompts" and 0 < hypothesis["p_value"] <= 1
