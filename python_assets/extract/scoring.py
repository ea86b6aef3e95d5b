"""Distinct texts to scores by way of the cache: what was measured before is read, the rest measured."""

import logging
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.errors import ExtractionError
from python_assets.extract.cache import SCORE_COLUMNS, ScoreCache
from python_assets.extract.extractor import TextMethod, extractors
from python_assets.extract.function import Wanted, function_method
from python_assets.extract.labels import choices_method, patterns_method
from python_assets.extract.measures import Measure
from python_assets.extract.rows import score_table
from python_assets.extract.units import Ids, Units
from python_assets.study import Study

# An interrupted run loses at most so many embeddings.
_KEPT_TOGETHER = 2_048

logger = logging.getLogger(__name__)


def text_method(measure: Measure, study: Study) -> TextMethod:
    """How a measure that reads texts does it.

    Raises:
        StudyError: its function cannot be imported.
    """
    spec = measure.spec
    if spec.choices is not None:
        return choices_method(spec.choices)
    if spec.patterns is not None:
        return patterns_method(spec.patterns)
    if spec.function is not None:
        return function_method(spec.function, study.folder, _wanted(measure))
    built = extractors[str(spec.extractor)]
    key = f"{built.name} {measure.parameters}".strip()
    return TextMethod(key, built.version(), lambda texts: built.function(texts, measure.options))


def _wanted(measure: Measure) -> Wanted:
    if measure.kind == "categorical" or measure.favourable is not None:
        return "label"
    return "0 or 1" if measure.kind == "binary" else "number"


class Scorer:
    """Scores and embeddings of the distinct texts of a study.

    Attributes:
        n_measured: texts measured in this run, counted once a method.
        n_cached: texts whose score or embedding was known, counted once a method.
    """

    def __init__(self, units: Units, cache: ScoreCache) -> None:
        """Take the texts and the cache that their scores are kept in."""
        self.n_measured = 0
        self.n_cached = 0
        self._units = units
        self._cache = cache
        self._hashes = np.array(units.hashes, dtype=object)
        self._scores: dict[tuple[str, str], pd.DataFrame] = {}
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def scores(self, method: TextMethod, text_ids: Ids) -> pd.DataFrame:
        """Score texts.

        Args:
            method: how.
            text_ids: positions in Units.texts; -1 gives a row without anything.

        Returns:
            SCORE_COLUMNS, one row a text id, same order.

        Raises:
            ExtractionError: the method gave another number of scores than texts.
        """
        key = (method.key, method.version)
        known = self._scores.get(key)
        wanted = np.unique(text_ids[text_ids >= 0])
        if known is not None:
            wanted = wanted[~np.isin(wanted, known.index)]
        found = self._read_or_measure(method, wanted)
        known = found if known is None else pd.concat([known, found])
        self._scores[key] = known
        return known.reindex(text_ids).reset_index(drop=True)

    def _read_or_measure(self, method: TextMethod, wanted: Ids) -> pd.DataFrame:
        hashes = pd.Index(self._hashes[wanted], dtype=object)
        stored = self._cache.read_scores(method.key, method.version, list(hashes))
        is_new = ~hashes.isin(stored.index)
        new = wanted[is_new]
        self.n_measured += len(new)
        self.n_cached += len(wanted) - len(new)
        old = stored.reindex(hashes[~is_new]).set_axis(wanted[~is_new])
        return _joined(old, self._measure(method, new).set_axis(new))

    def _measure(self, method: TextMethod, new: Ids) -> pd.DataFrame:
        if not len(new):
            return score_table([])
        logger.info("%s: %d texts to measure", method.version, len(new))
        scores = method.score([self._units.texts[i] for i in new])
        if len(scores) != len(new):
            raise ExtractionError(f"{method.version} gave {len(scores)} scores for {len(new)} texts.")
        table = score_table(scores)
        self._cache.write_scores(method.key, method.version, list(self._hashes[new]), table)
        return table

    def vectors(self, version: str, text_ids: Ids) -> NDArray[np.float32]:
        """Embed texts.

        Args:
            version: of the extractor that asks; embeddings are kept by it.
            text_ids: positions in Units.texts, none of them -1.

        Returns:
            One row a text id, same order.

        Raises:
            ExtractionError: the model is missing or is not the one expected.
        """
        wanted = np.unique(text_ids)
        hashes = list(dict.fromkeys(self._hashes[wanted]))
        missing = [text_hash for text_hash in hashes if text_hash not in self._vectors]
        stored = self._cache.read_vectors(version, missing) if missing else {}
        self._vectors.update(stored)
        new = [int(i) for i in wanted if self._hashes[i] not in self._vectors]
        self.n_measured += len(new)
        self.n_cached += len(stored)
        self._embed(version, new)
        return np.stack([self._vectors[text_hash] for text_hash in self._hashes[text_ids]])

    def _embed(self, version: str, new: Sequence[int]) -> None:
        if not new:
            return
        from python_assets.extract.embedding import load_encoder

        encoder = load_encoder()
        # neighbours of like length waste little of a batch
        ordered = sorted(new, key=lambda i: len(self._units.texts[i]))
        for start in range(0, len(ordered), _KEPT_TOGETHER):
            some = ordered[start : start + _KEPT_TOGETHER]
            vectors = encoder.encode([self._units.texts[i] for i in some])
            hashes = list(self._hashes[some])
            self._cache.write_vectors(version, hashes, vectors)
            self._vectors.update(zip(hashes, vectors, strict=True))
            logger.info("%s: %d of %d texts embedded", version, start + len(some), len(ordered))


def _joined(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Both parts below one another, in types that do not depend on where a score came from."""
    columns = {}
    for name in SCORE_COLUMNS:
        kind = float if name == "value" else object
        values = np.concatenate([part[name].to_numpy(dtype=kind) for part in (old, new)])
        if kind is object:
            values[pd.isna(values)] = None
        columns[name] = values
    return pd.DataFrame(columns, index=old.index.append(new.index))
