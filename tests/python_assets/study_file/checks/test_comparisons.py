import pytest

from tests.python_assets.study_file.sections import SCRAPE, TEMPLATES, imported

MARGINS = (
    "'mean_difference', 'risk_difference', 'log_disparity', 'dbi', 'fdi_group', 'selection_rate_difference', "
    "'precision_difference', 'range', 'standard_deviation', 'impact_ratio', 'fdi', 'idi' and 2 more"
)
FACTORS = "'source_tag', 'keyword', 'document', 'task', 'is_root'"


CASES = {
    "an unknown factor in a grouping": (
        {**SCRAPE, "groupings": "[concept, [concept, gendr]]"},
        f"groupings[1]: got \"gendr\"; expected a factor: 'concept', {FACTORS}, 'generation', 'decoding'; "
        "declare it under factors:, or take one of these",
    ),
    "a factor of generations that none has a level of": (
        {**SCRAPE, "groupings": "[concept, role]"},
        'groupings[1]: got "role"; expected a role of some generation; give the generations a role, or '
        "remove it",
    ),
    "a level of models that no generation has, in a slice": (
        {**SCRAPE, "slices": "{biased: {generation: biased}}"},
        "slices.biased.generation: got \"biased\"; expected a level of generation: 'fair'; "
        "correct it, or add it to the levels",
    ),
    "a factor of generations among those that coverage is counted for": (
        {**SCRAPE, "analysis": "{coverage: {factors: [generation]}}"},
        f"analysis.coverage.factors[0]: got \"generation\"; expected a factor: 'concept', {FACTORS}; "
        "declare it under factors:, or take one of these",
    ),
    "a model factor without a reference level that groups are compared with": (
        {**SCRAPE, "groupings": "[generation]", "analysis": "{reference: reference_level}"},
        'analysis.reference: got "reference_level"; expected a reference level of every factor of the '
        "groupings; 'generation' has none; add type: model and reference: LEVEL to generation under "
        "factors:, or compare with the rest",
    ),
    "a model factor as the unit": (
        {**SCRAPE, "factors": "{size: {type: model, levels: [small, large]}}", "unit": "size"},
        f"unit: got \"size\"; expected a factor of prompts, not of models: 'concept', {FACTORS}; "
        "remove it; generations are told apart in every table",
    ),
    "the unit in a grouping": (
        {**SCRAPE, "unit": "document", "groupings": "[concept, [concept, document]]"},
        'groupings[1]: got "document"; expected factors other than the unit, whose levels stand for one '
        "group each; take it out, or declare another unit",
    ),
    "a grouping twice": (
        {**SCRAPE, "groupings": "[[concept, task], [task, concept]]"},
        "groupings[1]: got \"task x concept\"; expected each grouping once; 'concept x task' is "
        "there already; "
        "remove one of them",
    ),
    "a factor twice in a grouping": (
        {**SCRAPE, "groupings": "[[concept, concept]]"},
        'groupings[0]: got "concept"; expected each factor of a grouping once; remove one of them',
    ),
    "a depth beyond the factors": (
        {**SCRAPE, "groupings": "{factors: [concept, task], depth: 3}"},
        "groupings.depth: got 3; expected a depth of at most 2, the number of factors; lower it",
    ),
    "a depth of subgroups beyond their factors": (
        {**SCRAPE, "analysis": "{subgroups: {factors: [concept, task], depth: 3}}"},
        "analysis.subgroups.depth: got 3; expected a depth of at most 2, the number of factors; lower it",
    ),
    "nothing to compare by": (
        {**TEMPLATES, "factors": "{gender: {type: prompt, levels: [woman, man]}}"},
        "groupings: got nothing; expected at least one factor to compare by; "
        "add groupings: [FACTOR], or give a factor type: domain",
    ),
    "an unknown level in a slice": (
        {**SCRAPE, "slices": "{south: {concept: [Italy, Itly]}}"},
        "slices.south.concept[1]: got \"Itly\"; expected a level of concept: 'Ideraland', 'Italy'; "
        "did you mean 'Italy'?",
    ),
    "an undeclared level of an import in a slice": (
        {
            **imported(factors="{gender: {levels: [woman, man]}}"),
            "slices": "{women: {gender: women}}",
        },
        "slices.women.gender: got \"women\"; expected a level of gender: 'woman', 'man'; did you "
        "mean 'woman'?",
    ),
    "a slice named all": (
        {**SCRAPE, "slices": "{all: {concept: Italy}}"},
        "slices.all: got \"all\"; expected a name other than 'all', the slice of all prompts, which "
        "is always "
        "there; rename it",
    ),
    "a slice with the name of a level": (
        {**SCRAPE, "slices": "{each: concept, Italy: {concept: Ideraland}}"},
        'slices.each: got "concept"; expected a factor whose levels are not names of slices; '
        "'Italy' is one; "
        "rename the slice or the level",
    ),
    "a statistic twice": (
        {**SCRAPE, "analysis": "{statistics: [mean, mean]}"},
        'analysis.statistics[1]: got "mean"; expected each statistic once, unless its options differ; '
        "remove one of them",
    ),
    "target shares that do not add up": (
        {**SCRAPE, "analysis": "{coverage: {targets: {concept: {Italy: 0.5, Ideraland: 0.4}}}}"},
        'analysis.coverage.targets.concept: got {"Italy": 0.5, "Ideraland": 0.4}; expected shares of all '
        "levels, which add up to 1 (within 0.01), not 0.9; correct them, or name the missing level",
    ),
    "a target of a level that is not there": (
        {**SCRAPE, "analysis": "{coverage: {targets: {concept: {Italy: 0.5, Ideralan: 0.5}}}}"},
        'analysis.coverage.targets.concept.Ideralan: got "Ideralan"; expected a level of concept: '
        "'Ideraland', 'Italy'; did you mean 'Ideraland'?",
    ),
    "a level without a target": (
        {**SCRAPE, "analysis": "{coverage: {targets: {concept: {Italy: 1.0}}}}"},
        'analysis.coverage.targets.concept: got {"Italy": 1.0}; expected a share of every level of concept: '
        "'Ideraland' has none; add it, 0 where none is meant",
    ),
    "a target of a factor that is not there": (
        {**SCRAPE, "analysis": "{coverage: {targets: {gendr: {Italy: 1.0}}}}"},
        "analysis.coverage.targets.gendr: got \"gendr\"; expected a factor: 'concept', 'source_tag', "
        "'keyword', 'document', 'task', 'is_root'; declare it under factors:, or take one of these",
    ),
    "an impossible cell of one factor": (
        {**SCRAPE, "analysis": "{coverage: {impossible: [{concept: Italy}]}}"},
        'analysis.coverage.impossible[0]: got {"concept": "Italy"}; expected levels of two factors or more '
        "that cannot stand together; name the other factor",
    ),
    "an impossible cell of no level": (
        {**SCRAPE, "analysis": "{coverage: {impossible: [{concept: [], task: completion}]}}"},
        'analysis.coverage.impossible[0]: got {"concept": [], "task": "completion"}; expected a level of '
        "concept; name it, or remove the factor",
    ),
    "a margin for an unknown metric": (
        {**SCRAPE, "analysis": "{margins: {impact_rato: 0.8}}"},
        'analysis.margins.impact_rato: got "impact_rato"; expected a contrast or metric: '
        f"{MARGINS}; "
        "did you mean 'impact_ratio'?",
    ),
    "a margin for an unknown measure": (
        {**SCRAPE, "analysis": "{margins: {vadr: {range: 0.1}}}"},
        "analysis.margins.vadr: got \"vadr\"; expected a measure: 'vader', 'refusal', 'empty', "
        "'truncated'; did you mean 'vader'?",
    ),
    "a margin of nothing": (
        {**SCRAPE, "analysis": "{margins: {range: 0}}"},
        "analysis.margins.range: got 0; expected a number above 0; choose another number",
    ),
    "a ratio that is none": (
        {**SCRAPE, "analysis": "{margins: {impact_ratio: 80}}"},
        "analysis.margins.impact_ratio: got 80; expected a ratio between 0 and 1; choose another number",
    ),
}
SAME_KIND = {
    "an unknown factor as the unit": (
        {**TEMPLATES, "unit": "gendr"},
        "unit",
        "a factor",
    ),
    "a model factor in a grouping": (
        {**SCRAPE, "factors": "{size: {type: model, levels: [small, large]}}", "groupings": "[size]"},
        "groupings[0]",
        "a size of some generation",
    ),
    "an unknown factor in each": (
        {**SCRAPE, "slices": "{each: concpt}"},
        "slices.each",
        "a factor",
    ),
    "an unknown factor in a slice": (
        {**SCRAPE, "slices": "{south: {concpt: Italy}}"},
        "slices.south.concpt",
        "a factor",
    ),
    "an unknown factor in coverage": (
        {**SCRAPE, "analysis": "{coverage: {factors: [concept, tsk]}}"},
        "analysis.coverage.factors[1]",
        "a factor",
    ),
    "an impossible cell of a factor that is not counted": (
        {**SCRAPE, "analysis": "{coverage: {impossible: [{concept: Italy, task: completion}]}}"},
        "analysis.coverage.impossible[0].task",
        "a factor that coverage is counted for",
    ),
    "an impossible cell of a factor that another is mapped from": (
        {
            **SCRAPE,
            "factors": "{side: {map: {from: concept, file: sides.csv}}}",
            "groupings": "[concept, side, task]",
            "analysis": "{coverage: {impossible: [{side: left, task: completion}]}}",
        },
        "analysis.coverage.impossible[0].side",
        "a factor that coverage is counted for",
    ),
    "an unknown level of an impossible cell": (
        {
            **SCRAPE,
            "analysis": "{coverage: {factors: [concept, task], "
            "impossible: [{concept: Itly, task: completion}]}}",
        },
        "analysis.coverage.impossible[0].concept",
        "a level of concept",
    ),
    "an unknown factor of subgroups": (
        {**SCRAPE, "analysis": "{subgroups: {factors: [concept, tsk]}}"},
        "analysis.subgroups.factors[1]",
        "a factor",
    ),
    "a factor of subgroups twice": (
        {**SCRAPE, "analysis": "{subgroups: {factors: [concept, concept]}}"},
        "analysis.subgroups.factors[1]",
        "each factor once",
    ),
    "an ideal rate beyond all responses": (
        {**SCRAPE, "analysis": "{subgroups: {ideal: {deviation_rate: 2}}}"},
        "analysis.subgroups.ideal.deviation_rate",
        "a number less than or equal to",
    ),
    "a margin for a measure without a metric": (
        {**SCRAPE, "analysis": "{margins: {refusal: 0.1}}"},
        "analysis.margins.refusal",
        "a contrast or metric",
    ),
    "a margin for an unknown metric of a measure": (
        {**SCRAPE, "analysis": "{margins: {vader: {rnge: 0.1}}}"},
        "analysis.margins.vader.rnge",
        "a contrast or metric",
    ),
}


@pytest.mark.parametrize(("sections", "expected"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_with_field_value_expectation_and_remedy(problem_texts, sections, expected):
    assert problem_texts(sections) == [expected]


@pytest.mark.parametrize(("sections", "field", "kind"), SAME_KIND.values(), ids=SAME_KIND)
def test_a_mistake_of_the_same_kind_is_told_at_its_own_field(mistakes, sections, field, kind):
    assert mistakes(sections) == [(field, kind)]
