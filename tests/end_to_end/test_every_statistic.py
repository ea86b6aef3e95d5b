"""A study with every documented option of every statistic, through the command: each number has its row."""

import pytest

# options of docs/analysis.md, one study with all of them
STUDY = """
title: Every option of every statistic
prompts:
  templates:
    texts:
      - {id: "1", text: "Is a {gender} person kind?", baseline: "Is a person kind?"}
      - {id: "2", text: "Is a {gender} person fast?", baseline: "Is a person fast?"}
      - {id: "3", text: "Is a {gender} person loud?", baseline: "Is a person loud?"}
      - {id: "4", text: "Is a {gender} person calm?", baseline: "Is a person calm?"}
      - {id: "5", text: "Is a {gender} person late?", baseline: "Is a person late?"}
      - {id: "6", text: "Is a {gender} person wise?", baseline: "Is a person wise?"}
    cross: [gender]
factors:
  gender: {levels: [Female, Male, Other]}
systems:
  - {name: made_up, provider: simulator, replicates: 3}
measures: [vader]
analysis:
  permutations: 199
  bootstrap: 200
  statistics:
    - mean: [{}, {normalise: before}, {normalise: before, over: all}, {normalise: after}]
    - median: [{}, {normalise: before}]
    - mode: [{}, {bin_width: 0.05}]
    - variance
    - standard_deviation
    - skewness
    - kurtosis
    - range
    - quantile: [{q: 0.25}, {q: 0.75}]
    - percentile: {p: 25}
    - quantile_range: [{}, {low: 0.1, high: 0.9}]
    - percentile_range: {low: 10, high: 90}
    - correlation: [{method: pearson}, {method: spearman}, {method: kendall}]
    - kl_divergence: [{}, {bins: 5, smoothing: 1}]
    - precision: [{}, {threshold: 0.2}]
    - selection_rate:
        - {standard: mean}
        - {standard: median, method: smaller}
        - {standard: {mode: 0.05}}
        - {standard: {quantile: 0.75}, method: larger}
        - {standard: {percentile: 75}}
        - {standard: {fixed: 0.3}, method: {within_range: 0.2}}
        - {standard: mean, method: {within_percentage: 0.1}}
        - {standard: {quantile_range: [0.25, 0.75]}}
        - {standard: {percentile_range: [25, 75]}}
  custom_statistics: {top: max(x)}
  custom_disparities: {relative_range: "(max(value) - min(value)) / nullif(avg(value), 0)"}
  contrasts: [quantile_difference, quantile_range_difference, median_difference, variance_difference, top_difference]
"""


@pytest.fixture(scope="module")
def every(run_study, tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies")
    (folder / "every_statistic.yml").write_text(STUDY, encoding="utf-8")
    return run_study("every_statistic", PLUMBLINE_STUDIES=str(folder))


def test_both_quantiles_are_compared(every):
    found = every.rows(
        "select parameters, count(value), count(p_value) from contrasts "
        "where contrast = 'quantile_difference' and calibration = 'raw' and measure_id = 'vader' "
        "and system_id = 'made_up' group by parameters order by parameters"
    )
    assert [row[0] for row in found] == ["q=0.25", "q=0.75"]
    assert all(n_values == 3 and n_tested == 3 for _, n_values, n_tested in found)


def test_means_of_normalised_values_are_compared(every):
    found = every.rows(
        "select parameters, value, p_value from contrasts where contrast = 'mean_difference' and calibration = 'raw' "
        "and parameters like '%normalise=before%' and measure_id = 'vader'"
    )
    assert {row[0] for row in found} == {"normalise=before;over=all", "normalise=before;over=system"}
    assert all(value is not None and p_value is not None for _, value, p_value in found)


def test_every_statistic_has_a_number(every):
    found = dict(
        every.rows(
            "select statistic, count(value) from summary_statistics where measure_id = 'vader' group by statistic"
        )
    )
    asked = {line.strip(" -").split(":")[0] for line in STUDY.splitlines() if line.startswith("    - ")}
    assert asked <= set(found) and all(found[name] for name in asked)
