"""tests/python_assets/infer/test_unit_profiles.py - profiles.py over units of one group each."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats.contingency import association

from python_assets.infer.contrasts.compare import compare_labels
from python_assets.infer.contrasts.profiles import PROFILE_INDICES
from python_assets.infer.result import InferenceReason
from python_assets.infer.tables import OF_GROUPS
from tests.python_assets.infer.schemes.test_unit_contrast import alone, scheme_of


def close(expected):
    return pytest.approx(expected, abs=1e-9)


def compared(group, stratum, y, n=199):
    """Shares y (units, labels) of units with prompts of their own."""
    scheme, _ = scheme_of(alone(y[:, 0]), group, stratum, n_permutations=n, seed=3)
    shares = y[scheme.units.name][:, None]
    return scheme, compare_labels(scheme, shares, {"risk_difference": np.full(1, np.nan)})


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
    _, result = compared(group, stratum, y)
    profiles = profiles_of(group, stratum, y)
    assert result.contrasts["fdi_group"].value[0] == close(distances(profiles))
    indices = {name: test.value[0] for name, test in result.indices.items()}
    assert indices["fdi"] == close(distances(profiles).mean())
    assert indices["fdi_max"] == close(distances(profiles).max())
    counts = np.rint(profiles * 80 * 10).astype(int)  # equal sums of both groups
    assert counts == pytest.approx(profiles * 800)
    assert indices["cramers_v"] == close(association(counts, method="cramer"))
    assert indices["jsd_between_groups"] == close(jensenshannon(*profiles) ** 2)
    of_groups = [jensenshannon(one, profiles.mean(axis=0)) ** 2 for one in profiles]
    assert result.contrasts["jsd_group"].value[0] == close(of_groups)
    assert (indices["jsd"], indices["jsd_max"]) == close((np.mean(of_groups), np.max(of_groups)))


def test_p_and_step_down_p_by_brute_force():
    rng = np.random.default_rng(2)
    group, stratum = np.repeat([0, 1, 2], [9, 8, 7]), np.arange(24) % 2
    y = shares(rng, np.array([[0.5, 0.5], [0.35, 0.65], [0.3, 0.7]])[group], 10)
    scheme, result = compared(group, stratum, y)
    units, null = scheme.units, []
    for source in scheme.draws.sources(slice(0, 199)):
        null.append(distances(profiles_of(units.group, units.stratum, y[units.name][source])))
    null, observed = np.array(null), distances(profiles_of(group, stratum, y))
    contrast = result.contrasts["fdi_group"]
    assert contrast.p_value[0] == close(((null >= observed - 1e-9).sum(axis=0) + 1) / 200)
    assert contrast.null_q95[0] == close(np.quantile(null, 0.95, axis=0))
    of_largest = ((null.max(axis=1) >= observed.max() - 1e-9).sum() + 1) / 200
    assert result.indices["fdi_max"].p_value[0] == close(of_largest)
    fdi = ((null.mean(axis=1) >= observed.mean() - 1e-9).sum() + 1) / 200
    assert result.indices["fdi"].p_value[0] == close(fdi)
    assert result.indices["fdi"].reason[0] == InferenceReason.INTERVAL_NOT_VALIDATED
    assert np.isnan(contrast.ci_low).all()


def test_a_single_category_has_no_v():
    y = np.stack([np.ones(10), np.zeros(10)], axis=1)
    _, result = compared(np.repeat([0, 1], 5), [0] * 10, y)
    assert result.indices["fdi"].value[0] == 0
    assert result.indices["fdi"].p_value[0] == 1
    assert np.isnan([result.indices["cramers_v"].value[0], result.indices["cramers_v"].p_value[0]]).all()
    assert result.indices["cramers_v"].reason[0] == InferenceReason.NO_SPREAD


def test_few_units_have_no_p():
    y = shares(np.random.default_rng(4), np.full((14, 2), 0.5), 10)
    _, few = compared(np.repeat([0, 1, 2], [3, 5, 6]), [0] * 14, y)
    for name in OF_GROUPS:
        contrast = few.contrasts[name]
        assert np.isnan([contrast.p_value, contrast.p_maxt, contrast.null_q95]).all()
        assert set(contrast.reason[0]) == {InferenceReason.TOO_FEW_UNITS}
        assert np.isfinite(contrast.value).all()
    for name in PROFILE_INDICES:
        test = few.indices[name]
        assert np.isnan([test.p_value[0], test.null_median[0], test.null_q95[0]]).all()
        assert np.isfinite(test.value[0])
        assert test.reason[0] == InferenceReason.TOO_FEW_UNITS


def test_groups_of_strata_apart_have_no_profile_side_by_side():
    y = shares(np.random.default_rng(5), np.full((14, 2), 0.5), 10)
    _, apart = compared(np.repeat([0, 1, 2], [3, 5, 6]), np.repeat([0, 0, 1], [3, 5, 6]), y)
    for name in PROFILE_INDICES:
        assert apart.indices[name].reason[0] == InferenceReason.NOT_CONNECTED
        assert np.isnan(apart.indices[name].value[0])
    for name in OF_GROUPS:
        assert set(apart.contrasts[name].reason[0]) == {InferenceReason.NOT_CONNECTED}
