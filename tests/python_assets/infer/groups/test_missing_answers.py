"""tests/python_assets/infer/groups/test_missing_answers.py - mirrors python_assets/infer/groups/missing_answers.py."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from python_assets.infer.design.cells import Cells, Missing
from python_assets.infer.design.design import Frame
from python_assets.infer.formulas.missing import interval_with_missing, p_with_missing
from python_assets.infer.groups.missing_answers import bounds_of
from python_assets.infer.run import infer_study
from python_assets.study.base import Against
from tests.python_assets.infer.test_run import analysis, numbers, rows

GOLDEN = json.loads((Path(__file__).parents[1] / "formulas" / "missing_golden.json").read_text())
OF_MISSING = (
    *("ci_low_missing", "ci_high_missing", "tipping_shift", "missing_share", "missing_share_rest"),
    "verdict_with_missing",
)


def made_cells(x, kind="continuous"):
    """Cells of tables (root prompts, groups, columns), NaN where an answer is missing."""
    n_roots, n_groups, n_columns = x.shape
    frame = Frame(
        np.repeat(np.arange(n_roots), n_groups), np.tile(np.arange(n_groups), n_roots), np.arange(n_roots), n_groups
    )
    flat = x.reshape(-1, n_columns)
    columns = pd.DataFrame(
        {"system_id": "model", "measure_id": [f"m{i}" for i in range(n_columns)], "calibration": "raw"}
    ).assign(category="", statistic="mean", parameters="", kind=kind, direction="none")
    cells = Cells(
        slice_id="all",
        grouping_id="gender",
        columns=columns,
        group_ids=[f"g{i}" for i in range(n_groups)],
        frame=frame,
        x=flat,
        n_responses=(~np.isnan(flat)).astype(float),
        has_several_prompts=False,
    )
    none = np.full(n_columns, np.nan)
    return cells, Missing(np.isnan(flat).astype(float), none, none)


@pytest.mark.parametrize(
    ("name", "case", "kind", "scale"),
    [
        ("continuous", GOLDEN["continuous"]["scale_0_1"], "continuous", (0.0, 1.0)),
        ("continuous", GOLDEN["continuous"]["observed"], "continuous", None),
        ("binary", GOLDEN["binary"], "binary", None),
    ],
)
def test_golden_numbers(study, name, case, kind, scale):
    """From the tables of a build file to rows; intervals of rates are wider by MOVER."""
    x, group = np.array(GOLDEN[name]["values"], dtype=float), GOLDEN[name]["group"]
    cells, answers = made_cells(x[:, :, None], kind)
    if scale:
        answers = answers._replace(scale_low=np.array([0.0]), scale_high=np.array([1.0]))
    found = bounds_of(cells, answers, fills_scale=scale is not None)
    for field, values in found.ends._asdict().items():
        assert values[0, group] == pytest.approx(case[field], abs=1e-9)
    limits = interval_with_missing(found.ends, found.df, 0.05)
    p = p_with_missing(found.ends, found.df, x.shape[1])
    for side, values in zip(("ci_low_missing", "ci_high_missing", "p_with_missing"), (*limits, p), strict=True):
        assert values[0, group] == pytest.approx(case[side], abs=1e-9)

    connection = study.add("m", x, kind=kind).miss("m", np.isnan(x), scale=scale).write()
    infer_study(connection, analysis(fills_scale=scale is not None, margins={}))
    row = rows(connection, "contrasts", f"group_id = 'g{group}' and contrast <> 'log_disparity'").iloc[0]
    assert row.value_cells == pytest.approx(case["value"], abs=1e-9)
    assert row.missing_share == pytest.approx(case["share_missing"], abs=1e-9)
    assert row.ci_low_missing == pytest.approx(min(case["ci_low_missing"], row.ci_low), abs=1e-9)
    assert row.ci_high_missing == pytest.approx(max(case["ci_high_missing"], row.ci_high), abs=1e-9)
    assert row.q_value <= 0.05
    # the golden shift is of t alone
    nearer = max(row.ci_low, -row.ci_high)
    assert row.tipping_shift == pytest.approx(nearer / case["share_missing"], abs=1e-9)
    expected = "different" if case["p_with_missing"] <= 0.05 else "inconclusive"
    assert (row.verdict, row.verdict_with_missing) == ("different", expected)
    assert pd.isna(row.missing_reason)


def by_hand(x, n_missing, n_asked, roots, group, low, high):
    """Filled tables of one column, in loops: mean of D over root prompts and its error."""
    n_blocks, n_groups = x.shape
    means = {root: np.nanmean(x[roots == root]) for root in set(roots) if not np.isnan(x[roots == root]).all()}
    deviations = [x[b, g] - means[roots[b]] for b in range(n_blocks) for g in range(n_groups) if not np.isnan(x[b, g])]
    is_seen = low is None
    if is_seen:
        low, high = np.quantile(deviations, [0.05, 0.95])
    d: dict[int, list[float]] = {}
    for b in range(n_blocks):
        if roots[b] not in means:
            continue
        base = means[roots[b]] if is_seen else 0.0
        of_block = {}
        for g in range(n_groups):
            if n_asked[b, g]:
                f = n_missing[b, g] / n_asked[b, g]
                limit = base + (low if g == group else high)
                of_block[g] = (1 - f) * (0 if f == 1 else x[b, g]) + f * limit
        if group in of_block and len(of_block) > 1:
            rest = np.mean([value for g, value in of_block.items() if g != group])
            d.setdefault(roots[b], []).append(of_block[group] - rest)
    of_roots = [np.mean(values) for values in d.values()]
    return np.mean(of_roots), stats.sem(of_roots), len(of_roots)


@pytest.mark.parametrize("kind", ["continuous", "binary"])
def test_cells_never_asked_blocks_of_one_root_prompt_and_replicates(kind):
    """Against the same in loops, with cells that nobody asked and root prompts that nobody answered."""
    rng = np.random.default_rng(4)
    n_blocks, n_groups, roots = 24, 4, np.repeat(np.arange(12), 2)
    n_asked = rng.integers(0, 4, (n_blocks, n_groups))
    n_missing = np.minimum(rng.integers(0, 4, n_asked.shape) * (rng.random(n_asked.shape) < 0.3), n_asked)
    n_missing[4:6] = n_asked[4:6]
    x = rng.normal(size=n_asked.shape) if kind == "continuous" else rng.integers(0, 2, n_asked.shape).astype(float)
    x[n_asked == n_missing] = np.nan
    cells, answers = made_cells(x[:, :, None], kind)
    cells = cells._replace(
        frame=cells.frame._replace(root_of_block=roots), n_responses=(n_asked - n_missing).reshape(-1, 1).astype(float)
    )
    found = bounds_of(cells, answers._replace(n=n_missing.reshape(-1, 1).astype(float)))
    limits = (None, None) if kind == "continuous" else (0, 1)
    for group in range(n_groups):
        low = by_hand(x, n_missing, n_asked, roots, group, *limits)
        high = by_hand(-x, n_missing, n_asked, roots, group, *(None if one is None else -one for one in limits[::-1]))
        assert found.ends.low[0, group] == pytest.approx(low[0], abs=1e-12)
        assert found.ends.se_low[0, group] == pytest.approx(low[1], abs=1e-12)
        assert found.ends.high[0, group] == pytest.approx(-high[0], abs=1e-12)
        assert found.ends.se_high[0, group] == pytest.approx(high[1], abs=1e-12)
        assert found.df[0, group] == low[2] - 1


def gaps(n_prompts=12, n_groups=4, n_missing=2):
    x = numbers(n_prompts, n_groups, shift=3)
    x[:n_missing, 0] = np.nan
    return x


def test_every_row_without_a_number_has_a_reason(study):
    x = gaps()
    study.add("tone", x, baseline=np.zeros(x.shape)).add("tone", x, calibration="calibrated")
    study.miss("tone", np.isnan(x)).select("tone").ask("variance")
    study.add("whole", numbers(12, 4, seed=3, shift=3))
    for category, sign in (("yes", 1), ("no", -1)):
        share = np.where(np.isnan(x), np.nan, sign * (x - 1) > 0)
        study.add("answer", share, kind="categorical", category=category)
    study.miss("answer", np.isnan(x))
    connection = study.write()
    infer_study(connection, analysis(requested_contrasts=("variance_difference",)))
    found = rows(connection, "contrasts")
    for name in OF_MISSING:
        assert found.missing_reason[found[name].isna()].notna().all(), name
    reason = found.set_index(["measure_id", "calibration", "statistic", "contrast", "group_id", "category"])
    reason = reason.missing_reason.sort_index()
    filled = ("tone", "raw", "mean", "mean_difference")
    assert pd.isna(reason.loc[(*filled, "g0", "")])
    assert reason.loc[(*filled, "g1", "")] == "nothing_missing"
    assert set(reason.loc["tone", "calibrated"]) == {"scheme_not_available"}
    assert set(reason.loc["tone", "raw", "selection_rate"]) == {"scheme_not_available"}
    assert set(reason.loc["whole", "raw", "mean", "mean_difference"]) == {"nothing_missing"}
    assert reason.loc["answer", "raw", "share", "fdi_group", "g0", ""] == "scheme_not_available"
    assert pd.isna(reason.loc["answer", "raw", "share", "risk_difference", "g0", "yes"])
    of_tone = found[(found.measure_id == "tone") & (found.calibration == "raw") & (found.statistic == "mean")]
    assert of_tone.missing_share.tolist() == pytest.approx([2 / 12, 0, 0, 0])
    assert of_tone.missing_share_rest.tolist() == pytest.approx([0, *[2 / 36] * 3])
    # the sd is that of present cells around the mean of their root prompt
    sd = (x - np.nanmean(x, axis=1, keepdims=True))[~np.isnan(x)].std(ddof=1)
    assert (of_tone.value_cells / of_tone.value_standardised).tolist() == pytest.approx([sd] * 4)


def test_both_labels_of_two_are_one_comparison(study):
    """Two groups and two labels say one thing: the word changes where alpha passes p itself."""
    x = np.zeros((60, 2))
    x[:30, 0], x[30:42, 1], x[30:38, 0] = 1, 1, np.nan
    for category, values in (("yes", x), ("no", 1 - x)):
        study.add("answer", values, kind="categorical", category=category)
    connection = study.miss("answer", np.isnan(x)).write()
    p = max(stats.ttest_1samp(np.where(np.isnan(x[:, 0]), end, x[:, 0]) - x[:, 1], 0).pvalue for end in (0, 1))
    for alpha, word in ((p * 1.01, "different"), (p * 0.99, "inconclusive")):
        infer_study(connection, analysis(alpha=alpha, n_permutations=1999))
        found = rows(connection, "contrasts", "contrast = 'risk_difference'")
        assert set(found.verdict) == {"different"}
        assert set(found.verdict_with_missing) == {word}


def test_groups_that_are_compared_otherwise_are_not_filled(study):
    x = gaps()
    connection = study.add("tone", x).miss("tone", np.isnan(x)).write()
    for against in ((Against.GRAND_MEAN, None), (Against.ALL_PAIRS, None), (Against.LEVEL, "g1")):
        infer_study(connection, analysis(references={"gender": against}))
        found = rows(connection, "contrasts")
        assert set(found.missing_reason) == {"scheme_not_available"}
        assert found.ci_low_missing.isna().all()
        assert found.value_standardised.notna().all()


def test_replicates_of_few_prompts_are_not_filled(study):
    x = np.random.default_rng(8).normal(size=(2, 3, 6))
    x[0, 0, 0] = np.nan
    connection = study.add("tone", x).miss("tone", np.isnan(x).sum(axis=2)).write()
    infer_study(connection, analysis())
    found = rows(connection, "contrasts")
    assert set(found.missing_reason) == {"scheme_not_available"}


def test_a_row_that_is_not_tested_says_why(study):
    x = gaps()
    x[2:, 3] = np.nan
    n_missing = np.isnan(x).astype(int)
    n_missing[2:, 3] = 0  # never asked
    connection = study.add("tone", x).miss("tone", n_missing).write()
    infer_study(connection, analysis())
    found = rows(connection, "contrasts").set_index("group_id")
    assert found.missing_reason["g3"] == found.inference_reason["g3"] == "too_few_root_prompts"
    assert pd.isna(found.verdict_with_missing["g3"])


def test_a_declared_scale_is_wider_than_what_was_observed(study):
    x = gaps()
    connection = study.add("tone", x).miss("tone", np.isnan(x), scale=(-50.0, 50.0)).write()
    widths = []
    for fills_scale in (False, True):
        infer_study(connection, analysis(fills_scale=fills_scale))
        row = rows(connection, "contrasts", "group_id = 'g0'").iloc[0]
        widths.append(row.ci_high_missing - row.ci_low_missing)
    assert widths[1] > 5 * widths[0]


def plain_intervals(x, alpha=0.05):
    """Of group 0 and the mean of the others, prompt by prompt: shape (2, columns), and p by t."""
    d = x[:, 0] - np.nanmean(x[:, 1:], axis=1)
    n = (~np.isnan(d)).sum(axis=0)
    value, error = np.nanmean(d, axis=0), np.nanstd(d, axis=0, ddof=1) / np.sqrt(n)
    half = stats.t.isf(alpha / 2, n - 1) * error
    return np.array([value - half, value + half]), 2 * stats.t.sf(np.abs(value / error), n - 1)


def test_a_group_that_refuses_its_own_lowest_answers():
    """Truth alike, 40 x 5, 15 % missing of one group: what is covered and called, plain and with what is missing."""
    n_sets, n_prompts, n_groups, n_refused = 300, 40, 5, 6
    rng = np.random.default_rng(2)
    x = rng.normal(size=(n_prompts, 1, n_sets)) + rng.normal(size=(n_prompts, n_groups, n_sets))
    lowest = np.argsort(x[:, 0], axis=0)[:n_refused]
    np.put_along_axis(x[:, 0], lowest, np.nan, axis=0)
    cells, answers = made_cells(x)
    found = bounds_of(cells, answers)
    limits, p = plain_intervals(x)
    covered = (limits[0] <= 0) & (limits[1] >= 0)
    assert covered.mean() < 0.88  # .81 of 300 in the design
    filled = interval_with_missing(found.ends, found.df, 0.05)
    low, high = np.fmin(filled.low[:, 0], limits[0]), np.fmax(filled.high[:, 0], limits[1])
    error = np.sqrt(0.05 * 0.95 / n_sets)
    assert ((low <= 0) & (high >= 0)).mean() >= 0.95 - 2 * error
    significant = (n_groups * p <= 0.01) & (p_with_missing(found.ends, found.df, n_groups)[:, 0] <= 0.01)
    assert significant.mean() <= 0.01 + 2 * np.sqrt(0.01 * 0.99 / n_sets)
