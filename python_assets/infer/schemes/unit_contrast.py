"""Groups that lie in units of their own, compared: names inside gender, prompts inside a topic, repeats.

Belongs here: the rows of such a contrast and their t. Units are shuffled among the groups of a stratum, and
a unit keeps all its values. Spread is told group by group (Welch 1938); where the same prompts are put to
all units, the error is that of units and prompts both. Which units there are is units.py.

Source: inference.md 2.7, and section 1, rows 'groups nested in units' and 'one root prompt, repeats only'.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import gammaln

from python_assets.infer.draws.exchange import Draws, Floats, Ints, each_batch
from python_assets.infer.formulas import interval
from python_assets.infer.formulas.interval import RatePair
from python_assets.infer.formulas.two_way import MIN_PROMPTS
from python_assets.infer.options import Reference
from python_assets.infer.result import InferenceReason
from python_assets.infer.schemes.differences import ContrastCounts, Counts, Differences, OfTs, ratio
from python_assets.infer.schemes.pair_contrast import one_way
from python_assets.infer.schemes.units import MIN_UNITS_OF_GROUP, UNIT_ROUNDING, Units, unit_scopes
from python_assets.infer.tables import THESE_PROMPTS
from python_assets.study.base import Against


class ContrastWeights(NamedTuple):
    """What each row compares: a group with others, in the strata that hold both.

    own, other: weight of each cell, shape (rows, cells). n_own, n_other: units of each side. smallest_p: that
    shuffling can give. is_unit: units of either side, (rows, units).
    """

    own: Floats
    other: Floats
    n_own: Ints
    n_other: Ints
    smallest_p: Floats
    is_unit: NDArray[np.bool_]


@dataclass(frozen=True)
class UnitContrast:
    """Rows of a reference over units of one group each; of all pairs one of each two mirrors."""

    units: Units
    reference: Reference = Reference()

    @cached_property
    def weights(self) -> ContrastWeights:
        """The cells that each row compares."""
        units = self.units
        group, other = one_way(self.reference, units.n_groups)
        in_stratum = (units.stratum_of_cell[:, None] == np.arange(len(units.is_complete))).astype(float)
        is_own = units.group_of_cell == group[:, None]
        is_other = units.group_of_cell == other[:, None] if self.reference.is_pairwise else ~is_own
        n_own, n_other = ((side * units.units_of_cell) @ in_stratum for side in (is_own, is_other))
        shared = (n_own > 0) & (n_other > 0)
        is_grand = self.reference.against is Against.GRAND_MEAN
        is_compared = is_own | is_other if is_grand else is_other
        n_groups = np.maximum(is_compared @ in_stratum, 1)
        weight = units.weight_of_strata(shared)[:, units.stratum_of_cell]
        code = units.slots.row
        return ContrastWeights(
            own=is_own * weight,
            other=is_compared * weight / n_groups[:, units.stratum_of_cell],
            n_own=(n_own * shared).sum(axis=1).astype(np.intp),
            n_other=(n_other * shared).sum(axis=1).astype(np.intp),
            smallest_p=_smallest_p(np.bincount(units.stratum), n_own, n_other, is_other @ in_stratum, shared),
            is_unit=((is_own | is_other) & shared[:, units.stratum_of_cell])[:, code],
        )

    @cached_property
    def difference(self) -> Floats:
        """Weight of each cell in the difference."""
        return self.weights.own - self.weights.other

    @cached_property
    def rows(self) -> ContrastCounts:
        """What is counted of the rows; all pairs are mirrored elsewhere.

        Shuffling units destroys the interaction of group and prompt, so p of units is never below that of t. Repeats,
        which are no units, are counted by their root prompts.
        """
        units, n_fewer = self.units, np.minimum(self.weights.n_own, self.weights.n_other)
        n_root_prompts, is_compared = units.n_root_prompts_of(self.weights.is_unit), n_fewer > 0
        is_tested = is_compared & (units.units_of_cell.max() > 1)  # some group has two units in a stratum
        n_compared = int(is_compared.sum())
        names = ("permuted t", "unit t", "t interval")
        scope = unit_scopes(n_fewer, units.n_prompts, has_own_prompts=units.n_own_prompts is not None)
        if units.is_replicate:
            names = ("permuted Welch t of replicates", "Welch t of replicates", "Welch t interval")
            scope = np.full(len(n_fewer), THESE_PROMPTS, dtype=object)
        return ContrastCounts(
            n_units=n_root_prompts if units.is_replicate else n_fewer,
            n_root_prompts=n_root_prompts,
            is_compared=is_compared,
            is_tested=is_tested,
            in_hypothesis=is_tested & (units.is_replicate | (n_fewer >= MIN_UNITS_OF_GROUP)),
            too_few=InferenceReason.TOO_FEW_UNITS,
            outside=InferenceReason.TOO_FEW_UNITS,
            smallest_p=self.weights.smallest_p,
            n_tests=1 if n_compared == 2 and not self.reference.is_pairwise else n_compared,
            scope=scope,
            method=units.method,
            names=names,
            is_cautious=not units.is_replicate,
            has_sd=False,
        )

    def scale(self, x: Floats) -> Floats:
        """Spread of unit means in their strata."""
        return cast(Floats, np.sqrt((self.units.table(x).mean(axis=1) ** 2).mean(axis=0)))

    def differences(self, x: Floats) -> Differences:
        """Differences of unit means."""
        sums = self._sums(self.units.table(x))
        slots = self.units.slots
        weight = np.ones(len(slots.row)) if slots.weight is None else slots.weight
        here = sparse.csr_array((weight, (slots.row, np.arange(len(weight)))), shape=(slots.n_rows, len(weight)))
        one = sums(here)
        return Differences(*(field[0] for field in one))

    def skewness(self, x: Floats) -> tuple[Floats | float, Floats | float]:
        """None: intervals are of t alone (inference.md 2.7)."""
        return np.nan, np.nan

    def is_rarely_apart(self, x: Floats) -> NDArray[np.bool_]:
        """None is marked."""
        return np.zeros(1, dtype=bool)

    def over_ts(self, x: Floats, draws: Draws, work: OfTs) -> Counts:
        """Do the work on the differences of shuffled units."""
        sums, scale, everything = self._sums(self.units.table(x)), self.scale(x), slice(0, x.shape[1])

        def one(w: sparse.csr_array, batch: slice) -> Counts:
            drawn = sums(w)
            size = np.abs(ratio(drawn.value, drawn.std_error, scale))
            return work(drawn.value, size, everything, batch)

        return cast(Counts, np.sum(each_batch(self.units.slots, draws, one), axis=0))

    def cell_means(self, x: Floats) -> Floats:
        """Mean of the units of each cell, shape (cells, columns); not centred."""
        there = self.units.cell >= 0
        unit_mean = np.where(there[:, :, None], x[self.units.cell], 0).sum(axis=1)
        unit_mean /= np.maximum(there.sum(axis=1), 1)[:, None]
        return self.units.sums_of_cells(unit_mean) / self.units.size_of_cell[:, None]

    def _sums(self, z: Floats) -> Callable[[sparse.csr_array], Differences]:
        """Differences, errors and df as a function of W, shape (draws, rows, columns)."""
        units, n_columns = self.units, z.shape[2]
        mean = z.mean(axis=1)
        factors = [mean, mean**2]
        if units.is_two_way:
            factors += [(z**2).sum(axis=1), *z.transpose(1, 0, 2)]
        stacked = np.ascontiguousarray(np.hstack(factors))
        spread = (mean**2).sum(axis=0)

        def of(w: sparse.csr_array) -> Differences:
            sums = (w @ stacked).reshape(-1, units.slots.n_rows, len(factors), n_columns)
            held_prompts = self._held_prompts(w) if units.is_two_way else None
            return self._of_sums(sums[:, :, 0], sums[:, :, 1], sums[:, :, 2:], spread, held_prompts)

        return of

    def _held_prompts(self, w: sparse.csr_array) -> NDArray[np.bool_]:
        """Whether a unit of both sides has a value on each prompt, shape (draws or 1, rows or 1, prompts)."""
        there = self.units.cell >= 0
        if there.all():
            return np.ones((1, 1, self.units.n_prompts), dtype=bool)
        counts = (w @ there.astype(float)).reshape(-1, self.units.slots.n_rows, self.units.n_prompts)
        this_side, other = (side.astype(float) @ counts for side in (self.difference > 0, self.difference < 0))
        return np.asarray((this_side > 0) & (other > 0))

    def _of_sums(
        self, total: Floats, squares: Floats, more: Floats, spread: Floats, held: NDArray[np.bool_] | None
    ) -> Differences:
        """Differences from sums over the units of each cell.

        Args:
            total: of unit means, shape (draws, cells, columns).
            squares: of their squares.
            more: sums of squares over prompts, then sums prompt by prompt, shape (draws, cells, 1 +
                prompts, columns).
            spread: sum of squares of unit means of all units; a share of ROUNDING of it is nothing.
            held: of _held_prompts, where the error is of prompts too.
        """
        n = self.units.size_of_cell[:, None]
        mean = total / n
        left = squares - total * mean
        left = np.where(left > UNIT_ROUNDING * spread, left, 0)
        variance, df = self._variances(left)
        cell_variances = (self.difference**2)[:, :, None] * (variance / n)[..., None, :, :]
        unit_variance = cell_variances.sum(axis=-2)
        below = np.divide(cell_variances**2, df, out=np.zeros_like(cell_variances), where=df > 0).sum(axis=-2)
        value = self.difference @ mean
        if held is None:
            return self._with_df(value, unit_variance, below)
        prompt_variance, residual_variance = self._prompt_variances(mean, squares, more, held)
        df_prompts = np.maximum(held.sum(axis=2) - 1, 1)[..., None]
        total_variance = np.maximum(
            unit_variance + prompt_variance - residual_variance, np.maximum(unit_variance, prompt_variance)
        )
        return self._with_df(value, total_variance, below + prompt_variance**2 / df_prompts)

    def _with_df(self, value: Floats, variance: Floats, below: Floats) -> Differences:
        """Satterthwaite's degrees of freedom; those of the units where nothing spreads."""
        all_df = np.maximum(((self.difference != 0) * (self.units.size_of_cell - 1)).sum(axis=1), 1)
        df = np.broadcast_to(all_df[:, None], variance.shape).astype(float)
        df = np.divide(variance**2, below, out=df.copy(), where=below > 0)
        return Differences(value, np.sqrt(variance), df)

    def _variances(self, left: Floats) -> tuple[Floats, Floats]:
        """Variance of the units of each cell and its df.

        One unit alone takes those of its group in other strata; a group of such units, those of all groups.
        """
        n = self.units.size_of_cell
        df: Floats = (n - 1)[:, None]
        if (n > 1).all():
            return left / df, df
        same_group = (self.units.group_of_cell[:, None] == self.units.group_of_cell).astype(float)
        same_group[(same_group @ df)[:, 0] == 0] = 1
        pooled_df: Floats = np.maximum(same_group @ df, 1)
        alone = (n == 1)[:, None]
        pooled: Floats = (same_group @ left) / pooled_df
        return np.where(alone, pooled, left / np.maximum(df, 1)), np.where(alone, pooled_df, df)

    def _prompt_variances(
        self, mean: Floats, squares: Floats, more: Floats, held: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        """Variance of the difference over prompts, and of what neither unit nor prompt makes.

        Only of prompts that hold both sides; both are 0 where such prompts are too few.
        """
        n, n_prompts = self.units.units_of_cell[:, None].astype(float), self.units.n_prompts
        by_prompt = more[:, :, 1:] / n[:, None]
        differences = np.einsum("rc,bctf->brtf", self.difference, by_prompt)
        n_held, is_compared = held.sum(axis=2)[..., None], held[..., None]
        centre = (differences * is_compared).sum(axis=2) / np.maximum(n_held, 1)
        squared = ((differences - centre[:, :, None]) ** 2 * is_compared).sum(axis=2)
        prompt_variance = squared / np.maximum(n_held * (n_held - 1), 1)
        is_enough = n_held >= MIN_PROMPTS
        left = more[:, :, 0] - n_prompts * squares - n * (by_prompt**2).sum(axis=2) + n * n_prompts * mean**2
        divisor = (n_prompts - 1) * np.maximum(n - 1, 1) * n_prompts * n
        residual_variance = self.difference**2 @ (np.maximum(left, 0) / divisor)
        return prompt_variance * is_enough, residual_variance * is_enough

    def rate_pair(self, y: Floats) -> RatePair:
        """Rates of both sides with their effective sizes, from the spread of each side's own units.

        Args:
            y: shape (cells, columns).
        """
        units, mean = self.units, self.cell_means(y)
        z = units.table(y).mean(axis=1)
        total, squares = units.sums_of_cells(z), units.sums_of_cells(z**2)
        n = units.size_of_cell[:, None]
        left = squares - total**2 / n
        variance = self._variances(np.where(left > UNIT_ROUNDING, left, 0))[0] / n
        fields, variances = [], []
        is_compared = np.where(self.rows.is_compared, 1.0, np.nan)
        for side in (self.weights.own, self.weights.other):
            p, v = side @ mean, side**2 @ variance
            inverse = (side**2 @ (1 / n[:, 0]))[:, None]
            fields += [p.T * is_compared, interval.inverse_effective_n(p, v, inverse).T * is_compared]
            variances.append(v)
        product = variances[0] * variances[1]
        covariance = (self.weights.own * self.weights.other) @ variance
        rho = np.divide(covariance, np.sqrt(product), out=np.zeros_like(product), where=product > 0)
        return RatePair._make([*fields, np.clip(rho, -1, 1).T])


def _smallest_p(n: Ints, n_own: Floats, n_other: Floats, n_others: Floats, shared: NDArray[np.bool_]) -> Floats:
    """1 / the ways to choose both sides in each stratum, doubled where exchanging them changes only the sign.

    n: units of each stratum. n_own, n_other: units of both sides, shape (rows, strata). n_others: groups of
    the other side. shared: whether the stratum holds both.
    """
    log_ways = gammaln(n + 1) - gammaln(n_own + 1) - gammaln(n_other + 1) - gammaln(n - n_own - n_other + 1)
    is_mirrored = (((n_own == n_other) & (n_others == 1)) | ~shared).all(axis=1)
    return cast(Floats, np.minimum((1 + is_mirrored) * np.exp(-(log_ways * shared).sum(axis=1)), 1))
