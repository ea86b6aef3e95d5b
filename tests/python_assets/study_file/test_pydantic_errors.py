import pytest

from tests.python_assets.study_file.sections import (
    IMPORT,
    SCRAPE,
    TEMPLATES,
    generations,
    measures,
    scrape,
    templates,
)

MEASURE_KEYS = (
    "annotation, baseline_column, choices, classifier, cluster_and_sort, clusters, column, columns, "
    "direction, extractor, favourable, function, ground_truth, judge, kind, languages, name, "
    "option_probability, parameters, patterns, prototypes, refusal, scale, slice, taxonomy, unit, "
    "version_column, when"
)


CASES = {
    "an unknown key of the file": (
        {**SCRAPE, "mesures": "[sentiment]"},
        'mesures: got "mesures"; expected one of the keys study, title, domain, factors, unit, baseline, '
        "prompts, generations, "
        "embedding, measures, slices, groupings, analysis, keep, report; did you mean 'measures'?",
    ),
    "no prompts": (
        {"generations": SCRAPE["generations"], "groupings": "[concept]"},
        "prompts: got nothing; expected a value; add prompts:",
    ),
    "generations is a mapping": (
        generations("{name: fair, provider: simulator}"),
        'generations: got {"name": "fair", "provider": "simulator"}; expected a list; '
        "write it in brackets, [a, b], or as lines with a dash",
    ),
    "an empty list": (generations("[]"), "generations: got []; expected at least 1 in the list; correct it"),
    "a section without content": (
        {**SCRAPE, "slices": ""},
        "slices: got null; expected a mapping; write lines of key: value",
    ),
    "an unknown key inside a list": (
        measures("[{name: m, extractor: vader, knd: continuous}]"),
        f"measures[0].knd: got \"knd\"; expected one of the keys {MEASURE_KEYS}; did you mean 'kind'?",
    ),
    "a word that is not one of a few": (
        measures("[{name: m, kind: contnuous, extractor: vader}]"),
        "measures[0].kind: got \"contnuous\"; expected one of 'continuous', 'binary', 'categorical'; "
        "did you mean 'continuous'?",
    ),
    "a text for a number": (
        generations('[{name: fair, provider: simulator, replicates: "2"}]'),
        'generations[0].replicates: got "2"; expected a whole number; write a number, without quotes',
    ),
    "a number out of range": (
        {**SCRAPE, "analysis": "{alpha: 0.7}"},
        "analysis.alpha: got 0.7; expected a number less than 0.5; choose another number",
    ),
    "a boolean among levels": (
        templates() | {"factors": "{gender: {levels: [yes, man]}}"},
        'factors.gender.levels[0]: got yes; expected a text; write it in quotes: "yes"',
    ),
    "a boolean as a key": (
        measures("[{name: m, choices: {no: [never], maybe: [perhaps]}}]"),
        'measures[0].choices.no: got no; expected a key that is a text; write it in quotes: "no"',
    ),
    "a number in a text or a list of texts": (
        generations("[{name: fair, provider: simulator, model: 3}]"),
        'generations[0].model: got 3; expected a text or a list; write it in quotes: "3"',
    ),
    "a level with the separator": (
        templates() | {"factors": '{gender: {levels: [woman, "a x b"]}}'},
        "factors.gender.levels[1]: got \"a x b\"; expected a level without ' x ', which joins levels into a "
        "group; reword it",
    ),
    "a blank level": (
        templates() | {"factors": '{gender: {levels: [woman, " "]}}'},
        'factors.gender.levels[1]: got " "; expected a level that is not blank; name it or remove it',
    ),
    "a level that a terminal obeys": (
        templates() | {"factors": '{gender: {levels: [woman, "m\\ean"]}}'},
        'factors.gender.levels[1]: got "m\\u001ban"; expected a level without control characters, which a '
        "terminal would obey; remove them",
    ),
    "a level with blanks around": (
        templates() | {"factors": '{gender: {levels: [woman, " man"]}}'},
        'factors.gender.levels[1]: got " man"; expected a level without blanks around it; remove them',
    ),
    "a factor's name with a blank": (
        {**TEMPLATES, "factors": '{gender: {levels: [woman, man]}, "my factor": {}}'},
        'factors["my factor"]: got "my factor"; expected a factor\'s name: a letter, then letters, digits '
        "and _; rename it",
    ),
    "two ways to have prompts": (
        {
            **TEMPLATES,
            "prompts": (
                '{import: {path: a.csv, columns: {prompt: id}}, templates: {texts: [{id: t, text: "x"}]}}'
            ),
        },
        'prompts: got {"import": {"path": "a.csv", "columns": {"prompt": "id"}}, "templates": {"tex...; '
        "expected exactly one of scrape, templates and import; keep one",
    ),
    "a branch without scrape": (
        {**TEMPLATES, "prompts": '{templates: {cross: [gender], texts: [{id: t, text: "x"}]}, branch: {}}'},
        'prompts: got {"templates": {"cross": ["gender"], "texts": [{"id": "t", "text": "x"}]}, "br...; '
        "expected no branch without scrape; templates and imports bring their levels, remove branch",
    ),
    "a measure measured in two ways": (
        measures("[{name: m, extractor: vader, choices: [a, b]}]"),
        'measures[0]: got {"name": "m", "extractor": "vader", "choices": ["a", "b"]}; expected '
        "exactly one of "
        "extractor, choices, patterns, column, function, classifier, judge, clusters, cluster_and_sort, "
        "when, option_probability, prototypes, taxonomy; keep one",
    ),
    "a variable that is not set": (
        {
            **IMPORT,
            "prompts": '{import: {path: "${NOT_SET_HERE}/a.csv", columns: {prompt: id, generation: m}}}',
        },
        'prompts.import.path: got "${NOT_SET_HERE}/a.csv"; expected a value whose environment variables are '
        "set or a list; set it: export NOT_SET_HERE=...",
    ),
    "an infinite number": (
        generations("[{name: fair, provider: simulator, timeout_seconds: .inf}]"),
        "generations[0].timeout_seconds: got .inf; expected a finite number; write a number",
    ),
}
SAME_KIND = {
    "no generations": (
        {"prompts": SCRAPE["prompts"]},
        "generations",
        "a value",
    ),
    "a key nothing is like": (
        measures("[{name: m, extractor: vader, zzz: 1}]"),
        "measures[0].zzz",
        "one of the keys annotation",
    ),
    "a word like none of a few": (
        measures("[{name: m, direction: up, extractor: vader}]"),
        "measures[0].direction",
        "one of",
    ),
    "a missing value": (
        generations("[{name: fair}]"),
        "generations[0].provider",
        "a value",
    ),
    "true for a number": (
        generations("[{name: fair, provider: simulator, replicates: yes}]"),
        "generations[0].replicates",
        "a whole number",
    ),
    "a text for a list": (
        scrape(levels="Italy"),
        "prompts.scrape.levels",
        "a list",
    ),
    "a number among levels": (
        templates() | {"factors": "{gender: {levels: [woman, 12]}}"},
        "factors.gender.levels[1]",
        "a text",
    ),
    "a date among levels": (
        templates() | {"factors": "{gender: {levels: [woman, 2020-01-31]}}"},
        "factors.gender.levels[1]",
        "a text",
    ),
    "nothing among levels": (
        templates() | {"factors": "{gender: {levels: [woman, ~]}}"},
        "factors.gender.levels[1]",
        "a text",
    ),
    "a number in a list of texts": (
        generations('[{name: "m_{model}", provider: simulator, model: [a, 3]}]'),
        "generations[0].model[1]",
        "a text",
    ),
}


@pytest.mark.parametrize(("sections", "expected"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_with_field_value_expectation_and_remedy(problem_texts, sections, expected):
    assert problem_texts(sections) == [expected]


@pytest.mark.parametrize(("sections", "field", "kind"), SAME_KIND.values(), ids=SAME_KIND)
def test_a_mistake_of_the_same_kind_is_told_at_its_own_field(mistakes, sections, field, kind):
    assert mistakes(sections) == [(field, kind)]
