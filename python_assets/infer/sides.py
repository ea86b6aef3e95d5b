"""What each row of a contrast compares, and its t: what every scheme says of its rows.

Belongs here: Sides, and what groups that meet in blocks share. A group against the rest of its blocks is
block_sides.py, pairs of groups are pairs.py, groups that lie in units of their own unit_sides.py; t is
means.py's and rates.py's.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from python_assets.infer.design import MIN_UNITS, MIN_UNITS_OF_QUESTION, Design, Unit
from python_assets.infer.permutation import (
    TIE,
    Draws,
    Floats,
    Ints,
)
from python_assets.infer.reasons import InferenceReason

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


class Sides(Protocol):
    """The rows of a contrast in one scheme: what is counted of them, and their t.

    n_units: units of each row, the smaller side where a unit has one only. n_root_prompts: of each row.
    is_held: whether a row compares anything. is_tested: whether it has inference. in_question: whether it
    takes part in the question. few: the reason where it has no inference. beside: the
    reason where it has, and takes no part in the question. smallest_p: that the draws can
    give each row. n_tests: rows that are not the mirror of another one. scope: what each row speaks about.
    method: what every method text ends in. names: of permuted p, fallback p and interval. is_cautious:
    whether p is the larger of permuted and table p. has_sd: whether errors times the root of n_units are a
    standard deviation over root prompts.
    """

    @property
    def n_units(self) -> Ints:
        """Units of each row."""

    @property
    def n_root_prompts(self) -> Ints:
        """Root prompts of each row."""

    @property
    def is_held(self) -> NDArray[np.bool_]:
        """Whether each row compares anything."""

    @property
    def is_tested(self) -> NDArray[np.bool_]:
        """Whether it has inference."""

    @property
    def in_question(self) -> NDArray[np.bool_]:
        """Whether it takes part in the question."""

    @property
    def few(self) -> InferenceReason:
        """Why a row has no inference."""

    @property
    def beside(self) -> InferenceReason:
        """Why a row with inference takes no part in the question."""

    @property
    def smallest_p(self) -> Floats:
        """Smallest p that draws can give."""

    @property
    def n_tests(self) -> int:
        """Rows that are no mirrors."""

    @property
    def scope(self) -> NDArray[np.object_]:
        """What each row speaks about."""

    @property
    def method(self) -> str:
        """What every method text ends in."""

    @property
    def names(self) -> tuple[str, str, str]:
        """Of permuted p, fallback p and interval."""

    @property
    def is_cautious(self) -> bool:
        """Whether p is the larger of two."""

    @property
    def has_sd(self) -> bool:
        """Whether errors tell a spread over root prompts."""

    def scale(self, x: Floats) -> Floats:
        """Size of the values of each column that are shuffled, shape (columns,); 1e-9 of it is nothing."""

    def differences(self, x: Floats) -> Differences:
        """Differences of values (cells, columns), shape (rows, columns)."""

    def over_ts(self, x: Floats, draws: Draws, work: OfTs) -> Counts:
        """Do the work on value and |t| under every draw, and add up its counts.

        Work gets both of shape (draws of the batch, rows, columns of the piece), the columns and the batch.
        """


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


class OfBlocks(ABC):
    """What all rows of groups that meet in blocks share."""

    design: Design
    few = InferenceReason.TOO_FEW_ROOT_PROMPTS
    beside = InferenceReason.FEW_BESIDE_OTHERS
    names = ("permuted t", "cluster t", "cluster t interval")
    is_cautious = False

    @property
    @abstractmethod
    def is_present(self) -> NDArray[np.bool_]:
        """Whether each unit holds both sides, shape (rows, units)."""

    @property
    @abstractmethod
    def n_root_prompts(self) -> Ints:
        """Root prompts that hold both sides, shape (rows,)."""

    @cached_property
    def n_units(self) -> Ints:
        """Units that hold both sides."""
        return self.is_present.sum(axis=1)

    @property
    def is_held(self) -> NDArray[np.bool_]:
        """Whether some unit holds both sides."""
        return self.n_units > 0

    @property
    def is_tested(self) -> NDArray[np.bool_]:
        """Whether a spread over units can be told."""
        return self.n_units >= MIN_UNITS

    @property
    def in_question(self) -> NDArray[np.bool_]:
        """All that are tested, but for groups in a few units where others have more.

        Source: inference.md 6.3: one group in 2 of 30 prompts would take the power from all others.
        """
        is_rare = self.n_units < MIN_UNITS_OF_QUESTION
        return self.is_tested & ~(is_rare & (self.n_units.max(initial=0) >= MIN_UNITS_OF_QUESTION))

    @property
    def scope(self) -> NDArray[np.object_]:
        """Prompts like these where root prompts are the unit and enough."""
        return self.design.scopes(self.n_root_prompts)

    @property
    def method(self) -> str:
        """What the design says."""
        return self.design.method

    @property
    def has_sd(self) -> bool:
        """Whether root prompts are the unit."""
        return self.design.unit is Unit.ROOT_PROMPT

    def scale(self, x: Floats) -> Floats:
        """Standard deviation of cells in their block."""
        return np.sqrt((self.design.centred(x) ** 2).mean(axis=0))

    @abstractmethod
    def by_unit(self, x: Floats) -> Floats:
        """Difference of both sides from cells (cells, columns), 0 in other units, (rows, units, columns)."""

    def differences(self, x: Floats) -> Differences:
        """Mean over units with its cluster error."""
        mean, sd = over_units(self.by_unit(x), self.is_present)
        n = self.n_units[:, None].astype(float)
        return Differences(mean.T, sd.T / np.sqrt(np.maximum(n, 1)), n - 1 + 0 * mean.T)


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
    return (design.by_unit @ z).reshape(design.frame.n_groups, design.n_units, -1)


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
