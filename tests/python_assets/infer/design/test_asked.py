"""tests/python_assets/infer/test_asked.py - mirrors python_assets/infer/asked.py, from study to rows."""

import numpy as np
import pytest

from python_assets.infer.run import infer_study
from python_assets.study.statistics import Statistics
from tests.python_assets.infer.test_run import analysis, numbers, rows


def test_statistics_that_are_no_means_have_p_and_intervals_of_their_own(study):
    x = numbers(12)
    connection = study.add("sentiment", x, baseline=x + numbers(12, seed=3)).ask("variance", "correlation")
    connection = connection.write()
    infer_study(connection, analysis(requested_contrasts=("variance_difference",)))
    found = rows(connection, "disparities", "metric = 'range'").set_index("statistic")
    assert set(found.index) == {"mean", "variance", "correlation"}
    assert found.p_value.notna().all()
    assert np.isnan(found.ci_low["variance"])
    assert found.inference_reason["variance"] == "interval_not_validated"
    assert found.value_cells["variance"] == pytest.approx(np.ptp(x.var(axis=0, ddof=1)))
    summary = rows(connection, "summary_statistics", "statistic = 'variance'")
    assert (summary.ci_low < x.var(axis=0, ddof=1)).all()
    assert (summary.ci_high > x.var(axis=0, ddof=1)).all()
    differences = rows(connection, "contrasts", "contrast = 'variance_difference'")
    assert len(differences) == 3
    assert differences.p_value.notna().all()


def test_every_statistic_that_can_be_asked_for_has_p_and_intervals(study):
    x = numbers(12)
    options = {
        **dict.fromkeys(("median", "range", "mode", "quantile_range", "percentile_range"), {}),
        "quantile": [{"q": 0.9}, {"q": 0.1}],
        "percentile": {"p": 10},
        "correlation": [{"method": "spearman"}, {"method": "kendall"}],
        "kl_divergence": {"bins": 4},
    }
    connection = study.add("sentiment", x, baseline=x + numbers(12, seed=3)).ask(Statistics(**options)).write()
    infer_study(connection, analysis())
    found = rows(connection, "disparities", "metric in ('range', 'dixon_low')")
    assert len(found) == 2 * (1 + 11)
    of_pairs = found.parameters == "method=kendall"  # whose draws would each take pairs of rows
    assert set(found.inference_reason[of_pairs]) == {"scheme_not_available"}
    assert found.p_value.isna().equals(of_pairs)
    values = found[found.metric == "range"].set_index(["statistic", "parameters"]).value_cells
    assert values["quantile", "q=0.9"] == pytest.approx(np.ptp(np.quantile(x, 0.9, axis=0)))
    assert values["range", ""] == pytest.approx(np.ptp(np.ptp(x, axis=0)))
    of_groups = rows(connection, "summary_statistics")
    is_range = of_groups.statistic == "range"
    assert (of_groups.inference_reason[is_range] == "interval_not_validated").all()
    assert of_groups.ci_low[~is_range].notna().all()
    differences = rows(connection, "contrasts", "contrast <> 'mean_difference'")
    assert len(differences) == 3 * 11
    of_quantile = differences[differences.parameters == "q=0.1"].set_index("group_id").value_cells
    quantiles = np.quantile(x, 0.1, axis=0)
    assert of_quantile["g0"] == pytest.approx(quantiles[0] - quantiles[1:].mean())


def test_normalised_statistics_are_those_of_the_scaled_values(study):
    x = numbers(12)
    asked = Statistics(mean={"normalise": "before"}, variance=[{"normalise": "before"}, {"normalise": "after"}])
    connection = study.add("sentiment", x, baseline=x + 1).ask(asked).write()
    connection.execute(
        "create or replace table intermediate.int_outcomes as "
        "select 'small' as study_id, 0 as outcome_position, "
        "'model' as system_id, 'sentiment' as measure_id, 'raw' as calibration"
    )
    connection.execute(
        "create table intermediate.int_normal_scales as select 'small' as study_id, 'all' as slice_id, "
        "0 as outcome_position, 'system' as normalise_over, ? as centre, ? as spread",
        [x.mean(), x.std(ddof=1)],
    )
    infer_study(connection, analysis())
    scaled = np.clip(0.5 + 0.25 * (x - x.mean()) / x.std(ddof=1), 0, 1)
    found = rows(connection, "disparities", "metric = 'range'").set_index(["statistic", "parameters"])
    assert set(found.index) == {
        ("mean", ""),
        ("mean", "normalise=before;over=system"),
        ("variance", "normalise=before;over=system"),
    }
    values = found.value_cells.xs("normalise=before;over=system", level="parameters")
    assert values["mean"] == pytest.approx(np.ptp(scaled.mean(axis=0)))
    assert values["variance"] == pytest.approx(np.ptp(scaled.var(axis=0, ddof=1)))
    assert found.p_value.notna().all()


def test_the_probability_of_less_than_four_fifths_is_that_of_resampled_prompts(study):
    rng = np.random.default_rng(5)
    x = (rng.random((30, 3, 4)) < np.array([0.5, 0.6, 0.65])[:, None]).astype(float)
    connection = study.add("refusal", x, kind="binary").write()
    infer_study(connection, analysis())
    found = rows(connection, "disparities", "metric = 'impact_ratio_below_four_fifths'").iloc[0]
    rates = x.mean(axis=2)
    drawn = np.array([rates[rng.integers(0, 30, 30)].mean(axis=0) for _ in range(4_000)])
    expected = (drawn.min(axis=1) < 0.8 * drawn.max(axis=1)).mean()
    assert 0.1 < expected < 0.9
    assert found.value_cells == pytest.approx(expected, abs=0.05)
    assert np.isnan([found.p_value, found.ci_low]).all()
    assert found.verdict is None
