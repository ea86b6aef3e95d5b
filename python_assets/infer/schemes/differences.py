"""Differences that the rows of a contrast are of, their t, and what all contrasts in blocks share.

Belongs here: arithmetic, and OfBlocks. A group against the rest of its blocks is block_contrast.py, pairs of groups are
pair_contrast.py, groups that lie in units of their own unit_contrast.py, which has the same members.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.design.design import MIN_UNITS, MIN_UNITS_OF_HYPOTHESIS, Design, Unit
from python_assets.infer.draws.exchange import TIE, Floats, Ints
from python_assets.infer.formulas import skewed
from python_assets.infer.result import InferenceReason

LARGEST_T = 1e6  # stands for a difference without any error
Counts = NDArray[np.int64]


class Differences(NamedTuple):
    """Differences of rows, their errors and degrees of freedom, shape (..., rows, columns)."""

    value: Floats
    std_error: Floats
    df: Floats


class Moments(NamedTuple):
    """Sums over units of a, c, a^2, c^2 and a c: a the rate of a group in a unit, c that of the other side.

    pooled: the rate of both together.
    """

    a: Floats
    c: Floats
    aa: Floats
    cc: Floats
    ac: Floats
    pooled: Floats


OfTs = Callable[[Floats, Floats, slice, slice], Counts]
OfMoments = Callable[[Moments, slice, slice], Counts]


def ratio(value: Floats, std_error: Floats, scale: Floats) -> Floats:
    """Value over its error; without error 0 for no difference and LARGEST_T for any.

    Args:
        value: differences.
        std_error: their errors.
        scale: size below TIE of which a number counts as 0.
    """
    no_error = std_error <= TIE * scale
    t = np.divide(value, std_error, out=np.zeros_like(value), where=~no_error)
    return np.where(no_error, np.where(np.abs(value) <= TIE * scale, 0, np.copysign(LARGEST_T, value)), t)


class ContrastCounts(NamedTuple):
    """What is counted of the rows of a contrast, arrays of one length, whichever scheme it is of.

    n_units: units of each row, the smaller side where a unit has one only. n_root_prompts: of each row. is_compared:
    whether a row compares anything. is_tested: whether a spread can be told. in_hypothesis: whether it takes part in
    the question. too_few, outside: reasons of rows that are not tested, or not in the question. smallest_p: that the
    draws can give each row. n_tests: rows that are not the mirror of another one. scope: what each row speaks about.
    method: what every method text ends in. names: of permuted p, fallback p and interval. is_cautious: whether p is the
    larger of permuted and table p. has_sd: whether errors times the root of n_units are an sd over root prompts.
    """

    n_units: Ints
    n_root_prompts: Ints
    is_compared: NDArray[np.bool_]
    is_tested: NDArray[np.bool_]
    in_hypothesis: NDArray[np.bool_]
    too_few: InferenceReason
    outside: InferenceReason
    smallest_p: Floats
    n_tests: int
    scope: NDArray[np.object_]
    method: str
    names: tuple[str, str, str]
    is_cautious: bool
    has_sd: bool


class OfBlocks(ABC):
    """What contrasts of groups that meet in blocks share.

    is_present: whether each unit holds both sides. is_one_of_all: whether rows hold a group against all others.
    """

    design: Design
    is_present: NDArray[np.bool_]
    is_one_of_all = True

    @property
    @abstractmethod
    def counted(self) -> tuple[Ints, Floats, int]:
        """Root prompts that hold both sides of each row, the smallest p of each, and rows that are no mirrors."""

    @cached_property
    def rows(self) -> ContrastCounts:
        """What is counted of the rows.

        Source: inference.md 6.3: one group in 2 of 30 prompts would take the power from all others.
        """
        n_units, (n_root_prompts, smallest_p, n_tests) = self.is_present.sum(axis=1), self.counted
        is_tested = n_units >= MIN_UNITS
        is_rare = (n_units < MIN_UNITS_OF_HYPOTHESIS) & (n_units.max(initial=0) >= MIN_UNITS_OF_HYPOTHESIS)
        return ContrastCounts(
            n_units=n_units,
            n_root_prompts=n_root_prompts,
            is_compared=n_units > 0,
            is_tested=is_tested,
            in_hypothesis=is_tested & ~is_rare,
            too_few=InferenceReason.TOO_FEW_ROOT_PROMPTS,
            outside=InferenceReason.FEW_BESIDE_OTHERS,
            smallest_p=smallest_p,
            n_tests=n_tests,
            scope=self.design.scopes(n_units),
            method=self.design.method,
            names=("permuted t", "cluster t", "cluster t and Hall interval"),
            is_cautious=False,
            has_sd=self.design.unit is Unit.ROOT_PROMPT,
        )

    def scale(self, x: Floats) -> Floats:
        """Standard deviation of cells in their block."""
        return cast(Floats, np.sqrt((self.design.centred(x) ** 2).mean(axis=0)))

    @abstractmethod
    def by_unit(self, x: Floats) -> Floats:
        """Difference of both sides from cells (cells, columns), 0 in other units, (rows, units, columns)."""

    def differences(self, x: Floats) -> Differences:
        """Mean over units with its cluster error."""
        mean, sd = over_units(self.by_unit(x), self.is_present)
        n = self.rows.n_units[:, None].astype(float)
        return Differences(mean.T, sd.T / np.sqrt(np.maximum(n, 1)), n - 1 + 0 * mean.T)

    def skewness(self, x: Floats) -> tuple[Floats | float, Floats | float]:
        """G of the differences over units, and its mean over the rows of the question: shape (columns, rows).

        The mean is NaN where rows are pairs of groups.

        Source: inference.md 2.9.
        """
        row_skewness = skewed.skewness(self.by_unit(x), self.is_present[:, :, None], axis=1).T
        return row_skewness, skewed.mean_skewness(
            row_skewness, self.rows.in_hypothesis
        ) if self.is_one_of_all else np.nan

    def is_rarely_apart(self, x: Floats) -> NDArray[np.bool_]:
        """Whether either side of a row differs from the most frequent value in too few units, (columns, rows)."""
        apart, columns = skewed.apart_from_frequent(x)
        rarely = np.zeros((x.shape[1], len(self.rows.n_units)), dtype=bool)
        if len(columns):
            n_units = [(side > 0).sum(axis=1).T for side in self.both_sides(apart.astype(float))]
            rarely[columns] = np.minimum(*n_units) < skewed.FEWEST_APART
        return rarely

    @abstractmethod
    def both_sides(self, x: Floats) -> tuple[Floats, Floats]:
        """Means of cells (cells, columns) of the group and of all that it is compared with, (rows, units, columns)."""


class Sums(NamedTuple):
    """Sums over units of the difference of both sides and of its square."""

    total: Floats
    squares: Floats


def size_of_t(sums: Sums, n: Ints) -> Floats:
    """|t| of differences over units, at most LARGEST_T, 0 where all are 0.

    Args:
        sums: shape (..., rows, columns).
        n: units of each row, shape (rows, 1).
    """
    # the share of squares that the mean explains: no squares are subtracted where it is small
    explained = n * sums.squares
    np.divide(sums.total**2, explained, out=explained, where=explained > 0)
    left = 1 - explained
    np.maximum(left, 1e-12, out=left)
    explained *= np.maximum(n - 1, 1)
    explained /= left
    np.sqrt(explained, out=explained)
    return np.minimum(explained, LARGEST_T, out=explained)


def unit_means(design: Design, z: Floats) -> Floats:
    """Means of each group in each unit, 0 where absent, shape (groups, units, columns)."""
    return cast(Floats, (design.by_unit @ z).reshape(design.frame.n_groups, design.n_units, -1))


def moments_over_units(a: Floats, c: Floats, axis: int, pooled: Floats) -> Moments:
    """Moments of rates that stand along an axis of units."""
    a, c = np.moveaxis(a, axis, 0), np.moveaxis(c, axis, 0)
    squares = [np.einsum("r...,r...->...", i, j) for i, j in ((a, a), (c, c), (a, c))]
    return Moments._make([a.sum(axis=0), c.sum(axis=0), *squares, pooled])


def over_units(by_unit: Floats, is_present: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Mean and standard deviation (n - 1) over units, shape (columns, rows); NaN where none.

    Args:
        by_unit: shape (rows, units, columns), 0 where absent.
        is_present: shape (rows, units).
    """
    n = is_present.sum(axis=1)[:, None].astype(float)
    mean = np.divide(by_unit.sum(axis=1), n, out=np.full((len(n), by_unit.shape[2]), np.nan), where=n > 0)
    squares = (np.where(is_present[:, :, None], by_unit - mean[:, None], 0) ** 2).sum(axis=1)
    variance = np.divide(squares, n - 1, out=np.full_like(mean, np.nan), where=n > 1)
    return mean.T, np.sqrt(variance).T
