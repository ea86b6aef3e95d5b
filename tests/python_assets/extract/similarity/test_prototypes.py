"""Labels by prototypes: the rule on vectors written by hand, then on real answers that were read."""

import os
import re
from pathlib import Path

import numpy as np
import pytest
from nltk.stem import PorterStemmer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.metrics import cohen_kappa_score

from bench.label_agreement import found_labels, plain_sentences, read_by_one_reader
from python_assets.extract.similarity.prototypes import NO_LABEL, SEVERAL_NEAR, nearest, similarity_to
from python_assets.providers.simulator import lexicon
from python_assets.study.label_sets import PLAIN_SENTENCES, label_sets
from python_assets.study.measures import Prototypes, Taxonomy
from python_assets.study_file.load import load_study

DATA = os.environ.get("PLUMBLINE_DATA")
STUDIES = Path(__file__).resolve().parents[4] / "studies"
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
        ([0.6, 0.58], 0.4, 0.05, SEVERAL_NEAR),
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
    unscored = build.rows("thing_unscored", "value")[-5:]
    assert unscored == [(0.0,), (1.0,), (0.0,), (None,), (None,)]
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
    assert not build.rows("thing_unscored", "value")


@pytest.mark.parametrize("category", PACKAGED)
def test_the_packaged_sets_read_plain_sentences_as_often_as_they_say(category):
    right, n, unlabelled, n_without = plain_sentences(category)
    assert PLAIN_SENTENCES[PACKAGED[category]] == (right, n)
    assert (n, n_without) == (20, 6)
    assert unlabelled >= 5


def test_the_sets_of_leadership_and_personality_read_three_sentences_in_four():
    assert {name for name, found in PLAIN_SENTENCES.items() if not found.are_few} == {
        "fair_sea_leadership",
        "fair_sea_personality",
    }


def test_a_packaged_set_has_a_bound_of_its_own_where_the_study_declares_none():
    assert Prototypes.model_validate("fair_sea_leadership").least_similarity == 0.25
    assert Prototypes(labels="fair_sea_leadership", least_similarity=0.3).least_similarity == 0.3
    assert Prototypes(labels=OWN).least_similarity == 0.4
    assert Taxonomy.model_validate("fair_sea_industries").least_similarity == 0.5


def _content_words(text):
    words = re.findall(r"[a-z]+", text.lower())
    return {PorterStemmer().stem(word) for word in words if word not in ENGLISH_STOP_WORDS}


def _anchor_words(name):
    texts, none = label_sets()[name]
    return set().union(*(_content_words(text) for own in [*texts.values(), none] for text in own))


@pytest.mark.parametrize("name", PACKAGED.values())
def test_no_sentence_of_the_simulator_holds_a_word_of_an_anchor(name):
    written = [
        *sum(map(list, (*lexicon.GRADES.values(), *lexicon.TOPICS)), []),
        *(re.sub(r"\{.*?\}", " ", sentence) for sentence in lexicon.SENTENCES),
        *lexicon.TAILS,
        *lexicon.REFUSALS,
    ]
    assert not _anchor_words(name) & set().union(*map(_content_words, written))


@pytest.mark.parametrize("category", PACKAGED)
def test_simulated_answers_are_read_by_meaning_and_share_no_word_with_the_anchors(category):
    study = load_study(STUDIES / "fair_sea.yml")
    effects = study.systems[0].spec.options["labels"]["effects"]["category"][category]
    answers = [answer for answer, probability in effects.items() if probability > 0]
    texts, _ = label_sets()[PACKAGED[category]]
    assert not _anchor_words(PACKAGED[category]) & set().union(*map(_content_words, answers))
    assert len(answers) >= 3
    assert set(found_labels(answers, PACKAGED[category])) <= {label.lower() for label in texts}


@pytest.fixture(scope="module")
def read_answers():
    """Real answers and the label that one reader gave each, who did not see the group."""
    if DATA is None:
        pytest.skip("PLUMBLINE_DATA is not set: it holds answers with a reader's labels")
    return read_by_one_reader(Path(DATA))


def test_no_anchor_is_an_answer_that_was_read(read_answers):
    answers = {_bare(row["llm_output"]) for row in read_answers}
    for name in PACKAGED.values():
        texts, none = label_sets()[name]
        assert not answers & {_bare(text) for text in [*sum(map(list, texts.values()), []), *none]}


def _bare(text):
    return text.casefold().strip(" .\"'")


@pytest.mark.parametrize(("category", "least_kappa"), [("D1", 0.6), ("D4", 0.2), ("I4", None)])
def test_packaged_anchors_agree_with_a_reader(build, make_study, read_answers, category, least_kappa):
    rows = [row for row in read_answers if row["prompt_category"] == category]
    build.prompts(**{f"p{n:03}": None for n in range(len(rows))})
    build.responses(*((f"p{n:03}", row["llm_output"]) for n, row in enumerate(rows)))
    build.extract(make_study({"name": "m", "languages": [], "prototypes": PACKAGED[category]}))
    found = [(label or "unscored").lower() for (label,) in build.rows("m", "label")]
    read = [row["label"] for row in rows]
    if least_kappa is None:
        # "imprecise" is near the anchors of analytical: an embedding does not see im-
        assert read == ["unscored"] * 23
        assert found.count("unscored") >= 22
    else:
        assert cohen_kappa_score(read, found) >= least_kappa
