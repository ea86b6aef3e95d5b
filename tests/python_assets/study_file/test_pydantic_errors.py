import pytest

from tests.python_assets.study_file.sections import IMPORT, SCRAPE, TEMPLATES, measures, scrape, systems, templates

MEASURE_KEYS = (
    "annotation, baseline_column, choices, classifier, cluster_and_sort, clusters, column, columns, "
    "direction, favourable, function, ground_truth, judge, kind, languages, name, "
    "option_probability, parameters, patterns, prototypes, refusal, scale, slice, taxonomy, unit, "
    "version_column, when"
)


CASES = {
    "an unknown key of the file": ({**SCRAPE, "mesures": "[sentiment]"}, "mesures"),
    "no prompts": ({"systems": SCRAPE["systems"], "groupings": "[concept]"}, "prompts"),
    "generations is a mapping": (systems("{name: fair, provider: simulator}"), "systems"),
    "an empty list": (systems("[]"), "systems"),
    "a section without content": ({**SCRAPE, "slices": ""}, "slices"),
    "an unknown key inside a list": (measures("[{name: m, scorer: vader, knd: continuous}]"), "measures[0].knd"),
    "a word that is not one of a few": (measures("[{name: m, kind: contnuous, scorer: vader}]"), "measures[0].kind"),
    "a text for a number": (systems('[{name: fair, provider: simulator, replicates: "2"}]'), "systems[0].replicates"),
    "a number out of range": ({**SCRAPE, "analysis": "{alpha: 0.7}"}, "analysis.alpha"),
    "a boolean among levels": (templates() | {"factors": "{gender: {levels: [yes, man]}}"}, "factors.gender.levels[0]"),
    "a boolean as a key": (measures("[{name: m, choices: {no: [never], maybe: [perhaps]}}]"), "measures[0].choices.no"),
    "a number in a text or a list of texts": (
        systems("[{name: fair, provider: simulator, model: 3}]"),
        "systems[0].model",
    ),
    "a level with the separator": (
        templates() | {"factors": '{gender: {levels: [woman, "a x b"]}}'},
        "factors.gender.levels[1]",
    ),
    "a blank level": (templates() | {"factors": '{gender: {levels: [woman, " "]}}'}, "factors.gender.levels[1]"),
    "a level that a terminal obeys": (
        templates() | {"factors": '{gender: {levels: [woman, "m\\ean"]}}'},
        "factors.gender.levels[1]",
    ),
    "a level with blanks around": (
        templates() | {"factors": '{gender: {levels: [woman, " man"]}}'},
        "factors.gender.levels[1]",
    ),
    "a factor's name with a blank": (
        {**TEMPLATES, "factors": '{gender: {levels: [woman, man]}, "my factor": {}}'},
        'factors["my factor"]',
    ),
    "two ways to have prompts": (
        {
            **TEMPLATES,
            "prompts": ('{import: {path: a.csv, columns: {prompt: id}}, templates: {texts: [{id: t, text: "x"}]}}'),
        },
        "prompts",
    ),
    "a branch without scrape": (
        {**TEMPLATES, "prompts": '{templates: {cross: [gender], texts: [{id: t, text: "x"}]}, branch: {}}'},
        "prompts",
    ),
    "a measure measured in two ways": (measures("[{name: m, scorer: vader, choices: [a, b]}]"), "measures[0]"),
    "a variable that is not set": (
        {**IMPORT, "prompts": '{import: {path: "${NOT_SET_HERE}/a.csv", columns: {prompt: id, system: m}}}'},
        "prompts.import.path",
    ),
    "an infinite number": (
        systems("[{name: fair, provider: simulator, timeout_seconds: .inf}]"),
        "systems[0].timeout_seconds",
    ),
    "no generations": ({"prompts": SCRAPE["prompts"]}, "systems"),
    "a key nothing is like": (measures("[{name: m, scorer: vader, zzz: 1}]"), "measures[0].zzz"),
    "a word like none of a few": (measures("[{name: m, direction: up, scorer: vader}]"), "measures[0].direction"),
    "a missing value": (systems("[{name: fair}]"), "systems[0].provider"),
    "a word where a number or some words may stand": (
        {**SCRAPE, "prompts": SCRAPE["prompts"].rstrip("}") + "}, assemble: {after_words: subjekt}}"},
        "prompts.assemble.after_words",
    ),
    "true for a number": (systems("[{name: fair, provider: simulator, replicates: yes}]"), "systems[0].replicates"),
    "a text for a list": (scrape(levels="Italy"), "prompts.scrape.levels"),
    "a number among levels": (templates() | {"factors": "{gender: {levels: [woman, 12]}}"}, "factors.gender.levels[1]"),
    "a date among levels": (
        templates() | {"factors": "{gender: {levels: [woman, 2020-01-31]}}"},
        "factors.gender.levels[1]",
    ),
    "nothing among levels": (templates() | {"factors": "{gender: {levels: [woman, ~]}}"}, "factors.gender.levels[1]"),
    "a number in a list of texts": (
        systems('[{name: "m_{model}", provider: simulator, model: [a, 3]}]'),
        "systems[0].model[1]",
    ),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]
