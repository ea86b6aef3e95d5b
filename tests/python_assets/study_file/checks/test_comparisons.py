import pytest

from tests.python_assets.study_file.sections import SCRAPE, TEMPLATES, imported

MARGINS = (
    "'mean_difference', 'risk_difference', 'log_disparity', 'dbi', 'fdi_group', 'selection_rate_difference', "
    "'precision_difference', 'range', 'standard_deviation', 'impact_ratio', 'fdi', 'idi' and 2 more"
)
FACTORS = "'source_tag', 'keyword', 'document', 'task', 'is_root'"


CASES = {
    "an unknown factor in a grouping": ({**SCRAPE, "groupings": "[concept, [concept, gendr]]"}, "groupings[1]"),
    "a factor of generations that none has a level of": (
        {**SCRAPE, "groupings": "[concept, system_prompt]"},
        "groupings[1]",
    ),
    "a level of models that no generation has, in a slice": (
        {**SCRAPE, "slices": "{biased: {system: biased}}"},
        "slices.biased.system",
    ),
    "a factor of generations among those that coverage is counted for": (
        {**SCRAPE, "analysis": "{coverage: {factors: [system]}}"},
        "analysis.coverage.factors[0]",
    ),
    "a model factor without a reference level that groups are compared with": (
        {**SCRAPE, "groupings": "[system]", "analysis": "{reference: reference_level}"},
        "analysis.reference",
    ),
    "a model factor as the unit": (
        {**SCRAPE, "factors": "{size: {type: model, levels: [small, large]}}", "unit": "size"},
        "unit",
    ),
    "the unit in a grouping": (
        {**SCRAPE, "unit": "document", "groupings": "[concept, [concept, document]]"},
        "groupings[1]",
    ),
    "a grouping twice": ({**SCRAPE, "groupings": "[[concept, task], [task, concept]]"}, "groupings[1]"),
    "a factor twice in a grouping": ({**SCRAPE, "groupings": "[[concept, concept]]"}, "groupings[0]"),
    "a depth beyond the factors": ({**SCRAPE, "groupings": "{factors: [concept, task], depth: 3}"}, "groupings.depth"),
    "a depth of subgroups beyond their factors": (
        {**SCRAPE, "analysis": "{subgroups: {factors: [concept, task], depth: 3}}"},
        "analysis.subgroups.depth",
    ),
    "nothing to compare by": ({**TEMPLATES, "factors": "{gender: {type: prompt, levels: [woman, man]}}"}, "groupings"),
    "an unknown level in a slice": (
        {**SCRAPE, "slices": "{south: {concept: [Italy, Itly]}}"},
        "slices.south.concept[1]",
    ),
    "an undeclared level of an import in a slice": (
        {**imported(factors="{gender: {levels: [woman, man]}}"), "slices": "{women: {gender: women}}"},
        "slices.women.gender",
    ),
    "a slice named all": ({**SCRAPE, "slices": "{all: {concept: Italy}}"}, "slices.all"),
    "a slice with the name of a level": (
        {**SCRAPE, "slices": "{each: concept, Italy: {concept: Ideraland}}"},
        "slices.each",
    ),
    "a statistic twice": ({**SCRAPE, "analysis": "{statistics: [mean, mean]}"}, "analysis.statistics[1]"),
    "target shares that do not add up": (
        {**SCRAPE, "analysis": "{coverage: {targets: {concept: {Italy: 0.5, Ideraland: 0.4}}}}"},
        "analysis.coverage.targets.concept",
    ),
    "a target of a level that is not there": (
        {**SCRAPE, "analysis": "{coverage: {targets: {concept: {Italy: 0.5, Ideralan: 0.5}}}}"},
        "analysis.coverage.targets.concept.Ideralan",
    ),
    "a level without a target": (
        {**SCRAPE, "analysis": "{coverage: {targets: {concept: {Italy: 1.0}}}}"},
        "analysis.coverage.targets.concept",
    ),
    "a target of a factor that is not there": (
        {**SCRAPE, "analysis": "{coverage: {targets: {gendr: {Italy: 1.0}}}}"},
        "analysis.coverage.targets.gendr",
    ),
    "an impossible cell of one factor": (
        {**SCRAPE, "analysis": "{coverage: {impossible: [{concept: Italy}]}}"},
        "analysis.coverage.impossible[0]",
    ),
    "an impossible cell of no level": (
        {**SCRAPE, "analysis": "{coverage: {impossible: [{concept: [], task: completion}]}}"},
        "analysis.coverage.impossible[0]",
    ),
    "a margin for an unknown metric": (
        {**SCRAPE, "analysis": "{margins: {impact_rato: 0.8}}"},
        "analysis.margins.impact_rato",
    ),
    "a margin for an unknown measure": (
        {**SCRAPE, "analysis": "{margins: {vadr: {range: 0.1}}}"},
        "analysis.margins.vadr",
    ),
    "a margin of nothing": ({**SCRAPE, "analysis": "{margins: {range: 0}}"}, "analysis.margins.range"),
    "a ratio that is none": ({**SCRAPE, "analysis": "{margins: {impact_ratio: 80}}"}, "analysis.margins.impact_ratio"),
    "an unknown factor as the unit": ({**TEMPLATES, "unit": "gendr"}, "unit"),
    "a model factor in a grouping": (
        {**SCRAPE, "factors": "{size: {type: model, levels: [small, large]}}", "groupings": "[size]"},
        "groupings[0]",
    ),
    "an unknown factor in each": ({**SCRAPE, "slices": "{each: concpt}"}, "slices.each"),
    "an unknown factor in a slice": ({**SCRAPE, "slices": "{south: {concpt: Italy}}"}, "slices.south.concpt"),
    "an unknown factor in coverage": (
        {**SCRAPE, "analysis": "{coverage: {factors: [concept, tsk]}}"},
        "analysis.coverage.factors[1]",
    ),
    "an impossible cell of a factor that is not counted": (
        {**SCRAPE, "analysis": "{coverage: {impossible: [{concept: Italy, task: completion}]}}"},
        "analysis.coverage.impossible[0].task",
    ),
    "an impossible cell of a factor that another is mapped from": (
        {
            **SCRAPE,
            "factors": "{side: {map: {from: concept, file: sides.csv}}}",
            "groupings": "[concept, side, task]",
            "analysis": "{coverage: {impossible: [{side: left, task: completion}]}}",
        },
        "analysis.coverage.impossible[0].side",
    ),
    "an unknown level of an impossible cell": (
        {
            **SCRAPE,
            "analysis": "{coverage: {factors: [concept, task], impossible: [{concept: Itly, task: completion}]}}",
        },
        "analysis.coverage.impossible[0].concept",
    ),
    "an unknown factor of subgroups": (
        {**SCRAPE, "analysis": "{subgroups: {factors: [concept, tsk]}}"},
        "analysis.subgroups.factors[1]",
    ),
    "a factor of subgroups twice": (
        {**SCRAPE, "analysis": "{subgroups: {factors: [concept, concept]}}"},
        "analysis.subgroups.factors[1]",
    ),
    "an ideal rate beyond all responses": (
        {**SCRAPE, "analysis": "{subgroups: {ideal: {deviation_rate: 2}}}"},
        "analysis.subgroups.ideal.deviation_rate",
    ),
    "a margin for a measure without a metric": (
        {**SCRAPE, "analysis": "{margins: {refusal: 0.1}}"},
        "analysis.margins.refusal",
    ),
    "a margin for an unknown metric of a measure": (
        {**SCRAPE, "analysis": "{margins: {vader: {rnge: 0.1}}}"},
        "analysis.margins.vader.rnge",
    ),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]
