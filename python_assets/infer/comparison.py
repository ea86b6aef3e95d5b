"""Everything that is computed on columns of one scheme, in pieces that fit in memory.

Belongs here: which null serves which contrasts and indices. Schemes are scheme.py; the statistics
themselves are means.py, rates.py, indices.py and profiles.py.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from python_assets.infer.block_sides import BlockSides
from python_assets.infer.contrasts import Contrasts, with_mirrors
from python_assets.infer.group_means import BlockMeans, GroupMeans, UnitMeans
from python_assets.infer.index_intervals import below_four_fifths, inverted_indices
from python_assets.infer.indices import (
    BELOW_FOUR_FIFTHS,
    INDICES,
    RATE_INDICES,
    IndexTest,
    index_tests,
    spread_of,
    without_index_p,
    without_test,
)
from python_assets.infer.means import mean_differences, mean_null
from python_assets.infer.pairs import PairSides
from python_assets.infer.permutation import Draws, Floats, pieces
from python_assets.infer.profiles import ProfileTest, profile_tests
from python_assets.infer.rates import (
    log_disparities,
    rate_differences,
    rate_null,
    unit_log_disparities,
    unit_rate_differences,
)
from python_assets.infer.reference import Reference
from python_assets.infer.unit_sides import UnitSides
from python_assets.study.base import Against

NULL_BYTES = 600_000_000  # of the permuted values that are held at once
Rows = TypeVar("Rows", bound=tuple[Any, ...])


class Compared(NamedTuple):
    """Contrasts by name and index tests by metric, of the same columns."""

    contrasts: dict[str, Contrasts]
    indices: dict[str, IndexTest]


class Scheme(Protocol):
    """How columns of one presence pattern are tested: what is exchanged and compared."""

    @property
    def draws(self) -> Draws:
        """The arrangements."""

    @property
    def alpha(self) -> float:
        """The error rate."""

    @property
    def reference(self) -> Reference:
        """What groups are compared with."""

    @property
    def n_groups(self) -> int:
        """Groups of the grouping."""

    @property
    def sides(self) -> BlockSides | PairSides | UnitSides:
        """The rows of a contrast."""

    @property
    def means(self) -> BlockMeans | UnitMeans:
        """The means of all groups."""


def compare_means(
    scheme: Scheme, x: Floats, margins: dict[str, Floats], *, with_indices: bool = True
) -> Compared:
    """Contrasts and indices of group means.

    Args:
        scheme: cells and draws.
        x: cell means, shape (cells, columns).
        margins: of each column by contrast or metric, NaN where none is declared.
        with_indices: whether they are wanted.
    """
    sides, means = scheme.sides, scheme.means

    def part(columns: slice) -> Compared:
        values, of_columns = x[:, columns], _of(columns, margins)
        null = mean_null(sides, values, scheme.draws)
        indices = {}
        if with_indices:
            known = _known(scheme, means, null.values)
            indices = _indices(scheme, means, values, of_columns, known, is_rate=False)
        margin = of_columns["mean_difference"]
        contrast = mean_differences(sides, values, null.tested, alpha=scheme.alpha, margin=margin)
        return Compared({"mean_difference": contrast}, indices)

    return _with_all_rows(scheme, in_pieces(scheme, x.shape[1], 2 * len(sides.n_units), part))


def compare_rates(
    scheme: Scheme,
    y: Floats,
    margins: dict[str, Floats],
    *,
    with_log: bool = True,
    with_indices: bool = True,
) -> Compared:
    """Contrasts and indices of rates; arguments as compare_means, with_log: also the log disparity."""
    sides, means, alpha = scheme.sides, scheme.means, scheme.alpha

    def part(columns: slice) -> Compared:
        rates, of_columns = y[:, columns], _of(columns, margins)
        contrasts = {}
        if isinstance(sides, UnitSides):
            of_units = mean_null(sides, rates, scheme.draws)
            tested, differences = of_units.tested, of_units.values
            contrasts["risk_difference"] = unit_rate_differences(
                sides, rates, tested, alpha=alpha, margin=of_columns["risk_difference"]
            )
            if with_log:
                contrasts["log_disparity"] = unit_log_disparities(sides, rates, tested, alpha=alpha)
        else:
            null = rate_null(sides, rates, scheme.draws)
            tested, differences = null.tested, null.difference
            contrasts["risk_difference"] = rate_differences(
                sides, rates, tested, alpha=alpha, margin=of_columns["risk_difference"]
            )
            if with_log:
                contrasts["log_disparity"] = log_disparities(
                    sides, rates, tested, alpha=alpha, margin=of_columns["log_disparity"]
                )
        indices = {}
        if with_indices:
            known = _known(scheme, means, differences)
            indices = _indices(scheme, means, rates, of_columns, known, is_rate=True)
        return Compared(contrasts, indices)

    return _with_all_rows(scheme, in_pieces(scheme, y.shape[1], 2 * len(sides.n_units), part))


def compare_labels(
    scheme: Scheme, y: Floats, margins: dict[str, Floats], *, with_indices: bool = True
) -> Compared:
    """Contrasts of the share of each label, distances of whole profiles, and indices of these.

    Args:
        scheme: cells and draws.
        y: share of each label in each cell, shape (cells, measures, labels); shares add up to 1.
        margins: of each measure, by contrast or metric.
        with_indices: whether the numbers of whole profiles are wanted.

    Returns:
        Contrast risk_difference with one column a measure and label, the others with one a measure. The
        labels of a measure are one question, of the largest difference of any label and of fdi.
    """
    sides, means, alpha, n_labels = scheme.sides, scheme.means, scheme.alpha, y.shape[2]

    def part(measures: slice) -> Compared:
        of_measures = _of(measures, margins)
        profiles = ProfileTest({}, {}, None)
        if with_indices:
            profiles = profile_tests(
                means, scheme.draws, y[:, measures], of_measures, alpha=alpha, n_groups=scheme.n_groups
            )
        shares = y[:, measures].reshape(len(y), -1)
        margin = np.repeat(of_measures["risk_difference"], n_labels)
        beside = profiles.beside
        if isinstance(sides, UnitSides):
            tested = mean_null(sides, shares, scheme.draws, n_together=n_labels, beside=beside).tested
            risk = unit_rate_differences(
                sides, shares, tested, alpha=alpha, margin=margin, n_together=n_labels
            )
        else:
            tested = rate_null(sides, shares, scheme.draws, n_together=n_labels, beside=beside).tested
            risk = rate_differences(sides, shares, tested, alpha=alpha, margin=margin, n_together=n_labels)
        return Compared({"risk_difference": risk, **profiles.contrasts}, profiles.indices)

    compared = in_pieces(scheme, y.shape[1], 6 * n_labels * len(sides.n_units), part)
    risk = {"risk_difference": compared.contrasts["risk_difference"]}
    mirrored = _with_all_rows(scheme, Compared(risk, {})).contrasts
    return compared._replace(contrasts=compared.contrasts | mirrored)


def _known(scheme: Scheme, means: BlockMeans | UnitMeans, differences: Floats) -> Floats | None:
    """In complete blocks a permuted mean follows from the permuted difference from the rest."""
    if scheme.reference.against is not Against.REST:
        return None
    return means.null_of_differences(differences)


def _indices(
    scheme: Scheme,
    means: GroupMeans,
    x: Floats,
    margins: dict[str, Floats],
    known: Floats | None,
    *,
    is_rate: bool,
) -> dict[str, IndexTest]:
    """Indices from a null that is known, or from one drawn here."""
    wanted = INDICES | RATE_INDICES if is_rate else INDICES
    if means.missing is not None:
        names = (*wanted, *((BELOW_FOUR_FIFTHS,) if is_rate else ()))
        return dict.fromkeys(names, without_test((x.shape[1],), means.missing))
    seen = means.observed(x)
    null = means.null(x, scheme.draws) if known is None else known
    observed = spread_of(seen.deviation, seen.level, seen.scale, 0)
    permuted = spread_of(null, seen.level[:, None], seen.scale[:, None], 1)
    inverted, beside = None, dict[str, IndexTest]()
    if isinstance(means, BlockMeans) and means.resamples is not None:
        by_unit = means.by_unit(x)
        inverted = inverted_indices(
            wanted,
            means=means,
            by_unit=by_unit,
            seen=seen,
            permuted=null,
            has_all_draws=scheme.draws.is_complete,
            margins=margins,
            alpha=scheme.alpha,
            is_rate=is_rate,
        )
        if is_rate:
            beside[BELOW_FOUR_FIFTHS] = below_four_fifths(means, by_unit, seen)
    tests = (
        index_tests(wanted, observed, permuted, scheme.draws, inverted, no_interval=means.no_interval)
        | beside
    )
    return (
        tests
        if means.no_p is None
        else {name: without_index_p(test, means.no_p) for name, test in tests.items()}
    )


def _of(columns: slice, margins: dict[str, Floats]) -> dict[str, Floats]:
    return {name: margin[columns] for name, margin in margins.items()}


def _with_all_rows(scheme: Scheme, compared: Compared) -> Compared:
    """The rows of Reference.rows, where all pairs have been computed one way round."""
    if scheme.reference.against is not Against.ALL_PAIRS:
        return compared
    contrasts = {name: with_mirrors(one, scheme.n_groups) for name, one in compared.contrasts.items()}
    return compared._replace(contrasts=contrasts)


def in_pieces(scheme: Scheme, n_columns: int, n_values: int, part: Callable[[slice], Compared]) -> Compared:
    """Compare a few columns at a time; n_values numbers are held for each of them under each draw."""
    per_column = 8 * scheme.draws.n * max(n_values, 1)
    done = [part(columns) for columns in pieces(n_columns, max(1, NULL_BYTES // per_column))]
    return Compared(
        {name: joined([one.contrasts[name] for one in done]) for name in done[0].contrasts},
        {name: joined([one.indices[name] for one in done]) for name in done[0].indices},
    )


def joined(parts: Sequence[Rows]) -> Rows:
    """Put the arrays of equal fields one after the other along the columns."""
    return type(parts[0])(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
