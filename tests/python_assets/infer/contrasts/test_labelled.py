"""Corrected values against the golden file of inference.md 9, and what is told of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from python_assets.infer.contrasts.labelled import compare_labelled, labelled_estimate
from python_assets.infer.contrasts.means import t_of
from python_assets.infer.design.cells import CellLabels, Labelled
from python_assets.infer.design.design import Design, Frame, Unit
from python_assets.infer.design.labels import whole_roots
from python_assets.infer.draws.exchange import Shuffles
from python_assets.infer.result import InferenceReason
from python_assets.infer.schemes.choose import Blocks
from python_assets.infer.schemes.corrected_values import corrected_values, deviations
from python_assets.infer.schemes.differences import Sums
from python_assets.infer.schemes.labelled_contrast import LabelledContrast

GOLDEN = json.loads(Path(__file__).with_name("labels_golden.json").read_text())
CASES = {case["name"]: case for case in GOLDEN["cases"]}
R, K = GOLDEN["R"], GOLDEN["K"]
Floats = NDArray[np.float64]


def frame_of(n_roots: int, n_groups: int) -> Frame:
    block = np.repeat(np.arange(n_roots), n_groups)
    return Frame(block, np.tile(np.arange(n_groups), n_roots), np.arange(n_roots), n_groups)


def labels_of(y: Floats, m: Floats | None = None) -> CellLabels:
    """Labels of cells, each of one answer."""
    nothing = np.full(len(y), np.nan)
    m = nothing if m is None else m
    return CellLabels(
        y=y,
        is_drawn=~np.isnan(y),
        missed=np.where(y == 1, 1 - m, np.nan),
        false_alarm=np.where(y == 0, m, np.nan),
        error=y - m,
        n_events=(y == 1).astype(np.intp),
        n_others=(y == 0).astype(np.intp),
    )


def cells_of(table: list[list[float | None]]) -> Floats:
    return np.array(table, dtype=float).ravel()


def contrast_of(frame: Frame, n_labelled: int, *, is_rate: bool) -> LabelledContrast:
    design = Design(frame, np.arange(len(frame.block)), Unit.ROOT_PROMPT)
    none = np.zeros(frame.n_groups, dtype=bool)
    return LabelledContrast(design, labelled=Labelled("corrected_rate", n_labelled, None, none, is_rate))


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = CASES[request.param]
    return found


def test_values_follow_the_scorer_as_far_as_labels_do(case: dict[str, Any]) -> None:
    found = corrected_values(frame_of(R, K), cells_of(case["m"]), labels_of(cells_of(case["y"])))
    assert found.weight == pytest.approx(case["lam"], abs=1e-12)
    assert found.n_labelled == GOLDEN["r"]
    assert found.v == pytest.approx(cells_of(case["v"]), abs=1e-9)


def test_differences_have_at_least_the_error_of_all_groups(case: dict[str, Any]) -> None:
    is_rate = case["kind"] == "binary"
    contrast, v = contrast_of(frame_of(R, K), GOLDEN["r"], is_rate=is_rate), cells_of(case["v"])[:, None]
    found = labelled_estimate(contrast, v, alpha=0.05)
    assert found.value[0] == pytest.approx(np.array(case["contrasts"]), abs=1e-9)
    assert found.std_error[0] == pytest.approx(np.array(case["se"]), abs=1e-9)
    assert found.statistic[0] == pytest.approx(np.array(case["t"]), abs=1e-9)
    assert set(found.df[0]) == {case["df_interval"]}
    limits = np.stack([found.limits.low[0], found.limits.high[0]], axis=1)
    assert limits == pytest.approx(np.array(case["interval"]), abs=1e-9)


def test_permuted_records_have_the_same_floor(case: dict[str, Any]) -> None:
    frame, v = frame_of(R, K), np.array(case["v"])
    contrast = contrast_of(frame, GOLDEN["r"], is_rate=case["kind"] == "binary")
    for one in case["permuted"]:
        moved = np.take_along_axis(v, np.array(one["perm"]), axis=1).ravel()[:, None]
        assert t_of(contrast, moved)[:, 0] == pytest.approx(np.array(one["t"]), abs=1e-9)
        d = contrast.by_unit(moved)
        sums = Sums(d.sum(axis=1)[None], (d**2).sum(axis=1)[None])
        sizes = contrast.sizes(sums, contrast.rows.n_units[:, None])
        assert sizes[0, :, 0] == pytest.approx(np.abs(one["t"]), abs=1e-9)


def test_errors_of_a_score_are_a_hypothesis_of_the_labelled_prompts(case: dict[str, Any]) -> None:
    m, y = cells_of(case["m"]), cells_of(case["y"])
    e, frame = y - m, frame_of(R, K)
    cell = np.flatnonzero(~np.isnan(e))
    contrast = LabelledContrast(Design(frame, cell, Unit.ROOT_PROMPT))
    found = contrast.differences(e[cell][:, None])
    asked = case["error_hypothesis"]
    assert found.value[:, 0] == pytest.approx(np.array(asked["contrasts"]), abs=1e-9)
    variance = np.maximum(asked["variance_own"], asked["variance_pooled"])
    assert found.std_error[:, 0] ** 2 == pytest.approx(variance, abs=1e-9)
    assert set(found.df[:, 0]) == {GOLDEN["r"] - 1}


def test_missed_and_false_alarm_are_of_the_cells_that_the_golden_file_names() -> None:
    case = CASES["rate"]
    labels = labels_of(cells_of(case["y"]), cells_of(case["m"]))
    for name, values in (("missed_cells", labels.missed), ("false_alarm_cells", labels.false_alarm)):
        told = [
            [GOLDEN["root_prompts"][at // K], GOLDEN["groups"][at % K], int(values[at])]
            for at in np.flatnonzero(~np.isnan(values))
        ]
        assert told == case["judge_questions"][name]


def test_with_every_prompt_labelled_values_are_the_labels() -> None:
    rng = np.random.default_rng(1)
    m, y = rng.normal(size=(2, 60))
    found = corrected_values(frame_of(20, 3), m, labels_of(y))
    assert found.v == pytest.approx(y, abs=1e-12)


def test_an_scorer_that_reads_nothing_is_not_followed() -> None:
    y = np.where(np.arange(60) < 36, np.arange(60) % 2.0, np.nan)
    found = corrected_values(frame_of(20, 3), np.ones(60), labels_of(y))
    assert found.weight == 0
    assert found.v == pytest.approx(np.where(np.isnan(y), 0, y * 20 / 12))


@pytest.mark.parametrize(
    ("n_whole", "n_broken", "reason"),
    [
        (12, 0, None),
        (9, 0, InferenceReason.TOO_FEW_LABELS),
        (20, 1, None),
        (12, 1, InferenceReason.LABELS_INCOMPLETE),
        (2, 10, InferenceReason.LABELS_NOT_WHOLE_PROMPTS),
    ],
)
def test_only_whole_root_prompts_count(n_whole: int, n_broken: int, reason: InferenceReason | None) -> None:
    y = np.full((40, 3), np.nan)
    y[:n_whole] = 1
    y[n_whole : n_whole + n_broken, 0] = 1
    root = np.repeat(np.arange(40), 3)
    whole, found = whole_roots(root, np.ones(120, dtype=bool), labels_of(y.ravel()))
    assert found is reason
    assert whole.tolist() == list(range(n_whole))


def test_deviations_average_the_blocks_of_a_root_prompt() -> None:
    frame = Frame(np.repeat(np.arange(4), 2), np.tile([0, 1], 4), np.array([0, 0, 1, 1]), 2)
    roots, d = deviations(frame, np.array([1, 0, 3, 0, 0, 0, np.nan, 1.0]))
    assert roots.tolist() == [0, 1]
    assert d == pytest.approx(np.array([[2, 0], [-2, 0]]))


def scheme_of(frame: Frame, labelled: Labelled) -> Blocks:
    design = Design(frame, np.arange(len(frame.block)), Unit.ROOT_PROMPT)
    return Blocks(design, frame.n_groups, Shuffles(3, 99, frame.block).of(design.cell), 0.05, labelled=labelled)


@pytest.mark.parametrize(
    ("n_labelled", "is_rate", "has_interval", "reason"),
    [(20, True, True, None), (12, True, False, InferenceReason.TOO_FEW_LABELS), (12, False, True, None)],
)
def test_a_rate_has_an_interval_from_fifteen_prompts(
    n_labelled: int, is_rate: bool, has_interval: bool, reason: InferenceReason | None
) -> None:
    frame = frame_of(40, 3)
    v = np.random.default_rng(2).normal(size=(120, 1))
    labelled = Labelled("corrected_rate", n_labelled, None, np.zeros(3, dtype=bool), is_rate)
    found = compare_labelled(scheme_of(frame, labelled), v, np.array([np.nan]))
    (result,) = found.contrasts.values()
    assert [*found.contrasts] == ["risk_difference" if is_rate else "mean_difference"]
    assert not np.isnan(result.p_value).any()
    assert np.isnan(result.ci_low).all() == (not has_interval)
    assert set(result.reason.ravel()) == {reason}
    assert {test.reason[0] for test in found.indices.values()} == {InferenceReason.CORRECTED_NOT_BOUNDED}
    spread = v.reshape(40, 3).mean(axis=0)
    assert found.indices["range"].value[0] == pytest.approx(np.ptp(spread))
    assert found.indices["standard_deviation"].value[0] == pytest.approx(spread.std(ddof=1))


def test_too_few_labels_leave_values_alone() -> None:
    labelled = Labelled("corrected_score", 8, InferenceReason.TOO_FEW_LABELS, np.zeros(3, dtype=bool), is_rate=False)
    v = np.random.default_rng(2).normal(size=(120, 1))
    (result,) = compare_labelled(scheme_of(frame_of(40, 3), labelled), v, np.array([np.nan])).contrasts.values()
    assert not np.isnan(result.value).any()
    for name in ("p_value", "p_maxt", "p_hypothesis", "ci_low", "std_error", "p_by_t"):
        assert np.isnan(getattr(result, name)).all(), name


def test_a_group_with_under_three_events_is_told_as_approximate() -> None:
    labelled = Labelled("corrected_rate", 20, None, np.array([False, True, False]), is_rate=True)
    v = np.random.default_rng(2).normal(size=(120, 1))
    (result,) = compare_labelled(scheme_of(frame_of(40, 3), labelled), v, np.array([np.nan])).contrasts.values()
    assert result.reason[0].tolist() == [None, InferenceReason.APPROXIMATE, None]
    assert not np.isnan(result.ci_low).any()
