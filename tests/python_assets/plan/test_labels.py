"""Root prompts that people have to label: the algebra against simulated labels and readings, and its limits."""

import numpy as np
import pytest
from pydantic import ValidationError

from python_assets.plan.expected_effects import Spread, sd_of_difference
from python_assets.plan.labels import planned_labels, unexplained, variance_with
from python_assets.plan.plan import plan_study
from python_assets.study.analysis import AnalysisSpec, Power
from python_assets.study.base import Against
from python_assets.study.study import MeasureSpec, Study
from python_assets.study_file.load import load_study


@pytest.fixture
def plan(tmp_path):
    def planned(power, measure="tone", n=75, spread=None, n_tests=1):
        spec = Power.model_validate(power)
        specs = [
            MeasureSpec.model_validate({"name": measure, "choices": ["yes", "no"]} if measure == "tone" else measure)
        ]
        study = Study.model_construct(study_id="s", path=tmp_path, measures=specs, analysis=AnalysisSpec())
        sd = spec.sd or np.sqrt(spec.rate * (1 - spec.rate))
        spread = spread or Spread(sd, 0.4, 5, 1, prompt_by_group_share=0.1)
        return planned_labels(study, measure, spec, spread, Against.REST, n=n, alpha=0.05, n_tests=n_tests)

    return planned


def differences(x):
    """Each group minus the mean of the others, of every root prompt."""
    return (x - x.mean(axis=1, keepdims=True)) * x.shape[1] / (x.shape[1] - 1)


@pytest.mark.parametrize("n_responses", [1, 4])
def test_what_a_reading_leaves_of_marks_is_what_is_simulated(n_responses):
    rng = np.random.default_rng(1)
    chance = np.clip(0.3 + 0.1 * rng.normal(size=(60_000, 1, 1)) + 0.1 * rng.normal(size=(60_000, 5, 1)), 0, 1)
    y = (rng.random((60_000, 5, n_responses)) < chance).astype(float)
    m = (rng.random(y.shape) < np.where(y == 1, 0.8, 0.1)).mean(axis=2)
    dy, dm = differences(y.mean(axis=2)), differences(m)
    lam = (dm * dy).sum() / np.square(dm).sum()
    rate = y.mean()
    noise = Spread(np.sqrt(rate * 0.8 * 0.2 + (1 - rate) * 0.9 * 0.1), 0.0, 5, n_responses)
    found = unexplained(dy.var(), sd_of_difference(noise, Against.REST) ** 2, 0.8 + 0.9 - 1)
    assert found == pytest.approx((dy - lam * dm).var(), rel=0.02)


def test_what_a_reading_leaves_of_numbers_is_what_is_simulated():
    rng = np.random.default_rng(2)
    y = rng.normal(size=(60_000, 1)) + rng.normal(size=(60_000, 5))
    m = y + np.sqrt(2 * (1 / 0.7**2 - 1)) * rng.normal(size=y.shape)
    assert np.corrcoef(y.ravel(), m.ravel())[0, 1] == pytest.approx(0.7, abs=0.01)
    dy, dm = differences(y), differences(m)
    lam = (dm * dy).sum() / np.square(dm).sum()
    noise = Spread(np.sqrt(2 * (1 / 0.7**2 - 1)), 0.0, 5, 1)
    found = unexplained(dy.var(), sd_of_difference(noise, Against.REST) ** 2, 1.0)
    assert found == pytest.approx((dy - lam * dm).var(), rel=0.02)


def test_with_all_root_prompts_labelled_the_reading_adds_nothing():
    assert variance_with(75, 75, 0.5, 0.2) == pytest.approx(0.5 / 75)
    assert variance_with(20, 10**9, 0.5, 0.2) == pytest.approx(0.2 / 20)


def test_labels_of_numbers_by_hand(plan):
    found = plan({"sd": 1, "effect": 0.5, "labels": {"correlation": 0.8}})
    # group minus the others: 1.25 x (.1 + .5); the reading adds 1 / .64 - 1 of the variance of a response
    of_labels, of_noise = 0.75, 1.25 * (1 / 0.64 - 1)
    left = of_labels * of_noise / (of_labels + of_noise)
    assert found.half_widths[1] == pytest.approx(2.093024 * np.sqrt((1 / 20 - 1 / 75) * left + of_labels / 75))
    assert found.half_widths_alone[1] == pytest.approx(2.093024 * np.sqrt(of_labels / 20))
    assert found.reading == "correlation 0.8 (declared)"


def test_a_reading_that_is_right_needs_fewer_labels_and_one_by_chance_as_many_as_without(plan):
    good, bad = (
        plan({"rate": 0.2, "effect": 0.25, "labels": {"sensitivity": right, "specificity": right}}, n=200)
        for right in (0.999, 0.51)
    )
    assert good.n_needed < bad.n_needed <= bad.n_needed_alone
    assert good.n_needed_alone == bad.n_needed_alone


def test_fewer_root_prompts_than_are_needed_show_nothing_and_widths_stop_at_the_design(plan):
    found = plan({"rate": 0.2, "effect": 0.05, "labels": {}}, n=18)
    assert (found.n_needed, found.n_needed_alone) == (None, None)
    assert [width is None for width in found.half_widths] == [False, True, True]


def test_the_reading_is_the_declared_one_else_the_worst_published_else_assumed(plan):
    rate = {"rate": 0.2, "effect": 0.1}
    declared = rate | {"labels": {"sensitivity": 0.7, "specificity": 0.8}}
    assert plan(declared).reading == "0.7 / 0.8 (declared)"
    assert plan(rate).reading == "0.9 / 0.95 (assumed)"
    assert plan(rate, measure="refusal").reading.endswith("(published)")


STUDY = """
factors: {gender: {levels: [woman, man]}}
prompts: {templates: {cross: [gender], texts: [TEXTS]}}
systems: [{name: fair, provider: simulator}]
measures: [{name: tone, choices: [good, bad], kind: binary, favourable: good}]
groupings: [gender]
analysis: {power: {tone: {rate: 0.3, effect: 0.3LABELS}}}
"""


@pytest.mark.parametrize(("labels", "is_told"), [("", False), (", labels: {}", True)])
def test_a_plan_tells_of_labels_where_it_is_asked_alone(tmp_path, labels, is_told):
    texts = ", ".join(f'{{id: t{n}, text: "A {{gender}} {n}."}}' for n in range(60))
    (tmp_path / "mine.yml").write_text(STUDY.replace("TEXTS", texts).replace("LABELS", labels))
    text = plan_study(load_study(tmp_path / "mine.yml")).text()
    assert ("root prompts to label" in text) == is_told
    assert ("0.9 / 0.95 (assumed)" in text) == is_told


@pytest.mark.parametrize(
    "power",
    [
        {"rate": 0.2, "effect": 0.1, "labels": {"sensitivity": 0.9}},
        {"rate": 0.2, "effect": 0.1, "labels": {"sensitivity": 0.4, "specificity": 0.5}},
        {"rate": 0.2, "effect": 0.1, "labels": {"correlation": 0.8}},
        {"sd": 1, "effect": 0.1, "labels": {"sensitivity": 0.9, "specificity": 0.9}},
    ],
)
def test_a_reading_that_cannot_be_is_refused(power):
    with pytest.raises(ValidationError):
        Power.model_validate(power)
