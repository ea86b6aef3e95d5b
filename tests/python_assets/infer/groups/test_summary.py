"""The mean of one group with its interval, against a golden file, scipy and sets whose mean is known."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from python_assets.infer.design.cells import Cells, equalised
from python_assets.infer.design.design import Frame
from python_assets.infer.formulas.two_way import mean_error
from python_assets.infer.groups.summary import summary_rows
from python_assets.infer.run import infer_study
from tests.promises import fewest, most
from tests.python_assets.infer.test_run import analysis

GOLDEN = json.loads(Path(__file__).with_name("summary_golden.json").read_text())
SCOPES = {  # of the golden file, which was made before they were renamed
    "prompts like these": "similar prompts",
    "units and prompts like these": "similar units and prompts",
    "units like these on these prompts": "similar units, these prompts",
}
NUMBERS = ("value", "std_error", "ci_low", "ci_high")
N_SETS = fewest()


def cells_of(x, kind="continuous", *, group=None, unit=None, prompt=None):
    """Cells (cells[, columns]) of groups; of units and prompts where these are given, else of a root prompt each."""
    x = np.asarray(x, dtype=float).reshape(len(x), -1)
    group = np.zeros(len(x), dtype=int) if group is None else np.asarray(group)
    is_nested = unit is not None
    root = np.asarray(unit) if is_nested else np.arange(len(x))
    columns = {"system_id": "model", "measure_id": [f"m{at}" for at in range(x.shape[1])], "calibration": "raw"}
    return Cells(
        slice_id="all",
        grouping_id="gender",
        columns=pd.DataFrame(columns | {"category": "", "statistic": "mean", "parameters": "", "kind": kind}),
        group_ids=[f"g{at}" for at in range(group.max() + 1)],
        frame=Frame(np.arange(len(x)), group, root, int(group.max()) + 1, has_own_prompts=not is_nested),
        x=x,
        n_responses=np.ones(x.shape),
        has_several_prompts=False,
        scheme="nested" if is_nested else "blocked",
        stratum_of_cell=np.zeros(len(x), dtype=int) if is_nested else None,
        root_prompt_of_cell=np.asarray(prompt) if is_nested else np.empty(0, dtype=int),
    )


def names_of(x, kind="continuous"):
    """Cells of one group of names (names, prompts[, columns]), NaN where a name lacks a prompt."""
    x = np.asarray(x, dtype=float)
    unit, prompt = np.nonzero(~np.isnan(x.reshape(*x.shape[:2], -1)).all(axis=2))
    return cells_of(x[unit, prompt], kind, unit=unit, prompt=prompt)


def rows_of(cells):
    """Rows of the table; '' where a word is missing."""
    found = pd.concat(map(pd.DataFrame, summary_rows(cells, 0.05)), ignore_index=True)
    found = found.fillna({"scope": "", "inference_reason": ""})
    assert all(isinstance(word, str) for word in (*found.scope, *found.inference_reason))  # an array equals its word
    return found


def close(expected):
    return pytest.approx(expected, abs=1e-9)


def test_value_and_interval_are_of_one_number_however_often_a_prompt_was_answered():
    case = GOLDEN["unequal_replicates"]
    responses = pd.DataFrame(case["rows"])
    means = responses.groupby(["root_prompt", "group"]).value.mean().unstack()
    blocks = Frame(np.repeat(np.arange(len(means)), 2), np.tile([0, 1], len(means)), np.arange(len(means)), 2)
    cells = cells_of(means.to_numpy().ravel(), group=np.tile([0, 1], len(means)))._replace(frame=blocks)
    for row, right in zip(rows_of(cells).itertuples(), case["right"].values(), strict=True):
        assert [getattr(row, name) for name in NUMBERS] == close([right[name] for name in NUMBERS])
        assert (row.n_root_prompts, row.scope) == (right["n_root_prompts"], SCOPES[right["scope"]])


@pytest.mark.parametrize("name", ["names_in_a_group", "names_on_four_prompts"])
def test_names_that_share_prompts_have_the_error_of_both(name):
    case, right = GOLDEN[name], GOLDEN[name]["right"]
    row = rows_of(names_of(case["x"])).iloc[0]
    assert row[list(NUMBERS)].tolist() == close([right[name] for name in NUMBERS])
    assert mean_error(np.array(case["x"])[:, :, None]).df.tolist() == close([right["df"]])
    assert (row.scope, row.inference_reason) == (SCOPES[right["scope"]], "")


def test_equal_values_have_their_value_and_no_interval():
    case = GOLDEN["all_equal_to_nine_digits"]
    right = case["right"]
    x = equalised(np.array(case["x"]).reshape(-1, 1))
    found = rows_of(cells_of(x, group=np.tile(range(3), 6)))
    assert found.value.tolist() == close([right["value_of_each_group"]] * 3)
    assert found[["std_error", "ci_low", "ci_high"]].isna().all(axis=None) and set(found.scope) == {""}
    assert set(found.inference_reason) == {right["inference_reason"]}


def test_a_group_of_equal_values_has_no_interval_beside_groups_that_vary():
    x, group = np.random.default_rng(8).normal(size=24), np.tile([0, 1, 2], 8)
    x[group == 1] = 5
    found = rows_of(cells_of(x, group=group))
    assert found.inference_reason.tolist() == ["", "no_variation", ""]
    nothing = found.loc[1, ["std_error", "ci_low", "ci_high", "skewness"]].astype(float)
    assert nothing.isna().all() and (found.value[1], found.scope[1]) == (5, "")
    assert found.loc[[0, 2], "ci_low"].notna().all()
    rates = rows_of(cells_of(np.where(group == 1, 1.0, x > 0), "binary", group=group))
    assert 0 < rates.ci_low[1] < rates.ci_high[1] == 1
    assert rates.inference_reason[1] == ""


def test_an_interval_has_its_scope_and_nothing_else_has_one():
    x = np.random.default_rng(1).normal(size=9)
    found = rows_of(cells_of(x, group=np.repeat([0, 1, 2], [5, 3, 1])))
    assert found.scope.tolist() == ["similar prompts", "these prompts", ""]
    assert found.inference_reason.tolist() == ["", "", "too_few_root_prompts"]
    assert found.value.tolist() == close([x[:5].mean(), x[5:8].mean(), x[8]])


def test_units_with_a_gap_have_the_error_of_those_without():
    x = np.random.default_rng(2).normal(size=(7, 9))
    x[1, 3] = x[6, 0] = np.nan
    row = rows_of(names_of(x)).iloc[0]
    whole = np.delete(np.delete(x, [1, 6], axis=0), [0, 3], axis=1)
    std_error, df = (float(field[0]) for field in mean_error(whole[:, :, None]))
    assert row.value == close(np.nanmean(x, axis=1).mean())
    half = stats.t.isf(0.025, df) * std_error
    assert (row.std_error, row.ci_low, row.ci_high) == close((std_error, row.value - half, row.value + half))
    x[0, 1] = np.nan
    row = rows_of(names_of(x)).iloc[0]
    assert (row.inference_reason, row.scope) == ("irregular_units", "")
    assert np.isnan(row[["std_error", "ci_low", "ci_high"]].astype(float)).all() and not np.isnan(row.value)


def test_range_of_complete_blocks_is_that_of_values(study):
    """However often each was answered: the two tables have one number each of the same groups."""
    x = np.random.default_rng(7).normal(size=(8, 3, 4)) + np.arange(8)[:, None, None]
    x[0, 0, 1:] = x[3, 2, 2:] = np.nan
    connection = study.add("sentiment", x).write()
    infer_study(connection, analysis())
    (values,), (found,) = (
        connection.execute(query).fetchall()
        for query in (
            "select list(value) from inference.summary_statistics where statistic = 'mean'",
            "select value_cells from inference.disparities where metric = 'range' and statistic = 'mean'",
        )
    )
    assert values[0] == close(np.nanmean(x, axis=2).mean(axis=0).tolist())
    assert found[0] == close(max(values[0]) - min(values[0]))


@pytest.mark.parametrize("n_prompts", [1, 3, 20])
def test_four_units_have_no_interval(n_prompts):
    row = rows_of(names_of(np.random.default_rng(3).normal(size=(4, n_prompts)))).iloc[0]
    assert (row.inference_reason, np.isnan(row.ci_low)) == ("too_few_units", True)


def test_units_of_a_group_with_prompts_of_their_own_are_a_sample_of_prompts():
    x = np.random.default_rng(4).normal(size=(6, 1))
    found = rows_of(cells_of(x, unit=range(6), prompt=range(6))).iloc[0]
    alone = rows_of(cells_of(x)).iloc[0]
    assert found[list(NUMBERS)].tolist() == alone[list(NUMBERS)].tolist()
    assert found.scope == alone.scope == "similar prompts"


def test_a_rate_of_units_has_wilson_at_the_effective_n_and_none_where_all_answer_alike():
    y = (np.random.default_rng(5).random((8, 12)) < 0.3).astype(float)
    both = np.stack([y, np.ones_like(y), np.zeros_like(y)], axis=2)
    found = rows_of(names_of(both, "binary"))
    p = y.mean()
    std_error, df = (float(field[0]) for field in mean_error(y[:, :, None]))
    t, n = stats.t.isf(0.025, df), p * (1 - p) / std_error**2
    centre, half = p + t**2 / (2 * n), t * np.sqrt(p * (1 - p) / n + (t / (2 * n)) ** 2)
    limits = np.array([centre - half, centre + half]) / (1 + t**2 / n)
    assert found.loc[0, ["ci_low", "ci_high"]].tolist() == close(limits.tolist())
    assert found.loc[1:, "inference_reason"].tolist() == ["no_variation"] * 2
    assert found.loc[1:, "ci_low"].isna().all() and set(found.loc[1:, "scope"]) == {""}
    assert found.loc[1:, "value"].tolist() == [1, 0]


@pytest.mark.parametrize("n_gaps", [0, 2])
def test_intervals_of_names_miss_the_mean_of_all_names_and_prompts_as_rarely_as_they_say(n_gaps):
    """8 names of sd .5 and 20 prompts of sd 1 beside a residual of sd 1; n_gaps names lack a prompt each."""
    rng, n_sets = np.random.default_rng(6), 20 * N_SETS
    unit, prompt = 0.5 * rng.normal(size=(8, 1, n_sets)), rng.normal(size=(1, 20, n_sets))
    x = unit + prompt + rng.normal(size=(8, 20, n_sets))
    for gap in range(n_gaps):
        x[gap, gap] = np.nan
    found = rows_of(names_of(x))
    misses = ((found.ci_low > 0) | (found.ci_high < 0)).mean()
    assert found.ci_low.notna().all()
    assert 0.02 < misses <= most(n_sets) / n_sets
    by_names = np.nanmean(x, axis=1)
    t = np.abs(by_names.mean(axis=0)) / (by_names.std(axis=0, ddof=1) / np.sqrt(8))
    assert (t > stats.t.isf(0.025, 7)).mean() > 0.14  # of names alone
