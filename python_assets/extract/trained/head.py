"""A linear head over embeddings, trained on labels and read off root prompts that it never saw.

Belongs here: arithmetic on arrays. Which texts and labels it is given is trained_on_labels.py.

Every root prompt, labelled or not, lies in one of N_FOLDS folds and is read by the head that was trained on the labels
of the other folds. So the labelled answers of a fold and the others in it are read alike, by a head that saw neither:
what people and reading disagree about on the one is what they would on the other, which is what agreement tells and
what corrected values (inference.md 9.2) rest on. One head of all labels would read the others a little better, and
nobody would know how much. Regularisation and cut-off are chosen inside the training folds.

Source: inference.md 9.6; Zrnic and Candès 2024, Cross-prediction-powered inference.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.result import Bools

N_FOLDS: Final = 10
_INNER_FOLDS: Final = 3
_STRENGTHS: Final = (1.0, 10.0, 100.0)  # of embeddings of length 1: one over the penalty of squared weights
_RAREST: Final = 1e-6  # probability of a label that a head never saw
_MOST_STEPS: Final = 1_000


class LabelsAlikeError(Exception):
    """The labels outside a fold are all the same, so that nothing tells them apart."""


class Examples(NamedTuple):
    """Labelled answers: embeddings, shape (n, d); labels, numbers or positions of labels; and their root prompts."""

    vectors: NDArray[Any]
    labels: Floats
    root_prompt: Ints

    def where(self, kept: Bools) -> "Examples":
        """Some of them."""
        return Examples(self.vectors[kept], self.labels[kept], self.root_prompt[kept])


def folds_of(root_prompt: Ints, is_labelled: Bools, n_folds: int, seed: int) -> Ints:
    """The fold of each root prompt: those that are labelled are dealt out evenly, then the others.

    Args:
        root_prompt: of each answer, from 0 without gaps.
        is_labelled: whether an answer is.
        n_folds: how many.
        seed: of the order in which they are dealt.

    Returns:
        Shape (root prompts,), from 0.
    """
    n = int(root_prompt.max(initial=-1)) + 1
    labelled = np.bincount(root_prompt, is_labelled, minlength=n) > 0
    order = np.random.default_rng(seed).permutation(n)
    dealt = np.concatenate([order[labelled[order]], order[~labelled[order]]])
    fold = np.empty(n, dtype=np.intp)
    fold[dealt] = np.arange(n) % n_folds
    return fold


def cross_fitted(vectors: NDArray[Any], labels: Floats, root_prompt: Ints, kind: str, seed: int) -> Floats:
    """What heads read off answers, each off root prompts whose labels it never saw.

    Args:
        vectors: embeddings, shape (n, d), finite.
        labels: shape (n,): numbers, marks of 0 and 1, or positions of labels; NaN where there is none.
        root_prompt: of each answer, from 0 without gaps.
        kind: continuous, binary or categorical.
        seed: the same answers, labels and seed give the same readings.

    Returns:
        Shape (n,): numbers, 0 or 1, or positions of labels.

    Raises:
        LabelsAlikeError: the labels outside some fold are all the same.
    """
    from threadpoolctl import threadpool_limits

    is_labelled = ~np.isnan(labels)
    fold = folds_of(root_prompt, is_labelled, N_FOLDS, seed)[root_prompt]
    examples = Examples(vectors, labels, root_prompt)
    readings = np.full(len(labels), np.nan)
    # several threads add up in an order of their own, which can change a reading at the cut-off
    with threadpool_limits(1):
        for this_fold in range(N_FOLDS):
            is_read = fold == this_fold
            if is_read.any():
                readings[is_read] = _read(examples.where(is_labelled & ~is_read), vectors[is_read], kind, seed)
    return readings


def _read(training: Examples, vectors: NDArray[Any], kind: str, seed: int) -> Floats:
    if kind == "continuous":
        return _numbers(training, vectors, seed)
    names, codes = np.unique(training.labels, return_inverse=True)
    if len(names) < 2:
        raise LabelsAlikeError
    training = training._replace(labels=codes.astype(np.float64))
    strength, unseen = _chosen(training, len(names), seed)
    probability = _probabilities(training, vectors, len(names), [strength])[0]
    if kind == "binary":
        return (probability[:, 1] > _cut_off(unseen[:, 1], codes == 1)).astype(np.float64)
    return names[probability.argmax(axis=1)]


def _cut_off(unseen: Floats, is_event: Bools) -> float:
    """The probability above which as many answers are read as events as people called events.

    unseen: probabilities of training answers by heads that did not see them.
    """
    ordered = np.sort(unseen)[::-1]
    n = int(is_event.sum())
    return float(ordered[n - 1 : n + 1].mean())


def _chosen(training: Examples, n_labels: int, seed: int) -> tuple[float, Floats]:
    """The strength of the least deviance on root prompts that were left out, and the probabilities there."""
    unseen = _left_out(training, n_labels, seed)
    likelihoods = unseen[:, np.arange(len(training.labels)), training.labels.astype(np.intp)]
    best = int(np.log(likelihoods).mean(axis=1).argmax())
    return _STRENGTHS[best], unseen[best]


def _left_out(training: Examples, n_labels: int, seed: int) -> Floats:
    """By strength, the probabilities of each training answer by a head of the other inner folds."""
    inner = _inner_folds(training, seed)
    probabilities = np.empty((len(_STRENGTHS), len(inner), n_labels))
    for fold in np.unique(inner):
        is_out = inner == fold
        rest = training.where(~is_out)
        probabilities[:, is_out] = _probabilities(rest, training.vectors[is_out], n_labels, _STRENGTHS)
    return probabilities


def _inner_folds(training: Examples, seed: int) -> Ints:
    root_prompt = np.unique(training.root_prompt, return_inverse=True)[1]
    return folds_of(root_prompt, np.ones(len(root_prompt), dtype=bool), _INNER_FOLDS, seed)[root_prompt]


def _probabilities(training: Examples, vectors: NDArray[Any], n_labels: int, strengths: Any) -> Floats:
    """Shape (strengths, answers, labels)."""
    from sklearn.linear_model import LogisticRegression

    codes = training.labels.astype(np.intp)
    probabilities = np.full((len(strengths), len(vectors), n_labels), _RAREST)
    if len(seen := np.unique(codes)) < 2:  # inner folds of few labels
        probabilities[:, :, seen] = 1 - _RAREST
        return probabilities
    head = LogisticRegression(warm_start=True, max_iter=_MOST_STEPS)
    for index, strength in enumerate(strengths):
        head.set_params(C=strength).fit(training.vectors, codes)
        probabilities[index][:, head.classes_] = np.clip(head.predict_proba(vectors), _RAREST, 1)
    return probabilities


def _numbers(training: Examples, vectors: NDArray[Any], seed: int) -> Floats:
    """By ridge regression, its penalty that of the least squared error on root prompts that were left out."""
    from sklearn.linear_model import Ridge

    if np.ptp(training.labels) == 0:
        raise LabelsAlikeError
    inner = _inner_folds(training, seed)
    errors = np.zeros(len(_STRENGTHS))
    for fold in np.unique(inner):
        is_out = inner == fold
        rest = training.where(~is_out)
        for index, strength in enumerate(_STRENGTHS):
            read = Ridge(1 / strength).fit(rest.vectors, rest.labels).predict(training.vectors[is_out])
            errors[index] += np.square(read - training.labels[is_out]).sum()
    penalty = 1 / _STRENGTHS[int(errors.argmin())]
    numbers: Floats = Ridge(penalty).fit(training.vectors, training.labels).predict(vectors).astype(np.float64)
    return numbers
