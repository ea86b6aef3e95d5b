"""How far embeddings are from one another: a response from the baseline text of its prompt."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from python_assets.embeddings.minilm import MINILM_LANGUAGES, MODEL_SHA256
from python_assets.errors import ExtractionError, FieldPath
from python_assets.extract.job import Job, Read
from python_assets.extract.measurement_rows import MeasuredValues, no_numbers, nothing
from python_assets.extract.scorer import LARGEST_NUMBER, scorer
from python_assets.registry import is_function_path, load_function

VectorRows = NDArray[Any]
Metric = Callable[[VectorRows, VectorRows], NDArray[np.float64]]

# Pairs of embeddings compared at once: 50 MB of double precision numbers.
_PAIRS_TOGETHER: Final = 8_192


def _cosine(a: VectorRows, b: VectorRows) -> NDArray[np.float64]:
    products = np.einsum("ij,ij->i", a, b)
    norms = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    cosines = np.divide(products, norms, out=np.full(len(a), np.nan), where=norms > 0)
    # rounding puts the distance of a text from itself a little under 0
    return np.clip(1.0 - cosines, 0.0, 2.0)


def _l1(a: VectorRows, b: VectorRows) -> NDArray[np.float64]:
    return np.abs(a - b).sum(axis=1)


def _l2(a: VectorRows, b: VectorRows) -> NDArray[np.float64]:
    return np.linalg.norm(a - b, axis=1)


DISTANCES: Final[dict[str, Metric]] = {"cosine": _cosine, "l1": _l1, "l2": _l2}


class NamedMetric(NamedTuple):
    """A distance between rows and what scorer_version says of it."""

    distance: Metric
    version: str


@scorer(
    "baseline_distance",
    kind="continuous",
    unit="distance",
    scale=(0.0, None),
    direction="none",
    languages=MINILM_LANGUAGES,
    reads="embeddings",
    version=lambda: "baseline_distance 2",
    source="SAGED, C.4 embedding_distance",
    parameters={"metric": tuple(DISTANCES)},
    functions=("metric",),
)
def baseline_distance(parameters: Mapping[str, str], folder: Path) -> NamedMetric:
    """The distance of a response from the baseline text of its prompt.

    Args:
        parameters: metric is 'cosine' (1 - cosine, 0 to 2; NaN where a vector has no length), 'l1' (sum of
            absolute differences), 'l2' (Euclidean), or module:function, a function beside the study file. It
            is called with the embeddings of responses and of their baselines, both of shape (n, d) in double
            precision, and gives n numbers, each of its own pair alone.
        folder: the folder of the study file.

    Returns:
        A function of two arrays of shape (n, d) that gives n distances.

    Raises:
        StudyError: the function cannot be imported.

    Source: SAGED, C.4, embedding_distance.
    """
    metric = parameters["metric"]
    if not is_function_path(metric):
        return NamedMetric(DISTANCES[metric], metric)
    loaded = load_function(metric, folder)
    where = (folder / f"{metric.partition(':')[0]}.py", loaded.function.__name__)
    return NamedMetric(
        lambda a, b: _called(loaded.function, where, a, b), f"{metric}, file {loaded.source_sha256[:16]}"
    )


def _called(function: Callable[..., Any], where: FieldPath, a: VectorRows, b: VectorRows) -> NDArray[np.float64]:
    """What a function of the user's own says, which must be one number a pair."""
    expected = "n numbers of two arrays of shape (n, d)"
    try:
        distances = np.asarray(function(a, b), dtype=np.float64)
    except Exception as error:
        got = f"{type(error).__name__}: {error} on {len(a)} pairs of embeddings"
        raise ExtractionError(where, got, expected, "correct it") from error
    if distances.shape != (len(a),):
        got = f"an array of shape {distances.shape} for {len(a)} pairs of embeddings"
        raise ExtractionError(where, got, expected, "correct it")
    return distances


def with_model(job: Job) -> Job:
    """The job whose measures name the model that embeds, and its languages where the study names none."""
    name = job.text_scores.embeddings.name
    model_languages = MINILM_LANGUAGES if name.revision == MODEL_SHA256 else ()
    declared = job.measure.spec.languages
    languages = "|".join(model_languages if declared is None else declared)
    named = [
        measure._replace(model=name.model, model_revision=name.revision, languages=languages)
        for measure in job.measures
    ]
    return job._replace(measures=named)


def read_distances(job: Job) -> list[Read]:
    """Measure responses only: the distance of a baseline text from itself is no measurement."""
    metric = baseline_distance(job.measure.options, job.study.folder)
    job = with_model(job).only_responses()
    text_ids, baseline_ids, reason = job.text_ids(), job.baseline_ids(), job.reasons()
    alone = (text_ids >= 0) & (baseline_ids < 0)
    has_baseline = job.units.column("baseline_id")[job.wanted] >= 0
    reason[alone] = np.where(has_baseline[alone], "other_language", "no_baseline")
    number = no_numbers(len(job.wanted))
    has_pair = np.flatnonzero((text_ids >= 0) & (baseline_ids >= 0))
    for start in range(0, len(has_pair), _PAIRS_TOGETHER):
        some = has_pair[start : start + _PAIRS_TOGETHER]
        responses = job.text_scores.vectors(text_ids[some]).astype(np.float64)
        baselines = job.text_scores.vectors(baseline_ids[some]).astype(np.float64)
        known = ~np.isnan(responses).any(axis=1) & ~np.isnan(baselines).any(axis=1)
        reason[some[~known]] = "no_words"
        distances = metric.distance(responses[known], baselines[known]) if known.any() else no_numbers(0)
        is_wrong = ~(np.abs(distances) <= LARGEST_NUMBER)
        reason[some[known][is_wrong]] = "not_finite"
        number[some[known]] = np.where(is_wrong, np.nan, distances)
    n = len(job.wanted)
    values = MeasuredValues(
        units=job.wanted,
        value=number,
        baseline_value=no_numbers(n),
        label=nothing(n),
        label_method=nothing(n),
        reason=reason,
    )
    version = f"baseline_distance 2, {metric.version}, {job.text_scores.embeddings.name.version}"
    return [Read(job.measure, values, version)]
