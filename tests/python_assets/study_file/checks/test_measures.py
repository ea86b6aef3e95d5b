import pytest

from tests.python_assets.study_file.sections import imported, measures

CASES = {
    "the probability of an option that no template has": (
        measures("[{name: p, option_probability: target}]"),
        "measures[0].option_probability",
    ),
    "people's labels without a table": (
        measures("[{name: m, choices: [a, b], annotation: gold}]"),
        "measures[0].annotation",
    ),
    "people's labels of what no text says": (
        imported(measures="[{name: m, kind: continuous, column: x, annotation: gold}]"),
        "measures[0].annotation",
    ),
    "vader per word": (measures("[{vader: {per: word}}]"), "measures[0].parameters.per"),
    "a device that is none": (
        measures("[{name: toxicity, parameters: {device: gpu}}]"),
        "measures[0].parameters.device",
    ),
    "half a text at a time": (
        measures("[{name: toxicity, parameters: {batch_size: 0.5}}]"),
        "measures[0].parameters.batch_size",
    ),
    "the name of what measures leave out": (measures("[{name: other language, choices: [a, b]}]"), "measures[0].name"),
    "an unknown extractor": (measures("[{name: m, scorer: vadr}]"), "measures[0].scorer"),
    "two measures of one name": (
        measures("[{name: m, choices: [a, b]}, {name: M, scorer: vader}]"),
        "measures[1].name",
    ),
    "the name of a measure of every study": (measures("[{name: empty, scorer: vader}]"), "measures[0].name"),
    "a judge that is no engine": (
        measures("[{name: m, judge: {engine: fair, rubric: r, options: [a, b]}}]"),
        "measures[0].judge.engine",
    ),
    "a favourable label that is no option": (
        {
            **measures("[{name: m, judge: {engine: critic, rubric: r, options: [good, bad]}, favourable: goood}]"),
            "systems": "[{name: fair, provider: simulator}, {name: critic, provider: simulator, engine: true}]",
        },
        "measures[0].favourable",
    ),
    "a preset of choices that is none": (measures("[{name: m, choices: yesno}]"), "measures[0].choices"),
    "a favourable label that the preset lacks": (
        measures("[{name: m, choices: yes_no, favourable: maybe}]"),
        "measures[0].favourable",
    ),
    "a favourable letter in lower case": (
        measures("[{name: m, choices: multiple_choice, favourable: b}]"),
        "measures[0].favourable",
    ),
    "a judge beside choices that is no engine": (
        measures("[{name: m, choices: yes_no, judge: fair}]"),
        "measures[0].judge",
    ),
    "a judge of refusals that is no engine": (measures("[{refusal: {judge: fair}}]"), "measures[0].refusal.judge"),
    "the name of an engine without choices": (measures("[{name: m, judge: critic}]"), "measures[0]"),
    "a rubric beside choices": (
        measures("[{name: m, choices: yes_no, judge: {engine: c, rubric: r, options: [a, b]}}]"),
        "measures[0]",
    ),
    "a judge with one option": (
        measures("[{name: m, judge: {engine: c, rubric: r, options: [a]}}]"),
        "measures[0].judge.options",
    ),
    "refusals judged under another name": (
        measures("[{name: declines, scorer: refusal, refusal: {judge: critic}}]"),
        "measures[0]",
    ),
    "clusters per something else": (measures("[{clusters: {per: conept}}]"), "measures[0].clusters.per"),
    "a language nobody knows": (measures("[{name: vader, languages: [en, English]}]"), "measures[0].languages[1]"),
    "a function that is no path": (
        measures("[{name: m, kind: continuous, function: my_scores.py}]"),
        "measures[0].function",
    ),
    "a column without an import": (measures("[{name: m, kind: binary, column: c}]"), "measures[0].column"),
    "a baseline column without a column": (
        measures("[{name: m, scorer: vader, baseline_column: c}]"),
        "measures[0].baseline_column",
    ),
    "a column of versions without a column": (
        measures("[{name: m, scorer: vader, version_column: c}]"),
        "measures[0].version_column",
    ),
    "a baseline column of labels": (
        imported(measures="[{name: m, kind: categorical, column: c, baseline_column: d}]"),
        "measures[0].baseline_column",
    ),
    "a binary measure of labels without a favourable one": (
        measures('[{name: m, kind: binary, choices: ["yes", "no"]}]'),
        "measures[0].kind",
    ),
    "a pattern that is none": (measures('[{name: m, patterns: {a: "("}}]'), "measures[0].patterns.a"),
    "a packaged set that is none": (
        measures("[{name: m, prototypes: fair_sea_leadershp}]"),
        "measures[0].prototypes.labels",
    ),
    "anchors of none beside a packaged set": (
        measures("[{name: m, prototypes: {labels: fair_sea_personality, none: [x]}}]"),
        "measures[0].prototypes.none",
    ),
    "a label without an anchor": (
        measures("[{name: m, prototypes: {labels: {a: [x], b: []}}}]"),
        "measures[0].prototypes.labels.b",
    ),
    "a blank synonym": (measures('[{name: m, taxonomy: {labels: {a: [" "]}}}]'), "measures[0].taxonomy.labels.a"),
    "a synonym of two labels": (
        measures("[{name: m, taxonomy: {labels: {a: [x], b: [A]}}}]"),
        "measures[0].taxonomy.labels.b",
    ),
    "a step that there is not": (
        measures("[{name: m, taxonomy: {labels: {a: [x]}, steps: [guess]}}]"),
        "measures[0].taxonomy.steps[0]",
    ),
    "a scale upside down": (measures("[{name: m, scorer: vader, scale: [1, -1]}]"), "measures[0].scale"),
    "an unknown slice of a measure": (
        {**measures("[{name: m, scorer: vader, slice: [itly]}]"), "slices": "{each: concept}"},
        "measures[0].slice[0]",
    ),
    "an unknown bare word": (measures("[sentimnt]"), "measures[0]"),
    "the name of a measure of unmatched responses": (
        measures("[{name: m, choices: [a, b]}, {name: m_unscored, scorer: vader}]"),
        "measures[1].name",
    ),
    "the name of a measure as written": (
        measures("[vader, {name: vader_as_written, scorer: vader}]"),
        "measures[1].name",
    ),
    "the name of one score of several": (
        measures("[stereotype, {name: stereotype_race, scorer: vader}]"),
        "measures[1].name",
    ),
    "the name of a cluster": (measures("[clusters, {name: clusters_2_member, scorer: vader}]"), "measures[1].name"),
    "an unknown favourable label": (
        measures('[{name: m, choices: ["yes", "no"], favourable: "yess"}]'),
        "measures[0].favourable",
    ),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]
