import pytest

from python_assets.plan.plan import plan_study
from python_assets.study_file.load import load_study

SECTIONS = {
    "title": "Names",
    "domain": "x",
    "systems": "[{name: fair, provider: simulator}]",
    "factors": "{name: {levels: [Low Yi Ting, Nurul Huda]}, sight: {levels: [blind, deaf]}}",
    "prompts": '{templates: {cross: [name, sight], texts: [{id: "1", text: "Is {name}, a {sight} person, kind?"}]}}',
}


@pytest.fixture
def scored(write_study):
    """What a plan says of words that instruments score."""

    def warnings(**sections):
        plan = plan_study(load_study(write_study(SECTIONS | sections)))
        return [line for line in plan.warnings if "words that name groups" in line]

    return warnings


def test_words_that_a_lexicon_scores_are_listed_with_their_score(scored, snapshot):
    assert scored(measures="[vader]") == snapshot


def test_words_that_nothing_is_made_of_are_no_warning(scored):
    factors = "{name: {levels: [Siti Nor, Nurul Huda]}, sight: {levels: [deaf, hearing]}}"
    assert scored(measures="[vader]", factors=factors) == []
    assert scored(measures="[{name: own, choices: {a: [low]}}]") == []


def test_a_model_is_not_loaded_to_look(scored, snapshot):
    assert scored(measures="[regard]") == snapshot


def test_few_of_many_words_are_listed(scored):
    levels = "[Grace A, Grace B, Grace C, Grace D, Grace E, Grace F, Grace G, Grace H, Grace I, Grace K]"
    (line,) = scored(measures="[vader]", factors=f"{{name: {{levels: {levels}}}, sight: {{levels: [deaf, hearing]}}}}")
    assert "Grace H (+0.42, name) and 2 more;" in line
    assert "Grace I" not in line
