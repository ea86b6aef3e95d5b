from typing import get_args

import pytest

from python_assets.infer.contrasts.index import INDICES, RATE_INDICES
from python_assets.infer.contrasts.profiles import PROFILE_INDICES
from python_assets.infer.groups.rows import CONTRASTS_BY_ROLE
from python_assets.infer.tables import IDI
from python_assets.study.base import Against
from python_assets.study.metrics import metric_names
from python_assets.study.study import Kind
from python_assets.study_file.load import load_study

BASE = {
    "factors": "{gender: {levels: [woman, man], reference: man}, race: {levels: [a, b]}}",
    "prompts": '{templates: {cross: [gender, race], texts: [{id: t1, text: "A {gender} {race} asks."}]}}',
    "systems": "[{name: fair, provider: simulator}]",
    "measures": '[sentiment, {name: answer, choices: ["yes", "no"]}]',
    "groupings": "[gender, [gender, race]]",
}
ON_REQUEST = (
    "'dbi', 'variance_difference', 'correlation_difference', 'kl_divergence_difference', "
    "'precision_difference', 'selection_rate_difference'"
)


def analysis(text, **changes):
    return {**BASE, **changes, "analysis": text}


CASES = {
    "a factor without a reference level": (analysis("{reference: reference_level}"), "analysis.reference"),
    "an unknown reference": (analysis("{reference: grandmean}"), "analysis.reference"),
    "a contrast twice": (analysis("{contrasts: [dbi, dbi]}"), "analysis.contrasts[1]"),
    "a misspelt contrast": (analysis("{contrasts: [selection_rat_difference]}"), "analysis.contrasts[0]"),
    "a contrast of a statistic that is not computed": (
        analysis("{contrasts: [median_difference]}"),
        "analysis.contrasts[0]",
    ),
    "a set of nothing": (analysis("{families: {all: {}}}"), "analysis.families.all"),
    "an empty list of a set": (analysis("{primary: {measures: []}}"), "analysis.primary.measures"),
    "an unknown measure of the primary set": (
        analysis("{primary: {measures: [sentiment, sentimnt]}}"),
        "analysis.primary.measures[1]",
    ),
    "an unknown grouping of a set": (
        analysis("{families: {race: {groupings: [race]}}}"),
        "analysis.families.race.groupings[0]",
    ),
    "an unknown generation of a set": (
        analysis("{families: {one: {systems: [far]}}}"),
        "analysis.families.one.systems[0]",
    ),
    "an unknown slice of a set": (
        analysis("{families: {one: {slices: [al]}}}", slices="{each: race}"),
        "analysis.families.one.slices[0]",
    ),
    "a statistic of a set that is not computed": (
        analysis("{statistics: [mean], families: {one: {statistics: [kurtosis]}}}"),
        "analysis.families.one.statistics[0]",
    ),
    "a set with the name of one that every study has": (
        analysis("{families: {secondary: {measures: [sentiment]}}}"),
        "analysis.families.secondary",
    ),
    "a statistic that no measure of the set has": (
        analysis("{primary: {measures: [answer], statistics: [mean]}}"),
        "analysis.primary.statistics",
    ),
    "a set whose questions are the primary ones": (
        analysis("{primary: {measures: [sentiment, refusal]}, families: {one: {measures: [refusal]}}}"),
        "analysis.families.one",
    ),
    "a margin of all rates past 1": (analysis("{margins: {risk_difference: 5}}"), "analysis.margins.risk_difference"),
    "a margin of labels for a difference of means": (
        analysis("{margins: {answer: {mean_difference: 0.1}}}"),
        "analysis.margins.answer.mean_difference",
    ),
    "a margin of a score for a difference of rates": (
        analysis("{margins: {sentiment: {risk_difference: 0.1}}}"),
        "analysis.margins.sentiment.risk_difference",
    ),
    "a margin of 0 and 1 for a distance of labels": (
        analysis("{margins: {refusal: {fdi: 0.1}}}"),
        "analysis.margins.refusal.fdi",
    ),
    "power from an sd and a rate": (
        analysis("{power: {refusal: {sd: 1, rate: 0.1, effect: 0.1}}}"),
        "analysis.power.refusal",
    ),
    "the rate of a continuous measure": (
        analysis("{power: {sentiment: {rate: 0.1, effect: 0.1}}}"),
        "analysis.power.sentiment.rate",
    ),
    "the sd of a rate": (analysis("{power: {answer: {sd: 0.1, effect: 0.1}}}"), "analysis.power.answer.sd"),
    "a difference of rates past 1": (
        analysis("{power: {refusal: {rate: 0.1, effect: 5}}}"),
        "analysis.power.refusal.effect",
    ),
    "an interaction past what the correlation leaves": (
        analysis("{power: {sentiment: {sd: 1, correlation: 0.8, prompt_by_group_share: 0.2, effect: 0.1}}}"),
        "analysis.power.sentiment.prompt_by_group_share",
    ),
    "root prompts that cost less than nothing": (analysis("{prompt_cost: -1}"), "analysis.prompt_cost"),
    "a study as its own pilot": (analysis("{pilot: mine}"), "analysis.pilot"),
    "too few resamples": (analysis("{bootstrap: 50}"), "analysis.bootstrap"),
    "a contrast that is always there": (analysis("{contrasts: [mean_difference]}"), "analysis.contrasts[0]"),
    "a margin of one rate past 1": (analysis("{margins: {answer: {fdi: 1}}}"), "analysis.margins.answer.fdi"),
    "scales that no measure has": (
        analysis("{missing: scale}", measures='[{name: answer, choices: ["yes", "no"]}]'),
        "analysis.missing",
    ),
    "limits of another kind": (analysis("{missing: observed}"), "analysis.missing"),
    "power of an unknown measure": (analysis("{power: {sentimnt: {sd: 1, effect: 0.1}}}"), "analysis.power.sentimnt"),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]


def test_every_group_is_compared_with_the_rest_where_the_file_says_nothing(write_study):
    study = load_study(write_study(BASE))
    assert study.references == {"gender": (Against.REST, None), "gender x race": (Against.REST, None)}
    assert (study.requested_contrasts, study.n_bootstrap) == ((), 2_000)
    assert (study.primary, study.families) == (None, {})


def test_reference_levels_of_all_factors_make_the_reference_group(write_study):
    factors = "{gender: {levels: [woman, man], reference: man}, race: {levels: [a, b], reference: b}}"
    study = load_study(write_study(analysis("{reference: reference_level}", factors=factors)))
    assert study.references == {"gender": (Against.LEVEL, "man"), "gender x race": (Against.LEVEL, "man x b")}


def test_contrasts_of_statistics_that_are_asked_for_can_be_asked_for(write_study):
    spec = "{statistics: [mean, median], contrasts: [dbi, median_difference]}"
    assert load_study(write_study(analysis(spec))).requested_contrasts == ("dbi", "median_difference")


def test_sets_may_name_systems_that_only_an_import_knows(write_study):
    sections = {
        "prompts": (
            "{import: {path: scores.csv, columns: {prompt: id, system: model, response: answer}, "
            "factors: {gender: sex}}}"
        ),
        "systems": '[{name: "*", provider: replay}]',
        "slices": "{each: gender}",
        "analysis": "{families: {one: {systems: [gpt_4], slices: [woman]}}}",
    }
    study = load_study(write_study(sections), check_files=False)
    assert study.families["one"].systems == ["gpt_4"]


def test_the_margins_of_the_documents_hold_where_the_study_declares_none(write_study):
    margins = load_study(write_study(analysis("{margins: {dbi: 0.5, sentiment: {range: 0.1}}}"))).margins
    # metrics.md 6.6
    defaults = {"fdi": 0.15, "idi": 0.2, "cramers_v": 0.1, "jsd": 0.1, "impact_ratio": 0.8}
    assert margins == {**defaults, "dbi": 0.5, "sentiment": {"range": 0.1}}


@pytest.mark.parametrize(
    "text",
    [
        "{margins: {jsd: 0.5, dbi: 1.5, mean_difference: 20, log_disparity: 2, range: 3}}",
        "{margins: {sentiment: {mean_difference: 3, dbi: 2, impact_ratio: 0.8}}}",
        "{margins: {answer: {risk_difference: 0.1, jsd: 0.2}}}",
        "{primary: {measures: [answer, sentiment], statistics: [mean, share]}}",
        "{families: {one: {measures: [refusal], systems: [baseline], calibrations: [raw, calibrated]}}}",
        "{families: {one: {measures: [answer_unscored]}}}",
        "{families: {one: {statistics: [mean, variance]}}}",
        "{primary: {measures: [sentiment]}, families: {one: {measures: [sentiment, refusal]}, "
        "two: {measures: [sentiment], calibrations: [calibrated]}}}",
        "{primary: {measures: [sentiment]}, families: {one: {groupings: [gender]}}}",
    ],
)
def test_what_some_row_can_match_is_no_mistake(write_study, text):
    load_study(write_study(analysis(text)))


def test_kinds_have_the_contrasts_and_metrics_that_inference_writes():
    for kind in get_args(Kind):
        roles = ("label", "labels") if kind == "categorical" else (kind,)
        assert {name for role in roles for name in CONTRASTS_BY_ROLE[role]} <= set(metric_names("contrasts", kind))
    tested = {kind: metric_names("disparities", kind, is_tested=True) for kind in get_args(Kind)}
    of_truth = {"jsd_truth_weighted", "jsd_truth_unweighted"}
    assert set(tested["categorical"]) == {*PROFILE_INDICES, IDI, *of_truth}
    assert tested["continuous"] == tested["binary"] == (*INDICES, *RATE_INDICES)


def test_differences_of_pairs_and_standards_are_of_continuous_measures():
    only = set(metric_names("contrasts", "continuous")) - set(metric_names("contrasts", "binary"))
    assert only == {
        "mean_difference",
        "dbi",
        "correlation_difference",
        "kl_divergence_difference",
        "precision_difference",
        "selection_rate_difference",
    }


def test_missing_answers_are_filled_within_a_scale_where_the_study_says_so(write_study):
    assert not load_study(write_study(BASE)).fills_scale
    assert load_study(write_study(analysis("{missing: scale}", measures="[vader]"))).fills_scale
    assert "missing" not in load_study(write_study(BASE)).config_json
