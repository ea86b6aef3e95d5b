"""From q values, intervals and a declared margin to a word, and how many root prompts would settle an open one.

Belongs here: the rules of the words. Adjusting is hypotheses.py; the levels of the margin are interval.py.

Source: inference.md 2.5 to 2.7.
"""

from enum import StrEnum

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.infer.draws.exchange import Floats
from python_assets.infer.result import InferenceReason
from python_assets.infer.tables import GENERAL_SCOPES
from python_assets.study.metrics import metric_names

N_NEEDED_CAP = 10_000  # past it the number says only that the effect seen is next to the margin
POWER = 0.8
_RATES = ("risk_difference", "log_disparity", "selection_rate_difference", "precision_difference")


class Verdict(StrEnum):
    """The words a comparison can end in."""

    BEYOND_MARGIN = "beyond_margin"
    EQUIVALENT = "equivalent"
    DIFFERENT = "different"
    INCONCLUSIVE = "inconclusive"
    NOT_TESTED = "not_tested"


def verdicts(
    q: Floats,
    q_margin: Floats,
    q_equivalence: Floats,
    *,
    is_wide: NDArray[np.bool_],
    is_off: NDArray[np.bool_] | bool = True,
    alpha: float,
) -> NDArray[np.object_]:
    """Choose a word for each row.

    Args:
        q: adjusted p of no difference; NaN: not_tested.
        q_margin: adjusted p of being past the margin; NaN without one.
        q_equivalence: adjusted p of being inside the margin; NaN without one.
        is_wide: whether the row speaks about prompts like these; else nothing past different.
        is_off: whether the interval leaves no difference out, which rates need besides.
        alpha: error rate.
    """
    is_shown = (q <= alpha) & is_off
    conditions = [np.isnan(q), is_wide & is_shown & (q_margin <= alpha), is_wide & (q_equivalence <= alpha), is_shown]
    words = [Verdict.NOT_TESTED, Verdict.BEYOND_MARGIN, Verdict.EQUIVALENT, Verdict.DIFFERENT]
    return np.select(conditions, [str(word) for word in words], str(Verdict.INCONCLUSIVE)).astype(object)


def contrast_verdicts(
    contrasts: pd.DataFrame, q_margin: Floats, q_equivalence: Floats, alpha: float
) -> NDArray[np.object_]:
    """Words of contrasts.

    Args:
        contrasts: with q_value, contrast, ci_low, ci_high and scope.
        q_margin: of adjusted_margin.
        q_equivalence: of adjusted_margin.
        alpha: error rate.
    """
    low, high = (contrasts[side].to_numpy(dtype=float) for side in ("ci_low", "ci_high"))
    is_rate = contrasts.contrast.isin(_RATES).to_numpy()
    no_interval = np.isnan(low) & np.isnan(high)
    return verdicts(
        contrasts.q_value.to_numpy(),
        q_margin,
        q_equivalence,
        is_wide=contrasts.scope.isin(GENERAL_SCOPES).to_numpy(),
        is_off=~is_rate | no_interval | (low > 0) | (high < 0),
        alpha=alpha,
    )


def index_verdicts(disparities: pd.DataFrame, alpha: float) -> NDArray[np.object_]:
    """Words of indices: an index is never tested beside its question, and never says more than its interval.

    Args:
        disparities: with q_value, of the question, metric, value, null_q95, interval, margin, scope and
            inference_reason. Where they are told by parts, q_value is the smallest of the question's and those of its
            parts.
        alpha: error rate.
    """
    columns = ("q_value", "value", "null_q95", "ci_low", "ci_high", "margin")
    q, value, floor, low, high, margin = (disparities[name].to_numpy(dtype=float) for name in columns)
    is_ratio = disparities.metric.isin(metric_names(is_ratio=True)).to_numpy()
    is_told = (disparities.inference_reason == InferenceReason.TOLD_BY_PARTS).to_numpy()
    has_p = disparities.p_value.notna().to_numpy() | is_told
    is_past_floor = np.where(is_ratio, value < floor, value > floor)
    is_beyond = np.where(is_ratio, high < margin, low > margin)
    is_inside = np.where(is_ratio, low > margin, high < margin)
    return verdicts(
        np.where(has_p, q, np.nan),
        np.where(is_beyond, 0.0, 1.0),
        np.where(is_inside, 0.0, 1.0),
        is_wide=disparities.scope.isin(GENERAL_SCOPES).to_numpy(),
        is_off=is_past_floor,
        alpha=alpha,
    )


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
    return np.where(np.isnan(value) | np.isnan(sd), np.nan, np.fmin(n, N_NEEDED_CAP + 1))
