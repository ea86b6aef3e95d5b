"""Kappa, alpha and shares of two or more coders over answers, with intervals over root prompts.

Belongs here: arithmetic on arrays. Both coefficients and every share are functions of sums over root prompts, so that
resampled root prompts cost a product of matrices. Which answers are compared is label_agreement.py.

Source: inference.md 9.6; Cohen 1960; Krippendorff 2011, Computing Krippendorff's alpha-reliability.
"""

from functools import lru_cache
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.draws.exchange import Floats, Ints
from python_assets.infer.formulas import interval
from python_assets.infer.result import InferenceReason

LEAST_PROMPTS: Final = 10
"""Labelled root prompts of an interval."""
LEAST_WITH_SHARE: Final = 3
"""Those of them that hold an answer that a share is of."""
N_RESAMPLES: Final = 1_000
_ALIKE: Final = "labels_alike"
NUMBERS: Final = "not_for_numbers"
SEVERAL_RATERS: Final = "several_raters"
NO_DISAGREEMENT: Final = "no_disagreement"
NO_CASE: Final = "no_such_answer"
NO_READING: Final = "no_reading"
NOT_BINARY: Final = "not_binary"


class AgreementEstimate(NamedTuple):
    """A coefficient or share and its interval; reason: why the value, or else its interval, is missing."""

    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    reason: str | None = None


class CodedAnswers(NamedTuple):
    """What coders said of answers.

    codes: shape (answers, coders), numbers, or of labels their positions from 0; NaN where a coder said nothing.
    root_prompt: of each answer, from 0 without gaps. are_labels: whether codes are positions of labels.
    """

    codes: Floats
    root_prompt: Ints
    are_labels: bool

    @property
    def n_root_prompts(self) -> int:
        """Root prompts that hold an answer."""
        return int(self.root_prompt.max(initial=-1)) + 1

    def points(self) -> Floats:
        """What each coder said as a point, 0 where nothing: a number, or of a label 1 on an axis of its own.

        Squared distances of points are those of interval data, or twice those of nominal data.

        Returns:
            Shape (answers, coders, axes).
        """
        given = ~np.isnan(self.codes)
        if not self.are_labels:
            centre = self.codes[given].mean() if given.any() else 0.0  # of no consequence but for rounding
            return np.where(given, self.codes - centre, 0.0)[..., None]
        n_labels = int(np.nanmax(self.codes, initial=-1)) + 1
        return np.asarray(self.codes[..., None] == np.arange(n_labels), dtype=np.float64)

    def total(self, values: Floats) -> Floats:
        """Sums of values of answers, shape (answers, ...), over each root prompt."""
        totals = np.zeros((self.n_root_prompts, *values.shape[1:]))
        np.add.at(totals, self.root_prompt, values)
        return totals


def cohens_kappa(coded: CodedAnswers, level: float, seed: int) -> AgreementEstimate:
    """Cohen's kappa of two coders over the answers that both labelled.

    Args:
        coded: of two coders.
        level: the interval is 1 - level.
        seed: of the root prompts drawn.
    """
    if not coded.are_labels:
        return AgreementEstimate(reason=NUMBERS)
    coded = of_both(coded)
    if not len(coded.codes):
        return AgreementEstimate(reason=NO_CASE)
    points = coded.points()
    one, two = points[:, 0], points[:, 1]
    sums = coded.total(np.column_stack([(one * two).sum(axis=1), one, two]))
    value = float(_kappa(sums.sum(axis=0)))
    if np.isnan(value):
        return AgreementEstimate(reason=_ALIKE)
    n = len(points)
    by_chance = float(one.sum(axis=0) @ two.sum(axis=0)) / n**2
    return _with_interval(value, _kappa(_resampled(sums, seed)), coded.n_root_prompts, 1 - by_chance, level)


def _kappa(sums: Floats) -> Floats:
    """From how many are alike and how many have each label, of either coder; shape (..., 1 + 2 labels)."""
    n_labels = sums.shape[-1] // 2
    one, two = sums[..., 1 : 1 + n_labels], sums[..., 1 + n_labels :]
    n = one.sum(axis=-1)
    by_chance = (one * two).sum(axis=-1)
    room = n**2 - by_chance
    kappa: Floats = np.divide(n * sums[..., 0] - by_chance, room, out=np.full_like(room, np.nan), where=room > 0.5)
    return kappa


def krippendorffs_alpha(coded: CodedAnswers, level: float, seed: int) -> AgreementEstimate:
    """Krippendorff's alpha of any number of coders, nominal of labels and interval of numbers.

    Args:
        coded: answers that fewer than two coders labelled take no part.
        level: the interval is 1 - level.
        seed: of the root prompts drawn.
    """
    import krippendorff

    coded = _where(coded, np.sum(~np.isnan(coded.codes), axis=1) >= 2)
    if not len(coded.codes):
        return AgreementEstimate(reason=NO_CASE)
    if np.unique(coded.codes[~np.isnan(coded.codes)]).size < 2:
        return AgreementEstimate(reason=_ALIKE)
    kind: Literal["nominal", "interval"] = "nominal" if coded.are_labels else "interval"
    value = float(krippendorff.alpha(reliability_data=coded.codes.T, level_of_measurement=kind))
    sums = alpha_sums(coded)
    n, squares, _, *totals = sums.sum(axis=0)
    expected = (n * squares - np.square(totals).sum()) / (n * (n - 1)) if coded.are_labels else np.nan
    return _with_interval(value, alpha_of_sums(_resampled(sums, seed)), coded.n_root_prompts, expected, level)


def alpha_sums(coded: CodedAnswers) -> Floats:
    """What alpha is made of, by root prompt, of answers that two coders or more labelled.

    Returns:
        Shape (root prompts, 3 + axes): labels, their squares, squared distances inside answers (each answer's sum
        over pairs, divided by its labels less 1), and the sum of points on each axis.
    """
    points = coded.points()
    n = (~np.isnan(coded.codes)).sum(axis=1).astype(np.float64)
    squares, total = np.square(points).sum(axis=(1, 2)), points.sum(axis=1)
    inside = 2 * (n * squares - np.square(total).sum(axis=1)) / (n - 1)
    return coded.total(np.column_stack([n, squares, inside, total]))


def alpha_of_sums(sums: Floats) -> Floats:
    """Alpha of the sums of alpha_sums, shape (..., 3 + axes); NaN where all labels are alike."""
    n, squares, inside = (sums[..., at] for at in range(3))
    between = 2 * (n * squares - np.square(sums[..., 3:]).sum(axis=-1))
    is_spread = between > 1e-9 * np.maximum(n * squares, 1e-300)
    alpha: Floats = 1 - np.divide(inside * (n - 1), between, out=np.full_like(between, np.nan), where=is_spread)
    return alpha


def share_right(
    is_right: Floats, is_counted: Floats, root_prompt: Ints, n_root_prompts: int, level: float
) -> AgreementEstimate:
    """The share of counted answers that are right, with the Wilson interval at its cluster effective number.

    Args:
        is_right: 0 or 1 of each answer.
        is_counted: 0 or 1: whether the share is of it.
        root_prompt: of each answer.
        n_root_prompts: all that are labelled.
        level: the interval is 1 - level.

    Source: inference.md 1; the variance of a ratio of two sums: Cochran 1977, Sampling Techniques, 6.5.
    """
    n = np.bincount(root_prompt, is_counted, minlength=n_root_prompts)
    right = np.bincount(root_prompt, is_right * is_counted, minlength=n_root_prompts)
    if not n.any():
        return AgreementEstimate(reason=NO_CASE)
    holds, total = n > 0, n.sum()
    n_holding, p = int(holds.sum()), float(right.sum() / total)
    if n_root_prompts < LEAST_PROMPTS or n_holding < LEAST_WITH_SHARE:
        return AgreementEstimate(p, reason=InferenceReason.TOO_FEW_LABELS)
    squares = float(np.square(right - p * n).sum())
    # root prompts that by chance have like shares tell of less spread than single answers do
    spread = max(squares * n_holding / (n_holding - 1), total * p * (1 - p)) / total**2
    inverse_n = interval.inverse_effective_n(np.array(p), np.array(spread), np.array(1 / n_holding))
    limits = interval.wilson(np.array(p), inverse_n, interval.t_quantile(np.array(n_holding), level))
    return AgreementEstimate(p, float(limits.low), float(limits.high))


def _with_interval(
    value: float, resampled: Floats, n_root_prompts: int, expected: float, level: float
) -> AgreementEstimate:
    """A coefficient with its interval on the scale of Fisher's z.

    expected: the share that would differ by chance; NaN of numbers. Where nobody differs no root prompt that is drawn
    tells how often they might: the limit is that of Wilson for none of as many as there are root prompts.
    """
    if n_root_prompts < LEAST_PROMPTS:
        return AgreementEstimate(value, reason=InferenceReason.TOO_FEW_LABELS)
    quantile = float(interval.t_quantile(np.array(n_root_prompts), level))
    if value > 1 - 1e-12:
        if np.isnan(expected):
            return AgreementEstimate(value, reason=NO_DISAGREEMENT)
        most = quantile**2 / (n_root_prompts + quantile**2)
        return AgreementEstimate(value, max(1 - most / expected, -1.0), 1.0)
    known = resampled[~np.isnan(resampled)]
    error = float(np.std(known, ddof=1)) if len(known) > 1 else 0.0
    error *= np.sqrt(n_root_prompts / (n_root_prompts - 1))
    if error < 1e-12:
        return AgreementEstimate(value, reason=InferenceReason.NO_ERROR)
    z, half = np.arctanh(value), quantile * error / (1 - value**2)
    return AgreementEstimate(value, float(np.tanh(z - half)), float(np.tanh(z + half)))


def _resampled(sums: Floats, seed: int) -> Floats:
    """Sums over root prompts that are drawn with replacement, shape (resamples, ...)."""
    return _drawn(len(sums), seed) @ sums


@lru_cache(maxsize=64)
def _drawn(n: int, seed: int) -> Floats:
    """How often each of n root prompts is drawn, by resample."""
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=N_RESAMPLES).astype(np.float64)


def of_both(coded: CodedAnswers) -> CodedAnswers:
    """The answers that every coder labelled."""
    return _where(coded, np.asarray(~np.isnan(coded.codes).any(axis=1)))


def _where(coded: CodedAnswers, kept: NDArray[np.bool_]) -> CodedAnswers:
    """Some of the answers; their root prompts numbered anew."""
    _, root_prompt = np.unique(coded.root_prompt[kept], return_inverse=True)
    return CodedAnswers(coded.codes[kept], root_prompt.astype(np.intp), coded.are_labels)
