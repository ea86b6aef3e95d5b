"""Changes with their missing answers at either end, against loops, golden numbers and made-up refusals."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bench import bench_missing_changes
from bench.bench_missing_changes import Design
from python_assets.infer.run import infer_study
from tests.promises import fewest, share
from tests.python_assets.infer.changes.test_infer_changes import of, two
from tests.python_assets.infer.test_run import analysis, numbers, rows

GOLDEN = json.loads((Path(__file__).parents[1] / "formulas" / "missing_golden.json").read_text())["change"]
N_SETS = fewest()
LIMITS = ("ci_low_missing", "ci_high_missing")
OF_MISSING = (*LIMITS, "tipping_shift", "missing_share_a", "missing_share_b", "verdict_with_missing", "n_unanswered")


def silent(study, own, other, **options):
    """Two generations whose gaps are answers without a value."""
    two(study, own, other)
    for name, x in (("new", own), ("old", other)):
        study.miss("sentiment", np.isnan(x), system_id=name, **options)
    return study


def compared(study, **options):
    connection = study.write()
    infer_study(connection, analysis(**options))
    return rows(connection, "system_comparisons")


def t_limits(d, *, low, high):
    """From the lower limit of one table of changes to the upper one of another."""
    quantile = stats.t.isf(0.025, len(d) - 1)
    ends = [(np.mean(x), stats.sem(x)) for x in (low, high)]
    return ends[0][0] - quantile * ends[0][1], ends[1][0] + quantile * ends[1][1]


def test_golden_numbers(study):
    a, b = (np.array(GOLDEN[side], dtype=float) for side in "ab")
    found = compared(silent(study, a, b, scale=tuple(map(float, GOLDEN["scale"]))), fills_scale=True)
    row = of(found, "disparity_change").set_index("group_id").loc[f"g{GOLDEN['group']}"]
    quantile = stats.t.isf(0.025, len(a) - 1)
    low, high = GOLDEN["low"] - quantile * GOLDEN["se_low"], GOLDEN["high"] + quantile * GOLDEN["se_high"]
    assert (low, high) != pytest.approx((row.ci_low, row.ci_high))
    assert row.ci_low_missing == pytest.approx(min(low, row.ci_low), abs=1e-9)
    assert row.ci_high_missing == pytest.approx(max(high, row.ci_high), abs=1e-9)


def limits_by_hand(x, kind):
    """Lower and upper limit of every cell of one generation, in loops."""
    if kind == "binary":
        return np.zeros_like(x), np.ones_like(x)
    deviations = [value - np.nanmean(row) for row in x for value in row if not np.isnan(value)]
    sides = []
    for quantile in (0.05, 0.95):
        anywhere = np.quantile(x[~np.isnan(x)], quantile)
        of_rows = [
            anywhere if np.isnan(row).all() else np.nanmean(row) + np.quantile(deviations, quantile) for row in x
        ]
        sides.append(np.repeat(np.array(of_rows)[:, None], x.shape[1], axis=1))
    return sides


def filled_by_hand(x, n_missing, n_asked, end, kind):
    """One generation with its missing answers at one end."""
    limit = limits_by_hand(x, kind)[end]
    share = np.where(np.isnan(x), 1.0, n_missing / np.maximum(n_asked, 1))
    return np.where(np.isnan(x), limit, (1 - share) * np.nan_to_num(x) + share * limit)


@pytest.fixture(params=["continuous", "binary"])
def gaps(request, study):
    """Two generations of three answers a cell; cells that one side lacks, both lack, and root prompts of one alone."""
    rng = np.random.default_rng(6)
    sides = {}
    for name in ("old", "new"):
        x = rng.normal(size=(14, 4, 3)) + rng.normal(size=(14, 1, 1))
        x = x if request.param == "continuous" else (x > 0).astype(float)
        x[rng.random(x.shape) < 0.1] = np.nan
        x[rng.integers(14, size=4), rng.integers(4, size=4)] = np.nan
        sides[name] = x
    sides["new"][3], sides["old"][5], sides["new"][0, 1], sides["old"][0, 1] = np.nan, np.nan, np.nan, np.nan
    for name, x in sides.items():
        study.add("sentiment", x, kind=request.param, system_id=name)
        study.miss("sentiment", np.isnan(x).sum(axis=2), system_id=name)
    found = compared(study, margins={})
    tables = {}
    for name, x in sides.items():
        n_missing = np.isnan(x).sum(axis=2)
        cells = np.array([[np.nan if np.isnan(c).all() else np.nanmean(c) for c in row] for row in x])
        tables[name] = cells, [filled_by_hand(cells, n_missing, 3, end, request.param) for end in (0, 1)]
    return found, tables


def test_both_ends_of_every_change_against_loops(gaps):
    found, tables = gaps
    (new, (new_low, new_high)), (old, (old_low, old_high)) = tables["new"], tables["old"]
    is_out = np.isnan(new) & np.isnan(old)
    low, high = (np.where(is_out, np.nan, change) for change in (new_low - old_high, new_high - old_low))
    groups = of(found, "disparity_change").set_index("group_id")
    alone = of(found, "group_change").set_index("group_id")
    for group in range(4):
        others = [other for other in range(4) if other != group]
        d_low = low[:, group] - np.nanmean(high[:, others], axis=1)
        d_high = high[:, group] - np.nanmean(low[:, others], axis=1)
        held = ~np.isnan(low[:, group])
        for row, pair in (
            (groups.loc[f"g{group}"], (d_low[held], d_high[held])),
            (alone.loc[f"g{group}"], (low[held, group], high[held, group])),
        ):
            expected = t_limits(pair[0], low=pair[0], high=pair[1])
            assert row.ci_low_missing == pytest.approx(min(expected[0], row.ci_low), abs=1e-12)
            assert row.ci_high_missing == pytest.approx(max(expected[1], row.ci_high), abs=1e-12)
        assert groups.n_unanswered[f"g{group}"] == is_out[:, group].sum()
    (mean,) = of(found, "mean_change").itertuples()
    expected = t_limits(low[:, 0], low=np.nanmean(low, axis=1), high=np.nanmean(high, axis=1))
    assert (mean.ci_low_missing, mean.ci_high_missing) == pytest.approx(
        (min(expected[0], mean.ci_low), max(expected[1], mean.ci_high)), abs=1e-12
    )
    assert mean.n_unanswered == is_out.sum()


def test_what_is_told_is_stratum_against_the_groups_that_stay(study):
    rng = np.random.default_rng(3)
    old, new = rng.normal(size=(2, 30, 5))
    new[:, 0] += 4
    new[:, 1] += 3
    new[:3, 0] = np.nan
    found = compared(silent(study, new, old), n_permutations=999)
    groups = of(found, "disparity_change").set_index("group_id").sort_index()
    assert set(groups.index[groups.verdict == "different"]) == {"g0", "g1"}
    means, deviations = np.nanmean(new, axis=1), new - np.nanmean(new, axis=1, keepdims=True)
    fills = [np.where(np.isnan(new[:, 0]), means + q, new[:, 0]) for q in np.nanquantile(deviations, (0.05, 0.95))]
    rest = (new - old)[:, 2:].mean(axis=1)
    low, high = (fill - old[:, 0] - rest for fill in fills)
    expected = t_limits(low, low=low, high=high)
    assert groups.ci_low_missing["g0"] == pytest.approx(min(expected[0], groups.ci_low_alone["g0"]))
    assert groups.ci_high_missing["g0"] == pytest.approx(max(expected[1], groups.ci_high_alone["g0"]))
    assert groups.tipping_shift["g0"] == pytest.approx(groups.ci_low_alone["g0"] / 0.1)
    assert groups.missing_reason["g1"] == "nothing_missing"
    assert groups.missing_share_a.tolist() == pytest.approx([0.1, 0, 0, 0, 0])
    assert set(groups.missing_share_b) == {0}
    # of a group that stays, those that moved are out of both ends
    assert groups.ci_low_missing["g2"] == pytest.approx(groups.ci_low_alone["g2"])


def test_a_change_that_the_missing_answers_could_make_is_open_with_them(study):
    rng = np.random.default_rng(5)
    old = rng.normal(size=(40, 3))
    new = old + 0.3 + rng.normal(0, 0.2, size=old.shape)
    new[:12] = np.nan  # a third of the root prompts
    found = compared(silent(study, new, old), n_permutations=999)
    (mean,) = of(found, "mean_change").itertuples()
    assert (mean.verdict, mean.verdict_with_missing) == ("different", "inconclusive")
    assert (mean.missing_share_a, mean.missing_share_b) == pytest.approx((0.3, 0))
    assert mean.n_dropped == 12
    assert mean.tipping_shift == pytest.approx(mean.ci_low / 0.3)


def test_every_number_that_is_missing_has_a_reason(study):
    new, old = numbers(24, seed=3, shift=4), numbers(24)
    new[:2, 0] = np.nan
    silent(study, new, old)
    study.add("sentiment", new, calibration="calibrated", system_id="new")
    study.add("sentiment", old, calibration="calibrated", system_id="old")
    for name, seed in (("new", 8), ("old", 9)):
        study.add("whole", numbers(24, seed=seed), system_id=name)
        study.add("other", numbers(24, seed=seed), system_id=name)
        study.add("yes", numbers(24, seed=seed) > 0, kind="binary", system_id=name)
    found = compared(study.measured_by(old="1", new="1"), n_permutations=1_999)
    for name in OF_MISSING:
        assert found.missing_reason[found[name].isna()].notna().all(), name
    reason = found.set_index(["measure_id", "calibration", "comparison", "group_id"]).missing_reason.sort_index()
    assert pd.isna(reason["sentiment", "raw", "disparity_change", "g0"])
    assert set(reason["sentiment", "calibrated"]) == {"scheme_not_available"}
    assert set(reason["whole", "raw", "disparity_change"]) == {"nothing_missing"}
    assert reason["sentiment", "raw", "groups_changed", ""] == "scheme_not_available"
    assert set(reason["yes", "raw", "log_disparity_change"]) == {"scheme_not_available"}


def test_units_of_one_group_each_are_not_filled_and_keep_the_rule_of_a_twentieth(study):
    old, new = (np.random.default_rng(seed).normal(size=(24, 3)) for seed in (1, 2))
    for x in (old, new):
        x[np.arange(3) != np.arange(24)[:, None] % 3] = np.nan
    gone = new.copy()
    gone[:2] = np.nan
    for own, reason in ((new, None), (gone, "unpaired_prompts")):
        connection = two(type(study)(), own, old).write(strata=np.zeros(24))
        infer_study(connection, analysis())
        groups = of(rows(connection, "system_comparisons"), "disparity_change")
        assert set(groups.inference_reason.dropna()) == ({reason} if reason else set())
        assert set(groups.missing_reason) == {reason or "scheme_not_available"}


@pytest.mark.run
def test_a_system_that_refuses_its_own_lowest_answers():
    """Truth alike, 40 x 5, 15 % of one group refused: coverage .90 plain, .98 with what is missing."""
    found = bench_missing_changes.found(Design(40, 5, 0.15), N_SETS, seed=11)
    assert found.covered < 0.94
    assert found.covered_missing >= 1 - share(N_SETS)
    assert found.significant_missing <= 0.02
    assert found.stands_missing <= share(N_SETS)


@pytest.mark.run
def test_who_moved_where_one_group_moved_and_another_refuses():
    found = bench_missing_changes.found(Design(40, 5, 0.15, shift=1.2), N_SETS, seed=12)
    assert found.covered_missing >= 1 - share(N_SETS)
    assert found.stands_missing <= share(N_SETS)
    assert found.moved_missing > 0.95


@pytest.mark.run
@pytest.mark.parametrize("refused", [0.05, 0.3])
def test_what_is_covered_whatever_share_is_refused(refused):
    found = bench_missing_changes.found(Design(40, 5, refused), N_SETS, seed=13)
    assert found.covered_missing >= 1 - share(N_SETS)
