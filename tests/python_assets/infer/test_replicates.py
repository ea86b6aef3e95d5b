"""tests/python_assets/infer/test_replicates.py - unit_sides.py over repeats of the same prompts."""

import itertools

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from python_assets.infer.contrasts.compare import compare_values
from python_assets.infer.design.design import Frame
from python_assets.infer.draws.exchange import Shuffles, given_draws
from python_assets.infer.formulas.interval import mover
from python_assets.infer.options import Reference
from python_assets.infer.schemes.choose import InUnits, replicates
from python_assets.infer.schemes.unit_contrast import UnitContrast
from python_assets.study.base import Against
from tests.promises import fewest, most
from tests.python_assets.infer import written_out

ALL_PAIRS = Reference(Against.ALL_PAIRS)


def scheme_of(block, group, root_of_block, *, n_permutations=None, alpha=0.05, reference=Reference()):  # noqa: B008
    """Responses in blocks; all arrangements of one block of two groups where no number of draws is given."""
    frame = Frame(np.array(block), np.array(group), np.array(root_of_block), int(np.max(group)) + 1)
    units = replicates(frame, np.ones(len(block), dtype=bool))
    if n_permutations is not None:
        draws = Shuffles(1, n_permutations, frame.block).of(units.cell[:, 0])
    else:
        places = np.arange(len(group))
        chosen = itertools.combinations(places, int((frame.group == 0).sum()))
        draws = given_draws(np.array([[*first, *np.setdiff1d(places, first)] for first in chosen]))
    return InUnits(units, draws, alpha, reference)


def one_prompt(*groups, n_permutations=None):
    """Responses to a single prompt, by group."""
    x = np.concatenate(groups)
    group = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    return scheme_of(0 * group, group, [0], n_permutations=n_permutations), x[:, None]


def means(scheme, x):
    return compare_values(scheme, x, {"mean_difference": np.full(x.shape[1], np.nan)}, is_rate=False)


def rates(scheme, y):
    return compare_values(scheme, y, {"risk_difference": np.full(y.shape[1], np.nan)}, is_rate=True, with_log=True)


def test_golden_single_prompt(golden):
    case = golden["single_prompt_replicates"]
    x, group = np.array(case["x"]), np.array(case["group"])
    scheme, values = one_prompt(x[group == 1], x[group == 0])
    result = means(scheme, values).contrasts["mean_difference"]
    assert scheme.draws.n == case["arrangements"]
    assert result.value[0, 0] / result.std_error[0, 0] == pytest.approx(case["t"], abs=1e-9)
    assert result.p_value[0, 0] == pytest.approx(case["p_exact"], abs=1e-9)
    assert result.scope[0, 0] == "these prompts"


def test_interval_is_that_of_welch():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=9), 2 * rng.normal(size=5)
    result = means(*one_prompt(a, b)).contrasts["mean_difference"]
    expected = stats.ttest_ind(a, b, equal_var=False).confidence_interval()
    assert (result.ci_low[0, 0], result.ci_high[0, 0]) == pytest.approx(tuple(expected), abs=1e-10)


def test_p_is_that_of_scipy_over_all_arrangements():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=5), 1 + rng.normal(size=4)
    exact = stats.permutation_test(
        (a, b), lambda x, y: abs(stats.ttest_ind(x, y, equal_var=False).statistic), alternative="greater"
    )
    result = means(*one_prompt(a, b)).contrasts["mean_difference"]
    assert result.p_value[0, 0] == pytest.approx(exact.pvalue, abs=1e-12)


def test_too_few_rows_fall_back_on_welch():
    a, b = np.array([1.0, 2.0]), np.array([4.0, 6.0])
    result = means(*one_prompt(a, b)).contrasts["mean_difference"]
    assert result.reason[0, 0] == "p_floor"
    assert result.p_value[0, 0] == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)


def test_difference_of_several_prompts_is_the_mean_of_theirs():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(3, 2, 4)) + 10 * np.arange(3)[:, None, None]
    group = np.tile(np.repeat([0, 1], 4), 3)
    scheme = scheme_of(np.repeat(np.arange(3), 8), group, np.arange(3), n_permutations=499)
    result = means(scheme, x.reshape(-1, 1)).contrasts["mean_difference"]
    assert result.value[0, 0] == pytest.approx((x[:, 0] - x[:, 1]).mean())
    variance = x.var(axis=2, ddof=1).sum() / 4 / 9
    assert result.std_error[0, 0] == pytest.approx(np.sqrt(variance))
    assert result.n_root_prompts[0].tolist() == [3, 3]


def test_indices_come_from_the_same_shuffles():
    rng = np.random.default_rng(4)
    groups = [rng.normal(size=6) + shift for shift in (0.0, 0.0, 3.0)]
    indices = means(*one_prompt(*groups, n_permutations=999)).indices
    assert indices["range"].value[0] == pytest.approx(np.ptp([g.mean() for g in groups]))
    assert indices["range"].p_value[0] < 0.01
    assert indices["max"].value[0] == pytest.approx(max(g.mean() for g in groups))


# Rows of three prompts, one of them without the third group, that are compared in every way.

BLOCK = np.repeat([0, 1, 2], [9, 9, 6])
GROUP = np.concatenate([np.repeat([0, 1, 2], 3), np.repeat([0, 1, 2], [2, 3, 4]), np.repeat([0, 1], 3)])
REFERENCES = [Reference(), Reference(Against.GRAND_MEAN), Reference(Against.LEVEL, 1), ALL_PAIRS]


def several_prompts(root_of_block=(0, 1, 1), alpha=0.05, n_permutations=200):
    return scheme_of(BLOCK, GROUP, root_of_block, n_permutations=n_permutations, alpha=alpha)


def weight(root_of_block, reference, group, other):
    """Weight of each (block, group) in the difference, written out."""
    sizes = {(b, g): int(((b == BLOCK) & (g == GROUP)).sum()) for b in range(3) for g in range(3)}
    present = {b: [g for g in range(3) if sizes[b, g]] for b in range(3)}
    pairwise = reference.is_pairwise
    used = [b for b in range(3) if group in present[b] and (not pairwise or other in present[b])]
    roots = {root_of_block[b] for b in used}
    weights = dict.fromkeys(sizes, 0.0)
    for b in used:
        share = 1 / len(roots) / sum(root_of_block[i] == root_of_block[b] for i in used)
        against = [other] if pairwise else present[b]
        if reference.against is Against.REST:
            against = [g for g in against if g != group]
        weights[b, group] += share
        for g in against:
            weights[b, g] -= share / len(against)
    return weights


def welch(x, weights):
    cells = {key: x[(key[0] == BLOCK) & (key[1] == GROUP)] for key, w in weights.items() if w}
    value = sum(weights[key] * cell.mean() for key, cell in cells.items())
    variance = sum(weights[key] ** 2 * cell.var(ddof=1) / len(cell) for key, cell in cells.items())
    return value, np.sqrt(variance)


@pytest.mark.parametrize("root_of_block", [(0, 1, 1), (0, 1, 2)])
@pytest.mark.parametrize("reference", REFERENCES)
def test_every_reference_is_that_written_out(reference, root_of_block):
    scheme = several_prompts(root_of_block)._replace(reference=reference)
    x = np.random.default_rng(6).normal(size=(len(BLOCK), 1))
    result = means(scheme, x).contrasts["mean_difference"]
    rows = list(zip(*reference.rows(3), strict=True))
    each = [weight(root_of_block, reference, *row) for row in rows]
    values, errors = np.transpose([welch(x[:, 0], one) for one in each])
    assert result.value[0] == pytest.approx(values, abs=1e-12)
    assert result.std_error[0] == pytest.approx(errors, abs=1e-12)
    drawn = []
    for batch in scheme.draws.batches:
        for source in scheme.draws.sources(batch):
            pairs = [welch(x[source, 0], one) for one in each]
            drawn.append([abs(value / error) for value, error in pairs])
    alone, stepped = written_out.step_down(np.abs(values / errors), np.array(drawn))
    assert result.p_value[0] == pytest.approx((alone + 1) / 201, abs=1e-12)
    assert result.p_maxt[0] == pytest.approx((stepped + 1) / 201, abs=1e-12)


def test_rate_of_a_prompt_against_its_mean_knows_that_the_group_is_a_part_of_it():
    y = (np.random.default_rng(7).random((len(BLOCK), 1)) < 0.5).astype(float)
    scheme = several_prompts()._replace(reference=Reference(Against.GRAND_MEAN))
    compared = rates(scheme, y).contrasts
    risk = compared["risk_difference"]
    one = weight((0, 1, 1), scheme.reference, 0, -1)
    assert risk.value[0, 0] == pytest.approx(welch(y[:, 0], one)[0], abs=1e-12)
    rest = rates(scheme._replace(reference=Reference()), y).contrasts["risk_difference"]
    share = (2 / 3 + (2 / 3 + 1 / 2) / 2) / 2  # of two root prompts; the second has a block of 3 and one of 2
    pair = UnitContrast(scheme.units).rate_pair(y)
    of_rest = mover(pair, stats.t.isf(0.025, scheme.contrast.differences(y).df.T))  # df of its own weights
    assert risk.ci_low[0, 0] - risk.value[0, 0] == pytest.approx(
        share * (of_rest.low[0, 0] - rest.value[0, 0]), abs=1e-12
    )
    assert risk.ci_high[0, 0] - risk.value[0, 0] == pytest.approx(
        share * (of_rest.high[0, 0] - rest.value[0, 0]), abs=1e-12
    )
    log = compared["log_disparity"]
    assert np.isnan([log.ci_low, log.ci_high]).all()
    assert set(log.reason[0]) == {"interval_not_validated"}


def test_mirrored_replicates_agree_about_the_mean_of_their_prompt():
    rng = np.random.default_rng(10)
    scheme, y = one_prompt(np.r_[np.ones(2), np.zeros(8)], np.r_[np.ones(5), np.zeros(5)], n_permutations=99)
    y = np.hstack([y, (rng.random((20, 800)) < np.repeat([0.1, 0.25], 10)[:, None])]).astype(float)
    scheme = scheme._replace(reference=Reference(Against.GRAND_MEAN))
    risk = rates(scheme, y).contrasts["risk_difference"]
    assert risk.ci_low[:, 0] == pytest.approx(-risk.ci_high[:, 1], abs=1e-12)
    assert (risk.p_value[:, 0] == risk.p_value[:, 1]).all()
    is_covered = (risk.ci_low[1:] <= [-0.075, 0.075]) & (risk.ci_high[1:] >= [-0.075, 0.075])
    assert is_covered.mean() > 0.94


def test_smallest_p_of_a_pair_is_that_of_an_enumeration():
    scheme = scheme_of([0] * 6, [0, 0, 1, 1, 2, 2], [0], n_permutations=9)
    arrangements = {tuple(np.array([0, 0, 1, 1, 2, 2])[list(p)]) for p in itertools.permutations(range(6))}
    smallest = UnitContrast(scheme.units, Reference(Against.LEVEL, 0)).rows.smallest_p
    assert smallest == pytest.approx([2 / len(arrangements)] * 2)
    scheme = several_prompts((0, 0, 0))
    uneven = UnitContrast(scheme.units, Reference(Against.LEVEL, 0)).rows.smallest_p
    per_block = [9 * 8 * 7 / 6 * 20, 36 * 35, 20]  # 9 over 3 and 6 over 3, 9 over 2 and 7 over 3, 6 over 3
    assert uneven[0] == pytest.approx(1 / np.prod(per_block))


def test_floored_rows_of_replicates_take_the_hypothesis_to_welch():
    scheme = several_prompts(alpha=1e-9)
    x = np.random.default_rng(8).normal(size=(len(BLOCK), 1))
    result = means(scheme, x).contrasts["mean_difference"]
    assert set(result.reason[0]) == {"p_floor"}
    df = scheme.contrast.differences(x).df[:, 0]
    p_t = 2 * stats.t.sf(np.abs(result.value[0] / result.std_error[0]), df)
    assert result.p_value[0] == pytest.approx(p_t, abs=1e-12)
    of_holm = multipletests(p_t, method="holm")[1]
    assert result.p_maxt[0] == pytest.approx(of_holm, abs=1e-12)
    assert result.p_hypothesis[0] == pytest.approx([of_holm.min()] * 3, abs=1e-12)


def test_replicates_of_groups_that_share_no_prompt_are_named():
    block, group = np.repeat([0, 1], 10), np.repeat([0, 1, 2], [5, 10, 5])
    x = np.random.default_rng(9).normal(size=(20, 1))
    scheme = scheme_of(block, group, [0, 1], n_permutations=99)
    contrast = means(scheme._replace(reference=ALL_PAIRS), x).contrasts["mean_difference"]
    g, o = ALL_PAIRS.rows(3)
    apart = g + o == 2
    of_level = rates(scheme._replace(reference=Reference(Against.LEVEL, 0)), (x > 0) * 1.0)
    for rate in of_level.contrasts.values():
        assert rate.reason[0, 1] == "no_shared_block"
        assert np.isnan([rate.value[0, 1], rate.ci_low[0, 1], rate.ci_high[0, 1], rate.p_value[0, 1]]).all()
    assert (contrast.reason[0, apart] == "no_shared_block").all()
    assert np.isnan(contrast.value[0]).tolist() == apart.tolist()
    assert np.isnan(contrast.p_maxt[0]).tolist() == apart.tolist()


def test_replicates_of_a_group_that_is_always_alone_leave_no_index():
    block, group = np.repeat([0, 1], [10, 5]), np.repeat([0, 1, 2], 5)
    x = np.random.default_rng(10).normal(size=(15, 1))
    scheme = scheme_of(block, group, [0, 1], n_permutations=99)
    compared = means(scheme, x[scheme.units.name])
    assert {test.reason[0] for test in compared.indices.values()} == {"not_connected"}
    contrast = compared.contrasts["mean_difference"]
    assert np.isfinite(contrast.p_value[0, :2]).all()
    assert contrast.reason[0, 2] == "no_shared_block"


def test_cells_of_a_single_response_have_no_replicates():
    frame = Frame(np.zeros(5, dtype=int), np.array([0, 0, 0, 1, 1]), np.zeros(1, dtype=int), 2)
    assert replicates(frame, np.array([True] * 4 + [False])) is None
    assert replicates(frame, np.ones(5, dtype=bool)).name.tolist() == [0, 1, 2, 3, 4]
    assert replicates(frame, np.array([True] * 3 + [False] * 2)) is None  # one group


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_equal_replicates_have_p_1(rate):
    result = rates(*one_prompt(np.full(5, rate), np.full(5, rate)))
    assert (result.contrasts["risk_difference"].p_value == 1).all()
    assert (result.contrasts["risk_difference"].value == 0).all()
    assert (result.contrasts["log_disparity"].reason == "unbounded").all()


def test_rates_without_any_spread_still_have_an_interval():
    risk = rates(*one_prompt(np.ones(6), np.zeros(6))).contrasts["risk_difference"]
    assert risk.p_value[0, 0] == pytest.approx(2 / 924)
    assert 0 < risk.ci_low[0, 0] < 1


def test_false_positive_rate_is_nominal_for_these_prompts():
    x = np.random.default_rng(5).exponential(size=(20, 1_000))
    scheme = scheme_of([0] * 20, np.repeat([0, 1], 10), [0], n_permutations=499)
    p = means(scheme, x).contrasts["mean_difference"].p_value[:, 0]
    low, high = stats.binom.interval(0.999, 1_000, 0.05)
    assert low <= (p <= 0.05).sum() <= high


# Two prompts of one root prompt, asked of three groups in two or three wordings, which were answered unequally often.

N_ANSWERS = {(0, 0): (4, 1), (0, 1): (3, 3), (0, 2): (2, 5, 1), (1, 0): (3, 2), (1, 1): (1, 4), (1, 2): (2, 2)}
CELL_OF_WORDING = [cell for cell, counts in N_ANSWERS.items() for _ in counts]
WORDING = np.repeat(np.arange(len(CELL_OF_WORDING)), [n for counts in N_ANSWERS.values() for n in counts])
PLACE = np.array(CELL_OF_WORDING)[WORDING]


def wordings(n_permutations=200, reference=Reference()):  # noqa: B008
    frame = Frame(PLACE[:, 0], PLACE[:, 1], np.array([0, 0]), 3)
    units = replicates(frame, np.ones(len(PLACE), dtype=bool), WORDING)
    return InUnits(units, Shuffles(1, n_permutations, frame.block).of(units.cell[:, 0]), 0.05, reference)


def by_wording(x, group):
    """Difference of a group from the rest, wordings averaged first, and its error with Kish's effective numbers."""
    value = variance = 0.0
    for (block, own), counts in N_ANSWERS.items():
        at = np.flatnonzero(((block, own) == PLACE).all(axis=1))
        means = [x[at][WORDING[at] == wording].mean() for wording in np.unique(WORDING[at])]
        share = (1.0 if own == group else -0.5) / 2
        weight = np.concatenate([np.full(n, 1 / n / len(counts)) for n in counts])
        spread = (weight * (x[at] - np.mean(means)) ** 2).sum() / (1 - (weight**2).sum())
        value += share * np.mean(means)
        variance += share**2 * spread * (weight**2).sum()
    return value, np.sqrt(variance)


def test_prompts_of_a_cell_count_alike_however_often_they_were_answered():
    scheme, x = wordings(), np.random.default_rng(11).normal(size=(len(PLACE), 1)) + WORDING[:, None]
    compared = means(scheme, x)
    result = compared.contrasts["mean_difference"]
    values, errors = np.transpose([by_wording(x[:, 0], group) for group in range(3)])
    assert result.value[0] == pytest.approx(values, abs=1e-12)
    assert result.std_error[0] == pytest.approx(errors, abs=1e-12)
    drawn = np.array(
        [
            [np.divide(*by_wording(x[source, 0], group)) for group in range(3)]
            for batch in scheme.draws.batches
            for source in scheme.draws.sources(batch)
        ]
    )
    alone, stepped = written_out.step_down(np.abs(values / errors), np.abs(drawn))
    assert result.p_value[0] == pytest.approx((alone + 1) / 201, abs=1e-12)
    assert result.p_maxt[0] == pytest.approx((stepped + 1) / 201, abs=1e-12)
    # the mean of a group is that of the others of its block and 2/3 of its difference from the rest
    assert compared.indices["range"].value[0] == pytest.approx(np.ptp(values) * 2 / 3, abs=1e-12)
    pair = UnitContrast(scheme.units).rate_pair(x)
    assert (pair.p1 - pair.p2)[0] == pytest.approx(values, abs=1e-12)


def test_prompts_that_were_answered_equally_often_leave_the_answers_as_they_are():
    frame = Frame(np.zeros(12, dtype=int), np.repeat([0, 1], [4, 8]), np.zeros(1, dtype=int), 2)
    present = np.ones(12, dtype=bool)
    assert replicates(frame, present, np.repeat([0, 1, 2], 4)).weight is None
    assert replicates(frame, present, np.repeat([0, 1, 2, 3], [2, 2, 5, 3])).weight is not None


def test_wordings_that_differ_from_nothing_are_significant_no_more_often_than_alpha():
    n = fewest()
    rng = np.random.default_rng(12)
    result = means(wordings(), rng.exponential(size=(len(PLACE), n))).contrasts["mean_difference"]
    assert ((result.p_value <= 0.05).sum(axis=0) <= most(n)).all()
    assert (result.p_maxt <= 0.05).any(axis=1).sum() <= most(n)
    normal = means(wordings(), rng.normal(size=(len(PLACE), n))).contrasts["mean_difference"]
    assert (~((normal.ci_low <= 0) & (normal.ci_high >= 0))).sum(axis=0).max() <= most(n)
