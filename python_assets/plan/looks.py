"""The looks that a study plans: how many root prompts, at what level, and what each of them can call.

Belongs here: the rows of a plan. Levels are infer/formulas/looks.py, which root prompts warehouse/looks.py.

Source: inference.md 6.8 and 6.5.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from python_assets.infer.formulas.looks import levels
from python_assets.infer.options import MOST_PERMUTATIONS
from python_assets.plan.text import PlannedLook
from python_assets.study.study import Study
from python_assets.warehouse.looks import look_sizes, planned_shares

LEAST_P: Final = 2 / (MOST_PERMUTATIONS + 1)  # of a question, whatever is drawn


def planned_looks(study: Study, n_root_prompts: int | None, n_hypotheses: int) -> list[PlannedLook]:
    """Every look that a study declares; none where it is looked at once.

    Args:
        study: what it declares.
        n_root_prompts: that are planned; None where they are not known yet.
        n_hypotheses: of the largest set.

    Raises:
        StudyError: the root prompts are not those of the looks.
    """
    if study.looks is None:
        return []
    shares = planned_shares(study)
    sizes: list[int | None] = [None] * len(shares)
    if n_root_prompts is not None:
        known = look_sizes(study, n_root_prompts)
        sizes, shares = [*known], [size / n_root_prompts for size in known]
    return [
        PlannedLook(number, size, share, level, _note(level, n_hypotheses))
        for number, (size, share, level) in enumerate(
            zip(sizes, shares, levels(shares, study.alpha), strict=True), start=1
        )
    ]


def _note(level: float, n_hypotheses: int) -> str:
    """How many questions that all have the least p there is are called together."""
    if level < LEAST_P:
        return "nothing: no p is as small"
    n_together = int(np.ceil(n_hypotheses * LEAST_P / level - 1e-9))
    return "any question" if n_together <= 1 else f"{n_together:,} of {n_hypotheses:,} questions together, no fewer"


def look_warnings(looks: list[PlannedLook]) -> Iterator[str]:
    """Looks that can call nothing."""
    for row in looks:
        if row.level < LEAST_P:
            yield (
                f"analysis.looks: look {row.look} has a level of {row.level:.6f} and can call nothing, for the least p "
                f"is {LEAST_P:g}; looks: 2 or looks: 3 lose less"
            )
