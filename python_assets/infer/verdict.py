"""From q values and a declared margin to a word, and how many root prompts a settled word would need.

Belongs here: the rules of the words. Adjusting is multiplicity.py; the levels of the margin are interval.py.
"""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from python_assets.infer.permutation import Floats

N_NEEDED_CAP = 10_000  # past it the number says only that the effect seen is next to the margin
POWER = 0.8


class Verdict(StrEnum):
    """The words a comparison can end in."""

    BIAS_SHOWN = "bias_shown"
    EQUIVALENCE_SHOWN = "equivalence_shown"
    DIFFERENCE_SHOWN = "difference_shown"
    INCONCLUSIVE = "inconclusive"
    NOT_COMPUTABLE = "not_computable"


def verdicts(
    q: Floats, q_margin: Floats, q_equivalence: Floats, *, is_wide: NDArray[np.bool_], alpha: float
) -> NDArray[np.object_]:
    """Choose a word for each row.

    Args:
        q: adjusted p of no difference; NaN: not_computable.
        q_margin: adjusted p of being past the margin; NaN without one.
        q_equivalence: adjusted p of being inside the margin; NaN without one.
        is_wide: whether the row speaks about prompts like these; else nothing past difference_shown.
        alpha: error rate.

    Source: inference.md 2.5 and 2.6.
    """
    conditions = [np.isnan(q), is_wide & (q_margin <= alpha), is_wide & (q_equivalence <= alpha), q <= alpha]
    words = [Verdict.NOT_COMPUTABLE, Verdict.BIAS_SHOWN, Verdict.EQUIVALENCE_SHOWN, Verdict.DIFFERENCE_SHOWN]
    return np.select(conditions, [str(word) for word in words], str(Verdict.INCONCLUSIVE)).astype(object)


def n_needed(value: Floats, sd: Floats, margin: Floats, *, alpha: float, n_tests: Floats | int = 1) -> Floats:
    """Root prompts at which a verdict would have 80 % power if the effect is as seen.

    Args:
        value: differences.
        sd: standard deviation of the difference over root prompts.
        margin: NaN where none is declared: then the number is for showing a difference, which is two-sided.
        alpha: error rate.
        n_tests: tests that alpha is shared by: the size of the family.

    Returns:
        Whole numbers; N_NEEDED_CAP + 1 where it is larger than the cap, NaN where value or sd is.

    Source: inference.md 2.5.
    """
    without = np.isnan(margin)
    z = stats.norm.isf(np.where(without, alpha / 2, alpha) / n_tests)
    distance = np.abs(np.where(without, 0, margin) - np.abs(value))
    with np.errstate(divide="ignore", invalid="ignore"):
        n = np.ceil(((z + stats.norm.ppf(POWER)) * sd / distance) ** 2 + z**2 / 2)
    return np.where(np.isnan(value) | np.isnan(sd), np.nan, np.fmin(n, N_NEEDED_CAP + 1))
