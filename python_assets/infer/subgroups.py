"""Intervals of subgroup rates and log disparities, every response counting alike, clustered by unit.

Belongs here: what a cluster variance of two pooled rates gives, from sums over units that SQL made
(int_subgroup_sums). Rates themselves are SQL's; generations are compared in subgroup_distributions.py.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.infer import interval
from python_assets.infer.design import MIN_UNITS
from python_assets.infer.interval import Interval, RatePair
from python_assets.infer.permutation import TIE, Floats
from python_assets.infer.reasons import InferenceReason, first_of

KEYS: Final = ("study_id", "slice_id", "generation_id", "measure_id", "grouping_id", "group_id")
COLUMNS: Final = {
    **dict.fromkeys(KEYS, "varchar not null"),
    "ci_low": "double",
    "ci_high": "double",
    "log_disparity_ci_low": "double",
    "log_disparity_ci_high": "double",
    "inference_reason": "varchar",
}


class Side(NamedTuple):
    """The pooled rate of one side of a comparison.

    rate: NaN without responses. squares: sum over units of (k - rate n)^2. inverse_n: 1 / effective number
    of responses.
    """

    rate: Floats
    squares: Floats
    inverse_n: Floats


def subgroup_intervals(sums: pd.DataFrame, alpha: float, mixed_slices: Sequence[str] = ()) -> pd.DataFrame:
    """The intervals of every subgroup's rate and log disparity.

    Args:
        sums: the rows of int_subgroup_sums.
        alpha: intervals are 1 - alpha.
        mixed_slices: slices whose prompts differ in what their units are; they have no interval.

    Returns:
        Rows of inference.subgroups, NaN where there is no interval. In equally large units the interval of a
        rate is that of inference.md 1, row 1; elsewhere the variance is that of a ratio of two sums.

    Source: inference.md section 1 and 2.4; the variance: Cochran 1977, Sampling Techniques, 9A.
    """
    own = _side(sums, "u", "n_responses", "n_deviating", "n_root_prompts")
    other = _side(sums, "o", "n_responses_other", "n_deviating_other", "n_root_prompts_other")
    n_units = sums.n_root_prompts.to_numpy(dtype=float)
    n_fewest = np.minimum(n_units, sums.n_root_prompts_other.to_numpy(dtype=float))
    is_mixed = sums.slice_id.isin(mixed_slices).to_numpy()
    is_told = (n_units >= MIN_UNITS) & ~is_mixed
    rate = _given(interval.wilson(own.rate, own.inverse_n, interval.t_quantile(n_units, alpha)), is_told)
    pair = RatePair(own.rate, own.inverse_n, other.rate, other.inverse_n, _correlation(sums, own, other))
    has_odds = ~(interval.degenerate(own.rate) | interval.degenerate(other.rate))
    disparity = _given(
        interval.mover_logit(pair, interval.t_quantile(n_fewest, alpha)),
        has_odds & (n_fewest >= MIN_UNITS) & ~is_mixed,
    )
    return sums[list(KEYS)].assign(
        ci_low=rate.low,
        ci_high=rate.high,
        log_disparity_ci_low=disparity.low,
        log_disparity_ci_high=disparity.high,
        inference_reason=first_of(
            [n_units == 0, is_mixed, n_fewest < MIN_UNITS, ~has_odds],
            [
                InferenceReason.NO_VALUES,
                InferenceReason.MIXED_UNITS,
                InferenceReason.TOO_FEW_ROOT_PROMPTS,
                InferenceReason.UNBOUNDED,
            ],
        ),
    )


def _side(sums: pd.DataFrame, side: str, n_name: str, k_name: str, units_name: str) -> Side:
    n, k, n_units = (sums[name].to_numpy(dtype=float) for name in (n_name, k_name, units_name))
    rate = np.divide(k, n, out=np.full_like(n, np.nan), where=n > 0)
    nn, nk, kk = (sums[f"sum_{name}_{side}"].to_numpy(dtype=float) for name in ("nn", "nk", "kk"))
    squares = kk - rate * (2 * nk - rate * nn)
    squares = np.where(squares > TIE * kk, squares, 0)
    # units that all have one rate tell of no spread: then responses count, or the interval would vanish
    spread = np.where(squares > 0, squares, n * rate * (1 - rate))
    variance = spread * n_units / np.maximum(n_units - 1, 1) / np.maximum(n, 1) ** 2
    inverse_n = interval.inverse_effective_n(rate, variance, 1 / np.maximum(n_units, 1))
    return Side(rate, squares, inverse_n)


def _correlation(sums: pd.DataFrame, own: Side, other: Side) -> Floats:
    """Correlation of both rates, from the units that hold both sides; 0 where one is constant."""
    nn, nk, kn, kk = (sums[f"sum_{name}_uo"].to_numpy(dtype=float) for name in ("nn", "nk", "kn", "kk"))
    together = kk - other.rate * kn - own.rate * nk + own.rate * other.rate * nn
    product = own.squares * other.squares
    found = np.divide(together, np.sqrt(product), out=np.zeros_like(product), where=product > 0)
    # a correlation of 1 rests on one or two units with all events; it would make the interval vanish
    return np.where(found > 1 - TIE, 0, np.clip(found, -1, 1))


def _given(limits: Interval, is_told: np.ndarray) -> Interval:
    return Interval(*(np.where(is_told & np.isfinite(side), side, np.nan) for side in limits))
