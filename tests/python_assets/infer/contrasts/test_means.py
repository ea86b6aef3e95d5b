"""Differences of means on top of block_sides.py, against plain loops and scipy."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from python_assets.infer.contrasts.compare import compare_values, intervals
from python_assets.infer.design.design import Unit
from python_assets.infer.formulas import skewed
from python_assets.infer.options import Reference
from python_assets.study.base import Against
from tests.promises import fewest, least, most
from tests.python_assets.infer import written_out

N_SETS = fewest()
SKEWED = json.loads((Path(__file__).parents[1] / "formulas" / "skew_intervals_golden.json").read_text())["cases"]

GRAND_MEAN = Reference(Against.GRAND_MEAN)


def mean_difference(scheme, x, reference=Reference()):  # noqa: B008
    none = np.full(x.shape[1], np.nan)
    compared = compare_values(scheme._replace(reference=reference), x, {"mean_difference": none}, is_rate=False)
    return compared.contrasts["mean_difference"]


def t_of_first(*columns):
    """Studentised difference of the first group and the others, prompt by prompt."""
    d = columns[0] - np.mean(columns[1:], axis=0)
    with np.errstate(divide="ignore"):
        return abs(d.mean()) / (d.std(ddof=1) / np.sqrt(len(d)))


def test_p_is_that_of_scipy_over_all_arrangements(build):
    x = np.random.default_rng(1).normal(size=(4, 3))
    result = mean_difference(*build(x))
    for group in range(3):
        columns = np.roll(x, -group, axis=1).T
        exact = stats.permutation_test(
            tuple(columns), t_of_first, permutation_type="samples", alternative="greater", n_resamples=np.inf
        )
        assert result.p_value[0, group] == pytest.approx(exact.pvalue, abs=1e-12)


def test_random_draws_agree_with_all_arrangements(build):
    x = np.random.default_rng(2).normal(size=(5, 3))
    exact, drawn = mean_difference(*build(x)), mean_difference(*build(x, n_permutations=20_000))
    assert drawn.p_value == pytest.approx(exact.p_value, abs=4 * np.sqrt(0.25 / 20_000))
    assert drawn.null_q95 == pytest.approx(exact.null_q95, rel=0.02)


@pytest.mark.parametrize("name", SKEWED)
def test_intervals_and_margins_are_those_of_the_golden_file(build, name):
    case = SKEWED[name]
    scheme, x = build(case["x"], n_permutations=99)
    margin = {"mean_difference": np.array([case["margin"]])}
    result = compare_values(scheme, x, margin, is_rate=False).contrasts["mean_difference"]
    for field in ("value", "std_error", "skewness", "ci_low", "ci_high", "p_margin", "p_equivalence"):
        assert getattr(result, field)[0] == pytest.approx([row[field] for row in case["rows"]], abs=1e-9), field
    assert (result.reason[0] == "approximate").tolist() == [row["approximate"] for row in case["rows"]]
    selected = intervals(scheme, x, 0.01, is_rate=False)
    for side in ("low", "high"):
        expected = [row[f"ci_{side}"] for row in case["selected_at_alpha_01"]]
        assert getattr(selected, side)[0] == pytest.approx(expected, abs=1e-9)


def test_pairs_of_groups_go_by_their_own_skewness(build):
    x = np.random.default_rng(3).exponential(size=(8, 3))
    scheme, z = build(x, n_permutations=99)
    result = mean_difference(scheme, z, Reference(Against.ALL_PAIRS))
    d = x[:, 0] - x[:, 1]
    own = skewed.skewness(d, np.ones(8, dtype=bool), 0)
    mean = skewed.Mean(np.array(d.mean()), np.array(stats.sem(d)), np.array(7.0), own)
    assert (result.ci_low[0, 0], result.ci_high[0, 0]) == pytest.approx(tuple(skewed.limits(mean, 0.05)), abs=1e-12)
    mirror = Reference(Against.ALL_PAIRS).names(["a", "b", "c"]).index(("b", "a"))
    assert result.skewness[0, mirror] == pytest.approx(-own)
    assert (result.ci_low[0, mirror], result.ci_high[0, mirror]) == pytest.approx(
        (-result.ci_high[0, 0], -result.ci_low[0, 0])
    )


def test_rare_differences_are_marked_whatever_else_is_said(build):
    x = np.zeros((5, 2))  # two groups: p is of a t distribution
    x[[0, 1], 0] = 1.0, 2.0
    x[:4, 1] = 0, 0, 3, 0
    result = mean_difference(*build(x, n_permutations=99))
    assert set(result.reason[0]) == {"approximate"}
    assert "cluster t" in result.method[0, 0]


def test_offset_of_a_root_prompt_changes_nothing(build):
    x = np.random.default_rng(4).normal(size=(12, 4))
    shifted = x + 1e6 * np.arange(12)[:, None]
    a, b = (mean_difference(*build(z, n_permutations=999)) for z in (x, shifted))
    assert (a.p_value == b.p_value).all()
    assert b.value == pytest.approx(a.value, abs=1e-7)
    assert b.null_q95 == pytest.approx(a.null_q95, abs=1e-7)


@pytest.mark.parametrize("scale", [1e-12, 1e9])
def test_unit_of_the_measure_changes_no_p(build, scale):
    x = np.random.default_rng(5).normal(size=(6, 3))
    a, b = (mean_difference(*build(z)) for z in (x, scale * x))
    assert (a.p_value == b.p_value).all()


def test_blocks_of_one_root_prompt_are_averaged_before_the_error_is_taken(build):
    x = np.random.default_rng(6).normal(size=(12, 3))
    result = mean_difference(*build(x, n_permutations=199, root_of_block=np.repeat(np.arange(6), 2)))
    d = (x[:, 0] - x[:, 1:].mean(axis=1)).reshape(6, 2).mean(axis=1)
    assert result.value[0, 0] == pytest.approx(d.mean())
    assert result.std_error[0, 0] == pytest.approx(stats.sem(d))
    assert result.n_root_prompts[0].tolist() == [6, 6, 6]


def test_p_with_several_blocks_a_root_prompt_is_that_of_every_arrangement(build):
    x = np.random.default_rng(7).normal(size=(8, 2))
    root = np.repeat(np.arange(4), 2)
    result = mean_difference(*build(x, root_of_block=root))
    d = x[:, 0] - x[:, 1]
    signs = np.array(np.meshgrid(*[[1, -1]] * 8)).reshape(8, -1).T
    by_root = (signs * d).reshape(-1, 4, 2).mean(axis=2)
    t = by_root.mean(axis=1) / (by_root.std(axis=1, ddof=1) / 2)
    observed = d.reshape(4, 2).mean(axis=1)
    t_observed = observed.mean() / (observed.std(ddof=1) / 2)
    assert result.p_value[0, 0] == pytest.approx((abs(t) >= abs(t_observed) - 1e-9).mean(), abs=1e-12)


def test_two_groups_mirror_each_other(build):
    x = np.random.default_rng(8).normal(size=(9, 2))
    result = mean_difference(*build(x, n_permutations=999))
    assert result.value[0, 0] == pytest.approx(-result.value[0, 1])
    assert result.p_value[0, 0] == result.p_value[0, 1]


@pytest.mark.parametrize(("n_prompts", "expected"), [(5, "p_floor"), (6, None)])
def test_two_groups_on_five_prompts_can_never_be_significant(build, n_prompts, expected):
    x = np.random.default_rng(9).normal(size=(n_prompts, 2))
    result = mean_difference(*build(x))
    assert result.reason[0, 0] == expected
    d = x[:, 0] - x[:, 1]
    is_t = result.p_value[0, 0] == pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=1e-12)
    assert is_t == (expected == "p_floor")


def test_equal_values_have_no_difference_and_no_error(build):
    result = mean_difference(*build(np.full((8, 3), 0.1), n_permutations=99))
    assert (result.value == 0).all()
    assert (result.std_error == 0).all()
    assert (result.p_value == 1).all()


def test_the_same_difference_on_every_prompt_is_as_extreme_as_can_be(build):
    x = np.random.default_rng(10).normal(size=(8, 1)) + np.array([0.0, 0.3, 0.6])
    result = mean_difference(*build(x, n_permutations=999))
    assert result.p_value[0, 0] == 1 / 1_000
    assert result.std_error[0, 0] == pytest.approx(0, abs=1e-12)


def test_a_group_in_two_blocks_has_a_value_and_a_reason(build):
    x = np.random.default_rng(11).normal(size=(8, 3))
    x[2:, 2] = np.nan
    result = mean_difference(*build(x, n_permutations=99))
    assert result.reason[0].tolist() == [None, None, "too_few_root_prompts"]
    assert result.value[0, 2] == pytest.approx((x[:2, 2] - x[:2, :2].mean(axis=1)).mean())
    assert np.isnan([result.p_value[0, 2], result.ci_low[0, 2], result.std_error[0, 2]]).all()


def test_a_group_alone_in_its_blocks_is_named(build):
    x = np.random.default_rng(12).normal(size=(9, 3))
    x[:8, 2], x[8, :2] = np.nan, np.nan
    result = mean_difference(*build(x, n_permutations=99))
    assert result.reason[0, 2] == "no_shared_block"
    assert np.isnan(result.value[0, 2])


def test_blocks_as_units_speak_of_these_prompts_only(build):
    x = np.random.default_rng(13).normal(size=(8, 3))
    result = mean_difference(*build(x, n_permutations=99, unit=Unit.BLOCK, root_of_block=np.repeat([0, 1], 4)))
    assert set(result.scope[0]) == {"these prompts"}
    assert result.n_root_prompts[0].tolist() == [2, 2, 2]
    assert "8 blocks as units" in result.method[0, 0]


@pytest.mark.parametrize("root", [np.arange(8), np.repeat(np.arange(4), 2)])
@pytest.mark.parametrize("reference", [Reference(), GRAND_MEAN])
def test_incomplete_blocks_are_those_written_out(build, reference, root):
    rng = np.random.default_rng(19)
    x = np.where(rng.random((8, 4)) < 0.25, np.nan, rng.normal(size=(8, 4)))
    x[3:5, 1] = np.nan  # so that groups are in different numbers of units
    scheme, z = build(x, n_permutations=200, root_of_block=root)
    result = mean_difference(scheme, z, reference)
    roots = scheme.design.root_of_block

    def ts(table):
        each = [written_out.sides(table, roots, g, None, reference.against).T for g in range(4)]
        return np.array([abs(written_out.t(a, c)) for a, c in each])

    table = written_out.observed(scheme, z)
    drawn = np.array([ts(one) for one in written_out.tables(scheme, z)])
    alone, stepped = written_out.step_down(ts(table), drawn)
    assert (result.reason == None).all()  # noqa: E711
    assert result.p_value[0] == pytest.approx((alone + 1) / 201, abs=1e-12)
    assert result.p_maxt[0] == pytest.approx((stepped + 1) / 201, abs=1e-12)
    for group in range(4):
        a, c = written_out.sides(table, roots, group, None, reference.against).T
        assert result.value[0, group] == pytest.approx((a - c).mean(), abs=1e-12)
        assert result.std_error[0, group] == pytest.approx(stats.sem(a - c), abs=1e-12)


def test_grand_mean_of_complete_blocks_is_the_rest_on_another_scale(build):
    x = np.random.default_rng(20).normal(size=(12, 5, 2))
    scheme, z = build(x, n_permutations=199)
    rest, grand = mean_difference(scheme, z), mean_difference(scheme, z, GRAND_MEAN)
    for field in ("value", "std_error", "ci_low", "ci_high", "null_median", "null_q95", "sd"):
        assert getattr(grand, field) == pytest.approx(getattr(rest, field) * 4 / 5, abs=1e-12)
    assert (grand.p_value == rest.p_value).all()
    assert (grand.p_maxt == rest.p_maxt).all()
    assert grand.value.sum(axis=1) == pytest.approx(0, abs=1e-12)
    assert grand.value == pytest.approx((x - x.mean(axis=1, keepdims=True)).mean(axis=0).T, abs=1e-12)


def test_indices_do_not_depend_on_the_reference(build):
    x = np.random.default_rng(21).normal(size=(10, 3))
    scheme, z = build(x, n_permutations=99)
    none = {"mean_difference": np.full(1, np.nan)}
    references = (Reference(), GRAND_MEAN, Reference(Against.LEVEL, 0), Reference(Against.ALL_PAIRS))
    tests = [compare_values(scheme._replace(reference=r), z, none, is_rate=False).indices["range"] for r in references]
    for other in tests[1:]:
        assert other.p_value == tests[0].p_value
        assert other.null_q95 == pytest.approx(tests[0].null_q95, abs=1e-12)


@pytest.mark.parametrize("n_prompts", [2, 3, 4, 5])
def test_a_group_on_few_prompts_takes_no_part_in_the_hypothesis_of_groups_on_many(build, n_prompts):
    x = np.random.default_rng(22).normal(size=(12, 3))
    x[n_prompts:, 2] = np.nan
    result = mean_difference(*build(x, n_permutations=199))
    few = "too_few_root_prompts" if n_prompts < 3 else "few_beside_others"
    assert result.reason[0].tolist() == [None, None, few if n_prompts < 5 else None]
    is_out = [False, False, n_prompts < 5]
    for p in (result.p_value, result.p_maxt, result.null_q95, result.studentised):
        assert np.isnan(p[0]).tolist() == is_out
    assert np.isnan(result.ci_low[0]).tolist() == [False, False, n_prompts < 3]
    assert np.isfinite(result.value[0, 2])
    assert (result.p_maxt[0, :2] >= result.p_value[0, :2]).all()


def test_a_group_on_few_prompts_changes_no_question_that_it_takes_no_part_in(build):
    x = np.random.default_rng(24).normal(size=(12, 3))
    x[3:, 2] = np.nan
    scheme, z = build(x, n_permutations=199)
    roots = scheme.design.root_of_block

    def sizes(table):
        each = [written_out.sides(table, roots, g, None, Against.REST).T for g in (0, 1)]
        return [abs(written_out.t(a, c)) for a, c in each]

    drawn = np.array([sizes(table) for table in written_out.tables(scheme, z)])
    p = written_out.p_of_hypothesis(np.array(sizes(written_out.observed(scheme, z))), drawn)
    assert mean_difference(scheme, z).p_hypothesis[0] == pytest.approx([p] * 3, abs=1e-12)


def test_the_same_difference_on_each_of_five_prompts_has_no_error_to_be_held_against(build):
    """t of a difference without error gave p 6e-24 of five prompts; what spreads is tested without it."""
    x = np.random.default_rng(30).normal(size=(5, 1)) + np.array([0.0, 0.3, 0.6])
    alike = mean_difference(*build(x[:4], alpha=0.01))  # as few arrangements of three groups
    assert set(alike.reason[0]) == {"no_error", "p_floor"}  # the middle group does not differ at all
    assert np.isnan(alike.p_value[0, [0, 2]]).all() and np.isnan(alike.ci_low[0, [0, 2]]).all()
    assert alike.p_hypothesis[0] == pytest.approx([1] * 3)
    two = mean_difference(*build(x[:, :2]))
    assert np.isnan(two.p_hypothesis).all() and set(two.reason[0]) == {"no_error"}


def test_floored_rows_take_the_whole_hypothesis_to_t(build):
    x = np.random.default_rng(25).normal(size=(4, 3))  # 1 / 81 > .01 / 3
    result = mean_difference(*build(x, alpha=0.01))
    t_p = [stats.ttest_1samp(x[:, g] - np.delete(x, g, axis=1).mean(axis=1), 0).pvalue for g in range(3)]
    assert set(result.reason[0]) == {"p_floor"}
    assert result.p_value[0] == pytest.approx(t_p, abs=1e-12)
    of_holm = multipletests(t_p, method="holm")[1]
    assert result.p_maxt[0] == pytest.approx(of_holm, abs=1e-12)
    assert result.p_hypothesis[0] == pytest.approx([of_holm.min()] * 3, abs=1e-12)
    two = mean_difference(*build(x[:, :2]))  # the mirrored row counts once
    p = stats.ttest_1samp(x[:, 0] - x[:, 1], 0).pvalue
    for field in (two.p_value, two.p_maxt, two.p_hypothesis):
        assert field[0] == pytest.approx([p, p], abs=1e-12)


@pytest.mark.parametrize("n_groups", [2, 3, 5])
def test_p_of_the_hypothesis_is_the_smaller_of_two_under_the_same_draws(build, n_groups):
    x = np.random.default_rng(26).normal(size=(9, n_groups, 4))
    scheme, z = build(x, n_permutations=150)
    result, roots = mean_difference(scheme, z), scheme.design.root_of_block

    def sizes(table):
        each = [written_out.sides(table, roots, g, None, Against.REST).T for g in range(n_groups)]
        return [abs(written_out.t(a, c)) for a, c in each]

    for column in range(4):
        own = z[:, [column]]
        drawn = np.array([sizes(table) for table in written_out.tables(scheme, own)])
        p = written_out.p_of_hypothesis(np.array(sizes(written_out.observed(scheme, own))), drawn)
        assert result.p_hypothesis[column] == pytest.approx([p] * n_groups, abs=1e-12)


def test_noise_floor_is_the_error_times_the_quantile_of_permuted_t(build):
    x = np.random.default_rng(27).normal(size=(10, 4)) * [1, 1, 1, 3]
    scheme, z = build(x, n_permutations=200)
    result, roots = mean_difference(scheme, z), scheme.design.root_of_block
    for group in range(4):
        drawn = [
            abs(written_out.t(*written_out.sides(table, roots, group, None, Against.REST).T))
            for table in written_out.tables(scheme, z)
        ]
        error = result.std_error[0, group]
        assert result.null_median[0, group] == pytest.approx(error * np.median(drawn), abs=1e-12)
        assert result.null_q95[0, group] == pytest.approx(error * np.quantile(drawn, 0.95), abs=1e-12)


def test_no_group_that_its_own_p_calls_lies_inside_its_noise_floor(build):
    x = np.random.default_rng(28).normal(size=(12, 5, 300)) * np.array([3, 1, 1, 1, 1])[:, None]
    x[:, 0] += 1.5
    result = mean_difference(*build(x, n_permutations=399))
    is_significant = result.p_value <= 0.05
    assert is_significant.sum() > 100
    assert (np.abs(result.value) >= result.null_q95 - 1e-12)[is_significant].all()


# Error rates: data sets are columns, so that one run is many data sets.


def rejected(p, alpha=0.05):
    return int((p <= alpha).sum())


@pytest.mark.parametrize("noise", ["normal", "exponential"])
def test_false_positive_rate_is_nominal(build, noise):
    rng = np.random.default_rng(15)
    prompt, cell = rng.normal(size=(10, 1, N_SETS)), getattr(rng, f"standard_{noise}")(size=(10, 5, N_SETS))
    p = mean_difference(*build(prompt + cell, n_permutations=999)).p_value[:, 0]
    assert least(N_SETS) <= rejected(p) <= most(N_SETS)


def test_a_group_with_three_times_the_spread_is_not_significant_biased(build):
    rng = np.random.default_rng(16)
    x = rng.normal(size=(30, 5, N_SETS))
    x[:, 0] *= 3
    p = mean_difference(*build(x, n_permutations=499)).p_value[:, 0]
    assert rejected(p) <= most(N_SETS, 0.055)  # .05 nominal, .055 measured; shuffling raw means gives .24


def test_false_positive_rate_is_nominal_with_several_blocks_a_root_prompt(build):
    rng = np.random.default_rng(17)
    root = np.repeat(np.arange(8), 2)
    shared = rng.normal(size=(8, 3, N_SETS))[root]  # root prompt x group: exchangeable only by root prompt
    x = 0.2 * shared + rng.normal(size=(16, 3, N_SETS))
    p = mean_difference(*build(x, n_permutations=299, root_of_block=root)).p_value[:, 0]
    assert rejected(p) <= most(N_SETS)


def test_a_group_seen_only_on_high_scoring_prompts_is_not_significant_high(build):
    rng = np.random.default_rng(18)
    level = np.arange(12.0)[:, None, None]
    x = level + rng.normal(size=(12, 4, N_SETS))
    x[:6, 0] = np.nan
    result = mean_difference(*build(x, n_permutations=299))
    assert least(N_SETS) <= rejected(result.p_value[:, 0]) <= most(N_SETS)
    assert result.value[:, 0].mean() == pytest.approx(0, abs=4 * result.value[:, 0].std() / np.sqrt(N_SETS))


def test_interval_covers_the_difference(build):
    rng = np.random.default_rng(19)
    x = rng.normal(size=(10, 1, N_SETS)) + rng.normal(size=(10, 3, N_SETS))
    result = mean_difference(*build(x, n_permutations=1))
    missed = int((~((result.ci_low[:, 0] <= 0) & (result.ci_high[:, 0] >= 0))).sum())
    assert least(N_SETS) <= missed <= most(N_SETS)


def test_family_wise_error_is_nominal_and_steps_down_to_the_other_differences(build):
    rng = np.random.default_rng(23)
    x = rng.normal(size=(12, 1, N_SETS)) + rng.exponential(size=(12, 5, N_SETS))
    p = mean_difference(*build(x, n_permutations=499)).p_maxt
    assert least(N_SETS) <= rejected(p.min(axis=1)) <= most(N_SETS)
    x[:, 0] += 10
    x[:, 1] -= 10
    p = mean_difference(*build(x, n_permutations=499)).p_maxt
    assert (p[:, :2] <= 0.05).all()
    assert rejected(p[:, 2:].min(axis=1)) <= most(N_SETS)
