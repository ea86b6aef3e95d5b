"""From q values, intervals and a declared margin to a verdict, and how many root prompts would settle an open one.

Belongs here: the one function for rows, what missing answers leave of it, and the one for hypotheses. Adjusting is
hypotheses.py; the levels of the margin are skewed.py and interval.py.

Source: inference.md 2.5 to 2.7.
"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.infer.draws.exchange import Floats, comparable_sizes
from python_assets.infer.result import Bools, InferenceReason, first_of
from python_assets.infer.tables import GENERAL_SCOPES
from python_assets.study.metrics import metric_names

N_NEEDED_CAP = 10_000  # past it the number says only that the effect seen is next to the margin
POWER = 0.8
MANY_ROOT_PROMPTS = 60
MORE_FOR_MARGINS = 3  # root prompts, below so many
P_WITH_MISSING = "p_with_missing"


class VerdictReason(StrEnum):
    """Why a row or a hypothesis is inconclusive although its q, or that without negative controls, is at most alpha."""

    NOT_BEYOND_CONTROLS = "not_beyond_controls"
    EXPLAINED = "explained"
    INTERVAL_HOLDS_ZERO = "interval_holds_zero"
    BELOW_NOISE_FLOOR = "below_noise_floor"


class Verdict(StrEnum):
    """The words a comparison can end in."""

    BEYOND_MARGIN = "beyond_margin"
    EQUIVALENT = "equivalent"
    DIFFERENT = "different"
    INCONCLUSIVE = "inconclusive"
    NOT_TESTED = "not_tested"


class RowNumbers(NamedTuple):
    """What the verdict of a row follows from, arrays of one length.

    q: of no effect; NaN where nothing is tested. low, high: interval, NaN where there is none. q_margin, q_equivalence:
    of lying past the margin and inside it; NaN without one. is_wide: whether the row speaks about similar prompts;
    else nothing past different. is_past_floor: of a metric, whether it is beyond its noise floor. explained: whether
    the row differs because of another group alone. is_settled: whether no group that lies farther is inconclusive.
    no_effect: 1 of ratios. q_permuted: q that negative controls have no part in; NaN without any.
    """

    q: Floats
    low: Floats
    high: Floats
    q_margin: Floats
    q_equivalence: Floats
    is_wide: Bools | bool = True
    is_past_floor: Bools | bool = True
    explained: Bools | bool = False
    is_settled: Bools | bool = True
    no_effect: Floats | float = 0.0
    q_permuted: Floats | float = np.nan


class RowVerdicts(NamedTuple):
    """The verdict of each row, whether it is significant, and why an inconclusive one is not; None elsewhere."""

    verdict: NDArray[np.object_]
    is_significant: Bools
    reason: NDArray[np.object_]


def is_off(low: Floats, high: Floats, no_effect: Floats | float = 0.0) -> Bools:
    """Whether intervals leave no effect out; one that is not there holds nothing."""
    off: Bools = (low > no_effect) | (high < no_effect) | (np.isnan(low) & np.isnan(high))
    return off


def rows_off(rows: pd.DataFrame) -> Bools:
    """Whether the intervals of rows, ci_low to ci_high, leave no difference out."""
    return is_off(*(rows[side].to_numpy(dtype=float) for side in ("ci_low", "ci_high")))


def row_verdicts(rows: RowNumbers, alpha: float) -> RowVerdicts:
    """The verdict of every row of a table; nothing else decides one.

    Source: inference.md 2.5.
    """
    has_small_q, off = rows.q <= alpha, is_off(rows.low, rows.high, rows.no_effect)
    is_told = off & rows.is_settled & ~np.asarray(rows.explained)
    is_significant = has_small_q & is_told & rows.is_past_floor
    conditions = {
        Verdict.NOT_TESTED: np.isnan(rows.q) & np.isnan(rows.low) & np.isnan(rows.high),
        Verdict.BEYOND_MARGIN: is_significant & rows.is_wide & (rows.q_margin <= alpha),
        Verdict.EQUIVALENT: (rows.q_equivalence <= alpha) & rows.is_wide,
        Verdict.DIFFERENT: is_significant,
    }
    words = [str(word) for word in conditions]
    verdict = np.select([*conditions.values()], words, str(Verdict.INCONCLUSIVE)).astype(object)
    is_open = has_small_q & (verdict == Verdict.INCONCLUSIVE)
    is_inconclusive = verdict == Verdict.INCONCLUSIVE
    reasons = {
        VerdictReason.NOT_BEYOND_CONTROLS: is_inconclusive & (np.asarray(rows.q_permuted) <= alpha) & (rows.q > alpha),
        VerdictReason.EXPLAINED: is_open & rows.explained,
        VerdictReason.INTERVAL_HOLDS_ZERO: is_open & ~off,
        VerdictReason.BELOW_NOISE_FLOOR: is_open & is_told & ~np.asarray(rows.is_past_floor),
    }
    return RowVerdicts(verdict, is_significant, first_of([*reasons.values()], [str(word) for word in reasons]))


def numbers_of_contrasts(contrasts: pd.DataFrame, q_margin: Floats, q_equivalence: Floats) -> RowNumbers:
    """What the verdicts of contrasts follow from.

    Args:
        contrasts: with q_value, q_permuted, ci_low, ci_high, scope, explained_by and is_unsettled.
        q_margin: of adjusted_margin.
        q_equivalence: of adjusted_margin.
    """
    q, low, high = (contrasts[name].to_numpy(dtype=float) for name in ("q_value", "ci_low", "ci_high"))
    return RowNumbers(
        q,
        low,
        high,
        q_margin,
        q_equivalence,
        is_wide=contrasts.scope.isin(GENERAL_SCOPES).to_numpy(),
        explained=contrasts.explained_by.notna().to_numpy(),
        is_settled=~contrasts.is_unsettled.to_numpy(dtype=bool),
        q_permuted=contrasts.q_permuted.to_numpy(dtype=float),
    )


def q_of_metrics(disparities: pd.DataFrame) -> Floats:
    """The own q of metrics: the larger of the hypothesis' q and the row's p, not corrected over metrics.

    Args:
        disparities: with q_hypothesis, p_value and inference_reason. Where they are told by parts, q_hypothesis is the
            smallest q of the hypothesis and of its parts, and there is no p.

    Source: inference.md 2.5.
    """
    q, p = (disparities[name].to_numpy(dtype=float) for name in ("q_hypothesis", "p_value"))
    is_told = (disparities.inference_reason == InferenceReason.TOLD_BY_PARTS).to_numpy()
    return np.where(is_told, q, np.maximum(q, p))


def numbers_of_metrics(disparities: pd.DataFrame) -> RowNumbers:
    """What verdicts of metrics follow from: one is never tested beside its hypothesis, nor says more than its interval.

    One without a value has no q, so that nothing is decided of it.

    Args:
        disparities: of q_of_metrics, with metric, value, null_q95, control_floor, interval, margin, scope and the
            q_permuted of the hypothesis.
    """
    columns = ("value", "null_q95", "control_floor", "ci_low", "ci_high", "margin", "q_permuted", "p_value")
    value, noise, words, low, high, margin, *levels = (disparities[name].to_numpy(dtype=float) for name in columns)
    floor = np.fmax(noise, words)  # a ratio has none of words
    is_ratio = disparities.metric.isin(metric_names(is_ratio=True)).to_numpy()
    is_beyond = np.where(is_ratio, high < margin, low > margin)
    is_inside = np.where(is_ratio, low > margin, high < margin)
    has_margin = np.where(np.isnan(margin), np.nan, 1.0)
    return RowNumbers(
        np.where(np.isnan(value), np.nan, q_of_metrics(disparities)),
        low,
        high,
        np.where(is_beyond, 0.0, 1.0) * has_margin,
        np.where(is_inside, 0.0, 1.0) * has_margin,
        is_wide=disparities.scope.isin(GENERAL_SCOPES).to_numpy(),
        is_past_floor=np.where(is_ratio, value < floor, value > floor),
        no_effect=np.where(is_ratio, 1.0, 0.0),
        q_permuted=np.where(np.isnan(value), np.nan, np.maximum(*levels)),
    )


def verdicts_with_missing(contrasts: pd.DataFrame, alpha: float) -> NDArray[np.object_]:
    """What is left of verdicts with every missing answer at either end: never more than they say.

    Args:
        contrasts: with verdict, margin, ci_low_missing, ci_high_missing and P_WITH_MISSING, which is NaN where nothing
            is missing or can be filled.
        alpha: error rate.

    Returns:
        A word of each row, None where P_WITH_MISSING is NaN or no verdict was possible.
    """
    low, high, margin, p = (
        contrasts[name].to_numpy(dtype=float)
        for name in ("ci_low_missing", "ci_high_missing", "margin", P_WITH_MISSING)
    )
    verdict = contrasts.verdict.to_numpy(dtype=object)
    # whole intervals for the p of margins, which no filled table has
    has_margin = np.where(np.isnan(margin), np.nan, 1.0)
    is_beyond, is_inside = (low > margin) | (high < -margin), (low > -margin) & (high < margin)
    margins = (np.where(holds, 0.0, 1.0) * has_margin for holds in (is_beyond, is_inside))
    filled = row_verdicts(RowNumbers(p, low, high, *margins), alpha)
    is_different = np.isin(verdict, [Verdict.BEYOND_MARGIN, Verdict.DIFFERENT]) & filled.is_significant
    none = np.isnan(p) | pd.isna(verdict) | (verdict == Verdict.NOT_TESTED)
    return first_of(
        [none, filled.verdict == verdict, is_different, ~none],
        [None, verdict, str(Verdict.DIFFERENT), str(Verdict.INCONCLUSIVE)],
    )


def hypothesis_verdicts(hypotheses: pd.DataFrame, rows: pd.DataFrame) -> NDArray[np.object_]:
    """The verdict of every hypothesis from its rows; nothing else decides one.

    Args:
        hypotheses: with p_value and is_significant.
        rows: those that count, with hypothesis, the position of theirs, is_group, has_value, margin, verdict and
            is_significant.

    Source: inference.md 2.5.
    """
    n = len(hypotheses)

    def some(where: "pd.Series[bool]") -> Bools:
        return np.bincount(rows.hypothesis[where], minlength=n) > 0

    is_equivalent, is_group = rows.verdict == Verdict.EQUIVALENT, rows.is_group & rows.has_value
    # a metric that no margin belongs to says nothing of equivalence
    is_metric = ~rows.is_group & rows.margin.notna() & rows.has_value
    has_groups = some(rows.is_group)
    is_answer = is_group | (is_metric & ~has_groups[rows.hypothesis])
    all_equivalent = some(is_answer & is_equivalent) & ~some(is_answer & ~is_equivalent)
    is_significant = hypotheses.is_significant.to_numpy(dtype=bool)
    conditions = {
        Verdict.BEYOND_MARGIN: is_significant & some(rows.verdict == Verdict.BEYOND_MARGIN),
        Verdict.EQUIVALENT: all_equivalent,
        Verdict.DIFFERENT: is_significant,
        Verdict.INCONCLUSIVE: hypotheses.p_value.notna().to_numpy(),
    }
    words = [str(word) for word in conditions]
    return np.select([*conditions.values()], words, str(Verdict.NOT_TESTED)).astype(object)


def headlines(hypotheses: pd.DataFrame, rows: pd.DataFrame) -> NDArray[np.intp]:
    """The row that heads every hypothesis: its position in rows, -1 where there is none.

    Args:
        hypotheses: with verdict, of hypothesis_verdicts.
        rows: of hypothesis_verdicts, with value and is_significant; the first of equal ones heads.

    Returns:
        Of a hypothesis with a finding a row whose verdict is the same, of different also a significant row inside its
        margin: a group before a metric, then the largest |value|.

    Source: inference.md 2.5.
    """
    verdict = hypotheses.verdict.to_numpy()[rows.hypothesis.to_numpy()]
    row_verdict, is_significant = rows.verdict.to_numpy(), rows.is_significant.to_numpy(dtype=bool)
    is_finding = np.isin(verdict, [Verdict.BEYOND_MARGIN, Verdict.DIFFERENT, Verdict.EQUIVALENT])
    is_inside = (verdict == Verdict.DIFFERENT) & (row_verdict == Verdict.EQUIVALENT) & is_significant
    may = np.flatnonzero(((verdict == row_verdict) | is_inside) & is_finding & rows.has_value.to_numpy())
    size = comparable_sizes(rows.value.to_numpy(dtype=float)[may])
    order = np.lexsort((-size, ~rows.is_group.to_numpy(dtype=bool)[may]))
    chosen = np.full(len(hypotheses), -1)
    chosen[rows.hypothesis.to_numpy()[may[order]][::-1]] = may[order][::-1]
    return chosen


def n_needed(
    value: Floats, sd: Floats, margin: Floats, *, alpha: float, n_tests: Floats | int = 1, power: Floats | float = POWER
) -> Floats:
    """Root prompts at which a verdict has the power if the effect is as given.

    Args:
        value: differences.
        sd: standard deviation of the difference over root prompts.
        margin: NaN where none is declared: then the number is for showing a difference, which is two-sided.
        alpha: error rate.
        n_tests: tests that alpha is shared by: groups times questions, as far as they count.
        power: chance of the verdict.

    Returns:
        Whole numbers; N_NEEDED_CAP + 1 where it is larger than the cap, NaN where value or sd is.

    Source: inference.md 2.5.
    """
    from scipy.special import ndtri  # a plan without power reads this file too

    without = np.isnan(margin)
    z = -ndtri(np.where(without, alpha / 2, alpha) / n_tests)
    distance = np.abs(np.where(without, 0, margin) - np.abs(value))
    with np.errstate(divide="ignore", invalid="ignore"):
        n = np.ceil(((z + ndtri(power)) * sd / distance) ** 2 + z**2 / 2)
    # the outer interval of t and Hall is wider than that of t where there are few (2.9)
    n += np.where(without | (n >= MANY_ROOT_PROMPTS), 0, MORE_FOR_MARGINS)
    return np.where(np.isnan(value) | np.isnan(sd), np.nan, np.fmin(n, N_NEEDED_CAP + 1))
