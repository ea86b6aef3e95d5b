"""How often intervals hold the truth of simulated data: what the tests bound and the bench prints.

Belongs here: one function a kind of interval, from a layout and a model to coverage.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import logit
from threadpoolctl import threadpool_limits

from bench.error_rates import simulated
from bench.error_rates.measured import ALPHA, Sizes, compared_means, compared_rates
from bench.error_rates.simulated import Layout, Model
from python_assets.infer.contrasts.compare import compare_labels
from python_assets.infer.draws.exchange import Floats
from python_assets.infer.result import Result
from python_assets.infer.statistics.bootstrap import bootstrap_intervals


def covered(low: Floats, high: Floats, truth: Floats | float) -> float:
    """Share of intervals that hold the truth; a missing limit is infinite."""
    low, high = np.nan_to_num(low, nan=-np.inf), np.nan_to_num(high, nan=np.inf)
    return float(((low <= truth + 1e-12) & (truth <= high + 1e-12)).mean())


def of_difference(layout: Layout, model: Model, sizes: Sizes) -> float:
    """Interval of the mean difference of the first group."""
    one = compared_means(layout, model, sizes).contrasts["mean_difference"]
    shift = np.broadcast_to(model.shift, layout.n_groups)
    return covered(one.ci_low[:, 0], one.ci_high[:, 0], shift[0] - shift[1:].mean())


def of_rate_differences(layout: Layout, model: Model, sizes: Sizes, p: Sequence[float]) -> dict[str, float]:
    """Intervals of the risk difference and the log disparity of the first group, whose rate is p[0]."""
    contrasts = compared_rates(layout, model, sizes, p).contrasts
    own, rest = p[0], float(np.mean(p[1:]))
    truths = {"risk_difference": own - rest, "log_disparity": logit(own) - logit(rest)}
    return {
        name: covered(contrasts[name].ci_low[:, 0], contrasts[name].ci_high[:, 0], truth)
        for name, truth in truths.items()
    }


def spread_shift(layout: Layout, model: Model, size: float, *, one_outlier: bool = False) -> Floats:
    """Shifts of the groups whose standard deviation is size times the error of a group mean."""
    error_share = 1 - model.rho - model.interaction
    error = np.sqrt((model.interaction + error_share / layout.n_replicates) / layout.n_prompts)
    shape = np.linspace(-1, 1, layout.n_groups)
    if one_outlier:
        shape = np.where(np.arange(layout.n_groups) == 0, 1.0, 0.0)
    return size * error * shape / shape.std(ddof=1)


def of_mean_indices(layout: Layout, model: Model, sizes: Sizes) -> dict[str, float]:
    """Intervals of the standard deviation and the range of group means."""
    shift = np.broadcast_to(model.shift, layout.n_groups)
    indices = compared_means(layout, model, sizes, intervals=True).indices
    truths = {"standard_deviation": shift.std(ddof=1), "range": np.ptp(shift)}
    return _of_indices(indices, truths)


def of_percentile_standard_deviation(layout: Layout, model: Model, sizes: Sizes) -> float:
    """The interval that is not offered: percentiles of resampled root prompts, 500 times."""
    x = simulated.means(sizes.rng, layout, model, sizes.n_sets).reshape(layout.n_prompts, -1)
    n = layout.n_prompts
    weights = sizes.rng.multinomial(n, np.full(n, 1 / n), size=500) / n
    resampled = (weights @ x).reshape(500, layout.n_groups, -1).std(axis=1, ddof=1)
    low, high = np.quantile(resampled, [0.025, 0.975], axis=0)
    return covered(low, high, float(np.broadcast_to(model.shift, layout.n_groups).std(ddof=1)))


def of_rate_indices(layout: Layout, model: Model, sizes: Sizes, p: Sequence[float]) -> dict[str, float]:
    """Intervals of the impact ratio and the range of rates."""
    indices = compared_rates(layout, model, sizes, p, intervals=True).indices
    return _of_indices(indices, {"impact_ratio": min(p) / max(p), "range": np.ptp(p)})


def of_profile_indices(layout: Layout, model: Model, sizes: Sizes, shares: Sequence[float]) -> dict[str, float]:
    """Intervals of FDI, Cramer's V and divergence between groups."""
    y = simulated.categories(sizes.rng, layout, model, sizes.n_sets, shares=shares)
    scheme = simulated.scheme_of(layout, sizes.n_permutations, intervals=True)
    indices = compare_labels(scheme, y, simulated.no_margins(sizes.n_sets)).indices
    profile = simulated.true_shares(layout, model, shares)
    truths = {"fdi": simulated.fdi, "cramers_v": simulated.cramers_v}
    truths |= {"jsd_between_groups": simulated.jsd_between_groups, "jsd": lambda one: simulated.jsd_groups(one).mean()}
    return _of_indices(indices, {name: float(of(profile)) for name, of in truths.items()})


def _of_indices(indices: dict[str, Result], truths: dict[str, float]) -> dict[str, float]:
    return {name: covered(indices[name].ci_low, indices[name].ci_high, true) for name, true in truths.items()}


TRUE_STATISTICS = {
    "normal": {"median": 0, "variance": 1, "standard_deviation": 1, "skewness": 0, "kurtosis": 0},
    "exponential": {"median": np.log(2) - 1, "variance": 1, "standard_deviation": 1, "skewness": 2, "kurtosis": 6},
}


def of_statistics(n_prompts: int, noise: str, sizes: Sizes) -> dict[str, float]:
    """Bootstrap intervals of the statistics of one group, with one response a root prompt."""
    layout = Layout(n_prompts, 1)
    rows = simulated.responses(sizes.rng, layout, Model(0, 0, noise), 2 * sizes.n_sets)
    x = rows[..., : sizes.n_sets]
    values = simulated.values_of(x, x + rows[..., sizes.n_sets :])
    found = {}
    for name, truth in (TRUE_STATISTICS[noise] | {"correlation": np.sqrt(0.5)}).items():
        options = {"alpha": ALPHA, "n_bootstrap": 2_000, "seed": sizes.seed}
        with threadpool_limits(limits=1):  # as in a part
            one = bootstrap_intervals(simulated.frame_of(layout), values, simulated.asked(name), **options)
        found[name] = covered(one.ci_low, one.ci_high, truth)
    return found
