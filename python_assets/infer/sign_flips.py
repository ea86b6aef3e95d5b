"""Whether contrasts inside root prompts are 0 on average: Hotelling's T2, the signs of whole prompts flipped.

Belongs here: the statistic of a table (root prompts, contrasts) and its p. What the contrasts are is
factor_effects.py.

Source: inference.md 12.
"""

from itertools import product
from typing import Final, NamedTuple

import numpy as np
from scipy import linalg, stats

from python_assets.infer.permutation import TIE, Floats

LEAST_PROMPTS: Final = 6  # for flips; the table's F stands in below
BY_FLIPS: Final = "signs of whole prompts flipped, T2"
BY_SQUARES: Final = "signs of whole prompts flipped, sum of squared t"
BY_F: Final = "T2, F distribution"


class FlipTest(NamedTuple):
    """P and how it was had; drawn: the length of the mean under each draw over the observed one."""

    p: float
    method: str | None
    drawn: Floats


def flip_test(contrasts: Floats, *, n_draws: int, seed: int) -> FlipTest:
    """Test that the means of all contrasts are 0.

    Args:
        contrasts: of each root prompt, shape (root prompts, contrasts).
        n_draws: B; every arrangement where there are no more.
        seed: of the draws.

    Returns:
        P is NaN where root prompts are no more than contrasts and fewer than 6, or nothing varies.

    Source: inference.md 12.
    """
    n, q = contrasts.shape
    length = float(np.sqrt((contrasts.mean(axis=0) ** 2).sum()))
    if not np.abs(contrasts).max(initial=0) > TIE:
        return FlipTest(np.nan, None, np.empty(0))
    signs, extra = _signs(n, n_draws, seed)
    means = signs @ contrasts / n
    drawn = np.sqrt((means**2).sum(axis=1)) / length if length > 0 else np.empty(0)
    if n < LEAST_PROMPTS:
        return FlipTest(_f_p(contrasts), BY_F if n > q else None, drawn)
    own = contrasts.mean(axis=0)
    if q >= n - 2:
        seen, under, method = _squares(own[None], contrasts), _squares(means, contrasts), BY_SQUARES
    else:
        bread = linalg.pinvh(contrasts.T @ contrasts / n)  # the same under every draw; T2 grows with the form
        seen, under = (np.einsum("bi,ij,bj->b", m, bread, m) for m in (own[None], means))
        method = BY_FLIPS
    n_as_large = (under >= seen[0] - TIE).sum()
    return FlipTest(float((n_as_large + extra) / (len(under) + extra)), method, drawn)


def _signs(n: int, n_draws: int, seed: int) -> tuple[Floats, int]:
    """Signs of the prompts, shape (draws, prompts), and how often the observed ones count besides."""
    if n <= np.log2(n_draws):
        return np.array(list(product([1.0, -1.0], repeat=n))), 0
    return np.random.default_rng(seed).choice([1.0, -1.0], size=(n_draws, n)), 1


def _squares(means: Floats, contrasts: Floats) -> Floats:
    """Sum of squared t of each contrast, shape (draws,)."""
    n = len(contrasts)
    spread = np.maximum((contrasts**2).mean(axis=0) - means**2, 1e-12) * n / (n - 1)
    return (n * means**2 / spread).sum(axis=1)


def _f_p(contrasts: Floats) -> float:
    """P of T2 by its F distribution, of more prompts than contrasts."""
    n, q = contrasts.shape
    if n <= q:
        return np.nan
    mean = contrasts.mean(axis=0)
    covariance = np.atleast_2d(np.cov(contrasts, rowvar=False))
    t2 = float(n * mean @ linalg.pinvh(covariance) @ mean)
    return float(stats.f.sf(t2 * (n - q) / (q * (n - 1)), q, n - q))
