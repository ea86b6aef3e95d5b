"""Subgroups and factor importance of real answers to BBQ and DecodingTrust, where PLUMBLINE_DATA has them."""

import json

import pandas as pd
import pytest

from tests.end_to_end.conftest import in_memory

BBQ = """
title: BBQ by UnifiedQA
factors:
  category: {type: domain}
  context_condition: {type: prompt}
  question_polarity: {type: prompt}
  stereotyped_group: {type: domain}
  unknown_position: {type: prompt}
prompts:
  import:
    path: bbq.csv
    columns: {prompt: [category, example_id], root_prompt: [category, question_index], system: model}
    factors:
      category: category
      context_condition: context_condition
      question_polarity: question_polarity
      stereotyped_group: stereotyped_group
      unknown_position: unknown_position
unit: root_prompt
systems: [{name: "*", provider: replay}]
measures: [{name: incorrect, kind: binary, column: incorrect, direction: higher_worse}]
groupings: [context_condition]
analysis:
  permutations: 99
  bootstrap: 200
  subgroups:
    factors: [category, context_condition, question_polarity, stereotyped_group, unknown_position]
    depth: 2
  regressions:
    wrong:
      measure: incorrect
      factors: {category: Age, context_condition: disambig, question_polarity: nonneg, unknown_position: "0"}
    by_model:
      measure: incorrect
      factors: {system: unifiedqa_arc, context_condition: disambig}
      interactions: [[system, context_condition]]
"""
DECODINGTRUST = """
title: DecodingTrust by GPT-4
factors: {stereotype_topic: {type: domain}, target_group: {type: domain}}
prompts:
  import:
    path: agreeability.csv
    columns:
      prompt: [stereotype_topic, target_group, template_idx]
      root_prompt: [stereotype_topic, template_idx]
      system: system_prompt_type
      replicate: gen_idx
    factors: {stereotype_topic: stereotype_topic, target_group: target_group}
systems: [{name: "*", provider: replay}]
measures: [{name: agrees, kind: binary, column: agrees, direction: higher_worse}]
groupings: [target_group]
analysis:
  permutations: 99
  bootstrap: 200
  subgroups: {factors: [stereotype_topic, target_group], depth: 2}
  regressions:
    agreement:
      measure: agrees
      factors: {stereotype_topic: country, target_group: Able-bodied people}
      systems: [targeted]
"""
MODEL = "gpt-4-0314"


@pytest.fixture(scope="session")
def reference(data_folder):
    return json.loads((data_folder / "reference.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def bbq(data_folder, tmp_path_factory):
    """The answers of both models that read the context; the items join them by category and example."""
    folder = tmp_path_factory.mktemp("bbq")
    items = pd.read_parquet(data_folder / "bbq" / "bbq_items_6cat.parquet")
    answers = pd.read_parquet(data_folder / "bbq" / "bbq_unifiedqa_predictions_6cat.parquet")
    joined = answers[answers.model != "unifiedqa_qonly"].merge(items, on=["category", "example_id"])
    incorrect = (joined.pred_label != joined.label).astype("Int8")  # NA where no answer is matched
    joined.assign(incorrect=incorrect, unknown_position=joined.unknown_loc)[
        [
            "model", "category", "example_id", "question_index", "context_condition", "question_polarity",
            "stereotyped_group", "unknown_position", "incorrect",
        ]
    ].to_csv(folder / "bbq.csv", index=False)  # fmt: skip
    (folder / "bbq_subgroups.yml").write_text(BBQ, encoding="utf-8")
    return in_memory(folder / "bbq_subgroups.yml")


@pytest.fixture(scope="session")
def decodingtrust(data_folder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("decodingtrust")
    codes = pd.read_parquet(data_folder / "decodingtrust_stereotype" / "agreeability_long.parquet")
    codes = codes[codes.model == MODEL]
    codes.assign(agrees=(codes.agreeability == 1).astype(int)).to_csv(folder / "agreeability.csv", index=False)
    (folder / "decodingtrust_subgroups.yml").write_text(DECODINGTRUST, encoding="utf-8")
    return in_memory(folder / "decodingtrust_subgroups.yml")


def test_first_level_log_disparities_are_those_of_the_reference(bbq, reference):
    expected = reference["bbq_unifiedqa_race"]["first_level_log_disparity_incorrect"]
    found = {
        (grouping, group): (n, k, disparity)
        for grouping, group, n, k, disparity in bbq.rows(
            """
            select grouping_id, group_id, n_responses, n_deviating, log_disparity from subgroups
            where study_id = 'bbq_subgroups' and slice_id = 'all' and system_id = 'unifiedqa_race'
              and measure_id = 'incorrect' and not contains(grouping_id, ' x ')
            """
        )
    }
    assert len(expected) == 38
    assert found == {
        (row["factor"], row["value"]): (row["n"], row["deviations"], pytest.approx(row["log_disparity"], abs=1e-9))
        for row in expected
    }


def test_rows_of_mirrored_groups_add_up_to_all_responses(bbq):
    counts = bbq.rows(
        """
        select grouping_id, sum(n_responses), sum(n_deviating) from subgroups
        where study_id = 'bbq_subgroups' and system_id = 'unifiedqa_race' and measure_id = 'incorrect'
        group by grouping_id
        """
    )
    assert len(counts) == 15
    assert {(n, k) for _, n, k in counts} == {(11_956, 2_976)}


def test_the_deviation_metric_is_that_of_the_reference(bbq, reference):
    expected = reference["bbq_unifiedqa_race"]["DM_incorrect_stereotyped_group_x_question_polarity"]
    found = dict(
        bbq.rows(
            """
            select metric, (value, n_subgroups) from subgroup_metrics
            where study_id = 'bbq_subgroups' and system_id = 'unifiedqa_race' and measure_id = 'incorrect'
              and grouping_id = 'question_polarity x stereotyped_group' and statistic = 'deviation_rate'
            """
        )
    )
    assert found == {
        "deviation_metric": (pytest.approx(expected["DM_race"], abs=1e-9), expected["n_subgroups"]),
        "share_below_0_2": (pytest.approx(expected["share_below_0_2_race"], abs=1e-9), 50),
    }


def test_both_p_of_kolmogorov_and_smirnov_are_those_of_the_reference(bbq, reference):
    expected = reference["bbq_unifiedqa_race"]["DM_incorrect_stereotyped_group_x_question_polarity"]
    (row,) = bbq.rows(
        """
        select system_id, reference_system_id, n_groups_a, n_groups_b, value, p_value_exact,
            p_value_asymptotic
        from system_comparisons
        where study_id = 'bbq_subgroups' and measure_id = 'incorrect' and comparison = 'kolmogorov_smirnov'
          and grouping_id = 'question_polarity x stereotyped_group'
        """
    )
    assert row == (
        "unifiedqa_arc",
        "unifiedqa_race",
        50,
        50,
        *(pytest.approx(expected[name], rel=1e-9) for name in ("ks_D", "ks_p_exact", "ks_p_asymp")),
    )


def test_no_question_is_asked_of_subgroups_that_are_no_grouping(bbq):
    asked = bbq.rows("select distinct grouping_id from findings where study_id = 'bbq_subgroups'")
    assert asked == [("context_condition",)]


def test_every_rate_has_an_interval_around_it(bbq):
    assert (
        bbq.value(
            """
            select count(*) from subgroups
            where study_id = 'bbq_subgroups' and measure_id = 'incorrect' and n_root_prompts >= 3
              and not coalesce(deviation_rate between ci_low and ci_high, false)
            """
        )
        == 0
    )


def test_agree_rates_and_their_deviation_metrics_are_those_of_the_reference(decodingtrust, reference):
    numbers = reference["decodingtrust"]
    expected = {row["system_prompt_type"]: row for row in numbers["DM_topic_x_group"] if row["model"] == MODEL}
    rates = {row["system_prompt_type"]: row for row in numbers["agree_rate"] if row["model"] == MODEL}
    found = decodingtrust.rows(
        """
        select system_id, metric, value, n_subgroups from subgroup_metrics
        where study_id = 'decodingtrust_subgroups' and measure_id = 'agrees' and statistic = 'deviation_rate'
          and grouping_id = 'stereotype_topic x target_group'
        """
    )
    names = {"deviation_metric": "DM", "share_below_0_2": "share_below_0_2"}
    assert {(system, metric): value for system, metric, value, _ in found} == {
        (system, metric): pytest.approx(row[name], abs=1e-9)
        for system, row in expected.items()
        for metric, name in names.items()
    }
    assert {n for *_, n in found} == {384}
    counts = decodingtrust.rows(
        """
        select system_id, sum(n_responses), sum(n_deviating) from subgroups
        where study_id = 'decodingtrust_subgroups' and measure_id = 'agrees'
          and grouping_id = 'stereotype_topic x target_group'
        group by system_id
        """
    )
    assert {system: (n, k) for system, n, k in counts} == {
        system: (row["n"], row["agree"]) for system, row in rates.items()
    }


def coefficients(run, regression, system):
    """Coefficient and error by the model of every term, as the reference names them."""
    rows = run.rows(
        """
        select factor, level, coefficient, std_error_model from factor_importance
        where regression_id = ? and system_id = ?
        """,
        regression,
        system,
    )
    return {f"{factor}={level}" if level else "Intercept": numbers for factor, level, *numbers in rows}


def test_factor_importance_of_bbq_is_that_of_the_reference(bbq, reference):
    expected = reference["bbq_unifiedqa_race"]["logit_race_incorrect"]
    assert len(expected) == 10
    assert coefficients(bbq, "wrong", "unifiedqa_race") == {
        name: [pytest.approx(value, abs=1e-6) for value in numbers[:2]] for name, numbers in expected.items()
    }
    fit = reference["bbq_unifiedqa_race"]["logit_race_incorrect_fit"]
    query = """
        select n_responses, n_events, n_clusters, mcfadden_r2 from factor_models
        where regression_id = 'wrong' and system_id = 'unifiedqa_race' and factor = ''
    """
    r2 = pytest.approx(fit["mcfadden_r2"], abs=1e-9)
    assert bbq.rows(query) == [(fit["n"], fit["events"], 150, r2)]


def test_systems_are_a_factor_of_all_of_them_together(bbq):
    query = """
        select system_id, n_responses from factor_models where regression_id = 'by_model' and factor = ''
    """
    assert bbq.rows(query) == [("all", 11_955 + 11_956)]
    terms = coefficients(bbq, "by_model", "all")
    assert set(terms) == {
        "Intercept",
        "system=unifiedqa_race",
        "context_condition=ambig",
        "system x context_condition=unifiedqa_race x ambig",
    }
    method = """
        select method from factor_importance where regression_id = 'by_model' and factor = 'system'
    """
    assert bbq.value(method).startswith("inside root prompts")


def test_factor_importance_of_decodingtrust_is_that_of_the_reference(decodingtrust, reference):
    expected = reference["decodingtrust"]["logit_gpt4_targeted"]
    assert len(expected) == 39
    assert coefficients(decodingtrust, "agreement", "targeted") == {
        name: [pytest.approx(value, abs=1e-6) for value in numbers] for name, numbers in expected.items()
    }
    # three statements a topic are too few for a p of each
    reasons = "select distinct inference_reason from factor_importance where factor = 'stereotype_topic'"
    assert decodingtrust.rows(reasons) == [("too_few_clusters",)]
