"""Tests of statistics that are no mean of cells: shuffled like means, and computed anew for every draw.

Belongs here: the indices over the groups of such a statistic, and each group minus the mean of the others.
The statistics are in statistics.py, quantiles.py and row_statistics.py, their intervals in bootstrap.py.
"""

from collections.abc import Iterator
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from python_assets.infer.asked import OF_QUANTILES, Asked
from python_assets.infer.cells import Values
from python_assets.infer.comparison import NULL_BYTES, Compared, Task, joined
from python_assets.infer.contrasts import Contrasts
from python_assets.infer.design import MIN_UNITS, Design, scopes
from python_assets.infer.indices import DESCRIPTIVE, INDICES, Index, IndexTest, Spread, spread_of
from python_assets.infer.multiplicity import StepDown
from python_assets.infer.permutation import (
    TIE,
    Draws,
    Floats,
    GivenDraws,
    Ints,
    each_batch,
    noise_floor,
    p_values,
    pieces,
)
from python_assets.infer.quantiles import GroupQuantiles
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.row_statistics import GroupRows, GroupTaus, row_statistic
from python_assets.infer.statistics import GroupSums, additive_statistic

NONLINEAR_PERMUTATIONS: Final = 1_999  # each draw is worth twenty of a mean
COLUMNS_AT_ONCE = 256
METHOD: Final = "permuted statistic, tests equal distributions"
_IN_UNITS = ("range", "standard_deviation", *DESCRIPTIVE)


class Regrouped(Protocol):
    """A statistic under every arrangement, in units of the standard deviation of its column."""

    def own(self, w: sparse.csr_array) -> Iterator[tuple[slice, Floats]]:
        """Yield it for columns by columns, shape (draws, groups, columns), NaN where undefined."""


def compare_statistic(
    task: Task, values: Values, columns: Ints, asked: Asked, *, with_contrast: bool
) -> Compared:
    """Indices of a statistic over the groups, and each group minus the mean of the others.

    Args:
        task: cells and draws; in blocks of two groups or more, these are the cells where the columns have
            rows. Its reference does not count: the others are what a group is compared with.
        values: the rows.
        columns: of values, ascending.
        asked: the statistic.
        with_contrast: whether to compare each group with the others too.

    Returns:
        Contrast <statistic>_difference where asked, with the two-sided p of its size, and every index of
        indices.INDICES and DESCRIPTIVE, none under 80 % of complete blocks. Nothing has an interval. Where
        the statistic is undefined in a group, its indices are NaN; draws that make it so count as extreme.

    Source: inference.md section 1, row 8; metrics.md 6.3.
    """
    n_null = task.draws.n * (task.design.frame.n_groups if with_contrast else len(INDICES))
    size = max(1, min(COLUMNS_AT_ONCE, NULL_BYTES // (8 * n_null)))
    done = [
        _compare(task, values, columns[part], asked, with_contrast) for part in pieces(len(columns), size)
    ]
    return Compared(
        {key: joined([one.contrasts[key] for one in done]) for key in done[0].contrasts},
        {key: joined([one.indices[key] for one in done]) for key in done[0].indices},
    )


def _compare(task: Task, values: Values, columns: Ints, asked: Asked, with_contrast: bool) -> Compared:
    contrasts, indices = {}, {}
    if task.blocks.is_enough:
        statistic, unit = _regrouped(task, values, columns, asked, task.blocks.weight > 0)
        indices = index_tests(task, statistic, unit)
    if with_contrast:
        everywhere = np.ones(len(task.design.cell), dtype=bool)
        statistic, unit = _regrouped(task, values, columns, asked, everywhere)
        contrasts = {f"{asked.statistic}_difference": differences(task, statistic, unit)}
    return Compared(contrasts, indices)


def _regrouped(
    task: Task, values: Values, columns: Ints, asked: Asked, is_used: NDArray[np.bool_]
) -> tuple[Regrouped, Floats]:
    """A statistic of the rows of some cells of the design, and what 1 of it is in the unit of the measure."""
    place = np.full(values.n_cells, -1)
    place[task.design.cell[is_used]] = np.flatnonzero(is_used)
    sample = values.sample(columns, place, len(is_used))
    if asked.statistic in OF_QUANTILES:
        return GroupQuantiles(task.design, sample, asked.levels), sample.unit
    if of_sums := additive_statistic(asked):
        return GroupSums(task.design, sample, of_sums), sample.unit**of_sums.power
    if of_rows := row_statistic(asked):
        return GroupRows(task.design, sample, of_rows), sample.unit**of_rows.power
    return GroupTaus(task.design, sample), np.ones_like(sample.unit)


def index_tests(task: Task, statistic: Regrouped, unit: Floats) -> dict[str, IndexTest]:
    """Indices of a statistic from the complete blocks.

    Args:
        task: cells and draws.
        statistic: of the rows of complete blocks.
        unit: what 1 of it is in the unit of the measure, shape (columns,).
    """
    groups = task.blocks.groups
    slots, n = task.design.group_slots, len(unit)
    null = [np.empty((n, task.draws.n)) for _ in range(6)]

    def work(w: sparse.csr_array, batch: slice) -> None:
        for part, values in statistic.own(w):
            spread = _spread(values[:, groups])
            for array, numbers in zip(null, spread, strict=False):
                array[part, batch] = numbers.T

    each_batch(slots, task.draws, work)
    seen = np.concatenate([values[0] for _, values in statistic.own(_as_observed(task.design))], axis=1)
    observed = Spread(*(numbers[0] for numbers in _spread(seen[None, groups])))
    level, high, low, sd, dixon_low, dixon_high = null
    permuted = Spread(
        level=level,
        high=high,
        low=low,
        sd=sd,
        dixon_low=dixon_low,
        dixon_high=dixon_high,
        scale=np.ones((n, 1)),
    )
    tests = {name: _tested(index, observed, permuted, task.draws) for name, index in INDICES.items()}
    reason = np.full(n, InferenceReason.DESCRIPTIVE, dtype=object)
    tests |= {name: _index_row([of(observed)], reason) for name, of in DESCRIPTIVE.items()}
    return {name: _in_unit(test, unit) if name in _IN_UNITS else test for name, test in tests.items()}


def _as_observed(design: Design) -> sparse.csr_array:
    """The matrix of the arrangement that was seen."""
    return each_batch(design.group_slots, GivenDraws(np.arange(len(design.cell))[None]), lambda w, _: w)[0]


def _spread(values: Floats) -> Spread:
    """Level and spread of the groups, shape (draws, columns); NaN where a group has none."""
    level = values.mean(axis=1)
    return spread_of(values - level[:, None], level, np.ones_like(level), 1)


def _tested(index: Index, observed: Spread, null: Spread, draws: Draws) -> IndexTest:
    value, permuted = index.of(observed), np.where(np.isnan(null.sd), np.inf, index.of(null))
    p = p_values((permuted >= (value - TIE)[:, None]).sum(axis=1), draws)
    numbers = [index.printed(number, observed) for number in (value, *noise_floor(permuted))]
    no_group, undefined = np.isnan(observed.sd), index.is_undefined(observed) | np.isnan(numbers[0])
    is_missing = no_group | undefined
    fields = [np.where(is_missing, np.nan, field) for field in (*numbers, p)]
    without_interval = index.reason or InferenceReason.INTERVAL_NOT_VALIDATED
    words = [InferenceReason.UNDEFINED_STATISTIC, index.reason_undefined, without_interval]
    return _index_row(fields, first_of([no_group, undefined, ~is_missing], words))


def _index_row(numbers: list[Floats], reason: NDArray[np.object_]) -> IndexTest:
    """The first fields, then NaN."""
    nothing = np.full(len(reason), np.nan)
    n_missing = len(IndexTest._fields) - 1 - len(numbers)
    return IndexTest._make([*numbers, *[nothing] * n_missing, reason])


def _in_unit(test: IndexTest, unit: Floats) -> IndexTest:
    return test._replace(
        value=test.value * unit, null_median=test.null_median * unit, null_q95=test.null_q95 * unit
    )


def differences(task: Task, statistic: Regrouped, unit: Floats) -> Contrasts:
    """The statistic of each group minus the mean of that of the other groups that have one.

    Against their pooled rows, a shift of one group would look like a difference of all others.

    Args:
        task: cells and draws.
        statistic: of the rows of all cells.
        unit: what 1 of it is in the unit of the measure, shape (columns,).

    Source: inference.md 2.1.
    """
    design, draws = task.design, task.draws
    parts = statistic.own(_as_observed(design))
    value = np.concatenate([_minus_others(values)[0] for _, values in parts], axis=1)
    is_tested = (design.units_of_group >= MIN_UNITS)[:, None] & ~np.isnan(value)
    size = np.where(is_tested, np.abs(value), np.nan)
    null = np.empty((len(unit), len(value), draws.n))

    def work(w: sparse.csr_array, batch: slice) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        alone, together = np.zeros((2, *value.shape), dtype=np.int64)
        for part, values in statistic.own(w):
            permuted = np.abs(_minus_others(values))
            permuted[np.isnan(permuted)] = np.inf
            alone[:, part] = (permuted >= size[:, part] - TIE).sum(axis=0)
            together[:, part] = StepDown(size[:, part]).count(permuted)
            null[part, :, batch] = permuted.transpose(2, 1, 0)
        return alone, together

    alone, together = np.sum(each_batch(design.group_slots, draws, work), axis=0)
    p = np.where(is_tested, p_values(alone, draws), np.nan)
    median, q95 = (np.where(is_tested, floor.T, np.nan) for floor in noise_floor(null))
    p_maxt = StepDown(size).p_values(together, draws)
    return _contrasts(design, is_tested, (value * unit, median * unit, q95 * unit, p, p_maxt))


def _minus_others(values: Floats) -> Floats:
    """Each group minus the mean of the others, shape (draws, groups, columns); NaN without one of them."""
    is_known = ~np.isnan(values)
    total = np.where(is_known, values, 0).sum(axis=1, keepdims=True)
    n_others = is_known.sum(axis=1, keepdims=True) - 1
    return values - np.divide(total - values, n_others, out=np.full_like(values, np.nan), where=n_others > 0)


def _contrasts(design: Design, is_tested: NDArray[np.bool_], numbers: tuple[Floats, ...]) -> Contrasts:
    value, median, q95, p, p_maxt = (number.T for number in numbers)
    nothing, n = np.full(value.shape, np.nan), design.units_of_group
    few = [np.broadcast_to(which, value.shape) for which in (n == 0, n < MIN_UNITS)]
    words = [
        InferenceReason.NO_SHARED_BLOCK,
        InferenceReason.TOO_FEW_ROOT_PROMPTS,
        InferenceReason.UNDEFINED_STATISTIC,
        InferenceReason.INTERVAL_NOT_VALIDATED,
    ]
    tested = is_tested.T
    return Contrasts(
        value=value,
        std_error=nothing,
        ci_low=nothing,
        ci_high=nothing,
        null_median=median,
        null_q95=q95,
        p_value=p,
        p_maxt=p_maxt,
        sd=nothing,
        p_margin=nothing,
        p_equivalence=nothing,
        is_permuted=tested,
        n_root_prompts=np.broadcast_to(design.roots_of_group, value.shape),
        reason=first_of([*few, ~tested, tested], words),
        method=first_of([tested], [f"{METHOD}{design.method}"]),
        scope=first_of([tested], [np.broadcast_to(scopes(design.roots_of_group, design.unit), value.shape)]),
    )
