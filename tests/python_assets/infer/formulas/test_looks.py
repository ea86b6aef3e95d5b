import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from python_assets.infer.formulas.looks import Look, level, levels, power_by_look
from python_assets.infer.formulas.multiplicity import benjamini_hochberg
from python_assets.infer.formulas.verdict import n_needed

GOLDEN = json.loads((Path(__file__).parent / "looks_golden.json").read_text())
LEVELS = {
    f"alpha_{alpha}_{n}_equal_looks": ([k / n for k in range(1, n + 1)], float(alpha))
    for alpha, numbers in ((".05", (1, 2, 3, 4, 5)), (".1", (5,)))
    for n in numbers
} | {"alpha_.05_root_prompts_30_55_100_of_100": ([0.3, 0.55, 1.0], 0.05)}


@pytest.mark.parametrize("case", LEVELS)
def test_golden_levels(case):
    shares, alpha = LEVELS[case]
    np.testing.assert_allclose(levels(shares, alpha), GOLDEN[case], rtol=0, atol=1e-9)
    assert sum(levels(shares, alpha)) == pytest.approx(alpha, abs=1e-12)


def test_a_look_that_is_skipped_leaves_its_share_to_the_next():
    first, second, third = levels([1 / 3, 2 / 3, 1], 0.05)
    assert level(2 / 3, 0.0, 0.05) == pytest.approx(first + second, abs=1e-12)
    assert level(1.0, 1 / 3, 0.05) == pytest.approx(second + third, abs=1e-12)


def keys(n):
    return pd.DataFrame(
        {
            "slice_id": "all",
            "system_id": "g",
            "grouping_id": "race",
            "measure_id": [f"m{i}" for i in range(n)],
            "calibration": "raw",
            "statistic": "mean",
            "parameters": "",
        }
    )


def test_golden_calls_of_four_hypotheses_at_five_looks():
    example, rows, earlier = GOLDEN["example"], keys(4), None
    p = np.array(example["p_by_hypothesis_and_look"])
    for k, alpha in enumerate(levels([0.2, 0.4, 0.6, 0.8, 1], 0.05), start=1):
        q = benjamini_hochberg(p[:, k - 1])
        np.testing.assert_allclose(q, np.array(example["q"])[:, k - 1], rtol=0, atol=1e-9)
        look = Look(alpha, alpha, k, 5, earlier={} if earlier is None else {"hypotheses": earlier})
        significant_at = look.significant_at("hypotheses", rows, q)
        earlier = rows.assign(significant_at_look=significant_at)[~np.isnan(significant_at)]
    assert [None if np.isnan(one) else one for one in significant_at] == example["significant_at_look"]


@pytest.mark.parametrize(
    ("earlier", "by_now", "held"),
    [
        ("beyond_margin", "inconclusive", "beyond_margin"),
        ("different", "not_tested", "different"),
        ("equivalent", "beyond_margin", "beyond_margin"),
        ("beyond_margin", "equivalent", "equivalent"),
        ("equivalent", "different", "different"),
        ("beyond_margin", "different", "beyond_margin"),
        ("different", "beyond_margin", "beyond_margin"),
        ("inconclusive", "inconclusive", "inconclusive"),
    ],
)
def test_of_two_words_that_were_significant_the_later_holds(earlier, by_now, held):
    rows = keys(2)
    before = rows[:1].assign(verdict=earlier, significant_at_look=1)
    look = Look(0.01, 0.03, 2, 3, earlier={"hypotheses": before})
    found = look.held("hypotheses", rows, np.array([by_now, by_now], dtype=object))
    assert found.tolist() == [held, by_now]


@pytest.mark.parametrize("n_looks", [2, 3, 5])
def test_the_chance_to_have_significant_is_that_of_normal_steps(n_looks):
    """Held against paths of a random walk, not the sums of the function."""
    shares, n, sd, effect, n_tests = np.arange(1, n_looks + 1) / n_looks, 48, 1.0, 0.5, 6
    bounds = stats.norm.isf(np.array(levels(shares.tolist(), 0.05)) / 2 / n_tests)
    means = effect / sd * np.sqrt(np.maximum(shares * n - bounds**2 / 2, 0))
    steps = np.random.default_rng(4).normal(size=(400_000, n_looks)) * np.sqrt(np.diff(shares, prepend=0))
    z = steps.cumsum(axis=1) / np.sqrt(shares) + means
    walked = (np.abs(z) > bounds).cumsum(axis=1).astype(bool).mean(axis=0)
    found = power_by_look(shares.tolist(), 0.05, effect=effect, sd=sd, n=n, n_tests=n_tests)
    np.testing.assert_allclose(found, walked, atol=0.003)
    # nothing to be found: the levels, each shared by the tests
    none = power_by_look(shares.tolist(), 0.05, effect=1e-9, sd=sd, n=10_000)
    assert none[0] == pytest.approx(levels(shares.tolist(), 0.05)[0], abs=1e-6)
    assert 0.03 < none[-1] <= 0.05 + 1e-6


def test_one_look_has_the_power_that_is_planned():
    planned = n_needed(np.array(0.5), np.array(1.0), np.array(np.nan), alpha=0.05, n_tests=6)
    found = power_by_look([1.0], 0.05, effect=0.5, sd=1.0, n=int(planned), n_tests=6)
    assert found == pytest.approx([0.8], abs=0.01)


def test_n_needed_with_the_last_level_shows_what_is_planned():
    """Inference.md 6.8: 2, 3 and 5 looks take 1.04, 1.10 and 1.21 times the root prompts of one (simulated)."""
    needed = []
    for n_looks in (1, 2, 3, 5):
        shares = [k / n_looks for k in range(1, n_looks + 1)]
        last = levels(shares, 0.05)[-1]
        n = int(n_needed(np.array(0.43), np.array(1.0), np.array(np.nan), alpha=last))
        needed.append(n)
        assert 0.8 <= power_by_look(shares, 0.05, effect=0.43, sd=1.0, n=n)[-1] < 0.83
    np.testing.assert_allclose(np.array(needed) / needed[0], [1, 1.04, 1.10, 1.21], atol=0.04)
