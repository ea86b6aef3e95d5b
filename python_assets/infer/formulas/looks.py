"""Levels of looks at a growing study, what stays called from one to the next, and the chance to have called by each.

Belongs here: the rules. Which look a run is, and what earlier ones called, is read by infer/looks.py.

Source: inference.md 6.8; Lan and DeMets 1983.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.infer.draws.exchange import Floats
from python_assets.infer.formulas.verdict import Verdict
from python_assets.infer.result import Bools, InferenceReason
from python_assets.infer.tables import HYPOTHESIS, ROW_KEYS
from python_assets.study.study import Study

KEYS_OF: Final[Mapping[str, list[str]]] = {
    "hypotheses": HYPOTHESIS,
    "contrasts": [*HYPOTHESIS, "group_id", "contrast", "category", "reference"],
    "system_comparisons": ROW_KEYS,
}
"""The tables whose rows can be called, with what tells a row."""

CALLS: Final = (Verdict.BEYOND_MARGIN, Verdict.DIFFERENT, Verdict.EQUIVALENT)
N_POINTS: Final = 2_001  # of a grid of z; the chances that are summed over it are right to 1e-6
FARTHEST_Z: Final = 9.0


def spent(share: float, alpha: float) -> float:
    """How much of alpha may be spent by the time that a share of the root prompts is there.

    Args:
        share: of the planned root prompts, 0 to 1.
        alpha: error rate of the study.
    """
    from scipy.special import ndtr, ndtri  # a plan without looks reads this file too

    if share <= 0:
        return 0.0
    return float(2 * ndtr(ndtri(alpha / 2) / np.sqrt(share)))


def level(share: float, last_share: float, alpha: float) -> float:
    """The level of a look: what was not spent by the last look that was taken.

    Args:
        share: of the planned root prompts at this look.
        last_share: at the last look that was taken; 0 before the first.
        alpha: error rate of the study.
    """
    return spent(share, alpha) - spent(last_share, alpha)


def levels(shares: Sequence[float], alpha: float) -> list[float]:
    """The level of every look where all are taken."""
    return [level(share, last, alpha) for share, last in zip(shares, [0.0, *shares[:-1]], strict=True)]


class Look(NamedTuple):
    """The look that a run is, with all that was called before it.

    number: counted from 1; n: of the study, 1 where it is looked at once. level: what q is held against, and intervals
    are 1 - level. last_level: of the last look where all are taken, for a study that is planned like this one. reason:
    why the run has no verdicts; None where it has. earlier: by table of KEYS_OF, rows that were called, with the look
    that called them first and the verdict that they had last.
    """

    level: float
    last_level: float
    number: int = 1
    n: int = 1
    reason: InferenceReason | None = None
    earlier: Mapping[str, pd.DataFrame] = {}

    def significant_at(self, table: str, rows: pd.DataFrame, q: Floats, *, may: Bools | bool = True) -> Floats:
        """The look that called each row first; NaN where none did.

        Args:
            table: of KEYS_OF.
            rows: with its keys.
            q: of each row.
            may: whether this look may call it: its interval leaves no effect out.
        """
        by_now = np.where((q <= self.level) & may, float(self.number), np.nan)
        first_look: Floats = np.fmin(self._earlier(table, rows, "significant_at_look").astype(float), by_now)
        return first_look

    def value_at_call(self, table: str, rows: pd.DataFrame) -> Floats:
        """What rows came to at the look that called them first; NaN where none did.

        Args:
            table: of KEYS_OF.
            rows: with its keys, value and significant_at_look.
        """
        now = np.where(rows.significant_at_look == self.number, rows.value.to_numpy(dtype=float), np.nan)
        earlier = self._earlier(table, rows, "value_at_call").astype(float)
        return np.where(rows.significant_at_look < self.number, earlier, now)

    def held(self, table: str, rows: pd.DataFrame, verdicts: np.ndarray) -> np.ndarray:
        """Verdicts of rows, where nothing is called now that of an earlier look: of two that were called the later.

        A difference does not speak against a bias, which says more.
        """
        earlier = self._earlier(table, rows, "verdict")
        is_kept = ~np.isin(verdicts, CALLS) & np.isin(earlier, CALLS)
        is_kept |= (verdicts == Verdict.DIFFERENT) & (earlier == Verdict.BEYOND_MARGIN)
        return np.where(is_kept, earlier, verdicts)

    def _earlier(self, table: str, rows: pd.DataFrame, column: str) -> np.ndarray:
        earlier = self.earlier.get(table)
        if earlier is None or not len(earlier):
            return np.full(len(rows), np.nan, dtype=object)
        index = pd.MultiIndex.from_frame(earlier[KEYS_OF[table]])
        position = index.get_indexer(pd.MultiIndex.from_frame(rows[KEYS_OF[table]]))
        earlier_values = earlier[column].to_numpy(dtype=object)[position]
        return np.where(position >= 0, earlier_values, np.nan)


def only_look(study: Study) -> Look:
    """The look of a study that is looked at once."""
    return Look(level=study.alpha, last_level=study.alpha)


def power_by_look(
    shares: Sequence[float], alpha: float, *, effect: float, sd: float, n: int, n_tests: int = 1
) -> list[float]:
    """The chance to have called a difference by each look, two-sided, if it is as given.

    Args:
        shares: of the planned root prompts at each look.
        alpha: error rate of the study.
        effect: the difference.
        sd: standard deviation of the difference over root prompts.
        n: root prompts planned.
        n_tests: tests that the level of each look is shared by.

    Returns:
        By the normal approximation: z of look k has mean effect sqrt(t_k n - z_k^2 / 2) / sd, z_k its bound (one look
        has the power that 2.5 plans), and grows by what is new.
    """
    from scipy.special import ndtri

    share = np.array(shares)
    bounds = -ndtri(np.array(levels(shares, alpha)) / 2 / n_tests)
    # the score z sqrt(t) is a sum of independent steps
    means = np.abs(effect) / sd * np.sqrt(np.maximum(share * n - bounds**2 / 2, 0) * share)
    score = np.linspace(-FARTHEST_Z, FARTHEST_Z + means.max(), N_POINTS)
    width, last, left, powers = score[1] - score[0], 0.0, np.array([]), []
    for at, step in enumerate(np.diff(share, prepend=0.0)):
        moved, spread = means[at] - last, np.sqrt(step)
        density = _density((score - moved) / spread) / spread if at == 0 else _moved(score, left, moved, spread) * width
        left, last = density * _inside(score, bounds[at] * np.sqrt(share[at]), width), means[at]
        powers.append(1 - float(left.sum() * width))
    return powers


def _moved(score: Floats, density: Floats, mean: float, sd: float) -> Floats:
    steps: Floats = _density((score[:, None] - score[None] - mean) / sd) / sd @ density
    return steps


def _density(z: Floats) -> Floats:
    density: Floats = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return density


def _inside(score: Floats, bound: float, width: float) -> Floats:
    """How much of each cell of the grid lies inside the bounds."""
    share: Floats = np.clip((bound - np.abs(score)) / width + 0.5, 0, 1)
    return share
