"""tests/python_assets/infer/test_nested.py - groups nested in units: whole units change their group."""

import itertools

import numpy as np
import pytest
from scipy import stats

from python_assets.infer.design import PROMPTS_LIKE_THESE, THESE_PROMPTS_ONLY, Frame
from python_assets.infer.nested import NestedTask, compare_nested_means, compare_nested_rates
from python_assets.infer.permutation import GivenDraws, Shuffles
from python_assets.infer.reasons import InferenceReason
from python_assets.infer.reference import Reference
from python_assets.infer.units import nested_units, weights_of
from python_assets.study.base import Against
from tests.python_assets.infer.conftest import all_arrangements

NAMES = ("mean_difference", "risk_difference", "log_disparity")
REST, GRAND_MEAN = Reference(), Reference(Against.GRAND_MEAN)
PAIRS = Reference(Against.ALL_PAIRS)


def units_of(group, stratum, present=None):
    group, stratum = np.array(group), np.array(stratum)
    n = len(group)
    frame = Frame(np.arange(n), group, np.arange(n), int(group.max()) + 1)
    return nested_units(frame, stratum, np.ones(n, bool) if present is None else np.array(present))


def task_of(group, stratum, *, n_permutations=None, reference=REST, seed=1, alpha=0.05):
    units = units_of(group, stratum)
    if n_permutations is None:
        draws = GivenDraws(all_arrangements(np.bincount(units.stratum).tolist()))
    else:
        draws = RandomDraws(seed, n_permutations, units.stratum, units.unit, len(group))
    return NestedTask(units, draws, alpha, reference)


def compared(scheme, x, margin=np.nan, compare=compare_nested_means):
    x = np.array(x, float).reshape(len(x), -1)[scheme.units.unit]
    return compare(scheme, x, {name: np.full(x.shape[1], margin) for name in NAMES})


def design_of(rng, sizes):
    """sizes: units by (stratum, group)."""
    cells = [(s, g) for (s, g), n in np.ndenumerate(np.array(sizes)) for _ in range(n)]
    stratum, group = np.array(cells).T
    order = rng.permutation(len(cells))
    return group[order], stratum[order]


def close(expected):
    return pytest.approx(expected, abs=1e-9)


def golden_task(case, alpha):
    return task_of(case["race"], case["gender"], alpha=alpha)


def test_golden_value_and_interval(golden):
    case = golden["nested_names"]
    result = compared(golden_task(case, 0.05), case["name_mean"]).contrasts["mean_difference"]
    assert result.value[0, 1] == close(case["value"])
    assert result.value[0, 1] / result.std_error[0, 1] == close(case["t"])
    assert (result.ci_low[0, 1], result.ci_high[0, 1]) == close((case["ci_low"], case["ci_high"]))
    assert result.p_value[0, 1] == close(case["p_t"])  # 2 / 36 is above alpha
    assert set(result.reason[0]) == {InferenceReason.P_FLOOR}
    assert result.method[0, 1] == (
        "unit t (smallest permutation p 0.0556), t interval, units nested in groups, 8 units"
    )


def test_golden_permutation_p(golden):
    case = golden["nested_names"]
    result = compared(golden_task(case, 0.06), case["name_mean"]).contrasts["mean_difference"]
    assert result.p_value[0] == close([case["p_exact"]] * 2)
    assert result.p_maxt[0] == close([case["p_exact"]] * 2)
    assert result.method[0, 0] == "permuted t, t interval, units nested in groups, 8 units"
    assert set(result.reason[0]) == {None}


def contrast_of_cells(reference, group, stratum, n_groups):
    """Weights over cells (stratum, group) of each row, by loops."""
    held = {(s, g) for s, g in zip(stratum, group, strict=True)}
    rows = []
    for g, o in zip(*reference.rows(n_groups), strict=True):
        row = dict.fromkeys(sorted(held), 0.0)
        others = {s: [h for t, h in held if t == s and h != g and (o < 0 or h == o)] for s in set(stratum)}
        common = [s for s in others if (s, g) in held and others[s]]
        for s in common:
            against = others[s] + ([g] if reference.against is Against.GRAND_MEAN else [])
            row[s, g] += 1 / len(common)
            for h in against:
                row[s, h] -= 1 / len(common) / len(against)
        rows.append(list(row.values()))
    return np.array(rows)


@pytest.mark.parametrize("reference", [REST, GRAND_MEAN, PAIRS, Reference(Against.LEVEL, 1)])
@pytest.mark.parametrize("sizes", [[[5, 6, 4]], [[3, 2, 4], [2, 4, 0], [1, 1, 3]]])
def test_values_and_intervals_are_those_of_least_squares(reference, sizes):
    import statsmodels.api as sm

    rng = np.random.default_rng(3)
    group, stratum = design_of(rng, sizes)
    x = rng.normal(size=len(group)) + group + 10 * stratum
    result = compared(task_of(group, stratum, n_permutations=99, reference=reference), x)
    result = result.contrasts["mean_difference"]
    code = stratum * 3 + group
    fit = sm.OLS(x, (code[:, None] == np.unique(code)).astype(float)).fit()
    expected = fit.t_test(contrast_of_cells(reference, group, stratum, 3))
    assert result.value[0] == close(np.ravel(expected.effect))
    assert result.std_error[0] == close(np.ravel(expected.sd))
    assert close(expected.conf_int()) == np.array([result.ci_low[0], result.ci_high[0]]).T


def brute_force(scheme, x):
    """|t| of each row and the means of groups under each arrangement, by least squares of cells."""
    units = scheme.units
    weights = contrast_of_cells(scheme.reference, units.group, units.stratum, units.n_groups)
    code = units.stratum * units.n_groups + units.group
    cells = np.unique(code)
    sizes = np.array([(code == c).sum() for c in cells])
    t, levels = [], []
    for sources in np.concatenate([scheme.draws.sources(batch) for batch in scheme.draws.batches()]):
        z = x[units.unit][sources]
        means = np.array([z[code == c].mean() for c in cells])
        mse = ((z - means[np.searchsorted(cells, code)]) ** 2).sum() / (len(z) - len(cells))
        t.append(np.abs(weights @ means) / np.sqrt(mse * (weights**2 @ (1 / sizes))))
        levels.append([means[cells % units.n_groups == g].mean() for g in range(units.n_groups)])
    return np.array(t), np.array(levels)


@pytest.mark.parametrize("reference", [REST, GRAND_MEAN, PAIRS, Reference(Against.LEVEL, 0)])
def test_p_and_step_down_p_by_brute_force(reference):
    rng = np.random.default_rng(8)
    group, stratum = design_of(rng, [[4, 4, 5], [2, 3, 3]])
    x = rng.normal(size=len(group)) + 0.6 * group + 5 * stratum
    scheme = task_of(group, stratum, n_permutations=199, reference=reference)
    result = compared(scheme, x).contrasts["mean_difference"]
    t, _ = brute_force(scheme, x)
    weights = contrast_of_cells(reference, scheme.units.group, scheme.units.stratum, 3)
    observed = np.abs(result.value[0] / result.std_error[0])
    assert len(weights) == len(observed)
    assert result.p_value[0] == close(((t >= observed - 1e-9).sum(axis=0) + 1) / 200)
    order = np.argsort(-observed, kind="stable")
    p, largest = np.empty(len(order)), 0.0
    for place, row in enumerate(order):
        maxima = t[:, order[place:]].max(axis=1)
        p[row] = largest = max(largest, ((maxima >= observed[row] - 1e-9).sum() + 1) / 200)
    assert result.p_maxt[0] == close(p)


def test_p_of_one_stratum_is_that_of_scipy():
    rng = np.random.default_rng(5)
    samples = rng.normal(size=4), rng.normal(size=5) + 1
    group = np.repeat([0, 1], [4, 5])
    chosen = itertools.combinations(range(9), 4)
    sources = np.array([[*first, *(n for n in range(9) if n not in first)] for first in chosen])
    scheme = NestedTask(units_of(group, 0 * group), GivenDraws(sources), 0.05)
    result = compared(scheme, np.concatenate(samples)).contrasts["mean_difference"]
    expected = stats.permutation_test(
        samples, lambda a, b, axis: np.abs(stats.ttest_ind(a, b, axis=axis).statistic), alternative="greater"
    )
    assert result.p_value[0] == close([expected.pvalue] * 2)
    assert abs(result.value[0, 0] / result.std_error[0, 0]) == close(expected.statistic)


@pytest.mark.parametrize("reference", [REST, PAIRS])
def test_smallest_p_is_that_of_all_labellings(reference):
    group, stratum = [0, 0, 1, 1, 1, 2, 2], [0] * 7
    weights = weights_of(units_of(group, stratum), reference)
    labellings = set(itertools.permutations(group))
    for row, (g, o) in enumerate(zip(*reference.rows(3), strict=True)):
        seen = {tuple(0 if h == g else 1 if o < 0 or h == o else 2 for h in labels) for labels in labellings}
        mirrors = sum(tuple((1, 0, 2)[side] for side in labels) in seen for labels in seen) > 0
        assert weights.smallest_p[row] == close((1 + (mirrors and o >= 0)) / len(seen))


def test_indices_by_brute_force():
    rng = np.random.default_rng(9)
    group, stratum = design_of(rng, [[4, 4, 5], [2, 3, 3]])
    x = rng.normal(size=len(group)) + 0.6 * group + 5 * stratum
    scheme = task_of(group, stratum, n_permutations=199)
    indices = compared(scheme, x).indices
    _, levels = brute_force(scheme, x)
    own = np.array([[x[(group == g) & (stratum == s)].mean() for s in (0, 1)] for g in range(3)]).mean(axis=1)
    for name, of in (("range", np.ptp), ("standard_deviation", lambda z, axis=-1: z.std(axis, ddof=1))):
        test, null = indices[name], of(levels, axis=1)
        assert test.value[0] == close(of(own))
        assert test.p_value[0] == close(((null >= of(own) - 1e-9).sum() + 1) / 200)
        assert (test.null_median[0], test.null_q95[0]) == close(tuple(np.quantile(null, [0.5, 0.95])))
        assert test.reason[0] == InferenceReason.INTERVAL_NOT_VALIDATED
        assert np.isnan([test.ci_low[0], test.ci_high[0], test.value_corrected[0]]).all()
    assert indices["max_z"].reason[0] == InferenceReason.SCALE_FREE
    assert indices["mean"].value[0] == close(own.mean())


def test_rates_have_the_interval_of_their_own_spread():
    rng = np.random.default_rng(4)
    group = np.repeat([0, 1, 2], 6)
    y = rng.binomial(10, np.array([0.2, 0.5, 0.6])[group]) / 10
    result = compared(task_of(group, 0 * group, n_permutations=99), y, compare=compare_nested_rates).contrasts
    risk, sides = result["risk_difference"], []
    for values in (y[:6], y[6:]):
        p, df = values.mean(), 5 if len(values) == 6 else 10
        spread = sum(part.var(ddof=1) * 5 for part in np.split(values, len(values) // 6)) / df
        n = p * (1 - p) / (spread / len(values))
        q = stats.t.isf(0.025, 5)  # of the smaller side
        centre, half = (p + q**2 / 2 / n) / (1 + q**2 / n), q * np.sqrt(p * (1 - p) / n + (q / 2 / n) ** 2)
        sides.append((p, centre - half / (1 + q**2 / n), centre + half / (1 + q**2 / n)))
    (p1, low1, high1), (p2, low2, high2) = sides
    assert risk.value[0, 0] == close(p1 - p2)
    assert risk.ci_low[0, 0] == close(p1 - p2 - np.hypot(p1 - low1, high2 - p2))
    assert risk.ci_high[0, 0] == close(p1 - p2 + np.hypot(high1 - p1, p2 - low2))
    log = result["log_disparity"]
    assert log.value[0, 0] == close(np.log(p1 / (1 - p1)) - np.log(p2 / (1 - p2)))
    assert log.p_value[0] == close(risk.p_value[0])
    assert np.isnan(log.ci_low).all()
    assert set(log.reason[0]) == {InferenceReason.INTERVAL_NOT_VALIDATED}


def test_rates_of_zero_have_an_interval_and_no_equivalence():
    group = np.repeat([0, 1], 5)
    scheme = task_of(group, 0 * group, n_permutations=99)
    result = compared(scheme, np.zeros(10), 0.05, compare_nested_rates)
    risk, log = result.contrasts["risk_difference"], result.contrasts["log_disparity"]
    assert (risk.value[0, 0], risk.p_value[0, 0]) == (0, 1)
    assert risk.ci_high[0, 0] - risk.ci_low[0, 0] > 0.2
    assert risk.p_equivalence[0, 0] > 0.05
    assert np.isnan(log.value).all()
    assert set(log.reason[0]) == {InferenceReason.UNBOUNDED}
    assert result.indices["impact_ratio"].reason[0] == InferenceReason.NO_SELECTIONS


def test_a_grand_mean_of_rates_is_the_rest_shrunk_so_that_mirrored_groups_agree():
    rng = np.random.default_rng(2)
    group, stratum = np.repeat([0, 1], 8), np.tile([0, 1], 8)
    y = rng.binomial(10, np.array([0.1, 0.25])[group][:, None], (16, 800)) / 10
    rest, grand = (
        compared(task_of(group, stratum, n_permutations=9, reference=r), y, m, compare_nested_rates)
        for r, m in ((REST, 0.15), (GRAND_MEAN, 0.075))
    )
    log = grand.contrasts["log_disparity"]
    rest, grand = rest.contrasts["risk_difference"], grand.contrasts["risk_difference"]
    for name in ("value", "std_error", "ci_low", "ci_high", "null_q95"):
        assert getattr(grand, name) == close(getattr(rest, name) / 2)
    for name in ("p_value", "p_margin", "p_equivalence"):
        assert getattr(grand, name) == close(getattr(rest, name))
        assert getattr(grand, name)[:, 0] == close(getattr(grand, name)[:, 1])
    assert grand.ci_low[:, 0] == close(-grand.ci_high[:, 1])
    assert ((grand.ci_low[:, 0] <= -0.075) & (grand.ci_high[:, 0] >= -0.075)).mean() > 0.94
    assert (grand.p_margin[:, 0] <= 0.05).mean() < 0.06
    assert np.isnan(log.ci_low).all()


def test_a_grand_mean_of_incomplete_strata_moves_the_interval_of_the_rest():
    rng = np.random.default_rng(14)
    group, stratum = design_of(rng, [[5, 5, 5], [4, 6, 0]])
    y = rng.binomial(10, 0.4, len(group)) / 10
    rest, grand = (
        compared(task_of(group, stratum, n_permutations=9, reference=r), y, compare=compare_nested_rates)
        for r in (REST, GRAND_MEAN)
    )
    rest, grand = rest.contrasts["risk_difference"], grand.contrasts["risk_difference"]
    cells = [y[(group == g) & (stratum == s)].mean() for s, g in ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1))]
    own = (cells[0] - np.mean(cells[:3]) + cells[3] - np.mean(cells[3:])) / 2
    assert grand.value[0, 0] == close(own)
    share = (2 / 3 + 1 / 2) / 2
    assert grand.ci_low[0, 0] == close(own + share * (rest.ci_low[0, 0] - rest.value[0, 0]))


def test_what_strata_have_in_common_changes_nothing():
    rng = np.random.default_rng(6)
    group, stratum = design_of(rng, [[5, 5], [4, 6]])
    x = rng.normal(size=20)
    plain, moved = (
        compared(task_of(group, stratum, n_permutations=199), z) for z in (x, x + 1000.0 * stratum)
    )
    for name in ("value", "std_error", "p_value", "p_maxt", "ci_low", "null_q95"):
        one, other = (getattr(result.contrasts["mean_difference"], name) for result in (plain, moved))
        assert one == pytest.approx(other, abs=1e-8)
    assert plain.indices["range"].p_value == close(moved.indices["range"].p_value)


def test_columns_are_compared_one_by_one(monkeypatch):
    rng = np.random.default_rng(7)
    group, stratum = design_of(rng, [[5, 5, 5]])
    x = rng.normal(size=(15, 4))
    scheme = task_of(group, stratum, n_permutations=199)
    together = compared(scheme, x)
    monkeypatch.setattr("python_assets.infer.comparison.NULL_BYTES", 1)
    apart = compared(scheme, x)
    for one, other in zip(
        together.contrasts["mean_difference"], apart.contrasts["mean_difference"], strict=True
    ):
        if one.dtype == object:
            assert (one == other).all()
        else:
            assert one == pytest.approx(other, abs=1e-12, nan_ok=True)


def test_margins_are_those_of_a_shifted_t():
    rng = np.random.default_rng(11)
    group = np.repeat([0, 1], 8)
    x = rng.normal(size=16) + 0.5 * group
    result = compared(task_of(group, 0 * group, n_permutations=99), x, 0.3).contrasts["mean_difference"]
    size, se = abs(result.value[0, 0]), result.std_error[0, 0]
    assert result.p_margin[0, 0] == close(stats.t.sf((size - 0.3) / se, 14))
    assert result.p_equivalence[0, 0] == close(stats.t.sf((0.3 - size) / se, 14))


def test_under_four_units_a_group_has_an_interval_but_no_p():
    group = [0] * 3 + [1] * 6 + [2] * 6
    x = np.random.default_rng(1).normal(size=15)
    result = compared(task_of(group, [0] * 15, n_permutations=99), x).contrasts["mean_difference"]
    assert np.isnan(result.p_value[0]).tolist() == [True, False, False]
    assert np.isnan(result.p_maxt[0]).tolist() == [True, False, False]
    assert result.reason[0].tolist() == [InferenceReason.TOO_FEW_UNITS, None, None]
    assert np.isfinite(result.ci_low[0, 0])
    assert result.scope[0].tolist() == [THESE_PROMPTS_ONLY, PROMPTS_LIKE_THESE, PROMPTS_LIKE_THESE]
    assert result.n_root_prompts[0].tolist() == [3, 6, 6]
    pairs = compared(task_of(group, [0] * 15, n_permutations=99, reference=PAIRS), x)
    has_p = ~np.isnan(pairs.contrasts["mean_difference"].p_value[0])
    assert has_p.tolist() == [False, False, False, True, False, True]  # (1, 2) and (2, 1)


def test_a_single_unit_has_a_value_and_the_interval_that_the_others_give():
    group = [0] + [1] * 6 + [2] * 6
    x = np.random.default_rng(2).normal(size=13)
    result = compared(task_of(group, [0] * 13, n_permutations=99), x).contrasts["mean_difference"]
    assert result.value[0, 0] == close(x[0] - (x[1:7].mean() + x[7:].mean()) / 2)
    assert np.isfinite([result.std_error[0, 0], result.ci_low[0, 0], result.ci_high[0, 0]]).all()
    assert result.reason[0, 0] == InferenceReason.TOO_FEW_UNITS
    assert result.scope[0, 0] == THESE_PROMPTS_ONLY
    assert result.n_root_prompts[0, 0] == 1


def test_under_four_units_in_a_group_indices_have_no_p():
    rng = np.random.default_rng(15)
    sizes = [[5, 2, 6], [5, 1, 6]]
    group, stratum = design_of(rng, sizes)
    y = rng.binomial(10, 0.4, (len(group), 2)) / 10
    y[:, 1] = 0
    few = compared(task_of(group, stratum, n_permutations=99), y, compare=compare_nested_rates).indices
    for name in ("range", "standard_deviation", "max_z", "impact_ratio"):
        test = few[name]
        assert np.isnan([test.p_value, test.null_median, test.null_q95]).all()
        assert test.reason[0] == InferenceReason.TOO_FEW_UNITS
    assert np.isfinite(few["range"].value).all()
    assert few["impact_ratio"].reason[1] == InferenceReason.NO_SELECTIONS
    assert few["mean"].reason[0] == InferenceReason.DESCRIPTIVE
    group, stratum = design_of(rng, [[5, 2, 6], [5, 2, 6]])
    enough = compared(task_of(group, stratum, n_permutations=99), rng.normal(size=len(group))).indices
    assert np.isfinite(enough["range"].p_value).all()


def test_equal_values_differ_in_nothing():
    result = compared(task_of([0] * 5 + [1] * 5, [0] * 10, n_permutations=99), np.full(10, 0.1))
    contrast = result.contrasts["mean_difference"]
    assert contrast.value[0].tolist() == [0, 0]
    assert contrast.p_value[0].tolist() == [1, 1]
    assert result.indices["range"].p_value[0] == 1
    assert result.indices["max_z"].reason[0] == InferenceReason.NO_SPREAD


def test_a_group_alone_in_its_stratum_is_compared_with_nothing():
    group, stratum = [0] * 5 + [1] * 5 + [2] * 5, [0] * 10 + [1] * 5
    result = compared(task_of(group, stratum, n_permutations=99), np.arange(15.0))
    contrast = result.contrasts["mean_difference"]
    assert contrast.reason[0, 2] == InferenceReason.NO_SHARED_BLOCK
    assert np.isnan([contrast.value[0, 2], contrast.ci_low[0, 2], contrast.p_value[0, 2]]).all()
    assert contrast.scope[0, 2] is None
    assert "incomplete strata" in contrast.method[0, 0]
    assert result.indices == {}


def test_one_unit_a_cell_leaves_no_error():
    group, stratum = [0, 1] * 4, [0, 0, 1, 1, 2, 2, 3, 3]
    result = compared(task_of(group, stratum, n_permutations=99), np.arange(8.0) ** 2)
    contrast = result.contrasts["mean_difference"]
    assert set(contrast.reason[0]) == {InferenceReason.TOO_FEW_UNITS}
    assert np.isnan([contrast.std_error, contrast.ci_low, contrast.p_value]).all()
    assert np.isfinite(contrast.value).all()
    assert np.isfinite(result.indices["range"].p_value).all()


def test_absent_units_are_left_out():
    group, stratum = [0, 1] * 6, [1] * 6 + [0] * 6
    units = units_of(group, stratum, present=[True] * 9 + [False] * 3)
    assert units.unit.tolist() == [6, 7, 8, 0, 1, 2, 3, 4, 5]
    assert units.stratum.tolist() == [0] * 3 + [1] * 6
    assert units.group.tolist() == [0, 1, 0, 0, 1, 0, 1, 0, 1]


def test_names_that_vary_are_no_difference_of_groups():
    """4 names in each of 5 races x 2 genders, 400 data sets: type-I error within .03 and .07."""
    rng = np.random.default_rng(12)
    group, stratum = design_of(rng, [[4] * 5, [4] * 5])
    x = rng.normal(size=(40, 400)) * np.sqrt(0.05) + rng.normal(size=(40, 400)) * np.sqrt(0.5 / 20)
    x += 0.5 * stratum[:, None]
    result = compared(task_of(group, stratum, n_permutations=199), x).contrasts["mean_difference"]
    assert 0.035 < (result.p_value <= 0.05).mean() < 0.065
    assert (result.p_maxt <= 0.05).any(axis=1).mean() < 0.085  # 99.9 % of .05 in 400
    covered = (result.ci_low <= 0) & (result.ci_high >= 0)
    assert 0.935 < covered.mean() < 0.965
