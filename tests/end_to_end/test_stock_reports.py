"""SAGED's appendix A.2 with simulated models: the tone of a report is in raw means, and calibration takes it away."""

import pytest

MEANS = """
    select group_id, value
    from summary_statistics
    where study_id = 'stock_reports' and system_id <> 'baseline' and measure_id = 'vader' and statistic = 'mean'
        and parameters = '' and slice_id = 'all' and grouping_id = 'source_tag' and calibration = ?
"""


@pytest.fixture(scope="module")
def stocks(run_study, with_few_draws):
    studies = with_few_draws("stock_reports")
    return run_study("stock_reports", PLUMBLINE_PROVIDER="simulator", PLUMBLINE_STUDIES=studies)


def test_every_hypothesis_is_asked_of_every_company(stocks):
    counted = stocks.rows(
        "select level, count(*) from prompts inner join prompt_factors using (study_id, prompt_id) "
        "where study_id = 'stock_reports' and factor = 'stock' group by level"
    )
    levels, counts = zip(*counted, strict=True)
    assert len(levels) == 6
    assert set(counts) == {
        stocks.value("select count(distinct root_prompt_id) from prompts where study_id = 'stock_reports'")
    }


def test_the_tone_of_a_report_is_in_raw_means_and_not_in_calibrated_ones(stocks):
    raw, calibrated = (dict(stocks.rows(MEANS, calibration)) for calibration in ("raw", "calibrated"))
    assert set(raw) == set(calibrated) == {"bad", "ok", "excellent"}
    assert raw["bad"] < -0.2 < 0.2 < raw["excellent"]
    assert max(abs(value) for value in calibrated.values()) < 0.1
