import numpy as np
import pytest
from scipy import stats

from python_assets.plan.control_power import ControlledDesign, detectable_with_controls, power_with_controls

# inference.md 14: found of one group that differs by so many sd of a cell, with 5, 10 and 20 controls
SIMULATED = {(2, 17, 1.0): (0.54, 0.66, 0.72), (6, 17, 1.0): (0.27, 0.48, 0.61), (21, 40, 1.4): (0.46, 0.87, 0.99)}


@pytest.mark.parametrize("case", SIMULATED)
def test_power_is_that_of_simulated_studies(case):
    n_groups, n_root_prompts, effect = case
    powers = [
        power_with_controls(ControlledDesign(n_groups, n_root_prompts, n - 1, 1.0, 0.0, 0.05), effect)
        for n in (5, 10, 20)
    ]
    assert powers == pytest.approx(SIMULATED[case], abs=0.035)


@pytest.mark.parametrize("wording_sd", [0.0, 0.3])
def test_power_is_that_of_both_tests_on_drawn_cells(wording_sd):
    rng, n_sets, n_root_prompts, n_groups, n_controls, effect = np.random.default_rng(1), 4000, 12, 4, 8, 1.4
    words = wording_sd * rng.normal(size=(n_sets, 1, n_groups + n_controls))
    cells = rng.normal(size=(n_sets, n_root_prompts, n_groups + n_controls)) + words
    cells[:, :, 0] += effect
    groups, means = cells[:, :, :n_groups], cells.mean(axis=1)
    residual = groups - groups.mean(axis=2, keepdims=True) - groups.mean(axis=1, keepdims=True)
    residual += groups.mean(axis=(1, 2), keepdims=True)
    df = (n_root_prompts - 1) * (n_groups - 1)
    mean_square = (residual**2).sum(axis=(1, 2)) / df
    between = means[:, :n_groups].var(axis=1, ddof=1)
    df_controls = n_controls - 1
    floor = mean_square / n_root_prompts * stats.chi2.ppf(0.05, df_controls) / df_controls
    controls = np.maximum(means[:, n_groups:].var(axis=1, ddof=1), floor)
    found = stats.f.sf(between / controls, n_groups - 1, df_controls) <= 0.05
    found &= stats.f.sf(between * n_root_prompts / mean_square, n_groups - 1, df) <= 0.025
    design = ControlledDesign(n_groups, n_root_prompts, df_controls, 1.0, wording_sd, 0.05)
    assert power_with_controls(design, effect) == pytest.approx(found.mean(), abs=0.025)


def test_what_is_detected_has_the_power_that_was_asked_for():
    design = ControlledDesign(n_groups=6, n_root_prompts=30, df=9, cell_sd=0.4, wording_sd=0.12, alpha=0.05 / 4)
    effect = detectable_with_controls(design, 0.8)
    assert power_with_controls(design, effect) == pytest.approx(0.8, abs=1e-4)
    assert detectable_with_controls(design._replace(wording_sd=0.0), 0.8) < effect
    assert detectable_with_controls(design._replace(df=19), 0.8) < effect


def test_wording_is_not_averaged_away_by_more_root_prompts():
    design = ControlledDesign(n_groups=6, n_root_prompts=10_000, df=9, cell_sd=1.0, wording_sd=0.3, alpha=0.05)
    assert detectable_with_controls(design, 0.8) > 1.0
    assert detectable_with_controls(design._replace(wording_sd=0.0), 0.8) < 0.1


@pytest.mark.parametrize("wrong", [{"n_groups": 1}, {"n_root_prompts": 1}, {"df": 0}, {"cell_sd": float("nan")}])
def test_a_design_without_a_test_detects_nothing(wrong):
    design = ControlledDesign(n_groups=3, n_root_prompts=10, df=4, cell_sd=1.0, wording_sd=0.0, alpha=0.05)
    assert np.isnan(detectable_with_controls(design._replace(**wrong), 0.8))
