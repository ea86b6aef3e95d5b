"""How rightly labels were read off texts whose truth is known: shares with their intervals.

Belongs here: counting, and the record of what was counted. bench/bench_scorers.py feeds it; the packaged rows
are packaged.py.
"""

import math
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import numpy as np

from python_assets.infer.formulas.interval import wilson

Material = Literal["real answers", "phrasings of our own"]

REAL_ANSWERS: Final[Material] = "real answers"
PHRASINGS: Final[Material] = "phrasings of our own"
FEWEST_POSITIVE: Final = 10  # a family or topic with fewer tells nothing of recall
_QUANTILE: Final = 1.959963984540054  # of 95 %
_DIGITS: Final = 4


class Share(NamedTuple):
    """A share of texts and its 95 % interval by Wilson; all None where it is of no text."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


class LabelledText(NamedTuple):
    """A text with its truth and what was read.

    truth, read: labels; None is none of those looked for. family, topic: of which rows of their own may be.
    """

    truth: str | None
    read: str | None
    family: str = ""
    topic: str = ""


class MeasuredAccuracy(NamedTuple):
    """What texts showed of a measure.

    family, topic: those of the texts, '' is all. n_positive: texts whose truth is a label. recall: of them,
    those read as that label. precision: of texts read as some label, those read rightly. specificity: of texts
    whose truth is no label, those read as none. agreement: of all, those read as the truth has it.
    """

    family: str
    topic: str
    n: int
    n_positive: int
    recall: Share
    precision: Share
    specificity: Share
    agreement: Share
    kappa: Share


def share_of(n_right: int, n: int) -> Share:
    """n_right of n; texts are taken for independent, as nothing says which answer the same prompt."""
    if not n:
        return Share()
    interval = wilson(np.array(n_right / n), np.array(1 / n), np.array(_QUANTILE))
    return Share(*(round(float(limit), _DIGITS) for limit in (n_right / n, interval.low, interval.high)))


def kappa_of(texts: Sequence[LabelledText]) -> Share:
    """Cohen's kappa of reading and truth with its large-sample interval (Fleiss, Cohen and Everitt 1969).

    Returns:
        All None where both have one label throughout; no limits where the variance is 0, as of kappa 0 or 1.
    """
    names = list(dict.fromkeys(label for text in texts for label in (text.truth, text.read)))
    if len(names) < 2:
        return Share()
    table = np.zeros((len(names), len(names)))
    for text in texts:
        table[names.index(text.truth), names.index(text.read)] += 1 / len(texts)
    rows, columns, alike = table.sum(axis=1), table.sum(axis=0), float(np.trace(table))
    chance = float(rows @ columns)
    kappa = (alike - chance) / (1 - chance)
    diagonal = np.diag(table) @ (1 - (rows + columns) * (1 - kappa)) ** 2
    sums = (columns[:, None] + rows[None, :]) ** 2
    others = (1 - kappa) ** 2 * ((table * sums).sum() - np.diag(table) @ np.diag(sums))
    variance = diagonal + others - (kappa - chance * (1 - kappa)) ** 2
    half = _QUANTILE * math.sqrt(max(variance, 0.0) / len(texts)) / (1 - chance)
    if not half:
        return Share(round(kappa, _DIGITS) + 0.0)
    return Share(*(round(limit, _DIGITS) + 0.0 for limit in (kappa, kappa - half, min(kappa + half, 1.0))))  # no -0.0


def shown_by(texts: Sequence[LabelledText], family: str = "", topic: str = "") -> MeasuredAccuracy:
    """What texts show, all of them together.

    Args:
        texts: at least one.
        family: of all of them, '' where they are of several.
        topic: the same.
    """
    positive = [text for text in texts if text.truth is not None]
    others = [text for text in texts if text.truth is None]
    called = [text for text in texts if text.read is not None]
    return MeasuredAccuracy(
        family,
        topic,
        len(texts),
        len(positive),
        recall=_right(positive),
        precision=_right(called),
        specificity=_right(others),
        agreement=_right(texts),
        kappa=kappa_of(texts),
    )


def rows_of(texts: Sequence[LabelledText]) -> list[MeasuredAccuracy]:
    """What texts show: all together, then by family and by topic those with FEWEST_POSITIVE positive texts.

    Args:
        texts: at least one; a family or topic '' has no row of its own.
    """
    families = sorted({text.family for text in texts} - {""})
    topics = sorted({text.topic for text in texts} - {""})
    rows = [
        *(shown_by([text for text in texts if text.family == family], family=family) for family in families),
        *(shown_by([text for text in texts if text.topic == topic], topic=topic) for topic in topics),
    ]
    return [shown_by(texts), *(row for row in rows if row.n_positive >= FEWEST_POSITIVE)]


def _right(texts: Sequence[LabelledText]) -> Share:
    return share_of(sum(text.truth == text.read for text in texts), len(texts))
