"""tests/python_assets/infer/test_profiles.py - mirrors python_assets/infer/profiles.py."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import distance
from scipy.special import rel_entr

from python_assets.infer.contrasts.compare import compare_labels, compare_values
from python_assets.infer.contrasts.profiles import PROFILE_INDICES, profile_numbers
from python_assets.infer.result import INTERVAL
from python_assets.infer.schemes.inversion import all_resamples, resamples_of
from tests.promises import fewest, least, most
from tests.python_assets.infer import written_out

CATEGORIES = json.loads(Path(__file__).with_name("categories_golden.json").read_text())


def one_hot(category, n_categories=None):
    """From category codes (root prompts, groups, measures), -1 where absent, to a table and its shares."""
    category = np.array(category)
    category = category[:, :, None] if category.ndim == 2 else category
    codes = np.arange(n_categories or category.max() + 1)
    return np.where(category < 0, np.nan, category), category[:, :, :, None] == codes


@pytest.fixture
def profiles(build):
    """Compare categories given as codes."""

    def compare(category, *, n_categories=None, margins=None, resamples="some", n_responses=None, **options):
        table, y = one_hot(category, n_categories)
        scheme, _ = build(table, **options)
        cell = np.flatnonzero(~np.isnan(table[:, :, 0].ravel()))
        shares = y.reshape(-1, *y.shape[2:])[cell][np.searchsorted(cell, scheme.design.cell)].astype(float)
        of_units = {"some": lambda n: resamples_of(2, scheme.draws.n, n), "all": all_resamples, "none": lambda n: None}[
            resamples
        ](scheme.design.n_units)
        none = {"risk_difference": np.full(shares.shape[1], np.nan)}
        scheme = scheme._replace(resamples=of_units)
        return compare_labels(scheme, shares, none | (margins or {}), n_responses=n_responses)

    return compare


def close(expected):
    return pytest.approx(expected, abs=1e-9)


def drawn(seed, shape=(12, 3), n_categories=3):
    return np.random.default_rng(seed).integers(0, n_categories, size=shape)


def counts(category, n_categories=3):
    return np.array([np.bincount(column, minlength=n_categories) for column in category.T])


@pytest.mark.parametrize(
    ("metric", "name"), [("fdi", "fdi"), ("cramers_v", "cramers_v"), ("jsd_between_groups", "jsd_groups")]
)
def test_golden_categories(golden, profiles, metric, name):
    case = golden["categories_5x2"]
    test, expected = profiles(case["category"], resamples="all").indices[metric], case[name]
    assert test.value[0] == close(expected["value"])
    assert test.p_value[0] == close(expected["p_exact"])
    assert test.null_median[0] == close(expected["median"])
    assert test.null_q95[0] == close(expected["q95"])
    assert test.ci_low[0] == close(expected["ci_low"])
    assert test.ci_high[0] == close(expected["ci_high"])
    assert test.value_corrected[0] == close(expected["null_corrected"])
    assert test.reason[0] is None


def test_two_groups_are_as_far_from_the_average_as_both_together(golden, profiles):
    expected = golden["categories_5x2"]["fdi"]
    contrast = profiles(golden["categories_5x2"]["category"], resamples="all").contrasts["fdi_group"]
    for group in (0, 1):
        assert contrast.value[0, group] == close(expected["value"])
        assert contrast.p_value[0, group] == close(expected["p_exact"])
        assert contrast.ci_high[0, group] == close(expected["ci_high"])
    assert np.isnan([contrast.sd, contrast.std_error]).all()


def test_cramers_v_is_that_of_scipy(profiles):
    category = drawn(1, (30, 4))
    found = profiles(category, n_permutations=99).indices["cramers_v"].value[0]
    assert found == pytest.approx(stats.contingency.association(counts(category), method="cramer"))


def test_an_unused_category_changes_nothing(profiles):
    category = drawn(2, (10, 4), n_categories=2)
    short, long = (profiles(category, n_categories=n, n_permutations=99) for n in (2, 5))
    for metric in ("fdi", "cramers_v", "jsd_between_groups"):
        for field in ("value", "p_value", "ci_low", "ci_high", "value_corrected"):
            one, other = (getattr(result.indices[metric], field)[0] for result in (short, long))
            assert other == pytest.approx(one, abs=1e-12)


def test_divergence_of_two_groups_is_that_of_scipy(profiles):
    category = drawn(3, (15, 2))
    shares = counts(category) / 15
    found = profiles(category, n_permutations=99).indices["jsd_between_groups"].value[0]
    assert found == pytest.approx(distance.jensenshannon(*shares) ** 2)


def test_divergence_is_entropy_of_the_average_minus_average_entropy(profiles):
    category = drawn(4, (15, 4))
    shares = counts(category) / 15
    expected = stats.entropy(shares.mean(axis=0)) - stats.entropy(shares, axis=1).mean()
    found = profiles(category, n_permutations=99).indices["jsd_between_groups"].value[0]
    assert found == pytest.approx(expected)


def test_divergence_of_a_group_from_the_average_is_that_of_scipy(profiles):
    category = drawn(4, (15, 4))
    shares = counts(category) / 15
    expected = [distance.jensenshannon(one, shares.mean(axis=0)) ** 2 for one in shares]
    result = profiles(category, n_permutations=99)
    assert result.contrasts["jsd_group"].value[0] == pytest.approx(expected)
    assert result.indices["jsd"].value[0] == pytest.approx(np.mean(expected))
    assert result.indices["jsd_max"].value[0] == pytest.approx(np.max(expected))


def written_out_limits(category, of, alpha=0.05):
    """Interval of 2.3 of a divergence by loops: every arrangement and every resample of a few root prompts."""
    y = np.eye(category.max() + 1)[category]
    (n, k), profile = category.shape, y.mean(axis=0)
    average = profile.mean(axis=0)
    permuted = [
        np.mean([row[list(order)] for row, order in zip(y, orders, strict=True)], axis=0) - average
        for orders in itertools.product(itertools.permutations(range(k)), repeat=n)
    ]
    resampled = [
        (y[list(drawn)].mean(axis=0) - profile) * np.sqrt(n / (n - 1))
        for drawn in itertools.product(range(n), repeat=n)
    ]
    grid = [*np.arange(16) / 10, 1.75, 2, 2.5, 3, 4, 6]
    truth = np.array([of(average + s * (profile - average)) for s in grid])
    ends = []
    for noise in (permuted, resampled):
        found = np.array([[of(average + s * (profile - average) + z) for z in noise] for s in grid])
        low, high = np.maximum.accumulate(np.quantile(found, (alpha / 2, 1 - alpha / 2), axis=1), axis=1)
        value = of(profile)

        def reached(rising, at):
            place = int(np.argmax(rising >= at)) if (rising >= at).any() else len(grid) - 1
            if place == 0:
                return truth[0]
            share = (at - rising[place - 1]) / (rising[place] - rising[place - 1])
            return truth[place - 1] + min(share, 1) * (truth[place] - truth[place - 1])

        ends.append((reached(high, value - 1e-9), max(reached(low, value + 1e-9), value)))
    return min(low for low, _ in ends), max(high for _, high in ends)


def divergences_of(profile):
    """Divergence of each group from the average; shares below 0 count as 0."""
    table = np.maximum(profile, 0)
    table = table / table.sum(axis=1, keepdims=True)
    average = table.mean(axis=0)
    middle = (table + average) / 2
    return (rel_entr(table, middle) + rel_entr(average, middle)).sum(axis=1) / 2


def test_intervals_of_divergences_are_those_of_every_arrangement_and_resample(profiles):
    category = np.array([[0, 1, 2], [0, 1, 1], [0, 2, 2], [1, 1, 2]])
    result = profiles(category, resamples="all")
    one, mean = result.contrasts["jsd_group"], result.indices["jsd"]
    low, high = written_out_limits(category, lambda profile: divergences_of(profile)[0])
    assert (one.ci_low[0, 0], one.ci_high[0, 0]) == pytest.approx((low, high), abs=1e-8)
    assert (mean.ci_low[0], mean.ci_high[0]) == pytest.approx(
        written_out_limits(category, lambda profile: divergences_of(profile).mean()), abs=1e-8
    )
    assert one.reason[0, 0] is None
    assert "two-noise inversion" in one.method[0, 0]


def test_divergences_have_no_interval_outside_the_designs_that_it_was_simulated_in(profiles):
    category = drawn(4, (20, 3))
    for n_responses, has_interval in ((30.0, True), (29.0, False)):  # three labels occur
        result = profiles(category, n_categories=5, n_permutations=99, n_responses=np.array([n_responses]))
        for test in (result.indices["jsd"], result.indices["jsd_between_groups"], result.contrasts["jsd_group"]):
            assert not np.isnan(test.value).any() and not np.isnan(test.null_q95).any()
            assert np.isnan([test.ci_low, test.ci_high, test.value_corrected]).any() == (not has_interval)
            assert set(test.reason.ravel()) == {None if has_interval else "interval_not_validated"}
        assert ("inversion" in result.contrasts["jsd_group"].method[0, 0]) == has_interval
        assert result.indices["fdi"].reason[0] is None
    two = profiles(np.minimum(category, 1), n_permutations=99, n_responses=np.array([90.0]))
    assert two.indices["jsd"].reason[0] == "interval_not_validated"
    short = profiles(category[:9], n_permutations=99, n_responses=np.array([90.0]))
    assert short.indices["jsd"].reason[0] == "interval_not_validated"


def test_groups_that_share_no_category_are_as_far_apart_as_can_be(profiles):
    indices = profiles(np.tile([0, 1], (8, 1)), n_permutations=999).indices
    assert indices["fdi"].value[0] == pytest.approx(0.5)
    assert indices["cramers_v"].value[0] == pytest.approx(1)
    assert indices["jsd_between_groups"].value[0] == pytest.approx(np.log(2))
    assert indices["fdi"].p_value[0] < 0.02


def test_distances_and_their_p_are_those_of_a_plain_loop(profiles):
    category = drawn(5, (4, 3))
    result = profiles(category, resamples="none")

    def distances(table):
        shares = counts(table) / len(table)
        return 0.5 * np.abs(shares - shares.mean(axis=0)).sum(axis=1)

    shuffles = itertools.product(itertools.permutations(range(3)), repeat=4)
    null = np.array([distances(np.take_along_axis(category, np.array(order), axis=1)) for order in shuffles])
    observed, contrast = distances(category), result.contrasts["fdi_group"]
    assert contrast.value[0] == pytest.approx(observed)
    assert contrast.p_value[0] == pytest.approx((null >= observed - 1e-9).mean(axis=0))
    assert contrast.null_median[0] == pytest.approx(np.median(null, axis=0))
    assert contrast.null_q95[0] == pytest.approx(np.quantile(null, 0.95, axis=0))
    largest = result.indices["fdi_max"]
    assert largest.value[0] == pytest.approx(observed.max())
    assert largest.p_value[0] == pytest.approx((null.max(axis=1) >= observed.max() - 1e-9).mean())
    assert np.isnan([contrast.p_maxt, contrast.p_hypothesis]).all()  # a size of the answer, no question
    fdi = result.indices["fdi"]
    assert fdi.p_value[0] == pytest.approx((null.mean(axis=1) >= observed.mean() - 1e-9).mean())


@pytest.mark.parametrize("name", ["fdi_max", "jsd_max"])
def test_the_largest_has_no_interval_and_says_why(profiles, name):
    test = profiles(drawn(6), n_permutations=99).indices[name]
    assert test.reason[0] == "interval_not_validated"
    assert np.isnan([test.ci_low[0], test.value_corrected[0]]).all()


def test_names_of_categories_do_not_matter(profiles):
    category = drawn(7)
    one, other = (profiles(codes, n_permutations=199) for codes in (category, (category + 1) % 3))
    for metric in ("fdi", "cramers_v", "jsd_between_groups"):
        for field in ("value", "p_value", "ci_low", "ci_high"):
            a, b = (getattr(result.indices[metric], field)[0] for result in (one, other))
            assert b == pytest.approx(a, abs=1e-12)


def test_measures_do_not_touch_each_other(profiles):
    category = drawn(8, (10, 3, 4))
    together = profiles(category, n_permutations=199, margins={"fdi": np.full(4, 0.15)})
    alone = profiles(category[:, :, 2], n_permutations=199, margins={"fdi": np.array([0.15])})
    for metric in PROFILE_INDICES:
        for one, other in zip(alone.indices[metric][:-1], together.indices[metric][:-1], strict=True):
            assert one[0] == pytest.approx(other[2], abs=1e-14, nan_ok=True)  # a product of more columns


def test_one_category_is_no_difference_and_has_no_v(profiles):
    indices = profiles(np.zeros((8, 3), dtype=int), n_permutations=99, margins={"cramers_v": np.array([0.1])}).indices
    assert indices["cramers_v"].reason[0] == "no_spread"
    numbers = ("value", "value_corrected", "null_median", "null_q95", "p_value", *INTERVAL)
    assert np.isnan([getattr(indices["cramers_v"], name)[0] for name in numbers]).all()
    rare = 1 - 0.025 ** (1 / 8)  # share of prompts that may differ where none of 8 does
    for metric, limit in (("fdi", rare * 2 / 3), ("jsd_between_groups", rare * np.log(3))):
        test = indices[metric]
        assert (test.value[0], test.ci_low[0], test.p_value[0]) == (0, 0, 1)
        assert test.ci_high[0] == close(limit)


def test_no_difference_between_groups_that_agree_on_few_prompts_may_be_a_rare_one(profiles):
    category = np.tile(np.arange(20)[:, None] % 2, (1, 3))
    margins = {name: np.array([0.1]) for name in ("fdi", "fdi_group", "cramers_v", "jsd_between_groups")}
    result = profiles(category, n_permutations=99, margins=margins)
    shares = {"fdi": 0.15, "cramers_v": 0.01, "jsd_between_groups": 0.1 / np.log(3)}
    for metric, share in shares.items():
        test = result.indices[metric]
        assert test.p_equivalence[0] == close(min(1, 2 * (1 - share) ** 20))
        assert test.value[0] == pytest.approx(0, abs=1e-12)
    assert result.indices["cramers_v"].ci_high[0] == close(np.sqrt(1 - 0.025 ** (1 / 20)))
    assert result.contrasts["fdi_group"].p_equivalence[0] == close([2 * 0.85**20] * 3)


def test_few_prompts_with_a_difference_show_no_divergence_within_a_margin(profiles):
    category = np.zeros((60, 3), dtype=int)
    category[[3, 8], [0, 2]] = 1
    margins = {name: np.array([0.02]) for name in ("fdi", "jsd_between_groups")}
    indices = profiles(category, n_permutations=199, margins=margins).indices
    of_binomial = stats.binom.cdf(2, 60, 0.02 / np.log(3))
    assert indices["jsd_between_groups"].p_equivalence[0] == close(min(1, 2 * of_binomial))
    share = 0.02 / (4 / 9)  # of prompts where only one group differs
    assert indices["fdi"].value[0] == pytest.approx(1 / 60 * 4 / 9)  # as if it were the one in the middle
    assert indices["fdi"].p_equivalence[0] >= min(1, 2 * stats.binom.cdf(1, 60, share)) - 1e-9


@pytest.mark.parametrize("metric", ["fdi", "cramers_v", "jsd_between_groups"])
def test_differences_in_a_share_of_prompts_make_no_more_of_an_index_than_its_interval_allows(metric):
    rng = np.random.default_rng(15)
    place = PROFILE_INDICES.index(metric) - len(PROFILE_INDICES)
    for _ in range(200):
        same, other = rng.dirichlet(np.full(4, 0.3)), rng.dirichlet(np.full(4, 0.1), size=4)
        share = rng.random()
        profile = (1 - share) * same + share * (np.eye(4) if rng.random() < 0.3 else other)
        number = profile_numbers(profile[:, :, None], 4)[place, 0]
        most = {"fdi": 0.75, "cramers_v": np.sqrt(share) / share, "jsd_between_groups": np.log(4)}
        assert number <= most[metric] * share + 1e-12


def test_four_root_prompts_have_a_p_and_no_interval(profiles):
    result = profiles(drawn(9, (4, 3)))
    assert result.indices["fdi"].reason[0] == "too_few_for_interval"
    assert set(result.contrasts["fdi_group"].reason[0]) == {"too_few_for_interval"}
    assert np.isnan(result.indices["fdi"].ci_low[0])
    assert result.indices["fdi"].p_value[0] > 0


def test_a_group_without_values_has_a_reason_and_leaves_the_others(profiles):
    category = drawn(10, (10, 3))
    category[:, 1] = -1
    contrast = profiles(category, n_permutations=199).contrasts["fdi_group"]
    assert contrast.reason[0].tolist() == [None, "no_shared_block", None]
    assert np.isnan([contrast.value[0, 1], contrast.p_value[0, 1]]).all()
    assert contrast.value[0, 0] == pytest.approx(0.5 * distance.cityblock(*counts(category[:, [0, 2]]) / 20))


def test_profiles_of_incomplete_blocks_are_adjusted_label_by_label(profiles):
    category = drawn(11, (10, 3))
    category[[1, 5, 6], [2, 2, 0]] = -1
    result = profiles(category, n_permutations=199)
    present = category >= 0
    root, group = np.nonzero(present)
    design = np.hstack([root[:, None] == np.arange(10), group[:, None] == [1, 2]]).astype(float)
    level = [np.mean(category[r, present[r]][:, None] == np.arange(3), axis=0) for r in range(10)]
    own = np.array([
        np.append(0.0, np.linalg.lstsq(design, 1.0 * (category[present] == label), rcond=None)[0][10:])
        for label in range(3)
    ])  # fmt: skip
    shares = (own - own.mean(axis=1, keepdims=True)).T + np.mean(level, axis=0)
    expected = 0.5 * np.abs(shares - shares.mean(axis=0)).sum(axis=1)
    assert result.contrasts["fdi_group"].value[0] == pytest.approx(expected)
    assert result.indices["fdi"].value[0] == pytest.approx(expected.mean())
    assert "incomplete blocks" in result.contrasts["fdi_group"].method[0, 0]
    assert np.isfinite([result.indices["fdi"].p_value[0], result.indices["fdi"].ci_high[0]]).all()


def test_the_labels_of_a_measure_are_one_hypothesis(profiles):
    category = drawn(16, (10, 3, 2))
    result = profiles(category, n_permutations=199)
    risk = result.contrasts["risk_difference"]
    assert risk.value.shape == (6, 3)  # two measures of three labels
    p = risk.p_hypothesis.reshape(2, 9)
    assert (p == p[:, :1]).all()
    # maxT steps down over groups and labels together: its smallest is that of the largest size of all
    for measure in range(2):
        labels = slice(3 * measure, 3 * measure + 3)
        place = np.unravel_index(np.abs(risk.studentised[labels]).argmax(), (3, 3))
        assert risk.p_maxt[labels][place] == risk.p_maxt[labels].min()
        assert (risk.p_maxt[labels] >= risk.p_value[labels] - 1e-12).all()


def test_p_of_labels_is_the_smaller_of_the_largest_z_and_the_sum_of_squares(build, profiles):
    category = drawn(17, (9, 3))
    table, y = one_hot(category)
    result = profiles(category, n_permutations=150, resamples="none")
    scheme, _ = build(table, n_permutations=150)

    def scores(shares):
        sides = [(shares[:, g], np.delete(shares, g, axis=1).mean(axis=1)) for g in range(3)]
        pooled = shares.mean(axis=(0, 1))
        return np.array(
            [written_out.score_z(a[:, label], c[:, label], pooled[label], 0.5) for a, c in sides for label in range(3)]
        )

    largest, squares = [], []
    for source in [np.arange(27), *scheme.draws.sources(slice(0, 150))]:
        shuffled = y[:, :, 0].reshape(27, 3)[source].reshape(9, 3, 3).astype(float)
        z = scores(shuffled)
        largest.append(np.abs(z).max())
        squares.append((z**2).sum())
    of_table = [(np.array(one)[None] >= np.array(one)[:, None] - 1e-9).mean(axis=1) for one in (largest, squares)]
    smaller = np.min(of_table, axis=0)
    expected = (smaller <= smaller[0] + 1e-12).mean()
    assert result.contrasts["risk_difference"].p_hypothesis[0, 0] == pytest.approx(expected, abs=1e-12)


def test_blocks_of_a_root_prompt_are_averaged_first(profiles):
    category = drawn(12, (9, 3))
    root = np.array([0, 0, 0, 1, 1, 2, 3, 4, 5])
    found = profiles(category, n_permutations=99, root_of_block=root).contrasts["fdi_group"].value[0]
    shares = (category[:, :, None] == np.arange(3)).astype(float)
    by_root = np.array([shares[root == r].mean(axis=0) for r in range(6)]).mean(axis=0)
    assert found == pytest.approx(0.5 * np.abs(by_root - by_root.mean(axis=0)).sum(axis=1))


def correlated(rng, shares, n_prompts, n):
    """Categories of groups with these shares, shape (root prompts, groups, data sets)."""
    shared = rng.normal(size=(n_prompts, 1, n))
    latent = np.sqrt(0.5) * shared + np.sqrt(0.5) * rng.normal(size=(n_prompts, len(shares), n))
    edges = np.cumsum(shares, axis=1)[:, :-1]
    return (stats.norm.cdf(latent)[:, :, :, None] > edges[:, None]).sum(axis=3)


EQUAL = np.full((3, 3), 1 / 3)
APART = np.array([[0.5, 0.3, 0.2], [0.3, 0.4, 0.3], [0.2, 0.3, 0.5]])


@pytest.mark.run
@pytest.mark.parametrize("shares", [EQUAL, APART])
def test_intervals_cover_the_true_indices(profiles, shares):
    category = correlated(np.random.default_rng(13), shares, 20, fewest())
    result = profiles(category, n_permutations=399)
    mean = shares.mean(axis=0)
    apart = 0.5 * np.abs(shares - mean).sum(axis=1)
    truth = {
        "fdi": apart.mean(),
        "cramers_v": np.sqrt(((shares - mean) ** 2 / mean).sum() / 3 / 2),
        "jsd_between_groups": stats.entropy(mean) - stats.entropy(shares, axis=1).mean(),
    }
    least = fewest() - most(fewest())
    for metric, true in truth.items():
        test = result.indices[metric]
        assert ((test.ci_low <= true + 1e-9) & (true <= test.ci_high + 1e-9)).sum() >= least
    contrast = result.contrasts["fdi_group"]
    covered = (contrast.ci_low <= apart + 1e-9) & (apart <= contrast.ci_high + 1e-9)
    assert (covered.sum(axis=0) >= least).all()


@pytest.mark.run
def test_false_positive_rates_are_nominal(profiles):
    category = correlated(np.random.default_rng(14), EQUAL, 20, fewest())
    result = profiles(category, n_permutations=499, resamples="none")
    for metric in PROFILE_INDICES:
        assert (result.indices[metric].p_value <= 0.05).sum() <= most(fewest())
    contrast = result.contrasts["fdi_group"]
    assert ((contrast.p_value <= 0.05).sum(axis=0) <= most(fewest())).all()
    hypothesis = result.contrasts["risk_difference"].p_hypothesis[::3, 0]
    assert least(fewest(), 0.02) <= (hypothesis <= 0.05).sum() <= most(fewest())


@pytest.mark.run
def test_an_index_at_its_margin_is_rarely_significant_past_it_or_within_it(profiles):
    n_sets = fewest()
    category = correlated(np.random.default_rng(15), APART, 30, n_sets)
    truth = 0.5 * np.abs(APART - APART.mean(axis=0)).sum(axis=1)
    margins = {"fdi": np.full(n_sets, truth.mean()), "fdi_group": np.full(n_sets, truth[0])}
    result = profiles(category, n_permutations=399, margins=margins)
    for field in ("p_margin", "p_equivalence"):
        assert (getattr(result.indices["fdi"], field) <= 0.05).sum() <= most(n_sets)
        assert (getattr(result.contrasts["fdi_group"], field)[:, [0, 2]] <= 0.05).sum(axis=0).max() <= most(n_sets)
    assert np.isnan(result.indices["jsd_between_groups"].p_margin).all()


@pytest.mark.parametrize("name", CATEGORIES)
def test_labels_are_one_question_and_two_of_them_that_of_a_rate(build, name):
    case = CATEGORIES[name]
    label = np.array(case["label"])
    labels = range(label.max() + 1)
    scheme, y = build(np.stack([label == one for one in labels], axis=2).astype(float))
    nothing = {"risk_difference": np.full(1, np.nan)}
    found = compare_labels(scheme, y[:, None], nothing, with_indices=False).contrasts["risk_difference"]
    assert found.p_hypothesis == pytest.approx(
        np.full(found.p_hypothesis.shape, case["p_question_categories"]), abs=1e-9
    )
    assert found.studentised == pytest.approx(np.array(case["z"]), abs=1e-9)
    rate = compare_values(scheme, y[:, :1], nothing, is_rate=True, with_indices=False).contrasts["risk_difference"]
    assert rate.p_hypothesis[0, 0] == pytest.approx(case["p_question_binary_of_label_0"], abs=1e-9)
