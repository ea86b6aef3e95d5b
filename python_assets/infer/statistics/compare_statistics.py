"""Tests of statistics that are no mean of cells: shuffled like means, and computed anew for every draw.

Belongs here: the indices over the groups of such a statistic, and each group minus the mean of the others.
The statistics are in statistics.py, quantiles.py and row_statistics.py, their intervals in bootstrap.py.
"""

from typing import Final

import numpy as np
from scipy import sparse

from python_assets.infer.contrasts.compare import Compared, Tried, in_stages
from python_assets.infer.contrasts.contrast import Extremes
from python_assets.infer.contrasts.index import INDICES, index_tests, spread_of
from python_assets.infer.design.cells import OF_QUANTILES, StatisticSpec, Values
from python_assets.infer.design.design import Design
from python_assets.infer.draws.exchange import Draws, Floats, Ints, each_batch, given_draws
from python_assets.infer.result import InferenceReason, Result, first_of
from python_assets.infer.schemes.block_contrast import BlockContrast
from python_assets.infer.schemes.choose import Blocks
from python_assets.infer.schemes.differences import Counts
from python_assets.infer.statistics.quantiles import GroupQuantiles
from python_assets.infer.statistics.row_statistics import GroupRows, row_statistic
from python_assets.infer.statistics.statistics import GroupSums, additive_statistic

_METHOD: Final = "permuted statistic, tests equal distributions"
LAST_BITS: Final = 1e-6  # of the statistic: a tie (exchange.TIE) is then wider than what rounding makes of it

Regrouped = GroupQuantiles | GroupRows | GroupSums
"""A statistic under every arrangement, in units of the standard deviation of its column."""


def is_shuffled(spec: StatisticSpec) -> bool:
    """Whether the statistic is computed for shuffled rows: Kendall's tau would take pairs of them."""
    return spec.method != "kendall"


def method_of(spec: StatisticSpec) -> str:
    """How a statistic is tested, in words: of a function of the study's own with the hash of its file."""
    return _METHOD if spec.function is None else f"{_METHOD} ({spec.function.version})"


def compare_statistic(scheme: Blocks, values: Values, columns: Ints, spec: StatisticSpec) -> Compared:
    """Indices of a statistic over the groups, and each group minus the mean of the others.

    Against their pooled rows, a shift of one group would look like a difference of all others.

    Args:
        scheme: cells and draws; its cells are those where the columns have rows.
        values: the rows.
        columns: of values, ascending.
        spec: the statistic.

    Returns:
        Contrast <statistic>_difference with the two-sided p of its size, and every index of indices.INDICES
        and DESCRIPTIVE. The question's p is that of the standard deviation over groups. Nothing has an
        interval. Where the statistic is undefined in a group, so are the indices; draws that make it so
        count as extreme.

    Source: inference.md section 1, row 8, 2.1 and 6.3; metrics.md 6.3.
    """

    def part(chosen: Ints, draws: Draws) -> Tried:
        statistic, unit = _regrouped(scheme.design, values, columns[chosen], spec)
        compared = _compare(scheme, draws, statistic, unit, f"{spec.statistic}_difference", method_of(spec))
        p_hypothesis = compared.indices["standard_deviation"].p_value
        return Tried(p_hypothesis, lambda at: compared.taken(at, len(chosen)))

    return in_stages(scheme, len(columns), 2 * scheme.n_groups + len(INDICES), part)


def _regrouped(design: Design, values: Values, columns: Ints, spec: StatisticSpec) -> tuple[Regrouped, Floats]:
    """A statistic of the rows of the cells, and what 1 of it is in the unit of the measure."""
    position = np.full(values.n_cells, -1)
    position[design.cell] = np.arange(len(design.cell))
    sample = values.sample(columns, position, len(design.cell))
    if spec.statistic in OF_QUANTILES:
        return GroupQuantiles(design, sample, spec.levels), sample.unit
    if sums_statistic := additive_statistic(spec):
        return GroupSums(design, sample, sums_statistic), sample.unit**sums_statistic.power
    rows_statistic = row_statistic(spec)
    if rows_statistic is None:
        raise ValueError(f"{spec.statistic} {spec.parameters} cannot be shuffled")
    if rows_statistic.power is None:
        unit = _own_unit(_seen(design, GroupRows(design, sample, rows_statistic, np.ones(len(columns)))))
    else:
        unit = sample.unit**rows_statistic.power
    return GroupRows(design, sample, rows_statistic, unit), unit


def _seen(design: Design, statistic: Regrouped) -> Floats:
    """The statistic of each group as observed, shape (groups, columns)."""
    as_observed = each_batch(design.group_slots, given_draws(np.arange(len(design.cell))[None]), lambda w, _: w)
    return np.concatenate([values[0] for _, values in statistic.own(as_observed[0])], axis=1)


def _own_unit(seen: Floats) -> Floats:
    """What a statistic of unknown unit is counted in, so that ties are told alike whatever its size: its spread.

    Never so small beside the statistic itself that its last bits would tell draws apart; 1 where all is 0.
    """
    known = np.ma.masked_invalid(seen)
    largest = np.abs(known).max(axis=0).filled(0.0)
    unit = np.maximum(known.std(axis=0).filled(0.0), LAST_BITS * largest)
    return np.where(unit > 0, unit, 1.0)


def _compare(scheme: Blocks, draws: Draws, statistic: Regrouped, unit: Floats, name: str, method: str) -> Compared:
    design = scheme.design
    seen = _seen(design, statistic)
    value = _minus_others(seen[None])[0]
    contrast, is_defined = BlockContrast(design), ~np.isnan(value)
    extremes = Extremes(np.where(is_defined, np.abs(value), 0), contrast.rows.in_hypothesis, draws)
    null = np.empty((len(unit), len(seen), draws.n))

    def work(w: sparse.csr_array, batch: slice) -> Counts:
        counts = np.zeros((2, *value.shape), dtype=np.int64)
        for chunk, values in statistic.own(w):
            null[chunk, :, batch] = values.transpose(2, 1, 0)
            sizes = np.abs(_minus_others(values))
            sizes[np.isnan(sizes)] = np.inf
            counts[:, :, chunk] = extremes.count(sizes, chunk, batch)
        return counts

    tested = extremes.tested(np.sum(each_batch(design.group_slots, draws, work), axis=0))
    indices = _indices(scheme, draws, seen[design.groups], null[:, design.groups])
    p_hypothesis = indices["standard_deviation"].p_value[:, None]
    # floors are of the size itself, not of a t
    rows = Result.of(
        value.T.shape,
        value=value.T * unit[:, None],
        null_median=tested.median * unit[:, None],
        null_q95=tested.q95 * unit[:, None],
        studentised=value.T,
        p_value=tested.p_value,
        p_maxt=tested.p_maxt,
        p_hypothesis=p_hypothesis,
        n_root_prompts=contrast.rows.n_root_prompts,
        n_units=contrast.rows.n_units,
        is_permuted=True,
        method=f"{method}{design.method}",
        scope=contrast.rows.scope,
        reason=InferenceReason.INTERVAL_NOT_VALIDATED,
    )
    refusals = first_of(
        [~contrast.rows.is_compared, ~contrast.rows.is_tested, ~contrast.rows.in_hypothesis],
        [InferenceReason.NO_SHARED_BLOCK, contrast.rows.too_few, contrast.rows.outside],
    )
    why = np.where(refusals.astype(bool), refusals, InferenceReason.UNDEFINED_STATISTIC)
    is_told = is_defined.T & ~np.isnan(p_hypothesis) & contrast.rows.in_hypothesis
    rows = rows.refused(~is_told, why, set(Result._fields) - {"value", "p_hypothesis", "n_root_prompts", "n_units"})
    return Compared(
        {name: rows}, {key: _in_unit(test, unit) if key in _IN_UNITS else test for key, test in indices.items()}
    )


_IN_UNITS = ("range", "standard_deviation", "max", "min", "mean")


def _minus_others(values: Floats) -> Floats:
    """Each group minus the mean of the others, shape (draws, groups, columns); NaN without one of them."""
    is_known = ~np.isnan(values)
    total = np.where(is_known, values, 0).sum(axis=1, keepdims=True)
    n_others = is_known.sum(axis=1, keepdims=True) - 1
    others: Floats = np.divide(total - values, n_others, out=np.full_like(values, np.nan), where=n_others > 0)
    return values - others


def _indices(scheme: Blocks, draws: Draws, seen: Floats, null: Floats) -> dict[str, Result]:
    """Indices of the groups' statistics, shape (groups, columns), and of those of every draw."""
    missing = scheme.means.missing
    if missing is not None:
        return dict.fromkeys(INDICES, Result.of((seen.shape[1],), reason=missing))
    is_undefined = np.asarray(np.isnan(seen).any(axis=0))
    level = np.where(is_undefined, 0, seen.mean(axis=0))
    one = np.ones_like(level)
    observed = spread_of(np.where(is_undefined, 0, seen - level), level, one, 0)
    mean = null.mean(axis=1)
    permuted = spread_of(null - mean[:, None], mean, one[:, None], 1)
    tests = index_tests(INDICES, observed, permuted, draws, no_interval=InferenceReason.INTERVAL_NOT_VALIDATED)
    undefined = InferenceReason.UNDEFINED_STATISTIC
    return {name: test.refused(is_undefined, undefined) for name, test in tests.items()}


def _in_unit(test: Result, unit: Floats) -> Result:
    return test._replace(value=test.value * unit, null_median=test.null_median * unit, null_q95=test.null_q95 * unit)
