"""tests/python_assets/infer/test_index_intervals.py - mirrors python_assets/infer/index_intervals.py."""

import numpy as np
import pytest
from scipy import optimize, stats

from python_assets.infer.contrasts.compare import compare_values
from python_assets.infer.design.design import Unit
from python_assets.infer.schemes.inversion import all_resamples, resamples_of
from tests.promises import fewest, most

N_SETS = fewest()

CONTRASTS = ("mean_difference", "risk_difference", "log_disparity")


def no_margin(n):
    return {name: np.full(n, np.nan) for name in CONTRASTS}


def with_resamples(built, n_permutations=999):
    scheme, x = built
    return scheme._replace(resamples=resamples_of(2, n_permutations, scheme.design.n_units)), x


def mean_indices(built, **margins):
    scheme, x = built
    return compare_values(scheme, x, no_margin(x.shape[1]) | margins, is_rate=False).indices


def rate_indices(built, **margins):
    scheme, y = built
    return compare_values(scheme, y, no_margin(y.shape[1]) | margins, with_log=False, is_rate=True).indices


def close(expected):
    return pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("metric", "name"), [("range", "range"), ("standard_deviation", "std")])
def test_golden_intervals_of_means(golden, build, metric, name):
    case = golden["complete_4x3"]
    scheme, x = build(case["x"])
    test = mean_indices((scheme._replace(resamples=all_resamples(4)), x))[metric]
    expected = case["index_intervals"][name]
    assert test.ci_low[0] == close(expected["ci_low"])
    assert test.ci_high[0] == close(expected["ci_high"])
    assert test.value_corrected[0] == close(expected["null_corrected"])
    assert test.reason[0] is None


def test_golden_interval_of_the_impact_ratio(golden, build):
    case = golden["rates_5x3"]
    scheme, y = build(case["x"])
    scheme = scheme._replace(resamples=all_resamples(5))
    test, expected = rate_indices((scheme, y))["impact_ratio"], case["one_minus_impact_ratio"]
    assert 1 - test.ci_high[0] == close(expected["ci_low"])
    assert 1 - test.ci_low[0] == close(expected["ci_high"])
    assert 1 - test.value_corrected[0] == close(expected["null_corrected"])
    assert test.reason[0] is None


def test_random_draws_come_near_the_enumeration(golden, build):
    case = golden["complete_4x3"]
    scheme, x = build(case["x"], n_permutations=9_999)
    scheme = scheme._replace(resamples=all_resamples(4))
    test, expected = mean_indices((scheme, x))["range"], case["index_intervals"]["range"]
    assert test.ci_high[0] == pytest.approx(expected["ci_high"], abs=0.1)
    assert test.value_corrected[0] == pytest.approx(expected["null_corrected"], abs=0.03)


def test_indices_without_a_population_value_have_no_interval(build):
    x = np.random.default_rng(1).normal(size=(8, 3, 5))
    tests = mean_indices(with_resamples(build(x, n_permutations=99)))
    for metric in ("max_z", "max_abs_z", "min_max_ratio"):
        assert np.isnan(tests[metric].ci_low).all()
        assert np.isnan(tests[metric].value_corrected).all()
        assert set(tests[metric].reason) <= {"scale_free", "ratio_undefined"}


def test_four_root_prompts_have_no_interval(build):
    tests = mean_indices(with_resamples(build(np.random.default_rng(2).normal(size=(4, 3)))))
    for metric in ("range", "standard_deviation"):
        assert tests[metric].reason[0] == "too_few_for_interval"
        assert np.isnan([tests[metric].ci_low[0], tests[metric].value_corrected[0]]).all()
        assert tests[metric].p_value[0] > 0


def test_equal_groups_have_the_noise_as_interval(build):
    pattern = np.array([[1.0, 2, 3], [2, 3, 1], [3, 1, 2]])
    tests = mean_indices(with_resamples(build(np.tile(pattern, (3, 1)), n_permutations=999)))
    assert tests["range"].value[0] == pytest.approx(0, abs=1e-12)
    assert (tests["range"].ci_low[0], tests["range"].value_corrected[0]) == (0, 0)
    assert tests["range"].ci_high[0] > tests["range"].null_q95[0]


def test_equal_values_have_an_interval_of_nothing(build):
    tests = mean_indices(with_resamples(build(np.full((8, 3), 0.1), n_permutations=99)))
    assert (tests["range"].ci_low[0], tests["range"].ci_high[0]) == pytest.approx((0, 0))


def test_offset_of_a_root_prompt_moves_no_interval(build):
    x = np.random.default_rng(3).normal(size=(8, 4)) + [0, 0.5, 1, 2]
    tests = [
        mean_indices(with_resamples(build(z, n_permutations=499)))["standard_deviation"]
        for z in (x, x + 1e6 * np.arange(8)[:, None])
    ]
    for field in ("ci_low", "ci_high", "value_corrected"):
        one, other = (getattr(test, field)[0] for test in tests)
        assert other == pytest.approx(one, abs=1e-6)


def test_rates_stay_between_0_and_1(build):
    rng = np.random.default_rng(4)
    y = (rng.random((6, 4, 30)) < np.array([0.95, 0.5, 0.1, 0.02])[None, :, None]).astype(float)
    tests = rate_indices(with_resamples(build(y, n_permutations=499)))
    for metric in ("range", "impact_ratio"):
        limits = np.concatenate([tests[metric].ci_low, tests[metric].ci_high, tests[metric].value_corrected])
        assert (limits >= 0).all()
        assert (limits <= 1).all()
    test = tests["impact_ratio"]
    assert (test.ci_low <= test.value + 1e-12).all()
    assert (test.value <= test.ci_high + 1e-12).all()
    assert (test.value_corrected >= test.value - 1e-12).all()  # noise only pushes the ratio down


def test_blocks_of_a_unit_are_resampled_together(build):
    rng = np.random.default_rng(5)
    by_unit = rng.normal(size=(8, 3)) + [0, 1, 2]
    once = with_resamples(build(by_unit, n_permutations=999))
    doubled = np.repeat(by_unit, 2, axis=0)
    twice = with_resamples(build(doubled, n_permutations=999, root_of_block=np.repeat(np.arange(8), 2)))
    assert once[0].means.n_units == twice[0].means.n_units == 8
    as_blocks = with_resamples(build(doubled, n_permutations=999, unit=Unit.BLOCK))
    assert as_blocks[0].means.n_units == 16
    low, high = (
        [mean_indices(built)["range"].ci_low[0] for built in (once, twice)],
        [mean_indices(built)["range"].ci_high[0] for built in (once, twice)],
    )
    # the resamples are the same, so the wider of both intervals can only shrink with the finer shuffle
    assert low[1] >= low[0]
    assert high[1] <= high[0]


def test_few_missing_cells_hardly_move_value_and_interval(build):
    x = np.random.default_rng(6).normal(size=(40, 3)) + [0, 0.5, 1] + 5 * np.arange(40)[:, None]
    gap = x.copy()
    gap[[2, 9, 30], [1, 2, 0]] = np.nan
    with_gap, whole = (with_resamples(build(table, n_permutations=4_999)) for table in (gap, x))
    one, other = (mean_indices(built)["range"] for built in (with_gap, whole))
    assert one.value[0] == pytest.approx(other.value[0], abs=0.15)
    assert one.ci_low[0] == pytest.approx(other.ci_low[0], abs=0.2)
    assert one.ci_high[0] == pytest.approx(other.ci_high[0], abs=0.2)
    assert one.reason[0] is None


def test_number_of_cores_changes_no_digit(build, monkeypatch):
    x = np.random.default_rng(7).normal(size=(10, 4, 20))
    tests = []
    for cores in (1, 3):
        monkeypatch.setenv("OMP_NUM_THREADS", str(cores))
        tests.append(mean_indices(with_resamples(build(x, n_permutations=199)), range=np.full(20, 0.5)))
    for field in ("ci_low", "ci_high", "value_corrected", "p_margin", "p_equivalence"):
        one, other = (getattr(test["range"], field) for test in tests)
        assert (one == other).all()


def test_order_of_columns_changes_no_digit(build):
    x = np.random.default_rng(8).normal(size=(10, 4, 20))
    one = mean_indices(with_resamples(build(x, n_permutations=199)))["standard_deviation"]
    other = mean_indices(with_resamples(build(x[:, :, ::-1], n_permutations=199)))["standard_deviation"]
    assert (one.ci_high == other.ci_high[::-1]).all()


def noncentral_f_median(x):
    """Median-unbiased sd of group means of normal values, from the F of groups against their residuals."""
    n, k = x.shape
    residual = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
    error = (residual**2).sum() / ((n - 1) * (k - 1))
    f, df = n * x.mean(axis=0).var(ddof=1) / error, (k - 1, (n - 1) * (k - 1))
    if stats.f.cdf(f, *df) <= 0.5:
        return 0.0
    size = optimize.brentq(lambda nc: stats.ncf.cdf(f, *df, nc) - 0.5, 1e-9, 10 * f * k)
    return np.sqrt(size * error / (n * (k - 1)))


def test_corrected_sd_is_that_of_a_noncentral_f(build):
    rng = np.random.default_rng(9)
    x = rng.normal(size=(30, 5, 60)) + np.linspace(0, 1, 5)[:, None]
    test = mean_indices(with_resamples(build(x, n_permutations=1_999), 1_999))["standard_deviation"]
    expected = np.array([noncentral_f_median(x[:, :, column]) for column in range(60)])
    assert np.abs(test.value_corrected - expected).mean() < 0.02


@pytest.mark.run
@pytest.mark.parametrize("size", [0.0, 0.5, 1.5])
@pytest.mark.parametrize("metric", ["standard_deviation", "range"])
def test_interval_covers_the_true_spread(build, metric, size):
    rng = np.random.default_rng(10)
    means = size * np.array([0, 0.2, 0.6, 0.8, 1.0])
    prompt = rng.normal(size=(10, 1, N_SETS))
    x = means[:, None] + prompt + rng.normal(size=(10, 5, N_SETS))
    test = mean_indices(with_resamples(build(x, n_permutations=499), 499))[metric]
    truth = np.ptp(means) if metric == "range" else means.std(ddof=1)
    covered = ((test.ci_low <= truth + 1e-9) & (truth <= test.ci_high + 1e-9)).sum()
    assert covered >= N_SETS - most(N_SETS)


@pytest.mark.run
@pytest.mark.parametrize("rates", [(0.5, 0.5, 0.5, 0.5), (0.4, 0.5, 0.6, 0.7)])
def test_interval_covers_the_true_impact_ratio(build, rates):
    rng = np.random.default_rng(11)
    shared = rng.normal(size=(20, 1, N_SETS))
    latent = np.sqrt(0.5) * shared + np.sqrt(0.5) * rng.normal(size=(20, 4, N_SETS))
    y = (latent < stats.norm.ppf(rates)[:, None]).astype(float)
    test = rate_indices(with_resamples(build(y, n_permutations=499), 499))["impact_ratio"]
    truth = min(rates) / max(rates)
    covered = ((test.ci_low <= truth + 1e-9) & (truth <= test.ci_high + 1e-9)).sum()
    assert covered >= N_SETS - most(N_SETS)


@pytest.mark.run
def test_an_index_at_its_margin_is_rarely_significant_past_it_or_within_it(build):
    rng = np.random.default_rng(12)
    means = np.array([0, 0.2, 0.6, 0.8, 1.0])
    x = means[:, None] + rng.normal(size=(20, 5, N_SETS))
    margin = np.full(N_SETS, means.std(ddof=1))
    built = with_resamples(build(x, n_permutations=499), 499)
    test = mean_indices(built, standard_deviation=margin)["standard_deviation"]
    assert (test.p_margin <= 0.05).sum() <= most(N_SETS)
    assert (test.p_equivalence <= 0.05).sum() <= most(N_SETS)
    assert (test.p_margin <= 0.05).sum() > 0  # nor never


@pytest.mark.run
def test_a_range_made_by_one_group_of_many_is_rarely_significant_past_its_margin(build):
    x = np.random.default_rng(14).normal(size=(30, 21, N_SETS))
    x[:, 0] += 1.25
    built = with_resamples(build(x, n_permutations=499), 499)
    test = mean_indices(built, range=np.full(N_SETS, 1.25))["range"]
    assert (test.p_margin <= 0.05).sum() <= most(N_SETS)
    past = mean_indices(built, range=np.full(N_SETS, 0.2))["range"]
    assert (past.p_margin <= 0.05).mean() > 0.8  # and a range far past it is told


@pytest.mark.run
def test_an_impact_ratio_of_two_halves_is_rarely_significant_past_its_margin(build):
    rng = np.random.default_rng(15)
    latent = np.sqrt(0.5) * (rng.normal(size=(75, 1, N_SETS)) + rng.normal(size=(75, 21, N_SETS)))
    rates = np.where(np.arange(21) < 10, 0.4, 0.5)[:, None]
    built = with_resamples(build(latent < stats.norm.ppf(rates), n_permutations=499), 499)
    test = rate_indices(built, impact_ratio=np.full(N_SETS, 0.8))["impact_ratio"]
    assert (test.p_margin <= 0.05).sum() <= most(N_SETS)


@pytest.mark.parametrize("level", [1.0, 0.5])
def test_rates_that_never_differ_may_do_so_in_few_prompts(build, level):
    y = np.tile((np.arange(20) < 20 * level)[:, None], (1, 4)).astype(float)
    built = with_resamples(build(y, n_permutations=199))
    margins = {"range": 0.1, "standard_deviation": 0.1, "impact_ratio": 0.8}
    tests = rate_indices(built, **{name: np.array([margin]) for name, margin in margins.items()})
    rare, of_halves = 1 - 0.025 ** (1 / 20), np.std([0, 0, 1, 1], ddof=1)
    assert tests["range"].ci_high[0] == close(rare)
    assert tests["standard_deviation"].ci_high[0] == close(rare * of_halves)
    assert tests["impact_ratio"].ci_low[0] == close(1 - rare / level)
    assert tests["range"].p_equivalence[0] == close(2 * 0.9**20)
    assert tests["standard_deviation"].p_equivalence[0] == close(2 * (1 - 0.1 / of_halves) ** 20)
    assert tests["impact_ratio"].p_equivalence[0] == close(2 * (1 - 0.2 * level) ** 20)


def test_means_that_never_differ_have_an_interval_of_nothing_whatever_their_margin(build):
    test = mean_indices(with_resamples(build(np.full((8, 3), 0.5), n_permutations=99)), range=np.array([0.1]))
    assert test["range"].ci_high[0] == 0
    assert test["range"].p_equivalence[0] == 2 / 100


def test_few_differences_are_as_many_as_a_binomial_gives(build):
    y = np.zeros((60, 4))
    y[7, 2] = 1
    built = with_resamples(build(y, n_permutations=199))
    test = rate_indices(built, range=np.array([0.05]))["range"]
    assert test.p_equivalence[0] == close(2 * stats.binom.cdf(1, 60, 0.05))
    half = rate_indices(with_resamples(build(y / 2, n_permutations=199)), range=np.array([0.05]))["range"]
    assert half.p_equivalence[0] == close(2 * stats.binom.cdf(1, 120, 0.05))


@pytest.mark.run
@pytest.mark.parametrize(
    ("metric", "n_prompts", "rates"),
    [
        ("impact_ratio", 5, (1, 1, 0.8)),
        ("impact_ratio", 10, (1, 1, 0.8)),
        ("range", 10, (0, 0.1)),
        ("range", 20, (0, 0, 0.1)),
        ("range", 30, (0, 0, 0.05)),
        ("range", 60, (0, 0, 0, 0.05)),
        ("standard_deviation", 60, (0, 0, 0.05)),
    ],
)
def test_rare_events_are_rarely_significant_equivalence(build, metric, n_prompts, rates):
    rng = np.random.default_rng(16)
    y = (rng.random((n_prompts, len(rates), N_SETS)) < np.array(rates)[:, None]).astype(float)
    truth = {
        "range": np.ptp(rates),
        "standard_deviation": np.std(rates, ddof=1),
        "impact_ratio": min(rates) / max(rates),
    }[metric]
    built = with_resamples(build(y, n_permutations=199), 199)
    test = rate_indices(built, **{metric: np.full(N_SETS, truth)})[metric]
    assert (test.p_equivalence <= 0.05).sum() <= most(N_SETS)


def test_equal_rates_of_many_prompts_are_within_their_margin(build):
    rng = np.random.default_rng(17)
    y = (rng.random((300, 3, 50)) < 0.02).astype(float)
    test = rate_indices(with_resamples(build(y, n_permutations=199), 199), range=np.full(50, 0.1))["range"]
    assert (test.p_equivalence <= 0.05).mean() > 0.9


def test_margin_of_the_impact_ratio_is_a_ratio(build):
    rng = np.random.default_rng(13)
    y = (rng.random((75, 3)) < [0.9, 0.3, 0.6]).astype(float)
    built = with_resamples(build(y, n_permutations=999))
    apart, near = (rate_indices(built, impact_ratio=np.array([margin]))["impact_ratio"] for margin in (0.8, 0.1))
    assert apart.p_margin[0] == 2 / 1_000
    assert apart.p_equivalence[0] > 0.99
    assert near.p_equivalence[0] < 0.01
    equal = rate_indices(built, impact_ratio=np.array([1.0]))["impact_ratio"]
    assert equal.p_margin[0] == 2 / 1_000
    assert equal.p_equivalence[0] == 1
