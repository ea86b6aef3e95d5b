import json

import pytest

from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import IMPORT, TEMPLATES, imported, systems, templates

CASES = {
    "several models of one name": (systems('[{name: m, provider: ollama, model: ["a", "b"]}]'), "systems[0].name"),
    "a mark of reasoning that is hardly one": (
        systems('[{name: m, provider: simulator, reasoning_tags: {"<": "</plan>"}}]'),
        'systems[0].reasoning_tags["<"]',
    ),
    "several roles of one name": (
        systems('[{name: "{model}", provider: ollama, model: a, system_prompt: {none: "", kind: Be kind.}}]'),
        "systems[0].name",
    ),
    "a placeholder that is none": (systems('[{name: "{modell}", provider: ollama, model: a}]'), "systems[0].name"),
    "several waves of one name": (
        systems('[{name: m, provider: simulator, wave: ["2026-10", "2026-11"]}]'),
        "systems[0].name",
    ),
    "a wave that YAML reads as a date": (
        systems("[{name: m, provider: simulator, wave: 2026-11-01}]"),
        "systems[0].wave",
    ),
    "a wave of an engine": (
        systems("[{name: m, provider: simulator}, {name: e, provider: simulator, engine: true, wave: a}]"),
        "systems[1].wave",
    ),
    "a role in the name and none given": (
        systems('[{name: "{model}_{system_prompt_name}", provider: ollama, model: a}]'),
        "systems[0].name",
    ),
    "two generations of one name": (
        systems("[{name: gpt-4, provider: simulator}, {name: GPT 4, provider: simulator}]"),
        "systems[1].name",
    ),
    "a reserved name": (systems("[{name: Baseline, provider: simulator}]"), "systems[0].name"),
    "a server for a function": (
        systems("[{name: m, provider: 'mine:reply', base_url: 'http://h'}]"),
        "systems[0].base_url",
    ),
    "a key for a model in this process": (
        systems("[{name: m, provider: transformers, model: a, api_key_env: HF_TOKEN}]"),
        "systems[0].api_key_env",
    ),
    "an address that is none among several": (
        systems("[{name: m, provider: openai, model: a, base_url: ['http://h/v1', here]}]"),
        "systems[0].base_url[1]",
    ),
    "an address twice": (
        systems("[{name: m, provider: openai, model: a, base_url: ['http://h/v1', 'http://h/v1/']}]"),
        "systems[0].base_url[1]",
    ),
    "two rates of the address that is a provider's own": (
        systems(
            "[{name: m, provider: openai, model: a, api_key_env: KEY, tokens_per_minute: 100},"
            " {name: n, provider: openai, model: b, base_url: 'https://api.openai.com/v1', tokens_per_minute: 90}]"
        ),
        "systems[1].tokens_per_minute",
    ),
    "two rates of one address": (
        systems(
            "[{name: m, provider: openai, model: a, base_url: 'http://h', requests_per_minute: 60},"
            " {name: n, provider: openai, model: b, base_url: ['http://i', 'http://h/'], requests_per_minute: 90}]"
        ),
        "systems[1].requests_per_minute",
    ),
    "a rate of a model in this process": (
        systems("[{name: m, provider: transformers, model: a, tokens_per_minute: 1000}]"),
        "systems[0].tokens_per_minute",
    ),
    "no calls a minute": (
        systems("[{name: m, provider: openai, model: a, requests_per_minute: 0}]"),
        "systems[0].requests_per_minute",
    ),
    "no address at all": (systems("[{name: m, provider: openai, model: a, base_url: []}]"), "systems[0].base_url"),
    "an effect of the stand-in on an unknown factor": (
        systems("[{name: m, provider: ollama, model: a, simulated: {sentiment: {effects: {mood: {up: 1}}}}}]"),
        "systems[0].simulated.sentiment.effects.mood",
    ),
    "a stand-in for the simulator": (
        systems("[{name: m, provider: simulator, simulated: {refusal: {base: 0.1}}}]"),
        "systems[0].simulated",
    ),
    "a name without a letter": (systems('[{name: "4.1", provider: simulator}]'), "systems[0].name"),
    "an unknown provider": (systems("[{name: m, provider: olama, model: a}]"), "systems[0].provider"),
    "a star without replay": (systems('[{name: "*", provider: simulator}]'), "systems[0].name"),
    "replay without an import": (systems("[{name: m, provider: replay}]"), "systems[0].provider"),
    "replay without a generation column": (
        imported(columns="{prompt: id, response: answer}"),
        "prompts.import.columns.system",
    ),
    "an effect on an unknown level": (
        systems("[{name: m, provider: simulator, options: {sentiment: {effects: {concept: {Itly: 0.1}}}}}]"),
        "systems[0].options.sentiment.effects.concept.Itly",
    ),
    "a template without its place": (
        systems("[{name: '{template}', provider: ollama, model: a, prompt_template: {go: Go on}}]"),
        "systems[0].prompt_template.go",
    ),
    "an engine with a template": (
        systems(
            "[{name: m, provider: simulator}, "
            "{name: e, provider: simulator, engine: true, prompt_template: 'Go on: {prompt}'}]"
        ),
        "systems[1].prompt_template",
    ),
    "an engine that replays": (
        imported(systems='[{name: "*", provider: replay}, {name: e, provider: replay, engine: true}]'),
        "systems[1].provider",
    ),
    "nothing but engines": (systems("[{name: e, provider: simulator, engine: true}]"), "systems"),
    "an extension of imported responses": (
        imported(systems='[{name: "*", provider: replay, extension: {type: rag}}]'),
        "systems[0].extension",
    ),
    "an extension without documents": (
        {
            "factors": "{gender: {levels: [Female, Male]}}",
            "prompts": "{templates: {texts: [{id: a, text: 'Is a {gender} kind?'}], cross: [gender]}}",
            "systems": '[{name: "{extension}", provider: simulator, extension: {look: {type: rag}}}]',
        },
        "systems[0].extension.look.path",
    ),
    "an extension that draws on an unknown source": (
        systems("[{name: m, provider: simulator, extension: {type: react, source_tags: [artcle]}}]"),
        "systems[0].extension.source_tags[0]",
    ),
    "a local model with an option that is none": (
        systems("[{name: m, provider: transformers, model: a, options: {min_p: 3}}]"),
        "systems[0].options.min_p",
    ),
    "a model that is missing": (systems("[{name: m, provider: ollama}]"), "systems[0].model"),
    "two models of one identifier": (
        systems('[{name: "{model}", provider: ollama, model: ["a:1", "a.1"]}]'),
        "systems[0].name",
    ),
}


def application(request, prompts=None, **fields):
    """Sections with one application, whose request is YAML."""
    written = "".join(f", {name}: {value}" for name, value in {"name": "app", **fields}.items())
    options = f"{{request: {request}, answer: text}}"
    return {
        **TEMPLATES,
        **(prompts or {}),
        "systems": f"[{{provider: http, base_url: 'https://h/chat', options: {options}{written}}}]",
    }


ASKS = """{q: "{prompt}"}"""
TALKS = templates(
    """[{id: t1, text: "And I?", messages: [{role: user, content: "A {gender}."}, {role: assistant, content: Yes.}]}]"""
)
CASES |= {
    "a role that an application is not sent": (
        application(ASKS, system_prompt="Be kind."),
        "systems[0].options.request",
    ),
    "models that an application is not told": (
        application(ASKS, model="[a, b]", name="'{model}'"),
        "systems[0].options.request",
    ),
    "steps that an application is not sent": (
        application(ASKS, extension="{type: react, path: a.md}"),
        "systems[0].options.request",
    ),
    "messages that an application is not sent": (application(ASKS, TALKS), "systems[0].options.request"),
    "an application without an address": (
        systems("""[{name: a, provider: http, options: {request: {q: "{prompt}"}, answer: text}}]"""),
        "systems[0].base_url",
    ),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]


BASED = (
    '[{name: "{model}_{system_prompt_name}", provider: simulator, model: [a, b], '
    'system_prompt: {none: "", judge: You judge.}}]'
)


@pytest.mark.parametrize(
    ("request_", "fields"),
    [
        ("""{q: "{prompt}", role: "{system_prompt}"}""", {"system_prompt": "Be kind."}),
        ("""{all: "{messages}"}""", {"system_prompt": "Be kind."}),
        ("""{q: "{prompt}", of: "{model}"}""", {"model": "[a, b]", "name": "'{model}'"}),
        (ASKS, {"model": "[a]"}),
        (ASKS, {}),
    ],
)
def test_an_application_is_sent_what_its_request_has_a_place_for(write_study, request_, fields):
    study = load_study(write_study(application(request_, **fields)))
    assert {one.spec.provider for one in study.systems} == {"http"}


def test_messages_before_a_prompt_are_no_matter_of_an_engine(write_study):
    sections = application("""{q: "{prompt}"}""", TALKS, engine="true")
    sections["systems"] = sections["systems"][:-1] + ", {name: fair, provider: simulator}]"
    assert "app" in load_study(write_study(sections)).engines


def test_a_baseline_that_is_neither_system_nor_role_is_told(mistaken):
    assert mistaken({**TEMPLATES, "systems": BASED, "baseline": "nobody"}) == ["baseline"]


@pytest.mark.parametrize("named", ["none", "a_judge"])
def test_a_baseline_is_a_system_or_a_role(write_study, named):
    study = load_study(write_study({**TEMPLATES, "systems": BASED, "baseline": named}))
    assert study.baseline == named
    assert json.loads(study.config_json)["baseline"] == named


def test_a_column_of_baselines_beside_a_baseline_is_told(mistaken):
    sections = {
        **IMPORT,
        "systems": "[{name: one, provider: replay}]",
        "measures": "[{name: s, kind: continuous, column: a, baseline_column: b}]",
        "baseline": "one",
    }
    assert mistaken(sections) == ["measures[0].baseline_column"]
