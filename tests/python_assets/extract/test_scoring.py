from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from python_assets.embeddings.cache import ScoreCache
from python_assets.extract.scorer import ModelMethod
from python_assets.extract.scoring import TextScores
from python_assets.extract.units import TextUnits
from tests.heard import Heard

TEXTS = [f"{'long ' * (i % 7)}text {i}" for i in range(2_100)]
UNITS = TextUnits(pd.DataFrame(), TEXTS, [f"{i:064x}" for i in range(len(TEXTS))], len(TEXTS))
LABELS = ("x", "y")


def two_scores(texts: list[str]) -> np.ndarray:
    """The length of a text and its last digit; none for texts that end in 13."""
    rows = [[len(text), int(text[-1])] if not text.endswith("13") else [np.nan] * 2 for text in texts]
    return np.array(rows, dtype=float)


@pytest.fixture
def cache(tmp_path: Path):
    with ScoreCache(tmp_path / "scores.duckdb") as opened:
        yield opened


def test_scores_stand_in_the_order_they_were_asked_for_in(cache):
    text_scores = TextScores(UNITS, cache)
    positions = np.array([2_000, -1, 3, 3, 13, 700])
    found = text_scores.label_scores(ModelMethod("k", "v", LABELS, two_scores), positions)
    np.testing.assert_array_equal(found, two_scores([TEXTS[i] if i >= 0 else "13" for i in positions]))
    assert (text_scores.n_measured, text_scores.n_cached) == (4, 0)


def test_a_text_that_failed_is_tried_again_and_no_other(cache):
    text_scores = TextScores(UNITS, cache)
    everything = np.arange(len(TEXTS))
    n_failed = sum(text.endswith("13") for text in TEXTS)
    for n_measured, n_cached in ((2_100, 0), (n_failed, 2_100 - n_failed)):
        before = text_scores.n_measured, text_scores.n_cached
        found = text_scores.label_scores(ModelMethod("k", "v", LABELS, two_scores), everything)
        assert np.subtract((text_scores.n_measured, text_scores.n_cached), before).tolist() == [n_measured, n_cached]
        np.testing.assert_array_equal(found, two_scores(TEXTS))


def test_an_interrupted_run_keeps_what_it_had(cache):
    portions = []

    def interrupted(texts: list[str]) -> np.ndarray:
        portions.append(texts)
        if len(portions) == 2:
            raise KeyboardInterrupt
        return two_scores(texts)

    with pytest.raises(KeyboardInterrupt):
        TextScores(UNITS, cache).label_scores(ModelMethod("k", "v", LABELS, interrupted), np.arange(len(TEXTS)))
    again = TextScores(UNITS, cache)
    found = again.label_scores(ModelMethod("k", "v", LABELS, two_scores), np.arange(len(TEXTS)))
    assert again.n_cached > 200
    np.testing.assert_array_equal(found, two_scores(TEXTS))
    lengths = [[len(text) for text in portion] for portion in portions]
    assert max(lengths[0]) <= min(lengths[1])


def test_texts_are_counted_while_a_model_reads_them(cache):
    heard = Heard()
    text_scores = TextScores(UNITS, cache, progress=heard)
    text_scores.label_scores(ModelMethod("k", "v", LABELS, two_scores), np.arange(len(TEXTS)))
    told = [n_done for _, _, n_done, _ in heard.counts]
    assert {(what, unit, n_total) for what, unit, _, n_total in heard.counts} == {("v", "texts", 2_100)}
    assert len(told) > 5
    assert told == sorted(told)
    assert told[-1] == 2_100


@pytest.mark.parametrize(("key", "version", "labels"), [("other", "v", LABELS), ("k", "2", LABELS)])
def test_another_model_or_version_measures_anew(cache, key, version, labels):
    some = np.arange(5)
    TextScores(UNITS, cache).label_scores(ModelMethod("k", "v", LABELS, two_scores), some)
    text_scores = TextScores(UNITS, cache)
    text_scores.label_scores(ModelMethod(key, version, labels, two_scores), some)
    assert text_scores.n_measured == 5


def test_a_model_whose_labels_are_known_in_part_measures_once(cache):
    some = np.arange(5)
    TextScores(UNITS, cache).label_scores(ModelMethod("k", "v", ["x"], lambda texts: two_scores(texts)[:, :1]), some)
    text_scores = TextScores(UNITS, cache)
    found = text_scores.label_scores(ModelMethod("k", "v", LABELS, two_scores), some)
    np.testing.assert_array_equal(found, two_scores(TEXTS[:5]))
    assert (text_scores.n_measured, text_scores.n_cached) == (5, 0)
