"""tests/python_assets/infer/test_rates.py - mirrors python_assets/infer/rates.py."""

import numpy as np
import pytest
from scipy import stats

from python_assets.infer.comparison import compare_rates
from python_assets.infer.rates import rate_pair
from python_assets.infer.reference import Against, Reference
from tests.python_assets.infer import written_out


def contrasts(task, y, margin=np.nan):
    margins = dict.fromkeys(("risk_difference", "log_disparity"), np.full(y.shape[1], margin))
    return compare_rates(task, y, margins).contrasts


GRAND_MEAN = Reference(Against.GRAND_MEAN)


def score_z(a, c, p):
    """Cluster score z written out for one pair of rates."""
    n = len(a)
    v = [x.var(ddof=1) / n / (x.mean() * (1 - x.mean())) * p * (1 - p) for x in (a, c)]
    rho = np.corrcoef(a, c)[0, 1]
    return (a.mean() - c.mean()) / np.sqrt(v[0] + v[1] - 2 * rho * np.sqrt(v[0] * v[1]))


def test_score_z_is_its_definition(build):
    y = (np.random.default_rng(1).random((9, 4)) < 0.4).astype(float)
    _, z = rate_pair(build(y, n_permutations=1)[0].sides, y.reshape(-1, 1))
    rest = (y.sum(axis=1) - y[:, 2]) / 3
    assert z[0, 2] == pytest.approx(score_z(y[:, 2], rest, y.mean()), abs=1e-10)


def test_p_is_that_of_every_arrangement_written_out(build):
    y = (np.random.default_rng(2).random((6, 2)) < 0.5).astype(float)
    y[:, 0] = [1, 1, 1, 0, 1, 1]
    task, z = build(y)
    signs = np.array(np.meshgrid(*[[False, True]] * 6)).reshape(6, -1).T
    swapped = np.where(signs[:, :, None], y[None, :, ::-1], y)
    pairs = np.array([rate_pair(task.sides, s.reshape(-1, 1))[1][0, 0] for s in swapped])
    observed = rate_pair(task.sides, z)[1][0, 0]
    expected = (np.abs(pairs) >= abs(observed) - 1e-9).mean()
    assert contrasts(task, z)["risk_difference"].p_value[0, 0] == pytest.approx(expected, abs=1e-12)


def test_both_contrasts_of_a_rate_share_their_p(build):
    y = (np.random.default_rng(3).random((12, 3)) < 0.4).astype(float)
    result = contrasts(*build(y, n_permutations=499))
    assert (result["risk_difference"].p_value == result["log_disparity"].p_value).all()


def test_a_rate_of_zero_has_no_log_disparity_but_a_one_sided_interval(build):
    y = (np.random.default_rng(4).random((12, 3)) < 0.5).astype(float)
    y[:, 0] = 0
    result = contrasts(*build(y, n_permutations=499))
    log, risk = result["log_disparity"], result["risk_difference"]
    assert np.isnan([log.value[0, 0], log.ci_low[0, 0], log.std_error[0, 0]]).all()
    assert np.isfinite([log.ci_high[0, 0], log.p_value[0, 0], risk.ci_low[0, 0], risk.ci_high[0, 0]]).all()
    assert log.reason[0, 0] == "unbounded"
    assert risk.reason[0, 0] is None


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_rates_that_are_all_equal_have_p_1(build, rate):
    result = contrasts(*build(np.full((8, 3), rate), n_permutations=99))
    assert (result["risk_difference"].p_value == 1).all()
    assert (result["risk_difference"].value == 0).all()
    assert (result["log_disparity"].reason == "unbounded").all()
    assert np.isnan(result["log_disparity"].null_median).all()


def test_group_at_one_and_rest_at_zero_is_as_extreme_as_can_be(build):
    y = np.zeros((8, 3))
    y[:, 0] = 1
    risk = contrasts(*build(y, n_permutations=999))["risk_difference"]
    assert risk.p_value[0, 0] == 1 / 1_000
    assert 0 < risk.ci_low[0, 0] < 1
    assert risk.ci_high[0, 0] == 1


def test_score_t_stands_in_under_the_floor(build):
    y = np.array([[1, 0], [1, 0], [1, 1], [0, 0], [1, 0]], dtype=float)
    task, z = build(y)
    risk = contrasts(task, z)["risk_difference"]
    score = rate_pair(task.sides, z)[1][0, 0]
    assert risk.reason[0, 0] == "p_floor"
    assert risk.p_value[0, 0] == pytest.approx(2 * stats.t.sf(abs(score), 4))
    assert risk.method[0, 0].startswith("score t (smallest permutation p 0.0625)")


def test_margin_p_is_the_level_at_which_the_one_sided_limit_reaches_the_margin(build):
    y = (np.random.default_rng(5).random((30, 3)) < [0.8, 0.3, 0.3]).astype(float)
    task, z = build(y, n_permutations=9)
    p = contrasts(task, z, margin=0.1)["risk_difference"].p_margin[0, 0]
    at_level = contrasts(task._replace(alpha=2 * p), z)["risk_difference"]
    assert at_level.ci_low[0, 0] == pytest.approx(0.1, abs=1e-8)


def test_equivalence_p_is_the_level_at_which_both_limits_are_inside(build):
    y = (np.random.default_rng(6).random((60, 3)) < 0.3).astype(float)
    task, z = build(y, n_permutations=9)
    p = contrasts(task, z, margin=0.3)["risk_difference"].p_equivalence[0, 0]
    at_level = contrasts(task._replace(alpha=2 * p), z)["risk_difference"]
    reach = max(abs(at_level.ci_low[0, 0]), at_level.ci_high[0, 0])
    assert reach == pytest.approx(0.3, abs=1e-8)


@pytest.mark.parametrize("is_complete", [True, False])
@pytest.mark.parametrize("levels", [2, 4])  # 0 and 1, or rates of three replicates
@pytest.mark.parametrize("root", [np.arange(8), np.repeat(np.arange(4), 2)])
@pytest.mark.parametrize("reference", [Reference(), GRAND_MEAN])
def test_step_down_and_p_are_those_written_out(build, reference, root, levels, is_complete):
    rng = np.random.default_rng(9)
    y = rng.integers(levels, size=(8, 4)) / (levels - 1)
    if not is_complete:
        y = np.where(rng.random((8, 4)) < 0.2, np.nan, y)
    task, z = build(y, n_permutations=60, root_of_block=root)
    result = contrasts(task._replace(reference=reference), z)["risk_difference"]
    design = task.design
    holds = np.zeros((4, len(design.block_size)), dtype=bool)
    holds[design.group, design.block] = True

    def zs(table):
        made = []
        for group in range(4):
            a, c = written_out.sides(table, design.root_of_block, group, None, reference.against).T
            inverse = [
                np.mean(1 / (design.block_size - (reference.against is Against.REST))[b])
                for b in (np.flatnonzero(holds[group] & (design.root_of_block == r)) for r in range(8))
                if len(b)
            ]
            made.append(abs(written_out.score_z(a, c, np.nanmean(table[holds[group]]), np.mean(inverse))))
        return np.array(made)

    drawn = np.array([zs(one) for one in written_out.tables(task, z)])
    alone, stepped = written_out.step_down(zs(written_out.observed(task, z)), drawn)
    assert result.p_value[0] == pytest.approx((alone + 1) / 61, abs=1e-12)
    assert result.p_maxt[0] == pytest.approx((stepped + 1) / 61, abs=1e-12)


def test_grand_mean_is_the_mean_rate_of_the_prompt(build):
    y = (np.random.default_rng(10).random((20, 4)) < [0.3, 0.4, 0.5, 0.9]).astype(float)
    task, z = build(y, n_permutations=199)
    grand = contrasts(task._replace(reference=GRAND_MEAN), z)
    rest = contrasts(task, z)
    assert grand["risk_difference"].value[0] == pytest.approx(y.mean(axis=0) - y.mean(), abs=1e-12)
    assert grand["risk_difference"].sd == pytest.approx(rest["risk_difference"].sd * 3 / 4)
    logit = np.log(y.mean(axis=0) / (1 - y.mean(axis=0))) - np.log(y.mean() / (1 - y.mean()))
    assert grand["log_disparity"].value[0] == pytest.approx(logit, abs=1e-12)
    assert (grand["log_disparity"].p_value == grand["risk_difference"].p_value).all()
    assert (grand["log_disparity"].p_maxt == grand["risk_difference"].p_maxt).all()


def test_interval_of_a_rate_against_the_grand_mean_covers_no_difference(build):
    rng = np.random.default_rng(11)
    y = (rng.random((10, 3, 800)) < 0.3).astype(float)
    task, z = build(y, n_permutations=1)
    risk = contrasts(task._replace(reference=GRAND_MEAN), z)["risk_difference"]
    assert ((risk.ci_low[:, 0] <= 0) & (risk.ci_high[:, 0] >= 0)).mean() > 0.9


def test_false_positive_rate_of_rates_stays_under_nominal_and_is_not_dead(build):
    rng = np.random.default_rng(7)
    latent = np.sqrt(0.4) * rng.normal(size=(30, 1, 600)) + np.sqrt(0.6) * rng.normal(size=(30, 5, 600))
    y = (latent < stats.norm.ppf(0.2)).astype(float)
    p = contrasts(*build(y, n_permutations=299))["risk_difference"].p_value[:, 0]
    assert 0.02 * 600 <= (p <= 0.05).sum() <= stats.binom.interval(0.999, 600, 0.05)[1]


def test_interval_of_a_rare_rate_covers_no_difference(build):
    rng = np.random.default_rng(8)
    y = (rng.random((10, 5, 800)) < 0.1).astype(float)
    result = contrasts(*build(y, n_permutations=1))
    for name in ("risk_difference", "log_disparity"):
        low, high = (np.nan_to_num(side[:, 0], nan=0) for side in (result[name].ci_low, result[name].ci_high))
        assert ((low <= 0) & (high >= 0)).mean() > 0.9  # .91 to .95 in the design's table
