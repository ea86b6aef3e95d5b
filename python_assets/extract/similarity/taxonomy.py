"""Labels of a taxonomy: by the label's own name, by a synonym, then by nearness of meaning.

Words are told as measures with choices tell them (labels/labels.py). A text that two labels of one step fit has
none: a later step would have to guess between what the text says.
"""

from typing import Final

import numpy as np
import pandas as pd

from python_assets.extract.job import Job, Read, following_values
from python_assets.extract.labels.labels import choices_method
from python_assets.extract.measurement_rows import MeasuredValues, Objects, given, no_numbers, nothing, only_where
from python_assets.extract.similarity.distance import with_model
from python_assets.extract.similarity.prototypes import (
    anchors_digest,
    embedded_anchors,
    label_of_nearest,
    similarity_to,
)
from python_assets.extract.units import Ids
from python_assets.study.measures import Taxonomy

_VERSION: Final = "taxonomy 1"
_NO_RULE: Final = "no_rule_matched"
EMBEDDING: Final = "embedding"


def read_taxonomy(job: Job) -> list[Read]:
    """Measure labels, with the step that found each as label_method, and how often there was none.

    Args:
        job: of one entry with a taxonomy.

    Returns:
        The labels, and how often there was none where labels are categories; where no step finds one, the
        reason of the last that was taken.

    Raises:
        ExtractionError: the model is missing where embedding is a step.

    Source: FAIR-SEA, step 3 of its data collection (alignment to the taxonomy of SingStat).
    """
    rule = job.measure.spec.taxonomy
    if rule is None:
        raise ValueError(f"measure {job.measure.measure_id} has no taxonomy")
    by_embedding = EMBEDDING in rule.steps
    job = with_model(job) if by_embedding else job
    n, text_ids = len(job.wanted), job.text_ids()
    label, method, reason = nothing(n), nothing(n), job.reasons()
    reason[~given(reason)] = _NO_RULE
    for step in rule.steps:
        at = np.flatnonzero((reason == _NO_RULE) & (text_ids >= 0))
        if len(at):
            label[at], reason[at] = _found(job, step, text_ids[at], rule)
            method[at[given(label[at])]] = step
    values = MeasuredValues(
        units=job.wanted,
        value=no_numbers(n),
        baseline_value=no_numbers(n),
        label=label,
        label_method=method,
        reason=reason,
    )
    model = f"; {job.text_scores.embeddings.name.version}" if by_embedding else ""
    version = (
        f"{_VERSION}, labels {anchors_digest(*rule.label_set)}, steps {'|'.join(rule.steps)}, "
        f"least similarity {rule.least_similarity:g}, margin {rule.margin:g}{model}"
    )
    first, *others = job.measures
    unscored = [Read(measure, following_values(job, measure, values), version) for measure in others]
    return [Read(first, values, version), *unscored]


def _found(job: Job, step: str, text_ids: Ids, rule: Taxonomy) -> tuple[Objects, Objects]:
    """What one step makes of texts: labels, and the reasons of those without one."""
    if step == EMBEDDING:
        return _nearest(job, text_ids, rule)
    texts = rule.label_set.texts
    words = {label: [label] if step == "exact" else list(wordings) for label, wordings in texts.items()}
    if not any(words.values()):
        return nothing(len(text_ids)), np.full(len(text_ids), _NO_RULE, dtype=object)
    scores = job.text_scores.scores(choices_method(words), text_ids)
    return _objects(scores["label"]), _objects(scores["reason"])


def _nearest(job: Job, text_ids: Ids, rule: Taxonomy) -> tuple[Objects, Objects]:
    texts = {label: [label, *wordings] for label, wordings in rule.label_set.texts.items()}
    anchors = embedded_anchors(job.text_scores.embeddings, texts, rule.label_set.none)
    similarity = similarity_to(job.text_scores.vectors(text_ids), anchors.vectors)
    is_known = ~pd.isna(similarity[:, 0])
    label, reason = nothing(len(text_ids)), only_where(~is_known, "no_words")
    label[is_known], reason[is_known] = label_of_nearest(similarity[is_known], anchors.labels, rule)
    return label, reason


def _objects(column: pd.Series) -> Objects:
    return only_where(column.notna().to_numpy(), column.to_numpy(dtype=object))
