"""Corrected values in whole studies: which questions they have, in which set, and what is said of them."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from python_assets.infer.run import infer_study
from python_assets.study.analysis import HypothesisFamily
from tests.python_assets.infer.test_run import DEFAULTS, rows

GIVEN = [SimpleNamespace(measure="refusal", file="labels.csv", rater="ann")]


def analysis(**options):
    return SimpleNamespace(**DEFAULTS | {"human_labels": GIVEN} | options)


def marks(n=40, k=3, rate=0.3, seed=1):
    rng = np.random.default_rng(seed)
    return (rng.uniform(size=(n, k)) < rate).astype(float)


def read(y, *, missed=0.1, false_alarm=0.05, seed=2):
    """What an instrument makes of marks; its rates are numbers, or one a group."""
    rng = np.random.default_rng(seed)
    draw = rng.uniform(size=y.shape)
    return np.where(y == 1, draw >= missed, draw < false_alarm).astype(float)


def given(y, r):
    """Labels of the first r root prompts."""
    return np.where((np.arange(len(y)) < r)[:, None], y, np.nan)


def inferred(study, table="contrasts", where="true", **options):
    connection = study.write()
    infer_study(connection, analysis(**options))
    return rows(connection, table, where) if isinstance(table, str) else [rows(connection, name) for name in table]


@pytest.fixture
def unfair():
    """Truth alike in all groups; the instrument finds too much in the first."""
    y = marks()
    return y, read(y, false_alarm=np.array([0.6, 0.05, 0.05]))


def test_corrected_values_are_asked_in_the_place_of_raw_ones(study, unfair):
    y, m = unfair
    study.add("refusal", m, kind="binary", direction="higher_worse").label("refusal", given(y, 20))
    hypotheses, contrasts = inferred(study, ("hypotheses", "contrasts"))
    sets = hypotheses.set_index("calibration").family_id
    assert sets.to_dict() == {"raw": "secondary", "corrected": "primary", "missed": "scorer", "false_alarm": "scorer"}
    raw, corrected = (contrasts[contrasts.calibration == name] for name in ("raw", "corrected"))
    assert set(raw.verdict) > {"different"}
    assert set(corrected.verdict) == {"inconclusive"}
    assert set(corrected.contrast) == {"risk_difference"}
    assert corrected.ci_low.notna().all()
    assert corrected.method.str.contains("20 labelled root prompts").all()
    assert set(corrected.missing_reason) == {"corrected_not_bounded"}
    assert corrected.verdict_with_missing.isna().all() or set(corrected.verdict_with_missing) == {"inconclusive"}


def test_what_the_scorer_gets_wrong_is_a_hypothesis_of_its_own(study):
    y = marks(n=60, rate=0.5)
    m = read(y, false_alarm=np.array([0.9, 0.05, 0.05]))
    study.add("refusal", m, kind="binary").label("refusal", given(y, 50))
    contrasts = inferred(study)
    wrong = contrasts[(contrasts.calibration == "false_alarm") & (contrasts.group_id == "g0")].iloc[0]
    assert (wrong.family_id, wrong.verdict) == ("scorer", "different")
    labelled = y[:50]
    is_other = labelled == 0
    rate = [m[:50, g][is_other[:, g]].mean() for g in range(3)]
    assert wrong.value_cells == pytest.approx(rate[0] - np.mean(rate[1:]), abs=0.1)
    missed = contrasts[contrasts.calibration == "missed"]
    assert not missed.verdict.isin(["different", "beyond_margin"]).any()


def test_with_every_prompt_labelled_corrected_means_are_those_of_labels(study, unfair):
    y, m = unfair
    study.add("refusal", m, kind="binary").label("refusal", y)
    summary, disparities = inferred(study, ("summary_statistics", "disparities"))
    own = summary[summary.calibration == "corrected"].set_index("group_id")
    assert own.value.to_numpy() == pytest.approx(y.mean(axis=0))
    half = stats.t.ppf(0.975, 39) * y.std(axis=0, ddof=1) / np.sqrt(40)
    assert own.ci_high.to_numpy() == pytest.approx(y.mean(axis=0) + half)
    of_spread = disparities[disparities.calibration == "corrected"].set_index("metric")
    assert of_spread.value_cells["range"] == pytest.approx(np.ptp(y.mean(axis=0)))
    assert set(of_spread.inference_reason) == {"corrected_not_bounded"}
    assert of_spread.p_value.isna().all() and of_spread.ci_low.isna().all()


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (lambda y: given(y, 9), "too_few_labels"),
        (lambda y: np.where(np.arange(40)[:, None] < 20, np.where(np.arange(3) == 0, y, np.nan), np.nan),
         "labels_not_whole_prompts"),
        (lambda y: np.where((np.arange(40)[:, None] < 20) & ((np.arange(40)[:, None] > 1) | (np.arange(3) > 0)), y,
                            np.nan), "labels_incomplete"),
    ],
)  # fmt: skip
def test_labels_that_are_too_few_or_not_whole_leave_raw_values_in_the_set(study, unfair, labels, reason):
    y, m = unfair
    study.add("refusal", m, kind="binary").label("refusal", labels(y))
    hypotheses, contrasts = inferred(study, ("hypotheses", "contrasts"))
    own = hypotheses.set_index("calibration")
    assert own.family_id.raw == "primary"
    assert (own.family_id.corrected, own.inference_reason.corrected) == ("secondary", reason)
    corrected = contrasts[contrasts.calibration == "corrected"]
    assert corrected.p_value.isna().all() and corrected.ci_low.isna().all()
    assert set(corrected.inference_reason) - {"no_values"} == {reason}  # of groups that nobody labelled
    if reason != "labels_not_whole_prompts":
        assert corrected.value_cells.notna().all()


def test_a_blank_label_makes_its_root_prompt_an_unlabelled_one(study, unfair):
    y, m = unfair
    blank = given(y, 21)
    blank[3, 1] = np.inf
    study.add("refusal", m, kind="binary").label("refusal", blank)
    contrasts = inferred(study)
    assert contrasts[contrasts.calibration == "corrected"].method.str.contains("20 labelled root prompts").all()


def test_a_measure_without_labels_is_as_it_was(study, unfair):
    y, m = unfair
    other = np.random.default_rng(5).normal(size=(40, 3))
    alone = inferred(type(study)().add("warmth", other), human_labels=[])
    study.add("refusal", m, kind="binary").add("warmth", other).label("refusal", given(y, 20))
    beside = inferred(study, where="measure_id = 'warmth'")
    assert beside.p_value.tolist() == alone.p_value.tolist()


def test_a_study_may_name_the_calibration_itself(study, unfair):
    y, m = unfair
    study.add("refusal", m, kind="binary").label("refusal", given(y, 20))
    hypotheses = inferred(study, "hypotheses", primary=HypothesisFamily(calibrations=["raw"]))
    assert hypotheses.set_index("calibration").family_id[["raw", "corrected"]].tolist() == ["primary", "secondary"]
    both = inferred(study, "hypotheses", primary=HypothesisFamily(calibrations=["raw", "corrected"]))
    assert both.set_index("calibration").family_id[["raw", "corrected"]].tolist() == ["primary", "primary"]


def test_a_frozen_plan_of_raw_values_keeps_them(study, unfair):
    y, m = unfair
    connection = study.add("refusal", m, kind="binary").label("refusal", given(y, 20)).write()
    infer_study(connection, analysis(), corrects=())
    found = rows(connection, "hypotheses").set_index("calibration").family_id
    assert found[["raw", "corrected"]].tolist() == ["primary", "secondary"]


def test_a_score_is_corrected_with_an_interval_from_ten_prompts(study):
    rng = np.random.default_rng(3)
    y = rng.normal(size=(40, 3))
    m = y + np.array([0.8, 0, 0]) + rng.normal(0, 0.3, size=y.shape)
    study.add("refusal", m).label("refusal", given(y, 12))
    hypotheses, contrasts = inferred(study, ("hypotheses", "contrasts"))
    assert set(hypotheses.calibration) == {"raw", "corrected", "label_error"}
    corrected = contrasts[contrasts.calibration == "corrected"]
    assert set(corrected.contrast) == {"mean_difference"} and corrected.ci_low.notna().all()
    error = contrasts[(contrasts.calibration == "label_error") & (contrasts.group_id == "g0")].iloc[0]
    assert error.value_cells == pytest.approx(-0.8, abs=0.3)
    assert error.verdict == "different"


def test_categories_are_not_corrected(study):
    y = marks()
    study.add("refusal", y, kind="categorical", category="yes")
    study.add("refusal", 1 - y, kind="categorical", category="no").label("refusal", given(y, 20))
    assert set(inferred(study, "hypotheses").calibration) == {"raw"}


def placed(connection, slice_id, *, of=None, offset=0):
    """The tables of a study in one slice, or those of another beside them, which has prompts of its own."""
    for table in ("int_cells", "int_prompt_groups", "int_values", "int_labelled_answers"):
        frame = (of or connection).execute(f"from intermediate.{table}").df()
        if "slice_id" in frame:
            frame = frame.assign(slice_id=slice_id)
        for name in {"block_position", "root_prompt_position"} & {*frame}:
            frame[name] += offset
        if "prompt_id" in frame:
            frame["prompt_id"] = slice_id + frame.prompt_id
        if "unit_id" in frame:
            frame["unit_id"] = "u" + frame.root_prompt_position.astype(str)
        connection.register("frame", frame)
        if of is None:
            connection.execute(f"create or replace table intermediate.{table} as select * from frame")
        else:
            connection.execute(f"insert into intermediate.{table} by name select * from frame")
        connection.unregister("frame")
    return connection


def test_slices_are_corrected_by_their_own_labels(study):
    make = type(study)
    truth = {"easy": marks(n=40, seed=7), "hard": marks(n=30, seed=8)}
    seen = {
        "easy": read(truth["easy"], false_alarm=np.array([0.5, 0.05, 0.05])),
        "hard": read(truth["hard"], missed=0.7, seed=9),
    }
    labelled = {"easy": 20, "hard": 12}

    def of(name):
        own = make().add("refusal", seen[name], kind="binary")
        return own.label("refusal", given(truth[name], labelled[name])).write()

    both = placed(placed(of("easy"), "easy"), "hard", of=of("hard"), offset=40)
    both.execute("insert into raw.prompts select 'u' || i from range(40, 70) as t(i)")
    both.execute(
        "insert into raw.measure_slices select study_id, measure_id, unnest(['easy', 'hard']) from raw.measure_slices"
    )
    infer_study(both, analysis())
    for name in truth:
        alone = of(name)
        infer_study(alone, analysis())
        told, expected = (
            rows(one, "contrasts", f"calibration = 'corrected' and slice_id = '{where}'").sort_values("group_id")
            for one, where in ((both, name), (alone, "all"))
        )
        assert len(told) == 3
        for column in ("value_cells", "std_error", "ci_low", "ci_high"):
            assert told[column].to_numpy(dtype=float) == pytest.approx(
                expected[column].to_numpy(dtype=float), abs=1e-9, nan_ok=True
            )
        assert told.method.str.contains(f"{labelled[name]} labelled root prompts").all()


def two(study, own, other, labels_own, labels_other):
    study.add("refusal", other, kind="binary", system_id="old").label("refusal", labels_other, system_id="old")
    study.add("refusal", own, kind="binary", system_id="new")
    return study if labels_own is None else study.label("refusal", labels_own, system_id="new")


def test_systems_are_compared_by_what_people_say_of_both(study):
    truth = [marks(n=75, k=4, seed=seed) for seed in (1, 2)]
    seen = [read(truth[0], missed=0.02), read(truth[1], missed=0.6)]
    found = inferred(two(study, *seen, *(given(y, 40) for y in truth)), "system_comparisons")
    mean = found[found.comparison == "mean_change"].set_index("calibration")
    assert mean.verdict.raw == "different"
    assert mean.verdict.corrected == "inconclusive"
    assert (mean.family_id.raw, mean.family_id.corrected) == ("secondary", "comparison")
    assert mean.ci_low.corrected < truth[0].mean() - truth[1].mean() < mean.ci_high.corrected
    moved = found[(found.comparison == "groups_changed") & (found.calibration == "corrected")]
    assert moved.p_value.notna().all() and set(moved.family_id) == {"comparison"}
    assert set(found[found.calibration == "corrected"].comparison) == {
        "mean_change", "groups_changed", "disparity_change"
    }  # fmt: skip
    assert not found.calibration.isin(["missed", "false_alarm"]).any()


def test_with_every_prompt_labelled_a_change_is_that_of_labels(study):
    truth = [marks(n=30, seed=seed) for seed in (1, 2)]
    found = inferred(two(study, *map(read, truth), *truth), "system_comparisons")
    mean = found[(found.comparison == "mean_change") & (found.calibration == "corrected")].iloc[0]
    assert mean.value == pytest.approx(truth[0].mean() - truth[1].mean())
    groups = found[(found.comparison == "disparity_change") & (found.calibration == "corrected")]
    change = (truth[0] - truth[1]).mean(axis=0)
    assert groups.sort_values("group_id").value.to_numpy() == pytest.approx((change - change.mean()) * 1.5)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (lambda y: None, "labels_unpaired"),
        (lambda y: np.roll(given(y, 20), 20, axis=0), "labels_unpaired"),
        (lambda y: given(y, 8), "labels_unpaired"),
    ],
)
def test_labels_of_one_side_leave_raw_changes_in_the_set(study, labels, reason):
    truth = [marks(seed=seed) for seed in (1, 2)]
    mine = labels(truth[0])
    if mine is not None:  # what people say of the answers that they were given
        mine = np.where(np.isnan(mine), np.nan, truth[0])
    found = inferred(two(study, *map(read, truth), mine, given(truth[1], 20)), "system_comparisons")
    corrected = found[(found.calibration == "corrected") & found.comparison.isin(["mean_change", "groups_changed"])]
    assert len(corrected) == 2 and corrected.p_value.isna().all()
    assert set(corrected.inference_reason) == {reason}


def test_all_labels_alike_show_no_variation(study):
    study.add("refusal", np.zeros((40, 3)), kind="binary").label("refusal", given(np.zeros((40, 3)), 20))
    hypotheses = inferred(study, "hypotheses")
    assert hypotheses.set_index("calibration").inference_reason.corrected == "no_variation"


@pytest.mark.parametrize("kind", ["binary", "continuous"])
def test_labels_of_one_group_alone_correct_nothing(study, unfair, kind):
    y, m = unfair
    labels = given(y, 20)
    labels[:, 1:] = np.nan
    study.add("refusal", m, kind=kind, direction="higher_worse").label("refusal", labels)
    hypotheses, contrasts = inferred(study, ("hypotheses", "contrasts"))
    corrected = hypotheses[hypotheses.calibration == "corrected"]
    assert corrected.p_value.isna().all() and set(corrected.family_id) == {"secondary"}
    assert set(hypotheses[hypotheses.calibration == "raw"].family_id) == {"primary"}
    assert contrasts[contrasts.calibration == "corrected"].p_value.isna().all()


@pytest.mark.parametrize("said", [0.0, 1.0])
def test_labels_that_are_all_alike_show_no_difference(study, unfair, said):
    y, m = unfair
    study.add("refusal", m, kind="binary", direction="higher_worse").label("refusal", given(np.full_like(y, said), 40))
    hypotheses = inferred(study, "hypotheses")
    corrected = hypotheses[hypotheses.calibration == "corrected"].iloc[0]
    assert np.isnan(corrected.p_value) and corrected.inference_reason == "no_variation"


def test_cells_of_several_answers_of_which_people_labelled_some_have_no_corrected_values(study, unfair):
    y, m = unfair
    m = np.stack([m, m], axis=-1)
    labels = np.full(m.shape, np.nan)
    labels[:20, :, 0] = y[:20]
    study.add("refusal", m, kind="binary", direction="higher_worse").label("refusal", labels)
    hypotheses, summary = inferred(study, ("hypotheses", "summary_statistics"))
    corrected = hypotheses[hypotheses.calibration == "corrected"].iloc[0]
    assert np.isnan(corrected.p_value) and corrected.inference_reason == "labels_not_whole_prompts"
    assert summary[summary.calibration == "corrected"].value.isna().all()
