"""What changed in the log disparity of each group between two generations that answer the same root prompts.

Belongs here: one statistic, which is no mean: the difference of two differences of log odds, with its error
by the delta method. Rates are means over root prompts, of the group and of the other groups on the same
prompts, as in contrast log_disparity. Changes of means are changes.py.

Source: inference.md 8.
"""

from typing import Final, NamedTuple

import numpy as np

from python_assets.infer import interval
from python_assets.infer.changes import ROUNDING, Paired, Signs
from python_assets.infer.permutation import TIE, Floats, Ints, p_values, pieces

SIDES: Final = np.array([1.0, -1.0, -1.0, 1.0])  # group, others; group, others of the other generation
SWAPPED_SIDES: Final = np.array([2, 3, 0, 1])
GROUPS_AT_ONCE: Final = 32


class LogDisparityChange(NamedTuple):
    """The change of each group, shape (groups,); NaN where a rate is 0 or 1, or the group meets no other.

    value_own, value_other: log disparities, in nats. n: root prompts on which the group meets others.
    """

    value: Floats
    value_own: Floats
    value_other: Floats
    ci_low: Floats
    ci_high: Floats
    p_value: Floats
    n: Ints


class _Moments(NamedTuple):
    """Sums of the four sides and of their products over root prompts, shape (..., 4, [4,] groups)."""

    sums: Floats
    products: Floats


def log_disparity_change(pair: Paired, signs: Signs, alpha: float) -> LogDisparityChange:
    """Test whether log disparities changed, by swapping both generations on whole root prompts.

    Args:
        pair: rates of both generations.
        signs: of its root prompts.
        alpha: intervals are 1 - alpha.

    Returns:
        The interval is of a t distribution on the delta error. p is the share of swaps whose value over its
        error is as large, rates and error computed anew; a swap that brings a rate to 0 or 1 counts as one.
    """
    sides = np.stack(
        [pair.own_d + pair.own_rest, pair.own_rest, pair.other_d + pair.other_rest, pair.other_rest]
    )
    n = (~np.isnan(sides[0])).sum(axis=0)
    x = np.nan_to_num(sides).transpose(1, 0, 2)
    seen = _Moments(x.sum(axis=0), np.einsum("rik,rjk->ijk", x, x))
    rates = seen.sums / np.maximum(n, 1)
    own, other = (interval.logit_difference(*rates[[at, at + 1]]) for at in (0, 2))
    is_told = (n > 1) & ~np.isnan(own + other)
    t, std_error = _t(seen, n)
    value = np.where(is_told, own - other, np.nan)
    limits = interval.around(value, std_error, interval.t_quantile(n.astype(float), alpha))
    n_as_large = _n_as_large(x, n, np.where(is_told, np.abs(t), np.inf), signs)
    return LogDisparityChange(
        value=value,
        value_own=own,
        value_other=other,
        ci_low=limits.low,
        ci_high=limits.high,
        p_value=np.where(is_told, p_values(n_as_large, signs), np.nan),
        n=n,
    )


def _n_as_large(x: Floats, n: Ints, observed: Floats, signs: Signs) -> Ints:
    """Swaps with a t as large, shape (groups,); x: shape (root prompts, 4, groups)."""
    swapped = x[:, SWAPPED_SIDES]
    products, of_swapped = (np.einsum("rik,rjk->rijk", one, one) for one in (x, swapped))
    found = np.zeros(len(n), dtype=np.int64)
    for batch in signs.batches():
        for groups in pieces(len(n), GROUPS_AT_ONCE):
            both = ((x, swapped), (products, of_swapped))
            drawn = _Moments(*(_summed(batch, *(one[..., groups] for one in pair)) for pair in both))
            t = np.abs(_t(drawn, n[groups])[0])
            found[groups] += (np.nan_to_num(t, nan=np.inf) >= observed[groups] - TIE).sum(axis=0)
    return found


def _summed(signs: Floats, own: Floats, swapped: Floats) -> Floats:
    """Sums over root prompts where those with sign -1 are swapped, shape (draws, ...)."""
    odd = (own - swapped) / 2
    return ((own + swapped) / 2).sum(axis=0) + np.tensordot(signs, odd, axes=1)


def _t(moments: _Moments, n: Ints) -> tuple[Floats, Floats]:
    """T and its delta error, shape (..., groups); NaN where a rate is 0 or 1."""
    n = np.maximum(n, 2)
    rates = moments.sums / n
    is_told = ~interval.degenerate(rates).any(axis=-2)
    inner = np.where(np.expand_dims(is_told, -2), rates, 0.5)
    value = (SIDES[:, None] * interval.logit(inner)).sum(axis=-2)
    weights = SIDES[:, None] / (inner * (1 - inner))
    squares = np.einsum("...ik,...jk,...ijk->...k", weights, weights, moments.products)
    spread = squares - n * (weights * inner).sum(axis=-2) ** 2
    spread = np.where(spread > ROUNDING * np.abs(squares), spread, 0.0)
    std_error = np.sqrt(spread / (n - 1) / n)
    constant = np.where(np.abs(value) <= TIE, 0.0, np.copysign(1e6, value))
    t = np.divide(value, std_error, out=constant, where=std_error > 0)
    return np.where(is_told, t, np.nan), np.where(is_told, std_error, np.nan)
