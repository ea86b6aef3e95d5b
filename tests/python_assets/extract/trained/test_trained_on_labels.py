"""A head of the study's own: labels of its answers in, readings of every answer out, and why there is none."""

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError
from sklearn.metrics import cohen_kappa_score

from python_assets.errors import StudyFileError
from python_assets.extract.measures import resolve_measures
from python_assets.study.study import AnalysisSpec, MeasureSpec
from python_assets.warehouse.build import write_stage

MARKS = {"name": "praise", "scorer": "trained_on_labels", "kind": "binary"}
OF_PRAISE = ["What a wonderful {}.", "I like the {} a lot.", "The {} is excellent.", "A very good {}, well done."]
OF_BLAME = ["What a terrible {}.", "I hate the {}.", "The {} is awful.", "A very bad {}, such a shame."]
THINGS = [
    *("meal", "film", "song", "house", "garden", "speech", "plan", "letter"),
    *("coat", "bridge", "lamp", "poem", "boat", "chair", "story", "cake"),
]


@pytest.fixture
def answered(build):
    """Two answers to each of sixteen prompts: replicate 0 praises, 1 blames; with the prompts."""
    prompts = [f"p{n:02d}" for n in range(len(THINGS))]
    build.prompts(**dict.fromkeys(prompts))
    said = [texts[n % 4].format(thing) for n, thing in enumerate(THINGS) for texts in (OF_PRAISE, OF_BLAME)]
    build.responses(*((prompts[n // 2], text, "ok", n % 2) for n, text in enumerate(said)))
    build.connection.execute("update raw.responses set response_id = prompt_id || '/' || replicate")
    return build, prompts


def labelled(build, said, *, measure="praise", column="value"):
    """Write labels by (prompt, replicate)."""
    given = [(f"{prompt}/{replicate}", label) for (prompt, replicate), label in said.items()]
    rows = pd.DataFrame(given, columns=["response_id", column])
    rows = rows.assign(measure_id=measure, rater="ann", is_automatic=False, file_name="f.csv", file_row=2)
    write_stage(build.connection, "study", "label", {"human_labels": rows})


def test_answers_of_labelled_and_other_prompts_are_read_alike(answered, make_study):
    build, prompts = answered
    labelled(build, {(p, r): 1.0 - r for p in prompts[:12] for r in (0, 1)})
    build.extract(make_study(MARKS, analysis=AnalysisSpec(seed=1)))
    found = build.rows("praise", "value", "replicate", "reason")
    assert len(found) == 32
    assert cohen_kappa_score([1 - r for _, r, _ in found], [value for value, *_ in found]) > 0.8
    assert {reason for *_, reason in found} == {None}


@pytest.mark.run
def test_the_version_tells_labels_and_seed_apart(answered, make_study):
    build, prompts = answered
    versions = set()
    for n, seed in ((12, 1), (12, 1), (11, 1), (12, 2)):
        labelled(build, {(p, r): 1.0 - r for p in prompts[:n] for r in (0, 1)})
        build.extract(make_study(MARKS, analysis=AnalysisSpec(seed=seed)))
        versions |= {version for (version,) in build.rows("praise", "scorer_version")}
    assert len(versions) == 3


@pytest.mark.run
def test_categories_are_read_by_their_names_whatever_case_people_write(answered, make_study):
    build, prompts = answered
    measure = {"name": "tone", "scorer": "trained_on_labels", "kind": "categorical", "options": ["Praise", "Blame"]}
    said = {(p, r): ("BLAME" if r else "praise") for p in prompts[:12] for r in (0, 1)}
    labelled(build, said, measure="tone", column="label")
    build.extract(make_study(measure, analysis=AnalysisSpec(seed=1)))
    found = build.rows("tone", "label", "replicate", "label_method")
    assert cohen_kappa_score([r for _, r, _ in found], [label == "Blame" for label, *_ in found]) > 0.8
    assert {(label, method) for label, _, method in found} == {
        ("Praise", "trained_on_labels"),
        ("Blame", "trained_on_labels"),
    }


@pytest.mark.run
def test_numbers_keep_to_the_scale_that_is_declared(answered, make_study):
    build, prompts = answered
    measure = {"name": "warmth", "scorer": "trained_on_labels", "kind": "continuous", "scale": [1, 5]}
    labelled(build, {(p, r): 5.0 - 4 * r for p in prompts[:12] for r in (0, 1)}, measure="warmth")
    build.extract(make_study(measure, analysis=AnalysisSpec(seed=1)))
    found = build.rows("warmth", "value", "replicate")
    assert all(1 <= value <= 5 for value, _ in found)
    assert np.corrcoef(np.array(found).T)[0, 1] < -0.8


@pytest.mark.parametrize(
    ("n", "label", "reason"), [(0, 1.0, "no_labels"), (9, None, "too_few_labels"), (12, 1.0, "labels_alike")]
)
def test_without_labels_that_train_a_head_the_measure_has_no_value_and_its_reason(
    answered, make_study, n, label, reason
):
    build, prompts = answered
    labelled(build, {(p, r): 1.0 - r if label is None else label for p in prompts[:n] for r in (0, 1)})
    build.extract(make_study(MARKS, analysis=AnalysisSpec(seed=1)))
    assert set(build.rows("praise", "value", "reason")) == {(None, reason)}


@pytest.mark.run
def test_raters_who_disagree_evenly_leave_an_answer_without_label(answered, make_study):
    build, prompts = answered
    said = {(p, r): 1.0 - r for p in prompts[:10] for r in (0, 1)}
    labelled(build, said)
    build.connection.execute(
        "insert into raw.human_labels by name "
        "select * replace ('bob' as rater, 1 - value as value) from raw.human_labels where response_id like 'p00/%'"
    )
    build.extract(make_study(MARKS, analysis=AnalysisSpec(seed=1)))
    assert set(build.rows("praise", "reason")) == {("too_few_labels",)}


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"name": "a", "scorer": "trained_on_labels"}, "kind for trained_on_labels"),
        ({"name": "a", "scorer": "trained_on_labels", "kind": "categorical"}, "two or more"),
        ({"name": "a", "scorer": "trained_on_labels", "kind": "categorical", "options": ["x"]}, "two or more"),
    ],
)
def test_what_people_mark_has_to_be_said(make_study, entry, told):
    with pytest.raises(StudyFileError, match=told):
        resolve_measures(make_study(entry))


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "vader", "options": ["x", "y"]},
        {"name": "a", "scorer": "trained_on_labels", "kind": "binary", "options": ["x", "y"]},
    ],
)
def test_options_are_of_categories_that_labels_train(entry):
    with pytest.raises(ValidationError, match="options"):
        MeasureSpec.model_validate(entry)


def test_what_it_makes_of_its_kind_is_in_the_table_of_measures(make_study):
    marks, number = (resolve_measures(make_study({**MARKS, "kind": kind}))[0] for kind in ("binary", "continuous"))
    assert (marks.unit, marks.scale_low, marks.scale_high) == ("share", 0, 1)
    assert (number.unit, number.scale_low) == ("score", None)
