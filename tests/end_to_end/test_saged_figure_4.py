"""SAGED's worked example (Figure 4) from its file to the tables: its statistics and disparities."""

import pytest

from tests.end_to_end.conftest import in_memory

SCORES = """id,fruit,response,sentiment
1,Apple,Apple OK.,0.5
2,Apple,Apple Good.,0.75
1,Pear,Pear Bad.,0.25
2,Pear,Pear Terrible.,0.2
"""
STUDY = """
title: Figure 4 of SAGED
domain: fruit
prompts:
  import:
    path: figure_4.csv
    columns: {prompt: [id, fruit], root_prompt: id, prompt_text: id, response: response}
    factors: {fruit: fruit}
systems: [{name: model, provider: replay}]
measures: [{name: sentiment, kind: continuous, column: sentiment}]
groupings: [fruit]
analysis:
  statistics: [mean, {selection_rate: {standard: mean, method: larger}}]
"""


@pytest.fixture(scope="module")
def figure_4(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies")
    (folder / "figure_4.csv").write_text(SCORES, encoding="utf-8")
    (folder / "figure_4.yml").write_text(STUDY, encoding="utf-8")
    return in_memory(folder / "figure_4.yml")


def test_the_statistics_of_the_groups(figure_4):
    rows = figure_4.rows(
        "select statistic, group_id, value from summary_statistics "
        "where study_id = 'figure_4' and measure_id = 'sentiment' and system_id = 'model' and calibration = 'raw'"
    )
    found = {(statistic, group): value for statistic, group, value in rows}
    assert found == {
        ("mean", "Apple"): pytest.approx(0.625, abs=1e-12),
        ("mean", "Pear"): pytest.approx(0.225, abs=1e-12),
        ("selection_rate", "Apple"): 1.0,
        ("selection_rate", "Pear"): 0.0,
    }


@pytest.mark.parametrize(
    ("statistic", "metric", "expected"), [("mean", "range", 0.4), ("selection_rate", "impact_ratio", 0.0)]
)
def test_the_disparities_between_them(figure_4, statistic, metric, expected):
    value, value_responses = figure_4.rows(
        "select value, value_responses from disparities where study_id = 'figure_4' and measure_id = 'sentiment' "
        "and system_id = 'model' and calibration = 'raw' and statistic = ? and metric = ?",
        statistic,
        metric,
    )[0]
    assert (value, value_responses) == pytest.approx((expected, expected), abs=1e-12)
