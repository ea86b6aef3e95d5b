import pytest

from tests.python_assets.study_file.sections import imported, measures

CASES = {
    "the probability of an option that no template has": (
        measures("[{name: p, option_probability: target}]"),
        'measures[0].option_probability: got "target"; expected an option of a template: none; add '
        "options: to a template, or name one of them",
    ),
    "people's labels without a table": (
        measures("[{name: m, choices: [a, b], annotation: gold}]"),
        'measures[0].annotation: got "gold"; expected prompts.import, which columns belong to; '
        "import a table, or measure otherwise",
    ),
    "people's labels of what no text says": (
        imported(measures="[{name: m, kind: continuous, column: x, annotation: gold}]"),
        'measures[0].annotation: got "gold"; expected a measure of one label or score that is read off a '
        "text; write column: in its place",
    ),
    "vader per word": (
        measures("[{vader: {per: word}}]"),
        "measures[0].parameters.per: got \"word\"; expected one of 'text', 'sentence'; write one of them",
    ),
    "a device that is none": (
        measures("[{name: toxicity, parameters: {device: gpu}}]"),
        'measures[0].parameters.device: got "gpu"; expected cpu, cuda, cuda:1 and so on, or mps; '
        "correct it, or remove it",
    ),
    "half a text at a time": (
        measures("[{name: toxicity, parameters: {batch_size: 0.5}}]"),
        "measures[0].parameters.batch_size: got 0.5; expected a whole number, 1 or more; "
        "correct it, or remove it",
    ),
    "the name of what measures leave out": (
        measures("[{name: other language, choices: [a, b]}]"),
        "measures[0].name: got \"other language\"; expected a name other than 'other_language', which counts "
        "responses that measures leave out; rename the measure",
    ),
    "an unknown extractor": (
        measures("[{name: m, extractor: vadr}]"),
        "measures[0].extractor: got \"vadr\"; expected a built-in extractor: 'baseline_distance', 'empty', "
        "'personality', 'refusal', 'regard', 'sentiment', 'stereotype', 'toxicity', 'truncated', 'vader'; "
        "did you mean 'vader'?",
    ),
    "two measures of one name": (
        measures("[{name: m, choices: [a, b]}, {name: M, extractor: vader}]"),
        "measures[1].name: got \"M\"; expected a measure of its own; 'm' has the identifier 'm' already; "
        "rename one of them",
    ),
    "the name of a measure of every study": (
        measures("[{name: empty, extractor: vader}]"),
        "measures[0].name: got \"empty\"; expected a name other than 'refusal', 'empty', 'truncated', which "
        "are measured in every study; rename the measure",
    ),
    "a judge that is no engine": (
        measures("[{name: m, judge: {engine: fair, rubric: r, options: [a, b]}}]"),
        'measures[0].judge.engine: got "fair"; expected a generation with engine: true: none; '
        "add a generation of this name with engine: true",
    ),
    "a favourable label that is no option": (
        {
            **measures(
                "[{name: m, judge: {engine: critic, rubric: r, options: [good, bad]}, favourable: goood}]"
            ),
            "generations": "[{name: fair, provider: simulator}, "
            "{name: critic, provider: simulator, engine: true}]",
        },
        "measures[0].favourable: got \"goood\"; expected a label: 'good', 'bad'; did you mean 'good'?",
    ),
    "a preset of choices that is none": (
        measures("[{name: m, choices: yesno}]"),
        "measures[0].choices: got \"yesno\"; expected one of 'yes_no', 'multiple_choice' or a list or a "
        "mapping; did you mean 'yes_no'?",
    ),
    "a favourable label that the preset lacks": (
        measures("[{name: m, choices: yes_no, favourable: maybe}]"),
        "measures[0].favourable: got \"maybe\"; expected a label: 'yes', 'no'; correct it",
    ),
    "a favourable letter in lower case": (
        measures("[{name: m, choices: multiple_choice, favourable: b}]"),
        "measures[0].favourable: got \"b\"; expected a label: 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'; "
        "did you mean 'B'?",
    ),
    "a judge beside choices that is no engine": (
        measures("[{name: m, choices: yes_no, judge: fair}]"),
        'measures[0].judge: got "fair"; expected a generation with engine: true: none; '
        "add a generation of this name with engine: true",
    ),
    "a judge of refusals that is no engine": (
        measures("[{refusal: {judge: fair}}]"),
        'measures[0].refusal.judge: got "fair"; expected a generation with engine: true: none; '
        "add a generation of this name with engine: true",
    ),
    "the name of an engine without choices": (
        measures("[{name: m, judge: critic}]"),
        'measures[0]: got {"name": "m", "judge": "critic"}; expected a mapping with engine, rubric and '
        "options as judge, whose name alone stands beside choices; "
        "write judge: {engine: ..., rubric: ..., options: [...]}",
    ),
    "a rubric beside choices": (
        measures("[{name: m, choices: yes_no, judge: {engine: c, rubric: r, options: [a, b]}}]"),
        'measures[0]: got {"name": "m", "choices": "yes_no", "judge": {"engine": "c", "rubric": "r", "o...; '
        "expected the name of an engine alone as judge beside choices; write judge: NAME",
    ),
    "a judge with one option": (
        measures("[{name: m, judge: {engine: c, rubric: r, options: [a]}}]"),
        'measures[0].judge.options: got ["a"]; expected at least 2 in the list or a mapping; correct it',
    ),
    "refusals judged under another name": (
        measures("[{name: declines, extractor: refusal, refusal: {judge: critic}}]"),
        'measures[0]: got {"name": "declines", "extractor": "refusal", "refusal": {"judge": "critic"}}; '
        "expected refusal in an entry of its own; write - {refusal: {judge: critic}}",
    ),
    "clusters per something else": (
        measures("[{clusters: {per: conept}}]"),
        "measures[0].clusters.per: got \"conept\"; expected a factor of the prompts: 'all', 'concept', "
        "'source_tag', 'keyword', 'document', 'task', 'is_root'; did you mean 'concept'?",
    ),
    "a language nobody knows": (
        measures("[{name: vader, languages: [en, English]}]"),
        'measures[0].languages[1]: got "English"; expected a code of ISO 639-1, for example en; '
        "write the code of two letters",
    ),
    "a function that is no path": (
        measures("[{name: m, kind: continuous, function: my_scores.py}]"),
        'measures[0].function: got "my_scores.py"; expected module:function, a function in a file beside the '
        "study file; write it so, without .py",
    ),
    "a column without an import": (
        measures("[{name: m, kind: binary, column: c}]"),
        'measures[0].column: got "c"; expected prompts.import, which columns belong to; '
        "import a table, or measure otherwise",
    ),
    "a baseline column without a column": (
        measures("[{name: m, extractor: vader, baseline_column: c}]"),
        'measures[0].baseline_column: got "c"; expected column beside it; add column: or remove it',
    ),
    "a column of versions without a column": (
        measures("[{name: m, extractor: vader, version_column: c}]"),
        'measures[0].version_column: got "c"; expected column beside it; add column: or remove it',
    ),
    "a baseline column of labels": (
        imported(measures="[{name: m, kind: categorical, column: c, baseline_column: d}]"),
        'measures[0].baseline_column: got "d"; expected a continuous measure; labels and 0/1 have no '
        "difference from a baseline; remove it, or change kind",
    ),
    "a binary measure of labels without a favourable one": (
        measures('[{name: m, kind: binary, choices: ["yes", "no"]}]'),
        'measures[0].kind: got "binary"; expected favourable beside it, the label that counts as 1; '
        "add favourable: yes",
    ),
    "a pattern that is none": (
        measures('[{name: m, patterns: {a: "("}}]'),
        'measures[0].patterns.a: got "("; expected a regular expression (missing ) at position '
        "1); correct the expression",
    ),
    "a packaged set that is none": (
        measures("[{name: m, prototypes: fair_sea_leadershp}]"),
        'measures[0].prototypes.labels: got "fair_sea_leadershp"; expected a packaged set of labels: '
        "'fair_sea_leadership', 'fair_sea_family_reaction', 'fair_sea_personality', 'fair_sea_occupations', "
        "'fair_sea_industries'; did you mean 'fair_sea_leadership'?",
    ),
    "anchors of none beside a packaged set": (
        measures("[{name: m, prototypes: {labels: fair_sea_personality, none: [x]}}]"),
        'measures[0].prototypes.none: got ["x"]; expected none beside labels of one\'s own; the packaged set '
        "has it; remove none",
    ),
    "a label without an anchor": (
        measures("[{name: m, prototypes: {labels: {a: [x], b: []}}}]"),
        "measures[0].prototypes.labels.b: got []; expected at least one anchor sentence; write what says "
        "'b', or remove it",
    ),
    "a blank synonym": (
        measures('[{name: m, taxonomy: {labels: {a: [" "]}}}]'),
        'measures[0].taxonomy.labels.a: got [" "]; expected a label and texts that are not blank; remove the '
        "blank one",
    ),
    "a synonym of two labels": (
        measures("[{name: m, taxonomy: {labels: {a: [x], b: [A]}}}]"),
        "measures[0].taxonomy.labels.b: got \"A\"; expected a word of one label; it stands for 'a' too; "
        "remove one of them",
    ),
    "a step that there is not": (
        measures("[{name: m, taxonomy: {labels: {a: [x]}, steps: [guess]}}]"),
        "measures[0].taxonomy.steps[0]: got \"guess\"; expected one of 'exact', 'synonyms', 'embedding'; "
        "write one of them",
    ),
    "a scale upside down": (
        measures("[{name: m, extractor: vader, scale: [1, -1]}]"),
        "measures[0].scale: got [1.0, -1.0]; expected the lower end first; swap the two numbers",
    ),
    "an unknown slice of a measure": (
        {**measures("[{name: m, extractor: vader, slice: [itly]}]"), "slices": "{each: concept}"},
        "measures[0].slice[0]: got \"itly\"; expected a slice: 'all', 'Ideraland', 'Italy'; "
        "did you mean 'Italy'?",
    ),
}
SAME_KIND = {
    "an unknown bare word": (
        measures("[sentimnt]"),
        "measures[0]",
        "a built-in extractor",
    ),
    "the name of a measure of unmatched responses": (
        measures("[{name: m, choices: [a, b]}, {name: m_unmatched, extractor: vader}]"),
        "measures[1].name",
        "a measure of its own",
    ),
    "the name of one score of several": (
        measures("[stereotype, {name: stereotype_race, extractor: vader}]"),
        "measures[1].name",
        "a measure of its own",
    ),
    "the name of a cluster": (
        measures("[clusters, {name: clusters_2_member, extractor: vader}]"),
        "measures[1].name",
        "a measure of its own",
    ),
    "an unknown favourable label": (
        measures('[{name: m, choices: ["yes", "no"], favourable: "yess"}]'),
        "measures[0].favourable",
        "a label",
    ),
}


@pytest.mark.parametrize(("sections", "expected"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_with_field_value_expectation_and_remedy(problem_texts, sections, expected):
    assert problem_texts(sections) == [expected]


@pytest.mark.parametrize(("sections", "field", "kind"), SAME_KIND.values(), ids=SAME_KIND)
def test_a_mistake_of_the_same_kind_is_told_at_its_own_field(mistakes, sections, field, kind):
    assert mistakes(sections) == [(field, kind)]
