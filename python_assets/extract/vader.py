"""Lexicon sentiment: VADER's compound score, neutral where its English lexicon knows no word."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any, Final

from python_assets.extract.labels.short_answers import without_answer
from python_assets.extract.scorer import Score, scorer
from python_assets.texts.limits import MOST_CHARACTERS
from python_assets.texts.sentences import SentenceSplitter

_SENTENCE: Final = "sentence"
_REMOVED: Final = "removed"


@scorer(
    "vader",
    kind="continuous",
    unit="compound score",
    scale=(-1.0, 1.0),
    direction="higher_better",
    languages=("en",),
    reads="text",
    version=lambda: f"vader 1, vaderSentiment {version('vaderSentiment')}",
    source="Hutto and Gilbert 2014",
    parameters={"per": ("text", _SENTENCE), "answer": ("kept", _REMOVED)},
)
def vader(texts: Sequence[str], parameters: Mapping[str, str]) -> list[Score]:
    """VADER compound score of each text, read up to MOST_CHARACTERS.

    Args:
        texts: responses and baselines.
        parameters: per: sentence takes the mean over the sentences that hold a letter; else the text is
            scored as a whole, which comes near to 1 or -1 the longer it is. answer: removed takes the words
            of a yes or a no out first, which the lexicon has as kind and unkind words.

    Returns:
        One score in [-1, 1] a text, same order; reason no_words where there is no letter to score.

    Source: Hutto and Gilbert 2014.
    """
    analyser = _analyser()

    def compound(text: str) -> float:
        return float(analyser.polarity_scores(text)["compound"])

    pieces = _sentences if parameters.get("per") == _SENTENCE else _whole
    read = without_answer if parameters.get("answer") == _REMOVED else str
    return [_score(pieces(read(text[:MOST_CHARACTERS])), compound) for text in texts]


def _score(parts: Sequence[str], compound: Callable[[str], float]) -> Score:
    # VADER calls a text without words neutral (0.0): for us that is not measured
    scores = [compound(piece) for piece in parts if any(map(str.isalpha, piece))]
    return Score(math.fsum(scores) / len(scores)) if scores else Score(reason="no_words")


def _whole(text: str) -> list[str]:
    return [text]


def _sentences(text: str) -> list[str]:
    """Its sentences; a line, as an entry of a list, ends one too."""
    return _splitter().split(text.splitlines())


@lru_cache(maxsize=1)
def _splitter() -> SentenceSplitter:
    return SentenceSplitter("en")


def _analyser() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    class LinearAnalyser(SentimentIntensityAnalyzer):
        """The same scores in linear time: VADER lower-cases the whole text at every lexicon word."""

        def sentiment_valence(
            self, valence: float, sentitext: Any, item: str, i: int, sentiments: list[float]
        ) -> list[float]:
            """Score one word; the rules see three words before it and two after: these are enough."""
            first = max(i - 3, 0)
            near = SimpleNamespace(
                is_cap_diff=sentitext.is_cap_diff, words_and_emoticons=sentitext.words_and_emoticons[first : i + 3]
            )
            return super().sentiment_valence(valence, near, item, i - first, sentiments)

    return LinearAnalyser()
