"""How far the labels that groups are given lie apart: total variation, Jensen-Shannon divergence, Cramer's V.

Belongs here: numbers of a whole profile of label shares, of each group and of all. Contrasts of the share
of a single label are rates.py.
"""

from typing import Final, NamedTuple, cast

import numpy as np

from python_assets.infer.draws.exchange import TIE, Draws, Floats, Ints, in_threads, noise_floor, p_values, pieces
from python_assets.infer.result import INTERVAL, NO_P, Bools, InferenceReason, Result, first_of
from python_assets.infer.schemes.choose import GroupMeans
from python_assets.infer.schemes.group_means import BlockMeans
from python_assets.infer.schemes.inversion import N_NOISE, Noise, Rare, Stretchable, invert, rare_differences
from python_assets.infer.tables import OF_GROUPS

INVERTED: Final = ("fdi", "idi", "cramers_v", "jsd_between_groups", "jsd")  # with an interval
DIVERGENCES: Final = ("jsd_group", "jsd_between_groups", "jsd")  # with one where divergences_hold
_FEWEST_ROOT_PROMPTS: Final = 10
FEWEST_PER_LABEL: Final = 10  # responses of a group
FEWEST_LABELS: Final = 3
MOST_LABELS: Final = 17
_MOST_GROUPS: Final = 12
_WORDS: Final = {"fdi_group": "total variation", "jsd_group": "divergence"}
PROFILE_INDICES: Final = (*INVERTED, "fdi_max", "jsd_max")


def divergences_hold(*, n_groups: int, n_root_prompts: int, n_labels: Ints, n_responses: Floats) -> Bools:
    """Whether the inversion of divergences covers what it promises: in the designs that it was simulated in.

    In a sparse table every group has labels of its own by chance, and what is stretched is that chance: with fewer
    responses a label the interval lies above the truth, in the worst design in all data sets. Of two labels a group has
    one deviation, which may come out as 0: then nothing can be stretched, and the interval lies below.

    Args:
        n_groups: that are compared.
        n_root_prompts: with a block of two groups.
        n_labels: labels that occur, of each measure.
        n_responses: of the group that has fewest, of each measure.

    Source: inference.md 3.3, table of divergences; bench/bench_divergences.py.
    """
    is_simulated = np.full(n_labels.shape, n_groups <= _MOST_GROUPS and n_root_prompts >= _FEWEST_ROOT_PROMPTS)
    is_simulated &= (n_labels >= FEWEST_LABELS) & (n_labels <= MOST_LABELS)
    return is_simulated & (n_responses >= FEWEST_PER_LABEL * n_labels)


class ProfileTest(NamedTuple):
    """Contrasts of OF_GROUPS and indices."""

    contrasts: dict[str, Result]
    indices: dict[str, Result]


class Shuffled(NamedTuple):
    """Profiles of groups as observed and shuffled.

    levels: share of each label, shape (measures, labels). observed: deviations from it, (groups, measures, labels).
    null: the same of shuffled cells, (measures, labels, groups, draws), those of intervals too.
    """

    levels: Floats
    observed: Floats
    null: Floats


def shuffled_profiles(means: GroupMeans, noise_draws: Draws, y: Floats) -> Shuffled:
    """Shuffle whole profiles.

    Args:
        means: the groups.
        noise_draws: the draws of p, with those of intervals after them.
        y: share of each label in each cell, shape (cells, measures, labels).
    """
    n_measures, n_labels = y.shape[1:]
    flat = y.reshape(len(y), -1)
    seen = means.observed(flat)
    levels, observed = seen.level.reshape(n_measures, n_labels), seen.deviation.reshape(-1, n_measures, n_labels)
    return Shuffled(
        levels, observed, means.null(flat, noise_draws).reshape(n_measures, n_labels, len(means.groups), -1)
    )


def profile_tests(
    means: GroupMeans,
    draws: Draws,
    y: Floats,
    shuffled: Shuffled | None,
    margins: dict[str, Floats],
    *,
    alpha: float,
    n_groups: int,
    n_responses: Floats | None = None,
) -> ProfileTest:
    """Distance of each group from the average profile, and indices of all groups.

    Args:
        means: the groups.
        draws: the arrangements.
        y: share of each label in each cell, shape (cells, measures, labels); shares add up to 1.
        shuffled: of shuffled_profiles; None where groups have no common scale.
        margins: of each measure by name, absent or NaN where none is declared.
        alpha: intervals are 1 - alpha.
        n_groups: of the grouping.
        n_responses: of the group that has fewest, of each measure, for divergences_hold; None gives every interval.

    Returns:
        Sizes of a question, in nats where they are divergences; the average weighs every group alike. No V
        where all responses have one label.

    Source: inference.md section 1; metrics.md section 4.
    """
    n_measures, n_labels = y.shape[1:]
    if shuffled is None:
        nothing = Result.of((n_measures, n_groups), reason=means.missing)
        index = Result.of((n_measures,), reason=means.missing)
        return ProfileTest(dict.fromkeys(OF_GROUPS, nothing), dict.fromkeys(PROFILE_INDICES, index))
    by_unit = None
    if isinstance(means, BlockMeans) and means.resamples is not None:
        by_unit = means.by_unit(y.reshape(len(y), -1)).reshape(-1, len(means.groups) + 1, n_measures, n_labels)
    no_margin = np.full(n_measures, np.nan)
    names = [*np.repeat(OF_GROUPS, len(means.groups)).tolist(), *INVERTED]
    number_margins = np.stack([margins.get(name, no_margin) for name in names], axis=1)

    def work(piece: slice) -> Result:
        at = piece.start
        return _test_profile(
            means,
            draws,
            alpha,
            level=shuffled.levels[at],
            observed=shuffled.observed[:, at],
            permuted=shuffled.null[at].transpose(1, 0, 2),
            by_unit=None if by_unit is None else by_unit[:, :, at],
            margins=number_margins[at],
        )

    measure_results = in_threads(work, list(pieces(n_measures, 1)))
    tested = Result(*(np.stack(fields) for fields in zip(*measure_results, strict=True)))
    holds = np.ones(n_measures, dtype=bool)
    if n_responses is not None:
        n_occurring = (shuffled.levels > TIE).sum(axis=1)
        design_numbers = {"n_groups": len(means.groups), "n_root_prompts": means.n_clusters}
        holds = divergences_hold(**design_numbers, n_labels=n_occurring, n_responses=n_responses)
    contrasts = {name: _contrast(means, tested, which, n_groups, holds) for which, name in enumerate(OF_GROUPS)}
    return ProfileTest(contrasts, _indices(means, tested, holds))


def _test_profile(
    means: GroupMeans,
    draws: Draws,
    alpha: float,
    *,
    level: Floats,
    observed: Floats,
    permuted: Floats,
    by_unit: Floats | None,
    margins: Floats,
) -> Result:
    """Test the numbers of profile_numbers of one measure.

    Args:
        means: the groups.
        draws: the arrangements.
        alpha: intervals are 1 - alpha.
        level: share of each label, shape (labels,).
        observed: deviations of groups from it, shape (groups, labels).
        permuted: the same of shuffled cells, shape (groups, labels, draws), those of intervals after those of p.
        by_unit: of means.by_unit, shape (units, groups + 1, labels); None where nothing has an interval.
        margins: of each number that has an interval.
    """
    n_groups, n_labels = len(observed), int((level > TIE).sum())

    def numbers(s: float | Floats, noise: Floats) -> Floats:
        return profile_numbers(level[:, None] + s * observed[:, :, None] + noise, n_labels)

    value, null = numbers(1.0, 0 * observed[:, :, None]), numbers(0.0, permuted[:, :, : draws.n])
    p = p_values((null >= value - TIE).sum(axis=1), draws)
    median, q95 = noise_floor(null)
    inverted_fields = np.full((5, len(value)), np.nan)
    if isinstance(means, BlockMeans) and by_unit is not None:
        used = permuted if draws.is_complete else permuted[:, :, :N_NOISE]
        resampled = means.noise(by_unit, observed, with_level=True)
        all_resamples = means.resamples is not None and means.resamples.is_complete
        noises = (Noise(used, draws.is_complete), Noise(resampled, all_resamples))
        # shares of groups in their units, for what few units with a difference may stand for
        rare = _rare_differences(by_unit[:, :-1] + by_unit[:, -1:])
        n_inverted = len(OF_GROUPS) * n_groups + len(INVERTED)
        ties = np.full(len(margins), TIE)
        profile = Stretchable(lambda s, noise: numbers(s, noise)[:n_inverted], noises, ties, margins, rare)
        inverted_fields[:, :n_inverted] = invert([profile], alpha)[0]
    low, high, corrected, p_margin, p_equivalence = inverted_fields
    return Result.of(
        (len(value),),
        value=value[:, 0],
        null_median=median,
        null_q95=q95,
        p_value=np.where(np.isnan(value[:, 0]), np.nan, p),
        is_permuted=True,
        value_corrected=corrected,
        ci_low=low,
        ci_high=high,
        p_margin=p_margin,
        p_equivalence=p_equivalence,
    )


def total_variation(profile: Floats) -> Floats:
    """Total variation of each group from the average profile (groups, labels, ...), summed over labels."""
    return cast(Floats, 0.5 * np.abs(profile - profile.mean(axis=0)).sum(axis=1))


def _rare_differences(by_unit: Floats) -> Rare:
    """What the numbers of profile_numbers can be where few units show a difference.

    All are convex in the profiles, and 0 where the groups agree: differences in a share q of units make no
    more of them than q times what groups of unlike labels have, and V is a square root.
    """
    n_groups = by_unit.shape[1]
    apart = 1 - 1 / n_groups
    mean, divergence = (apart, 1, 2 * apart / n_groups), (_farthest(n_groups), 1, np.nan)
    of = {"fdi": mean, "idi": mean, "cramers_v": (1, 0.5, np.nan), "jsd_between_groups": (np.log(n_groups), 1, np.nan)}
    of["jsd"] = divergence
    number_bounds = [(apart, 1, apart)] * n_groups + [divergence] * n_groups + [of[name] for name in INVERTED]
    return rare_differences(by_unit, *np.array(number_bounds).T)


def _farthest(n_groups: int) -> float:
    """Divergence of a group from the average of all where no two groups have a label in common, the most there is."""
    _, group_divergences = _divergences(np.eye(n_groups)[:, :, None])
    return float(group_divergences[0, 0])


def profile_numbers(profile: Floats, n_labels: int) -> Floats:
    """Distance and divergence of each group from the average profile, and what they are of all groups.

    Args:
        profile: shares, shape (groups, labels, draws); noise may push some below 0.
        n_labels: labels that occur.

    Returns:
        Shape (2 groups + 7, draws): total variation of each group, Jensen-Shannon divergence of each group,
        then PROFILE_INDICES; the mean distance twice, as FDI and as IDI, which has a margin of its own; V
        is NaN for a single label.

    Source: metrics.md section 4; V and divergences count negative shares as 0, as inference_golden.json does.
    """
    distance = total_variation(profile)
    table = np.maximum(profile, 0)
    v = _cramers_v(table, min(len(profile), n_labels))
    mean = distance.mean(axis=0)
    between, group_divergences = _divergences(table)
    divergence = group_divergences.mean(axis=0)
    largest = (distance.max(axis=0), group_divergences.max(axis=0))
    return np.vstack([distance, group_divergences, mean, mean, v, between, divergence, *largest])


def _cramers_v(table: Floats, shorter_side: int) -> Floats:
    if shorter_side < 2:
        return np.full(table.shape[2], np.nan)
    mean = table.mean(axis=0)
    squares = ((table - mean) ** 2).mean(axis=0)
    per_label = np.divide(squares, mean, out=np.zeros_like(mean), where=mean > 0)
    return cast(Floats, np.sqrt(per_label.sum(axis=0) / (shorter_side - 1)))


def _divergences(table: Floats) -> tuple[Floats, Floats]:
    """Jensen-Shannon divergence of all groups, and of each from their mean, (groups, draws); nats."""
    share = table / table.sum(axis=1, keepdims=True)
    pooled = share.mean(axis=0)
    pooled_entropy, group_entropies = _entropy(pooled), _entropy(share.swapaxes(0, 1))
    middle = _entropy(((share + pooled) / 2).swapaxes(0, 1))
    return pooled_entropy - group_entropies.mean(axis=0), middle - (group_entropies + pooled_entropy) / 2


def _entropy(share: Floats) -> Floats:
    """Entropy over the first axis in nats; scipy's entr takes ten times as long."""
    return cast(Floats, -(share * np.log(np.where(share > 0, share, 1))).sum(axis=0))


def _contrast(means: GroupMeans, tested: Result, which: int, n_groups: int, holds: Bools) -> Result:
    """Rows of one of OF_GROUPS, all groups of the grouping among them."""
    n, name = len(means.groups), OF_GROUPS[which]
    has_interval = (means.resamples is not None) & (holds | (name not in DIVERGENCES))
    words = [f"permuted {_WORDS[name]}{', two-noise inversion' * bool(has)}, {means.method}" for has in has_interval]
    group_rows = Result._make(field[:, which * n : (which + 1) * n] for field in tested)
    shared_fields = Result.of(
        group_rows.value.shape,
        n_root_prompts=means.n_root_prompts,
        n_units=means.n_units,
        method=np.array(words, dtype=object)[:, None],
        scope=means.scope,
        reason=_no_interval(means),
    )
    shared = ("n_root_prompts", "n_units", "method", "scope", "reason")
    group_rows = group_rows._replace(**{name: getattr(shared_fields, name) for name in shared})
    group_rows = _without_interval(means, group_rows, has_interval[:, None])
    if means.no_p is not None:
        group_rows = group_rows.refused(np.ones(1, dtype=bool), means.no_p, set(Result._fields) - {"value", *shared})
    return group_rows.at(means.groups, n_groups).refused(
        ~np.isin(np.arange(n_groups), means.groups), InferenceReason.NO_SHARED_BLOCK
    )


def _without_interval(means: GroupMeans, result: Result, has_interval: Bools) -> Result:
    """Results whose interval is not known to hold, where there would be one."""
    is_refused = ~has_interval & (means.resamples is not None)
    return result.refused(is_refused, InferenceReason.INTERVAL_NOT_VALIDATED, (*INTERVAL, "value_corrected"))


def _indices(means: GroupMeans, tested: Result, holds: Bools) -> dict[str, Result]:
    tests = {}
    for row, name in enumerate(PROFILE_INDICES, start=2 * len(means.groups)):
        test = Result._make(field[:, row] for field in tested)
        no_interval = _no_interval(means) if name in INVERTED else InferenceReason.INTERVAL_NOT_VALIDATED
        undefined = np.isnan(test.value)
        test = test._replace(reason=first_of([undefined, ~undefined], [InferenceReason.NO_SPREAD, no_interval]))
        if name in DIVERGENCES:
            test = _without_interval(means, test, holds)
        tests[name] = test.refused(~np.isnan(test.p_value) & (means.no_p is not None), means.no_p, NO_P)
    return tests


def _no_interval(means: GroupMeans) -> InferenceReason | None:
    return means.no_interval if means.resamples is None else None
