"""Whole studies of a crossing and its parts: what is asked, told, and left to the parts (inference.md 6.10)."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from python_assets.infer.run import infer_study
from tests.promises import fewest, most
from tests.python_assets.infer.test_run import DEFAULTS, rows

CROSSING = "gender x race"
GENDERS, RACES = ["women", "men"], ["a", "b", "c"]


def analysis(**options):
    return SimpleNamespace(**DEFAULTS | options)


def crossed(connection, *, has_parts=True, genders=GENDERS, races=RACES):
    """Make the one grouping of a written build a crossing of two factors, with a grouping of each beside it."""
    n_races = len(races)
    names = [(gender * n_races + race, g, r) for gender, g in enumerate(genders) for race, r in enumerate(races)]
    connection.execute("create temp table names (cell bigint, gender varchar, race varchar)")
    connection.executemany("insert into names values (?, ?, ?)", names)
    tables = ("int_cells", "int_prompt_groups")
    for table in tables:
        connection.execute(f"update intermediate.{table} set grouping_id = '{CROSSING}'")
    factors = [("gender", n_races, "cell // {n}", "cell % {n}"), ("race", n_races, "cell % {n}", "cell // {n}")]
    for factor, n, level, other in factors if has_parts else []:
        level, other = (text.format(n=n).replace("cell", "group_position") for text in (level, other))
        changed = (
            f"'{factor}' as grouping_id, {level} as group_position, block_position * {n} + {other} as block_position"
        )
        for table in tables:
            connection.execute(
                f"insert into intermediate.{table} by name select * replace ({changed}) "
                f"from intermediate.{table} where grouping_id = '{CROSSING}'"
            )
    connection.execute(
        f"update intermediate.int_prompt_groups set group_id = names.gender || ' x ' || names.race "
        f"from names where grouping_id = '{CROSSING}' and group_position = cell"
    )
    for factor, levels in (("gender", genders), ("race", races)):
        for place, name in enumerate(levels):
            connection.execute(
                "update intermediate.int_prompt_groups set group_id = ? where grouping_id = ? and group_position = ?",
                [name, factor, place],
            )
    connection.execute("delete from raw.groupings")
    declared = [(CROSSING, "gender"), (CROSSING, "race")] + (
        [("gender", "gender"), ("race", "race")] if has_parts else []
    )
    for grouping, factor in declared:
        connection.execute(
            "insert into raw.groupings values ('small', ?, 0, ?, ?)", [grouping, factor, factor == "race"]
        )
    return connection


def cells(n, *, seed=1, gender=0.0, cell=0.0, n_cells=6):
    """Root prompts x cells with an effect of gender, and one of the cell women x a."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, n_cells)) + rng.normal(size=(n, 1))
    x[:, : n_cells // 2] += gender
    x[:, 0] += cell
    return x


def inferred(connection, **options):
    infer_study(connection, analysis(**options))
    return connection


def hypothesis(connection, grouping_id):
    return rows(connection, "hypotheses", f"grouping_id = '{grouping_id}'").iloc[0]


def beyond(connection):
    found = rows(connection, "contrasts", "contrast = 'interaction'").set_index("group_id")
    return found.loc[[f"{gender} x {race}" for gender in GENDERS for race in RACES]]


def test_an_effect_of_a_part_is_told_once(study):
    built = inferred(crossed(study.add("tone", cells(20, gender=2.0)).write()))
    assert hypothesis(built, "gender").q_value < 0.01
    assert hypothesis(built, CROSSING).q_value > 0.05
    assert set(beyond(built).verdict) == {"inconclusive"}
    against_rest = rows(built, "contrasts", f"grouping_id = '{CROSSING}' and contrast = 'mean_difference'")
    assert set(against_rest.inference_reason) == {"told_by_parts"}
    assert against_rest[["value_cells", "ci_low", "null_q95"]].notna().all(axis=None)
    assert against_rest[["p_value", "p_value_maxt", "q_value", "verdict"]].isna().all(axis=None)
    # cells that differ by gender differ: the index has the verdict of the part, and no p
    spread = rows(built, "disparities", f"grouping_id = '{CROSSING}' and metric = 'range'").iloc[0]
    assert (spread.verdict, spread.inference_reason) == ("different", "told_by_parts")
    assert np.isnan(spread.p_value)


def test_where_no_part_is_declared_groups_are_compared_as_they_are(study):
    built = inferred(crossed(study.add("tone", cells(20, gender=2.0)).write(), has_parts=False))
    assert hypothesis(built, CROSSING).q_value < 0.01
    assert not len(rows(built, "contrasts", "contrast = 'interaction'"))


def test_a_cell_that_differs_stands_and_its_mirror_says_the_same(study):
    built = inferred(crossed(study.add("tone", cells(30, gender=1.0, cell=2.5)).write()))
    assert hypothesis(built, CROSSING).q_value < 0.01
    told = beyond(built)
    assert told.verdict["women x a"] == "different"
    assert pd.isna(told.explained_by["women x a"])
    assert told.mirror_of.fillna("").tolist() == ["", "", "", "women x a", "women x b", "women x c"]
    others = told.loc[["women x b", "women x c"]]
    significant = others[others.q_value <= 0.05]
    assert set(significant.explained_by) <= {"women x a"}
    differs_on_its_own = told[(told.verdict == "different") & told.explained_by.isna() & told.mirror_of.isna()]
    assert differs_on_its_own.index.tolist() == ["women x a"]
    t = stats.t.isf(0.025, 29)
    assert told.ci_high["women x a"] == pytest.approx(told.value_cells["women x a"] + t * told.std_error["women x a"])
    assert told.ci_low_selected["women x a"] <= told.ci_low["women x a"] + 1e-12
    blocks = rows(built, "interaction_blocks")
    assert set(blocks.group_id) == {"women x a"}
    assert blocks.difference.mean() == pytest.approx(told.value_cells["women x a"])


def test_a_cell_that_stands_in_a_later_round_tells_of_that_round(study):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(40, 9)) + rng.normal(size=(40, 1))
    x[:, 0] += 4.0
    x[:, 1] += 1.8  # at first it seems low, for women x a is so high
    connection = study.add("tone", x).write()
    genders, races = ["w", "m", "n"], ["a", "b", "c"]
    built = inferred(crossed(connection, genders=genders, races=races))
    told = rows(built, "contrasts", "contrast = 'interaction'").set_index("group_id")
    alone = told.loc["w x b"]
    assert told.verdict["w x a"] == alone.verdict == "different"
    assert pd.isna(alone.explained_by)
    assert alone.value_cells > 0
    assert alone.ci_low <= alone.value_cells <= alone.ci_high
    assert (alone.selected_reason, alone.value_shrunken) == ("differs_later", pytest.approx(np.nan, nan_ok=True))
    assert alone.without_groups == "w x a"
    assert told.without_groups.notna().tolist() == (told.selected_reason == "differs_later").tolist()


def test_flips_that_cannot_be_significant_in_their_set_give_way_to_t(study):
    # 6 root prompts have 32 flips apart: alone 1/32 can be called, among three questions it cannot
    x = cells(6, cell=4.0)
    alone = inferred(crossed(study.add("tone", x).write()), primary=None)
    found = hypothesis(alone, CROSSING)
    assert "cluster t" in found.method
    assert "flipped" not in found.method
    assert set(beyond(alone).inference_reason) == {"p_floor"}
    p = beyond(alone).p_value_maxt
    assert found.p_value == pytest.approx(p.min())
    t = beyond(alone).eval("value_cells / std_error")
    np.testing.assert_allclose(beyond(alone).p_value, 2 * stats.t.sf(np.abs(t), 5), rtol=1e-9)


def test_a_margin_is_stratum_by_all_cells_or_by_none(study):
    x = 0.01 * cells(30)
    built = inferred(crossed(study.add("tone", x).write()), margins={"tone": {"mean_difference": 0.5}})
    assert set(beyond(built).verdict) == {"equivalent"}
    assert set(beyond(built).margin) == {0.5}


def test_rates_and_labels_are_asked_the_same(study):
    rng = np.random.default_rng(8)
    event = rng.uniform(size=(40, 6)) < 0.3
    event[:, 0] = rng.uniform(size=40) < 0.95
    study.add("refused", event, kind="binary")
    for label, share in (("yes", event), ("no", ~event)):
        study.add("answer", share, kind="categorical", direction="none", category=label)
    built = inferred(crossed(study.write()))
    found = rows(built, "contrasts", "contrast = 'interaction'")
    assert set(found.statistic) == {"mean", "share"}
    of_rate, of_label = (
        found[(found.measure_id == measure) & (found.category == label)].set_index("group_id")
        for measure, label in (("refused", ""), ("answer", "yes"))
    )
    np.testing.assert_allclose(of_rate.value_cells, of_label.value_cells, rtol=1e-9)
    assert of_rate.verdict["women x a"] == of_label.verdict["women x a"] == "different"


def test_two_systems_are_asked_what_changed_beyond_the_parts(study):
    before = cells(30, seed=11)
    after = before + np.random.default_rng(12).normal(size=before.shape) * 0.5
    after[:, :3] += 1.0  # all women
    after[:, 0] += 2.0
    study.add("tone", after, system_id="new").add("tone", before, system_id="old")
    built = inferred(crossed(study.write()), compared_with="old", margins={"mean_difference": 0.2})
    changes = rows(built, "system_comparisons", f"grouping_id = '{CROSSING}'")
    asked = changes[changes.comparison == "groups_changed"].iloc[0]
    assert asked.q_value < 0.01
    told = changes[changes.comparison == "interaction_change"].set_index("group_id")
    assert told.value["women x a"] == pytest.approx((told.value_a - told.value_b)["women x a"])
    assert told.verdict["women x a"] == "beyond_margin"
    assert set(told.explained_by.dropna()) <= {"women x a"}
    against_rest = changes[changes.comparison == "disparity_change"]
    assert set(against_rest.inference_reason) == {"told_by_parts"}
    assert against_rest.value.notna().all()
    assert against_rest[["p_value", "q_value", "verdict"]].isna().all(axis=None)
    # of women alone: the part tells it
    by_gender = rows(built, "system_comparisons", "grouping_id = 'gender' and comparison = 'groups_changed'")
    assert by_gender.q_value.iloc[0] < 0.01


def test_names_that_lie_in_one_cell_each(study):
    rng = np.random.default_rng(13)
    x = np.full((36, 6), np.nan)
    x[np.arange(36), np.repeat(np.arange(6), 6)] = rng.normal(size=36)
    x[:6, 0] += 6.0
    connection = crossed(study.add("tone", x).write(strata=np.zeros(36)), has_parts=False)
    for grouping in ("gender", "race"):
        connection.execute("insert into raw.groupings values ('small', ?, 0, ?, 0)", [grouping, grouping])
    built = inferred(connection)
    found = hypothesis(built, CROSSING)
    assert found.method.startswith("unit t")
    assert found.p_value < 0.01
    assert beyond(built).verdict["women x a"] == "different"


@pytest.mark.run
def test_a_main_effect_calls_no_crossing_in_whole_studies(study):
    for seed in range(fewest()):
        study.add(f"m{seed}", cells(12, seed=seed, gender=2.0))
    built = inferred(crossed(study.write()))
    found = rows(built, "hypotheses", f"grouping_id = '{CROSSING}' and statistic = 'mean'")
    assert (found.p_value <= 0.05).sum() <= most(fewest())
    assert (rows(built, "hypotheses", "grouping_id = 'gender'").q_value <= 0.05).mean() > 0.9
