"""A measure that is read by a head of the study's own, which people's labels of its answers trained."""

import hashlib
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.embeddings.minilm import MINILM_LANGUAGES
from python_assets.extract.job import Job, Read
from python_assets.extract.measurement_rows import MeasuredValues, Objects, given, no_numbers, nothing, only_where
from python_assets.extract.scorer import Reason, scorer
from python_assets.extract.similarity.distance import with_model
from python_assets.extract.trained.head import LabelsAlikeError, cross_fitted
from python_assets.extract.units import Ids
from python_assets.infer.agreement.coefficients import LEAST_PROMPTS
from python_assets.infer.agreement.people import CATEGORICAL, people_say
from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.result import Bools
from python_assets.study.measures import TRAINED_ON_LABELS

_VERSION: Final = "trained_on_labels 1"
_LABELS: Final = """
    select system_id, prompt_id, replicate, rater, label, value
    from raw.human_labels
    inner join raw.responses using (study_id, response_id)
    where study_id = ? and measure_id = ? and human_labels.reason is null
    order by all
"""
_ROOT_PROMPTS: Final = "select prompt_id, root_prompt_id from raw.prompts where study_id = ?"
_UNIT: Final = ["system_id", "prompt_id", "replicate"]


@scorer(
    TRAINED_ON_LABELS,
    kind=None,
    unit="score",
    scale=(None, None),
    direction="none",
    languages=MINILM_LANGUAGES,
    reads="trained",
    version=lambda: _VERSION,
    source="Zrnic and Candès 2024, Cross-prediction-powered inference",
)
def read_trained(job: Job) -> list[Read]:
    """Read every answer by a head that saw no label of its root prompt.

    Args:
        job: of one measure; labels of it are rows of raw.human_labels.

    Returns:
        Marks, labels or numbers, as the measure is declared; without any the reason is no_labels, too_few_labels where
        fewer than LEAST_PROMPTS root prompts have one, labels_alike where nothing tells them apart, no_words of a text
        that the model knows no word of.

    Raises:
        ExtractionError: the model that embeds is missing or is not the one expected.
    """
    job = with_model(job)
    n = len(job.wanted)
    labels, names = _labels(job)
    both = np.concatenate([job.text_ids(), job.baseline_ids()])
    reason = _unread_because(job, labels)
    codes = np.full(2 * n, np.nan)
    if reason is None:
        vectors, has_vector = _vectors(job, both)
        root_prompt = np.tile(_root_prompts(job), 2)[has_vector]
        known = np.concatenate([labels, np.full(n, np.nan)])[has_vector]
        try:
            codes[has_vector] = cross_fitted(vectors, known, root_prompt, job.measure.kind, job.study.seed)
        except LabelsAlikeError:
            reason = "labels_alike"
    reasons = job.reasons()
    reasons[~given(reasons) & np.isnan(codes[:n])] = reason or "no_words"
    is_label = job.measure.kind == CATEGORICAL
    label = only_where(~np.isnan(codes[:n]), _named(codes[:n], names)) if is_label else nothing(n)
    values = MeasuredValues(
        units=job.wanted,
        value=no_numbers(n) if is_label else _on_scale(job, codes[:n]),
        baseline_value=no_numbers(n) if is_label else _on_scale(job, codes[n:]),
        label=label,
        label_method=only_where(given(label), TRAINED_ON_LABELS),
        reason=reasons,
    )
    digest = hashlib.sha256(labels.tobytes()).hexdigest()[:16]
    version = f"{_VERSION}, labels {digest}, seed {job.study.seed}, {job.text_scores.embeddings.name.version}"
    return [Read(job.measure, values, version)]


def _labels(job: Job) -> tuple[Floats, list[str]]:
    """What people say of each wanted unit, as codes, NaN where they say nothing; and the labels of the codes."""
    kind, names = job.measure.kind, sorted(job.measure.spec.labels)
    rows = job.connection.execute(_LABELS, [job.study.study_id, job.measure.measure_id]).df()
    people = people_say(rows, pd.Series(pd.MultiIndex.from_frame(rows[_UNIT]).to_flat_index()), kind, names)
    wanted = pd.MultiIndex.from_frame(job.units.table[_UNIT].iloc[job.wanted]).to_flat_index()
    label_codes = pd.Series(people.said, index=people.answers)
    return np.asarray(label_codes.reindex(wanted), dtype=np.float64), names


def _unread_because(job: Job, labels: Floats) -> Reason | None:
    """Why labels train no head."""
    is_labelled = ~np.isnan(labels)
    if not is_labelled.any():
        return "no_labels"
    n_labelled = len(np.unique(_root_prompts(job)[is_labelled & (job.text_ids() >= 0)]))
    return "too_few_labels" if n_labelled < LEAST_PROMPTS else None


def _root_prompts(job: Job) -> Ints:
    """The root prompt of each wanted unit, from 0 without gaps."""
    roots = dict(job.connection.execute(_ROOT_PROMPTS, [job.study.study_id]).fetchall())
    unit_roots = [roots[prompt] for prompt in job.units.column("prompt_id")[job.wanted]]
    return np.unique(unit_roots, return_inverse=True)[1].astype(np.intp)


def _vectors(job: Job, text_ids: Ids) -> tuple[NDArray[np.float32], Bools]:
    """Embeddings of the texts that have one, and which these are."""
    has_text = np.flatnonzero(text_ids >= 0)
    wanted, position = np.unique(text_ids[has_text], return_inverse=True)
    vectors = job.text_scores.vectors(wanted)[position]
    is_known = ~np.isnan(vectors).any(axis=1)
    has_vector = np.zeros(len(text_ids), dtype=bool)
    has_vector[has_text[is_known]] = True
    return vectors[is_known], has_vector


def _named(codes: Floats, names: list[str]) -> Objects:
    return np.array([*names, None], dtype=object)[np.where(np.isnan(codes), len(names), codes).astype(np.intp)]


def _on_scale(job: Job, numbers: Floats) -> Floats:
    """A line passes the ends of a scale that the study declares; marks do not."""
    low, high = job.measure.scale_low, job.measure.scale_high
    return np.clip(numbers, -np.inf if low is None else low, np.inf if high is None else high)
