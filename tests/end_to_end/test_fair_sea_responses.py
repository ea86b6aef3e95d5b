"""5,760 real responses of three models; skipped where PLUMBLINE_DATA has none."""

import math

import pandas as pd
import pytest

from python_assets.study.study import make_id
from tests.end_to_end.conftest import contradictions_of

MEASURES = {"D3": "label", "I1": "occupation", "I2": "industry", "I3": "label"}


def test_every_response_is_there_and_none_was_rejected(fair_sea):
    assert fair_sea.value("select count(*) from responses where study_id = 'fair_sea_responses'") == 5_760
    assert fair_sea.value("select count(*) from quarantined_records where study_id = 'fair_sea_responses'") == 0


def of_category(part, category):
    """Identifier of a model and its reference numbers, for each model that has them."""
    keys = [key.split("/") for key in part]
    return [(make_id(model), part[f"{name}/{model}"]) for name, model in keys if name == category]


def test_answers_without_a_label_are_counted(fair_sea):
    where = """
        where study_id = 'fair_sea_responses' and slice_id = 'I1' and grouping_id = 'gender'
          and system_id <> 'baseline'
    """
    # 19 of the 900 answers to I1 name no occupation
    unscored = "measure_id = 'occupation_unscored' and statistic = 'mean'"
    counted = "select round(sum(value_responses * n_responses)) from summary_statistics"
    assert fair_sea.value(f"{counted} {where} and {unscored}") == 19
    labels = f"outcome_distributions {where} and measure_id = 'occupation'"
    labelled = f"select distinct system_id, group_id, n_group, n_missing from {labels}"
    assert fair_sea.rows(f"select sum(n_group), sum(n_missing) from ({labelled})") == [(881, 19)]


def test_the_answers_to_fair_sea_contradict_themselves_nowhere(fair_sea):
    assert contradictions_of(fair_sea.home) == {}


def test_real_answers_are_not_simulated(fair_sea):
    assert not fair_sea.value("select is_simulated from studies where study_id = 'fair_sea_responses'")


# prompts that infer a person from a name are of Singaporeans alone
LABELLED = [("D3", "nationality"), *((c, f) for c in ("D3", "I1", "I2", "I3") for f in ("gender", "race"))]


@pytest.mark.parametrize(("category", "factor"), LABELLED)
def test_indices_of_labels_are_those_of_the_reference(fair_sea, reference, category, factor):
    """FAIR-SEA pools responses, whatever prompts they answer: value_responses, not the tested value."""
    for system, numbers in of_category(reference["categorical"], category):
        groups = numbers[factor]["groups"]
        found = dict(
            fair_sea.rows(
                """
                select metric, value_responses from disparities
                where study_id = 'fair_sea_responses' and slice_id = ? and system_id = ?
                  and measure_id in ('label', 'occupation', 'industry') and grouping_id = ?
                  and metric in ('fdi', 'fdi_max', 'cramers_v', 'jsd', 'jsd_max')
                """,
                category,
                system,
                factor,
            )
        )
        jsd = [group["jsd_nats_pooled"] for group in groups]
        expected = {
            "fdi": numbers[factor]["fdi_mean_pooled"],
            "fdi_max": numbers[factor]["fdi_max_pooled"],
            "cramers_v": numbers[factor]["cramers_v"],
            "jsd": sum(jsd) / len(jsd),
            "jsd_max": max(jsd),
        }
        assert found == pytest.approx(expected, abs=1e-9)


def test_numbers_that_the_order_names(fair_sea):
    """Of gpt-3.5-turbo, to the last digit that the order gives."""

    def test_of(slice_id, measure, test, columns):
        return fair_sea.rows(
            f"""
            select {columns} from association_tests
            where study_id = 'fair_sea_responses' and slice_id = ? and system_id = 'gpt_3_5_turbo'
              and measure_id = ? and grouping_id = 'gender' and test = ? and category = ''
            """,
            slice_id,
            measure,
            test,
        )[0]

    chi_square = test_of("D3", "label", "chi_square", "statistic_value, df1, p_value, effect_size")
    assert chi_square == pytest.approx((1.5720767435830956, 3, 0.6657376717600074, 0.09345458622546436), rel=1e-12)
    assert test_of("I1", "occupation", "chi_square", "share_expected_ge5") == pytest.approx((0.4,))
    f = test_of("D2", "sentiment", "anova", "statistic_value, effect_size")
    assert f == pytest.approx((0.8507579849829134, 0.004756803910522687), rel=1e-12)
    t = test_of("D2", "sentiment", "t_pooled", "statistic_value, effect_size")
    assert t == pytest.approx((0.9223654291997904, 0.13749811998576672), rel=1e-12)
    assert test_of("D2", "sentiment", "t_welch", "df1") == pytest.approx((169.57150582368087,), rel=1e-12)
    sizes = dict(
        fair_sea.rows(
            """
            select contrast || ' ' || group_id, value_responses from contrasts
            where study_id = 'fair_sea_responses' and system_id = 'gpt_3_5_turbo' and calibration = 'raw'
              and (slice_id, grouping_id) in (('D2', 'race'), ('D3', 'gender'))
              and contrast in ('dbi', 'fdi_group', 'jsd_group')
            """
        )
    )
    assert sizes["dbi Chinese"] == pytest.approx(0.1812314952454169, rel=1e-12)
    assert sizes["fdi_group Female"] == pytest.approx(0.0444, abs=5e-5)
    assert sizes["jsd_group Female"] == pytest.approx(0.0011006715239143727, rel=1e-12)


def test_sizes_over_all_models_are_the_documents_of_the_answers_of_all_of_them(fair_sea):
    answers = pd.DataFrame(
        fair_sea.rows(
            """
            select measure_id, system_id, factors.factor, factors.level, label, value
            from measurements
            inner join prompt_factors as factors using (study_id, prompt_id)
            inner join prompt_factors as categories using (study_id, prompt_id)
            where study_id = 'fair_sea_responses' and categories.factor = 'category' and system_id <> 'baseline'
              and (categories.level, measure_id) in (('D3', 'label'), ('D2', 'sentiment')) and reason is null
            """
        ),
        columns=["measure_id", "model", "factor", "level", "label", "value"],
    )
    assert answers.model.nunique() == 3
    asked = "system_id = 'all' and calibration = 'raw' and study_id = 'fair_sea_responses'"
    for factor in ("gender", "race", "nationality"):
        of_factor = answers[answers.factor == factor]
        labels = of_factor[of_factor.measure_id == "label"]
        shares = pd.crosstab(labels.level, labels.label, normalize="index")
        fdi = 0.5 * (shares - labels.label.value_counts(normalize=True)).abs().sum(axis=1)
        where = f"{asked} and slice_id = 'D3' and measure_id = 'label' and grouping_id = '{factor}'"
        found = dict(
            fair_sea.rows(f"select group_id, value_responses from contrasts where {where} and contrast = 'fdi_group'")
        )
        assert found == pytest.approx(fdi.to_dict(), abs=1e-12)
        rows = fair_sea.rows(f"select metric, value_responses, value, null_q95 from disparities where {where}")
        numbers = {metric: row for metric, *row in rows}
        assert sorted(numbers) == ["fdi", "fdi_max", "jsd", "jsd_max"]
        assert numbers["fdi"][0] == pytest.approx(fdi.mean(), abs=1e-12)
        assert all(value is not None and floor > 0 for _, value, floor in numbers.values())
        scores = of_factor[of_factor.measure_id == "sentiment"]
        dbi = (scores.groupby("level").value.mean() - scores.value.mean()) / scores.value.std()
        where = f"{asked} and slice_id = 'D2' and measure_id = 'sentiment' and grouping_id = '{factor}'"
        found = fair_sea.rows(
            f"select group_id, value_responses, value, contrast, verdict from contrasts where {where}"
        )
        assert {group: value for group, value, *_ in found} == pytest.approx(dbi.to_dict(), abs=1e-9)
        assert all(value is not None and (contrast, verdict) == ("dbi", None) for *_, value, contrast, verdict in found)


def test_no_finding_is_of_all_models_together(fair_sea):
    of_all = "study_id = 'fair_sea_responses' and system_id = 'all'"
    assert fair_sea.value(f"select count(*) from findings where {of_all} and family_id = 'pooled'") == 0
    assert fair_sea.rows(f"select distinct family_id, n_responses > 0 from hypotheses where {of_all}") == [
        ("pooled", True)
    ]


def test_two_thirds_of_the_prompts_of_d2_get_the_same_sentiment_every_time(fair_sea):
    found = fair_sea.rows(
        """
        select sum(n_prompts_alike), sum(n_prompts), sum(n_responses) from repetition_consistency
        where study_id = 'fair_sea_responses' and slice_id = 'D2' and measure_id = 'sentiment'
        """
    )
    assert found == [(67, 108, 540)]


def test_a_document_p_says_when_its_table_is_too_thin(fair_sea):
    method, share = fair_sea.rows(
        """
        select method, share_expected_ge5 from association_tests
        where study_id = 'fair_sea_responses' and slice_id = 'I1' and system_id = 'gpt_3_5_turbo'
          and measure_id = 'occupation' and grouping_id = 'gender' and test = 'chi_square'
        """
    )[0]
    assert share == pytest.approx(0.4)
    assert method.endswith("expected counts too small for it")


def test_a_category_is_one_root_prompt_so_nothing_is_said_beyond_these_prompts(fair_sea):
    scopes = fair_sea.rows(
        """
        select distinct scope from contrasts
        where study_id = 'fair_sea_responses' and slice_id != 'all' and p_value is not null
        """
    )
    assert scopes == [("these prompts",)]
    assert (
        fair_sea.value(
            "select count(*) from contrasts where study_id = 'fair_sea_responses' and slice_id != 'all' "
            "and verdict in ('beyond_margin', 'equivalent')"
        )
        == 0
    )


def test_names_that_are_not_declared_as_units_get_no_inference(fair_sea):
    reasons = fair_sea.rows(
        """
        select distinct inference_reason from contrasts
        where study_id = 'fair_sea_responses' and slice_id = 'I1' and grouping_id = 'gender'
          and measure_id = 'occupation' and contrast = 'risk_difference'
        """
    )
    assert reasons == [("several_prompts",)]


def test_intersections_are_compared_too(fair_sea):
    groups = fair_sea.value(
        """
        select count(distinct group_id) from summary_statistics
        where study_id = 'fair_sea_responses' and slice_id = 'D2' and measure_id = 'sentiment'
          and grouping_id = 'gender x race x nationality'
        """
    )
    assert groups == 2 * 3 * 6


def test_coverage_is_that_of_the_reference(fair_sea, reference):
    row = fair_sea.rows(
        """
        select n_cells, n_covered from coverage
        where study_id = 'fair_sea_responses' and factors = 'gender x race'
        """
    )
    assert row == [(6, 6)]


def truth_of(reference, category):
    """Identifier of a model and its numbers beside SingStat's."""
    return of_category(reference["ground_truth_2024"], category)


def named(category):
    """A category as the reference writes it: in lower case, without what SingStat adds in brackets."""
    return category.partition(" (")[0].lower()


@pytest.mark.parametrize("category", ["I1", "I2"])
def test_shares_beside_the_ground_truth_are_those_of_the_reference(fair_sea, reference, category):
    models = truth_of(reference, category)
    assert models
    for system, numbers in models:
        found = fair_sea.rows(
            """
            select category, group_id, n, model_share, truth_share, jsd_nats, jsd_distance, period, reason
            from ground_truth
            where study_id = 'fair_sea_responses' and slice_id = ? and system_id = ? and measure_id = ?
              and category <> ''
            """,
            category,
            system,
            MEASURES[category],
        )
        by_key = {(named(name), group): rest for name, group, *rest in found}
        assert len(by_key) == 2 * len(numbers["rows"])
        for row in numbers["rows"]:
            female, male = (by_key[row["category"], group] for group in ("Female", "Male"))
            assert (female[0], male[0]) == (row["model_female"], row["model_male"])
            assert female[1] == pytest.approx(row["model_female_share"], abs=1e-12)
            assert female[2] == pytest.approx(row["truth_female_share"], abs=1e-12)
            assert 1 - male[2] == pytest.approx(row["truth_female_share"], abs=1e-12)
            assert female[3] == male[3] == pytest.approx(row["jsd_nats"], abs=1e-12)
            assert female[5] == "2024"
            if row["jsd_nats"] is None:
                assert female[4] is None
                assert female[6] == male[6] == "category_not_answered"
            else:
                assert female[4] == pytest.approx((row["jsd_nats"] / math.log(2)) ** 0.5, abs=1e-12)
                assert female[6] is None


def test_the_divergences_that_the_order_names(fair_sea):
    found = dict(
        fair_sea.rows(
            """
            select category, jsd_nats from ground_truth
            where study_id = 'fair_sea_responses' and slice_id = 'I1' and system_id = 'gpt_3_5_turbo'
            """
        )
    )
    assert found["Associate Professionals & Technicians"] == pytest.approx(0.03387495416842212, abs=1e-15)
    assert found["Clerical Support Workers"] == pytest.approx(0.39765354707413225, abs=1e-15)


def test_occupations_that_a_model_never_names_are_listed(fair_sea):
    silent = fair_sea.rows(
        """
        select count(distinct category) from ground_truth
        where study_id = 'fair_sea_responses' and system_id = 'gpt_4o_mini' and measure_id = 'occupation'
          and reason = 'category_not_answered' and category <> 'Others'
        """
    )
    assert silent == [(6,)]


@pytest.mark.parametrize("category", ["I1", "I2"])
def test_sizes_of_the_ground_truth_are_those_of_the_reference(fair_sea, reference, category):
    outcome = {"I1": "occupation", "I2": "industry"}[category]
    for system, numbers in truth_of(reference, category):
        where = f"""
            where study_id = 'fair_sea_responses' and slice_id = '{category}'
              and system_id = '{system}' and statistic = 'ground_truth'
        """
        sizes = dict(fair_sea.rows(f"select metric, value from disparities {where}"))
        of_group = dict(fair_sea.rows(f"select group_id, value from contrasts {where}"))
        women, men = (numbers[f"jsd_P({outcome}|{group})_nats"] for group in ("Female", "Male"))
        assert of_group == pytest.approx({"Female": women, "Male": men}, abs=1e-12)
        assert sizes == pytest.approx(
            {
                "jsd_truth_unweighted": numbers["mean_jsd_over_categories_with_model_answers"],
                "jsd_truth_weighted": numbers["weighted_mean_jsd"],
                "jsd_truth_marginal": numbers["jsd_marginal_distribution_nats"],
                "jsd_truth_by_group": (women + men) / 2,
            },
            abs=1e-12,
        )


def test_a_ground_truth_is_one_hypothesis_of_its_own_set(fair_sea):
    asked = fair_sea.rows(
        """
        select family_id, count(*), count(p_value), any_value(n_hypotheses), list(distinct scope),
            count(*) filter (verdict not in ('different', 'inconclusive'))
        from findings
        where study_id = 'fair_sea_responses' and (statistic = 'ground_truth' or family_id = 'truth')
        group by family_id
        """
    )
    # three models by two tables; a category is one root prompt, so that its 60 names are what is drawn
    assert asked == [("truth", 6, 6, 6, ["these prompts"], 0)]


def test_bands_stand_beside_the_verdict_and_not_in_its_place(fair_sea):
    band, verdict, floor, value = fair_sea.rows(
        """
        select band, verdict, null_q95, value from disparities
        where study_id = 'fair_sea_responses' and slice_id = 'I1' and system_id = 'gpt_3_5_turbo'
          and metric = 'jsd_truth_unweighted'
        """
    )[0]
    assert (band, verdict) == ("yellow", "inconclusive")
    assert value < floor


def test_a_red_number_without_a_verdict_behind_it_raises_no_flag(fair_sea):
    red = fair_sea.rows(
        """
        select system_id, grouping_id, status from red_flags
        where study_id = 'fair_sea_responses' and slice_id = 'D3' and metric = 'cramers_v' and status <> 'not_raised'
            and system_id <> 'gpt_4_1_nano'
        """
    )
    # yes or no is one test of a rate: p .0085 and .0125 of six hypotheses
    assert sorted(red) == [
        (model, grouping, "band_only")
        for model in ("gpt_3_5_turbo", "gpt_4o_mini")
        for grouping in ("gender x race x nationality", "nationality")
    ]
    raised = fair_sea.rows("select flag from red_flags where study_id = 'fair_sea_responses' and status = 'raised'")
    assert raised == []
    # gpt-4.1-nano gave every prompt of D2 one sentiment, so that two models have a p
    directions = fair_sea.rows(
        """
        select distinct status, reason from red_flags
        where study_id = 'fair_sea_responses' and flag = 'consistent_direction'
        """
    )
    assert directions == [("not_evaluated", "too_few_models")]


def test_the_documents_action_for_its_own_p_differs_from_that_for_the_verdict(fair_sea):
    """Of 36 groups of five answers chance gives V up to .49; the document's p knows nothing of prompts."""
    found = fair_sea.rows(
        """
        select verdict, band, action, document_action from interpretations
        where study_id = 'fair_sea_responses' and slice_id = 'D3' and system_id = 'gpt_3_5_turbo'
          and measure_id = 'label' and grouping_id = 'gender x race x nationality'
        """
    )
    # what 36 cells add to their parts is not asked of fewer than 5 root prompts
    assert found == [("not_tested", "red", None, "Investigate root cause")]
