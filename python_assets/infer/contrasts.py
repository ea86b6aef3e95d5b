"""A group against what it is compared with: value, error, interval, p and noise floor of each row.

Belongs here: what every contrast shares, and how its parts are put together. Differences of means are
means.py, rates rates.py, replicates of a single prompt replicates.py; q and verdicts are multiplicity.py and
verdict.py.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from python_assets.infer import interval
from python_assets.infer.design import MIN_UNITS, Unit, scopes
from python_assets.infer.interval import Interval
from python_assets.infer.multiplicity import StepDown
from python_assets.infer.permutation import TIE, Draws, Floats, Ints, p_values
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.sides import Counts, Sides

LARGEST_T = 1e6  # stands for a difference without any error
Objects = NDArray[np.object_]


class Contrasts(NamedTuple):
    """One number a column and row, shape (columns, rows); NaN where NULL.

    p_maxt: stepped down over the rows whose p comes from draws, NaN for the others. sd: of the differences
    over root prompts, for planning; NaN where something else is the unit. p_margin, p_equivalence:
    unadjusted. is_permuted: whether p comes from draws. reason, method, scope: texts, reason None where
    nothing is missing.
    """

    value: Floats
    std_error: Floats
    ci_low: Floats
    ci_high: Floats
    null_median: Floats
    null_q95: Floats
    p_value: Floats
    p_maxt: Floats
    sd: Floats
    p_margin: Floats
    p_equivalence: Floats
    is_permuted: NDArray[np.bool_]
    n_root_prompts: Ints
    reason: Objects
    method: Objects
    scope: Objects


class Estimate(NamedTuple):
    """What the data alone say, shape (columns, rows): value, error, test statistic, its df and interval."""

    value: Floats
    std_error: Floats
    statistic: Floats
    df: Floats
    limits: Interval


class Tested(NamedTuple):
    """p of each row and its step-down p, shape (columns, rows)."""

    p_value: Floats
    p_maxt: Floats


class Extremes:
    """Counts the draws as extreme as the observation, row by row and stepped down over the rows."""

    def __init__(self, observed: Floats, is_tested: NDArray[np.bool_]) -> None:
        """Take the sizes of the statistic, shape (rows, columns), and which rows step down, shape (rows,)."""
        self._least = observed - TIE
        self._step_down = StepDown(np.where(is_tested[:, None], observed, np.nan))

    def count(self, permuted: Floats, columns: slice) -> Counts:
        """Count both over a batch of draws.

        Args:
            permuted: sizes under each draw, shape (draws, rows, columns of the piece).
            columns: the piece.

        Returns:
            Shape (2, rows, columns of the piece).
        """
        alone = (permuted >= self._least[:, columns]).sum(axis=0)
        return np.stack([alone, self._step_down.count(permuted, columns)])

    def tested(self, counts: Counts, draws: Draws) -> Tested:
        """Turn counts over all draws into p values."""
        return Tested(p_values(counts[0], draws).T, self._step_down.p_values(counts[1], draws).T)


def is_floored(sides: Sides, alpha: float) -> NDArray[np.bool_]:
    """Whether no arrangement could bring a row below alpha among the tests of its column, shape (rows,).

    Source: inference.md section 1 (K = 2: R <= 5).
    """
    return sides.smallest_p > alpha / max(sides.n_tests, 1)


def is_permuted(sides: Sides, alpha: float) -> NDArray[np.bool_]:
    """Whether the p of a row comes from draws, shape (rows,)."""
    return ~is_floored(sides, alpha) & (sides.is_present.sum(axis=1) >= MIN_UNITS)


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


def margin_p(
    estimate: Estimate, limits: Callable[[Floats], Interval], margin: Floats
) -> tuple[Floats, Floats]:
    """One-sided p of the margin, only for the columns that have one."""
    if np.isnan(margin).all():
        return np.full_like(estimate.value, np.nan), np.full_like(estimate.value, np.nan)
    return interval.margin_levels(
        estimate.value, limits, estimate.df, np.broadcast_to(margin[:, None], estimate.value.shape)
    )


def assemble(
    sides: Sides,
    estimate: Estimate,
    tested: Tested,
    floor: tuple[Floats, Floats],
    levels: tuple[Floats, Floats],
    options: tuple[float, tuple[str, str, str]],
) -> Contrasts:
    """Put the parts together, with the fallback where no permutation p could reach alpha.

    Args:
        sides: what the rows compare.
        estimate: what the data say.
        tested: what the draws say.
        floor: median and 95 % quantile of the null.
        levels: p of being past the margin and within it.
        options: alpha, and the names of permutation p, fallback p and interval.
    """
    alpha, names = options
    p_t = 2 * stats.t.sf(np.abs(estimate.statistic), np.maximum(estimate.df, 1))
    n, roots, shape = sides.is_present.sum(axis=1), sides.n_root_prompts, estimate.value.shape
    enough = np.where(n >= MIN_UNITS, 1.0, np.nan)
    unit = sides.design.unit
    sd = estimate.std_error * np.sqrt(n) * (1 if unit is Unit.ROOT_PROMPT else np.nan)
    texts = [_reasons(n, is_floored(sides, alpha)), _methods(sides, names, alpha), scopes(roots, unit)]
    texts[1:] = [first_of([n >= MIN_UNITS], [text]) for text in texts[1:]]
    reason, method, scope = (np.broadcast_to(text, shape) for text in texts)
    return Contrasts(
        value=estimate.value,
        std_error=estimate.std_error * enough,
        ci_low=estimate.limits.low * enough,
        ci_high=estimate.limits.high * enough,
        null_median=floor[0] * enough,
        null_q95=floor[1] * enough,
        p_value=np.where(is_floored(sides, alpha), p_t, tested.p_value) * enough,
        p_maxt=tested.p_maxt,
        sd=sd * enough,
        p_margin=levels[0] * enough,
        p_equivalence=levels[1] * enough,
        is_permuted=np.broadcast_to(~is_floored(sides, alpha), shape),
        n_root_prompts=np.broadcast_to(roots, shape),
        reason=reason,
        method=method,
        scope=scope,
    )


def _methods(sides: Sides, names: tuple[str, str, str], alpha: float) -> Objects:
    permuted, fallback, interval_name = names
    words = [
        f"{fallback} (smallest permutation p {low:.3g})" if floored else permuted
        for low, floored in zip(sides.smallest_p, is_floored(sides, alpha), strict=True)
    ]
    return np.array([f"{word}, {interval_name}{sides.design.method}" for word in words], dtype=object)


def _reasons(n_units: Ints, floored: NDArray[np.bool_]) -> Objects:
    few = InferenceReason.TOO_FEW_ROOT_PROMPTS
    choices = [n_units == 0, n_units < MIN_UNITS, floored]
    return first_of(choices, [InferenceReason.NO_SHARED_BLOCK, few, InferenceReason.P_FLOOR])


def blanked(contrasts: Contrasts, is_missing: NDArray[np.bool_], reason: InferenceReason) -> Contrasts:
    """Blank the rows of the columns that are missing, shape (columns,), but for the reason."""
    shape = contrasts.value.shape
    nothing = without_inference(shape, np.array(reason, dtype=object))
    return Contrasts._make(
        np.where(is_missing[:, None], blank, field) for blank, field in zip(nothing, contrasts, strict=True)
    )


def without_inference(shape: tuple[int, int], reason: Objects) -> Contrasts:
    """Rows of nothing but a reason, shape (columns, rows)."""
    nothing = np.full(shape, np.nan)
    texts = np.full(shape, None, dtype=object)
    return Contrasts(
        value=nothing,
        std_error=nothing,
        ci_low=nothing,
        ci_high=nothing,
        null_median=nothing,
        null_q95=nothing,
        p_value=nothing,
        p_maxt=nothing,
        sd=nothing,
        p_margin=nothing,
        p_equivalence=nothing,
        is_permuted=np.zeros(shape, dtype=bool),
        n_root_prompts=np.zeros(shape, dtype=np.intp),
        reason=np.broadcast_to(reason, shape),
        method=texts,
        scope=texts,
    )
