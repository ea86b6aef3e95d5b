import subprocess
import sys
from pathlib import Path

import pytest

from python_assets.errors import StudyFileError
from python_assets.extract.measures import resolve_measures

MODEL = {"model": "a/b", "scores": {"x": 1}}
JUDGE = {"engine": "e", "rubric": "r", "options": ["x", "y"]}


def by_id(study):
    return {measure.measure_id: measure for measure in resolve_measures(study)}


def test_every_study_has_refusal_empty_and_truncated(make_study):
    measures = resolve_measures(make_study())
    assert [(m.measure_id, m.kind, m.direction) for m in measures] == [
        ("refusal", "binary", "higher_worse"),
        ("empty", "binary", "higher_worse"),
        ("truncated", "binary", "higher_worse"),
    ]


def test_a_study_may_declare_one_of_them_itself(make_study):
    measures = resolve_measures(make_study("vader", {"name": "refusal", "slice": "d3"}))
    assert [m.measure_id for m in measures] == ["vader", "refusal", "empty", "truncated"]
    assert measures[1].slices == ("d3",)


def test_a_bare_word_is_a_built_in_with_its_declarations(make_study):
    measure = by_id(make_study("baseline_distance"))["baseline_distance"]
    assert (measure.scorer, measure.unit, measure.direction) == ("baseline_distance", "distance", "none")
    assert (measure.scale_low, measure.scale_high, measure.parameters) == (0.0, None, "metric=cosine")
    assert (measure.model, measure.model_revision) == (None, None)
    sentiment = by_id(make_study("sentiment"))["sentiment"]
    assert (sentiment.scorer, sentiment.reads) == ("sentiment", "classifier")
    assert sentiment.model == "lxyuan/distilbert-base-multilingual-cased-sentiments-student"
    assert sentiment.languages.split("|")[:2] == ["en", "ar"]


def test_a_classifier_with_several_scores_is_several_measures(make_study):
    measures = by_id(make_study({"name": "Their traits", "scorer": "personality"}, "stereotype"))
    assert [name for name in measures if "_" in name] == [
        "their_traits_extraversion",
        "their_traits_neuroticism",
        "their_traits_agreeableness",
        "their_traits_conscientiousness",
        "their_traits_openness",
        "stereotype_gender",
        "stereotype_religion",
        "stereotype_profession",
        "stereotype_race",
    ]
    assert {m.direction for name, m in measures.items() if name.startswith("their")} == {"none"}
    assert measures["stereotype_race"].direction == "higher_worse"


def test_the_scale_of_a_classifier_is_what_its_weights_can_reach(make_study):
    own = {"model": "a/b", "revision": "c", "scores": {"x": 1, "y": 0.5, "z": -2}}
    measure = by_id(make_study({"name": "m", "classifier": own, "direction": "higher_better"}))["m"]
    assert (measure.kind, measure.scale_low, measure.scale_high) == ("continuous", -2, 1.5)
    assert (measure.scorer, measure.model, measure.model_revision) == ("classifier", "a/b", "c")
    assert (measure.parameters, measure.direction) == ("scores=x:1|y:0.5|z:-2", "higher_better")


def test_a_judge_has_a_second_measure_where_it_may_disagree_with_itself(make_study):
    judge = {"engine": "e", "rubric": "r", "options": ["x", "y"]}
    study = make_study({"name": "a", "judge": judge}, {"name": "b", "judge": judge | {"repeats": 3}})
    measures = by_id(study)
    assert [name for name in measures if name[0] in "ab"] == ["a", "b", "b_disagreement"]
    assert (measures["b"].kind, measures["b"].unit) == ("categorical", "label")
    disagreement = measures["b_disagreement"]
    assert (disagreement.kind, disagreement.scale_low, disagreement.scale_high) == ("continuous", 0, 1)


def test_clusters_are_a_member_and_a_distance_each(make_study):
    measures = by_id(make_study("clusters", {"name": "near", "cluster_and_sort": {"k": 1, "per": "all"}}))
    assert [(m.measure_id, m.kind, m.scale_high) for m in measures.values() if m.reads == "clusters"] == [
        ("clusters_1_member", "binary", 1.0),
        ("clusters_1_distance", "continuous", None),
        ("clusters_2_member", "binary", 1.0),
        ("clusters_2_distance", "continuous", None),
        ("clusters_3_member", "binary", 1.0),
        ("clusters_3_distance", "continuous", None),
        ("near_1_member", "binary", 1.0),
        ("near_1_distance", "continuous", None),
    ]
    assert measures["near_1_member"].parameters == "k=1;per=all;vector=average;words=3;theme=vector;metric=l2"


def test_a_study_says_which_languages_a_measure_reads(make_study):
    measures = by_id(make_study({"name": "vader", "languages": []}, {"name": "sentiment", "languages": ["de", "en"]}))
    assert [measures[name].languages for name in ("vader", "sentiment")] == ["", "de|en"]


def test_what_a_study_declares_wins(make_study):
    spec = {
        "name": "Far off",
        "scorer": "baseline_distance",
        "parameters": {"metric": "l1"},
        "direction": "higher_worse",
        "unit": "l1",
        "scale": [0, 40],
    }
    measure = by_id(make_study(spec))["far_off"]
    assert (measure.parameters, measure.direction, measure.unit) == ("metric=l1", "higher_worse", "l1")
    assert (measure.scale_low, measure.scale_high) == (0.0, 40.0)


def test_labels_bring_a_measure_of_those_without(make_study):
    measures = by_id(make_study({"name": "answer", "choices": ["yes", "no"], "favourable": "no", "slice": "d3"}))
    assert measures["answer"].kind == "categorical"
    assert (measures["answer"].parameters, measures["answer"].favourable) == ("labels=yes|no", "no")
    unscored = measures["answer_unscored"]
    assert (unscored.kind, unscored.direction, unscored.slices) == ("binary", "none", ("d3",))
    assert unscored.favourable is None


def test_a_binary_measure_of_labels_counts_the_favourable_one(make_study):
    spec = {"name": "kind", "kind": "binary", "choices": ["yes", "no"], "favourable": "yes"}
    measures = by_id(make_study(spec))
    assert (measures["kind"].direction, measures["kind"].scale_high) == ("higher_better", 1.0)
    # to be left undecided or unscored is no outcome with a good end: no four-fifths rule, nobody at an advantage
    assert {measures[name].direction for name in ("kind_unscored", "kind_undecided")} == {"none"}
    assert (measures["kind_undecided_as_no"].kind, measures["kind_undecided_as_no"].direction) == (
        "binary",
        "higher_better",
    )


def test_columns_and_functions_say_where_they_come_from(make_study):
    column = {"name": "a", "kind": "continuous", "column": "x", "baseline_column": "b's"}
    function = {"name": "b", "kind": "categorical", "function": "my_scores:politeness"}
    measures = by_id(make_study(column, function))
    assert (measures["a"].scorer, measures["a"].parameters) == ("column", "column=x;baseline_column=b's")
    assert (measures["b"].scorer, measures["b"].parameters) == ("my_scores:politeness", "")


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ("sentimnt", "measures[0].scorer"),
        ({"name": "vader", "kind": "binary"}, "measures[0].kind"),
        ({"name": "baseline_distance", "parameters": {"metric": "l3"}}, "measures[0].parameters.metric"),
        ({"name": "vader", "parameters": {"x": 1}}, "measures[0].parameters.x"),
        ({"name": "a", "choices": ["x"], "parameters": {"x": 1}}, "measures[0].parameters"),
        ({"name": "a", "choices": {"x": ["Yes"], "y": ["yes "]}}, "measures[0].choices.y"),
        ({"name": "a", "choices": {"x": []}}, "measures[0].choices.x"),
        ({"name": "a", "choices": ["x", " "]}, "measures[0].choices"),
        ({"name": "a", "patterns": {"x": "("}}, "measures[0].patterns.x"),
        ({"name": "a", "patterns": {"x": "b*"}}, "measures[0].patterns.x"),
        ({"name": "toxicity", "parameters": {"model": "x/y"}}, "measures[0].parameters.model"),
        ({"name": "stereotype", "scale": [0, 2]}, "measures[0].scale"),
        ({"name": "clusters", "clusters": {}, "kind": "binary"}, "measures[0].kind"),
        ({"name": "a", "classifier": MODEL, "kind": "binary"}, "measures[0].kind"),
        ({"name": "a", "classifier": MODEL, "favourable": "x"}, "measures[0].favourable"),
        ({"name": "a", "judge": {**JUDGE, "options": ["Yes", "yes "]}}, "measures[0].judge.options"),
        ({"name": "a", "judge": JUDGE, "kind": "continuous"}, "measures[0].kind"),
        ({"name": "a", "judge": {**JUDGE, "options": {"x": 1, "y": 2}}, "kind": "categorical"}, "measures[0].kind"),
        ({"name": "a", "choices": ["x"], "direction": "higher_worse"}, "measures[0].direction"),
        ({"name": "a", "kind": "continuous", "column": "x", "favourable": "y"}, "measures[0].favourable"),
        (
            {"name": "a", "kind": "binary", "choices": ["x"], "favourable": "x", "direction": "higher_worse"},
            "measures[0].direction",
        ),
    ],
)
def test_what_cannot_be_measured_is_named_with_its_place(make_study, spec, field: str, refused):
    with refused(StudyFileError, field):
        resolve_measures(make_study(spec))


def test_all_problems_are_told_at_once(make_study, refused):
    study = make_study({"name": "a", "patterns": {"x": "(", "y": "*"}}, {"name": "vader", "kind": "binary"})
    fields = ("measures[0].patterns.x", "measures[0].patterns.y", "measures[1].kind")
    with refused(StudyFileError, *fields):
        resolve_measures(study)


def test_resolving_imports_nothing_heavy():
    script = (
        "import sys, python_assets.extract.measures as e\n"
        "from python_assets.study.study import MeasureSpec, Study\n"
        "names = ('vader', 'baseline_distance', 'refusal', 'sentiment', 'clusters')\n"
        "specs = [MeasureSpec.model_validate(name) for name in names]\n"
        "e.resolve_measures(Study.model_construct(measures=specs, path='x'))\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'vaderSentiment', 'openai', 'dagster'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=root)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
