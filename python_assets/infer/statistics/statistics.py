"""Statistics of a group that are no mean of its cells: spread, shape, correlation and divergence.

Belongs here: each as a function of sums over the rows of the group, so that the sums of any rows, shuffled or
resampled, give its value. Others are in quantiles.py and row_statistics.py.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from python_assets.infer.design.cells import Sample, StatisticSpec, centred_and_scale
from python_assets.infer.design.design import Design
from python_assets.infer.draws.exchange import Floats, pieces

SUMS_PER_PRODUCT = 160
CONSTANT: Final = 1e-12  # a variance below this share of the mean square is rounding
Sums = NDArray[np.floating]


class Statistic(NamedTuple):
    """How a statistic is computed.

    cell_sums: what is added up, shape (sums, cells, columns), x in units of its standard deviation. of: from
    the sums over any cells, shape (sums, ...), to the statistic, NaN where undefined. power: of the unit of x
    that the statistic has.
    """

    cell_sums: Callable[[Sample], Sums]
    of: Callable[[Sums], Floats]
    power: int = 0


def _standardised(values: Floats, sample: Sample) -> Floats:
    centred, scale = centred_and_scale(values, sample.column, sample.shape[1])
    return centred / scale[sample.column]


def _power_sums(highest: int) -> Callable[[Sample], Sums]:
    def cell_sums(sample: Sample) -> Sums:
        z = _standardised(sample.x, sample)
        return np.stack([sample.total(), *(sample.total(z**power) for power in range(1, highest + 1))])

    return cell_sums


def _pair_sums(sample: Sample) -> Sums:
    x, b = _standardised(sample.x, sample), _standardised(sample.baseline, sample)
    return np.stack([sample.total(), *(sample.total(terms) for terms in (x, b, x * x, b * b, x * b))])


def _plain_sums(sample: Sample) -> Sums:
    """Rows and their sum; not centred, for the mean itself is wanted."""
    return np.stack([sample.total(), sample.total(sample.x / sample.unit[sample.column])])


def _bin_counts(sample: Sample, n_bins: int) -> Sums:
    """Rows of x, then of the baseline, in each bin; exact in single precision, which halves the work."""
    span = sample.high - sample.low
    width = np.where(span > 0, span, 1.0)[sample.column]
    counts = []
    for values in (sample.x, sample.baseline):
        share = (values - sample.low[sample.column]) / width
        position = np.clip(np.floor(share * n_bins), 0, n_bins - 1).astype(np.intp)
        size = sample.shape[0] * sample.shape[1]
        flat = np.bincount(position * size + sample.place, minlength=n_bins * size)
        counts.append(flat.reshape(n_bins, *sample.shape))
    return np.concatenate(counts).astype(np.float32)


def _ratio(above: Floats, below: Floats, is_defined: NDArray[np.bool_]) -> Floats:
    return cast(Floats, np.divide(above, below, out=np.full(np.shape(above), np.nan), where=is_defined))


def _squares(n: Floats, total: Floats, squares: Floats) -> Floats:
    """Sum of squared deviations; exactly 0 where it is rounding."""
    centred = squares - _ratio(total * total, n, n > 0)
    return np.where(centred > CONSTANT * squares, centred, np.where(n > 0, 0.0, np.nan))


def _variance(sums: Sums) -> Floats:
    n, total, squares = sums
    return _ratio(_squares(n, total, squares), n - 1, n > 1)


def _standard_deviation(sums: Sums) -> Floats:
    return np.sqrt(_variance(sums))


def _skewness(sums: Sums) -> Floats:
    n, total, squares, cubes = sums
    variance = _variance(sums[:3])
    is_defined = (n > 2) & (variance > 0)
    mean = _ratio(total, n, is_defined)
    third = cubes - mean * (3 * squares - 2 * n * mean * mean)
    return _ratio(n * third, (n - 1) * (n - 2) * variance * np.sqrt(variance), is_defined)


def _kurtosis(sums: Sums) -> Floats:
    n, total, squares, cubes, fourths = sums
    variance = _variance(sums[:3])
    is_defined = (n > 3) & (variance > 0)
    mean = _ratio(total, n, is_defined)
    fourth = fourths - mean * (4 * cubes - mean * (6 * squares - 3 * n * mean * mean))
    below = (n - 1) * (n - 2) * (n - 3)
    peak = _ratio(n * (n + 1) * fourth, below * variance**2, is_defined)
    return peak - _ratio(3 * (n - 1) ** 3, below, is_defined)


def _correlation(sums: Sums) -> Floats:
    n, x, b, xx, bb, xb = sums
    product = _squares(n, x, xx) * _squares(n, b, bb)
    is_defined = product > 0
    together = xb - _ratio(x * b, n, is_defined)
    return np.clip(_ratio(together, np.sqrt(product), is_defined), -1, 1)


def _kl_divergence(sums: Sums, n_bins: int, smoothing: float) -> Floats:
    smoothed = sums + np.float64(smoothing)
    x, b = smoothed[:n_bins], smoothed[n_bins:]
    n = x.sum(axis=0)
    logs = np.log(smoothed)
    within = np.einsum("b...,b...->...", x, logs[:n_bins] - logs[n_bins:]) / n
    divergence = within + np.log(b.sum(axis=0) / n)
    return np.where(n - n_bins * smoothing > 0.5, divergence, np.nan)


def _mean(sums: Sums) -> Floats:
    n, total = sums
    return _ratio(total, n, n > 0)


_OF_POWERS: Final[dict[str, Statistic]] = {
    "mean": Statistic(_plain_sums, _mean, power=1),
    "variance": Statistic(_power_sums(2), _variance, power=2),
    "standard_deviation": Statistic(_power_sums(2), _standard_deviation, power=1),
    "skewness": Statistic(_power_sums(3), _skewness),
    "kurtosis": Statistic(_power_sums(4), _kurtosis),
}


def additive_statistic(spec: StatisticSpec) -> Statistic | None:
    """The statistic of sums that is asked for; None where it is none."""
    if spec.statistic == "kl_divergence":
        return Statistic(
            partial(_bin_counts, n_bins=spec.n_bins),
            partial(_kl_divergence, n_bins=spec.n_bins, smoothing=spec.smoothing),
        )
    if spec.method == "pearson":
        return Statistic(_pair_sums, _correlation)
    return _OF_POWERS.get(spec.statistic)


class GroupSums:
    """A statistic of each group under every arrangement."""

    def __init__(self, design: Design, sample: Sample, statistic: Statistic) -> None:
        """Sum up cells once; the cells of the sample are those of the design."""
        sums = statistic.cell_sums(sample)
        self._n_groups, self._of, self._n_sums = design.frame.n_groups, statistic.of, len(sums)
        self._parts = [
            (chunk, np.ascontiguousarray(sums[:, :, chunk].transpose(1, 0, 2)).reshape(sums.shape[1], -1))
            for chunk in pieces(sums.shape[2], max(SUMS_PER_PRODUCT // len(sums), 1))
        ]

    def own(self, w: sparse.csr_array) -> Iterator[tuple[slice, Floats]]:
        """Yield the statistic for columns by columns, shape (draws, groups, columns), NaN where undefined."""
        w = w.astype(self._parts[0][1].dtype, copy=False)
        for chunk, cells in self._parts:
            sums = (w @ cells).reshape(-1, self._n_groups, self._n_sums, chunk.stop - chunk.start)
            yield chunk, self._of(sums.transpose(2, 0, 1, 3))
