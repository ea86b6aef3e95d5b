import pytest

from python_assets.study.factors import study_factors
from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import SCRAPE, TEMPLATES, scrape, templates


def messages(*contents, roles=("user", "assistant")):
    listed = (f'{{role: {role}, content: "{content}"}}' for role, content in zip(roles, contents, strict=False))
    return f"[{', '.join(listed)}]"


def assembled(messages):
    return {**SCRAPE, "prompts": f"{SCRAPE['prompts'][:-1]}, assemble: {{messages: {messages}}}}}"}


CASES = {
    "a scraped level twice": (scrape(levels="[Ideraland, Italy, Italy]"), "prompts.scrape.levels[2]"),
    "an unknown reference": (scrape(reference="Idraland"), "prompts.scrape.reference"),
    "a level without keywords": (scrape(keywords="{Ideraland: []}"), "prompts.scrape.keywords.Ideraland"),
    "an unknown crossed factor": (
        templates(cross="[gendr]", texts="[{id: t1, text: A}]"),
        "prompts.templates.cross[0]",
    ),
    "a crossed factor misspelt, which slots have right": (
        templates(cross="[gendr]", texts='[{id: t1, text: "A {gender}"}, {id: t2, text: "B {gender}"}]'),
        "prompts.templates.cross[0]",
    ),
    "an unknown slot": (templates(texts='[{id: t1, text: "A {gendr}"}]'), "prompts.templates.texts[0].text"),
    "a template twice": (templates(texts="[{id: t1, text: a}, {id: t1, text: b}]"), "prompts.templates.texts[1].id"),
    "an unknown factor of a template": (
        templates(texts="[{id: t1, text: a, factors: {area: work}}]"),
        "prompts.templates.texts[0].factors.area",
    ),
    "a crossed factor of a template": (
        templates(texts="[{id: t1, text: a, factors: {gender: man}}]"),
        "prompts.templates.texts[0].factors.gender",
    ),
    "an unknown level in a combination": (
        {**TEMPLATES, "prompts": "{templates: {combinations: [{gender: men}], texts: [{id: t1, text: a}]}}"},
        "prompts.templates.combinations[0].gender",
    ),
    "combinations of different factors": (
        {
            "factors": "{gender: {levels: [woman, man]}, age: {levels: [old, young]}}",
            "prompts": (
                "{templates: {combinations: [{gender: man, age: old}, {gender: woman}], texts: [{id: t1, text: a}]}}"
            ),
            "systems": TEMPLATES["systems"],
        },
        "prompts.templates.combinations[1]",
    ),
    "cross and combinations": (templates(combinations="[{gender: man}]"), "prompts.templates.cross"),
    "keywords of an unknown level": (
        scrape(keywords="{Ideraland: [Ideraland], Atlantis: [Atlantis]}"),
        "prompts.scrape.keywords.Atlantis",
    ),
    "a source for an unknown level": (
        scrape(sources="[{tag: a, path: a.md, levels: [Itly]}]"),
        "prompts.scrape.sources[0].levels[0]",
    ),
    "an unknown slot of a message": (
        templates(texts=f'[{{id: t1, text: "A {{gender}}", messages: {messages("I am {age}.", "Hm.")}}}]'),
        "prompts.templates.texts[0].messages[0].content",
    ),
    "a message of a system": (
        templates(texts=f"[{{id: t1, text: A, messages: {messages('Hm.', roles=['system'])}}}]"),
        "prompts.templates.texts[0].messages[0].role",
    ),
    "a message of nobody": (
        templates(texts="[{id: t1, text: A, messages: [{content: Hm.}]}]"),
        "prompts.templates.texts[0].messages[0].role",
    ),
    "a message without content": (
        templates(texts="[{id: t1, text: A, messages: [{role: user}]}]"),
        "prompts.templates.texts[0].messages[0].content",
    ),
    "a blank message": (
        templates(texts=f"[{{id: t1, text: A, messages: {messages(' ', 'Hm.')}}}]"),
        "prompts.templates.texts[0].messages[0].content",
    ),
    "messages without an answer": (
        templates(texts=f"[{{id: t1, text: A, messages: {messages('Hi.')}}}]"),
        "prompts.templates.texts[0].messages",
    ),
    "two messages of the user": (
        templates(texts=f"[{{id: t1, text: A, messages: {messages('Hi.', 'Ho.', roles=['user', 'user'])}}}]"),
        "prompts.templates.texts[0].messages",
    ),
    "no message at all": (templates(texts="[{id: t1, text: A, messages: []}]"), "prompts.templates.texts[0].messages"),
    "options in a message": (
        templates(texts=f"[{{id: t1, text: A, messages: {messages('{options}', 'Hm.')}}}]"),
        "prompts.templates.texts[0]",
    ),
    "a level in a message before scraped prompts": (
        assembled(messages("I come from Italy.", "Hm.")),
        "prompts.assemble.messages[0].content",
    ),
    "a slot in a message before scraped prompts": (
        assembled(messages("Hi.", "Hm, {concept}.")),
        "prompts.assemble.messages[1].content",
    ),
    "an unknown slot of a baseline": (
        templates(texts='[{id: t1, text: "A {gender}", baseline: "{age}"}]'),
        "prompts.templates.texts[0].baseline",
    ),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]


def several_system_columns(columns, factors="{gender: sex}", declared="{}"):
    spec = f"{{path: t.csv, columns: {{prompt: id, system: {columns}}}, factors: {factors}}}"
    return {
        "factors": declared,
        "prompts": f"{{import: {spec}}}",
        "systems": '[{name: "*", provider: replay}]',
        "groupings": "[gender]",
    }


def test_a_system_column_that_cannot_be_called_a_factor_is_to_be_named(mistaken):
    assert mistaken(several_system_columns('[model, "System Prompt"]')) == ["prompts.import.columns.system[1]"]


def test_a_system_column_that_is_named_is_a_factor_of_that_name(write_study):
    named = '{gender: sex, setup: "System Prompt"}'
    study = load_study(write_study(several_system_columns('[model, "System Prompt"]', named)), check_files=False)
    assert [name for name, factor in study_factors(study).items() if factor.type == "model"] == ["setup", "model"]


def test_a_system_column_that_is_declared_is_a_factor_of_models(mistaken):
    declared = "{gender: {type: domain}, model: {type: prompt}}"
    assert mistaken(several_system_columns("[model, setup]", declared=declared)) == ["factors.model.type"]
