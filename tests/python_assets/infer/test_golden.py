"""tests/python_assets/infer/test_golden.py - cases with every arrangement enumerated by another program."""

import numpy as np
import pytest
from scipy import stats

from python_assets.infer.contrasts.compare import compare_values
from python_assets.infer.contrasts.means import mean_null
from python_assets.infer.contrasts.rates import rate_null, rate_pair
from python_assets.infer.formulas import interval
from python_assets.infer.formulas.multiplicity import benjamini_hochberg, hypothesis_levels

NO_MARGIN = {name: np.array([np.nan]) for name in ("mean_difference", "risk_difference", "log_disparity")}


def close(expected):
    return pytest.approx(expected, abs=1e-9)


def exact_p(scheme, x):
    return mean_null(scheme.contrast, x, scheme.draws).tested.p_value[0]


def test_complete_contrasts(golden, build):
    case = golden["complete_4x3"]
    scheme, x = build(case["x"])
    assert scheme.draws.n == case["arrangements"]
    result = compare_values(scheme, x, NO_MARGIN, is_rate=False).contrasts["mean_difference"]
    for group, expected in enumerate(case["contrast"]):
        assert result.value[0, group] == close(expected["value"])
        half = stats.t.isf(0.025, 3) * result.std_error[0, group]  # golden limits are of t alone
        assert (expected["ci_low"], expected["ci_high"]) == close((expected["value"] - half, expected["value"] + half))
        assert result.ci_low[0, group] <= expected["ci_low"] + 1e-9
        assert result.ci_high[0, group] >= expected["ci_high"] - 1e-9
        assert result.value[0, group] / result.std_error[0, group] == close(expected["t"])
        assert result.p_value[0, group] == close(expected["p_exact"])
    assert result.p_maxt[0] == close(case["maxT_step_down"])
    assert result.p_hypothesis[0] == close([12 / 1_296] * 3)  # inference.md 6.3
    assert set(result.scope[0]) == {"these prompts"}  # four root prompts


@pytest.mark.parametrize(
    ("metric", "name"), [("range", "range"), ("standard_deviation", "std"), ("max_abs_z", "max_abs_z")]
)
def test_complete_indices(golden, build, metric, name):
    case = golden["complete_4x3"]
    scheme, x = build(case["x"])
    test, expected = compare_values(scheme, x, NO_MARGIN, is_rate=False).indices[metric], case[name]
    assert test.p_value[0] == close(expected["p_exact"])
    assert test.null_median[0] == close(expected["median"])
    assert test.null_q95[0] == close(expected["q95"])
    value = expected["value"] if "value" in expected else case["index_intervals"][name]["value"]
    assert test.value[0] == close(value)


def test_rates(golden, build):
    case = golden["rates_5x3"]
    scheme, y = build(case["x"])
    assert scheme.draws.n == case["arrangements"]
    assert rate_pair(scheme.contrast, y)[1][0] == close(case["score_z"])
    result = compare_values(scheme, y, NO_MARGIN, is_rate=True, with_log=True).contrasts
    for group, expected in enumerate(case["groups"]):
        for name, key, value in (
            ("risk_difference", "diff", "value"),
            ("log_disparity", "log_disparity", "value_or_haldane_centre"),
        ):
            assert result[name].value[0, group] == close(expected[key][value])
            assert result[name].ci_low[0, group] == close(expected[key]["ci_low"])
            assert result[name].ci_high[0, group] == close(expected[key]["ci_high"])
            assert result[name].p_value[0, group] == close(case["p_exact"][group])
            assert result[name].p_maxt[0, group] == close(case["maxT_step_down"][group])


def test_score_t(golden, build):
    from scipy import stats

    case = golden["rates_5x3"]
    scheme, y = build(case["x"])
    z = rate_pair(scheme.contrast, y)[1][0]
    assert 2 * stats.t.sf(np.abs(z), 4) == close(case["p_score_t"])


def test_rate_intervals_of_one_group(golden, build):
    case = golden["rates_5x3"]
    scheme, y = build(case["x"], n_permutations=1)
    pair, _ = rate_pair(scheme.contrast, y)
    limits = interval.wilson(pair.p1, pair.inverse_n1, interval.t_quantile(np.array(5.0), 0.05))
    for group, expected in enumerate(case["groups"]):
        wilson = expected["rate_wilson"]
        assert 1 / pair.inverse_n1[0, group] == close(wilson["n_eff"])
        assert (limits.low[0, group], limits.high[0, group]) == close((wilson["ci_low"], wilson["ci_high"]))


def test_impact_ratio(golden, build):
    case = golden["rates_5x3"]
    test, expected = (
        compare_values(*build(case["x"]), NO_MARGIN, is_rate=True, with_log=True).indices["impact_ratio"],
        case["one_minus_impact_ratio"],
    )
    assert 1 - test.value[0] == close(expected["value"])
    assert test.p_value[0] == close(expected["p_exact"])
    assert 1 - test.null_median[0] == close(expected["median"])
    assert 1 - test.null_q95[0] == close(expected["q95"])


def test_rate_of_zero(golden, build):
    case = golden["rate_zero"]
    group, rest = np.array(case["group"]), np.array(case["rest"])
    n = len(group)
    correlation = np.zeros(1)  # the group's rate is constant
    pair = interval.RatePair(
        np.array([group.mean()]),
        interval.inverse_effective_n(np.array([group.mean()]), np.zeros(1), np.array(1 / n)),
        np.array([rest.mean()]),
        interval.inverse_effective_n(np.array([rest.mean()]), np.array([rest.var(ddof=1) / n]), np.ones(1)),
        correlation,
    )
    quantile = interval.t_quantile(np.array(float(n)), 0.05)
    one = interval.wilson(pair.p1, pair.inverse_n1, quantile)
    assert (one.low[0], one.high[0]) == close((case["rate_wilson"]["ci_low"], case["rate_wilson"]["ci_high"]))
    difference = interval.mover(pair, quantile)
    assert difference.low[0] == close(case["diff"]["ci_low"])
    assert difference.high[0] == close(case["diff"]["ci_high"])
    logit = interval.mover_logit(pair, quantile)
    assert logit.low[0] == -np.inf
    assert logit.high[0] == close(case["log_disparity"]["ci_high"])
    centre = interval.logit_centre(pair.p1, pair.inverse_n1) - interval.logit(pair.p2)
    assert centre[0] == close(case["log_disparity"]["value_or_haldane_centre"])


def test_incomplete_blocks(golden, build):
    case = golden["incomplete_4x4"]
    x = [[np.nan if value is None else value for value in row] for row in case["x_null_is_absent"]]
    scheme, z = build(x)
    assert scheme.draws.n == case["arrangements"]
    assert exact_p(scheme, z) == close(case["p_exact"])
    null = mean_null(scheme.contrast, z, scheme.draws).values[0]
    result = compare_values(scheme, z, NO_MARGIN, is_rate=False).contrasts["mean_difference"]
    assert result.value[0] == close(case["value"])
    assert result.value[0] / result.std_error[0] == close(case["t"])
    spread = np.ptp(result.value[0])
    assert spread == close(case["range_of_D_means"]["value"])
    assert (np.ptp(null, axis=0) >= spread - 1e-9).mean() == close(case["range_of_D_means"]["p_exact"])
    assert all("incomplete blocks" in method for method in result.method[0])


def test_floor(golden, build, snapshot):
    case = golden["floor_5x2"]
    scheme, x = build(case["x"])
    result = compare_values(scheme, x, NO_MARGIN, is_rate=False).contrasts["mean_difference"]
    assert exact_p(scheme, x)[0] == close(case["p_exact"])
    assert scheme.design.smallest_p()[0] == close(case["smallest_attainable_p"])
    assert result.value[0, 0] / result.std_error[0, 0] == close(case["t"])
    assert result.p_value[0, 0] == close(case["p_t"])
    assert result.method[0, 0] == snapshot
    assert result.reason[0, 0] == "p_floor"


def test_two_models_whose_labels_are_swapped_within_root_prompts(golden, build):
    case = golden["models_dm"]
    scheme, x = build(np.column_stack([case["dm_by_prompt_a"], case["dm_by_prompt_b"]]))
    assert scheme.draws.n == case["arrangements"]
    result = compare_values(scheme, x, NO_MARGIN, is_rate=False).contrasts["mean_difference"]
    assert result.value[0, 0] == close(case["value"])
    half = stats.t.isf(0.025, len(case["dm_by_prompt_a"]) - 1) * result.std_error[0, 0]
    assert (case["ci_low"], case["ci_high"]) == close((case["value"] - half, case["value"] + half))
    assert exact_p(scheme, x)[0] == close(case["p_exact_sign_flip"])


def test_false_discovery_rates(golden):
    case = golden["bh"]
    p = np.array(case["p"])
    assert benjamini_hochberg(p) == close(case["bh"])


def test_levels_of_hypotheses_and_of_their_groups(golden):
    case = golden["hypotheses"]
    p_group = np.concatenate(case["p_group"])
    hypothesis = np.repeat(np.arange(len(case["p_group"])), [len(p) for p in case["p_group"]])
    found = hypothesis_levels(np.array([min(p) for p in case["p_group"]]), p_group, hypothesis)
    assert found.of_hypothesis == close(case["q_hypothesis"])
    assert found.of_group == close(np.concatenate(case["q_group"]))
    assert (found.of_hypothesis <= 0.05).sum() == case["n_significant_at_05"]


def test_random_draws_are_within_their_error_of_the_enumeration(golden, build):
    for name in ("complete_4x3", "rates_5x3"):
        case = golden[name]
        scheme, x = build(case["x"], n_permutations=20_000)
        null = (mean_null if name == "complete_4x3" else rate_null)(scheme.contrast, x, scheme.draws)
        exact = np.array(case["p_exact"] if "p_exact" in case else [c["p_exact"] for c in case["contrast"]])
        drawn = null.tested.p_value[0]
        assert (np.abs(drawn - exact) <= 4.5 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4).all()
