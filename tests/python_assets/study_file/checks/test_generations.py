import json

import pytest

from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import IMPORT, TEMPLATES, generations, imported, templates

CASES = {
    "several models of one name": (
        generations('[{name: m, provider: ollama, model: ["a", "b"]}]'),
        "generations[0].name",
    ),
    "a mark of reasoning that is hardly one": (
        generations('[{name: m, provider: simulator, reasoning_tags: {"<": "</plan>"}}]'),
        'generations[0].reasoning_tags["<"]',
    ),
    "several roles of one name": (
        generations('[{name: "{model}", provider: ollama, model: a, role: {none: "", kind: Be kind.}}]'),
        "generations[0].name",
    ),
    "a placeholder that is none": (
        generations('[{name: "{modell}", provider: ollama, model: a}]'),
        "generations[0].name",
    ),
    "several waves of one name": (
        generations('[{name: m, provider: simulator, wave: ["2026-10", "2026-11"]}]'),
        "generations[0].name",
    ),
    "a wave that YAML reads as a date": (
        generations("[{name: m, provider: simulator, wave: 2026-11-01}]"),
        "generations[0].wave",
    ),
    "a wave of an engine": (
        generations("[{name: m, provider: simulator}, {name: e, provider: simulator, engine: true, wave: a}]"),
        "generations[1].wave",
    ),
    "a role in the name and none given": (
        generations('[{name: "{model}_{role}", provider: ollama, model: a}]'),
        "generations[0].name",
    ),
    "two generations of one name": (
        generations("[{name: gpt-4, provider: simulator}, {name: GPT 4, provider: simulator}]"),
        "generations[1].name",
    ),
    "a reserved name": (generations("[{name: Baseline, provider: simulator}]"), "generations[0].name"),
    "a server for a function": (
        generations("[{name: m, provider: 'mine:reply', base_url: 'http://h'}]"),
        "generations[0].base_url",
    ),
    "a key for a model in this process": (
        generations("[{name: m, provider: transformers, model: a, api_key_env: HF_TOKEN}]"),
        "generations[0].api_key_env",
    ),
    "an address that is none among several": (
        generations("[{name: m, provider: openai, model: a, base_url: ['http://h/v1', here]}]"),
        "generations[0].base_url[1]",
    ),
    "an address twice": (
        generations("[{name: m, provider: openai, model: a, base_url: ['http://h/v1', 'http://h/v1/']}]"),
        "generations[0].base_url[1]",
    ),
    "two rates of the address that is a provider's own": (
        generations(
            "[{name: m, provider: openai, model: a, api_key_env: KEY, tokens_per_minute: 100},"
            " {name: n, provider: openai, model: b, base_url: 'https://api.openai.com/v1', tokens_per_minute: 90}]"
        ),
        "generations[1].tokens_per_minute",
    ),
    "two rates of one address": (
        generations(
            "[{name: m, provider: openai, model: a, base_url: 'http://h', requests_per_minute: 60},"
            " {name: n, provider: openai, model: b, base_url: ['http://i', 'http://h/'], requests_per_minute: 90}]"
        ),
        "generations[1].requests_per_minute",
    ),
    "a rate of a model in this process": (
        generations("[{name: m, provider: transformers, model: a, tokens_per_minute: 1000}]"),
        "generations[0].tokens_per_minute",
    ),
    "no calls a minute": (
        generations("[{name: m, provider: openai, model: a, requests_per_minute: 0}]"),
        "generations[0].requests_per_minute",
    ),
    "no address at all": (
        generations("[{name: m, provider: openai, model: a, base_url: []}]"),
        "generations[0].base_url",
    ),
    "an effect of the stand-in on an unknown factor": (
        generations("[{name: m, provider: ollama, model: a, simulated: {sentiment: {effects: {mood: {up: 1}}}}}]"),
        "generations[0].simulated.sentiment.effects.mood",
    ),
    "a stand-in for the simulator": (
        generations("[{name: m, provider: simulator, simulated: {refusal: {base: 0.1}}}]"),
        "generations[0].simulated",
    ),
    "a name without a letter": (generations('[{name: "4.1", provider: simulator}]'), "generations[0].name"),
    "an unknown provider": (generations("[{name: m, provider: olama, model: a}]"), "generations[0].provider"),
    "a star without replay": (generations('[{name: "*", provider: simulator}]'), "generations[0].name"),
    "replay without an import": (generations("[{name: m, provider: replay}]"), "generations[0].provider"),
    "replay without a generation column": (
        imported(columns="{prompt: id, response: answer}"),
        "prompts.import.columns.generation",
    ),
    "an effect on an unknown level": (
        generations("[{name: m, provider: simulator, options: {sentiment: {effects: {concept: {Itly: 0.1}}}}}]"),
        "generations[0].options.sentiment.effects.concept.Itly",
    ),
    "a template without its place": (
        generations("[{name: '{template}', provider: ollama, model: a, prompt_template: {go: Go on}}]"),
        "generations[0].prompt_template.go",
    ),
    "an engine with a template": (
        generations(
            "[{name: m, provider: simulator}, "
            "{name: e, provider: simulator, engine: true, prompt_template: 'Go on: {prompt}'}]"
        ),
        "generations[1].prompt_template",
    ),
    "an engine that replays": (
        imported(generations='[{name: "*", provider: replay}, {name: e, provider: replay, engine: true}]'),
        "generations[1].provider",
    ),
    "nothing but engines": (generations("[{name: e, provider: simulator, engine: true}]"), "generations"),
    "an extension of imported responses": (
        imported(generations='[{name: "*", provider: replay, extension: {type: rag}}]'),
        "generations[0].extension",
    ),
    "an extension without documents": (
        {
            "factors": "{gender: {levels: [Female, Male]}}",
            "prompts": "{templates: {texts: [{id: a, text: 'Is a {gender} kind?'}], cross: [gender]}}",
            "generations": '[{name: "{extension}", provider: simulator, extension: {look: {type: rag}}}]',
        },
        "generations[0].extension.look.path",
    ),
    "an extension that draws on an unknown source": (
        generations("[{name: m, provider: simulator, extension: {type: react, source_tags: [artcle]}}]"),
        "generations[0].extension.source_tags[0]",
    ),
    "a local model with an option that is none": (
        generations("[{name: m, provider: transformers, model: a, options: {min_p: 3}}]"),
        "generations[0].options.min_p",
    ),
    "a model that is missing": (generations("[{name: m, provider: ollama}]"), "generations[0].model"),
    "two models of one identifier": (
        generations('[{name: "{model}", provider: ollama, model: ["a:1", "a.1"]}]'),
        "generations[0].name",
    ),
}


def application(request, prompts=None, **fields):
    """Sections with one application, whose request is YAML."""
    written = "".join(f", {name}: {value}" for name, value in {"name": "app", **fields}.items())
    options = f"{{request: {request}, answer: text}}"
    return {
        **TEMPLATES,
        **(prompts or {}),
        "generations": f"[{{provider: http, base_url: 'https://h/chat', options: {options}{written}}}]",
    }


ASKS = """{q: "{prompt}"}"""
TALKS = templates(
    """[{id: t1, text: "And I?", messages: [{role: user, content: "A {gender}."}, {role: assistant, content: Yes.}]}]"""
)
CASES |= {
    "a role that an application is not sent": (application(ASKS, role="Be kind."), "generations[0].options.request"),
    "models that an application is not told": (
        application(ASKS, model="[a, b]", name="'{model}'"),
        "generations[0].options.request",
    ),
    "steps that an application is not sent": (
        application(ASKS, extension="{type: react, path: a.md}"),
        "generations[0].options.request",
    ),
    "messages that an application is not sent": (application(ASKS, TALKS), "generations[0].options.request"),
    "an application without an address": (
        generations("""[{name: a, provider: http, options: {request: {q: "{prompt}"}, answer: text}}]"""),
        "generations[0].base_url",
    ),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]


BASED = '[{name: "{model}_{role}", provider: simulator, model: [a, b], role: {none: "", judge: You judge.}}]'


@pytest.mark.parametrize(
    ("request_", "fields"),
    [
        ("""{q: "{prompt}", role: "{system}"}""", {"role": "Be kind."}),
        ("""{all: "{messages}"}""", {"role": "Be kind."}),
        ("""{q: "{prompt}", of: "{model}"}""", {"model": "[a, b]", "name": "'{model}'"}),
        (ASKS, {"model": "[a]"}),
        (ASKS, {}),
    ],
)
def test_an_application_is_sent_what_its_request_has_a_place_for(write_study, request_, fields):
    study = load_study(write_study(application(request_, **fields)))
    assert {one.spec.provider for one in study.generations} == {"http"}


def test_messages_before_a_prompt_are_no_matter_of_an_engine(write_study):
    sections = application("""{q: "{prompt}"}""", TALKS, engine="true")
    sections["generations"] = sections["generations"][:-1] + ", {name: fair, provider: simulator}]"
    assert "app" in load_study(write_study(sections)).engines


def test_a_baseline_that_is_neither_generation_nor_role_is_told(mistaken):
    assert mistaken({**TEMPLATES, "generations": BASED, "baseline": "nobody"}) == ["baseline"]


@pytest.mark.parametrize("named", ["none", "a_judge"])
def test_a_baseline_is_a_generation_or_a_role(write_study, named):
    study = load_study(write_study({**TEMPLATES, "generations": BASED, "baseline": named}))
    assert study.baseline == named
    assert json.loads(study.config_json)["baseline"] == named


def test_a_column_of_baselines_beside_a_baseline_is_told(mistaken):
    sections = {
        **IMPORT,
        "generations": "[{name: one, provider: replay}]",
        "measures": "[{name: s, kind: continuous, column: a, baseline_column: b}]",
        "baseline": "one",
    }
    assert mistaken(sections) == ["measures[0].baseline_column"]
