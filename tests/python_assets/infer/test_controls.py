"""Negative controls from cells to rows: what they do to p, q, intervals, floors and verdicts of a whole study."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from python_assets.infer.formulas.multiplicity import benjamini_hochberg, holm
from python_assets.infer.formulas.negative_controls import wording
from python_assets.infer.run import infer_study
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
