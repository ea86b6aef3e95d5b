"""tests/python_assets/infer/test_run.py - mirrors python_assets/infer/run.py."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from python_assets.errors import StudyError
from python_assets.infer.formulas.skewed import Mean, limits
from python_assets.infer.formulas.verdict import numbers_of_metrics, row_verdicts
from python_assets.infer.run import infer_study
from python_assets.infer.tables import TABLES
from python_assets.study.analysis import HypothesisFamily, Power
from python_assets.study.base import Against
from tests.heard import Heard

DEFAULTS = {
    "seed": 1,
    "n_permutations": 499,
    "n_bootstrap": 200,
    "alpha": 0.05,
    "margins": {},
    "declared_margins": {},
    "unit": None,
    "prompts": SimpleNamespace(wordings={}),
    "has_wordings": lambda grouping: False,
    "references": {},
    "requested_contrasts": (),
    "compared_with": None,
    "primary": None,
    "families": {},
    "unscored_allowed": {},
    "fills_scale": False,
    "power": {},
    "human_labels": [],
}


RESULTS = ("hypotheses", "summary_statistics", "contrasts", "disparities")


def analysis(**options):
    return SimpleNamespace(**DEFAULTS | options)


def rows(connection, table, where="true"):
    return connection.execute(f"select * from inference.{table} where {where} order by all").df()


def numbers(n_prompts=10, n_groups=3, seed=1, shift=0.0):
    x = np.random.default_rng(seed).normal(size=(n_prompts, n_groups))
    x[:, 0] += shift
    return x


def test_draws_are_counted_to_their_end(study):
    heard = Heard()
    connection = study.add("sentiment", numbers()).select("sentiment").write()
    infer_study(connection, analysis(), progress=heard)
    what, unit, n_done, n_total = heard.counts[-1]
    assert (what, unit) == ("inference", "draws")
    assert n_done == n_total >= DEFAULTS["n_permutations"]
    told = [count[2] for count in heard.counts]
    assert told == sorted(told)


def test_every_measure_has_a_row_for_each_group_and_contrast(study):
    study.add("sentiment", numbers()).add("refusal", numbers() > 0.5, kind="binary")
    for category, sign in (("yes", 1), ("no", -1)):
        study.add("answer", sign * numbers(seed=9) > 0, kind="categorical", category=category)
    connection = study.select("sentiment").write()
    counts = infer_study(connection, analysis())
    found = connection.execute(
        "select measure_id, contrast, category, count(*) from inference.contrasts group by all order by all"
    ).fetchall()
    assert found == [
        ("answer", "fdi_group", "", 3),
        ("answer", "jsd_group", "", 3),
        ("answer", "risk_difference", "no", 3),
        ("answer", "risk_difference", "yes", 3),
        ("refusal", "log_disparity", "", 3),
        ("refusal", "risk_difference", "", 3),
        ("sentiment", "mean_difference", "", 3),
        ("sentiment", "selection_rate_difference", "", 3),
    ]
    metrics = connection.execute(
        "select measure_id, statistic, count(*) from inference.disparities group by all order by all"
    ).fetchall()
    assert metrics == [
        ("answer", "share", 6),
        ("refusal", "mean", 12),
        ("sentiment", "mean", 10),
        ("sentiment", "selection_rate", 12),
    ]
    assert counts.n_contrasts == 24
    assert counts.n_summary_statistics == 15
    for table, columns in TABLES.items():
        assert [d[0] for d in connection.execute(f"from inference.{table}").description] == list(columns)


@pytest.mark.parametrize(("n_prompts", "n_replicates"), [(12, 1), (4, 3)])
def test_a_group_that_is_always_alone_refuses_every_index(study, n_prompts, n_replicates):
    x = np.random.default_rng(30).normal(size=(n_prompts, 3, n_replicates))
    x[:-2, 2], x[-2:, :2] = np.nan, np.nan
    study.add("sentiment", x)
    for category, sign in (("yes", 1), ("no", -1)):
        share = np.where(np.isnan(x), np.nan, sign * x > 0)
        study.add("answer", share, kind="categorical", category=category)
    connection = study.write()
    infer_study(connection, analysis())
    found = rows(connection, "disparities", "metric in ('range', 'fdi', 'jsd')")
    assert found.inference_reason.tolist() == ["not_connected"] * 3
    assert found.p_value.isna().all()
    tested = rows(connection, "contrasts", "measure_id = 'sentiment' and p_value is not null")
    assert set(tested.group_id) == {"g0", "g1"}


def test_no_number_is_nan_and_every_gap_has_a_reason(study):
    x = numbers()
    x[2:, 2] = np.nan
    connection = study.add("sentiment", x).add("refusal", np.zeros((10, 3)), kind="binary").write()
    infer_study(connection, analysis())
    for table, columns in TABLES.items():
        for name in (name for name, kind in columns.items() if kind == "double"):
            assert connection.execute(f"select count(*) from inference.{table} where isnan({name})").fetchone() == (0,)
        if table in ("design_power", "interaction_blocks", "function_statistics"):  # of no test
            continue
        gap = next(name for name in ("p_value", "ci_low", "null_q95") if name in columns)
        silent = f"select count(*) from inference.{table} where {gap} is null and inference_reason is null"
        assert connection.execute(silent).fetchone() == (0,)


def test_order_of_the_cells_changes_no_digit(study):
    x = numbers(seed=3)
    x[4, 1] = np.nan
    study.add("sentiment", x).add("other", numbers(seed=4)).add("refusal", numbers() > 0, kind="binary")
    study.select("other")
    plain, shuffled = study.write(), study.write(shuffle=7)
    for connection in (plain, shuffled):
        infer_study(connection, analysis())
    for table in TABLES:
        assert (
            plain.execute(f"from inference.{table}").fetchall()
            == shuffled.execute(f"from inference.{table}").fetchall()
        )


def test_another_measure_changes_no_p(study):
    x, noise = numbers(seed=5), numbers(seed=6)
    alone = study.add("sentiment", x).write()
    infer_study(alone, analysis())
    both = study.add("noise", noise).write()
    infer_study(both, analysis())
    before, after = (rows(connection, "contrasts", "measure_id = 'sentiment'") for connection in (alone, both))
    assert after.p_value.tolist() == before.p_value.tolist()
    assert after.null_q95.tolist() == pytest.approx(before.null_q95.tolist(), abs=1e-14)


def test_the_seed_of_the_study_changes_the_draws(study):
    connection = study.add("sentiment", numbers()).write()
    found = []
    for seed in (1, 2):
        infer_study(connection, analysis(seed=seed))
        found.append(rows(connection, "contrasts").null_q95.tolist())
    assert found[0] != found[1]


def test_running_again_replaces_the_rows(study):
    connection = study.add("sentiment", numbers()).write()
    first, second = infer_study(connection, analysis()), infer_study(connection, analysis())
    assert first == second
    assert len(rows(connection, "contrasts")) == first.n_contrasts


def test_a_failure_leaves_the_old_rows(study):
    connection = study.add("sentiment", numbers()).write()
    infer_study(connection, analysis())
    before = rows(connection, "contrasts")
    connection.execute("insert into intermediate.int_cells select * from intermediate.int_cells limit 1")
    with pytest.raises(ValueError, match="holds a cell twice"):
        infer_study(connection, analysis())
    assert rows(connection, "contrasts").equals(before)


def test_a_large_difference_is_shown_and_a_margin_makes_it_bias(study):
    connection = study.add("sentiment", numbers(n_prompts=20, shift=3)).write()
    infer_study(connection, analysis(margins={"mean_difference": 0.5}))
    row = rows(connection, "contrasts", "group_id = 'g0'").iloc[0]
    assert (row.verdict, row.margin, row.scope) == ("beyond_margin", 0.5, "similar prompts")
    infer_study(connection, analysis())
    assert rows(connection, "contrasts", "group_id = 'g0'").verdict.tolist() == ["different"]


def test_the_margin_of_a_measure_goes_before_that_of_all(study):
    connection = study.add("sentiment", numbers()).add("other", numbers(seed=2)).write()
    infer_study(connection, analysis(margins={"mean_difference": 0.5, "other": {"mean_difference": 0.2}}))
    margins = connection.execute("select distinct measure_id, margin from inference.contrasts order by all")
    assert margins.fetchall() == [("other", 0.2), ("sentiment", 0.5)]


def test_the_margin_of_all_impact_ratios_is_none_of_measures_without_a_good_end(study):
    x = numbers(30, shift=4)
    study.add("distance", x, direction="none").select("distance", 1.0)
    study.add("mentions", x > 1.5, kind="binary", direction="none")
    connection = study.add("refusal", x > 1.5, kind="binary", direction="higher_worse").write()
    for own, of_distance in (({}, None), ({"distance": {"impact_ratio": 0.7}}, 0.7)):
        infer_study(connection, analysis(margins={"impact_ratio": 0.8} | own))
        found = rows(connection, "disparities", "metric = 'impact_ratio'").set_index("measure_id")
        margins = found.margin.astype(object).where(found.margin.notna(), None)
        assert margins.to_dict() == {"distance": of_distance, "mentions": None, "refusal": 0.8}
        assert (found.verdict["mentions"], found.verdict["refusal"]) == ("different", "beyond_margin")
        assert found.verdict["distance"] == ("different" if of_distance is None else "beyond_margin")


def needed(connection, **options):
    """Rows of means, and sd over root prompts of the three groups of numbers(seed=4)."""
    infer_study(connection, analysis(**options))
    found = rows(connection, "contrasts", "contrast = 'mean_difference'").sort_values("group_id")
    x = numbers(seed=4)
    sd = [(x[:, g] - np.delete(x, g, 1).mean(axis=1)).std(ddof=1) for g in range(3)]
    return found, np.array(sd)


def test_inconclusive_says_how_many_root_prompts_show_that_all_is_inside_the_margin(study):
    connection = study.add("sentiment", numbers(seed=4)).write()
    found, sd = needed(connection, margins={"mean_difference": 0.2})
    assert set(found.verdict) == {"inconclusive"}
    z, z_power = stats.norm.isf(0.05 / 3), stats.norm.ppf(0.9)  # one-sided over 3 groups; .80 within both ends
    expected = np.ceil(((z + z_power) * sd / 0.2) ** 2 + z**2 / 2)
    assert found.n_needed.tolist() == expected.tolist()
    assert set(found.n_needed_for) == {"margin"}
    assert found.n_needed_reason.isna().all()
    # the number is of the margin alone: what was seen moves it in nothing but its spread
    assert abs(found.value_cells).max() > 0.05


def test_inconclusive_says_how_many_root_prompts_show_the_declared_effect(study):
    connection = study.add("sentiment", numbers(seed=4)).write()
    found, sd = needed(connection, power={"sentiment": Power(sd=9, effect=0.5, power=0.9)})
    z, z_power = stats.norm.isf(0.025 / 3), stats.norm.ppf(0.9)  # two-sided
    assert found.n_needed.tolist() == np.ceil(((z + z_power) * sd / 0.5) ** 2 + z**2 / 2).tolist()
    assert set(found.n_needed_for) == {"effect"}


def test_what_was_seen_names_no_number_of_root_prompts(study):
    connection = study.add("sentiment", numbers(seed=4)).write()
    found, _ = needed(connection)
    assert set(found.verdict) == {"inconclusive"}
    assert found.n_needed.isna().all()
    assert set(found.n_needed_reason) == {"no_effect_declared"}
    found, _ = needed(connection, power={"sentiment": Power(sd=9, effect=50)})
    assert found.n_needed.isna().all()
    assert set(found.n_needed_reason) == {"enough_root_prompts"}


def test_what_is_settled_needs_no_root_prompts(study):
    connection = study.add("sentiment", numbers(30, shift=4)).write()
    infer_study(connection, analysis(margins={"mean_difference": 0.2}))
    found = rows(connection, "contrasts")
    assert (found.verdict != "inconclusive").any()
    assert found[found.verdict != "inconclusive"][["n_needed", "n_needed_for", "n_needed_reason"]].isna().all(axis=None)


def test_hypotheses_of_the_rule_are_corrected_together_and_the_others_apart(study):
    study.add("sentiment", numbers()).add("sentiment", numbers(seed=2), calibration="calibrated")
    study.add("sentiment", numbers(seed=3), system_id="baseline")
    study.add("refusal", numbers(seed=4) > 0, kind="binary").add("empty", numbers(seed=5) > 0, kind="binary")
    connection = study.ask("variance").write()
    infer_study(connection, analysis())
    found = connection.execute(
        "select system_id, measure_id, calibration, statistic, family_id, n_hypotheses "
        "from inference.hypotheses order by all"
    ).fetchall()
    assert found == [
        ("baseline", "sentiment", "raw", "mean", "baseline", 2),
        ("baseline", "sentiment", "raw", "variance", "baseline", 2),
        ("model", "empty", "raw", "mean", "secondary", 6),
        ("model", "empty", "raw", "variance", "secondary", 6),
        ("model", "refusal", "raw", "mean", "primary", 2),
        ("model", "refusal", "raw", "variance", "secondary", 6),
        ("model", "sentiment", "calibrated", "mean", "secondary", 6),
        ("model", "sentiment", "calibrated", "variance", "secondary", 6),
        ("model", "sentiment", "raw", "mean", "primary", 2),
        ("model", "sentiment", "raw", "variance", "secondary", 6),
    ]


def test_a_hypothesis_has_one_p_and_its_groups_none_below_it(study):
    connection = study.add("sentiment", numbers(n_groups=5, shift=1)).write()
    infer_study(connection, analysis())
    hypothesis = rows(connection, "hypotheses").iloc[0]
    groups = rows(connection, "contrasts")
    assert hypothesis.q_value == hypothesis.p_value  # alone in its set
    assert (groups.q_value >= hypothesis.q_value).all()
    assert (groups.p_value_maxt >= groups.p_value).all()
    metrics = rows(connection, "disparities", "p_value is not null")
    assert set(metrics.hypothesis_q_value) == {hypothesis.q_value}
    assert metrics.q_value.tolist() == metrics.p_value.clip(lower=hypothesis.q_value).tolist()


def test_the_study_says_which_hypotheses_it_is_about(study):
    study.add("sentiment", numbers()).add("other", numbers(seed=4)).add("third", numbers(seed=5))
    sets = {"aside": HypothesisFamily(measures=["third"])}
    connection = study.write()
    infer_study(connection, analysis(primary=HypothesisFamily(measures=["other"]), families=sets))
    found = rows(connection, "hypotheses").set_index("measure_id").family_id
    assert found.to_dict() == {"other": "primary", "third": "aside", "sentiment": "secondary"}


def test_a_primary_set_that_names_nothing_is_a_mistake(study, refused):
    connection = study.add("sentiment", numbers()).write()
    with refused(StudyError, "analysis.primary"):
        infer_study(connection, analysis(primary=HypothesisFamily(systems=["nobody"])))


@pytest.mark.parametrize("kind", ["continuous", "binary"])
def test_values_that_are_all_equal_ask_nothing(study, kind):
    connection = study.add("refusal", np.zeros((12, 3)), kind=kind).write()
    infer_study(connection, analysis(margins={"risk_difference": 0.1, "mean_difference": 0.1}))
    hypothesis = rows(connection, "hypotheses").iloc[0]
    assert (hypothesis.inference_reason, hypothesis.n_hypotheses) == ("no_variation", 0)
    assert np.isnan(hypothesis.p_value)
    assert set(rows(connection, "contrasts").verdict) == {"not_tested"}
    assert "equivalent" not in set(rows(connection, "disparities").verdict)


def test_hypotheses_at_the_smallest_p_are_drawn_on_where_that_decides(study):
    for i in range(40):
        study.add(f"m{i}", numbers(20, seed=i))
    connection = study.add("sentiment", numbers(20, shift=5)).write()
    infer_study(connection, analysis(n_permutations=199))
    found = rows(connection, "hypotheses").set_index("measure_id")
    # 41 questions need p of .05 / 41, which 199 draws cannot give
    assert found.p_value["sentiment"] < 0.05 / 41 < 2 / 200
    assert found.q_value["sentiment"] <= 0.05
    group = rows(connection, "contrasts", "measure_id = 'sentiment' and group_id = 'g0'").iloc[0]
    assert group.p_value < 1 / 200
    assert group.verdict == "different"
    assert set(rows(connection, "contrasts").n_hypotheses) == {41}


def test_a_statistic_of_rows_is_drawn_on_for_the_hypothesis_that_needs_it_alone(study):
    rng = np.random.default_rng(4)
    for i in range(40):
        study.add(f"m{i}", rng.normal(size=(30, 3, 4)))
    connection = study.add("sentiment", rng.normal(size=(30, 3, 4)) * [[[12], [1], [1]]]).ask("variance").write()
    infer_study(connection, analysis(n_permutations=199))
    found = rows(connection, "hypotheses", "statistic = 'variance'").set_index("measure_id")
    assert len(found) == found.index.nunique() == 41
    assert found.p_value["sentiment"] < 0.001 < 1 / 200
    others = found.p_value.drop("sentiment") * 200
    assert others.to_numpy() == pytest.approx(others.round().to_numpy(), abs=1e-9)
    assert set(rows(connection, "contrasts", "statistic = 'variance'").groupby("measure_id").size()) == {3}


def test_what_is_significant_different_lies_beyond_its_noise(study):
    for i in range(12):
        x = numbers(12, 4, seed=i)
        x[:, 1] *= 3
        study.add(f"m{i}", x + np.array([1.5, 0, 0, 0]))
    connection = study.write()
    infer_study(connection, analysis())
    found = rows(connection, "contrasts", "q_value <= 0.05")
    assert len(found) > 5
    assert (found.value_cells.abs() > found.null_q95).all()


def test_one_group_has_nothing_to_be_compared_with(study):
    connection = study.add("sentiment", numbers(n_groups=1)).write()
    infer_study(connection, analysis())
    assert rows(connection, "contrasts").inference_reason.tolist() == ["one_group"]
    assert set(rows(connection, "contrasts").verdict) == {"not_tested"}
    assert rows(connection, "summary_statistics").ci_low.notna().all()


def test_one_root_prompt_without_replicates_has_no_inference(study):
    connection = study.add("sentiment", numbers(n_prompts=1)).write()
    infer_study(connection, analysis())
    assert set(rows(connection, "contrasts").inference_reason) == {"too_few_root_prompts"}
    assert set(rows(connection, "summary_statistics").inference_reason) == {"too_few_root_prompts"}


def test_one_root_prompt_with_replicates_speaks_of_itself(study):
    x = np.random.default_rng(8).normal(size=(1, 3, 12))
    x[0, 0] += 4
    connection = study.add("sentiment", x).add("refusal", x > 1, kind="binary").select("sentiment", 1.0).write()
    infer_study(connection, analysis(n_permutations=9_999, margins={"mean_difference": 0.1}))
    row = rows(connection, "contrasts", "contrast = 'mean_difference' and group_id = 'g0'").iloc[0]
    assert (row.verdict, row.scope, row.n_root_prompts) == ("different", "these prompts", 1)
    assert row.value_cells == pytest.approx(x[0, 0].mean() - x[0, 1:].mean())
    assert rows(connection, "contrasts").p_value.notna().all()
    same = "metric in ('range', 'impact_ratio') and statistic = "
    selected = rows(connection, "disparities", f"{same} 'selection_rate'")
    binary = rows(connection, "disparities", f"{same} 'mean' and measure_id = 'refusal'")
    assert selected.value_cells.tolist() == pytest.approx(binary.value_cells.tolist())
    assert (selected.p_value <= 0.05).all()


def test_a_cell_with_one_response_beside_replicates_is_named(study):
    x = np.random.default_rng(9).normal(size=(1, 2, 3))
    x[0, 0, 1:] = np.nan
    connection = study.add("sentiment", x).write()
    infer_study(connection, analysis())
    assert set(rows(connection, "contrasts").inference_reason) == {"too_few_replicates"}


def test_blocks_take_the_place_of_too_few_root_prompts(study):
    connection = study.add("sentiment", numbers(n_prompts=12, shift=3)).write(blocks_of_root=4)
    infer_study(connection, analysis(margins={"mean_difference": 0.1}))
    row = rows(connection, "contrasts", "group_id = 'g0'").iloc[0]
    assert (row.verdict, row.scope, row.n_root_prompts) == ("different", "these prompts", 3)
    assert "12 blocks as units" in row.method


def test_a_method_names_the_factors_held_fixed_and_those_that_are_redundant(study):
    factors = [
        ("demo", False, "determines_group"),
        ("race", True, None),
        ("sex", False, "follows_from_others"),
        ("style", False, "varies_within_unit"),
    ]
    for given, words in (
        (factors, "; held fixed: race; left out as redundant: demo, sex"),
        (factors[:1], "; left out as redundant: demo"),
        (factors[3:], ""),
    ):
        connection = study.add("sentiment", numbers()).write(factors=given)
        infer_study(connection, analysis())
        for table in ("contrasts", "disparities", "hypotheses"):
            methods = rows(connection, table).method.dropna()
            assert len(methods)
            assert all(method.endswith(words) and method.count(";") == words.count(";") for method in methods)


def test_several_prompts_in_a_cell_need_a_declared_unit(study):
    connection = study.add("sentiment", numbers()).ask("variance").write(n_prompts=4)
    infer_study(connection, analysis())
    for table in RESULTS:
        reasons = set(rows(connection, table).inference_reason) - {"descriptive"}
        assert reasons == {"several_prompts"}
    infer_study(connection, analysis(unit="name"))
    assert "several_prompts" not in set(rows(connection, "contrasts").inference_reason)


def test_a_slice_of_several_kinds_of_units_has_no_p_and_no_interval(study):
    connection = study.add("sentiment", numbers()).ask("variance").write()
    connection.execute("update intermediate.int_prompt_groups set scheme = 'mixed_units'")
    infer_study(connection, analysis(unit="root_prompt"))
    for table in RESULTS:
        assert set(rows(connection, table).inference_reason) - {"descriptive"} == {"mixed_units"}
    assert rows(connection, "summary_statistics").ci_low.isna().all()


def test_where_all_prompts_mix_units_the_primary_set_asks_in_each_slice(study):
    connection = study.add("sentiment", numbers()).write()
    for table in ("intermediate.int_cells", "intermediate.int_prompt_groups"):
        connection.execute(f"insert into {table} select * replace ('names' as slice_id) from {table}")
    connection.execute("insert into raw.measure_slices select * replace ('names' as slice_id) from raw.measure_slices")
    infer_study(connection, analysis())
    in_sets = "select slice_id, family_id, n_hypotheses from inference.hypotheses order by all"
    assert connection.sql(in_sets).fetchall() == [("all", "primary", 1), ("names", "secondary", 1)]
    connection.execute("update intermediate.int_prompt_groups set scheme = 'mixed_units' where slice_id = 'all'")
    infer_study(connection, analysis())
    assert connection.sql(in_sets).fetchall() == [("all", "secondary", 0), ("names", "primary", 1)]


def test_groups_that_never_share_a_block_cannot_be_compared_in_blocks(study):
    x = np.where(np.arange(12)[:, None] % 2 == np.arange(2), numbers(12, 2), np.nan)
    connection = study.add("sentiment", x).write()
    infer_study(connection, analysis())
    assert set(rows(connection, "contrasts").inference_reason) == {"no_shared_block"}


def test_a_group_without_values_is_named_and_the_others_are_compared(study):
    gone = numbers(seed=2)
    gone[:, 1] = np.nan
    connection = study.add("sentiment", numbers()).add("other", gone).write()
    infer_study(connection, analysis())
    found = rows(connection, "contrasts", "measure_id = 'other'").set_index("group_id")
    assert found.inference_reason.tolist()[1] == "no_values"
    assert found.p_value.notna().tolist() == [True, False, True]


def outer_limits(x):
    """Of t and of Hall at the skewness of x, from scipy's numbers."""
    n, skewness = len(x), stats.skew(x, bias=False)
    mean = Mean(*np.array([[x.mean()], [stats.sem(x)], [n - 1.0], [skewness]]))
    return tuple(np.ravel(limits(mean, 0.05)))


def test_summary_intervals_are_t_and_hall_for_means_and_wilson_for_rates(study):
    x = numbers()
    y = np.zeros((10, 3))
    connection = study.add("sentiment", x).add("refusal", y, kind="binary").write()
    infer_study(connection, analysis())
    mean = rows(connection, "summary_statistics", "measure_id = 'sentiment' and group_id = 'g1'").iloc[0]
    assert (mean.ci_low, mean.ci_high) == pytest.approx(outer_limits(x[:, 1]))
    assert mean.skewness == pytest.approx(stats.skew(x[:, 1], bias=False))
    rate = rows(connection, "summary_statistics", "measure_id = 'refusal' and group_id = 'g1'").iloc[0]
    t = stats.t.isf(0.025, 9)
    assert (rate.ci_low, rate.ci_high) == pytest.approx((0, t**2 / (10 + t**2)))


def test_an_empty_build_file_has_empty_tables(study):
    connection = study.add("sentiment", numbers()).write()
    connection.execute("delete from intermediate.int_cells")
    assert infer_study(connection, analysis()) == (0, 0, 0, 0, 0)
    for table in TABLES:
        assert rows(connection, table).empty


def test_a_measure_without_a_kind_is_named(study):
    connection = study.add("sentiment", numbers()).write()
    connection.execute("delete from raw.measures")
    with pytest.raises(ValueError, match="'sentiment' of int_cells"):
        infer_study(connection, analysis())


def test_replicates_that_are_not_where_the_cells_say_are_named(study):
    connection = study.add("sentiment", np.random.default_rng(9).normal(size=(1, 2, 3))).write()
    connection.execute("delete from intermediate.int_values where replicate > 0")
    infer_study(connection, analysis())
    assert set(rows(connection, "contrasts").inference_reason) == {"too_few_replicates"}


def nested(n_units=8, shift=1.0, seed=2):
    """Two groups of root prompts, none of which meets the other; strata of half of them each."""
    x = np.random.default_rng(seed).normal(size=(2 * n_units, 2))
    group = np.arange(2 * n_units) % 2
    x[:, 0] += shift
    x[np.arange(len(x)), 1 - group] = np.nan
    return x, np.arange(2 * n_units) // n_units


def test_units_nested_in_groups_are_compared_as_units(study):
    x, strata = nested(shift=3)
    study.add("sentiment", x).add("refusal", np.where(np.isnan(x), x, x > 1), kind="binary")
    for category, sign in (("yes", 1), ("no", -1)):
        label = np.where(np.isnan(x), x, sign * (x - 1) > 0)
        study.add("answer", label, kind="categorical", category=category)
    connection = study.ask("variance").write(strata=strata)
    infer_study(connection, analysis(requested_contrasts=("dbi",)))
    contrasts = rows(connection, "contrasts")
    assert set(contrasts.contrast) == {
        "mean_difference",
        "risk_difference",
        "log_disparity",
        "fdi_group",
        "jsd_group",
        "dbi",
        "variance_difference",
    }
    contrasts = contrasts[~contrasts.contrast.isin(["jsd_group", "fdi_group", "variance_difference"])]
    assert contrasts.p_value.notna().all()
    assert all("units nested in groups, 16 units" in method for method in contrasts.method)
    assert set(contrasts.scope) == {"similar prompts"}
    means = contrasts[contrasts.contrast == "mean_difference"].set_index("group_id")
    by_stratum = [np.nanmean(x[strata == s], axis=0) for s in (0, 1)]
    assert means.value_cells["g0"] == pytest.approx(np.mean([a - b for a, b in by_stratum]))
    variance = rows(connection, "disparities", "statistic = 'variance' and metric = 'range'")
    assert variance.inference_reason.tolist() == ["scheme_not_available"] * 2


@pytest.mark.parametrize(
    ("reference", "n_rows", "names"),
    [
        (("grand_mean", None), 3, {"grand_mean"}),
        (("level", "g1"), 2, {"g1"}),
        (("all_pairs", None), 6, {"g0", "g1", "g2"}),
    ],
)
def test_groups_are_compared_with_what_the_study_says(study, reference, n_rows, names):
    x = numbers(8)
    connection = study.add("sentiment", x).add("refusal", x > 0, kind="binary").write()
    infer_study(connection, analysis(references={"gender": (Against(reference[0]), reference[1])}))
    for contrast in ("mean_difference", "risk_difference", "log_disparity"):
        found = rows(connection, "contrasts", f"contrast = '{contrast}'")
        assert len(found) == n_rows
        assert set(found.reference) == names
    means = rows(connection, "contrasts", "contrast = 'mean_difference'")
    of_group = {f"g{g}": x[:, g].mean() for g in range(3)} | {"grand_mean": x.mean()}
    for row in means.itertuples():
        assert row.value_cells == pytest.approx(of_group[row.group_id] - of_group[row.reference])


def test_a_reference_group_outside_the_slice_leaves_its_contrasts_to_sql(study):
    connection = study.add("sentiment", numbers()).write()
    infer_study(connection, analysis(references={"gender": (Against.LEVEL, "nobody")}))
    assert rows(connection, "contrasts").empty
    assert rows(connection, "disparities").p_value.notna().any()


def test_dbi_is_the_difference_from_the_grand_mean_in_standard_deviations(study):
    x = numbers(12, shift=1)
    connection = study.add("sentiment", x).add("constant", np.ones_like(x)).write()
    infer_study(connection, analysis(requested_contrasts=("dbi",), margins={"dbi": 1.5}))
    found = rows(connection, "contrasts", "contrast = 'dbi' and measure_id = 'sentiment'")
    expected = (x.mean(axis=0) - x.mean()) / x.std(ddof=1)
    assert found.value_cells.to_numpy() == pytest.approx(expected)
    assert set(found.reference) == {"grand_mean"}
    assert set(found.margin) == {1.5}
    plain = rows(connection, "contrasts", "contrast = 'mean_difference' and measure_id = 'sentiment'")
    width = (plain.ci_high - plain.ci_low) * 2 / 3 / x.std(ddof=1)
    assert (found.ci_high - found.ci_low).to_numpy() == pytest.approx(width.to_numpy())
    assert found.p_value.tolist() == plain.p_value.tolist()
    constant = rows(connection, "contrasts", "contrast = 'dbi' and measure_id = 'constant'")
    assert set(constant.inference_reason) == {"no_spread"}
    assert constant.value_cells.isna().all()


def test_the_full_intersection_has_an_idi(study):
    def categories(study):
        for category, sign in (("yes", 1), ("no", -1)):
            study.add("answer", sign * numbers() > 0, kind="categorical", category=category)
        return study

    connection = categories(study).write()
    infer_study(connection, analysis())
    assert "idi" not in set(rows(connection, "disparities").metric)
    connection.execute("insert into raw.groupings values ('small', 'gender', 0, 'race', 1)")
    infer_study(connection, analysis(margins={"idi": 0.9, "fdi": 0.01}))
    found = rows(connection, "disparities").set_index("metric")
    assert found.value_cells["idi"] == found.value_cells["fdi"]
    assert found.margin["idi"] == 0.9
    assert found.verdict["idi"] == "equivalent"  # at its own margin, not at that of fdi
    assert found.verdict["fdi"] == "inconclusive"


def test_an_index_says_no_more_than_its_interval_and_nothing_beside_its_hypothesis():
    frame = pd.DataFrame(
        {
            "metric": ["range", "range", "impact_ratio", "range", "range", "range"],
            "ci_low": [0.1, 0.3, 0.5, 0.3, 0.3, 0.0],
            "ci_high": [0.4, 0.5, 0.7, 0.5, 0.5, 0.1],
            "margin": [0.2, 0.2, 0.8, 0.2, 0.2, 0.2],
            "p_value": 0.001,
            "q_hypothesis": [0.001, 0.001, 0.001, 0.2, 0.001, 0.2],
            "value": [0.3, 0.3, 0.6, 0.3, 0.3, 0.05],
            "null_q95": [0.2, 0.2, 0.9, 0.2, 0.35, 0.2],
            "control_floor": np.nan,
            "q_permuted": np.nan,
            "inference_reason": None,
            "scope": "similar prompts",
        }
    )
    assert row_verdicts(numbers_of_metrics(frame), 0.05).verdict.tolist() == [
        "different",
        "beyond_margin",
        "beyond_margin",
        "inconclusive",  # the question is not called
        "inconclusive",  # the value lies inside its noise
        "equivalent",
    ]


@pytest.mark.parametrize("reference", [(Against.ALL_PAIRS, None), (Against.LEVEL, "g0")])
def test_one_group_has_no_pairs(study, reference):
    connection = study.add("sentiment", numbers(8, 1)).write()
    infer_study(connection, analysis(references={"gender": reference}))
    assert rows(connection, "contrasts").empty
    assert "one_group" in set(rows(connection, "disparities").inference_reason)


def test_values_that_are_equal_to_nine_digits_differ_in_nothing(study):
    x = 1e6 + 1e-6 * np.random.default_rng(3).normal(size=(12, 4))
    for name in ("one", "two"):
        study.add("score", x, system_id=name)
    connection = study.write()
    infer_study(connection, analysis(margins={"mean_difference": 0.1}))
    for table, of_test in (("contrasts", "contrast = 'mean_difference'"), ("disparities", "metric = 'range'")):
        found = rows(connection, table, of_test)
        assert (found.value_cells == 0).all()
        assert found[["ci_low", "ci_high", "p_value", "null_q95"]].isna().all(axis=None)
        assert set(found.inference_reason) == {"no_variation"} and set(found.verdict) == {"not_tested"}
    assert rows(connection, "contrasts").std_error.isna().all()
    moved = rows(connection, "system_comparisons", "comparison in ('mean_change', 'disparity_change')")
    assert (moved.value == 0).all() and set(moved.inference_reason) == {"no_variation"}
    assert moved[["ci_low", "ci_high", "p_value"]].isna().all(axis=None)
    assert set(rows(connection, "summary_statistics").inference_reason) == {"no_variation"}


def test_two_systems_that_differ_by_one_number_are_not_equal(study):
    x = np.full((12, 4), 1e6)
    connection = study.add("score", x, system_id="one").add("score", x + 1, system_id="two").write()
    infer_study(connection, analysis())
    found = rows(connection, "system_comparisons", "comparison = 'mean_change'")
    assert found.value.abs().tolist() == [1] and "no_variation" not in set(found.inference_reason)


def test_an_index_is_shown_to_be_beyond_its_margin_only_where_its_interval_is(study):
    x = numbers(30, shift=4)
    connection = study.add("sentiment", x).add("refusal", x > 1.5, kind="binary").write()
    for margin, verdict in ((0.1, "beyond_margin"), (20.0, "equivalent"), (None, "different")):
        infer_study(connection, analysis(margins={} if margin is None else {"range": margin}))
        found = rows(connection, "disparities", "metric = 'range' and measure_id = 'sentiment'")
        assert found.verdict.tolist() == [verdict]
        assert found.ci_low[0] < found.value_cells[0] < found.ci_high[0]
    infer_study(connection, analysis(margins={"impact_ratio": 0.8}))
    ratio = rows(connection, "disparities", "metric = 'impact_ratio'")
    assert ratio.verdict.tolist() == ["beyond_margin"]
    assert ratio.ci_high[0] < 0.8


def test_the_power_of_the_design_is_written_beside_the_results(study):
    connection = study.add("sentiment", numbers()).write()

    def power_rows(contrasts, comparisons):
        assert {"value", "sd", "n_root_prompts", "contrast"} <= set(contrasts)
        assert {"value", "std_error", "n_root_prompts", "comparison"} <= set(comparisons)
        return pd.DataFrame(
            {"grouping_id": ["gender"], "measure_id": "sentiment", "contrast": "mean_difference"}
        ).assign(source="observed", n_root_prompts=10, baseline_rate_or_sd=contrasts.sd.mean())

    infer_study(connection, analysis(), power_rows)
    found = rows(connection, "design_power")
    assert found.study_id.tolist() == ["small"]
    assert found.baseline_rate_or_sd[0] > 0
