"""Whether root prompts of several levels differ: whole prompts change places between the levels.

Belongs here: the statistic of a table (root prompts, contrasts) with a level each, and its p. What the
contrasts are is factor_effects.py.

Source: inference.md 12. The statistic is that of Welch 1951, On the comparison of several mean values,
Biometrika 38; of several contrasts with the trace of their covariance in place of the variance. Permuted it
nearly keeps its size where levels spread unequally (Pauly, Brunner, Konietschke 2015, Asymptotic permutation
tests in general factorial designs, JRSS B 77).
"""

from typing import Final, NamedTuple

import numpy as np
from scipy import stats

from python_assets.infer.permutation import TIE, Floats, Ints
from python_assets.infer.units import MIN_UNITS_OF_GROUP

BY_EXCHANGE: Final = "whole prompts exchanged between levels, Welch's statistic"
ROUNDING: Final = 1e-12


class ExchangeTest(NamedTuple):
    """P, and the distance between levels under each draw over the observed one; empty where that is 0."""

    p: float
    drawn: Floats


def exchange_test(
    contrasts: Floats, level: Ints, stratum: Ints, *, n_draws: int, seed: int
) -> ExchangeTest | None:
    """Test that the means of all contrasts are the same at every level.

    Args:
        contrasts: of each root prompt, shape (root prompts, contrasts).
        level: of each root prompt, from 0 without gaps.
        stratum: within which they change places, from 0 without gaps.
        n_draws: B.
        seed: of the draws.

    Returns:
        None where a level has fewer than MIN_UNITS_OF_GROUP root prompts, or there is one. p of a single
        contrast is never below that of Welch's F: permuted alone it errs where few prompts spread unequally.
    """
    n_of_level = np.bincount(level)
    if len(n_of_level) < 2 or n_of_level.min() < MIN_UNITS_OF_GROUP:
        return None
    x = contrasts - _means(contrasts, stratum)[stratum]
    drawn_levels = np.vstack([level, _exchanged(level, stratum, n_draws, seed)])
    welch, distance = _statistics(x, drawn_levels, n_of_level)
    n_as_large = int((welch[1:] >= welch[0] * (1 - TIE)).sum())
    has_distance = distance[0] > ROUNDING * (x**2).sum()
    share = np.sqrt(distance[1:] / distance[0]) if has_distance else np.empty(0)
    p = (n_as_large + 1) / (n_draws + 1)
    return ExchangeTest(max(p, _welch_p(x[:, 0], level)) if x.shape[1] == 1 else p, share)


def _welch_p(x: Floats, level: Ints) -> float:
    """P of Welch's F; 0 where no level has any spread."""
    n = np.bincount(level).astype(float)
    mean = np.bincount(level, x) / n
    variance = np.bincount(level, (x - mean[level]) ** 2) / (n - 1)
    if not variance.max() > ROUNDING * (x**2).mean():
        return 0.0
    weight = n / np.maximum(variance, ROUNDING * variance.max())
    k, share = len(n), weight / weight.sum()
    lost = ((1 - share) ** 2 / (n - 1)).sum()
    between = (weight * (mean - share @ mean) ** 2).sum() / (k - 1)
    f = between / (1 + 2 * (k - 2) / (k**2 - 1) * lost)
    return float(stats.f.sf(f, k - 1, (k**2 - 1) / (3 * lost)))


def _means(x: Floats, code: Ints) -> Floats:
    total = np.zeros((code.max() + 1, x.shape[1]))
    np.add.at(total, code, x)
    return total / np.bincount(code)[:, None]


def _exchanged(level: Ints, stratum: Ints, n_draws: int, seed: int) -> Ints:
    """Levels of the root prompts under each draw, shape (draws, root prompts)."""
    rng, drawn = np.random.default_rng(seed), np.tile(level, (n_draws, 1))
    for one in range(stratum.max() + 1):
        place = np.flatnonzero(stratum == one)
        drawn[:, place] = rng.permuted(drawn[:, place], axis=1)
    return drawn


def _statistics(x: Floats, levels: Ints, n_of_level: Ints) -> tuple[Floats, Floats]:
    """Welch's statistic, and the sum of squares between levels, of each row of levels."""
    squares, everything = (x**2).sum(axis=1), float((x**2).sum())
    weights, means, between = [], [], np.zeros(len(levels))
    for level, n in enumerate(n_of_level):
        is_level = (levels == level).astype(np.float64)
        mean = is_level @ x / n
        left = np.maximum(is_level @ squares - n * (mean**2).sum(axis=1), ROUNDING * everything)
        weights.append(n * (n - 1) / np.maximum(left, np.finfo(float).tiny))
        means.append(mean)
        between += n * (mean**2).sum(axis=1)
    weight, mean = np.stack(weights), np.stack(means)
    centre = (weight[:, :, None] * mean).sum(axis=0) / weight.sum(axis=0)[:, None]
    welch = (weight * ((mean - centre) ** 2).sum(axis=2)).sum(axis=0)
    return welch, between
