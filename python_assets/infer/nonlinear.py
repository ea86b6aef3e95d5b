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
from python_assets.infer.block_sides import BlockSides
from python_assets.infer.cells import Values
from python_assets.infer.comparison import Compared, in_pieces
from python_assets.infer.contrasts import Contrasts, Extremes, Tested, without_inference
from python_assets.infer.design import Design
from python_assets.infer.indices import INDICES, IndexTest, index_tests, spread_of, without_test
from python_assets.infer.permutation import Floats, GivenDraws, Ints, each_batch
from python_assets.infer.quantiles import GroupQuantiles
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.row_statistics import GroupRows, row_statistic
from python_assets.infer.scheme import Blocks
from python_assets.infer.sides import Counts
from python_assets.infer.statistics import GroupSums, additive_statistic

METHOD: Final = "permuted statistic, tests equal distributions"


class Regrouped(Protocol):
    """A statistic under every arrangement, in units of the standard deviation of its column."""

    def own(self, w: sparse.csr_array) -> Iterator[tuple[slice, Floats]]:
        """Yield it for columns by columns, shape (draws, groups, columns), NaN where undefined."""


def is_shuffled(asked: Asked) -> bool:
    """Whether the statistic is computed for shuffled rows: Kendall's tau would take pairs of them."""
    return asked.method != "kendall"


def compare_statistic(scheme: Blocks, values: Values, columns: Ints, asked: Asked) -> Compared:
    """Indices of a statistic over the groups, and each group minus the mean of the others.

    Against their pooled rows, a shift of one group would look like a difference of all others.

    Args:
        scheme: cells and draws; its cells are those where the columns have rows.
        values: the rows.
        columns: of values, ascending.
        asked: the statistic.

    Returns:
        Contrast <statistic>_difference with the two-sided p of its size, and every index of indices.INDICES
        and DESCRIPTIVE. The question's p is that of the standard deviation over groups. Nothing has an
        interval. Where the statistic is undefined in a group, so are the indices; draws that make it so
        count as extreme.

    Source: inference.md section 1, row 8, 2.1 and 6.3; metrics.md 6.3.
    """

    def part(chosen: slice) -> Compared:
        statistic, unit = _regrouped(scheme.design, values, columns[chosen], asked)
        return _compare(scheme, statistic, unit, f"{asked.statistic}_difference")

    return in_pieces(scheme, len(columns), 2 * scheme.n_groups + len(INDICES), part)


def _regrouped(design: Design, values: Values, columns: Ints, asked: Asked) -> tuple[Regrouped, Floats]:
    """A statistic of the rows of the cells, and what 1 of it is in the unit of the measure."""
    place = np.full(values.n_cells, -1)
    place[design.cell] = np.arange(len(design.cell))
    sample = values.sample(columns, place, len(design.cell))
    if asked.statistic in OF_QUANTILES:
        return GroupQuantiles(design, sample, asked.levels), sample.unit
    if of_sums := additive_statistic(asked):
        return GroupSums(design, sample, of_sums), sample.unit**of_sums.power
    of_rows = row_statistic(asked)
    if of_rows is None:
        raise ValueError(f"{asked.statistic} {asked.parameters} cannot be shuffled")
    return GroupRows(design, sample, of_rows), sample.unit**of_rows.power


def _compare(scheme: Blocks, statistic: Regrouped, unit: Floats, name: str) -> Compared:
    design, draws = scheme.design, scheme.draws
    as_observed = each_batch(
        design.group_slots, GivenDraws(np.arange(len(design.cell))[None]), lambda w, _: w
    )
    seen = np.concatenate([values[0] for _, values in statistic.own(as_observed[0])], axis=1)
    value = _minus_others(seen[None])[0]
    sides = BlockSides(design)
    is_defined = ~np.isnan(value)
    extremes = Extremes(np.where(is_defined, np.abs(value), 0), sides.in_question, draws)
    null = np.empty((len(unit), len(seen), draws.n))

    def work(w: sparse.csr_array, batch: slice) -> Counts:
        counts = np.zeros((2, *value.shape), dtype=np.int64)
        for part, values in statistic.own(w):
            null[part, :, batch] = values.transpose(2, 1, 0)
            sizes = np.abs(_minus_others(values))
            sizes[np.isnan(sizes)] = np.inf
            counts[:, :, part] = extremes.count(sizes, part, batch)
        return counts

    tested = extremes.tested(np.sum(each_batch(design.group_slots, draws, work), axis=0))
    indices = _indices(scheme, seen[design.groups], null[:, design.groups])
    p_question = indices["standard_deviation"].p_value
    contrast = _contrast(scheme, sides, value, is_defined & ~np.isnan(p_question), tested, p_question)
    in_unit = {
        field: getattr(contrast, field) * unit[:, None] for field in ("value", "null_median", "null_q95")
    }
    scaled = {key: _in_unit(test, unit) if key in _IN_UNITS else test for key, test in indices.items()}
    return Compared({name: contrast._replace(**in_unit)}, scaled)


_IN_UNITS = ("range", "standard_deviation", "max", "min", "mean")


def _minus_others(values: Floats) -> Floats:
    """Each group minus the mean of the others, shape (draws, groups, columns); NaN without one of them."""
    is_known = ~np.isnan(values)
    total = np.where(is_known, values, 0).sum(axis=1, keepdims=True)
    n_others = is_known.sum(axis=1, keepdims=True) - 1
    return values - np.divide(total - values, n_others, out=np.full_like(values, np.nan), where=n_others > 0)


def _indices(scheme: Blocks, seen: Floats, null: Floats) -> dict[str, IndexTest]:
    """Indices of the groups' statistics, shape (groups, columns), and of those of every draw."""
    missing = scheme.means.missing
    if missing is not None:
        return dict.fromkeys(INDICES, without_test((seen.shape[1],), missing))
    is_undefined = np.isnan(seen).any(axis=0)
    level = np.where(is_undefined, 0, seen.mean(axis=0))
    one = np.ones_like(level)
    observed = spread_of(np.where(is_undefined, 0, seen - level), level, one, 0)
    mean = null.mean(axis=1)
    permuted = spread_of(null - mean[:, None], mean, one[:, None], 1)
    tests = index_tests(
        INDICES, observed, permuted, scheme.draws, no_interval=InferenceReason.INTERVAL_NOT_VALIDATED
    )
    nothing = without_test(level.shape, InferenceReason.UNDEFINED_STATISTIC)
    return {
        name: IndexTest._make(
            np.where(is_undefined, gone, kept) for gone, kept in zip(nothing, test, strict=True)
        )
        for name, test in tests.items()
    }


def _in_unit(test: IndexTest, unit: Floats) -> IndexTest:
    return test._replace(
        value=test.value * unit, null_median=test.null_median * unit, null_q95=test.null_q95 * unit
    )


def _contrast(
    scheme: Blocks,
    sides: BlockSides,
    value: Floats,
    is_defined: NDArray[np.bool_],
    tested: Tested,
    p_question: Floats,
) -> Contrasts:
    """Rows in units of the standard deviation of the column; floors are of the size itself, not of a t."""
    defined = is_defined.T & sides.in_question
    given = np.where(defined, 1.0, np.nan)
    few = [~sides.is_held, ~sides.is_tested, ~sides.in_question]
    words = [
        InferenceReason.NO_SHARED_BLOCK,
        sides.few,
        sides.beside,
        InferenceReason.UNDEFINED_STATISTIC,
        InferenceReason.INTERVAL_NOT_VALIDATED,
    ]
    where = [*(np.broadcast_to(which, defined.shape) for which in few), ~defined, defined]
    nothing = without_inference((len(defined), len(value)), first_of(where, words))
    return nothing._replace(
        value=value.T,
        null_median=tested.median * given,
        null_q95=tested.q95 * given,
        studentised=value.T * given,
        p_value=tested.p_value * given,
        p_maxt=tested.p_maxt * given,
        p_question=np.broadcast_to(p_question[:, None], defined.shape),
        n_root_prompts=np.broadcast_to(sides.n_root_prompts, defined.shape),
        n_units=np.broadcast_to(sides.n_units, defined.shape),
        method=first_of([defined], [f"{METHOD}{scheme.design.method}"]),
        scope=first_of([defined], [np.broadcast_to(sides.scope, defined.shape)]),
    )
