"""tests/python_assets/infer/formulas/test_negative_controls.py - mirrors infer/formulas/negative_controls.py."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from bench.bench_benchmark_wordings import Design, found_with_controls
from python_assets.infer.formulas.interval import Interval
from python_assets.infer.formulas.multiplicity import holm
from python_assets.infer.formulas.negative_controls import (
    degrees_of_freedom,
    margin_p,
    profile,
    studentised_range,
    widened,
    wording,
)
from python_assets.infer.result import InferenceReason

GOLDEN = json.loads((Path(__file__).parent / "controls_golden.json").read_text())["cases"]
TYPES = ["weekday", "weather", "folder", "number", "page"]


def table(rows):
    return np.array([[np.nan if cell is None else cell for cell in row] for row in rows], dtype=float)


def cells(n_prompts=12, n_groups=4, n_controls=5, seed=3):
    rng = np.random.default_rng(seed)
    prompt = rng.normal(size=(n_prompts, 1))
    return prompt + rng.normal(size=(n_prompts, n_groups)), prompt + rng.normal(size=(n_prompts, n_controls))


def against_the_rest(n_groups):
    return np.eye(n_groups) * n_groups / (n_groups - 1) - 1 / (n_groups - 1)


class Golden:
    """A case of the golden file, and what is found of it."""

    def __init__(self, name):
        case = GOLDEN[name]
        self.arguments, self.expected = case["arguments"], case["expected"]
        self.unedited = case.get("expected_unedited_reference")
        self.x, self.y = table(case["cells_groups"]), table(case["cells_controls"])
        n = None
        if self.arguments.get("kind") == "rate":
            n = tuple(np.where(np.isnan(of), 0, self.arguments["replicates"]) for of in (self.x, self.y))
        self.found = wording(self.x, self.y, self.arguments["types"], n)
        n_groups = self.x.shape[1]
        self.weights = np.array(self.arguments.get("weights", against_the_rest(n_groups)), dtype=float)
        self.is_contrast = (self.weights != 0).any(axis=1)
        self.weights = self.weights[self.is_contrast]
        self.n_tests = 1 if n_groups == 2 else len(self.weights)

    def of_contrasts(self, name):
        return table([self.expected[name]])[0][self.is_contrast]


@pytest.fixture(params=GOLDEN)
def case(request):
    return Golden(request.param)


def near(found, expected):
    # the golden file has 9 significant digits
    np.testing.assert_allclose(found, expected, rtol=5e-9, atol=1e-9)


def test_golden_columns_and_their_error(case):
    of_groups, of_controls = profile(case.x), profile(case.y)
    near(of_groups.means, case.expected["column_values"])
    near(of_controls.means, case.expected["control_values"])
    near(of_groups.residual, case.expected["MS_groups"])
    near(of_controls.residual, case.expected["MS_controls"])


def test_golden_hypothesis(case):
    found, expected = case.found, case.expected
    assert (int(found.is_kept.sum()), found.n_types, found.df) == tuple(
        expected[name] for name in ("n_controls", "n_types", "nu")
    )
    near(found.variance, expected["V"])
    near(found.p_value, expected["p_negative_controls"])
    near(max(found.p_value, case.arguments["p_permuted"]), expected["p_question"])
    near(
        [found.sd, found.sd_low, found.sd_high],
        [expected[name] for name in ("wording_sd", "wording_sd_low", "wording_sd_high")],
    )
    near(found.floors["standard_deviation"], expected["control_floor_sd"])
    np.testing.assert_allclose(found.floors["range"], expected["control_floor_range"], rtol=1e-6)


def test_golden_contrasts(case):
    found = case.found
    near(found.errors(case.weights), case.of_contrasts("se_controls"))
    near(holm(found.p_of_contrasts(case.weights), case.n_tests), case.of_contrasts("p_groups_holm"))
    if "value" not in case.arguments:
        return
    value, ci = np.array(case.arguments["value"]), np.array(case.arguments["ci"]).T
    error = found.errors(case.weights)
    limits = widened(value, Interval(*ci), error, np.full(len(value), found.df), 0.05)
    near(limits.low, case.expected["ci_low"])
    near(limits.high, case.expected["ci_high"])
    if "margin" in case.arguments:
        past, inside = margin_p(value, np.full(len(value), case.arguments["margin"]), error, found.df)
        near(past, case.expected["p_margin_controls"])
        near(inside, case.expected["p_equivalence_controls"])


def test_golden_unedited_reference():
    case = Golden("missing_types_level")
    near(holm(case.found.p_of_unedited()), case.unedited["p_groups_holm"])


def test_columns_are_those_of_least_squares_on_dummies():
    x, _ = cells()
    x[0, 1] = x[3, 2] = x[3, 3] = x[7, 0] = np.nan
    row, column = np.nonzero(~np.isnan(x))
    design = np.zeros((len(row), x.shape[0] + x.shape[1]))
    design[np.arange(len(row)), row] = design[np.arange(len(row)), x.shape[0] + column] = 1
    effects, *_ = np.linalg.lstsq(design, x[row, column], rcond=None)
    found = profile(x)
    np.testing.assert_allclose(found.means, effects[: x.shape[0]].mean() + effects[x.shape[0] :], atol=1e-12)
    left = x[row, column] - design @ effects
    assert found.residual == pytest.approx((left**2).sum() / (len(row) - x.shape[0] - x.shape[1] + 1), abs=1e-12)


def test_one_group_among_controls_is_the_test_of_crawford_and_howell():
    x, y = cells()
    found = wording(x, y, TYPES)
    expected = [stats.ttest_ind([one], y.mean(axis=0)).pvalue for one in x.mean(axis=0)]
    np.testing.assert_allclose(found.p_of_unedited(), expected, atol=1e-12)


def test_p_is_that_of_f_where_words_are_all_there_is():
    rng = np.random.default_rng(5)
    words = rng.normal(size=(400, 9))
    prompts = rng.normal(size=(6, 1))
    p = [wording(prompts + of[:4], prompts + of[4:], TYPES).p_value for of in words]
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_prompts_and_order_change_nothing():
    x, y = cells()
    found = wording(x, y, TYPES)
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(len(x)), rng.permutation(5)
    again = wording(x[rows] + 3, y[rows][:, columns] + 3, [TYPES[at] for at in columns])
    assert again.p_value == pytest.approx(found.p_value, abs=1e-12)
    offset = rng.normal(size=(len(x), 1))
    assert wording(x + offset, y + offset, TYPES).variance == pytest.approx(found.variance, abs=1e-12)


def test_controls_of_one_type_count_once():
    x, y = cells()
    assert wording(x, y, ["a", "a", "b", "b", "c"]).df == 2
    assert wording(x, y, TYPES).df == 4
    assert [degrees_of_freedom(n, None) for n in (3, 5, 8, 10, 200)] == [2, 2, 3, 4, 99]


def test_too_few_controls_or_types_say_nothing():
    x, y = cells()
    too_few = InferenceReason.TOO_FEW_CONTROLS
    assert wording(x, y[:, :2], TYPES[:2]) == too_few
    assert wording(x, y, ["colour"] * 5) == too_few
    assert wording(x, y, ["colour", "colour", "weather", "weather", "colour"]) == too_few
    assert wording(x, y[:, :2], None) == too_few
    assert wording(x, y[:, :0], None) == too_few


def test_a_control_in_under_half_of_the_prompts_is_left_out():
    x, y = cells()
    y[:7, 0] = np.nan  # 5 of 12
    found = wording(x, y, TYPES)
    assert found.is_kept.tolist() == [False, True, True, True, True]
    assert found.n_types == 4
    without = wording(x, y[:, 1:], TYPES[1:])
    assert found.p_value == without.p_value
    # half of them is enough
    y[6, 0] = 1.0
    assert wording(x, y, TYPES).is_kept.all()
    y[:7, :3] = np.nan
    assert wording(x, y, TYPES) == InferenceReason.CONTROL_INCOMPLETE


def test_a_control_that_was_refused_everywhere_is_left_out():
    x, y = cells()
    y[:, 0] = np.nan
    assert wording(x, y, TYPES).n_types == 4
    y[:, :] = np.nan
    assert wording(x, y, TYPES) == InferenceReason.CONTROL_INCOMPLETE


def test_only_prompts_on_which_groups_meet_count():
    x, y = cells()
    x[8:, 1:] = np.nan
    whole, cut = wording(x, y, TYPES), wording(x[:8], y[:8], TYPES)
    assert whole.variance == cut.variance
    x[2:, 1:] = np.nan
    assert wording(x, y, TYPES) == InferenceReason.TOO_FEW_ROOT_PROMPTS


def test_groups_that_no_prompt_connects_have_no_common_scale():
    x, y = cells()
    x[:6, :2] = x[6:, 2:] = np.nan
    assert wording(x, y, TYPES) == InferenceReason.NOT_CONNECTED


def test_equal_controls_leave_the_error_of_the_groups():
    x, y = cells()
    found = wording(x, np.full(y.shape, 2.0), TYPES)
    error = profile(x).error
    assert found.variance == pytest.approx(error * stats.chi2.ppf(0.05, 4) / 4)
    assert found.sd == found.sd_low == 0
    # groups that differ alike on every prompt beside equal controls: nothing but the difference is there
    exact = wording(np.tile([0.0, 1.0], (12, 1)), np.zeros((12, 5)), TYPES)
    assert (exact.variance, exact.p_value) == (0, 0)
    assert exact.p_of_contrasts(against_the_rest(2)).tolist() == [0, 0]
    assert wording(np.zeros((12, 2)), np.zeros((12, 5)), TYPES).p_value == 1


def test_an_interval_without_controls_stays():
    value, limits = np.array([1.0, 2.0]), Interval(np.array([0.5, np.nan]), np.array([1.5, 2.5]))
    found = widened(value, limits, np.array([np.nan, 0.1]), np.array([np.nan, 4]), 0.05)
    assert (found.low[0], found.high[0]) == (0.5, 1.5)
    assert np.isnan(found.low[1])  # an infinite side stays infinite
    assert found.high[1] == 2.5


def test_the_range_of_two_groups_is_that_of_t():
    assert studentised_range(2, 7) == pytest.approx(np.sqrt(2) * stats.t.isf(0.025, 7), rel=1e-6)


def test_the_bench_of_wordings_compares_a_group_with_controls():
    design = Design("small", levels=(3,), n_wordings=1, texts=(20, 20), before=(20, 20))
    options = {"tau": 0.0, "n_sets": 8, "n_permutations": 99}
    assert found_with_controls(design, 40, effect=0.45, **options) == (1, 1)
    assert found_with_controls(design, 20, effect=0.0, **options)[0] < 1
