"""What changed in the log disparity of each group between two generations that answer the same root prompts.

Belongs here: one statistic, which is no mean: the difference of two differences of log odds, with its error
by the delta method. Rates are means over root prompts, of the group and of the other groups on the same
prompts, as in contrast log_disparity. Changes of means are swapped.py.

Source: inference.md 8.
"""

from typing import Final, cast

import numpy as np

from python_assets.infer.changes.change_rows import Change
from python_assets.infer.changes.swapped import Paired
from python_assets.infer.draws.exchange import TIE, Floats, Ints, goes_on, p_values, pieces
from python_assets.infer.draws.flips import Flips, studentised
from python_assets.infer.formulas import interval
from python_assets.infer.result import InferenceReason, Result, first_of

SIDES: Final = np.array([1.0, -1.0, -1.0, 1.0])  # group, others; group, others of the other generation
SWAPPED_SIDES: Final = np.array([2, 3, 0, 1])
GROUPS_AT_ONCE: Final = 32
DELTA: Final = "generations swapped on whole root prompts, studentised by the delta method; its t interval"


def log_disparity_changes(pair: Paired, signs: Flips, alpha: float) -> Change:
    """Test whether log disparities changed, by swapping both generations on whole root prompts.

    Args:
        pair: rates of both generations.
        signs: of its root prompts.
        alpha: intervals are 1 - alpha.

    Returns:
        One row a group, in nats; NULL where a rate is 0 or 1, or the group meets no other. The interval is of a
        t distribution on the delta error. p is the share of swaps whose value over its error is as large, rates
        and error computed anew; a swap that brings a rate to 0 or 1 counts as one.
    """
    sides = np.stack([pair.differences + pair.others, pair.others], axis=1).reshape(4, *pair.others.shape[1:])
    n = (~np.isnan(sides[0])).sum(axis=0)
    x = np.nan_to_num(sides).transpose(1, 0, 2)
    products = np.einsum("rik,rjk->rijk", x, x)
    t, std_error = _t(x.sum(axis=0), products.sum(axis=0), n)
    this_logit, other = interval.logit_difference(*(x.sum(axis=0) / np.maximum(n, 1)).reshape(2, 2, -1).swapaxes(0, 1))
    has_value = (n > 1) & ~np.isnan(this_logit + other)
    value = np.where(has_value, this_logit - other, np.nan)
    p, n_draws = np.full(n.shape, np.nan), 0
    for stage in signs.stages:
        n_as_large = _n_as_large(x, products, n, np.where(has_value, np.abs(t), np.inf), stage)
        p, n_draws = np.where(has_value, p_values(n_as_large, stage), np.nan), stage.n
        if not goes_on(p, alpha).any():
            break
    limits = interval.around(value, std_error, interval.t_quantile(n.astype(float), alpha))
    result = Result.of(
        n.shape,
        value=value,
        ci_low=limits.low,
        ci_high=limits.high,
        p_value=p,
        n_root_prompts=n,
        n_units=n,
        n_draws=n_draws,
        is_permuted=True,
        method=DELTA,
        reason=first_of([~has_value], [InferenceReason.UNBOUNDED]),
    )
    return Change(result, this_logit, other)


def _n_as_large(x: Floats, products: Floats, n: Ints, observed: Floats, signs: Flips) -> Ints:
    """Swaps with a t as large, shape (groups,); x, products: shape (root prompts, 4, [4,] groups)."""
    swapped, products_swapped = x[:, SWAPPED_SIDES], products[:, SWAPPED_SIDES][:, :, SWAPPED_SIDES]
    counts = np.zeros(len(n), dtype=np.int64)
    for batch in signs.batches():
        for groups in pieces(len(n), GROUPS_AT_ONCE):
            sums = _drawn(batch, x[..., groups], swapped[..., groups])
            drawn_products = _drawn(batch, products[..., groups], products_swapped[..., groups])
            sizes = np.nan_to_num(np.abs(_t(sums, drawn_products, n[groups])[0]), nan=np.inf)
            counts[groups] += (sizes >= observed[groups] - TIE).sum(axis=0)
    return counts


def _drawn(signs: Floats, own: Floats, swapped: Floats) -> Floats:
    """Sums over root prompts where those with sign -1 are swapped, shape (draws, ...)."""
    return cast(Floats, ((own + swapped) / 2).sum(axis=0) + np.tensordot(signs, (own - swapped) / 2, axes=1))


def _t(sums: Floats, products: Floats, n: Ints) -> tuple[Floats, Floats]:
    """T and its delta error, shape (..., groups); NaN where a rate is 0 or 1.

    Args:
        sums: of the four sides over root prompts, shape (..., 4, groups).
        products: sums of their products, shape (..., 4, 4, groups).
        n: root prompts of each group.
    """
    n = np.maximum(n, 2)
    rates = sums / n
    has_odds = ~interval.degenerate(rates).any(axis=-2)
    inner = np.where(np.expand_dims(has_odds, -2), rates, 0.5)
    value = (SIDES[:, None] * interval.logit(inner)).sum(axis=-2)
    weights = SIDES[:, None] / (inner * (1 - inner))
    squares = np.einsum("...ik,...jk,...ijk->...k", weights, weights, products)
    spread = squares - n * (weights * inner).sum(axis=-2) ** 2
    t, std_error = studentised(value, spread, np.abs(squares), n, np.abs(value) <= TIE)
    return np.where(has_odds, t, np.nan), np.where(has_odds, std_error, np.nan)
