"""tests/python_assets/infer/test_peeling.py - mirrors python_assets/infer/peeling.py."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bench import bench_who_is_named
from python_assets.infer.groups.peeling import peel
from python_assets.infer.result import Result
from python_assets.infer.run import infer_study
from python_assets.study.analysis import HypothesisFamily
from python_assets.study.base import Against
from tests.promises import at_most
from tests.python_assets.infer.test_run import analysis

FARTHEST = json.loads(Path(__file__).with_name("furthest_golden.json").read_text())["rounds"]


def inferred(connection, **options):
    infer_study(connection, analysis(n_permutations=1_999, **options))
    found = connection.execute("select * from inference.contrasts order by all").df()
    return found[found.contrast.isin(["mean_difference", "risk_difference"])].set_index("group_id")


def shifted(*effects, n_prompts=30, seed=1):
    """Cells of some groups, each with its effect in standard deviations of the noise."""
    rng = np.random.default_rng(seed)
    shape = (n_prompts, len(effects))
    return rng.normal(size=(n_prompts, 1)) + rng.normal(size=shape) + np.array(effects)


def test_of_three_groups_only_the_one_that_differs_stands(study):
    x = shifted(2, 0, 0)
    found = inferred(study.add("sentiment", x).write())
    assert (found.q_value <= 0.05).all()  # against the rest the innocent are called too
    assert found.explained_by.isna().tolist() == [True, False, False]
    assert found.explained_by["g1"] == "g0"
    assert found.value_without["g1"] == pytest.approx((x[:, 1] - x[:, 2]).mean())
    assert found.value_without["g2"] == pytest.approx(-found.value_without["g1"])
    assert np.isnan(found.value_without["g0"])


def round_of(value, p):
    """A round of groups by name, NaN where a group is out."""
    return Result.of(
        (1, len(p)), value=np.array([[value.get(name, np.nan) for name in p]]), p_maxt=np.array([[*p.values()]])
    )


@pytest.mark.parametrize("case", FARTHEST, ids=lambda case: str(case["called"]))
def test_golden_rounds(case):
    names = [*case["value"]]
    p = {name: 0.01 if name in case["called"] else 0.5 for name in names}
    asked = []

    def again(groups):
        asked.append([names[group] for group in groups])
        return round_of({}, {name: 0.5 if group in groups else np.nan for group, name in enumerate(names)})

    first = round_of(case["value"], p)
    found = peel(first, first.p_maxt <= 0.05, again, lambda one: one.p_maxt <= 0.05, names=names)
    assert [names[group] for group in found.stand] == case["stands"]
    assert asked == ([[name for name in names if name != case["stands"][0]]] if len(case["stands"]) == 1 else [])


def test_of_groups_as_far_the_first_by_name_is_looked_at():
    first = round_of({"z": 0.9, "b": -0.9, "c": 0.1}, {"z": 0.01, "b": 0.5, "c": 0.5})
    found = peel(first, first.p_maxt <= 0.05, lambda _: first, lambda one: one.p_maxt <= 0.05, names=["z", "b", "c"])
    assert found.stand == []


def test_of_groups_in_units_of_their_own_the_farthest_significant_one_is_taken_out():
    first = round_of({"a": 0.9, "b": -0.4, "c": -0.3}, {"a": 0.5, "b": 0.01, "c": 0.5})
    nothing = round_of({}, {"a": 0.5, "b": np.nan, "c": 0.5})
    found = peel(first, first.p_maxt <= 0.05, lambda _: nothing, lambda one: one.p_maxt <= 0.05, names=None)
    assert found.stand == [1]


def test_groups_that_differ_from_one_another_all_stand(study):
    found = inferred(study.add("sentiment", shifted(3, 0, -3)).write())
    assert found.explained_by.isna().all()


def test_a_group_that_is_significant_in_a_later_round_alone_has_the_numbers_of_that_round(study):
    # beside the first group the second lies among the others
    x = shifted(4, 1, 0, 0, 0, seed=2)
    found = inferred(study.add("sentiment", x).write())
    left = x[:, 1:] - x[:, 1:].mean(axis=1, keepdims=True)
    d = left[:, 0] * 4 / 3
    later = found.loc["g1"]
    assert later.value_cells == pytest.approx(d.mean()) and later.std_error == pytest.approx(stats.sem(d))
    low, high = stats.t.interval(0.95, len(d) - 1, d.mean(), stats.sem(d))
    assert 0 < later.ci_low <= low + 1e-9 and later.ci_high >= high - 1e-9
    assert later.verdict == "different" and later.q_value <= 0.05 and later.significant_at_look == 1
    assert later.selected_reason == later.missing_reason == "differs_later"
    assert later.without_groups == "g0" and found.drop("g1").without_groups.isna().all()
    assert later[["ci_low_selected", "ci_high_selected", "value_shrunken", "ci_low_missing"]].isna().all()
    assert set(found.loc[["g2", "g3", "g4"]].verdict) == {"inconclusive"}


def test_two_camps_stand_and_the_group_between_them_does_not_lean_on_one(study):
    found = inferred(study.add("sentiment", shifted(2, 2, 0, 0, 0, 0)).write())
    significant = found[found.significant_at_look.notna()]
    stand = significant[significant.explained_by.isna()]
    assert stand.index.tolist() == ["g0", "g1"]
    assert set(significant.explained_by.dropna()) <= {"g0 | g1"}


def test_rates_and_labels_are_peeled_too(study):
    x = shifted(2.5, 0, 0, n_prompts=60) > 1
    study.add("refusal", x, kind="binary")
    for category, values in (("yes", x), ("no", ~x)):
        study.add("answer", values, kind="categorical", category=category)
    found = inferred(study.write()).reset_index()
    for _, rows in found.groupby(["measure_id", "category"]):
        rows = rows.set_index("group_id")
        assert pd.isna(rows.explained_by["g0"])
        assert set(rows.explained_by[rows.q_value <= 0.05].dropna()) <= {"g0"}
    assert found.explained_by.notna().any()


def test_missing_cells_change_the_others_not_who_stands(study):
    x = shifted(2, 0, 0, n_prompts=60)
    x[np.random.default_rng(3).random(x.shape) < 0.1] = np.nan
    found = inferred(study.add("sentiment", x).write())
    assert pd.isna(found.explained_by["g0"])
    assert (found.explained_by[found.q_value <= 0.05].dropna() == "g0").all()


@pytest.mark.parametrize(
    ("n_groups", "reference"), [(2, (Against.REST, None)), (3, (Against.LEVEL, "g1")), (3, (Against.ALL_PAIRS, None))]
)
def test_pairs_need_no_peeling(study, n_groups, reference):
    x = shifted(*(2, 0, 0)[:n_groups])
    found = inferred(study.add("sentiment", x).write(), references={"gender": reference})
    assert found.explained_by.isna().all()
    assert found.value_without.isna().all()


def test_statistics_that_are_no_means_are_peeled(study):
    x = shifted(0, 0, 0, n_prompts=80)
    x[:, 0] *= 4
    study.add("sentiment", x).ask("variance")
    connection = study.write()
    infer_study(connection, analysis(n_permutations=1_999))
    found = connection.execute(
        "select * from inference.contrasts where contrast = 'variance_difference' order by group_id"
    ).df()
    significant = found[found.significant_at_look.notna()]
    assert "g0" in set(significant.group_id)
    assert significant[significant.group_id == "g0"].explained_by.isna().all()
    assert (significant[significant.group_id != "g0"].explained_by == "g0").all()


@pytest.mark.run
@pytest.mark.parametrize(("effects", "most"), [((0.8, 0, 0), 0.055), ((1.2, 0.4, 0, 0, 0), 0.03)])
def test_the_innocent_seldom_stand(study, effects, most):
    """inference.md 6.6: called in .74 and .99 of studies; .055 (4,000 studies by t) and .03 stand."""
    n_studies, significant, stand = 100, 0, 0
    n_guilty = sum(effect != 0 for effect in effects)
    measures = [f"m{i}" for i in range(n_studies)]
    for seed, measure in enumerate(measures):
        # effects are in standard deviations of a cell, .45 of whose variance is its prompt's
        of_noise = np.array(effects) / np.sqrt(0.55)
        study.add(measure, shifted(*of_noise, n_prompts=75 if len(effects) == 5 else 30, seed=seed))
    connection = study.write()
    sets = {name: HypothesisFamily(measures=[name]) for name in measures}  # each is a study of its own
    infer_study(connection, analysis(n_permutations=999, families=sets))
    found = connection.execute("select * from inference.contrasts").df()
    for _, rows in found.groupby("measure_id"):
        innocent = rows[rows.group_id >= f"g{n_guilty}"]
        is_significant = innocent.significant_at_look.notna()
        significant += is_significant.any()
        stand += (is_significant & innocent.explained_by.isna()).any()
    assert significant / n_studies > 0.5
    assert stand / n_studies <= most + 2 * np.sqrt(most * (1 - most) / n_studies)


@pytest.mark.run
@pytest.mark.parametrize(
    ("design", "guilty"),
    [("lognormal, odd group four times as large", 0.284), ("normal, odd group .9 sd higher", 0.734)],
)
def test_a_group_like_all_others_is_seldom_named_beside_an_odd_one(design, guilty):
    n_studies = 250
    found = bench_who_is_named.found(design, n_studies, seed=5)
    assert found.innocent <= at_most(0.05, n_studies)
    assert 1 - found.guilty <= at_most(1 - guilty, n_studies)
