"""Two generations on the same root prompts: what changed between them, tested by swapping them.

Belongs here: arithmetic on arrays of root prompts. Which generations, cells and questions these are is
measure_changes.py. Where nothing changed, whose answer is whose is a coin toss for each root prompt: one sign
turns round all groups of it. An index such as the range is never subtracted: the noisier of two equal models
has the larger one.

Source: inference.md 8.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

import numpy as np
from scipy import stats

from python_assets.infer.changes.change_rows import Change
from python_assets.infer.design.design import MIN_UNITS_FOR_SCOPE, MIN_UNITS_OF_HYPOTHESIS, Frame
from python_assets.infer.draws.exchange import TIE, Floats, Ints, goes_on, p_values
from python_assets.infer.draws.flips import ROUNDING, Flips, t_of_sums
from python_assets.infer.formulas import skewed
from python_assets.infer.formulas.multiplicity import StepDown, holm, min_p
from python_assets.infer.formulas.skewed import Mean
from python_assets.infer.result import INTERVAL, Bools, InferenceReason, Result, first_of

MOST_FOR_T: Final = 5  # root prompts up to which p is of a t distribution: 32 arrangements are too few
SKEW_PER_ROOT: Final = 0.3  # skewness over the square root of root prompts past which the size is not kept
FEWEST_FOR_DISPERSION: Final = 8  # groups under which the jackknife of a change of dispersion errs
SWAPPED: Final = "generations swapped on whole root prompts, studentised; cluster t and Hall interval"
_BY_T: Final = "cluster t; cluster t and Hall interval"
JACKKNIFE: Final = "jackknife over root prompts, t"


class Paired(NamedTuple):
    """Two generations in the cells that both have a value of, the compared one first.

    units: positions of the root prompts with such a cell, R of them. means: of each row in each of them, shape
    (2, R, rows), NaN where absent; a row is a group, and of several labels the groups of the first one come
    first. differences: the group minus the others on the same prompt, D of inference.md 1; others: what is
    subtracted; NaN where no other is there. n_dropped: root prompts that one alone answered.
    """

    units: Ints
    means: Floats
    differences: Floats
    others: Floats
    n_dropped: int

    @property
    def share_dropped(self) -> float:
        """Of all root prompts that any of the two answered."""
        return self.n_dropped / max(self.n_dropped + len(self.units), 1)


def paired(frame: Frame, x: Floats) -> Paired:
    """Put the cells of two generations next to each other.

    Args:
        frame: of the cells.
        x: values of both generations, shape (2, cells, labels), NaN where absent; labels are present together.
    """
    root = frame.root_of_block[frame.block]
    is_present = ~np.isnan(x).any(axis=2)
    cell = np.flatnonzero(is_present.all(axis=0))
    units, unit = np.unique(root[cell], return_inverse=True)
    blocks, block = np.unique(frame.block[cell], return_inverse=True)
    size = np.bincount(block)[block][:, None, None]
    row = unit * frame.n_groups + frame.group[cell]
    n_labels = x.shape[2]
    values = x[:, cell].swapaxes(0, 1)
    totals = np.zeros((len(blocks), 2, n_labels))
    np.add.at(totals, block, values)
    differences = (values - totals[block] / size) * size / np.maximum(size - 1, 1)

    def by_root(values: Floats, is_kept: Bools) -> Floats:
        total = np.zeros((len(units) * frame.n_groups, 2, n_labels))
        np.add.at(total, row[is_kept], values[is_kept])
        n = np.bincount(row[is_kept], minlength=len(total))[:, None, None]
        means = np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)
        by_label = means.reshape(len(units), frame.n_groups, 2, n_labels).transpose(2, 0, 3, 1)
        return cast(Floats, by_label.reshape(2, len(units), n_labels * frame.n_groups))

    meets_others = size.ravel() > 1
    return Paired(
        units=units,
        means=by_root(values, np.ones(len(cell), dtype=bool)),
        differences=by_root(differences, meets_others),
        others=by_root(values - differences, meets_others),
        n_dropped=len(np.unique(root[is_present.any(axis=0)])) - len(units),
    )


class Sizes(NamedTuple):
    """How far rows changed, with the intervals of formulas/skewed.py: no p of no change."""

    value: Floats
    std_error: Floats
    ci_low: Floats
    ci_high: Floats
    t: Floats
    n: Ints
    p_equivalence: Floats
    skewness: Floats
    skewness_of_hypothesis: Floats


class MeanErrors(NamedTuple):
    """How errors of means over root prompts are made, and of how many they have degrees of freedom.

    of_sums: t and standard error as t_of_sums gives them. n_labelled: root prompts; those of each row where None, and
    else intervals are of t alone.
    """

    of_sums: Callable[[Floats, Floats, Ints], tuple[Floats, Floats]] = t_of_sums
    n_labelled: int | None = None

    def n(self, n: Ints) -> Ints:
        """What degrees of freedom are one less than."""
        return n if self.n_labelled is None else np.where(n > 0, self.n_labelled, 0)


PLAIN: Final = MeanErrors()


def at_least_mean(total: Floats, squares: Floats, n: Ints) -> tuple[Floats, Floats]:
    """T and standard error of rows, each error at least the mean one of all rows of a question (inference.md 9.2)."""
    t, std_error = t_of_sums(total, squares, n)
    tested = n >= MIN_UNITS_OF_HYPOTHESIS
    if not tested.any():
        return t, std_error
    error = np.sqrt(np.maximum(std_error**2, (std_error[..., tested] ** 2).mean(axis=-1, keepdims=True)))
    return np.divide(total / np.maximum(n, 1), error, out=t, where=error > 0), error


def sizes_of(d: Floats, alpha: float, *, fewest: int = 2, margin: float = np.nan, errors: MeanErrors = PLAIN) -> Sizes:
    """Means over root prompts, with R - 1 degrees of freedom.

    Args:
        d: changes of shape (root prompts, rows), NaN where absent.
        alpha: intervals are 1 - alpha.
        fewest: root prompts under which a row has no error.
        margin: that p_equivalence is of, in the unit of d; NaN without one.
        errors: how they are made.
    """
    n = (~np.isnan(d)).sum(axis=0)
    z = np.nan_to_num(d)
    total = z.sum(axis=0)
    value = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
    t, std_error = errors.of_sums(total, (z**2).sum(axis=0), n)
    is_told = n >= fewest
    row_skewness = skewed.skewness(d, ~np.isnan(d), 0) if errors.n_labelled is None else np.full(n.shape, np.nan)
    row_skewness[~is_told] = np.nan
    std_error = np.where(is_told, std_error, np.nan)
    hypothesis_skewness = skewed.mean_skewness(row_skewness, is_told)
    mean = Mean(value, std_error, errors.n(n).astype(float) - 1.0, row_skewness, hypothesis_skewness)
    limits = skewed.limits(mean, alpha)
    return Sizes(
        value,
        std_error,
        *limits,
        t=np.where(is_told, t, np.nan),
        n=n,
        p_equivalence=skewed.margin_p(mean, np.full(n.shape, margin))[1],
        skewness=row_skewness,
        skewness_of_hypothesis=hypothesis_skewness,
    )


def mean_changes(
    x: Floats,
    signs: Flips,
    alpha: float,
    *,
    fewest: int = 2,
    margin: float = np.nan,
    alpha_of_draws: float | None = None,
    errors: MeanErrors = PLAIN,
    rarely_apart: Bools | None = None,
) -> Change:
    """Test whether rows changed, by turning round whole root prompts.

    Args:
        x: values of both generations in each root prompt, shape (2, root prompts, rows), NaN where absent.
        signs: of the root prompts.
        alpha: intervals are 1 - alpha.
        fewest: root prompts under which a row stands outside the question.
        margin: of sizes_of.
        alpha_of_draws: of Options; alpha where None.
        errors: how they are made.
        rarely_apart: rows in which few root prompts differ from what most have; by the rows' own changes where None.

    Returns:
        Means over root prompts with their intervals; p of a t distribution where MOST_FOR_T root prompts or fewer
        are there, adjusted by Holm. p_hypothesis: whether any row changed; of the first stage of the signs where it is
        not small there (inference.md 6.5).
    """
    d = x[0] - x[1]
    sizes = sizes_of(d, alpha, fewest=fewest, margin=margin, errors=errors)
    n = sizes.n
    value_a, value_b = np.divide(np.nansum(x, axis=1), n, out=np.full((2, *n.shape), np.nan), where=n > 0)
    is_tested, is_permuted = n >= fewest, len(d) > MOST_FOR_T
    rarely = skewed.is_rarely_apart(d) if rarely_apart is None else rarely_apart
    # the same change on each of few root prompts: t has nothing to hold it against
    has_no_error = is_tested & (not is_permuted) & (np.abs(sizes.t) > 0) & (sizes.std_error == 0)
    p = p_maxt = np.full(n.shape, np.nan)
    p_hypothesis = np.nan
    n_draws = 0
    if is_tested.any():
        observed = np.abs(sizes.t)
        if not is_permuted:
            p, p_maxt, p_hypothesis = _by_t(d, n, np.where(has_no_error, np.nan, observed))
        for stage in signs.stages if is_permuted else ():
            p, p_maxt, p_hypothesis = _swapped(d, n, observed, stage, errors)
            n_draws = stage.n
            if not goes_on(np.asarray(p_hypothesis), alpha_of_draws or alpha):
                break
    result = Result.of(
        n.shape,
        value=sizes.value,
        std_error=sizes.std_error,
        studentised=sizes.t,
        df=errors.n(n) - 1.0,
        ci_low=sizes.ci_low,
        ci_high=sizes.ci_high,
        p_value=p,
        p_maxt=p_maxt,
        p_hypothesis=p_hypothesis,
        p_equivalence=sizes.p_equivalence,
        skewness=sizes.skewness,
        skewness_of_hypothesis=sizes.skewness_of_hypothesis,
        n_root_prompts=n,
        n_units=n,
        n_draws=n_draws,
        is_permuted=is_permuted,
        method=first_of([is_tested], [SWAPPED if is_permuted else _BY_T]),
        reason=first_of(
            [~is_tested, _is_skewed(d, n) | rarely, np.full(n.shape, not is_permuted)],
            [InferenceReason.FEW_BESIDE_OTHERS, InferenceReason.APPROXIMATE, InferenceReason.P_FLOOR],
        ),
    ).refused(has_no_error, InferenceReason.NO_ERROR, ("p_value", "p_maxt", *INTERVAL))
    return Change(result, value_a, value_b)


def _by_t(d: Floats, n: Ints, observed: Floats) -> tuple[Floats, Floats, float]:
    """P of a t distribution of each row, by Holm, and of the question; two rows that mirror each other are one test."""
    p = 2 * stats.t.sf(observed, np.maximum(n - 1, 1))
    tested = d[:, ~np.isnan(observed)]
    is_mirrored = tested.shape[1] == 2 and np.allclose(tested[:, 0], -tested[:, 1], equal_nan=True)
    p_maxt = holm(p, max(tested.shape[1] - int(is_mirrored), 1))
    return p, p_maxt, float(np.nanmin(p_maxt)) if tested.size else np.nan


def _swapped(d: Floats, n: Ints, observed: Floats, signs: Flips, errors: MeanErrors) -> tuple[Floats, Floats, float]:
    """P of each row, stepped down, and of the question (inference.md 6.3)."""
    x = np.nan_to_num(d)
    squares = (x**2).sum(axis=0)
    is_tested = ~np.isnan(observed)
    step_down = StepDown(observed[:, None])
    n_as_large, stepped = np.zeros(len(n), dtype=np.int64), np.zeros((len(n), 1), dtype=np.int64)

    def of_hypothesis(sizes: Floats) -> Floats:
        tested = sizes[:, is_tested]
        return np.stack([tested.max(axis=1), (tested**2).sum(axis=1)])

    drawn = []
    for batch in signs.batches():
        sizes = np.abs(errors.of_sums(batch @ x, squares, n)[0])
        n_as_large += (sizes >= np.where(is_tested, observed, np.inf) - TIE).sum(axis=0)
        stepped += step_down.count(sizes[:, :, None])
        drawn.append(of_hypothesis(sizes))
    p = np.where(is_tested, p_values(n_as_large, signs), np.nan)
    p_maxt = step_down.p_values(stepped, signs)[:, 0]
    p_hypothesis = min_p(of_hypothesis(observed[None]), np.concatenate(drawn, axis=1)[:, None, :], signs)[0]
    return p, p_maxt, float(p_hypothesis)


def _is_skewed(d: Floats, n: Ints) -> Bools:
    centred = d - np.nansum(d, axis=0) / np.maximum(n, 1)
    second, third = (np.nansum(centred**power, axis=0) / np.maximum(n, 1) for power in (2, 3))
    skewness: Floats = np.divide(third, second**1.5, out=np.zeros(len(n)), where=second > 0)
    return (n >= MIN_UNITS_FOR_SCOPE) & (np.abs(skewness) > SKEW_PER_ROOT * np.sqrt(n))


def dispersion_change(differences: Floats, alpha: float) -> Change:
    """U of one generation minus U of the other: the sum of the squares of the mean D, without noise.

    Args:
        differences: D of both, shape (2, root prompts, groups), NaN where absent.
        alpha: the interval is 1 - alpha.

    Returns:
        One row, with its interval by the jackknife over root prompts, t of R - 1 degrees of freedom; without a
        value under MIN_UNITS_FOR_SCOPE root prompts.
    """
    is_present = ~np.isnan(differences[0])
    this_side, other = differences[:, is_present.any(axis=1)]
    n, nothing = len(this_side), np.array([np.nan])
    if n < MIN_UNITS_FOR_SCOPE:
        return Change(Result.of((1,), n_root_prompts=n, reason=InferenceReason.TOO_FEW_ROOT_PROMPTS), nothing, nothing)
    (value_a, without_a), (value_b, without_b) = _square(this_side), _square(other)
    without = without_a - without_b
    std_error = float(np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum()))
    has_few = is_present.any(axis=0).sum() < FEWEST_FOR_DISPERSION
    fields = {"reason": InferenceReason.APPROXIMATE if has_few else None, "method": JACKKNIFE}
    fields |= t_test(value_a - value_b, std_error, n, alpha)
    result = Result.of((1,), **fields, n_root_prompts=n)
    return Change(result, np.array([value_a]), np.array([value_b]))


def t_test(value: float, std_error: float, n: int, alpha: float) -> dict[str, Any]:
    """The fields of a result for one number over n root prompts: its t interval and p, or that it has no error."""
    if std_error <= TIE * abs(value) and abs(value) >= ROUNDING:
        return {"value": value, "reason": InferenceReason.NO_ERROR}
    half = stats.t.isf(alpha / 2, n - 1) * std_error
    p = float(2 * stats.t.sf(abs(value) / std_error, n - 1)) if std_error > 0 else 1.0
    return {"value": value, "ci_low": value - half, "ci_high": value + half, "p_value": p}


def _square(d: Floats) -> tuple[float, Floats]:
    """U of D of shape (root prompts, groups), and U without each root prompt in turn."""

    def of_sums(n: Ints, total: Floats, squares: Floats) -> Floats:
        # the square of a mean without that of single prompts: the mean product of two of them
        pairs = n * (n - 1)
        mean = np.divide(total**2 - squares, pairs, out=np.zeros(total.shape), where=pairs > 0)
        return cast(Floats, mean.sum(axis=-1) / np.maximum((pairs > 0).sum(axis=-1) - 1, 1))

    x = np.nan_to_num(d)
    terms = (~np.isnan(d), x, x**2)
    whole = [term.sum(axis=0) for term in terms]
    return float(of_sums(*whole)), of_sums(*(total - term for total, term in zip(whole, terms, strict=True)))
