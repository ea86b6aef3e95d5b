"""tests/python_assets/infer/test_nested_profiles.py - categories of groups that are nested in units."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats.contingency import association

from python_assets.infer.design import Frame
from python_assets.infer.nested import NestedTask
from python_assets.infer.nested_profiles import compare_nested_profiles
from python_assets.infer.permutation import RandomDraws
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.units import nested_units


def close(expected):
    return pytest.approx(expected, abs=1e-9)


def task_of(group, stratum, n=199):
    group, stratum = np.array(group), np.array(stratum)
    places = np.arange(len(group))
    frame = Frame(places, group, places, int(group.max()) + 1)
    units = nested_units(frame, stratum, np.ones(len(group), bool))
    return NestedTask(units, RandomDraws(3, n, units.stratum, units.unit, len(group)), 0.05)


def shares(rng, p, m):
    return np.array([rng.multinomial(m, row) for row in p]) / m


def profiles_of(group, stratum, y):
    cells = [[y[(group == g) & (stratum == s)].mean(axis=0) for s in set(stratum)] for g in set(group)]
    return np.array(cells).mean(axis=1)


def distances(profiles):
    return 0.5 * np.abs(profiles - profiles.mean(axis=0)).sum(axis=1)


def test_numbers_are_those_of_scipy():
    rng = np.random.default_rng(1)
    group, stratum = np.repeat([0, 1], 8), np.tile([0, 1], 8)
    y = shares(rng, np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])[group], 10)
    task = task_of(group, stratum)
    result = compare_nested_profiles(task, y[task.units.unit][:, None])
    profiles = profiles_of(group, stratum, y)
    assert result.contrasts["fdi_group"].value[0] == close(distances(profiles))
    indices = {name: test.value[0] for name, test in result.indices.items()}
    assert indices["fdi"] == close(distances(profiles).mean())
    assert indices["fdi_max"] == close(distances(profiles).max())
    counts = np.rint(profiles * 80 * 10).astype(int)  # equal sums of both groups
    assert counts == pytest.approx(profiles * 800)
    assert indices["cramers_v"] == close(association(counts, method="cramer"))
    assert indices["jsd"] == close(jensenshannon(*profiles) ** 2)


def test_p_and_step_down_p_by_brute_force():
    rng = np.random.default_rng(2)
    group, stratum = np.repeat([0, 1, 2], [9, 8, 7]), np.arange(24) % 2
    y = shares(rng, np.array([[0.5, 0.5], [0.35, 0.65], [0.3, 0.7]])[group], 10)
    task = task_of(group, stratum)
    result = compare_nested_profiles(task, y[task.units.unit][:, None])
    units, null = task.units, []
    for sources in np.concatenate([task.draws.sources(batch) for batch in task.draws.batches()]):
        null.append(distances(profiles_of(units.group, units.stratum, y[units.unit][sources])))
    null, observed = np.array(null), distances(profiles_of(group, stratum, y))
    contrast = result.contrasts["fdi_group"]
    assert contrast.p_value[0] == close(((null >= observed - 1e-9).sum(axis=0) + 1) / 200)
    assert contrast.null_q95[0] == close(np.quantile(null, 0.95, axis=0))
    largest = np.argmax(observed)
    alone = ((null.max(axis=1) >= observed.max() - 1e-9).sum() + 1) / 200
    assert contrast.p_maxt[0, largest] == close(alone)
    assert result.indices["fdi_max"].p_value[0] == close(alone)
    fdi = ((null.mean(axis=1) >= observed.mean() - 1e-9).sum() + 1) / 200
    assert result.indices["fdi"].p_value[0] == close(fdi)
    assert result.indices["fdi"].reason[0] == InferenceReason.INTERVAL_NOT_VALIDATED
    assert np.isnan(contrast.ci_low).all()


def test_a_single_category_has_no_v():
    y = np.stack([np.ones(10), np.zeros(10)], axis=1)[:, None]
    result = compare_nested_profiles(task_of(np.repeat([0, 1], 5), [0] * 10), y)
    assert result.indices["fdi"].value[0] == 0
    assert result.indices["fdi"].p_value[0] == 1
    assert np.isnan([result.indices["cramers_v"].value[0], result.indices["cramers_v"].p_value[0]]).all()
    assert result.indices["cramers_v"].reason[0] == InferenceReason.NO_SPREAD


def test_few_units_have_no_p_and_incomplete_strata_no_number():
    rng = np.random.default_rng(4)
    y = shares(rng, np.full((14, 2), 0.5), 10)[:, None]
    few = compare_nested_profiles(task_of(np.repeat([0, 1, 2], [3, 5, 6]), [0] * 14), y)
    contrast = few.contrasts["fdi_group"]
    assert np.isnan([contrast.p_value, contrast.p_maxt, contrast.null_q95]).all()
    assert set(contrast.reason[0]) == {InferenceReason.TOO_FEW_UNITS}
    assert not contrast.is_permuted.any()
    assert np.isfinite(contrast.value).all()
    for test in few.indices.values():
        assert np.isnan([test.p_value[0], test.null_median[0], test.null_q95[0]]).all()
        assert np.isfinite(test.value[0])
        assert test.reason[0] == InferenceReason.TOO_FEW_UNITS
    allowed = compare_nested_profiles(task_of(np.repeat([0, 1, 2], [3, 5, 6]), [0] * 14), y, min_units=2)
    assert np.isfinite([allowed.contrasts["fdi_group"].p_value, allowed.contrasts["fdi_group"].p_maxt]).all()
    assert np.isfinite(allowed.indices["fdi"].p_value).all()
    strata = np.repeat([0, 0, 1], [3, 5, 6])
    apart = compare_nested_profiles(task_of(np.repeat([0, 1, 2], [3, 5, 6]), strata), y)
    assert apart.indices == {}
    assert set(apart.contrasts["fdi_group"].reason[0]) == {InferenceReason.INCOMPLETE_BLOCKS}
