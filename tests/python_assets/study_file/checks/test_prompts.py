import pytest

from python_assets.study.factors import study_factors
from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import TEMPLATES, scrape, templates

CASES = {
    "a scraped level twice": (
        scrape(levels="[Ideraland, Italy, Italy]"),
        'prompts.scrape.levels[2]: got "Italy"; expected each level once; remove one of them',
    ),
    "an unknown reference": (
        scrape(reference="Idraland"),
        "prompts.scrape.reference: got \"Idraland\"; expected a level of concept: 'Ideraland', 'Italy'; "
        "did you mean 'Ideraland'?",
    ),
    "a level without keywords": (
        scrape(keywords="{Ideraland: []}"),
        "prompts.scrape.keywords.Ideraland: got []; expected at least 1 in the list; correct it",
    ),
    "an unknown crossed factor": (
        templates(cross="[gendr]", texts="[{id: t1, text: A}]"),
        "prompts.templates.cross[0]: got \"gendr\"; expected a factor with levels: 'gender'; "
        "did you mean 'gender'?",
    ),
    "an unknown slot": (
        templates(texts='[{id: t1, text: "A {gendr}"}]'),
        "prompts.templates.texts[0].text: got \"{gendr}\"; expected a slot of a crossed factor: 'gender'; "
        "did you mean 'gender'?",
    ),
    "a template twice": (
        templates(texts="[{id: t1, text: a}, {id: t1, text: b}]"),
        'prompts.templates.texts[1].id: got "t1"; expected each template id once; rename one of them',
    ),
    "an unknown factor of a template": (
        templates(texts="[{id: t1, text: a, factors: {area: work}}]"),
        "prompts.templates.texts[0].factors.area: got \"area\"; expected a declared factor: 'gender'; "
        "declare it: factors: {area: {levels: [...]}}",
    ),
    "a crossed factor of a template": (
        templates(texts="[{id: t1, text: a, factors: {gender: man}}]"),
        'prompts.templates.texts[0].factors.gender: got "gender"; expected a factor that is the template\'s '
        "own, or one that is crossed, not both; remove it here",
    ),
    "an unknown level in a combination": (
        {
            **TEMPLATES,
            "prompts": "{templates: {combinations: [{gender: men}], texts: [{id: t1, text: a}]}}",
        },
        "prompts.templates.combinations[0].gender: got \"men\"; expected a level of gender: 'woman', 'man'; "
        "did you mean 'man'?",
    ),
    "combinations of different factors": (
        {
            "factors": "{gender: {levels: [woman, man]}, age: {levels: [old, young]}}",
            "prompts": (
                "{templates: {combinations: [{gender: man, age: old}, {gender: woman}], "
                "texts: [{id: t1, text: a}]}}"
            ),
            "generations": TEMPLATES["generations"],
        },
        'prompts.templates.combinations[1]: got ["gender"]; expected the factors of the first combination: '
        "'gender', 'age'; name the same factors in every combination",
    ),
    "cross and combinations": (
        templates(combinations="[{gender: man}]"),
        'prompts.templates.cross: got ["gender"]; expected cross or combinations, not both; remove '
        "one of them",
    ),
}
SAME_KIND = {
    "keywords of an unknown level": (
        scrape(keywords="{Ideraland: [Ideraland], Atlantis: [Atlantis]}"),
        "prompts.scrape.keywords.Atlantis",
        "a level of concept",
    ),
    "a source for an unknown level": (
        scrape(sources="[{tag: a, path: a.md, levels: [Itly]}]"),
        "prompts.scrape.sources[0].levels[0]",
        "a level of concept",
    ),
    "an unknown slot of a baseline": (
        templates(texts='[{id: t1, text: "A {gender}", baseline: "{age}"}]'),
        "prompts.templates.texts[0].baseline",
        "a slot of a crossed factor",
    ),
}


@pytest.mark.parametrize(("sections", "expected"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_with_field_value_expectation_and_remedy(problem_texts, sections, expected):
    assert problem_texts(sections) == [expected]


@pytest.mark.parametrize(("sections", "field", "kind"), SAME_KIND.values(), ids=SAME_KIND)
def test_a_mistake_of_the_same_kind_is_told_at_its_own_field(mistakes, sections, field, kind):
    assert mistakes(sections) == [(field, kind)]


def several_generation_columns(columns, factors="{gender: sex}", declared="{}"):
    spec = f"{{path: t.csv, columns: {{prompt: id, generation: {columns}}}, factors: {factors}}}"
    return {
        "factors": declared,
        "prompts": f"{{import: {spec}}}",
        "generations": '[{name: "*", provider: replay}]',
        "groupings": "[gender]",
    }


def test_a_generation_column_that_cannot_be_called_a_factor_is_to_be_named(problem_texts):
    assert problem_texts(several_generation_columns('[model, "System Prompt"]')) == [
        'prompts.import.columns.generation[1]: got "System Prompt"; expected a column that can be called a '
        "factor of models, which 'System Prompt' cannot; name it under prompts.import.factors, as in "
        "tuned_by: System Prompt"
    ]


def test_a_generation_column_that_is_named_is_a_factor_of_that_name(write_study):
    named = '{gender: sex, system: "System Prompt"}'
    study = load_study(
        write_study(several_generation_columns('[model, "System Prompt"]', named)), check_files=False
    )
    assert [name for name, factor in study_factors(study).items() if factor.type == "model"] == [
        "system",
        "model",
    ]


def test_a_generation_column_that_is_declared_is_a_factor_of_models(problem_texts):
    declared = "{gender: {type: domain}, model: {type: prompt}}"
    assert problem_texts(several_generation_columns("[model, system]", declared=declared)) == [
        "factors.model.type: got \"prompt\"; expected type: model, because the column 'model' tells "
        "generations apart; write type: model"
    ]
