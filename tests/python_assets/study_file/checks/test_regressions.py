import pytest

from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import SCRAPE, TEMPLATES

CROSSED = {
    **TEMPLATES,
    "factors": "{gender: {levels: [woman, man], reference: man}, tone: {type: prompt, levels: [plain]}}",
    "prompts": '{templates: {cross: [gender, tone], texts: [{id: t1, text: "A {gender} asks {tone}."}]}}',
}


def regression(text, sections=SCRAPE):
    return {**sections, "analysis": f"{{regressions: {{why: {text}}}}}"}


CASES = {
    "an unknown factor": (regression("{measure: refusal, factors: [concpt]}"), "analysis.regressions.why.factors[0]"),
    "an unknown measure": (regression("{measure: refusals, factors: [concept]}"), "analysis.regressions.why.measure"),
    "a measure that is not binary": (
        regression("{measure: vader, factors: [concept]}"),
        "analysis.regressions.why.measure",
    ),
    "a reference that is no level": (
        regression("{measure: refusal, factors: {concept: Itly}}"),
        "analysis.regressions.why.factors.concept",
    ),
    "a factor of one level": (
        regression("{measure: refusal, factors: [gender, tone]}", CROSSED),
        "analysis.regressions.why.factors[1]",
    ),
    "a factor twice": (
        regression("{measure: refusal, factors: [concept, concept]}"),
        "analysis.regressions.why.factors[1]",
    ),
    "the unit as a factor": (
        regression("{measure: refusal, factors: [concept, document]}", {**SCRAPE, "unit": "document"}),
        "analysis.regressions.why.factors[1]",
    ),
    "an interaction of a factor that is not there": (
        regression("{measure: refusal, factors: [concept, task], interactions: [[concept, keyword]]}"),
        "analysis.regressions.why.interactions[0][1]",
    ),
    "an interaction twice": (
        regression("{measure: refusal, factors: [concept, task], interactions: [[concept, task], [task, concept]]}"),
        "analysis.regressions.why.interactions[1]",
    ),
    "an unknown slice": (
        regression("{measure: refusal, factors: [concept], slice: south}"),
        "analysis.regressions.why.slice",
    ),
    "an unknown generation": (
        regression("{measure: refusal, factors: [concept], systems: [fiar]}"),
        "analysis.regressions.why.systems[0]",
    ),
    "a name with blanks": (
        {**SCRAPE, "analysis": "{regressions: {Why not: {measure: refusal, factors: [concept]}}}"},
        'analysis.regressions["Why not"]',
    ),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]


def test_factors_of_models_and_derived_factors_can_be_regressed_on(write_study):
    sections = regression("{measure: refusal, factors: [concept, model, system_prompt, is_root]}")
    study = load_study(write_study(sections), check_files=False)
    assert list(study.regressions["why"].declared_references) == ["concept", "model", "system_prompt", "is_root"]
