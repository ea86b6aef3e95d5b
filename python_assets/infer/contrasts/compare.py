"""Everything that is computed on columns of one scheme, in stages of draws and in pieces that fit in memory.

Belongs here: which null serves which contrasts and indices. The statistics themselves are means.py, rates.py,
index.py and profiles.py.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from python_assets.infer.contrasts.contrast import Null, with_mirrors
from python_assets.infer.contrasts.flipped import flipped_p
from python_assets.infer.contrasts.index import BELOW_FOUR_FIFTHS, INDICES, RATE_INDICES, index_tests, spread_of
from python_assets.infer.contrasts.index_intervals import below_four_fifths, inverted_indices
from python_assets.infer.contrasts.interaction import interaction
from python_assets.infer.contrasts.means import mean_differences, mean_estimate, mean_null
from python_assets.infer.contrasts.profiles import ProfileTest, profile_tests, shuffled_profiles
from python_assets.infer.contrasts.rates import log_disparities, rate_differences, rate_estimate, rate_null
from python_assets.infer.draws.exchange import Draws, Floats, Ints, goes_on, pieces
from python_assets.infer.formulas.interval import Interval
from python_assets.infer.result import EVERY_P, NO_P, InferenceReason, Result, joined
from python_assets.infer.schemes.block_contrast import BlockContrast
from python_assets.infer.schemes.choose import Blocks, InUnits, stages
from python_assets.infer.schemes.group_means import BlockMeans
from python_assets.infer.schemes.inversion import N_NOISE
from python_assets.infer.schemes.pair_contrast import PairContrast
from python_assets.infer.schemes.unit_contrast import UnitContrast
from python_assets.infer.tables import INTERACTION
from python_assets.study.base import Against

NULL_BYTES = 600_000_000  # of the permuted values that are held at once
Scheme = Blocks | InUnits


class Compared(NamedTuple):
    """Contrasts by name, shape (columns, rows), and indices by metric, shape (columns,), of the same columns."""

    contrasts: dict[str, Result]
    indices: dict[str, Result]

    def each(self, contrast: Callable[[Result], Result], index: Callable[[Result], Result]) -> "Compared":
        """The same with every contrast and every index changed."""
        return Compared(
            {name: contrast(one) for name, one in self.contrasts.items()},
            {name: index(one) for name, one in self.indices.items()},
        )

    def taken(self, places: Ints, n_columns: int) -> "Compared":
        """Some of n_columns columns; a contrast may have several rows of labels for each."""

        def of(one: Result) -> Result:
            n_labels = len(one.value) // n_columns
            return one.taken((places[:, None] * n_labels + np.arange(n_labels)).ravel())

        return self.each(of, of)


class Tried(NamedTuple):
    """What some draws say of the questions of some columns, and the rest of those at given places."""

    p_hypothesis: Floats
    rest: Callable[[Ints], Compared]


def compare_values(
    scheme: Scheme,
    x: Floats,
    margins: dict[str, Floats],
    *,
    is_rate: bool,
    with_log: bool = False,
    with_indices: bool = True,
    with_flips: bool = False,
) -> Compared:
    """Contrasts and indices of group means, or of rates.

    Args:
        scheme: cells and draws.
        x: cell means or rates, shape (cells, columns).
        margins: of each column by contrast or metric, NaN where none is declared.
        is_rate: whether values lie between 0 and 1: contrast risk_difference in place of mean_difference.
        with_log: whether log disparities of rates are wanted.
        with_indices: whether indices are.
        with_flips: whether the p of a question of means in blocks has to stand sign flips too.

    Returns:
        Of a crossing INTERACTION too, which the question is of: the others have no p, and the draws of one stage.
    """
    contrast, name = scheme.contrast, "risk_difference" if is_rate else "mean_difference"
    null_of, differences = (rate_null, rate_differences) if is_rate else (mean_null, mean_differences)

    def try_columns(columns: Ints, draws: Draws) -> Tried:
        values, column_margins = x[:, columns], {key: margin[columns] for key, margin in margins.items()}
        null = null_of(contrast, values, draws)
        tested = differences(contrast, values, null.tested, alpha=scheme.alpha, margin=column_margins[name])
        if scheme.parts is not None:
            tested = tested._replace(p_hypothesis=np.full(tested.value.shape, np.nan))
        elif with_flips and not is_rate and isinstance(scheme, Blocks) and not isinstance(contrast, UnitContrast):
            tested = _with_flips(scheme, contrast, values, tested, draws.n)

        def rest(at: Ints) -> Compared:
            margins_at, null_at = {key: margin[at] for key, margin in column_margins.items()}, null.taken(at)
            contrasts = {name: tested.taken(at)}
            if with_log:
                margin = margins_at.get("log_disparity", np.full(len(at), np.nan))
                contrasts["log_disparity"] = log_disparities(
                    contrast, values[:, at], null_at.tested, alpha=scheme.alpha, margin=margin
                )
            indices = (
                _indices(scheme, values[:, at], margins_at, null_at, draws, is_rate=is_rate) if with_indices else {}
            )
            return Compared(contrasts, indices)

        return Tried(tested.p_hypothesis[:, 0] if tested.p_hypothesis.shape[1] else np.full(len(columns), np.nan), rest)

    compared = _with_all_rows(scheme, in_stages(scheme, x.shape[1], 2 * len(contrast.rows.n_units), try_columns))
    return _beyond_its_parts(scheme, compared, x, margins[name])


def _beyond_its_parts(scheme: Scheme, compared: Compared, x: Floats, margin: Floats, n_together: int = 1) -> Compared:
    """What is told of a crossing: what its cells add to its parts, and all else without p.

    Source: inference.md 6.10.
    """
    if scheme.parts is None:
        return compared
    reason = InferenceReason.TOLD_BY_PARTS
    compared = compared.each(
        lambda one: one.refused(~np.isnan(one.p_value), reason, EVERY_P),
        lambda one: one.refused(~np.isnan(one.p_value), reason, ("p_value",)),
    )
    added = interaction(scheme, x, scheme.parts, margin=margin, n_together=n_together)
    return compared._replace(contrasts=compared.contrasts | {INTERACTION: added})


def _with_flips(scheme: Blocks, contrast: BlockContrast | PairContrast, x: Floats, found: Result, n: int) -> Result:
    """Contrasts whose p of the question is the larger one of the permuted p and that by sign flips.

    Where the permuted p is large already, or is of a t distribution, flips are not made.

    Source: inference.md 6.3.
    """
    is_present = contrast.is_present[contrast.rows.in_hypothesis]
    holds_any = np.asarray(is_present.any(axis=0))
    signs = scheme.signs(n, holds_any)
    if signs is None:
        return found
    is_tested = goes_on(found.p_hypothesis[:, 0], scheme.alpha_of_draws or scheme.alpha) & found.is_permuted.any(axis=1)
    if not is_tested.any():
        return found
    by_unit = contrast.by_unit(x[:, is_tested])[contrast.rows.in_hypothesis]
    flipped = flipped_p(by_unit[:, holds_any], is_present[:, holds_any], signs)
    p = found.p_hypothesis.copy()
    p[is_tested] = np.fmax(p[is_tested], flipped[:, None])
    return found._replace(p_hypothesis=p, is_flipped=np.broadcast_to(is_tested[:, None], p.shape))


def compare_labels(
    scheme: Scheme,
    y: Floats,
    margins: dict[str, Floats],
    *,
    with_indices: bool = True,
    n_responses: Floats | None = None,
) -> Compared:
    """Contrasts of the share of each label, distances of whole profiles, and indices of these.

    Args:
        scheme: cells and draws.
        y: share of each label in each cell, shape (cells, measures, labels); shares add up to 1.
        margins: of each measure, by contrast or metric.
        with_indices: whether the numbers of whole profiles are wanted.
        n_responses: of the group that has fewest, of each measure: divergences have an interval where it is known to
            hold; None gives it in any design.

    Returns:
        Contrast risk_difference with one column a measure and label, the others with one a measure. The labels of a
        measure are one question, of the largest score of any label and of the sum of their squares: with two labels
        that of a rate.
    """
    contrast, alpha, n_labels = scheme.contrast, scheme.alpha, y.shape[2]

    def try_measures(measures: Ints, draws: Draws) -> Tried:
        measure_margins = {key: margin[measures] for key, margin in margins.items()}
        label_shares, shares = y[:, measures], y[:, measures].reshape(len(y), -1)
        tested = rate_null(contrast, shares, draws, n_together=n_labels).tested
        margin = np.repeat(measure_margins["risk_difference"], n_labels)
        risk = rate_differences(contrast, shares, tested, alpha=alpha, margin=margin, n_together=n_labels)
        if scheme.parts is not None:
            risk = risk._replace(p_hypothesis=np.full(risk.value.shape, np.nan))
        risk_compared = Compared({"risk_difference": risk}, {})

        def rest(at: Ints) -> Compared:
            profiles = ProfileTest({}, {})
            if with_indices:
                shuffled = None
                if scheme.means.missing is None:
                    shuffled = shuffled_profiles(scheme.means, _of_noise(scheme, draws), label_shares[:, at])
                margins_at = {key: margin[at] for key, margin in measure_margins.items()}
                profiles = profile_tests(
                    scheme.means,
                    draws,
                    label_shares[:, at],
                    shuffled,
                    margins_at,
                    alpha=alpha,
                    n_groups=scheme.n_groups,
                    n_responses=None if n_responses is None else n_responses[measures][at],
                )
            return Compared(risk_compared.taken(at, len(measures)).contrasts | profiles.contrasts, profiles.indices)

        p_hypothesis = risk.p_hypothesis.reshape(len(measures), -1)
        return Tried(p_hypothesis[:, 0] if p_hypothesis.shape[1] else np.full(len(measures), np.nan), rest)

    compared = in_stages(scheme, y.shape[1], 6 * n_labels * len(contrast.rows.n_units), try_measures)
    risk = {"risk_difference": compared.contrasts["risk_difference"]}
    mirrored = _with_all_rows(scheme, Compared(risk, {})).contrasts
    compared = compared._replace(contrasts=compared.contrasts | mirrored)
    margin = np.repeat(margins["risk_difference"], n_labels)
    return _beyond_its_parts(scheme, compared, y.reshape(len(y), -1), margin, n_labels)


def intervals(scheme: Scheme, x: Floats, alpha: float, *, is_rate: bool) -> Interval:
    """The intervals of the contrasts of compare_values, or of the labels of one measure, at another level.

    Args:
        scheme: cells and what groups are compared with; no draw is made.
        x: cell means, rates or shares, shape (cells, columns).
        alpha: intervals are 1 - alpha.
        is_rate: whether values lie between 0 and 1.

    Returns:
        Limits, shape (columns, rows of Reference.rows); NaN where the contrast has none.
    """
    contrast = scheme.contrast
    estimate = rate_estimate(contrast, x, alpha)[0] if is_rate else mean_estimate(contrast, x, alpha)
    enough = np.where(contrast.rows.is_tested, 1.0, np.nan)
    sides = (side * enough for side in estimate.limits)
    row_limits = Result.of(estimate.value.shape, **dict(zip(("ci_low", "ci_high"), sides, strict=True)))
    if scheme.reference.against is Against.ALL_PAIRS:
        row_limits = with_mirrors(row_limits, scheme.n_groups)
    return Interval(row_limits.ci_low, row_limits.ci_high)


def _of_noise(scheme: Scheme, draws: Draws) -> Draws:
    """Draws of what is shuffled: those of intervals too, whose coverage was simulated with N_NOISE of them."""
    if not isinstance(scheme, Blocks) or scheme.resamples is None or draws.n >= N_NOISE:
        return draws
    return scheme.draws.first(N_NOISE)


def _indices(
    scheme: Scheme, x: Floats, margins: dict[str, Floats], null: Null, draws: Draws, *, is_rate: bool
) -> dict[str, Result]:
    """Indices of the group values, whose null follows from that of the differences where it can."""
    means, wanted = scheme.means, INDICES | RATE_INDICES if is_rate else INDICES
    if means.missing is not None:
        names = (*wanted, *((BELOW_FOUR_FIFTHS,) if is_rate else ()))
        return dict.fromkeys(names, Result.of((x.shape[1],), reason=means.missing))
    seen, (permuted, noise) = means.observed(x), _shuffled(scheme, x, null, draws)
    if is_rate and isinstance(means, BlockMeans) and not means.design.is_complete:
        # the adjustment for missing cells adds: a rate near 0 or 1 can leave both
        level = seen.level[:, None, None]
        seen = seen._replace(deviation=seen.deviation.clip(-seen.level, 1 - seen.level))
        permuted = permuted.clip(-level, 1 - level)
    observed = spread_of(seen.deviation, seen.level, seen.scale, 0)
    spread = spread_of(permuted, seen.level[:, None], seen.scale[:, None], 1)
    inverted, more = None, dict[str, Result]()
    if isinstance(means, BlockMeans) and means.resamples is not None:
        by_unit = means.by_unit(x)
        inverted = inverted_indices(
            wanted,
            means=means,
            by_unit=by_unit,
            seen=seen,
            permuted=noise,
            has_all_draws=draws.is_complete,
            margins=margins,
            alpha=scheme.alpha,
            is_rate=is_rate,
        )
        if is_rate:
            more[BELOW_FOUR_FIFTHS] = below_four_fifths(means, by_unit, seen)
    tests = index_tests(wanted, observed, spread, draws, inverted, no_interval=means.no_interval) | more
    if means.no_p is None:
        return tests
    return {name: test.refused(~np.isnan(test.p_value), means.no_p, NO_P) for name, test in tests.items()}


def _shuffled(scheme: Scheme, x: Floats, null: Null, draws: Draws) -> tuple[Floats, Floats]:
    """Group values under the draws of p, and under those of intervals where there are any."""
    means, permuted = scheme.means, None
    has_noise = isinstance(scheme, Blocks) and scheme.resamples is not None and not draws.is_complete
    if scheme.reference.against is Against.REST and isinstance(means, BlockMeans):
        permuted = means.null_of_differences(null.values)
    if permuted is None and has_noise and draws.n <= N_NOISE:
        noise = means.null(x, scheme.draws.first(N_NOISE))
        return noise[:, :, : draws.n], noise
    if permuted is None:
        permuted = means.null(x, draws)
    # of one computation at every stage: a rate's interval may hang on the last digit of a tie
    return permuted, means.null(x, scheme.draws.first(N_NOISE)) if has_noise else permuted


def _with_all_rows(scheme: Scheme, compared: Compared) -> Compared:
    """The rows of Reference.rows, where all pairs have been computed one way round."""
    if scheme.reference.against is not Against.ALL_PAIRS:
        return compared
    return compared.each(lambda one: with_mirrors(one, scheme.n_groups), lambda one: one)


def in_stages(scheme: Scheme, n_columns: int, n_values: int, part: Callable[[Ints, Draws], Tried]) -> Compared:
    """Compare a few columns at a time; n_values numbers are held for each of them under each draw.

    Columns whose question has a p that stays above what more draws could make of it keep the draws of the first stage.
    The same question has the same p whichever others are asked beside it.

    Source: inference.md 6.5.
    """
    done, order, waiting = list[Compared](), list[Ints](), np.arange(n_columns)
    for draws in stages(scheme):
        left = []
        for piece in pieces(len(waiting), max(1, NULL_BYTES // (8 * max(draws.n, N_NOISE) * max(n_values, 1)))):
            columns = waiting[piece]
            tried = part(columns, draws)
            more = goes_on(tried.p_hypothesis, scheme.alpha_of_draws or scheme.alpha) & (draws is not scheme.draws)
            left.append(columns[more])
            if not more.all():
                order.append(columns[~more])
                kept = tried.rest(np.flatnonzero(~more))
                done.append(kept.each(partial(_of_draws, n=draws.n), partial(_of_draws, n=draws.n)))
        waiting = np.concatenate(left)
        if not len(waiting):
            break
    position = np.argsort(np.concatenate(order))
    together = Compared(
        {name: joined([one.contrasts[name] for one in done]) for name in done[0].contrasts},
        {name: joined([one.indices[name] for one in done]) for name in done[0].indices},
    )
    return together.taken(position, n_columns)


def _of_draws(result: Result, n: int) -> Result:
    return result._replace(n_draws=np.full(result.value.shape, n))
