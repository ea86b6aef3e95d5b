"""Whether groups differ by more than edits that cannot matter do: how far words move means, and what is left of p.

Belongs here: the arithmetic on tables of root prompts x groups and root prompts x controls. Which cells these are, and
what becomes of rows, is contrasts/controlled.py.

Source: inference.md 14; Crawford and Howell 1998 for one group against a sample of controls.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from scipy import stats

from python_assets.infer.draws.exchange import TIE, Floats, Ints
from python_assets.infer.formulas.adjusted import SINGULAR, adjustment, is_connected
from python_assets.infer.formulas.interval import Interval
from python_assets.infer.result import Bools, InferenceReason

FEWEST_CONTROLS: Final = 3
FEWEST_TYPES: Final = 3
FEWEST_FOR_WORDING: Final = 3
LEAST_CONTROL_SHARE: Final = 0.5  # of the root prompts that groups are compared on, under which a control is left out
_SURE: Final = 0.95
_CHI2_TAIL: Final = 0.05  # of the spread that controls show, where they show less than the groups' own error


class Profile(NamedTuple):
    """Means of the columns of a table, adjusted for root prompts that lack some; their error.

    means: J of them. residual: residual mean square of root prompt + column, NaN without degrees of freedom. n: root
    prompts of each column.
    """

    means: Floats
    residual: float
    n: Ints

    @property
    def error(self) -> float:
        """Mean variance that residuals give the means."""
        return self.residual * float((1 / self.n).mean())


def profile(x: Floats) -> Profile | None:
    """Least squares of cells on root prompt + column: the mean that each column would have on all root prompts.

    Args:
        x: root prompts x columns, NaN where absent; every column has a cell.

    Returns:
        None where no chain of shared root prompts connects all columns.

    Source: inference.md 2.1.
    """
    is_there = ~np.isnan(x)
    x, is_there = x[is_there.any(axis=1)], is_there[is_there.any(axis=1)]
    n_rows, n_columns = x.shape
    n_of_row = is_there.sum(axis=1)
    centred = np.where(is_there, x - np.nanmean(x, axis=1, keepdims=True), 0.0)
    share = is_there / n_of_row[:, None]
    row, column = np.nonzero(is_there)
    equations = adjustment(column, row, np.full(n_rows, 1 / n_rows), n_columns)
    if not is_connected(equations):
        return None
    deviation = np.asarray(np.linalg.pinv(equations, rcond=SINGULAR, hermitian=True)) @ centred.mean(axis=0)
    expected = share @ deviation  # of the columns that a root prompt has
    left = np.where(is_there, centred - deviation + expected[:, None], 0.0)
    df = int(is_there.sum()) - n_rows - n_columns + 1
    return Profile(
        means=float((np.nanmean(x, axis=1) - expected).mean()) + deviation,
        residual=float((left**2).sum() / df) if df > 0 else np.nan,
        n=is_there.sum(axis=0),
    )


class Wording(NamedTuple):
    """How far words alone move the means of groups, and the groups themselves on the same scale.

    groups, controls: column means, of rates the arcsine of their root. variance: V, of a mean that words alone move.
    df: nu. back: to the scale of the measure. is_kept: controls that stand in enough root prompts, of all
    that are declared. n_types: of these, None where types are not declared. sd, sd_low, sd_high: of the wording
    effect, with 95 % limits, in the unit of the measure. nothing: differences of so much are rounding.
    """

    groups: Floats
    controls: Floats
    variance: float
    df: int
    back: float
    is_kept: Bools
    n_types: int | None
    sd: float
    sd_low: float
    sd_high: float
    nothing: float

    @property
    def p_value(self) -> float:
        """That the groups differ by no more than controls do: F of their variance over V."""
        spread, df = float(self.groups.var(ddof=1)), len(self.groups) - 1
        if self.variance > 0:
            return float(stats.f.sf(spread / self.variance, df, self.df))
        return 0.0 if spread > self.nothing**2 else 1.0

    def errors(self, weights: Floats) -> Floats:
        """Standard error of contrasts of groups that words alone give them, in the unit of the measure."""
        errors: Floats = self.back * np.sqrt(self.variance * (weights**2).sum(axis=-1))
        return errors

    def p_of_contrasts(self, weights: Floats) -> Floats:
        """Two-sided p of contrasts, shape (contrasts, groups), each for itself."""
        return self._p(weights @ self.groups, np.sqrt(self.variance * (weights**2).sum(axis=-1)))

    def p_of_unedited(self) -> Floats:
        """Two-sided p of every group against the text without any edit, which controls stand for."""
        error = np.sqrt(self.variance * (1 + 1 / len(self.controls)))
        return self._p(self.groups - self.controls.mean(), error)

    def _p(self, difference: Floats, error: Floats | float) -> Floats:
        size = np.abs(difference)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(size <= self.nothing, 0.0, size / error)
        return 2 * np.asarray(stats.t.sf(t, self.df))

    @property
    def floors(self) -> dict[str, float]:
        """What controls lead one to expect of metrics over as many groups, at most in .95 of studies, by metric."""
        n, root = len(self.groups), self.back * float(np.sqrt(self.variance))
        return {
            "range": root * studentised_range(n, self.df),
            "standard_deviation": root * float(np.sqrt(stats.f.ppf(_SURE, n - 1, self.df))),
        }


@cache
def studentised_range(n_groups: int, df: int) -> float:
    """Its 95 % quantile, which takes scipy up to a second."""
    return float(stats.studentized_range.ppf(_SURE, n_groups, df))


def degrees_of_freedom(n_controls: int, n_types: int | None) -> int:
    """Of the variance of controls: two of one type say the same, and without types any two may.

    Source: inference.md 14.
    """
    return n_types - 1 if n_types is not None else max(2, n_controls // 2 - 1)


def wording(
    x: Floats, y: Floats, types: Sequence[str] | None, n_responses: tuple[Floats, Floats] | None = None
) -> Wording | InferenceReason:
    """How far words move the means of groups, by what edits that cannot matter do in the same root prompts.

    Args:
        x: root prompts x groups, of cell means, NaN where absent; blocks of a root prompt averaged.
        y: the same root prompts x controls.
        types: of the controls; None where the study declares none.
        n_responses: of rates the responses of every cell of x and of y; None where values are no rates.

    Returns:
        The reason why controls say nothing: too few of them or of their types, too few root prompts, or no common
        scale.

    Source: inference.md 14, steps 1 to 3 and 8.
    """
    is_used = (~np.isnan(x)).sum(axis=1) >= 2
    if is_used.sum() < FEWEST_FOR_WORDING:
        return InferenceReason.TOO_FEW_ROOT_PROMPTS
    x, y = x[is_used], y[is_used]
    is_kept = (~np.isnan(y)).mean(axis=0) >= LEAST_CONTROL_SHARE
    n_controls = int(is_kept.sum())
    kept_types = None if types is None else {one for one, kept in zip(types, is_kept, strict=True) if kept}
    n_types = None if kept_types is None else len(kept_types)
    if n_controls < FEWEST_CONTROLS or (n_types is not None and n_types < FEWEST_TYPES):
        had_enough = len(is_kept) >= FEWEST_CONTROLS and (types is None or len(set(types)) >= FEWEST_TYPES)
        return InferenceReason.CONTROL_INCOMPLETE if had_enough else InferenceReason.TOO_FEW_CONTROLS
    y = y[:, is_kept]
    group_profile, control_profile = profile(x), profile(y)
    if group_profile is None or control_profile is None:
        return InferenceReason.NOT_CONNECTED
    df = degrees_of_freedom(n_controls, n_types)
    groups, controls = group_profile.means, control_profile.means
    error_of_groups, residual, back, unit = group_profile.error, control_profile.residual, 1.0, 1.0
    if n_responses is not None:
        n_x, n_y = (n[is_used].sum(axis=0) for n in n_responses)
        groups, spread = _arcsine(groups, n_x)
        controls, spread_of_controls = _arcsine(controls, n_y[is_kept])
        error_of_groups, residual = error_of_groups / (4 * spread), residual / (4 * spread_of_controls)
        back, unit = 2 * np.sqrt(spread), 2 * np.sqrt(spread_of_controls)
    s2 = float(controls.var(ddof=1))
    inverse_n_of_groups, inverse_n = (float((1 / one.n).mean()) for one in (group_profile, control_profile))
    error = residual * inverse_n
    low, high = (
        np.sqrt(max(0.0, df * variance / stats.chi2.ppf(quantile, df) - error))
        for variance, quantile in ((s2, 0.975), (max(s2, error), 0.025))
    )
    variance = max(
        s2 + residual * max(0.0, inverse_n_of_groups - inverse_n),
        error_of_groups * float(stats.chi2.ppf(_CHI2_TAIL, df)) / df,
    )
    nothing = TIE * float(max(np.nanmax(np.abs(x)), np.nanmax(np.abs(y))))
    return Wording(
        groups=groups,
        controls=controls,
        variance=variance if variance > nothing**2 else 0.0,
        df=df,
        back=back,
        is_kept=is_kept,
        n_types=n_types,
        sd=unit * float(np.sqrt(max(0.0, s2 - error))),
        sd_low=unit * low,
        sd_high=unit * high if high > nothing else 0.0,
        nothing=nothing,
    )


def _arcsine(means: Floats, n: Floats) -> tuple[Floats, float]:
    """Rates of columns over n responses on a scale where their error is alike, and p(1 - p) of all together."""
    means = means.clip(0, 1)
    events = means * n
    p = float((events.sum() + 3 / 8) / (n.sum() + 3 / 4))
    return np.arcsin(np.sqrt((events + 3 / 8) / (n + 3 / 4))), p * (1 - p)


def widened(value: Floats, limits: Interval, error: Floats, df: Floats, alpha: Floats | float) -> Interval:
    """Intervals that hold what words alone do, too; as they are where error is NaN.

    Args:
        value: of the rows.
        limits: of today.
        error: of Wording.errors.
        df: nu.
        alpha: intervals are 1 - alpha.
    """
    if np.isnan(error).all():
        return limits
    half = stats.t.isf(np.asarray(alpha) / 2, df) * error
    return Interval(
        *(
            np.where(np.isnan(half), side, outer(side, value + sign * half))
            for side, sign, outer in ((limits.low, -1, np.minimum), (limits.high, 1, np.maximum))
        )
    )


def margin_p(value: Floats, margin: Floats, error: Floats, df: Floats) -> tuple[Floats, Floats]:
    """P that a difference is past a margin, and inside it, by what words alone do; NaN without a margin or an error."""
    with np.errstate(divide="ignore", invalid="ignore"):
        past = (np.abs(value) - margin) / error
    return stats.t.sf(past, df), stats.t.sf(-past, df)
