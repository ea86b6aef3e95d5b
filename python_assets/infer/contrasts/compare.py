"""Everything that is computed on columns of one scheme, in pieces that fit in memory.

Belongs here: which null serves which contrasts and indices. The statistics themselves are means.py, rates.py,
index.py and profiles.py.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from python_assets.infer.contrasts.contrast import Null, with_mirrors
from python_assets.infer.contrasts.index import BELOW_FOUR_FIFTHS, INDICES, RATE_INDICES, index_tests, spread_of
from python_assets.infer.contrasts.index_intervals import below_four_fifths, inverted_indices
from python_assets.infer.contrasts.means import mean_differences, mean_estimate, mean_null
from python_assets.infer.contrasts.profiles import ProfileTest, profile_tests
from python_assets.infer.contrasts.rates import log_disparities, rate_differences, rate_estimate, rate_null
from python_assets.infer.draws.exchange import Floats, pieces
from python_assets.infer.formulas.interval import Interval
from python_assets.infer.result import NO_P, Result, joined
from python_assets.infer.schemes.choose import Blocks, InUnits
from python_assets.infer.schemes.group_means import BlockMeans
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


def compare_values(
    scheme: Scheme,
    x: Floats,
    margins: dict[str, Floats],
    *,
    is_rate: bool,
    with_log: bool = False,
    with_indices: bool = True,
) -> Compared:
    """Contrasts and indices of group means, or of rates.

    Args:
        scheme: cells and draws.
        x: cell means or rates, shape (cells, columns).
        margins: of each column by contrast or metric, NaN where none is declared.
        is_rate: whether values lie between 0 and 1: contrast risk_difference in place of mean_difference.
        with_log: whether log disparities of rates are wanted.
        with_indices: whether indices are.
    """
    contrast, name = scheme.contrast, "risk_difference" if is_rate else "mean_difference"
    null_of, differences = (rate_null, rate_differences) if is_rate else (mean_null, mean_differences)

    def part(columns: slice) -> Compared:
        values, of_columns = x[:, columns], {key: margin[columns] for key, margin in margins.items()}
        null = null_of(contrast, values, scheme.draws)
        indices = _indices(scheme, values, of_columns, null, is_rate=is_rate) if with_indices else {}
        found = {name: differences(contrast, values, null.tested, alpha=scheme.alpha, margin=of_columns[name])}
        if with_log:
            margin = of_columns.get("log_disparity", np.full(values.shape[1], np.nan))
            found["log_disparity"] = log_disparities(contrast, values, null.tested, alpha=scheme.alpha, margin=margin)
        return Compared(found, indices)

    return _with_all_rows(scheme, in_pieces(scheme, x.shape[1], 2 * len(contrast.rows.n_units), part))


def compare_labels(scheme: Scheme, y: Floats, margins: dict[str, Floats], *, with_indices: bool = True) -> Compared:
    """Contrasts of the share of each label, distances of whole profiles, and indices of these.

    Args:
        scheme: cells and draws.
        y: share of each label in each cell, shape (cells, measures, labels); shares add up to 1.
        margins: of each measure, by contrast or metric.
        with_indices: whether the numbers of whole profiles are wanted.

    Returns:
        Contrast risk_difference with one column a measure and label, the others with one a measure. The labels of a
        measure are one question, of the largest difference of any label and of fdi.
    """
    contrast, alpha, n_labels = scheme.contrast, scheme.alpha, y.shape[2]

    def part(measures: slice) -> Compared:
        of_measures = {key: margin[measures] for key, margin in margins.items()}
        profiles = ProfileTest({}, {}, None)
        if with_indices:
            own, n_groups = y[:, measures], scheme.n_groups
            profiles = profile_tests(scheme.means, scheme.draws, own, of_measures, alpha=alpha, n_groups=n_groups)
        shares = y[:, measures].reshape(len(y), -1)
        tested = rate_null(contrast, shares, scheme.draws, n_together=n_labels, second=profiles.second).tested
        margin = np.repeat(of_measures["risk_difference"], n_labels)
        risk = rate_differences(contrast, shares, tested, alpha=alpha, margin=margin, n_together=n_labels)
        return Compared({"risk_difference": risk, **profiles.contrasts}, profiles.indices)

    compared = in_pieces(scheme, y.shape[1], 6 * n_labels * len(contrast.rows.n_units), part)
    risk = {"risk_difference": compared.contrasts["risk_difference"]}
    mirrored = _with_all_rows(scheme, Compared(risk, {})).contrasts
    return compared._replace(contrasts=compared.contrasts | mirrored)


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
    found = Result.of(estimate.value.shape, **dict(zip(("ci_low", "ci_high"), sides, strict=True)))
    if scheme.reference.against is Against.ALL_PAIRS:
        found = with_mirrors(found, scheme.n_groups)
    return Interval(found.ci_low, found.ci_high)


def _indices(scheme: Scheme, x: Floats, margins: dict[str, Floats], null: Null, *, is_rate: bool) -> dict[str, Result]:
    """Indices of the group values, whose null follows from that of the differences where it can."""
    means, wanted = scheme.means, INDICES | RATE_INDICES if is_rate else INDICES
    if means.missing is not None:
        names = (*wanted, *((BELOW_FOUR_FIFTHS,) if is_rate else ()))
        return dict.fromkeys(names, Result.of((x.shape[1],), reason=means.missing))
    seen, permuted = means.observed(x), None
    if scheme.reference.against is Against.REST and isinstance(means, BlockMeans):
        permuted = means.null_of_differences(null.values)
    if permuted is None:
        permuted = means.null(x, scheme.draws)
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
            permuted=permuted,
            has_all_draws=scheme.draws.is_complete,
            margins=margins,
            alpha=scheme.alpha,
            is_rate=is_rate,
        )
        if is_rate:
            more[BELOW_FOUR_FIFTHS] = below_four_fifths(means, by_unit, seen)
    tests = index_tests(wanted, observed, spread, scheme.draws, inverted, no_interval=means.no_interval) | more
    if means.no_p is None:
        return tests
    return {name: test.refused(~np.isnan(test.p_value), means.no_p, NO_P) for name, test in tests.items()}


def _with_all_rows(scheme: Scheme, compared: Compared) -> Compared:
    """The rows of Reference.rows, where all pairs have been computed one way round."""
    if scheme.reference.against is not Against.ALL_PAIRS:
        return compared
    return compared.each(lambda one: with_mirrors(one, scheme.n_groups), lambda one: one)


def in_pieces(scheme: Scheme, n_columns: int, n_values: int, part: Callable[[slice], Compared]) -> Compared:
    """Compare a few columns at a time; n_values numbers are held for each of them under each draw."""
    per_column = 8 * scheme.draws.n * max(n_values, 1)
    done = [part(columns) for columns in pieces(n_columns, max(1, NULL_BYTES // per_column))]
    return Compared(
        {name: joined([one.contrasts[name] for one in done]) for name in done[0].contrasts},
        {name: joined([one.indices[name] for one in done]) for name in done[0].indices},
    )
