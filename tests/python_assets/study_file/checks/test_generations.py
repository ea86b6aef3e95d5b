import json

import pytest

from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import IMPORT, TEMPLATES, generations, imported

CASES = {
    "several models of one name": (
        generations('[{name: m, provider: ollama, model: ["a", "b"]}]'),
        'generations[0].name: got "m"; expected {model} in the name, because 2 models would all be named '
        '\'m\'; write name: "{model}_{role}" or "{model}"',
    ),
    "a mark of reasoning that is hardly one": (
        generations('[{name: m, provider: simulator, reasoning_tags: {"<": "</plan>"}}]'),
        'generations[0].reasoning_tags["<"]: got "<"; expected a mark of at least 3 characters, such as '
        "<plan>; write it out",
    ),
    "several roles of one name": (
        generations('[{name: "{model}", provider: ollama, model: a, role: {none: "", kind: Be kind.}}]'),
        'generations[0].name: got "{model}"; expected {role} in the name, because 2 roles would all be named '
        '\'{model}\'; write name: "{model}_{role}" or "{role}"',
    ),
    "a placeholder that is none": (
        generations('[{name: "{modell}", provider: ollama, model: a}]'),
        'generations[0].name: got "{modell}"; expected no other placeholder than {model}, {role}, '
        "{template}, {extension} and {wave}; remove {modell}",
    ),
    "several waves of one name": (
        generations('[{name: m, provider: simulator, wave: ["2026-10", "2026-11"]}]'),
        'generations[0].name: got "m"; expected {wave} in the name, because 2 waves would all be named '
        '\'m\'; write name: "{model}_{role}" or "{wave}"',
    ),
    "a wave that YAML reads as a date": (
        generations("[{name: m, provider: simulator, wave: 2026-11-01}]"),
        'generations[0].wave: got 2026-11-01; expected a text or a list; write it in quotes: "2026-11-01"',
    ),
    "a wave of an engine": (
        generations(
            "[{name: m, provider: simulator}, {name: e, provider: simulator, engine: true, wave: a}]"
        ),
        'generations[1].wave: got "a"; expected nothing here for an engine, which answers no prompt; '
        "remove wave, or engine",
    ),
    "a role in the name and none given": (
        generations('[{name: "{model}_{role}", provider: ollama, model: a}]'),
        'generations[0].name: got "{model}_{role}"; expected a role for {role}; '
        "remove {role}, or add role: with names",
    ),
    "two generations of one name": (
        generations("[{name: gpt-4, provider: simulator}, {name: GPT 4, provider: simulator}]"),
        "generations[1].name: got \"GPT 4\"; expected a generation of its own; 'gpt-4' has the identifier "
        "'gpt_4' already; rename one of them",
    ),
    "a reserved name": (
        generations("[{name: Baseline, provider: simulator}]"),
        'generations[0].name: got "Baseline"; expected a name other than baseline and all; rename it',
    ),
    "a server for a function": (
        generations("[{name: m, provider: 'mine:reply', base_url: 'http://h'}]"),
        'generations[0].base_url: got "http://h"; expected what provider mine:reply can use (it asks no '
        "server over HTTP); remove base_url",
    ),
    "a key for a model in this process": (
        generations("[{name: m, provider: transformers, model: a, api_key_env: HF_TOKEN}]"),
        "generations[0].api_key_env: got ***; expected what provider transformers can use (it asks no "
        "server over HTTP); remove api_key_env",
    ),
    "a name without a letter": (
        generations('[{name: "4.1", provider: simulator}]'),
        'generations[0].name: got "4.1"; expected a name with at least one letter; rename it',
    ),
    "an unknown provider": (
        generations("[{name: m, provider: olama, model: a}]"),
        "generations[0].provider: got \"olama\"; expected a provider: 'anthropic', 'ollama', 'openai', "
        "'replay', 'simulator', 'transformers'; did you mean 'ollama'?",
    ),
    "a star without replay": (
        generations('[{name: "*", provider: simulator}]'),
        "generations[0].name: got \"*\"; expected a name; '*' stands for every imported generation "
        "of provider "
        "replay; name the generation",
    ),
    "replay without an import": (
        generations("[{name: m, provider: replay}]"),
        'generations[0].provider: got "replay"; expected prompts.import, because replay answers with '
        "imported "
        "responses; import the responses, or take another provider",
    ),
    "replay without a generation column": (
        imported(columns="{prompt: id, response: answer}"),
        "prompts.import.columns.generation: got nothing; expected the column that says which generation "
        "answered, for provider replay; add generation: COLUMN",
    ),
    "an effect on an unknown level": (
        generations(
            "[{name: m, provider: simulator, options: {sentiment: {effects: {concept: {Itly: 0.1}}}}}]"
        ),
        'generations[0].options.sentiment.effects.concept: got {"Itly": 0.1}; expected what provider '
        "simulator "
        "can use ('Itly' is no level of it); its levels: Ideraland, Italy",
    ),
    "a template without its place": (
        generations("[{name: '{template}', provider: ollama, model: a, prompt_template: {go: Go on}}]"),
        'generations[0].prompt_template.go: got "Go on"; expected a template that holds {prompt} '
        "exactly once, not 0 times; write {prompt} where the prompt stands",
    ),
    "an engine with a template": (
        generations(
            "[{name: m, provider: simulator}, "
            "{name: e, provider: simulator, engine: true, prompt_template: 'Go on: {prompt}'}]"
        ),
        "generations[1].prompt_template: got Go on: {prompt}; expected nothing here for an engine, "
        "which answers no prompt; remove prompt_template, or engine",
    ),
    "an engine that replays": (
        imported(generations='[{name: "*", provider: replay}, {name: e, provider: replay, engine: true}]'),
        'generations[1].provider: got "replay"; expected a provider that can be asked; replay only repeats '
        "imported responses; take another provider, or remove engine",
    ),
    "nothing but engines": (
        generations("[{name: e, provider: simulator, engine: true}]"),
        'generations: got ["e"]; expected a generation that answers the prompts, beside engines; '
        "add one without engine: true",
    ),
    "an extension of imported responses": (
        imported(generations='[{name: "*", provider: replay, extension: {type: rag}}]'),
        'generations[0].extension: got [""]; expected no extension for replay, which asks nobody; '
        "remove extension",
    ),
    "an extension without documents": (
        {
            "factors": "{gender: {levels: [Female, Male]}}",
            "prompts": "{templates: {texts: [{id: a, text: 'Is a {gender} kind?'}], cross: [gender]}}",
            "generations": '[{name: "{extension}", provider: simulator, extension: {look: {type: rag}}}]',
        },
        "generations[0].extension.look.path: got nothing; expected path, files to draw on, because this "
        "study scrapes no documents; add path: FILE or FOLDER",
    ),
    "an extension that draws on an unknown source": (
        generations("[{name: m, provider: simulator, extension: {type: react, source_tags: [artcle]}}]"),
        "generations[0].extension.source_tags[0]: got \"artcle\"; expected a source's tag: 'article'; "
        "did you mean 'article'?",
    ),
    "a local model with an option that is none": (
        generations("[{name: m, provider: transformers, model: a, options: {min_p: 3}}]"),
        "generations[0].options.min_p: got 3; expected what provider transformers can use (no option); "
        "it takes revision, top_logprobs, dtype, device, device_map, quantization, threads, stop, top_k",
    ),
    "a model that is missing": (
        generations("[{name: m, provider: ollama}]"),
        'generations[0].model: got ""; expected what provider ollama can use (missing); '
        "name the model as its server does",
    ),
}
SAME_KIND = {
    "two models of one identifier": (
        generations('[{name: "{model}", provider: ollama, model: ["a:1", "a.1"]}]'),
        "generations[0].name",
        "a generation of its own",
    ),
}


@pytest.mark.parametrize(("sections", "expected"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_with_field_value_expectation_and_remedy(problem_texts, sections, expected):
    assert problem_texts(sections) == [expected]


@pytest.mark.parametrize(("sections", "field", "kind"), SAME_KIND.values(), ids=SAME_KIND)
def test_a_mistake_of_the_same_kind_is_told_at_its_own_field(mistakes, sections, field, kind):
    assert mistakes(sections) == [(field, kind)]


BASED = '[{name: "{model}_{role}", provider: simulator, model: [a, b], role: {none: "", judge: You judge.}}]'


def test_a_baseline_that_is_neither_generation_nor_role_is_told(problem_texts):
    assert problem_texts({**TEMPLATES, "generations": BASED, "baseline": "nobody"}) == [
        "baseline: got \"nobody\"; expected a generation or a role: 'a_none', 'a_judge', 'b_none', "
        "'b_judge', 'none', 'judge'; correct it, or remove it to calibrate against the prompts' own texts"
    ]


@pytest.mark.parametrize("named", ["none", "a_judge"])
def test_a_baseline_is_a_generation_or_a_role(write_study, named):
    study = load_study(write_study({**TEMPLATES, "generations": BASED, "baseline": named}))
    assert study.baseline == named
    assert json.loads(study.config_json)["baseline"] == named


def test_a_column_of_baselines_beside_a_baseline_is_told(problem_texts):
    sections = {
        **IMPORT,
        "generations": "[{name: one, provider: replay}]",
        "measures": "[{name: s, kind: continuous, column: a, baseline_column: b}]",
        "baseline": "one",
    }
    assert problem_texts(sections) == [
        'measures[0].baseline_column: got "b"; expected no column of baselines, because one is the baseline; '
        "remove one of them"
    ]
