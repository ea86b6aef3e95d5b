"""Labels by prototypes: the rule on vectors written by hand, then on real answers that were read."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from python_assets.extract.prototypes import NO_LABEL, SEVERAL, nearest, similarity_to
from python_assets.study.label_sets import label_sets

DATA = os.environ.get("PLUMBLINE_DATA")
OWN = {"animal": ["a cat", "a dog that barks"], "vehicle": ["a car", "a fast train"]}
PACKAGED = {"D1": "fair_sea_leadership", "D4": "fair_sea_family_reaction", "I4": "fair_sea_personality"}


def test_similarity_is_between_the_mean_and_the_nearest_anchor():
    texts = np.array([[2.0, 0.0], [0.0, 1.0], [np.nan, np.nan]])
    anchors = [np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[-1.0, 0.0]])]
    # of the first label cosines 1 and 0: (0.5 + 1) / 2; of the second -1 alone
    expected = [[0.75, -1.0], [0.75, 0.0], [np.nan, np.nan]]
    np.testing.assert_allclose(similarity_to(texts, anchors), expected)


@pytest.mark.parametrize(
    ("row", "least", "margin", "found"),
    [
        ([0.6, 0.5], 0.4, 0.05, 0),
        ([0.5, 0.6], 0.4, 0.05, 1),
        ([0.6, 0.58], 0.4, 0.05, SEVERAL),
        ([0.6, 0.6], 0.4, 0.0, 0),  # without a margin the first of equals
        ([0.3, 0.1], 0.4, 0.05, NO_LABEL),
        ([0.3, 0.29], 0.4, 0.05, NO_LABEL),  # that none is near says more than that two are alike
        ([0.4], 0.4, 0.05, 0),
    ],
)
def test_the_nearest_label_is_near_enough_and_leads(row, least, margin, found):
    assert nearest(np.array([row]), least, margin).tolist() == [found]


def test_labels_similarities_and_reasons(build, make_study):
    measure = {"name": "thing", "prototypes": {"labels": OWN, "none": ["a stone", "a heap of sand"]}}
    build.prompts(p1="A lorry on the road.", p2=None, p3=None, p4=None, p5=None)
    texts = ["My dog barks at the cat.", "Stones and sand.", "The train is faster than the car.", "", None]
    statuses = ["ok", "ok", "ok", "empty", "error"]
    build.responses(*((f"p{n}", *row) for n, row in enumerate(zip(texts, statuses, strict=True), start=1)))
    build.extract(make_study(measure))
    rows = build.rows("thing", "label", "label_method", "reason")
    assert rows[-5:] == [
        ("animal", "prototype", None),
        (None, None, "no_label_near"),
        ("vehicle", "prototype", None),
        (None, None, "response_empty"),
        (None, None, "response_error"),
    ]
    unmatched = build.rows("thing_unmatched", "value")[-5:]
    assert unmatched == [(0.0,), (1.0,), (0.0,), (None,), (None,)]
    near, base, reason = build.rows("thing_similarity_animal", "value", "baseline_value", "reason")[-5]
    far = build.rows("thing_similarity_vehicle", "value", "baseline_value")[-5]
    assert near > far[0] and near > 0.4 and reason is None
    assert far[1] > base  # the baseline text of the first prompt is of a vehicle


def test_a_favourable_label_makes_it_binary(build, make_study):
    measure = {"name": "thing", "kind": "binary", "favourable": "animal", "prototypes": {"labels": OWN}}
    build.prompts(p1=None, p2=None)
    build.responses(("p1", "My dog barks at the cat."), ("p2", "The train is faster than the car."))
    build.extract(make_study(measure))
    assert build.rows("thing", "value") == [(1.0,), (0.0,)]
    assert not build.rows("thing_unmatched", "value")


@pytest.fixture(scope="module")
def read_answers():
    """Real answers and the label that one reader gave each, who did not see the group."""
    if DATA is None:
        pytest.skip("PLUMBLINE_DATA is not set: it holds answers with a reader's labels")
    with (Path(DATA) / "fairsea" / "labels.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_no_anchor_is_an_answer_that_was_read(read_answers):
    answers = {_bare(row["llm_output"]) for row in read_answers}
    for name in PACKAGED.values():
        texts, none = label_sets()[name]
        assert not answers & {_bare(text) for text in [*sum(map(list, texts.values()), []), *none]}


def _bare(text):
    return text.casefold().strip(" .\"'")


@pytest.mark.parametrize(("category", "least_kappa"), [("D1", 0.5), ("D4", 0.1), ("I4", None)])
def test_packaged_anchors_agree_with_a_reader(build, make_study, read_answers, category, least_kappa):
    rows = [row for row in read_answers if row["prompt_category"] == category]
    build.prompts(**{f"p{n:03}": None for n in range(len(rows))})
    build.responses(*((f"p{n:03}", row["llm_output"]) for n, row in enumerate(rows)))
    build.extract(make_study({"name": "m", "languages": [], "prototypes": PACKAGED[category]}))
    found = [(label or "unmatched").lower() for (label,) in build.rows("m", "label")]
    read = [row["label"] for row in rows]
    if least_kappa is None:
        assert found == read == ["unmatched"] * 23
    else:
        assert cohen_kappa_score(read, found) >= least_kappa
