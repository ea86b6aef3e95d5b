"""Intervals of means, rates and their differences, and the levels at which a limit reaches a margin.

Belongs here: formulas over arrays of any shape. Sources: inference.md 2.4 and 2.5; Wilson 1927; Donner and
Zou 2012 for MOVER with a correlation.
"""

from collections.abc import Callable
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.draws.exchange import Floats

LARGEST_QUANTILE = 1e4  # past it the tail of a t distribution is no longer told from 0
N_BISECTIONS = 60


class Interval(NamedTuple):
    """Limits; infinite where unbounded, NaN where there is none."""

    low: Floats
    high: Floats


class RatePair(NamedTuple):
    """Two rates measured on the same units.

    p1, p2: rates. inverse_n1, inverse_n2: 1 / effective number of responses. correlation: of both over units.
    """

    p1: Floats
    inverse_n1: Floats
    p2: Floats
    inverse_n2: Floats
    correlation: Floats


Limits = Callable[[Floats], Interval]


def t_quantile(n_units: Floats, alpha: float) -> Floats:
    """Two-sided quantile of t with n_units - 1 degrees of freedom; NaN where there are none."""
    from scipy import stats  # a plan, which has no interval, reads this file too

    return cast(Floats, stats.t.isf(alpha / 2, np.where(n_units > 1, n_units - 1, np.nan)))


def around(value: Floats, std_error: Floats, quantile: Floats) -> Interval:
    """Interval of quantile standard errors to each side."""
    return Interval(value - quantile * std_error, value + quantile * std_error)


def inverse_effective_n(p: Floats, variance_of_mean: Floats, inverse_n_if_degenerate: Floats) -> Floats:
    """1 / n_eff of a cluster rate, n_eff = p (1 - p) / (var_r / R).

    Another one where the rate is 0 or 1, or alike in every unit: no few units show that a rate has no spread.
    """
    spread = p * (1 - p)
    is_told = ~degenerate(p) & (variance_of_mean > 1e-12 * spread)
    return np.divide(
        variance_of_mean, spread, out=np.broadcast_to(inverse_n_if_degenerate, p.shape).copy(), where=is_told
    )


def degenerate(p: Floats) -> NDArray[np.bool_]:
    """Whether a rate is 0 or 1."""
    return p * (1 - p) < 1e-12


def wilson(p: Floats, inverse_n: Floats, quantile: Floats) -> Interval:
    """Wilson score interval of a rate.

    Args:
        p: rate.
        inverse_n: 1 / effective number of responses; 0 where the rate is known.
        quantile: of a normal or t distribution.

    Returns:
        Limits within 0 and 1; exactly 0 or 1 at a rate of 0 or 1.
    """
    spread = quantile**2 * inverse_n
    centre = (p + spread / 2) / (1 + spread)
    variance = np.maximum(p * (1 - p), 0) * inverse_n  # rounding takes a rate past 0 or 1
    half = np.abs(quantile) * np.sqrt(variance + (quantile * inverse_n / 2) ** 2) / (1 + spread)
    low = np.where(p < 1e-12, 0 * centre, centre - half)
    high = np.where(p > 1 - 1e-12, 1 + 0 * centre, centre + half)
    return Interval(np.maximum(low, 0), np.minimum(high, 1))


def mover(pair: RatePair, quantile: Floats) -> Interval:
    """Interval of the difference of two rates from their Wilson intervals.

    Source: inference.md 2.4.
    """
    one = wilson(pair.p1, pair.inverse_n1, quantile)
    two = wilson(pair.p2, pair.inverse_n2, quantile)
    return _recovered((pair.p1, pair.p2), one, two, pair.correlation)


def mover_logit(pair: RatePair, quantile: Floats) -> Interval:
    """Interval of the difference of two logits, infinite on the side of a rate of 0 or 1.

    Source: inference.md 2.4; a rate of 0 or 1 is centred on (n p + .5) / (n + 1), n its effective number.
    """
    one = wilson(pair.p1, pair.inverse_n1, quantile)
    two = wilson(pair.p2, pair.inverse_n2, quantile)
    centres = (logit_centre(pair.p1, pair.inverse_n1), logit_centre(pair.p2, pair.inverse_n2))
    return _recovered(
        centres, Interval(logit(one.low), logit(one.high)), Interval(logit(two.low), logit(two.high)), pair.correlation
    )


def logit(p: Floats) -> Floats:
    """ln(p / (1 - p)); infinite at 0 and 1."""
    with np.errstate(divide="ignore"):
        return np.log(p) - np.log1p(-p)


def logit_difference(p1: Floats, p2: Floats) -> Floats:
    """Log disparity of two rates; NaN where either is 0 or 1."""
    undefined = degenerate(p1) | degenerate(p2) | np.isnan(p1)
    inner = (np.where(undefined, 0.5, p) for p in (p1, p2))
    first, second = (logit(p) for p in inner)
    return np.where(undefined, np.nan, first - second)


def logit_centre(p: Floats, inverse_n: Floats) -> Floats:
    """Logit of a rate, moved off 0 and 1."""
    inner = np.where(degenerate(p), (p + inverse_n / 2) / (1 + inverse_n), p)
    return logit(inner)


def _recovered(values: tuple[Floats, Floats], one: Interval, two: Interval, rho: Floats) -> Interval:
    difference = values[0] - values[1]
    down = _joined(values[0] - one.low, two.high - values[1], rho)
    up = _joined(one.high - values[0], values[1] - two.low, rho)
    return Interval(difference - down, difference + up)


def _joined(a: Floats, b: Floats, rho: Floats) -> Floats:
    with np.errstate(invalid="ignore", over="ignore"):
        squared = a**2 + b**2 - 2 * rho * a * b
        return np.where(np.isinf(a) | np.isinf(b), np.inf, np.sqrt(np.maximum(squared, 0)))


def margin_levels(value: Floats, limits: Limits, df: Floats, margin: Floats) -> tuple[Floats, Floats]:
    """One-sided p that |value| is past the margin, and that it is inside.

    The p is the level at which the one-sided limit reaches the margin, found by bisection.

    Args:
        value: estimates; NaN gives NaN.
        limits: interval at a quantile.
        df: degrees of freedom of the quantile.
        margin: positive, in the unit of value.

    Returns:
        p of being past the margin, p of being within it on both sides.

    Source: inference.md 2.5.
    """
    from scipy import stats

    def towards_zero(c: Floats) -> Floats:
        return _mirrored(limits(c), value).low

    def away(c: Floats) -> Floats:
        return -_mirrored(limits(c), value).high

    size = np.abs(value)
    is_past = size >= margin
    p_past = stats.t.sf(_reach(towards_zero, margin), df)
    p_near = stats.t.sf(_reach(away, -margin), df)
    p_far = stats.t.sf(_reach(towards_zero, -margin), df)
    p_margin = np.where(is_past, p_past, 1 - p_near)
    p_equivalence = np.where(is_past, 1 - p_past, np.maximum(p_near, p_far))
    undefined = np.isnan(value) | np.isnan(margin)
    return np.where(undefined, np.nan, p_margin), np.where(undefined, np.nan, p_equivalence)


def _mirrored(interval: Interval, value: Floats) -> Interval:
    negative = value < 0
    return Interval(np.where(negative, -interval.high, interval.low), np.where(negative, -interval.low, interval.high))


def _reach(falling: Callable[[Floats], Floats], target: Floats) -> Floats:
    """Quantile at which a limit that falls with it comes down to the target."""
    start = falling(np.asarray(0.0))
    shape = np.broadcast(start, target).shape
    low, high = np.zeros(shape), np.full(shape, LARGEST_QUANTILE)
    for _ in range(N_BISECTIONS):
        middle = (low + high) / 2
        is_above = falling(middle) > target
        low, high = np.where(is_above, middle, low), np.where(is_above, high, middle)
    return cast(Floats, (low + high) / 2)
