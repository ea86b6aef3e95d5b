"""From q values and a declared margin to a word.

Belongs here: the rules of the words. Adjusting is multiplicity.py; the levels of the margin are interval.py;
how many root prompts a settled word would need is power.py.
"""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.permutation import Floats


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
    is_past = (q <= alpha) & (
        q_margin <= alpha
    )  # few draws can leave q above where the t of the margin is not
    conditions = [np.isnan(q), is_wide & is_past, is_wide & (q_equivalence <= alpha), q <= alpha]
    words = [Verdict.NOT_COMPUTABLE, Verdict.BIAS_SHOWN, Verdict.EQUIVALENCE_SHOWN, Verdict.DIFFERENCE_SHOWN]
    return np.select(conditions, [str(word) for word in words], str(Verdict.INCONCLUSIVE)).astype(object)
