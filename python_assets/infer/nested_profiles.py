"""Groups nested in units: how far the categories that they are given lie apart, with whole units shuffled.

Belongs here: the numbers of profiles.py for the shape that units.py describes; p and floor, no interval.
"""

from typing import NamedTuple

import numpy as np

from python_assets.infer.comparison import Compared
from python_assets.infer.contrasts import Contrasts, without_inference
from python_assets.infer.design import PROMPTS_LIKE_THESE, THESE_PROMPTS_ONLY
from python_assets.infer.indices import IndexTest, without_test
from python_assets.infer.nested import NestedTask
from python_assets.infer.permutation import TIE, Floats, noise_floor, p_values, permuted_means
from python_assets.infer.profiles import (
    PROFILE_CONTRASTS,
    PROFILE_INDICES,
    all_numbers,
    of_groups,
    stepped_down,
)
from python_assets.infer.reasons import InferenceReason, first_of
from python_assets.infer.units import MIN_UNITS_FOR_SCOPE, MIN_UNITS_OF_GROUP


class _Tested(NamedTuple):
    """Numbers of one measure in the order of all_numbers, (numbers,)."""

    value: Floats
    null_median: Floats
    null_q95: Floats
    p_value: Floats
    p_maxt: Floats


def compare_nested_profiles(task: NestedTask, y: Floats, min_units: int = MIN_UNITS_OF_GROUP) -> Compared:
    """Distance of each group from the average profile, and indices of all groups.

    Args:
        task: units and draws.
        y: share of each category in each unit, shape (units, measures, categories); shares add up to 1.
        min_units: of each group in complete strata; where any has fewer, nothing has a p.

    Returns:
        Contrasts and indices as of compare_profiles, of the groups' profiles over complete strata. Where too
        few units are in them, no index and contrasts of nothing but the reason.

    Source: metrics.md section 4; every group and every stratum weighs the same.
    """
    if not task.units.is_enough:
        reason = np.array(InferenceReason.INCOMPLETE_BLOCKS, dtype=object)
        nothing = without_inference((y.shape[1], task.units.n_groups), reason)
        return Compared(dict.fromkeys(PROFILE_CONTRASTS, nothing), {})
    tested = [_test_profile(task, y[:, measure]) for measure in range(y.shape[1])]
    fields = _Tested(*(np.stack(parts) for parts in zip(*tested, strict=True)))
    is_tested = bool(task.units.n_units_of_group.min() >= min_units)
    if not is_tested:
        fields = _Tested(fields.value, *[np.full_like(fields.value, np.nan)] * 4)
    contrasts = _contrasts(task, fields, is_tested=is_tested)
    return Compared(contrasts, _indices(task, fields, is_tested=is_tested))


def _test_profile(task: NestedTask, y: Floats) -> _Tested:
    units = task.units
    centred, of_stratum = units.centred(y)
    sums = permuted_means(units.slots, task.draws, centred)
    observed = np.zeros((sums.shape[1], y.shape[1]))
    np.add.at(observed, units.slots.row, centred)
    level = units.level @ of_stratum[units.stratum_of_cell]
    of_group = units.level / units.units_of_cell
    n_categories = int((level.mean(axis=0) > TIE).sum())
    value, null = (
        all_numbers(level[:, :, None] + np.einsum("gc,kcb->gkb", of_group, part), n_categories)
        for part in (observed.T[:, :, None], sums)
    )
    p_maxt = stepped_down(value, null, len(units.groups), task.draws)
    p = p_values((null >= value - TIE).sum(axis=1), task.draws)
    p[np.isnan(value[:, 0])] = np.nan
    return _Tested(value[:, 0], *noise_floor(null), p, p_maxt)


def _contrasts(task: NestedTask, tested: _Tested, *, is_tested: bool) -> dict[str, Contrasts]:
    groups, shape = task.units.groups, (len(tested.value), task.units.n_groups)
    n_units = np.zeros(task.units.n_groups, dtype=np.intp)
    n_units[groups] = task.units.n_units_of_group
    is_present = n_units > 0
    reason = first_of([~is_present, is_present], [InferenceReason.NO_SHARED_BLOCK, _no_interval(is_tested)])
    words = [PROMPTS_LIKE_THESE, THESE_PROMPTS_ONLY]
    what = {"fdi_group": "permuted total variation", "jsd_group": "permuted divergence"}
    contrasts = {}
    for name, places in of_groups(len(groups)).items():
        numbers = {field: np.full(shape, np.nan) for field in _Tested._fields}
        for field, rows in numbers.items():
            rows[:, groups] = getattr(tested, field)[:, places]
        contrasts[name] = without_inference(shape, reason)._replace(
            **numbers,
            is_permuted=np.broadcast_to(is_present & is_tested, shape),
            n_root_prompts=np.broadcast_to(n_units, shape),
            method=np.broadcast_to(first_of([is_present], [f"{what[name]}, {task.units.method}"]), shape),
            scope=np.broadcast_to(first_of([n_units >= MIN_UNITS_FOR_SCOPE, is_present], words), shape),
        )
    return contrasts


def _no_interval(is_tested: bool) -> InferenceReason:
    return InferenceReason.INTERVAL_NOT_VALIDATED if is_tested else InferenceReason.TOO_FEW_UNITS


def _indices(task: NestedTask, tested: _Tested, *, is_tested: bool) -> dict[str, IndexTest]:
    tests = {}
    for place, name in enumerate(PROFILE_INDICES, start=len(task.units.groups)):
        fields = tested._asdict().items()
        numbers = {field: part[:, place] for field, part in fields if field in IndexTest._fields}
        undefined = np.isnan(numbers["value"])
        reason = first_of([undefined, ~undefined], [InferenceReason.NO_SPREAD, _no_interval(is_tested)])
        tests[name] = without_test(undefined.shape, None)._replace(**numbers, reason=reason)
    return tests
