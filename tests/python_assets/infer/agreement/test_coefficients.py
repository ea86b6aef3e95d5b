"""Kappa, alpha and shares against published examples and other packages, and what their intervals cover."""

import krippendorff
import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa as kappa_of_table
from statsmodels.stats.inter_rater import to_table
from statsmodels.stats.proportion import proportion_confint

from python_assets.infer.agreement.coefficients import (
    CodedAnswers,
    alpha_of_sums,
    alpha_sums,
    cohens_kappa,
    krippendorffs_alpha,
    share_right,
)
from tests.promises import fewest, most

NOTHING = np.nan
# Krippendorff 2011, section C: four observers, twelve units, missing values
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NOTHING, NOTHING, NOTHING],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NOTHING, 3],
        [NOTHING, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NOTHING],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NOTHING],
    ]
).T


def coded(codes, n_of_prompt=1, *, are_labels=True):
    codes = np.asarray(codes, dtype=float)
    return CodedAnswers(codes, np.arange(len(codes)) // n_of_prompt, are_labels)


def two_coders(seed, n=60, n_labels=3, n_of_prompt=3):
    rng = np.random.default_rng(seed)
    one = rng.integers(0, n_labels, n)
    two = np.where(rng.random(n) < 0.7, one, rng.integers(0, n_labels, n))
    return coded(np.column_stack([one, two]), n_of_prompt)


@pytest.mark.parametrize(("are_labels", "alpha"), [(True, 0.743), (False, 0.849)])
def test_alpha_is_that_of_krippendorffs_published_example(are_labels, alpha):
    found = krippendorffs_alpha(coded(PUBLISHED, are_labels=are_labels), 0.05, 1)
    assert found.value == pytest.approx(alpha, abs=5e-4)


@pytest.mark.parametrize("are_labels", [True, False])
def test_resampled_alpha_is_that_of_the_package(are_labels):
    rng = np.random.default_rng(5)
    codes = np.where(rng.random((80, 3)) < 0.2, NOTHING, rng.integers(0, 4, (80, 3)).astype(float))
    codes = codes[(~np.isnan(codes)).sum(axis=1) >= 2]
    kind = "nominal" if are_labels else "interval"
    expected = krippendorff.alpha(reliability_data=codes.T, level_of_measurement=kind)
    own = alpha_of_sums(alpha_sums(coded(codes, 4, are_labels=are_labels)).sum(axis=0))
    assert own == pytest.approx(expected, abs=1e-12)


def test_kappa_is_that_of_scikit_learn_and_of_fleiss_table():
    # Fleiss, Levin and Paik 2003, table 18.1: 100 cases, three diagnoses, kappa .676
    table = np.array([[75, 1, 4], [5, 4, 1], [0, 0, 10]])
    pairs = np.repeat(np.argwhere(table >= 0), table.ravel(), axis=0)
    assert cohens_kappa(coded(pairs), 0.05, 1).value == pytest.approx(0.676, abs=5e-4)
    drawn = two_coders(3)
    assert cohens_kappa(drawn, 0.05, 1).value == pytest.approx(cohen_kappa_score(*drawn.codes.T), abs=1e-12)


def test_the_interval_of_single_answers_is_near_that_of_fleiss_cohen_and_everitt():
    drawn = two_coders(8, n=400, n_of_prompt=1)
    found = cohens_kappa(drawn, 0.05, 1)
    expected = kappa_of_table(to_table(drawn.codes.astype(int))[0])
    assert (found.low, found.high) == pytest.approx((expected.kappa_low, expected.kappa_upp), abs=0.01)


def test_neither_the_order_of_answers_nor_the_names_of_labels_matter():
    drawn = two_coders(4)
    shuffled = np.random.default_rng(1).permutation(len(drawn.codes))
    again = CodedAnswers((2 - drawn.codes)[shuffled], drawn.root_prompt[shuffled], True)
    for coefficient in (cohens_kappa, krippendorffs_alpha):
        assert coefficient(again, 0.05, 7)[:3] == pytest.approx(coefficient(drawn, 0.05, 7)[:3], abs=1e-12)


def test_answers_of_one_prompt_that_err_together_widen_the_interval():
    drawn = two_coders(6, n=40, n_of_prompt=1)
    repeated = CodedAnswers(np.repeat(drawn.codes, 5, axis=0), np.repeat(drawn.root_prompt, 5), True)
    once, five_times = (cohens_kappa(one, 0.05, 2) for one in (drawn, repeated))
    assert five_times[:3] == pytest.approx(once[:3], abs=1e-12)


def test_where_nobody_differs_the_limit_is_that_of_no_event_in_as_many_prompts():
    marks = coded(np.repeat([[0, 0], [1, 1]], [15, 5], axis=0), 1)
    quantile = stats.t.ppf(0.975, 19)
    most = quantile**2 / (20 + quantile**2)
    found = cohens_kappa(marks, 0.05, 1)
    assert found == (1, pytest.approx(1 - most / (2 * 0.25 * 0.75)), 1, None)
    numbers = coded(np.repeat([[0.5, 0.5], [2, 2]], 10, axis=0), are_labels=False)
    assert krippendorffs_alpha(numbers, 0.05, 1).reason == "no_disagreement"


def test_reasons_of_coefficients():
    few = two_coders(2, n=27, n_of_prompt=3)
    assert (cohens_kappa(few, 0.05, 1).reason, np.isnan(cohens_kappa(few, 0.05, 1).low)) == ("too_few_labels", True)
    assert not np.isnan(cohens_kappa(few, 0.05, 1).value)
    alike = coded(np.ones((40, 2)), 2)
    assert [one(alike, 0.05, 1).reason for one in (cohens_kappa, krippendorffs_alpha)] == ["labels_alike"] * 2
    nobody = coded(np.column_stack([np.ones(40), np.full(40, NOTHING)]))
    assert [one(nobody, 0.05, 1).reason for one in (cohens_kappa, krippendorffs_alpha)] == ["no_such_answer"] * 2
    assert cohens_kappa(coded(PUBLISHED[:, :2], are_labels=False), 0.05, 1).reason == "not_for_numbers"
    same_in_each = coded(np.tile([[0, 0], [1, 1], [0, 1]], (12, 1)), 3)
    assert cohens_kappa(same_in_each, 0.05, 1).reason == "no_error"


def test_a_share_of_one_answer_a_prompt_has_the_interval_of_wilson():
    right = np.repeat([1.0, 0.0], [31, 9])
    found = share_right(right, np.ones(40), np.arange(40), 40, 0.05)
    # the variance over prompts has 39 for 40, and t for the normal quantile
    quantile = stats.t.ppf(0.975, 39)
    expected = proportion_confint(31 * 39 / 40, 39, alpha=2 * stats.norm.sf(quantile), method="wilson")
    assert found[:3] == pytest.approx((31 / 40, *expected))


def test_a_share_near_its_end_keeps_inside_and_has_reasons():
    every = share_right(np.ones(60), np.ones(60), np.arange(60) // 3, 20, 0.05)
    quantile = stats.t.ppf(0.975, 19)
    assert every == (1, pytest.approx(20 / (20 + quantile**2)), 1, None)
    assert share_right(np.ones(60), np.zeros(60), np.arange(60) // 3, 20, 0.05).reason == "no_such_answer"
    assert share_right(np.ones(27), np.ones(27), np.arange(27) // 3, 9, 0.05).reason == "too_few_labels"
    in_two = np.isin(np.arange(60) // 3, [0, 1]).astype(float)
    assert share_right(np.ones(60), in_two, np.arange(60) // 3, 20, 0.05)[::3] == (1, "too_few_labels")


def judged(rng, shape, *, rate=0.2, sensitivity=0.9, specificity=0.95):
    """Marks by people, alike within a prompt, and the reading of a judge."""
    n_prompts, _ = shape
    latent = np.sqrt(0.4) * rng.normal(size=(n_prompts, 1)) + np.sqrt(0.6) * rng.normal(size=shape)
    people = (latent < stats.norm.ppf(rate)).astype(float)
    reading = (rng.random(shape) < np.where(people == 1, sensitivity, 1 - specificity)).astype(float)
    return people, reading


@pytest.mark.run
@pytest.mark.parametrize("shape", [(12, 5), (40, 5)])
def test_intervals_over_prompts_hold_their_coefficients(shape):
    rng = np.random.default_rng(1)
    people, reading = judged(rng, (100_000, 5))
    truth = {
        "kappa": cohen_kappa_score(people.ravel(), reading.ravel()),
        "alpha": float(
            alpha_of_sums(alpha_sums(coded(np.column_stack([people.ravel(), reading.ravel()]))).sum(axis=0))
        ),
        "sensitivity": 0.9,
        "specificity": 0.95,
    }
    n_sets = fewest()
    missed, known = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0)
    prompt = np.repeat(np.arange(shape[0]), shape[1])
    for seed in range(n_sets):
        one, two = (marks.ravel() for marks in judged(rng, shape))
        both = CodedAnswers(np.column_stack([one, two]), prompt, True)
        alike = (one == two).astype(float)
        found = {
            "kappa": cohens_kappa(both, 0.05, seed),
            "alpha": krippendorffs_alpha(both, 0.05, seed),
            "sensitivity": share_right(alike, one, prompt, shape[0], 0.05),
            "specificity": share_right(alike, 1 - one, prompt, shape[0], 0.05),
        }
        for name, estimate in found.items():
            known[name] += not np.isnan(estimate.low)
            missed[name] += not np.isnan(estimate.low) and not estimate.low <= truth[name] <= estimate.high
    assert min(known.values()) > 0.9 * n_sets
    assert max(missed.values()) <= most(n_sets)
