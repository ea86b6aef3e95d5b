"""Negative controls from cells to rows: what they do to p, q, intervals, floors and verdicts of a whole study."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from python_assets.infer.chunks.chunks import Here
from python_assets.infer.contrasts.controlled import ControlFindings
from python_assets.infer.design.repeated_controls import first_slices
from python_assets.infer.formulas.looks import Look
from python_assets.infer.formulas.multiplicity import benjamini_hochberg, holm
from python_assets.infer.formulas.negative_controls import wording
from python_assets.infer.run import infer_study
from python_assets.infer.tables import CONTROL_FIELDS, TABLES
from python_assets.study.base import Against
from tests.python_assets.infer.test_run import analysis, numbers, rows

TYPES = ["colour", "weather", "weekday", "number", "page"]
OF_CONTROLS = [
    *("p_permuted", "q_permuted", "p_negative_controls", "n_negative_controls", "n_control_types", "wording_sd"),
    *("wording_sd_low", "wording_sd_high", "p_wording", "control_floor", "loudest_control_value"),
]


def words(n_prompts=12, n_controls=5, sd=0.0, seed=8):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_prompts, n_controls)) + sd * rng.normal(size=n_controls)


def hypothesis(connection, measure="score", grouping="gender"):
    (row,) = rows(connection, "hypotheses", f"measure_id = '{measure}' and grouping_id = '{grouping}'").to_dict(
        "records"
    )
    return row


def contrasts(connection, measure="score", grouping="gender"):
    found = rows(connection, "contrasts", f"measure_id = '{measure}' and grouping_id = '{grouping}'")
    return found[found.contrast != "log_disparity"].set_index("group_id")


@pytest.fixture
def x():
    return numbers(12, 4, shift=2.5)


def without_controls(study, x, **options):
    connection = study.add("score", x).write()
    infer_study(connection, analysis(**options))
    return hypothesis(connection), contrasts(connection), rows(connection, "disparities")


def test_p_is_the_larger_one_and_intervals_are_the_outer_ones(study, x):
    y = words(sd=0.4)
    plain, plain_rows, plain_metrics = without_controls(type(study)(), x)
    connection = study.add("score", x).control("score", y, types=TYPES).write()
    infer_study(connection, analysis())
    found, found_rows = hypothesis(connection), contrasts(connection)
    expected = wording(x, y, TYPES)
    assert found["p_permuted"] == plain["p_value"]
    assert found["p_negative_controls"] == pytest.approx(expected.p_value, abs=1e-12)
    assert found["p_value"] == pytest.approx(max(plain["p_value"], expected.p_value), abs=1e-12)
    assert (found["n_negative_controls"], found["n_control_types"]) == (5, 5)
    assert found["wording_sd"] == pytest.approx(expected.sd, abs=1e-12)
    assert (found["wording"], found["negative_controls_reason"]) == ("negative_controls", None)
    weights = np.eye(4) * 4 / 3 - 1 / 3
    p = holm(expected.p_of_contrasts(weights))
    np.testing.assert_allclose(found_rows.p_negative_controls, p, atol=1e-12)
    np.testing.assert_allclose(found_rows.p_value_maxt, np.maximum(plain_rows.p_value_maxt, p), atol=1e-12)
    pd.testing.assert_series_equal(found_rows.ci_low_sampling, plain_rows.ci_low, check_names=False)
    pd.testing.assert_series_equal(found_rows.ci_high_sampling, plain_rows.ci_high, check_names=False)
    half = stats.t.isf(0.025, 4) * expected.errors(weights)
    np.testing.assert_allclose(found_rows.ci_low, np.minimum(plain_rows.ci_low, plain_rows.value_cells - half))
    assert (found_rows.ci_low <= plain_rows.ci_low).all()
    assert (found_rows.ci_high > plain_rows.ci_high).all()
    pd.testing.assert_series_equal(found_rows.value_cells, plain_rows.value_cells)
    metrics = rows(connection, "disparities", "grouping_id = 'gender'").set_index("metric")
    assert metrics.control_floor["range"] == pytest.approx(expected.floors["range"])
    assert metrics.control_floor["standard_deviation"] == pytest.approx(expected.floors["standard_deviation"])
    assert metrics.control_floor.notna().sum() == 2
    assert metrics.scope["range"] == "similar prompts, these words"
    kept = ["value_cells", "null_median", "null_q95", "ci_low", "ci_high", "p_value", "value_corrected"]
    pd.testing.assert_frame_equal(metrics[kept], plain_metrics.set_index("metric")[kept])


def test_what_controls_say_has_the_columns_of_hypotheses():
    assert set(ControlFindings.of(1).columns) == set(CONTROL_FIELDS)


def test_loud_controls_leave_nothing_and_say_so(study, x):
    connection = study.add("score", x).control("score", words(sd=3), types=TYPES).write()
    infer_study(connection, analysis())
    found, found_rows = hypothesis(connection), contrasts(connection)
    assert found["p_permuted"] <= 0.01
    assert (found["verdict"], found["verdict_reason"]) == ("inconclusive", "not_beyond_controls")
    assert found_rows.verdict_reason["g0"] == "not_beyond_controls"
    assert (found_rows.verdict == "inconclusive").all()
    assert found["headline_effect"] is None
    metrics = rows(connection, "disparities", "grouping_id = 'gender'").set_index("metric")
    assert metrics.verdict_reason["range"] == "not_beyond_controls"
    of_controls = hypothesis(connection, grouping="negative_control")
    assert of_controls["family_id"] == "negative_control"
    assert of_controls["p_value"] == found["p_wording"] <= 0.05
    own = contrasts(connection, grouping="negative_control")
    assert found["loudest_control"] == own.value_cells.abs().idxmax()
    assert found["loudest_control_value"] == own.value_cells[found["loudest_control"]]
    assert of_controls["wording"] is None
    assert pd.isna(of_controls["p_negative_controls"])


def test_quiet_controls_leave_what_differs(study, x):
    connection = study.add("score", x).control("score", words(sd=0) * 0.01, types=TYPES).write()
    infer_study(connection, analysis())
    found, found_rows = hypothesis(connection), contrasts(connection)
    assert found["p_negative_controls"] < found["p_permuted"] == found["p_value"]
    assert found["verdict"] == "different"
    assert found_rows.verdict["g0"] == "different"
    assert found["q_value"] == found["q_permuted"]


def test_a_study_without_controls_has_its_numbers_and_one_wording(study, x):
    found, found_rows, metrics = without_controls(study, x)
    assert found["wording"] == "one_wording"
    assert all(pd.isna(found[name]) for name in [*OF_CONTROLS, "negative_controls_reason", "loudest_control"])
    assert (
        found_rows[["p_negative_controls", "q_permuted", "ci_low_sampling", "ci_high_sampling"]].isna().to_numpy().all()
    )
    assert metrics.control_floor.isna().all()


def test_controls_change_no_number_of_the_hypotheses_that_they_say_nothing_of(study, x):
    for measure, y in (("score", x), ("other", numbers(12, 4, seed=5))):
        study.add(measure, y)
    plain = study.write()
    infer_study(plain, analysis())
    connection = study.control("score", words(sd=3), types=["colour", "weather", "colour", "weather", "colour"]).write()
    infer_study(connection, analysis())
    reasons = rows(connection, "hypotheses", "grouping_id = 'gender'").set_index("measure_id").negative_controls_reason
    assert reasons.to_dict() == {"score": "too_few_controls", "other": "too_few_controls"}
    leaving = ["wording", "negative_controls_reason", "p_wording", "loudest_control", "loudest_control_value"]
    for name in ("hypotheses", "contrasts", "disparities"):
        found = rows(connection, name, "grouping_id = 'gender'")
        expected = rows(plain, name)
        keep = [column for column in expected if column not in leaving]
        pd.testing.assert_frame_equal(found[keep].reset_index(drop=True), expected[keep])


def test_q_without_controls_is_that_of_the_permuted_p(study):
    for at in range(4):
        x = numbers(12, 4, seed=at, shift=at)
        study.add(f"m{at}", x).control(f"m{at}", words(seed=20 + at, sd=0.2 * at), types=TYPES)
    connection = study.write()
    infer_study(connection, analysis())
    found = rows(connection, "hypotheses", "grouping_id = 'gender'")
    np.testing.assert_allclose(found.q_permuted, benjamini_hochberg(found.p_permuted.to_numpy()))
    np.testing.assert_allclose(found.q_value, benjamini_hochberg(found.p_value.to_numpy()))
    assert (found.q_permuted <= found.q_value).all()
    own = rows(connection, "contrasts", "grouping_id = 'gender' and q_permuted is not null")
    assert (own.q_permuted <= own.q_value).all()
    assert len(own) == 16


@pytest.mark.parametrize("against", ["grand_mean", "all_pairs", "level"])
def test_every_reference(study, x, against):
    y = words(sd=0.4)
    reference = (Against.LEVEL, "g1") if against == "level" else (Against(against), None)
    connection = study.add("score", x).control("score", y, types=TYPES).write()
    infer_study(connection, analysis(references={"gender": reference}))
    own = rows(connection, "contrasts", "grouping_id = 'gender'")
    expected = wording(x, y, TYPES)
    at = {f"g{one}": one for one in range(4)}
    weights = np.zeros((len(own), 4))
    for row, (group, other) in enumerate(zip(own.group_id, own.reference, strict=True)):
        weights[row, at[group]] = 1
        weights[row] -= np.eye(4)[at[other]] if other in at else np.full(4, 1 / 4)
    p = expected.p_of_contrasts(weights)
    if against == "all_pairs":
        first = own.group_id < own.reference
        held = pd.Series(
            holm(p[first]), index=[frozenset(pair) for pair in own.loc[first, ["group_id", "reference"]].to_numpy()]
        )
        adjusted = [held[frozenset(pair)] for pair in own[["group_id", "reference"]].to_numpy()]
    else:
        adjusted = holm(p)
    np.testing.assert_allclose(own.p_negative_controls, adjusted, atol=1e-12)
    assert hypothesis(connection)["p_negative_controls"] == pytest.approx(expected.p_value, abs=1e-12)


def test_rates_are_held_on_the_arcsine_scale(study):
    rng = np.random.default_rng(3)
    x, y = rng.random((20, 3, 4)) < [[[0.9], [0.4], [0.4]]], rng.random((20, 5, 4)) < 0.4
    connection = study.add("refusal", x, kind="binary").control("refusal", y, types=TYPES).write()
    infer_study(connection, analysis())
    n = np.full((20, 3), 4.0), np.full((20, 5), 4.0)
    expected = wording(x.mean(axis=2), y.mean(axis=2), TYPES, n)
    found, own = hypothesis(connection, "refusal"), contrasts(connection, "refusal")
    assert found["p_negative_controls"] == pytest.approx(expected.p_value, abs=1e-12)
    np.testing.assert_allclose(
        own.p_negative_controls, holm(expected.p_of_contrasts(np.eye(3) * 1.5 - 0.5)), atol=1e-12
    )
    logs = rows(connection, "contrasts", "contrast = 'log_disparity' and grouping_id = 'gender'").set_index("group_id")
    assert (logs.p_value_maxt >= logs.p_negative_controls).all()


def test_blocks_of_a_root_prompt_are_averaged_first(study):
    x, y = numbers(24, 4, shift=1), words(sd=0.3)
    connection = study.add("score", x).control("score", y, types=TYPES).write(blocks_of_root=2)
    infer_study(connection, analysis())
    expected = wording(x.reshape(12, 2, 4).mean(axis=1), y, TYPES)
    assert hypothesis(connection)["p_negative_controls"] == pytest.approx(expected.p_value, abs=1e-12)


def test_the_order_of_rows_changes_nothing(study, x):
    study.add("score", x).control("score", words(sd=0.4), types=TYPES)
    tables = []
    for shuffle in (None, 7):
        connection = study.write(shuffle=shuffle)
        if shuffle:
            for name in ("intermediate.int_prompt_groups", "raw.negative_controls", "intermediate.int_cells"):
                query = f"select * from {name} as own order by hash({shuffle}, own)"
                connection.execute(f"create or replace table {name} as {query}")
        infer_study(connection, analysis())
        tables.append([rows(connection, name) for name in ("hypotheses", "contrasts", "disparities")])
    for one, other in zip(*tables, strict=True):
        pd.testing.assert_frame_equal(one, other)


def test_missing_cells_and_a_control_in_a_third_of_the_prompts(study, x):
    x[0, 1] = x[5, 2] = np.nan
    y = words(sd=0.4)
    y[4:, 0] = np.nan
    y[2, 3] = np.nan
    connection = study.add("score", x).control("score", y, types=TYPES).write()
    infer_study(connection, analysis())
    found = hypothesis(connection)
    expected = wording(x, y, TYPES)
    assert (found["n_negative_controls"], found["n_control_types"]) == (4, 4)
    assert found["p_negative_controls"] == pytest.approx(expected.p_value, abs=1e-12)


def test_controls_that_say_nothing_give_the_reason(study, x):
    reasons = {}
    for name, y, types in (
        ("two", words(n_controls=2), TYPES[:2]),
        ("one type", words(), ["colour"] * 5),
        ("refused", np.full((12, 5), np.nan), TYPES),
        ("no types", words(), None),
        ("many", words(n_controls=200), None),
        ("equal", np.full((12, 5), 3.0), TYPES),
    ):
        one = type(study)().add("score", x).add("other", x).control("score", y, types=types)
        one.control("other", words(n_controls=y.shape[1]), types=types)
        connection = one.write()
        infer_study(connection, analysis())
        found = {key: None if pd.isna(value) else value for key, value in hypothesis(connection).items()}
        reasons[name] = (found["negative_controls_reason"], found["n_control_types"], found["wording"])
    assert reasons == {
        "two": ("too_few_controls", None, "one_wording"),
        "one type": ("too_few_controls", None, "one_wording"),
        "refused": ("control_incomplete", None, "one_wording"),
        "no types": (None, None, "negative_controls"),
        "many": (None, None, "negative_controls"),
        "equal": (None, 5, "negative_controls"),
    }


def test_what_controls_do_not_support(study, x):
    study.add("score", x).select("score").ask("median")
    for category, sign in (("yes", 1), ("no", -1)):
        study.add("answer", sign * x > 0, kind="categorical", category=category)
    connection = study.control("score", words(), types=TYPES).write()
    infer_study(connection, analysis())
    found = rows(connection, "hypotheses", "grouping_id = 'gender'")
    words_of = found.negative_controls_reason.astype(object).where(found.negative_controls_reason.notna(), None)
    reasons = dict(zip(found.measure_id + " " + found.statistic, words_of, strict=True))
    unsupported = "controls_not_supported"
    assert reasons == {
        "answer share": unsupported,
        "score mean": None,
        "score median": unsupported,
        "score selection_rate": unsupported,
    }
    assert (found.wording == "one_wording").sum() == 3
    assert found.p_permuted.notna().sum() == 1


def test_margins_hold_against_words_too(study):
    x = numbers(30, 4, seed=4) * 0.2
    x[:, 0] += 1
    for sd, group, word in ((0.02, "g0", "beyond_margin"), (0.5, "g0", "inconclusive"), (0.5, "g1", "inconclusive")):
        one = type(study)().add("score", x).control("score", words(30, sd=0) * 0.02 + sd * words(1), types=TYPES)
        connection = one.write()
        infer_study(connection, analysis(margins={"mean_difference": 0.45}))
        assert contrasts(connection).verdict[group] == word, (sd, group)
    plain = type(study)().add("score", x - 1 * (x > 0.5)).write()
    infer_study(plain, analysis(margins={"mean_difference": 0.45}))
    assert set(contrasts(plain).verdict) == {"equivalent"}
    loud = type(study)().add("score", x - 1 * (x > 0.5)).control("score", words(30, sd=1), types=TYPES).write()
    infer_study(loud, analysis(margins={"mean_difference": 0.45}))
    assert set(contrasts(loud).verdict) == {"inconclusive"}


def test_a_look_and_a_selection_have_their_levels(study, x):
    y = words(sd=0.4)
    connection = study.add("score", x).control("score", y * 0.3, types=TYPES).write()
    infer_study(connection, analysis(), look=Look(level=0.02, last_level=0.04))
    own, expected = contrasts(connection), wording(x, y * 0.3, TYPES)
    error = expected.errors(np.eye(4) * 4 / 3 - 1 / 3)
    low = np.minimum(own.ci_low_sampling, own.value_cells - stats.t.isf(0.01, 4) * error)
    np.testing.assert_allclose(own.ci_low, low)
    called = own[own.significant_at_look.notna()]
    assert len(called)
    level = 0.02 * len(called) / 4
    half = stats.t.isf(level / 2, 4) * error[own.significant_at_look.notna().to_numpy()]
    assert (called.ci_low_selected <= called.value_cells - half + 1e-12).all()
    assert (called.ci_high_selected >= called.value_cells + half - 1e-12).all()


def test_a_group_that_differs_later_is_held_against_the_controls_of_its_round(study):
    x = np.random.default_rng(2).normal(size=(20, 5)) * 0.4
    x[:, 0] += 6
    x[:, 1] += 1.5
    y = words(20, sd=0) * 0.3
    connection = study.add("score", x).control("score", y, types=TYPES).write()
    infer_study(connection, analysis())
    own = contrasts(connection)
    assert (own.verdict["g0"], own.verdict["g1"], own.without_groups["g1"]) == ("different", "different", "g0")
    later = wording(x[:, 1:], y, TYPES)
    p = holm(later.p_of_contrasts(np.eye(4) * 4 / 3 - 1 / 3))[0]
    assert own.p_negative_controls["g1"] == pytest.approx(p, abs=1e-12)
    assert own.q_permuted["g1"] <= own.q_value["g1"]
    assert own.ci_low["g1"] <= own.ci_low_sampling["g1"]
    # words that move as much as that group leave it unnamed
    connection = type(study)().add("score", x).control("score", y + 0.8 * words(1), types=TYPES).write()
    infer_study(connection, analysis())
    own = contrasts(connection)
    assert own.verdict["g0"] == "different"
    assert set(own.verdict[1:]) == {"inconclusive"}


def two_systems(study, own, other, y_own, y_other):
    for name, x, y in (("old", other, y_other), ("new", own, y_own)):
        study.add("score", x, system_id=name)
        if y is not None:
            study.control("score", y, types=TYPES, system_id=name)
    connection = study.write()
    infer_study(connection, analysis())
    found = rows(connection, "hypotheses", "reference_system_id = 'old' and grouping_id = 'gender'")
    changes = rows(connection, "system_comparisons", "grouping_id = 'gender'").set_index("group_id")
    return found.iloc[0], changes[changes.comparison == "disparity_change"]


def test_changes_of_groups_are_held_against_changes_of_controls(study):
    other, y = numbers(12, 4, seed=6), words()
    own = other + numbers(12, 4, seed=7) * 0.2
    own[:, 2] += 1
    moved = y + words(seed=5) * 0.3
    plain, plain_rows = two_systems(type(study)(), own, other, None, None)
    found, changes = two_systems(type(study)(), own, other, moved, y)
    expected = wording(own - other, moved - y, TYPES)
    assert found.p_permuted == plain.p_value
    assert found.p_negative_controls == pytest.approx(expected.p_value, abs=1e-12)
    assert found.p_value == pytest.approx(max(plain.p_value, expected.p_value), abs=1e-12)
    weights = np.eye(4) * 4 / 3 - 1 / 3
    np.testing.assert_allclose(changes.p_negative_controls, holm(expected.p_of_contrasts(weights)), atol=1e-12)
    half = stats.t.isf(0.025, 4) * expected.errors(weights)
    np.testing.assert_allclose(changes.ci_low, np.minimum(plain_rows.ci_low, plain_rows.value - half))
    pd.testing.assert_series_equal(changes.ci_low_sampling, plain_rows.ci_low, check_names=False)
    # against those that stay, likewise
    assert changes.verdict["g2"] == plain_rows.verdict["g2"] == "different"
    others = np.delete(np.arange(4), 2)
    left = wording((own - other)[:, others], moved - y, TYPES)
    half = stats.t.isf(0.025, 4) * left.errors(np.eye(3) * 3 / 2 - 1 / 2)
    low = np.minimum(plain_rows.ci_low_alone.iloc[others], plain_rows.value_alone.iloc[others] - half)
    np.testing.assert_allclose(changes.ci_low_alone.iloc[others], low)
    assert found.wording == "negative_controls"
    assert found.p_wording > 0.05
    assert changes.q_permuted.notna().all()


def test_loud_changes_of_controls_leave_no_group(study):
    other, y = numbers(12, 4, seed=6), words()
    own = other + numbers(12, 4, seed=7) * 0.2
    own[:, 2] += 1
    found, changes = two_systems(study, own, other, y + 3 * words(1), y)
    assert found.p_permuted <= 0.05 < found.p_value
    assert (found.verdict, found.verdict_reason) == ("inconclusive", "not_beyond_controls")
    assert set(changes.verdict) == {"inconclusive"}
    assert changes.verdict_reason["g2"] == "not_beyond_controls"


def test_controls_of_one_system_say_nothing_of_changes(study):
    other, y = numbers(12, 4, seed=6), words()
    found, changes = two_systems(study, other + numbers(12, 4, seed=7), other, y, None)
    assert found.negative_controls_reason == "controls_of_one_system"
    assert found.wording == "one_wording"
    assert pd.isna(found.p_permuted)
    assert changes.p_negative_controls.isna().all()


def test_parts_of_a_study_have_the_controls_of_their_measures(study):
    rng = np.random.default_rng(5)
    for measure, shift in (("sentiment", 2.0), ("calm", 0.0), ("toxicity", 1.0)):
        for name in ("old", "new"):
            x, y = rng.normal(size=(20, 4)), rng.normal(size=(20, 5))
            x[:, 1] += shift if name == "new" else 0
            study.add(measure, x, system_id=name).control(measure, y, types=TYPES, system_id=name)
    connection = study.write()
    infer_study(connection, analysis())
    expected = {table: rows(connection, table) for table in TABLES}
    infer_study(connection, analysis(), chunks=Here(connection, analysis(), n=2))
    for table in TABLES:
        pd.testing.assert_frame_equal(rows(connection, table), expected[table], check_exact=False, rtol=0, atol=1e-12)
    assert expected["hypotheses"].p_negative_controls.notna().sum() == 9  # of two systems, and of their difference


def test_the_mean_of_all_prompts_is_that_of_groups_alone(study):
    other = numbers(12, 4, seed=6)
    means = []
    for controls in (False, True):
        one = type(study)()
        for name, shift in (("old", 0.0), ("new", 0.4)):
            one.add("score", other + shift, system_id=name)
            if controls:
                one.control("score", words() + 9 * shift, types=TYPES, system_id=name)
        connection = one.write()
        infer_study(connection, analysis())
        means.append(rows(connection, "system_comparisons", "comparison = 'mean_change'"))
    kept = [name for name in means[0] if name not in ("q_value", "verdict", "n_hypotheses")]
    pd.testing.assert_frame_equal(means[1][kept], means[0][kept])


def in_slices(study, *, without_a_root=("c",), slices=("b", "c")):
    """The study in further slices of the same prompts; in some the last root prompt is absent."""
    connection = study.write()
    tables = connection.execute(
        "select table_schema || '.' || table_name from information_schema.columns where column_name = 'slice_id'"
    ).fetchall()
    for name in slices:
        for (table,) in tables:
            connection.execute(
                f"insert into {table} select * replace ('{name}' as slice_id) from {table} where slice_id = 'all'"
            )
        if name in without_a_root:
            for table in ("intermediate.int_prompt_groups", "intermediate.int_cells"):
                connection.execute(f"delete from {table} where slice_id = '{name}' and root_position = 11")
    return connection


def test_controls_that_slices_share_are_tested_once(study, x):
    study.add("score", x).control("score", words(sd=0.4), types=TYPES).ask("median")
    alone = study.write()
    infer_study(alone, analysis())
    connection = in_slices(study)
    infer_study(connection, analysis())
    controls = "grouping_id = 'negative_control'"
    for name in ("hypotheses", "contrasts", "disparities"):
        assert set(rows(connection, name, controls).slice_id) == {"all", "c"}, name
        assert set(rows(connection, name, "grouping_id = 'gender'").slice_id) == {"all", "b", "c"}, name
    assert set(rows(connection, "summary_statistics", controls).slice_id) == {"all", "b", "c"}
    found = rows(connection, "hypotheses").set_index(["statistic", "grouping_id", "slice_id"]).sort_index()
    assert set(found.n_hypotheses[:, "negative_control"]) == {4}  # mean and median, in all and in c
    p_of_controls = found.p_value["mean", "negative_control"]
    groups = found.loc["mean", "gender"]
    assert dict(groups.p_wording) == {"all": p_of_controls["all"], "b": p_of_controls["all"], "c": p_of_controls["c"]}
    told = ["p_negative_controls", "wording_sd", "control_floor", "loudest_control", "loudest_control_value"]
    expected = hypothesis_of(alone, "mean")
    for slice_id in ("all", "b"):
        assert groups.loc[slice_id, told].tolist() == expected[told].tolist()
    assert groups.p_negative_controls["c"] != groups.p_negative_controls["all"]


def hypothesis_of(connection, statistic):
    return rows(connection, "hypotheses", f"statistic = '{statistic}' and grouping_id = 'gender'").iloc[0]


def test_changes_of_controls_that_slices_share_are_tested_once(study):
    other, y = numbers(12, 4, seed=6), words()
    for name, shift in (("old", 0.0), ("new", 1.0)):
        own = other + shift * numbers(12, 4, seed=7)
        study.add("score", own, system_id=name)
        study.control("score", y + shift * words(seed=5), types=TYPES, system_id=name)
    connection = in_slices(study)
    infer_study(connection, analysis())
    found = rows(connection, "system_comparisons", "grouping_id = 'negative_control'")
    assert set(found.slice_id) == {"all", "c"}
    hypotheses = rows(connection, "hypotheses", "reference_system_id = 'old' and grouping_id <> ''")
    p = hypotheses.set_index(["grouping_id", "slice_id"])
    of_controls, groups = p.p_value["negative_control"], p.loc["gender"]
    assert [*of_controls.index] == ["all", "c"]
    assert dict(groups.p_wording) == {"all": of_controls["all"], "b": of_controls["all"], "c": of_controls["c"]}
    assert groups.loudest_control.notna().all()
    assert groups.loudest_control["b"] == groups.loudest_control["all"]
    assert groups.p_negative_controls["b"] == groups.p_negative_controls["all"]


def test_parts_of_a_study_test_shared_controls_once(study, x):
    for at, measure in enumerate(("calm", "score", "toxicity")):
        study.add(measure, x + at).control(measure, words(seed=at, sd=0.3), types=TYPES)
    connection = in_slices(study)
    # a measure of slices alone has its controls in the first of these
    connection.execute("delete from raw.measure_slices where measure_id = 'score' and slice_id = 'all'")
    for table in ("intermediate.int_cells",):
        connection.execute(f"delete from {table} where measure_id = 'score' and slice_id = 'all'")
    infer_study(connection, analysis())
    expected = {table: rows(connection, table) for table in TABLES}
    infer_study(connection, analysis(), chunks=Here(connection, analysis(), n=2))
    for table in TABLES:
        pd.testing.assert_frame_equal(rows(connection, table), expected[table], check_exact=False, rtol=0, atol=1e-12)
    own = expected["hypotheses"][expected["hypotheses"].grouping_id == "negative_control"]
    of_measure = own.groupby("measure_id").slice_id.agg(list).to_dict()
    assert of_measure == {"calm": ["all", "c"], "score": ["b", "c"], "toxicity": ["all", "c"]}
    assert set(own.n_hypotheses) == {6}


def test_controls_of_the_same_system_are_tested_once_in_slices_of_systems(study, x):
    for name in ("old", "new"):
        study.add("score", x, system_id=name).control("score", words(), types=TYPES, system_id=name)
    connection = in_slices(study, without_a_root=(), slices=("b",))
    answers, asked = "intermediate.int_answers", "intermediate.int_prompt_groups"
    connection.execute(
        f"create table both_systems as select * replace (prompt_id || ' | ' || name as prompt_id, name as"
        f" system_id) from {answers}, (values ('old'), ('new')) as names (name)"
    )
    connection.execute(f"create or replace table {answers} as select * exclude name from both_systems")
    connection.execute(
        f"create or replace table {asked} as select groups.* replace (answers.prompt_id as prompt_id)"
        f" from {asked} as groups join {answers} as answers on groups.prompt_id = asked_prompt_id"
        " where slice_id = 'all' or answers.system_id = 'old'"
    )
    of_rows = pd.DataFrame({"slice_id": "b", "system_id": ["old", "new"], "measure_id": "score"})
    assert first_slices(connection, of_rows).tolist() == ["all", "b"]
    pair = pd.DataFrame({"slice_id": ["b"], "system_id": "new", "reference_system_id": "old", "measure_id": "score"})
    assert first_slices(connection, pair).tolist() == ["b"]
