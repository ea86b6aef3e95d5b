"""Lexicon sentiment: VADER's compound score, neutral where its English lexicon knows no word."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

from python_assets.extract.extractor import Score, extractor
from python_assets.texts.limits import MOST_CHARACTERS


@extractor(
    "vader",
    kind="continuous",
    unit="compound score",
    scale=(-1.0, 1.0),
    direction="higher_better",
    languages=("en",),
    reads="text",
    version=lambda: f"vader 1, vaderSentiment {version('vaderSentiment')}",
    source="Hutto and Gilbert 2014",
)
def vader(texts: Sequence[str], parameters: Mapping[str, str]) -> list[Score]:
    """VADER compound score of each text, read up to MOST_CHARACTERS.

    Args:
        texts: responses and baselines.
        parameters: none are known.

    Returns:
        One score in [-1, 1] a text, same order; reason no_words for a text without a letter.

    Source: Hutto and Gilbert 2014.
    """
    polarity = _analyser().polarity_scores
    # VADER calls a text without words neutral (0.0): for us that is not measured
    return [
        Score(polarity(text[:MOST_CHARACTERS])["compound"])
        if any(map(str.isalpha, text[:MOST_CHARACTERS]))
        else Score(reason="no_words")
        for text in texts
    ]


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
                is_cap_diff=sentitext.is_cap_diff,
                words_and_emoticons=sentitext.words_and_emoticons[first : i + 3],
            )
            return super().sentiment_valence(valence, near, item, i - first, sentiments)

    return LinearAnalyser()
