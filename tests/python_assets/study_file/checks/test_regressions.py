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
    "an unknown factor": (
        regression("{measure: refusal, factors: [concpt]}"),
        'analysis.regressions.why.factors[0]: got "concpt"',
        "did you mean 'concept'?",
    ),
    "an unknown measure": (
        regression("{measure: refusals, factors: [concept]}"),
        'analysis.regressions.why.measure: got "refusals"',
        "did you mean 'refusal'?",
    ),
    "a measure that is not binary": (
        regression("{measure: vader, factors: [concept]}"),
        'analysis.regressions.why.measure: got "vader"; expected a binary measure, for a logistic regression '
        "is of 0 and 1; vader is continuous",
        "name a binary measure, or declare one with kind: binary",
    ),
    "a reference that is no level": (
        regression("{measure: refusal, factors: {concept: Itly}}"),
        'analysis.regressions.why.factors.concept: got "Itly"; expected a level of concept',
        "did you mean 'Italy'?",
    ),
    "a factor of one level": (
        regression("{measure: refusal, factors: [gender, tone]}", CROSSED),
        'analysis.regressions.why.factors[1]: got "tone"; expected a factor of two levels or more; tone has '
        "'plain' alone",
        "take it out",
    ),
    "a factor twice": (
        regression("{measure: refusal, factors: [concept, concept]}"),
        'analysis.regressions.why.factors[1]: got "concept"; expected each factor once',
        "remove one of them",
    ),
    "the unit as a factor": (
        regression("{measure: refusal, factors: [concept, document]}", {**SCRAPE, "unit": "document"}),
        'analysis.regressions.why.factors[1]: got "document"; expected factors other than the unit',
        "take it out, or declare another unit",
    ),
    "an interaction of a factor that is not there": (
        regression("{measure: refusal, factors: [concept, task], interactions: [[concept, keyword]]}"),
        'analysis.regressions.why.interactions[0][1]: got "keyword"; expected a factor of the regression: '
        "'concept', 'task'",
        "add it to the factors, or take it out",
    ),
    "an interaction twice": (
        regression(
            "{measure: refusal, factors: [concept, task], interactions: [[concept, task], [task, concept]]}"
        ),
        "analysis.regressions.why.interactions[1]",
        "remove one of them",
    ),
    "an unknown slice": (
        regression("{measure: refusal, factors: [concept], slice: south}"),
        "analysis.regressions.why.slice: got \"south\"; expected a slice: 'all'",
        "correct the name or remove it",
    ),
    "an unknown generation": (
        regression("{measure: refusal, factors: [concept], generations: [fiar]}"),
        'analysis.regressions.why.generations[0]: got "fiar"',
        "did you mean 'fair'?",
    ),
    "a name with blanks": (
        {**SCRAPE, "analysis": "{regressions: {Why not: {measure: refusal, factors: [concept]}}}"},
        "analysis.regressions",
        "rename it",
    ),
}


@pytest.mark.parametrize(("sections", "begins", "ends"), CASES.values(), ids=CASES)
def test_a_mistake_names_the_field_and_the_remedy(problem_texts, sections, begins, ends):
    (problem,) = problem_texts(sections)
    assert problem.startswith(begins)
    assert problem.endswith(ends)


def test_factors_of_models_and_derived_factors_can_be_regressed_on(write_study):
    sections = regression("{measure: refusal, factors: [concept, model, role, is_root]}")
    study = load_study(write_study(sections), check_files=False)
    assert list(study.regressions["why"].declared_references) == ["concept", "model", "role", "is_root"]
