"""How far the groups in each label of a model lie from those of a ground truth, and what chance alone gives.

Belongs here: the sizes, the null and the p, on arrays of counts. Reading them and writing rows is truth_rows.py.

Source: inference.md 1, row of a fixed reference, and 13; metrics.md 4.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import rel_entr

from python_assets.infer.draws.exchange import TIE, Floats, Ints
from python_assets.infer.result import Result

FEWEST_UNITS: Final = 5
UNITS_FOR_MULTINOMIAL: Final = 30  # with fewer, the spread between units is known too badly for it alone
LEAST_EXPECTED: Final = 1.0  # units; categories with less are merged


class Answers(NamedTuple):
    """Responses by what is drawn at random.

    n: responses of each cell by category and group, shape (cells, categories, groups). clusters: the cluster of each
    cell, one array where units are all that is drawn, two where they are crossed with prompts.
    """

    n: Floats
    clusters: Sequence[Ints]

    @property
    def n_clusters(self) -> int:
        """Clusters of the direction that has fewer."""
        return min(len(np.unique(cluster)) for cluster in self.clusters)


class TruthTest(NamedTuple):
    """The p of the question, and its sizes by metric.

    p_value: NaN where even all categories together expect too few units. sizes: a row each, the divergence with its
    median and 95 % quantile under the null and its own p, one-sided. n_effective: responses worth as much as
    independent ones. merged: positions of the categories whose expected counts were too small alone.
    """

    p_value: float
    sizes: dict[str, Result]
    n_effective: float
    merged: Ints
    is_corrected: bool


def divergence(p: Floats, q: Floats) -> Floats:
    """Jensen-Shannon divergence in nats, at most ln 2, of shares that add up to 1 along the last axis.

    Source: Lin 1991.
    """
    middle = (p + q) / 2
    return np.asarray((rel_entr(p, middle) + rel_entr(q, middle)).sum(axis=-1) / 2)


def against_truth(answers: Answers, share: Floats, *, n_draws: int, rng: np.random.Generator) -> TruthTest:
    """Test whether the groups in the categories of a model are those of a ground truth.

    Under the null every response of a category is of a group with the truth's probability; responses of one unit are
    worth n_effective independent ones. Below 30 units p is the larger of that and of Rao and Scott's second-order
    correction of chi-square, F(df, df (R - 1)).

    Args:
        answers: with 5 clusters or more, and an answer in every category.
        share: of the truth's groups in a category, adding up to 1, shape (categories, groups).
        n_draws: B.
        rng: of the draws.

    Returns:
        Sizes of jsd_truth_weighted and jsd_truth_unweighted.

    Source: inference.md 13; Rao and Scott 1984.
    """
    total = answers.n.sum(axis=0)
    n = total.sum(axis=1)
    covariance = _covariance(answers, total)
    design_effect = _design_effect(covariance, total, answers.n_clusters)
    n_units = n / design_effect
    drawn = [rng.multinomial(size, row, size=n_draws) / size for size, row in zip(_whole(n_units), share, strict=True)]
    observed, null = divergence(total / n[:, None], share), divergence(np.stack(drawn, axis=1), share)
    sizes = {
        "jsd_truth_weighted": _size(float(observed @ n / n.sum()), null @ n / n.sum()),
        "jsd_truth_unweighted": _size(float(observed.mean()), null.mean(axis=1)),
    }
    is_corrected = answers.n_clusters < UNITS_FOR_MULTINOMIAL
    truth_test = TruthTest(np.nan, sizes, float(n.sum() / design_effect), np.array([], dtype=np.intp), is_corrected)
    merging = _merging(n_units, share)
    if merging is None:
        return truth_test
    p = _p_multinomial(merging, total, share, design_effect, n_draws, rng)
    if is_corrected:
        p = max(p, _p_rao_scott(merging, total, share, covariance, answers.n_clusters))
    return truth_test._replace(p_value=p, merged=np.flatnonzero(merging[merging.sum(axis=1) > 1].any(axis=0)))


def _covariance(answers: Answers, total: Floats) -> Floats:
    """Covariance of the counts by category and group given the categories, clustered; flattened, square.

    Two ways of clusters: the sum of both less that of their cells (Cameron, Gelbach and Miller 2011), and never less
    than of either.
    """
    share = np.divide(total, total.sum(axis=1, keepdims=True))
    residual = (answers.n - share * answers.n.sum(axis=2, keepdims=True)).reshape(len(answers.n), -1)
    single = [_clustered(residual, cluster) for cluster in answers.clusters]
    if len(single) == 1:
        return single[0]
    both = sum(single) - _clustered(residual, np.arange(len(residual)))
    return max([*single, both], key=np.trace)


def _clustered(residual: Floats, cluster: Ints) -> Floats:
    names, code = np.unique(cluster, return_inverse=True)
    sums = np.zeros((len(names), residual.shape[1]))
    np.add.at(sums, code, residual)
    return sums.T @ sums * (len(names) / max(len(names) - 1, 1))


def _design_effect(covariance: Floats, total: Floats, n_clusters: int) -> float:
    """Responses that are worth one independent one: 1 or more.

    Where each category has one group alone, or all answers are of one cluster, no spread is seen: a cluster counts as
    one.
    """
    n = total.sum(axis=1, keepdims=True)
    independent = float((total * (1 - total / n)).sum())
    if independent <= TIE or n_clusters == 1:
        return max(1.0, float(n.sum()) / n_clusters)
    return max(1.0, float(np.trace(covariance)) / independent)


def _whole(n: Floats) -> Ints:
    return np.maximum(np.rint(n), 1).astype(np.intp)


def _merging(n_units: Floats, share: Floats) -> Floats | None:
    """Which categories are one, shape (merged categories, categories); None where all together are too few.

    Categories are merged from the smallest expected count up, until none expects less than 1 unit of a group.
    """
    expected = n_units[:, None] * share
    order = np.argsort(expected.min(axis=1), kind="stable")
    for n_merged in (0, *range(2, len(order) + 1)):
        rows = np.eye(len(order))[np.sort(order[n_merged:])]
        if n_merged:
            rows = np.vstack([np.isin(np.arange(len(order)), order[:n_merged]), rows])
        if (rows @ expected).min() >= LEAST_EXPECTED:
            return rows
    return None


def _size(value: float, null: Floats) -> Result:
    median, q95 = np.quantile(null, (0.5, 0.95))
    return Result.of((1,), value=value, null_median=median, null_q95=q95, p_value=_p(null, value))


def _p(null: Floats, value: float) -> float:
    return float(((null >= value - TIE).sum() + 1) / (len(null) + 1))


def _p_multinomial(
    merging: Floats, total: Floats, share: Floats, design_effect: float, n_draws: int, rng: np.random.Generator
) -> float:
    """P of chi-square over merged categories, each of as many independent units as it is worth."""
    counts, expected = merging @ total, merging @ (total.sum(axis=1, keepdims=True) * share)
    n = counts.sum(axis=1)
    probability, n_units = expected / n[:, None], _whole(n / design_effect)
    chi_square = _chi_square(counts / n[:, None], probability, n_units)
    null = np.zeros(n_draws)
    for size, row in zip(n_units, probability, strict=True):
        drawn = rng.multinomial(size, row, size=n_draws) / size
        null += _chi_square(drawn[:, None], row[None], np.array([size]))
    return _p(null, float(chi_square))


def _chi_square(observed: Floats, share: Floats, n: NDArray[np.integer]) -> Floats:
    """Over the last two axes, categories and groups."""
    return np.asarray((n[:, None] * (observed - share) ** 2 / share).sum(axis=(-1, -2)))


def _p_rao_scott(merging: Floats, total: Floats, share: Floats, covariance: Floats, n_clusters: int) -> float:
    """P of chi-square corrected to second order for clusters; 1 where it is 0, 0 where no spread is seen."""
    n_groups = share.shape[1]
    expected = merging @ (total.sum(axis=1, keepdims=True) * share)
    whole = np.kron(merging, np.eye(n_groups))
    scale = 1 / np.sqrt(expected.ravel())
    eigenvalues = np.linalg.eigvalsh(scale[:, None] * (whole @ covariance @ whole.T) * scale).clip(min=0)
    chi_square = float(((merging @ total - expected) ** 2 / expected).sum())
    if chi_square <= TIE:
        return 1.0
    if eigenvalues.sum() <= TIE:
        return 0.0
    df = float(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())
    return float(stats.f.sf(chi_square / eigenvalues.sum(), df, df * (n_clusters - 1)))


def shares_against_truth(parts: Sequence[tuple[Answers, Floats]], *, n_draws: int, rng: np.random.Generator) -> Result:
    """Mean divergence of some distributions from fixed ones, each with the noise of its own answers.

    Args:
        parts: answers of one category, whose groups are the outcomes; and the shares of these, adding up to 1, shape
            (outcomes,).
        n_draws: B.
        rng: of the draws.
    """
    value, null = 0.0, np.zeros(n_draws)
    for answers, share in parts:
        total = answers.n.sum(axis=0)
        design_effect = _design_effect(_covariance(answers, total), total, answers.n_clusters)
        size = _whole(total.sum(axis=1) / design_effect)[0]
        value += float(divergence(total[0] / total.sum(), share)) / len(parts)
        null += divergence(rng.multinomial(size, share, size=n_draws) / size, share) / len(parts)
    return _size(value, null)
