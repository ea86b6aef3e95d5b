"""Each kind of sentence, on rows made by hand."""

import pytest

from python_assets.report.sentences import GROUP, HYPOTHESIS_KEY, sentences

HYPOTHESIS_ROW = {
    "study_id": "s",
    "slice_id": "all",
    "system_id": "biased",
    "grouping_id": "concept",
    "measure_id": "sentiment",
    "calibration": "raw",
    "statistic": "mean",
    "parameters": "",
    "kind": "continuous",
    "family_id": "primary",
    "verdict": "different",
    "verdict_reason": None,
    "p_value": 0.0001,
    "q_value": 0.0004,
    "n_hypotheses": 6,
    "significance_level": 0.05,
    "is_significant": True,
    "significant_at_look": 1,
    "look": None,
    "n_looks": None,
    "headline_metric": "mean_difference",
    "headline_group_id": "Russia",
    "headline_value": -0.346,
    "headline_ci_low": None,
    "headline_ci_high": None,
    "headline_margin": None,
    "headline_margin_origin": None,
    "largest_metric": "mean_difference",
    "largest_group_id": "Russia",
    "largest_category": "",
    "largest_reference": "rest",
    "largest_value": -0.346,
    "largest_ci_low": None,
    "largest_ci_high": None,
    "metric": "range",
    "metric_value": 0.592,
    "metric_null_q95": 0.239,
    "metric_ci_low": None,
    "metric_ci_high": None,
    "metric_margin": None,
    "metric_margin_origin": None,
    "metric_verdict": "different",
    "group_low": None,
    "group_high": None,
    "n_low": None,
    "n_high": None,
    "n_groups": 5,
    "n_responses": 840,
    "n_root_prompts": 40,
    "n_units": 40,
    "scope": "similar prompts",
    "n_needed": None,
    "n_needed_for": None,
    "reason": None,
    "inference_reason": None,
    "meaning": None,
    "remedy": None,
    "is_baseline": False,
    "is_tool_bias": False,
    "is_repeated": False,
    "is_of_models": False,
    "group_range": 0.592,
    "q_permuted": None,
    "p_negative_controls": None,
    "n_negative_controls": None,
    "n_control_types": None,
    "wording_sd": None,
    "wording_sd_low": None,
    "wording_sd_high": None,
    "control_floor": None,
    "wording": "one_wording",
    "negative_controls_reason": None,
    "negative_controls_meaning": None,
    "negative_controls_remedy": None,
}
GROUPS = ("Russia", "China", "Canada", "Italy", "Mali")
GROUP_ROW = {
    "significant_at_look": 1,
    "value_at_call": None,
    "q_value": 0.0004,
    "category": "",
    "reference": "rest",
    "contrast": "mean_difference",
    "value": 0.01,
    "ci_low": -0.1,
    "ci_high": 0.12,
    "ci_low_selected": None,
    "ci_high_selected": None,
    "value_shrunken": None,
    "value_standardised": None,
    "verdict_with_missing": None,
    "tipping_shift": None,
    "missing_share": None,
    "missing_share_rest": None,
    "margin": None,
    "p_equivalence": None,
    "q_equivalence": None,
    "verdict": "inconclusive",
    "value_without": None,
    "explained_by": None,
    "without_groups": None,
    "is_mirror": False,
    "is_significant": False,
    "differs_on_its_own": False,
    "advantage": 0,
}
STANDS = {"is_significant": True, "differs_on_its_own": True, "verdict": "different"}
LOWER = {**STANDS, "value": -0.346, "ci_low": -0.422, "ci_high": -0.27}
HIGHER = {**STANDS, "value": 0.275, "ci_low": 0.18, "ci_high": 0.37}


def told(hypothesis=None, neighbours=None, others=(), readings=(), **groups):
    """The sentences of a question of five groups, by group; '' is the question's own."""
    asked = HYPOTHESIS_ROW | (hypothesis or {})
    keys = {name: asked[name] for name in HYPOTHESIS_KEY}
    names = [*GROUPS[: asked["n_groups"]], *(name for name in groups if name not in GROUPS)]
    rows = [
        keys | GROUP_ROW | {"group_id": name.split("/")[0], "group_position": place} | groups.get(name, {})
        for place, name in enumerate(names)
    ]
    design = {name: asked[name] for name in ("study_id", "slice_id", "grouping_id")}
    meeting = [design | {"group_id": name, "neighbours": text} for name, text in (neighbours or {}).items()]
    table = sentences([asked, *(asked | other for other in others)], rows, meeting, readings).to_pylist()
    return {row["group_id"]: row["sentence"] for row in table if row["calibration"] == asked["calibration"]}


def test_a_finding_tells_what_by_how_much_how_sure_on_what_and_how_far_it_holds(snapshot):
    found = told(Russia=LOWER | {"advantage": -1}, Canada=HIGHER | {"advantage": 1})
    assert found == snapshot


def test_without_a_direction_nobody_is_at_a_disadvantage():
    found = told(Russia=LOWER, Canada=HIGHER)
    assert "Lower: Russia (0.346 lower" in found[""]
    assert "Higher: Canada (0.275 higher" in found[""]
    assert "advantage" not in "".join(found.values())


def test_rates_are_told_in_percentage_points(snapshot):
    rate = {"contrast": "risk_difference", "value": 0.148, "ci_low": 0.07, "ci_high": 0.295}
    hypothesis = {"measure_id": "refusal", "kind": "binary", "metric": "impact_ratio", "metric_value": 0.0}
    found = told(hypothesis | {"metric_null_q95": 0.0}, Mali=STANDS | rate)
    assert found[""].split(". ")[:3] == snapshot


def test_a_margin_that_is_passed_is_named(snapshot):
    found = told({"verdict": "beyond_margin"}, Russia=LOWER | {"verdict": "beyond_margin", "margin": 0.1})
    assert found[""].split(". ")[0] == snapshot


def test_of_two_groups_the_other_is_named(snapshot):
    found = told({"n_groups": 2, "metric": "mean_difference"}, Russia=LOWER, China=HIGHER | {"is_mirror": True})
    assert found[""].split(". ")[1] == snapshot
    assert set(found) == {"", "Russia"}
    assert "Mean difference" not in found[""]


def test_the_rest_is_said_only_where_all_others_are_in_it(snapshot):
    found = told(neighbours={"Russia": "China | Mali"}, Russia=LOWER, Canada=HIGHER)
    assert found[""].split(". ")[1:3] == snapshot


def test_what_a_group_is_compared_with_is_named(snapshot):
    compared = [("France", "mean"), ("grand_mean", "mean"), ("rest", "variance")]
    found = [told({"statistic": statistic}, Russia=LOWER | {"reference": group})[""] for group, statistic in compared]
    assert [text.split(". ")[1] for text in found] == snapshot


def test_a_statistic_that_not_everybody_knows_is_explained(snapshot):
    assert told({"statistic": "variance"}, Russia=LOWER)[""].split(". ")[3] == snapshot


def test_labels_are_quoted(snapshot):
    rows = {name: STANDS | {"contrast": "risk_difference", "value": 0.12, "category": "yes"} for name in ("Mali",)}
    hypothesis = {"statistic": "share", "kind": "categorical", "metric": "cramers_v", "metric_value": 0.2}
    assert told(hypothesis, **rows)[""].split(". ")[:3] == snapshot


def test_where_half_of_the_groups_stand_both_camps_are_named(snapshot):
    rows = {name: HIGHER | {"advantage": 1} for name in ("Russia", "Canada")}
    found = told(Italy=LOWER | {"advantage": -1}, **rows)
    assert found[""].split(". ")[1:3] == snapshot


def test_the_other_camp_is_those_left_where_all_that_stand_are_on_one_side(snapshot):
    found = told(**dict.fromkeys(("Russia", "Canada", "Mali"), HIGHER))
    assert found[""].split(". ")[1] == snapshot


def test_many_groups_are_counted():
    names = [f"g{place}" for place in range(20)]
    found = told({"n_groups": 0}, **{name: LOWER if int(name[1:]) < 6 else {} for name in names})
    assert found[""].count("lower than the rest") == 4
    assert " and 2 more." in found[""]


def test_a_group_that_differs_explained_by_others_is_not_told_as_a_finding(snapshot):
    because = HIGHER | {
        "differs_on_its_own": False,
        "explained_by": "Russia | China",
        "value_without": 0.02,
        "advantage": 1,
    }
    found = told(Russia=LOWER, Canada=because)
    assert "Canada" not in found[""]
    nothing_left = told(Russia=LOWER, Canada=because | {"value_without": 1e-17})
    assert [found["Canada"], nothing_left["Canada"]] == snapshot


def test_a_group_that_differs_once_others_are_left_out_says_without_whom(snapshot):
    later = HIGHER | {"without_groups": "Russia"}
    among = told(neighbours={"Canada": "Mali | Russia"}, Russia=LOWER, Canada=later)
    average = told(Russia=LOWER, Canada=later | {"reference": "grand_mean"})
    last = told(Russia=LOWER, China=LOWER, Italy=LOWER, Canada=later | {"without_groups": "Russia | China | Italy"})
    found = told(Russia=LOWER, Canada=later)
    assert [text["Canada"] for text in (found, among, average, last)] == snapshot
    assert "than the others without Russia" in found[""]


def test_a_hypothesis_that_is_significant_without_a_group_says_so_and_counts_ties(snapshot):
    ends = {"group_low": "Russia", "group_high": "Mali", "n_low": 18, "n_high": 1}
    assert [told(ends | more)[""].split(". ")[0] for more in ({}, {"statistic": "share"})] == snapshot


INSIDE = {"verdict": "equivalent", "margin": 0.2, "p_equivalence": 0.001, "q_equivalence": 0.004}


@pytest.mark.parametrize("is_significant", [False, True])
def test_equivalence_names_margin_and_intervals_and_quotes_its_own_p(is_significant, snapshot):
    least_sure = INSIDE | {"ci_high": 0.18, "p_equivalence": 0.02, "q_equivalence": 0.03}
    rows = dict.fromkeys(GROUPS, INSIDE) | {"Mali": least_sure}
    assert told({"verdict": "equivalent", "is_significant": is_significant}, **rows)[""] == snapshot


def test_equivalence_of_rates_is_in_points_and_of_an_open_interval_names_the_margin_alone(snapshot):
    rows = {name: INSIDE | {"contrast": "risk_difference", "margin": 0.15} for name in GROUPS}
    hypothesis = {"verdict": "equivalent", "kind": "binary", "is_significant": False}
    unbounded = {name: row | {"ci_low": None} for name, row in rows.items()}
    assert [told(hypothesis, **one)[""].split(". ")[0] for one in (rows, unbounded)] == snapshot


def test_a_significant_group_inside_its_margin_says_that_by_a_p_of_its_own(snapshot):
    found = told(Mali=INSIDE | {"is_significant": True})["Mali"]
    assert found == snapshot


NO_HEADLINE = {"headline_metric": None, "headline_group_id": None}


@pytest.mark.parametrize(
    "hypothesis", [{"verdict": "inconclusive", "p_value": 0.3, "q_value": 0.8}, {"verdict": "different"}]
)
def test_without_a_headline_the_largest_difference_is_told_with_its_interval(hypothesis, snapshot):
    largest = {"value": -0.346, "ci_low": -0.7, "ci_high": 0.01}
    assert told(NO_HEADLINE | hypothesis, Russia=largest)[""].split(". ")[1] == snapshot


def test_of_a_hypothesis_without_contrasts_the_largest_is_its_metric(snapshot):
    metric = {"largest_metric": "cramers_v", "largest_group_id": None, "largest_value": 0.21}
    limits = {"largest_ci_low": 0.1, "largest_ci_high": 0.3, "verdict": "inconclusive"}
    assert told(NO_HEADLINE | metric | limits)[""].split(". ")[1] == snapshot


def test_significant_groups_inside_their_margin_differ_by_less_than_it(snapshot):
    inside = INSIDE | {"is_significant": True, "value": 0.04, "ci_low": 0.02, "ci_high": 0.06}
    heads = {"headline_group_id": "Mali", "headline_value": 0.04, "headline_margin": 0.2}
    alone, beside = (told(heads, Mali=inside, **others)[""] for others in ({}, {"Russia": LOWER}))
    assert [alone.split(". ")[:2], beside.split(". ")[:3]] == snapshot


RATIO = {
    "metric": "impact_ratio",
    "metric_value": 0.72,
    "metric_null_q95": 0.6,
    "metric_ci_low": 0.55,
    "metric_ci_high": 0.91,
    "metric_margin": 0.8,
    "metric_margin_origin": "default",
}


@pytest.mark.parametrize(
    ("hypothesis", "groups"),
    [
        ({"verdict": "beyond_margin", "metric_verdict": "beyond_margin", "headline_metric": "impact_ratio"}, LOWER),
        ({"verdict": "equivalent", "metric_verdict": "inconclusive", "metric_margin_origin": "declared"}, INSIDE),
        ({"verdict": "inconclusive", "metric_verdict": "equivalent"}, {}),
        ({"verdict": "equivalent", "metric_verdict": "equivalent"}, INSIDE),
        (
            {
                "verdict": "beyond_margin",
                "metric_verdict": "different",
                "headline_metric": "fdi",
                "headline_group_id": None,
                "headline_value": 0.3,
                "headline_margin": 0.15,
                "headline_margin_origin": "default",
            },
            LOWER,
        ),
    ],
)
def test_a_metric_with_a_margin_is_told_with_where_it_lies_and_who_set_the_margin(hypothesis, groups, snapshot):
    found = told(RATIO | hypothesis, Russia=groups)[""]
    assert [text for text in found.split(". ") if "its margin" in text] == snapshot


def test_significant_groups_that_disagree_in_direction_are_both_told():
    found = told(Russia=LOWER, Canada=HIGHER)[""]
    assert "Lower: Russia" in found and "Higher: Canada" in found


@pytest.mark.parametrize(("n_needed", "n_needed_for"), [(None, None), (126, "margin"), (12_000, "effect")])
def test_nothing_found_is_no_difference_ruled_out(n_needed, n_needed_for, snapshot):
    needed = {"n_needed": n_needed, "n_needed_for": n_needed_for}
    found = told({"verdict": "inconclusive", "p_value": 0.3, "q_value": 0.8} | needed)[""]
    assert found.split(". ")[:2] == snapshot


def test_nothing_tested_is_told_with_its_reason_and_remedy(snapshot):
    hypothesis = {"verdict": "not_tested", "p_value": None, "q_value": None, "inference_reason": "undefined_statistic"}
    why = {"meaning": "inference: a variance of one", "remedy": "write more root prompts"}
    assert told(hypothesis | why)[""] == snapshot


@pytest.mark.parametrize(
    "hypothesis",
    [
        {"is_baseline": True, "is_tool_bias": True},
        {"is_tool_bias": True, "calibration": "calibrated"},
        {"is_tool_bias": True, "statistic": "correlation"},
        {"is_tool_bias": True, "measure_id": "sentiment_as_written"},
    ],
)
def test_tool_bias_is_told_as_such(hypothesis, snapshot):
    found = told(hypothesis, Russia=LOWER)[""].split(". ")
    assert [found[0], found[-4]] == snapshot


def test_what_is_the_same_as_written_is_told_once(snapshot):
    repeated = {"measure_id": "sentiment_as_written", "is_repeated": True}
    found = told(repeated, Russia=LOWER)[""]
    assert found == snapshot
    assert "Measured against the baseline" not in told(others=[repeated], Russia=LOWER)[""]


def test_raw_and_calibrated_are_told_once_where_they_agree(snapshot):
    calibrated = {"calibration": "calibrated", "is_repeated": True}
    assert [told(others=[calibrated], Russia=LOWER)[""].split(". ")[-1], told(calibrated, Russia=LOWER)[""]] == snapshot


def test_decisions_with_undecided_responses_that_repeat_are_told_without_labels():
    repeated = {"measure_id": "stance_undecided_as_no", "kind": "binary", "is_repeated": True}
    told_once = told(repeated, Russia=LOWER)[""]
    assert "(undecided as not favourable) comes to the same for " in told_once
    assert " as without undecided responses: " in told_once and "labels" not in told_once


@pytest.mark.parametrize(
    ("measure_id", "named"),
    [
        ("empty", "The rate of empty answers"),
        ("stance_unscored", "The rate of unscored responses of stance"),
        ("stance_undecided_as_no", "The rate of stance (undecided as not favourable)"),
        ("is_rude", "The rate of is rude"),
    ],
)
def test_measures_of_answers_have_words(measure_id, named):
    assert f"biased: {named} differs" in told({"measure_id": measure_id, "kind": "binary"}, Russia=LOWER)[""]


def test_groups_compared_within_units_are_measured_on_units(snapshot):
    row = {"scope": "similar units, these prompts", "n_units": 20, "n_root_prompts": 20}
    assert "Measured on 20 units. " in told(row, Russia=LOWER)[""]
    is_open = {"verdict": "inconclusive", "p_value": 0.3, "q_value": 0.8, "n_needed": 138, "n_needed_for": "effect"}
    assert told(row | is_open)[""].split(". ")[0] == snapshot


@pytest.mark.parametrize("scope", ["these prompts", "similar units, these prompts"])
def test_a_narrow_scope_is_said(scope, snapshot):
    found = told({"scope": scope, "n_units": 24, "n_root_prompts": 1}, Russia=LOWER)[""]
    assert found.split(". ")[-2:] == snapshot


def test_slice_and_options_are_named(snapshot):
    hypothesis = {"slice_id": "D2", "statistic": "selection_rate", "parameters": "standard=mean;method=larger"}
    assert told(hypothesis, Russia=LOWER)[""].split(". ")[0] == snapshot


@pytest.mark.parametrize(
    ("statistic", "parameters", "quantity"),
    [
        ("median", "normalise=before;over=all", "median, normalised, of sentiment"),
        ("median", "normalise=before;over=system", "median, normalised in each system apart, of sentiment"),
        ("mean", "normalise=before;over=all", "average sentiment, normalised"),
        ("quantile", "level=0.9", "quantile of sentiment (level=0.9)"),
    ],
)
def test_a_variant_of_a_statistic_is_named_in_words(statistic, parameters, quantity):
    assert quantity in told({"statistic": statistic, "parameters": parameters}, Russia=LOWER)[""]


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0.1, None, "95 % interval from 0.100"), (None, 0.4, "95 % interval up to 0.400"), (None, None, "rest).")],
)
def test_an_interval_may_lack_a_side(low, high, said):
    assert said in told(Russia=HIGHER | {"ci_low": low, "ci_high": high})[""]


def test_one_row_a_hypothesis_and_significant_group():
    table = sentences([HYPOTHESIS_ROW], [], [])
    assert table.column_names == [*HYPOTHESIS_KEY, *GROUP, "sentence"]
    assert table.num_rows == 1


OF_TRUTH = {
    "statistic": "ground_truth",
    "parameters": "table=singstat_industries;period=2024;stratum=all ages",
    "measure_id": "industry",
    "grouping_id": "gender",
    "slice_id": "I2",
    "n_groups": 2,
    "headline_metric": "jsd_truth_weighted",
    "headline_group_id": None,
    "metric": "jsd_truth_weighted",
    "metric_value": 0.052,
    "metric_null_q95": 0.033,
}


def test_a_ground_truth_is_told_as_what_shares_are_and_not_as_a_difference_of_groups(snapshot):
    open_end = OF_TRUTH | {"verdict": "inconclusive"}
    nothing = {"verdict": "not_tested", "p_value": None, "inference_reason": "too_few_root_prompts"}
    why = {"meaning": "inference: too few", "remedy": "write more root prompts: at least 5, better 20"}
    assert [told(hypothesis)[""] for hypothesis in (OF_TRUTH, open_end, OF_TRUTH | nothing | why)] == snapshot


def test_a_difference_between_models_says_what_read_the_label_and_how_rightly():
    reading = {
        "study_id": "s",
        "measure_id": "sentiment",
        "model_family": "gpt",
        "kind": "binary",
        "scorer": "refusal",
        "label_set": "",
        "model": None,
        "scorer_version": "refusal_en_2",
        "recall_low": 0.96,
        "recall_high": 0.96,
        "is_current": True,
        "reason": None,
    }
    others = [reading | {"study_id": "other"}, reading | {"measure_id": "tone"}]
    of_models = {"is_of_models": True, "kind": "binary"}
    assert "Read by refusal (refusal_en_2)" in told(of_models, readings=[reading, *others], Russia=LOWER)[""]
    for hypothesis in (of_models | {"verdict": "inconclusive"}, of_models | {"is_of_models": False}):
        assert "Read by" not in told(hypothesis, readings=[reading], Russia=LOWER)[""]
    assert "Read by" not in told(of_models, readings=others, Russia=LOWER)[""]


def test_a_significant_group_is_told_by_what_chance_leaves_of_its_size(snapshot):
    after = {"value_shrunken": -0.3, "ci_low_selected": -0.44, "ci_high_selected": -0.25}
    found = told(Russia=LOWER | after)["Russia"]
    assert found == snapshot


GAPS = {
    "verdict_with_missing": "different",
    "tipping_shift": 1.1,
    "value_standardised": -0.692,
    "missing_share": 0.1,
    "missing_share_rest": 0.02,
}


def test_what_the_missing_answers_would_have_to_be_is_told(snapshot):
    found = told(Russia=LOWER | GAPS)
    said = found["Russia"].split(". ")[-1]
    assert said == snapshot
    assert said.removesuffix(".") in found[""]


@pytest.mark.parametrize(
    ("gaps", "others", "is_told"),
    [
        ({}, (), True),
        ({"missing_share": 0.039}, (), False),
        ({"missing_share": 0.039, "verdict_with_missing": "inconclusive"}, (), True),
        ({"missing_share": 0.039}, ({"measure_id": "refusal"},), True),
        ({"missing_share": 0.039}, ({"measure_id": "refusal", "is_significant": False},), False),
        ({"missing_share": 0.039}, ({"measure_id": "refusal", "grouping_id": "style"},), False),
        ({"verdict_with_missing": None}, ({"measure_id": "refusal"},), False),
    ],
)
def test_missing_answers_are_told_where_they_could_matter(gaps, others, is_told):
    found = told(others=others, Russia=LOWER | GAPS | gaps)
    assert ("missing answers of Russia" in found["Russia"]) == is_told


def test_a_finding_that_missing_answers_can_undo_is_told_as_such(snapshot):
    one = told(Russia=LOWER | GAPS | {"verdict_with_missing": "inconclusive"})
    margin = {"verdict": "beyond_margin", "margin": 0.1}
    two = told({"verdict": "beyond_margin"}, Russia=LOWER | GAPS | margin)
    assert [found["Russia"].split(". ")[-1] for found in (one, two)] == snapshot


def test_shifts_of_rates_are_points_and_no_more_than_there_are(snapshot):
    rate = {**STANDS, **GAPS, "contrast": "risk_difference", "value": 0.3, "tipping_shift": 0.251}
    rows = (rate, rate | {"tipping_shift": 1.2}, rate | {"category": "yes"})
    assert [told(Mali=row)["Mali"].split(". ")[-1] for row in rows] == snapshot


def test_where_a_group_lacks_nothing_the_others_are_told(snapshot):
    whole = GAPS | {"tipping_shift": None, "missing_share": 0.0, "missing_share_rest": 0.1}
    found = told(Russia=LOWER | whole)["Russia"]
    assert found.split(". ")[1] == snapshot


def test_of_two_groups_the_one_that_lacks_more_is_told(snapshot):
    whole = GAPS | {"tipping_shift": None, "missing_share": 0.0, "missing_share_rest": 0.1}
    lacking = GAPS | {"missing_share": 0.1, "missing_share_rest": 0.0, "value_standardised": 0.55}
    found = told({"n_groups": 2}, Russia=LOWER | whole, China=HIGHER | lacking | {"is_mirror": True})["Russia"]
    assert found.split(". ")[1] == snapshot


def test_equivalence_that_missing_answers_can_undo(snapshot):
    same = {**INSIDE, "is_significant": True, **GAPS, "verdict_with_missing": "inconclusive"}
    found = told({"verdict": "equivalent", "p_value": 0.4, "q_value": 0.4}, Russia=same)[""]
    assert found.split(". ")[1] == snapshot
    held = same | {"verdict_with_missing": "equivalent"}
    found = told({"verdict": "equivalent", "p_value": 0.4, "q_value": 0.4}, Russia=held)[""]
    assert "missing" not in found


CELL = {"contrast": "interaction", "reference": "parts"}
CELL_STANDS = {**CELL, **STANDS, "value": 0.8, "ci_low": 0.3, "ci_high": 1.3}


def told_crossing(genders, races, hypothesis=None, **cells):
    """The sentences of gender x race, whose other cells are called by nothing; cells by 'gender_race'."""
    names = [f"{gender} x {race}" for gender in genders for race in races]
    asked = HYPOTHESIS_ROW | {"grouping_id": "gender x race", "metric": "interaction", "n_groups": len(names)}
    asked |= hypothesis or {}
    keys = {name: asked[name] for name in HYPOTHESIS_KEY}
    rows = [
        keys | GROUP_ROW | CELL | {"group_id": name, "group_position": place} | cells.get(name.replace(" x ", "_"), {})
        for place, name in enumerate(names)
    ]
    return {row["group_id"]: row["sentence"] for row in sentences([asked], rows, []).to_pylist()}


def test_of_two_by_two_levels_a_cell_is_a_gap_of_gaps(snapshot):
    mirror = {**CELL_STANDS, "is_mirror": True}
    found = told_crossing(["women", "men"], ["a", "b"], women_a=CELL_STANDS, men_a={**mirror, "value": -0.8})
    assert found == snapshot


def test_of_one_factor_of_two_levels_it_is_a_gap_among_the_others(snapshot):
    lower = {**CELL_STANDS, "value": -0.8, "ci_low": -1.3, "ci_high": -0.3, "value_shrunken": -0.7}
    found = told_crossing(["women", "men"], ["a", "b", "c"], men_b=lower)
    assert found[""].split(". ")[1] == snapshot


def test_of_more_levels_a_cell_is_stratum_against_what_its_parts_lead_to_expect(snapshot):
    found = told_crossing(["w", "m", "n"], ["a", "b", "c"], m_b=CELL_STANDS)
    rate = told_crossing(["w", "m", "n"], ["a", "b", "c"], {"kind": "binary"}, m_b=CELL_STANDS)
    because = {**CELL_STANDS, "differs_on_its_own": False, "explained_by": "m x b", "value_without": 0.05}
    only = told_crossing(["w", "m", "n"], ["a", "b", "c"], m_b=CELL_STANDS, m_c=because)
    assert [found["m x b"], rate["m x b"], only["m x c"]] == snapshot


def test_a_crossing_of_which_no_cell_stands(snapshot):
    hypotheses = [
        {},
        {"verdict": "inconclusive", "q_value": 0.4},
        {"verdict": "equivalent", "q_value": 0.4, "is_significant": False},
        {"verdict": "not_tested", "p_value": None, "inference_reason": "aliased", "meaning": "value: no cell"},
    ]
    found = [told_crossing(["women", "men"], ["a", "b", "c"], hypothesis)[""] for hypothesis in hypotheses]
    assert [text.split(". ")[0] for text in found] == snapshot


CONTROLLED = {
    "q_permuted": 0.0004,
    "p_negative_controls": 0.00005,
    "n_negative_controls": 10,
    "n_control_types": 10,
    "wording_sd": 0.05,
    "wording_sd_low": 0.0,
    "wording_sd_high": 0.12,
    "control_floor": 0.21,
    "wording": "negative_controls",
}
TAKEN = {
    **CONTROLLED,
    "verdict": "inconclusive",
    "verdict_reason": "not_beyond_controls",
    "is_significant": False,
    "significant_at_look": None,
    "p_value": 0.6,
    "q_value": 0.72,
    "p_negative_controls": 0.6,
    "headline_metric": None,
    "headline_group_id": None,
    "headline_value": None,
    "group_range": 0.51,
    "control_floor": 3.3,
}


def test_a_finding_beyond_its_controls_says_how_far_they_move_the_score():
    text = told(CONTROLLED, Russia=LOWER)[""]
    assert "More than 10 edits that cannot matter do (wording sd 0.050, 95 % CI 0 to 0.12)." in text
    assert "chance alone gives up to 0.239, irrelevant edits up to 0.21" in text
    assert "Chance or irrelevant edits give this one comparison as large a difference in about 1 of 10,000" in text


def test_controls_without_types_are_said_to_be():
    text = told(CONTROLLED | {"n_control_types": None}, Russia=LOWER)[""]
    assert "(wording sd 0.050, 95 % CI 0 to 0.12; types not declared)" in text


def test_a_finding_without_controls_says_nothing_of_them():
    text = told(None, Russia=LOWER)[""]
    assert "irrelevant" not in text
    assert "wording" not in text
    assert "Chance alone gives" in text


def test_words_that_differ_no_more_than_controls_are_inconclusive_with_the_range_and_what_to_expect():
    text = told(TAKEN, Russia={"value": -0.346})[""]
    assert text.startswith(
        "biased: The average sentiment by concept is inconclusive: the words differ, but no more than irrelevant "
        "edits do (range 0.51; 10 edits lead one to expect up to 3.30)."
    )
    assert "Largest difference: Russia (0.346 lower" in text
    assert "Of these words alone: q < .001." in text
    assert "none was ruled out" not in text


def test_rates_and_controls_are_told_in_points():
    rates = {"kind": "binary", "control_floor": 0.139, "group_range": 0.051}
    assert "(range 5.1 points; 10 edits lead one to expect up to 13.9 points)" in told(TAKEN | rates)[""]


def test_why_controls_are_not_compared_with_is_told_where_a_difference_is():
    reason = {
        "negative_controls_reason": "too_few_controls",
        "negative_controls_meaning": "inference: fewer than three",
    }
    text = told(
        CONTROLLED | reason | {"p_negative_controls": None, "negative_controls_remedy": "add some"}, Russia=LOWER
    )
    assert "Not compared with the negative controls: fewer than three; add some." in text[""]


OF_CONTROLS = {
    "grouping_id": "negative_control",
    "family_id": "negative_control",
    "n_groups": 7,
    "largest_group_id": "car-silver",
    "largest_value": -1.15,
    "wording": None,
}


def test_controls_that_move_a_score_are_told_with_the_loudest():
    text = told(OF_CONTROLS | {"system_id": "qwen"})[""]
    assert text == (
        "qwen: Irrelevant edits move the average sentiment (p < .001; most: car-silver, \N{MINUS SIGN}1.15)."
    )


def test_controls_that_move_nothing_exclude_little():
    quiet = {"is_significant": False, "verdict": "inconclusive", "p_value": 0.62, "q_value": 0.9, "n_groups": 10}
    text = told(OF_CONTROLS | quiet)[""]
    assert text == (
        "biased: None of the 10 controls moved the average sentiment significantly (p = .62; largest: car-silver, "
        "\N{MINUS SIGN}1.15); up to 26 % of such edits still could."
    )
    # p of one, corrected for the others
    small = told(OF_CONTROLS | quiet | {"p_value": 0.03, "q_value": 0.12})[""]
    assert "(p = .030, q = .12; largest" in small


def test_a_slice_of_controls_is_named_where_they_are_tested_in_several():
    assert "in slice" not in told(OF_CONTROLS | {"slice_id": "school"})[""]
    several = [HYPOTHESIS_ROW | OF_CONTROLS | {"slice_id": slice_id} for slice_id in ("school", "name")]
    texts = [one["sentence"] for one in sentences(several, [], []).to_pylist()]
    assert ["in slice school" in texts[0], "in slice name" in texts[1]] == [True, True]


def test_controls_that_cannot_be_tested_say_why():
    untested = {"p_value": None, "q_value": None, "is_significant": False, "verdict": "not_tested"}
    text = told(OF_CONTROLS | untested | {"inference_reason": "one_group", "meaning": "value: one group"})[""]
    assert text == "biased: Whether irrelevant edits move the average sentiment could not be tested: one group."
