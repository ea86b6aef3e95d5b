"""Heads over embeddings: what they may not see, what they find, and that the others are read as the labelled are."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from python_assets.extract.trained.head import N_FOLDS, LabelsAlikeError, cross_fitted, folds_of


def answers(seed, n_prompts=40, n_groups=5, d=12, noise=0.5):
    """Vectors of length 1, and the score along one direction of them; answers to a root prompt are alike."""
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=d)
    own = rng.normal(size=(n_prompts, 1, d)) + rng.normal(size=(n_prompts, n_groups, d))
    vectors = own.reshape(-1, d)
    score = vectors @ direction / np.linalg.norm(direction) + noise * rng.normal(size=len(vectors))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors, score, np.repeat(np.arange(n_prompts), n_groups)


@pytest.mark.parametrize("kind", ["binary", "categorical", "continuous"])
def test_no_answer_is_read_by_a_head_that_saw_a_label_of_its_root_prompt(kind):
    vectors, score, root_prompt = answers(1)
    labels = {"binary": score > 0.5, "categorical": np.digitize(score, [-0.5, 0.5]), "continuous": score}[kind]
    fold = folds_of(root_prompt, np.ones(len(score), dtype=bool), N_FOLDS, 3)[root_prompt]
    is_own = fold == 4
    others = np.where(is_own, np.roll(labels, 7), labels).astype(float)
    found, again = (cross_fitted(vectors, one.astype(float), root_prompt, kind, 3) for one in (labels, others))
    assert (found[is_own] == again[is_own]).all()
    assert (found[~is_own] != again[~is_own]).any()


def test_labelled_and_other_root_prompts_are_spread_over_all_folds():
    root_prompt = np.repeat(np.arange(45), 3)
    is_labelled = root_prompt < 20
    fold = folds_of(root_prompt, is_labelled, 10, 1)
    assert np.bincount(fold[:20], minlength=10).tolist() == [2] * 10
    assert np.bincount(fold, minlength=10).tolist() == [5] * 5 + [4] * 5
    assert (folds_of(root_prompt, is_labelled, 10, 2) != fold).any()


def test_what_vectors_tell_is_found_and_as_many_are_read_as_people_marked():
    vectors, score, root_prompt = answers(2, n_prompts=60, noise=0.1)
    events = (score > 1).astype(float)
    found = cross_fitted(vectors, events, root_prompt, "binary", 5)
    assert cohen_kappa_score(events, found) > 0.6
    assert found.mean() == pytest.approx(events.mean(), abs=0.03)
    kinds = np.digitize(score, [-0.7, 0.7]) + 2.0
    assert cohen_kappa_score(kinds, cross_fitted(vectors, kinds, root_prompt, "categorical", 5)) > 0.6
    assert np.corrcoef(score, cross_fitted(vectors, score, root_prompt, "continuous", 5))[0, 1] > 0.8


def test_the_same_seed_reads_the_same_and_unlabelled_answers_are_read_too():
    vectors, score, root_prompt = answers(3)
    labels = np.where(root_prompt < 15, score > 0, np.nan)
    found = cross_fitted(vectors, labels, root_prompt, "binary", 9)
    assert set(found) == {0.0, 1.0}
    assert (found == cross_fitted(vectors, labels, root_prompt, "binary", 9)).all()


@pytest.mark.parametrize(("kind", "label"), [("binary", 0.0), ("continuous", 2.5)])
def test_labels_all_alike_train_nothing(kind, label):
    vectors, _, root_prompt = answers(4)
    with pytest.raises(LabelsAlikeError):
        cross_fitted(vectors, np.full(len(root_prompt), label), root_prompt, kind, 1)


def test_one_event_in_one_root_prompt_trains_nothing():
    vectors, _, root_prompt = answers(5)
    labels = np.zeros(len(root_prompt))
    labels[7] = 1
    with pytest.raises(LabelsAlikeError):
        cross_fitted(vectors, labels, root_prompt, "binary", 1)


@pytest.mark.run
def test_labels_that_vectors_do_not_tell_agree_with_their_reading_by_chance_alone():
    # a head that saw its own root prompts would agree with them: answers to one are alike, in vectors and in labels
    kappas = []
    for seed in range(15):
        vectors, _, root_prompt = answers(seed, n_prompts=20)
        rng = np.random.default_rng(seed)
        labels = (rng.normal(size=20)[root_prompt] + rng.normal(size=len(root_prompt)) > 0.3).astype(float)
        kappas.append(cohen_kappa_score(labels, cross_fitted(vectors, labels, root_prompt, "binary", seed)))
    assert stats.ttest_1samp(kappas, 0).pvalue > 0.01


@pytest.mark.run
def test_errors_on_labelled_root_prompts_tell_those_on_the_others():
    differences = []
    for seed in range(20):
        vectors, score, root_prompt = answers(seed)
        truth = (score > 0.8).astype(float)
        is_labelled = root_prompt < 20
        found = cross_fitted(vectors, np.where(is_labelled, truth, np.nan), root_prompt, "binary", seed)
        error = found - truth
        differences.append(error[is_labelled].mean() - error[~is_labelled].mean())
    assert stats.ttest_1samp(differences, 0).pvalue > 0.01
