"""Labels by prototypes: the label whose anchor sentences the embedding of a text is nearest to, or none."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.embeddings.embedding import cosine
from python_assets.embeddings.vectors import TextVectors
from python_assets.errors import ExtractionError
from python_assets.extract.job import Job, Read, following_values
from python_assets.extract.measurement_rows import MeasuredValues, Objects, given, no_numbers, nothing, only_where
from python_assets.extract.similarity.distance import with_model
from python_assets.extract.units import Ids
from python_assets.study.base import SIMILARITY
from python_assets.study.measures import Prototypes

_VERSION: Final = "prototypes 1"
NO_LABEL: Final = -1
SEVERAL_NEAR: Final = -2


def similarity_to(texts: NDArray[Any], anchors: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """How like the anchors of every label texts are.

    Args:
        texts: embeddings, shape (n, d).
        anchors: of every label the embeddings of its anchors, shapes (m, d).

    Returns:
        Shape (n, labels), -1 to 1: half the mean cosine over the anchors and half the largest; NaN where a
        text has no embedding. One anchor that shares a side issue with a text (a team, a company) must not
        decide, nor must anchors that say the label in another way count against it: on the answers to D1 of
        FAIR-SEA this agrees better with a reader than either alone.
    """
    cosines = [cosine(texts, anchor) for anchor in anchors]
    return np.stack([(anchor.mean(axis=1) + anchor.max(axis=1)) / 2 for anchor in cosines], axis=1)


def nearest(similarity: NDArray[np.float64], least: float, margin: float) -> NDArray[np.intp]:
    """The column of the largest similarity in each row.

    Args:
        similarity: shape (n, labels), without NaN.
        least: below it no label is near.
        margin: how much nearer than the next a label must be.

    Returns:
        Shape (n,): a column, NO_LABEL or SEVERAL.
    """
    ordered = np.sort(similarity, axis=1)
    lead = ordered[:, -1] - ordered[:, -2] if similarity.shape[1] > 1 else np.full(len(similarity), np.inf)
    column = np.where(lead < margin, SEVERAL_NEAR, similarity.argmax(axis=1))
    return np.where(ordered[:, -1] < least, NO_LABEL, column)


class Anchors(NamedTuple):
    """Labels and the embeddings of their anchors; those of none come last, where there are some."""

    labels: Sequence[str]
    vectors: Sequence[NDArray[np.float32]]


def embedded_anchors(embeddings: TextVectors, texts: Mapping[str, Sequence[str]], none: Sequence[str]) -> Anchors:
    """Embed the anchors of labels.

    Raises:
        ExtractionError: the model knows no word of an anchor.
    """
    stands_for = [*texts.values(), *([none] if none else [])]
    vectors = [embeddings.of(wordings) for wordings in stands_for]
    for anchors, embedded in zip(stands_for, vectors, strict=True):
        if (unknown := np.isnan(embedded).any(axis=1)).any():
            got = f"the anchor {anchors[int(unknown.argmax())]!r}"
            expected = f"words of which {embeddings.name.model} knows one"
            raise ExtractionError("prototypes", got, expected, "write it in other words")
    return Anchors(list(texts), vectors)


def anchors_digest(texts: Mapping[str, Sequence[str]], none: Sequence[str]) -> str:
    """Tells sets of labels and anchors apart."""
    written = json.dumps([texts, none], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def label_of_nearest(
    similarity: NDArray[np.float64], labels: Sequence[str], rule: Prototypes
) -> tuple[Objects, Objects]:
    """Labels and the reasons of those without one, one a row of similarity, which has no NaN."""
    at = nearest(similarity, rule.least_similarity, rule.margin)
    names = np.array([*labels, None], dtype=object)  # the last is of the anchors of none, and of the reasons
    label = names[np.where(at < 0, len(labels), np.minimum(at, len(labels)))]
    reason = only_where(~given(label), np.where(at == SEVERAL_NEAR, "several_labels_near", "no_label_near"))
    return label, reason


def read_prototypes(job: Job) -> list[Read]:
    """Measure labels and how like the anchors of every label the texts are.

    Args:
        job: of one entry with prototypes.

    Returns:
        The labels, how often there was none where labels are categories, and the similarity to every label;
        no_label_near where none is like the text, several_labels_near where two are alike, no_words where the
        model knows no word of it.

    Raises:
        ExtractionError: the model is missing, or knows no word of an anchor.

    Source: FAIR-SEA, step 3 of its data collection (embedding similarity to predefined embeddings).
    """
    rule = job.measure.spec.prototypes
    if rule is None:
        raise ValueError(f"measure {job.measure.measure_id} has no prototypes")
    job = with_model(job)
    texts, none = rule.label_set
    anchors = embedded_anchors(job.text_scores.embeddings, texts, none)
    similarity = _similarity(job, job.text_ids(), anchors)
    base = _similarity(job, job.baseline_ids(), anchors)
    values = _labels(job, similarity, anchors, rule)
    version = "; ".join(
        [
            f"{_VERSION}, anchors {anchors_digest(texts, none)}",
            f"least similarity {rule.least_similarity:g}, margin {rule.margin:g}",
            job.text_scores.embeddings.name.version,
        ]
    )
    first, *others = job.measures
    read = [Read(first, values, version)]
    for measure in others:
        if measure.scorer == SIMILARITY:
            at = anchors.labels.index(measure.options["label"])
            read.append(Read(measure, _of_label(job, similarity[:, at], base[:, at]), version))
        else:
            read.append(Read(measure, following_values(job, measure, values), version))
    return read


def _similarity(job: Job, text_ids: Ids, anchors: Anchors) -> NDArray[np.float64]:
    """Shape (n, labels and none); NaN where there is no text or the model knows no word of it."""
    similarity = np.full((len(text_ids), len(anchors.vectors)), np.nan)
    if (has_text := text_ids >= 0).any():
        wanted, position = np.unique(text_ids[has_text], return_inverse=True)
        similarity[has_text] = similarity_to(job.text_scores.vectors(wanted), anchors.vectors)[position]
    return similarity


def _labels(job: Job, similarity: NDArray[np.float64], anchors: Anchors, rule: Prototypes) -> MeasuredValues:
    n = len(job.wanted)
    label, reason = nothing(n), _reasons(job, similarity[:, 0])
    is_known = ~given(reason)
    label[is_known], reason[is_known] = label_of_nearest(similarity[is_known], anchors.labels, rule)
    return MeasuredValues(
        units=job.wanted,
        value=no_numbers(n),
        baseline_value=no_numbers(n),
        label=label,
        label_method=only_where(given(label), "prototype"),
        reason=reason,
    )


def _of_label(job: Job, own: NDArray[np.float64], base: NDArray[np.float64]) -> MeasuredValues:
    n = len(job.wanted)
    return MeasuredValues(
        units=job.wanted,
        value=own,
        baseline_value=base,
        label=nothing(n),
        label_method=nothing(n),
        reason=_reasons(job, own),
    )


def _reasons(job: Job, own: NDArray[np.float64]) -> Objects:
    """Why a unit has no similarity to any label."""
    reason = job.reasons()
    reason[~given(reason) & pd.isna(own)] = "no_words"
    return reason
