from typing import get_args

import pytest

from python_assets.infer.indices import INDICES, RATE_INDICES
from python_assets.infer.profiles import PROFILE_INDICES
from python_assets.infer.rows import CONTRASTS, IDI
from python_assets.study.base import Against
from python_assets.study.metrics import metric_names
from python_assets.study.study import Kind
from python_assets.study_file.load import load_study

BASE = {
    "factors": "{gender: {levels: [woman, man], reference: man}, race: {levels: [a, b]}}",
    "prompts": '{templates: {cross: [gender, race], texts: [{id: t1, text: "A {gender} {race} asks."}]}}',
    "generations": "[{name: fair, provider: simulator}]",
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
    "a factor without a reference level": (
        analysis("{reference: reference_level}"),
        'analysis.reference: got "reference_level"; expected a reference level of every factor of the '
        "groupings; 'race' has none; add reference: LEVEL to race under factors:, or compare with the rest",
    ),
    "an unknown reference": (
        analysis("{reference: grandmean}"),
        "analysis.reference: got \"grandmean\"; expected one of 'rest', 'grand_mean', 'reference_level', "
        "'all_pairs'; did you mean 'grand_mean'?",
    ),
    "a contrast twice": (
        analysis("{contrasts: [dbi, dbi]}"),
        'analysis.contrasts[1]: got "dbi"; expected each contrast once; remove one of them',
    ),
    "a misspelt contrast": (
        analysis("{contrasts: [selection_rat_difference]}"),
        'analysis.contrasts[0]: got "selection_rat_difference"; expected a contrast that can be asked for: '
        f"{ON_REQUEST}; did you mean 'selection_rate_difference'?",
    ),
    "a contrast of a statistic that is not computed": (
        analysis("{contrasts: [median_difference]}"),
        'analysis.contrasts[0]: got "median_difference"; expected median among the statistics, which the '
        "contrast is of; add median to analysis.statistics",
    ),
    "families, which are no more": (
        analysis("{families: {all: {contrasts: [dbi]}}}"),
        'analysis.families: got {"all": {"contrasts": ["dbi"]}}; expected nothing here, for questions are '
        "corrected in sets and no longer in families; name the main questions under analysis.primary, and "
        "others that are to be corrected by themselves under analysis.sets",
    ),
    "a set of nothing": (
        analysis("{sets: {all: {}}}"),
        "analysis.sets.all: got {}; expected at least one list of what the questions are about; add "
        "measures: [...]",
    ),
    "an empty list of a set": (
        analysis("{primary: {measures: []}}"),
        "analysis.primary.measures: got []; expected at least 1 in the list; correct it",
    ),
    "an unknown measure of the primary set": (
        analysis("{primary: {measures: [sentiment, sentimnt]}}"),
        "analysis.primary.measures[1]: got \"sentimnt\"; expected a measure: 'sentiment', 'answer', "
        "'answer_unmatched', 'refusal', 'empty', 'truncated'; did you mean 'sentiment'?",
    ),
    "an unknown grouping of a set": (
        analysis("{sets: {race: {groupings: [race]}}}"),
        "analysis.sets.race.groupings[0]: got \"race\"; expected a grouping: 'gender', 'gender x race'; "
        "correct the name or remove it",
    ),
    "an unknown generation of a set": (
        analysis("{sets: {one: {generations: [far]}}}"),
        "analysis.sets.one.generations[0]: got \"far\"; expected a generation: 'fair', 'baseline', 'all'; "
        "did you mean 'fair'?",
    ),
    "an unknown slice of a set": (
        analysis("{sets: {one: {slices: [al]}}}", slices="{each: race}"),
        "analysis.sets.one.slices[0]: got \"al\"; expected a slice: 'all', 'a', 'b'; did you mean 'all'?",
    ),
    "a statistic of a set that is not computed": (
        analysis("{statistics: [mean], sets: {one: {statistics: [kurtosis]}}}"),
        "analysis.sets.one.statistics[0]: got \"kurtosis\"; expected a statistic of the study: 'mean', "
        "'share'; correct the name or remove it",
    ),
    "a set with the name of one that every study has": (
        analysis("{sets: {secondary: {measures: [sentiment]}}}"),
        "analysis.sets.secondary: got \"secondary\"; expected a name of its own; 'primary', 'secondary', "
        "'baseline', 'comparison', 'truth', 'effects' are sets that every study has; rename the set",
    ),
    "a statistic that no measure of the set has": (
        analysis("{primary: {measures: [answer], statistics: [mean]}}"),
        'analysis.primary.statistics: got ["mean"]; expected statistics that one of its measures has, such '
        "as share; correct the list, or the measures",
    ),
    "a set whose questions are the primary ones": (
        analysis("{primary: {measures: [sentiment, refusal]}, sets: {one: {measures: [refusal]}}}"),
        "analysis.sets.one: got nothing; expected one question at least that analysis.primary does not name; "
        "correct its lists, or remove it",
    ),
    "a margin of all rates past 1": (
        analysis("{margins: {risk_difference: 5}}"),
        "analysis.margins.risk_difference: got 5; expected a number below 1, for risk_difference is never "
        "larger than 1; write a share: 0.05 for 5 %",
    ),
    "a margin of labels for a difference of means": (
        analysis("{margins: {answer: {mean_difference: 0.1}}}"),
        "analysis.margins.answer.mean_difference: got 0.1; expected a contrast or metric that a categorical "
        "measure has: 'risk_difference', 'fdi_group', 'fdi', 'idi', 'cramers_v', 'jsd'; write "
        "risk_difference: 0.1 instead",
    ),
    "a margin of a score for a difference of rates": (
        analysis("{margins: {sentiment: {risk_difference: 0.1}}}"),
        "analysis.margins.sentiment.risk_difference: got 0.1; expected a contrast or metric that a "
        "continuous measure has: 'mean_difference', 'dbi', 'selection_rate_difference', "
        "'precision_difference', 'range', 'standard_deviation', 'impact_ratio'; write mean_difference: 0.1 "
        "instead",
    ),
    "a margin of 0 and 1 for a distance of labels": (
        analysis("{margins: {refusal: {fdi: 0.1}}}"),
        "analysis.margins.refusal.fdi: got 0.1; expected a contrast or metric that a binary measure has: "
        "'risk_difference', 'log_disparity', 'range', 'standard_deviation', 'impact_ratio'; remove it",
    ),
    "power from an sd and a rate": (
        analysis("{power: {refusal: {sd: 1, rate: 0.1, effect: 0.1}}}"),
        'analysis.power.refusal: got {"sd": 1, "rate": 0.1, "effect": 0.1}; expected exactly one of sd and '
        "rate; keep one",
    ),
    "the rate of a continuous measure": (
        analysis("{power: {sentiment: {rate: 0.1, effect: 0.1}}}"),
        "analysis.power.sentiment.rate: got 0.1; expected sd for a continuous measure; a rate is of a binary "
        "or categorical one; write sd: instead",
    ),
    "the sd of a rate": (
        analysis("{power: {answer: {sd: 0.1, effect: 0.1}}}"),
        "analysis.power.answer.sd: got 0.1; expected rate for a measure of labels or of 0 and 1, which has "
        "no sd of its own; write rate: instead",
    ),
    "a difference of rates past 1": (
        analysis("{power: {refusal: {rate: 0.1, effect: 5}}}"),
        "analysis.power.refusal.effect: got 5; expected a difference of rates, which is below 1; choose "
        "another number",
    ),
    "a study as its own pilot": (
        analysis("{pilot: mine}"),
        'analysis.pilot: got "mine"; expected another study, which was run before; name the pilot, or '
        "remove it",
    ),
    "too few resamples": (
        analysis("{bootstrap: 50}"),
        "analysis.bootstrap: got 50; expected a number greater than or equal to 200; choose another number",
    ),
}
SAME_KIND = {
    "a contrast that is always there": (
        analysis("{contrasts: [mean_difference]}"),
        "analysis.contrasts[0]",
        "one of",
    ),
    "a margin of one rate past 1": (
        analysis("{margins: {answer: {fdi: 1}}}"),
        "analysis.margins.answer.fdi",
        "a number below",
    ),
    "power of an unknown measure": (
        analysis("{power: {sentimnt: {sd: 1, effect: 0.1}}}"),
        "analysis.power.sentimnt",
        "a measure",
    ),
}


@pytest.mark.parametrize(("sections", "expected"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_with_field_value_expectation_and_remedy(problem_texts, sections, expected):
    assert problem_texts(sections) == [expected]


@pytest.mark.parametrize(("sections", "field", "kind"), SAME_KIND.values(), ids=SAME_KIND)
def test_a_mistake_of_the_same_kind_is_told_at_its_own_field(mistakes, sections, field, kind):
    assert mistakes(sections) == [(field, kind)]


def test_every_group_is_compared_with_the_rest_where_the_file_says_nothing(write_study):
    study = load_study(write_study(BASE))
    assert study.references == {"gender": (Against.REST, None), "gender x race": (Against.REST, None)}
    assert (study.requested_contrasts, study.n_bootstrap) == ((), 2_000)
    assert (study.primary, study.question_sets) == (None, {})


def test_reference_levels_of_all_factors_make_the_reference_group(write_study):
    factors = "{gender: {levels: [woman, man], reference: man}, race: {levels: [a, b], reference: b}}"
    study = load_study(write_study(analysis("{reference: reference_level}", factors=factors)))
    assert study.references == {
        "gender": (Against.LEVEL, "man"),
        "gender x race": (Against.LEVEL, "man x b"),
    }


def test_contrasts_of_statistics_that_are_asked_for_can_be_asked_for(write_study):
    spec = "{statistics: [mean, median], contrasts: [dbi, median_difference]}"
    assert load_study(write_study(analysis(spec))).requested_contrasts == ("dbi", "median_difference")


def test_sets_may_name_generations_that_only_an_import_knows(write_study):
    sections = {
        "prompts": (
            "{import: {path: scores.csv, columns: {prompt: id, generation: model, response: answer}, "
            "factors: {gender: sex}}}"
        ),
        "generations": '[{name: "*", provider: replay}]',
        "slices": "{each: gender}",
        "analysis": "{sets: {one: {generations: [gpt_4], slices: [woman]}}}",
    }
    study = load_study(write_study(sections), check_files=False)
    assert study.question_sets["one"].generations == ["gpt_4"]


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
        "{sets: {one: {measures: [refusal], generations: [baseline], calibrations: [raw, calibrated]}}}",
        "{sets: {one: {measures: [answer_unmatched]}}}",
        "{sets: {one: {statistics: [mean, variance]}}}",
        "{primary: {measures: [sentiment]}, sets: {one: {measures: [sentiment, refusal]}, "
        "two: {measures: [sentiment], calibrations: [calibrated]}}}",
        "{primary: {measures: [sentiment]}, sets: {one: {groupings: [gender]}}}",
    ],
)
def test_what_some_row_can_match_is_no_mistake(write_study, text):
    load_study(write_study(analysis(text)))


def test_kinds_have_the_contrasts_and_metrics_that_inference_writes():
    for kind in get_args(Kind):
        roles = ("label", "labels") if kind == "categorical" else (kind,)
        assert {name for role in roles for name in CONTRASTS[role]} <= set(metric_names("contrasts", kind))
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
