"""Groups nested in units: how far the categories that they are given lie apart, with whole units shuffled.

Belongs here: the numbers of profiles.py for the shape that units.py describes; p and floor, no interval.
"""

from typing import NamedTuple

import numpy as np

from python_assets.infer.comparison import Compared
from python_assets.infer.contrasts import Contrasts, without_inference
from python_assets.infer.design import PROMPTS_LIKE_THESE, THESE_PROMPTS_ONLY
from python_assets.infer.indices import IndexTest, without_test
from python_assets.infer.multiplicity import StepDown
from python_assets.infer.nested import NestedTask
from python_assets.infer.permutation import TIE, Floats, noise_floor, p_values, permuted_means
from python_assets.infer.profiles import PROFILE_INDICES, profile_numbers
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.units import MIN_UNITS_FOR_SCOPE, MIN_UNITS_OF_GROUP


class _Tested(NamedTuple):
    """Numbers of one measure: of each group, then PROFILE_INDICES; (numbers,)."""

    value: Floats
    null_median: Floats
    null_q95: Floats
    p_value: Floats


def compare_nested_profiles(task: NestedTask, y: Floats, min_units: int = MIN_UNITS_OF_GROUP) -> Compared:
    """Distance of each group from the average profile, and indices of all groups.

    Args:
        task: units and draws.
        y: share of each category in each unit, shape (units, measures, categories); shares add up to 1.
        min_units: of each group in complete strata; where any has fewer, nothing has a p.

    Returns:
        Contrast fdi_group, indices fdi, fdi_max, cramers_v and jsd (nats), of the groups' profiles over
        complete strata. Where too few units are in them, no index and a contrast of nothing but the reason.

    Source: metrics.md section 4; every group and every stratum weighs the same.
    """
    if not task.units.is_enough:
        reason = np.array(InferenceReason.INCOMPLETE_BLOCKS, dtype=object)
        return Compared({"fdi_group": without_inference((y.shape[1], task.units.n_groups), reason)}, {})
    tested, steps = zip(*(_test_profile(task, y[:, measure]) for measure in range(y.shape[1])), strict=True)
    fields, p_maxt = _Tested(*(np.stack(parts) for parts in zip(*tested, strict=True))), np.stack(steps)
    is_tested = bool(task.units.n_units_of_group.min() >= min_units)
    if not is_tested:
        nothing = np.full_like(fields.value, np.nan)
        fields, p_maxt = _Tested(fields.value, nothing, nothing, nothing), np.full_like(p_maxt, np.nan)
    contrast = _contrast(task, fields, p_maxt, is_tested=is_tested)
    return Compared({"fdi_group": contrast}, _indices(task, fields, is_tested=is_tested))


def _test_profile(task: NestedTask, y: Floats) -> tuple[_Tested, Floats]:
    """Numbers of one measure, and the step-down p of its groups."""
    units, n_groups = task.units, len(task.units.groups)
    centred, of_stratum = units.centred(y)
    sums = permuted_means(units.slots, task.draws, centred)
    observed = np.zeros((sums.shape[1], y.shape[1]))
    np.add.at(observed, units.slots.row, centred)
    level = units.level @ of_stratum[units.stratum_of_cell]
    of_group = units.level / units.units_of_cell
    n_categories = int((level.mean(axis=0) > TIE).sum())
    value, null = (
        profile_numbers(level[:, :, None] + np.einsum("gc,kcb->gkb", of_group, part), n_categories)
        for part in (observed.T[:, :, None], sums)
    )
    value, null = (np.vstack([part, part[:n_groups].max(axis=0)]) for part in (value, null))
    p = p_values((null >= value - TIE).sum(axis=1), task.draws)
    step = StepDown(value[:n_groups])
    p_maxt = step.p_values(step.count(null[:n_groups].T[:, :, None]), task.draws)[:, 0]
    p[np.isnan(value[:, 0])] = np.nan
    return _Tested(value[:, 0], *noise_floor(null), p), p_maxt


def _contrast(task: NestedTask, tested: _Tested, p_maxt: Floats, *, is_tested: bool) -> Contrasts:
    groups, shape = task.units.groups, (len(p_maxt), task.units.n_groups)
    n_units = np.zeros(task.units.n_groups, dtype=np.intp)
    n_units[groups] = task.units.n_units_of_group
    is_present = n_units > 0
    method = f"permuted total variation, {task.units.method}"

    def of_groups(part: Floats) -> Floats:
        rows = np.full(shape, np.nan)
        rows[:, groups] = part[:, : len(groups)]
        return rows

    reason = first_of([~is_present, is_present], [InferenceReason.NO_SHARED_BLOCK, _no_interval(is_tested)])
    words = [PROMPTS_LIKE_THESE, THESE_PROMPTS_ONLY]
    return without_inference(shape, reason)._replace(
        value=of_groups(tested.value),
        null_median=of_groups(tested.null_median),
        null_q95=of_groups(tested.null_q95),
        p_value=of_groups(tested.p_value),
        p_maxt=of_groups(p_maxt),
        is_permuted=np.broadcast_to(is_present & is_tested, shape),
        n_root_prompts=np.broadcast_to(n_units, shape),
        method=np.broadcast_to(first_of([is_present], [method]), shape),
        scope=np.broadcast_to(first_of([n_units >= MIN_UNITS_FOR_SCOPE, is_present], words), shape),
    )


def _no_interval(is_tested: bool) -> InferenceReason:
    return InferenceReason.INTERVAL_NOT_VALIDATED if is_tested else InferenceReason.TOO_FEW_UNITS


def _indices(task: NestedTask, tested: _Tested, *, is_tested: bool) -> dict[str, IndexTest]:
    tests = {}
    for place, name in enumerate(PROFILE_INDICES, start=len(task.units.groups)):
        numbers = {field: part[:, place] for field, part in tested._asdict().items()}
        undefined = np.isnan(numbers["value"])
        reason = first_of([undefined, ~undefined], [InferenceReason.NO_SPREAD, _no_interval(is_tested)])
        tests[name] = without_test(undefined.shape, None)._replace(**numbers, reason=reason)
    return tests
