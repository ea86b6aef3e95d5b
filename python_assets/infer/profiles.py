"""How far the labels that groups are given lie apart: total variation, Jensen-Shannon divergence, Cramer's V.

Belongs here: numbers of a whole profile of label shares, of each group and of all. Contrasts of the share
of a single label are rates.py.
"""

from typing import Final, NamedTuple

import numpy as np

from python_assets.infer.contrasts import Contrasts, without_inference
from python_assets.infer.group_means import BlockMeans, GroupMeans
from python_assets.infer.indices import IndexTest, without_index_p, without_test
from python_assets.infer.inversion import N_NOISE, Noise, Rare, invert, rare_differences
from python_assets.infer.permutation import (
    TIE,
    Draws,
    Floats,
    in_threads,
    noise_floor,
    p_values,
    pieces,
)
from python_assets.infer.reasons import InferenceReason, first_of

OF_GROUPS: Final = ("fdi_group", "jsd_group")
INVERTED: Final = ("fdi", "idi", "cramers_v", "jsd_between_groups")  # with an interval
PROFILE_INDICES: Final = (*INVERTED, "jsd", "fdi_max", "jsd_max")
Numbers = dict[str, Floats]  # by field; fdi_group and jsd_group of each group, then PROFILE_INDICES


class ProfileTest(NamedTuple):
    """Contrasts of OF_GROUPS and indices; beside: fdi as observed and under draws, (measures, draws)."""

    contrasts: dict[str, Contrasts]
    indices: dict[str, IndexTest]
    beside: tuple[Floats, Floats] | None


def profile_tests(
    means: GroupMeans,
    draws: Draws,
    y: Floats,
    margins: dict[str, Floats],
    *,
    alpha: float,
    n_groups: int,
) -> ProfileTest:
    """Distance of each group from the average profile, and indices of all groups.

    Args:
        means: the groups.
        draws: the arrangements.
        y: share of each label in each cell, shape (cells, measures, labels); shares add up to 1.
        margins: of each measure by name, absent or NaN where none is declared.
        alpha: intervals are 1 - alpha.
        n_groups: of the grouping.

    Returns:
        Sizes of a question, in nats where they are divergences; the average weighs every group alike. No V
        where all responses have one label.

    Source: inference.md section 1; metrics.md section 4.
    """
    n_measures, n_labels = y.shape[1:]
    if means.missing is not None:
        return _without(means, n_measures, n_groups)
    flat = y.reshape(len(y), -1)
    seen = means.observed(flat)
    null = means.null(flat, draws).reshape(n_measures, n_labels, len(means.groups), -1)
    levels = seen.level.reshape(n_measures, n_labels)
    observed = seen.deviation.reshape(-1, n_measures, n_labels)
    by_unit = None
    if isinstance(means, BlockMeans) and means.resamples is not None:
        by_unit = means.by_unit(flat).reshape(-1, len(means.groups) + 1, n_measures, n_labels)
    nothing = np.full(n_measures, np.nan)
    names = [*["fdi_group"] * len(means.groups), *INVERTED]
    of_numbers = np.stack([margins.get(name, nothing) for name in names], axis=1)

    def work(part: slice) -> Numbers:
        at = part.start
        of_units = None if by_unit is None else by_unit[:, :, at]
        permuted = null[at].transpose(1, 0, 2)
        return _test_profile(
            means,
            draws,
            alpha,
            level=levels[at],
            observed=observed[:, at],
            permuted=permuted,
            by_unit=of_units,
            margins=of_numbers[at],
        )

    parts = in_threads(work, list(pieces(n_measures, 1)))
    tested = {field: np.stack([one[field] for one in parts]) for field in parts[0]}
    fdi = 2 * len(means.groups) + INVERTED.index("fdi")
    drawn = tested.pop("fdi_drawn")
    contrasts = {name: _contrast(means, tested, which, n_groups) for which, name in enumerate(OF_GROUPS)}
    return ProfileTest(contrasts, _indices(means, tested), (tested["value"][:, fdi], drawn))


def _without(means: GroupMeans, n_measures: int, n_groups: int) -> ProfileTest:
    """Groups without a common scale."""
    nothing = without_inference((n_measures, n_groups), np.array(means.missing, dtype=object))
    test = without_test((n_measures,), means.missing)
    return ProfileTest(dict.fromkeys(OF_GROUPS, nothing), dict.fromkeys(PROFILE_INDICES, test), None)


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
) -> Numbers:
    """Test one measure.

    Args:
        means: the groups.
        draws: the arrangements.
        alpha: intervals are 1 - alpha.
        level: share of each label, shape (labels,).
        observed: deviations of groups from it, shape (groups, labels).
        permuted: the same of shuffled cells, shape (groups, labels, draws).
        by_unit: of means.by_unit, shape (units, groups + 1, labels); None where nothing has an interval.
        margins: of each number that has an interval.
    """
    n_groups, n_labels = len(observed), int((level > TIE).sum())

    def numbers(s: float, noise: Floats) -> Floats:
        return profile_numbers(level[:, None] + s * observed[:, :, None] + noise, n_labels)

    value, null = numbers(1.0, 0 * observed[:, :, None]), numbers(0.0, permuted)
    p = p_values((null >= value - TIE).sum(axis=1), draws)
    fdi = null[2 * n_groups + INVERTED.index("fdi")].copy()
    median, q95 = noise_floor(null)
    found = np.full((5, len(value)), np.nan)
    if isinstance(means, BlockMeans) and by_unit is not None:
        used = permuted if draws.is_complete else permuted[:, :, :N_NOISE]
        resampled = means.noise(by_unit, observed, with_level=True)
        all_resamples = means.resamples is not None and means.resamples.is_complete
        noises = (Noise(used, draws.is_complete), Noise(resampled, all_resamples))
        # shares of groups in their units, for what few units with a difference may stand for
        rare = _rare_differences(by_unit[:, :-1] + by_unit[:, -1:])
        has_interval = _with_interval(n_groups)
        ties = np.full(len(margins), TIE)
        found[:, has_interval] = invert(
            lambda s, noise: numbers(s, noise)[has_interval], noises, ties, margins, alpha, rare
        )
    low, high, corrected, p_margin, p_equivalence = found
    return {
        "value": value[:, 0],
        "null_median": median,
        "null_q95": q95,
        "p_value": np.where(np.isnan(value[:, 0]), np.nan, p),
        "value_corrected": corrected,
        "ci_low": low,
        "ci_high": high,
        "p_margin": p_margin,
        "p_equivalence": p_equivalence,
        "fdi_drawn": fdi,
    }


def _with_interval(n_groups: int) -> np.ndarray:
    """Positions of fdi_group and INVERTED among the numbers."""
    return np.array([*range(n_groups), *range(2 * n_groups, 2 * n_groups + len(INVERTED))])


def _rare_differences(by_unit: Floats) -> Rare:
    """What the numbers of profile_numbers can be where few units show a difference.

    All are convex in the profiles, and 0 where the groups agree: differences in a share q of units make no
    more of them than q times what groups of unlike labels have, and V is a square root.
    """
    n_groups = by_unit.shape[1]
    apart = 1 - 1 / n_groups
    mean = (apart, 1, 2 * apart / n_groups)
    of = {
        "fdi": mean,
        "idi": mean,
        "cramers_v": (1, 0.5, np.nan),
        "jsd_between_groups": (np.log(n_groups), 1, np.nan),
    }
    of_numbers = [(apart, 1, apart)] * n_groups + [of[name] for name in INVERTED]
    return rare_differences(by_unit, *np.array(of_numbers).T)


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
    distance = 0.5 * np.abs(profile - profile.mean(axis=0)).sum(axis=1)
    table = np.maximum(profile, 0)
    v = _cramers_v(table, min(len(profile), n_labels))
    mean = distance.mean(axis=0)
    between, of_groups = _divergences(table)
    divergence = of_groups.mean(axis=0)
    largest = (distance.max(axis=0), of_groups.max(axis=0))
    return np.vstack([distance, of_groups, mean, mean, v, between, divergence, *largest])


def _cramers_v(table: Floats, shorter_side: int) -> Floats:
    if shorter_side < 2:
        return np.full(table.shape[2], np.nan)
    mean = table.mean(axis=0)
    squares = ((table - mean) ** 2).mean(axis=0)
    per_label = np.divide(squares, mean, out=np.zeros_like(mean), where=mean > 0)
    return np.sqrt(per_label.sum(axis=0) / (shorter_side - 1))


def _divergences(table: Floats) -> tuple[Floats, Floats]:
    """Jensen-Shannon divergence of all groups, and of each from their mean, (groups, draws); nats."""
    share = table / table.sum(axis=1, keepdims=True)
    pooled = share.mean(axis=0)
    of_pooled, of_groups = _entropy(pooled), _entropy(share.swapaxes(0, 1))
    middle = _entropy(((share + pooled) / 2).swapaxes(0, 1))
    return of_pooled - of_groups.mean(axis=0), middle - (of_groups + of_pooled) / 2


def _entropy(share: Floats) -> Floats:
    """Entropy over the first axis in nats; scipy's entr takes ten times as long."""
    return -(share * np.log(np.where(share > 0, share, 1))).sum(axis=0)


def _contrast(means: GroupMeans, tested: Numbers, which: int, n_groups: int) -> Contrasts:
    """Rows of one of OF_GROUPS."""
    groups = means.groups
    present = np.isin(np.arange(n_groups), groups)
    shape = (len(tested["value"]), n_groups)
    no_interval = means.no_p or (
        _no_interval(means) if which == 0 else InferenceReason.INTERVAL_NOT_VALIDATED
    )
    reason = first_of([~present, present], [InferenceReason.NO_SHARED_BLOCK, no_interval])
    numbers = {field: np.full(shape, np.nan) for field in Contrasts._fields if field in tested}
    taken = slice(which * len(groups), (which + 1) * len(groups))
    for field, rows in numbers.items():
        if means.no_p is None or field == "value":
            rows[:, groups] = tested[field][:, taken]
    names = ("total variation, two-noise inversion", "divergence")
    inverted = names[which] if means.resamples is not None else names[which].split(",")[0]
    return without_inference(shape, reason)._replace(
        **numbers,
        n_root_prompts=np.broadcast_to(present * means.n_root_prompts, shape),
        n_units=np.broadcast_to(present * means.n_units, shape),
        method=np.broadcast_to(first_of([present], [f"permuted {inverted}, {means.method}"]), shape),
        scope=np.broadcast_to(first_of([present], [means.scope]), shape),
    )


def _indices(means: GroupMeans, tested: Numbers) -> dict[str, IndexTest]:
    tests = {}
    for place, name in enumerate(PROFILE_INDICES, start=2 * len(means.groups)):
        numbers = {field: tested[field][:, place] for field in IndexTest._fields if field in tested}
        undefined = np.isnan(numbers["value"])
        no_interval = _no_interval(means) if name in INVERTED else InferenceReason.INTERVAL_NOT_VALIDATED
        reason = first_of([undefined, ~undefined], [InferenceReason.NO_SPREAD, no_interval])
        test = without_test(undefined.shape, None)._replace(**numbers, reason=reason)
        tests[name] = test if means.no_p is None else without_index_p(test, means.no_p)
    return tests


def _no_interval(means: GroupMeans) -> InferenceReason | None:
    return means.no_interval if means.resamples is None else None
