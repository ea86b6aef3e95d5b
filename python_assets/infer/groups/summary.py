"""The mean, and the interval of every statistic, of one group, over root prompts or declared units.

Belongs here: the rows of inference.summary_statistics. The intervals are those of infer/formulas and bootstrap.py.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from python_assets.infer.design.cells import Cells, Labelled, StatisticSpec, Values, are_equal_in_groups
from python_assets.infer.design.custom_functions import CustomFunction
from python_assets.infer.design.design import MIN_UNITS, Design, Unit, presence_patterns, scopes
from python_assets.infer.draws.exchange import Floats, Ints, stable_seed
from python_assets.infer.formulas import interval, skewed
from python_assets.infer.formulas.skewed import Mean
from python_assets.infer.formulas.two_way import MIN_PROMPTS, MIN_UNITS_OF_MEAN, complete_part, mean_error
from python_assets.infer.groups.rows import column_keys
from python_assets.infer.options import Options
from python_assets.infer.result import Bools, InferenceReason, Objects, first_of
from python_assets.infer.schemes.differences import over_units, unit_means
from python_assets.infer.schemes.units import unit_scopes
from python_assets.infer.statistics.bootstrap import bootstrap_intervals
from python_assets.infer.tables import Table


class GroupMeans(NamedTuple):
    """Means of groups with their errors, arrays of shape (columns, groups); the last four of shape (groups,).

    Attributes:
        is_rarely_apart: whether a group differs from its own most frequent value in few root prompts.
        n: root prompts, or the declared units in their place.
        n_root_prompts: n, but of units that are wordings the root prompts that stand in them.
        is_crossed: whether units of the group share prompts, so that the error is of both.
        scope: what an interval speaks about.
        reason: why there is no interval; None where there is one.
    """

    value: Floats
    std_error: Floats
    df: Floats
    skewness: Floats
    is_rarely_apart: Bools
    n: Ints
    n_root_prompts: Ints
    is_crossed: Bools
    scope: Objects
    reason: Objects


def summary_rows(cells: Cells, alpha: float) -> Iterator[Table]:
    """Yield each group's mean or rate, over root prompts or the units in their place, with its interval.

    Args:
        cells: the cells.
        alpha: intervals are 1 - alpha.

    Source: inference.md section 1, row 1; 2.11 where units are declared.
    """
    for present, columns in presence_patterns(cells.x):
        means = _group_means(cells, present, columns)
        is_mean = (cells.roles[columns] == "continuous")[:, None]
        limits, value, std_error = _limits(means, is_mean, alpha), means.value.copy(), means.std_error.copy()
        # units that all answer alike tell nothing of the rate of others
        is_one_value = ~is_mean & means.is_crossed & interval.degenerate(value)
        is_one_value |= is_mean & are_equal_in_groups(cells.x[:, columns], cells.frame.group, cells.frame.n_groups).T
        reason = first_of(
            [pd.notna(means.reason), is_one_value, is_mean & means.is_rarely_apart],
            [means.reason, InferenceReason.NO_VARIATION, InferenceReason.APPROXIMATE],
        )
        for column, labelled in enumerate(cells.labelled(columns)):
            if labelled is not None:
                std_error[column] = np.sqrt(means.std_error[column] ** 2 + labelled.unseen(means.n))
                limits.low[column], limits.high[column] = _labelled_limits(
                    value[column], std_error[column], means.n, labelled, alpha
                )
                reason[column] = _labelled_reasons(means, labelled)
                value[column] = value[column] if labelled.is_told else np.nan
        has_interval = pd.isna(reason) | (reason == InferenceReason.APPROXIMATE)
        given = np.where(has_interval, 1.0, np.nan)
        yield {
            **_keys(cells, columns),
            "value": value.ravel(),
            "std_error": (std_error * given).ravel(),
            "ci_low": (limits.low * given).ravel(),
            "ci_high": (limits.high * given).ravel(),
            "skewness": (np.where(is_mean, means.skewness, np.nan) * given).ravel(),
            "n_root_prompts": np.tile(means.n_root_prompts, len(columns)),
            "scope": first_of([has_interval], [means.scope]).ravel(),
            "inference_reason": reason.ravel(),
        }


def _keys(cells: Cells, columns: Ints) -> Table:
    groups = np.tile(np.array(cells.group_ids, dtype=object), len(columns))
    return {**column_keys(cells, columns, cells.frame.n_groups), "group_id": groups}


def _group_means(cells: Cells, present: Bools, columns: Ints) -> GroupMeans:
    """Means over root prompts or declared units; where units share prompts, with the error of both."""
    design = Design(cells.frame, np.flatnonzero(present), Unit.ROOT_PROMPT)
    is_present = design.n_blocks_of_group_and_unit > 0
    by_unit = unit_means(design, cells.x[np.ix_(design.cell, columns)])
    value, sd = over_units(by_unit, is_present)
    n = design.units_of_group
    is_refused = np.full(n.shape, cells.refusal is not None)
    means = GroupMeans(
        value=value,
        std_error=sd / np.sqrt(np.maximum(n, 1)),
        df=n - 1.0 + 0 * value,
        skewness=skewed.skewness(by_unit, is_present[:, :, None], 1).T,
        is_rarely_apart=_is_rarely_apart(by_unit, is_present),
        n=n,
        n_root_prompts=design.roots_of_group if cells.frame.is_of_wordings else n,
        is_crossed=np.zeros(n.shape, dtype=bool),
        scope=design.scopes(n),
        reason=first_of(
            [n == 0, is_refused, n < MIN_UNITS],
            [InferenceReason.NO_VALUES, cells.refusal, InferenceReason.TOO_FEW_ROOT_PROMPTS],
        ),
    )
    if cells.stratum_of_cell is not None and not cells.frame.has_own_prompts and cells.refusal is None:
        for group in design.groups:
            _cross(means, cells, int(group), design.cell[design.group == group], columns)
    return means


def _cross(means: GroupMeans, cells: Cells, group: int, cell: Ints, columns: Ints) -> None:
    """Replace the error by that of units and prompts both, where units of a group share prompts.

    Args:
        means: whose arrays are written into.
        cells: of a nested grouping.
        group: its position.
        cell: its cells with a value, one a unit and prompt.
        columns: of the means.

    Source: inference.md 2.11.
    """
    unit = np.unique(cells.frame.root_of_block[cells.frame.block[cell]], return_inverse=True)[1]
    prompt = np.unique(cells.root_prompt_of_cell[cell], return_inverse=True)[1]
    table = np.full((unit.max() + 1, prompt.max() + 1), -1)
    table[unit, prompt] = cell
    has_own_prompts = len(table) > 1 and (table >= 0).sum(axis=0).max() == 1
    scope = unit_scopes(np.array([len(table)]), table.shape[1], has_own_prompts=has_own_prompts)
    means.scope[group] = scope[0]
    if has_own_prompts:
        return
    means.is_crossed[group], means.skewness[:, group] = True, np.nan
    whole_units, whole_prompts = complete_part(table >= 0)
    whole = table[whole_units][:, whole_prompts]
    fewest_prompts = min(table.shape[1], MIN_PROMPTS) if len(whole) == len(table) else MIN_PROMPTS
    if len(table) < MIN_UNITS_OF_MEAN:
        means.reason[group] = InferenceReason.TOO_FEW_UNITS
    elif len(whole) < MIN_UNITS_OF_MEAN or whole.shape[1] < fewest_prompts:
        means.reason[group] = InferenceReason.IRREGULAR_UNITS
    else:
        error = mean_error(cells.x[whole[:, :, None], columns])
        means.reason[group], means.std_error[:, group], means.df[:, group] = None, *error


def _limits(means: GroupMeans, is_mean: Bools, alpha: float) -> interval.Interval:
    """Cluster t and Hall for means, Wilson at the cluster n_eff for rates."""
    inside = np.clip(means.value, 0, 1)
    inverse_n = interval.inverse_effective_n(inside, means.std_error**2, 1 / np.maximum(means.n, 1))
    both = (
        skewed.limits(Mean(means.value, means.std_error, means.df, np.where(is_mean, means.skewness, np.nan)), alpha),
        interval.wilson(inside, inverse_n, interval.t_quantile(means.df + 1, alpha)),
    )
    return interval.Interval(*(np.where(is_mean, *sides) for sides in zip(*both, strict=True)))


def _is_rarely_apart(by_unit: Floats, is_present: Bools) -> Bools:
    """Whether a group differs from its own most frequent value in few root prompts, shape (columns, groups)."""
    n_groups, n_units, n_columns = by_unit.shape
    values = np.where(is_present[:, :, None], by_unit, np.nan).swapaxes(0, 1).reshape(n_units, -1)
    return skewed.is_rarely_apart(values).reshape(n_groups, n_columns).T


def _labelled_limits(value: Floats, std_error: Floats, n: Ints, labelled: Labelled, alpha: float) -> interval.Interval:
    """T with degrees of freedom of the labelled root prompts (inference.md 9.2)."""
    n_of_t = np.full(n.shape, labelled.n_root_prompts) if labelled.n_root_prompts else n
    return interval.around(value, std_error, interval.t_quantile(n_of_t.astype(float), alpha))


def _labelled_reasons(means: GroupMeans, labelled: Labelled) -> Objects:
    """Why a column that people's labels make has no interval: none is known where units share prompts."""
    why_not = labelled.why_no_interval
    return first_of(
        [means.n == 0, np.full(means.n.shape, why_not is not None), means.is_crossed, means.n > 0],
        [means.reason, why_not, InferenceReason.INTERVAL_NOT_VALIDATED, means.reason],
    )


def function_rows(cells: Cells, values: Values, function: CustomFunction) -> Table:
    """The value of a function of the study's own in each group, or why there is none; no row without any value.

    Args:
        cells: those that it has values in, cells.of_statistic.
        values: the rows.
        function: from the values of a group to their statistic.
    """
    n_groups, n_columns = cells.frame.n_groups, len(cells.columns)
    sample = values.sample(np.arange(n_columns), cells.frame.group, n_groups)
    group, column = sample.cell_and_column
    pair = column * n_groups + group
    n = np.bincount(pair, minlength=n_columns * n_groups)
    rows = np.split(sample.x[np.argsort(pair, kind="stable")], np.cumsum(n)[:-1])
    is_there = n > 0
    statistics = [function.value(one) for one in rows if len(one)]
    keys = _keys(cells, np.arange(n_columns))
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
        return {
            **_keys(cells, columns),
            **dict.fromkeys(("value", "std_error", "ci_low", "ci_high", "skewness"), nothing),
            "n_root_prompts": np.zeros(len(nothing), dtype=np.intp),
            "scope": np.full(len(nothing), None, dtype=object),
            "inference_reason": np.full(len(nothing), cells.refusal, dtype=object),
        }
    intervals = bootstrap_intervals(
        cells.frame,
        values,
        spec,
        alpha=options.alpha,
        n_bootstrap=options.n_bootstrap,
        seed=stable_seed(options.seed, cells.slice_id, cells.grouping_id, "bootstrap"),
    )
    has_own, n_root_prompts = cells.frame.has_own_prompts, intervals.n_root_prompts
    scope = scopes(n_root_prompts, Unit.ROOT_PROMPT, has_own_prompts=has_own, is_of_wordings=cells.frame.is_of_wordings)
    if cells.frame.root_prompt_of_block is not None:
        n_root_prompts = _n_root_prompts(cells, values, cells.frame.root_prompt_of_block)
    nothing = np.full(intervals.reason.size, np.nan)
    return {
        **_keys(cells, columns),
        **dict.fromkeys(("value", "std_error", "skewness"), nothing),
        "ci_low": intervals.ci_low.ravel(),
        "ci_high": intervals.ci_high.ravel(),
        "n_root_prompts": n_root_prompts.ravel(),
        "scope": first_of([~np.isnan(intervals.ci_low)], [scope]).ravel(),
        "inference_reason": intervals.reason.ravel(),
    }


def _n_root_prompts(cells: Cells, values: Values, block_roots: Ints) -> Ints:
    """Root prompts with a value, shape (columns, groups); block_roots: the root prompt of each block."""
    frame = cells.frame
    places = np.stack([values.column, frame.group[values.cell], block_roots[frame.block[values.cell]]])
    column, group, _ = np.unique(places[:, ~np.isnan(values.x)], axis=1)
    counts = np.zeros((len(cells.columns), frame.n_groups), dtype=np.intp)
    np.add.at(counts, (column, group), 1)
    return counts
