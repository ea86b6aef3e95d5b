"""Shares and kappa of texts with a truth, against statsmodels and counts by hand."""

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa, to_table
from statsmodels.stats.proportion import proportion_confint

from python_assets.extract.scorers.figures import FEWEST_POSITIVE, LabelledText, Share, kappa_of, rows_of, share_of


@pytest.mark.parametrize(("n_right", "n"), [(0, 7), (7, 7), (585, 704), (1, 3)])
def test_a_share_has_the_interval_of_wilson(n_right, n):
    low, high = proportion_confint(n_right, n, method="wilson")
    found = share_of(n_right, n)
    assert (found.value, found.low, found.high) == pytest.approx((n_right / n, low, high), abs=6e-5)


def test_of_no_text_there_is_no_share():
    assert share_of(0, 0) == Share(None, None, None)


def test_kappa_is_that_of_statsmodels():
    rng = np.random.default_rng(1)
    labels = np.array(["a", "b", None], dtype=object)
    truth = rng.choice(labels, 60)
    read = np.where(rng.random(60) < 0.6, truth, rng.choice(labels, 60))
    codes = np.array([[list(labels).index(one) for one in column] for column in (truth, read)]).T
    expected = cohens_kappa(to_table(codes)[0])
    found = kappa_of([LabelledText(*pair) for pair in zip(truth, read, strict=True)])
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.kappa, expected.kappa_low, expected.kappa_upp), abs=6e-5
    )


def test_without_two_labels_there_is_no_kappa():
    assert kappa_of([LabelledText("a", "a"), LabelledText("a", "a")]) == Share()


def test_a_kappa_without_variance_has_no_interval():
    assert kappa_of([LabelledText("a", "a"), LabelledText("b", "b")]) == Share(1.0)
    assert kappa_of([LabelledText("a", None), LabelledText(None, None)]) == Share(0.0)


def test_a_wrong_label_is_neither_found_nor_right():
    texts = [
        LabelledText("a", "a"),
        LabelledText("a", "b"),
        LabelledText("b", None),
        LabelledText(None, "a"),
        LabelledText(None, None),
    ]
    [found] = rows_of(texts)
    assert (found.n, found.n_positive) == (5, 3)
    assert found.recall.value == pytest.approx(1 / 3, abs=1e-4)
    assert found.precision.value == pytest.approx(1 / 3, abs=1e-4)
    assert found.specificity.value == 0.5
    assert found.agreement.value == 0.4


def test_a_family_or_topic_with_few_positive_texts_has_no_row():
    many = [LabelledText("a", "a", "gpt", "privacy")] * FEWEST_POSITIVE
    few = [LabelledText("a", None, "llama", "safety")] * (FEWEST_POSITIVE - 1)
    unnamed = [LabelledText("a", "a")] * FEWEST_POSITIVE
    found = rows_of([*many, *few, *unnamed, LabelledText(None, "a", "gpt")])
    assert [(row.family, row.topic, row.n) for row in found] == [
        ("", "", 30),
        ("gpt", "", FEWEST_POSITIVE + 1),
        ("", "privacy", FEWEST_POSITIVE),
    ]


def test_figures_do_not_depend_on_the_order_of_texts():
    texts = (
        [LabelledText("a", "a", "gpt")] * 12
        + [LabelledText("b", "a", "llama")] * 11
        + [LabelledText(None, None, "gpt")] * 5
    )
    assert rows_of(texts) == rows_of(texts[::-1])
