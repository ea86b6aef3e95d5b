import pytest

from tests.python_assets.study_file.sections import SCRAPE, TEMPLATES

CASES = {
    "other levels of the scraped factor": (
        {**SCRAPE, "factors": "{concept: {levels: [Italy, Rome]}}"},
        "factors.concept.levels",
    ),
    "a declared level twice": ({**TEMPLATES, "factors": "{gender: {levels: [man, man]}}"}, "factors.gender.levels[1]"),
    "a declared level in another spelling": (
        {**TEMPLATES, "factors": '{gender: {levels: [man, woman, "Man\\u200b"]}}'},
        "factors.gender.levels[2]",
    ),
    "a reference that is no level": (
        {**TEMPLATES, "factors": "{gender: {levels: [woman, man], reference: men}}"},
        "factors.gender.reference",
    ),
    "a factor that no prompt has": (
        {**TEMPLATES, "factors": "{gender: {levels: [woman, man]}, age: {levels: [old]}}"},
        "factors.age",
    ),
    "a factor of every prompt": ({**SCRAPE, "factors": "{keyword: {}}"}, "factors.keyword"),
    "a text for no level": (
        {**TEMPLATES, "factors": "{gender: {levels: [woman, man], texts: {womn: she}}}"},
        "factors.gender.texts.womn",
    ),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]
