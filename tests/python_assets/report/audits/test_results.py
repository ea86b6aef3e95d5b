"""The numbers behind the verdicts of an audit: which there are, and what they promise."""

import json

import numpy as np
import pytest

from python_assets.published.query import open_published
from python_assets.report.audits.results import (
    _largest_limit,
    audit_results,
    bound_in_words,
    cause_in_words,
    measures_in_words,
    result_in_words,
)

CONFIG = json.dumps({"analysis": {"power": {"Favoured": {"rate": 0.5, "effect": 0.15, "power": 0.9}}}})
KEYS = {"slice_id": "all", "measure_id": "favoured", "calibration": "raw", "grouping_id": "faith", "statistic": "mean"}
KEYS |= {"parameters": ""}
HYPOTHESIS = KEYS | {"model": "mock", "family_id": "primary", "verdict": "inconclusive", "q_value": 0.4}
GROUPS = ("a", "b", "c")
DIFFERENCES = {"a": 0.05, "b": 0.01, "c": -0.06}
POWER = {"grouping_id": "faith", "measure_id": "favoured", "contrast": "risk_difference"}


def contrasts(system="mock", std_error=0.02, **of_groups):
    """A difference of each group, its interval two standard errors wide on either side."""
    rows = []
    for group, value in DIFFERENCES.items():
        limits = {"ci_low": value - 2 * std_error, "ci_high": value + 2 * std_error}
        row = KEYS | limits | {"system_id": system, "group_id": group, "value": value, "std_error": std_error}
        row |= {"contrast": "risk_difference", "category": "", "reference": "rest", "verdict": "inconclusive"}
        rows.append(row | of_groups.get(group, {}))
    return rows


@pytest.fixture
def results_of(publish_small):
    """The results of a study with these contrasts."""

    def read(
        contrast_rows, hypotheses=(HYPOTHESIS,), *, detectable=0.25, planned=0.14, rate=0.5, means_of_slices=({},)
    ):
        systems = {row["system_id"] for row in contrast_rows}
        values = [
            KEYS | {"system_id": system, "group_id": group, "value": rate, "ci_low": 0.4, "ci_high": 0.6} | of_slice
            for system in systems
            for group in GROUPS
            for of_slice in means_of_slices
        ]
        counts = {"n_responses": 90, "n_missing": 10}
        observed = POWER | {"source": "observed", "minimum_detectable_effect": detectable}
        declared = POWER | {"source": "declared", "minimum_detectable_effect": planned, "effect": 0.15}
        published = publish_small(
            summary_statistics=[row | counts for row in values],
            contrasts=contrast_rows,
            measures=[{"measure_id": "favoured", "kind": "binary", "favourable": "yes"}],
            design_power=[observed, declared],
        )
        with open_published(published) as connection:
            return audit_results(connection, "small", CONFIG, hypotheses)

    return read


def test_a_result_has_every_group_and_what_was_planned(results_of, snapshot):
    (result,) = results_of(contrasts())
    assert [group["group_id"] for group in result["groups"]] == ["a", "b", "c"]
    assert {(group["n_scored"], group["n_responses"]) for group in result["groups"]} == {(90, 100)}
    names = ("kind", "reference", "planned_effect", "planned_detectable", "power", "detectable", "is_bounded")
    assert [result[name] for name in names] == ["binary", "rest", 0.15, 0.14, 0.9, 0.25, True]
    assert result["largest_limit"] == pytest.approx(0.06 + 2 * 0.02)
    assert result_in_words(result) == snapshot


def test_what_one_model_detects_is_the_published_number_and_several_share_it_by_their_errors(results_of):
    (alone,) = results_of(contrasts(std_error=0.07), detectable=0.25)
    assert alone["detectable"] == 0.25
    hypotheses = [HYPOTHESIS, HYPOTHESIS | {"model": "lossy"}]
    both = results_of([*contrasts(std_error=0.02), *contrasts("lossy", std_error=0.06)], hypotheses)
    precise, lossy = (result["detectable"] for result in both)
    assert lossy / precise == pytest.approx(3)
    assert np.sqrt((precise**2 + lossy**2) / 2) == pytest.approx(0.25)


def test_a_model_without_a_value_detects_nothing_and_says_why(results_of):
    nothing = {"value": None, "ci_low": None, "ci_high": None, "std_error": None, "reason": "no_responses"}
    rows = [*contrasts(), *contrasts("silent", **dict.fromkeys(GROUPS, nothing))]
    (silent,) = results_of(rows, [HYPOTHESIS | {"model": "silent"}])
    assert [silent[name] for name in ("detectable", "detectable_reason")] == [None, "spread_unknown"]
    assert [silent[name] for name in ("largest_limit", "is_bounded")] == [None, False]
    assert {group["difference_reason"] for group in silent["groups"]} == {"no_responses"}


@pytest.mark.parametrize(
    "of_groups",
    [
        {"b": {"ci_low": None}},  # a group without an interval may differ by anything
        {"b": {"ci_high": 0.1501}},  # more than was planned for
    ],
)
def test_no_bound_is_told_that_is_wider_than_the_plan_or_without_a_group(results_of, of_groups):
    (result,) = results_of(contrasts(**of_groups))
    assert not result["is_bounded"]
    assert bound_in_words(result) == ""


def test_of_a_selected_group_the_adjusted_difference_is_told_and_the_wider_limit_counts(results_of):
    selected = {"value_shrunken": -0.05, "ci_low_selected": -0.14, "ci_high_selected": -0.01, "verdict": "different"}
    shrunken = {"value_shrunken": 0.001}  # of all groups of a significant hypothesis
    (result,) = results_of(contrasts(a=shrunken, c=selected))
    first, *_, last = result["groups"]
    assert (first["difference"], first["is_adjusted"]) == (0.05, False)
    limits = [last[name] for name in ("difference", "difference_ci_low", "difference_ci_high", "is_adjusted")]
    assert limits == [-0.05, -0.14, -0.01, True]
    assert result["largest_limit"] == 0.14
    names = ("unadjusted_difference", "unadjusted_ci_low", "unadjusted_ci_high")
    assert [last[name] for name in names] == pytest.approx([-0.06, -0.1, -0.02])
    assert {first[name] for name in names} == {None}


def test_the_wider_unadjusted_limit_of_a_selected_group_counts_too(results_of):
    selected = {"value_shrunken": -0.02, "ci_low_selected": -0.03, "ci_high_selected": -0.01, "verdict": "different"}
    (result,) = results_of(contrasts(c=selected, a={"ci_high": 0.06}))
    assert result["groups"][-1]["largest_limit"] == result["largest_limit"] == pytest.approx(0.1)


def test_groups_are_of_all_prompts(results_of):
    others = [
        row | {"slice_id": "part", "value": 0.9, "ci_high": 0.99, "contrast": "interaction"} for row in contrasts()
    ]
    (result,) = results_of([*contrasts(), *others])
    assert len(result["groups"]) == 3
    assert result["contrast"] == "risk_difference"
    assert max(group["difference"] for group in result["groups"]) == 0.05


def test_means_are_of_all_prompts(results_of):
    (result,) = results_of(contrasts(), means_of_slices=[{"slice_id": "part", "value": 0.9}, {"slice_id": "all"}])
    assert [group["value"] for group in result["groups"]] == [0.5] * 3


def test_what_costs_precision_is_said_by_numbers_where_it_is_much(results_of):
    (result,) = results_of(contrasts(), detectable=0.25, planned=0.14)
    assert cause_in_words(result) == (
        "detectable is 1.79 times planned: 30 of 300 (10 %) of the responses have no value (1.05 times) "
        "and values vary more than was assumed (1.69 times)"
    )
    (result,) = results_of(contrasts(), detectable=0.175, planned=0.14)
    assert cause_in_words(result) == ""
    lost = {"groups": [{"n_responses": 100, "n_scored": 25}], "detectable": 0.28, "planned_detectable": 0.14}
    assert cause_in_words(lost).endswith("75 of 100 (75 %) of the responses have no value (2.00 times)")


def test_a_bound_names_what_it_is_of_and_from(results_of):
    (result,) = results_of(contrasts(), detectable=0.05)
    rest = bound_in_words(result)
    assert rest.startswith("no group's rate differs from the other groups' by more than 10.0 points (scored responses")
    assert "observed" not in rest  # what is detectable is smaller
    assert "observed" in bound_in_words(result | {"detectable": 0.2})
    assert "from that of a by more" in bound_in_words(result | {"reference": "a"})
    assert "group's mean differs" in bound_in_words(result | {"kind": "continuous"})


@pytest.mark.parametrize(("rate", "told"), [(1 - 2e-16, 'Every scored response is "yes": 100 %'), (0.0, "No scored")])
def test_a_model_that_says_one_thing_is_told_so(results_of, rate, told):
    alike = {"value": 0.0, "ci_low": None, "ci_high": None, "std_error": None, "reason": "no_variation"}
    (result,) = results_of(contrasts(**dict.fromkeys(GROUPS, alike)), rate=rate)
    first, second, *_ = result_in_words(result)
    assert first.startswith(told)
    assert first.endswith("in all groups, all differences are 0.0 points.")
    assert "no value (all scored responses are alike)" in second
    (result,) = results_of(contrasts(), rate=0.5)
    assert result["constant"] is None


def test_a_measure_is_explained_by_its_declaration(publish_small):
    binary = {"measure_id": "hired_early", "kind": "binary", "favourable": "hire"}
    length = {"measure_id": "n_words", "kind": "continuous", "direction": "higher_better", "favourable": None}
    published = publish_small(measures=[binary, length, {"measure_id": "unused"}])
    with open_published(published) as connection:
        told = measures_in_words(connection, "small", [{"measure_id": "hired_early"}, {"measure_id": "n_words"}])
    assert told == {
        "hired_early": 'hired early: share of responses that say "hire", the answer that is good for the person',
        "n_words": "n words: mean, higher is better",
    }


def test_of_cells_that_are_tested_for_an_interaction_the_interaction_is_told(results_of):
    beside = [row | {"contrast": "interaction", "reference": "parts", "value": 0.02} for row in contrasts()]
    (result,) = results_of([*contrasts(), *beside])
    assert (result["contrast"], result["reference"]) == ("interaction", "parts")
    assert [group["difference"] for group in result["groups"]] == [0.02] * 3
    assert result_in_words(result)[-1].startswith("No interaction is larger than 10.0 points")


def test_only_means_and_shares_of_all_prompts_have_results(results_of):
    others = [{"statistic": "variance"}, {"slice_id": "part"}, {"parameters": "p=0.5"}]
    assert results_of(contrasts(), [HYPOTHESIS | other for other in others]) == []


def test_a_planned_effect_without_any_power_row_is_no_error(results_of):
    (result,) = results_of(contrasts(), [HYPOTHESIS | {"grouping_id": "topic"}])
    assert [result[name] for name in ("groups", "planned_effect", "detectable", "is_bounded")] == [
        [],
        None,
        None,
        False,
    ]


@pytest.mark.parametrize("n_groups", [2, 7, 19])
def test_the_largest_limit_is_below_the_largest_difference_in_at_most_one_of_40_audits(n_groups):
    rng, n_audits, error = np.random.default_rng(n_groups), 20_000, 1.0
    true = rng.normal(0, 1.0, n_groups)
    seen = true + rng.normal(0, error, (n_audits, n_groups))
    limits = np.maximum(abs(seen - 1.96 * error), abs(seen + 1.96 * error))
    bounds = [_largest_limit([{"largest_limit": limit} for limit in row]) for row in limits[:200]]
    assert bounds == pytest.approx(limits[:200].max(axis=1))
    misses = (limits.max(axis=1) < abs(true).max()).mean()
    assert misses <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / n_audits)
