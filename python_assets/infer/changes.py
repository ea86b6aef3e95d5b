"""Two generations on the same root prompts: what changed between them, tested by swapping them.

Belongs here: arithmetic on arrays of root prompts. Which generations, cells and questions these are is
change_rows.py. Where nothing changed, whose answer is whose is a coin toss for each root prompt: one
sign turns round all groups of it. An index such as the range is never subtracted: the noisier of two equal
models has the larger one.

Source: inference.md 8.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import product
from typing import Final, NamedTuple, Protocol

import numpy as np
from scipy import stats

from python_assets.infer import interval
from python_assets.infer.design import MIN_UNITS_FOR_SCOPE, Frame
from python_assets.infer.multiplicity import StepDown, holm, min_p
from python_assets.infer.permutation import TIE, Floats, Ints, p_values, pieces

MOST_FOR_T: Final = 5  # root prompts up to which p is of a t distribution: 32 arrangements are too few
FEWEST_FOR_RATES: Final = 10  # root prompts under which cell rates are too coarse for a t interval
SKEW_PER_ROOT: Final = 0.3  # skewness over the square root of root prompts past which the size is not kept
ROUNDING: Final = 1e-12
FEWEST_FOR_DISPERSION: Final = 8  # groups under which the jackknife of a change of dispersion errs
SIGNS_PER_BATCH: Final = 4_000_000


class Signs(Protocol):
    """Which root prompts are swapped in each draw."""

    n: int
    is_complete: bool

    def batches(self) -> Iterator[Floats]:
        """Signs 1 and -1, shape (draws of the batch, root prompts)."""


class RandomSigns:
    """Random signs of all root prompts of a study; those of some of them are the same wherever they stand."""

    is_complete = False

    def __init__(self, seed: int, n: int, n_units: int, units: Ints) -> None:
        """Say what is drawn.

        Args:
            seed: of the study.
            n: number of draws.
            n_units: root prompts of the study.
            units: the positions of those that are wanted.
        """
        self.n, self._seed, self._n_units, self._units = n, seed, n_units, units
        self._batches = list(pieces(n, max(1, SIGNS_PER_BATCH // max(n_units, 1))))

    def batches(self) -> Iterator[Floats]:
        """Draw them batch by batch; where one batch is all, it is drawn once."""
        if len(self._batches) == 1:
            yield self._only
            return
        yield from map(self._drawn, self._batches)

    @cached_property
    def _only(self) -> Floats:
        return self._drawn(self._batches[0])

    def _drawn(self, part: slice) -> Floats:
        drawn = np.random.default_rng([self._seed, part.start])
        signs = drawn.integers(0, 2, (part.stop - part.start, self._n_units), dtype=np.int8)
        return np.asarray(1 - 2 * signs[:, self._units], dtype=np.float64)


class AllSigns:
    """Every way to swap a few root prompts; p is then the share of them."""

    is_complete = True

    def __init__(self, n_units: int) -> None:
        """Take the number of root prompts."""
        self._n_units = n_units
        self.n = 2**n_units

    def batches(self) -> Iterator[Floats]:
        """All of them at once."""
        yield np.array(list(product((1.0, -1.0), repeat=self._n_units)))


def choose_signs(seed: int, n: int, n_units: int, units: Ints) -> Signs:
    """Every way to swap root prompts, or n random ones where there are more; arguments as RandomSigns."""
    if 2 ** min(len(units), 63) <= n:
        return AllSigns(len(units))
    return RandomSigns(seed, n, n_units, units)


class Paired(NamedTuple):
    """Two generations in the cells that both have a value of.

    units: positions of the root prompts with such a cell, R of them. own, other: means of each group in each
    of them, shape (R, groups), NaN where absent. own_d, other_d: the group minus the others on the same
    prompt, D of inference.md 1; NaN where no other is beside it. n_dropped: root prompts that one alone
    answered.
    """

    units: Ints
    own: Floats
    other: Floats
    own_d: Floats
    other_d: Floats
    own_rest: Floats
    other_rest: Floats
    n_dropped: int

    @property
    def share_dropped(self) -> float:
        """Of all root prompts that any of the two answered."""
        return self.n_dropped / max(self.n_dropped + len(self.units), 1)


def paired(frame: Frame, own: Floats, other: Floats) -> Paired:
    """Put the cells of two generations beside each other.

    Args:
        frame: of the cells.
        own: values of the generation that is compared, shape (cells,), NaN where absent.
        other: of the one that it is compared with.
    """
    root = frame.root_of_block[frame.block]
    held = ~np.isnan(own) & ~np.isnan(other)
    answered = np.unique(root[~np.isnan(own) | ~np.isnan(other)])
    units = np.unique(root[held])
    cell = np.flatnonzero(held)
    blocks, block = np.unique(frame.block[cell], return_inverse=True)
    size = np.bincount(block)
    meets = size[block] > 1
    place, group = np.searchsorted(units, root[cell]), frame.group[cell]
    shape = (len(units), frame.n_groups)

    def by_root(values: Floats, kept: np.ndarray) -> Floats:
        total, n = np.zeros(shape), np.zeros(shape)
        np.add.at(total, (place[kept], group[kept]), values[kept])
        np.add.at(n, (place[kept], group[kept]), 1)
        return np.divide(total, n, out=np.full(shape, np.nan), where=n > 0)

    def beside_others(values: Floats) -> Floats:
        mean = (np.bincount(block, values) / size)[block] if len(blocks) else values
        return (values - mean) * size[block] / np.maximum(size[block] - 1, 1)

    everything = np.ones(len(cell), dtype=bool)
    own, other = own[cell], other[cell]
    return Paired(
        units=units,
        own=by_root(own, everything),
        other=by_root(other, everything),
        own_d=by_root(beside_others(own), meets),
        other_d=by_root(beside_others(other), meets),
        own_rest=by_root(own - beside_others(own), meets),
        other_rest=by_root(other - beside_others(other), meets),
        n_dropped=len(answered) - len(units),
    )


class Change(NamedTuple):
    """Changes of one or more rows, each averaged over root prompts; NaN where there is none.

    p_maxt: stepped down over the rows. p_question: whether any row changed. n: root prompts of each row.
    is_approximate: strongly skewed.
    """

    value: Floats
    std_error: Floats
    ci_low: Floats
    ci_high: Floats
    p_value: Floats
    p_maxt: Floats
    p_question: float
    n: Ints
    is_approximate: np.ndarray
    is_permuted: bool


def change(d: Floats, signs: Signs, alpha: float, *, fewest: int = 2) -> Change:
    """Test whether rows changed, by turning round whole root prompts.

    Args:
        d: the change of each row in each root prompt, shape (root prompts, rows), NaN where absent.
        signs: of the root prompts.
        alpha: intervals are 1 - alpha.
        fewest: root prompts under which a row stands outside the question.

    Returns:
        t intervals; p of a t distribution where MOST_FOR_T root prompts or fewer are there, adjusted by Holm.
    """
    there = ~np.isnan(d)
    n = there.sum(axis=0)
    x = np.nan_to_num(d)
    squares = (x**2).sum(axis=0)
    mean = np.divide(x.sum(axis=0), n, out=np.full(n.shape, np.nan), where=n > 0)
    is_tested = n >= fewest
    t, std_error = _t(x.sum(axis=0), squares, n)
    quantile = interval.t_quantile(n.astype(float), alpha)
    std_error = np.where(is_tested, std_error, np.nan)
    limits = interval.around(mean, std_error, quantile)
    is_permuted = len(d) > MOST_FOR_T
    if not is_tested.any():
        p = p_maxt = np.full(n.shape, np.nan)
        p_question = np.nan
    elif is_permuted:
        p, p_maxt, p_question = _swapped(x, squares, n, np.where(is_tested, np.abs(t), np.nan), signs)
    else:
        p = np.where(is_tested, 2 * stats.t.sf(np.abs(t), np.maximum(n - 1, 1)), np.nan)
        n_mirrored = 1 if int(is_tested.sum()) == 2 and _are_mirrors(d[:, is_tested]) else 0
        p_maxt = holm(p, int(is_tested.sum()) - n_mirrored)
        p_question = float(np.nanmin(p_maxt))
    return Change(
        value=mean,
        std_error=std_error,
        ci_low=limits.low,
        ci_high=limits.high,
        p_value=p,
        p_maxt=p_maxt,
        p_question=p_question,
        n=n,
        is_approximate=_is_skewed(d, n),
        is_permuted=is_permuted,
    )


def _are_mirrors(d: Floats) -> bool:
    return bool(np.allclose(d[:, 0], -d[:, 1], equal_nan=True))


def _t(total: Floats, squares: Floats, n: Ints) -> tuple[Floats, Floats]:
    """T and standard error from sums, t of +-1e6 where nothing varies but the mean."""
    n = np.maximum(n, 1)
    mean = total / n
    spread = squares - n * mean**2
    spread = np.where(spread > ROUNDING * squares, spread, 0.0)
    std_error = np.sqrt(spread / np.maximum(n - 1, 1) / n)
    is_zero = np.abs(mean) <= ROUNDING * np.sqrt(squares)
    constant = np.where(is_zero, 0.0, np.copysign(1e6, mean))
    return np.divide(mean, std_error, out=constant, where=std_error > 0), std_error


def _swapped(
    x: Floats, squares: Floats, n: Ints, observed: Floats, signs: Signs
) -> tuple[Floats, Floats, float]:
    """P of each row, stepped down, and of the question (inference.md 6.3)."""
    is_tested = ~np.isnan(observed)
    step_down = StepDown(observed[:, None])
    n_as_large, stepped = np.zeros(len(n), dtype=np.int64), np.zeros((len(n), 1), dtype=np.int64)
    drawn = []
    for batch in signs.batches():
        sizes = np.abs(_t(batch @ x, squares, n)[0])
        n_as_large += (sizes >= np.where(is_tested, observed, np.inf) - TIE).sum(axis=0)
        stepped += step_down.count(sizes[:, :, None])
        drawn.append(_of_question(sizes[:, is_tested]))
    p = np.where(is_tested, p_values(n_as_large, signs), np.nan)
    p_maxt = step_down.p_values(stepped, signs)[:, 0]
    seen = _of_question(observed[None, is_tested])
    p_question = min_p(seen, np.concatenate(drawn, axis=1)[:, None, :], signs)[0]
    return p, p_maxt, float(p_question)


def _of_question(sizes: Floats) -> Floats:
    """Largest size and sum of squares over the rows, shape (2, draws)."""
    return np.stack([sizes.max(axis=1), (sizes**2).sum(axis=1)])


def _is_skewed(d: Floats, n: Ints) -> np.ndarray:
    centred = d - np.nansum(d, axis=0) / np.maximum(n, 1)
    second, third = (np.nansum(centred**power, axis=0) / np.maximum(n, 1) for power in (2, 3))
    skewness = np.divide(third, second**1.5, out=np.zeros(len(n)), where=second > 0)
    return (n >= MIN_UNITS_FOR_SCOPE) & (np.abs(skewness) > SKEW_PER_ROOT * np.sqrt(n))


class Dispersion(NamedTuple):
    """The change of the unbiased square of the distances of groups, with its parts; NaN where none."""

    value: float
    value_own: float
    value_other: float
    ci_low: float
    ci_high: float
    p_value: float


def dispersion_change(pair: Paired, alpha: float) -> Dispersion:
    """U of one generation minus U of the other: the sum of the squares of the mean D, without noise.

    Args:
        pair: both generations.
        alpha: the interval is 1 - alpha.

    Returns:
        Its interval by the jackknife over root prompts, t of R - 1 degrees of freedom.
    """
    kept = (~np.isnan(pair.own_d)).any(axis=1)
    own, other = pair.own_d[kept], pair.other_d[kept]
    n = len(own)
    if n < MIN_UNITS_FOR_SCOPE:
        return Dispersion(*[float("nan")] * len(Dispersion._fields))
    (value_own, without_own), (value_other, without_other) = _square(own), _square(other)
    value, without = value_own - value_other, without_own - without_other
    std_error = float(np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum()))
    half = stats.t.isf(alpha / 2, n - 1) * std_error
    t = abs(value) / std_error if std_error > 0 else (0.0 if abs(value) < ROUNDING else np.inf)
    p = 2 * stats.t.sf(t, n - 1)
    return Dispersion(value, value_own, value_other, value - half, value + half, float(p))


def _square(d: Floats) -> tuple[float, Floats]:
    """U of D of shape (root prompts, groups), and U without each root prompt in turn."""
    there, x = ~np.isnan(d), np.nan_to_num(d)
    parts = (there, x, x**2)
    whole = [part.sum(axis=0) for part in parts]
    without = (total - part for total, part in zip(whole, parts, strict=True))
    return float(_square_of_sums(*whole)), _square_of_sums(*without)


def _square_of_sums(n: Ints, total: Floats, squares: Floats) -> Floats:
    """U from root prompts, sum and sum of squares of each group: a square without that of single prompts."""
    pairs = n * (n - 1)
    mean = np.divide(total**2 - squares, pairs, out=np.zeros(total.shape), where=pairs > 0)
    return mean.sum(axis=-1) / np.maximum((pairs > 0).sum(axis=-1) - 1, 1)
