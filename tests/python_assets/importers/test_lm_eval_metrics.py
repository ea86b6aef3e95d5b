"""What a sample has of a metric; whole logs of lm_eval are read in make test-long."""

import pytest

from python_assets.importers.lm_eval_metrics import SampleScore, sample_score


@pytest.mark.parametrize(
    ("value", "aggregation", "expected"),
    [
        (True, "mean", SampleScore(True)),
        (0.5, None, SampleScore(0.5)),
        ("yes", "f1", None),
        ([-6.0, 4], "weighted_perplexity", SampleScore(-1.5, 4)),
        ([-6.0, 0], "weighted_perplexity", None),
        ([True, 0], "f1", SampleScore("0", true_label="1")),
        ([True, 0], "mean", None),
        ([True, 0.5], "matthews_corrcoef", None),
        ([1, 0, 1], "f1", None),
        ([1, "[0.25 0.75]"], "brier_score", SampleScore(0.125)),  # .25**2 + .25**2
        ([2, "[0.25 0.75]"], "brier_score", None),
        ([1, "half and half"], "brier_score", None),
    ],
)
def test_a_sample_has_what_its_aggregation_is_of(value, aggregation, expected):
    assert sample_score(value, aggregation) == expected
