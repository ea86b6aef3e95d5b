"""tests/python_assets/infer/test_pairs.py - mirrors python_assets/infer/pairs.py."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from python_assets.infer.contrasts.compare import compare_values
from python_assets.infer.formulas.skewed import Mean, limits
from python_assets.infer.options import Reference
from python_assets.infer.schemes.pair_contrast import pair_contrast
from python_assets.study.base import Against
from tests.promises import fewest, least, most
from tests.python_assets.infer import written_out

ALL_PAIRS = Reference(Against.ALL_PAIRS)


def contrasts(scheme, x, reference, name="mean_difference"):
    is_rate = name != "mean_difference"
    margins = dict.fromkeys(("mean_difference", "risk_difference", "log_disparity"), np.full(x.shape[1], 0.1))
    scheme = scheme._replace(reference=reference)
    return compare_values(scheme, x, margins, is_rate=is_rate, with_log=is_rate).contrasts[name]


def gaps(x, seed):
    """Leave out about a fifth of the cells."""
    return np.where(np.random.default_rng(seed).random(x.shape[:2]) < 0.2, np.nan, x)


@pytest.mark.parametrize("root", [np.arange(12), np.repeat(np.arange(4), 3)])
@pytest.mark.parametrize("reference", [Reference(Against.LEVEL, 1), ALL_PAIRS])
def test_pairs_in_incomplete_blocks_are_those_written_out(build, reference, root):
    x = gaps(np.random.default_rng(1).normal(size=(12, 4)), 2)
    scheme, z = build(x, n_permutations=200, root_of_block=root)
    result = contrasts(scheme, z, reference)
    rows = list(zip(*reference.rows(4), strict=True))

    def ts(table):
        return np.array(
            [
                abs(written_out.t(*written_out.sides(table, scheme.design.root_of_block, *row, Against.LEVEL).T))
                for row in rows
            ]
        )

    table = written_out.observed(scheme, z)
    drawn = np.array([ts(one) for one in written_out.tables(scheme, z)])
    alone, stepped = written_out.step_down(ts(table), drawn)
    assert result.p_value[0] == pytest.approx((alone + 1) / 201, abs=1e-12)
    assert result.p_maxt[0] == pytest.approx((stepped + 1) / 201, abs=1e-12)
    for row, (group, other) in enumerate(rows):
        a, c = written_out.sides(table, scheme.design.root_of_block, group, other, Against.LEVEL).T
        assert result.value[0, row] == pytest.approx((a - c).mean(), abs=1e-12)
        assert result.std_error[0, row] == pytest.approx(stats.sem(a - c), abs=1e-12)
        skewness = stats.skew(a - c, bias=False) if len(a) > 2 else np.nan
        mean = Mean(*np.array([[(a - c).mean()], [stats.sem(a - c)], [len(a) - 1.0], [skewness], [np.nan]]))
        low, high = limits(mean, 0.05)
        assert (result.ci_low[0, row], result.ci_high[0, row]) == pytest.approx((low[0], high[0]), abs=1e-9)
        of_t = stats.ttest_1samp(a - c, 0).confidence_interval()
        assert low[0] <= of_t.low + 1e-9 and high[0] >= of_t.high - 1e-9
        assert result.n_root_prompts[0, row] == len(a)


@pytest.mark.parametrize("root", [np.arange(9), np.repeat(np.arange(3), 3)])
def test_rates_of_pairs_are_those_written_out(build, root):
    y = gaps((np.random.default_rng(3).random((9, 3)) < 0.5).astype(float), 4)
    scheme, z = build(y, n_permutations=200, root_of_block=root)
    result = contrasts(scheme, z, ALL_PAIRS, "risk_difference")
    rows = list(zip(*ALL_PAIRS.rows(3), strict=True))

    def zs(table):
        made = []
        for row in rows:
            a, c = written_out.sides(table, scheme.design.root_of_block, *row, Against.LEVEL).T
            made.append(abs(written_out.score_z(a, c, (a.mean() + c.mean()) / 2, 1)))
        return np.array(made)

    drawn = np.array([zs(one) for one in written_out.tables(scheme, z)])
    alone, stepped = written_out.step_down(zs(written_out.observed(scheme, z)), drawn)
    assert result.p_value[0] == pytest.approx((alone + 1) / 201, abs=1e-12)
    assert result.p_maxt[0] == pytest.approx((stepped + 1) / 201, abs=1e-12)


def test_p_is_that_of_scipy_with_the_labels_of_all_groups_shuffled(build):
    x = np.random.default_rng(5).normal(size=(4, 3))
    result = contrasts(*build(x), Reference(Against.LEVEL, 0))
    for row, group in enumerate((1, 2)):
        columns = (x[:, group], x[:, 0], x[:, 3 - group])
        exact = stats.permutation_test(
            columns,
            lambda a, c, _: abs(written_out.t(a, c)),
            permutation_type="samples",
            alternative="greater",
            n_resamples=np.inf,
        )
        assert result.p_value[0, row] == pytest.approx(exact.pvalue, abs=1e-12)


def test_null_is_that_of_every_arrangement(build):
    x = np.random.default_rng(6).normal(size=(3, 3))
    scheme, z = build(x)
    result = contrasts(scheme, z, Reference(Against.LEVEL, 2))
    null = [abs(written_out.t(table[:, 0], table[:, 2])) for table in written_out.tables(scheme, z)]
    error = result.std_error[0, 0]
    assert result.null_median[0, 0] == pytest.approx(error * np.median(null), abs=1e-12)
    assert result.null_q95[0, 0] == pytest.approx(error * np.quantile(null, 0.95), abs=1e-12)


def test_two_groups_are_compared_as_with_the_rest(build):
    x = np.random.default_rng(7).normal(size=(9, 2))
    scheme, z = build(x, n_permutations=199)
    rest, level = (contrasts(scheme, z, reference) for reference in (Reference(), Reference(Against.LEVEL, 1)))
    for field in ("value", "std_error", "ci_low", "p_value", "p_maxt", "null_q95", "p_margin"):
        assert getattr(level, field)[0, 0] == pytest.approx(getattr(rest, field)[0, 0], abs=1e-12)
    assert level.reason[0, 0] is None


def test_a_level_has_the_rows_of_all_pairs(build):
    y = (np.random.default_rng(8).random((20, 4)) < [0.2, 0.4, 0.5, 0.8]).astype(float)
    scheme, z = build(y, n_permutations=199)
    for name in ("mean_difference", "risk_difference", "log_disparity"):
        level, pairs = (contrasts(scheme, z, r, name) for r in (Reference(Against.LEVEL, 2), ALL_PAIRS))
        group, other = ALL_PAIRS.rows(4)
        for field in ("value", "std_error", "ci_low", "ci_high", "p_value", "null_median", "sd", "p_margin"):
            same = getattr(pairs, field)[0, other == 2]
            assert getattr(level, field)[0] == pytest.approx(same, abs=1e-12)


def test_pairs_mirror_each_other(build):
    x = np.random.default_rng(9).normal(size=(12, 4, 2))
    result = contrasts(*build(x, n_permutations=199), ALL_PAIRS)
    group, other = ALL_PAIRS.rows(4)
    mirror = [int(np.flatnonzero((group == o) & (other == g))[0]) for g, o in zip(group, other, strict=True)]
    assert result.value == pytest.approx(-result.value[:, mirror])
    assert result.ci_low == pytest.approx(-result.ci_high[:, mirror])
    assert (result.p_maxt == result.p_maxt[:, mirror]).all()
    first = x[:, 0] - x[:, 1]
    assert result.value[:, 0] == pytest.approx(first.mean(axis=0))


def test_smallest_p_is_that_of_an_enumeration(build):
    x = np.array([[0, 0.2, 1], [0, 0.5, 1], [0, 0.9, 1]])  # only 0 against 1 everywhere has no error
    scheme, z = build(x)
    sides = pair_contrast(scheme.design, ALL_PAIRS)
    assert sides.rows.smallest_p == pytest.approx([2 / 6**3] * 3)
    assert contrasts(scheme, z, ALL_PAIRS).p_value[0, 1] == pytest.approx(2 / 6**3)


def test_floor_counts_the_tests_that_are_no_mirror(build):
    two = np.random.default_rng(10).normal(size=(5, 2))
    assert (contrasts(*build(two), ALL_PAIRS).reason == "p_floor").all()  # 2 / 32 > .05
    six = np.random.default_rng(10).normal(size=(6, 2))
    assert (contrasts(*build(six), ALL_PAIRS).reason == None).all()  # noqa: E711
    shared = np.random.default_rng(11).normal(size=(12, 3))
    shared[5:, 2] = np.nan  # 5 blocks of three, 7 of two
    result = contrasts(*build(shared, n_permutations=99), ALL_PAIRS)
    assert [reason is None for reason in result.reason[0]] == [True] * 6


def test_floored_pairs_take_all_pairs_to_t(build):
    x = np.random.default_rng(12).normal(size=(4, 3))  # 2 / 6^4 is the smallest p of a pair
    drawn = contrasts(*build(x, alpha=0.01), ALL_PAIRS)
    assert set(drawn.reason[0]) == {None}
    result = contrasts(*build(x, alpha=0.004), ALL_PAIRS)
    assert set(result.reason[0]) == {"p_floor"}
    rows = list(zip(*ALL_PAIRS.rows(3), strict=True))
    t_p = [stats.ttest_1samp(x[:, g] - x[:, o], 0).pvalue for g, o in rows]
    assert result.p_value[0] == pytest.approx(t_p, abs=1e-12)
    one_way = [row for row, (g, o) in enumerate(rows) if g < o]  # the mirror of a pair is no other test
    of_holm = multipletests(np.array(t_p)[one_way], method="holm")[1]
    assert result.p_maxt[0, one_way] == pytest.approx(of_holm, abs=1e-12)
    assert result.p_hypothesis[0] == pytest.approx([of_holm.min()] * 6, abs=1e-12)


def test_a_pair_on_few_prompts_takes_no_part_in_the_hypothesis_of_others(build):
    x = np.random.default_rng(12).normal(size=(12, 3))
    x[:9, 2] = np.nan
    result = contrasts(*build(x, n_permutations=99), Reference(Against.LEVEL, 0))
    assert result.reason[0].tolist() == [None, "few_beside_others"]
    assert np.isnan([result.p_value[0, 1], result.p_maxt[0, 1]]).all()
    assert result.p_maxt[0, 0] == result.p_value[0, 0] == result.p_hypothesis[0, 0]
    assert np.isfinite(result.ci_low[0, 1])


def test_groups_that_share_no_block_are_named(build):
    x = np.random.default_rng(13).normal(size=(14, 3))
    x[:7, 2], x[7:, 0] = np.nan, np.nan
    result = contrasts(*build(x, n_permutations=99), ALL_PAIRS)
    group, other = ALL_PAIRS.rows(3)
    apart = group + other == 2
    assert (result.reason[0, apart] == "no_shared_block").all()
    assert np.isnan(result.value[0, apart]).all()
    assert np.isnan(result.p_maxt[0, apart]).all()
    assert np.isfinite(result.p_maxt[0, ~apart]).all()
    assert (result.n_root_prompts[0] == np.where(apart, 0, 7)).all()


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_equal_values_have_no_difference_between_any_pair(build, value):
    y = np.full((8, 3), value)
    for name in ("mean_difference", "risk_difference"):
        result = contrasts(*build(y, n_permutations=99), ALL_PAIRS, name)
        assert (result.value == 0).all()
        assert (result.p_value == 1).all()
        assert (result.p_maxt == 1).all()


def test_offset_of_a_root_prompt_changes_no_pair(build):
    x = np.random.default_rng(14).normal(size=(12, 3))
    a, b = (contrasts(*build(z, n_permutations=199), ALL_PAIRS) for z in (x, x + 1e3 * np.arange(12)[:, None]))
    assert (a.p_value == b.p_value).all()
    assert (a.p_maxt == b.p_maxt).all()
    assert b.value == pytest.approx(a.value, abs=1e-9)


def test_family_wise_error_of_all_pairs_is_nominal_and_a_shifted_group_is_found(build):
    rng, n_sets = np.random.default_rng(15), fewest()
    x = rng.normal(size=(15, 1, n_sets)) + rng.exponential(size=(15, 4, n_sets))
    null = contrasts(*build(x, n_permutations=199), ALL_PAIRS)
    false = (null.p_maxt.min(axis=1) <= 0.05).sum()
    assert false <= most(n_sets)
    assert false >= least(n_sets, 0.02)
    x[:, 0] += 2
    shifted = contrasts(*build(x, n_permutations=199), ALL_PAIRS)
    is_first = np.logical_or(*(side == 0 for side in ALL_PAIRS.rows(4)))
    assert (shifted.p_maxt[:, is_first] <= 0.05).mean() > 0.8
    assert ((shifted.p_maxt[:, ~is_first] <= 0.05).any(axis=1)).sum() <= most(n_sets)


def test_a_third_group_with_three_times_the_spread_leaves_the_pairs_their_error_rate(build):
    x = np.random.default_rng(16).normal(size=(30, 4, 800))
    x[:, 3] *= 3
    p = contrasts(*build(x, n_permutations=299), ALL_PAIRS).p_value
    group, other = ALL_PAIRS.rows(4)
    for pair in ((0, 1), (0, 3)):
        row = int(np.flatnonzero((group == pair[0]) & (other == pair[1]))[0])
        low, high = stats.binom.interval(0.999, 800, 0.05)
        assert low <= (p[:, row] <= 0.05).sum() <= high


def test_number_of_cores_changes_no_digit_of_a_pair(build, monkeypatch):
    y = (np.random.default_rng(17).random((12, 3, 9)) < 0.4).astype(float)
    results = []
    for n_cores in (1, 4):
        monkeypatch.setenv("OMP_NUM_THREADS", str(n_cores))
        results.append(contrasts(*build(y, n_permutations=999), ALL_PAIRS, "log_disparity"))
    for field in ("value", "p_value", "p_maxt", "null_median", "null_q95"):
        one, four = (getattr(result, field) for result in results)
        assert np.array_equal(one, four, equal_nan=True)
