"""Intervals of subgroup rates and log disparities, every response counting alike, clustered by unit.

Belongs here: what a cluster variance of two pooled rates gives, from sums over units that SQL made
(int_subgroup_sums), and the tables of this room. Rates themselves are SQL's; generations are compared in changes.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.infer.design.design import MIN_UNITS
from python_assets.infer.draws.exchange import TIE, Floats
from python_assets.infer.formulas import interval
from python_assets.infer.formulas.interval import RatePair
from python_assets.infer.result import InferenceReason, first_of
from python_assets.infer.subgroups import variance
from python_assets.infer.tables import Columns, write_tables

SUBGROUP_KEYS: Final = ("study_id", "slice_id", "system_id", "measure_id", "grouping_id", "group_id")
_TABLES: Final[Columns] = {
    "subgroups": {
        **dict.fromkeys(SUBGROUP_KEYS, "varchar not null"),
        **dict.fromkeys(("ci_low", "ci_high", "log_disparity_ci_low", "log_disparity_ci_high"), "double"),
        "inference_reason": "varchar",
    },
    "variance_components": variance.VARIANCE_COLUMNS,
}
_MIXED_SLICES: Final = """
    select slice_id
    from intermediate.int_prompt_slices
    join raw.prompts using (study_id, prompt_id)
    where prompts.negative_control is null
    group by slice_id
    having count(distinct coalesce(unit_factor, '')) > 1
"""


class SubgroupCounts(NamedTuple):
    """Rows written, and how many subgroups have an interval."""

    n_subgroups: int
    n_intervals: int
    n_variance_components: int


class PooledSide(NamedTuple):
    """The pooled rate of one side of a comparison.

    rate: NaN without responses. squares: sum over units of (k - rate n)^2. inverse_n: 1 / effective number
    of responses.
    """

    rate: Floats
    squares: Floats
    inverse_n: Floats


def infer_subgroups(connection: duckdb.DuckDBPyConnection, alpha: float) -> SubgroupCounts:
    """Write inference.subgroups from the sums of subgroups, and inference.variance_components.

    Args:
        connection: to the build file of one study, after SQL has made schema intermediate.
        alpha: intervals are 1 - alpha.

    Returns:
        How many rows came of it.
    """
    sums = connection.execute("from intermediate.int_subgroup_sums order by all").df()
    mixed = [slice_id for (slice_id,) in connection.execute(_MIXED_SLICES).fetchall()]
    intervals = subgroup_intervals(sums, alpha, mixed)
    study_id = connection.execute("select min(study_id) from raw.prompts").fetchone() or ("",)
    components = variance.variance_rows(connection).assign(study_id=study_id[0])
    write_tables(connection, _TABLES, {"subgroups": intervals, "variance_components": components})
    return SubgroupCounts(len(intervals), int(intervals.ci_low.notna().sum()), len(components))


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
    subgroup, other = _side(sums, "u", ""), _side(sums, "o", "_other")
    n_units = sums.n_root_prompts.to_numpy(dtype=float)
    n_fewest = np.minimum(n_units, sums.n_root_prompts_other.to_numpy(dtype=float))
    is_mixed = sums.slice_id.isin(mixed_slices).to_numpy()
    has_odds = ~(interval.degenerate(subgroup.rate) | interval.degenerate(other.rate))
    pair = RatePair(subgroup.rate, subgroup.inverse_n, other.rate, other.inverse_n, _correlation(sums, subgroup, other))
    limits = {
        "ci": interval.wilson(subgroup.rate, subgroup.inverse_n, interval.t_quantile(n_units, alpha)),
        "log_disparity_ci": interval.mover_logit(pair, interval.t_quantile(n_fewest, alpha)),
    }
    has_interval = {
        "ci": (n_units >= MIN_UNITS) & ~is_mixed,
        "log_disparity_ci": has_odds & (n_fewest >= MIN_UNITS) & ~is_mixed,
    }
    reasons = {
        InferenceReason.NO_VALUES: n_units == 0,
        InferenceReason.MIXED_UNITS: is_mixed,
        InferenceReason.TOO_FEW_ROOT_PROMPTS: n_fewest < MIN_UNITS,
        InferenceReason.UNBOUNDED: ~has_odds,
    }
    columns = {
        f"{name}_{end}": np.where(has_interval[name] & np.isfinite(limit), limit, np.nan)
        for name, ends in limits.items()
        for end, limit in ends._asdict().items()
    }
    return sums[list(SUBGROUP_KEYS)].assign(**columns, inference_reason=first_of([*reasons.values()], [*reasons]))


def _side(sums: pd.DataFrame, side: str, suffix: str) -> PooledSide:
    """One side: its letter in the names of products, and what ends the names of its counts."""
    n, k, n_units = (
        sums[name + suffix].to_numpy(dtype=float) for name in ("n_responses", "n_deviating", "n_root_prompts")
    )
    rate = np.divide(k, n, out=np.full_like(n, np.nan), where=n > 0)
    nn, nk, kk = (sums[f"sum_{name}_{side}"].to_numpy(dtype=float) for name in ("nn", "nk", "kk"))
    squares = kk - rate * (2 * nk - rate * nn)
    squares = np.where(squares > TIE * kk, squares, 0)
    # units that all have one rate tell of no spread: then responses count, or the interval would vanish
    spread = np.where(squares > 0, squares, n * rate * (1 - rate))
    mean_variance = spread * n_units / np.maximum(n_units - 1, 1) / np.maximum(n, 1) ** 2
    return PooledSide(rate, squares, interval.inverse_effective_n(rate, mean_variance, 1 / np.maximum(n_units, 1)))


def _correlation(sums: pd.DataFrame, own: PooledSide, other: PooledSide) -> Floats:
    """Correlation of both rates, from the units that hold both sides; 0 where one is constant."""
    nn, nk, kn, kk = (sums[f"sum_{name}_uo"].to_numpy(dtype=float) for name in ("nn", "nk", "kn", "kk"))
    together = kk - other.rate * kn - own.rate * nk + own.rate * other.rate * nn
    product = own.squares * other.squares
    correlation = np.divide(together, np.sqrt(product), out=np.zeros_like(product), where=product > 0)
    # a correlation of 1 rests on one or two units with all events; it would make the interval vanish
    return np.where(correlation > 1 - TIE, 0, np.clip(correlation, -1, 1))
