"""tests/python_assets/infer/formulas/test_selected.py - mirrors python_assets/infer/formulas/selected.py."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from python_assets.infer.formulas.selected import (
    SELECTED_LEVEL,
    SPREADS,
    normal_scores,
    shrinkage,
    with_selected_sizes,
    with_weights,
)

GOLDEN = json.loads((Path(__file__).parent / "selected_golden.json").read_text())
SETS = {"family_id": "primary", "slice_id": "all", "system_id": "g", "grouping_id": "race", "calibration": "raw"}
NO_PAIRS = pd.DataFrame(
    columns=[
        *("slice_id", "measure_id", "calibration", "grouping_id", "system_id", "reference_system_id"),
        *(
            "comparison",
            "group_id",
            "category",
            "family_id",
            "is_significant",
            "value",
            "std_error",
            "ci_low",
            "ci_high",
            "df",
            "p_value",
            "p_maxt",
        ),
        "mirror_of",
        *("skewness", "skewness_of_hypothesis", "control_error", "control_df"),
    ]
)


def sized(rows, pairs, alpha):
    return with_selected_sizes(*with_weights(rows, pairs), alpha)


def contrasts(n_groups=12, **columns):
    t, df = (np.array(GOLDEN[name]) for name in ("t", "df"))
    rows = {
        **SETS,
        "measure_id": "tone",
        "statistic": "mean",
        "parameters": "",
        "contrast": "mean_difference",
        "reference": "rest",
        "category": "",
        "group_id": [f"g{i}" for i in range(n_groups)],
        "value": GOLDEN["value"],
        "std_error": GOLDEN["std_error"],
        "studentised": t,
        "df": df,
        "p_value_maxt": 0.5,
        "is_significant": GOLDEN["significant"],
        "mirror_of": None,
    }
    return pd.DataFrame(rows | columns)


def test_cells_of_a_crossing_that_say_the_same_count_once():
    of_cells = {"contrast": "interaction", "reference": "parts", "grouping_id": "gender x race"}
    mirrors = [None] * 6 + [f"g{i}" for i in range(6)]
    found, _ = sized(contrasts(**of_cells, mirror_of=mirrors), NO_PAIRS, 0.05)
    alone, _ = sized(contrasts(**of_cells), NO_PAIRS, 0.05)
    significant = np.array(GOLDEN["significant"])
    assert alone[SELECTED_LEVEL].dropna().unique() == pytest.approx(0.05 * significant.sum() / 12)
    assert found[SELECTED_LEVEL].dropna().unique() == pytest.approx(0.05 * significant.sum() / 2 / 6)


def test_golden_numbers():
    t, df = (np.array(GOLDEN[name], dtype=float) for name in ("t", "df"))
    np.testing.assert_allclose(SPREADS, GOLDEN["grid"], atol=1e-9)
    np.testing.assert_allclose(normal_scores(t, df), GOLDEN["z"], atol=1e-8)
    np.testing.assert_allclose(shrinkage(t, df, np.ones(len(t))), GOLDEN["shrinkage"], atol=1e-8)
    found, _ = sized(contrasts(), NO_PAIRS, GOLDEN["alpha"])
    np.testing.assert_allclose(found.value_shrunken, GOLDEN["value_shrunken"], atol=1e-8)
    significant = found[SELECTED_LEVEL].notna()
    assert significant.tolist() == GOLDEN["significant"]
    np.testing.assert_allclose(found[SELECTED_LEVEL][significant], 1 - GOLDEN["level"], atol=1e-12)
    assert found.selected_reason[~significant].tolist() == ["not_significant"] * 9
    half = stats.t.isf(found[SELECTED_LEVEL] / 2, found.df) * found.std_error
    for side, sign in (("low", -1), ("high", 1)):
        np.testing.assert_allclose((found.value + sign * half)[significant], GOLDEN[f"ci_{side}_selected"], atol=1e-9)


def test_changes_hold_what_words_do_at_the_level_of_the_selection():
    rows = contrasts(comparison="disparity_change", reference_system_id="old", p_value=0.5, p_maxt=0.5)
    rows = rows.assign(ci_low=rows.value - 0.01, ci_high=rows.value + 0.01, is_significant=rows.index < 3)
    rows = rows.assign(skewness=0.0, skewness_of_hypothesis=0.0, control_error=np.nan, control_df=4.0)
    none = contrasts()[:0]
    _, plain = sized(none, rows, 0.05)
    _, found = sized(none, rows.assign(control_error=2.0), 0.05)
    half = stats.t.isf(0.05 * 3 / 12 / 2, 4) * 2
    np.testing.assert_allclose(found.ci_low_selected[:3], rows.value[:3] - half)
    np.testing.assert_allclose(found.ci_high_selected[:3], rows.value[:3] + half)
    assert (plain.ci_low_selected[:3] > found.ci_low_selected[:3]).all()


def test_weights_are_the_likeliest_shares_of_a_mixture():
    """By a general optimiser of the same likelihood; 200 steps come as close as this."""
    z, variance = np.random.default_rng(3).normal(0, 2, size=200), 1 + SPREADS**2

    def loss(free):
        shares = np.exp(free) / np.exp(free).sum()
        return -np.log(stats.norm.pdf(z[:, None], scale=np.sqrt(variance)) @ shares).mean()

    shares = optimize.minimize(loss, np.zeros(len(SPREADS)), method="BFGS").x
    joint = stats.norm.pdf(z[:, None], scale=np.sqrt(variance)) * np.exp(shares)
    expected = (joint / joint.sum(axis=1, keepdims=True)) @ (SPREADS**2 / variance)
    np.testing.assert_allclose(shrinkage(z, np.full(200, 1e9), np.ones(200)), expected, atol=0.04)


def test_shrinkage_stays_between_0_and_1_however_far_out_a_row_lies():
    t = np.array([1e6, -1e6, 0.0, 40, 1e-12, 3])
    found = shrinkage(t, np.array([29, 29, 29, 1, 29, 2.0]), np.ones(6))
    assert ((found >= 0) & (found <= 1)).all()
    assert found[0] == found[1]


def test_all_groups_significant_have_the_interval_that_they_had():
    found, _ = sized(contrasts(is_significant=True), NO_PAIRS, 0.05)
    assert found[SELECTED_LEVEL].tolist() == pytest.approx([0.05] * 12)


def test_a_set_of_few_rows_has_no_shrunken_value():
    found, _ = sized(contrasts()[:5], NO_PAIRS, 0.05)
    assert found.value_shrunken.isna().all()
    assert set(found.selected_reason) == {"too_few_rows"}
    assert found[SELECTED_LEVEL][:3].tolist() == pytest.approx([0.05 * 3 / 5] * 3)


def test_mirrored_rows_count_once():
    """Two groups say one thing, and so do the two labels of a measure: 4 rows of each question are 1."""
    value = np.repeat([0.9, 0.1, 0.2, 0.1, 0.3, 0.1], 4) * np.tile([1, -1, -1, 1], 6)
    pairs = contrasts(
        n_groups=24,
        measure_id=np.repeat([f"m{i}" for i in range(6)], 4),
        group_id=np.tile(["a", "b", "a", "b"], 6),
        category=np.tile(["yes", "yes", "no", "no"], 6),
        value=value,
        std_error=0.2,
        studentised=value / 0.2,
        df=29.0,
        is_significant=np.repeat([True, *[False] * 5], 4),
    )
    found, _ = sized(pairs, NO_PAIRS, 0.05)
    assert found[SELECTED_LEVEL].dropna().tolist() == pytest.approx([0.05 / 6] * 4)
    once, _ = sized(pairs[pairs.category == "yes"].assign(category=""), NO_PAIRS, 0.05)
    np.testing.assert_allclose(once.value_shrunken, found.value_shrunken[found.category == "yes"], atol=1e-12)


def test_rows_without_a_test_or_an_error_take_no_part():
    rows = contrasts()
    rows.loc[11, "contrast"] = "log_disparity"
    rows.loc[10, "std_error"] = 0.0
    found, _ = sized(rows, NO_PAIRS, 0.05)
    assert found.selected_reason[11] == "not_of_selection"
    assert found.selected_reason[10] == "too_few_rows"
    assert np.isnan(found.value_shrunken[10])
    np.testing.assert_allclose(found[SELECTED_LEVEL].dropna(), 0.05 * 3 / 11, atol=1e-12)


@pytest.mark.run
def test_false_coverage_and_error_of_significant_rows():
    """Of 30 questions of 6 groups .3 are true: the share of called rows not covered, and how far values are off."""
    rng, n_hypotheses, n_groups = np.random.default_rng(11), 30, 6
    missed, errors = [], []
    for _ in range(60):
        truth = np.zeros((n_hypotheses, n_groups))
        truth[rng.random(n_hypotheses) < 0.3, 0] = 1
        truth[:, 0] *= rng.uniform(0.5, 4, n_hypotheses) * rng.choice([-1, 1], n_hypotheses)
        truth -= truth.mean(axis=1, keepdims=True)
        value = truth + rng.normal(size=truth.shape)
        p = 2 * stats.norm.sf(np.abs(value))
        q = stats.false_discovery_control(p.ravel())
        found, _ = sized(
            contrasts(
                n_groups=truth.size,
                measure_id=np.repeat(np.arange(n_hypotheses), n_groups).astype(str),
                group_id=np.tile(list("abcdef"), n_hypotheses),
                value=value.ravel(),
                std_error=1.0,
                studentised=value.ravel(),
                df=1e6,
                is_significant=q <= 0.05,
            ),
            NO_PAIRS,
            0.05,
        )
        significant = q <= 0.05
        half = stats.norm.isf(found[SELECTED_LEVEL][significant] / 2)
        missed.append((np.abs(value - truth).ravel()[significant] > half).mean() if significant.any() else 0)
        errors += [
            *zip(*((of - truth.ravel())[significant] for of in (value.ravel(), found.value_shrunken)), strict=True)
        ]
    raw, shrunken = np.sqrt(np.mean(np.square(errors), axis=0))
    assert np.mean(missed) <= 0.05 + 2 * np.std(missed) / np.sqrt(len(missed))
    assert shrunken < raw
