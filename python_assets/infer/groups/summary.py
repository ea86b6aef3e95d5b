"""The interval of every statistic of one group, over root prompts.

Belongs here: the rows of inference.summary_statistics. The intervals are interval.py's and bootstrap.py's.
"""

from collections.abc import Iterator

import numpy as np

from python_assets.infer.design.cells import Cells, Labelled, StatisticSpec, Values, are_equal
from python_assets.infer.design.custom_functions import CustomFunction
from python_assets.infer.design.design import MIN_UNITS, Design, Unit, presence_patterns
from python_assets.infer.draws.exchange import Floats, Ints, stable_seed
from python_assets.infer.formulas import interval, skewed
from python_assets.infer.formulas.skewed import Mean
from python_assets.infer.groups.rows import column_keys
from python_assets.infer.options import Options
from python_assets.infer.result import Bools, InferenceReason, first_of
from python_assets.infer.schemes.differences import over_units, unit_means
from python_assets.infer.statistics.bootstrap import bootstrap_intervals
from python_assets.infer.tables import Table


def summary_rows(cells: Cells, alpha: float) -> Iterator[Table]:
    """Yield the interval of each group's mean or rate.

    Args:
        cells: the cells.
        alpha: intervals are 1 - alpha.

    Source: inference.md section 1, row 1.
    """
    for present, columns in presence_patterns(cells.x):
        design = Design(cells.frame, np.flatnonzero(present), Unit.ROOT_PROMPT)
        is_present = design.n_blocks_of_group_and_unit > 0
        by_unit = unit_means(design, cells.x[np.ix_(design.cell, columns)])
        mean, sd = over_units(by_unit, is_present)
        n = design.units_of_group
        is_mean = (cells.roles[columns] == "continuous")[:, None]
        skewness = np.where(is_mean, skewed.skewness(by_unit, is_present[:, :, None], 1).T, np.nan)
        limits = _mean_limits(Mean(mean, sd / np.sqrt(np.maximum(n, 1)), n - 1.0 + 0 * mean, skewness), is_mean, alpha)
        labelled_columns = [(column, one) for column, one in enumerate(cells.labelled(columns)) if one is not None]
        for column, labelled in labelled_columns:
            labelled_limits = _labelled_limits(mean[column], sd[column], n, labelled, alpha)
            limits.low[column], limits.high[column] = labelled_limits
        is_refused = np.full(n.shape, cells.refusal is not None)
        reason = first_of(
            [n == 0, is_refused, n < MIN_UNITS],
            [InferenceReason.NO_VALUES, cells.refusal, InferenceReason.TOO_FEW_ROOT_PROMPTS],
        )
        given = np.where((n >= MIN_UNITS) & ~is_refused, 1.0, np.nan)
        n_columns = len(columns)
        value = np.full((n_columns, len(n)), np.nan)
        is_given, is_equal = is_mean & ~np.isnan(given), are_equal(cells.x[:, columns])[:, None]
        given = np.where(is_given & is_equal, np.nan, given)
        reasons = first_of(
            [is_given & is_equal, is_given & _is_rarely_apart(by_unit, is_present), np.ones_like(is_given)],
            [InferenceReason.NO_VARIATION, InferenceReason.APPROXIMATE, reason],
        )
        for column, labelled in labelled_columns:
            value[column] = mean[column] if labelled.is_told else np.nan
            why_not = labelled.why_no_interval
            reasons[column] = first_of([n == 0, np.full(n.shape, why_not is not None)], [reason, why_not])
        why = {"value": value.ravel(), "n_root_prompts": np.tile(n, n_columns), "inference_reason": reasons.ravel()}
        yield _rows(cells, columns, limits.low * given, limits.high * given, skewness * given) | why


def _rows(cells: Cells, columns: Ints, low: Floats, high: Floats, skewness: Floats | float = np.nan) -> Table:
    return {
        **column_keys(cells, columns, cells.frame.n_groups),
        "group_id": np.tile(np.array(cells.group_ids, dtype=object), len(columns)),
        "ci_low": low.ravel(),
        "ci_high": high.ravel(),
        "skewness": np.full(low.shape, skewness).ravel(),
    }


def _mean_limits(mean: Mean, is_mean: Bools, alpha: float) -> interval.Interval:
    """Cluster t and Hall for means, Wilson at the cluster n_eff for rates."""
    n = mean.df + 1
    inside = np.clip(mean.value, 0, 1)
    inverse_n = interval.inverse_effective_n(inside, mean.std_error**2, 1 / np.maximum(n, 1))
    both = skewed.limits(mean, alpha), interval.wilson(inside, inverse_n, interval.t_quantile(n, alpha))
    return interval.Interval(*(np.where(is_mean, *sides) for sides in zip(*both, strict=True)))


def _is_rarely_apart(by_unit: Floats, is_present: Bools) -> Bools:
    """Whether a group differs from its own most frequent value in few root prompts, shape (columns, groups)."""
    n_groups, n_units, n_columns = by_unit.shape
    values = np.where(is_present[:, :, None], by_unit, np.nan).swapaxes(0, 1).reshape(n_units, -1)
    return skewed.is_rarely_apart(values).reshape(n_groups, n_columns).T


def _labelled_limits(mean: Floats, sd: Floats, n: Ints, labelled: Labelled, alpha: float) -> interval.Interval:
    """T with degrees of freedom of the labelled root prompts; NaN where they are too few (inference.md 9.2)."""
    n_of_t = np.full(n.shape, labelled.n_root_prompts) if labelled.n_root_prompts else n
    error = np.sqrt(sd**2 / np.maximum(n, 1) + labelled.unseen(n))
    limits = interval.around(mean, error, interval.t_quantile(n_of_t.astype(float), alpha))
    is_none = labelled.why_no_interval is not None
    return interval.Interval(*(np.where(is_none, np.nan, side) for side in limits))


def function_rows(cells: Cells, values: Values, function: CustomFunction) -> Table:
    """The value of a function of the study's own in each group, or why there is none; no row without any value.

    Args:
        cells: those that it has values in, cells.of_statistic.
        values: the rows.
        function: from the values of a group to their statistic.
    """
    n_groups, n_columns = cells.frame.n_groups, len(cells.columns)
    sample = values.sample(np.arange(n_columns), cells.frame.group, n_groups)
    pair = sample.column * n_groups + sample.place // n_columns
    n = np.bincount(pair, minlength=n_columns * n_groups)
    rows = np.split(sample.x[np.argsort(pair, kind="stable")], np.cumsum(n)[:-1])
    is_there = n > 0
    statistics = [function.value(one) for one in rows if len(one)]
    keys = column_keys(cells, np.arange(n_columns), n_groups)
    keys["group_id"] = np.tile(np.array(cells.group_ids, dtype=object), n_columns)
    return {
        **{name: column[is_there] for name, column in keys.items()},
        "value": np.array([one.value for one in statistics]),
        "reason": np.array([one.reason for one in statistics], dtype=object),
    }


def bootstrap_rows(cells: Cells, values: Values, spec: StatisticSpec, options: Options) -> Table:
    """The interval of each group's statistic that is no mean.

    Args:
        cells: those that the statistic has values in, cells.of_statistic.
        values: the rows.
        spec: the statistic.
        options: what every statistic is computed with.

    Source: metrics.md 6.2.
    """
    columns = np.arange(len(cells.columns))
    if cells.refusal is not None:
        nothing = np.full(len(columns) * cells.frame.n_groups, np.nan)
        reason = np.full(len(nothing), cells.refusal, dtype=object)
        why: Table = {
            "value": nothing,
            "n_root_prompts": np.zeros(len(nothing), dtype=np.intp),
            "inference_reason": reason,
        }
        return _rows(cells, columns, nothing, nothing) | why
    intervals = bootstrap_intervals(
        cells.frame,
        values,
        spec,
        alpha=options.alpha,
        n_bootstrap=options.n_bootstrap,
        seed=stable_seed(options.seed, cells.slice_id, cells.grouping_id, "bootstrap"),
    )
    why = {
        "value": np.full(intervals.reason.size, np.nan),
        "n_root_prompts": intervals.n_root_prompts.ravel(),
        "inference_reason": intervals.reason.ravel(),
    }
    return _rows(cells, columns, intervals.ci_low, intervals.ci_high) | why
