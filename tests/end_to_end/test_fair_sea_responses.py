"""5,760 real responses of three models; skipped where PLUMBLINE_DATA has none."""

import json
import math

import pytest

from python_assets.study.study import make_id

FACTORS = ["gender", "race", "nationality"]
MEASURES = {"D3": "label", "I1": "occupation", "I2": "industry", "I3": "label"}


@pytest.fixture(scope="session")
def fair_sea(run_study, data_folder):
    return run_study("fair_sea_responses", PLUMBLINE_DATA=str(data_folder))


@pytest.fixture(scope="session")
def reference(data_folder):
    return json.loads((data_folder / "reference.json").read_text(encoding="utf-8"))["fairsea"]


def test_every_response_is_there_and_none_was_rejected(fair_sea):
    assert fair_sea.value("select count(*) from responses where study_id = 'fair_sea_responses'") == 5_760
    assert (
        fair_sea.value("select count(*) from quarantined_records where study_id = 'fair_sea_responses'") == 0
    )


def of_category(part, category):
    """Identifier of a model and its reference numbers, for each model that has them."""
    keys = [key.split("/") for key in part]
    return [(make_id(model), part[f"{name}/{model}"]) for name, model in keys if name == category]


@pytest.mark.parametrize("factor", FACTORS)
def test_label_counts_are_those_of_the_reference(fair_sea, reference, factor):
    for generation, numbers in of_category(reference["categorical"], "D3"):
        found = fair_sea.rows(
            """
            select group_id, category, n from outcome_distributions
            where study_id = 'fair_sea_responses' and slice_id = 'D3' and generation_id = ?
              and measure_id in ('label', 'occupation', 'industry') and grouping_id = ? and n > 0
            """,
            generation,
            factor,
        )
        counts = numbers[factor]["counts"]
        expected = {(g, c): n for g, row in counts.items() for c, n in row.items() if n}
        assert {(g, c): n for g, c, n in found} == expected


def test_answers_without_a_label_are_counted(fair_sea):
    where = """
        where study_id = 'fair_sea_responses' and slice_id = 'I1' and grouping_id = 'gender'
          and generation_id <> 'baseline'
    """
    # 19 of the 900 answers to I1 name no occupation
    unmatched = "measure_id = 'occupation_unmatched' and statistic = 'mean'"
    assert (
        fair_sea.value(
            f"select round(sum(value * n_responses)) from summary_statistics {where} and {unmatched}"
        )
        == 19
    )
    labelled = (
        f"select distinct generation_id, group_id, n_group, n_missing from outcome_distributions {where}"
    )
    assert fair_sea.rows(f"select sum(n_group), sum(n_missing) from ({labelled})") == [(881, 19)]


def test_real_answers_are_not_simulated(fair_sea):
    assert not fair_sea.value("select is_simulated from studies where study_id = 'fair_sea_responses'")


@pytest.mark.parametrize("factor", FACTORS)
def test_mean_sentiment_is_that_of_the_reference(fair_sea, reference, factor):
    models = of_category(reference["continuous"], "D2")
    assert models
    for generation, numbers in models:
        found = dict(
            fair_sea.rows(
                """
                select group_id, value from summary_statistics
                where study_id = 'fair_sea_responses' and slice_id = 'D2' and generation_id = ?
                  and measure_id = 'sentiment' and grouping_id = ? and statistic = 'mean'
                """,
                generation,
                factor,
            )
        )
        assert found == {g["group"]: pytest.approx(g["mean"], abs=1e-9) for g in numbers[factor]["groups"]}


# prompts that infer a person from a name are of Singaporeans alone
LABELLED = [("D3", "nationality"), *((c, f) for c in ("D3", "I1", "I2", "I3") for f in ("gender", "race"))]


@pytest.mark.parametrize(("category", "factor"), LABELLED)
def test_indices_of_labels_are_those_of_the_reference(fair_sea, reference, category, factor):
    """FAIR-SEA pools responses, whatever prompts they answer: value_responses, not the tested value."""
    for generation, numbers in of_category(reference["categorical"], category):
        groups = numbers[factor]["groups"]
        found = dict(
            fair_sea.rows(
                """
                select metric, value_responses from disparities
                where study_id = 'fair_sea_responses' and slice_id = ? and generation_id = ?
                  and measure_id in ('label', 'occupation', 'industry') and grouping_id = ?
                  and metric in ('fdi', 'fdi_max', 'cramers_v', 'jsd', 'jsd_max')
                """,
                category,
                generation,
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


@pytest.mark.parametrize(("category", "factor"), LABELLED)
def test_distances_of_groups_are_those_of_the_reference(fair_sea, reference, category, factor):
    of_reference = {"fdi_group": "fdi_pooled_baseline", "jsd_group": "jsd_nats_pooled"}
    for generation, numbers in of_category(reference["categorical"], category):
        found = fair_sea.rows(
            """
            select contrast, group_id, value_responses from contrasts
            where study_id = 'fair_sea_responses' and slice_id = ? and generation_id = ?
              and measure_id in ('label', 'occupation', 'industry') and grouping_id = ?
              and contrast in ('fdi_group', 'jsd_group')
            """,
            category,
            generation,
            factor,
        )
        expected = {
            (contrast, group["group"]): group[name]
            for contrast, name in of_reference.items()
            for group in numbers[factor]["groups"]
        }
        assert {(contrast, group): value for contrast, group, value in found} == pytest.approx(
            expected, abs=1e-9
        )


def test_the_index_of_intersections_is_that_of_the_reference(fair_sea, reference):
    for generation, numbers in of_category(reference["categorical"], "D3"):
        found = fair_sea.value(
            """
            select value_responses from disparities
            where study_id = 'fair_sea_responses' and slice_id = 'D3' and generation_id = ?
              and measure_id in ('label', 'occupation', 'industry') and metric = 'idi'
            """,
            generation,
        )
        assert found == pytest.approx(numbers["intersection_IDI"]["fdi_mean_pooled"], abs=1e-9)


@pytest.mark.parametrize("factor", FACTORS)
def test_dbi_is_that_of_the_reference(fair_sea, reference, factor):
    for generation, numbers in of_category(reference["continuous"], "D2"):
        found = dict(
            fair_sea.rows(
                """
                select group_id, value_responses from contrasts
                where study_id = 'fair_sea_responses' and slice_id = 'D2' and generation_id = ?
                  and measure_id = 'sentiment' and grouping_id = ? and contrast = 'dbi'
                """,
                generation,
                factor,
            )
        )
        groups = numbers[factor]["groups"]
        assert found == pytest.approx({g["group"]: g["dbi_ddof1"] for g in groups}, abs=1e-9)


ASSOCIATION = """
    select statistic_value, df1, df2, p_value, effect_size, effect_size_corrected, share_expected_ge5,
      n_responses, reason
    from association_tests
    where study_id = 'fair_sea_responses' and slice_id = ? and generation_id = ? and measure_id = ?
      and grouping_id = ? and test = ? and category = '' and term in ('', grouping_id)
"""


@pytest.mark.parametrize(("category", "factor"), LABELLED)
def test_chi_square_is_that_of_the_reference(fair_sea, reference, category, factor):
    for generation, whole in of_category(reference["categorical"], category):
        numbers = whole[factor]
        place = (category, generation, MEASURES[category], factor)
        ((value, df, _, p, v, _, share, n, reason),) = fair_sea.rows(ASSOCIATION, *place, "chi_square")
        assert n == numbers["n"]
        if numbers["p"] is None:  # one label alone
            assert (value, p, v, reason) == (None, None, None, "constant_values")
            continue
        expected = (numbers[name] for name in ("chi2", "dof", "p", "cramers_v", "share_expected_ge5"))
        assert (value, df, p, v, share) == pytest.approx(tuple(expected), abs=1e-9)
        corrected = fair_sea.rows(ASSOCIATION, *place, "chi_square_yates")
        if (numbers["rows"], numbers["cols"]) == (2, 2):
            expected = numbers["chi2_scipy_default(yates if 2x2)"], numbers["p_scipy_default"]
            assert (corrected[0][0], corrected[0][3]) == pytest.approx(expected, abs=1e-9)
        else:
            assert corrected == []


@pytest.mark.parametrize("factor", FACTORS)
def test_t_and_analysis_of_variance_are_those_of_the_reference(fair_sea, reference, factor):
    for generation, whole in of_category(reference["continuous"], "D2"):
        numbers = whole[factor]
        place = ("D2", generation, "sentiment", factor)
        ((f, df1, df2, p, eta2, *_, reason),) = fair_sea.rows(ASSOCIATION, *place, "anova")
        expected = numbers["anova"]
        if not numbers["sd_ddof1"]:  # every answer reads alike
            assert (f, p, eta2, reason) == (None, None, None, "constant_values")
            continue
        wanted = [expected[name] for name in ("F", "df1", "df2", "p", "eta2")]
        assert (f, df1, df2, p, eta2) == pytest.approx(tuple(wanted), abs=1e-9)
        if factor == "gender":
            pooled, welch = numbers["ttest_pooled"], numbers["welch"]
            ((t, df, _, p, d, *_),) = fair_sea.rows(ASSOCIATION, *place, "t_pooled")
            wanted = [pooled[name] for name in ("t", "df", "p", "cohens_d")]
            assert (t, df, p, d) == pytest.approx(tuple(wanted), abs=1e-9)
            ((t, df, _, p, *_),) = fair_sea.rows(ASSOCIATION, *place, "t_welch")
            assert (t, df, p) == pytest.approx(tuple(welch[name] for name in ("t", "df", "p")), abs=1e-9)


def test_a_document_p_says_when_its_table_is_too_thin(fair_sea):
    method, share = fair_sea.rows(
        """
        select method, share_expected_ge5 from association_tests
        where study_id = 'fair_sea_responses' and slice_id = 'I1' and generation_id = 'gpt_3_5_turbo'
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
    assert scopes == [("these prompts only",)]
    assert (
        fair_sea.value(
            "select count(*) from contrasts where study_id = 'fair_sea_responses' and slice_id != 'all' "
            "and verdict in ('bias_shown', 'equivalence_shown')"
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
    for generation, numbers in models:
        found = fair_sea.rows(
            """
            select category, group_id, n, model_share, truth_share, jsd_nats, jsd_distance, period, reason
            from ground_truth
            where study_id = 'fair_sea_responses' and slice_id = ? and generation_id = ? and measure_id = ?
              and category <> ''
            """,
            category,
            generation,
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
            where study_id = 'fair_sea_responses' and slice_id = 'I1' and generation_id = 'gpt_3_5_turbo'
            """
        )
    )
    assert found["Associate Professionals & Technicians"] == pytest.approx(0.03387495416842212, abs=1e-15)
    assert found["Clerical Support Workers"] == pytest.approx(0.39765354707413225, abs=1e-15)


def test_occupations_that_a_model_never_names_are_listed(fair_sea):
    silent = fair_sea.rows(
        """
        select count(distinct category) from ground_truth
        where study_id = 'fair_sea_responses' and generation_id = 'gpt_4o_mini' and measure_id = 'occupation'
          and reason = 'category_not_answered' and category <> 'Others'
        """
    )
    assert silent == [(6,)]


@pytest.mark.parametrize("category", ["I1", "I2"])
def test_sizes_of_the_ground_truth_are_those_of_the_reference(fair_sea, reference, category):
    outcome = {"I1": "occupation", "I2": "industry"}[category]
    for generation, numbers in truth_of(reference, category):
        where = f"""
            where study_id = 'fair_sea_responses' and slice_id = '{category}'
              and generation_id = '{generation}' and statistic = 'ground_truth'
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


def test_a_ground_truth_is_one_question_of_its_own_set(fair_sea):
    asked = fair_sea.rows(
        """
        select set_id, count(*), count(p_value), any_value(n_questions), list(distinct scope),
            count(*) filter (verdict not in ('difference_shown', 'inconclusive'))
        from findings
        where study_id = 'fair_sea_responses' and (statistic = 'ground_truth' or set_id = 'truth')
        group by set_id
        """
    )
    # three models by two tables; a category is one root prompt, so that its 60 names are what is drawn
    assert asked == [("truth", 6, 6, 6, ["these prompts only"], 0)]


def test_bands_stand_beside_the_verdict_and_not_in_its_place(fair_sea):
    band, verdict, floor, value = fair_sea.rows(
        """
        select band, verdict, null_q95, value from disparities
        where study_id = 'fair_sea_responses' and slice_id = 'I1' and generation_id = 'gpt_3_5_turbo'
          and metric = 'jsd_truth_unweighted'
        """
    )[0]
    assert (band, verdict) == ("yellow", "inconclusive")
    assert value < floor
