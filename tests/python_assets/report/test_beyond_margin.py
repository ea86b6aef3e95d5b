"""Hypotheses beyond their margin, of every family; the tables are those of the small study of the report."""

import pytest

from python_assets.published.beyond_margin import beyond_elsewhere, beyond_margin, beyond_margin_in_words
from python_assets.published.query import open_published
from tests.python_assets.report.test_result_cards import GROUP, OPEN, TOOL, hypotheses

BEYOND = {"verdict": "beyond_margin", "headline_margin": 0.1, "headline_margin_origin": "declared", "q_value": 0.0003}
RATIO = BEYOND | {
    "statistic": "selection_rate",
    "family_id": "secondary",
    "headline_metric": "impact_ratio",
    "headline_group_id": None,
    "headline_value": 0.25,
    "headline_ci_low": 0.159,
    "headline_ci_high": 0.484,
    "headline_margin": 0.8,
    "headline_margin_origin": "default",
}


@pytest.fixture
def beyond(publish_small):
    """Those of the small study with these findings and contrasts."""

    def read(findings, contrasts=()):
        with open_published(publish_small(findings=findings, contrasts=contrasts)) as connection:
            return beyond_margin(connection, "small")

    return read


def test_every_family_is_read_and_primary_comes_first(beyond):
    others = [BEYOND | {"family_id": family, "measure_id": "refusal"} for family in ("pooled", "mine", "undecided")]
    rows = beyond(hypotheses(OPEN, *others, RATIO, BEYOND | {"measure_id": "refusal"}))
    # in the order of the families everywhere
    assert [row["family_id"] for row in rows] == ["primary", "mine", "secondary", "undecided", "pooled"]
    assert [row["statistic"] for row in rows] == ["mean", "mean", "selection_rate", "mean", "mean"]
    assert [row["metric"] for row in beyond_elsewhere(rows)].count("impact_ratio") == 1


def test_what_repeats_another_and_tool_bias_are_not_among_them(beyond):
    assert beyond(hypotheses(RATIO | {"is_repeated": True}, BEYOND | TOOL)) == []


def test_a_metric_is_written_with_its_interval_margin_and_family(beyond):
    (row,) = beyond(hypotheses(OPEN, RATIO))
    assert beyond_margin_in_words(row, 0.05) == (
        "impact ratio 0.25 (95 % CI 0.16 to 0.48), margin 0.8 (four-fifths rule, default), q < .001 "
        "(secondary, family of 1 tested)"
    )


def test_a_group_is_written_with_what_selection_leaves_of_its_effect(beyond):
    contrast = {name: GROUP[name] for name in GROUP if name not in ("verdict",)}
    contrast |= {"group_id": "Russia", "contrast": "mean_difference", "value": -0.346, "value_shrunken": -0.326}
    (row,) = beyond(hypotheses(BEYOND), [contrast | {"ci_low_selected": -0.473, "ci_high_selected": -0.219}])
    assert beyond_margin_in_words(row, 0.05) == (
        "Russia -0.33 (95 % CI -0.47 to -0.22), margin 0.1, q < .001 (primary, family of 1 tested)"
    )
    (row,) = beyond(hypotheses(BEYOND))
    assert beyond_margin_in_words(row, 0.05).startswith("Russia -0.30, margin 0.1")


def test_rates_and_their_margins_are_in_points(beyond):
    measure = {"measure_id": "refusal", "kind": "binary"}
    rate = {"measure_id": "refusal", "headline_metric": "risk_difference", "headline_value": 0.139}
    (row,) = beyond(hypotheses(BEYOND | rate))
    row |= measure
    assert beyond_margin_in_words(row, 0.05).startswith("Russia +13.9 points, margin 10 points")
