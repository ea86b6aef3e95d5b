"""Rows of inference.system_comparisons of small build files."""

import numpy as np
import pandas as pd
import pytest

from python_assets.infer.changes.infer_changes import compare_systems, pair_layouts
from python_assets.infer.design.cells import of_columns
from python_assets.infer.design.read_cells import read_cells
from python_assets.infer.options import options_of
from python_assets.infer.run import infer_study
from python_assets.infer.tables import ROW_KEYS
from python_assets.study.analysis import HypothesisFamily
from tests.python_assets.infer.test_run import analysis, numbers, outer_limits, rows


def compared(study, **options):
    connection = study.write()
    infer_study(connection, analysis(**options))
    return rows(connection, "system_comparisons")


def of(found, comparison):
    return found[found.comparison == comparison]


def two(study, own, other):
    return study.add("sentiment", other, system_id="old").add("sentiment", own, system_id="new")


def test_a_pair_has_its_mean_its_groups_and_one_hypothesis_whether_groups_changed(study):
    x = numbers(12)
    own = x + 0.5 + np.random.default_rng(9).normal(0, 0.05, size=x.shape)
    own[:, 0] += 2
    found = compared(two(study, own, x))
    assert set(zip(found.system_id, found.reference_system_id, strict=True)) == {("new", "old")}
    (mean,) = of(found, "mean_change").itertuples()
    assert mean.value == pytest.approx((own - x).mean())
    assert (mean.value_a, mean.value_b) == pytest.approx((own.mean(), x.mean()))
    groups = of(found, "group_change").set_index("group_id")
    assert groups.value.to_dict() == pytest.approx(dict(zip(["g0", "g1", "g2"], (own - x).mean(axis=0), strict=True)))
    assert groups.q_value.isna().all()
    (moved,) = of(found, "groups_changed").itertuples()
    assert (moved.family_id, moved.verdict, moved.n_root_prompts) == ("comparison", "different", 12)
    shifts = of(found, "disparity_change").set_index("group_id")
    expected = (own - own.mean(axis=1, keepdims=True) - x + x.mean(axis=1, keepdims=True)).mean(axis=0) * 1.5
    assert shifts.value.to_numpy() == pytest.approx(expected)
    assert shifts.verdict["g0"] == "different"
    assert (shifts.q_value >= moved.q_value).all()
    # the others are called against all others because of the first alone
    others = shifts.drop("g0")
    assert (others.q_value <= 0.05).all() and set(others.verdict) == {"inconclusive"}
    assert set(others.explained_by) == {"g0"}
    assert set(found.comparison) == {
        "mean_change",
        "group_change",
        "disparity_change",
        "groups_changed",
        "dispersion_change",
    }


def with_a_second_grouping(connection):
    """The first 8 root prompts by gender, and the last 8 of the 12 by another factor: 4 stand in both."""
    connection.execute("insert into raw.groupings values ('small', 'other', 1, 'other', 0)")
    for table in ("int_cells", "int_prompt_groups"):
        name = f"intermediate.{table}"
        connection.execute(f"create temp table copied as select * from {name} where root_position >= 4")
        connection.execute("update copied set grouping_id = 'other', root_position = root_position - 4")
        connection.execute("update copied set block_position = block_position - 4")
        connection.execute(f"delete from {name} where root_position >= 8")
        connection.execute(f"insert into {name} from copied")
        connection.execute("drop table copied")


def test_the_mean_is_asked_once_over_all_prompts_whatever_they_are_grouped_by(study):
    own, x = numbers(12, seed=3), numbers(12)
    own[2, 1] = np.nan  # a prompt that one side lacks is left out of its root prompt
    connection = two(study, own, x).write()
    with_a_second_grouping(connection)
    infer_study(connection, analysis())
    every = rows(connection, "system_comparisons")
    (mean,) = of(every, "mean_change").itertuples()
    c = np.nanmean(own - x, axis=1)
    assert (mean.grouping_id, mean.n_root_prompts, mean.family_id) == ("", 12, "comparison")
    assert mean.value == pytest.approx(c.mean())
    assert (mean.ci_low, mean.ci_high) == pytest.approx(outer_limits(c))
    assert set(zip(*(every[["grouping_id", "comparison"]].to_numpy().T), strict=True)) >= {
        ("gender", "groups_changed"),
        ("other", "groups_changed"),
    }
    asked = every[every.family_id.notna() & (every.group_id == "")]
    assert len(asked) == 3
    p = asked.p_value.sort_values().to_numpy()
    assert asked.q_value.min() == pytest.approx(min(1, (3 * p / np.arange(1, 4)).min()))


def test_cells_of_several_replicates_count_once_in_the_mean(study):
    own, x = (np.random.default_rng(seed).normal(size=(8, 3, 4)) for seed in (1, 2))
    own[0, 0, 1:] = np.nan
    (mean,) = of(compared(two(study, own, x)), "mean_change").itertuples()
    assert mean.value == pytest.approx((np.nanmean(own, axis=2) - x.mean(axis=2)).mean())


def test_both_hypotheses_of_pairs_are_corrected_with_those_of_no_other_set(study):
    study = two(study, numbers(12, seed=2), numbers(12)).add("toxicity", numbers(12, seed=4), system_id="old")
    study.add("toxicity", numbers(12, seed=5), system_id="new")
    connection = study.write()
    infer_study(connection, analysis())
    hypotheses = of(rows(connection, "system_comparisons"), "groups_changed")
    asked = rows(connection, "hypotheses")
    is_pair = asked.reference_system_id == "old"
    assert set(asked.family_id[~is_pair]) == {"primary"}
    assert set(asked.family_id[is_pair]) == {"comparison"}
    assert set(asked.system_id[is_pair]) == {"new"}
    assert set(asked.n_hypotheses) == {4}
    p = rows(connection, "system_comparisons", "verdict is not null and group_id = ''").p_value
    assert len(p) == 4
    assert hypotheses.q_value.min() >= p.min()
    smallest = rows(connection, "system_comparisons", "family_id = 'comparison' and group_id = ''")
    first = smallest.sort_values("p_value").iloc[0]
    others = smallest.p_value.sort_values().to_numpy()
    assert first.q_value == pytest.approx(min(1, (4 * others / np.arange(1, 5)).min()))


def test_systems_that_share_no_root_prompt_have_no_value_but_a_reason(study):
    x, y = numbers(12), numbers(12)
    x[:6], y[6:] = np.nan, np.nan
    found = compared(two(study, x, y))
    assert set(found.comparison) == {"mean_change", "groups_changed"}
    assert set(found.reason) == set(found.inference_reason) == {"no_shared_root_prompt"}
    assert found[["value", "p_value", "q_value"]].isna().all(axis=None)
    assert set(found.n_dropped) == {12}
    assert set(found.verdict) == {"not_tested"}


def test_a_system_without_responses_has_no_value_but_a_reason(study):
    study = study.add("sentiment", numbers(12), system_id="old")
    study.silent = ["mute"]
    found = compared(study)
    assert set(zip(found.system_id, found.reason, strict=True)) == {("mute", "no_values")}
    assert found.p_value.isna().all()


def test_identical_answers_everywhere_have_a_p_of_one_and_say_so(study):
    x = numbers(12)
    texts = [f"answer {at}" for at in range(36)]
    found = compared(two(study, x, x).answer(old=texts, new=texts))
    (moved,) = of(found, "groups_changed").itertuples()
    assert (moved.value, moved.p_value, moved.q_value) == (0, 1, 1)
    assert (moved.inference_reason, moved.verdict) == ("identical_responses", "inconclusive")
    # one answer alone is another: values that differ nowhere are rarely apart
    found = compared(two(type(study)(), x, x).answer(old=texts, new=[*texts[:-1], "else"]))
    assert set(of(found, "groups_changed").inference_reason) == {"approximate"}


@pytest.mark.parametrize("n_missing", [1, 8])
def test_root_prompts_that_one_alone_answered_are_counted_and_the_others_tested(study, n_missing):
    own = numbers(20, seed=3)
    own[:n_missing] = np.nan
    found = compared(two(study, own, numbers(20)))
    assert found.value.notna().all() and found.p_value.notna().all()
    assert set(found.n_dropped) == {n_missing}
    assert set(found.n_root_prompts) == {20 - n_missing}


def test_a_hypothesis_of_pairs_is_drawn_on_where_its_smallest_p_decides(study):
    shifted = numbers(20, seed=99) + [3, 0, 0]
    study = two(study, shifted, numbers(20, seed=98))
    for at in range(20):
        study.add(f"calm{at}", numbers(20, seed=at), system_id="old")
        study.add(f"calm{at}", numbers(20, seed=50 + at), system_id="new")
    connection = study.write()
    infer_study(connection, analysis(n_permutations=199))
    every = rows(connection, "system_comparisons")
    found = every[every.measure_id == "sentiment"]
    # 42 questions of the set comparison need p of .05 / 42, of two at the floor twice that; 199 draws give neither
    (moved,) = of(found, "groups_changed").itertuples()
    assert moved.p_value <= 2 * 0.05 / 42 + 1e-12 < 2 / 200
    assert set(found.n_draws.dropna()) == {42 / 0.05 - 1}
    assert moved.verdict == "different"
    groups = of(found, "disparity_change").set_index("group_id")
    assert groups.verdict["g0"] == "different" and groups.p_value["g0"] < 1 / 200
    assert set(groups.n_draws) == {moved.n_draws}
    assert len(every) == len(every.drop_duplicates(ROW_KEYS)) == 21 * (1 + 2 * 3 + 2)
    calm = of(every, "groups_changed").set_index("measure_id").n_draws.drop("sentiment")
    assert set(calm) == {199}


def test_a_pair_whose_name_holds_the_word_between_is_drawn_on(study):
    study.add("sentiment", numbers(20), system_id="one against all")
    study.add("sentiment", numbers(20, seed=7, shift=4), system_id="two")
    for at in range(20):
        study.add(f"calm{at}", numbers(20, seed=at), system_id="one against all")
        study.add(f"calm{at}", numbers(20, seed=50 + at), system_id="two")
    connection = study.write()
    infer_study(connection, analysis(n_permutations=199))
    (moved,) = rows(
        connection, "system_comparisons", "comparison = 'groups_changed' and measure_id = 'sentiment'"
    ).itertuples()
    assert moved.verdict == "different" and moved.n_draws > 199


@pytest.mark.parametrize(("n_root_prompts", "is_tested"), [(4, True), (5, False), (6, True)])
def test_where_a_group_has_five_root_prompts_one_of_fewer_stands_outside_the_hypothesis(
    study, n_root_prompts, is_tested
):
    x, y = numbers(n_root_prompts), numbers(n_root_prompts, seed=2)
    x[0, 2] = y[0, 2] = np.nan
    shifts = of(compared(two(study, y, x)), "disparity_change").set_index("group_id")
    assert shifts.p_value.notna().to_dict() == {"g0": True, "g1": True, "g2": is_tested}


def test_other_versions_of_the_scorer_are_refused(study):
    study = two(study, numbers(12, seed=3), numbers(12)).measured_by(old="1", new="2")
    found = compared(study)
    assert set(found.reason) == {"scorer_changed"}
    assert found[["value", "p_value"]].isna().all(axis=None)


def test_rates_of_few_root_prompts_and_skewed_changes_are_approximate(study):
    rng = np.random.default_rng(3)
    own, other = (rng.random((9, 3)) < 0.5 for _ in range(2))
    study.add("biased", other, kind="binary", system_id="old")
    study.add("biased", own, kind="binary", system_id="new")
    skewed = numbers(20)
    skewed[0] += 100
    study.add("score", numbers(20), system_id="old").add("score", skewed, system_id="new")
    found = compared(study)
    assert set(of(found, "mean_change").inference_reason) == {"approximate"}


def test_all_labels_of_a_measure_are_one_hypothesis(study):
    for seed, name in ((1, "old"), (2, "new")):
        is_yes = numbers(12, seed=seed) > 0
        study.add("answer", is_yes, kind="categorical", category="yes", system_id=name)
        study.add("answer", ~is_yes, kind="categorical", category="no", system_id=name)
    found = compared(study)
    assert len(of(found, "groups_changed")) == 1
    assert len(of(found, "disparity_change")) == 6
    assert set(of(found, "disparity_change").category) == {"yes", "no"}


def pairs_of(found):
    return sorted(set(zip(found.system_id, found.reference_system_id, strict=True)))


def roles(study):
    for at, name in enumerate(("one_none", "one_british", "two_none", "two_british")):
        model, role = name.split("_")
        study.add("sentiment", numbers(6, seed=at), system_id=name)
        study.levels[name] = {"model": model, "system_prompt": role}
    return study


def test_each_system_is_compared_with_the_first_or_with_the_one_that_is_named(study):
    found = compared(roles(study))
    assert pairs_of(found) == [(name, "one_none") for name in ("one_british", "two_british", "two_none")]
    found = compared(roles(type(study)()), compared_with="two_none")
    assert pairs_of(found) == [(name, "two_none") for name in ("one_british", "one_none", "two_british")]


def test_a_role_as_reference_compares_within_each_model(study):
    found = compared(roles(study), compared_with="none")
    assert pairs_of(found) == [("one_british", "one_none"), ("two_british", "two_none")]


def test_a_wave_as_reference_compares_within_each_model_and_role(study):
    for at, name in enumerate(("one_10", "one_11", "two_10", "two_11")):
        model, wave = name.split("_")
        study.add("sentiment", numbers(6, seed=at), system_id=name)
        study.levels[name] = {"model": model, "wave": wave}
    assert pairs_of(compared(study, compared_with="10")) == [("one_11", "one_10"), ("two_11", "two_10")]


def test_a_set_of_the_study_takes_no_question_of_pairs_by_its_measures(study):
    primary = HypothesisFamily(measures=["sentiment"])
    found = compared(two(study, numbers(12, seed=3), numbers(12)), primary=primary)
    assert set(of(found, "groups_changed").family_id) == {"comparison"}


def test_where_both_systems_give_one_value_everywhere_nothing_is_tested(study):
    for name in ("old", "new"):
        study.add("refusal", np.zeros((12, 3)), kind="binary", system_id=name)
    found = compared(study)
    assert set(found.inference_reason) == {"no_variation"}
    odds = found.comparison == "log_disparity_change"
    assert set(found.value[~odds]) == {0}
    assert set(found.reason[odds]) == {"rate_zero_or_one"}
    assert set(of(found, "groups_changed").verdict) == {"not_tested"}


def of_measures(study, strata):
    """Two binary measures, one on a scale and one of labels, each with gaps of its own; and subgroup counts."""
    rng = np.random.default_rng(4)
    x = np.where(rng.random((2, 5, 12, 3)) < 0.05, np.nan, rng.normal(size=(2, 5, 12, 3)))
    if strata is not None:  # each root prompt in one group
        x[..., np.arange(3) != np.arange(12)[:, None] % 3] = np.nan
    x[:, 1, 8] = np.nan
    for system_id, values in zip(("old", "new"), x, strict=True):
        yes = np.where(np.isnan(values), np.nan, values > 0)
        study.add("sentiment", values[0], system_id=system_id)
        study.add("biased", yes[1], kind="binary", system_id=system_id)
        study.add("toxic", yes[2], kind="binary", system_id=system_id)
        study.add("answer", yes[3], kind="categorical", category="yes", system_id=system_id)
        study.add("answer", 1 - yes[3], kind="categorical", category="no", system_id=system_id)
    study.measured_by(old="1", new="1")
    connection = study.write(strata=strata)
    counts = pd.DataFrame(
        [
            (name, measure_id, f"g{group}", f"u{unit}", n := int(rng.integers(1, 4)), int(rng.binomial(n, 0.4)))
            for name in ("old", "new")
            for measure_id, n_units in (("biased", 7), ("toxic", 12))
            for group, unit in np.ndindex(3, n_units)
        ],
        columns=["system_id", "measure_id", "group_id", "unit_id", "n", "k"],
    ).assign(slice_id="all", grouping_id="gender")
    counts["outcome_position"] = counts.groupby(["system_id", "measure_id"]).ngroup()
    tables = {
        "int_outcomes": "select distinct outcome_position, system_id, measure_id from counts",
        "int_subgroup_units": "select * exclude (system_id, measure_id) from counts",
        "int_subgroup_sums": "select slice_id, measure_id, grouping_id, system_id, sum(n) as n_responses, "
        "sum(k) as n_deviating from counts group by slice_id, measure_id, grouping_id, system_id, group_id",
    }
    connection.register("counts", counts)
    for name, query in tables.items():
        connection.execute(f"create or replace table intermediate.{name} as {query}")
    return connection


@pytest.mark.parametrize("strata", [None, np.zeros(12)])
def test_the_rows_of_parts_of_a_study_are_those_of_the_whole(study, strata):
    connection = of_measures(study, strata)
    cells, options = read_cells(connection, "all", "gender", has_unit=True), options_of(analysis())
    whole = compare_systems(connection, pair_layouts(connection, [cells]), None, options)
    parts = []
    for measures in ({"sentiment", "toxic"}, {"biased", "answer"}):
        part = of_columns(cells, np.flatnonzero(cells.columns.measure_id.isin(measures)))
        parts.append(compare_systems(connection, pair_layouts(connection, [part]), None, options, measures))
        assert set(parts[-1].measure_id) == measures
    together, whole = (
        found.sort_values(ROW_KEYS).reset_index(drop=True) for found in (pd.concat(parts, ignore_index=True), whole)
    )
    pd.testing.assert_frame_equal(together, whole, rtol=0, atol=1e-12)
    assert set(whole.comparison) >= {"groups_changed", "kolmogorov_smirnov", "deviation_metric_change"}
    assert whole.p_value[whole.comparison == "kolmogorov_smirnov"].notna().all()
