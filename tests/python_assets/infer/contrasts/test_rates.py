"""tests/python_assets/infer/test_rates.py - mirrors python_assets/infer/rates.py."""

import numpy as np
import pytest
from scipy import stats

from python_assets.infer.contrasts.compare import compare_values
from python_assets.infer.contrasts.rates import rate_pair
from python_assets.infer.options import Reference
from python_assets.study.base import Against
from tests.python_assets.infer import written_out


def contrasts(scheme, y, margin=np.nan):
    margins = dict.fromkeys(("risk_difference", "log_disparity"), np.full(y.shape[1], margin))
    return compare_values(scheme, y, margins, is_rate=True, with_log=True).contrasts


GRAND_MEAN = Reference(Against.GRAND_MEAN)


def score_z(a, c, p):
    """Cluster score z written out for one pair of rates."""
    n = len(a)
    v = [x.var(ddof=1) / n / (x.mean() * (1 - x.mean())) * p * (1 - p) for x in (a, c)]
    rho = np.corrcoef(a, c)[0, 1]
    return (a.mean() - c.mean()) / np.sqrt(v[0] + v[1] - 2 * rho * np.sqrt(v[0] * v[1]))


def test_score_z_is_its_definition(build):
    y = (np.random.default_rng(1).random((9, 4)) < 0.4).astype(float)
    _, z = rate_pair(build(y, n_permutations=1)[0].contrast, y.reshape(-1, 1))
    rest = (y.sum(axis=1) - y[:, 2]) / 3
    assert z[0, 2] == pytest.approx(score_z(y[:, 2], rest, y.mean()), abs=1e-10)


def test_p_is_that_of_every_arrangement_written_out(build):
    y = (np.random.default_rng(2).random((6, 2)) < 0.5).astype(float)
    y[:, 0] = [1, 1, 1, 0, 1, 1]
    scheme, z = build(y)
    signs = np.array(np.meshgrid(*[[False, True]] * 6)).reshape(6, -1).T
    swapped = np.where(signs[:, :, None], y[None, :, ::-1], y)
    pairs = np.array([rate_pair(scheme.contrast, s.reshape(-1, 1))[1][0, 0] for s in swapped])
    observed = rate_pair(scheme.contrast, z)[1][0, 0]
    expected = (np.abs(pairs) >= abs(observed) - 1e-9).mean()
    assert contrasts(scheme, z)["risk_difference"].p_value[0, 0] == pytest.approx(expected, abs=1e-12)


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
    scheme, z = build(y)
    risk = contrasts(scheme, z)["risk_difference"]
    score = rate_pair(scheme.contrast, z)[1][0, 0]
    assert risk.reason[0, 0] == "p_floor"
    assert risk.p_value[0, 0] == pytest.approx(2 * stats.t.sf(abs(score), 4))
    assert risk.method[0, 0].startswith("score t (smallest permutation p 0.0625)")


def test_margin_p_is_the_level_at_which_the_one_sided_limit_reaches_the_margin(build):
    y = (np.random.default_rng(5).random((30, 3)) < [0.8, 0.3, 0.3]).astype(float)
    scheme, z = build(y, n_permutations=9)
    p = contrasts(scheme, z, margin=0.1)["risk_difference"].p_margin[0, 0]
    at_level = contrasts(scheme._replace(alpha=2 * p), z)["risk_difference"]
    assert at_level.ci_low[0, 0] == pytest.approx(0.1, abs=1e-8)


def test_equivalence_p_is_the_level_at_which_both_limits_are_inside(build):
    y = (np.random.default_rng(6).random((60, 3)) < 0.3).astype(float)
    scheme, z = build(y, n_permutations=9)
    p = contrasts(scheme, z, margin=0.3)["risk_difference"].p_equivalence[0, 0]
    at_level = contrasts(scheme._replace(alpha=2 * p), z)["risk_difference"]
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
    scheme, z = build(y, n_permutations=60, root_of_block=root)
    result = contrasts(scheme._replace(reference=reference), z)["risk_difference"]
    design = scheme.design
    holds = np.zeros((4, len(design.block_size)), dtype=bool)
    holds[design.group, design.block] = True

    def zs(table):
        made = []
        for group in range(4):  # also a grand mean is tested by the rest
            a, c = written_out.sides(table, design.root_of_block, group, None, Against.REST).T
            inverse = [
                np.mean(1 / (design.block_size - 1)[b])
                for b in (np.flatnonzero(holds[group] & (design.root_of_block == r)) for r in range(8))
                if len(b)
            ]
            made.append(abs(written_out.score_z(a, c, np.nanmean(table[holds[group]]), np.mean(inverse))))
        return np.array(made)

    drawn = np.array([zs(one) for one in written_out.tables(scheme, z)])
    alone, stepped = written_out.step_down(zs(written_out.observed(scheme, z)), drawn)
    assert result.p_value[0] == pytest.approx((alone + 1) / 61, abs=1e-12)
    assert result.p_maxt[0] == pytest.approx((stepped + 1) / 61, abs=1e-12)


def test_grand_mean_is_the_mean_rate_of_the_prompt(build):
    y = (np.random.default_rng(10).random((20, 4)) < [0.3, 0.4, 0.5, 0.9]).astype(float)
    scheme, z = build(y, n_permutations=199)
    grand = contrasts(scheme._replace(reference=GRAND_MEAN), z)
    rest = contrasts(scheme, z)
    assert grand["risk_difference"].value[0] == pytest.approx(y.mean(axis=0) - y.mean(), abs=1e-12)
    assert grand["risk_difference"].sd == pytest.approx(rest["risk_difference"].sd * 3 / 4)
    logit = np.log(y.mean(axis=0) / (1 - y.mean(axis=0))) - np.log(y.mean() / (1 - y.mean()))
    assert grand["log_disparity"].value[0] == pytest.approx(logit, abs=1e-12)
    assert (grand["log_disparity"].p_value == grand["risk_difference"].p_value).all()
    assert (grand["log_disparity"].p_maxt == grand["risk_difference"].p_maxt).all()


def test_grand_mean_of_complete_blocks_is_the_rest_shrunk(build):
    y = (np.random.default_rng(12).random((12, 3)) < [0.2, 0.4, 0.8]).astype(float)
    scheme, z = build(y, n_permutations=199)
    grand = contrasts(scheme._replace(reference=GRAND_MEAN), z, 0.1)["risk_difference"]
    rest = contrasts(scheme, z, 0.15)["risk_difference"]
    for name in ("value", "std_error", "ci_low", "ci_high", "null_median", "null_q95", "sd"):
        assert getattr(grand, name) == pytest.approx(getattr(rest, name) * 2 / 3, abs=1e-12)
    for name in ("p_value", "p_maxt", "p_margin", "p_equivalence"):
        assert getattr(grand, name) == pytest.approx(getattr(rest, name), abs=1e-12)


def test_mirrored_groups_agree_about_the_grand_mean(build):
    y = (np.random.default_rng(13).random((10, 2)) < [0.1, 0.4]).astype(float)
    scheme, z = build(y, n_permutations=199)
    result = contrasts(scheme._replace(reference=GRAND_MEAN), z, 0.1)
    risk = result["risk_difference"]
    assert risk.ci_low[0, 0] == pytest.approx(-risk.ci_high[0, 1], abs=1e-12)
    assert risk.ci_high[0, 0] == pytest.approx(-risk.ci_low[0, 1], abs=1e-12)
    for name in ("p_value", "p_margin", "p_equivalence", "std_error", "null_q95"):
        own, mirror = getattr(risk, name)[0]
        assert own == pytest.approx(mirror, abs=1e-12)
    assert result["log_disparity"].p_value[0, 0] == result["log_disparity"].p_value[0, 1]


def test_incomplete_blocks_keep_their_own_difference_from_the_grand_mean(build):
    y = (np.random.default_rng(14).random((10, 3)) < [0.2, 0.5, 0.7]).astype(float)
    y[[0, 4], 2] = np.nan
    scheme, z = build(y, n_permutations=199)
    grand, rest = (contrasts(scheme._replace(reference=r), z)["risk_difference"] for r in (GRAND_MEAN, Reference()))
    own = y[:, 0] - np.nanmean(y, axis=1)
    assert grand.value[0, 0] == pytest.approx(own.mean(), abs=1e-12)
    assert grand.std_error[0, 0] == pytest.approx(own.std(ddof=1) / np.sqrt(10), abs=1e-12)
    share = (8 * 2 / 3 + 2 * 1 / 2) / 10
    for name in ("ci_low", "ci_high"):
        far = getattr(rest, name) - rest.value
        assert getattr(grand, name)[0, 0] == pytest.approx(own.mean() + share * far[0, 0], abs=1e-12)
    assert (grand.p_value == rest.p_value).all()
    # a noise floor is the one of z, in the unit that makes the observed z the observed difference
    assert grand.null_q95[0, 0] == pytest.approx(rest.null_q95[0, 0] * own.mean() / rest.value[0, 0], abs=1e-12)


def test_no_interval_of_a_log_disparity_from_the_grand_mean(build, snapshot):
    y = (np.random.default_rng(15).random((12, 3)) < [0.3, 0.5, 0.5]).astype(float)
    y[:, 2] = 0
    scheme, z = build(y, n_permutations=199)
    log = contrasts(scheme._replace(reference=GRAND_MEAN), z, 0.1)["log_disparity"]
    assert np.isnan([log.ci_low, log.ci_high, log.p_margin, log.p_equivalence]).all()
    assert np.isfinite(log.p_value).all()
    assert log.reason[0].tolist() == ["interval_not_validated"] * 2 + ["unbounded"]
    assert log.method[0, 0] == snapshot
    few, z = build(y[:5, :2])
    log = contrasts(few._replace(reference=GRAND_MEAN), z)["log_disparity"]
    assert set(log.reason[0]) == {"p_floor"}


@pytest.mark.parametrize("n_prompts", [9, 10])
def test_the_interval_of_a_log_disparity_is_significant_approximate_under_ten_root_prompts(build, n_prompts, snapshot):
    y = np.array([np.roll(np.arange(n_prompts) % 2, group) for group in range(3)], dtype=float).T
    y[0] = 1
    y[1] = 0
    log = contrasts(*build(y, n_permutations=199))["log_disparity"]
    assert set(log.method[0]) == snapshot


def test_interval_and_margin_of_the_grand_mean_hold_what_they_promise(build):
    """Two groups, 10 root prompts: MOVER of a group and a mean that holds it would cover .83."""
    rng = np.random.default_rng(11)
    y = (rng.random((10, 2, 1_500)) < np.array([0.1, 0.25])[:, None]).astype(float)
    scheme, z = build(y, n_permutations=1)
    risk = contrasts(scheme._replace(reference=GRAND_MEAN), z, margin=0.075)["risk_difference"]
    for group, truth in enumerate([-0.075, 0.075]):
        assert ((risk.ci_low[:, group] <= truth) & (risk.ci_high[:, group] >= truth)).mean() > 0.94
    assert ((risk.p_margin <= 0.05).mean(axis=0) < 0.06).all()


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


def test_events_that_all_fall_on_one_root_prompt_leave_the_interval_wide(build):
    y = np.zeros((24, 6))
    y[3, [0, 2]] = 1  # of the group one event, of the others one, on the same root prompt
    result = contrasts(*build(y, n_permutations=499))
    risk, log = result["risk_difference"], result["log_disparity"]
    assert risk.ci_low[0, 0] < 0 < risk.ci_high[0, 0]
    assert log.ci_low[0, 0] < 0 < log.ci_high[0, 0]
    same = np.repeat((np.arange(24) < 3)[:, None], 2, axis=1)
    equal = contrasts(*build(same, n_permutations=499))["risk_difference"]
    assert equal.ci_low[0, 0] < 0 < equal.ci_high[0, 0]  # equal on every root prompt, yet not known for all
