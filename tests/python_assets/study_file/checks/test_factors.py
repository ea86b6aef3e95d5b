import pytest

from tests.python_assets.study_file.sections import SCRAPE, TEMPLATES

CASES = {
    "other levels of the scraped factor": (
        {**SCRAPE, "factors": "{concept: {levels: [Italy, Rome]}}"},
        'factors.concept.levels: got ["Italy", "Rome"]; expected the levels of prompts.scrape: '
        "'Ideraland', "
        "'Italy'; remove levels here",
    ),
    "a declared level twice": (
        {**TEMPLATES, "factors": "{gender: {levels: [man, man]}}"},
        'factors.gender.levels[1]: got "man"; expected each level once; remove one of them',
    ),
    "a reference that is no level": (
        {**TEMPLATES, "factors": "{gender: {levels: [woman, man], reference: men}}"},
        "factors.gender.reference: got \"men\"; expected a level of gender: 'woman', 'man'; "
        "did you mean 'man'?",
    ),
    "a factor that no prompt has": (
        {**TEMPLATES, "factors": "{gender: {levels: [woman, man]}, age: {levels: [old]}}"},
        "factors.age: got \"age\"; expected a factor of the prompts: 'gender', 'template'; "
        "name it in prompts.templates.cross, or remove it",
    ),
    "a factor of every prompt": (
        {**SCRAPE, "factors": "{keyword: {}}"},
        "factors.keyword: got \"keyword\"; expected another name than 'source_tag', 'keyword', 'document', "
        "'task', 'is_root', which every prompt has; rename the factor or remove it",
    ),
}
SAME_KIND = {
    "a text for no level": (
        {**TEMPLATES, "factors": "{gender: {levels: [woman, man], texts: {womn: she}}}"},
        "factors.gender.texts.womn",
        "a level of gender",
    ),
}


@pytest.mark.parametrize(("sections", "expected"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_with_field_value_expectation_and_remedy(problem_texts, sections, expected):
    assert problem_texts(sections) == [expected]


@pytest.mark.parametrize(("sections", "field", "kind"), SAME_KIND.values(), ids=SAME_KIND)
def test_a_mistake_of_the_same_kind_is_told_at_its_own_field(mistakes, sections, field, kind):
    assert mistakes(sections) == [(field, kind)]
