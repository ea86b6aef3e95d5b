"""Groups nested in units: contrasts and indices of unit means, with whole units shuffled over the groups.

Belongs here: the statistics of the shape that units.py describes. Errors pool the spread of units in their
cells, and the t that comes of it is permuted.

Source: inference.md section 1, row 'groups nested in units'.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from python_assets.infer import interval
from python_assets.infer.comparison import Compared, in_pieces
from python_assets.infer.contrasts import Contrasts, Estimate, Extremes, Tested, margin_p, ratio
from python_assets.infer.design import PROMPTS_LIKE_THESE, THESE_PROMPTS_ONLY
from python_assets.infer.indices import (
    INDICES,
    RATE_INDICES,
    Index,
    IndexTest,
    Spread,
    index_tests,
    spread_of,
)
from python_assets.infer.interval import Limits, RatePair
from python_assets.infer.permutation import Draws, Floats, each_batch, noise_floor
from python_assets.infer.rates import logit_floor, mover_of, without_interval
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.reference import Reference
from python_assets.infer.units import MIN_UNITS_FOR_SCOPE, MIN_UNITS_OF_GROUP, Units, Weights, weights_of
from python_assets.study.base import Against


class NestedTask(NamedTuple):
    """What all columns of a presence pattern share.

    units: those with a value. draws: the arrangements of their places. alpha: intervals have 1 - alpha.
    reference: what each group is compared with.
    """

    units: Units
    draws: Draws
    alpha: float
    reference: Reference = Reference()


def compare_nested_means(task: NestedTask, x: Floats, margins: dict[str, Floats]) -> Compared:
    """Contrasts and indices of means over units.

    Args:
        task: units and draws.
        x: unit means, shape (units, columns), in the order of the units.
        margins: of each column by contrast, NaN where none is declared.

    Returns:
        p NaN where a side has fewer than MIN_UNITS_OF_GROUP units; indices without an interval.
    """

    def part(columns: slice) -> Compared:
        sample = _Sample(task, x[:, columns])
        null = sample.null()
        indices = _indices(sample, null, INDICES)
        contrast = _mean_difference(sample, null, margins["mean_difference"][columns])
        return Compared({"mean_difference": contrast}, indices)

    return in_pieces(task, x.shape[1], _n_values(task), part)


def compare_nested_rates(task: NestedTask, y: Floats, margins: dict[str, Floats]) -> Compared:
    """Contrasts and indices of rates over units; arguments and result as compare_nested_means."""

    def part(columns: slice) -> Compared:
        sample = _Sample(task, y[:, columns])
        null = sample.null()
        indices = _indices(sample, null, INDICES | RATE_INDICES)
        log = _log_disparity(sample, null)
        risk = _rate_difference(sample, null, margins["risk_difference"][columns])
        return Compared({"risk_difference": risk, "log_disparity": log}, indices)

    return in_pieces(task, y.shape[1], _n_values(task), part)


def _n_values(task: NestedTask) -> int:
    """Numbers of a column that are held under each draw: both sides of each row, the groups, and copies."""
    return 3 * len(task.reference.rows(task.units.n_groups)[0]) + 3 * len(task.units.groups)


class Means(NamedTuple):
    """Mean of each cell, shape (..., cells, columns), and variance of units in cells, (..., columns)."""

    of_cell: Floats
    variance: Floats


class Null(NamedTuple):
    """p of each row; its sides and each group's level under every draw, centred, (columns, ..., draws)."""

    tested: Tested
    own: Floats
    other: Floats
    level: Floats


class _Sample:
    """Unit means of some columns, centred in their strata, and the t that comes of them."""

    def __init__(self, task: NestedTask, x: Floats) -> None:
        """Take unit means, shape (units, columns)."""
        self.task, self.units = task, task.units
        self.weights = weights_of(task.units, task.reference)
        self.x, self._of_stratum = task.units.centred(x)
        self._squares = (self.x**2).sum(axis=0)
        self.scale = np.sqrt(self._squares / len(x))
        self.is_floored = self.weights.smallest_p > task.alpha / max(self.weights.n_tests, 1)
        self.has_p = (self.weights.n_fewest >= MIN_UNITS_OF_GROUP) & (task.units.df > 0)
        self.means = self.means_of(self.cell_sums(self.x))

    def cell_sums(self, z: Floats) -> Floats:
        """Sums over the units of each cell, shape (cells, columns)."""
        slots = self.units.slots
        sums = np.zeros((slots.n_rows, z.shape[1]))
        np.add.at(sums, slots.row, z)
        return sums

    def means_of(self, sums: Floats) -> Means:
        """Means of cells from their sums; shuffling in strata leaves the sum of squares as it is."""
        n = self.units.units_of_cell
        mean = sums / n[:, None]
        left = self._squares - np.einsum("...cf,...cf,c->...f", mean, mean, n)
        return Means(mean, np.where(left > 1e-12 * self._squares, left, 0) / max(self.units.df, 1))

    def std_errors(self, means: Means) -> Floats:
        """Errors of the differences, shape (..., rows, columns)."""
        inverse = (self.weights.own - self.weights.other) ** 2 @ (1 / self.units.units_of_cell)
        return np.sqrt(inverse[:, None] * means.variance[..., None, :])

    def t(self, means: Means) -> Floats:
        """Differences over their errors, shape (..., rows, columns)."""
        difference = (self.weights.own - self.weights.other) @ means.of_cell
        return ratio(difference, self.std_errors(means), self.scale)

    def offset(self, weights: Floats) -> Floats:
        """What centring took off sums with these weights of cells, shape (columns, rows)."""
        return (weights @ self._of_stratum[self.units.stratum_of_cell]).T

    def null(self) -> Null:
        """Shuffle units in their strata."""
        extremes = Extremes(np.abs(self.t(self.means)), self.has_p & ~self.is_floored)
        weights = (self.weights.own, self.weights.other, self.units.level)
        n_columns = self.x.shape[1]
        stored = [np.empty((n_columns, len(weight), self.task.draws.n)) for weight in weights]

        def work(w: sparse.csr_array, batch: slice) -> NDArray[np.int64]:
            means = self.means_of((w @ self.x).reshape(-1, len(self.units.units_of_cell), n_columns))
            for store, weight in zip(stored, weights, strict=True):
                store[:, :, batch] = (weight @ means.of_cell).transpose(2, 1, 0)
            return extremes.count(np.abs(self.t(means)), slice(None))

        counts = np.sum(each_batch(self.units.slots, self.task.draws, work), axis=0)
        return Null(extremes.tested(counts, self.task.draws), *stored)


def _mean_difference(sample: _Sample, null: Null, margin: Floats) -> Contrasts:
    weights, df = sample.weights, sample.units.df
    value = ((weights.own - weights.other) @ sample.means.of_cell).T
    std_error, t = sample.std_errors(sample.means).T, sample.t(sample.means).T
    quantile = stats.t.isf(sample.task.alpha / 2, df) if df else np.nan
    limits = interval.around(value, std_error, np.asarray(quantile))
    estimate = Estimate(value, std_error, t, np.full_like(value, max(df, 1)), limits)
    levels = margin_p(estimate, lambda c: interval.around(value, std_error, c), margin)
    floor = noise_floor(np.abs(null.own - null.other))
    return _contrast(sample, estimate, null.tested, floor, levels, "t interval")


def _rate_difference(sample: _Sample, null: Null, margin: Floats) -> Contrasts:
    """The interval joins those of both sides, each with the spread of its own units.

    A pooled spread would be that of the groups with the widest: rates near 0 or 1 have hardly any.
    """
    weights = sample.weights
    value = ((weights.own - weights.other) @ sample.means.of_cell).T
    limits, df = _mover(sample, value)
    std_error, t = sample.std_errors(sample.means).T, sample.t(sample.means).T
    quantile = stats.t.isf(sample.task.alpha / 2, df)
    estimate = Estimate(value, std_error, t, df + 0 * t, limits(quantile))
    levels = margin_p(estimate, limits, margin)
    floor = noise_floor(np.abs(null.own - null.other))
    return _contrast(sample, estimate, null.tested, floor, levels, "MOVER interval")


def _mover(sample: _Sample, value: Floats) -> tuple[Limits, Floats]:
    """Interval of the difference of two rates, and its degrees of freedom; of a grand mean by the rest."""
    if sample.task.reference.against is not Against.GRAND_MEAN:
        pair, df = _rate_pair(sample, sample.weights)
        return mover_of(pair, value, None), df
    pair, df = _rate_pair(sample, weights_of(sample.units, Reference()))
    share = 1 - ((sample.weights.own > 0) * sample.weights.other).sum(axis=1)
    return mover_of(pair, value, share), df


def _rate_pair(sample: _Sample, compared: Weights) -> tuple[RatePair, Floats]:
    """Rates of both sides with their effective sizes, and the degrees of freedom of the smaller side."""
    n, mean = sample.units.units_of_cell, sample.means.of_cell
    squares = sample.cell_sums(sample.x**2) - n[:, None] * mean**2
    left = np.where(squares > 1e-12, squares, 0)
    parts, fewest = [], np.full(len(compared.own), np.inf)
    for weights in (compared.own, compared.other):
        df = (weights > 0) @ (n - 1.0)
        inverse_n = (weights**2 @ (1 / n))[:, None]
        variance = (weights > 0) @ left / np.maximum(df, 1)[:, None] * inverse_n
        rate = (weights @ mean).T + sample.offset(weights)
        parts += [rate, interval.inverse_effective_n(rate, variance.T, inverse_n.T)]
        fewest = np.minimum(fewest, df)
    return RatePair._make([*parts, np.zeros_like(parts[0])]), np.where(fewest > 0, fewest, np.nan)


def _log_disparity(sample: _Sample, null: Null) -> Contrasts:
    """Logit of the mean rate of the group minus logit of the mean rate of the other side."""
    offsets = [sample.offset(weights) for weights in (sample.weights.own, sample.weights.other)]
    own, other = ((w @ sample.means.of_cell).T for w in (sample.weights.own, sample.weights.other))
    value = interval.logit_difference(own + offsets[0], other + offsets[1])
    nothing = np.full_like(value, np.nan)
    estimate = Estimate(
        value,
        nothing,
        sample.t(sample.means).T,
        np.full_like(value, max(sample.units.df, 1)),
        interval.Interval(nothing, nothing),
    )
    floor = logit_floor(null.own + offsets[0][:, :, None], null.other + offsets[1][:, :, None])
    return without_interval(
        _contrast(sample, estimate, null.tested, floor, (nothing, nothing), "no interval")
    )


def _contrast(
    sample: _Sample,
    estimate: Estimate,
    tested: Tested,
    floor: tuple[Floats, Floats],
    levels: tuple[Floats, Floats],
    interval_name: str,
) -> Contrasts:
    """Put the parts together; NaN where a side has too few units for them."""
    weights, shape = sample.weights, estimate.value.shape
    is_held, has_p = weights.n_fewest > 0, sample.has_p
    held, given = (np.where(where, 1.0, np.nan) for where in (is_held, has_p))
    p_t = 2 * stats.t.sf(np.abs(estimate.statistic), sample.units.df or 1)
    is_wide = weights.n_fewest >= MIN_UNITS_FOR_SCOPE
    reason = first_of(
        [~is_held, ~has_p, sample.is_floored],
        [InferenceReason.NO_SHARED_BLOCK, InferenceReason.TOO_FEW_UNITS, InferenceReason.P_FLOOR],
    )
    scope = first_of([is_held & is_wide, is_held], [PROMPTS_LIKE_THESE, THESE_PROMPTS_ONLY])
    texts = (reason, first_of([is_held], [_methods(sample, interval_name)]), scope)
    reason, method, scope = (np.broadcast_to(text, shape) for text in texts)
    return Contrasts(
        value=estimate.value * held,
        std_error=estimate.std_error * (held if sample.units.df else np.nan),
        ci_low=estimate.limits.low * held,
        ci_high=estimate.limits.high * held,
        null_median=floor[0] * given,
        null_q95=floor[1] * given,
        p_value=np.where(sample.is_floored, p_t, tested.p_value) * given,
        p_maxt=tested.p_maxt,
        sd=np.full(shape, np.nan),
        p_margin=levels[0] * given,
        p_equivalence=levels[1] * given,
        is_permuted=np.broadcast_to(has_p & ~sample.is_floored, shape),
        n_root_prompts=np.broadcast_to(weights.n_own, shape),
        reason=reason,
        method=method,
        scope=scope,
    )


def _methods(sample: _Sample, interval_name: str) -> NDArray[np.object_]:
    words = np.where(
        sample.is_floored,
        [f"unit t (smallest permutation p {low:.3g}), " for low in sample.weights.smallest_p],
        "permuted t, ",
    )
    words = np.where(sample.has_p, words, "")
    return np.array([f"{word}{interval_name}, {sample.units.method}" for word in words], dtype=object)


def _indices(sample: _Sample, null: Null, wanted: dict[str, Index]) -> dict[str, IndexTest]:
    """Indices of the group means over complete strata; none where too few units are in them.

    They have no p where a group has fewer units there than a contrast needs.
    """
    if not sample.units.is_enough:
        return {}
    observed = (sample.units.level @ sample.means.of_cell).T
    shift, scale = sample.offset(sample.units.level).mean(axis=1), sample.scale
    tests = index_tests(
        wanted,
        _spread(observed, shift, scale),
        _spread(null.level, shift[:, None], scale[:, None]),
        sample.task.draws,
        no_interval=InferenceReason.INTERVAL_NOT_VALIDATED,
    )
    if sample.units.n_units_of_group.min() >= MIN_UNITS_OF_GROUP:
        return tests
    return {name: _untested(test) for name, test in tests.items()}


def _untested(test: IndexTest) -> IndexTest:
    """Leave out p and noise floor, where there are any, and say why."""
    nothing, has_p = np.full_like(test.value, np.nan), ~np.isnan(test.p_value)
    reason = first_of([has_p, ~has_p], [InferenceReason.TOO_FEW_UNITS, test.reason])
    return test._replace(null_median=nothing, null_q95=nothing, p_value=nothing, reason=reason)


def _spread(means: Floats, shift: Floats, scale: Floats) -> Spread:
    """Sum up means of groups, shape (columns, groups, ...), from which the shift was taken."""
    level = means.mean(axis=1, keepdims=True)
    return spread_of(means - level, level[:, 0] + shift, scale, 1)
