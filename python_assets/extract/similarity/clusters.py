"""Clusters of like texts within each level of a factor: which one a text is in, and how far from each.

KMeans finds them among the distinct responses and baseline texts of all generations together (clusters), or
among the baseline texts alone, to whose nearest cluster each response is then sorted (cluster_and_sort). The
distance is always that of a text from the vector that stands for the cluster.
"""

from importlib.metadata import version
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.embeddings.kmeans import ClusterLabels, cluster_vectors, kmeans
from python_assets.extract.job import Job, Read
from python_assets.extract.measurement_rows import MeasuredValues, Objects, no_numbers, nothing
from python_assets.extract.measures import Measure
from python_assets.extract.scorer import LARGEST_NUMBER
from python_assets.extract.similarity.distance import DISTANCES, with_model
from python_assets.extract.similarity.themes import candidate_words, themes
from python_assets.extract.units import Ids
from python_assets.study.measures import WHOLE
from python_assets.study.study import Clusters, make_id

_LEVELS: Final = "select prompt_id, level from raw.prompt_factors where study_id = ? and factor = ?"


class _Texts(NamedTuple):
    """The texts of some units: their own and those of their baselines, -1 where there is none."""

    own: Ids
    base: Ids
    is_baseline: NDArray[np.bool_]

    def at(self, units: Ids) -> "_Texts":
        """Those of some of the units."""
        return _Texts(self.own[units], self.base[units], self.is_baseline[units])


class _Segment(NamedTuple):
    """The texts of one level: their ids, ascending, and their vectors; is_fitted: those KMeans is given."""

    name: str
    text_ids: Ids
    vectors: NDArray[np.float32]
    is_fitted: NDArray[np.bool_]


class _SegmentClusters(NamedTuple):
    """What was found in a segment.

    member: the cluster of each text. distance: of each text from each cluster, shape (n, clusters). vectors:
    of the clusters.
    """

    member: ClusterLabels
    distance: NDArray[np.float64]
    vectors: NDArray[np.float64]


class _Placed(NamedTuple):
    """Every wanted unit among the clusters of its segment.

    n_clusters: how many there are, -1 where the prompt has no level. member: of its text, -1 where there is
    none. distance, baseline_distance: shape (units, k).
    """

    n_clusters: Ids
    member: ClusterLabels
    distance: NDArray[np.float64]
    baseline_distance: NDArray[np.float64]


def read_clusters(job: Job) -> list[Read]:
    """Find the clusters of one entry of `measures`, and measure every unit by them.

    Args:
        job: the entry; its measures say by their options which cluster they count, and what.

    Returns:
        A Read for each measure. NULL with reason too_few_texts where a segment has fewer clusters,
        no_factor_level where the prompt has no segment, no_words where the model knows no word.

    Raises:
        ExtractionError: the model is missing.

    Source: SAGED, C.4, cluster_and_label, cluster_and_distance, cluster_and_sort.
    """
    job, spec = with_model(job), _spec(job.measure)
    is_baseline = job.units.column("is_baseline")[job.wanted]
    texts = _Texts(job.text_ids(), job.baseline_ids(), is_baseline)
    names, segment_of = _segments(job, spec.per)
    n = len(job.wanted)
    placed = _Placed(
        n_clusters=np.where(segment_of < 0, -1, 0),
        member=np.full(n, -1),
        distance=np.full((n, spec.k), np.nan),
        baseline_distance=np.full((n, spec.k), np.nan),
    )
    clustered = []
    for index, name in enumerate(names):
        units = np.flatnonzero(segment_of == index)
        segment = _gathered(job, name, texts.at(units))
        if segment.is_fitted.any():
            clusters = _clustered(job, spec, segment)
            _place(placed, units, texts.at(units), segment, clusters)
            clustered.append((segment, clusters))
    rows = _cluster_rows(job, spec, clustered)
    version_text = f"clusters 1, {job.text_scores.embeddings.name.version}, scikit-learn {version('scikit-learn')}"
    reads = [Read(measure, _values(job, placed, measure), version_text) for measure in job.measures]
    return [reads[0]._replace(clusters=rows), *reads[1:]]


def _spec(measure: Measure) -> Clusters:
    spec = measure.spec.clusters or measure.spec.cluster_and_sort
    if spec is None:
        raise ValueError(f"{measure.measure_id} is no measure of clusters")
    return spec


def _segments(job: Job, per: str) -> tuple[list[str], Ids]:
    """The names of the segments, sorted, and the one of each wanted unit, -1 where it has none."""
    prompts = job.units.table["prompt_id"].iloc[job.wanted]
    if per == WHOLE:
        return [WHOLE], np.zeros(len(prompts), dtype=np.intp)
    level_of = dict(job.connection.execute(_LEVELS, [job.study.study_id, per]).fetchall())
    levels = prompts.map(level_of)
    names = sorted(levels.dropna().unique())
    return names, pd.Index(names, dtype=object).get_indexer(levels)


def _gathered(job: Job, name: str, texts: _Texts) -> _Segment:
    """The distinct texts that the model knows a word of; ids are in the order of the texts."""
    text_ids = np.unique(np.concatenate([texts.own, texts.base]))
    text_ids = text_ids[text_ids >= 0]
    if not len(text_ids):
        return _Segment(name, text_ids, np.empty((0, 0), dtype=np.float32), np.empty(0, dtype=bool))
    vectors = job.text_scores.vectors(text_ids)
    is_known = np.isfinite(vectors).all(axis=1)
    text_ids, vectors = text_ids[is_known], vectors[is_known]
    baseline_ids = np.concatenate([texts.own[texts.is_baseline], texts.base])
    is_sorted = job.measure.spec.cluster_and_sort is not None
    is_fitted = np.isin(text_ids, baseline_ids) if is_sorted else np.ones(len(text_ids), dtype=bool)
    return _Segment(name, text_ids, vectors, is_fitted)


def _clustered(job: Job, spec: Clusters, segment: _Segment) -> _SegmentClusters:
    fitted = segment.vectors[segment.is_fitted]
    labels = kmeans(fitted, spec.k, job.study.seed)
    vectors = cluster_vectors(fitted, labels, spec.vector, _name_vector(job, spec, segment.name))
    wide = segment.vectors.astype(np.float64)
    metric = DISTANCES[spec.metric]
    distance = np.stack([metric(wide, np.broadcast_to(vector, wide.shape)) for vector in vectors], axis=1)
    distance[~(distance <= LARGEST_NUMBER)] = np.nan
    member = np.argmin(np.where(np.isnan(distance), np.inf, distance), axis=1)
    # what has no distance from any is in none
    member[np.isnan(distance).all(axis=1)] = -1
    member[segment.is_fitted] = labels
    return _SegmentClusters(member, distance, vectors)


def _name_vector(job: Job, spec: Clusters, segment: str) -> NDArray[Any]:
    """Of what the texts of a segment are about."""
    whole = job.study.domain or job.study.title
    return job.text_scores.embeddings.of([whole if spec.per == WHOLE else segment])[0]


def _place(placed: _Placed, units: Ids, texts: _Texts, segment: _Segment, clusters: _SegmentClusters) -> None:
    n = clusters.distance.shape[1]
    placed.n_clusters[units] = n
    text_positions, has_own = _positions(segment, texts.own)
    placed.member[units[has_own]] = clusters.member[text_positions]
    placed.distance[units[has_own], :n] = clusters.distance[text_positions]
    base, has_base = _positions(segment, texts.base)
    placed.baseline_distance[units[has_base], :n] = clusters.distance[base]


def _positions(segment: _Segment, text_ids: Ids) -> tuple[Ids, NDArray[np.bool_]]:
    """Where texts stand in a segment, and which of them do."""
    at = np.searchsorted(segment.text_ids, text_ids).clip(max=len(segment.text_ids) - 1)
    is_there = segment.text_ids[at] == text_ids
    return at[is_there], is_there


def _values(job: Job, placed: _Placed, measure: Measure) -> MeasuredValues:
    n, j = len(job.wanted), int(measure.options["cluster"]) - 1
    is_there = placed.n_clusters > j
    reason = _reasons(job, placed, is_there)
    if measure.options["value"] == "member":
        value = np.where(is_there & (placed.member >= 0), placed.member == j, np.nan).astype(float)
        return MeasuredValues(
            units=job.wanted,
            value=value,
            baseline_value=no_numbers(n),
            label=nothing(n),
            label_method=nothing(n),
            reason=reason,
        )
    value = placed.distance[:, j]
    reason[is_there & (placed.member >= 0) & np.isnan(value)] = "not_finite"
    return MeasuredValues(
        units=job.wanted,
        value=value,
        baseline_value=placed.baseline_distance[:, j],
        label=nothing(n),
        label_method=nothing(n),
        reason=reason,
    )


def _reasons(job: Job, placed: _Placed, is_there: NDArray[np.bool_]) -> Objects:
    """Why a unit has no number, the first that holds: no text, no segment, no such cluster, no known word."""
    reason = job.reasons()
    has_text = job.text_ids() >= 0
    reason[has_text & (placed.member < 0)] = "no_words"
    reason[has_text & ~is_there] = "too_few_texts"
    reason[has_text & (placed.n_clusters < 0)] = "no_factor_level"
    return reason


def _cluster_rows(job: Job, spec: Clusters, found: list[tuple[_Segment, _SegmentClusters]]) -> pd.DataFrame | None:
    """The rows of raw.clusters without study_id, None where there are no clusters."""
    if not found:
        return None
    sizes = [np.bincount(clusters.member[segment.is_fitted]) for segment, clusters in found]
    segments = np.repeat([segment.name for segment, _ in found], [len(cluster_sizes) for cluster_sizes in sizes])
    return pd.DataFrame(
        {
            "measure_id": make_id(job.measure.spec.name),
            "factor": spec.factor,
            "segment": segments,
            "cluster_position": np.concatenate([np.arange(len(cluster_sizes)) + 1 for cluster_sizes in sizes]),
            "theme": [", ".join(words) for words in _themes(job, spec, found)],
            "n_texts": np.concatenate(sizes),
            "parameters": job.measure.parameters,
            "seed": job.study.seed,
            "model": job.measure.model,
            "model_revision": job.measure.model_revision,
        }
    )


def _themes(job: Job, spec: Clusters, found: list[tuple[_Segment, _SegmentClusters]]) -> list[list[str]]:
    text_ids = {int(i) for segment, _ in found for i in segment.text_ids}
    words = candidate_words([job.units.texts[i] for i in sorted(text_ids)])
    vectors = np.concatenate([_theme_vectors(job, spec, segment, clusters) for segment, clusters in found])
    names = [_name_vector(job, spec, segment.name) for segment, clusters in found for _ in clusters.vectors]
    about = None if spec.per == WHOLE else np.stack(names)
    return themes(vectors, about, words, job.text_scores.embeddings.of(words), spec.words)


def _theme_vectors(job: Job, spec: Clusters, segment: _Segment, clusters: _SegmentClusters) -> NDArray[Any]:
    """What the words of each cluster are near to, shape (clusters, d).

    A model reads a text no further than it reads: joined texts begin with the one nearest to the cluster, so that
    what is cut off says the least of it.
    """
    if spec.theme == "vector":
        return clusters.vectors
    joined = []
    for cluster, distance in enumerate(clusters.distance.T):
        members = np.flatnonzero(segment.is_fitted & (clusters.member == cluster))
        nearest_first = members[np.argsort(distance[members], kind="stable")]
        joined.append(" ".join(job.units.texts[i] for i in segment.text_ids[nearest_first]))
    return job.text_scores.embeddings.of(joined)
