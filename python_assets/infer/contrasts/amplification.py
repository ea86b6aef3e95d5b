"""By how much groups of several factors differ more than groups of some of these, and what chance gives to that.

Belongs here: the excess of a crossing's FDI over the largest FDI of its parts, with its noise floor. Where one factor
alone tells groups apart, the groups of a crossing differ as much by it: so the floor shuffles them within the levels of
the part that differs most, and what this part does stays as it is.

Source: FAIR-SEA, red flags for bias (intersectional amplification); metrics.md 4.
"""

from collections.abc import Callable, Sequence

import numpy as np

from python_assets.infer.contrasts.profiles import total_variation
from python_assets.infer.design.cells import GroupingPart
from python_assets.infer.draws.exchange import Draws, Floats, Ints, Shuffles
from python_assets.infer.formulas.adjusted import SINGULAR, adjustment, is_connected
from python_assets.infer.result import InferenceReason, Result
from python_assets.infer.schemes.choose import Blocks, GroupMeans, InUnits
from python_assets.infer.schemes.inversion import N_NOISE


def draws_within(scheme: Blocks | InUnits, level: Ints, seed: int) -> Draws:
    """Shuffles of the cells or units of a scheme that cross neither its blocks nor the levels of a part.

    Args:
        scheme: of the whole grouping.
        level: of each group of the whole.
        seed: of the draws; as many as of the scheme, N_NOISE at most.
    """
    places = scheme.design.group_slots if isinstance(scheme, Blocks) else scheme.units.slots
    group = scheme.design.group if isinstance(scheme, Blocks) else scheme.units.group
    stratum = np.unique(np.stack([places.block, level[group]]), axis=1, return_inverse=True)[1].ravel()
    at, n = np.argsort(stratum, kind="stable"), min(scheme.draws.n, N_NOISE)
    shuffles = Shuffles(seed, n, stratum[at])

    def source(batch: slice) -> Ints:
        orders = np.empty((batch.stop - batch.start, len(at)), dtype=np.intp)
        orders[:, at] = at[shuffles.order(batch)]
        return orders

    return Draws(n, len(at), source)


def amplification(
    means: GroupMeans, y: Floats, parts: Sequence[GroupingPart], draws: Callable[[GroupingPart], Draws]
) -> Result:
    """The excess of the FDI of a crossing over the largest FDI of its parts, one row a measure.

    Args:
        means: the groups of the crossing.
        y: share of each label in each cell, shape (cells, measures, labels).
        parts: groupings of some of its factors, one at least.
        draws: within the levels of the part that has the largest FDI.

    Returns:
        Value, null_median, null_q95 and n_draws; the reason where groups or levels have no common scale, or units are
        too few.
    """
    n_measures, n_labels = y.shape[1:]
    if means.missing is not None or means.no_p is not None:
        return Result.of((n_measures,), reason=means.missing or means.no_p)
    maps = [_levels_of_groups(grouping.level[means.groups], grouping.rest[means.groups]) for grouping in parts]
    if any(one is None for one in maps):
        return Result.of((n_measures,), reason=InferenceReason.NOT_CONNECTED)

    def distances(profile: Floats) -> Floats:
        """FDI of the whole and of each part, (1 + parts, ...); profile of shape (groups, labels, ...)."""
        part_profiles = [np.tensordot(one, profile, 1) for one in maps if one is not None]
        return np.stack([total_variation(one).mean(axis=0) for one in (profile, *part_profiles)])

    def excess(fdi: Floats) -> Floats:
        return np.asarray(fdi[0] - fdi[1:].max(axis=0))

    flat = y.reshape(len(y), -1)
    observed = distances(means.observed(flat).deviation.reshape(-1, n_measures, n_labels).swapaxes(1, 2))
    larger = observed[1:].argmax(axis=0)
    floor, n_draws = np.empty((2, n_measures)), np.empty(n_measures, dtype=np.intp)
    for which in np.unique(larger).tolist():
        measures, within = np.flatnonzero(larger == which), draws(parts[which])
        null = means.null(y[:, measures].reshape(len(y), -1), within)
        null = null.reshape(len(measures), n_labels, *null.shape[1:])
        for measure, drawn in zip(measures, null, strict=True):
            floor[:, measure] = np.quantile(excess(distances(drawn.swapaxes(0, 1))), (0.5, 0.95))
        n_draws[measures] = within.n
    return Result.of((n_measures,), value=excess(observed), null_median=floor[0], null_q95=floor[1], n_draws=n_draws)


def _levels_of_groups(level: Ints, rest: Ints) -> Floats | None:
    """What makes profiles of levels, but for a constant, from those of groups, shape (levels, groups).

    Levels are compared where the other factors are alike; None where this connects them not all.
    """
    levels, level = np.unique(level, return_inverse=True)
    rest = np.unique(rest, return_inverse=True)[1]
    weight = (np.bincount(rest) > 1).astype(float)
    weight /= max(weight.sum(), 1)
    equations = adjustment(level, rest, weight, len(levels))
    if len(levels) < 2 or not is_connected(equations):
        return None
    weights = (level == np.arange(len(levels))[:, None]) * weight[rest]
    same = (rest[:, None] == rest) / np.bincount(rest)[rest]
    return np.asarray(np.linalg.pinv(equations, rcond=SINGULAR, hermitian=True) @ (weights - weights @ same))
