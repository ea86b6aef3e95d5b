"""Distinct texts to scores by way of the cache: what was measured before is read, the rest measured."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.embeddings.cache import SCORE_COLUMNS, ScoreCache
from python_assets.embeddings.vectors import TextVectors
from python_assets.errors import ExtractionError
from python_assets.extract.function import ScoreForm, function_method
from python_assets.extract.labels.labels import choices_method, patterns_method
from python_assets.extract.labels.short_answers import short_answer_method
from python_assets.extract.languages import ENGLISH_CODE, LEAST_SHARE, language_method
from python_assets.extract.measurement_rows import Objects, only_where, score_table
from python_assets.extract.measures import Measure
from python_assets.extract.scorer import ModelMethod, Score, TextMethod, scorers
from python_assets.extract.units import Ids, TextUnits
from python_assets.providers.refusal.undecided import UNDECIDED_VERSION, is_undecided
from python_assets.study.study import Embedding, Study
from python_assets.texts.group_mask import GroupMask, read_with
from python_assets.warehouse.progress import SILENT, Progress
from python_assets.warehouse.workers import THIS_PROCESS, Workers

# An interrupted run loses at most so many scores; a classifier needs minutes for what others do in a second.
_SCORED_TOGETHER: Final = 2_048
_CLASSIFIED_TOGETHER: Final = 256


def text_method(measure: Measure, study: Study, words: GroupMask) -> TextMethod:
    """How a measure that reads texts does it; words: the study's own, which a yes or no does not depend on.

    Raises:
        StudyError: its function cannot be imported.
    """
    spec = measure.spec
    if isinstance(spec.choices, str):
        return _told_undecided(short_answer_method(spec.choices, words), words)
    if spec.choices is not None:
        return _told_undecided(choices_method(spec.choices), words)
    if spec.patterns is not None:
        return patterns_method(spec.patterns)
    if spec.function is not None:
        return function_method(spec.function, study.folder, wanted_form(measure))
    built = scorers[str(spec.scorer)]
    key = f"{built.name} {measure.parameters}".strip()
    return TextMethod(key, built.version(), lambda texts: built.function(texts, measure.options))


def _told_undecided(method: TextMethod, words: GroupMask) -> TextMethod:
    """A method that tells texts without a label that leave the decision open from those that it could not read."""

    def score(texts: Sequence[str]) -> list[Score]:
        pairs = zip(texts, method.score(texts), strict=True)
        return [
            Score(reason="undecided") if one.label is None and is_undecided(words.masked(text)) else one
            for text, one in pairs
        ]

    # the words are what the cache tells scores by; one more level makes no other scorer
    return TextMethod(read_with(method.key, words), f"{method.version}; {UNDECIDED_VERSION}", score)


def wanted_form(measure: Measure) -> ScoreForm:
    """What a function must give for a measure."""
    if measure.kind == "categorical" or measure.favourable is not None:
        return "label"
    return "0 or 1" if measure.kind == "binary" else "number"


class TextScores:
    """Scores and embeddings of the distinct texts of a study.

    Attributes:
        n_measured: texts scored in this run, counted once a method.
        n_cached: texts whose score was known, counted once a method.
        embeddings: vectors of the study's texts and of words; it counts its own.
    """

    def __init__(
        self,
        units: TextUnits,
        cache: ScoreCache,
        embedding: Embedding | None = None,
        progress: Progress = SILENT,
        workers: Workers = THIS_PROCESS,
    ) -> None:
        """Take the texts, the cache of their scores, the model that embeds them, who hears, who scores by models."""
        self.n_measured = 0
        self.n_cached = 0
        self._units = units
        self._cache = cache
        self._progress = progress
        self._hashes = np.array(units.hashes, dtype=object)
        self._scores: dict[tuple[str, str], pd.DataFrame] = {}
        self._shares: dict[str, NDArray[np.float64]] = {}
        self._workers = workers
        self.embeddings = TextVectors(embedding, cache, progress, workers)

    def only_languages(self, languages: str, text_ids: Ids, asked_ids: Ids | None = None) -> Ids:
        """The texts, -1 in place of those that are surely in none of the languages.

        Args:
            languages: codes with | between them; none means any.
            text_ids: positions in Units.texts or -1.
            asked_ids: of their prompts, likewise: a text too short to tell is in the language of its prompt.
        """
        method = language_method(languages)
        if method is None:
            return text_ids
        share = self._share(languages, method, text_ids)
        if asked_ids is not None:
            is_untold = np.isnan(share) & (text_ids >= 0)
            share[is_untold] = self._share(languages, method, asked_ids[is_untold])
        return np.where(share < LEAST_SHARE, -1, text_ids)

    def _share(self, languages: str, method: TextMethod, text_ids: Ids) -> NDArray[np.float64]:
        """The probability that texts are in one of the languages; NaN for one too short to tell and for -1."""
        # infinite where nobody has looked yet
        unknown = np.append(np.full(len(self._hashes), np.inf), np.nan)
        share = self._shares.setdefault(languages, unknown)
        if len(new := np.unique(text_ids[np.isinf(share[text_ids])])):
            share[new] = self._scored(method, new, is_counted=False)["value"].to_numpy(dtype=float)
        return share[text_ids]

    def languages(self, text_ids: Ids) -> Objects:
        """The languages that texts are in, as ISO 639-1 codes; None where a text is too short to tell, and for -1."""
        method = language_method(ENGLISH_CODE)
        if method is None:
            raise ValueError(f"the detector does not know {ENGLISH_CODE}")
        codes = self._scored(method, text_ids, is_counted=False)["label"]
        return only_where(codes.notna().to_numpy(), codes.to_numpy(dtype=object))

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
        return self._scored(method, text_ids, is_counted=True)

    def _scored(self, method: TextMethod, text_ids: Ids, is_counted: bool) -> pd.DataFrame:
        key = (method.key, method.version)
        known = self._scores.get(key)
        wanted = np.unique(text_ids[text_ids >= 0])
        if known is not None:
            wanted = wanted[~np.isin(wanted, known.index)]
        new = self._read_or_measure(method, wanted, is_counted)
        known = new if known is None else pd.concat([known, new])
        self._scores[key] = known
        return known.reindex(text_ids).reset_index(drop=True)

    def _read_or_measure(self, method: TextMethod, wanted: Ids, is_counted: bool) -> pd.DataFrame:
        hashes = pd.Index(self._hashes[wanted], dtype=object)
        stored = self._cache.read_scores(method.key, method.version, list(hashes))
        is_new = ~hashes.isin(stored.index)
        new = wanted[is_new]
        if is_counted:
            self.n_measured += len(new)
            self.n_cached += len(wanted) - len(new)
        old = stored.reindex(hashes[~is_new]).set_axis(wanted[~is_new])
        return _joined([old, self._measure(method, new).set_axis(new)])

    def _measure(self, method: TextMethod, new: Ids) -> pd.DataFrame:
        tell = self._progress.start(method.version, "texts", len(new))
        tables = [score_table([])]
        for start in range(0, len(new), _SCORED_TOGETHER):
            some = new[start : start + _SCORED_TOGETHER]
            tables.append(self._measure_some(method, some))
            tell(start + len(some))
        return _joined(tables)

    def _measure_some(self, method: TextMethod, some: Ids) -> pd.DataFrame:
        scores = method.score([self._units.texts[i] for i in some])
        if len(scores) != len(some):
            raise ExtractionError(method.version, f"{len(scores)} scores for {len(some)} texts", "one a text")
        table = score_table(scores)
        self._cache.write_scores(method.key, method.version, list(self._hashes[some]), table)
        return table

    def label_scores(self, method: ModelMethod, text_ids: Ids) -> NDArray[np.float64]:
        """Score texts by a model, all its labels at once.

        Args:
            method: how.
            text_ids: positions in Units.texts; -1 gives a row of NaN.

        Returns:
            Shape (n, labels), one row a text id, same order; NaN where the model failed, which is not kept: a
            later run tries again.
        """
        wanted = np.unique(text_ids[text_ids >= 0])
        hashes = list(self._hashes[wanted])
        columns = [self._cache.read_scores(key, method.version, hashes)["value"] for key in _keys(method)]
        stored = pd.concat(columns, axis=1, join="inner").reindex(hashes).to_numpy(dtype=float)
        table = np.full((len(self._hashes) + 1, len(method.labels)), np.nan)
        table[wanted] = stored
        new = wanted[np.isnan(stored).any(axis=1)]
        self.n_measured += len(new)
        self.n_cached += len(wanted) - len(new)
        portions = self._by_length(new, _CLASSIFIED_TOGETHER)
        tell, n_done = self._progress.start(method.version, "texts", len(new)), 0
        scored = self._workers.each(method.score, [[self._units.texts[i] for i in some] for some in portions])
        for some, scores in zip(portions, scored, strict=True):
            table[some] = scores
            self._keep(method, some, scores)
            tell(n_done := n_done + len(some))
        # -1, which is no text, takes the last row, which stays empty
        return table[text_ids]

    def _keep(self, method: ModelMethod, some: Ids, numbers: NDArray[np.float64]) -> None:
        is_scored = ~np.isnan(numbers).any(axis=1)
        hashes, keys = self._hashes[some[is_scored]], _keys(method)
        scores = score_table([Score(value) for value in numbers[is_scored].ravel().tolist()])
        methods = keys * len(hashes)
        self._cache.write_scores(methods, method.version, list(np.repeat(hashes, len(keys))), scores)

    def vectors(self, text_ids: Ids) -> NDArray[np.float32]:
        """Embed texts by the model of the study.

        Args:
            text_ids: positions in Units.texts, at least one, none of them -1.

        Returns:
            One row a text id, same order; NaN where the model knows no word of the text.

        Raises:
            ExtractionError: the model is missing or is not the one expected.
        """
        return self.embeddings.of([self._units.texts[i] for i in text_ids], list(self._hashes[text_ids]))

    def _by_length(self, new: Ids, together: int) -> list[Ids]:
        """Texts in portions: neighbours of like length waste little of a batch."""
        lengths = np.array([len(self._units.texts[i]) for i in new], dtype=np.intp)
        ordered = new[np.argsort(lengths, kind="stable")]
        return [ordered[start : start + together] for start in range(0, len(ordered), together)]


def _keys(method: ModelMethod) -> list[str]:
    """The names that the cache keeps its labels by."""
    return [f"{method.key}, {label}" for label in method.labels]


def _joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Parts below one another, in types that do not depend on where a score came from."""
    columns = {}
    for name in SCORE_COLUMNS:
        kind = float if name == "value" else object
        values = np.concatenate([table[name].to_numpy(dtype=kind) for table in parts])
        if kind is object:
            values[pd.isna(values)] = None
        columns[name] = values
    return pd.DataFrame(columns, index=np.concatenate([table.index for table in parts]))
