"""How far the categories that groups are given lie apart: total variation, Cramer's V and divergence.

Belongs here: indices of a whole profile of category shares and the distance of each group from the average
one, over complete blocks. Contrasts of a single category are rates.py.
"""

import numpy as np

from python_assets.infer.comparison import Compared, Task, in_pieces
from python_assets.infer.contrasts import Contrasts, without_inference
from python_assets.infer.design import scopes
from python_assets.infer.index_intervals import unit_values
from python_assets.infer.indices import IndexTest, centred, without_test
from python_assets.infer.inversion import Noise, Rare, invert, n_permuted, rare_differences, resampled
from python_assets.infer.multiplicity import StepDown
from python_assets.infer.permutation import (
    TIE,
    Draws,
    Floats,
    in_threads,
    noise_floor,
    p_values,
    permuted_means,
    pieces,
)
from python_assets.infer.reasons import InferenceReason, first_of

INVERTED = ("fdi", "idi", "cramers_v", "jsd_between_groups")  # of all groups, after one number of each
PROFILE_CONTRASTS = ("fdi_group", "jsd_group")
PROFILE_INDICES = (*INVERTED, "fdi_max", "jsd", "jsd_max")
COPIES = 3  # of the permuted profiles, while numbers are computed from them
Numbers = dict[str, Floats]  # by field, in the order of all_numbers; shape (numbers,) or (measures, numbers)


def compare_profiles(task: Task, y: Floats, margins: dict[str, Floats]) -> Compared:
    """Distance of each group from the average profile, and indices of all groups.

    Args:
        task: cells and draws.
        y: share of each category in each cell, shape (cells, measures, categories); shares add up to 1.
        margins: of each measure by name, absent or NaN where none is declared.

    Returns:
        Contrasts fdi_group and jsd_group, and PROFILE_INDICES; divergences are in nats. Where too few blocks
        are complete, no index and contrasts of nothing but the reason; no V where all responses have one
        category.

    Source: inference.md section 1; metrics.md section 4; every group weighs the same.
    """
    n_measures, n_categories = y.shape[1:]
    shape = (n_measures, task.design.frame.n_groups)
    if not task.blocks.is_enough:
        reason = np.array(InferenceReason.INCOMPLETE_BLOCKS, dtype=object)
        return Compared(dict.fromkeys(PROFILE_CONTRASTS, without_inference(shape, reason)), {})

    def part(measures: slice) -> Compared:
        of_measures = {name: margin[measures] for name, margin in margins.items()}
        tested = _test_profiles(task, y[:, measures], of_measures)
        return Compared(_contrasts(task, tested), _indices(task, tested))

    return in_pieces(task, n_measures, COPIES * n_categories * shape[1], part)


def _test_profiles(task: Task, y: Floats, margins: dict[str, Floats]) -> Numbers:
    n_measures, n_categories = y.shape[1:]
    weighted, level = centred(task.design, task.blocks, y.reshape(len(y), -1))
    null = permuted_means(task.design.group_slots, task.draws, weighted)
    null = null.reshape(n_measures, n_categories, len(null[0]), -1)[:, :, task.blocks.groups]
    levels = level.reshape(n_measures, n_categories)
    nothing = np.full(n_measures, np.nan)
    names = [*["fdi_group"] * len(task.blocks.groups), *INVERTED]
    of_numbers = np.stack([margins.get(name, nothing) for name in names], axis=1)

    def work(part: slice) -> Numbers:
        of_units = unit_values(task.design, task.blocks, y[:, part.start] - levels[part.start])
        permuted = null[part.start].transpose(1, 0, 2)
        return _test_profile(task, levels[part.start], of_units, permuted, of_numbers[part.start])

    tested = in_threads(work, list(pieces(n_measures, 1)))
    return {field: np.stack([one[field] for one in tested]) for field in tested[0]}


def _test_profile(task: Task, level: Floats, of_units: Floats, permuted: Floats, margins: Floats) -> Numbers:
    """Test one measure.

    Args:
        task: draws, resamples and alpha.
        level: share of each category, shape (categories,).
        of_units: deviations from level, shape (units, groups, categories).
        permuted: the same of group means, shape (groups, categories, draws).
        margins: of each number that has an interval.
    """
    observed = of_units.mean(axis=0)[:, :, None]
    n_categories = int((level > TIE).sum())

    def numbers(s: float, noise: Floats) -> Floats:
        return profile_numbers(level[:, None] + s * observed + noise, n_categories)

    value, null = (all_numbers(level[:, None] + part, n_categories) for part in (observed, permuted))
    p_maxt = stepped_down(value, null, len(observed), task.draws)
    p = p_values((null >= value - TIE).sum(axis=1), task.draws)
    median, q95 = noise_floor(null)
    found = np.full((5, len(value)), np.nan)
    if task.resamples is not None:
        noises = (
            Noise(permuted[:, :, : n_permuted(task.draws)], task.draws.is_complete),
            Noise(resampled(task.resamples, of_units), task.resamples.is_complete),
        )
        ties, rare = np.full(len(margins), TIE), _rare_differences(of_units)
        found[:, : len(margins)] = invert(numbers, noises, ties, margins, task.alpha, rare)
    low, high, corrected, p_margin, p_equivalence = found
    return {
        "value": value[:, 0],
        "null_median": median,
        "null_q95": q95,
        "p_value": np.where(np.isnan(value[:, 0]), np.nan, p),
        "p_maxt": p_maxt,
        "value_corrected": corrected,
        "ci_low": low,
        "ci_high": high,
        "p_margin": p_margin,
        "p_equivalence": p_equivalence,
    }


def _rare_differences(of_units: Floats) -> Rare:
    """What the numbers of profile_numbers can be where few units show a difference.

    All are convex in the profiles, and 0 where the groups agree: differences in a share q of units make no
    more of them than q times what groups of unlike categories have, and V is a square root.
    """
    n_groups = of_units.shape[1]
    apart = 1 - 1 / n_groups
    mean = (apart, 1, 2 * apart / n_groups)
    of = {"fdi": mean, "idi": mean, "cramers_v": (1, 0.5, np.nan)}
    of["jsd_between_groups"] = (np.log(n_groups), 1, np.nan)
    of_numbers = [(apart, 1, apart)] * n_groups + [of[name] for name in INVERTED]
    return rare_differences(of_units, *np.array(of_numbers).T)


def of_groups(n_groups: int) -> dict[str, slice]:
    """Where all_numbers has the groups, by contrast."""
    return dict(zip(PROFILE_CONTRASTS, (slice(n_groups), slice(-n_groups, None)), strict=True))


def all_numbers(profile: Floats, n_categories: int) -> Floats:
    """The total variation of each group, PROFILE_INDICES, then the divergence of each group.

    Args:
        profile: shares, shape (groups, categories, draws).
        n_categories: categories that occur.

    Returns:
        Shape (2 groups + 7, draws).
    """
    numbers, divergences = profile_numbers(profile, n_categories), group_divergences(profile)
    largest, mean = numbers[: len(profile)].max(axis=0), divergences.mean(axis=0)
    return np.vstack([numbers, largest, mean, divergences.max(axis=0), divergences])


def stepped_down(value: Floats, null: Floats, n_groups: int, draws: Draws) -> Floats:
    """Step-down p of the groups in each contrast; NaN for indices.

    Args:
        value: of all_numbers, shape (numbers, 1).
        null: the same of each draw.
        n_groups: number of groups.
        draws: behind it.
    """
    p_maxt = np.full(len(value), np.nan)
    for groups in of_groups(n_groups).values():
        step = StepDown(value[groups])
        p_maxt[groups] = step.p_values(step.count(null[groups].T[:, :, None]), draws)[:, 0]
    return p_maxt


def group_divergences(profile: Floats) -> Floats:
    """Jensen-Shannon divergence in nats of the shares of each group from the average, shape (groups, draws).

    Source: FAIR-SEA, categorical outcomes 4; metrics.md section 4.
    """
    table = np.maximum(profile, 0)
    share = (table / table.sum(axis=1, keepdims=True)).swapaxes(0, 1)
    mean = share.mean(axis=1, keepdims=True)
    return _entropy((share + mean) / 2) - (_entropy(share) + _entropy(mean)) / 2


def profile_numbers(profile: Floats, n_categories: int) -> Floats:
    """Total variation of each group from the average, its mean, Cramer's V and divergence between groups.

    Args:
        profile: shares, shape (groups, categories, draws); noise may push some below 0.
        n_categories: categories that occur.

    Returns:
        Shape (groups + 4, draws): the mean twice, as FDI and as IDI, which has a margin of its own; V is NaN
        for a single category.

    Source: metrics.md section 4; V and divergence count negative shares as 0, as inference_golden.json does.
    """
    distance = 0.5 * np.abs(profile - profile.mean(axis=0)).sum(axis=1)
    table = np.maximum(profile, 0)
    v = _cramers_v(table, min(len(profile), n_categories))
    mean = distance.mean(axis=0)
    return np.vstack([distance, mean, mean, v, _divergence(table)])


def _cramers_v(table: Floats, shorter_side: int) -> Floats:
    if shorter_side < 2:
        return np.full(table.shape[2], np.nan)
    mean = table.mean(axis=0)
    squares = ((table - mean) ** 2).mean(axis=0)
    per_category = np.divide(squares, mean, out=np.zeros_like(mean), where=mean > 0)
    return np.sqrt(per_category.sum(axis=0) / (shorter_side - 1))


def _divergence(table: Floats) -> Floats:
    share = table / table.sum(axis=1, keepdims=True)
    return _entropy(share.mean(axis=0)) - _entropy(share.swapaxes(0, 1)).mean(axis=0)


def _entropy(share: Floats) -> Floats:
    """Entropy over the first axis in nats; scipy's entr takes ten times as long."""
    return -(share * np.log(np.where(share > 0, share, 1))).sum(axis=0)


def _contrasts(task: Task, tested: Numbers) -> dict[str, Contrasts]:
    groups, n_groups = task.blocks.groups, task.design.frame.n_groups
    present = np.isin(np.arange(n_groups), groups)
    shape = (len(tested["value"]), n_groups)
    n_roots = np.array([task.blocks.n_root_prompts])
    scope = scopes(n_roots, task.design.unit)[0]
    words = {
        "fdi_group": ("permuted total variation, two-noise inversion", _no_interval(task)),
        "jsd_group": ("permuted divergence", InferenceReason.INTERVAL_NOT_VALIDATED),
    }
    contrasts = {}
    for name, places in of_groups(len(groups)).items():
        how, no_interval = words[name]
        reason = first_of([~present, present], [InferenceReason.NO_SHARED_BLOCK, no_interval])
        numbers = {field: np.full(shape, np.nan) for field in Contrasts._fields if field in tested}
        for field, rows in numbers.items():
            rows[:, groups] = tested[field][:, places]
        contrasts[name] = without_inference(shape, reason)._replace(
            **numbers,
            is_permuted=np.broadcast_to(present, shape),
            n_root_prompts=np.broadcast_to(present * n_roots, shape),
            method=np.broadcast_to(first_of([present], [f"{how}, {task.blocks.method}"]), shape),
            scope=np.broadcast_to(first_of([present], [scope]), shape),
        )
    return contrasts


def _indices(task: Task, tested: Numbers) -> dict[str, IndexTest]:
    tests = {}
    for place, name in enumerate(PROFILE_INDICES, start=len(task.blocks.groups)):
        numbers = {field: tested[field][:, place] for field in IndexTest._fields if field in tested}
        undefined = np.isnan(numbers["value"])
        no_interval = _no_interval(task) if name in INVERTED else InferenceReason.INTERVAL_NOT_VALIDATED
        reason = first_of([undefined, ~undefined], [InferenceReason.NO_SPREAD, no_interval])
        tests[name] = without_test(undefined.shape, None)._replace(**numbers, reason=reason)
    return tests


def _no_interval(task: Task) -> InferenceReason | None:
    return InferenceReason.TOO_FEW_FOR_INTERVAL if task.resamples is None else None
